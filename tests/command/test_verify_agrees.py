"""What wfsm verify says of a document, wfsm simulate --properties sees in its runs.

usage: test_verify_agrees.py WFSM ROOT

For each case of tests/cases/verify, the simulator plays every counterexample, and every run of
`wfsm verify --tests`. It sees the property violated, or pending at the end of a round, that the
counterexample is about; and it sees no property violated that holds.
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WFSM = None
ROOT = None

MUST_COME = {"leadsTo", "until", "atLeast", "exactly"}


def wfsm(*arguments, text=None):
    return subprocess.run([WFSM, *map(str, arguments)], input=text, capture_output=True,
                          text=True, timeout=600)


class Agrees(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "m.json"
        self.played = 0

    def play(self, script):
        done = wfsm("simulate", "--by-hand", "--properties", self.file, text=script)
        self.assertEqual(done.stderr, "", script)
        self.played += 1
        return [json.loads(line) for line in done.stdout.splitlines()]

    def check_holding(self, lines, holding, script):
        for line in lines:
            self.assertEqual(set(line["properties"]["violated"]) & holding, set(), script)
        if lines[-1]["done"]:
            self.assertEqual(set(lines[-1]["properties"]["pending"]) & holding, set(), script)

    def check_counterexample(self, found, lines, kind):
        name = found["property"]
        seen = lines[-1]["properties"]
        late = "takes more than" in found["message"]
        if late:
            self.assertIn(name, [one for line in lines for one in line["properties"]["violated"]])
        elif kind in MUST_COME and name not in seen["violated"]:
            self.assertIn(name, seen["pending"], found)
        else:
            self.assertIn(name, seen["violated"], found)

    def check(self, path):
        case = json.loads(path.read_text("utf-8"))
        self.file.write_text(json.dumps(case["document"]), "utf-8")
        cases = self.folder / path.stem
        done = wfsm("verify", "--json", "--tests", cases, *case.get("arguments", ()), self.file)
        report = json.loads(done.stdout)
        kinds = {one["name"]: one["kind"] for one in report["properties"]}
        holding = {one["name"] for one in report["properties"] if one["verdict"] == "holds"}
        for found in report["diagnostics"]:
            if not found["script"] or found["rule"] == "start-fails":
                continue
            lines = self.play(found["script"])
            self.check_holding(lines, holding, found)
            if found["property"]:
                self.check_counterexample(found, lines, kinds[found["property"]])
        for script in sorted(cases.glob("case-???.jsonl")):
            self.check_holding(self.play(script.read_text("utf-8")), holding, script.name)

    def test_each_case(self):
        paths = sorted((ROOT / "tests/cases/verify").glob("*.json"))
        for path in paths:
            with self.subTest(path.name):
                self.check(path)
        print(self.played, "runs of", len(paths), "documents")
        self.assertGreater(self.played, 500)


if __name__ == "__main__":
    WFSM, ROOT = Path(sys.argv.pop(1)).resolve(), Path(sys.argv.pop(1)).resolve()
    unittest.main()
