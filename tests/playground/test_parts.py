"""What the page is made of, without WebAssembly and without a browser: the commands chart and state, and
completion (under node, where there is one).

usage: test_parts.py WFSM-PLAYGROUND ROOT
"""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PLAYGROUND = ROOT = None
GOOD = {"id": "m", "initial": "a", "states": {"a": {"on": {"GO": "b"}, "after": {"5": "b"}}, "b": {"invoke": {"src": "x"}}}}
HOST = {"id": "m", "initial": "a", "states": {"a": {"on": {"GO": {"guard": "may", "actions": "count", "target": "b"}}}, "b": {}}}

# The text with the cursor (|), and what is offered first, all of it, or not at all.
OFFERS = [
    ('{|', {"among": ["type", "id", "states"]}),
    ('{"id":"m","|"}', {"among": ["states"], "not": ["id"]}),
    ('{"id":"m","st|', {"first": "states"}),
    ('{"id":"m", "in|, "states": {}}', {"among": ["initial"], "not": ["states"]}),
    ('{"states":{"a":{"type":"|"}}}', {"all": ["atomic", "compound", "parallel", "final", "history"]}),
    ('{"states":{"a":{"type":"final","|"}}}', {"among": ["output"], "not": ["on", "type"]}),
    ('{"initial":"|","states":{"a":{},"b":{}}}', {"all": ["a", "b"]}),
    ('{"states":{"a":{"on":{"GO":"|"}},"b":{"states":{"c":{}}}}}', {"all": ["a", "b", "b.c"]}),
    ('{"states":{"a":{"on":{"GO":{"|"}},"b":{}}}', {"among": ["target", "guard", "actions"]}),
    ('{"states":{"a":{"invoke":{"src":"x",|}}}}', {"among": ["input", "onDone"], "not": ["src"]}),
    ('{"states":{"a":{"invoke":{"src":"x", "onUnknown": |}}}}', {"all": ["reattach", "retry", "escalate"]}),
    ('{"states":{"a":{"entry":[{"type":"|"}]}}}', {"among": ["assign", "raise", "emit"]}),
    ('{"properties":{"x":{"|', {"among": ["never", "leadsTo"]}),
    ('{"id": "m|"}', {"all": []}),
    ('|', {"all": []}),
]
SCRIPT = """
import fs from "node:fs";
import { placeIn } from "./json.mjs";
import { offersAt } from "./complete.mjs";
const schema = JSON.parse(fs.readFileSync(process.argv[2])), texts = JSON.parse(fs.readFileSync(process.argv[3]));
const offers = (text, at) => { const place = placeIn(text, at); return place ? offersAt(place, schema).map(one => one.label) : []; };
let tried = 0;
for (const text of texts.whole)
  for (let at = 0; at <= text.length; at += 7, tried += 2) {
    offers(text, at);
    offers(text.slice(0, at), at);
  }
console.log(JSON.stringify({ tried, offers: texts.cursors.map(one => offers(one.replace("|", ""), one.indexOf("|"))) }));
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "m.json"

    def run_command(self, *arguments, document=GOOD, lines=()):
        self.file.write_text(json.dumps(document) if isinstance(document, dict) else document, encoding="utf-8")
        return subprocess.run([PLAYGROUND, *arguments], input="".join(json.dumps(one) + "\n" for one in lines),
                              capture_output=True, text=True, timeout=600)


class Commands(Folder):
    def test_chart(self):
        done = self.run_command("chart", self.file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("<svg ", done.stdout)
        for state in GOOD["states"]:
            self.assertIn(f'data-state="{state}"', done.stdout)
        self.assertEqual(self.run_command("chart", self.file, document="{").returncode, 1)
        for wrong in ((), (self.file, self.file), ("--nothing", self.file)):
            self.assertEqual(self.run_command("chart", *wrong).returncode, 64, wrong)

    def test_state(self):
        done = self.run_command("state", self.file, lines=[{"start": None}])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        state = json.loads(done.stdout)
        self.assertEqual((state["events"], state["invocations"], len(state["timers"]), state["host"]), (["GO"], [], 1, []))
        state = json.loads(self.run_command("state", self.file, lines=[{"start": None}, {"advance": 5}, {"fire": True}]).stdout)
        self.assertEqual([one["src"] for one in state["invocations"]], ["x"])
        done = self.run_command("state", self.file, document=HOST, lines=[{"start": None}, {"event": "GO", "host": [True, {}]}])
        self.assertEqual(json.loads(done.stdout)["host"], ["may", "count"])

    def test_lines_that_are_none(self):
        for lines in ([], [{"event": "GO"}], [{"start": None}, {"start": None}], [{"start": None}, {"nothing": 1}], [{"start": 1}]):
            self.assertEqual(self.run_command("state", self.file, lines=lines).returncode, 2, lines)
        self.assertEqual(self.run_command("state", self.file, document="{", lines=[{"start": None}]).returncode, 1)
        self.assertEqual(self.run_command("state").returncode, 64)

    def test_only_these_commands(self):
        self.assertEqual(self.run_command("list", self.file).returncode, 64)
        self.assertIn("cannot watch", self.run_command("verify", "--watch", self.file).stderr)
        for name in ("chart", "state"):
            self.assertIn("Exit codes: 0 ", self.run_command(name, "--help").stdout)


@unittest.skipUnless(shutil.which("node"), "no node here")
class Completion(Folder):
    def test_offers(self):
        for name in ("json", "complete"):
            shutil.copy(ROOT / f"cmd/playground/{name}.js", self.folder / f"{name}.mjs")
        (self.folder / "run.mjs").write_text(SCRIPT, encoding="utf-8")
        whole = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/cases/machine").glob("*.json"))]
        texts = {"whole": whole, "cursors": [text for text, _ in OFFERS]}
        (self.folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
        done = subprocess.run(["node", "run.mjs", ROOT / "doc/machine.schema.json", "texts.json"], cwd=self.folder,
                              capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertGreater(found["tried"], 1000)
        for (text, expected), offers in zip(OFFERS, found["offers"]):
            with self.subTest(text, offers=offers):
                self.assertLessEqual(set(expected.get("among", ())), set(offers))
                self.assertFalse(set(expected.get("not", ())) & set(offers))
                self.assertEqual(offers, expected.get("all", offers))
                self.assertEqual(offers[:1], [expected["first"]] if "first" in expected else offers[:1])


if __name__ == "__main__":
    PLAYGROUND, ROOT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
