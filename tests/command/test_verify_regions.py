"""wfsm verify of regions that do not touch each other: they are decided by partial order reduction.

usage: test_verify_regions.py WFSM
"""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WFSM = None
NOTE = "partial order reduction"


def wfsm(*arguments, text=None):
    return subprocess.run([WFSM, *map(str, arguments)], input=text, capture_output=True,
                          text=True, timeout=300)


def region(agents, error="end"):
    """So many agents, one after the other."""
    states = {"end": {"type": "final"}}
    for i in range(agents):
        following = f"s{i + 1}" if i + 1 < agents else "end"
        states[f"s{i}"] = {"invoke": {"src": "agent", "onDone": following, "onError": error}}
    return {"initial": "s0", "states": states}


def regions(properties, count=8, last=5):
    inside = {f"r{i}": region(5) for i in range(count - 1)} | {"last": region(last)}
    return {"id": "m", "initial": "p", "properties": properties,
            "states": {"p": {"type": "parallel", "onDone": "over", "states": inside},
                       "over": {"type": "final"}}}


class Regions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "m.json"

    def verify(self, document, *arguments, code):
        self.file.write_text(json.dumps(document), encoding="utf-8")
        done = wfsm("verify", "--json", *arguments, self.file)
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
        return json.loads(done.stdout)

    def is_reduced(self, report):
        return any(NOTE in note for note in report["notes"])

    def check_replays(self, diagnostic):
        done = wfsm("simulate", "--by-hand", "--properties", self.file, text=diagnostic["script"])
        last = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(last["properties"]["violated"], [diagnostic["property"]])

    def test_all_are_decided(self):
        """Eight regions with five agents each have 6 to the 8 states."""
        document = regions({
            "ends": {"leadsTo": {"to": {"in_state": "over"}}},
            "in turn": {"precedes": {"of": {"in_state": "p.last.s3"},
                                     "needs": {"in_state": "p.last.s2"}}},
            "can end": {"reachable": {"in_state": "over"}}})
        report = self.verify(document, "--tests", self.folder / "cases", code=0)
        self.assertEqual({one["verdict"] for one in report["properties"]}, {"holds"})
        self.assertEqual(report["diagnostics"], [])
        self.assertLess(report["states"], 200)
        self.assertTrue(self.is_reduced(report))
        self.assertEqual({one["taken"] for one in report["coverage"]}, {True})
        self.assertEqual(report, self.verify(document, "--jobs", 2, "--tests",
                                             self.folder / "cases", code=0))
        for script in sorted((self.folder / "cases").glob("case-???.jsonl")):
            done = wfsm("simulate", "--by-hand", self.file, text=script.read_text("utf-8"))
            self.assertEqual(done.stdout, script.with_suffix(".expected.jsonl").read_text("utf-8"))

    def test_every_order_is_tried_when_asked(self):
        properties = {"ends": {"leadsTo": {"to": {"in_state": "over"}}}}
        some = self.verify(regions(properties, count=7), code=0)
        bounded = self.verify(regions(properties, count=7), "--no-reduction", "--max-states", 60000, code=3)
        every = self.verify(regions(properties, count=6), "--no-reduction", code=0)
        self.assertEqual([self.is_reduced(one) for one in (some, bounded, every)], [True, False, False])
        self.assertGreaterEqual(bounded["states"], 60000)
        self.assertEqual(every["states"], 6 ** 6)
        self.assertEqual(every["properties"], some["properties"])

    def test_a_violation_has_a_shortest_trace(self):
        """It is deeper than what every order of moves shows in so many states."""
        document = regions({"never": {"never": {"in_state": "p.last.s14"}}}, last=15)
        report = self.verify(document, code=1)
        self.assertTrue(self.is_reduced(report))
        [found] = [one for one in report["diagnostics"] if one["rule"] == "property"]
        self.assertEqual(found["steps"], 14)
        self.check_replays(found)

    def test_a_violation_after_all_regions_has_a_trace(self):
        document = regions({"never": {"never": {"in_state": "over"}}})
        report = self.verify(document, code=1)
        [found] = [one for one in report["diagnostics"] if one["rule"] == "property"]
        self.assertGreaterEqual(found["steps"], 8)
        self.check_replays(found)

    def test_the_search_ends_at_the_first_error(self):
        document = regions({"never": {"never": {"in_state": "p.last.s14"}},
                            "neither": {"never": {"in_state": "p.last.s13"}}}, last=15)
        report = self.verify(document, "--first", code=1)
        self.assertEqual([one["property"] for one in report["diagnostics"]], ["neither"])

    def test_regions_that_touch_are_not_reduced(self):
        document = regions({"never": {"never": {"in_state": "p.last.s14"}}}, last=15)
        for name in ["last", *(f"r{i}" for i in range(7))]:
            state = document["states"]["p"]["states"][name]["states"]["s0"]
            state["invoke"]["onDone"] = {"target": "s1", "guard": {"!": {"in_state": "p.last.s1"}}}
        report = self.verify(document, "--max-states", 60000, code=3)
        self.assertFalse(self.is_reduced(report))
        self.assertEqual(report["states"], 60000)

    def test_the_note_stands_in_the_report(self):
        self.file.write_text(json.dumps(regions({})), encoding="utf-8")
        done = wfsm("verify", self.file)
        self.assertRegex(done.stdout, rf"note: .*{re.escape(NOTE)}")
        self.assertRegex(done.stdout, r"\n\d\d states, \d+ moves")


if __name__ == "__main__":
    WFSM = sys.argv[1]
    unittest.main(argv=sys.argv[:1], verbosity=1)
