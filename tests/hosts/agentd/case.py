"""What the tests of agentd begin with. The first arguments are the programs AGENTD and WFSM."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import Project

AGENTD, WFSM = (str(Path(name).resolve()) for name in sys.argv[1:3])
ID = "add-login"


class Case(unittest.TestCase):
    def project(self, script=None, **more):
        made = Project(AGENTD, script, **more)
        self.addCleanup(made.close)
        return made

    def ran(self):
        """A file for what tests of a project write, outside of it."""
        if not hasattr(self, "scratch"):
            self.scratch = tempfile.TemporaryDirectory(prefix="agentd-ran-")
            self.addCleanup(self.scratch.cleanup)
        return Path(self.scratch.name) / "ran"

    def planned(self, script=None, **more):
        made = self.project(script, **more)
        made.run("plan", ID, "add a login")
        made.forget_calls()
        return made

    def phase(self, project, phase, verdict=None):
        state = project.state()
        self.assertEqual(state["phase"], phase)
        if verdict:
            self.assertEqual(state["verdict"], verdict)
        self.assertIn(f"phase={phase}", project.run("status", ID))

    def journal(self, project, name=ID):
        done = subprocess.run([WFSM, "journal", "--json", project.agentd / ".state/agentd.db",
                               name], capture_output=True, text=True, check=True)
        return [row["record"] for row in json.loads(done.stdout)]
