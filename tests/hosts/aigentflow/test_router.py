#!/usr/bin/python3
"""aigentflow's analysis and router as models behind HTTP: 004-163 to 004-177.

usage: test_router.py AIGENTFLOW WFSM
"""

import http.server
import json
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from simulated import analysis

AIGENTFLOW, WFSM = (str(Path(one).resolve()) for one in sys.argv[1:3])
HERE = Path(__file__).resolve().parents[3] / "examples" / "aigentflow"
TABLE = {  # 004-156, 004-157, 004-158, 004-159, 004-160
    "Add login page": ["project_manager", "architect", "ui_designer", "frontend_developer",
                       "backend_developer", "tester", "reviewer"],
    "Fix null pointer bug": ["project_analyzer", "bug_fixer", "tester"],
    "Add API endpoint": ["project_manager", "backend_developer", "tester", "reviewer"],
    "Refactor utils": ["project_analyzer", "backend_developer", "tester", "reviewer"],
    "Update button color": ["ui_designer", "frontend_developer", "tester"],
}
AGENT = """import json, sys
given = json.load(sys.stdin)["input"]
hints = {"hasFailures": True} if given["agent"] == "architect" else {}
print(json.dumps({"success": True, "output": given["agent"], "routingHints": hints}))
"""


class Model(http.server.BaseHTTPRequestHandler):
    """A chat service: the server's answers, by the path; the last of a list stays."""

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        name = self.path.split("/")[1]
        self.server.asked.append((name, body))
        answers = self.server.answers[name]
        text = answers.pop(0) if len(answers) > 1 else answers[0]
        text = text if isinstance(text, str) else json.dumps(text)
        reply = json.dumps({"content": [{"type": "text", "text": text}], "role": "assistant",
                            "type": "message", "stop_reason": "end_turn",
                            "usage": {"input_tokens": 1, "output_tokens": 1}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)


class Models(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
        self.server.asked, self.server.answers = [], {}
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-router-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        (self.path / "project").mkdir()
        (self.path / "agent.py").write_text(AGENT)
        self.configure("task_analyzer", "router")

    def configure(self, *models):
        text = (f'machines = "{HERE}"\nproject = "project"\nproject_id = "p"\n'
                "[context]\ntech_stack = [\"python\", \"html\"]\nhas_ui = true\n"
                "has_backend = false\n"
                f'[agents.default]\ncommand = ["{sys.executable}", "-B", "{{dir}}/agent.py"]\n')
        for name in models:
            text += (f'[agents.{name}]\ntype = "http"\napi = "anthropic"\nstream = false\n'
                     'model = "claude-sonnet-4-20250514"\nmax_tokens = 1000\n'
                     f'prompt = "{HERE}/prompts/{name}.md"\n'
                     f'base_url = "http://127.0.0.1:{self.server.server_port}/{name}"\n')
        (self.path / "aigentflow.toml").write_text(text)

    def run_task(self, task, *, analyse, choose="never asked", head=""):
        self.server.answers = {"task_analyzer": analyse, "router": [choose] if not
                               isinstance(choose, list) else choose}
        done = subprocess.run([AIGENTFLOW, "run", task, "--id", "t"], cwd=self.path,
                              capture_output=True, text=True, timeout=600, check=False)
        self.said = done.stdout + done.stderr
        status = subprocess.run([AIGENTFLOW, "status", "--json", "t"], cwd=self.path,
                                capture_output=True, text=True, timeout=600, check=False)
        return json.loads(status.stdout)

    def count(self, name):
        return len([one for one, _ in self.server.asked if one == name])

    def test_the_rows_arrive_as_suggestions_of_a_model(self):
        # 004-101, 004-156, 004-157, 004-158, 004-159, 004-160, 004-162, 004-163
        for number, (task, agents) in enumerate(TABLE.items()):
            with self.subTest(task=task):
                answer = analysis(suggestedAgents=[one for one in agents if one != "architect"])
                after = self.run_task(task, analyse=[f"Sure!\n```json\n{json.dumps(answer)}\n```"])
                self.assertEqual((after["state"], after["context"]["completedAgents"]),
                                 ("COMPLETED", answer["suggestedAgents"]), self.said)
                self.assertEqual(self.count("task_analyzer"), number + 1)
                (self.path / "aigentflow.db").unlink()
        self.assertEqual(self.count("router"), 0)  # nothing was left open: 004-173

    def test_the_contract_of_the_prompt(self):
        # 004-164, 004-165, 004-166, 004-167, 004-168
        self.run_task('Add a "login" page', analyse=[analysis(suggestedAgents=["tester"])])
        _, body = self.server.asked[0]
        self.assertEqual((body["model"], body["max_tokens"], len(body["messages"]),
                          body["messages"][0]["role"]),
                         ("claude-sonnet-4-20250514", 1000, 1, "user"))
        prompt = json.dumps(body["messages"][0]["content"])
        self.assertIn(r'\"prompt\":\"Add a \\\"login\\\" page\"', prompt)
        for words in ("Analyze this development task and determine requirements",
                      "Tech stack: python, html. Has existing UI: true. "
                      "Has existing backend: false.", "taskType", "complexity",
                      "requiresUI", "requiresBackend", "requiresArchitecture",
                      "requiresApproval", "suggestedAgents", "bugfix", "moderate"):
            self.assertIn(words, prompt)

    def test_an_analysis_that_does_not_fit(self):
        # 004-169: asked again, told what was wrong; then a failure of class schema
        after = self.run_task("Do it", analyse=["I think it is a feature.",
                                                analysis(suggestedAgents=["tester"])])
        self.assertEqual((after["state"], self.count("task_analyzer")), ("COMPLETED", 2))
        (self.path / "aigentflow.db").unlink()
        self.server.asked.clear()
        after = self.run_task("Do it", analyse=[analysis(suggestedAgents=["planner"])])
        self.assertEqual((after["state"], after["context"]["error"]["class"],
                          self.count("task_analyzer")), ("ERROR", "schema", 2))
        self.assertIn("planner", json.dumps(self.server.asked[1][1]))

    def test_a_model_decides_what_rules_leave_open(self):
        # 004-173, 004-176, 004-177
        after = self.run_task(
            "Plan it", analyse=[analysis(suggestedAgents=["architect"])],
            choose=[{"next": "analyst", "candidates": ["analyst", "compliance_agent"],
                     "by": "model", "reason": "the architect has failures"}])
        self.assertEqual((after["state"], after["context"]["completedAgents"]),
                         ("COMPLETED", ["architect", "analyst"]), self.said)
        self.assertEqual(self.count("router"), 1)
        journal = subprocess.run([WFSM, "journal", "--json", str(self.path / "aigentflow.db"),
                                  "t"], capture_output=True, text=True, check=True).stdout
        for words in ("the architect has failures", "compliance_agent",
                      "it is the next in the queue"):
            self.assertIn(words, journal)

    def test_a_model_that_names_what_is_not_allowed(self):
        after = self.run_task("Plan it", analyse=[analysis(suggestedAgents=["architect"])],
                              choose={"next": "planner", "reason": "why not"})
        self.assertEqual((after["state"], after["context"]["error"]["class"],
                          self.count("router")), ("ERROR", "schema", 2))

    def test_a_model_that_answers_nothing(self):
        after = self.run_task("Plan it", analyse=[analysis(suggestedAgents=["architect"])],
                              choose="")
        self.assertEqual((after["state"], after["context"]["error"]["agent"]),
                         ("ERROR", "router"))

    def test_a_model_that_loops(self):
        text = (self.path / "aigentflow.toml").read_text()
        (self.path / "aigentflow.toml").write_text("max_agent_runs = 4\n" + text)
        after = self.run_task("Plan it", analyse=[analysis(suggestedAgents=["architect"])],
                              choose={"next": "architect", "reason": "once more"})
        self.assertEqual((after["state"], self.count("router")), ("ERROR", 4), self.said)
        self.assertIn("has not come to an end", after["context"]["error"]["message"])

    def test_rules_alone(self):
        # 004-161, 004-178, 004-179, 004-180, 004-181, 004-182, 004-183, 004-184, 004-185,
        # 004-186
        self.configure()
        for task, agents in TABLE.items():
            after = self.run_task(task, analyse=[""])
            self.assertEqual(after["state"], "COMPLETED", self.said)
            self.assertEqual(after["context"]["completedAgents"], agents)
            (self.path / "aigentflow.db").unlink()
        self.assertEqual(self.server.asked, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
