#!/usr/bin/python3
"""A build without libsodium: what needs signatures says so, and no vote counts as checked.

usage: test_unsigned.py WFSM     (with WFSM_LIBRARY, WFSM_SQLITE_LIBRARY, PYTHONPATH set)
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import wfsm

WFSM = str(Path(sys.argv.pop(1)).resolve())
ASK = {
    "id": "release", "initial": "ask", "states": {
        "ask": {"invoke": {"src": "person", "input": {"people": ["ada"]}, "onDone": "decided"}},
        "decided": {}}}


class Unsigned(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-unsigned-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        with wfsm.sqlite(str(self.path / "s.db")) as store:
            task = wfsm.Instance.start(wfsm.Machine.load(ASK), store, "r", {}, now=1)
            self.asked = task.invocations[0]
            task.approve(self.asked["id"], by="ada", digest=self.asked["digest"],
                         signed=wfsm.Signed(1, "0" * 64, "0" * 128), now=2)
        (self.path / "keys").write_text("ada " + "0" * 64 + "\n")

    def run_it(self, *arguments):
        return subprocess.run([WFSM, *arguments], cwd=self.path, capture_output=True, text=True,
                              check=False)

    def test_keys_are_not_made(self):
        done = self.run_it("key", "ada.key", "ada")
        self.assertEqual(done.returncode, 1)
        self.assertIn("libsodium", done.stderr)
        self.assertFalse((self.path / "ada.key").exists())

    def test_a_vote_is_not_posted_without_the_signature_that_was_wanted(self):
        done = self.run_it("approve", "--by", "ada", "--key", "ada.key", "s.db", self.asked["id"],
                           self.asked["digest"])
        self.assertEqual(done.returncode, 1)
        with wfsm.sqlite(str(self.path / "s.db")) as store:
            self.assertEqual(store.inbox("r"), [])

    def test_no_vote_counts_as_checked(self):
        evidence = self.run_it("evidence", "s.db", "r")
        (self.path / "evidence.json").write_text(evidence.stdout)
        self.assertEqual(self.run_it("evidence", "--check", "evidence.json").returncode, 0)
        for words in (["evidence", "--keys", "keys", "--check", "evidence.json"],
                      ["audit", "--keys", "keys", "s.db"]):
            done = self.run_it(*words)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("no signature that this build of wfsm can check",
                          done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
