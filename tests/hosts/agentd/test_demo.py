#!/usr/bin/python3
"""The demo of agentd, as scripts/demo calls it.

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


class Demo(unittest.TestCase):
    def setUp(self):
        # The programs of the build, in a folder that no other demo works in.
        scratch = tempfile.TemporaryDirectory(prefix="agentd-demo-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        (self.path / "examples").symlink_to(BUILD / "examples")
        (self.path / "cmd").symlink_to(BUILD / "cmd")

    def run_script(self, *words):
        return subprocess.run(words, env=dict(os.environ, LC_ALL="C.UTF-8"), text=True,
                              capture_output=True, timeout=600, check=False)

    def test_the_demo(self):
        # 003-01, 003-02, 003-03, 003-71, 003-116
        done = self.run_script(SOURCE / "examples/agentd/demo", self.path)
        out = done.stdout
        self.assertEqual(done.returncode, 0, out + done.stderr)
        verdicts = re.findall(r"\]\s+add-slug\s+verdict: (\w+)", out)
        self.assertEqual(verdicts, ["NEEDS_REVISION", "APPROVED", "APPROVED", "NEEDS_CHANGES", "APPROVED"])
        # What a person decided is in the code.
        self.assertIn("""+        self.assertEqual(titles.slug('Two  spaces'), 'two-spaces')""", out)
        phases = re.findall(r"Current state: phase=(\w+)", out)
        self.assertEqual(list(dict.fromkeys(phases)),
                         ["none", "Proposed", "Challenged", "Implementing", "Complete",
                          "Archived"])
        self.assertIn("$ python3 -B -m unittest: exit status 0", out)
        self.assertIn("$ python3 -B scan.py: exit status 0", out)
        self.assertIn("+def slug(title):", out)
        self.assertRegex(out, r"archived: \d{4}-\d\d-\d\d")
        self.assertIn("agentd/archive/add-slug/proposal.md", out)
        project = self.path / "demo-agentd/project"
        tested = subprocess.run([sys.executable, "-B", "-m", "unittest"], cwd=project,
                                capture_output=True, check=False)
        self.assertEqual(tested.returncode, 0)
        words = out.split("== To look further")[1].strip()
        looked = self.run_script("bash", "-euc", words)
        self.assertEqual(looked.returncode, 0, looked.stderr)
        self.assertIn("stateDiagram-v2", looked.stdout)

    def test_what_is_not_understood(self):
        for arguments in ([], ["a", "b"], [str(self.path), "--fly"], [str(self.path / "no")]):
            done = self.run_script(SOURCE / "examples/agentd/demo", *arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertTrue(done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
