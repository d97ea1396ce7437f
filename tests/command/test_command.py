"""The command wfsm from outside: outputs, exit codes, bad input.

usage: test_command.py WFSM COMMAND-STORE
"""
import contextlib
import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WFSM = STORE_MAKER = None

GOOD = {"id": "m", "initial": "a", "states": {"a": {"on": {"go": "b"}}, "b": {"on": {"back": "a"}}}}
FIRST = b'{"event": "go"}\n'


def run(*arguments, data=b"", **more):
    return subprocess.run([WFSM, *map(str, arguments)], input=data, capture_output=True,
                          timeout=600, **more)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, content, name="m.json"):
        path = self.folder / name
        text = content if isinstance(content, (str, bytes)) else json.dumps(content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


class Usage(Folder):
    COMMANDS = ["check", "graph", "simulate", "list", "show", "journal", "audit", "checkpoint", "checkpoints",
                "restore", "fork", "diff", "migrate", "crash-test", "report", "store", "start", "work", "agents"]

    def test_help_names_all_commands(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for command in self.COMMANDS:
            self.assertIn(f"  {command} ", done.stdout.decode())

    def test_each_command_has_help_with_exit_codes(self):
        for command in self.COMMANDS:
            done = run(command, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertRegex(done.stdout.decode(), rf"^usage: wfsm {command} ")
            self.assertIn("Exit codes: 0 ", done.stdout.decode())

    def test_version(self):
        self.assertRegex(run("--version").stdout.decode(), r"^wfsm \d+\.\d+\.\d+\n$")

    def test_misuse_exits_with_64_and_says_why(self):
        machine = self.file(GOOD)
        for arguments in [
            [], ["frobnicate"], ["--frobnicate"], ["check"], ["check", "--format"], ["graph"],
            ["graph", machine, machine], ["graph", "--format", "svg", machine],
            ["graph", machine, "--format"], ["check", "--json=1", machine],
            ["simulate"], ["simulate", "-"], ["simulate", machine, machine],
            ["simulate", machine, "--guard", "x"], ["simulate", machine, "--guard", "x=maybe"],
            ["simulate", machine, "--guard", "=true"], ["simulate", machine, "--action", "x=[]"],
            ["simulate", machine, "--action", "x={"], ["simulate", machine, "--action", "x={}", "--action=x={}"],
            ["list"], ["list", "a", "b"], ["show"], ["show", "a"], ["show", "a", "b", "c"],
            ["journal", "a"], ["journal", "--all", "a", "b"], ["audit"], ["audit", "a", "b", "c"],
        ]:
            done = run(*arguments)
            self.assertEqual(done.returncode, 64, arguments)
            self.assertEqual(done.stdout, b"", arguments)
            self.assertRegex(done.stderr.decode(), r"^wfsm: .*\n$", arguments)

    def test_a_full_disk_is_told(self):
        machine = self.file(GOOD)
        with open("/dev/full", "wb") as full:
            for arguments in [["--help"], ["graph", machine], ["simulate", machine]]:
                done = subprocess.run([WFSM, *arguments], stdin=subprocess.DEVNULL, stdout=full,
                                      stderr=subprocess.PIPE, timeout=600)
                self.assertEqual(done.returncode, 1, arguments)
                self.assertIn(b"cannot write", done.stderr)

    def test_a_closed_standard_output_is_told(self):
        machine = self.file(GOOD)
        for line in [f"'{WFSM}' --version >&-", f"'{WFSM}' simulate '{machine}' </dev/null >&-"]:
            done = subprocess.run(["/bin/sh", "-c", line], stderr=subprocess.PIPE, timeout=600)
            self.assertEqual(done.returncode, 1, line)
            self.assertIn(b"cannot write", done.stderr)


class Check(Folder):
    BAD = '{"id": "m", "initial": "a",\n "states": {"a": {"on": {"x": "nowhere"},\n  "colour": 1}}}'
    LINE = re.compile(r"^(.+):(\d+):(\d+): (error|warning): (.+) \[([a-z-]+)\]$")

    def test_a_good_file_says_nothing(self):
        done = run("check", self.file(GOOD))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_errors_with_places_and_rules(self):
        path = self.file(self.BAD)
        done = run("check", path)
        found = [self.LINE.match(line).groups() for line in done.stdout.decode().splitlines()]
        self.assertEqual(done.returncode, 1)
        self.assertEqual([(row[0], row[1], row[3], row[5]) for row in found],
                         [(str(path), "2", "error", "unknown-target"), (str(path), "3", "error", "unknown-key")])

    def test_a_warning_is_no_error(self):
        path = self.file({"id": "m", "initial": "a", "states": {"a": {"on": {"x": "a"}}, "lost": {"on": {"x": "a"}}}})
        done = run("check", path)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout.decode(), r"warning: .*\[unreachable-state\]\n$")

    def test_several_files_and_one_that_is_not_there(self):
        done = run("check", self.file(GOOD), self.folder / "none", self.file(self.BAD, "bad.json"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), r"^wfsm: .*none: No such file or directory\n$")
        self.assertEqual(len(done.stdout.splitlines()), 2)

    def test_a_folder_is_no_file(self):
        self.assertEqual(run("check", self.folder).returncode, 1)

    def test_standard_input(self):
        done = run("check", "-", data=b'{"id": "m"')
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout.decode(), r"^-:1:\d+: error: .* \[syntax\]\n$")

    def test_json(self):
        good = run("check", "--json", self.file(GOOD))
        self.assertEqual((good.returncode, json.loads(good.stdout)), (0, []))
        path = self.file(self.BAD, "bad.json")
        bad = run("check", path, "--json")
        self.assertEqual(bad.returncode, 1)
        first = json.loads(bad.stdout)[0]
        self.assertEqual(list(first), ["file", "line", "column", "severity", "message", "rule", "pointer"])
        self.assertEqual((first["file"], first["line"], first["severity"], first["rule"], first["pointer"]),
                         (str(path), 2, "error", "unknown-target", "/states/a/on/x"))

    def test_not_json_not_utf8_empty(self):
        for content in [b"", b"\xff\xfe", b"[]", b"{", b'{"id": "m", "id": "m"}', b"\x00", b"[" * 100000]:
            done = run("check", self.file(content))
            self.assertEqual(done.returncode, 1, content[:20])
            self.assertRegex(done.stdout.decode(), r": error: ")


class Graph(Folder):
    NESTED = {"id": "m", "initial": "a", "states": {
        "a": {"initial": "b", "on": {"go \"x\"": "p"}, "states": {"b": {}, "h": {"type": "history", "target": "b"}}},
        "p": {"type": "parallel", "states": {"r": {}, "s": {"initial": "t", "states": {"t": {"type": "final"}}}},
              "on": {"in": ".s.t", "back": "a.h"}}}}

    def test_mermaid_is_the_default(self):
        done = run("graph", self.file(self.NESTED))
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.startswith(b"stateDiagram-v2\n"))
        self.assertEqual(done.stdout, run("graph", "--format=mermaid", self.file(self.NESTED)).stdout)

    @unittest.skipUnless(shutil.which("dot"), "no dot")
    def test_dot_is_understood_by_graphviz(self):
        text = run("graph", "--format", "dot", self.file(self.NESTED)).stdout
        drawn = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, timeout=600)
        self.assertEqual((drawn.returncode, drawn.stderr), (0, b""))
        self.assertIn(b"go &quot;x&quot;", drawn.stdout)

    def test_output_and_standard_input(self):
        goal = self.folder / "out.mmd"
        done = run("graph", "-", "--output", goal, data=json.dumps(GOOD).encode())
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertTrue(goal.read_text().startswith("stateDiagram-v2\n"))
        self.assertEqual(run("graph", self.file(GOOD), "--output", self.folder / "no" / "file").returncode, 1)

    def test_a_bad_machine(self):
        done = run("graph", self.file(Check.BAD))
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertRegex(done.stderr.decode(), r"m\.json:2:\d+: error: .* \[unknown-target\]")


class Simulate(Folder):
    def lines(self, data, machine=GOOD, *options):
        done = run("simulate", self.file(machine), *options, data=data)
        return done, [json.loads(line) for line in done.stdout.splitlines()]

    def test_restore_of_a_revision(self):
        _, answers = self.lines(b'{"event": "go"}\n{"restore": 1}\n{"restore": 2}\n{"restore": 9}\n')
        self.assertEqual([a["result"] for a in answers], ["started", "taken", "taken", "taken", "failed"])
        self.assertEqual([a["revision"] for a in answers], [1, 2, 3, 4, 4])
        self.assertEqual(answers[0]["configuration"], answers[2]["configuration"])
        self.assertEqual(answers[1]["configuration"], answers[3]["configuration"])
        self.assertIn("it has 1 to 4", json.dumps(answers[4]))

    def test_blank_lines_and_a_last_line_without_an_end(self):
        done, answers = self.lines(b'\n  \t\r\n{"event": "go"}\r\n\n{"event": "back"}')
        self.assertEqual(done.returncode, 0)
        self.assertEqual([a["result"] for a in answers], ["started", "taken", "taken"])

    def test_bad_lines_are_named(self):
        for line, why in [
            (b"go", "column"), (b"{", "column"), (b"[]", "object"), (b"5", "object"), (b"null", "object"),
            (b"{}", "found none"), (b'{"event": "go", "patch": {}}', "found several"),
            (b'{"event": "go", "event": "go"}', "duplicate"),
            (b'{"event": "go", "when": 1}', '"when"'), (b'{"advance": 5, "data": 1}', '"data"'),
            (b'{"event": 5}', '"event": expected a name'), (b'{"event": ""}', "1 to 255 bytes"),
            (b'{"event": "' + b"x" * 256 + b'"}', "1 to 255 bytes"),
            (b'{"event": "go", "id": 5}', '"id"'), (b'{"event": "go", "id": ""}', '"id"'),
            (b'{"event": "go", "id": null}', '"id"'),
            (b'{"advance": "5"}', '"advance"'), (b'{"advance": -1}', '"advance"'),
            (b'{"advance": 1.5}', '"advance"'), (b'{"advance": 1e300}', '"advance"'),
            (b'{"advance": 9007199254740993}', '"advance"'),
            (b'{"patch": []}', '"patch"'), (b'{"checkpoint": 1}', '"checkpoint"'),
            (b'{"restore": ""}', '"restore"'), (b'{"restore": 0}', "a revision from 1"),
            (b'{"restore": 1.5}', '"restore"'), (b'{"done": 1}', '"done"'),
            (b'{"done": "x", "class": "other"}', '"class"'), (b'{"failed": {}}', '"failed"'),
            (b'{"failed": "x", "class": "bored"}', '"class"'), (b'{"failed": "x", "class": 1}', '"class"'),
            (b'{"failed": "x", "output": 1}', '"output"'),
            (b'{"event": "\xff"}', "decode byte"), (b'{"event": "a\\u0000b"}', "u0000"), (b"\x00", "column"),
            (b'{"event": "go"} {"event": "go"}', "column"), (b"[" * 5000, "column"),
        ]:
            done, answers = self.lines(FIRST + line + b"\n" + FIRST)
            self.assertEqual(done.returncode, 2, line[:60])
            self.assertEqual(len(answers), 2, line[:60])
            self.assertRegex(done.stderr.decode(), "^wfsm: line 2: ", line[:60])
            self.assertIn(why, done.stderr.decode(), line[:60])

    def test_the_number_counts_blank_lines(self):
        done, _ = self.lines(b"\n\n" + FIRST + b"\nx\n")
        self.assertRegex(done.stderr.decode(), "^wfsm: line 5: ")

    def test_the_clock_ends(self):
        done, answers = self.lines(b'{"advance": 9007199254740991}\n{"advance": 1}\n{"advance": 1}\n')
        self.assertEqual((done.returncode, len(answers)), (2, 3))
        self.assertIn(b"line 3", done.stderr)

    def test_a_long_line(self):
        data = b'{"event": "go", "data": "' + b"x" * (3 << 20) + b'"}\n'
        done, answers = self.lines(data)
        self.assertEqual((done.returncode, answers[1]["result"]), (0, "taken"))

    def test_a_line_beyond_all_bounds(self):
        data = b'{"event": "go", "data": "' + b"x" * (64 << 20) + b'"}\n'
        done, answers = self.lines(data)
        self.assertEqual((done.returncode, len(answers)), (2, 1))
        self.assertIn(b"line 1: longer than", done.stderr)

    def test_data_that_the_library_refuses_fails_and_the_run_goes_on(self):
        done, answers = self.lines(b'{"event": "go", "data": 9007199254740993}\n{"event": "go", "data": '
                                   + b"[" * 400 + b"]" * 400 + b"}\n" + FIRST)
        self.assertEqual(done.returncode, 0)
        self.assertEqual([a["result"] for a in answers], ["started", "failed", "failed", "taken"])
        self.assertEqual([a["revision"] for a in answers], [1, 1, 1, 2])
        self.assertTrue(answers[1]["error"]["status"] and answers[1]["error"]["message"])

    def test_numbers_keep_their_digits(self):
        machine = {"id": "m", "initial": "a", "context": {}, "states": {"a": {"on": {"x": {
            "actions": {"type": "assign", "params": {"v": {"var": "event.data"}}}}}}}}
        done, _ = self.lines(b'{"event": "x", "data": [0.1, 1e21, 5e-324, 9007199254740991, 1.0, -0.0]}\n', machine)
        self.assertIn(b'"v":[0.1,1e+21,5e-324,9007199254740991,1,0]', done.stdout.replace(b" ", b""))

    def test_each_answer_is_written_at_once(self):
        with subprocess.Popen([WFSM, "simulate", str(self.file(GOOD))], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as child:
            self.assertEqual(json.loads(child.stdout.readline())["result"], "started")
            for _ in range(3):
                child.stdin.write(FIRST)
                child.stdin.flush()
                json.loads(child.stdout.readline())
            child.stdin.close()
            self.assertEqual(child.wait(timeout=600), 0)

    def test_an_endless_row_of_timers_ends_with_the_line(self):
        machine = {"id": "m", "initial": "a", "states": {"a": {"on": {
            "go": {"actions": {"type": "raise", "params": {"event": "go", "delay": 0}}}}}}}
        done, answers = self.lines(FIRST + b'{"event": "none"}\n', machine)
        self.assertEqual(done.returncode, 0)
        self.assertEqual((answers[1]["result"], answers[1]["error"]["status"]), ("taken", "LIMIT"))
        self.assertEqual(answers[1]["deadline"], 0)

    def test_timers_that_multiply_end_with_the_line(self):
        again = {"type": "raise", "params": {"event": "go", "delay": 0}}
        machine = {"id": "m", "initial": "a",
                   "states": {"a": {"on": {"go": {"actions": [again, again]}}}}}
        done, answers = self.lines(FIRST, machine)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(answers[1]["error"]["status"], "LIMIT")

    def test_a_clock_that_ticks_may_tick_more_often(self):
        machine = {"id": "m", "initial": "a", "states": {"a": {"after": {"1": {
            "target": "a", "reenter": True}}}}}
        done, answers = self.lines(b'{"advance": 20000}\n', machine)
        self.assertEqual(done.returncode, 0)
        self.assertEqual((answers[1]["result"], answers[1]["revision"]), ("taken", 20001))
        self.assertNotIn("error", answers[1])

    def test_a_file_that_is_not_there(self):
        done = run("simulate", self.folder / "none")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"No such file", done.stderr)


class StoreFolder(Folder):
    """A folder with the store of command_store.c."""

    def setUp(self):
        super().setUp()
        self.store = self.folder / "s.db"
        subprocess.run([STORE_MAKER, str(self.store)], check=True, timeout=600)

    def digest(self):
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in self.folder.iterdir()}


class Stores(StoreFolder):
    def test_list(self):
        done = run("list", self.store)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        rows = [re.split(r"  +", line.rstrip()) for line in done.stdout.decode().splitlines()]
        self.assertEqual(rows, [
            ["ID", "MACHINE", "STATE", "STATUS", "REVISION", "UPDATED", "TAGS"],
            ["one", "loop", "work.build", "running", "3", "2026-01-02T03:04:07.678Z"],
            ["three", "loop", "work.build", "running", "4", "520"],
            ["two", "loop", "end", "done", "3", "700"]])

    def test_list_by_project(self):
        """004-295"""
        for goal in ("shop/one", "shop/two", "shop2/one"):
            self.assertEqual(run("fork", self.store, "one", goal).returncode, 0)
        done = run("list", "--json", "--project", "shop", self.store)
        self.assertEqual([row["id"] for row in json.loads(done.stdout)], ["shop/one", "shop/two"])
        self.assertEqual(json.loads(run("list", "--json", "--project=none", self.store).stdout), [])
        self.assertEqual(run("list", "--project", "", self.store).returncode, 64)

    def test_list_as_json(self):
        rows = json.loads(run("list", "--json", self.store).stdout)
        self.assertEqual([row["id"] for row in rows], ["one", "three", "two"])
        self.assertEqual(rows[2], {
            "id": "two", "machine": "loop", "configuration": ["end"], "status": "done", "revision": 3,
            "created": 0, "updated": 700, "deadline": None, "owner": "", "tags": [], "attributes": {}})

    def test_show(self):
        text = run("show", self.store, "one").stdout.decode()
        for part in [r"^instance +one$", r"^machine +loop 2, fingerprint [0-9a-f]{16}…$", r"^status +running$",
                     r"^state +work\.build$", r"^revision +3$", r"^updated +2026-01-02T03:04:07\.678Z$",
                     r"^effects +1 made, 0 acknowledged$", r'^    "n": 1$', r'"src": "coder"', r"^        \{\}$|\{\}",
                     r"^checkpoints\n  before +2 +2026-01-02T03:04:06\.678Z$", r"^inbox\n  later +post-1 +2026"]:
            self.assertRegex(text, re.compile(part, re.M))

    def test_show_as_json(self):
        shown = json.loads(run("show", "--json", self.store, "one").stdout)
        self.assertEqual((shown["id"], shown["configuration"], shown["context"], shown["revision"], shown["version"]),
                         ("one", ["work.build"], {"n": 1}, 3, "2"))
        self.assertRegex(shown["invocations"][0]["id"], "^one/3/2-[0-9]+$")
        self.assertEqual(shown["invocations"][0]["input"], {"deep": [1, {}]})
        self.assertEqual(shown["checkpoints"], [
            {"id": "before", "revision": 2, "now": 1767323046678, "artifacts": []}])
        self.assertEqual([post["id"] for post in shown["inbox"]], ["post-1"])
        self.assertEqual((shown["effects"], shown["acknowledged"]), (1, 0))
        two = json.loads(run("show", self.store, "two", "--json").stdout)
        self.assertEqual((two["output"], two["status"], two["timers"]), ({"ok": True}, "done", []))

    def test_journal(self):
        rows = [re.split(r"  +", line.rstrip()) for line in run("journal", self.store, "one").stdout.decode().splitlines()]
        self.assertEqual(rows[0], ["REVISION", "TIME", "INPUT", "OUTCOME", "STATES", "CHANGES"])
        self.assertEqual([row[:5] for row in rows[1:]], [
            ["1", "2026-01-02T03:04:05.678Z", "start", "started", "→ plan"],
            ["2", "2026-01-02T03:04:06.678Z", "checkpoint before", "taken"],
            ["3", "2026-01-02T03:04:07.678Z", "event go", "taken", "plan → work.build"]])
        self.assertIn("set n; 1 timers gone; 1 invocations set; 1 effects", rows[3][5])
        text = run("journal", self.store, "two").stdout.decode()
        self.assertRegex(text, r"timer after\.500\.plan +taken +plan → work\.build")
        self.assertRegex(text, r"result two/2/1-[0-9]+ +ended +work\.build → end")

    def test_journal_of_failures(self):
        text = run("journal", self.store, "three").stdout.decode()
        self.assertRegex(text, r"failure three/2/1-[0-9]+ network +\w+ +network: no line; 1 invocations gone")
        self.assertRegex(text, r"event trip +taken +error: tripped")

    def test_journal_as_json(self):
        rows = json.loads(run("journal", "--json", self.store, "one").stdout)
        self.assertEqual([(row["revision"], row["event_id"]) for row in rows], [(1, None), (2, None), (3, "event-1")])
        self.assertEqual(rows[2]["record"]["input"], {"kind": "event", "event": "go", "id": "event-1", "data": {"by": "me"}})

    def test_audit(self):
        done = run("audit", self.store)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout.decode(), r"^3 instances, \d+ records, 3 snapshots, 1 checkpoints: 0 diagnostics\n$")
        self.assertEqual(run("audit", self.store, "none").returncode, 1)
        self.assertEqual(json.loads(run("audit", "--json", self.store, "one").stdout)["diagnostics"], [])

    def test_audit_of_a_changed_record(self):
        with contextlib.closing(sqlite3.connect(self.store)) as file:
            file.execute("UPDATE journal SET record = replace(record, '\"by\":\"me\"', '\"by\":\"we\"')")
            file.commit()
        done = run("audit", self.store)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout.decode(), r"^one: the head's token is not the digest of the last record\n")
        diagnostics = json.loads(run("audit", "--json", self.store).stdout)["diagnostics"]
        self.assertEqual([diagnostic["instance"] for diagnostic in diagnostics], ["one"] * len(diagnostics))

    def test_reading_changes_nothing(self):
        before = self.digest()
        for arguments in [["audit"], ["list"], ["show", "one"], ["journal", "two"], ["show", "none"], ["journal", "none"]]:
            run(arguments[0], self.store, *arguments[1:])
            run(arguments[0], "--json", self.store, *arguments[1:])
        after = self.digest()
        self.assertEqual({name: after.get(name) for name in before}, before)
        self.assertLessEqual(set(after) - set(before), {"s.db-wal", "s.db-shm"})

    def test_an_unknown_instance(self):
        for command in ["show", "journal"]:
            done = run(command, self.store, "none")
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertRegex(done.stderr.decode(), r"^wfsm: .*s\.db: there is no instance none\n$")

    def test_stores_that_are_none(self):
        text = self.file("no store", "text.db")
        for path in [text, self.folder / "none.db", self.folder]:
            for arguments in [["list"], ["show", "one"], ["journal", "one"]]:
                done = run(arguments[0], path, *arguments[1:])
                self.assertEqual((done.returncode, done.stdout), (1, b""), path)
                self.assertRegex(done.stderr.decode(), r"^wfsm: ")
        self.assertFalse((self.folder / "none.db").exists())

    def test_a_folder_that_cannot_be_written(self):
        if os.geteuid() == 0:
            self.skipTest("root writes everywhere")
        self.folder.chmod(0o500)
        self.addCleanup(self.folder.chmod, 0o700)
        self.assertEqual(run("list", self.store).returncode, 0)


if __name__ == "__main__":
    STORE_MAKER = sys.argv.pop()
    WFSM = sys.argv.pop()
    unittest.main(verbosity=1)
