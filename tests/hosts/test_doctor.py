#!/usr/bin/python3
"""The command doctor of the three hosts: one line for each thing that a run needs.

usage: test_doctor.py COORDINATOR AIGENTFLOW [AGENTD]
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAMS = [str(Path(name).resolve()) for name in sys.argv[1:]]
SOURCE = Path(__file__).resolve().parents[2]
HOSTS = {
    "coordinator": ("coordinator.toml", ("coder", "reviewer", "tester"), ""),
    "aigentflow": ("aigentflow.toml", ("tester", "default"),
                   f'project = "."\nmachines = "{SOURCE}/examples/aigentflow"\n'),
    "agentd": ("agentd/config.toml", ("proposer", "challenger", "implementer", "reviewer"), ""),
}
GIT = shutil.which("git")


@unittest.skipUnless(GIT, "no git")
class Doctor(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="host-doctor-")
        self.addCleanup(self.temporary.cleanup)
        self.environment = dict(os.environ, LC_ALL="C.UTF-8")
        for name in ("https_proxy", "http_proxy", "all_proxy"):
            self.environment.pop(name, None)
            self.environment.pop(name.upper(), None)

    def each(self):
        """Each host in turn; its name, and self.path is its project."""
        for program in PROGRAMS:
            name = Path(program).name
            self.program, (self.config, self.roles, self.head) = program, HOSTS[name]
            self.path = Path(self.temporary.name) / name
            self.path.mkdir(exist_ok=True)
            (self.path / self.config).parent.mkdir(exist_ok=True)
            subprocess.run([GIT, "init", "-q"], cwd=self.path, check=True)
            yield name

    def configure(self, agent, head=""):
        """The roles differ, because nobody may judge its own work."""
        text = self.head + head
        for role in self.roles:
            text += f"[agents.{role}]\n" + agent.replace("ROLE", role)
        (self.path / self.config).write_text(text)

    def doctor(self, code, *more):
        done = subprocess.run([self.program, "doctor", *more], cwd=self.path, text=True,
                              capture_output=True, env=self.environment, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def http(self, port, more=""):
        return (f'type = "http"\napi = "openai"\nmodel = "ROLE"\n'
                f'base_url = "http://127.0.0.1:{port}/v1"\n{more}')

    def test_all_is_well(self):
        for _ in self.each():
            self.configure('command = ["true", "ROLE"]\n')
            out = self.doctor(0)
            self.assertRegex(out, rf"(?m)^configuration: ok: .*{self.config}$")
            self.assertRegex(out, r"(?m)^git: ok: git version .*; no commit has the project yet")
            self.assertRegex(out, r"(?m)^disk: ok: /.*: \d+ MiB are free$")
            folders = re.findall(r"(?m)^disk: ok: (/.*): ", out)
            self.assertEqual(len(folders), len(set(folders)))
            self.assertRegex(out, rf"(?m)^{self.roles[0]}: not tried \(command\): the program is there$")

    def test_each_program_is_tried_once(self):
        for name in self.each():
            if name == "aigentflow":
                script = self.path / "claude"
                script.write_text("#!/bin/sh\necho once >> " + str(self.path / "tries") + "\n"
                                  "echo '1.0.0 (Claude Code)'\n")
                script.chmod(0o755)
                self.configure(f'kind = "claude"\ncommand = ["{script}"]\n')
                out = self.doctor(1)
                self.assertEqual(len(re.findall(r"(?m)^\w+: version \(claude 1", out)), 13)
                self.assertEqual((self.path / "tries").read_text(), "once\n")

    def test_json(self):
        for _ in self.each():
            self.configure('command = ["no-such-program", "ROLE"]\n')
            found = [json.loads(line) for line in self.doctor(1, "--json").splitlines()]
            checks = {one["check"]: one for one in found}
            self.assertEqual(checks["git"]["state"], "ok")
            self.assertIsNone(checks["git"]["advice"])
            self.assertEqual(checks[self.roles[0]]["state"], "missing")
            self.assertIn("install it", checks[self.roles[0]]["advice"])

    def test_a_configuration_that_is_wrong(self):
        for _ in self.each():
            (self.path / self.config).write_text("nonsense = 1\n")
            out = self.doctor(2)
            self.assertRegex(out, rf"^configuration: failed: .*{self.config}:1:\d+: .*nonsense.*; correct it")
            self.assertEqual(out.count("\n"), 1)
            (self.path / self.config).unlink()
            self.assertRegex(self.doctor(2), rf"^configuration: failed: there is no .*{self.config}; `[a-z]+ init` writes one\n$")

    def test_json_of_a_configuration_that_is_wrong(self):
        elsewhere = tempfile.mkdtemp(prefix="host-doctor-")  # no project, nor in one
        self.addCleanup(os.rmdir, elsewhere)
        for name in self.each():
            (self.path / self.config).write_text("nonsense = 1\n")
            found = json.loads(self.doctor(2, "--json"))
            self.assertEqual((found["check"], found["state"], found["advice"]), ("configuration", "failed", "correct it"))
            self.assertRegex(found["found"], rf"{self.config}:1:\d+: .*nonsense")
            self.path = elsewhere
            self.assertEqual(json.loads(self.doctor(2, "--json")), {
                "check": "configuration", "state": "failed", "found": f"there is no {self.config}",
                "advice": f"`{name} init` writes one"})
            self.assertEqual(self.doctor(2), f"configuration: failed: there is no {self.config}; `{name} init` writes one\n")

    def test_no_room_for_temporary_files(self):
        for name in self.each():
            self.configure('command = ["true", "ROLE"]\n')
            self.environment["TMPDIR"] = "/proc"
            found = [json.loads(line) for line in self.doctor(1, "--json").splitlines()]
            self.assertEqual([one["found"] for one in found if one["check"] == "agents"],
                             ["cannot make a folder for temporary files"])

    def test_the_endpoint_of_a_model(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            for _ in self.each():
                self.configure(self.http(port, 'key_env = "DOCTORS_KEY"\n'))
                self.assertRegex(self.doctor(1), rf"(?m)^{self.roles[0]}: auth \(http\): the variable "
                                                 "DOCTORS_KEY is not set; set it")
                self.environment["DOCTORS_KEY"] = "x"
                self.assertRegex(self.doctor(0), rf"(?m)^{self.roles[0]}: ok \(http\): its endpoint can "
                                                 "be reached; the model is not asked$")
                del self.environment["DOCTORS_KEY"]
        for _ in self.each():
            self.configure(self.http(port, 'key_file = "{dir}/no-key"\n'))
            self.assertIn("no key is there; write the key", self.doctor(1))
            (self.path / self.config).with_name("no-key").write_text("x")
            (self.path / self.config).with_name("no-key").chmod(0o600)
            self.assertRegex(self.doctor(1), rf"(?m)^{self.roles[0]}: network \(http\): http://127.*: "
                                             "Connection refused; look at the network")

    def test_no_git(self):
        empty = Path(self.temporary.name) / "bin"
        empty.mkdir()
        for name in ("sh", "true"):
            (empty / name).symlink_to(shutil.which(name))
        for _ in self.each():
            self.configure('command = ["true", "ROLE"]\n')
            self.environment["PATH"] = str(empty)
            self.assertRegex(self.doctor(1), "(?m)^git: failed: it is not installed; install git")

    def test_a_disk_without_room(self):
        self.program = PROGRAMS[0]
        for _ in self.each():
            if "coordinator" in self.program:
                self.configure('command = ["true"]\n', 'logs = "/proc/logs"\n')
                self.assertRegex(self.doctor(1), "(?m)^disk: failed: /proc: .*; (make room|let your user)")

    def test_no_agents(self):
        for name in self.each():
            (self.path / self.config).write_text(self.head)
            if name == "agentd":
                self.assertIn("proposer: failed: ", self.doctor(1))

    def test_help(self):
        for name in self.each():
            done = subprocess.run([self.program, "--help"], capture_output=True, text=True, check=True)
            self.assertIn(f"{name} doctor", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
