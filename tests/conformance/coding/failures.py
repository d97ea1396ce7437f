"""The table of failures of doc/agents.md, with the real programs.

The scripted service produces each failure, `wfsm work` runs a workflow of one agent, and the
class and message are those that its journal has.

usage: failures.py FOLDER WFSM
"""
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

from dialects import Codex
from model import Fault, Rule
from programs import NAMES, make_home, variables
from world import World, main

WFSM = str(Path(sys.argv[2]).resolve())
NOWHERE = "http://127.0.0.1:9"  # port 9 is closed
SCHEMA = {"type": "object", "properties": {"summary": {"type": "string"}}, "required": ["summary"], "additionalProperties": False}


def anthropic(status, kind, message, **headers):
    return Fault(status, {"type": "error", "error": {"type": kind, "message": message}}, headers)


def openai(status, kind, message):
    return Fault(status, {"error": {"type": kind, "code": kind, "message": message}})


def google(status, kind, message, *details):
    return Fault(status, {"error": {"code": status, "status": kind, "message": message, "details": list(details)}})


RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "400s"}

# Program, what happens, the reply of the service, and of the failure: class, message and the time to wait.
TABLE = [
    ("claude", "key", anthropic(401, "authentication_error", "invalid x-api-key"), "auth", "auth: Invalid API key", None),
    ("claude", "busy", anthropic(429, "rate_limit_error", "Slow down"), "network", "quota: API Error: Request rejected", None),
    ("claude", "quota", anthropic(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
     "network", "quota: Credit balance is too low", None),
    ("claude", "broken", anthropic(529, "overloaded_error", "Overloaded"), "network", "network: API Error: 529", None),
    ("claude", "long", anthropic(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
     "other", "context: Prompt is too long", None),
    ("codex", "key", openai(401, "invalid_api_key", "Incorrect API key provided."), "auth", "auth: unexpected status 401", None),
    ("codex", "busy", Fault(200, Codex.failure("rate_limit_exceeded", "Rate limit reached. Please try again in 2.5s.")),
     "network", "quota: rate limit exceeded", 2500),
    ("codex", "quota", openai(429, "insufficient_quota", "You exceeded your current quota."), "network", "quota: Quota exceeded", None),
    ("codex", "broken", openai(500, "server_error", "The server had an error"), "network", "network: ", None),
    ("codex", "long", openai(400, "context_length_exceeded", "Your input exceeds the context window."), "other", "context: Codex ran out of room", None),
    ("gemini", "key", google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."), "auth", "auth: API key not valid", None),
    ("gemini", "busy", google(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted.", RETRY_INFO), "network",
     "quota: Resource has been exhausted", 400000),
    ("gemini", "quota", google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, limit: 0."), "network", "quota: You exceeded", None),
    ("gemini", "broken", google(503, "UNAVAILABLE", "The model is overloaded."), "network", "network: ", None),
    ("gemini", "long", google(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens allowed (8)."),
     "other", "context: The input token count", None),
]

# Without a reply: nobody is logged in, the network is down, a tool that was not allowed, and an answer that is none.
SILENT = [
    ("claude", "login", "auth", "auth: Not logged in"), ("codex", "login", "auth", "auth: Missing environment variable"),
    ("gemini", "login", "auth", "auth: "), ("claude", "network", "network", "network: API Error: Unable to connect"),
    ("codex", "network", "network", "network: Reconnecting"), ("gemini", "network", "network", "network: "),
    ("claude", "refused", "auth", "permission: permission denied for the tool Bash"),
    ("codex", "refused", "auth", "permission: permission denied for the tool"),
    ("gemini", "refused", "auth", "permission: permission denied for the tool"),
    ("gemini", "prose", "schema", "the answer"),
]
CASES = [(row[0], row[1]) for row in TABLE + SILENT]
# These are well the second time. gemini does not know a session whose model has never answered.
AGAIN = [("claude", "busy"), ("codex", "busy"), ("gemini", "prose")]
DENIED = {"claude": ("run", "touch new.txt"), "codex": ("write", "new.txt", "x\n"), "gemini": ("write", "new.txt", "x\n")}
# gemini without a model tries others for ever when one has no quota.
MODELS = {"claude": "", "codex": "", "gemini": 'model = "gemini-2.5-flash"\n'}


def prompt(program, case):
    return f"This is the case {program}-{case}."


def document(program, case):
    """A workflow that asks this agent once, or again without a pause of its own."""
    name = f"{program}-{case}"
    retry = [{"errors": ["network", "schema"], "maxAttempts": 2, "intervalMs": 0}] if (program, case) in AGAIN else []
    return {"wfsm": 1, "id": name, "initial": "ask", "context": {"said": None}, "states": {
        "ask": {"invoke": {"src": name, "input": {"case": name}, "output": SCHEMA, "retry": retry,
                           "onDone": "good", "onError": "bad"}},
        "good": {"type": "final"}, "bad": {"type": "final"}}}


class Failures(World):
    def settings(self, program, case):
        """Of the agent: who it is for, and the machine that it runs on."""
        dead = make_home(self.root / "offline", NOWHERE) if case == "network" else None
        url = NOWHERE if dead else self.model.url
        home = dead or make_home(self.root / f"home-{program}-{case}", url)
        names = {"HOME": str(home), **{key: value for key, value in variables(self.found, home, url, keys=case != "login").items()
                                       if key.endswith(("_API_KEY", "_BASE_URL"))}}
        env = ", ".join(f"{key} = {json.dumps(value)}" for key, value in names.items())
        limit = 30000 if (program, case) == ("codex", "network") else 120000
        return (f'[agents.{program}-{case}]\nkind = "{program}"\n{MODELS[program]}prompt = "{{dir}}/{program}-{case}.md"\n'
                f"timeout_ms = {limit}\nenv = {{ {env} }}\n")

    def prepare(self):
        self.new_project()
        for program, case in CASES:
            name = f"{program}-{case}"
            (self.project / f"{name}.md").write_text(prompt(program, case))
            (self.root / "machines").mkdir(exist_ok=True)
            (self.root / f"machines/{name}.json").write_text(json.dumps(document(program, case)))
        (self.project / "agents.toml").write_text("".join(self.settings(*case) for case in CASES))
        self.call(WFSM, "store", "init", "s.db")
        for program, case in CASES:
            self.call(WFSM, "start", "s.db", self.root / f"machines/{program}-{case}.json", f"{program}-{case}")
        for name in list(self.variables):  # those of the agents are in the file
            if name.endswith(("_API_KEY", "_BASE_URL")):
                del self.variables[name]

    def work(self):
        """Until all have ended."""
        words = [WFSM, "work", "--machines", self.root / "machines", "--agents", "agents.toml", "--slots", "4", "s.db"]
        with subprocess.Popen(words, cwd=self.project, env=self.variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as worker:
            said, left = [], len(CASES)
            while left > 0:
                said.append(worker.stdout.readline())
                self.assertTrue(said[-1], "".join(said))
                left -= bool(re.search(r"→ (good|bad)\b", said[-1]))
            worker.send_signal(signal.SIGINT)
            said.append(worker.communicate()[0])
        self.assertEqual(worker.returncode, 0, "".join(said))

    def inputs(self, program, case, kind):
        """The inputs of this kind in the journal, with their time."""
        records = json.loads(self.call(WFSM, "journal", "--json", "s.db", f"{program}-{case}"))
        return [{**one["record"]["input"], "now": one["now"]} for one in records if one["record"]["input"]["kind"] == kind]

    def check_failure(self, program, case, failure_class, message, wait=None):
        failures = self.inputs(program, case, "failure")
        self.assertEqual(len(failures), 1)
        self.assertEqual(failures[0]["class"], failure_class, failures)
        self.assertTrue(failures[0]["message"].startswith(message), failures)
        self.assertEqual(failures[0].get("retry_after"), wait, failures)

    def check_second_attempt(self, program, case):
        """It begins when the time is over that the service has named, and continues the session."""
        failure, = self.inputs(program, case, "failure")
        if "retry_after" in failure:
            again = self.inputs(program, case, "claim")[-1]
            self.assertGreaterEqual(again["now"] - failure["now"], failure["retry_after"])
        result, = self.inputs(program, case, "result")
        self.assertEqual(result["output"], {"summary": "ok"})
        first, *_, last = self.model.of(prompt(program, case))
        self.assertEqual((first.times(prompt(program, case)), last.times(prompt(program, case))), (1, 2))

    def test_table(self):
        self.teach(*[Rule(prompt(program, case), ("answer", {"summary": "ok"}), program=program,
                          faults=[fault] * (1 if (program, case) in AGAIN else 9)) for program, case, fault, *_ in TABLE],
                   Rule(prompt("gemini", "prose"), ("say", "It is good."), times=1), Rule(prompt("gemini", "prose"), ("answer", {"summary": "ok"})),
                   *[Rule(prompt(program, "refused"), step, ("say", "I may not.")) for program, step in DENIED.items()])
        self.prepare()
        self.work()
        for program, case, *expected in [(row[0], row[1], *row[3:]) for row in TABLE] + SILENT:
            with self.subTest(program=program, case=case):
                self.check_failure(program, case, *expected)
        for program, case in AGAIN:
            with self.subTest(program=program, case=case, attempt=2):
                self.check_second_attempt(program, case)
        self.assertEqual(self.model.lost, [], self.questions())
        for asked in self.model.asked:  # gemini has no option for a schema
            self.assertEqual(asked.schema, None if asked.program == "gemini" else SCHEMA)
        self.assertFalse((self.project / "new.txt").exists())


if __name__ == "__main__":
    main(sys.argv[1], World, "failures")
