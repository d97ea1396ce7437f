#!/usr/bin/python3
"""The demo of aigentflow, as scripts/demo calls it, in both forms.

usage: test_demo.py SRCDIR BUILDDIR [Demo | Killed]
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD = (Path(path).resolve() for path in sys.argv[1:3])
DEMO = str(SOURCE / "examples/aigentflow/demo")
FEATURES = ["count", "shout", "slug", "wrap", "mirror"]


class Case(unittest.TestCase):
    def setUp(self):
        # The programs of the build, in a folder that no other demo works in.
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-demo-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        (self.path / "examples").symlink_to(BUILD / "examples")
        (self.path / "cmd").symlink_to(BUILD / "cmd")

    def demo(self, *options):
        kept = {k: v for k, v in os.environ.items() if k != "ANTHROPIC_API_KEY"}
        result = subprocess.run([DEMO, str(self.path), *options],
                                env={**kept, "AGENT_SECONDS": "0.05", "LC_ALL": "C.UTF-8"},
                                capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout, result.stderr

    def check(self, out, err):
        # 004-225: a person has chosen the second of three designs, and the pages have it.
        self.assertIn("design 3   ", out)
        page = (self.path / "demo-aigentflow/project/pages/count.html").read_text()
        self.assertIn("seagreen", page)
        # 004-18: one approval before the end. 004-21, 004-36: one repaired, one escalated.
        self.assertIn("the task requires approval", out)
        self.assertIn("epic/slug  fixing → testing", out)
        self.assertIn("epic/wrap  testing → escalated", out)
        self.assertEqual(len(re.findall(r"epic/wrap  testing → fixing", out)), 4)
        self.assertIn("Paused at ESCALATED. Waiting for user input.", out)
        # 004-20, 004-302, and the merge of all five, with one conflict that was resolved.
        self.assertIn("Workflow completed successfully!", out)
        self.assertEqual(out.count("Merge branch 'feature/words/"), len(FEATURES))
        self.assertRegex(out, r"epic      merge_resolver is at work")
        self.assertRegex(err, r"Ran 6 tests")
        html = (self.path / "demo-aigentflow/epic.html").read_text()
        self.assertIn("COMPLETED", html)

    def look_further(self, out):
        """The commands that the demo names work when they are pasted."""
        script = out.split("== To look further")[1].strip()
        result = subprocess.run(["bash", "-euc", script], capture_output=True, text=True,
                                timeout=600, check=False)
        self.assertEqual(result.returncode, 0, script + result.stdout + result.stderr)
        self.assertIn("stateDiagram", result.stdout)


class Demo(Case):
    def test_the_demo(self):
        out, err = self.demo()
        self.check(out, err)
        self.look_further(out)

    def test_what_is_not_understood(self):
        for arguments in ([], ["a", "b"], [str(self.path), "--fly"], [str(self.path / "no")]):
            result = subprocess.run([DEMO, *arguments], capture_output=True, text=True,
                                    check=False)
            self.assertNotEqual(result.returncode, 0)
            self.assertTrue(result.stderr)


class Killed(Case):
    def test_the_demo_killed_half_way(self):
        out, err = self.demo("--kill")
        self.check(out, err)
        self.assertIn("== kill -9", out)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
