"""A project for the tests of agentd, and the program run in it."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

AGENT = Path(__file__).resolve().with_name("agentd_agent.py")
CONFIG = """version = 1
[workflow]
planning_iterations = {planning}
implementation_iterations = {implementation}
sequential_implementation = {sequential}
[checks]
test = {test}
scan = {scan}
ignore = ["calls.jsonl", "agents.json", "go"]
"""
ROLE = """[agents.{role}]
command = ["{python}", "-I", "-S", "-B", "{agent}", "{role}", "{root}"]
timeout_ms = 20000
grace_ms = 500
"""
ROLES = ("proposer", "challenger", "implementer", "reviewer")


class Project:
    """A folder with a configuration whose agents do what `script` says."""

    def __init__(self, program, script=None, planning=2, implementation=2, sequential=True,
                 test=("true",), scan=()):
        self.program = str(program)
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # syncs cost nothing
        self.temporary = tempfile.TemporaryDirectory(prefix="agentd-", dir=memory)
        self.root = Path(self.temporary.name)
        self.agentd = self.root / "agentd"
        self.run("init")
        text = CONFIG.format(planning=planning, implementation=implementation,
                             sequential=str(sequential).lower(),
                             test=json.dumps(list(test)), scan=json.dumps(list(scan)))
        for role in ROLES:
            text += ROLE.format(role=role, python=sys.executable, agent=AGENT,
                                root=self.root)
        (self.agentd / "config.toml").write_text(text)
        self.script(**(script or {}))

    def script(self, **words):
        (self.root / "agents.json").write_text(json.dumps(words))

    def release(self):
        """Ends the waiting of agents that are told to hold."""
        (self.root / "go").touch()

    def start(self, *arguments, **more):
        environment = dict(os.environ, LC_ALL="C.UTF-8", PYTHONDONTWRITEBYTECODE="1")
        return subprocess.Popen([self.program, *arguments], cwd=self.root, env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                **more)

    def run(self, *arguments, code=0):
        process = self.start(*arguments)
        out, errors = process.communicate(timeout=600)
        if code is not None and process.returncode != code:
            raise AssertionError(f"{arguments}: {process.returncode}, not {code}\n"
                                 f"{out}\n{errors}")
        self.code, self.out, self.errors = process.returncode, out, errors
        return out

    def change(self, name="add-login"):
        return self.agentd / "changes" / name

    def workspace(self, name="add-login"):
        """The workspace of a change: where its code is."""
        return self.agentd / ".worktrees" / name

    def archived(self, name="add-login"):
        return self.agentd / "archive" / name

    def state(self, name="add-login"):
        """STATE.yaml as an object of texts; it is plain enough to be read line by line."""
        path = self.change(name) / "STATE.yaml"
        if not path.exists():
            path = self.archived(name) / "STATE.yaml"
        pairs = [line.split(":", 1) for line in path.read_text().splitlines()
                 if ":" in line and not line.startswith("#")]
        return {key.strip(): value.strip().strip('"') for key, value in pairs}

    def calls(self):
        path = self.root / "calls.jsonl"
        if not path.exists():
            return []
        return [json.loads(line) for line in path.read_text().splitlines()]

    def steps(self):
        return [call["step"] for call in self.calls()]

    def forget_calls(self):
        (self.root / "calls.jsonl").unlink(missing_ok=True)

    def close(self):
        self.temporary.cleanup()
