#!/usr/bin/python3
"""A host's configuration has the address of a server as its store. No password is shown.

usage: test_address.py COORDINATOR AIGENTFLOW
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COORDINATOR, AIGENTFLOW = (str(Path(name).resolve()) for name in sys.argv[1:3])
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ADDRESS = "postgresql://ada:geheim@127.0.0.1:1/db?connect_timeout=1"


class Address(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-address-")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def refused(self, host, *arguments):
        done = subprocess.run([host, *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=600, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("geheim", done.stdout + done.stderr)
        self.assertNotIn("password", done.stderr)
        return done.stderr

    def test_coordinator(self):
        agents = "".join(f'[agents.{name}]\ncommand = ["true"]\n'
                         for name in ("coder", "reviewer", "tester"))
        (self.folder / "coordinator.toml").write_text(
            f'machine = "{EXAMPLES}/coordinator/coordinator.json"\nstore = "{ADDRESS}"\n{agents}')
        (self.folder / "project").mkdir()
        for line in (["run", "--task", "Do it", "--workspace", "project", "--id", "t"], ["list"]):
            self.assertRegex(self.refused(COORDINATOR, *line), "^coordinator: the store: ")

    def test_aigentflow(self):
        (self.folder / "aigentflow.toml").write_text(
            f'machines = "{EXAMPLES}/aigentflow"\nstore = "{ADDRESS}"\n[agents.default]\ncommand = ["true"]\n')
        self.assertIn("aigentflow: the store: PostgreSQL 127.0.0.1:1/db: ", self.refused(AIGENTFLOW, "status"))

    def test_the_parameters_of_wfsm(self):
        (self.folder / "aigentflow.toml").write_text(
            f'machines = "{EXAMPLES}/aigentflow"\nstore = "{ADDRESS}&wfsm_tenant=x"\n'
            '[agents.default]\ncommand = ["true"]\n')
        self.assertRegex(self.refused(AIGENTFLOW, "status"), "wfsm_namespace, with|without PostgreSQL")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
