"""The command wfsm on a store in whose place a backup was put.

usage: test_set_back.py WFSM COMMAND-STORE
"""
import shutil
import sys
import unittest

import test_command
from test_command import StoreFolder, run


class SetBack(StoreFolder):
    def setUp(self):
        super().setUp()
        self.seen = self.folder / "s.db-seen"
        backup = self.folder / "backup"
        shutil.copy(self.store, backup)
        self.fine("post", self.store, "one", "go")
        shutil.copy(backup, self.store)

    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def test_what_reads_warns(self):
        for arguments in (["list", self.store], ["show", self.store, "one"],
                          ["journal", self.store, "one"], ["approvals", self.store]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 0, arguments)
            self.assertRegex(done.stderr.decode(), "warning: .*a backup was put in its place")
            self.assertIn(f"delete {self.seen}", done.stderr.decode())

    def test_what_writes_refuses(self):
        for arguments in (["post", self.store, "one", "go"], ["checkpoint", self.store, "one", "a"],
                          ["restore", self.store, "one", "before"], ["fork", self.store, "one", "new"],
                          ["stop", self.store, "one"]):
            before = self.store.read_bytes()
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (1, b""), arguments)
            self.assertRegex(done.stderr.decode(), "a backup was put in its place")
            self.assertIn(f"delete {self.seen}", done.stderr.decode())
            self.assertEqual(self.store.read_bytes(), before)

    def test_the_audit_reports_it(self):
        done = run("audit", self.store)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout.decode(), "a backup was put in its place")
        self.assertRegex(done.stdout.decode(), r": 1 diagnostics\n$")

    def test_without_the_file_the_backup_is_used(self):
        self.seen.unlink()
        self.fine("post", self.store, "one", "go")
        self.fine("list", self.store)
        self.assertEqual(run("audit", self.store).returncode, 0)
        self.assertTrue(self.seen.exists())


if __name__ == "__main__":
    test_command.WFSM, test_command.STORE_MAKER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
