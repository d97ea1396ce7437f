"""Text is text: whatever a field contains, it cannot act on a terminal or become markup of a page.

usage: test_text.py WFSM [HOST…]

Every character that has to be escaped is put into every field of a document and of a store. Then every
command that `--help` names, with every option that its help names, is run over them, and so is every
command of the hosts. The commands and options are found here, so that a new one is tried without being
added.
"""
import html
import itertools
import json
import re
import subprocess
import sys
import tempfile
import unicodedata
import unittest
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python"))
import wfsm  # noqa: E402

WFSM = None
HOSTS = []
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
MARKUP = "<b x=\"'&>"


def is_bad(char):
    """As Unicode has it: controls, what turns text around, and separators of lines."""
    return (unicodedata.category(char) in ("Cc", "Zl", "Zp")
            or unicodedata.bidirectional(char) in BIDI or char in "\u061c\u200e\u200f")


BAD = [chr(code) for code in range(1, 0x110000)
       if not 0xD800 <= code < 0xE000 and is_bad(chr(code))]
EVIL = "".join(BAD) + MARKUP + "\nFORGED"


def document(evil):
    """Every field that is a name or a text of its author's."""
    note = {"type": "assign", "params": {"k" + evil: {"var": "event.data"}}}
    return {
        "id": "m" + evil, "version": "v" + evil, "initial": "s" + evil, "description": "d" + evil,
        "context": {"k" + evil: "c" + evil}, "meta": {"x" + evil: "y" + evil},
        "budgets": {"b" + part.replace(".", ""): {"limit": 5, "counts": "usage"}
                    for part in chunks(evil, 15)},
        "states": {
            "s" + evil: {
                "tags": ["t" + "".join(char for char in evil if char > " ")], "description": "d" + evil,
                "invoke": {"id": "i" + evil, "src": "a" + evil, "input": {"q" + evil: "r" + evil},
                           "onDone": {"target": "p" + evil, "actions": [note]},
                           "onError": {"target": "p" + evil, "actions": [note]}},
                "on": {"e" + evil: {"target": "p" + evil, "description": "n" + evil, "guard": {
                    "==": [{"var": "event.data"}, "g" + evil]}, "actions": [
                        note, {"type": "emit", "params": {"event": "f" + evil, "data": evil}}]},
                       "other" + evil: {"guard": "guard" + evil, "actions": [note, "action" + evil]},
                       "always" + evil: {"actions": [
                           {"type": "emit", "params": {"event": "f" + evil, "data": {evil: evil}}},
                           {"type": "raise", "params": {"event": "raised" + evil, "data": evil}}]}},
                "after": {"9000": {"target": "p" + evil, "description": "after" + evil}}},
            "p" + evil: {"invoke": {"id": "w" + evil, "src": "person", "input": {
                             "what": "w" + evil, "quorum": 2, "people": ["u" + evil, "u2" + evil]},
                             "onDone": "z" + evil},
                         "on": {"stay" + evil: {"actions": [note]}}},
            "z" + evil: {"type": "final", "output": {evil: evil}}},
        "properties": {"o" + evil: {"description": "d" + evil, "never": {"in_state": "s" + evil}},
                       "q" + evil: {"reachable": {"in_state": "z" + evil}}}}


def functions(own):
    made = wfsm.Functions()
    made.guard("guard" + own)(lambda call: True)
    made.action("action" + own)(lambda call: None)
    return made


def make_store(path, evil, own, machine):
    """An instance with history: events, a failure, a vote, checkpoints, posts, an ended one."""
    store = wfsm.sqlite(str(path))
    name = "n" + evil
    i = wfsm.Instance.start(machine, store, name, {}, functions=functions(own), now=1000)
    i.send("always" + own, {"v" + evil: evil}, now=1050, id="effects" + evil, sender="sender" + evil)
    i.send("other" + own, evil, now=1060)
    work = i.invocations[0]["id"]
    i.claim(work, "o" + evil, now=1100)
    i.fail(work, "other", "why" + evil, now=1200, usage={"b" + evil[:40].replace(".", ""): 1})
    i.checkpoint("cp" + evil, ["file" + evil], now=1300)
    i.send("stay" + own, {"v" + evil: evil}, now=1400, id="id" + evil)
    asked = i.invocations[0]
    i.approve(asked["id"], by="u" + own, digest=asked["digest"], reason="because" + evil, now=1500)
    i.approve(asked["id"], by="nobody" + evil, digest=asked["digest"], reason=evil, now=1600)
    store.post(name, "e" + evil, {"v": evil}, id="po" + evil, sender="poster" + evil)
    store.approve(name, asked["id"], by="voter" + evil, digest=asked["digest"], reason=evil)
    return name


class Everything(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="wfsm-text-")
        cls.path = Path(cls.scratch.name)
        cls.evil = EVIL.replace("/", "")
        short = "".join(BAD)[:60] + MARKUP + "\nFORGED"
        cls.own = short
        whole = document(short)
        cls.machine = wfsm.Machine.load(whole)
        cls.file = cls.path / "m.json"
        cls.file.write_text(json.dumps(whole))
        cls.wrong = cls.path / ("wrong" + short.replace("/", "") + ".json")
        cls.wrong.write_text(json.dumps({"id": "x", "initial": "i" + short,
                                         "states": {"a": {"on": {"e": "t" + short}}}}))
        cls.ids = [make_store(cls.path / "s.db", part + "\nFORGED", short, cls.machine)
                   for part in ("".join(chunk) for chunk in chunks(BAD, 30))]

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def check(self, words, done):
        for stream in (done.stdout, done.stderr):
            text = stream.decode("utf-8")  # and it is UTF-8
            found = {ascii(c) for c in text if is_bad(c) and c not in "\n\t"}
            self.assertFalse(found, f"{ascii(words)[:300]}: {ascii(text)[:800]}")
            if not text.startswith("<!DOCTYPE"):  # where a line break is a blank
                self.assertFalse([line for line in text.split("\n") if line.startswith("FORGED")],
                                 f"{ascii(words)[:300]}: {ascii(text)[:800]}")

    def run_it(self, program, *words):
        done = subprocess.run([program, *map(str, words)], cwd=self.path, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=120, check=False)
        self.check(words, done)
        return done

    def help_of(self, program, *words):
        return subprocess.run([program, *words, "--help"], capture_output=True, text=True,
                              check=False).stdout

    def options_of(self, text):
        """[[]] and what the help names: flags alone, values with each word that stands for one."""
        found = [[]]
        for name, value in re.findall(r"^ +(--[\w-]+)(?:[ =]([\w|-]+))?  ", text, re.M):
            if name in ("--help", "--version", "--output", "--watch", "--follow"):  # the last two do not end
                continue
            if not value:
                found.append([name])
            elif value.islower():
                found += [[name, one] for one in value.split("|")]
            else:
                found += [[name, "x" + self.evil[-200:]], [name, "1"]]
        return found

    def operands(self):
        store = self.path / "s.db"
        evil = "x" + "".join(BAD) + "\nFORGED"
        for one in self.ids:
            yield [store, one]
        first = self.ids[0]
        yield from ([], [self.file], [self.wrong], [store], [evil], [store, evil],
                    [store, first, evil], [store, first, evil, evil], [store, first, 1, 2],
                    [store, f"{first}/1/1", "0" * 64], [self.file, self.file])

    def test_every_command_with_every_option(self):
        commands = re.findall(r"^  ([a-z][\w-]+) +\S", self.help_of(WFSM), re.M)
        self.assertGreater(len(commands), 18)
        for command in commands:
            if command in ("tail", "serve"):  # they do not end
                continue
            options = self.options_of(self.help_of(WFSM, command))
            if command == "wait":
                options = [["--timeout", "1", *option] for option in options]
            if command == "crash-test":  # runs for long
                options = options[:1]
            for words, option in itertools.chain(
                    itertools.product(self.operands(), options[:1]),
                    itertools.product([[], [self.file], [self.path / "s.db"], [self.path / "s.db", self.ids[0]],
                                       [self.file, self.path / "s.db"]], options[1:])):
                self.run_it(WFSM, command, *option, *words)

    def test_the_fields_are_there(self):
        """Otherwise nothing would have been tested. The other tests change their store."""
        store = self.path / "fresh.db"
        one = make_store(store, "".join(BAD[:30]) + "\nFORGED", self.own, self.machine)
        shown = self.run_it(WFSM, "show", store, one).stdout.decode()
        for mark in ("n\\u0001", "m\\u0001", "p\\u0001", "cp\\u0001", "po\\u0001", "k\\u0001"):
            self.assertIn(mark, shown)
        journal = self.run_it(WFSM, "journal", store, one).stdout.decode()
        self.assertIn("p\\u0001", journal)
        whole = self.run_it(WFSM, "journal", "--json", store, one).stdout.decode()
        for mark in ("why", "because", "sender", "f", "file", "id", "effects", "o", "u", "nobody"):
            self.assertIn(f'"{mark}\\u0001', whole)
        said = self.run_it(WFSM, "verify", self.file).stdout.decode()
        for mark in ("o", "q"):
            self.assertIn(f"{mark}\\u0001", said)

    def test_tail(self):
        store = self.path / "tail.db"
        one = make_store(store, "".join(BAD[:30]) + "\nFORGED", self.own, self.machine)
        for option in [], ["--json"]:
            words = [WFSM, "tail", "--last", "3", *option, store, one]
            with subprocess.Popen(words, stdout=subprocess.PIPE) as running:
                lines = b"".join(running.stdout.readline() for _ in range(3))
                running.kill()
            self.assertEqual(lines.count(b"\n"), 3)
            self.check(words, subprocess.CompletedProcess(words, 0, lines, b""))

    def test_lines_of_simulate(self):
        lines = "\n".join(json.dumps({"event": "e" + part, "data": part, "id": part})
                          for part in BAD + [self.evil])
        done = subprocess.run([WFSM, "simulate", str(self.file)], input=lines.encode(),
                              capture_output=True, timeout=120, check=False)
        self.check(["simulate"], done)

    def test_pages(self):
        for one in self.ids:
            page = self.run_it(WFSM, "report", self.path / "s.db", one).stdout.decode()
            self.assertIn("</html>", page)
            self.assertFalse({c for c in html.unescape(page) if is_bad(c) and c not in "\n\t"})
            self.assertEqual(tags_named(page, "b"), 0, "markup of a field became markup")

    def test_drawings(self):
        for form in ("mermaid", "dot"):
            out = self.path / f"drawn.{form}"
            self.run_it(WFSM, "graph", "--format", form, "--output", out, self.file)
            text = out.read_text()
            self.assertFalse({ascii(c) for c in text if is_bad(c) and c not in "\n\t"}, form)
            self.assertIn("FORGED", text)
            for unescaped in (text, html.unescape(re.sub(r"#(\d+);", r"&#\1;", text))):
                self.assertFalse({c for c in unescaped if is_bad(c) and c not in "\n\t"}, form)

    def test_hosts(self):
        """What they are asked for, and names of files that are not there."""
        evil = "x" + "".join(BAD) + "\nFORGED"
        for host in HOSTS:
            text = self.help_of(host)
            commands = set(re.findall(r"^(?:usage:)? +" + Path(host).name + r" ([a-z][\w-]*)", text, re.M))
            commands |= set(re.findall(r"^  ([a-z][\w-]+) +\S", text, re.M))
            self.assertGreater(len(commands), 5, host)
            for command in sorted(commands) + [evil, "--" + evil]:
                self.run_it(host, command)
                self.run_it(host, command, evil)
                self.run_it(host, command, evil, evil)
                for option in self.options_of(text)[1:]:
                    self.run_it(host, command, option[0], evil, evil)


class Function(unittest.TestCase):
    """wfsm_text_escape() itself, on every character."""

    def test_every_character(self):
        for code in range(0, 0x110000):
            if 0xD800 <= code < 0xE000:
                continue
            char = chr(code)
            with self.subTest(code=hex(code)):
                line = wfsm.escape_text(char)
                if is_bad(char):
                    self.assertEqual(line, f"\\u{code:04x}")
                elif code != 0xFFFD and not 0x206A <= code <= 0x206F:
                    self.assertEqual(line, char)

    def test_forms(self):
        self.assertEqual(wfsm.escape_text("a\n\t\x1b<", "text"), "a\n\t\\u001b<")
        self.assertEqual(wfsm.escape_text("a\n\u202e<&>\"'", "html"),
                         "a\n\\u202e&lt;&amp;&gt;&quot;&#39;")
        self.assertEqual(wfsm.escape_text(b"\x9b\xc3(\xed\xa0\x80"), "\\ufffd\\ufffd(" + "\\ufffd" * 3)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.names = []

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)


def tags_named(page, name):
    parser = Tags()
    parser.feed(page)
    return parser.names.count(name)


def chunks(items, size):
    return [items[at:at + size] for at in range(0, len(items), size)]


if __name__ == "__main__":
    WFSM = str(Path(sys.argv[1]).resolve())
    HOSTS = [str(Path(one).resolve()) for one in sys.argv[2:]]
    unittest.main(argv=sys.argv[:1])
