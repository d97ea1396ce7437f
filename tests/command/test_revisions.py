"""The command wfsm from outside: show --at, and diff.

usage: test_revisions.py WFSM COMMAND-STORE
"""
import re
import contextlib
import json
import sqlite3
import subprocess
import sys
import unittest

import test_command
from test_command import StoreFolder, run


class Revisions(StoreFolder):
    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def shown(self, *arguments):
        return json.loads(self.fine("show", "--json", self.store, *arguments))

    def test_every_revision_is_shown_as_it_was(self):
        for instance in "one", "two", "three":
            now = self.shown(instance)
            then = self.shown(instance, "--at", str(now["revision"]))
            self.assertLessEqual(set(now) - set(then), {"owner", "checkpoints", "inbox"})
            for key in set(then) - {"budgets"}:
                self.assertEqual(then[key], now[key], key)
            states = [self.shown(instance, f"--at={revision}")["revision"]
                      for revision in range(1, now["revision"] + 1)]
            self.assertEqual(states, list(range(1, now["revision"] + 1)))
        first = self.shown("one", "--at", "1")
        self.assertEqual((first["configuration"], first["context"], first["tags"], first["effects"]),
                         (["plan"], {"n": 0.1}, ["awaiting_input", "early"], 0))

    def test_the_form_is_that_of_the_present(self):
        lines = self.fine("show", "--at", "1", self.store, "one").splitlines()
        self.assertEqual([line.split()[0] for line in lines if line[0] != " "],
                         ["instance", "machine", "status", "state", "tags", "revision", "created", "updated",
                          "deadline", "effects", "context", "timers"])

    def test_a_difference(self):
        told = re.sub(r"(one/3/2)-[0-9]+", r"\1", self.fine("diff", self.store, "one", "1", "3"))
        self.assertEqual(told, """\
revision 1 (2026-01-02T03:04:05.678Z) to 3 (2026-01-02T03:04:07.678Z)
states
  -  plan
  +  work.build
context
  ~  /n  0.1 → 1
timers
  -  after.500.plan  due 2026-01-02T03:04:06.178Z
invocations
  +  one/3/2  coder at work, pending, attempt 0
effects
  +  went  null
""")
        self.assertEqual(self.fine("diff", self.store, "one", "1", "2").splitlines()[1:], ["nothing changed"])
        found = json.loads(self.fine("diff", "--json", self.store, "one", "1", "3"))
        self.assertEqual(found["context"], [{"path": "/n", "from": 0.1, "to": 1}])
        self.assertEqual(list(found), ["instance", "from", "to", "configuration", "context", "timers",
                                       "invocations", "effects"])
        self.assertIn('status  "running" → "done"\n', self.fine("diff", self.store, "two", "1", "3"))
        self.assertIn("output  null → ", self.fine("diff", self.store, "two", "1", "3"))

    def test_odd_text_does_not_reach_the_terminal(self):
        odd = self.folder / "odd.db"
        subprocess.run([test_command.STORE_MAKER, odd, "odd"], check=True, timeout=60)
        self.assertEqual(self.fine("diff", odd, "one", "3", "4").splitlines()[1:],
                         ["context", '  +  /a\\u001b[31m~1~0  "\\u0007red"'])
        for arguments in ["diff", odd, "one", "3", "4"], ["diff", "--json", odd, "one", "3", "4"], [
                "show", "--at", "4", odd, "one"], ["show", "--json", "--at", "4", odd, "one"]:
            self.assertNotRegex(self.fine(*arguments), "[\x00-\x09\x0b-\x1f]", arguments)

    def test_what_is_not_there(self):
        for arguments, message in [
            (["show", "--at", "9", self.store, "one"], r'the journal of "one" does not have revision 9: it has 1 to 3'),
            (["diff", self.store, "one", "1", "9"], r'the journal of "one" does not have revision 9: it has 1 to 3'),
            (["diff", self.store, "none", "1", "2"], "there is no instance none"),
            (["show", "--at=1", self.store, "none"], "there is no instance none"),
            (["diff", self.folder / "none.db", "one", "1", "2"], "there is no such file"),
        ]:
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (1, b""), arguments)
            self.assertIn(message, done.stderr.decode())

    def test_misuse(self):
        for arguments in [["diff"], ["diff", "a", "b"], ["diff", "a", "b", "1"], ["diff", "a", "b", "1", "2", "3"],
                          ["diff", "a", "b", "0", "1"], ["diff", "a", "b", "2", "1"], ["diff", "a", "b", "x", "1"],
                          ["diff", "a", "b", "1", "1.5"], ["diff", "--at", "1", "a", "b", "1", "2"],
                          ["show", "--at", "0", "a", "b"], ["show", "--at=x", "a", "b"], ["show", "--at"],
                          ["show", "--at", "18446744073709551616", "a", "b"], ["show", "a", "b", "c"]]:
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (64, b""), arguments)
            self.assertRegex(done.stderr.decode(), r"^wfsm: .*\n$", arguments)

    def test_a_damaged_journal(self):
        with contextlib.closing(sqlite3.connect(self.store)) as file:
            file.execute("UPDATE journal SET record = replace(record, '\"now\":', '\"new\":')")
            file.commit()
        for arguments in ["show", "--at", "2", self.store, "one"], ["diff", self.store, "one", "1", "2"]:
            self.assertEqual(run(*arguments).returncode, 1, arguments)


if __name__ == "__main__":
    test_command.WFSM, test_command.STORE_MAKER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
