#!/usr/bin/python3
"""The document names an agent that nobody has. The host says so after a minute, and continues.

usage: test_misspelt.py COORDINATOR FASTER_CLOCK.so
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

COORDINATOR, FASTER = (str(Path(name).resolve()) for name in sys.argv[1:3])
MACHINE = Path(__file__).resolve().parents[2] / "examples/coordinator/coordinator.json"
CONFIG = """machine = "{dir}/coordinator.json"
store = "tasks.db"
[agents.coder]
command = ["true"]
[agents.reviewer]
command = ["true"]
[agents.tester]
command = ["true"]
"""


class Misspelt(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-misspelt-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        document = MACHINE.read_text()
        self.assertIn('"src": "coder"', document)
        (self.folder / "coordinator.json").write_text(
            document.replace('"src": "coder"', '"src": "codre"'))
        (self.folder / "coordinator.toml").write_text(CONFIG)
        (self.folder / "project").mkdir()

    def test_the_host_tells_of_it_once(self):
        said = self.folder / "said"
        with said.open("wb") as out:
            host = subprocess.Popen(
                [COORDINATOR, "run", "--task", "Do it", "--workspace", "project", "--id", "t"],
                cwd=self.folder, stdout=out, stderr=out, env={**os.environ, "LD_PRELOAD": FASTER})
        self.addCleanup(host.wait)
        self.addCleanup(host.kill)
        for _ in range(6000):  # a real minute where the clock cannot be made faster
            if b"codre" in said.read_bytes() or host.poll() is not None:
                break
            time.sleep(0.1)
        time.sleep(3)  # another minute and a half for the host
        self.assertIsNone(host.poll(), said.read_text())
        self.assertRegex(said.read_text(), r'(?m)^\[ +\d+\.\ds\] t  the invocation "t/[^"]*" waits '
                                           r'for the agent "codre"')
        self.assertEqual(said.read_text().count("codre"), 1)
        host.send_signal(signal.SIGINT)
        self.assertIsNotNone(host.wait(60))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
