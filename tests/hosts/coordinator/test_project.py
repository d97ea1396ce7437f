#!/usr/bin/python3
"""coordinator init and clean, and --version.

usage: test_project.py COORDINATOR
"""

import json
import os
import pty
import shutil
import subprocess
import unittest

from test_coordinator import CHANGES, CODER, COORDINATOR, TESTER, Host
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
        self.expect(0, "list")

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
                     ["list", "--force"]):
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
        self.assertEqual(self.expect(0, "clean").out, "nothing to remove: no task has ended long enough ago\n")
        self.assertEqual(self.expect(0, "clean", "--json").out, "")
        # A follow-up makes it again.
        self.agents(coder=self.edits(4, "four"))
        self.expect(0, "followup", "t", "--message", "more")
        self.assertEqual(self.text(), self.expected(l3="three", l4="four"))

    def test_what_has_not_landed_is_kept(self):
        self.configure(head="max_rounds = 1\nkeep_days = 0")
        self.agents(coder=self.edits(3, "three"), reviewer=CHANGES)
        self.new_task(1, "--id", "t")
        self.assertIn("wfsm/t is kept", self.expect(0, "clean").out)
        self.assertIn("three", self.git("show", "wfsm/t:a.txt"))
        self.agents()
        self.expect(0, "followup", "t", "--message", "it was good")
        self.assertEqual(self.text(), self.expected(l3="three"))
        self.agents(coder=self.edits(4, "four"), reviewer=CHANGES)
        self.expect(1, "followup", "t", "--message", "more")
        self.expect(0, "clean", "--force", "t")
        self.assertEqual(self.git("branch"), "* main")

    def test_what_is_young_is_kept_and_what_is_at_work(self):
        self.new_task(0, "--id", "t")
        self.assertEqual(self.expect(0, "clean").out, "nothing to remove: no task has ended long enough ago\n")
        self.assertEqual(self.expect(0, "clean", "--json").out, "")
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
        self.expect(0, "clean", "--force")
        self.assertEqual([name for name in os.listdir(self.path / "worktrees")], [])


CLAUDE = """#!/bin/sh
cat > /dev/null
echo three > a.txt
echo '{"type":"result","subtype":"success","is_error":false,"result":"",
"structured_output":{"summary":"did it"},"session_id":"s","total_cost_usd":0.0123,
"usage":{"input_tokens":100,"output_tokens":20}}'
"""


class Told(Workspace):
    """--json, log, and the summary at the end."""

    def objects(self, code, *line):
        out = self.expect(code, *line, "--json").out
        return [json.loads(one) for one in out.splitlines()]

    def test_every_command_speaks_json(self):
        self.agents(coder=self.edits(3, "three"))
        (run,) = self.objects(0, "run", "--task", "# Do it\nnow", "--workspace", "project",
                              "--id", "t")
        self.assertEqual((run["task"], run["outcome"], run["title"], run["round"]),
                         ("t", "approved", "Do it", 1))
        self.assertEqual((run["change"]["files"], run["landed"]["status"], run["attempts"]),
                         (["a.txt"], "landed", 4))
        self.assertEqual(self.git("rev-parse", "main"), run["change"]["commit"])
        for line in (["status", "t"], ["list"], ["resume", "t"]):
            self.assertEqual(self.objects(0, *line), [run])
        rows = self.objects(0, "history", "t")
        self.assertEqual([row["revision"] for row in rows], list(range(1, len(rows) + 1)))
        self.assertEqual((rows[-1]["event"], rows[-1]["to"]), ("tests_passed", "finalize"))
        (again,) = self.objects(0, "followup", "t", "--message", "once more")
        self.assertEqual(again["messages"][0]["text"], "once more")
        self.assertEqual(self.objects(0, "resume"), [])
        parts = self.objects(0, "log", "t")
        self.assertEqual({tuple(sorted(part)) for part in parts}, {("file", "text")})
        self.assertIn('"decision"', "".join(part["text"] for part in parts))
        removed = self.objects(0, "clean", "t")
        self.assertEqual([one["task"] for one in removed], ["t", "t"])
        self.assertEqual(self.objects(0, "init", "--yes"), [{"config": "coordinator.toml", "ready": True}])

    def test_so_do_those_of_the_operator(self):
        for name in ("coder", "reviewer", "tester"):
            self.agents(**{other: "echo '{\"text\":\"so\"}'"
                           for other in ("coder", "reviewer", "tester")})
        (run,) = self.objects(7, "run", "--task", "x", "--workspace", "project", "--id", "t",
                              "--mode", "proposal")
        self.assertEqual((run["outcome"], len(run["discussion"])), ("await_operator_confirm", 3))
        self.agents(coder=f"until [ -e {self.path}/go ]; do sleep 0.05; done\n{CODER}")
        (self.path / "coder.in").unlink(missing_ok=True)
        process = self.begin("confirm", "t", "--json")
        self.wait_until(lambda: (self.path / "coder.in").exists())
        (seen,) = self.objects(0, "status", "t")
        self.assertEqual((seen["agents"][0]["agent"], seen["outcome"]), ("coder", None))
        self.assertIn(str(process.pid), seen["owner"])
        (told,) = self.objects(0, "abort", "t")
        self.assertEqual(told["task"], "t")
        out, err = process.communicate(timeout=600)
        self.assertEqual((process.returncode, json.loads(out)["outcome"]), (1, "canceled"), err)

    def test_log_follows_until_the_task_is_over(self):
        self.agents(coder=f"echo first >&2; until [ -e {self.path}/go ]; do sleep 0.05; done\n"
                          f"echo second >&2\n{CODER}")
        process = self.begin_task()
        log = self.begin("log", "t")
        while "first" not in (line := log.stdout.readline()):
            self.assertTrue(line, "the log ended while the coder was at work")
        (self.path / "go").touch()
        out, err = log.communicate(timeout=600)
        self.assertEqual(log.returncode, 0, err)
        self.assertLess(out.index("second"), out.index('"decision"'))
        self.assertLess(out.index('"decision"'), out.index('"commands"'))
        process.communicate(timeout=600)
        self.assertIn("second", self.expect(0, "log", "t").out)
        self.expect(3, "log", "nobody")
        self.expect(2, "log")

    def test_the_command_to_look_further_can_be_copied(self):
        self.project = self.project.rename(self.path / "it's mine")
        self.agents(coder=self.edits(3, "three"))
        out = self.expect(0, "run", "--task", "Do it", "--workspace", self.project.name, "--id", "t").out
        (line,) = [line.strip() for line in out.splitlines() if line.strip().startswith("git -C")]
        shown = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True, cwd="/").stdout
        self.assertIn("+three", shown)

    def test_the_end_says_what_was_changed_and_what_it_cost(self):
        (self.path / "claude").write_text(CLAUDE)
        (self.path / "claude").chmod(0o755)
        self.configure(agents=("reviewer", "tester"), more="""
[agents.coder]
kind = "claude"
command = ["{dir}/claude"]
access = "write"
""")
        out = self.new_task(0, "--id", "t").out
        self.assertRegex(out, r"(?m)^  changed +1 file: a.txt$")
        self.assertRegex(out, r"(?m)^  took .* 4 runs of agents and commands$")
        self.assertRegex(out, r"(?m)^  used +100 tokens in, 20 out, \$0\.0123$")
        self.assertRegex(out, r"(?m)^  look +coordinator history t, coordinator log t$")
        command = out.splitlines()[-1].split()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        self.assertIn("+three", done.stdout)
        (shown,) = self.objects(0, "status", "t")
        self.assertEqual(shown["usage"]["micros"], 12300)


del Workspace

if __name__ == "__main__":
    unittest.main(argv=["test_project.py"])
