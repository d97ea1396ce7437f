"""wfsm verify from outside: its diagnostics, the length of its traces, and that they replay.

usage: test_verify.py WFSM ROOT

Each case of tests/cases/verify is a document and its expected diagnostics, and for some the number
of states. Every trace is replayed
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
import xml.etree.ElementTree
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


def every_third(number):
    """Of the documents, for what is the same of all of them."""
    return sorted((ROOT / "tests/cases/verify").glob("*.json"))[number::3]


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
                causes = {one["property"]: one["message"].partition(" is violated")[2]
                          for one in report["diagnostics"] if one["property"]}
                self.assertEqual(causes, {**causes, **case.get("causes", {})})
                self.assertEqual(report["states"], case.get("states", report["states"]))
                self.assertEqual(report["bound"], case.get("bound", report["bound"]))
                self.check_ways(report)

    def test_a_time_limit_is_exceeded_in_the_simulation(self):
        """By a step, or because time passes."""
        played = 0
        for path in sorted((ROOT / "tests/cases/verify").glob("within*.json")):
            case = json.loads(path.read_text(encoding="utf-8"))
            report = self.verify(case["document"], *case.get("arguments", ()), code=case["exit"])
            for one in report["diagnostics"]:
                if one["rule"] != "property":
                    continue
                with self.subTest(path.name, name=one["property"]):
                    done = wfsm("simulate", "--by-hand", "--properties", self.file,
                                text=one["script"])
                    lines = [json.loads(line) for line in done.stdout.splitlines()]
                    self.assertEqual(done.returncode, 3)
                    self.assertEqual([one["property"]], [
                        name for line in lines for name in line["properties"]["violated"]])
                    played += 1
        self.assertGreater(played, 8)

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

    def test_the_manual_says_how_large_the_shipped_documents_are(self):
        manual = (ROOT / "doc/verification.md").read_text("utf-8")
        rows = re.findall(r"^\| `([\w./]+\.json)` \| (.*) \|$", manual, re.MULTILINE)
        self.assertGreaterEqual(len(rows), len(SHIPPED))
        for name, figures in rows:
            name = name if name.startswith("bindings/") else f"examples/{name}"
            with self.subTest(name):
                done = wfsm("verify", "--json", *SHIPPED.get(name, ()), ROOT / name)
                report = json.loads(done.stdout)
                found = [len(report["properties"]),
                         *(report[key] for key in ("states", "moves", "depth"))]
                self.assertEqual(figures, " | ".join(f"{one:,}" for one in found))

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

    def test_what_only_the_whole_search_reaches_is_looked_for_after_the_proofs(self):
        # The directed search follows the states of the machine, and here is only one.
        least = {"a": 13, "b": 9, "c": 11, "d": 6}
        of = {key: {"var": "context." + key} for key in least}
        document = {
            "id": "counters", "initial": "counting", "context": dict.fromkeys(least, 0),
            "schemas": {"context": {"type": "object", "additionalProperties": False, "properties": {
                key: {"type": "integer", "minimum": 0, "maximum": 15} for key in least}}},
            "properties": {
                "never too many": {"never": {">": [of["a"], 15]}},
                "closed": {"reachable": {"and": [{"in_state": "closed"}, *(
                    {"===": [of[key], value]} for key, value in least.items())]}}},
            "states": {"closed": {"type": "final"}, "counting": {
                "tags": ["awaiting_input"],
                "on": {"close": "closed", **{key: {
                    "guard": {"<": [of[key], 15]},
                    "actions": {"type": "assign", "params": {key: {"+": [of[key], 1]}}}}
                    for key in least}}}}}
        report = self.verify(document, code=0)
        self.assertEqual([one["verdict"] for one in report["properties"]], ["holds"] * 2)
        self.assertEqual(report["states"], 2 * 16 ** 4)
        self.assertNotIn("were not looked for", "".join(report["notes"]))

    def test_items_that_are_alike_are_counted(self):
        """Which of them have ended makes no difference, how many does: n + 1, not 2 to the n."""
        machine = {"id": "m", "initial": "a", "context": {"list": list(range(24))},
                   "states": {"a": {"invoke": {"src": "w", "items": {"var": "context.list"},
                                               "onDone": "b", "onError": "b"}},
                              "b": {"type": "final"}}}
        self.assertEqual(self.verify(machine, code=0)["states"], 24 + 1)

    def test_how_an_item_has_ended_counts_where_somebody_asks(self):
        """Nobody: 12 states and the end. Whether it failed: 14 over 2 without the 13 that are over. After how
        many attempts it ended: never; all of 12 that are done are the end."""
        invoke = {"src": "w", "items": list(range(12)), "complete": "settled", "onDone": "b", "onError": "b"}
        machine = {"id": "m", "initial": "a", "states": {"a": {"invoke": invoke}, "b": {"type": "final"}}}
        self.assertEqual(self.verify(machine)["states"], 12 + 1)
        invoke["onDone"] = [{"target": "b", "guard": {"all": [{"var": "event.data"}, {"!": {"var": "error"}}]}}, "b"]
        self.assertEqual(self.verify(machine)["states"], 14 * 13 // 2 - 13 + 1)
        del invoke["complete"]
        invoke.update(onDone="b", retry=[{"maxAttempts": 3}])
        self.assertEqual(self.verify(machine)["states"], 15 * 14 * 13 // 6)

    def test_data_in_more_classes_than_are_listed(self):
        """Of 2 to the 15 classes only one leads to the state, and in the end none."""
        parts = [{"===" if i % 2 else "!==": [{"var": f"event.data.k{i}"}, f"v{i}"]} for i in range(15)]
        never = [{"===": [{"var": "event.data.k1"}, "v0"]}]
        for how in ("event", "result", "items"):
            for more, verdict in (([], "violated"), (never, "holds")):
                rule = {"and": parts + more}
                if how == "items":
                    rule = json.loads(json.dumps(rule).replace("event.data.", ""))
                    rule = {"some": [{"var": "event.data"}, rule]}
                taken = [{"guard": rule, "target": "bad"}, "end"]
                invoke = {"src": "x", "onDone": taken, "onError": "end"}
                if how == "items":
                    invoke["items"] = [1, 2]
                state = {"tags": "awaiting_input", "on": {"go": taken}} if how == "event" else {"invoke": invoke}
                machine = {"id": "m", "initial": "a", "properties": {"never bad": {"never": {"in_state": "bad"}}},
                           "states": {"a": state, "bad": {"type": "final"}, "end": {"type": "final"}}}
                with self.subTest(how=how, verdict=verdict):
                    report = self.verify(machine)
                    self.assertEqual(report["properties"][0]["verdict"], verdict, report["bound"])
                    entered = [one["message"] for one in report["diagnostics"] if one["rule"] == "never-entered"]
                    self.assertEqual(len(entered), int(verdict == "holds"))

    def large(self):
        regions = {f"r{i}": {"initial": "a", "states": {
            "a": {"on": {f"e{i}": "b"}}, "b": {"on": {f"e{i}": "c"}}, "c": {"on": {f"e{i}": "a"}}}}
            for i in range(30)}
        self.file.write_text(json.dumps({"id": "m", "type": "parallel", "states": regions}),
                             encoding="utf-8")
        return self.file

    def test_an_event_that_nothing_reacts_to_may_have_no_known_name(self):
        computed = {"if": [{"var": "context.big"}, "no", "known"]}
        for event, name in (("known", 'the event "known"'), (computed, "an event with a computed name")):
            go = {"actions": {"type": "raise", "params": {"event": event}}}
            report = self.verify({"id": "m", "initial": "a", "context": {"big": True}, "states": {
                "a": {"on": {"go": go}}, "b": {"on": {"known": "a"}}}})
            dropped = [one["message"] for one in report["diagnostics"] if one["rule"] == "dropped-event"]
            self.assertEqual(dropped, [f"nothing reacts to {name} that is raised here"])

    def test_undecided_names_the_rule_and_the_remedy_decides(self):
        document = {
            "id": "m", "initial": "idle", "context": {"prio": "normal"},
            "assume": {"go": {"type": "object", "required": ["prio"],
                              "properties": {"prio": {"type": "array"}}}},
            "properties": {"work ends": {"leadsTo": {
                "from": {"in_state": "working"}, "to": {"in_state": "done"}}}},
            "states": {
                "idle": {"tags": ["awaiting_input"], "on": {"go": {
                    "target": "working",
                    "actions": {"type": "assign",
                                "params": {"prio": {"var": "event.data.prio"}}}}}},
                "working": {"entry": {"type": "raise", "params": {
                                "event": "tick", "delay": 1000, "id": {"var": "context.prio"}}},
                            "on": {"tick": "done"}},
                "done": {"type": "final"}}}
        self.file.write_text(json.dumps(document), encoding="utf-8")
        done = wfsm("verify", self.file)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("comes from data: context.prio; what would help: an `enum` in the schema of its data",
                      done.stdout)
        document["assume"]["go"]["properties"]["prio"] = {"enum": [["high"], ["low", 1]]}
        self.file.write_text(json.dumps(document), encoding="utf-8")
        self.assertEqual(wfsm("verify", self.file).returncode, 0)

    def test_of_a_list_that_is_too_long_to_be_followed_the_schema_says_how_long_it_is(self):
        tasks = {"type": "array", "items": {"type": "string"}}
        document = {
            "id": "m", "initial": "plan", "context": {"tasks": []},
            "properties": {"it ends": {"leadsTo": {"to": {"in_state": "done"}}}},
            "states": {
                "plan": {"invoke": {
                    "src": "planner", "output": {"type": "object", "properties": {"tasks": tasks}},
                    "onError": "done", "onDone": {"target": "work", "actions": {"type": "assign", "params": {
                        "tasks": {"??": [{"var": "event.data.tasks"}, []]}}}}}},
                "work": {"invoke": {"src": "worker", "items": {"var": "context.tasks"},
                                    "onError": "done", "onDone": "done"}},
                "done": {"type": "final"}}}
        self.file.write_text(json.dumps(document), encoding="utf-8")
        done = wfsm("verify", self.file)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("goes through: context.tasks; what would help: a `maxItems` of at most 3 in the schema of its data",
                      done.stdout)
        tasks["maxItems"] = 3
        self.file.write_text(json.dumps(document), encoding="utf-8")
        done = wfsm("verify", self.file)
        self.assertEqual(done.returncode, 0, done.stdout)

    def check_remedy(self, document, rule, remedy, change):
        self.file.write_text(json.dumps(document), encoding="utf-8")
        done = wfsm("verify", self.file)
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertRegex(done.stdout, "no values for it: it depends on " + re.escape(rule) +
                         r"( \(line \d+:\d+\))?; what would help: " + re.escape(remedy))
        change(document)
        self.file.write_text(json.dumps(document), encoding="utf-8")
        self.assertIn(wfsm("verify", self.file).returncode, (0, 1))

    def test_a_list_that_has_a_limit_is_not_told_to_have_one(self):
        """The sum of up to three numbers, times itself."""
        amounts = {"type": "array", "items": {"type": "integer", "minimum": -5, "maximum": 5}, "maxItems": 3}
        total = {"+": {"var": "event.data"}}
        document = {
            "id": "m", "initial": "a", "context": {"sum": 0}, "assume": {"go": amounts},
            "properties": {"p": {"never": {"and": [{"in_state": "b"}, {"!==": [{"var": "context.sum"}, 0]}]}}},
            "states": {"a": {"tags": "awaiting_input",
                             "on": {"go": [{"guard": {"<=": [{"*": [total, total]}, 0]}, "target": "b",
                                            "actions": {"type": "assign", "params": {"sum": total}}}, "c"]}},
                       "b": {"type": "final"}, "c": {"type": "final"}}}
        self.check_remedy(document, "in b and context.sum !== 0", "a small `maxItems`, and an `enum` for the elements",
                          lambda it: it["assume"]["go"].update(items={"enum": [-1, 0, 1]}))

    def test_a_run_without_values_names_the_rule_and_the_remedy_decides(self):
        """Of more votes than are followed, and of a text that is searched for a part of it."""
        people = json.loads((ROOT / "tests/cases/verify/votes-twenty.json").read_text("utf-8"))
        self.check_remedy(
            people["document"], "length(event.data.votes) === 0",
            "a `quorum` and `rejections` for which few votes are enough, or rules that ask only whether a person approved",
            lambda document: document["states"]["asking"]["invoke"].update(input={"quorum": 2}))
        command = {"type": "object", "required": ["command"], "properties": {"command": {"type": "string"}}}
        self.check_remedy(
            {"id": "m", "initial": "idle", "context": {"command": ""}, "assume": {"run": command},
             "states": {
                 "idle": {"tags": "awaiting_input", "on": {"run": {
                     "guard": {"!": {"in": ["rm -rf", {"var": "event.data.command"}]}},
                     "actions": {"type": "assign", "params": {
                         "command": {"cat": ["nice ", {"var": "event.data.command"}]}}},
                     "target": "ran"}}},
                 "ran": {"type": "final"}},
             "properties": {"not all": {"never": {"in": ["nice rm -rf /", {"var": "context.command"}]}}}},
            "'nice rm -rf /' in context.command", "a schema that says what the value may be",
            lambda document: command["properties"].update(command={"enum": ["ls", "rm -rf /tmp"]}))

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
        bounds = ["--max-states", "2000"] if "--max-states" in case.get("arguments", ()) else []
        whole = json.loads(wfsm("verify", "--sarif", *bounds, self.file).stdout)
        self.assertEqual(whole["version"], "2.1.0")
        self.assertEqual(len(whole["runs"]), 1)
        driver = whole["runs"][0]["tool"]["driver"]
        self.assertIsInstance(driver["name"], str)
        rules = [rule["id"] for rule in driver["rules"]]
        self.assertEqual(len(rules), len(set(rules)))
        for run in whole["runs"][0]["invocations"]:
            self.assertIs(run["executionSuccessful"], True)
            for told in run.get("toolExecutionNotifications", ()):
                self.assertIn(told["level"], ("error", "warning", "note", "none"))
                self.assertIsInstance(told["message"]["text"], str)
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
        count = sum(self.sarif(path.name) for path in every_third(0))
        self.assertGreater(count, 50)

    def test_sarif_counts_characters(self):
        text = ('{"id": "m", "description": "\u00e9\u20ac\U0001d11e", "initial": "a", '
                '"properties": {"p": {"never": {"in_state": "a"}}}, "states": {"a": {"type": "final"}}}')
        self.file.write_text(text, encoding="utf-8")
        run, = json.loads(wfsm("verify", "--sarif", self.file).stdout)["runs"]
        self.assertEqual(run["columnKind"], "unicodeCodePoints")
        region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
        self.assertEqual(region, {"startLine": 1, "startColumn": text.index('"p"') + 1})

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

    def test_sarif_tells_that_a_bound_was_reached(self):
        run = json.loads(wfsm("verify", "--sarif", "--max-states", "50", self.large()).stdout)["runs"][0]
        self.assertEqual(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"],
                         "the maximum number of states was reached")
        self.assertNotIn("toolExecutionNotifications",
                         json.loads(wfsm("verify", "--sarif", ROOT / "examples/embed/review.json")
                                    .stdout)["runs"][0]["invocations"][0])

    def junit(self, path, *arguments):
        """The cases by name, each with what became of it."""
        done = wfsm("verify", "--junit", *arguments, path)
        whole = xml.etree.ElementTree.fromstring(done.stdout)
        suite = whole.find("testsuite")
        cases = {case.get("name"): case for case in suite.iter("testcase")}
        for one in (whole, suite):
            for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
                self.assertEqual(int(one.get(name)), len(list(one.iter(tag))))
        self.assertEqual(len(cases), int(suite.get("tests")))
        return done.returncode, cases

    def test_junit_fails_what_the_report_calls_an_error(self):
        for path in every_third(1):
            case = json.loads(path.read_text("utf-8"))
            arguments = case.get("arguments", ())
            report = self.verify(case["document"], *arguments)
            with self.subTest(path.name):
                code, cases = self.junit(self.file, *arguments)
                self.assertEqual(code, case["exit"])
                errors = [one for one in report["diagnostics"] if one["severity"] == "error"]
                failures = [one.find("failure") for one in cases.values()]
                failures = [one for one in failures if one is not None]
                self.assertEqual(sorted(one["message"] for one in errors),
                                 sorted(one.get("message") for one in failures))
                for one in report["properties"]:
                    found = cases[f"{one['kind']}: {one['name']}"]
                    self.assertEqual({"holds": [], "violated": ["failure"],
                                      "undecided": ["error"]}[one["verdict"]],
                                     [child.tag for child in found])
                self.assertEqual(code == 3, code != 1 and
                                 any(one.find("error") is not None for one in cases.values()))

    def test_junit_survives_hostile_names(self):
        name = "]]></failure><testcase name='x'/> & \"q\" \u0007\u202e\ufffe\uffff\ufffd<"
        self.verify({"id": "m", "initial": "a", "states": {"a": {}},
                     "properties": {name: {"never": {"in_state": "a"}}}}, code=1)
        _, cases = self.junit(self.file)
        shown = name.replace("\u0007", "\\u0007").replace("\u202e", "\\u202e")
        for one in "\ufffe\uffff\ufffd":
            shown = shown.replace(one, f"\\u{ord(one):x}")
        self.assertEqual(cases[f"never: {shown}"].find("failure").get("type"), "property")

    def play(self, folder, number):
        """What the script of a case prints, and what is expected of it."""
        script = (folder / f"case-{number:03}.jsonl").read_text("utf-8")
        return (wfsm("simulate", "--by-hand", self.file, text=script).stdout,
                (folder / f"case-{number:03}.expected.jsonl").read_text("utf-8"))

    def test_test_cases_print_what_is_expected(self):
        folder = self.file.with_name("tests")
        for path in every_third(2):
            case = json.loads(path.read_text("utf-8"))
            with self.subTest(path.name):
                report = self.verify(case["document"], *case.get("arguments", ()),
                                     "--tests", folder, code=case["exit"])
                count = len(list(folder.glob("*"))) // 2
                self.assertEqual(count * 2, len(list(folder.glob("case-*.jsonl"))))
                # No more than one for each thing to see.
                self.assertLessEqual(count, 1 + sum(
                    one[key] is True for one in report["coverage"]
                    for key in ("taken", "true", "false")))
                for number in range(1, count + 1):
                    played, expected = self.play(folder, number)
                    self.assertEqual(played, expected)

    def test_test_cases_of_an_earlier_call_are_removed(self):
        folder = self.file.with_name("tests")
        wfsm("verify", "--tests", folder, ROOT / "examples/coordinator/coordinator.json")
        many = len(list(folder.glob("*")))
        (folder / "mine.jsonl").write_text("")
        self.verify({"id": "m", "initial": "a", "states": {"a": {"on": {"GO": "b"}},
                                                           "b": {"type": "final"}}},
                    "--tests", folder)
        self.assertGreater(many, 2)
        self.assertEqual(sorted(one.name for one in folder.glob("*")),
                         ["case-001.expected.jsonl", "case-001.jsonl", "mine.jsonl"])

    def test_a_start_that_fails_is_no_test_case(self):
        folder = self.file.with_name("tests")
        report = self.verify({"id": "m", "initial": "a", "context": {"n": 0}, "states": {
            "a": {"always": {"guard": {"<": [{"var": "context.n"}, 2]}, "target": "a"}}}},
                             "--tests", folder, code=1)
        self.assertEqual([one["rule"] for one in report["diagnostics"]], ["start-fails"])
        self.assertEqual(list(folder.glob("*")), [])

    def test_test_cases_that_cannot_be_written(self):
        done = wfsm("verify", "--tests", self.file / "no", ROOT / "examples/embed/review.json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_coverage_says_never_only_if_all_was_tried(self):
        report = self.verify({"id": "m", "initial": "a", "context": {"n": 0}, "states": {
            "a": {"on": {"GO": [{"guard": {"<": [{"var": "context.n"}, 1]}, "target": "b"},
                                {"target": "a"}]}}, "b": {"on": {"GO": "a"}}}}, code=0)
        keys = ("state", "guard", "taken", "true", "false")
        self.assertEqual([[one[key] for key in keys] for one in report["coverage"]],
                         [["a", "context.n < 1", True, True, False],
                          ["a", "", False, None, None], ["b", "", True, None, None]])
        report = self.verify({"id": "m", "initial": "a", "context": {"n": 0}, "states": {
            "a": {"on": {"GO": [{"guard": {"<": [{"var": "context.n"}, 1]}, "target": "b"},
                                {"target": "a"}]}}, "b": {"on": {"GO": "a"}}}},
            "--max-states", "1", code=0)  # decided by a proof, without the other states
        self.assertEqual([[one[key] for key in keys] for one in report["coverage"]],
                         [["a", "context.n < 1", None, None, None], ["a", "", None, None, None],
                          ["b", "", None, None, None]])

    def test_coverage_does_not_say_never_of_what_the_tests_do(self):
        """Where a rule reads why a vote was refused, a run must show what happens."""
        document = {"id": "m", "initial": "a",
                    "properties": {"p": {"never": {"and": [
                        {"===": [{"var": "event.data.v"}, "x"]}, {"in_state": "end"}]}}},
                    "states": {"a": {"tags": "awaiting_input", "on": {"GO": "b"}},
                               "b": {"tags": "awaiting_input", "on": {"error.approval": "a"},
                                     "invoke": {"src": "person", "onDone": "end"}},
                               "end": {"type": "final"}}}
        taken = [one["taken"] for one in self.verify(document, code=0)["coverage"]]
        folder = self.file.with_name("tests")
        shown = [one["taken"] for one in self.verify(document, "--tests", folder,
                                                     code=0)["coverage"]]
        self.assertEqual(shown[0], True)
        self.assertNotIn(False, taken)

    def test_output_goes_to_a_file_and_the_text_is_told(self):
        path = ROOT / "examples/embed/review.json"
        target = self.file.with_name("out")
        for form in ("--json", "--sarif", "--junit"):
            told = wfsm("verify", form, path).stdout
            done = wfsm("verify", form, "--output", target, path)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(target.read_text("utf-8"), told)
            self.assertTrue(done.stdout.endswith("review.json: holds\n"))
        done = wfsm("verify", "--junit", "--output", target / "no", path)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("Not a directory", done.stderr)
        self.assertEqual(wfsm("verify", "--output", target, path).returncode, 64)

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
