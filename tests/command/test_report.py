"""`wfsm report`: a self-contained page that shows a run and has no scripts.

usage: test_report.py WFSM
The run is made through the Python package (WFSM_LIBRARY, WFSM_SQLITE_LIBRARY). If Chromium is
installed, it also lays out the page.
"""
import collections
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
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


def named(instance, name):
    """The outstanding invocation INSTANCE/REVISION/ORDINAL."""
    return next(one["id"] for one in instance.invocations
                if re.sub(r"-[0-9]+$", "", one["id"]) == name)


def work(instance, name, now, failing=None, output=None):
    invocation = named(instance, name)
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


ASKING = {"id": "ask", "initial": "draft", "context": {"text": "none yet"}, "states": {
    "draft": {"invoke": {"src": "model", "onError": "no", "onDone": {
                             "target": "asking", "actions": {"type": "assign", "params": {
                                 "text": {"var": "event.data.text"}}}},
                         "retry": [{"errors": ["schema"]}]}},
    "asking": {"invoke": {"src": "person", "input": {"what": "Ship?", "quorum": 2},
                          "onDone": [{"guard": {"var": "event.data.approved"}, "target": "yes"},
                                     {"target": "no"}]}},
    "yes": {"type": "final"}, "no": {"type": "final"}}}


def report(*arguments):
    return subprocess.run([WFSM, "report", *map(str, arguments)], capture_output=True, timeout=600)


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
        self.assertRegex(page.text(), r"coder r/1 <i>/3/1-[0-9]+ work\.build\.code\.coding 1\.2 s "
                                      r"2 after network done")
        self.assertEqual(1, page.classes("rect").count("bar failed"))
        self.assertEqual(4, page.classes("rect").count("bar"))

    def test_steps_tell_what_changed(self):
        text = Page(self.page()).text()
        self.assertIn("network: unplugged <b>", text)
        self.assertRegex(text, r'text "plan A & B" "plan B"')
        self.assertIn("event revise", text)
        self.assertIn("before plan B", text)

    def test_steps_tell_the_whole_value_of_what_changed_in_part(self):
        """Each patch gives a record another form of a change."""
        long = "an item that is too long to be written again"
        values = [{"l": [long, long], "m": {"a": long, "b": 1}},
                  {"l": [long, long, "third"], "m": {"a": long, "b": 1}},
                  {"l": [long, {"n": 1, "s": long}, "third"], "m": {"a": long, "c": 2}},
                  {"l": [long, {"n": 2, "s": long}, "third"], "m": {"a": long, "c": 2}},
                  {"l": ["first", long, {"n": 2, "s": long}, "third"], "m": {"c": 2, "a": long}}]
        path = self.folder / "parts.db"
        with wfsm.sqlite(path) as store:
            machine = wfsm.Machine.load({"id": "m", "initial": "a", "states": {"a": {}}})
            with wfsm.Instance.start(machine, store, "one", {"v": values[0]}, now=0) as one:
                for now, value in enumerate(values[1:], 1):
                    one.patch({"v": value}, now=now)
            self.assertEqual([["changed" in r.data] for r in store.records("one")][1:],
                             [[True]] * 4)
        text = Page(report(path, "one").stdout.decode("utf-8")).text()
        for value in values:
            self.assertIn(re.sub(r"\s", "", json.dumps(value)), re.sub(r"\s", "", text))

    def asking(self):
        """A page with attempts, tokens, people, a checkpoint and a context that changes."""
        path = self.folder / "ask.db"
        store = wfsm.sqlite(str(path))
        i = wfsm.Instance.start(wfsm.Machine.load(ASKING), store, "a", now=1000)
        draft = named(i, "a/1/1")
        i.claim(draft, "me", now=1001)
        i.fail(draft, "schema", "no JSON", now=1002, usage={"tokens": 5})
        i.claim(draft, "me", now=5000)
        i.result(draft, {"text": "a <draft>"}, now=6000, usage={"tokens": 7})
        i.checkpoint("before the vote", ["draft.txt"], now=6500)
        asked = json.loads(subprocess.run([WFSM, "approvals", "--json", path],
                                          capture_output=True, check=True).stdout)
        vote = {"invocation": find(asked, "id"), "digest": find(asked, "digest")}
        i.approve(**vote, by="ada", reason="looks <fine>", now=7000)
        i.approve(**vote, by="ada", now=7001)
        i.approve(**vote, by="bob", now=7002)
        done = report(path, "a")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode("utf-8")

    def tells_all(self, page):
        """Retries, tokens, approvals, checkpoints, the context before and after."""
        self.assertRegex(page.text(), r"ada approve looks <fine> counted .*ada approve twice "
                                      r".*bob approve decided")
        self.assertRegex(page.text(), r"model a/1/1-[0-9]+ draft 1\.0 s 2 after schema done")
        self.assertIn("schema: no JSON", page.text())
        self.assertIn('"tokens": 12', page.text())
        self.assertRegex(page.text(), r"person \S+ asking 1\.0 s 0 decided")
        self.assertRegex(page.text(), r"Checkpoints .* before the vote \d+ .*draft\.txt")
        self.assertIn('text "none yet" "a <draft>"', page.text())
        self.assertRegex(page.text(), r'Context \{ "text": "a <draft>" \}$')

    def test_people_and_tokens(self):
        page = Page(self.asking())
        self.assertEqual([], page.problems)
        self.tells_all(page)

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

    def browse(self, text, *how):
        browser = shutil.which("chromium") or shutil.which("chromium-browser")
        if not browser:
            self.skipTest("no chromium")
        path = self.folder / "run.html"
        path.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             *how, f"--user-data-dir={self.folder / 'c'}", path.as_uri()],
            capture_output=True, timeout=600)
        self.assertEqual(0, done.returncode, done.stderr[-500:])
        return done.stdout.decode("utf-8")

    def test_a_browser_lays_it_out(self):
        """What a browser made of it is what was written: no tag was repaired or dropped."""
        for text in (self.page(), self.asking()):
            seen, written = Page(self.browse(text, "--dump-dom")), Page(text)
            for tag in ("svg", "rect", "path", "text", "tr", "td", "details", "dl"):
                self.assertEqual(len(written.classes(tag)), len(seen.classes(tag)), tag)
            self.assertEqual(written.text(), seen.text())
        self.tells_all(seen)

    def test_a_browser_draws_it(self):
        """What is active is amber, what was visited green, and failed bars are there."""
        picture = self.folder / "run.png"
        self.browse(self.page(), f"--screenshot={picture}", "--window-size=1200,1600")
        colours = pixels(picture.read_bytes())
        for name, most in (("now", 500), ("seen", 500), ("seen-line", 200), ("bad", 10)):
            colour = re.search(f"--{name}:#([0-9a-f]{{6}})", self.page()).group(1)
            self.assertGreater(colours[bytes.fromhex(colour)], most, name)


def pixels(png):
    """How many of each colour: of a PNG with 8 bits for each of three or four channels."""
    at, data, width, channels = 8, b"", 0, 0
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IHDR":
            width, _, depth, colours = struct.unpack(">IIBB", png[at + 8:at + 18])
            channels = {2: 3, 6: 4}[colours]
            assert depth == 8
        elif kind == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += length + 12
    data, row, counts = zlib.decompress(data), bytearray(width * channels), collections.Counter()
    for start in range(0, len(data), width * channels + 1):
        line = bytearray(data[start + 1:start + 1 + width * channels])
        unfilter(data[start], line, row, channels)
        row = line
        counts.update(bytes(line[i:i + 3]) for i in range(0, len(line), channels))
    return counts


def unfilter(kind, line, above, step):
    for i, value in enumerate(line):
        left, up = line[i - step] if i >= step else 0, above[i]
        corner = above[i - step] if i >= step else 0
        line[i] = (value + (0, left, up, (left + up) // 2, paeth(left, up, corner))[kind]) & 255


def paeth(left, up, corner):
    guess = left + up - corner
    return min((abs(guess - left), 0, left), (abs(guess - up), 1, up),
               (abs(guess - corner), 2, corner))[2]


if __name__ == "__main__":
    WFSM = sys.argv.pop(1)
    unittest.main()
