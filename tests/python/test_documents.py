"""The documents of tests/cases/machine and tests/cases/verify, each through the package."""
import json
import unittest

from support import ROOT, Case, wfsm
from wfsm import Verdict

MACHINES = sorted((ROOT / "tests" / "cases" / "machine").glob("*.json"))
VERIFIED = sorted((ROOT / "tests" / "cases" / "verify").glob("*.json"))
OPTIONS = {"--punctual": "punctual", "--restores": "restores", "--open": "open",
           "--first": "first"}
KEYS = ("rule", "state", "property", "steps")
CODES = {0: Verdict.HOLDS, 1: Verdict.VIOLATED, 3: Verdict.UNDECIDED}


def listed(diagnostics):
    return "".join(f"{found.line}:{found.column} {found.severity} {found.rule} {found.pointer}\n"
                   for found in diagnostics)


def told(found):
    """A diagnostic as the command writes it: -1 steps where there is no trace to show."""
    values = {key: getattr(found, key) for key in KEYS}
    values["steps"] = -1 if found.steps is None else found.steps
    return {key: value for key, value in values.items() if value not in ("", None)}


class Machines(Case):
    """NAME.txt has the diagnostics of NAME.json; without it there are none."""

    def check_load(self, text, diagnostics):
        errors = [found for found in diagnostics if found.severity == "error"]
        if not errors:
            with wfsm.Machine.load(text) as machine:
                self.assertEqual(listed(machine.check()), listed(diagnostics))
            return
        with self.assertRaises(wfsm.WfsmError) as caught:
            wfsm.Machine.load(text)
        first, error = errors[0], caught.exception
        self.assertEqual((error.message, error.pointer, error.line, error.column),
                         (first.message, first.pointer, first.line, first.column))

    def test_all(self):
        self.assertGreater(len(MACHINES), 30)
        for path in MACHINES:
            with self.subTest(path.name):
                text, expected = path.read_bytes(), path.with_suffix(".txt")
                diagnostics = wfsm.check(text)
                self.assertEqual(listed(diagnostics), expected.read_text("utf-8")
                                 if expected.exists() else "")
                self.check_load(text, diagnostics)


class Verified(Case):
    """Each case has a document, what is to be found in it, and what its properties are."""

    def options(self, words):
        """The command's arguments as options of ``Machine.verify``."""
        found, words = {}, iter(words)
        for word in words:
            if word in OPTIONS:
                found[OPTIONS[word]] = True
            elif word == "--bound":
                found["bound"] = int(next(words))
            elif word == "--max-states":
                found["max_states"] = int(next(words))
            elif word == "--fairness":
                found["fairness"] = next(words)
            else:
                self.assertEqual(word, "--input")
                found.setdefault("inputs", []).append(json.loads(next(words)))
        return found

    def check(self, case):
        options = self.options(case.get("arguments", ()))
        found = wfsm.Machine.load(case["document"]).verify(**options)
        self.assertEqual(found.verdict, CODES[case["exit"]])
        self.assertEqual({name: verdict.name.lower().replace("_", " ")
                          for name, verdict in found.properties.items()},
                         case.get("properties", {}))
        self.assertEqual([told(one) for one in found.diagnostics], case["diagnostics"])

    def test_all(self):
        self.assertGreater(len(VERIFIED), 40)
        for path in VERIFIED:
            with self.subTest(path.name):
                self.check(json.loads(path.read_text(encoding="utf-8")))


if __name__ == "__main__":
    unittest.main()
