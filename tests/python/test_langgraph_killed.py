"""wfsm.langgraph after kill -9: what was done is not done again."""
import json
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from support import Case, wfsm

PROGRAM = Path(__file__).with_name("langgraph_killed.py")
INNER = ["x", "a", "b"]


class Killed(Case):
    def setUp(self):
        super().setUp()
        self.file, self.marks = self.folder() / "t.db", self.folder() / "marks"
        self.marks.write_text("")

    def run_once(self, call, kill=None):
        done = subprocess.run(
            [sys.executable, PROGRAM, self.file, self.marks, json.dumps({"call": call, "kill": kill})],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, -signal.SIGKILL if kill else 0, done.stderr)
        return None if kill else json.loads(done.stdout)

    def killed(self, call, kill):
        self.assertIsNone(self.run_once(call, kill))

    def count(self, name):
        return self.marks.read_text().split().count(name)

    def test_in_each_place(self):
        self.killed("input", "b")
        self.killed("none", "j")
        self.assertEqual(self.run_once("none")[1], ["continue?"])
        self.assertEqual(self.run_once("none")[1], ["continue?"])
        self.killed("resume", "ask")
        self.killed("none", "one1")
        log, asked = self.run_once("none")
        inner = [*INNER, "j", "yes"]
        self.assertEqual((log, asked), ([*INNER, *inner, "one0", "one1", "one2"], []))
        self.assertEqual([self.count(name) for name in ("a", "b", "i", "j", "one1")], [1, 2, 1, 2, 2])
        with wfsm.sqlite(self.file) as store:
            self.assertEqual(store.audit(), [])

    def test_an_update_after_it(self):
        self.killed("input", "b")
        self.assertEqual(self.run_once("update"), [["x", "u", "one0", "one1", "one2"], []])
        self.assertEqual((self.count("b"), self.count("i")), (1, 0))

    def test_an_answer_that_is_given_again_is_taken_once(self):
        self.run_once("input")
        self.killed("resume", "ask")
        log, asked = self.run_once("resume")
        self.assertEqual((log.count("yes"), asked), (1, []))


if __name__ == "__main__":
    unittest.main()
