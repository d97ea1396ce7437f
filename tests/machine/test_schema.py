"""doc/machine.schema.json says the same as the loader, as far as a schema can.

usage: test_schema.py ROOT
Exit 77 (skipped) without the Python module jsonschema.
"""
import json
import re
import sys
import unittest
from pathlib import Path

try:
    import jsonschema
except ImportError:
    sys.exit(77)

ROOT = Path(sys.argv.pop(1))
CASES = ROOT / "tests/cases/machine"
SCHEMA = json.loads((ROOT / "doc/machine.schema.json").read_text(encoding="utf-8"))
# Rules about the form of a document, which a schema can see.
FORM = {"unknown-key", "misplaced-key", "not-supported", "wrong-type", "unknown-operator"}
DIAGNOSTIC = re.compile(r"^\d+:\d+ (error|warning) (\S+)", re.M)


def diagnostics(path):
    text = path.with_suffix(".txt")
    return DIAGNOSTIC.findall(text.read_text(encoding="utf-8")) if text.exists() else []


def shipped():
    """Machine documents among the examples, and the charts of the simulated cases."""
    for path in sorted((ROOT / "examples").rglob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(document, dict) and "states" in document:
            yield path, document


class Schema(unittest.TestCase):
    def setUp(self):
        self.validator = jsonschema.Draft202012Validator(SCHEMA)

    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_cases(self):
        accepted = rejected = 0
        for path in sorted(CASES.glob("*.json")):
            found = diagnostics(path)
            errors = {rule for severity, rule in found if severity == "error"}
            if errors & {"syntax", "limit"}:
                continue
            document = json.loads(path.read_text(encoding="utf-8"))
            with self.subTest(path.name):
                if not errors:
                    self.validator.validate(document)
                    accepted += 1
                elif errors & FORM:
                    self.assertFalse(self.validator.is_valid(document))
                    rejected += 1
        self.assertGreater(accepted, 8)
        self.assertGreater(rejected, 5)

    def test_shipped_documents(self):
        documents = list(shipped())
        self.assertTrue(documents)
        for path, document in documents:
            with self.subTest(path.name):
                self.validator.validate(document)

    def test_simulated_charts(self):
        for path in sorted((ROOT / "tests/step/cases").glob("*.json")):
            for case in json.loads(path.read_text(encoding="utf-8")):
                if "a bad machine" in case.get("name", ""):
                    continue
                with self.subTest(f"{path.name}: {case.get('name')}"):
                    self.validator.validate(case["machine"])

    def test_one_word_wrong(self):
        """Every object of a good document, with a key that nobody knows."""
        good = json.loads((CASES / "vocabulary.json").read_text(encoding="utf-8"))
        for pointer in vocabulary_objects(good):
            document = json.loads(json.dumps(good))
            target = document
            for step in pointer:
                target = target[step]
            target["nobody-knows-this"] = 1
            with self.subTest("/" + "/".join(map(str, pointer))):
                self.assertFalse(self.validator.is_valid(document))

    def test_operators_are_those_of_the_library(self):
        text = (ROOT / "lib/logic/operators.c").read_text(encoding="utf-8")
        known = set(re.findall(r'^    \{"([^"]+)", WF_SHAPE_', text, re.M))
        self.assertEqual(set(SCHEMA["$defs"]["rule"]["propertyNames"]["enum"]), known)


def vocabulary_objects(document):
    """Pointers to the objects whose keys are words of the format."""

    def states(state, path):
        yield path
        for key in ("on", "after"):
            for name, value in items(state.get(key)):
                yield from transitions(value, [*path, key, name])
        for key in ("always", "onDone", "initial", "target"):
            yield from transitions(state.get(key), [*path, key])
        yield from invokes(state.get("invoke"), [*path, "invoke"])
        for name, child in state.get("states", {}).items():
            yield from states(child, [*path, "states", name])

    def items(value):
        if isinstance(value, dict):
            return list(value.items())
        return list(enumerate(value or []))

    def transitions(value, path):
        if isinstance(value, dict):
            yield path
        elif isinstance(value, list):
            for i, item in enumerate(value):
                yield from transitions(item, [*path, i])

    def invokes(value, path):
        if isinstance(value, list):
            for i, item in enumerate(value):
                yield from invokes(item, [*path, i])
        elif value is not None:
            yield path
            for key in ("onDone", "onError"):
                yield from transitions(value.get(key), [*path, key])
            if "pool" in value:
                yield [*path, "pool"]

    yield from states(document, [])
    for name, claim in document["properties"].items():
        yield ["properties", name]
        for kind in ("precedes", "leadsTo", "atMost", "atLeast", "exactly", "until", "absent"):
            if kind in claim:
                yield ["properties", name, kind]
    yield ["restore"]
    yield ["schemas"]


if __name__ == "__main__":
    unittest.main()
