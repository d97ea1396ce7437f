"""python3-transitions: the table of cycle.json, its guards as methods, in memory."""
import json
import sys
import time

from transitions import Machine

CYCLE = ["START", "ANALYSIS_COMPLETE", "SPAWN_AGENT", "AGENT_DONE", "ENTER_TEST_PHASE",
         "TESTS_FAILED", "START_FIX", "FIX_COMPLETE", "ALL_TESTS_PASS", "TESTS_PASSED_CONTINUE",
         "WORKFLOW_COMPLETE", "FINALIZE"]
ROUNDS = 2000


class Model:
    queued, suggested, retries, max_retries = 0, 1, 0, 3
    agent, complete, needs_approval = "tester", False, False

    def may_spawn(self):
        return self.queued > 0 or self.suggested > 0

    def is_empty(self):
        return self.queued == 0

    def is_tester(self):
        return self.agent == "tester"

    def may_fix(self):
        return self.retries < self.max_retries

    def count(self):
        self.retries += 1

    def forget(self):
        self.retries = 0


CONDITIONS = {"SPAWN_AGENT": "may_spawn", "WORKFLOW_COMPLETE": "is_empty",
              "ENTER_TEST_PHASE": "is_tester", "START_FIX": "may_fix"}


def rows(states):
    """Those of the table that the cycle can take, and their neighbours."""
    for source, state in states.items():
        for event, given in state.get("on", {}).items():
            target = given if isinstance(given, str) else given.get("target")
            if not target:
                continue
            row = {"trigger": event, "source": source, "dest": target}
            if event in CONDITIONS:
                row["conditions"] = CONDITIONS[event]
            if event == "START_FIX":
                row["after"] = "count"
            if event == "START" and source == "COMPLETED":
                row["after"] = "forget"
            yield row


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    model = Model()
    Machine(model, states=list(document["states"]), initial=document["initial"],
            transitions=list(rows(document["states"])), auto_transitions=False)
    for name in CYCLE:
        model.trigger(name)
    begin = time.perf_counter_ns()
    for _ in range(ROUNDS):
        for name in CYCLE:
            model.trigger(name)
    spent = time.perf_counter_ns() - begin
    if model.state != "COMPLETED":
        sys.exit("transitions: it is elsewhere")
    print(json.dumps({"workload": "peers", "figure": "transitions (Python)",
                      "value": spent / ROUNDS / len(CYCLE), "unit": "ns",
                      "floor": "name+time+entry/hot"}))


main()
