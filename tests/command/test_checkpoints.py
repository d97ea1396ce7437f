"""The command wfsm from outside: checkpoint, checkpoints, restore, fork.

usage: test_checkpoints.py WFSM COMMAND-STORE
"""
import contextlib
import json
import os
import re
import sqlite3
import sys
import time
import unittest

import test_command
from test_command import StoreFolder, run

AFTER = 1767323050000  # later than everything in the store


def rows_of(done):
    return [re.split(r"  +", line.rstrip()) for line in done.stdout.decode().splitlines()]


def wfsm_checksum(*values):
    """What the SQLite store keeps beside what nothing else can prove."""
    total = 0xcbf29ce484222325
    for value in values:
        data = (5).to_bytes(8, "little")
        if isinstance(value, int):
            data = (1).to_bytes(8, "little") + value.to_bytes(8, "little")
        elif value is not None:
            text = value.encode()
            data = (3).to_bytes(8, "little") + len(text).to_bytes(8, "little") + text
        for byte in data:
            total = (total ^ byte) * 0x100000001b3 % 2**64
    return total % 2**63


class Checkpoints(StoreFolder):
    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def refused(self, pattern, *arguments):
        before = self.records()
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (1, b""), arguments)
        self.assertRegex(done.stderr.decode(), pattern)
        self.assertEqual(self.records(), before)

    def sql(self, *statement):
        with contextlib.closing(sqlite3.connect(self.store)) as file:
            file.create_function("wfsm_checksum", -1, wfsm_checksum)
            rows = file.execute(*statement).fetchall()
            file.commit()
        return rows

    def records(self):
        return self.sql("SELECT record FROM journal ORDER BY key")

    def clean(self):
        done = run("audit", self.store)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.sql("SELECT * FROM owner"), [])
        self.assertEqual(self.sql("SELECT id FROM instance WHERE owner <> ''"), [])

    def names(self, instance="one"):
        return [row["id"] for row in json.loads(self.fine("checkpoints", "--json", self.store, instance))]

    def test_checkpoint_with_artifacts(self):  # 004-116, 004-262
        self.assertEqual(self.fine("checkpoint", "--now", AFTER, self.store, "one", "second", "src/file1.ts", "é"),
                         "revision 4: checkpoint second at work.build\n")
        self.assertEqual(rows_of(run("checkpoints", self.store, "one")), [
            ["NAME", "REVISION", "TIME", "STATES", "ARTIFACTS"],
            ["before", "2", "2026-01-02T03:04:06.678Z", "plan"],
            ["second", "4", "2026-01-02T03:04:10.000Z", "work.build", "src/file1.ts é"]])
        self.assertEqual(json.loads(self.fine("checkpoints", "--json", self.store, "one"))[1], {
            "id": "second", "revision": 4, "now": AFTER, "configuration": ["work.build"],
            "artifacts": ["src/file1.ts", "é"]})
        self.assertEqual(json.loads(self.fine("show", "--json", self.store, "one"))["checkpoints"][1]["artifacts"],
                         ["src/file1.ts", "é"])
        self.fine("checkpoint", self.store, "one", "--", "--odd", "--name")
        self.assertEqual(self.names(), ["before", "second", "--odd"])
        self.clean()

    def test_the_clock_is_the_time(self):
        before = int(time.time() * 1000)
        self.fine("checkpoint", self.store, "one", "now")
        shown = json.loads(self.fine("checkpoints", "--json", self.store, "one"))[1]
        self.assertLessEqual(before, shown["now"])
        self.assertLessEqual(shown["now"], int(time.time() * 1000))

    def test_delete(self):
        self.assertEqual(self.fine("checkpoint", "--delete", self.store, "one", "before"),
                         "revision 4: deleted checkpoint before at work.build\n")
        self.assertEqual(self.names(), [])
        self.refused(r"^wfsm: one: .*no checkpoint 'before'", "checkpoint", "--delete", self.store, "one", "before")
        self.clean()

    def test_before_an_agent_an_event_or_a_state(self):
        document = {"wfsm": 1, "id": "m", "initial": "a", "restore": {"event": "BACK"}, "states": {
            "a": {"on": {"GO": "b"}},
            "b": {"initial": "x", "states": {"x": {"on": {"GO": "y"}}, "y": {"on": {"GO": "#c"}}}},
            "c": {"id": "c", "invoke": {"src": "reviewer"}, "on": {"GO": "a"}}}}
        self.fine("start", self.store, self.file(document, "m.json"), "named")
        for _ in range(4):
            self.fine("send", self.store, "named", "GO")  # a, b.x, b.y, c, a
        for name, states in (("reviewer", "b.y"), ("b", "a"), ("b.y", "b.x"), ("c", "b.y"), ("GO", "c")):
            said = self.fine("fork", "--before", name, self.store, "named", "before " + name)
            self.assertEqual(said, f"revision 1: before {name} at {states}\n")
        self.assertEqual(self.fine("restore", "--before", "reviewer", self.store, "named"),
                         "revision 6: restored revision 3 at b.y\n")
        for command in ["restore", "--before"], ["fork", "--before"]:
            new = ["new"] * (command[0] == "fork")
            self.refused("no agent, event or state nobody", *command, "nobody", self.store, "named", *new)
        self.refused("nothing is before a", "fork", "--before", "a", self.store, "before b", "new")
        self.clean()

    def test_before_an_event_that_a_state_has_raised(self):
        raises = {"type": "raise", "params": {"event": "ROW"}}
        document = {"wfsm": 1, "id": "m", "initial": "a", "states": {
            "a": {"on": {"GO": "b"}}, "b": {"entry": raises, "on": {"ROW": "c"}}, "c": {}}}
        self.fine("start", self.store, self.file(document, "m.json"), "raised")
        self.fine("send", self.store, "raised", "GO")
        self.assertEqual(self.fine("restore", "--before", "ROW", self.store, "raised"),
                         "revision 3: restored revision 1 at a\n")
        self.clean()

    def test_restore(self):
        self.assertEqual(self.fine("restore", "--now", AFTER, self.store, "one", "before"),
                         "revision 4: restored before at plan\n")
        self.fine("checkpoint", self.store, "one", "again")
        self.assertEqual(self.fine("restore", self.store, "one"), "revision 6: restored the newest at plan\n")
        inputs = [json.loads(record)["input"] for (record,) in self.records()]
        self.assertEqual([inputs[-1][key] for key in ("kind", "id", "revision")], ["restore", "again", 5])
        self.refused(r"^wfsm: one: .*no checkpoint 'never'", "restore", self.store, "one", "never")
        self.refused(r"^wfsm: three: .*no checkpoint", "restore", self.store, "three")
        self.refused(r"^wfsm: two: the instance has ended", "restore", self.store, "two", "x")
        self.refused(r"two has ended\n$", "checkpoint", self.store, "two", "x")
        self.clean()

    def test_restore_of_a_revision(self):
        self.assertEqual(self.fine("restore", "--at", "1", "--now", AFTER, self.store, "one"),
                         "revision 4: restored revision 1 at plan\n")
        self.assertEqual(self.fine("restore", self.store, "one", "--at=3"),
                         "revision 5: restored revision 3 at work.build\n")
        self.assertEqual(rows_of(run("journal", self.store, "one"))[5][2:4], ["restore revision 3", "taken"])
        self.refused(r"^wfsm: one: the journal of \"one\" does not have revision 6: it has 1 to 5\n$",
                     "restore", self.store, "one", "--at", "6")
        self.refused(r"^wfsm: two: the instance has ended", "restore", self.store, "two", "--at", "1")
        self.clean()

    def test_fork_of_a_revision(self):
        self.assertEqual(self.fine("fork", self.store, "one", "first", "--at", "1"), "revision 1: first at plan\n")
        self.assertEqual(self.fine("fork", "--at", "1", self.store, "two", "again"), "revision 1: again at plan\n")
        self.assertEqual(rows_of(run("journal", self.store, "first"))[1][2:5],
                         ["fork one revision 1", "started", "→ plan"])
        self.refused(r"does not have revision 99: it has 1 to 3", "fork", self.store, "one", "new", "--at=99")
        last = json.loads(self.fine("show", "--json", self.store, "two"))["revision"]
        self.refused(rf"\"two\" had ended at revision {last}", "fork", self.store, "two", "new", f"--at={last}")
        self.clean()

    def test_fork(self):
        self.assertEqual(self.fine("fork", self.store, "one", "side", "--checkpoint", "before", "--now", AFTER),
                         "revision 1: side at plan\n")
        self.assertEqual(self.fine("fork", "--latest", self.store, "one", "last"), "revision 1: last at plan\n")
        self.assertEqual(self.fine("fork", self.store, "one", "here"), "revision 1: here at work.build\n")
        shown = json.loads(self.fine("show", "--json", self.store, "here"))
        self.assertEqual((shown["revision"], shown["context"], shown["owner"], shown["effects"]), (1, {"n": 1}, "", 0))
        (work,) = shown["invocations"]
        self.assertRegex(work["id"], "^here/1/1-[0-9]+$")
        self.assertEqual(work["status"], "pending")
        self.assertEqual(rows_of(run("journal", self.store, "side"))[1][2:5],
                         ["fork one before", "started", "→ plan"])
        self.assertEqual(json.loads(self.fine("show", "--json", self.store, "one"))["revision"], 3)
        self.refused("already", "fork", self.store, "one", "side")
        self.refused("already", "fork", self.store, "one", "one")
        self.refused("no checkpoint 'x'", "fork", self.store, "one", "new", "--checkpoint=x")
        self.refused("no checkpoint", "fork", self.store, "three", "new", "--latest")
        self.refused("has ended", "fork", self.store, "two", "new")
        self.clean()

    def origins(self, id):
        return [one["record"].get("origin") for one in json.loads(self.fine("journal", "--json", self.store, id))]

    def test_journals_say_who_asked_for_it(self):
        self.fine("restore", "--by", "ada", self.store, "one", "before")
        self.assertEqual(self.origins("one")[-1], {"interface": "command", "sender": "ada"})
        for more in ["--at", "1"], ["--latest"], []:
            new = "new" + "".join(more)
            self.fine("fork", "--by", "ada", *more, "--", self.store, "one", new)
            self.assertEqual(self.origins(new), [{"interface": "command", "sender": "ada"}])
        user = {**os.environ, "USER": "eve"}
        self.assertEqual(run("fork", self.store, "one", "hers", env=user).returncode, 0)
        self.assertEqual(run("restore", self.store, "hers", "--at", "1", env=user).returncode, 0)
        self.assertEqual(self.origins("hers"), [{"interface": "command", "sender": "eve"}] * 2)
        self.refused("a sender is", "restore", "--by", "", self.store, "one", "before")
        self.refused("a sender is", "fork", "--by", "", self.store, "one", "another")
        self.clean()

    def own(self, until):
        self.sql("INSERT INTO owner VALUES ('host:1:2', ?1, 0, wfsm_checksum('host:1:2', ?1))", (until,))
        self.sql("UPDATE instance SET owner = 'host:1:2',"
                 " checksum = wfsm_checksum(id, 'host:1:2', acknowledged, created) WHERE id = 'one'")

    def test_a_posted_restore_has_its_sender(self):
        self.own(int(time.time() * 1000) + 60000)
        self.fine("restore", "--by", "ada", self.store, "one")
        self.assertEqual(self.sql("SELECT kind, sender FROM inbox WHERE kind > 0"), [(6, "ada")])

    def test_what_belongs_to_a_living_program_is_posted(self):
        self.own(int(time.time() * 1000) + 60000)
        for arguments in [["checkpoint", self.store, "one", "x", "file"],
                          ["restore", self.store, "one"], ["restore", self.store, "one", "before"],
                          ["restore", "--at", "1", self.store, "one"],
                          ["checkpoint", "--delete", self.store, "one", "before"]]:
            self.assertIn("posted: one belongs to host:1:2", self.fine(*arguments))
        self.assertEqual(self.sql("SELECT name, data, kind, interface FROM inbox WHERE kind > 0"), [
            ("checkpoint", '{"id":"x","artifacts":["file"]}', 7, 3),
            ("restore", '{"checkpoint":""}', 6, 3), ("restore", '{"checkpoint":"before"}', 6, 3),
            ("restore", '{"revision":1}', 6, 3),
            ("checkpoint", '{"id":"before","delete":true}', 7, 3)])
        self.assertEqual(self.sql("SELECT owner FROM instance WHERE id = 'one'"), [("host:1:2",)])
        self.assertEqual(self.sql("SELECT name FROM owner"), [("host:1:2",)])
        self.fine("fork", self.store, "one", "side")
        self.assertEqual(self.sql("SELECT owner FROM instance WHERE id = 'side'"), [("",)])

    def test_posts_of_every_kind(self):
        for arguments in [
                ["post", "--by", "ada", "--id", "p1", self.store, "one", "go", '{"a":1}'],
                ["answer", self.store, "one", "one/1/1", "[1]"],
                ["answer", "--failed", "network", self.store, "one", "one/1/1", "no route"],
                ["stop", self.store, "one"],
                ["cancel", self.store, "one", "one/1/1", "not now"],
                ["retry", self.store, "one", "one/1/1"]]:
            self.assertEqual(self.fine(*arguments), "posted for one\n")
        self.assertEqual(
            self.sql("SELECT name, data, kind, interface FROM inbox WHERE interface = 3"), [
                ("go", '{"a":1}', 0, 3), ("answer", '{"invocation":"one/1/1","output":[1]}', 2, 3),
                ("answer", '{"invocation":"one/1/1","message":"no route","class":"network"}', 2, 3),
                ("stop", "null", 3, 3),
                ("cancel", '{"invocation":"one/1/1","message":"not now"}', 4, 3),
                ("retry", '{"invocation":"one/1/1"}', 5, 3)])
        self.assertEqual(self.sql("SELECT sender FROM inbox WHERE event_id = 'p1'"), [("ada",)])
        for pattern, arguments in [
                ("has event 'p1' already", ["post", "--id", "p1", self.store, "one", "go"]),
                ("from outside", ["post", self.store, "one", "done.invoke.ask", "{}"]),
                ("is not JSON", ["answer", self.store, "one", "one/1/1", "{"]),
                ("no instance|has no", ["stop", self.store, "nobody"])]:
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (1, b""), arguments)
            self.assertRegex(done.stderr.decode(), pattern)
        for arguments in [["stop", self.store], ["retry", self.store, "one"],
                          ["cancel", "--failed", "other", self.store, "one", "i"],
                          ["stop", self.store, "one", "more"]]:
            self.assertEqual(run(*arguments).returncode, 64, arguments)

    def test_what_belonged_to_a_dead_one_is_taken(self):
        self.own(int(time.time() * 1000) - 1)
        self.fine("checkpoint", self.store, "one", "x")
        self.assertEqual(self.sql("SELECT owner FROM instance WHERE id = 'one'"), [("",)])
        self.assertEqual(self.names(), ["before", "x"])

    def test_misuse(self):
        for arguments in [
            ["checkpoint"], ["checkpoint", "a", "b"], ["checkpoint", "--delete", "a", "b", "c", "d"],
            ["checkpoint", "--now", "soon", "a", "b", "c"], ["checkpoint", "--now=-1", "a", "b", "c"],
            ["checkpoints"], ["checkpoints", "a"], ["checkpoints", "a", "b", "c"],
            ["restore", "a"], ["restore", "a", "b", "c", "d"], ["restore", "a", "b", ""],
            ["fork", "a", "b"], ["fork", "a", "b", "c", "d"], ["fork", "--latest", "--latest=x", "a", "b", "c"],
            ["restore", "--at", "1", "a", "b", "c"], ["restore", "--at", "0", "a", "b"], ["restore", "--at=x", "a", "b"],
            ["fork", "--at", "-1", "a", "b", "c"], ["fork", "--at=1", "--latest", "a", "b", "c"],
            ["fork", "--latest", "--checkpoint", "x", "a", "b", "c"], ["fork", "--checkpoint=", "a", "b", "c"],
        ]:
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (64, b""), arguments)
            self.assertRegex(done.stderr.decode(), r"^wfsm: .*\n$", arguments)

    def test_what_is_not_there(self):
        for arguments in [["checkpoint", "X"], ["checkpoints"], ["restore"], ["fork", "new"]]:
            done = run(arguments[0], self.store, "none", *arguments[1:])
            self.assertEqual((done.returncode, done.stdout), (1, b""), arguments)
            self.assertRegex(done.stderr.decode(), r"^wfsm: .*s\.db: there is no instance none\n$")
            done = run(arguments[0], self.folder / "none.db", "one", *arguments[1:])
            self.assertEqual((done.returncode, done.stdout), (1, b""), arguments)
        self.assertFalse((self.folder / "none.db").exists())
        self.refused("1 to 255 bytes", "checkpoint", self.store, "one", "")
        self.refused("1 to 255 bytes", "fork", self.store, "one", "")
        self.refused("artifact must not be empty", "checkpoint", self.store, "one", "x", "")


if __name__ == "__main__":
    test_command.WFSM, test_command.STORE_MAKER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
