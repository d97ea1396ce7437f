#!/usr/bin/python3
"""coordinator init and clean, and --version.

usage: test_project.py COORDINATOR
"""

import os
import pty
import shutil
import subprocess
import unittest

from test_coordinator import CHANGES, COORDINATOR, TESTER, Host
from test_workspace import Workspace

CODING = """#!/bin/sh
if [ "$1" = --version ]; then echo "{version}"; exit 0; fi
cat > /dev/null
echo '{{"type": "result", "is_error": true, "result": "Not logged in"}}'
exit 1
"""


class Init(Host):
    FILES = ["coordinator.toml", "prompts/coder.md", "prompts/reviewer.md", "prompts/tester.md"]

    def setUp(self):
        super().setUp()
        self.empty = self.path / "fresh"
        self.empty.mkdir()
        self.path = self.empty
        self.programs = self.empty.parent / "programs"
        self.programs.mkdir()
        old = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", old)
        os.environ["PATH"] = f"{self.programs}:/usr/bin:/bin"

    def install(self, name, text):
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def test_files_of_a_project_that_has_none(self):
        out = self.expect(1, "init", "--agent", "command").out
        for name in self.FILES:
            self.assertTrue((self.path / name).is_file(), name)
            self.assertIn(f"{name}: written", out)
        # What doctor says: these programs are placeholders.
        for role in ("coder", "reviewer", "tester"):
            self.assertRegex(out, f"(?m)^{role}: missing \\(command\\)")
        self.assertIn("coordinator run", out)
        ignored = (self.path / ".gitignore").read_text().splitlines()
        self.assertEqual(ignored, ["/coordinator.db", "/coordinator.db-*", "/logs/", "/worktrees/"])

    def test_nothing_is_overwritten(self):
        self.expect(1, "init", "--agent", "command")
        (self.path / "coordinator.toml").write_text(
            (self.path / "coordinator.toml").read_text().replace("my-", "true-"))
        (self.path / "prompts/coder.md").write_text("mine")
        (self.path / ".gitignore").write_text("*.o\n/logs/")
        before = (self.path / "coordinator.toml").read_text()
        out = self.expect(1, "init", "--yes").out
        self.assertIn("coordinator.toml: exists already", out)
        self.assertIn("true-coder", before)
        self.assertEqual((self.path / "coordinator.toml").read_text(), before)
        self.assertEqual((self.path / "prompts/coder.md").read_text(), "mine")
        self.assertEqual((self.path / ".gitignore").read_text(),
                         "*.o\n/logs/\n/coordinator.db\n/coordinator.db-*\n/worktrees/\n")
        self.assertIn(".gitignore: has all lines", self.expect(1, "init", "--yes").out)

    def test_a_coding_agent_that_is_installed(self):
        self.install("codex", CODING.format(version="codex-cli 0.169.0"))
        out = self.expect(1, "init", "--yes").out
        text = (self.path / "coordinator.toml").read_text()
        self.assertEqual(text.count('kind = "codex"'), 3)
        self.assertEqual(text.count('access = "write"'), 1)
        self.assertRegex(out, r"(?m)^coder: \w+ \(codex")
        # And the configuration is one.
        self.expect(3, "list")

    def test_what_it_writes_runs(self):
        self.expect(1, "init", "--agent", "command")
        config = self.path / "coordinator.toml"
        for name, body in (("coder", """echo '{"summary":"did it"}'"""),
                           ("reviewer", """echo '{"decision":"approve"}'"""), ("tester", TESTER)):
            self.install(f"my-{name}", f"#!/bin/sh\ncat > /dev/null\n{body}\n")
        self.assertNotIn("machine", config.read_text())
        self.assertIn("not tried (command)", self.expect(0, "init", "--yes").out)
        self.expect(0, "run", "--task", "Do it", "--workspace", ".")

    def test_without_a_terminal_somebody_has_to_say_which(self):
        self.assertIn("--yes", self.expect(2, "init").err)
        self.assertEqual(os.listdir(self.path), [])
        for line in (["init", "--agent", "emacs"], ["run", "--yes"], ["init", "x"],
                     ["list", "--all"]):
            self.expect(2, *line)

    def test_at_a_terminal_it_asks(self):
        main, other = pty.openpty()
        process = subprocess.Popen([COORDINATOR, "init"], cwd=self.path, stdin=other,
                                   stdout=other, stderr=other,
                                   env={**os.environ, "LC_ALL": "C.UTF-8"})
        os.close(other)
        os.write(main, b"nonsense\ncommand\n\ncodex\n")
        said = b""
        while True:
            try:
                block = os.read(main, 65536)
            except OSError:
                break
            if not block:
                break
            said += block
        os.close(main)
        self.assertEqual(process.wait(60), 1)
        text = (self.path / "coordinator.toml").read_text()
        self.assertEqual((text.count('command = ["my-'), text.count('kind = "codex"')), (2, 1))
        self.assertIn(b"tester: missing (codex", said)

    def test_version(self):
        self.assertRegex(self.expect(0, "--version").out, r"^coordinator \d+\.\d+")


class Clean(Workspace):
    def files(self, task):
        return [name for name in os.listdir(self.path / "logs") if name.startswith(f"{task}+")]

    def test_what_has_landed_goes_and_the_task_stays(self):
        self.configure(head="keep_days = 0")
        self.agents(coder=self.edits(3, "three"))
        self.new_task(0, "--id", "t")
        self.new_task(0, "--id", "t-2")
        self.assertTrue(self.files("t"))
        out = self.expect(0, "clean", "t").out
        self.assertIn("worktrees/t is removed", out)
        self.assertFalse((self.path / "worktrees/t").exists())
        self.assertEqual(self.files("t"), [])
        self.assertTrue(self.files("t-2"))
        self.assertTrue((self.path / "worktrees/t-2").exists())
        self.assertNotIn("wfsm/t\n", self.git("branch") + "\n")
        self.assertIn("approved", self.expect(0, "status", "t").out)
        self.expect(0, "clean")
        self.assertEqual(os.listdir(self.path / "logs"), [])
        self.assertEqual(self.git("worktree", "list").count("\n"), 0)
        self.assertEqual(self.expect(0, "clean").out, "")
        # A follow-up makes it again.
        self.agents(coder=self.edits(4, "four"))
        self.expect(0, "followup", "t", "--message", "more")
        self.assertEqual(self.text(), self.expected(l3="three", l4="four"))

    def test_what_has_not_landed_is_kept(self):
        self.configure(head="max_rounds = 1\nkeep_days = 0")
        self.agents(coder=self.edits(3, "three"), reviewer=CHANGES)
        self.new_task(1, "--id", "t")
        self.assertIn("the branch wfsm/t is kept", self.expect(0, "clean").out)
        self.assertIn("three", self.git("show", "wfsm/t:a.txt"))
        self.agents()
        self.expect(0, "followup", "t", "--message", "it was good")
        self.assertEqual(self.text(), self.expected(l3="three"))
        self.agents(coder=self.edits(4, "four"), reviewer=CHANGES)
        self.expect(1, "followup", "t", "--message", "more")
        self.expect(0, "clean", "--all", "t")
        self.assertEqual(self.git("branch"), "* main")

    def test_what_is_young_is_kept_and_what_is_at_work(self):
        self.new_task(0, "--id", "t")
        self.assertEqual(self.expect(0, "clean").out, "")
        self.assertTrue((self.path / "worktrees/t").exists())
        self.agents(coder=f"until [ -e {self.path}/go ]; do sleep 0.05; done\nexit 1")
        (self.path / "coder.in").unlink()
        process = self.begin("run", "--task", "Do it", "--workspace", "project", "--id", "u")
        self.wait_until(lambda: (self.path / "coder.in").exists())
        self.assertIn("has not ended", self.expect(1, "clean", "u").err)
        self.assertTrue((self.path / "worktrees/u").exists())
        (self.path / "go").touch()
        process.communicate(timeout=600)

    def test_a_copy(self):
        shutil.rmtree(self.project / ".git")
        self.configure(head="max_rounds = 1\nkeep_days = 0")
        self.agents(coder=self.edits(3, "three"), reviewer=CHANGES)
        self.new_task(1, "--id", "t")
        self.assertIn("is kept", self.expect(0, "clean").out)
        self.assertTrue((self.path / "worktrees/t").exists())
        self.expect(0, "clean", "--all")
        self.assertEqual([name for name in os.listdir(self.path / "worktrees")], [])


del Workspace

if __name__ == "__main__":
    unittest.main(argv=["test_project.py"])
