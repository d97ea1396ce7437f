"""Shared by the tests of aigentflow's documents, which are read and simulated."""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from transitions import transitions  # noqa: E402

AGENTS = [  # 004-43 to 004-56
    "project_manager", "architect", "analyst", "ui_designer", "git_agent",
    "frontend_developer", "backend_developer", "tester", "bug_fixer", "merge_resolver",
    "reviewer", "project_analyzer", "compliance_agent",
]
GOOD = {"success": True}


def hinted(**hints):
    return {"success": True, "routingHints": hints}


def analysis(**given):
    return {"taskType": "feature", "complexity": "simple", "requiresUI": False,
            "requiresBackend": False, "requiresArchitecture": False,
            "requiresApproval": False, "suggestedAgents": [], **given}


class Sim:
    """One instance under `wfsm simulate`; the last answer's parts are its attributes.

    By hand the document's own events stay away, so that every state can be looked at."""

    def __init__(self, wfsm, document, by_hand=False, context=None):
        self.process = subprocess.Popen(
            [wfsm, "simulate", *(["--by-hand"] if by_hand else []), str(document)],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if by_hand:
            self.say(start=context)
        else:
            self.read()
            if context:
                self.say(patch=context)

    def read(self):
        self.answer = json.loads(self.process.stdout.readline())
        self.result = self.answer["result"]
        self.revision = self.answer["revision"]
        self.path = self.answer["configuration"][0]
        self.state = self.path.split(".")[0]
        self.context = self.answer["context"]
        self.effects = self.answer["effects"]
        self.work = [one for one in self.answer["invocations"]
                     if one["status"] in ("pending", "running")]
        return self

    def say(self, **line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return self.read()

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def event(self, name, data=None):
        return self.say(event=name, data=data)

    def patch(self, **context):
        return self.say(patch=context)

    def done(self, output):
        return self.say(done=self.work[0]["id"], output=output)

    def failed(self, failure_class, message=None):
        line = {"failed": self.work[0]["id"], "class": failure_class}
        return self.say(**line, **({"message": message} if message else {}))

    @property
    def src(self):
        return self.work[0]["src"] if self.work else None


def documents(srcdir):
    folder = Path(srcdir).resolve() / "examples" / "aigentflow"
    return {name: folder / f"{name}.json" for name in ("aigentflow", "linear", "feature")}
