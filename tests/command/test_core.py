"""The command of a build without libwfsm-tools says what is missing, and does everything else.

usage: test_core.py WFSM
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WFSM = sys.argv[1]
MACHINE = {"id": "m", "initial": "a", "states": {"a": {"on": {"go": "b"}}, "b": {"type": "final"}},
           "properties": {"fine": {"never": {"in_state": "b"}}}}
MISSING = ("this wfsm was built without libwfsm-tools; build it with `meson setup "
           "-Dverify=enabled`")


class Core(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.machine = Path(folder.name, "m.json")
        self.machine.write_text(json.dumps(MACHINE), encoding="utf-8")

    def run_command(self, *arguments, lines=""):
        done = subprocess.run([WFSM, *map(str, arguments)], input=lines, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, done.stdout, done.stderr

    def test_graph_and_verify_say_what_is_missing(self):
        for name in ("graph", "verify"):
            code, out, err = self.run_command(name, self.machine)
            self.assertEqual((64, ""), (code, out))
            self.assertIn(f"{name}: {MISSING}", err)
            code, out, _ = self.run_command(name, "--help")
            self.assertEqual(0, code)
            self.assertIn(MISSING, out)

    def test_simulate_runs_but_watches_no_properties(self):
        code, out, _ = self.run_command("simulate", self.machine, lines='{"event": "go"}\n')
        self.assertEqual(0, code)
        self.assertIn('"configuration": ["b"]', out)
        code, out, err = self.run_command("simulate", "--properties", self.machine)
        self.assertNotEqual(0, code)
        self.assertIn(f"--properties: {MISSING}", out + err)

    def test_a_worker_needs_agents(self):
        code, out, err = self.run_command("work", "s.db")
        self.assertEqual((64, ""), (code, out))
        self.assertIn("work: this wfsm was built without libwfsm-agents", err)

    def test_check_does_not_need_it(self):
        self.assertEqual(0, self.run_command("check", self.machine)[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
