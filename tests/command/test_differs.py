"""`wfsm check` explains each listed difference from other implementations of JsonLogic.

usage: test_differs.py WFSM DIFFERENCES.json SOURCE
"""
import json
import subprocess
import sys
import unittest
from pathlib import Path

WFSM, DIFFERENCES, SOURCE = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
CONTEXT = {"a": 1, "l": [1], "n": 1, "s": "abc"}
SHIPPED = ["examples/agentd/*.json", "examples/aigentflow/*.json", "examples/cluster/*.json",
           "examples/coordinator/coordinator.json", "examples/embed/*.json",
           "bindings/python/examples/*.json", "doc/properties/*.json"]
V = {"var": "context.a"}
# What all implementations answer alike, as far as the rule tells.
ORDINARY = [
    {"==": [V, 0]}, {"===": [V, None]}, {"!": V}, {"+": [V, 1]},
    {"-": [V, 2]}, {"<": [1, V, 3]}, {"<": [V, "2026-01-01"]}, {"in": [V, ["a", "b"]]},
    {"in": ["a", {"cat": [V, "b"]}]}, {"max": [V, 3]}, {"var": ["context.a", 5]},
    {"some": [{"var": "context.l"}, {"===": [{"var": ""}, 1]}]}, {"/": [V, 2]}, {"*": [V, "2"]},
    {"if": [V, {}, 1]}, {"substr": [V, 0, -1]}, {"length": V},
    {"map": [{"var": "context.l"}, {"val": [[1], "index"]}]}, {"throw": "a"},
    {"reduce": [{"var": "context.l"}, {"+": [{"var": "current"}, {"var": "accumulator"}]}, 0]},
    {"reduce": [{"var": "context.l"}, {"merge": [{"var": "accumulator"}, [{"var": "current"}]]}, []]},
    {"preserve": [[V]]},
]

# What json-logic-engine answers as wfsm does, but not as the community's suites have it.
SUITES = [
    ({"map": [None, {"+": [{"var": ""}, 1]}]}, "a body may be null"),
    ({"filter": [{"var": "context.l"}, None]}, "a body may be null"),
    ({"none": [None, {"var": ""}]}, "a body may be null"),
    ({"or": []}, "without operands it is null"),
    ({"and": []}, "without operands it is null"),
    ({"if": [{}, 1, 2]}, "{} is false"),
    ({"substr": [42, 0, V]}, "what is no text"),
    ({"!!": [{}]}, "{} is false"),
]


def check(text):
    done = subprocess.run([WFSM, "check", "--json", "-"], input=text, capture_output=True,
                          text=True, check=False)
    found = [one for one in json.loads(done.stdout) if one["rule"] != "constant-guard"] # most rules here are constant
    return done.returncode, found


def document(rule):
    return json.dumps({"id": "m", "context": CONTEXT, "initial": "a", "states": {"a": {
        "tags": ["terminal"], "on": {"e": {"guard": {"!!": [rule]}}}}}})


class Differs(unittest.TestCase):
    def test_each_listed_difference_is_explained(self):
        for one in json.loads(DIFFERENCES.read_text(encoding="utf-8")):
            wanted = one["check"]
            with self.subTest(one["name"]):
                code, found = check(document(wanted["rule"]))
                told = [each for each in found if each["severity"] == wanted["severity"] and
                        wanted["says"] in each["message"]]
                self.assertEqual(1, len(told), found)
                self.assertTrue(told[0]["pointer"].startswith("/states/a/on/e/guard/!!"), told)
                self.assertEqual(1 if wanted["severity"] == "error" else 0, code)
                if wanted["severity"] == "note":
                    self.assertEqual("differs", told[0]["rule"])

    def test_what_the_suites_have_otherwise_is_noted(self):
        for rule, says in SUITES:
            with self.subTest(json.dumps(rule)):
                code, found = check(document(rule))
                self.assertEqual(0, code)
                self.assertEqual([("note", "differs", True)], [
                    (one["severity"], one["rule"], says in one["message"]) for one in found])

    def test_ordinary_rules_have_no_notes(self):
        for rule in ORDINARY:
            with self.subTest(json.dumps(rule)):
                found = check(document(rule))[1]
                self.assertEqual([], found)

    def test_shipped_documents_have_no_notes(self):
        files = [path for pattern in SHIPPED for path in sorted(SOURCE.glob(pattern))]
        self.assertGreater(len(files), 20)
        for path in files:
            with self.subTest(path.name):
                found = check(path.read_text(encoding="utf-8"))[1]
                self.assertEqual([], [one for one in found if one["severity"] == "note"])

    def test_a_template_is_noted_in_guards_only(self):
        rule = {"merge": [{"a": 1, "b": V}]}
        action = {"type": "assign", "params": {"l": rule}}
        text = json.dumps({"id": "m", "context": CONTEXT, "initial": "a", "states": {"a": {
            "tags": ["terminal"], "entry": action, "on": {"e": {"guard": {"!!": [rule]}}}}}})
        self.assertEqual(["/states/a/on/e/guard/!!/0/merge/0"],
                         [one["pointer"] for one in check(text)[1]])

    def test_the_line_says_note(self):
        text = document({"log": [V]})
        done = subprocess.run([WFSM, "check", "-"], input=text, capture_output=True, text=True,
                              check=True)
        self.assertRegex(done.stdout, r"^-:1:\d+: note: .* \[differs\]\n$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
