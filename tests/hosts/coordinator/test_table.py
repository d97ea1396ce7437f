#!/usr/bin/python3
"""The coordinator's document against its transition table (seed 001), row by row.

usage: test_table.py WFSM SRCDIR

test_run.py and test_ends.py drive it through `wfsm simulate`.
"""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from simulated import DOCUMENT, HOST, MACHINE, WFSM  # noqa: E402
from transitions import transitions  # noqa: E402

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
        self.assertEqual(used, set(re.findall(r"^- \*\*(\D.+?)\*\*:", ADDITIONS, re.M)))

    def test_each_difference_from_a_reading_is_listed_and_made(self):
        # 001-65, 001-68
        part = ADDITIONS.split("## Differences from the seed's readings")[1].split("\n## ")[0]
        self.assertEqual(re.findall(r"^- \*\*(.+?)\*\*:", part, re.M), ["001-65", "001-68"])
        followup = MACHINE["states"]["finalize"]["on"]["task_followup_received"]
        self.assertNotIn("mustFix", followup["actions"]["params"])
        states = MACHINE["states"]
        for on in (states["review"]["states"]["implementation"],
                   states["test"]["states"]["implementation"]["states"]["asking"]):
            self.assertEqual(on["invoke"]["onError"]["guard"],
                             {"===": [{"var": "event.data.class"}, "schema"]})

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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
