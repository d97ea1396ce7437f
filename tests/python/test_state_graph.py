"""examples/state_graph.py: StateGraph of seed 004, its scenarios as they are written."""
import sys
import unittest

from support import ROOT, Case, wfsm

sys.path.insert(0, str(ROOT / "bindings" / "python" / "examples"))
from state_graph import StateGraph, delete_state, list_states, path_of  # noqa: E402

TO_TESTS_FAIL = ("START", "ANALYSIS_COMPLETE", "PLAN_COMPLETE", "ARCHITECTURE_COMPLETE",
                 "DESIGN_COMPLETE", "APPROVE", "START_BUILD", "BUILD_COMPLETE", "TESTS_FAILED")
TO_APPROVAL = TO_TESTS_FAIL[:5]


class Graphs(Case):
    document = "linear"

    def setUp(self):
        self.machine = wfsm.Machine.load(path_of(self.document).read_text())
        self.store = wfsm.memory()
        self.now = 1700000000000
        self.graph = self.new()

    def new(self, project="test-project", **options):
        graph = StateGraph(project, self.machine, self.store, clock=self.tick, **options)
        self.addCleanup(graph.close)
        return graph

    def tick(self):
        self.now += 1000
        return self.now

    def go(self, *events):
        for event in events:
            self.assertTrue(self.graph.transition(event), event)

    def hear(self, *names):
        heard = []
        for name in names:
            self.graph.on(name, lambda what, name=name: heard.append((name, what)))
        return heard


class Scenarios(Graphs):
    def test_initial_state(self):
        # 004-351, 004-352, 004-243
        self.assertEqual((self.graph.state, self.graph.history), ("IDLE", []))

    def test_valid_transitions(self):
        # 004-353, 004-354, 004-371
        for event, state in zip(TO_APPROVAL, ("ANALYZING", "PLANNING", "ARCHITECTING",
                                              "DESIGNING", "AWAITING_APPROVAL")):
            self.assertIs(self.graph.transition(event), True)
            self.assertEqual(self.graph.state, state)

    def test_history(self):
        # 004-355, 004-248
        self.go("START", "ANALYSIS_COMPLETE")
        first, second = self.graph.history
        self.assertEqual(first, {"from": "IDLE", "to": "ANALYZING", "event": "START",
                                 "timestamp": first["timestamp"]})
        self.assertRegex(first["timestamp"], r"^2023-11-14T\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(second["event"], "ANALYSIS_COMPLETE")

    def test_invalid_transitions(self):
        # 004-356, 004-357, 004-250, 004-287, 004-372
        with self.assertLogs("aigentflow", "WARNING") as log:
            self.assertIs(self.graph.transition("APPROVE"), False)
            self.assertIs(self.graph.transition("BUILD_COMPLETE"), False)
        self.assertEqual([one.getMessage() for one in log.records],
                         ["No transition rule for event 'APPROVE' from state 'IDLE'",
                          "No transition rule for event 'BUILD_COMPLETE' from state 'IDLE'"])
        self.assertEqual((self.graph.state, self.graph.history), ("IDLE", []))
        self.assertEqual(self.store.list(), [])

    def test_approval_flow(self):
        # 004-358, 004-359
        self.go(*TO_APPROVAL)
        self.assertTrue(self.graph.is_awaiting_input())  # 004-280, 004-381
        self.go("APPROVE")
        self.assertEqual(self.graph.state, "APPROVED")
        self.graph = self.new()
        self.go(*TO_APPROVAL, "REJECT")
        self.assertEqual(self.graph.state, "REJECTED")
        self.go("REDESIGN")
        self.assertEqual(self.graph.state, "DESIGNING")

    def test_max_retries(self):
        # 004-360, 004-373
        self.go(*TO_TESTS_FAIL)
        self.assertTrue(self.graph.can_transition("START_FIX"))
        self.graph.update_context(retryCount=3)
        self.assertFalse(self.graph.can_transition("START_FIX"))
        self.assertTrue(self.graph.can_transition("MAX_RETRIES_EXCEEDED"))

    def test_checkpoints(self):
        # 004-361, 004-362, 004-374, 004-375, 004-267
        self.go("START")
        made = self.graph.create_checkpoint(["file1.ts"])
        self.assertEqual((made["state"], made["artifacts"]), ("ANALYZING", ["file1.ts"]))
        self.go("ANALYSIS_COMPLETE")
        made = self.graph.create_checkpoint()
        self.go("PLAN_COMPLETE", "ERROR", "START_RECOVERY")
        self.assertIs(self.graph.restore_checkpoint(made["id"]), True)
        self.assertEqual(self.graph.state, "PLANNING")
        self.assertEqual({**self.graph.history[-1], "timestamp": ""},
                         {"from": "RECOVERING", "to": "PLANNING", "timestamp": "",
                          "event": "RESTORE_CHECKPOINT", "metadata": {"checkpointId": made["id"]}})

    def test_error_and_abort(self):
        # 004-363, 004-364, 004-367, 004-376, 004-377, 004-380
        self.go("START", "ANALYSIS_COMPLETE", "ERROR")
        self.assertEqual((self.graph.state, self.graph.is_error()), ("ERROR", True))
        self.assertFalse(self.graph.is_terminal())
        self.go("ABORT")
        self.assertEqual((self.graph.state, self.graph.is_terminal()), ("ABORTED", True))

    def test_persistence(self):
        # 004-365, 004-366, 004-378
        self.graph.update_context(prompt="Test prompt")
        self.go("START")
        (saved,) = list_states("test-project", self.machine, self.store)
        self.assertEqual((saved["taskId"], saved["state"], saved["context"]["prompt"]),
                         (self.graph.task, "ANALYZING", "Test prompt"))
        self.go("ANALYSIS_COMPLETE")
        other = self.new()
        self.assertIs(other.load_state(self.graph.task), True)
        self.assertEqual((other.state, len(other.history)), ("PLANNING", 2))

    def test_events(self):
        # 004-368, 004-369, 004-06, 004-379
        heard = self.hear("transition", "state:ANALYZING", "state:PLANNING")
        self.go("START")
        self.assertEqual([name for name, _ in heard], ["transition", "state:ANALYZING"])
        self.assertEqual(heard[0][1]["event"], "START")
        self.assertEqual(heard[1][1]["maxRetries"], 3)


class Interface(Graphs):
    document = "aigentflow"

    def at_work(self, *queue):
        self.go("START", "ANALYSIS_COMPLETE")
        self.graph.update_context(agentQueue=list(queue))
        self.go("SPAWN_AGENT")

    def test_a_new_context(self):
        # 004-57, 004-58, 004-59, 004-60, 004-61, 004-62, 004-63, 004-64, 004-65, 004-66,
        # 004-67, 004-68, 004-69, 004-70, 004-71, 004-72, 004-239, 004-240, 004-241,
        # 004-242, 004-243, 004-244, 004-245
        context = self.new(max_retries=5, max_concurrent_agents=2).context
        for key, value in {"projectId": "test-project", "prompt": "", "taskAnalysis": None,
                           "currentAgent": None, "agentQueue": [], "completedAgents": [],
                           "agentOutputs": {}, "activeAgents": [], "maxConcurrentAgents": 2,
                           "epicContext": None, "error": None, "retryCount": 0,
                           "maxRetries": 5, "checkpoints": [], "metadata": {}}.items():
            self.assertEqual(context[key], value, key)
        for bad in ("", "a/b", "x" * 201):
            self.assertRaises(ValueError, self.new, bad)

    def test_a_memory_store_is_the_default(self):
        # 004-299
        graph = StateGraph("p", self.machine)
        self.addCleanup(graph.close)
        graph.transition("START")
        self.assertEqual([head.instance for head in graph.store.list()], [f"p/{graph.task}"])

    def test_answers_are_copies(self):
        # 004-247
        self.graph.context["metadata"]["x"] = 1
        self.graph.context["agentQueue"].append("tester")
        self.assertEqual((self.graph.context["metadata"], self.graph.context["agentQueue"]),
                         ({}, []))

    def test_a_guard_blocks(self):
        # 004-251
        self.go("START", "ANALYSIS_COMPLETE")
        with self.assertLogs("aigentflow", "DEBUG") as log:
            self.assertFalse(self.graph.transition("SPAWN_AGENT"))
        self.assertEqual(log.records[0].getMessage(),
                         "Guard blocked transition for event 'SPAWN_AGENT'")

    def test_valid_events_have_the_order_of_the_rules(self):
        # 004-151, 004-152, 004-260
        self.assertEqual(self.graph.valid_events, ["START", "ERROR", "ABORT"])
        self.at_work("tester")
        self.go("AGENT_DONE")
        self.assertEqual(self.graph.valid_events,
                         ["ROUTE_NEXT", "ENTER_TEST_PHASE", "ERROR", "ABORT"])
        self.go("ERROR")
        self.assertEqual(self.graph.valid_events, ["ABORT", "START_RECOVERY"])
        self.graph.create_checkpoint()
        self.go("START_RECOVERY")
        self.assertEqual(self.graph.valid_events, ["ERROR", "ABORT", "RESTORE_CHECKPOINT"])
        self.go("ABORT")
        self.assertEqual(self.graph.valid_events, [])

    def test_outputs_and_what_guards_read(self):
        # 004-64, 004-106, 004-127, 004-154
        self.at_work("architect")
        self.assertTrue(self.graph.transition("AGENT_DONE", {
            "success": True, "output": "plan", "routingHints": {"needsApproval": True}}))
        output = self.graph.context["agentOutputs"]["architect"]
        self.assertEqual((output["agent"], output["output"]), ("architect", "plan"))
        self.assertRegex(output["timestamp"], r"^2023-11-14T")
        self.assertTrue(self.graph.can_transition("NEEDS_APPROVAL"))
        self.graph.update_context(agentOutputs={})
        self.assertFalse(self.graph.can_transition("NEEDS_APPROVAL"))
        self.assertTrue(self.graph.can_transition("ROUTE_NEXT"))

    def test_update_context(self):
        # 004-272
        for bad in ({"unknown": 1}, {"retryCount": "3"}, {"checkpoints": []}, {"prompt": None},
                    {"prompt": "x" * 10_000_000}, {"agentQueue": ["developer"]}):
            with self.assertRaises(wfsm.BadDocument):
                self.graph.update_context(**bad)
        self.assertEqual(self.graph.context["prompt"], "")

    def test_retries(self):
        # 004-155, 004-273, 004-274, 004-281
        self.at_work("tester")
        self.go("AGENT_DONE", "ENTER_TEST_PHASE", "TESTS_FAILED")
        for _ in range(3):
            self.go("START_FIX", "FIX_COMPLETE", "TESTS_FAILED")
        self.assertFalse(self.graph.transition("START_FIX"))
        self.go("MAX_RETRIES_EXCEEDED")
        self.assertTrue(self.graph.is_terminal() and self.graph.is_awaiting_input())
        self.graph.reset_retries()
        self.assertEqual(self.graph.increment_retry(), 1)
        self.go("RESUME")
        self.assertEqual((self.graph.state, self.graph.context["retryCount"]), ("TESTING", 0))

    def test_restore(self):
        # 004-263, 004-264, 004-265, 004-266, 004-269, 004-270, 004-285, 004-388
        self.go("START", "ANALYSIS_COMPLETE")
        self.graph.update_context(agentQueue=["architect", "tester"])
        first = self.graph.create_checkpoint()
        self.go("SPAWN_AGENT")
        second = self.graph.create_checkpoint()
        self.assertFalse(self.graph.restore_checkpoint("unknown"))
        self.assertFalse(self.graph.restore_checkpoint(first["id"]))
        self.assertEqual(self.graph.state, "AGENT_WORKING")
        self.go("ERROR")
        heard = self.hear("transition", "state:ORCHESTRATING", "restore")
        self.assertTrue(self.graph.restore_checkpoint(first["id"]))
        self.assertEqual([name for name, _ in heard],
                         ["transition", "transition", "state:ORCHESTRATING", "restore"])
        self.assertEqual((self.graph.context["agentQueue"], self.graph.context["currentAgent"]),
                         (["architect", "tester"], None))
        self.assertEqual([one["id"] for one in self.graph.context["checkpoints"]],
                         [first["id"], second["id"]])
        self.assertEqual(first["context"], {key: value for key, value
                                            in self.graph.context.items()
                                            if key not in ("activeAgents", "checkpoints")})
        self.go("ERROR", "START_RECOVERY")
        self.assertFalse(self.graph.transition("RESTORE_CHECKPOINT"))
        self.assertTrue(self.graph.restore_checkpoint(second["id"]))
        self.assertEqual(self.graph.latest_checkpoint["id"], second["id"])
        self.go("ABORT")
        self.assertFalse(self.graph.restore_checkpoint(first["id"]))
        self.assertEqual(self.graph.state, "ABORTED")

    def test_the_store(self):
        # 004-276, 004-277, 004-293, 004-294, 004-295, 004-296, 004-298
        path = self.folder() / "tasks.db"
        with wfsm.sqlite(path) as self.store:
            self.graph = self.new()
            heard = self.hear("loaded")
            self.go("START")
            self.assertFalse(self.new("other").load_state(self.graph.task))
            self.assertFalse(self.graph.load_state("unknown"))
            self.assertTrue(self.graph.load_state(self.graph.task))
            self.assertEqual(heard[0][1]["state"], "ANALYZING")
            self.assertEqual(len(list_states("test-project", self.machine, self.store)), 1)
            self.assertEqual(list_states("other", self.machine, self.store), [])
            delete_state("test-project", self.graph.task, self.store)
            delete_state("test-project", "unknown", self.store)
            self.assertEqual(list_states("test-project", self.machine, self.store), [])
            self.graph.close()

    def test_two_graphs_on_one_task(self):
        # 004-258
        self.go("START")
        other = self.new()
        other.load_state(self.graph.task)
        self.go("ANALYSIS_COMPLETE")
        heard = []
        other.on("transition", heard.append)
        with self.assertRaises(wfsm.Conflict):
            other.transition("ABORT")
        self.assertEqual((heard, self.graph.state), ([], "ORCHESTRATING"))

    def test_an_action_fails(self):
        # 004-126, 004-252, 004-253, 004-254
        functions = wfsm.Functions()

        @functions.action("burn")
        def burn(_call):
            raise RuntimeError("the house is on fire")

        self.machine = wfsm.Machine.load({
            "id": "m", "initial": "IDLE",
            "context": {"n": 0, "projectId": "", "taskId": "", "maxRetries": 0,
                        "maxConcurrentAgents": 0, "agentOutputs": {}},
            "states": {
                "IDLE": {"on": {"ERROR": "ERROR", "START": {"target": "ANALYZING", "actions": [
                    {"type": "assign", "params": {"n": 1}}, "burn"]}}},
                "ANALYZING": {}, "ERROR": {"on": {"START": {"actions": "burn"}}}}})
        self.graph = self.new(functions=functions)
        with self.assertLogs("aigentflow", "ERROR") as log:
            self.assertFalse(self.graph.transition("START"))
            self.assertIn("the house is on fire", log.records[0].getMessage())
            self.assertEqual((self.graph.state, self.graph.context["n"]), ("ERROR", 0))
            self.assertFalse(self.graph.transition("START"))
        self.assertEqual(self.graph.state, "ERROR")


if __name__ == "__main__":
    unittest.main()
