"""The demo of a cluster, as scripts/demo calls it: three workers on a PostgreSQL server, one killed.

usage: test_cluster.py SRCDIR BUILDDIR
"""
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

SOURCE, BUILD = (Path(path).resolve() for path in sys.argv[1:3])
SKIPPED = 77


def processes_with(text):
    """The processes that have this in their command line or environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            what = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if text.encode() in what:
            found.append(what)
    return found


class Demo(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="cluster-demo-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        (self.path / "cmd").symlink_to(BUILD / "cmd")
        self.demo = subprocess.Popen([SOURCE / "examples/cluster/demo", self.path], text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def nothing_is_left(self, out):
        folder = re.search(r"host=(/tmp/wfsm-cluster-\w+)", out)[1]
        self.assertFalse(os.path.exists(folder))
        end = time.monotonic() + 60  # what was killed may still be there for a moment
        while (left := processes_with(folder) + processes_with(str(self.path))) and (
                time.monotonic() < end):
            time.sleep(0.05)
        self.assertEqual(left, [])

    def test_one_is_killed_and_all_ends(self):
        out = self.demo.communicate(timeout=240)[0]
        self.assertEqual(self.demo.returncode, 0, out)
        table = re.findall(r"(?m)^(\w+) +(\d+) +(\d+) +(\d+) +(\d+)(   killed)?$", out)
        self.assertEqual([row[0] for row in table], ["ada", "bob", "eve"], out)
        self.assertEqual(sum(int(row[4]) for row in table), 18, out)
        self.assertEqual([row[3] for row in table if row[5]], ["0"], out)
        # How soon is no matter of this test: postgres_exchange has it.
        waited = [float(time) for time in re.findall(r"over from .*, ([0-9.]+) s after the kill", out)]
        self.assertEqual(len(waited), sum(int(row[3]) for row in table), out)
        self.nothing_is_left(out)

    def test_interrupted(self):
        out = ""
        while "kill -9" not in out:
            line = self.demo.stdout.readline()
            self.assertTrue(line, out)
            out += line
        self.demo.send_signal(signal.SIGINT)
        out += self.demo.communicate(timeout=240)[0]
        self.assertEqual(self.demo.returncode, 128 + signal.SIGINT, out)
        self.assertIn("interrupted by SIGINT", out)
        self.nothing_is_left(out)


if __name__ == "__main__":
    if not glob.glob("/usr/lib/postgresql/*/bin/postgres") and not shutil.which("postgres"):
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
