"""Text is text in the hosts: nothing that an agent, a file or a name contains acts on a terminal.

usage: test_hostile_text.py COORDINATOR AIGENTFLOW [AGENTD]           a whole task of each
       test_hostile_text.py --others COORDINATOR AIGENTFLOW [AGENTD]  failures, settings, files, epics

Every character that has to be escaped goes through every place from which a host takes text: tasks,
messages, answers of agents, what they write to stderr, names of tasks, folders, files and settings. Each
command then shows what is stored. Each runs in a pipe and at a terminal, where there are live lines.
"""
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import time
import unicodedata
import unittest
from pathlib import Path

OTHERS = "--others" in sys.argv
if OTHERS:
    sys.argv.remove("--others")
COORDINATOR, AIGENTFLOW, AGENTD = [Path(one).resolve() for one in sys.argv[1:]] + [None] * (4 - len(sys.argv))
ROOT = Path(__file__).resolve().parents[2]
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
# What the hosts themselves write to a terminal: colours, and the live lines.
OWN = re.compile(r"\x1b\[(?:0|1|2|31|32|36)m|\x1b\[\d+A\x1b\[J")


def is_bad(char):
    return (unicodedata.category(char) in ("Cc", "Zl", "Zp")
            or unicodedata.bidirectional(char) in BIDI or char in "\u061c\u200e\u200f")


BAD = "".join(chr(code) for code in range(1, 0x110000)
              if not 0xD800 <= code < 0xE000 and is_bad(chr(code)))
FORGED = "\nFORGED\r\nFORGED"
EVIL = BAD + FORGED
NAME = (BAD + FORGED).replace("/", "")  # of files, too


def agent(path, body):
    """A program that says EVIL on stderr, and then does what the body says."""
    path.write_text(f"#!{sys.executable}\nimport json, os, sys, time\n"
                    f"EVIL = {EVIL!r}\ngiven = json.load(sys.stdin)\n"
                    "sys.stderr.buffer.write(EVIL.encode() + b'\\xff\\x9b31m\\xc2'); sys.stderr.flush()\n"
                    f"{body}\n")
    path.chmod(0o755)


class Hostile(unittest.TestCase):
    program = None

    def setUp(self):
        if not self.program:
            self.skipTest("this host was not built")
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-hostile-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.shown = ""

    def check(self, words, out):
        text = OWN.sub("", out.decode("utf-8"))  # and it is UTF-8
        found = {ascii(c) for c in text if is_bad(c) and c not in "\n\t"}
        self.assertFalse(found, f"{ascii(words)[:300]}: {ascii(text)[:3000]}")
        self.assertFalse([line for line in text.split("\n") if line.startswith("FORGED")],
                         f"{ascii(words)[:300]}: {ascii(text)[:3000]}")
        self.shown += text

    def run_it(self, *words, environment=None):
        command = [os.fsencode(self.program), *(os.fsencode(str(one)) for one in words)]
        done = subprocess.run(command, cwd=self.path, stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                              env={**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})})
        self.check(words, done.stdout)
        return done

    def at_terminal(self, *words):
        main, other = pty.openpty()
        process = subprocess.Popen([self.program, *map(str, words)], cwd=self.path, stdin=other, stdout=other,
                                   stderr=other,
                                   env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm",
                                        "PAGER": "cat"})  # less would wait for a person
        os.close(other)
        out = b""
        try:
            while piece := os.read(main, 65536):
                out += piece
        except OSError:  # the end of a terminal
            pass
        os.close(main)
        process.wait()
        self.check(words, out.replace(b"\r\n", b"\n"))  # as a terminal ends its lines
        return out


class Coordinator(Hostile):
    program = COORDINATOR
    CODER = "time.sleep(1.2); print(json.dumps({'summary': EVIL, 'changed_files': [EVIL]}))"
    REVIEWER = ("decision = 'approve' if given['input'].get('round', 1) > 1 else 'changes_requested'\n"
                "print(json.dumps({'decision': decision, 'summary': EVIL, 'must_fix': [] if decision == "
                "'approve' else [{'file': EVIL, 'line': 1, 'message': EVIL}]}))")
    TESTER = "print(json.dumps({'commands': [{'argv': ['printf', EVIL], 'why': EVIL}], 'summary': EVIL}))"

    def setUp(self):
        super().setUp()
        (self.path / NAME).mkdir()
        self.agents()
        machine = ROOT / "examples/coordinator/coordinator.json"
        text = f'machine = "{machine}"\nstore = "tasks.db"\n'
        for name in ("coder", "reviewer", "tester"):
            text += f'[agents.{name}]\ncommand = ["{{dir}}/{name}"]\ngrace_ms = 500\n'
        (self.path / "coordinator.toml").write_text(text)

    def agents(self, **bodies):
        for name, body in {"coder": self.CODER, "reviewer": self.REVIEWER, "tester": self.TESTER,
                           **bodies}.items():
            agent(self.path / name, body)

    def look(self, task):
        for words in (["list"], ["status", task], ["history", task]):
            self.run_it(*words)
            self.at_terminal(*words)

    def test_a_whole_task(self):
        for run in (self.run_it, self.at_terminal):
            task = f"t{run.__name__}{NAME}".replace("/", "")
            run("run", "--task", EVIL, "--workspace", NAME, "--id", task)
            self.look(task)
            run("followup", task, "--message", EVIL, "--mode", "proposal")
            run("confirm", task, "--message", EVIL)
            self.run_it("abort", task)
            self.look(task)
        self.assertIn("\\u001b", self.shown)

    def test_failures(self):
        for number, body in enumerate((
                "sys.stdout.write(EVIL); sys.exit(3)", "print(EVIL)",
                "print(json.dumps({'summary': [EVIL], 'x' + EVIL: EVIL}))",
                "sys.stdout.buffer.write(b'\\x9b31m\\xff\\x1b]0;x\\x07')")):
            self.agents(coder="time.sleep(0.3)\n" + body)
            self.at_terminal("run", "--task", "x", "--workspace", NAME, "--id", f"t{number}")
            self.look(f"t{number}")
            self.agents(tester=body)
            self.run_it("run", "--task", "x", "--workspace", NAME, "--id", f"u{number}")
            self.look(f"u{number}")
        for argv in ([NAME], ["sh", "-c", f"printf '%s' '{EVIL}' >&2; exit 4"], [], [EVIL, EVIL], ["./" + NAME]):
            self.agents(tester=f"print(json.dumps({{'commands': [{{'argv': {argv!r}}}], 'summary': EVIL}}))")
            self.run_it("run", "--task", "x", "--workspace", NAME, "--id", f"c{len(self.shown)}")

    def test_settings(self):
        whole = (self.path / "coordinator.toml").read_text()
        quoted = json.dumps(EVIL, ensure_ascii=True).replace("\\u007f", "\\u007F")
        raw = EVIL.replace("\n", "")
        for more in (f"[agents.{quoted}]\ncommand = [\"x\"]\n", f"[{quoted}]\n", f"[agents.coder.env]\n{quoted} = 3\n",
                     f"[agents.x]\ncommand = [{quoted}]\n", f"[agents.x]\nfields = {{{quoted} = {quoted}}}\n",
                     f"[commands]\n{quoted} = 1\n", f"[{raw}]\n", f"{raw} = 1\n", f"x = \"{raw}\n", f"\n{raw}",
                     f"[agents.x]\nkind = {quoted}\n", f"[agents.x]\nkind = \"http\"\nbase_url = {quoted}\n",
                     f"[agents.x]\nkind = \"http\"\nbase_url = \"http://h\"\napi_key_env = {quoted}\n",
                     f"[agents.x]\ncommand = [\"y\"]\npass_env = [{quoted}]\n",
                     f"[agents.x]\ncommand = [\"y\"]\nexit_classes = {{{quoted} = {quoted}}}\n",
                     f"[agents.x]\ncommand = [\"y\"]\nprompt = {quoted}\n",
                     f"[agents.x]\ncommand = [\"y\"]\nprompt_file = {quoted}\n",
                     f"[agents.x]\ncommand = [\"y\"]\nschema_file = {quoted}\n",
                     f"[agents.x]\ncommand = [\"y\"]\nanswer = {quoted}\n"):
            (self.path / "coordinator.toml").write_text(whole + more)
            done = self.run_it("run", "--task", "x", "--workspace", ".")
            self.assertEqual(done.returncode, 2, ascii(more))
        for first in (f"machine = {quoted}\n", f"store = {quoted}\n", f"{quoted} = 1\n"):
            (self.path / "coordinator.toml").write_text(first + whole)
            self.run_it("run", "--task", "x", "--workspace", ".")
        (self.path / ("x" + NAME)).write_text(whole)
        self.run_it("--config", "x" + NAME, "list")
        document = json.loads((ROOT / "examples/coordinator/coordinator.json").read_text())
        for change in ({"x" + EVIL: 1}, {"initial": EVIL}, {"states": {EVIL: {"on": {EVIL: EVIL}}}}):
            (self.path / "m.json").write_text(json.dumps({**document, **change}))
            (self.path / "coordinator.toml").write_text(
                whole.replace(str(ROOT / "examples/coordinator/coordinator.json"), "m.json"))
            self.run_it("run", "--task", "x", "--workspace", ".")
        for text in (EVIL, '{"a": "' + EVIL, '{"a": ' + EVIL):
            (self.path / "m.json").write_text(text)
            self.run_it("run", "--task", "x", "--workspace", ".")


TYPES = ["project_manager", "architect", "analyst", "ui_designer", "git_agent", "frontend_developer",
         "backend_developer", "tester", "bug_fixer", "merge_resolver", "reviewer", "project_analyzer",
         "compliance_agent", "task_analyzer", "router"]


class Aigentflow(Hostile):
    program = AIGENTFLOW
    FINE = "time.sleep(0.3); print(json.dumps({'success': True, 'output': EVIL, EVIL: EVIL, 'artifacts': [EVIL]}))"
    GIT = ("work = given['input'].get('action') == 'worktree'\n"
           "print(json.dumps({'success': True, 'output': {'worktreePath': '/tmp/' + EVIL, 'branch': EVIL} if work "
           "else {'merged': [], 'conflicts': [EVIL]}}))")
    ROUTER = ("queue = given['input'].get('agentQueue') or []\n"
              "print(json.dumps({'next': queue[0] if queue else None, 'by': 'queue' if queue else 'none', "
              "'reason': EVIL}))")
    ANALYSIS = ("print(json.dumps({'taskType': 'feature', 'complexity': 'simple', 'requiresUI': False, "
                "'requiresBackend': True, 'requiresArchitecture': False, 'requiresApproval': True, "
                "'suggestedAgents': ['backend_developer', 'tester', 'reviewer'], 'summary': EVIL, EVIL: EVIL}))")

    def setUp(self):
        super().setUp()
        (self.path / NAME).mkdir()
        here = ROOT / "examples/aigentflow"
        quoted = json.dumps(NAME, ensure_ascii=True)
        text = f'machines = "{here}"\nproject = {quoted}\nproject_id = {quoted}\n'
        for name in TYPES:
            text += f'[agents.{name}]\ncommand = ["{{dir}}/{name}"]\ngrace_ms = 500\n'
        (self.path / "aigentflow.toml").write_text(text)
        self.agents()

    def agents(self, **bodies):
        usual = {"git_agent": self.GIT, "router": self.ROUTER, "task_analyzer": self.ANALYSIS}
        for name in TYPES:
            agent(self.path / name, bodies.get(name, usual.get(name, self.FINE)))

    def look(self, task):
        for words in (["status"], ["status", task], ["status", "--json", task], ["history", task], ["pool"],
                      ["pool", "--json"], ["agents"], ["history", task, "--feature", NAME]):
            self.run_it(*words)
        self.at_terminal("status", task)
        self.at_terminal("history", task)

    def test_a_task(self):
        for run in (self.run_it, self.at_terminal):
            task = f"t{run.__name__}{NAME}".replace("/", "")
            run("run", EVIL, "--id", task, "--verbose")
            self.look(task)
            self.run_it("checkpoint", task, NAME)
            run("approve", task, "--by", EVIL, "--answer", EVIL)
            run("reject", task, "--reason", EVIL)
            run("resume", task, "--answer", EVIL)
            run("restore", task, NAME)
            self.look(task)
            run("abort", task)
            self.look(task)
        self.assertIn("\\u001b", self.shown)

    def test_an_epic(self):
        (self.path / "epic.json").write_text(json.dumps({
            "epicId": EVIL, "parallelFeatures": 2, EVIL: EVIL,
            "features": [{"featureId": "f1" + EVIL, "name": EVIL, "needsFrontend": False},
                         {"featureId": "f2", "name": EVIL, EVIL: EVIL}]}))
        self.at_terminal("run", "--epic", "epic.json", "--id", "e", "x")
        self.look("e")
        (self.path / "epic.json").write_text(json.dumps({
            "epicId": "e", "parallelFeatures": 2,
            "features": [{"featureId": "f1", "name": EVIL, "needsFrontend": False},
                         {"featureId": "f2", "name": EVIL}]}))
        self.at_terminal("run", "--epic", "epic.json", "--id", "g", "x")
        self.look("g")
        for text in (EVIL, '{"a": "' + EVIL, json.dumps({"features": EVIL}), json.dumps({EVIL: 1})):
            (self.path / "epic.json").write_text(text)
            self.run_it("run", "--epic", "epic.json", "--id", "h", "x")
        self.run_it("run", "--epic", NAME, "--id", "h", "x")
        self.run_it("run", "--prompt-file", NAME, "--id", "h")

    def test_failures(self):
        for number, body in enumerate((
                "sys.stdout.write(EVIL); sys.exit(3)", "print(EVIL)",
                "print(json.dumps({'success': False, 'error': EVIL, 'output': EVIL}))",
                "print(json.dumps({'success': False, 'error': {EVIL: EVIL, 'message': EVIL, 'class': EVIL}}))",
                "print(json.dumps({'next': EVIL, 'by': EVIL, 'reason': EVIL, 'taskType': EVIL, "
                "'suggestedAgents': [EVIL]}))")):
            for who in ("backend_developer", "router", "task_analyzer", "git_agent"):
                self.agents(**{who: body})
                task = f"{who}{number}"
                self.run_it("run", "x", "--id", task)
                self.look(task)


class Agentd(Hostile):
    program = AGENTD

    def setUp(self):
        super().setUp()
        self.run_it("init")
        self.config = self.path / "agentd" / "config.toml"
        text = ("version = 1\n[workflow]\nplanning_iterations = 2\nimplementation_iterations = 2\n"
                f"sequential_implementation = true\n[checks]\ntest = [\"sh\", \"-c\", {json.dumps('cat evil >&2; cat evil')}]\nscan = []\n")
        for role in ("proposer", "challenger", "implementer", "reviewer"):
            text += f'[agents.{role}]\ncommand = ["{self.path}/{role}"]\ntimeout_ms = 20000\n'
        self.config.write_text(text)
        (self.path / "evil").write_text(EVIL)
        self.agents()

    def agents(self, report=None, files=None, body=""):
        sections = "".join(f"\\n## {name}\\n\\nBecause ' + EVIL + '\\n" for name in ("Why", "What Changes", "Impact"))
        proposal = f"proposal = '# x\\n' + '{sections}'\n"
        proposer = (body + proposal + "step = given['input']['step']\n"
                    "specs = {'specs/login.md': '# login ' + EVIL + '\\n\\nIt works, ' + EVIL}\n"
                    "files = {'proposal': {'proposal.md': proposal}, 'specs': specs, 'tasks': {'tasks.md': '- [ ] ' + EVIL}}"
                    ".get(step, {'proposal.md': proposal, **specs})\n"
                    + (files or "") +
                    "\nprint(json.dumps({'files': [{'path': p, 'text': t} for p, t in files.items()], 'summary': EVIL}))")
        said = report or "'# Report ' + EVIL + '\\n\\nVerdict: APPROVED\\n'"
        reporter = body + f"print(json.dumps({{'report': {said}, 'summary': EVIL}}))"
        agent(self.path / "proposer", proposer)
        agent(self.path / "challenger", reporter)
        agent(self.path / "reviewer", reporter)
        agent(self.path / "implementer", body + "os.makedirs('src', exist_ok=True)\n"
              f"open('src/' + {NAME!r}, 'w').write(EVIL)\nprint(json.dumps({{'summary': EVIL}}))")

    def look(self, change):
        for words in (["status"], ["status", change], ["list"], ["diff", change], ["graph", change], ["graph"]):
            self.run_it(*words)
            self.at_terminal(*words)

    def test_a_change(self):
        for run, change in ((self.run_it, "one"), (self.at_terminal, "two")):
            run("plan", change, EVIL)
            self.look(change)
            run("impl", change)
            self.look(change)
            run("archive", change)
            self.look(change)
        self.assertIn("\\u001b", self.shown)

    def test_failures(self):
        for number, (report, files, body) in enumerate((
                ("EVIL", None, ""), ("'Verdict: ' + EVIL", None, ""),
                ("'# R\\n\\nVerdict: NEEDS_REVISION\\n' + EVIL", None, ""), ("[EVIL]", None, ""),
                (None, "files = {EVIL: EVIL}", ""), (None, "files = {'specs/' + EVIL + '.md': EVIL}", ""),
                (None, "files = {'../' + EVIL: EVIL}", ""), (None, "files = {'proposal.md': EVIL}", ""),
                (None, None, "print(EVIL); sys.exit(5)\n"), (None, None, "print(json.dumps({EVIL: EVIL})); sys.exit()\n"),
                (None, None, "sys.exit(EVIL)\n"))):
            self.agents(report, files, body)
            self.run_it("plan", f"c{number}", EVIL)
            self.look(f"c{number}")

    def test_files(self):
        self.run_it("plan", "x", "y")
        change = self.path / "agentd" / "changes" / "x"
        self.look("x")
        (change / "specs").mkdir(exist_ok=True)
        (change / "specs" / (NAME + ".md")).write_text(EVIL)
        self.look("x")
        self.run_it("impl", "x")
        state = (change / "STATE.yaml").read_text()
        for line in (f"phase: {EVIL}\n", f"{BAD}: 1\n", EVIL, f"phase: \"{BAD}\"\n"):
            (change / "STATE.yaml").write_text(line + state)
            self.look("x")
            (change / "STATE.yaml").write_text(state + line)
            self.look("x")
        (self.path / "agentd" / "changes" / NAME).mkdir()
        self.look("x")
        whole = self.config.read_text()
        quoted = json.dumps(EVIL, ensure_ascii=True)
        for more in (f"[agents.{quoted}]\ncommand = [\"x\"]\n", f"[{quoted}]\n", f"{EVIL}\n", f"[agents.proposer.{quoted}]\n"):
            self.config.write_text(whole + more)
            self.run_it("plan", "x", "y")
            self.look("x")


if __name__ == "__main__":
    names = ["test_failures", "test_settings", "test_an_epic", "test_files"] if OTHERS else ["test_a_"]
    unittest.main(argv=sys.argv[:1] + [word for name in names for word in ("-k", name)])
