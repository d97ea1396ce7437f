#!/usr/bin/python3
"""The host program coordinator, from outside, with agents made for each test.

usage: test_coordinator.py COORDINATOR
"""

import fcntl
import json
import os
import pty
import pwd
import re
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import ends  # noqa: E402

COORDINATOR = str(Path(sys.argv[1]).resolve())
MACHINE = Path(__file__).resolve().parents[3] / "examples/coordinator/coordinator.json"

CODER = """echo '{"summary":"did it","changed_files":["a.txt"]}'"""
REVIEWER = """echo '{"decision":"approve","must_fix":[],"summary":"good"}'"""
TESTER = """echo '{"commands":[{"argv":["true"]}],"summary":"it is true"}'"""
CHANGES = """echo '{"decision":"changes_requested","summary":"bad",
"must_fix":[{"file":"a.txt","line":3,"message":"no good"}]}'"""


def tester(*commands):
    return "printf '%s' '" + json.dumps({"commands": list(commands)}).replace("'", "'\\''") + "'"


class Host(unittest.TestCase):
    """A folder with a configuration, a project and three agents."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-coordinator-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        (self.path / "project").mkdir()
        self.agents()
        self.configure()

    def agents(self, **bodies):
        for name, body in {"coder": CODER, "reviewer": REVIEWER, "tester": TESTER,
                           **bodies}.items():
            (self.path / name).write_text(f"#!/bin/sh\ncat > {self.path}/{name}.in\n{body}\n")
            (self.path / name).chmod(0o755)

    def configure(self, head="", agents=("coder", "reviewer", "tester"), more=""):
        text = f'machine = "{MACHINE}"\nstore = "tasks.db"\n{head}\n'
        for name in agents:
            text += (f'[agents.{name}]\ncommand = ["{{dir}}/{name}"]\ngrace_ms = 500\n'
                     'exit_classes = { 77 = "auth" }\n')
        (self.path / "coordinator.toml").write_text(text + more)

    def begin(self, *arguments):
        process = subprocess.Popen([COORDINATOR, *arguments], cwd=self.path, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, "LC_ALL": "C.UTF-8"})
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def run_it(self, *arguments):
        process = self.begin(*arguments)
        process.out, process.err = process.communicate(timeout=600)
        return process

    def expect(self, code, *arguments):
        result = self.run_it(*arguments)
        self.assertEqual(result.returncode, code, result.out + result.err)
        return result

    def new_task(self, code, *more):
        return self.expect(code, "run", "--task", "Do it", "--workspace", "project", *more)

    def begin_task(self, wait_for="coder.in"):
        """A task named t, with its first agent at work."""
        process = self.begin("run", "--task", "Do it", "--workspace", "project", "--id", "t")
        self.wait_until(lambda: (self.path / wait_for).exists())
        return process

    @staticmethod
    def kill(process):
        process.kill()
        process.wait()

    def resume_beside_the_coder(self):
        """The coder works on without its host, and ends when the next host has seen that."""
        process = self.begin("resume")
        while "coder is still at work" not in (line := process.stdout.readline()):
            self.assertTrue(line, "the host ended, and did not see that the coder works")
        (self.path / "go").touch()
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, out + err)
        return out

    def wait_until(self, happened):
        for _ in range(12000):
            if happened():
                return
            time.sleep(0.05)
        self.fail("it did not happen")

    def given(self, agent):
        """What an agent was asked last."""
        return json.loads((self.path / f"{agent}.in").read_text())

    def records(self, instance="t"):
        with sqlite3.connect(self.path / "tasks.db") as db:
            rows = db.execute("select record from journal j join instance i on "
                              "j.instance = i.key where i.id = ? order by j.revision",
                              (instance,))
            return [json.loads(text) for (text,) in rows]

    def last_set(self, key, instance="t"):
        return [r["set"][key] for r in self.records(instance) if key in r.get("set", {})][-1]

    def attempts(self, result):
        return {name: (int(a), int(b)) for name, a, b in
                re.findall(r"^(\w+) +(\d+) +(\d+)$", result.out, re.M)}


class CommandLine(Host):
    def test_help_is_no_error(self):
        for arguments in (["--help"], ["-h"], ["run", "--help"], ["abort", "--help"]):
            self.assertIn("usage: coordinator run", self.expect(0, *arguments).out)

    def test_what_is_not_understood_ends_with_2(self):
        for arguments in ([], ["fly"], ["run"], ["run", "--task", "x"], ["status"],
                          ["abort"], ["history"], ["list", "t"], ["resume", "a", "b"],
                          ["run", "--task", "x", "--task-file", "y", "--workspace", "."],
                          ["run", "--task", "", "--workspace", "project"],
                          ["run", "--task", "x", "--workspace", "nowhere"],
                          ["run", "--task-file", "nowhere", "--workspace", "project"],
                          ["run", "--fast"], ["status", "--id", "t"],
                          ["status", "t", "--config"]):
            with self.subTest(arguments=arguments):
                result = self.expect(2, *arguments)
                self.assertTrue(result.err.strip())
        self.assertFalse((self.path / "tasks.db").exists())

    def test_configuration_that_is_not_right_ends_with_2_and_names_the_place(self):
        for make, said in (
            (lambda: self.configure(head="max_round = 3"), "max_round"),
            (lambda: self.configure(head="max_rounds = 0"), "coordinator.toml:3"),
            (lambda: self.configure(head='max_rounds = "3"'), "coordinator.toml:3"),
            (lambda: self.configure(head="max_rounds ="), "coordinator.toml:3"),
            (lambda: self.configure(agents=["coder", "tester"]), "[agents.reviewer]"),
            (lambda: self.configure(agents=[]), "[agents.coder]"),
            (lambda: self.configure(more='[agents.poet]\ncommand = ["x"]\n'), "[agents]"),
            (lambda: self.configure(more='[commands]\ntimeout_ms = -1\n'), "timeout_ms"),
            (lambda: self.configure(more='[commands]\nlimit = 1\n'), "limit"),
            (lambda: (self.path / "coordinator.toml").unlink(), "coordinator.toml"),
        ):
            make()
            with self.subTest(said=said):
                self.assertIn(said, self.new_task(2).err)

    def test_machine_that_is_none(self):
        bad = self.path / "bad.json"
        bad.write_text('{"wfsm": 1,\n "id": "coordinator", "stats": {}}')
        config = self.path / "coordinator.toml"
        config.write_text(config.read_text().replace(str(MACHINE), str(bad)))
        self.assertIn("bad.json:", self.new_task(3).err)
        bad.unlink()
        self.assertIn("bad.json", self.new_task(2).err)


class Store(Host):
    def test_a_store_that_is_none_ends_with_3(self):
        self.assertEqual(self.expect(0, "list").out, "no task yet\n")
        self.assertEqual(self.expect(0, "list", "--json").out, "")
        self.assertEqual(self.expect(0, "clean").out, "no task yet\n")
        self.assertIn("tasks.db", self.expect(3, "status", "t").err)
        (self.path / "tasks.db").write_text("This is no database, and a long text at that.\n" * 99)
        for arguments in (["list"], ["status", "t"], ["history", "t"], ["abort", "t"],
                          ["resume"]):
            with self.subTest(arguments=arguments):
                self.assertIn("tasks.db", self.expect(3, *arguments).err)
        self.new_task(3)

    def test_a_task_that_is_not_there_ends_with_3(self):
        self.new_task(0)
        for command in ("status", "history", "abort", "resume"):
            with self.subTest(command=command):
                self.assertIn("nobody", self.expect(3, command, "nobody").err)


class Outcomes(Host):
    def test_approved(self):
        # 001-17, 001-45; the names are numbered
        result = self.new_task(0)
        self.assertIn("task-1: approved after 1 of 5 rounds", result.out)
        self.assertIn("review → test", result.out)
        self.new_task(0)
        self.assertEqual(re.findall(r"^task-\d", self.expect(0, "list").out, re.M),
                         ["task-1", "task-2"])
        self.assertIn("finalize.approved", self.expect(0, "status", "task-1").out)
        history = self.expect(0, "history", "task-1")
        self.assertRegex(history.out, r"test -> finalize +tests_passed +outcome approved")
        self.assertEqual(self.attempts(history), {"coder": (1, 1), "reviewer": (1, 1),
                                                  "tester": (1, 1), "commands": (1, 1)})
        self.assertEqual(self.expect(0, "resume", "task-1").out.split("\n")[0],
                         "task-1: approved after 1 of 5 rounds")

    def test_a_name_is_taken_once(self):
        self.new_task(0, "--id", "t")
        self.assertIn("resume t", self.new_task(2, "--id", "t").err)

    def test_a_name_that_is_none(self):
        for name in ("", "x" * 256):
            self.new_task(2, "--id", name)

    def test_what_agents_are_given(self):
        # 001-13, 001-15, 001-18
        self.agents(reviewer=f"if [ -e {self.path}/again ]; then {REVIEWER}\n"
                             f"else touch {self.path}/again; {CHANGES}\nfi")
        self.new_task(0, "--id", "t")
        asked = self.given("coder")
        self.assertEqual((asked["agent"], asked["attempt"], asked["instance"]),
                         ("coder", 1, "t"))
        given = asked["input"]
        self.assertEqual((given["mode"], given["task"], given["round"]),
                         ("implementation", "Do it", 2))
        self.assertEqual(given["workspace"], str((self.path / "worktrees/t").resolve()))
        self.assertEqual(given["must_fix"], [{"source": "review", "file": "a.txt", "line": 3,
                                              "message": "no good"}])
        self.assertEqual(self.given("reviewer")["input"]["mode"], "strict")
        self.assertIn("decision", self.given("reviewer")["output_schema"]["properties"])

    def test_the_rounds_are_used_up(self):
        # 001-38, 001-49
        self.configure(head="max_rounds = 2")
        self.agents(reviewer=CHANGES)
        result = self.new_task(1)
        self.assertIn("max_iterations_reached after 2 of 2 rounds, the last one: "
                      "review_changes_requested", result.out)
        self.assertIn("must fix (review): no good", result.out)

    def test_a_reviewer_that_answers_garbage(self):
        # 001-30, 001-46, 001-68
        for body in ("echo lgtm", "echo '{\"decision\":\"maybe\"}'", "", "printf '\\377\\376'", "echo '{} {}'"):
            with self.subTest(body=body):
                self.agents(reviewer=body)
                self.assertIn(": review_schema_invalid", self.new_task(1).out)

    def test_a_tester_that_answers_garbage(self):
        # 001-33, 001-47, 001-69
        self.configure(head="max_rounds = 1")
        for body in ("echo all good", tester()):
            with self.subTest(body=body):
                self.agents(tester=body)
                self.assertIn("the last one: tester_schema_invalid", self.new_task(1).out)

    def test_a_reviewer_or_tester_that_could_not_work_has_judged_nothing(self):
        # 001-66, 001-68: over its quota, not logged in, killed
        for agent, body, reason in (("reviewer", "echo 429 Too Many Requests; exit 1", "1"),
                                    ("reviewer", "kill -9 $$", "9"),
                                    ("tester", "echo log in first >&2; exit 41", "41")):
            with self.subTest(agent=agent, body=body):
                self.agents(**{agent: f"echo x >> {self.path}/asked; {body}"})
                result = self.new_task(1)
                self.assertIn(": agent_failed after 1 of 5 rounds", result.out)
                self.assertRegex(result.out, f"{agent} failed \\(exit\\): .*{reason}")
                self.assertEqual((self.path / "asked").read_text(), "x\n" * 3)
                (self.path / "asked").unlink()

    def test_a_reviewer_that_is_over_its_quota_for_a_moment(self):
        self.agents(reviewer=f"[ $WFSM_ATTEMPT = 2 ] || {{ echo 429; exit 1; }}\n{REVIEWER}")
        self.assertIn(": approved after 1 of 5 rounds", self.new_task(0).out)

    def test_a_reviewer_that_says_why_it_could_not_work(self):
        said = '{"error":{"class":"%s","message":"429 Too Many Requests"}}'
        for name, asked, outcome in (("network", 3, "provider_network_error"),
                                     ("auth", 1, "provider_auth_error")):
            with self.subTest(name=name):
                self.agents(reviewer=f"echo x >> {self.path}/asked; echo '{said % name}'; exit 1")
                result = self.new_task(1)
                self.assertIn(f": {outcome} after 1 of 5 rounds", result.out)
                self.assertIn(f"reviewer failed ({name}): 429 Too Many Requests", result.out)
                self.assertEqual((self.path / "asked").read_text(), "x\n" * asked)
                (self.path / "asked").unlink()

    def test_a_coder_that_fails(self):
        # 001-67
        self.agents(coder="echo no idea >&2; exit 1")
        result = self.new_task(1, "--id", "t")
        self.assertIn("t: agent_failed", result.out)
        self.assertIn("tries again", result.out)
        history = self.expect(0, "history", "t")
        self.assertIn("retry_count 1, retry_reason exit", history.out)  # 001-55, 001-56
        self.assertEqual(self.attempts(history), {"coder": (1, 2)})

    def test_a_provider_that_refuses(self):
        # 001-54
        self.agents(coder="exit 77")
        self.assertIn("task-1: provider_auth_error", self.new_task(1).out)

    def test_an_agent_that_is_not_there(self):
        (self.path / "reviewer").unlink()
        result = self.new_task(1)
        self.assertIn("agent_failed", result.out)
        self.assertIn("reviewer", result.out)


class Commands(Host):
    """What the tester names is run by the coordinator (001-17, 001-34, 001-70)."""

    def failed(self, *commands):
        self.configure(head="max_rounds = 1", more="[commands]\ntimeout_ms = 300\n"
                                                   "max_output_bytes = 5000\n")
        self.agents(tester=tester(*commands))
        before = len(self.expect(0, "list").out) if (self.path / "tasks.db").exists() else 0
        self.assertIn("the last one: test_failed", self.new_task(1).out)
        newest = f"task-{before and self.expect(0, 'list').out.count('task-') or 1}"
        (item,) = self.last_set("mustFix", newest)
        self.assertEqual(item["source"], "test")
        return item["message"]

    def test_a_command_that_fails_is_shown_with_its_end(self):
        message = self.failed({"argv": ["true"]},
                              {"argv": ["sh", "-c", "echo out; echo err >&2; exit 3"]},
                              {"argv": ["touch", "later"]})
        self.assertEqual(message, "sh -c echo out; echo err >&2; exit 3: exit status 3\n"
                                  "out\nerr")
        self.assertFalse((self.path / "project" / "later").exists())

    def test_commands_run_in_the_workspace_without_a_shell(self):
        self.agents(tester=tester({"argv": ["touch", "a b;c"]}))
        self.new_task(0)
        self.assertTrue((self.path / "worktrees/task-1/a b;c").exists())

    def test_one_that_is_not_there(self):
        self.assertIn("no-such-program", self.failed({"argv": ["no-such-program"]}))

    def test_one_that_takes_too_long(self):
        self.failed({"argv": ["sleep", "3600"]})  # longer than the host is waited for
        self.failed({"argv": ["sleep", "3600"], "timeout_ms": 100})

    def test_one_that_is_killed_or_writes_what_is_no_text(self):
        self.assertIn("signal 9", self.failed({"argv": ["sh", "-c", "kill -9 $$"]}))
        self.failed({"argv": ["sh", "-c", "printf '\\377\\000x'; exit 1"]})

    def test_one_that_writes_too_much(self):
        self.failed({"argv": ["sh", "-c", "while :; do echo lots and lots of it; done"]})


class Abort(Host):
    SLOW = "echo $$ > ../../coder.pid; exec sleep 60"

    def slow_task(self):
        self.agents(coder=self.SLOW)
        process = self.begin_task("coder.pid")
        self.wait_until(lambda: (self.path / "coder.pid").read_text().strip())
        return process, int((self.path / "coder.pid").read_text())

    def canceled(self, process, agent):
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 1, out + err)
        self.assertIn("t: canceled", out)
        self.gone(agent)

    def gone(self, pid):
        self.wait_until(lambda: not Path(f"/proc/{pid}/stat").exists())

    def test_from_another_terminal(self):
        # 001-37, 001-50
        process, agent = self.slow_task()
        self.assertIn("is told to stop", self.expect(0, "abort", "t").out)
        self.canceled(process, agent)
        self.assertEqual(self.records()[-1]["input"]["event"], "aborted_by_operator")
        self.assertIn("canceled", self.expect(1, "abort", "t").err)

    def test_nobody_of_the_agent_s_own_is_left(self):
        """Its children and theirs, also those that do not listen."""
        self.agents(coder="trap '' TERM\n"
                          "sh -c 'trap \"\" TERM; echo $$ >> ../../all.pid; sleep 61 & "
                          "echo $! >> ../../all.pid; wait; sleep 62' &\n"
                          "sleep 63 & echo $! >> ../../all.pid\n"
                          "echo $$ >> ../../all.pid; wait; sleep 64")
        for number in (None, signal.SIGTERM):
            with self.subTest(signal=number):
                process = self.begin_task("all.pid")
                everybody = self.path / "all.pid"
                self.wait_until(lambda: len(everybody.read_text().split()) == 4)
                if number is None:
                    self.expect(0, "abort", "t")
                else:
                    process.send_signal(number)
                out, err = process.communicate(timeout=600)
                self.assertIn("resume t" if number else "t: canceled", out + err)
                for pid in everybody.read_text().split():
                    self.gone(int(pid))
                (self.path / "tasks.db").unlink()
                everybody.unlink()

    def test_a_signal_pauses(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                process, agent = self.slow_task()
                process.send_signal(number)
                out, err = process.communicate(timeout=600)
                self.assertEqual(process.returncode, 130, out + err)
                self.assertIn("`coordinator resume t` continues", err)
                self.gone(agent)
                self.agents()
                out = self.expect(0, "resume").out
                self.assertIn("t: approved", out)
                self.assertIn("coder is at work, attempt 2\n", out)
                self.assertNotIn("failed", out)
                (self.path / "tasks.db").unlink()
                (self.path / "coder.pid").unlink()

    def test_of_a_task_that_nobody_runs(self):
        process, agent = self.slow_task()
        process.kill()
        process.wait()
        self.assertIn("t: canceled", self.expect(0, "abort", "t").out)
        self.gone(agent)

    def test_of_a_task_that_is_over(self):
        self.new_task(0, "--id", "t")
        before = len(self.records())
        self.assertIn("approved", self.expect(1, "abort", "t").err)
        self.assertEqual(len(self.records()), before)


class Operator(Host):
    """confirm and followup: a task continues when the operator says so."""

    def agents(self, **bodies):
        """Each answers what its mode asks for, and notes the mode."""
        for name, strict in {"coder": CODER, "reviewer": REVIEWER, "tester": TESTER}.items():
            (self.path / name).write_text(f"""#!/bin/sh
cat > {self.path}/{name}.in
mode=$(grep -o '"mode": *"[a-z]*"' {self.path}/{name}.in | head -n 1 | cut -d'"' -f4)
echo {name} $mode >> {self.path}/said
case $mode in
proposal | discussion) echo '{{"text":"I think so"}}' ;;
*) {bodies.get(name, strict)} ;;
esac
""")
            (self.path / name).chmod(0o755)

    def said(self):
        return (self.path / "said").read_text().splitlines()

    def states(self):
        """Of the seven, in the order in which they were entered."""
        tops = [record["configuration"][0].split(".")[0]
                for record in self.records() if "configuration" in record]
        return [top for index, top in enumerate(tops) if index == 0 or tops[index - 1] != top]

    def proposal(self):
        return self.new_task(7, "--id", "t", "--mode", "proposal")

    ROUNDTABLE = ["coder proposal", "reviewer discussion", "tester discussion"]
    LOOP = ["coder implementation", "reviewer strict", "tester strict"]

    def test_a_proposal_hears_each_once_and_waits(self):
        # 001-10, 001-43, 001-51, 001-59
        result = self.proposal()
        self.assertIn("t: await_operator_confirm", result.out)
        self.assertEqual(self.ROUNDTABLE, self.said())
        self.assertEqual(["intake", "plan", "review", "test", "finalize"], self.states())
        self.assertIn("await_operator_confirm", self.expect(0, "status", "t").out)
        self.assertIn("await_operator_confirm", self.expect(7, "resume", "t").out)
        self.assertEqual(self.ROUNDTABLE, self.said())

    def test_a_confirmed_proposal_is_implemented(self):
        # 001-12, 001-57: row 2, then row 7, by one command
        self.proposal()
        self.assertIn("t: approved after 1 of 5 rounds", self.expect(0, "confirm", "t").out)
        self.assertEqual(self.ROUNDTABLE + self.LOOP, self.said())
        self.assertEqual(["intake", "plan", "review", "test", "finalize",
                          "intake", "plan", "build", "review", "test", "finalize"],
                         self.states())
        self.assertEqual(["confirmed"], [m["text"] for m in self.given("coder")["input"]["messages"]])
        # Once: what is decided is not confirmed again.
        before = len(self.records())
        self.assertIn("nothing waits", self.expect(1, "confirm", "t").err)
        self.assertEqual(before, len(self.records()))

    def test_a_followup_begins_a_new_run(self):
        # 001-22, 001-65
        self.configure(head="max_rounds = 1")
        self.agents(reviewer=CHANGES)
        self.new_task(1, "--id", "t")
        self.agents()
        result = self.expect(0, "followup", "t", "--message", "mind the ‘help’")
        self.assertIn("t: approved after 1 of 1 rounds", result.out)
        given = self.given("coder")["input"]
        # What the last run left open is still to be fixed.
        self.assertEqual(["no good"], [item["message"] for item in given["must_fix"]])
        self.assertEqual(["mind the ‘help’"], [m["text"] for m in given["messages"]])
        self.expect(7, "followup", "t", "--message", "say more", "--mode", "proposal")
        self.assertEqual(self.ROUNDTABLE, self.said()[-3:])
        self.expect(0, "confirm", "t", "--message", "yes, do")
        self.assertEqual(["mind the ‘help’", "say more", "yes, do"],
                         [m["text"] for m in self.given("coder")["input"]["messages"]])

    def objecting(self):
        """A roundtable with a proposal of its own and an objection to it."""
        self.agents()
        (self.path / "coder").write_text((self.path / "coder").read_text().replace(
            '"I think so"', '"in two steps:\\u000a1. the parser"'))
        (self.path / "reviewer").write_text((self.path / "reviewer").read_text().replace(
            '"I think so"', '"hm","objections":["it breaks the lexer"]'))

    def test_the_operator_sees_the_proposal_and_what_speaks_against_it(self):
        # 001-26, 001-43
        self.objecting()
        shown = {"run": self.proposal().out, "status": self.expect(0, "status", "t").out,
                 "confirm": self.expect(0, "confirm", "t").out}
        for command, out in shown.items():
            with self.subTest(command=command):
                for words in ("in two steps:", "1. the parser", "it breaks the lexer"):
                    self.assertIn(words, out)
        out = shown["confirm"]
        self.assertLess(out.index("it breaks the lexer"), out.index("intake"))

    def test_who_confirmed_is_recorded(self):
        self.proposal()
        with unittest.mock.patch.dict(os.environ, {"USER": "ada"}):
            self.expect(0, "confirm", "t")
        (said,) = self.last_set("messages")
        self.assertEqual(("confirmed", "ada", True),
                         (said["text"], said["by"], said["confirms"]))

    def test_who_confirmed_is_recorded_where_no_variable_says_so(self):
        self.proposal()
        with unittest.mock.patch.dict(os.environ):
            os.environ.pop("USER", None)
            self.expect(0, "confirm", "t")
        login = pwd.getpwuid(os.getuid()).pw_name
        self.assertEqual(self.last_set("messages")[0]["by"], login)
        (origin,) = [r["origin"] for r in self.records() if r["input"].get("event") == "task_followup_received"]
        self.assertEqual(origin["sender"], login)

    def test_an_agent_is_no_person(self):
        self.proposal()
        before = self.records()
        with unittest.mock.patch.dict(os.environ, {"WFSM_INVOCATION_ID": "x"}):
            self.assertIn("an agent cannot decide", self.expect(1, "confirm", "t").err)
        self.assertEqual(self.records(), before)

    def test_a_second_proposal_is_discussed_with_the_first(self):
        # 001-65
        self.objecting()
        self.proposal()
        self.expect(7, "followup", "t", "--message", "not like this")
        for agent in ("coder", "reviewer", "tester"):
            (first,) = self.given(agent)["input"]["earlier"]
            self.assertEqual(["it breaks the lexer"], first[1]["says"]["objections"])

    def test_words_that_come_at_the_wrong_time(self):
        self.new_task(0, "--id", "t")
        self.assertIn("nothing waits", self.expect(1, "confirm", "t").err)
        self.expect(3, "confirm", "nobody")
        for line in (["followup", "t"], ["followup", "t", "--message", ""], ["followup"],
                     ["confirm", "t", "--mode", "proposal"], ["run", "--message", "x"],
                     ["followup", "t", "--message", "x", "--mode", "poetry"],
                     ["status", "t", "--mode", "proposal"]):
            with self.subTest(line=line):
                self.expect(2, *line)
        self.assertIn("UTF-8", self.expect(2, "followup", "t", "--message", b"\xff").err)

    def test_a_proposal_that_waits_is_aborted(self):
        # 001-60
        self.proposal()
        self.assertIn("t: canceled", self.expect(0, "abort", "t").out)
        self.assertIn("nothing waits", self.expect(1, "confirm", "t").err)

    def test_killed_between_the_word_and_the_work(self):
        """The word is durable before anything else happens."""
        self.proposal()
        with sqlite3.connect(self.path / "tasks.db") as store:
            before = store.execute("SELECT count(*) FROM journal").fetchone()
        self.agents(coder=f"{CODER}; kill -9 $PPID")
        killed = self.run_it("confirm", "t")
        self.assertEqual(killed.returncode, -signal.SIGKILL)
        with sqlite3.connect(self.path / "tasks.db") as store:
            self.assertGreater(store.execute("SELECT count(*) FROM journal").fetchone(), before)
        self.agents()
        self.assertIn("t: approved", self.expect(0, "resume", "t").out)
        self.assertEqual(1, self.said().count("coder implementation"))


class Screen:
    """As much of a terminal as live lines need: lines, up, and erase below."""

    def __init__(self):
        self.lines, self.row, self.seen = [""], 0, set()

    def feed(self, text):
        for piece in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|\r?\n|[^\x1b\r\n]+|.", text, re.S):
            if re.fullmatch(r"\x1b\[\d+A", piece):
                self.row -= int(piece[2:-1])
            elif piece == "\x1b[J":
                del self.lines[self.row:]
                self.lines.append("")
            elif piece in ("\r\n", "\n"):
                self.row += 1
                if self.row == len(self.lines):
                    self.lines.append("")
                self.seen.add(self.lines[self.row - 1])
            elif not piece.startswith("\x1b"):
                self.lines[self.row] += piece


class Live(Host):
    """At a terminal: the agents at work are shown below, and earlier lines stay above."""

    def watch(self, *arguments, columns=100):
        main, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        process = subprocess.Popen([COORDINATOR, *arguments], cwd=self.path, stdin=other,
                                   stdout=other, stderr=other,
                                   env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm"})
        os.close(other)
        screen, data = Screen(), b""
        while True:
            try:
                block = os.read(main, 65536)
            except OSError:  # the other end is closed
                break
            if not block:
                break
            data += block
        os.close(main)
        screen.feed(data.decode())
        self.assertNotIn(process.wait(), (-6, -11))
        return screen

    def test_agents_at_work_are_seen_and_leave_nothing_behind(self):
        self.agents(coder=f"sleep 1; {CODER}")
        plain = self.new_task(0, "--id", "plain")
        screen = self.watch("run", "--task", "Do it", "--workspace", "project", "--id", "t")
        self.assertTrue([line for line in screen.seen
                         if re.fullmatch(r"  coder +(\d\.\ds|\d+ms)  build\.coding", line)], screen.seen)
        self.assertIn("  1 at work, 0 waiting; round 1 of 5", screen.seen)
        told = [re.sub(r"^\[ *[\d.]+s\] t ", "", line) for line in screen.lines if line]
        expected = [re.sub(r"^\[ *[\d.]+s\] plain ", "", line)
                    for line in plain.out.replace("plain:", "t:").splitlines() if line]
        expected = expected[:[line.startswith("  took") for line in expected].index(True) + 1]
        self.assertEqual(expected[:-1], told[:len(expected) - 1])
        self.assertNotIn("\x1b", plain.out)

    def test_a_narrow_terminal_and_an_error(self):
        self.agents(coder=f"sleep 1; rm -f {self.path}/tasks.db*; {CODER}")
        screen = self.watch("run", "--task", "Do it", "--workspace", "project", "--id", "t",
                            columns=20)
        self.assertTrue([line for line in screen.seen if line.startswith("  coder")])
        self.assertFalse([line for line in screen.seen
                          if line.startswith("  ") and len(line) > 19])
        self.assertIn("coordinator: ", "\n".join(screen.lines))


if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and programs inherit that
    unittest.main(argv=sys.argv[:1])
