"""wfsm verify of an instance and its children: verdicts, counterexamples, and what they need.

usage: test_verify_instances.py WFSM ROOT

Each case of tests/cases/instances has a document, the machines that it starts, the verdict of each
property, and for each that is violated how many inputs the parent takes. The simulator plays them to
the end of the parent's path.
"""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WFSM = None
ROOT = None


def wfsm(*arguments, text=None):
    return subprocess.run([WFSM, *map(str, arguments)], input=text, capture_output=True,
                          text=True, timeout=600)


def leaves(trace):
    """The states that the last line of the parent's trace ends in."""
    own = re.split(r"^child of ", trace, maxsplit=1, flags=re.MULTILINE)[0]
    last = [line for line in own.splitlines() if re.match(r" *\d+\. ", line)][-1]
    return re.search(r" → ([^;]*)(;|$)", last)[1].split(" + ")


class Instances(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "m.json"

    def write(self, case):
        """The options that name the machines."""
        self.file.write_text(json.dumps(case["document"]), encoding="utf-8")
        options = []
        for number, machine in enumerate(case["machines"]):
            file = self.folder / f"child{number}.json"
            file.write_text(json.dumps(machine), encoding="utf-8")
            options += ["--machines", file]
        return options

    def case(self, name):
        return json.loads((ROOT / f"tests/cases/instances/{name}.json").read_text("utf-8"))

    def check(self, case):
        done = wfsm("verify", "--json", *case.get("arguments", ()), *self.write(case), self.file)
        self.assertEqual((done.returncode, done.stderr), (case["exit"], ""), done.stdout)
        report = json.loads(done.stdout)
        self.assertEqual({one["name"]: "vacuous" if one["vacuous"] else one["verdict"]
                          for one in report["properties"]}, case["properties"], report["bound"])
        found = [one for one in report["diagnostics"] if one["property"]]
        self.assertEqual([[one["property"], one["steps"]] for one in found], case["violated"])
        for one in found:
            self.assertTrue(one["replayed"])
            self.replay(one)
        if case["exit"] == 3:
            self.assertRegex(report["bound"], case["bound"])

    def replay(self, one):
        done = wfsm("simulate", "--by-hand", self.file, text=one["script"])
        self.assertEqual((done.returncode, done.stderr), (0, ""), one)
        last = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(last["configuration"], leaves(one["trace"]), one)

    def test_cases(self):
        paths = sorted((ROOT / "tests/cases/instances").glob("*.json"))
        for path in paths:
            with self.subTest(path.name):
                self.check(json.loads(path.read_text("utf-8")))
        self.assertGreater(len(paths), 25)

    def test_threads_change_nothing(self):
        for name in ("withdrawn", "items-first", "answered", "context"):
            case = self.case(name)
            options = self.write(case)
            alone, together = (wfsm("verify", "--json", "--jobs", jobs, *options, self.file)
                               for jobs in (1, 2))
            self.assertEqual(alone.returncode, case["exit"])
            for one, other in zip(*(json.loads(done.stdout)["properties"] for done in (alone, together))):
                self.assertEqual(one, other)

    def test_the_trace_shows_the_children(self):
        case = self.case("result-as-given")
        done = wfsm("verify", "--json", *self.write(case), self.file)
        (one,) = json.loads(done.stdout)["diagnostics"]
        self.assertEqual(one["trace"].splitlines(), [
            "  0. start → reviewing",
            '  1. review answers {"fine":true} → released; the instance has ended',
            'child of "review", before its result:',
            "    0. start → reading",
            "    1. reading answers null → judging",
            '    2. judging answers "other" → fine; the instance has ended'])

    def test_the_page_shows_the_children(self):
        done = wfsm("verify", "--html", *self.write(self.case("withdrawn")), self.file)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        shown = done.stdout.partition("<pre>child of &quot;review&quot;, withdrawn")[2]
        self.assertIn("0. start → reading", shown.partition("</pre>")[0])

    def test_machines_of_a_folder(self):
        case = self.case("answered")
        self.write(case)
        done = wfsm("verify", "--machines", self.folder, self.file)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_two_machines_of_one_id(self):
        case = self.case("answered")
        options = self.write(case)
        done = wfsm("verify", *options, *options, self.file)
        self.assertEqual(done.returncode, 2)
        self.assertIn('two machines have the id "review"', done.stderr)

    def test_a_state_that_the_child_does_not_have(self):
        case = self.case("answered")
        case["machines"][0]["states"]["perusing"] = case["machines"][0]["states"].pop("reading")
        case["machines"][0]["initial"] = "perusing"
        done = wfsm("verify", *self.write(case), self.file)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('the machine "review", which "review" starts, has no state "reading"',
                      done.stderr)

    def test_no_such_file(self):
        case = self.case("answered")
        self.write(case)
        done = wfsm("verify", "--machines", self.folder / "none.json", self.file)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("none.json", done.stderr)

    def test_the_simulator_says_that_it_does_not_watch_them(self):
        self.write(self.case("withdrawn"))
        done = wfsm("simulate", "--by-hand", "--properties", self.file,
                    text='{"start": null}\n{"event": "hurry"}\n')
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for line in done.stdout.splitlines():
            self.assertEqual(json.loads(line)["properties"], {
                "violated": [], "pending": [], "unwatched": ["no release meanwhile"]})


if __name__ == "__main__":
    WFSM, ROOT = Path(sys.argv.pop(1)).resolve(), Path(sys.argv.pop(1)).resolve()
    unittest.main()
