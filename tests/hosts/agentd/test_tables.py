#!/usr/bin/python3
"""agentd's three documents compared with the three diagrams of seed 003, arrow by arrow.

usage: test_tables.py WFSM SRCDIR

Half of it reads the documents; the other half drives them through `wfsm simulate`.
"""

import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from transitions import transitions  # noqa: E402

from diagrams import DIAGRAMS

WFSM = sys.argv[1]
HOST = Path(sys.argv[2]).resolve() / "examples" / "agentd"
NAMES = ("lifecycle", "plan", "impl")
MACHINES = {name: json.loads((HOST / f"{name}.json").read_text()) for name in NAMES}

STATES = {
    # 003-09, 003-10, 003-11, 003-12, 003-13, 003-14
    "lifecycle": ["init", "proposed", "challenged", "rejected", "implementing", "complete",
                  "archived", "end"],
    # 003-29, 003-30, 003-31, 003-32, 003-33, 003-34, 003-35, 003-36, 003-37, 003-38, 003-39
    "plan": ["start", "proposed", "validating", "challenging", "challenged",
             "iteration_check", "reproposing", "approved", "rejected", "manual_fix", "end"],
    # 003-81, 003-82, 003-83, 003-84, 003-85, 003-86, 003-87, 003-88, 003-89
    "impl": ["start", "challenged", "implementing", "reviewing", "iteration_check",
             "resolving", "complete", "manual_fix", "end"],
}
# 003-15
PHASES = ["Proposed", "Challenged", "Rejected", "Implementing", "Complete", "Archived"]


def top(path):
    return path.split(".")[0]


def resolve(path, event, target):
    if target.startswith("#"):
        return target[1:]
    if not path:
        return target
    return ".".join(path.split(".")[:-1] + [target]).strip(".")


class Documents(unittest.TestCase):
    def test_the_states_are_those_of_the_diagrams(self):
        for name, states in STATES.items():
            with self.subTest(name):
                self.assertEqual([key for key in MACHINES[name]["states"]
                                  if key != "stopped"], states)

    def test_the_phases_are_exactly_six(self):
        # 003-15
        enum = MACHINES["lifecycle"]["schemas"]["context"]["properties"]["phase"]["enum"]
        self.assertEqual(enum, [None] + PHASES)

    def test_every_arrow_is_there_with_its_ends(self):
        for name, arrows in DIAGRAMS.items():
            found = {}
            for path, event, one in transitions(MACHINES[name]):
                if "seed" in one.get("meta", {}):
                    self.assertNotIn(one["meta"]["seed"], found)
                    found[one["meta"]["seed"]] = (
                        top(path) or "*", top(resolve(path, event, one["target"])))
            if name == "lifecycle":  # a state of its own stands for the last [*]
                self.assertEqual(found["003-27"], ("end", "stopped"))
                found["003-27"] = ("end", "*")
            else:  # a final state of the root: no transition, and the word stands there
                end = MACHINES[name]["states"]["end"]
                self.assertEqual(end["type"], "final")
                found[end["meta"]["seed"]] = ("end", "*")
            self.assertEqual(found, {seed: (a, b) for seed, a, b in arrows}, name)

    def test_whatever_else_joins_two_states_is_listed(self):
        additions = (HOST / "ADDITIONS.md").read_text()
        seen = set()
        for name in NAMES:
            for path, event, one in transitions(MACHINES[name]):
                if "target" not in one or "seed" in one.get("meta", {}):
                    continue
                target = resolve(path, event, one["target"])
                with self.subTest(name, state=path, event=event, target=target):
                    if "addition" in one.get("meta", {}):
                        self.assertIn(f"**{one['meta']['addition']}**", additions)
                        seen.add(one["meta"]["addition"])
                    else:
                        self.assertEqual(top(path), top(target))
        for line in additions.splitlines():
            if line.startswith("- **"):
                self.assertIn(line.split("**")[1], seen)

    def test_they_have_no_diagnostics(self):
        for name in NAMES:
            done = subprocess.run([WFSM, "check", HOST / f"{name}.json"], check=False,
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_what_is_claimed_of_them(self):
        # The claims that the issue asks for are among the properties; command_verify proves them.
        self.assertLessEqual({"never archived unless Complete",
                              "never Challenged without APPROVED"},
                             set(MACHINES["lifecycle"]["properties"]))
        self.assertIn("at most max reproposals", MACHINES["plan"]["properties"])
        self.assertIn("at most max resolutions", MACHINES["impl"]["properties"])


class Hand:
    """One instance under `wfsm simulate --by-hand`: each arrow is a step that is seen."""

    def __init__(self, name, given=None):
        self.process = subprocess.Popen(
            [WFSM, "simulate", "--by-hand", str(HOST / f"{name}.json")], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.state, self.arrows = "*", []
        self.say(start=given)

    def say(self, **line):
        self.step(line)
        while not self.answer["done"] and self.answer["deadline"] == 0:
            self.step({"fire": True})
        return self

    def step(self, line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        self.answer = json.loads(self.process.stdout.readline())
        before, self.state = self.state, self.answer["configuration"][0]
        self.context = self.answer["context"]
        self.work = self.answer["invocations"]
        if before != self.state or self.answer["result"] == "taken":
            self.arrows.append((top(before), top(self.state)))

    def done(self, output):
        return self.say(done=self.work[0]["id"], output=output)

    def failed(self, failure="auth"):
        return self.say(failed=self.work[0]["id"], **{"class": failure})

    def event(self, name, data=None):
        return self.say(event=name, data=data)

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


LOOK = {"documents": {"clarifications.md": "c"}, "edited": [], "specs": ["specs/a.md"]}
FILES = {"files": [{"path": "p", "text": "t"}], "summary": "s"}
SAVED = {"digests": {"proposal.md": "d"}, "edited": []}
VALID = {"valid": True, "problems": [], "repaired": [], "text": None,
         "current": {"proposal.md": "d"}, "documents": {"proposal.md": "t"}}
INVALID = dict(VALID, valid=False, problems=["no section Why"])
REPORT = {"report": "text"}
PASSED = {"passed": True, "results": []}
FAILED = {"passed": False, "results": [{"argv": ["make", "test"], "exit_code": 2}]}


def verdict(word):
    return {"digests": {"CHALLENGE.md": "d"}, "edited": [], "verdict": word, "message": None}


class Run(unittest.TestCase):
    def start(self, name, **given):
        hand = Hand(name, given)
        self.addCleanup(hand.close)
        return hand

    def ended(self, hand, **context):
        self.assertTrue(hand.answer["done"])
        for key, value in context.items():
            self.assertEqual(hand.context[key], value, key)

    def took(self, hand, *arrows):
        for arrow in arrows:
            self.assertIn(arrow, hand.arrows)


class Plan(Run):
    def challenging(self, **given):
        hand = self.start("plan", **given)
        for step in range(3):  # 003-60, 003-61: proposal, specs, tasks, one after the other
            self.assertEqual(hand.work[0]["src"], "look")
            hand.done(LOOK)
            self.assertEqual(hand.work[0]["src"], "proposer")
            self.assertEqual(hand.context["step"], step)
            self.assertEqual(hand.context["documents"], {"clarifications.md": "c"})
            hand.done(FILES)
            self.assertEqual(hand.work[0]["src"], "save")
            hand.done(SAVED)
        self.assertEqual((hand.state, hand.work[0]["src"]), ("validating.checking", "validate"))
        hand.done(VALID)
        self.assertEqual(hand.work[0]["src"], "challenger")
        return hand

    def repropose(self, hand):
        self.assertEqual((hand.state, hand.work[0]["src"]), ("reproposing.looking", "look"))
        hand.done(LOOK)
        self.assertEqual((hand.state, hand.work[0]["src"]), ("reproposing.asking", "proposer"))
        return hand.done(FILES).done(SAVED)

    def test_approved(self):
        # 003-40, 003-41, 003-42, 003-43, 003-45, 003-46, 003-52, 003-55, 003-70
        hand = self.challenging().done(REPORT).done(verdict("APPROVED"))
        self.assertEqual(hand.arrows[-1], ("approved", "end"))
        self.took(hand, ("*", "start"), ("start", "proposed"), ("proposed", "validating"),
                  ("validating", "challenging"), ("challenging", "challenged"),
                  ("challenged", "approved"), ("approved", "end"))
        self.ended(hand, result="approved", verdict="APPROVED", iterations=0)

    def test_rejected(self):
        # 003-47, 003-53, 003-72
        hand = self.challenging().done(REPORT).done(verdict("REJECTED"))
        self.took(hand, ("challenged", "rejected"), ("rejected", "end"))
        self.ended(hand, result="rejected", verdict="REJECTED")

    def test_an_invalid_format(self):
        # 003-44, 003-54, 003-168
        hand = self.start("plan", **{"from": "validate"}).done(INVALID)
        self.took(hand, ("validating", "manual_fix"), ("manual_fix", "end"))
        self.ended(hand, result="manual")
        self.assertEqual(hand.context["problem"]["items"], ["no section Why"])

    def test_a_repair_is_kept_before_it_is_written(self):
        # 003-65, 003-168
        hand = self.start("plan", **{"from": "validate"})
        hand.done(dict(VALID, text="# fixed\n", repaired=["a heading"]))
        self.assertEqual((hand.state, hand.work[0]["src"]), ("validating.repairing", "save"))
        self.assertEqual(hand.context["files"], [{"path": "proposal.md", "text": "# fixed\n"}])
        hand.done(SAVED).done(VALID)
        self.assertEqual((hand.state, hand.context["files"]), ("challenging.asking", []))

    def test_reproposed_so_often_and_no_more(self):
        # 003-48, 003-49, 003-50, 003-51, 003-71, 003-74, 003-75, 003-76, 003-77, 003-172
        for most in (0, 1, 2):
            with self.subTest(most=most):
                hand = self.challenging(max=most).done(REPORT).done(verdict("NEEDS_REVISION"))
                for _ in range(most):
                    self.repropose(hand).done(VALID)
                    self.took(hand, ("iteration_check", "reproposing"),
                              ("reproposing", "challenging"))
                    hand.done(REPORT).done(verdict("NEEDS_REVISION"))
                self.took(hand, ("challenged", "iteration_check"),
                          ("iteration_check", "manual_fix"), ("manual_fix", "end"))
                self.ended(hand, result="manual", iterations=most)
                self.assertEqual(hand.context["problem"]["kind"], "iterations")

    def test_the_default_is_two(self):
        # 003-76, 003-151
        self.assertEqual(MACHINES["plan"]["context"]["max"], 2)

    def test_a_reproposal_is_validated_before_it_is_challenged(self):
        # 003-178
        hand = self.challenging().done(REPORT).done(verdict("NEEDS_REVISION"))
        self.repropose(hand)
        self.assertEqual(hand.work[0]["src"], "validate")
        hand.done(INVALID)
        self.took(hand, ("reproposing", "manual_fix"))
        self.ended(hand, result="manual", iterations=1)

    def test_an_approval_after_a_reproposal(self):
        hand = self.challenging().done(REPORT).done(verdict("NEEDS_REVISION"))
        self.repropose(hand).done(VALID).done(REPORT).done(verdict("APPROVED"))
        self.ended(hand, result="approved", iterations=1)

    def test_no_verdict_is_assumed(self):
        # 003-180
        answer = dict(verdict(None), message="CHALLENGE.md: no verdict")
        hand = self.challenging().done(REPORT).done(answer)
        self.took(hand, ("challenging", "manual_fix"))
        self.ended(hand, result="manual", verdict=None)
        self.assertEqual(hand.context["problem"]["message"], "CHALLENGE.md: no verdict")

    def test_what_a_person_has_edited_is_not_written_over(self):
        edited = {"digests": {}, "edited": ["proposal.md"]}
        hand = self.start("plan").done(LOOK).done(FILES).done(edited)
        self.ended(hand, result="manual", step=0)
        self.assertEqual(hand.context["problem"]["items"], ["proposal.md"])
        hand = self.start("plan", **{"from": "repropose"}).done(dict(LOOK, edited=["tasks.md"]))
        self.ended(hand, result="manual")
        self.assertEqual(hand.context["problem"]["items"], ["tasks.md"])
        hand = self.start("plan", overwrite=True, **{"from": "repropose"})
        hand.done(dict(LOOK, edited=["tasks.md"]))
        self.assertEqual(hand.state, "reproposing.asking")

    def test_where_a_run_begins(self):
        # 003-133: what is done is not done again
        hand = self.start("plan", step=1)
        hand.done(LOOK).done(FILES).done(SAVED).done(LOOK).done(FILES).done(SAVED)
        self.assertEqual(hand.state, "validating.checking")
        self.assertEqual(self.start("plan", **{"from": "validate"}).state, "validating.checking")
        hand = self.start("plan", **{"from": "repropose"})
        self.assertEqual((hand.state, hand.context["iterations"]), ("reproposing.looking", 1))
        hand = self.start("plan", max=0, **{"from": "repropose"})
        self.ended(hand, result="manual")

    def test_an_agent_that_fails(self):
        hand = self.challenging().failed()
        self.took(hand, ("challenging", "manual_fix"))
        self.ended(hand, result="manual")
        self.assertEqual(hand.context["problem"]["agent"], "challenge")


class Impl(Run):
    def reviewing(self, specs=1, **given):
        hand = self.start("impl", **given)
        names = [f"specs/{index}.md" for index in range(specs)]
        self.assertEqual(hand.state, "implementing.looking")
        hand.done(dict(LOOK, specs=names))
        return hand, names

    def test_complete(self):
        # 003-90, 003-91, 003-92, 003-93, 003-94, 003-100, 003-102, 003-115
        hand, _ = self.reviewing()
        hand.done({}).done(PASSED).done(LOOK)
        self.assertEqual(hand.work[0]["src"], "reviewer")
        hand.done(REPORT).done(verdict("APPROVED"))
        self.took(hand, ("*", "start"), ("start", "challenged"),
                  ("challenged", "implementing"), ("implementing", "reviewing"),
                  ("reviewing", "complete"), ("complete", "end"))
        self.ended(hand, result="complete", implemented=True)

    def test_spec_by_spec(self):
        # 003-107, 003-153
        hand, names = self.reviewing(specs=3)
        for index, name in enumerate(names):
            self.assertEqual((hand.context["at"], hand.context["packages"][index]),
                             (index, [name]))
            self.assertEqual(hand.context["implemented"], False)
            hand.done({"summary": "did it"})
        self.assertEqual(hand.state, "reviewing.checking")
        hand, names = self.reviewing(specs=3, sequential=False)
        self.assertEqual(hand.context["packages"], [names])
        self.assertEqual(hand.done({}).state, "reviewing.checking")
        hand, _ = self.reviewing(specs=0)
        self.assertEqual(hand.context["packages"], [[]])

    def test_resolved_so_often_and_no_more(self):
        # 003-95, 003-97, 003-98, 003-99, 003-101, 003-116, 003-118, 003-119, 003-120,
        # 003-121, 003-172
        for most in (0, 1, 2):
            with self.subTest(most=most):
                hand, _ = self.reviewing(max=most)
                hand.done({}).done(PASSED).done(LOOK).done(REPORT)
                hand.done(verdict("NEEDS_CHANGES"))
                for _ in range(most):
                    self.assertEqual(hand.state, "resolving.looking")
                    hand.done(LOOK)
                    self.assertEqual(hand.state, "resolving.asking")
                    hand.done({})
                    self.took(hand, ("iteration_check", "resolving"),
                              ("resolving", "reviewing"))
                    hand.done(PASSED).done(LOOK).done(REPORT).done(verdict("NEEDS_CHANGES"))
                self.took(hand, ("reviewing", "iteration_check"),
                          ("iteration_check", "manual_fix"), ("manual_fix", "end"))
                self.ended(hand, result="manual", iterations=most, verdict="NEEDS_CHANGES")

    def test_the_default_is_two(self):
        # 003-120, 003-152
        self.assertEqual(MACHINES["impl"]["context"]["max"], 2)

    def test_what_was_changed_since_the_checks_is_not_approved(self):
        moved = {"moved": ["src/a"]}
        hand, _ = self.reviewing()
        hand.done({}).done(PASSED).done(dict(LOOK, tree="t", **moved))
        self.took(hand, ("reviewing", "manual_fix"))
        self.ended(hand, result="manual", verdict=None)
        hand, _ = self.reviewing()
        hand.done({}).done(PASSED).done(dict(LOOK, tree="t", moved=[])).done(REPORT)
        hand.done(dict(verdict("APPROVED"), **moved))
        self.ended(hand, result="manual", verdict=None)
        self.assertEqual(hand.context["problem"]["items"], ["src/a"])

    def test_major_issues_stop(self):
        # 003-96, 003-117, 003-169
        hand, _ = self.reviewing()
        hand.done({}).done(PASSED).done(LOOK).done(REPORT).done(verdict("MAJOR_ISSUES"))
        self.took(hand, ("reviewing", "manual_fix"))
        self.ended(hand, result="manual", verdict="MAJOR_ISSUES")

    def test_failed_checks_are_never_approved(self):
        # 003-111, 003-112
        hand, _ = self.reviewing()
        hand.done({}).done(FAILED)
        self.assertEqual((hand.state, hand.work[0]["src"]), ("reviewing.saving", "report"))
        self.assertEqual(hand.context["report"], None)
        hand.done(verdict("APPROVED"))
        self.ended(hand, result="manual")
        hand, _ = self.reviewing()
        hand.done({}).done(FAILED).done(verdict("NEEDS_CHANGES")).done(LOOK)
        self.assertEqual(hand.context["checks"], FAILED)

    def test_where_a_run_begins(self):
        # 003-126, 003-127, 003-129, 003-130, 003-171
        self.assertEqual(self.start("impl").state, "implementing.looking")
        hand = self.start("impl", implemented=True, **{"from": "review"})
        self.assertEqual(hand.state, "reviewing.checking")
        hand = self.start("impl", implemented=True, **{"from": "resolve"})
        self.assertEqual((hand.state, hand.context["iterations"]), ("resolving.looking", 1))
        hand, _ = self.reviewing(specs=3, at=2)
        self.assertEqual(hand.context["packages"][2], ["specs/2.md"])
        self.assertEqual(hand.done({}).state, "reviewing.checking")

    def test_no_verdict_is_assumed(self):
        # 003-180
        hand, _ = self.reviewing()
        hand.done({}).done(PASSED).done(LOOK).done(REPORT).done(verdict(None))
        self.ended(hand, result="manual", verdict=None)

    def test_an_agent_that_fails(self):
        hand, _ = self.reviewing(specs=2)
        hand.done({}).failed()
        self.ended(hand, result="manual", implemented=False, at=1)


PLANNED = {"result": "approved", "verdict": "APPROVED", "iterations": 0, "step": 3,
           "digests": {}, "challenged": {"proposal.md": "d"}, "problem": None}
REVISE = dict(PLANNED, result="manual", verdict="NEEDS_REVISION", iterations=2,
              problem={"kind": "iterations"})
BUILT = {"result": "complete", "verdict": "APPROVED", "iterations": 0, "at": 1,
         "implemented": True, "digests": {}, "checks": None, "problem": None}
CHANGES = dict(BUILT, result="manual", verdict="NEEDS_CHANGES", problem={"kind": "iterations"})


def by(word):
    return {"verdict": word, "digest": "x", "by": "ada", "current": {"proposal.md": "e"},
            "tree": "t"}


class Lifecycle(Run):
    def planning(self):
        return self.start("lifecycle", change="c").event("plan", {"max": 2})

    def waiting(self):
        return self.planning().done(REVISE)

    def challenged(self):
        return self.planning().done(PLANNED)

    def rejected(self):
        return self.planning().done(dict(PLANNED, result="rejected", verdict="REJECTED"))

    def working(self):
        return self.challenged().event("impl", {})

    def complete(self):
        return self.working().done(BUILT)

    def in_phase(self, hand, state, phase):
        self.assertEqual((hand.state, hand.context["phase"]), (state, phase))
        return hand

    def test_the_straight_way(self):
        # 003-16, 003-17, 003-18, 003-21, 003-22, 003-24, 003-25, 003-27, 003-09, 003-10,
        # 003-12, 003-13, 003-14, 003-56, 003-57, 003-103, 003-104, 003-105
        hand = self.start("lifecycle", change="c")
        self.in_phase(hand, "init", None)
        self.in_phase(hand.event("plan", {}), "proposed.planning", None)
        self.assertEqual(hand.work[0]["src"], "machine:plan")
        self.in_phase(hand.done(PLANNED), "challenged", "Challenged")
        self.assertEqual(hand.context["challenge"], "APPROVED")
        self.in_phase(hand.event("impl", {}), "implementing.working", "Implementing")
        self.assertEqual(hand.work[0]["src"], "machine:impl")
        self.in_phase(hand.done(BUILT), "complete.resting", "Complete")
        self.in_phase(hand.event("archive", {}), "complete.archiving", "Complete")
        hand.done({"archived": True})
        self.took(hand, ("*", "init"), ("init", "proposed"), ("proposed", "challenged"),
                  ("challenged", "implementing"), ("implementing", "complete"),
                  ("complete", "archived"), ("archived", "stopped"))
        self.ended(hand, phase="Archived")

    def test_rejected(self):
        # 003-11, 003-19, 003-26, 003-58, 003-174
        hand = self.in_phase(self.rejected(), "end.rejected", "Rejected")
        self.took(hand, ("proposed", "rejected"), ("rejected", "end"))
        self.unchanged(hand, "plan", {})
        self.unchanged(hand, "impl", {})
        self.unchanged(hand, "archive", {})
        hand.event("plan", {"again": True})
        self.in_phase(hand, "proposed.planning", "Proposed")
        self.assertEqual(hand.context["from"], "validate")

    def unchanged(self, hand, event, data):
        before = (hand.state, hand.context)
        hand.event(event, data)
        self.assertIn(hand.answer["result"], ("no_transition", "blocked"))
        self.assertEqual((hand.state, hand.context), before)

    def test_manual_fix_of_a_plan_stays_proposed(self):
        # 003-79, 003-167
        hand = self.in_phase(self.waiting(), "proposed.waiting", "Proposed")
        self.assertEqual(hand.context["challenge"], "NEEDS_REVISION")
        self.unchanged(hand, "impl", {})
        self.unchanged(hand, "archive", {})

    def test_planned_again(self):
        # 003-20, 003-133, 003-179: a run that the user begins has a fresh budget
        for data, begins in (({"challenge": "NEEDS_REVISION"}, "repropose"),
                             ({"challenge": "NEEDS_REVISION", "changed": ["a"]}, "validate"),
                             ({"challenge": "NEEDS_REVISION", "changed": ["a"],
                               "overwrite": True}, "repropose"),
                             ({"challenge": "NEEDS_REVISION", "again": True}, "validate"),
                             ({"challenge": None}, "validate")):
            with self.subTest(data=data):
                hand = self.waiting().event("plan", dict(data, max=1))
                self.took(hand, ("proposed", "proposed"))
                self.assertEqual(hand.context["from"], begins)
                self.assertEqual(hand.context["max"], 1)
        hand = self.waiting().event("plan", {"proposal": False, "challenge": "NEEDS_REVISION"})
        self.assertEqual((hand.context["from"], hand.context["step"]), ("start", 0))
        hand = self.planning().done(dict(REVISE, verdict=None, step=1)).event("plan", {})
        given = hand.context
        self.assertEqual((given["from"], given["step"]), ("start", 1))

    def test_a_proposal_that_is_there_already(self):
        hand = self.start("lifecycle", change="c").event("plan", {"proposal": True})
        self.assertEqual(hand.context["from"], "validate")

    def test_manual_fix_of_an_implementation_stays_implementing(self):
        # 003-124, 003-125
        for word in ("NEEDS_CHANGES", "MAJOR_ISSUES"):
            hand = self.working().done(dict(CHANGES, verdict=word))
            self.in_phase(hand, "implementing.waiting", "Implementing")
            self.assertEqual(hand.context["review"], word)
            self.unchanged(hand, "plan", {"again": True})
            self.unchanged(hand, "archive", {})

    def test_implemented_on(self):
        # 003-23, 003-127, 003-129, 003-130, 003-169, 003-171
        for word in ("NEEDS_CHANGES", "MAJOR_ISSUES"):
            hand = self.working().done(dict(CHANGES, verdict=word))
            hand.event("impl", {"review": word, "max": 1})
            self.took(hand, ("implementing", "implementing"))
            given = hand.context
            self.assertEqual((given["from"], given["max"]), ("resolve", 1))
        hand = self.working().done(CHANGES).event("impl", {"review": None})
        self.assertEqual(hand.context["from"], "review")
        hand = self.working().done(CHANGES).event("impl", {"review": "NEEDS_CHANGES",
                                                           "again": True})
        self.assertEqual(hand.context["from"], "review")
        hand = self.working().done(dict(CHANGES, implemented=False, at=1, verdict=None))
        hand.event("impl", {})
        given = hand.context
        self.assertEqual((given["from"], given["at"]), ("implement", 1))

    def test_only_what_was_approved_is_implemented(self):
        hand = self.challenged()
        self.unchanged(hand, "impl", {"changed": ["proposal.md"]})
        hand.event("impl", {"changed": ["proposal.md"], "accept": True, "current": {"a": "b"}})
        self.assertEqual((hand.state, hand.context["challenged"]),
                         ("implementing.working", {"a": "b"}))

    def test_a_new_review_only_on_request(self):
        # 003-28, 003-131, 003-170
        hand = self.complete()
        self.unchanged(hand, "impl", {})
        hand.event("impl", {"again": True})
        self.in_phase(hand, "implementing.working", "Implementing")
        self.assertEqual(hand.context["from"], "review")
        self.in_phase(hand.done(CHANGES), "implementing.waiting", "Implementing")

    def test_nothing_but_Complete_is_archived(self):
        # 003-135
        for go in (lambda: self.start("lifecycle"), self.planning, self.waiting,
                   self.challenged, self.rejected, self.working):
            self.unchanged(go(), "archive", {})

    def test_an_archive_that_is_refused_changes_nothing(self):
        hand = self.complete().event("archive", {}).done(
            {"archived": False, "problem": {"kind": "taken", "items": ["specs/a.md"]}})
        self.in_phase(hand, "complete.resting", "Complete")
        hand.event("archive", {"overwrite": True})
        self.assertEqual(hand.context["overwrite"], True)
        self.in_phase(hand.failed("other"), "complete.resting", "Complete")

    def test_a_decision_of_a_person(self):
        for go, event, word, state in (
                (self.waiting, "challenge_decided", "APPROVED", "challenged"),
                (self.waiting, "challenge_decided", "REJECTED", "end.rejected"),
                (self.waiting, "challenge_decided", "NEEDS_REVISION", "proposed.waiting"),
                (self.challenged, "challenge_decided", "REJECTED", "end.rejected"),
                (self.challenged, "challenge_decided", "NEEDS_REVISION", "proposed.waiting"),
                (self.challenged, "challenge_decided", "APPROVED", "challenged"),
                (self.rejected, "challenge_decided", "APPROVED", "challenged"),
                (self.rejected, "challenge_decided", "NEEDS_REVISION", "proposed.waiting"),
                (self.rejected, "challenge_decided", "REJECTED", "end.rejected"),
                (lambda: self.working().done(CHANGES), "review_decided", "APPROVED",
                 "complete.resting"),
                (lambda: self.working().done(CHANGES), "review_decided", "MAJOR_ISSUES",
                 "implementing.waiting"),
                (self.complete, "review_decided", "NEEDS_CHANGES", "implementing.waiting"),
                (self.complete, "review_decided", "APPROVED", "complete.resting")):
            with self.subTest(event=event, word=word, state=state):
                hand = go().event(event, by(word))
                self.assertEqual(hand.answer["result"], "taken")
                self.assertEqual((hand.state, hand.context["by"]), (state, "ada"))

    def test_a_verdict_that_is_none_moves_nothing(self):
        # 003-180
        for word in (None, "approved", "NEEDS_CHANGES", ""):
            self.unchanged(self.waiting(), "challenge_decided", by(word))
            self.unchanged(self.rejected(), "challenge_decided", by(word))
        half_done = self.working().done(dict(CHANGES, verdict=None, implemented=False))
        self.unchanged(half_done, "review_decided", by("APPROVED"))

    def test_notes_in_a_report_decide_nothing(self):
        for go in (self.waiting, self.challenged, self.rejected,
                   lambda: self.working().done(CHANGES), self.complete):
            hand = go()
            before = dict(hand.context, digests={"REVIEW.md": "y"})
            state = hand.state
            hand.event("report_edited", {"file": "REVIEW.md", "digest": "y"})
            self.assertEqual((hand.answer["result"], hand.state, hand.context),
                             ("taken", state, before))

    def test_a_proposal_is_recorded_when_it_is_there(self):
        # 003-09, 003-62
        hand = self.planning().done(dict(REVISE, verdict=None, step=0))
        self.in_phase(hand, "proposed.waiting", None)
        hand.event("plan", {"proposal": False}).done(dict(REVISE, verdict=None, step=1))
        self.in_phase(hand, "proposed.waiting", "Proposed")

    def test_only_the_tree_that_was_reviewed_is_archived(self):
        # 003-135
        hand = self.working().done(dict(BUILT, tree="t"))
        self.assertEqual(hand.context["tree"], "t")
        self.unchanged(hand, "archive", {"moved": ["src/a"]})
        hand.event("review_decided", dict(by("APPROVED"), tree="u"))
        self.assertEqual(hand.context["tree"], "u")
        hand.event("impl", {"again": True})
        self.assertEqual(hand.context["tree"], None)

    def test_a_clone_is_read_from_state_yaml(self):
        # 003-141, 003-181
        for phase, word, state in (
                ("Proposed", None, "proposed.waiting"),
                ("Proposed", "NEEDS_REVISION", "proposed.waiting"),
                ("Challenged", "APPROVED", "challenged"),
                ("Rejected", "REJECTED", "end.rejected"),
                ("Implementing", "NEEDS_CHANGES", "implementing.waiting"),
                ("Complete", "APPROVED", "complete.resting")):
            with self.subTest(phase=phase, word=word):
                hand = self.start("lifecycle", change="c")
                hand.event("rebuilt", {"phase": phase, "verdict": word, "tree": "t"})
                self.in_phase(hand, state, phase)
        for phase, word in (("Challenged", None), ("Challenged", "REJECTED"),
                            ("Complete", "NEEDS_CHANGES"), ("Archived", "APPROVED")):
            self.unchanged(self.start("lifecycle", change="c"), "rebuilt",
                           {"phase": phase, "verdict": word})
        self.unchanged(self.challenged(), "rebuilt", {"phase": "Complete",
                                                      "verdict": "APPROVED"})

    def test_a_workflow_that_fails(self):
        for go, state in ((self.planning, "proposed.waiting"),
                          (self.working, "implementing.waiting")):
            self.assertEqual(go().failed("other").state, state)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
