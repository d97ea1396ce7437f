"""The command wfsm from outside: wfsm store.

usage: test_store.py WFSM COMMAND-STORE
"""
import contextlib
import json
import random
import re
import signal
import sqlite3
import subprocess
import sys
import unittest

import test_command
from test_command import GOOD, Folder, run

KILLS = 12
DOCUMENT = {"wfsm": 1, "id": "loop", "version": "3", "initial": "plan", "context": {"n": 0, "more": 1},
            "migrate": [{"from": "2"}],
            "states": {"plan": {"on": {"go": "work"}},
                       "work": {"initial": "build", "invoke": {"id": "w", "src": "coder", "onDone": "end"},
                                "states": {"build": {}}},
                       "end": {"type": "final"}}}


class Stores(Folder):
    def setUp(self):
        super().setUp()
        self.store, self.copy = self.folder / "s.db", self.folder / "t.db"

    def make(self, *more, path=None):
        subprocess.run([test_command.STORE_MAKER, path or self.store, *map(str, more)], check=True,
                       timeout=600)

    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def failed(self, pattern, *arguments, code=1):
        done = run(*arguments)
        self.assertEqual(done.returncode, code, arguments)
        self.assertRegex((done.stdout + done.stderr).decode(), pattern)

    def rows(self, path, statement):
        with contextlib.closing(sqlite3.connect(path)) as file:
            return file.execute(statement).fetchall()

    def ids(self, path):
        return [head["id"] for head in json.loads(self.fine("list", "--json", path))]

    def owners(self, path):
        return {row[0] for row in self.rows(path, "SELECT owner FROM instance")}

    def free(self, path):
        """The lease of a killed copy lapses after half a minute."""
        with contextlib.closing(sqlite3.connect(path)) as file:
            file.execute("DELETE FROM owner")
            file.commit()

    def everything(self, path, instance):
        """What anybody can see of an instance, and the bytes of its journal, checkpoints and posts."""
        where = f"JOIN instance ON instance.key = t.instance WHERE instance.id = '{instance}'"
        return [self.fine("show", "--json", path, instance),
                self.fine("journal", "--json", path, instance),
                self.fine("checkpoints", "--json", path, instance),
                self.rows(path, "SELECT t.revision, t.now, t.event_id, t.token, t.record FROM journal t "
                                f"{where} ORDER BY t.revision"),
                self.rows(path, "SELECT t.id, t.revision, t.now, t.artifacts, t.snapshot FROM checkpoint t "
                                f"{where} ORDER BY t.revision"),
                self.rows(path, "SELECT t.event_id, t.name, t.data, t.now, t.kind, t.interface, t.sender "
                                f"FROM inbox t {where} ORDER BY t.number"),
                self.rows(path, "SELECT acknowledged, created, first, status, machine, owner FROM instance "
                                f"WHERE id = '{instance}'"),
                self.rows(path, "SELECT t.tags, t.effects, t.deadline, t.snapshot_revision FROM journal t "
                                f"{where} ORDER BY t.revision DESC LIMIT 1")]

    def same(self, one, two):
        self.assertEqual(self.ids(one), self.ids(two))
        for instance in self.ids(one):
            for here, there in zip(self.everything(one, instance), self.everything(two, instance)):
                self.assertEqual(here, there, instance)
        for path in (one, two):
            self.assertRegex(self.fine("audit", path), r": 0 diagnostics\n$")


    def same_rows(self, one, two):
        """The same as same(), of many instances at once, with the last snapshots and the documents."""
        named = "JOIN instance ON instance.key = t.instance ORDER BY instance.id"
        for statement in (
                "SELECT i.id, i.machine, d.fingerprint, i.owner, i.status, i.acknowledged, i.created, i.first, a.snapshot "
                "FROM instance i JOIN document d ON d.key = i.document LEFT JOIN journal a ON a.key = i.anchor ORDER BY i.id",
                f"SELECT instance.id, t.revision, t.now, t.event_id, t.token, t.record FROM journal t {named}, t.revision",
                "SELECT i.id, t.tags, t.effects, t.deadline, t.snapshot_revision, s.snapshot FROM head "
                "JOIN instance i USING (key) JOIN journal t ON t.key = head.last "
                "JOIN journal s ON s.instance = i.key AND s.revision = t.snapshot_revision ORDER BY i.id",
                f"SELECT instance.id, t.id, t.revision, t.now, t.artifacts, t.snapshot FROM checkpoint t {named}, t.revision",
                "SELECT instance.id, t.event_id, t.name, t.data, t.now, t.kind, t.interface, t.sender "
                f"FROM inbox t {named}, t.number",
                "SELECT fingerprint, text FROM document ORDER BY fingerprint"):
            rows = self.rows(one, statement)
            self.assertTrue(rows, statement)
            self.assertTrue(rows == self.rows(two, statement), statement)
        self.assertRegex(self.fine("audit", two), r": 0 diagnostics\n$")


class Copy(Stores):
    def told(self, copied, there=0, refused=0):
        return f"{copied} instances copied, {there} there before, {refused} refused\n"

    def test_all_instances_and_back(self):
        self.make(60)
        self.assertEqual(self.fine("store", "copy", self.store, self.copy), self.told(3))
        self.same(self.store, self.copy)
        back = self.folder / "back.db"
        self.assertEqual(self.fine("store", "copy", self.copy, back), self.told(3))
        self.same(self.store, back)
        self.assertEqual(self.owners(back), {""})
        self.assertEqual(self.rows(back, "SELECT name FROM owner"), [])

    def test_waiting_posts_and_acknowledged_effects(self):
        self.make("acknowledged")
        self.fine("post", "--by", "ada", self.store, "one", "second", '{"a": [1]}')
        self.fine("store", "copy", self.store, self.copy)
        self.same(self.store, self.copy)
        self.assertEqual(self.rows(self.copy, "SELECT acknowledged FROM instance WHERE id = 'one'"),
                         [(1,)])
        self.assertEqual(self.rows(self.copy, "SELECT name FROM inbox ORDER BY number"),
                         [("later",), ("second",)])

    def test_odd_texts(self):
        self.make("odd")
        self.fine("store", "copy", self.store, self.copy)
        self.same(self.store, self.copy)

    def test_a_compacted_journal_with_an_old_checkpoint(self):
        self.make(60)
        self.fine("compact", "--keep", 20, self.store)
        self.fine("store", "copy", self.store, self.copy)
        self.same(self.store, self.copy)
        self.fine("restore", self.copy, "one", "before")
        self.fine("compact", self.copy)
        back = self.folder / "back.db"
        self.fine("store", "copy", self.copy, back)
        self.same(self.copy, back)

    def test_a_journal_of_two_documents(self):
        self.make()
        self.fine("migrate", self.store, self.file(DOCUMENT), "one")
        self.fine("checkpoint", self.store, "one", "after")
        self.fine("store", "copy", self.store, self.copy)
        self.same(self.store, self.copy)

    def test_a_compacted_journal_of_two_documents(self):
        """The checkpoint belongs to a document that no record names any more."""
        self.make(60)
        self.fine("migrate", self.store, self.file(DOCUMENT), "one")
        for name in ("a", "b", "a"):
            self.fine("checkpoint", self.store, "one", name)
        self.fine("compact", self.store, "one")
        self.assertGreater(json.loads(self.fine("journal", "--json", self.store, "one"))[0]["revision"], 60)
        self.fine("store", "copy", self.store, self.copy)
        self.same(self.store, self.copy)
        self.fine("show", "--at", 2, self.copy, "one")

    def test_named_ones_and_those_of_a_prefix(self):
        self.make()
        self.assertEqual(self.fine("store", "copy", self.store, self.copy, "one"), self.told(1))
        self.assertEqual(self.ids(self.copy), ["one"])
        self.assertEqual(self.fine("store", "copy", "--prefix", "t", self.store, self.copy),
                         self.told(2))
        self.same(self.store, self.copy)
        self.failed("there is no instance four", "store", "copy", self.store, self.copy, "four")

    def test_many(self):
        """In groups. Some have long journals or compacted ones, checkpoints, posts, and other documents."""
        self.make("many", 300)
        for number in range(3):
            self.fine("migrate", self.store, self.file(DOCUMENT), f"many-0010{number}")
        self.fine("compact", self.store, "many-00101", "many-00102")
        self.assertEqual(self.rows(self.store, "SELECT count(*) FROM instance WHERE first > 1"), [(2,)])
        self.assertEqual(self.fine("store", "copy", self.store, self.copy), self.told(303))
        self.same_rows(self.store, self.copy)
        self.assertEqual(self.owners(self.copy), {""})

    def test_many_of_which_some_are_there(self):
        self.make("many", 300)
        self.fine("checkpoint", self.store, "one", "further")
        self.make(path=self.copy)
        before = self.everything(self.copy, "one")
        self.assertEqual(self.fine("store", "copy", "--prefix", "many-001", self.store, self.copy), self.told(100))
        self.failed(f"{self.told(200, 102, 1)}(.|\n)*another instance one already", "store", "copy", self.store, self.copy)
        self.assertEqual(before, self.everything(self.copy, "one"))
        self.assertEqual(len(self.ids(self.copy)), 303)

    def test_an_instance_is_copied_once(self):
        self.make()
        self.assertEqual(self.fine("store", "copy", self.store, self.copy, "one", "two", "one"), self.told(2))

    def test_a_damaged_one_holds_up_no_other(self):
        self.make("many", 40)
        with contextlib.closing(sqlite3.connect(self.store)) as file:
            file.execute("DELETE FROM journal WHERE revision = 2 AND instance = "
                         "(SELECT key FROM instance WHERE id = 'many-00020')")
            file.commit()
        self.failed(f"{self.told(42, 0, 1)}(.|\n)*many-00020 cannot be copied", "store", "copy", self.store, self.copy)
        self.assertEqual(len(self.rows(self.copy, "SELECT id FROM instance WHERE owner = ''")), 42)

    def test_what_is_there_stays(self):
        self.make()
        self.fine("store", "copy", self.store, self.copy)
        self.fine("checkpoint", self.copy, "one", "further")
        self.assertEqual(self.fine("store", "copy", self.store, self.copy), self.told(0, 3))
        self.assertEqual(len(json.loads(self.fine("journal", "--json", self.copy, "one"))), 4)

    def test_another_instance_of_the_same_id_is_not_overwritten(self):
        self.make()
        self.make(5, path=self.copy)
        before = self.everything(self.copy, "one")
        self.failed("there is another instance one already; it stays as it is\n", "store", "copy",
                    self.copy, self.store, "one")
        other = self.folder / "o.db"
        self.fine("store", "init", other)
        self.fine("fork", self.store, "one", "two-of-one")
        self.fine("store", "copy", self.store, other)
        self.assertEqual(before, self.everything(self.copy, "one"))

    def test_killed_at_any_time_and_run_again(self):
        self.make("many", 2000)
        chance, unfinished = random.Random(1), 0
        for _ in range(KILLS):
            process = subprocess.Popen([test_command.WFSM, "store", "copy", self.store, self.copy],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            least = chance.randrange(1, 5000)
            while process.poll() is None and self.records() < least:
                pass
            process.send_signal(signal.SIGKILL)
            process.wait(600)
            if "(copying)" not in self.owners(self.copy):
                continue
            unfinished += 1
        # What the killed one had taken in the source is free when its lease has lapsed.
        self.free(self.store)
        self.fine("store", "copy", self.store, self.copy)
        self.same_rows(self.store, self.copy)
        self.assertGreater(unfinished, 0)

    def records(self):
        try:
            return self.rows(self.copy, "SELECT count(*) FROM journal")[0][0]
        except sqlite3.OperationalError:
            return 0

    def test_no_such_store(self):
        self.failed("s.db", "store", "copy", self.store, self.copy)
        self.assertFalse(self.copy.exists())


class Others(Stores):
    def test_init_makes_a_store_once(self):
        self.assertEqual(self.fine("store", "init", self.store), f"{self.store}: made\n")
        self.assertEqual(self.ids(self.store), [])
        self.failed("it exists already", "store", "init", self.store)
        self.failed("No such file|cannot|unable", "store", "init", self.folder / "none" / "s.db")

    def test_the_schema(self):
        text = self.fine("store", "init", "--print-sql", self.store)
        self.assertFalse(self.store.exists())
        with contextlib.closing(sqlite3.connect(self.folder / "by-hand.db")) as file:
            file.executescript(text)
        self.fine("store", "init", self.store)
        schema = "SELECT sql FROM sqlite_schema ORDER BY name"
        self.assertEqual(self.rows(self.store, schema), self.rows(self.folder / "by-hand.db", schema))
        self.assertEqual(self.fine("list", "--json", self.folder / "by-hand.db"), "[]\n")

    def test_migrate_has_nothing_to_do(self):
        self.failed("s.db", "store", "migrate", self.store)
        self.make()
        self.assertEqual(self.fine("store", "migrate", self.store),
                         f"{self.store}: the schema is up to date; there is nothing to do\n")
        self.assertRegex(self.fine("store", "migrate", "--print-sql", self.store), "^-- ")
        newer = self.folder / "newer.db"
        with contextlib.closing(sqlite3.connect(newer)) as file:
            file.executescript(self.fine("store", "init", "--print-sql", newer) +
                               "PRAGMA user_version = 99;")
        self.failed("version 99", "store", "migrate", newer)

    def test_check(self):
        self.make()
        self.assertEqual(self.fine("store", "check", self.store), "0 diagnostics\n")
        with contextlib.closing(sqlite3.connect(self.store)) as file:
            file.execute("UPDATE instance SET created = created + 1 WHERE id = 'one'")
            file.commit()
        self.failed(r"s\.db: .*instance.*\n1 diagnostics\n", "store", "check", self.store)

    def test_misuse(self):
        for line in ([], ["frob"], ["frob", "a"], ["init"], ["init", "a", "b"], ["copy", "a"],
                     ["check", "--print-sql", "a"], ["copy", "--print-sql", "a", "b"],
                     ["tenant", "a"], ["tenant", "a", "b"], ["tenant", "a", "b", "c", "d"],
                     ["init", "--prefix", "x", "a"], ["copy", "--prefix", "x", "a", "b", "one"]):
            self.failed("^wfsm: store", "store", *line, code=64)

    def test_a_file_has_no_tenants(self):
        self.make()
        self.failed("a file has no roles", "store", "tenant", self.store, "ada", "ns")
        self.failed("a file has no roles", "store", "tenant", "--print-sql", self.store, "ada", "ns")

    def test_addresses(self):
        self.make()
        address = "postgres://ada:geheim@127.0.0.1:1/db?connect_timeout=1"
        for line in (["init", address], ["init", "--print-sql", address], ["migrate", address],
                     ["check", address], ["tenant", address, "ada", "ns"],
                     ["tenant", "--print-sql", address, "ada", "ns"], ["copy", self.store, address], ["copy", address, self.store]):
            done = run("store", *line)
            if "--print-sql" not in line:
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"postgres://ada:***@127.0.0.1", done.stderr)
            self.assertNotIn(b"geheim", done.stdout + done.stderr)


if __name__ == "__main__":
    test_command.WFSM, test_command.STORE_MAKER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
