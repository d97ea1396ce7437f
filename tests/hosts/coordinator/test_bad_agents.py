#!/usr/bin/python3
"""Programs that are bad agents, as coder, as reviewer and as tester of a coordinator: each is
journalled, classified, and leads where the document says.

usage: test_bad_agents.py COORDINATOR WFSM

A test for each way to be bad. All tasks run at once, because most of the time they wait.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import ends  # noqa: E402

COORDINATOR, WFSM = (str(Path(name).resolve()) for name in sys.argv[1:3])
MACHINE = Path(__file__).resolve().parents[3] / "examples/coordinator/coordinator.json"
GOOD = {"coder": '{"summary":"did it","changed_files":["a.txt"]}',
        "reviewer": '{"decision":"approve","must_fix":[],"summary":"good"}',
        "tester": '{"commands":[{"argv":["true"]}],"summary":"it is true"}'}
PID = "echo $$ >> {path}/pids\n"

# What a bad agent does; {good} is the right answer.
BAD = {
    "writes_nothing": "exit 0",
    "writes_garbage": "echo 'looks good to me {{[\"'",
    "writes_a_gigabyte": PID + "printf '{good}'; head -c 1000000000 /dev/zero | tr '\\0' ' '",
    "writes_invalid_utf_8": "printf '{{\"summary\":\"\\377\\376\"}}'",
    "answers_by_another_schema": "echo '{{\"decision\":\"maybe\",\"commands\":[],\"summary\":7}}'",
    "writes_two_objects": "printf '%s\\n' '{good}' '{good}'",
    "ignores_sigterm": PID + "trap '' TERM; while :; do sleep 0.1; done",
    "forks_and_leaves": "sleep 1000 & echo $! >> {path}/pids; echo '{good}'",
    "leaves_its_group": "setsid sleep 3 & echo '{good}'",
    "closes_stdout_and_runs_on": PID + "echo '{good}'; exec >&-; exec sleep 1000",
    "closes_stdout_and_ends": "echo '{good}'; exec >&- 2>&-; sleep 0.2",
    "is_killed": PID + "echo '{good}'; kill -9 $$",
    "fails_with_an_answer": "echo '{good}'; exit 3",
}
FOR_EVER = ("ignores_sigterm", "closes_stdout_and_runs_on")


class Task:
    """A folder of its own, one agent that is bad, and what became of it."""

    def __init__(self, how, agent, path):
        self.path, self.agent = path, agent
        (path / "project").mkdir(parents=True)
        config = f'machine = "{MACHINE}"\nstore = "tasks.db"\nmax_rounds = 1\n'
        for name, good in GOOD.items():
            body = BAD[how] if name == agent else "echo '{good}'"
            (path / name).write_text("#!/bin/sh\n" + body.format(good=good, path=path) + "\n")
            (path / name).chmod(0o755)
            limit = 500 if name == agent and how in FOR_EVER else 60000
            config += (f'[agents.{name}]\ncommand = ["{{dir}}/{name}"]\ntimeout_ms = {limit}\n'
                       'grace_ms = 200\nmax_output_bytes = 100000\n')
        (path / "coordinator.toml").write_text(config)
        done = subprocess.run(
            [COORDINATOR, "run", "--task", "Do it", "--workspace", "project", "--id", "t"],
            cwd=path, capture_output=True, timeout=600)
        self.code, self.said = done.returncode, done.stdout.decode() + done.stderr.decode()
        self.records = [row["record"] for row in json.loads(self.wfsm("journal", "--json"))]
        self.context = json.loads(self.wfsm("show", "--json"))["context"]
        self.audit = subprocess.run([WFSM, "audit", "tasks.db"], cwd=path,
                                    capture_output=True).returncode

    def wfsm(self, command, *options):
        return subprocess.run([WFSM, command, *options, "tasks.db", "t"], cwd=self.path,
                              capture_output=True, check=True).stdout.decode()

    def failures(self):
        return [(r["failed"]["class"], r["failed"]["message"])
                for r in self.records if "failed" in r]

    def retries(self):
        """retry_count and retry_reason, as the journal has them."""
        entries = [e for r in self.records for e in r.get("invocations", [])]
        return [(e["retry_count"], e["retry_reason"]) for e in entries if "retry_reason" in e]

    def largest(self):
        return max(f.stat().st_size for f in self.path.rglob("*") if f.is_file())

    def left(self):
        file = self.path / "pids"
        return [pid for pid in (file.read_text().split() if file.exists() else []) if not ends(pid)]


class BadAgents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="wfsm-bad-agents-")
        cls.pool = concurrent.futures.ThreadPoolExecutor(13)
        slow_first = sorted(BAD, key=lambda how: how not in FOR_EVER)
        cls.tasks = {(how, agent): cls.pool.submit(Task, how, agent,
                                                   Path(cls.scratch.name) / how / agent)
                     for how in slow_first for agent in GOOD}

    @classmethod
    def tearDownClass(cls):
        cls.pool.shutdown()
        cls.scratch.cleanup()

    def each(self, how, check):
        for agent in GOOD:
            with self.subTest(agent=agent):
                task = self.tasks[how, agent].result()
                check(task)
                self.assertEqual((task.audit, task.left()), (0, []))

    def ends(self, task, failure, attempts, outcome, cause=None):
        self.assertEqual([found for found, _ in task.failures()], [failure] * attempts,
                         task.failures())
        self.assertTrue(all(message for _, message in task.failures()))
        self.assertEqual(task.context["outcome"], outcome, task.said)
        self.assertEqual(task.context["cause"], cause)
        self.assertEqual(task.code, 1)
        expected = [(n, failure) for n in range(1, attempts)]
        found = sorted(set(task.retries()))
        self.assertEqual(found[:len(expected)], expected)

    # Rows 10 and 13 for whom they are there; the coder has a second try.
    JUDGED = {"coder": (2, "agent_failed", None),
              "reviewer": (1, "review_schema_invalid", None),
              "tester": (1, "max_iterations_reached", "tester_schema_invalid")}
    # One that could not work has not answered.
    BROKEN = {"coder": (2, "agent_failed", None), "reviewer": (3, "agent_failed", None),
              "tester": (3, "agent_failed", None)}

    def no_answer(self, how, failure="schema", words=()):
        ends = self.JUDGED if failure == "schema" else self.BROKEN

        def check(task):
            self.ends(task, failure, *ends[task.agent])
            for word in words:
                self.assertIn(word, task.failures()[0][1])
        self.each(how, check)

    def approved(self, how):
        self.each(how, lambda task: self.assertEqual(
            (task.failures(), task.context["outcome"], task.code), ([], "approved", 0),
            task.said))

    def out_of_time(self, how):
        self.each(how, lambda task: self.ends(task, "timeout", 3, "provider_timeout"))

    def test_writes_nothing(self):
        self.no_answer("writes_nothing")

    def test_writes_garbage(self):
        self.no_answer("writes_garbage")

    def test_writes_a_gigabyte(self):
        self.no_answer("writes_a_gigabyte", words=["100000"])
        for agent in GOOD:  # it was stopped long before
            self.assertLess(self.tasks["writes_a_gigabyte", agent].result().largest(), 9e8)

    def test_writes_invalid_utf_8(self):
        self.no_answer("writes_invalid_utf_8", words=["unable to decode byte 0xff"])

    def test_answers_by_another_schema(self):
        self.no_answer("answers_by_another_schema")

    def test_writes_two_objects(self):
        self.no_answer("writes_two_objects")

    def test_ignores_sigterm(self):
        self.out_of_time("ignores_sigterm")

    def test_forks_and_leaves(self):
        self.approved("forks_and_leaves")

    def test_leaves_its_group(self):
        self.approved("leaves_its_group")

    def test_closes_stdout_and_runs_on(self):
        self.out_of_time("closes_stdout_and_runs_on")

    def test_closes_stdout_and_ends(self):
        self.approved("closes_stdout_and_ends")

    def test_is_killed(self):
        self.no_answer("is_killed", "exit", ["signal 9"])

    def test_fails_with_an_answer(self):
        self.no_answer("fails_with_an_answer", "exit", ["exit code 3"])

    def test_there_is_a_test_for_each(self):
        self.assertEqual([how for how in BAD if not hasattr(self, f"test_{how}")], [])


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C.UTF-8"
    unittest.main(argv=sys.argv[:1])
