"""The command wfsm from outside: compact, archive, and audit beside an archive.

usage: test_compact.py WFSM COMMAND-STORE
"""
import contextlib
import json
import os
import re
import sqlite3
import subprocess
import sys
import unittest

import test_command
from test_command import Folder, run

MORE = 60
DATE = 1767323045678  # of command_store.c


class Compact(Folder):
    def setUp(self):
        super().setUp()
        self.store, self.archive = self.folder / "s.db", self.folder / "old.db"
        subprocess.run([test_command.STORE_MAKER, str(self.store), str(MORE)], check=True,
                       timeout=600)

    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def failed(self, pattern, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 1, arguments)
        self.assertRegex((done.stdout + done.stderr).decode(), pattern)

    def journal(self, store, instance):
        return json.loads(self.fine("journal", "--json", store, instance))

    def sql(self, path, statement):
        with contextlib.closing(sqlite3.connect(path)) as file:
            rows = file.execute(statement).fetchall()
            file.commit()
        return rows

    def clean(self, *arguments):
        self.assertRegex(self.fine("audit", *arguments), r": 0 diagnostics\n$")

    def test_old_records_go(self):
        before = self.journal(self.store, "three")
        told = self.fine("compact", "--dry-run", "--keep", 30, self.store)
        self.assertEqual(self.journal(self.store, "three"), before)
        lines = self.fine("compact", "--keep", 30, self.store).splitlines()
        self.assertEqual([re.sub("would go", "are gone", line) for line in told.splitlines()],
                         lines)
        one, first = (int(re.fullmatch(rf"{name}: \d+ records are gone, the journal begins at revision "
                                       r"(\d+)", line).group(1))
                      for name, line in zip(("one", "three"), lines))
        self.assertEqual(lines[2], f"{one - 1 + first - 1} records of 2 instances are gone")
        self.assertGreater(first, 20)
        self.assertEqual(self.journal(self.store, "three"), before[first - 1:])
        self.clean(self.store)
        self.assertEqual(self.fine("compact", "--keep=30", self.store),
                         "0 records of 0 instances are gone\n")
        self.assertEqual(self.fine("restore", "--now", DATE + 99999, self.store, "one", "before")
                         .split(":")[0], f"revision {3 + MORE + 1}")
        self.clean(self.store)

    def test_a_checkpoint_is_a_bookmark(self):
        self.fine("compact", self.store, "one")
        shown = json.loads(self.fine("show", "--json", "--at", 2, self.store, "one"))
        self.assertEqual((shown["revision"], shown["configuration"]), (2, ["plan"]))
        self.assertIn("+  work.build", self.fine("diff", self.store, "one", 2, 3 + MORE))
        self.failed("does not have revision 3: it has .*, and the revisions of its checkpoints",
                    "show", "--at", 3, self.store, "one")
        self.fine("fork", "--at", 2, self.store, "one", "second")
        self.fine("fork", "--checkpoint", "before", self.store, "one", "third")
        self.fine("checkpoint", "--delete", self.store, "one", "before")
        self.clean(self.store)
        self.failed("does not have revision 2", "show", "--at", 2, self.store, "one")

    def test_what_goes_is_in_the_archive(self):
        """Twice, and then it ends and moves."""
        before = self.journal(self.store, "three")
        self.fine("compact", "--archive", self.archive, "--keep", 40, self.store, "three")
        self.fine("compact", "--archive", self.archive, "--before", DATE + 10040, self.store,
                  "three")
        rest = self.journal(self.store, "three")
        self.assertEqual(rest[0]["now"], DATE + 10040)
        self.assertEqual(self.journal(self.archive, "three") + rest, before)
        self.clean("--archive", self.archive, self.store)
        self.clean("--archive", self.archive, self.store, "three")
        self.clean(self.archive)
        heads = json.loads(self.fine("list", "--json", self.archive))
        self.assertEqual([(head["id"], head["owner"], head["revision"]) for head in heads],
                         [("three", "(archive)", len(before) - len(rest))])
        self.failed("was not archived there",
                    "compact", "--archive", self.store, self.store, "three")

    def test_without_what_was_dropped_an_archive_does_not_begin(self):
        self.fine("compact", "--keep", 40, self.store, "three")
        self.failed("does not have records 1 to", "compact", "--keep", 20, "--archive",
                    self.archive, self.store, "three")
        self.failed("in the archive|does not have all records",
                    "audit", "--archive", self.other_archive(), self.store)

    def other_archive(self):
        path = self.folder / "other.db"
        subprocess.run([test_command.STORE_MAKER, str(path)], check=True, timeout=600)
        return path

    def test_an_archive_of_something_else_is_named(self):
        self.fine("compact", "--keep", 40, "--archive", self.archive, self.store)
        self.sql(self.archive, "UPDATE journal SET token = 'f' || substr(token, 2)")
        self.failed("three revision \\d+: the archive does not lead to this record",
                    "audit", "--archive", self.archive, self.store)
        self.failed("in the archive: the head's token", "audit", "--archive", self.archive,
                    self.store)

    def test_what_has_ended_moves(self):
        before = self.journal(self.store, "two")
        self.assertEqual(self.fine("archive", "--dry-run", self.store, self.archive),
                         "two: would move\n1 instances would move\n")
        self.assertFalse(self.archive.exists())
        self.assertEqual(self.fine("archive", "--before", 700, self.store, self.archive),
                         "0 instances have moved\n")
        self.assertEqual(self.fine("archive", self.store, self.archive),
                         f"two: moved, {len(before)} records\n1 instances have moved\n")
        self.assertEqual(self.journal(self.archive, "two"), before)
        self.failed("there is no instance two", "show", self.store, "two")
        self.clean(self.store)
        self.clean(self.archive)
        self.failed("has not ended", "archive", self.store, self.archive, "three")
        self.failed("stays, it has not ended", "archive", "--dry-run", self.store, self.archive,
                    "three")

    def test_a_journal_with_a_diagnostic_stays(self):
        before = self.sql(self.store, "SELECT * FROM journal")
        self.sql(self.store, "UPDATE journal SET record = replace(record, 'xxx', 'yyy')"
                             " WHERE revision = 20")
        self.failed("record 20: the same input does not give this record|record 21",
                    "compact", "--keep", 10, self.store, "three")
        self.assertEqual(len(self.sql(self.store, "SELECT * FROM journal")), len(before))

    def test_rows_that_belong_to_nothing_are_named(self):
        damages = [
            ("DELETE FROM instance WHERE id = 'two'", "table journal belong to no instance: 3"),
            ("UPDATE checkpoint SET instance = 77", "table checkpoint belongs to no instance"),
            ("UPDATE inbox SET instance = 77", "table inbox belongs to no instance"),
            ("UPDATE journal SET instance = 3 WHERE revision = 1 AND instance = 2",
             "instance three has \\d+ rows in table journal"),
            ("INSERT INTO document (fingerprint, text, checksum) VALUES ('f', '{}', 0)",
             "document with key \\d+ is not the one of its fingerprint"),
            ("UPDATE instance SET acknowledged = 50 WHERE id = 'one'", "more effects acknowledged"),
            ("UPDATE inbox SET event_id = 'event-1'", "post \\d+ has the event id of a record"),
            ("UPDATE instance SET first = 2 WHERE id = 'three'", "three"),
            ("DELETE FROM head WHERE key = 3", "instance three has no head"),
            ("INSERT INTO head VALUES (77, 1, 1)", "table head belongs to no instance, key 77"),
            ("UPDATE head SET last = last - 1 WHERE key = 3",
             "the head of instance three names a row of table journal"),
        ]
        sound = self.store.read_bytes()
        for statement, words in damages:
            with self.subTest(statement):
                self.store.write_bytes(sound)
                self.clean(self.store)
                self.sql(self.store, statement)
                self.failed(words, "audit", self.store)

    def test_killed_at_any_time_it_is_done_again(self):
        before = self.journal(self.store, "three")
        for delay in range(0, 40):
            process = subprocess.Popen(
                [test_command.WFSM, "compact", "--archive", str(self.archive), "--before",
                 str(DATE + 10000 + delay), str(self.store)],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.0004 * delay)
            process.kill()
            process.wait()
            self.clean(self.store)
            rest = self.journal(self.store, "three")
            self.assertEqual(rest, before[len(before) - len(rest):])
        self.fine("compact", "--archive", self.archive, "--before", DATE + 10050, self.store)
        rest = self.journal(self.store, "three")
        self.assertEqual(rest[0]["now"], DATE + 10050)
        self.assertEqual(self.journal(self.archive, "three") + rest, before)
        self.clean("--archive", self.archive, self.store)

    def test_the_space_is_used_again(self):
        self.fine("compact", self.store)
        self.assertGreater(self.sql(self.store, "PRAGMA freelist_count")[0][0], 2)
        size = os.path.getsize(self.store)
        self.sql(self.store, "VACUUM")
        self.assertLess(os.path.getsize(self.store), size)
        self.clean(self.store)

    def test_wrong_usage(self):
        for arguments in [["compact"], ["compact", "--keep", "x", self.store],
                          ["compact", "--keep", "-1", self.store], ["archive", self.store],
                          ["audit", "--archive"], ["audit", self.store, "a", "b"]]:
            self.assertEqual(run(*arguments).returncode, 64, arguments)


if __name__ == "__main__":
    test_command.WFSM, test_command.STORE_MAKER = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
