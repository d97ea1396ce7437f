"""The coordinator with claude, codex and gemini, each of which asks a scripted model.

usage: coordinator.py FOLDER COORDINATOR WFSM CONFIGURATION
"""
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from model import Fault, Rule
from world import World, main

sys.path.append(str(Path(__file__).resolve().parents[2] / "hosts"))
from processes import ends  # noqa: E402  pylint: disable=wrong-import-position

COORDINATOR, WFSM = (str(Path(name).resolve()) for name in sys.argv[2:4])
EXAMPLE = Path(sys.argv[4]).resolve()  # a configuration with all three
CODER, REVIEWER, TESTER = "You are the coder", "You are the reviewer", "You are the tester"

# gemini itself asks again.
BUSY = {
    "claude": [Fault(429, {"type": "error", "error": {"type": "rate_limit_error", "message": "Too many"}})],
    "codex": [Fault(429, {"error": {"type": "rate_limit_exceeded", "message": "Too many"}})],
    "gemini": [],
}
MODELS = {"gemini": 'model = "gemini-2.5-flash"\n'}
HELLO = {"commands": [{"argv": ["sh", "-c", "test -n \"$(sh greet.sh)\""]}], "summary": "it says something"}


class Coordinator(World):
    def configure(self, **kinds):
        text = "max_rounds = 3\n"
        for role, kind in kinds.items():
            access = "write" if role == "coder" else "read"
            text += (f'[agents.{role}]\nkind = "{kind}"\naccess = "{access}"\nprompt = "{{dir}}/prompts/{role}.md"\n'
                     f'timeout_ms = 120000\n{MODELS.get(kind, "")}')
        self.call(COORDINATOR, "init", "--agent", "command", code=1)  # its agents are placeholders
        (self.project / "coordinator.toml").write_text(text, encoding="utf-8")

    def two_rounds(self, coder, reviewer, tester):
        """The first round is not good: the reviewer says so, and the coder changes a line."""
        self.new_project()
        self.configure(coder=coder, reviewer=reviewer, tester=tester)
        self.teach(
            Rule([CODER, "helo is misspelt"], ("replace", "greet.sh", "echo helo", "echo hello"),
                 ("answer", {"summary": "spelt right", "changed_files": ["greet.sh"]})),
            Rule([CODER], ("write", "greet.sh", "#!/bin/sh\necho helo\n"),
                 ("answer", {"summary": "says it", "changed_files": ["greet.sh"]}), faults=BUSY[coder]),
            Rule([REVIEWER], ("answer", {"decision": "changes_requested", "summary": "a word is wrong", "must_fix": [
                {"file": "greet.sh", "line": 2, "message": "helo is misspelt"}]}), times=1),
            Rule([REVIEWER], ("answer", {"decision": "approve", "must_fix": [], "summary": "good"})),
            Rule([TESTER], ("answer", {"commands": [{"argv": ["sh", "-c", "test \"$(sh greet.sh)\" = hello"]}],
                                       "summary": "it says hello"})))
        (task,) = self.objects(COORDINATOR, "run", "--task", "A program greet.sh that says hello", "--workspace", ".", "--json")
        self.assertEqual((task["outcome"], task["round"], task["landed"]["status"]), ("approved", 2, "landed"), task)
        self.assertEqual(self.text("greet.sh"), "#!/bin/sh\necho hello\n")
        self.assertEqual(self.model.lost, [])
        # Each worked in the task's own worktree.
        for words in (CODER, REVIEWER, TESTER):
            self.assertEqual(self.folders(words), {str(self.project / "worktrees" / task["task"])})
        return task

    def assert_usage(self, task, refused, costs):
        """Each reply is 1000 tokens in and 20 out; only claude says what that costs."""
        answered = len(self.model.asked) - refused
        self.assertEqual((task["usage"]["input_tokens"], task["usage"]["output_tokens"]), (1000 * answered, 20 * answered))
        self.assertEqual("micros" in task["usage"], costs)

    def assert_session_continued(self):
        """The coder was refused once: the attempt after it has the prompt twice, in one session."""
        first, second = self.model.of(CODER)[:2]
        self.assertEqual((first.times(CODER), second.times(CODER)), (1, 2))

    def test_claude(self):
        task = self.two_rounds("claude", "claude", "claude")
        self.assertTrue(all(asked.schema for asked in self.model.asked))
        self.assert_usage(task, 1, True)
        self.assert_session_continued()

    def test_codex(self):
        task = self.two_rounds("codex", "codex", "codex")
        self.assert_usage(task, 1, False)
        self.assert_session_continued()

    def test_gemini(self):
        task = self.two_rounds("gemini", "gemini", "gemini")
        self.assert_usage(task, 0, False)

    def stopped(self, kind, command, signals):
        """One or two Ctrl-C while a command of the program runs."""
        pid = self.root / "pid"
        pid.unlink(missing_ok=True)
        text = f"echo $$ > {pid}; exec sleep 300"
        self.configure(coder=kind, reviewer=kind, tester=kind)
        config = self.project / "coordinator.toml"
        config.write_text(config.read_text().replace("access = \"write\"", f"access = \"write\"\ncommand = {command}"))
        self.teach(Rule([CODER], ("run", f"sh -c '{text}'"), ("answer", {"summary": "slept"})))
        host = subprocess.Popen([COORDINATOR, "run", "--task", "sleep", "--workspace", ".", "--id", f"{kind}{signals}"],
                                cwd=self.project, env=self.variables, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        while not (pid.exists() and pid.read_text().endswith("\n")):
            self.assertIsNone(host.poll(), self.questions())
            time.sleep(0.05)
        for _ in range(signals):
            host.send_signal(signal.SIGINT)
        self.assertEqual(host.wait(timeout=120), 130)
        return int(pid.read_text())

    def test_no_command_of_a_program_lives_on(self):
        """claude and gemini give each command a session of its own; codex a process namespace, which ends with it."""
        self.new_project()
        for kind, command in (("claude", ["claude", "--allowed-tools", "Bash"]),
                              ("gemini", ["gemini", "--allowed-tools", "run_shell_command"])):
            for signals in (1, 2):
                with self.subTest(kind=kind, signals=signals):
                    pid = self.stopped(kind, json.dumps(command), signals)
                    self.assertTrue(ends(pid))

    def test_they_are_seen_at_work_and_continue_after_a_pause(self):
        self.new_project()
        for kind, tool in (("claude", "Bash"), ("gemini", "run_shell_command")):
            with self.subTest(kind=kind):
                self.stopped(kind, json.dumps([kind, "--allowed-tools", tool]), 1)
                (seen,) = (self.project / "logs").glob(f"{kind}1+*.out")
                self.assertIn("exec sleep 300", seen.read_text())
                self.model.asked.clear()
                self.model.lost.clear()  # what `init` has tried
                self.teach(Rule([CODER], ("answer", {"summary": "slept well"})),
                           Rule([REVIEWER], ("answer", {"decision": "approve", "must_fix": [], "summary": "good"})),
                           Rule([TESTER], ("answer", {"commands": [{"argv": ["true"]}], "summary": "nothing"})))
                self.call(COORDINATOR, "resume", f"{kind}1")
                self.assertEqual(self.model.of(CODER)[0].times(CODER), 2)
                self.assertEqual(self.model.lost, [], self.questions())

    def test_a_person_changes_what_is_built(self):
        """The operator refuses a proposal with a reason, and confirms the next one."""
        self.new_project()
        self.configure()
        shutil.copy(EXAMPLE, self.project / "coordinator.toml")
        words = {language: Rule([CODER, '"mode":"proposal"', *more], ("answer", {"text": f"It says {language}."}))
                 for language, more in (("bonjour", ["in French"]), ("hello", []))}
        self.teach(
            *words.values(),
            Rule([REVIEWER, '"mode":"discussion"'], ("answer", {"text": "Short.", "objections": ["It should say whom it greets."]})),
            Rule([TESTER, '"mode":"discussion"'], ("answer", {"text": "Run it.", "objections": []})),
            Rule([CODER, "It says bonjour", "and the world"], ("write", "greet.sh", "echo bonjour le monde\n"),
                 ("answer", {"summary": "says it", "changed_files": ["greet.sh"]})),
            Rule([REVIEWER], ("answer", {"decision": "approve", "must_fix": [], "summary": "good"})),
            Rule([TESTER], ("answer", HELLO)))
        self.call(COORDINATOR, "run", "--mode", "proposal", "--task", "A program greet.sh that greets", "--workspace", ".", "--id", "greet",
                  code=7)
        shown = self.call(COORDINATOR, "status", "greet")
        self.assertIn("It says hello.", shown)
        self.assertIn("It should say whom it greets.", shown)
        self.call(COORDINATOR, "followup", "greet", "--message", "in French", code=7)
        self.assertIn("It says bonjour.", self.call(COORDINATOR, "status", "greet"))
        self.assertFalse((self.project / "greet.sh").exists())
        self.call(COORDINATOR, "confirm", "greet", "--message", "and the world")
        self.assertEqual(self.text("greet.sh"), "echo bonjour le monde\n")
        self.assertEqual(self.model.lost, [], self.questions())

    def test_not_logged_in(self):
        """No round is lost: the task ends, and says what to do."""
        self.new_project()
        self.configure(coder="codex", reviewer="codex", tester="codex")
        del self.variables["OPENAI_API_KEY"]
        (task,) = self.objects(COORDINATOR, "run", "--task", "Anything", "--workspace", ".", "--json", code=1)
        self.assertEqual((task["outcome"], task["round"], task["failure"]["class"]), ("provider_auth_error", 1, "auth"), task)
        said = self.call(WFSM, "agents", "doctor", "coordinator.toml", code=1)
        for role in ("coder", "reviewer", "tester"):
            self.assertRegex(said, f"(?m)^{role}: auth \\(codex.*run codex login, or set CODEX_API_KEY")


if __name__ == "__main__":
    main(sys.argv[1], World, "the coordinator")
