#!/usr/bin/python3
"""The coordinator's document against its transition table (seed 001), row by row.

usage: test_table.py WFSM SRCDIR

Half of it reads the document; the other half drives it through `wfsm simulate`.
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from transitions import transitions  # noqa: E402

WFSM = sys.argv[1]
HOST = Path(sys.argv[2]).resolve() / "examples" / "coordinator"
DOCUMENT = HOST / "coordinator.json"
MACHINE = json.loads(DOCUMENT.read_text())
ADDITIONS = (HOST / "ADDITIONS.md").read_text()

STATES = ["intake", "plan", "build", "review", "test", "iterate", "finalize"]
# Row, state, event, state; `*` is every state (001-21, 001-22, 001-23, 001-24, 001-25,
# 001-26, 001-27, 001-28, 001-29, 001-30, 001-31, 001-32, 001-33, 001-34, 001-35,
# 001-36, 001-37, 001-38).
TABLE = [
    (1, None, "task_received", "intake"),
    (2, "finalize", "task_followup_received", "intake"),
    (3, "intake", "draft_proposal", "plan"),
    (4, "plan", "roundtable_reviewer", "review"),
    (5, "review", "roundtable_tester", "test"),
    (6, "test", "await_operator_confirm", "finalize"),
    (7, "intake", "implementation_confirmed", "plan"),
    (8, "plan", "start_coder", "build"),
    (9, "build", "start_reviewer", "review"),
    (10, "review", "review_schema_invalid", "finalize"),
    (11, "review", "review_changes_requested", "iterate"),
    (12, "review", "review_approved", "test"),
    (13, "test", "tester_schema_invalid", "iterate"),
    (14, "test", "tests_failed", "iterate"),
    (15, "test", "tests_passed", "finalize"),
    (16, "iterate", "start_coder", "build"),
    (17, "*", "aborted_by_operator", "finalize"),
    (18, "iterate", "max_iterations_reached", "finalize"),  # `*`, but see 001-61
]
EVENTS = sorted({event for _, _, event, _ in TABLE})
OUTCOMES = [  # 001-43 to 001-54, and the one of 001-67
    "await_operator_confirm", "proposal_changes_requested", "approved",
    "review_schema_invalid", "tester_schema_invalid", "test_failed",
    "max_iterations_reached", "canceled", "provider_network_error", "provider_timeout",
    "provider_auth_error", "agent_failed",
]

# ---- the document, read ----


def resolve(path, target):
    """The dotted path of a target; the document uses #paths and siblings only."""
    if target.startswith("#"):
        return target[1:]
    return ".".join(path.split(".")[:-1] + [target]).strip(".")


def invokes(node):
    """Each invocation of the document."""
    if isinstance(node, dict):
        if "invoke" in node:
            yield node["invoke"]
        for value in node.values():
            yield from invokes(value)


def top(path):
    return path.split(".")[0]


def expected_row(number):
    """State, event and state of a row, as they stand in a document."""
    _, source, event, target = TABLE[number - 1]
    if number == 1:  # the start of the instance
        return "", "", target
    return "" if source == "*" else source, event, target


# Additions that join no two of the seven states, and the one in which they are.
INSIDE = {"commands": "test", "landing": "test", "workspace": "build"}


def strangers(machine, additions):
    """What joins states and is neither a row of the table, there once, nor an addition that
    the page `additions` names."""
    rows = set()
    for path, event, one in transitions(machine):
        if "target" not in one:
            continue
        meta, target = one.get("meta", {}), resolve(path, one["target"])
        row, addition = meta.get("row"), meta.get("addition")
        if row in range(1, 19):
            known = row not in rows and (top(path), event, top(target)) == expected_row(row)
            rows.add(row)
        elif addition in INSIDE:
            known = (top(path), top(target)) == (INSIDE[addition], INSIDE[addition])
        elif addition == "base moved":
            known = (path, top(target)) == ("test.implementation.landing", "iterate")
        else:
            known = addition is not None and (path, target) == ("", "finalize.failed")
        if not known or (addition and f"**{addition}**" not in additions):
            yield f"{path} {event} -> {target} {json.dumps(meta)}"
    for row in sorted(set(range(1, 19)) - rows):
        yield f"row {row} is missing"


class Document(unittest.TestCase):
    def test_the_states_are_exactly_seven(self):
        # 001-01, 001-02, 001-03, 001-04, 001-05, 001-06, 001-07, 001-08, 001-09
        self.assertEqual(list(MACHINE["states"]), STATES)

    def test_every_row_is_there_once_and_nothing_else_joins_two_states(self):
        # 001-21, 001-22, 001-23, 001-24, 001-25, 001-26, 001-27, 001-28, 001-29,
        # 001-30, 001-31, 001-32, 001-33, 001-34, 001-35, 001-36, 001-37, 001-38,
        # 001-41, 001-66
        self.assertEqual(list(strangers(MACHINE, ADDITIONS)), [])
        emit = MACHINE["initial"]["actions"]
        self.assertEqual((emit["type"], emit["params"]["event"]), ("emit", "task_received"))

    def test_all_additions_are_used_and_explained(self):
        # 001-41, 001-66, 001-67
        used = {one["meta"]["addition"] for _, _, one in transitions(MACHINE)
                if "addition" in one.get("meta", {})}
        self.assertEqual(used, set(re.findall(r"^- \*\*(.+?)\*\*:", ADDITIONS, re.M)))

    def test_any_other_transition_is_refused(self):
        # 001-41
        def state(machine, path):
            for key in path.split("."):
                machine = machine["states"][key] if key else machine
            return machine

        def planted(path, key, event, value):
            copy = json.loads(json.dumps(MACHINE))
            on = state(copy, path).setdefault(key, {})
            on[event] = value
            return copy

        end = {"target": "#finalize.approved"}
        documents = [
            planted("build", "on", "shortcut", end),
            planted("build", "on", "shortcut", "#finalize.approved"),
            planted("", "on", "shortcut", {**end, "meta": {"addition": "agent failure"}}),
            planted("build", "on", "tests_passed", {**end, "meta": {"row": 15}}),
            planted("iterate", "on", "later", {"target": "#build", "meta": {"row": 16}}),
            planted("iterate", "after", "1000", {"target": "#build"}),
            planted("build", "on", "x", {"target": "#finalize.failed",
                                         "meta": {"addition": "agent failure"}}),
            planted("", "on", "x", {"target": "#finalize.failed",
                                    "meta": {"addition": "unheard of"}}),
            planted("", "on", "x", {"target": "#finalize.failed", "meta": {"row": 19}}),
        ]
        for document in documents:  # a row that is there twice is wrong in two places
            self.assertIn(len(list(strangers(document, ADDITIONS))), (1, 2))
        for key in ("always", "onDone"):
            copy = json.loads(json.dumps(MACHINE))
            copy["states"]["build"][key] = end
            self.assertEqual(len(list(strangers(copy, ADDITIONS))), 1)
        copy = json.loads(json.dumps(MACHINE))
        del copy["states"]["iterate"]["on"]["start_coder"]
        self.assertEqual(list(strangers(copy, ADDITIONS)), ["row 16 is missing"])
        # An addition without its reasons.
        self.assertEqual(len(list(strangers(MACHINE, ADDITIONS.replace("commands", "x")))), 1)

    def test_every_line_of_the_seed_is_named_by_a_test(self):
        # 001-01 to 001-71 are all there are.
        folder = Path(__file__).resolve().parents[2]
        named = set()
        for path in [*folder.rglob("*.py"), *folder.rglob("*.c"), *folder.rglob("*.json")]:
            text = path.read_text(errors="replace")
            if path == Path(__file__).resolve():  # but not by this test
                text = text.replace("# 001-01 to 001-71 are all there are.", "")
            named |= {int(number) for number in re.findall(r"\b001-(\d\d)\b", text)}
        self.assertEqual(named, set(range(1, 72)))

    def test_every_outcome_is_known_and_no_other(self):
        # 001-43, 001-44, 001-45, 001-46, 001-47, 001-48, 001-49, 001-50, 001-51,
        # 001-52, 001-53, 001-54, 001-44: kept valid, though no row produces it
        enum = MACHINE["schemas"]["context"]["properties"]["outcome"]["enum"]
        self.assertEqual(enum, [None] + OUTCOMES)

    def test_the_schemas_for_agents_are_those_of_the_document(self):
        states = MACHINE["states"]
        inside = {
            "coder": states["build"]["states"]["coding"],
            "reviewer": states["review"]["states"]["implementation"],
            "tester": states["test"]["states"]["implementation"]["states"]["asking"],
        }
        for name, state in inside.items():
            shipped = json.loads((HOST / "schemas" / f"{name}.json").read_text())
            self.assertEqual(state["invoke"]["output"], shipped, name)

    def test_the_prompts_name_each_mode_and_each_key_of_the_input(self):
        # 001-13, 001-14, 001-15
        for prompt in sorted((HOST / "prompts").glob("*.md")):
            asked = [one["input"] for one in invokes(MACHINE) if one["src"] == prompt.stem]
            self.assertEqual(len(asked), 2, prompt.stem)
            words = set(re.findall(r"`(\w+)`", prompt.read_text()))
            needed = {one["mode"] for one in asked} | {key for one in asked for key in one}
            self.assertEqual(needed - words - {"mode"}, set(), prompt.stem)
            self.assertIn("`input.mode`", prompt.read_text())

    def test_the_end_is_tagged_for_the_driver(self):
        # 001-08; the tags that DESIGN names
        finalize = MACHINE["states"]["finalize"]
        self.assertEqual(finalize["tags"], ["terminal"])
        self.assertEqual({name: state.get("tags", []) for name, state in
                          finalize["states"].items()},
                         {"awaiting": ["awaiting_input"], "approved": [], "exhausted": [],
                          "canceled": [], "failed": ["error"]})

    def test_it_has_no_diagnostics(self):
        result = subprocess.run([WFSM, "check", str(DOCUMENT)], capture_output=True,
                                text=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)


# ---- the document, run ----


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


class Refused(Run):
    """001-39, 001-40: what no row allows changes nothing, no matter who posts it."""

    def test_every_event_in_every_state_at_rest(self):
        everywhere = {
            "build.coding": self.in_build, "review": self.in_review, "asking": self.in_asking,
            "running": self.in_running, "plan, proposal": self.drafting,
            "review, proposal": self.reviewing, "test, proposal": self.discussing,
            "awaiting": self.awaiting, "approved": self.approved,
            "exhausted": self.exhausted, "canceled": self.canceled, "failed": self.broken,
        }
        for name, go in everywhere.items():
            sim = go()
            for event in EVENTS + ["unheard_of"]:
                if event == "aborted_by_operator" and not (
                        sim.state.startswith("finalize") and name != "awaiting"):
                    continue  # row 17
                with self.subTest(state=name, event=event):
                    self.unchanged(sim, event, None)
                    self.unchanged(sim, event, {"decision": "approve", "valid": True,
                                                "results": [1], "completed": True})

    def test_what_a_round_left_behind_opens_nothing_in_the_next(self):
        sim = self.in_running().done(FAILED)
        context = sim.context
        self.assertEqual((context["coder"], context["review"], context["tests"]),
                         (None, None, None))
        for event in EVENTS:
            if event != "aborted_by_operator":
                self.unchanged(sim, event, None)

    def unchanged(self, sim, event, data=None):
        before = (sim.revision, sim.state, sim.context, sim.work)
        sim.event(event, data)
        self.assertIn(sim.result, ("no_transition", "blocked"))
        self.assertEqual((sim.revision, sim.state, sim.context, sim.work), before)

    def test_a_followup_that_is_none(self):
        # Row 2's guard.
        sim = self.approved()
        for data in (None, {}, {"message": ""}, {"message": 7}, {"message": ["a"]},
                     {"message": "x", "mode": "new"},
                     {"message": "x", "executionMode": "poetry"},
                     {"message": "x", "confirmed": True},  # nothing waits for it
                     {"message": "x", "confirmed": "yes"}):
            with self.subTest(data=data):
                self.unchanged(sim, "task_followup_received", data)

    def test_an_answer_of_an_invocation_that_is_over_is_stale(self):
        sim = self.in_build()
        old = sim.work[0]["id"]
        sim.done(CODED)
        before = sim.revision
        sim.say(done=old, output=CODED)
        self.assertEqual((sim.result, sim.revision, sim.state),
                         ("stale", before, "review.implementation"))


class Loop(Run):
    """The implementation loop: rows 1, 7 to 9, 11 to 16, 18."""

    def test_a_new_task_goes_to_the_first_round_by_itself(self):
        # 001-11, 001-21 (row 1), 001-27 (row 7), 001-28 (row 8), 001-71
        sim = self.start()
        self.assertEqual((sim.result, sim.revision), ("started", 3))
        self.assertEqual([e["event"] for e in sim.effects], ["task_received"])
        self.assertEqual((sim.state, sim.context["round"]), ("build.preparing", 1))

    def test_row_9_the_coders_end_starts_the_reviewer(self):
        # 001-20, 001-29
        sim = self.in_build().done(CODED)
        self.assertEqual((sim.state, sim.src), ("review.implementation", "reviewer"))
        self.assertEqual(sim.context["coder"]["summary"], "did it")

    def test_row_10_an_invalid_verdict_ends_the_run(self):
        # 001-16, 001-30, 001-46, 001-62
        bad = [None, {}, "approve", {"decision": "maybe"}, {"decision": "approve", "x": 1},
               {"decision": "changes_requested", "must_fix": []},
               {"decision": "changes_requested"},
               {"decision": "changes_requested", "must_fix": [{"message": ""}]}]
        for output in bad:
            with self.subTest(output=output):
                sim = self.in_review().done(output)
                self.outcome(sim, "finalize.failed", "review_schema_invalid")
                self.assertEqual(sim.context["failure"]["agent"], "reviewer")
                self.assertEqual(sim.context["rounds"][-1]["outcome"],
                                 "review_schema_invalid")

    def test_row_11_and_16_changes_are_what_the_next_round_must_fix(self):
        # 001-18, 001-31, 001-36
        sim = self.in_review().done(CHANGES)
        self.assertEqual((sim.state, sim.context["round"]), ("build.coding", 2))
        self.assertEqual(sim.context["mustFix"],
                         [{"source": "review", "file": "a.c", "line": 3,
                           "message": "overflow"}])
        self.assertEqual(sim.context["rounds"],
                         [{"round": 1, "outcome": "review_changes_requested",
                           "summary": "did it", "mustFix": 1}])

    def test_row_12_an_approval_starts_the_tester(self):
        # 001-32
        sim = self.in_review().done(APPROVE)
        self.assertEqual((sim.state, sim.src), ("test.implementation.asking", "tester"))

    def test_row_13_an_invalid_answer_of_the_tester_iterates(self):
        # 001-33, 001-58, 001-62, 001-69
        for output in (None, {}, {"commands": []}, {"commands": [{"argv": []}]},
                       {"commands": [{"argv": ["make", 7]}]}):
            with self.subTest(output=output):
                sim = self.in_asking().done(output)
                self.assertEqual((sim.state, sim.context["round"]), ("build.coding", 2))
                self.assertEqual(sim.context["mustFix"][0]["source"], "schema")
                self.assertIn("no valid answer", sim.context["mustFix"][0]["message"])
                self.assertEqual(sim.context["rounds"][0]["outcome"],
                                 "tester_schema_invalid")

    def test_row_14_failed_commands_are_named_in_the_must_fix_list(self):
        # 001-17, 001-34, 001-48
        sim = self.in_running().done(FAILED)
        self.assertEqual((sim.state, sim.context["round"]), ("build.coding", 2))
        self.assertEqual(sim.context["mustFix"],
                         [{"source": "test", "command": ["make", "check"],
                           "message": "make check: exit status 2\n1 failed"}])
        self.assertEqual(sim.context["rounds"][0]["outcome"], "test_failed")

    def test_row_14_a_command_without_an_exit_code_has_failed(self):
        # 001-70
        sim = self.in_running().done(KILLED)
        self.assertEqual((sim.state, sim.context["mustFix"][0]["message"]),
                         ("build.coding", "make check: ran out of time"))

    def test_row_14_commands_that_could_not_be_run_have_failed(self):
        # 001-70
        for failure in ("other", "exit", "timeout", "network"):
            with self.subTest(failure=failure):
                sim = self.in_running().failed(failure)
                self.assertEqual(sim.state, "build.coding")
                self.assertEqual(sim.context["mustFix"][0]["source"], "test")
                self.assertIn("make check", sim.context["mustFix"][0]["message"])
        for nothing in ({"results": []}, {}, None):
            with self.subTest(nothing=nothing):
                self.assertEqual(self.in_running().done(nothing).state, "build.coding")

    def test_row_15_tests_that_pass_end_it_approved(self):
        # 001-35, 001-42, 001-45
        sim = self.in_review().done(CHANGES)
        for answer in (CODED, APPROVE, COMMANDS, PASSED):
            sim.done(answer)
        self.outcome(sim, "finalize.approved", "approved")
        self.assertEqual((sim.context["mustFix"], sim.context["cause"]), ([], None))
        self.assertEqual([r["outcome"] for r in sim.context["rounds"]],
                         ["review_changes_requested", "approved"])

    def test_row_18_the_rounds_are_used_up(self):
        # 001-38, 001-49, 001-58, 001-61, 001-63, 001-64
        sim = self.in_running(rounds=2).done(FAILED)
        for answer in (CODED, CHANGES):
            self.assertEqual(sim.context["outcome"], None)
            sim.done(answer)
        self.outcome(sim, "finalize.exhausted", "max_iterations_reached")
        context = sim.context
        self.assertEqual((context["round"], context["cause"]),
                         (2, "review_changes_requested"))
        self.assertEqual([r["outcome"] for r in context["rounds"]],
                         ["test_failed", "review_changes_requested"])
        self.assertEqual(context["coder"]["summary"], "did it")
        self.assertEqual(context["review"]["decision"], "changes_requested")
        self.assertEqual(context["mustFix"][0]["message"], "overflow")

    def landing(self, answer):
        sim = self.in_running()
        sim.workspace["landing"] = answer
        return sim.done(PASSED)

    def test_verdicts_are_about_the_recorded_change(self):
        sim = self.landing({"status": "left", "message": "it is dirty", "command": "git merge x"})
        context = sim.context
        self.assertEqual((context["review"]["commit"], context["tests"]["commit"]), ("c1", "c1"))
        self.assertEqual((context["outcome"], context["landed"]["command"]),
                         ("approved", "git merge x"))

    def test_what_was_merged_is_reviewed_and_tested_again(self):
        sim = self.landing({"status": "moved", "message": "merged with it",
                            "change": {"commit": "c2"}})
        self.assertEqual((sim.state, sim.context["round"], sim.context["change"]["commit"]),
                         ("build.coding", 2, "c1"))  # c2, and then what is recorded
        self.assertEqual(sim.context["rounds"][-1]["outcome"], "base_moved")
        self.assertEqual(sim.context["mustFix"],
                         [{"source": "merge", "message": "merged with it"}])
        sim.workspace["landing"] = {"status": "landed"}
        for answer in (CODED, APPROVE, COMMANDS, PASSED):
            self.assertEqual(sim.context["outcome"], None)
            sim.done(answer)
        self.outcome(sim, "finalize.approved", "approved")

    def test_a_project_that_always_moves_uses_up_the_rounds(self):
        sim = self.in_running(rounds=1)
        sim.workspace["landing"] = {"status": "moved", "message": "again",
                                    "change": {"commit": "c2"}}
        self.outcome(sim.done(PASSED), "finalize.exhausted", "max_iterations_reached")
        self.assertEqual(sim.context["cause"], "base_moved")

    def test_only_what_did_not_land_is_continued(self):
        for answer, kept in (({"status": "landed"}, None),
                             ({"status": "left", "message": "", "command": ""}, "c1")):
            sim = self.landing(answer)
            sim.workspace = None
            sim.tell(event="task_followup_received", data={"message": "more"})
            change = sim.context["change"]
            self.assertEqual((sim.state, change and change["commit"], sim.context["landed"]),
                             ("build.preparing", kept, None))

    def test_a_workspace_that_fails_ends_the_run(self):
        sim = self.start()
        sim.workspace = None
        sim.tell(patch={"maxRounds": 1})
        sim.tell(failed=sim.work[0]["id"], **{"class": "other"})
        self.outcome(sim, "finalize.failed", "agent_failed")
        self.assertEqual(sim.context["failure"]["agent"], "prepare")

    def test_nobody_else_says_that_it_landed(self):
        sim = self.in_running()
        sim.tell(done=sim.work[0]["id"], output=PASSED)
        self.assertEqual(sim.state, "test.implementation.landing")
        for event in EVENTS + ["base_moved"]:
            if event != "aborted_by_operator":
                sim.tell(event=event)
                self.assertIn(sim.result, ("no_transition", "blocked"))

    def test_the_number_of_rounds_is_at_least_one(self):
        # 001-19, 001-63
        sim = self.start()
        for rounds in (0, -1, 1.5, "3", None):
            with self.subTest(rounds=rounds):
                sim.say(patch={"maxRounds": rounds})
                self.assertNotEqual(sim.result, "taken")
                self.assertEqual(sim.context["maxRounds"], 5)

    def test_a_coder_that_says_nothing_of_files_has_changed_none(self):
        sim = self.in_build()
        sim.workspace["recording"] = {"change": None}
        sim.done({"summary": "nothing to do"})
        self.assertEqual((sim.state, sim.context["coder"]["changed_files"]),
                         ("review.implementation", []))


class Proposal(Run):
    """The roundtable: rows 3 to 6, and from it to the loop: rows 2 and 7."""

    def test_rows_3_to_6_each_speaks_once_and_the_operator_is_asked(self):
        # 001-10, 001-23, 001-24, 001-25, 001-26, 001-43, 001-51, 001-59
        sim = self.awaiting()
        self.outcome(sim, "finalize.awaiting", "await_operator_confirm")
        self.assertEqual([said["agent"] for said in sim.context["discussion"]],
                         ["coder", "reviewer", "tester"])
        self.assertEqual(sim.context["rounds"],
                         [{"round": 1, "outcome": "canceled", "summary": None,
                           "mustFix": 0},
                          {"round": 0, "outcome": "discussion_complete",
                           "summary": {"proposal": "so and so"}, "mustFix": 0}])
        self.assertEqual(sim.context["round"], 0)

    def test_row_6_the_summary_is_the_text_of_the_proposal(self):
        # 001-26
        sim = self.drafting()
        for said in ({"text": "in two steps"}, {"text": "no"}, {"text": "yes"}):
            sim.done(said)
        self.assertEqual(sim.context["rounds"][-1]["summary"], "in two steps")

    def test_a_discussion_needs_no_strict_answers(self):
        # 001-14
        sim = self.reviewing()
        for said in ("just words", ["a", "list"]):
            sim.done(said)
        self.assertEqual(sim.state, "finalize.awaiting")

    def test_confirmation_is_row_2_then_row_7(self):
        # 001-12, 001-22, 001-27, 001-57
        sim = self.awaiting().event("task_followup_received",
                                    {"message": "do it", "confirmed": True})
        self.assertEqual((sim.result, sim.state, sim.context["round"]), ("taken", "build.coding", 1))
        self.assertEqual(sim.context["messages"][-1]["text"], "do it")
        self.assertEqual(len(sim.context["discussion"]), 3)
        self.assertEqual(sim.context["executionMode"], "proposal")
        for answer in (CODED, APPROVE, COMMANDS, PASSED):
            sim.done(answer)
        self.outcome(sim, "finalize.approved", "approved")

    def test_a_followup_that_does_not_confirm_is_discussed_again(self):
        # 001-65
        sim = self.awaiting().event("task_followup_received", {"message": "not like this"})
        self.assertEqual((sim.state, sim.context["discussion"]), ("plan.proposal", []))
        self.assertEqual([[said["agent"] for said in table] for table in sim.context["earlier"]],
                         [["coder", "reviewer", "tester"]])
        for said in ({"text": "another way"}, {"text": "hm"}, {"text": "well"}):
            sim.done(said)
        sim.event("task_followup_received", {"message": "neither"})
        self.assertEqual([table[0]["says"] for table in sim.context["earlier"]],
                         [{"proposal": "so and so"}, {"text": "another way"}])

    def test_of_many_roundtables_the_last_twenty_are_kept(self):
        sim = self.drafting()
        for number in range(22):
            for said in range(3):
                sim.done({"text": f"{number}.{said}"})
            sim.event("task_followup_received", {"message": "again"})
        self.assertEqual([table[0]["says"]["text"] for table in sim.context["earlier"]],
                         [f"{number}.0" for number in range(2, 22)])

    def test_a_decision_is_recorded_with_who_made_it(self):
        sim = self.awaiting().event("task_followup_received",
                                    {"message": "do it", "confirmed": True, "by": "ada"})
        said = sim.context["messages"][-1]
        self.assertEqual((said["by"], said["confirms"]), ("ada", True))

    def test_abort_while_the_operator_is_asked(self):
        # 001-60
        sim = self.awaiting().event("aborted_by_operator")
        self.outcome(sim, "finalize.canceled", "canceled")


class Followup(Run):
    def test_what_must_be_fixed_is_kept_until_the_tests_pass(self):
        # 001-18, 001-64, 001-65
        sim = self.exhausted()
        item = [{"source": "review", "file": "a.c", "line": 3, "message": "overflow"}]
        for message in ("continue", "once more"):
            sim.event("task_followup_received", {"message": message})
            self.assertEqual((sim.state, sim.context["mustFix"]), ("build.coding", item))
            sim.event("aborted_by_operator")
        sim.event("task_followup_received", {"message": "the last time"})
        for answer in (CODED, APPROVE, COMMANDS, PASSED):
            sim.done(answer)
        self.assertEqual((sim.state, sim.context["mustFix"]), ("finalize.approved", []))

    def test_row_2_starts_afresh_and_keeps_the_history(self):
        # 001-22, 001-65
        for go in (self.exhausted, self.broken, self.spent):
            sim = go()
            for mode, state in (("proposal", "plan.proposal"), ("implementation", "build.coding")):
                with self.subTest(state=go.__name__, mode=mode):
                    before, open_items = sim.context["rounds"], sim.context["mustFix"]
                    sim.event("task_followup_received",
                              {"message": mode, "executionMode": mode})
                    self.assertEqual(sim.state, state)
                    self.afresh(sim.context, 1 if state == "build.coding" else 0)
                    self.assertEqual(sim.context["mustFix"], open_items)
                    self.assertEqual(sim.context["rounds"], before)
                    self.assertEqual(sim.context["messages"][-1]["text"], mode)
                    sim.event("aborted_by_operator")
            self.assertEqual(len(sim.context["messages"]), 2)

    def spent(self):
        sim = self.in_running(rounds=1).done(FAILED)
        self.assertEqual(sim.state, "finalize.exhausted")
        return sim

    def afresh(self, context, rounds):
        self.assertEqual(context["round"], rounds)
        for key in ("outcome", "cause", "failure", "coder", "review", "tests"):
            self.assertEqual(context[key], None, key)

    def test_the_mode_comes_with_it_or_stays(self):
        # 001-65
        sim = self.drafting().event("aborted_by_operator")
        sim.event("task_followup_received", {"message": "a"})
        self.assertEqual((sim.state, sim.context["executionMode"]),
                         ("plan.proposal", "proposal"))
        sim.event("aborted_by_operator")
        sim.event("task_followup_received", {"message": "b",
                                             "executionMode": "implementation"})
        self.assertEqual((sim.state, sim.context["executionMode"]),
                         ("build.coding", "implementation"))


class Abort(Run):
    def test_row_17_from_every_state_with_an_agent_at_work(self):
        # 001-37, 001-50, 001-60
        for go in (self.in_build, self.in_review, self.in_asking, self.in_running,
                   self.drafting, self.reviewing, self.discussing):
            with self.subTest(state=go.__name__):
                sim = go()
                before, round_number = len(sim.context["rounds"]), sim.context["round"]
                sim.event("aborted_by_operator", {"why": ["whatever"]})
                self.assertEqual(sim.result, "taken")
                self.outcome(sim, "finalize.canceled", "canceled")
                last = sim.context["rounds"][-1]
                self.assertEqual((len(sim.context["rounds"]), last["round"], last["outcome"]),
                                 (before + 1, round_number, "canceled"))

    def test_what_is_decided_is_never_overwritten(self):
        # 001-60
        for go in (self.approved, self.exhausted, self.canceled, self.broken):
            with self.subTest(state=go.__name__):
                sim = go()
                before = sim.context["outcome"]
                sim.event("aborted_by_operator")
                self.assertEqual((sim.result, sim.context["outcome"]), ("blocked", before))


class Failures(Run):
    """The additions: 001-52 to 001-56, 001-66 to 001-68."""

    PROVIDER = {"network": "provider_network_error", "timeout": "provider_timeout",
                "auth": "provider_auth_error"}

    def test_a_provider_that_fails_ends_the_run_after_all_retries(self):
        # 001-52, 001-53, 001-54, 001-66
        for go, agent in ((self.in_build, "coder"), (self.in_review, "reviewer"),
                          (self.in_asking, "tester"), (self.drafting, "proposal.coder"),
                          (self.reviewing, "proposal.reviewer"),
                          (self.discussing, "proposal.tester")):
            for failure, outcome in self.PROVIDER.items():
                with self.subTest(state=go.__name__, failure=failure):
                    sim = go()
                    state = sim.state
                    for _ in range(2 if failure != "auth" else 0):
                        sim.failed(failure)
                        self.assertEqual((sim.result, sim.state), ("retry", state))
                        sim.say(advance=60000)
                    sim.failed(failure)
                    self.outcome(sim, "finalize.failed", outcome)
                    self.assertEqual(sim.context["failure"]["agent"], agent)
                    self.assertEqual(sim.context["failure"]["class"], failure)

    def test_a_coder_that_fails_otherwise_ends_the_run_after_a_retry(self):
        # 001-67
        for go in (self.in_build, self.drafting):
            for failure in ("exit", "other", "schema"):
                with self.subTest(state=go.__name__, failure=failure):
                    sim = go().failed(failure)
                    self.assertEqual(sim.result, "retry")
                    sim.say(advance=1000)
                    sim.failed(failure)
                    self.outcome(sim, "finalize.failed", "agent_failed")
                    self.assertEqual(sim.context["failure"]["class"], failure)

    def test_a_coder_that_gives_no_answer_ends_the_run(self):
        # 001-67
        sim = self.in_build()
        for _ in range(2):
            sim.done({"summary": ""})
            sim.say(advance=1000)
        self.outcome(sim, "finalize.failed", "agent_failed")

    def tried_three_times(self, sim, failure):
        for wait in (2000, 4000):
            state = sim.state
            sim.failed(failure)
            self.assertEqual((sim.result, sim.state), ("retry", state))
            sim.say(advance=wait)
        return sim.failed(failure)

    def test_an_invalid_answer_is_judged_at_once(self):
        # 001-68
        self.outcome(self.in_review().failed("schema"), "finalize.failed",
                     "review_schema_invalid")
        sim = self.in_asking().failed("schema")
        self.assertEqual((sim.state, sim.context["rounds"][0]["outcome"]),
                         ("build.coding", "tester_schema_invalid"))

    def test_a_reviewer_or_tester_that_could_not_work_has_not_answered(self):
        # 001-66, 001-68: no verdict and no failed test, but a failure of the agent
        for go, agent in ((self.in_review, "reviewer"), (self.in_asking, "tester"),
                          (self.reviewing, "proposal.reviewer"),
                          (self.discussing, "proposal.tester")):
            for failure in ("exit", "other"):
                with self.subTest(state=go.__name__, failure=failure):
                    sim = self.tried_three_times(go(), failure)
                    self.outcome(sim, "finalize.failed", "agent_failed")
                    self.assertEqual((sim.context["failure"]["agent"],
                                      sim.context["failure"]["class"]), (agent, failure))

    def test_an_agent_that_was_canceled_is_not_asked_again(self):
        for go in (self.in_review, self.in_asking, self.reviewing, self.discussing):
            with self.subTest(state=go.__name__):
                self.outcome(go().failed("canceled"), "finalize.failed", "agent_failed")


class AtRest(Run):
    """A copy of the document whose events of rows come a minute late, so that the states
    without an agent can be looked at."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-table-")
        self.addCleanup(scratch.cleanup)
        self.slow = Path(scratch.name) / "slow.json"
        text = json.dumps(MACHINE)
        self.assertEqual(text.count('"delay": 0'), text.count('"type": "raise"'))
        self.slow.write_text(text.replace('"delay": 0', '"delay": 60000'))

    def begin(self, **context):
        sim = Sim(self.slow)
        self.addCleanup(sim.close)
        self.assertEqual(sim.state, "intake")
        return sim.say(patch=context)

    def later(self, sim, *answers):
        for answer in answers:
            sim.done(answer).say(advance=60000)
        return sim

    def taken(self, sim, state, *events):
        """Of all events exactly these are taken here, with nothing said."""
        self.assertEqual(sim.state, state)
        for event in EVENTS:
            if event not in events:
                before = (sim.revision, sim.state)
                sim.event(event)
                self.assertIn(sim.result, ("no_transition", "blocked"), event)
                self.assertEqual((sim.revision, sim.state), before, event)
        sim.event(events[0])
        self.assertEqual(sim.result, "taken", events[0])
        return sim

    def test_intake(self):
        # 001-02, 001-10, 001-11, 001-27, 001-40: rows 3 and 7
        self.taken(self.begin(), "intake", "implementation_confirmed", "aborted_by_operator")
        self.taken(self.begin(executionMode="proposal"), "intake", "draft_proposal",
                   "aborted_by_operator")
        sim = self.begin(executionMode="proposal", confirmed=True, round=3, mustFix=[1])
        self.taken(sim, "intake", "implementation_confirmed", "aborted_by_operator")
        self.assertEqual((sim.state, sim.context["round"], sim.context["mustFix"]),
                         ("plan.implementation", 0, [1]))

    def test_plan(self):
        # 001-03, 001-28, 001-40
        sim = self.begin().say(advance=60000)
        self.assertEqual(sim.work, [])
        self.taken(sim, "plan.implementation", "start_coder", "aborted_by_operator")
        self.assertEqual(sim.state, "build.coding")

    def in_iterate(self, rounds):
        sim = self.begin(maxRounds=rounds).say(advance=60000).say(advance=60000)
        return self.later(sim, CODED, CHANGES)

    def test_iterate(self):
        # 001-07, 001-36, 001-38, 001-61, 001-63
        self.taken(self.in_iterate(2), "iterate", "start_coder", "aborted_by_operator")
        sim = self.in_iterate(1)
        self.assertEqual((sim.work, sim.context["outcome"]), ([], None))
        self.taken(sim, "iterate", "max_iterations_reached", "aborted_by_operator")
        self.assertEqual(sim.state, "finalize.exhausted")

    def test_an_abort_takes_the_waiting_row_with_it(self):
        # 001-37, 001-60
        for go in (self.begin, lambda: self.in_iterate(2), lambda: self.in_iterate(1)):
            sim = go().event("aborted_by_operator")
            self.assertEqual((sim.state, sim.answer["deadline"]), ("finalize.canceled", None))
            self.outcome(sim, "finalize.canceled", "canceled")

    def test_a_row_that_is_posted_before_it_comes_is_taken_once(self):
        sim = self.begin().say(advance=60000).say(advance=60000)
        sim.done(CODED).event("start_reviewer")
        self.assertEqual(sim.state, "review.implementation")
        before = sim.context
        sim.say(advance=60000)
        self.assertEqual((sim.state, sim.context), ("review.implementation", before))


class Restore(Run):
    def test_only_a_run_that_is_over_goes_back_to_a_checkpoint(self):
        sim = self.in_review()
        sim.say(checkpoint="reviewed")
        sim.say(restore="reviewed")
        self.assertEqual((sim.result, sim.state), ("failed", "review.implementation"))
        sim.done(CHANGES).event("aborted_by_operator")
        sim.say(restore="reviewed")
        self.assertEqual((sim.state, sim.src, sim.context["outcome"]),
                         ("review.implementation", "reviewer", None))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
