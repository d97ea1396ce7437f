"""The coordinator's document under `wfsm simulate`, for tests that are called with WFSM SRCDIR."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

WFSM = sys.argv[1]
HOST = Path(sys.argv[2]).resolve() / "examples" / "coordinator"
DOCUMENT = HOST / "coordinator.json"
MACHINE = json.loads(DOCUMENT.read_text())


class Sim:
    """One instance under `wfsm simulate`; the last answer's parts are its attributes."""

    def __init__(self, document=DOCUMENT):
        self.workspace = {"preparing": CHANGE, "recording": CHANGE,
                          "landing": {"status": "landed"}}
        self.process = subprocess.Popen([WFSM, "simulate", str(document)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.read()

    def read(self):
        answer = json.loads(self.process.stdout.readline())
        self.result = answer["result"]
        self.revision = answer["revision"]
        self.state = answer["configuration"][0]
        self.context = answer["context"]
        self.effects = answer["effects"]
        self.work = answer["invocations"]
        self.answer = answer
        return self

    def say(self, **line):
        """The host's own part, the workspace, is answered here."""
        self.tell(**line)
        result, effects = self.result, self.effects
        while self.src == "workspace":
            self.tell(done=self.work[0]["id"], output=self.workspace[self.state.split(".")[-1]])
        self.result, self.effects = result, effects
        return self

    def tell(self, **line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return self.read()

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def event(self, name, data=None):
        return self.say(event=name, data=data)

    def done(self, output):
        return self.say(done=self.work[0]["id"], output=output)

    def failed(self, failure_class):
        return self.say(failed=self.work[0]["id"], **{"class": failure_class})

    @property
    def src(self):
        return self.work[0]["src"] if self.work else None


CHANGE = {"change": {"commit": "c1", "files": ["a.c"]}}
CODED = {"summary": "did it", "changed_files": ["a.c"]}
APPROVE = {"decision": "approve", "must_fix": [], "summary": "good"}
CHANGES = {"decision": "changes_requested", "summary": "bad",
           "must_fix": [{"file": "a.c", "line": 3, "message": "overflow"}]}
COMMANDS = {"commands": [{"argv": ["make", "check"]}], "summary": "make check"}
PASSED = {"results": [{"argv": ["make", "check"], "exit_code": 0, "reason": "exit status 0",
                       "tail": "ok"}]}
FAILED = {"results": [{"argv": ["make", "all"], "exit_code": 0, "reason": "exit status 0"},
                      {"argv": ["make", "check"], "exit_code": 2, "reason": "exit status 2",
                       "tail": "1 failed"}]}
KILLED = {"results": [{"argv": ["make", "check"], "exit_code": None,
                       "reason": "ran out of time"}]}


class Run(unittest.TestCase):
    def start(self):
        sim = Sim()
        self.addCleanup(sim.close)
        return sim

    # Ways to each state at rest.

    def in_build(self, rounds=5):
        sim = self.start()
        sim.say(patch={"maxRounds": rounds})
        self.assertEqual((sim.state, sim.src), ("build.coding", "coder"))
        return sim

    def in_review(self, **how):
        sim = self.in_build(**how).done(CODED)
        self.assertEqual((sim.state, sim.src), ("review.implementation", "reviewer"))
        return sim

    def in_asking(self, **how):
        sim = self.in_review(**how).done(APPROVE)
        self.assertEqual((sim.state, sim.src), ("test.implementation.asking", "tester"))
        return sim

    def in_running(self, **how):
        sim = self.in_asking(**how).done(COMMANDS)
        self.assertEqual((sim.state, sim.src), ("test.implementation.running", "commands"))
        return sim

    def canceled(self):
        sim = self.in_build().event("aborted_by_operator")
        self.assertEqual(sim.state, "finalize.canceled")
        return sim

    def approved(self):
        sim = self.in_running().done(PASSED)
        self.assertEqual(sim.state, "finalize.approved")
        return sim

    def exhausted(self):
        sim = self.in_review(rounds=1).done(CHANGES)
        self.assertEqual(sim.state, "finalize.exhausted")
        return sim

    def broken(self):
        sim = self.in_review().failed("schema")
        self.assertEqual(sim.state, "finalize.failed")
        return sim

    def drafting(self):
        sim = self.canceled().event("task_followup_received",
                                    {"message": "a proposal first", "mode": "append",
                                     "executionMode": "proposal"})
        self.assertEqual((sim.state, sim.src), ("plan.proposal", "coder"))
        return sim

    def reviewing(self):
        sim = self.drafting().done({"proposal": "so and so"})
        self.assertEqual((sim.state, sim.src), ("review.proposal", "reviewer"))
        return sim

    def discussing(self):
        sim = self.reviewing().done({"says": "hm"})
        self.assertEqual((sim.state, sim.src), ("test.proposal", "tester"))
        return sim

    def awaiting(self):
        sim = self.discussing().done({"says": "test it so"})
        self.assertEqual(sim.state, "finalize.awaiting")
        return sim

    def outcome(self, sim, state, outcome):
        self.assertEqual((sim.state, sim.context["outcome"]), (state, outcome))
        self.assertEqual(sim.context["roundOutcome"], None)
        self.assertEqual(sim.work, [])
