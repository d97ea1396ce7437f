#!/usr/bin/python3
"""The demo, as scripts/demo calls it, in both forms.

usage: test_demo.py SRCDIR BUILDDIR
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD = (Path(path).resolve() for path in sys.argv[1:3])
ROUNDS = ["review_changes_requested", "tests_failed", "tests_passed"]


class Demo(unittest.TestCase):
    def setUp(self):
        # The programs of the build, in a folder that no other demo works in.
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-demo-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        (self.path / "examples").symlink_to(BUILD / "examples")
        (self.path / "cmd").symlink_to(BUILD / "cmd")

    def demo(self, *options):
        kept = {k: v for k, v in os.environ.items()
                if k not in ("CC", "CFLAGS", "LDFLAGS", "MAKEFLAGS", "MAKELEVEL")}
        result = subprocess.run(
            [str(SOURCE / "examples/coordinator/demo"), str(self.path), *options],
            env={**kept, "CODER_SECONDS": "2", "LC_ALL": "C.UTF-8"},
            capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def check(self, out):
        # 001-31, 001-34, 001-35: one fails the review, one the tests, the last passes.
        first = out.split("== The same bug again")[0]
        events = re.findall(r"\[(\w+)\](?: round \d+)?$", first, re.M)
        self.assertEqual([e for e in events if e in ROUNDS], ROUNDS)
        self.assertIn("dur: approved after 3 of 5 rounds", out)
        self.assertIn("+++ b/duration.c", out)
        # The operator's word saves two rounds.
        self.assertIn("again: approved after 1 of 5 rounds", out)
        self.assertRegex(out, r"test -> finalize +tests_passed +outcome approved")

    def look_further(self, out):
        """The commands that the demo names work when they are pasted."""
        words = out.split("== To look further")[1]
        script = re.sub(r"^    less .*$", "", words, flags=re.M).strip()
        result = subprocess.run(["bash", "-euc", script], capture_output=True, text=True,
                                timeout=600, check=False)
        self.assertEqual(result.returncode, 0, script + result.stdout + result.stderr)
        self.assertIn("stateDiagram", result.stdout)

    def test_the_demo(self):
        out = self.demo()
        self.check(out)
        self.look_further(out)

    def test_the_demo_killed_half_way(self):
        out = self.demo("--kill")
        self.check(out)
        self.assertIn("== kill -9", out)
        self.assertIn("coder is still at work", out)
        self.assertIn("No: every invocation was done in one attempt.", out)

    def test_what_is_not_understood(self):
        for arguments in ([], ["a", "b"], [str(self.path), "--fly"], [str(self.path / "no")]):
            result = subprocess.run([str(SOURCE / "examples/coordinator/demo"), *arguments],
                                    capture_output=True, text=True, check=False)
            self.assertNotEqual(result.returncode, 0)
            self.assertTrue(result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
