"""wfsm verify from outside: its diagnostics, the length of its traces, and that they replay.

usage: test_verify.py WFSM ROOT

Each case of tests/cases/verify is a document and its expected diagnostics. Every trace is replayed
by `wfsm simulate --by-hand`, and must end the same.
"""
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

WFSM = None
ROOT = None

SHIPPED = {
    "examples/embed/review.json": [],
    "examples/embed/essay.json": [],
    "bindings/python/examples/approval.json": [],
    "examples/agentd/lifecycle.json": [],
    "examples/agentd/plan.json": [
        "--input", "{}", "--input", '{"max": 0}', "--input", '{"max": 1, "from": "repropose"}',
        "--input", '{"from": "validate"}', "--input", '{"max": 0, "from": "repropose"}'],
    "examples/agentd/impl.json": [
        "--input", "{}", "--input", '{"max": 0}', "--input", '{"max": 0, "from": "resolve"}',
        "--input", '{"implemented": true, "from": "review"}',
        "--input", '{"implemented": true, "from": "resolve", "max": 1}'],
    "examples/coordinator/coordinator.json": [
        "--input", "{}", "--input", '{"executionMode": "proposal"}',
        "--input", '{"maxRounds": 1}', "--input", '{"maxRounds": 2}'],
}


# Warnings that stand: their hosts send whole events only.
STANDING = {"examples/agentd/lifecycle.json": {"unhandled-error"}}


def wfsm(*arguments, text=None):
    return subprocess.run([WFSM, *map(str, arguments)], input=text, capture_output=True,
                          text=True, timeout=600)


def leaves(trace):
    """The states that the last line of a trace ends in."""
    last = [line for line in trace.splitlines() if re.match(r" *\d+\. ", line)][-1]
    found = re.search(r" → ([^;]*)(;|$)", last)
    return found[1].split(" + ") if found else None


class Verify(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "m.json"

    def verify(self, document, *arguments, code=None):
        self.file.write_text(json.dumps(document), encoding="utf-8")
        done = wfsm("verify", "--json", *arguments, self.file)
        if code is not None:
            self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
        return json.loads(done.stdout)

    def replay(self, diagnostic):
        done = wfsm("simulate", "--by-hand", self.file, text=diagnostic["script"])
        if diagnostic["rule"] == "start-fails":
            self.assertEqual(done.returncode, 1)
            return
        self.assertEqual((done.returncode, done.stderr), (0, ""), diagnostic)
        steps = [json.loads(line) for line in done.stdout.splitlines()]
        lines = [json.loads(line) for line in diagnostic["script"].splitlines()]
        self.assertEqual(len(steps), len(lines))
        # One line each, but for the clock, and for people who decide together.
        votes = sum("approve" in line for line in lines)
        rest = sum("advance" not in line for line in lines) - votes
        self.assertLessEqual(rest, diagnostic["steps"] + 1)
        self.assertGreaterEqual(rest + votes, diagnostic["steps"] + 1)
        self.assertEqual(steps[-1]["configuration"], leaves(diagnostic["trace"]), diagnostic)
        for line, step in zip(lines, steps):
            self.assertNotEqual(step.get("error", {}).get("status"), "NOT_FOUND", line)
            self.assertNotEqual(step["result"], "stale", line)

    def check_ways(self, report):
        for diagnostic in report["diagnostics"]:
            if diagnostic["steps"] >= 0:
                self.assertTrue(diagnostic["replayed"], diagnostic)
                self.replay(diagnostic)

    def test_cases(self):
        cases = sorted((ROOT / "tests/cases/verify").glob("*.json"))
        self.assertGreater(len(cases), 15)
        for path in cases:
            with self.subTest(path.name):
                case = json.loads(path.read_text(encoding="utf-8"))
                report = self.verify(case["document"], *case.get("arguments", ()),
                                     code=case["exit"])
                found = [{key: one[key] for key in ("rule", "state", "property", "steps")
                          if one[key] not in ("", None)} for one in report["diagnostics"]]
                self.assertEqual(found, case["diagnostics"])
                properties = {one["name"]: one["verdict"] for one in report["properties"]}
                self.assertEqual(properties, case.get("properties", {}))
                self.check_ways(report)

    def test_shipped_documents_hold(self):
        for name, arguments in SHIPPED.items():
            with self.subTest(name):
                for mode in ([], ["--open", "--punctual"]):
                    done = wfsm("verify", "--json", *mode, *arguments, ROOT / name)
                    report = json.loads(done.stdout)
                    print(name, {key: report[key] for key in ("states", "moves", "depth")})
                    found = [one for one in report["diagnostics"] if one["severity"] != "note" and
                             one["rule"] not in STANDING.get(name, ())]
                    self.assertEqual((done.returncode, found), (0, []))
                    self.assertEqual(report["bound"], "")
                    self.assertEqual({one["verdict"] for one in report["properties"]},
                                     {"holds"})

    def test_a_bad_document_has_a_code_of_its_own(self):
        self.file.write_text("{", encoding="utf-8")
        self.assertEqual(wfsm("verify", self.file).returncode, 2)
        self.assertEqual(wfsm("verify", self.file.with_name("no")).returncode, 2)
        for arguments in ([], ["--bound", "x", self.file], ["--json", "--sarif", self.file],
                          ["--time", "0", self.file], [self.file, self.file]):
            self.assertEqual(wfsm("verify", *arguments).returncode, 64, arguments)

    def test_bounds_end_the_search(self):
        path = ROOT / "examples/coordinator/coordinator.json"
        for arguments in (["--max-states", "50"], ["--bound", "1", "--max-states", "60"]):
            done = wfsm("verify", *arguments, path)
            self.assertEqual(done.returncode, 3, done.stdout)
            self.assertIn("not everything was tried", done.stdout)

    def test_items_that_are_alike_are_counted(self):
        """Which of them have ended makes no difference, how many does: n + 1, not 2 to the n."""
        machine = {"id": "m", "initial": "a", "context": {"list": list(range(24))},
                   "states": {"a": {"invoke": {"src": "w", "items": {"var": "context.list"},
                                               "onDone": "b", "onError": "b"}},
                              "b": {"type": "final"}}}
        self.assertEqual(self.verify(machine, code=0)["states"], 24 + 1)

    def large(self):
        regions = {f"r{i}": {"initial": "a", "states": {
            "a": {"on": {f"e{i}": "b"}}, "b": {"on": {f"e{i}": "c"}}, "c": {"on": {f"e{i}": "a"}}}}
            for i in range(30)}
        self.file.write_text(json.dumps({"id": "m", "type": "parallel", "states": regions}),
                             encoding="utf-8")
        return self.file

    def test_time_and_memory_end_the_search(self):
        for arguments, why in ((["--time", "1"], "the search was stopped"),
                               (["--max-memory", "1"], "the maximum memory was reached")):
            began = time.monotonic()
            done = wfsm("verify", *arguments, self.large())
            self.assertEqual(done.returncode, 3, done.stdout)
            self.assertIn(f"not everything was tried: {why}", done.stdout)
            self.assertLess(time.monotonic() - began, 60)

    def test_progress_is_told_on_a_terminal_only(self):
        ours, theirs = pty.openpty()
        told = b""
        with subprocess.Popen([WFSM, "verify", "--time", "2", str(self.large())], stderr=theirs,
                              stdout=subprocess.DEVNULL) as run:
            os.close(theirs)
            try:
                while piece := os.read(ours, 65536):
                    told += piece
            except OSError:  # the other side is closed
                pass
            self.assertEqual(run.wait(), 3)
        os.close(ours)
        self.assertRegex(told.decode(), r"\d+ states, \d+ waiting, \d+ moves, depth \d+, \d+ MiB")
        self.assertEqual(wfsm("verify", "--time", "1", self.file).stderr, "")

    def sarif(self, name):
        """Each line is one that the schema of SARIF 2.1.0 requires."""
        case = json.loads((ROOT / "tests/cases/verify" / name).read_text("utf-8"))
        self.file = self.file.with_name("a b.json")
        self.file.write_text(json.dumps(case["document"]), encoding="utf-8")
        whole = json.loads(wfsm("verify", "--sarif", self.file).stdout)
        self.assertEqual(whole["version"], "2.1.0")
        self.assertEqual(len(whole["runs"]), 1)
        driver = whole["runs"][0]["tool"]["driver"]
        self.assertIsInstance(driver["name"], str)
        rules = [rule["id"] for rule in driver["rules"]]
        self.assertEqual(len(rules), len(set(rules)))
        for result in whole["runs"][0]["results"]:
            self.assertIn(result["ruleId"], rules)
            self.assertIn(result["level"], ("error", "warning", "note"))
            self.assertIsInstance(result["message"]["text"], str)
            for location in self.locations(result):
                place = location["physicalLocation"]
                self.assertTrue(place["artifactLocation"]["uri"].endswith("/a%20b.json"))
                self.assertGreaterEqual(place["region"]["startLine"], 1)
                self.assertGreaterEqual(place["region"]["startColumn"], 1)
        return len(whole["runs"][0]["results"])

    def locations(self, result):
        yield from result["locations"]
        for flow in result.get("codeFlows", ()):
            self.assertGreaterEqual(len(flow["threadFlows"]), 1)
            for thread in flow["threadFlows"]:
                self.assertGreaterEqual(len(thread["locations"]), 1)
                for step in thread["locations"]:
                    self.assertIsInstance(step["location"]["message"]["text"], str)
                    yield step["location"]

    def test_sarif_has_what_its_schema_requires(self):
        count = sum(self.sarif(path.name)
                    for path in sorted((ROOT / "tests/cases/verify").glob("*.json")))
        self.assertGreater(count, 50)

    def test_sarif_has_places_and_steps(self):
        case = json.loads((ROOT / "tests/cases/verify/approval.json").read_text("utf-8"))
        self.file.write_text(json.dumps(case["document"], indent=1), encoding="utf-8")
        run = json.loads(wfsm("verify", "--sarif", self.file).stdout)["runs"][0]
        result = run["results"][0]
        self.assertEqual((result["ruleId"], result["level"]), ("property", "error"))
        region = result["locations"][0]["physicalLocation"]["region"]
        line = self.file.read_text("utf-8").splitlines()[region["startLine"] - 1]
        self.assertIn("no deployment without approval", line)
        steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
        self.assertEqual(len(steps), 2)

    def test_text_tells_the_way(self):
        case = json.loads((ROOT / "tests/cases/verify/approval.json").read_text("utf-8"))
        self.file.write_text(json.dumps(case["document"]), encoding="utf-8")
        done = wfsm("verify", self.file)
        self.assertIn("building fails: network → deploying", done.stdout)
        self.assertTrue(done.stdout.endswith(": violated\n"))
        script = wfsm("verify", "--script", "1", self.file).stdout
        self.assertEqual(json.loads(script.splitlines()[0]), {"start": None})


if __name__ == "__main__":
    WFSM, ROOT = sys.argv[1], Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1], verbosity=1)
