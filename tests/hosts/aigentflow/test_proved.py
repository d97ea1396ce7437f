#!/usr/bin/python3
"""aigentflow's document as a whole. It has too many states to visit: its properties are proved one by one.

usage: test_proved.py WFSM SRCDIR [long]

The properties that must hold, and mistakes with which one of them must not, are in proved.json. The mistakes that
take more than ten seconds are marked there as slow, and only tried with `long`.
"""

import json
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WFSM = sys.argv[1]
HERE = Path(__file__).parent
LONG = sys.argv[3:] == ["long"]
DOCUMENT = Path(sys.argv[2], "examples", "aigentflow", "aigentflow.json")
STATES = "1000"  # so few that the search alone decides next to nothing
CASES = json.loads((HERE / "proved.json").read_text(encoding="utf-8"))


def document():
    return json.loads(DOCUMENT.read_text(encoding="utf-8"))


def change(value, pointer, to):
    *path, last = pointer.split("/")[1:]
    for key in path:
        value = value[int(key)] if isinstance(value, list) else value[key]
    if isinstance(value, list):
        last = int(last)
    before = value[last]
    value[last] = to
    return before != to


def verify(machine):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "machine.json")
        file.write_text(json.dumps(machine), encoding="utf-8")
        done = subprocess.run([WFSM, "verify", "--json", "--max-states", STATES, file],
                              capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 3):
        raise ValueError(done.stderr)
    return json.loads(done.stdout)


def verdicts(report):
    return {one["name"]: one["verdict"] for one in report["properties"]}


class Proved(unittest.TestCase):
    def test_what_holds(self):
        report = verify(document())
        self.assertEqual({name: "holds" for name in CASES["holds"]}, verdicts(report))
        self.assertEqual((report["verdict"], report["bound"]), ("holds", ""))

    def verdict_on(self, mistake):
        name = mistake["property"]
        machine = document()
        machine["properties"] = {name: machine["properties"][name]}
        for pointer, value in mistake["changes"].items():
            self.assertTrue(change(machine, pointer, value), pointer)
        return verdicts(verify(machine))[name]

    def test_mistakes(self):
        mistakes = [one for one in CASES["mistakes"] if LONG or not one.get("slow")]
        self.assertGreater(len(mistakes), 10)
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(self.verdict_on, mistakes))
        for mistake, verdict in zip(mistakes, found):
            with self.subTest(mistake["about"]):
                self.assertNotEqual(verdict, "holds")
                self.assertIn(mistake["property"], CASES["holds"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
