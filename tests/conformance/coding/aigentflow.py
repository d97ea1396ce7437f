"""aigentflow with claude, codex and gemini, each of which asks a scripted model.

usage: aigentflow.py FOLDER AIGENTFLOW EXAMPLES WFSM
"""
import json
import sys
from pathlib import Path

from model import Rule
from world import World, main

AIGENTFLOW, EXAMPLES, WFSM = (str(Path(name).resolve()) for name in sys.argv[2:5])
PROMPT = """Do your part of the work in the current folder, and commit nothing.

{input}

End with a JSON object that fits this schema:

{output_schema}
"""
# The model of gemini is named: without one it asks another which of them it takes.
CONFIG = f"""project = "."
store = "aigentflow.db"
logs = "logs"
worktrees = "worktrees"
machines = "{EXAMPLES}/aigentflow"

[agents.default]
kind = "claude"
prompt = "{{dir}}/agent.md"
folder = "{{worktree}}"
timeout_ms = 120000

[agents.backend_developer]
kind = "codex"
access = "write"
prompt = "{{dir}}/agent.md"
folder = "{{worktree}}"
timeout_ms = 120000

[agents.frontend_developer]
kind = "gemini"
model = "gemini-2.5-flash"
access = "write"
prompt = "{{dir}}/agent.md"
folder = "{{worktree}}"
timeout_ms = 120000

[agents.bug_fixer]
kind = "claude"
access = "write"
prompt = "{{dir}}/agent.md"
folder = "{{worktree}}"
timeout_ms = 120000

[agents.tester]
kind = "claude"
command = ["claude", "--allowed-tools", "Bash(sh greet.sh)"]
prompt = "{{dir}}/agent.md"
folder = "{{worktree}}"
timeout_ms = 120000

[agents.git_agent]
command = ["python3", "-B", "{EXAMPLES}/aigentflow/agents/git_agent.py"]
timeout_ms = 60000
"""
EPIC = {"epicId": "greetings", "features": [{"featureId": "greet", "name": "Greet in a colour"}]}
IGNORED = "/aigentflow.db*\n/logs/\n/worktrees/\n"
DONE = {"success": True, "output": "done"}


def agent(name, *more):
    return [f'nothing.\n\n{{"agent":"{name}"', *more]


def tested(asked):
    """What its command printed decides."""
    if any("hello in blue" in result for result in asked.results):
        return {"success": True, "output": "it says hello in blue", "routingHints": {"hasFailures": False}}
    return {"success": True, "output": f"it says {asked.results}", "routingHints": {"hasFailures": True}}


class Aigentflow(World):
    def setUp(self):
        super().setUp()
        self.new_project(**{"agent.md": PROMPT, "aigentflow.toml": CONFIG, "epic.json": json.dumps(EPIC), ".gitignore": IGNORED})
        self.teach(
            Rule(agent("backend_developer", '"answer":"blue"'), ("write", "greet.sh", "echo helo in blue\n"), ("answer", DONE)),
            Rule(agent("backend_developer"), ("answer", {"success": True, "output": "Which colour?", "routingHints": {"needsUserInput": True}})),
            Rule(agent("frontend_developer"), ("write", "greet.html", "<h1>hello</h1>\n"), ("answer", DONE)),
            Rule(agent("tester"), ("run", "sh greet.sh"), ("answer", tested)),
            Rule(agent("bug_fixer"), ("replace", "greet.sh", "helo", "hello"), ("answer", DONE)),
            Rule("Do your part", ("answer", DONE)))

    def status(self):
        return json.loads(self.call(AIGENTFLOW, "status", "task", "--json"))

    def usage(self, name):
        """What the ledgers of the task and of its feature have of this, together."""
        ids = [one["id"] for one in json.loads(self.call(WFSM, "list", "--json", "aigentflow.db"))]
        journals = [json.loads(self.call(WFSM, "journal", "--json", "aigentflow.db", one)) for one in ids]
        return sum(row["record"]["input"].get("usage", {}).get(name, 0) for rows in journals for row in rows)

    def test_an_epic_whose_developer_asks_a_person(self):
        self.call(AIGENTFLOW, "run", "A greeting", "--epic", "epic.json", "--id", "task", code=7)
        self.assertIn("Which colour?", self.call(AIGENTFLOW, "status", "task"))
        self.call(AIGENTFLOW, "answer", "task", "--feature", "greet", "--answer", "blue", code=7)
        self.assertFalse((self.project / "greet.sh").exists())  # nobody has approved it
        self.call(AIGENTFLOW, "approve", "task")
        self.assertEqual(self.status()["state"], "COMPLETED")
        self.assertEqual(self.text("greet.sh"), "echo hello in blue\n")
        self.assertEqual(self.text("greet.html"), "<h1>hello</h1>\n")
        asked = len(self.model.asked)
        self.assertEqual((self.usage("input_tokens"), self.usage("output_tokens")), (1000 * asked, 20 * asked))
        self.assertGreater(self.usage("micros"), 0)  # of claude
        # The developers worked in the worktree of the feature.
        for name in ("backend_developer", "frontend_developer", "bug_fixer"):
            self.assertEqual(self.folders(agent(name)[0]), {str(self.project / "worktrees/greetings/greet")})
        self.assertEqual(self.model.lost, [], self.questions())


if __name__ == "__main__":
    main(sys.argv[1], World, "aigentflow")
