"""wfsm verify --html: one page that fetches nothing, on which each trace steps through the chart.

usage: test_verify_html.py WFSM ROOT

If Chromium is installed, the page's script steps through a trace there, too.
"""
import base64
import functools
import hashlib
import html
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

WFSM = None
ROOT = None
HOSTILE = "</script></style><script>x()</script><img src=x onerror=x()>\" ' & \u0007\u202e"

APPROVAL = {
    "id": "deploy", "initial": "building", "context": {"tries": 0, "who": None},
    "properties": {
        "no deployment without approval": {
            "description": "somebody says yes first",
            "precedes": {"of": {"in_state": "deploying"}, "needs": {"in_state": "asking"}}},
        "no purple": {"never": {"==": [{"var": "context.who"}, "purple"]}},
        "after purple an end": {"leadsTo": {"from": {"==": [{"var": "context.who"}, "purple"]},
                                            "to": {"in_state": "deployed"}}}},
    "states": {
        "building": {"invoke": {
            "src": "builder", "onDone": "asking",
            "onError": {"target": "deploying", "actions": {
                "type": "assign", "params": {"tries": {"+": [{"var": "context.tries"}, 1]}}}}}},
        "asking": {"on": {"YES": [
            {"guard": {"<": [{"var": "context.tries"}, 100]}, "target": "deploying"},
            {"target": "building"}]}},
        "deploying": {"invoke": {"src": "deployer", "onDone": "deployed", "onError": "deployed"}},
        "deployed": {"type": "final"}}}


class Page(HTMLParser):
    """Elements, words, and what is not closed as it was opened."""

    EMPTY = {"meta", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.words, self.problems = [], [], [], []
        self.steps = []  # a list for each trace: its steps, each its elements
        self.feed(text)
        self.close()
        self.problems += [f"{name} is not closed" for name in self.open]

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.elements.append((tag, attributes))
        if attributes.get("class") == "steps":
            self.steps.append([])
        if "data-active" in attributes:
            self.steps[-1].append([])
        if self.steps and self.steps[-1] and "li" in [*self.open, tag]:
            self.steps[-1][-1].append((tag, attributes))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes something else")

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.words.append(data)

    def text(self):
        return " ".join(" ".join(self.words).split())

    def values(self, key, tags):
        return [attributes[key] for tag, attributes in self.elements
                if tag in tags and key in attributes]


def wfsm(*arguments):
    return subprocess.run([WFSM, *map(str, arguments)], capture_output=True, text=True,
                          timeout=600)


def verify(document, *arguments):
    """Its exit code, its page and its report in JSON."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "m.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        page = wfsm("verify", "--html", *arguments, file)
        report = wfsm("verify", "--json", *arguments, file)
        return page.returncode, Page(page.stdout), json.loads(report.stdout)


@functools.lru_cache(maxsize=None)
def cases():
    """By name: the document and its expected result, and what verify() says."""
    found = {}
    for path in sorted((ROOT / "tests/cases/verify").glob("*.json")):
        case = json.loads(path.read_text("utf-8"))
        found[path.name] = case, *verify(case["document"], *case.get("arguments", ()))
    return found


def sha256(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class Html(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "m.json"

    def page(self, document, *arguments, code=None):
        self.file.write_text(json.dumps(document), encoding="utf-8")
        done = wfsm("verify", "--html", *arguments, self.file)
        if code is not None:
            self.assertEqual((done.returncode, done.stderr), (code, ""))
        page = Page(done.stdout)
        self.assertEqual(page.problems, [])
        return page, done.stdout

    def test_it_says_what_the_report_says(self):
        for name, (case, code, page, report) in cases().items():
            with self.subTest(name):
                text = page.text()
                self.assertEqual((code, page.problems), (case["exit"], []))
                self.assertIn(f"{case['document']['id']} {report['verdict']}", text)
                for number, one in enumerate(report["diagnostics"], 1):
                    message = " ".join(one["message"].split())
                    self.assertIn(f"{one['severity']} {number}. {message}", text)
                for one in report["properties"]:
                    word = "vacuous" if one["vacuous"] else one["verdict"]
                    self.assertIn(f"{word} {one['name']} {one['kind']}", text)
                for note in report["notes"]:
                    self.assertIn(" ".join(note.split()), text)
                self.assertIn(" ".join(report["bound"].split()), text)

    def test_each_step_is_one_of_the_trace_and_in_the_chart(self):
        edges = 0
        for name, (_, _, page, report) in cases().items():
            with self.subTest(name):
                traces = [one for one in report["diagnostics"]
                          if one["steps"] >= 0 and one["rule"] != "start-fails"]
                self.assertEqual([len(steps) for steps in page.steps],
                                 [one["steps"] + 1 for one in traces])
                states = set(page.values("data-state", ["rect"]))
                drawn = set(page.values("data-edge", ["text"]))
                for one, steps in zip(traces, page.steps):
                    active = [json.loads(step[0][1]["data-active"]) for step in steps]
                    self.assertLessEqual({state for all in active for state in all}, states)
                    last = re.findall(r"(?m)^ *\d+\. (.*)$", one["trace"])[-1]
                    self.assertIn(" → " + " + ".join(active[-1]), last)
                    taken = {attributes["data-edge"] for step in steps
                             for tag, attributes in step if "data-edge" in attributes}
                    self.assertLessEqual(taken, drawn)
                    edges += len(taken)
        self.assertGreater(edges, 100)

    def test_the_same_by_hand_has_the_options(self):
        options = ["--punctual", "--input", '{"who": "it\'s me"}', "--jobs", "2"]
        page, text = self.page(APPROVAL, *options, code=1)
        found = re.search("The same by hand: <code>(.*?) \\| wfsm simulate --by-hand", text).group(1)
        words = shlex.split(html.unescape(found))
        self.assertEqual(words, ["wfsm", "verify", "--script", "1", *options[:3], str(self.file)])
        script = wfsm(*words[1:]).stdout
        self.assertEqual(json.loads(script.splitlines()[0]), {"start": {"who": "it's me"}})

    def test_the_data_of_each_step(self):
        page, text = self.page(APPROVAL, code=1)
        self.assertIn("violated no deployment without approval precedes somebody says yes first "
                      "see diagnostic 1", page.text())
        self.assertIn("holds no purple never no run violates it", page.text())
        self.assertIn("vacuous after purple an end leadsTo what it is about never happens",
                      page.text())
        self.assertIn('tries</dt><dd><code><span class="was">0</span> 1</code>', text)
        self.assertEqual([[attributes["data-edge"] for tag, attributes in step
                           if "data-edge" in attributes] for step in page.steps[0]],
                         [[], ['["building","error.invoke.building","deploying"]']])

    def test_what_no_run_did(self):
        page, text = self.page(APPROVAL)
        self.assertIn("the guard context.tries < 100 was never false", page.text())
        self.assertIn("asking — YES → building was never taken", page.text())
        never = [attributes["data-edge"] for tag, attributes in page.elements
                 if tag == "text" and "never" in attributes.get("class", "").split()]
        self.assertEqual(never, ['["asking","YES","building"]'])
        for name, (_, _, page, report) in cases().items():
            with self.subTest(name):
                never = [one for one in report["coverage"] if one["taken"] is False]
                self.assertEqual(len([0 for tag, attributes in page.elements if tag == "text" and
                                      "never" in attributes.get("class", "").split()]),
                                 len(never))

    def test_the_policy_lets_nothing_in(self):
        _, text = self.page(APPROVAL)
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
        rules = dict((rule.split()[0], rule.split()[1:]) for rule in policy.split(";"))
        self.assertEqual({name: rules[name] for name in ("default-src", "base-uri",
                                                         "form-action")},
                         {"default-src": ["'none'"], "base-uri": ["'none'"],
                          "form-action": ["'none'"]})
        for tag, name in (("style", "style-src"), ("script", "script-src")):
            found = [sha256(one) for one in re.findall(f"<{tag}>(.*?)</{tag}>", text, re.S)]
            self.assertEqual(rules[name], [f"'{one}'" for one in found])
        self.assertIsNone(re.search(r"https?:|\ssrc=|url\(|@import|\sstyle=|\son\w+=", text))

    def test_hostile_text_is_text(self):
        plain, _ = self.page(APPROVAL)
        words = json.dumps(APPROVAL)
        for name in ("deploy", "building", "asking", "deploying", "deployed", "YES", "who",
                     "purple", "builder", "no purple", "somebody says yes first",
                     "no deployment without approval"):
            words = words.replace(json.dumps(name), json.dumps(name + HOSTILE))
            words = words.replace(f'"context.{name}"', json.dumps(f"context.{name}{HOSTILE}"))
        document = json.loads(words)
        document["context"]["more"] = {HOSTILE: [HOSTILE]}
        page, _ = self.page(document, code=1)

        def tags(page):
            return [tag for tag, _ in page.elements if tag not in ("dt", "dd", "pre")]
        self.assertEqual(sorted(set(tags(page))), sorted(set(tags(plain))))
        self.assertEqual(tags(page).count("script"), 1)
        self.assertEqual([len(steps) for steps in page.steps],
                         [len(steps) for steps in plain.steps])
        self.assertFalse([attributes for _, attributes in page.elements
                          if any(key.startswith("on") for key in attributes)])
        shown = HOSTILE.replace("\u0007", "\\u0007").replace("\u202e", "\\u202e")
        for word in ("deploy", "building", "no purple", "somebody says yes first"):
            self.assertIn(" ".join((word + shown).split()), page.text())

    def test_a_start_that_fails_has_no_steps(self):
        page, _ = self.page({"id": "m", "initial": "a", "states": {
            "a": {"always": "b"}, "b": {"always": "a"}}}, code=1)
        self.assertEqual(page.steps, [])
        self.assertIn("0. start: it fails", page.text())

    def test_output_goes_to_a_file(self):
        target = self.file.with_name("out.html")
        _, text = self.page(APPROVAL)
        done = wfsm("verify", "--html", "--output", target, self.file)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertEqual(target.read_text("utf-8"), text)
        self.assertTrue(done.stdout.endswith("m.json: violated\n"))
        self.assertEqual(wfsm("verify", "--html", "--json", self.file).returncode, 64)

    @unittest.skipUnless(shutil.which("chromium"), "no chromium here")
    def test_a_browser_steps_through_it(self):
        """At step 1 the chart has the state and the transition of that step."""
        _, text = self.page(APPROVAL)
        script = re.search(r"<script>(.*?)</script>", text, re.S)[1]
        more = script + "addEventListener('DOMContentLoaded', () => dispatchEvent(new " \
                        "KeyboardEvent('keydown', {key: 'ArrowRight'})));"
        self.file.with_suffix(".html").write_text(
            text.replace(script, more).replace(sha256(script), sha256(more)), "utf-8")
        done = subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
             f"--user-data-dir={self.file.with_name('browser')}",
             self.file.with_suffix(".html").as_uri()], capture_output=True, text=True, timeout=600)
        page = Page(re.sub(r"<script>.*?</script>", "", done.stdout, flags=re.S))

        def marked(how, key):
            return [attributes[key] for tag, attributes in page.elements
                    if key in attributes and how in attributes.get("class", "").split()
                    and tag in ("rect", "text")]
        self.assertEqual((marked("seen", "data-state"), marked("now", "data-state")),
                         (["building"], ["deploying"]))
        self.assertEqual(marked("now", "data-edge"),
                         ['["building","error.invoke.building","deploying"]'])
        self.assertIn("step 1 of 1: the property \"no deployment without approval\" is violated",
                      page.text())


if __name__ == "__main__":
    WFSM, ROOT = sys.argv[1], Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=1)
