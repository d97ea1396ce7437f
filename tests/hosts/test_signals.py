#!/usr/bin/python3
"""SIGTERM, SIGHUP and Ctrl-C at each moment of a run of each host: it pauses, and `resume` continues.

usage: test_signals.py [--step N] COORDINATOR AIGENTFLOW [AGENTD]

The moments are events: the host has printed its nth line, its nth agent has begun, its nth agent has
answered and is about to end, it waits for its nth call of git. With --step, only every nth moment is
tried. After each one:

- the host ends with the code that stands for a pause, or has come to its end already;
- none of its agents is left;
- `resume` comes to the end that the run has which nobody disturbs, over the same states;
- no work is asked for that was not asked for there, and only what was at work is begun a second time.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from processes import ends, is_alive

WORDS = sys.argv[1:]
STEP = int(WORDS[1]) if WORDS[0] == "--step" else 1
PROGRAMS = {Path(name).name: str(Path(name).resolve()) for name in (WORDS[2:] if WORDS[0] == "--step" else WORDS)}
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SIGNALS = ("TERM", "HUP", "INT")
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

# It begins, listens to nothing, and ends for nobody.
STUBBORN = """trap '' TERM HUP INT
echo > "{root}/ready"
while :; do sleep 0.05; done"""

# Agents in parallel each have a number of their own: the name of a folder that only one can make.
AGENT = r"""#!/bin/sh
given=$(cat)
n=1; while [ -d "{root}/begun" ] && ! mkdir "{root}/begun/$n" 2> /dev/null; do n=$((n + 1)); done
echo "$WFSM_INVOCATION_ID $WFSM_ATTEMPT $$" > "{root}/begun/$n/part"
mv "{root}/begun/$n/part" "{root}/begun/$n/line"
if [ -e "{root}/begin.$n" ]; then kill -s "$(cat "{root}/begin.$n")" $PPID; exec sleep 600; fi
{answer}
if [ -e "{root}/end.$n" ]; then kill -s "$(cat "{root}/end.$n")" $PPID; fi
"""

# The signal comes while the host waits for what git prints.
GIT = r"""#!/bin/sh
n=0; read -r n < "{root}/gits"; n=$((n + 1)); echo $n > "{root}/gits"
if [ -e "{root}/git.$n" ]; then
    until read -r all < /proc/$PPID/stat && case "${all##*) }" in S*) ;; *) false ;; esac; do :; done
    kill -s "$(cat "{root}/git.$n")" $PPID
fi
exec {git} "$@"
"""


class Run:
    """A folder with a project and agents, where a host runs once."""

    SAYS = "stderr"  # how to continue

    def __init__(self, name, grace_ms=300, answer=None):
        self.grace_ms, self.answer = grace_ms, answer
        self.temporary = tempfile.TemporaryDirectory(prefix="hosts-signals-", dir=MEMORY)
        self.root = Path(self.temporary.name)
        self.program = PROGRAMS[name]
        (self.root / "begun").mkdir()
        (self.root / "gits").write_text("0\n")
        self.script("bin/git", GIT.replace("{git}", shutil.which("git")))
        self.git("init", "-q", "-b", "main")
        (self.root / "a.txt").write_text("one\n")
        self.make()
        self.git("add", "-A")
        self.git("commit", "-qm", "one")

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.root,
                       check=True, capture_output=True)

    def script(self, name, text):
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace("{root}", str(self.root)))
        path.chmod(0o755)
        return path

    def agent(self, name, answer):
        path = self.script(f"agents/{name}", AGENT.replace("{answer}", self.answer or answer))
        return f'["{path}"]\ngrace_ms = {self.grace_ms}\n'

    def begin(self, *words):
        return subprocess.Popen([self.program, *words], cwd=self.root, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                env={**os.environ, "LC_ALL": "C.UTF-8",
                                     "PATH": f"{self.root}/bin:{os.environ['PATH']}"})

    def calls(self):
        """[id, attempt, process] of each time that an agent was begun."""
        folders = sorted((self.root / "begun").iterdir(), key=lambda path: int(path.name))
        return [(path / "line").read_text().split() for path in folders if (path / "line").exists()]

    def git_calls(self):
        return int((self.root / "gits").read_text())

    def close(self):
        self.temporary.cleanup()


class Coordinator(Run):
    PAUSED, COMMAND = 130, ("run", "--task", "Do it", "--workspace", ".", "--id", "t")
    RESUME = (("resume", "t"),)

    def make(self):
        text = f'machine = "{EXAMPLES}/coordinator/coordinator.json"\n'
        for name, answer in (("coder", "echo x >> made.txt\necho '{\"summary\":\"did it\",\"changed_files\":[]}'"),
                             ("reviewer", "case $given in *'\"round\":1,'*) echo '{\"decision\":\"changes_requested\","
                              "\"summary\":\"no\",\"must_fix\":[{\"message\":\"more\"}]}' ;;\n*) "
                              "echo '{\"decision\":\"approve\",\"must_fix\":[],\"summary\":\"good\"}' ;; esac"),
                             ("tester", "echo '{\"commands\":[{\"argv\":[\"true\"]}],\"summary\":\"fine\"}'")):
            text += f"[agents.{name}]\ncommand = {self.agent(name, answer)}"
        (self.root / "coordinator.toml").write_text(text)
        (self.root / ".gitignore").write_text("/begun/\n/begin.*\n/end.*\n/bin/\n/git.*\n/gits\n/coordinator.db*\n/logs/\n/worktrees/\n")

    def ended(self):
        out = subprocess.run([self.program, "history", "t", "--json"], cwd=self.root, capture_output=True,
                             text=True, check=True).stdout
        rows = [json.loads(line) for line in out.splitlines()]
        return [(row["event"], row["to"]) for row in rows if row.get("to")]


class Aigentflow(Run):
    SAYS = "stdout"
    PAUSED, COMMAND = 130, ("run", "Do it", "--id", "t", "--epic", "epic.json")
    RESUME = (("resume", "t"),)

    def make(self):
        analysis = {"taskType": "feature", "complexity": "simple", "requiresUI": False, "requiresBackend": True,
                    "requiresArchitecture": False, "requiresApproval": False,
                    "suggestedAgents": ["backend_developer", "tester", "reviewer"]}
        git = """case "$given" in *'"action":"worktree"'*) f=${given#*'"featureId":"'}; f=${f%%'"'*}
    echo "{\\"success\\":true,\\"output\\":{\\"worktreePath\\":\\"/tmp/$f\\",\\"branch\\":\\"b/$f\\"}}" ;;
*) echo '{"success":true,"output":{"merged":[],"conflicts":[]}}' ;; esac"""
        text = f'machines = "{EXAMPLES}/aigentflow"\nproject = "."\nproject_id = "p"\n'
        for name in ("project_manager", "backend_developer", "tester", "reviewer", "git_agent", "task_analyzer"):
            answer = {"git_agent": git, "task_analyzer": f"echo '{json.dumps(analysis)}'"}.get(
                name, "echo '{\"success\":true,\"output\":\"did it\"}'")
            text += f"[agents.{name}]\ncommand = {self.agent(name, answer)}"
        (self.root / "aigentflow.toml").write_text(text + '[agents.default]\ncommand = ["false"]\n')
        (self.root / "epic.json").write_text(json.dumps(
            {"epicId": "e", "features": [{"featureId": "a", "name": "A", "needsFrontend": False},
                                         {"featureId": "b", "name": "B", "needsFrontend": False,
                                          "dependsOn": ["a"]}]}))

    def ended(self):
        made = []
        for more in (), ("--feature", "a"), ("--feature", "b"):
            out = subprocess.run([self.program, "history", "t", *more], cwd=self.root, capture_output=True,
                                 text=True, check=True).stdout
            made.append(re.findall(r"(\S+) -> (\S+) \((\S+)\)", out))
        return made


class Agentd(Run):
    PAUSED, COMMAND = 130, ("plan", "add-it", "Add it")
    RESUME = (("resume", "add-it"), ("plan", "add-it"))

    def make(self):
        subprocess.run([self.program, "init"], cwd=self.root, check=True, capture_output=True)
        proposal = "# c\\n\\n## why:\\n\\nx\\n\\n## What Changes\\n\\nx\\n\\n## Impact\\n\\nx\\n"
        answer = r"""case "$given" in
*'"step":"proposal"'*) echo '{"files":[{"path":"proposal.md","text":"%s"}]}' ;;
*'"step":"specs"'*) echo '{"files":[{"path":"specs/a.md","text":"# a\\n"}]}' ;;
*'"step":"tasks"'*) echo '{"files":[{"path":"tasks.md","text":"- [ ] it"}]}' ;;
*'"step":"reproposal"'*) echo '{"files":[{"path":"specs/a.md","text":"# a\\n\\nBetter.\\n"}]}' ;;
*'"step":"challenge"'*'"iteration":0'*) echo '{"report":"Verdict: NEEDS_REVISION"}' ;;
*) echo '{"report":"Verdict: APPROVED"}' ;;
esac""" % proposal.replace("\\", "\\\\")
        text = "version = 1\n"
        for role in ("proposer", "challenger", "implementer", "reviewer"):
            text += f"[agents.{role}]\ncommand = {self.agent(role, answer)}"
        (self.root / "agentd/config.toml").write_text(text)

    def ended(self):
        out = subprocess.run([self.program, "status", "add-it", "--json"], cwd=self.root, capture_output=True,
                             text=True, check=True).stdout
        seen = json.loads(out)
        return [seen["phase"], seen["verdict"], seen["iteration"], seen["resting"],
                (self.root / "agentd/changes/add-it/specs/a.md").read_text()]


HOSTS = {"coordinator": Coordinator, "aigentflow": Aigentflow, "agentd": Agentd}


class Signals(unittest.TestCase):
    def undisturbed(self, name):
        run = HOSTS[name](name)
        self.addCleanup(run.close)
        process = run.begin(*run.COMMAND)
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, out + err)
        return run.ended(), [call[0] for call in run.calls()], len(out.splitlines()), run.git_calls()

    def disturbed(self, run, kind, number, name):
        """The exit code and what was said; the signal is sent at this moment."""
        if kind != "line":
            (run.root / f"{kind}.{number}").write_text(name)
        process = run.begin(*run.COMMAND)
        said = []
        if kind == "line":
            said = [process.stdout.readline() for _ in range(number)]
            process.send_signal(getattr(signal, "SIG" + name))
        out, err = process.communicate(timeout=600)
        return process.returncode, "".join(said) + out + err

    def resumed(self, run):
        """`resume`, and where nothing was interrupted the command again."""
        said = ""
        for words in run.RESUME:
            process = run.begin(*words)
            out, err = process.communicate(timeout=600)
            said += out + err
            if process.returncode == 0:
                return said
        self.fail(said)

    def check(self, name, kind, number, which, expected):
        states, asked, *_ = expected
        run = HOSTS[name](name)
        try:
            code, said = self.disturbed(run, kind, number, which)
            self.assertIn(code, (0, run.PAUSED), said)
            for call in run.calls():
                self.assertTrue(ends(int(call[2])), said)
            before = len(run.calls())
            if code != 0:
                said += self.resumed(run)
            self.assertEqual(run.ended(), states, said)
            ids = [call[0] for call in run.calls()]
            self.assertEqual(len(set(ids)), len(asked), said)
            again = [one for one in set(ids) if ids.count(one) > 1]
            self.assertLessEqual(len(ids), len(asked) + len(again), said)
            for one in again:
                self.assertIn(one, ids[:before], said)
            return code
        finally:
            run.close()

    def host(self, name):
        if name not in PROGRAMS:
            self.skipTest(f"no {name}")
        expected = self.undisturbed(name)
        moments = [("line", n) for n in range(1, expected[2] + 1)]
        moments += [(kind, n) for kind in ("begin", "end") for n in range(1, len(expected[1]) + 1)]
        moments += [("git", n) for n in range(1, expected[3] + 1)]
        paused = 0
        for index, (kind, number) in enumerate(moments[::STEP]):
            which = SIGNALS[index % len(SIGNALS)]
            with self.subTest(moment=f"{kind} {number}", signal=which):
                paused += self.check(name, kind, number, which, expected) != 0
        print(f"{name}: {len(moments[::STEP])} moments, {paused} pauses", flush=True)
        self.assertGreater(paused, 0)

    def test_a_second_ctrl_c_kills_agents_that_do_not_listen(self):
        for name in PROGRAMS:
            with self.subTest(name):
                run = HOSTS[name](name, grace_ms=600000, answer=STUBBORN)
                self.addCleanup(run.close)
                process = run.begin(*run.COMMAND)
                while not (run.root / "ready").exists():
                    self.assertIsNone(process.poll())
                process.send_signal(signal.SIGINT)
                while "resume" not in getattr(process, run.SAYS).readline():
                    self.assertIsNone(process.poll())
                self.assertTrue(is_alive(int(run.calls()[0][2])))
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=600)
                self.assertEqual(process.returncode, run.PAUSED, out + err)
                for call in run.calls():
                    self.assertTrue(ends(int(call[2])))

    def test_coordinator(self):
        self.host("coordinator")

    def test_aigentflow(self):
        self.host("aigentflow")

    def test_agentd(self):
        self.host("agentd")


if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and programs inherit that
    unittest.main(argv=sys.argv[:1])
