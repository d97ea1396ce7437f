"""The cases of `wfsm simulate`, each through the package (tests/step/cases)."""
import json
import sys
import unittest

from support import ROOT, Case, bare, wfsm
from wfsm import Outcome, Watched, _ffi

sys.path.insert(0, str(ROOT / "tests" / "step"))
import simulate  # noqa: E402

FILES = sorted((ROOT / "tests" / "step" / "cases").glob("*.json"))


def functions(options):
    """--guard NAME=true|false and --action NAME=PATCH, in either way of writing."""
    found, words = wfsm.Functions(), iter(options)
    for word in words:
        if word == "--properties":
            continue
        option, _, value = word.partition("=") if word.startswith("--") and "=" in word \
            else (word, "", next(words))
        name, _, answer = value.partition("=")
        add = found.guard if option == "--guard" else found.action
        add(name)(lambda call, answer=json.loads(answer): answer)
    return found


class Watch:
    """What --properties adds: the document's properties, and what a line has violated."""

    def __init__(self, machine, instance):
        self.monitor, self.instance = machine.monitor(), instance
        self.violated, self.before = [], ([], [])
        self.observe(None)

    def line(self):
        self.violated = []
        self.before = (self.instance.timers, self.instance.invocations)

    def event(self, record):
        """The event of a step, if a transition took it."""
        given, (timers, invocations) = record["input"], self.before
        if record["outcome"] not in ("taken", "ended"):
            return None
        if given["kind"] == "event":
            return {"type": given["event"], "data": given.get("data"), "kind": "external"}
        if given["kind"] == "timer":
            due = [one for one in timers if one["event"] == given["event"]]
            return {"type": given["event"], "kind": "timer",
                    "data": due[0].get("data") if due else None}
        if given["kind"] == "budget":
            name = given["budget"]
            return {"type": f"error.budget.{name}", "kind": "platform",
                    "data": {"budget": name, **self.instance.budgets(record["now"])[name]}}
        if given["kind"] not in ("result", "failure"):
            return None
        invoke = [one["invoke"] for one in invocations if one["id"] == given["invocation"]][0]
        return {"type": f"done.invoke.{invoke}", "data": given["output"], "kind": "platform"} \
            if given["kind"] == "result" else {
                "type": f"error.invoke.{invoke}", "data": record["failed"], "kind": "platform"}

    def observe(self, record):
        self.monitor.observe(self.instance, record and self.event(record))
        self.note()

    def advance(self, now):
        self.monitor.advance(now)
        self.note()

    def note(self):
        for one in self.monitor.properties:
            if one.watched in (Watched.WATCHED_VIOLATED, Watched.WATCHED_FAILED) and \
                    one.name not in self.violated:
                self.violated.append(one.name)

    def answer(self):
        return {"violated": self.violated,
                "pending": [one.name for one in self.monitor.properties
                            if one.watched is Watched.WATCHED_PENDING]}


class Simulation:
    """What the command does, with the package: virtual time, one answer a line."""

    def __init__(self, case):
        machine = wfsm.Machine.load(case["machine"])
        self.now, self.log, self.known = 0, [], {}
        self.instance = wfsm.Instance.start(
            machine, wfsm.memory(), "sim", functions=functions(case.get("options", [])), now=0)
        self.log += self.instance.log
        self.watch = Watch(machine, self.instance) \
            if "--properties" in case.get("options", []) else None
        self.instance.observe(lambda call: self.log.extend(call.log))

    def settle(self):
        return self.instance.advance(self.now)

    def advance(self, milliseconds):
        goal, taken = self.now + milliseconds, []
        while self.instance.deadline is not None and self.instance.deadline <= goal:
            self.now = max(self.now, self.instance.deadline)
            taken += self.settle()
        self.now = goal
        moved = {Outcome.TAKEN, Outcome.ENDED} & set(taken)
        return Outcome.TAKEN if moved else Outcome.NO_TRANSITION

    def full(self, name):
        """The id of work that a script names without its incarnation."""
        return self.known.get(name, name)

    def input(self, line):
        one, now = self.instance, self.now
        self.known.update((bare(work["id"]), work["id"]) for work in one.invocations)
        if "event" in line:
            origin = line.get("origin", {})
            interface = wfsm.Interface["INTERFACE_" + origin["interface"].upper()] if origin else 0
            return one.send(line["event"], line.get("data"), id=line.get("id"), now=now,
                            interface=interface, sender=origin.get("sender"))
        if "advance" in line:
            return self.advance(line["advance"])
        if "approve" in line:
            vote = dict(line["approve"])
            return one.approve(self.full(vote.pop("invocation")), id=line.get("id"), now=now,
                               approve=vote.pop("decision") == "approve", **vote)
        if "patch" in line:
            return one.patch(line["patch"], now=now)
        if "checkpoint" in line:
            return one.checkpoint(line["checkpoint"], now=now)
        if "restore" in line:
            if isinstance(line["restore"], int):
                return one.restore(revision=line["restore"], now=now)
            return one.restore(line["restore"], now=now)
        if "done" in line:
            return one.result(self.full(line["done"]), line.get("output"), usage=line.get("usage"),
                              signature=line.get("signature"), now=now)
        if "retry" in line:
            return one.retry(self.full(line["retry"]), now=now)
        return one.fail(self.full(line["failed"]), line.get("class", "other"), line.get("message"),
                        usage=line.get("usage"), signature=line.get("signature"),
                        retry_after=line.get("retryAfter", 0), now=now)

    def step(self, line):
        self.log = []
        if self.watch:
            self.watch.line()
        revision = self.instance.revision
        try:
            outcome = self.input(line)
            if self.watch:
                self.watch.observe(
                    self.instance.record if self.instance.revision > revision else None)
                self.watch.advance(self.now)
            result = _ffi.lib.wfsm_outcome_name(outcome).decode()
            problem = self.instance.error
        except wfsm.WfsmError as failed:
            result, problem = "failed", failed
        self.settle()
        return self.answer(result, problem)

    def answer(self, result, problem=None):
        one = self.instance
        self.settle()
        answer = {
            "revision": one.revision, "result": result, "configuration": one.configuration,
            "context": one.context, "effects": [
                {"id": bare(effect.id), "number": effect.number, "type": "emit",
                 "event": effect.event, "data": effect.data} for effect in one.effects()],
            "log": self.log, "deadline": one.deadline, "done": one.done,
            "invocations": [{"id": bare(each["id"])} |
                            {key: each[key] for key in ("src", "state", "status")}
                            for each in one.invocations]}
        if one.budgets(self.now):
            answer["budgets"] = one.budgets(self.now)
        if self.watch:
            answer["properties"] = self.watch.answer()
        if problem:
            answer["error"] = {"status": problem.name, "message": problem.message}
        return answer


class Simulate(Case):
    def check(self, case):
        simulation = Simulation(case)
        for number, (line, expected) in enumerate(case["steps"]):
            answer = simulation.answer("started") if line is None else simulation.step(line)
            wrong = simulate.shape(answer) + simulate.differences(expected, answer)
            self.assertEqual(wrong, [], f"step {number} {json.dumps(line)}")

    def check_refused(self, case):
        """What the command refuses to start; here guards and actions may be too many."""
        with self.assertRaises(wfsm.WfsmError) as caught:
            Simulation({**case, "options": []})
        for _, expected in case["steps"]:
            if "error" in expected:
                self.assertEqual({"status": caught.exception.name,
                                  "message": caught.exception.message}, expected["error"])

    def test_all(self):
        count = 0
        for path in FILES:
            for case in json.loads(path.read_text(encoding="utf-8")):
                with self.subTest(f"{path.name}: {case['name']}"):
                    count += 1
                    (self.check_refused if case.get("exit") == 1 else self.check)(case)
        self.assertGreater(count, 140)


if __name__ == "__main__":
    unittest.main()
