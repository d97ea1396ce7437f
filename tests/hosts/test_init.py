#!/usr/bin/python3
"""The command init of the hosts: what it writes for gemini, and all of aigentflow's. Those of the
coordinator and of agentd are tested further in their folders.

usage: test_init.py COORDINATOR AIGENTFLOW [AGENTD]
"""

import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

PROGRAMS = [str(Path(name).resolve()) for name in sys.argv[1:]]
AIGENTFLOW = PROGRAMS[1]
CONFIG = {"coordinator": "coordinator.toml", "aigentflow": "aigentflow.toml",
          "agentd": "agentd/config.toml"}


class Init(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="host-init-")
        self.addCleanup(temporary.cleanup)
        self.path = Path(temporary.name)
        self.programs = self.path / "programs"
        self.programs.mkdir()
        self.env = dict(os.environ, LC_ALL="C.UTF-8", PATH=f"{self.programs}:/usr/bin:/bin")
        self.project = self.path / "project"
        self.project.mkdir()

    def init(self, code, *more, program=AIGENTFLOW):
        done = subprocess.run([program, "init", *more], cwd=self.project, text=True, env=self.env,
                              capture_output=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def config(self, name="aigentflow"):
        return tomllib.loads((self.project / CONFIG[name]).read_text())

    def test_gemini_has_a_model(self):
        """Without one it asks again and again when a quota is used up."""
        for program in PROGRAMS:
            name = Path(program).name
            with self.subTest(name):
                self.init(1, "--agent", "gemini", program=program)
                for agent in self.config(name)["agents"].values():
                    if "kind" in agent:
                        self.assertEqual(agent["model"], "gemini-2.5-pro")
                (self.project / CONFIG[name]).unlink()
                self.init(1, "--agent", "codex", program=program)
                self.assertNotIn("model", str(self.config(name)["agents"]))

    def test_what_is_written(self):
        out = self.init(1, "--agent", "claude")
        for name in ("aigentflow.toml", "prompts/agent.md"):
            self.assertIn(f"{name}: written\n", out)
        self.assertNotIn("./", out)
        agents = self.config()["agents"]
        self.assertEqual(agents["backend_developer"]["access"], "write")
        self.assertEqual(agents["default"]["access"], "read")
        self.assertEqual(agents["reviewer"]["access"], "read")
        self.assertEqual((self.project / ".gitignore").read_text(),
                         "/aigentflow.db\n/aigentflow.db-*\n/logs/\n/worktrees/\n")
        # What doctor says, and the next command.
        self.assertIn("tester: missing (claude)", out)
        self.assertIn("aigentflow run", out)
        done = subprocess.run([AIGENTFLOW, "agents"], cwd=self.project, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_command_has_json(self):
        """All but agentd mcp, which speaks JSON anyway."""
        for program in PROGRAMS:
            name = Path(program).name
            usage = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
            commands = set(re.findall(rf"^(?:usage:)? +{name} ([a-z]+)", usage, re.M)) - {"mcp"}
            self.assertGreater(len(commands), 12)
            for command in commands:
                with self.subTest(f"{name} {command}"):
                    done = subprocess.run([program, command, "--json", "--help"], capture_output=True, text=True,
                                          check=False)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_for_programs(self):
        for program in PROGRAMS:
            name = Path(program).name
            done = subprocess.run([program, "init", "--agent", "command", "--json"], cwd=self.project, text=True,
                                  env=self.env, capture_output=True, check=False)
            self.assertEqual(json.loads(done.stdout), {"config": CONFIG[name], "ready": False})
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"{CONFIG[name]}: written", done.stderr)

    def test_before_it(self):
        """The file that is missing, and what to do."""
        for program in PROGRAMS[:2]:
            name = Path(program).name
            for command in ("run", "--prompt-file", "x"), ("resume",), ("clean",), ("log", "t"):
                command = command[:1] if name == "coordinator" else command
                if name == "coordinator" and command[0] == "log":
                    command = ("log", "t")
                done = subprocess.run([program, *command], cwd=self.project, text=True, env=self.env,
                                      capture_output=True, check=False)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertEqual(done.stderr, f"{name}: there is no {CONFIG[name]} here; `{name} init` writes one, "
                                              "and --config names another\n")

    def test_version(self):
        for host in PROGRAMS:
            done = subprocess.run([host, "--version"], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, rf"^{Path(host).name} \d+\.\d+")

    def test_nothing_is_overwritten(self):
        self.init(1, "--agent", "command")
        for name in ("aigentflow.toml", "prompts/agent.md"):
            path = self.project / name
            path.write_text(path.read_text() + "\n# mine\n")
        out = self.init(1, "--agent", "codex")
        self.assertIn("aigentflow.toml: exists already", out)
        self.assertIn("--agent codex changes nothing", out)
        self.assertIn(".gitignore: has all lines", out)
        for name in ("aigentflow.toml", "prompts/agent.md"):
            self.assertTrue((self.project / name).read_text().endswith("# mine\n"))

    def test_the_one_that_is_installed(self):
        (self.programs / "codex").write_text("#!/bin/sh\necho codex-cli 0.1.0\n")
        (self.programs / "codex").chmod(0o755)
        self.assertIn("tester: version (codex codex-cli 0.1.0)", self.init(1, "--yes"))

    def test_a_command_line_that_is_wrong(self):
        self.assertIn("expected --yes, or --agent", self.init(2))
        self.assertIn("--agent: expected claude", self.init(2, "--agent", "emacs"))
        done = subprocess.run([AIGENTFLOW, "status", "--yes"], cwd=self.project, capture_output=True,
                              text=True, check=False)
        self.assertIn("--yes does not belong to status", done.stderr)
        self.assertEqual(list(self.project.iterdir()), [])

    def test_at_a_terminal_it_asks(self):
        here, there = pty.openpty()
        with subprocess.Popen([AIGENTFLOW, "init"], cwd=self.project, env=self.env, stdin=there,
                              stdout=there, stderr=there) as process:
            os.close(there)
            text = b""
            answers = [b"claude\n", b"\n", b"gemini\n", b"command\n"]
            asked = 0
            try:
                while chunk := os.read(here, 4096):
                    text += chunk
                    if text.count(b"Which program is the") > asked and text.rstrip().endswith(b"]"):
                        asked += 1
                        os.write(here, answers[asked - 1])
            except OSError:
                pass
            process.wait()
        os.close(here)
        agents = self.config()["agents"]
        self.assertEqual([agents[name].get("kind") for name in
                          ("bug_fixer", "tester", "reviewer", "default")],
                         ["claude", "claude", "gemini", None])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
