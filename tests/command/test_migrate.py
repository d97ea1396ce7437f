"""The command wfsm from outside: migrate.

usage: test_migrate.py WFSM COMMAND-STORE
"""
import contextlib
import json
import sqlite3
import subprocess
import sys
import unittest

import test_command
import test_checkpoints
from test_command import StoreFolder, run

NEW = {"id": "loop", "version": "3", "initial": "plan", "context": {"n": 0},
       "migrate": [{"from": "2", "states": {"work": "build"}, "assign": {"moved": True}}],
       "states": {"plan": {"on": {"go": {"target": "build", "guard": "ready"}}},
                  "build": {"invoke": {"id": "w", "src": "coder", "onDone": "end"},
                            "initial": "build", "states": {"build": {}}},
                  "end": {"type": "final"}}}
AT = ("--now", 1767323050000)


class Migrate(StoreFolder):
    fine = test_checkpoints.Checkpoints.fine
    sql = test_checkpoints.Checkpoints.sql
    records = test_checkpoints.Checkpoints.records
    clean = test_checkpoints.Checkpoints.clean

    def setUp(self):
        super().setUp()
        self.new = self.file(NEW, "new.json")

    def ids(self, *, running):
        rows = json.loads(self.fine("list", "--json", self.store))
        return [row["id"] for row in rows if (row["status"] == "running") == running]

    def test_a_dry_run_tells_and_changes_nothing(self):
        before = self.records()
        lines = self.fine("migrate", *AT, "--dry-run", self.store, self.new).splitlines()
        self.assertEqual(lines[:-1], [f"{name} would move" for name in self.ids(running=True)])
        self.assertRegex(lines[-1], r"^\d would move, 0 there already, 0 stay$")
        self.assertEqual(self.records(), before)
        self.clean()

    def test_all_that_run_move_and_the_work_goes_on(self):
        lines = self.fine("migrate", *AT, self.store, self.new).splitlines()
        self.assertIn("one: revision 4: moved, and is at build.build", lines)
        self.clean()
        shown = json.loads(self.fine("show", "--json", self.store, "one"))
        self.assertEqual(shown["configuration"], ["build.build"])
        self.assertEqual(shown["context"]["moved"], True)
        (work,) = shown["invocations"]
        self.assertRegex(work["id"], "^one/3/2-[0-9]+$")
        again = self.fine("migrate", *AT, self.store, self.new).splitlines()
        self.assertIn("one is there already", again)
        self.assertRegex(again[-1], r"^0 moved, \d there already, 0 stay$")

    def test_one_that_cannot_stays_and_says_why(self):
        other = self.file(dict(NEW, migrate=[{"from": "2"}]), "other.json")
        before = self.records()
        done = run("migrate", *AT, self.store, other, "one")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.decode().splitlines(), [
            "one stays: the new document has no state for \"work.build\"",
            "0 moved, 0 there already, 1 stay"])
        self.assertEqual(self.records(), before)
        self.clean()

    def own_by_a_living_program(self):
        until = 32_503_680_000_123
        self.sql("INSERT INTO owner VALUES ('engine', ?1, 0, wfsm_checksum('engine', ?1))", (until,))
        self.sql("UPDATE instance SET owner = 'engine',"
                 " checksum = wfsm_checksum(id, 'engine', acknowledged, created) WHERE id = 'one'")

    def test_one_that_belongs_to_a_living_program_gets_a_post(self):
        self.own_by_a_living_program()
        before = self.records()
        lines = self.fine("migrate", self.store, self.new, "one").splitlines()
        self.assertEqual(lines, [
            "posted: one belongs to engine, which is alive until 3000-01-01T00:00:00.123Z"
            " and takes it in its next run",
            "0 moved, 1 posted, 0 there already, 0 stay"])
        self.assertEqual(self.records(), before)
        with contextlib.closing(sqlite3.connect(self.store)) as file:
            rows = file.execute("SELECT name, data FROM inbox WHERE kind = 8").fetchall()
        self.assertEqual([name for name, _ in rows], ["migrate"])
        self.assertEqual(json.loads(json.loads(rows[0][1])["document"])["version"], "3")

    def test_many_that_belong_to_a_living_program(self):
        """More than two transactions of posts; each instance gets one."""
        many = self.folder / "many.db"
        subprocess.run([test_command.STORE_MAKER, many, "many", "150"], check=True)
        self.store = many
        until = 32_503_680_000_123
        self.sql("INSERT INTO owner VALUES ('engine', ?1, 0, wfsm_checksum('engine', ?1))", (until,))
        self.sql("UPDATE instance SET owner = 'engine',"
                 " checksum = wfsm_checksum(id, 'engine', acknowledged, created) WHERE id LIKE 'many-%' AND status = 1")
        running = [name for name in self.ids(running=True) if name.startswith("many-")]
        lines = self.fine("migrate", self.store, self.new, *running).splitlines()
        self.assertGreater(len(running), 128)
        self.assertEqual(lines[-1], f"0 moved, {len(running)} posted, 0 there already, 0 stay")
        self.assertEqual([line.split()[1] for line in lines[:-1]], running)
        with contextlib.closing(sqlite3.connect(self.store)) as file:
            rows = file.execute("SELECT i.id FROM inbox AS p JOIN instance AS i ON i.key = p.instance"
                                " WHERE p.kind = 8 ORDER BY p.number").fetchall()
        self.assertEqual([name for name, in rows], running)

    def test_what_its_owner_cannot_take_is_not_posted(self):
        self.own_by_a_living_program()
        other = self.file(dict(NEW, migrate=[{"from": "2"}]), "other.json")
        done = run("migrate", self.store, other, "one")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout.decode(), "one stays: the new document has no state")

    def test_what_cannot_be_done_at_all(self):
        done = run("migrate", self.store, self.new, "nobody")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), "there is no instance nobody")
        self.assertEqual(run("migrate", self.store).returncode, 64)
        self.assertEqual(run("migrate", self.store, self.file("{", "bad.json")).returncode, 1)
        self.assertEqual(run("migrate", self.folder / "none.db", self.new).returncode, 1)


if __name__ == "__main__":
    test_command.WFSM, test_command.STORE_MAKER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
