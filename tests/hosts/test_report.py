"""`wfsm report`: a page that stands alone, tells what happened, and runs nothing.

usage: test_report.py WFSM
The run is made through the Python package (WFSM_LIBRARY, WFSM_SQLITE_LIBRARY). With a
Chromium on the machine the page is also laid out by it.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python"))
import wfsm  # noqa: E402

WFSM = None
HOSTILE = "<script>alert(1)</script> & \"quotes\" ' \u0007"
DOCUMENT = {
    "id": "release", "initial": "work",
    "context": {"rounds": 0, "text": None, "note": HOSTILE},
    "states": {
        "work": {
            "initial": "plan", "on": {"abort": "failed"},
            "states": {
                "plan": {"invoke": {
                    "src": "planner", "onError": "#failed", "onDone": {
                        "target": "build", "actions": {
                            "type": "assign", "params": {"text": {"var": "event.data.text"}}}}}},
                "build": {"type": "parallel", "onDone": "review", "states": {
                    "code": {"initial": "coding", "states": {
                        "coding": {"invoke": {
                            "src": "coder", "onDone": "coded", "onError": "#failed",
                            "retry": [{"errors": ["network"], "intervalMs": 100}]}},
                        "coded": {"type": "final"}}},
                    "docs": {"initial": "writing", "states": {
                        "writing": {"invoke": {"src": "writer", "onDone": "written"}},
                        "written": {"type": "final"}}}}},
                "review": {
                    "tags": ["awaiting_input"], "after": {"60000": "#failed"},
                    "on": {"approve": {"target": "#released",
                                       "guard": {">": [{"var": "context.rounds"}, 0]}},
                           "revise": {"target": "plan", "actions": {
                               "type": "assign",
                               "params": {"rounds": {"+": [{"var": "context.rounds"}, 1]}}}}}}}},
        "released": {"id": "released", "type": "final"},
        "failed": {"id": "failed", "on": {"again": "work"}}}}


class Page(HTMLParser):
    """The text and the elements; complains about what is not closed as it was opened."""

    EMPTY = {"meta", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.words, self.problems = [], [], [], []
        self.feed(text)
        self.close()
        self.problems += [f"{name} is not closed" for name in self.open]

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes something else")

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    def text(self):
        return " ".join(" ".join(self.words).split())

    def classes(self, tag):
        return [attributes.get("class", "") for name, attributes in self.elements if name == tag]


def work(instance, invocation, now, failing=None, output=None):
    instance.claim(invocation, "me", now=now)
    if failing:
        instance.fail(invocation, failing, "unplugged <b>", now=now + 300)
    else:
        instance.result(invocation, output or {}, now=now + 900)


def make_run(path):
    store = wfsm.sqlite(str(path))
    i = wfsm.Instance.start(wfsm.Machine.load(DOCUMENT), store, "r/1 <i>", {"by": "ada"}, now=1000)
    work(i, "r/1 <i>/1/1", 1500, output={"text": "plan A & B"})
    work(i, "r/1 <i>/3/1", 3000, failing="network")
    work(i, "r/1 <i>/3/2", 3100)
    work(i, "r/1 <i>/3/1", 5000)
    i.send("approve", now=7000)
    i.send("revise", {"why": HOSTILE}, now=9000)
    i.checkpoint("before plan B", now=9100)
    work(i, f"r/1 <i>/{i.revision - 1}/1", 9500, output={"text": "plan B"})


ASKING = {"id": "ask", "initial": "draft", "states": {
    "draft": {"invoke": {"src": "model", "onDone": "asking", "onError": "no",
                         "retry": [{"errors": ["schema"]}]}},
    "asking": {"invoke": {"src": "person", "input": {"what": "Ship?", "quorum": 2},
                          "onDone": [{"guard": {"var": "event.data.approved"}, "target": "yes"},
                                     {"target": "no"}]}},
    "yes": {"type": "final"}, "no": {"type": "final"}}}


def report(*arguments):
    return subprocess.run([WFSM, "report", *map(str, arguments)], capture_output=True, timeout=60)


def find(value, key):
    """The first value of this key, however deep."""
    if isinstance(value, dict):
        if key in value:
            return value[key]
        value = list(value.values())
    for part in value if isinstance(value, list) else []:
        found = find(part, key)
        if found is not None:
            return found
    return None


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.store = self.folder / "runs.db"
        make_run(self.store)

    def page(self, *options):
        done = report(*options, self.store, "r/1 <i>")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode("utf-8")

    def test_it_is_whole_and_stands_alone(self):
        text = self.page()
        page = Page(text)
        self.assertEqual([], page.problems)
        self.assertNotIn("script", [name for name, _ in page.elements])
        for _, attributes in page.elements:
            self.assertFalse([key for key in attributes if key.startswith("on")])
            for key in ("src", "href"):
                self.assertTrue(attributes.get(key, "#").startswith("#"), attributes)
        self.assertNotRegex(text, r"https?://|url\(|@import")
        self.assertIn(HOSTILE.replace("\u0007", "\\u0007").split(" \"")[0], page.text())

    def test_the_chart_marks_what_was_visited_and_what_is_active(self):
        boxes = Page(self.page()).classes("rect")
        # work, build, code, coding, docs, writing are active; plan, coded, written, review were.
        self.assertEqual(6, boxes.count("state now"))
        self.assertEqual(4, boxes.count("state seen"))
        self.assertEqual(2, boxes.count("state"))
        # plan→build, coding→coded, writing→written, build→review, review→plan
        self.assertEqual(5, Page(self.page()).classes("path").count("edge taken"))

    def test_work_has_its_attempts_and_bars(self):
        page = Page(self.page())
        self.assertRegex(page.text(), r"coder r/1 <i>/3/1 work\.build\.code\.coding 1\.2 s "
                                      r"2 after network done")
        self.assertEqual(1, page.classes("rect").count("bar failed"))
        self.assertEqual(4, page.classes("rect").count("bar"))

    def test_steps_tell_what_changed(self):
        text = Page(self.page()).text()
        self.assertIn("network: unplugged <b>", text)
        self.assertRegex(text, r'text "plan A & B" "plan B"')
        self.assertIn("event revise", text)
        self.assertIn("before plan B", text)

    def test_people_and_tokens(self):
        store = wfsm.sqlite(str(self.folder / "ask.db"))
        i = wfsm.Instance.start(wfsm.Machine.load(ASKING), store, "a", now=1000)
        i.claim("a/1/1", "me", now=1001)
        i.fail("a/1/1", "schema", "no JSON", now=1002, usage={"tokens": 5})
        i.claim("a/1/1", "me", now=5000)
        i.result("a/1/1", {}, now=6000, usage={"tokens": 7})
        asked = json.loads(subprocess.run([WFSM, "approvals", "--json", self.folder / "ask.db"],
                                          capture_output=True, check=True).stdout)
        vote = {"invocation": find(asked, "id"), "digest": find(asked, "digest"),
                "decision": "approve"}
        i.send("wfsm.approval", {**vote, "by": "ada", "reason": "looks <fine>"}, now=7000)
        i.send("wfsm.approval", {**vote, "by": "ada"}, now=7001)
        i.send("wfsm.approval", {**vote, "by": "bob"}, now=7002)
        done = report(self.folder / "ask.db", "a")
        page = Page(done.stdout.decode())
        self.assertEqual([], page.problems)
        self.assertRegex(page.text(), r"ada approve looks <fine> counted .*ada approve twice "
                                      r".*bob approve decided")
        self.assertIn('"tokens": 12', page.text())
        self.assertRegex(page.text(), r"person \S+ asking 0 ms 0 decided")

    def test_fewer_steps(self):
        page = Page(self.page("--steps", "2"))
        rows = [a["id"] for name, a in page.elements if name == "tr" and "id" in a]
        self.assertEqual(["r12", "r13"], rows)
        self.assertIn("before revision 12 are left out", page.text())
        self.assertIn("2 after network", page.text())

    def test_bad_requests(self):
        self.assertEqual(64, report(self.store).returncode)
        self.assertEqual(64, report("--steps", "few", self.store, "x").returncode)
        self.assertEqual(1, report(self.store, "nobody").returncode)
        (self.folder / "no.db").write_bytes(b"no store")
        self.assertEqual(1, report(self.folder / "no.db", "x").returncode)

    def test_a_browser_lays_it_out(self):
        browser = shutil.which("chromium") or shutil.which("chromium-browser")
        if not browser:
            self.skipTest("no chromium")
        path = self.folder / "run.html"
        path.write_text(self.page(), encoding="utf-8")
        done = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             f"--user-data-dir={self.folder / 'c'}",
             path.as_uri()], capture_output=True, timeout=60)
        self.assertEqual(0, done.returncode, done.stderr[-500:])
        # What a browser made of it is what was written: no tag was repaired or dropped.
        seen, written = Page(done.stdout.decode("utf-8")), Page(self.page())
        for tag in ("svg", "rect", "path", "text", "tr", "td", "details", "dl"):
            self.assertEqual(len(written.classes(tag)), len(seen.classes(tag)), tag)


if __name__ == "__main__":
    WFSM = sys.argv.pop(1)
    unittest.main()
