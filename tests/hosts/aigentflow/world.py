"""Shared by the tests of the program aigentflow: a folder with a project and scripted agents."""

import json
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3]
HERE = SOURCE / "examples/aigentflow"
TYPES = ["project_manager", "architect", "analyst", "ui_designer", "git_agent",
         "frontend_developer", "backend_developer", "tester", "bug_fixer", "merge_resolver",
         "reviewer", "project_analyzer", "compliance_agent"]
FINE = """echo '{"success":true,"output":"did it"}'"""
GIT = """case "$given" in
*'"action":"worktree"'*) f=${given#*'"featureId":"'}; f=${f%%'"'*}
    echo "{\\"success\\":true,\\"output\\":{\\"worktreePath\\":\\"/tmp/$f\\",\\"branch\\":\\"b/$f\\"}}" ;;
*) echo '{"success":true,"output":{"merged":[],"conflicts":[]}}' ;;
esac"""

# The first of the queue, or nobody.
ROUTER = """q=${given#*'"agentQueue":['}
case $q in
']'*) echo '{"next":null,"by":"none","reason":"no agent is left"}' ;;
*) q=${q#'"'}; echo "{\\"next\\":\\"${q%%'"'*}\\",\\"by\\":\\"queue\\",\\"reason\\":\\"next\\"}" ;;
esac"""


def analysis(*agents, **more):
    answer = {"taskType": "feature", "complexity": "simple", "requiresUI": False,
              "requiresBackend": True, "requiresArchitecture": False,
              "requiresApproval": False, "suggestedAgents": list(agents), **more}
    return "cat <<'END'\n" + json.dumps(answer) + "\nEND"


def says(**answer):
    return "cat <<'END'\n" + json.dumps({"success": True, "output": "did it", **answer}) + "\nEND"


FAILS = says(routingHints={"hasFailures": True})
# Fails until a file exists, which somebody or the bug fixer makes.
UNTIL_FIXED = f"if [ -e fixed ]; then {says()}\nelse {FAILS}\nfi"


class World(unittest.TestCase):
    """A folder with a configuration, and an agent of some lines of shell for each name: $here is where it was
    started, $given what it was asked."""

    program = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-aigentflow-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        (self.path / "project").mkdir()
        self.agents(task_analyzer=analysis("backend_developer", "tester", "reviewer"))
        self.configure()

    def agents(self, **bodies):
        """What an agent is asked is kept in NAME.in, and NAME.count has a line each time. Several may
        be at work under one name: each writes a file of its own, which takes the place of NAME.in."""
        for name in [*TYPES, "task_analyzer", "router"]:
            standard = {"git_agent": GIT, "router": ROUTER}.get(name, FINE)
            if name in bodies or not (self.path / name).exists():
                body = bodies.get(name, standard)
                (self.path / name).write_text(
                    f"#!/bin/sh\nhere=$PWD\ncd {self.path}\ngiven=$(cat)\nprintf '%s' \"$given\" > {name}.in.$$\n"
                    f"mv {name}.in.$$ {name}.in\n"
                    f"echo \"$WFSM_INVOCATION_ID\" >> {name}.count\n{body}\n")
                (self.path / name).chmod(0o755)

    def configure(self, head="", more="", agents=(*TYPES, "task_analyzer"), grace_ms=500):
        text = f'machines = "{HERE}"\nproject = "project"\nproject_id = "p"\n{head}\n'
        for name in [*agents, "router"]:
            text += f'[agents.{name}]\ncommand = ["{{dir}}/{name}"]\ngrace_ms = {grace_ms}\n'
        (self.path / "aigentflow.toml").write_text(text + more)

    def epic(self, *features, parallel=5):
        """Features by their ids; each needs a backend developer only."""
        made = {"epicId": "e", "parallelFeatures": parallel,
                "features": [{"featureId": f, "name": f.upper(), "needsFrontend": False}
                             if isinstance(f, str) else f for f in features]}
        (self.path / "epic.json").write_text(json.dumps(made))

    def begin(self, *arguments, **more):
        return subprocess.Popen([self.program, *arguments], cwd=self.path, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def tell(self, code, *arguments, **more):
        """Runs the program, which must end with this code; what it said, in both streams."""
        done = subprocess.run([self.program, *arguments], cwd=self.path, timeout=600,
                              capture_output=True, check=False, **more)
        out = (done.stdout + done.stderr).decode("utf-8", "replace")
        self.assertEqual(done.returncode, code, out)
        return out

    def status(self, task="t"):
        return json.loads(self.tell(0, "status", "--json", task))

    def revision(self, agent, task="t"):
        """The one before this agent was last asked."""
        with sqlite3.connect(self.path / "aigentflow.db") as db:
            rows = db.execute("select record from journal j join instance i on j.instance = i.key "
                              "where i.id = ? order by j.revision", (task,))
            return [record["revision"] for record in (json.loads(text) for (text,) in rows)
                    if (agent, record["revision"]) in ((one.get("agent"), one["revision"])
                                                       for one in record.get("invocations", []))][-1] - 1

    def asked(self, agent):
        """The input of the agent's last invocation."""
        return json.loads((self.path / f"{agent}.in").read_text())["input"]

    def count(self, agent):
        path = self.path / f"{agent}.count"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def run_task(self, code=0, *more):
        return self.tell(code, "run", "Do it", "--id", "t", *more)
