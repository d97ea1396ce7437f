#!/usr/bin/python3
"""The program aigentflow, from outside, with agents made for each test (seed 004).

usage: test_host.py AIGENTFLOW
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock
from pathlib import Path

from world import FAILS, FINE, HERE, ROUTER, TYPES, UNTIL_FIXED, World, analysis, says

World.program = str(Path(sys.argv[1]).resolve())


class Run(World):
    def test_from_the_prompt_to_the_end(self):
        """004-14, 004-20, 004-302, 004-304, 004-309, 004-314, 004-318"""
        out = self.run_task()
        for words in ("Analyzing prompt...", "Completing...", "Running tests...",
                      "Workflow completed successfully!"):
            self.assertIn(words, out)
        self.assertEqual(self.asked("task_analyzer")["prompt"], "Do it")
        after = self.status()
        self.assertEqual(after["state"], "COMPLETED")
        self.assertEqual(after["context"]["completedAgents"],
                         ["backend_developer", "tester", "reviewer"])

    def test_it_comes_back_after_each_agent(self):
        """004-11, 004-16, 004-17, 004-310, 004-312, 004-315"""
        moves = re.findall(r"(\w+) -> (\w+) \((\w+)\)", self.run_task() and
                           self.tell(0, "history", "t"))
        self.assertEqual([m for m in moves if m[0] == "ORCHESTRATING"],
                         [("ORCHESTRATING", "AGENT_WORKING", "SPAWN_AGENT")] * 3
                         + [("ORCHESTRATING", "COMPLETING", "WORKFLOW_COMPLETE")])
        self.assertIn(("TESTS_PASS", "ORCHESTRATING", "TESTS_PASSED_CONTINUE"), moves)

    def test_the_words_of_the_log(self):
        """004-257, 004-300"""
        out = self.run_task(0, "--verbose")
        self.assertIn("Transition: IDLE -> ANALYZING (START)", out)
        self.assertIn("State transition: IDLE -> ANALYZING", out)

    def test_a_task_is_not_run_twice(self):
        """004-307"""
        self.run_task()
        self.assertIn("there is such a task already", self.run_task(2))
        self.assertEqual(self.status()["state"], "COMPLETED")

    def test_tasks_get_names(self):
        self.tell(0, "run", "one")
        self.tell(0, "run", "two")
        out = self.tell(0, "status")
        self.assertRegex(out, r"task-1 +COMPLETED +one\ntask-2 +COMPLETED +two\n")

    def test_what_the_status_tells(self):
        """004-330, 004-331, 004-278, 004-280, 004-260"""
        self.agents(backend_developer=says(routingHints={"needsApproval": True}))
        self.run_task(7)
        after = self.status()
        self.assertEqual(sorted(after), ["base", "budget", "changed", "context", "features", "id", "isAwaitingInput", "isInProject",
                                         "isTerminal", "rounds", "state", "took", "usage", "validEvents", "work"])
        self.assertEqual((after["state"], after["isTerminal"], after["isAwaitingInput"], after["isInProject"]),
                         ("AWAITING_APPROVAL", False, True, False))
        self.assertEqual(after["validEvents"], ["APPROVE", "REJECT", "ERROR", "ABORT"])

    def test_a_task_of_another_project(self):
        """004-277, 004-57, 004-239"""
        self.run_task()
        config = self.path / "aigentflow.toml"
        config.write_text(config.read_text().replace('"p"', '"q"'))
        self.assertIn("belongs to the project p", self.tell(2, "status", "t"))
        self.assertEqual(self.tell(0, "status"), "")


class Agents(World):
    def test_all_thirteen(self):
        """004-43 to 004-56: each is configured, each can be routed to."""
        self.agents(task_analyzer=analysis(*TYPES))
        out = self.tell(0, "agents")
        self.assertEqual([line.split()[0] for line in out.splitlines()],
                         [*TYPES, "task_analyzer", "router"])
        self.run_task()
        for name in TYPES:
            self.assertEqual(self.count(name), 1, name)
            self.assertEqual(self.asked(name)["agent"], name)

    def test_a_default_for_the_rest(self):
        self.configure(agents=("task_analyzer",),
                       more='[agents.default]\ncommand = ["{dir}/analyst"]\n')
        self.run_task()
        self.assertEqual(self.count("analyst"), 3)

    def test_a_model(self):
        self.configure(agents=[n for n in TYPES if n != "architect"] + ["task_analyzer"],
                       more='[agents.architect]\ntype = "http"\napi = "anthropic"\n'
                            'model = "m"\nkey_env = "NO_SUCH_KEY"\n')
        self.assertRegex(self.tell(0, "agents"), r"architect +model\n")

    def test_without_them_rules_decide(self):
        self.configure(agents=TYPES)
        config = self.path / "aigentflow.toml"
        config.write_text(config.read_text().split("[agents.router]")[0])
        self.assertRegex(self.tell(0, "agents"), r"task_analyzer +rules\nrouter +rules\n")
        self.tell(0, "run", "Add API endpoint")

    def test_what_is_not_configured(self):
        for agents, more, words in (
                (["tester", "task_analyzer"], "", r"\[agents.project_manager\] is missing"),
                ([*TYPES, "task_analyzer"], '[agents.planner]\ncommand = ["x"]\n',
                 r"\[agents.planner\]: expected one of the 13")):
            self.configure(agents=agents, more=more)
            self.assertRegex(self.run_task(2), words)

    def test_settings_that_are_not_right(self):
        """004-188 to 004-190, 004-202"""
        for head in ("max_retries = -1", "max_retries = 101", 'project = "nowhere"',
                     'project_id = ""', "[pool]\nmax_concurrent = 0", "[pool]\nslots = 3",
                     "[pool]\nmax_agents_per_feature = \"4\"", "colour = 1"):
            self.configure(head)
            self.assertIn("aigentflow: ", self.run_task(2), head)

    def test_the_message_names_the_file_and_what_is_expected(self):
        agent = '[agents.default]\ncommand = ["true"]\n'
        for text, expected in (
                ('project = "nowhere"\n' + agent, '1:11: project: expected an existing folder, found "nowhere"'),
                ('[agents.default]\nkind = "clade"\n', 'kind: expected "claude" or "codex" or "gemini" or "command"'),
                ('[agents.default]\nkind = "command"\n', "command: missing"),
                ("max_retries = true\n" + agent, "max_retries: expected an integer from 0 to 100"),
                ("projekt = 1\n" + agent, "unknown key 'projekt', expected agents, "),
                ("[agents.defualt]\n" + 'command = ["true"]\n', "[agents.defualt]: expected one of the 13 agent types")):
            (self.path / "aigentflow.toml").write_text(text)
            out = self.tell(2, "run", "x")
            self.assertIn("aigentflow.toml:", out)
            self.assertIn(expected, out)
        (self.path / "aigentflow.toml").unlink()
        self.assertIn("there is no aigentflow.toml here; `aigentflow init` writes one", self.tell(2, "run", "x"))


class Json(World):
    """One value on the standard output; what happens meanwhile is beside it."""

    def json(self, code, *arguments):
        done = subprocess.run([self.program, *arguments, "--json"], cwd=self.path, timeout=600,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_a_task(self):
        self.agents(backend_developer=says(routingHints={"needsApproval": True}))
        after = self.json(7, "run", "Do it", "--id", "t")
        self.assertEqual((after["id"], after["state"], after["question"]["agent"]),
                         ("t", "AWAITING_APPROVAL", "backend_developer"))
        self.assertEqual(self.json(0, "checkpoint", "t", "here"),
                         {"id": "t", "checkpoint": "here", "state": "AWAITING_APPROVAL"})
        self.assertEqual(self.json(0, "status"), [
            {"id": "t", "state": "AWAITING_APPROVAL", "isAwaitingInput": True, "prompt": "Do it"}])
        self.agents(backend_developer=FINE)
        self.assertEqual(self.json(0, "reject", "--reason", "no")["state"], "COMPLETED")
        moves = self.json(0, "history", "t")
        self.assertRegex(self.tell(0, "history", "t"),
                         rf" {moves[1]['from']} -> .*  revision {moves[1]['revision']}\n")
        self.assertEqual([moves[0][key] for key in ("from", "to", "event")],
                         ["IDLE", "ANALYZING", "START"])
        self.assertIn("REJECT", [one["event"] for one in moves])

    def test_features(self):
        self.epic("a", {"featureId": "b", "name": "B", "dependsOn": ["a"]})
        self.agents(project_manager=says(output="plan", routingHints={"needsApproval": True}))
        after = self.json(7, "run", "Do it", "--id", "t", "--epic", "epic.json")
        self.assertEqual({one["featureId"]: one["state"] for one in after["features"]},
                         {"a": "asking", "b": "waiting"})
        self.assertEqual(self.status()["features"], after["features"])
        for code, feature in ((7, "a"), (0, "b")):
            after = self.json(code, "approve", "t", "--feature", feature)
        self.assertEqual(after["state"], "COMPLETED")

    def test_errors_and_stopping(self):
        self.agents(backend_developer="[ -e fixed ] || exit 3\n" + FINE)
        self.assertEqual(self.json(1, "run", "Do it", "--id", "t")["error"]["class"], "exit")
        (self.path / "fixed").touch()
        self.assertEqual(self.json(0, "restore", "t")["state"], "COMPLETED")

    def test_a_task_that_goes_back(self):
        self.run_task()
        self.assertEqual(self.json(0, "restore", "t", "--before", "reviewer")["state"], "COMPLETED")
        self.assertEqual(self.json(0, "fork", "t", "u", "--before", "reviewer")["id"], "u")

    def test_a_person_and_a_process_that_drives(self):
        self.agents(backend_developer="touch started\nsleep 30")
        process = self.begin("run", "Do it", "--id", "t", "--json")
        while not (self.path / "started").exists():
            time.sleep(0.02)
        told = self.json(0, "abort", "t")
        self.assertEqual((told["id"], told["event"]), ("t", "ABORT"))
        out, _ = process.communicate(timeout=600)
        self.assertEqual(json.loads(out)["state"], "ABORTED")

    def test_agents(self):
        lines = self.json(0, "agents")
        self.assertEqual([one["agent"] for one in lines], [*TYPES, "task_analyzer", "router"])
        self.assertEqual({one["kind"] for one in lines}, {"program"})


class Log(World):
    def test_what_an_agent_writes_is_followed(self):
        self.epic("a")
        self.agents(backend_developer="echo one >&2\ntouch started\n"
                                      "until [ -e go ]; do sleep 0.05; done\necho two >&2\n" + FINE,
                    reviewer="printf three >&2\n" + FINE)
        process = self.begin("run", "Do it", "--id", "t", "--epic", "epic.json")
        while not (self.path / "started").exists():
            time.sleep(0.02)
        follower = self.begin("log", "t")
        line = ""
        while not line.startswith("==> backend_developer of a, "):
            line = follower.stdout.readline()
            self.assertTrue(line)
        self.assertRegex(line, r"^==> backend_developer of a, t\+\S+\.1\.log <==$")
        self.assertEqual(follower.stdout.readline(), "one\n")
        (self.path / "go").touch()
        out, err = follower.communicate(timeout=600)
        self.assertEqual((follower.returncode, process.wait(timeout=600)), (0, 0), out + err)
        self.assertIn("\ntwo\n", "\n" + out)
        process.communicate()
        self.assertRegex(self.tell(0, "log", "t"), r"==> reviewer of a, \S+\.log <==\nthree")
        self.assertEqual(self.written("reviewer of a"), ["three"])
        self.assertEqual(self.written("backend_developer of a", "--feature", "a"), ["one\ntwo\n"])
        self.assertIn("nobody", self.tell(3, "log", "nobody"))

    def written(self, agent, *more):
        """To stderr; as parts."""
        lines = [json.loads(line) for line in self.tell(0, "log", "t", "--json", *more).splitlines()]
        return [line["text"] for line in lines if line["agent"] == agent and line["file"].endswith(".log")]

    def test_what_is_no_text_is_json_all_the_same(self):
        self.agents(reviewer="printf 'caf\\351\\n' >&2\nhead -c 65530 /dev/zero | tr '\\0' x >&2\n"
                             "printf '\\303\\251\\n' >&2\n" + FINE)
        self.run_task()
        self.assertEqual("".join(self.written("reviewer")), "caf?\n" + 65530 * "x" + "\u00e9\n")

    def test_what_it_writes_cannot_steer_a_terminal(self):
        self.agents(reviewer="printf '\\033[2Jred\\n' >&2\n" + FINE)
        self.run_task()
        self.assertRegex(self.tell(0, "log", "t"), r"==> reviewer, \S+\.log <==\n\\u001b\[2Jred\n")


class Routed(World):
    def test_a_router_inserts_and_skips(self):
        """004-07, 004-09, 004-10"""
        self.agents(task_analyzer=analysis("architect", "analyst", "backend_developer", "tester"),
                    router="case $(wc -l < router.count) in\n"
                           "1) echo '{\"next\":\"compliance_agent\",\"reason\":\"law\"}' ;;\n"
                           "2) echo '{\"next\":\"backend_developer\",\"reason\":\"clear\",\"skip\":true}' ;;\n"
                           "3) echo '{\"next\":null,\"reason\":\"lazy\",\"skip\":true}' ;;\n"
                           "*) " + ROUTER + "\nesac")
        out = self.run_task()
        self.assertIn("router skips the queue to backend_developer: clear", out)
        self.assertEqual(self.status()["context"]["completedAgents"],
                         ["compliance_agent", "backend_developer", "tester"])


class Approval(World):
    def setUp(self):
        super().setUp()
        self.agents(backend_developer=says(routingHints={"needsApproval": True}))

    def test_yes(self):
        """004-18, 004-29, 004-30, 004-108, 004-301, 004-305, 004-313, 004-326"""
        out = self.run_task(7)
        self.assertRegex(out, r"asked +the agent's work is to be approved\n +said +did it")
        self.assertIn('Awaiting user approval. Run "aigentflow approve" to continue.', out)
        self.assertIn("Paused at AWAITING_APPROVAL. Waiting for user input.", out)
        for text in (out, self.tell(0, "status", "t")):
            self.assertIn("  aigentflow approve t\n  aigentflow reject t --reason TEXT\n", text)
            self.assertNotIn("aigentflow resume", text)
        self.assertIn("Workflow completed successfully!", self.tell(0, "approve"))
        self.assertRegex(self.tell(0, "history", "t"),
                         r"APPROVED -> ORCHESTRATING \(CONTINUE\)")

    def test_a_question(self):
        self.agents(backend_developer=says(output="which?", routingHints={"needsUserInput": True}))
        self.assertIn("  aigentflow answer t --answer TEXT\n", self.run_task(7))
        self.assertIn("aigentflow: u: there is no such task\n", self.tell(3, "status", "u"))

    def test_an_agent_is_no_person(self):
        self.run_task(7)
        before = self.status()
        with unittest.mock.patch.dict(os.environ, {"WFSM_INVOCATION_ID": "x"}):
            for command in (("approve",), ("reject", "--reason", "no")):
                self.assertIn("an agent cannot decide", self.tell(1, *command))
        self.assertEqual(self.status(), before)
        self.tell(0, "approve")

    def test_no(self):
        """004-31, 004-328, 004-386"""
        self.run_task(7)
        before = self.status()["context"]["metadata"]
        self.tell(7, "reject", "--reason", "too loud")
        after = self.status()
        self.assertEqual((after["state"], self.count("reviewer")), ("AWAITING_APPROVAL", 0))
        developer = "backend_developer"
        self.assertEqual((self.asked(developer)["rework"]["reason"], self.count(developer)),
                         ("too loud", 2))
        self.assertEqual(after["context"]["metadata"], {**before, "rejectionReason": "too loud"})
        self.assertRegex(self.tell(0, "history", "t"), r"REJECTED -> ORCHESTRATING")
        self.tell(0, "approve")
        self.assertEqual((self.status()["state"], self.count("tester"), self.count("reviewer")),
                         ("COMPLETED", 1, 1))

    def test_nothing_to_decide(self):
        """004-325, 004-327"""
        self.run_task(7)
        self.tell(0, "approve")
        before = self.status()
        self.assertIn("Nothing to approve", self.tell(1, "approve"))
        self.assertIn("Nothing to reject", self.tell(1, "reject"))
        self.assertIn("Nothing to approve", self.tell(1, "approve", "t"))
        self.assertEqual(self.status(), before)

    def test_which_one(self):
        self.tell(7, "run", "one")
        self.tell(7, "run", "two")
        self.assertIn("several are possible; name one", self.tell(2, "approve"))
        self.assertIn("Workflow completed", self.tell(0, "approve", "task-2"))
        self.assertIn("Workflow completed", self.tell(0, "approve"))

    def test_before_the_end(self):
        """004-100, 004-385: a task that requires it is not completed without approval."""
        self.agents(backend_developer=FINE,
                    task_analyzer=analysis("backend_developer", requiresApproval=True))
        self.run_task(7)
        self.assertEqual(self.status()["state"], "AWAITING_APPROVAL")
        self.assertIn("the task requires approval", self.tell(0, "status", "t"))
        self.tell(0, "approve", "--answer", "yes")
        self.assertEqual(self.status()["context"]["metadata"]["answer"], "yes")


    def test_the_command_shows_what_is_decided(self):
        self.agents(backend_developer=says(output="a plan", routingHints={"needsApproval": True}))
        self.run_task(7)
        out = self.tell(7, "reject", "t", "--reason", "no").split("[")[0]
        self.assertRegex(out, r"asked +the agent's work is to be approved\n +said +a plan\n$")


class TestAndFix(World):
    def test_repaired(self):
        """004-21, 004-32 to 004-35, 004-110, 004-155, 004-316, 004-317"""
        self.agents(tester=UNTIL_FIXED, bug_fixer="touch fixed\n" + FINE)
        out = self.run_task()
        self.assertIn("Fixing bugs...", out)
        self.assertEqual((self.count("tester"), self.count("bug_fixer")), (2, 1))
        self.assertEqual(self.status()["context"]["retryCount"], 0)

    def test_escalated_after_three(self):
        """004-21, 004-36, 004-143, 004-281, 004-305, 004-373"""
        self.agents(tester=UNTIL_FIXED)
        out = self.run_task(1)
        self.assertIn("Paused at ESCALATED. Waiting for user input.", out)
        self.assertEqual((self.count("tester"), self.count("bug_fixer")), (4, 3))
        after = self.status()
        self.assertEqual((after["isTerminal"], after["isAwaitingInput"]), (True, True))
        (self.path / "fixed").touch()
        self.assertIn("Workflow completed successfully!",
                      self.tell(0, "resume", "t", "--answer", "look again"))
        self.assertEqual(self.status()["context"]["metadata"]["advice"], "look again")

    def test_retries_are_configured(self):
        """004-70, 004-241"""
        self.configure("max_retries = 1")
        self.agents(tester=FAILS)
        self.run_task(1)
        self.assertEqual(self.count("bug_fixer"), 1)


class Errors(World):
    BROKEN = 'if [ -e fixed ]; then ' + FINE + '\nelse exit 3\nfi'

    def test_an_agent_that_fails(self):
        """004-22, 004-39, 004-68, 004-303, 004-306, 004-311, 004-384"""
        self.agents(backend_developer=self.BROKEN)
        out = self.run_task(1)
        self.assertRegex(out, r"Workflow error: exit code 3")
        after = self.status()
        self.assertEqual(after["state"], "ERROR")
        self.assertEqual(after["context"]["error"]["agent"], "backend_developer")
        self.assertIn("aigentflow restore t", self.tell(1, "resume", "t"))

    def test_restored_with_the_whole_context(self):
        """004-41, 004-149, 004-263, 004-267, 004-268, 004-375"""
        self.agents(backend_developer=self.BROKEN)
        self.run_task(1)
        (self.path / "fixed").touch()
        out = self.tell(0, "restore")
        self.assertIn("Restored checkpoint: latest to state AGENT_WORKING", out)
        after = self.status()
        self.assertEqual(after["state"], "COMPLETED")
        self.assertIsNone(after["context"]["error"])
        self.assertEqual(after["context"]["completedAgents"],
                         ["backend_developer", "tester", "reviewer"])
        self.assertIn("ERROR -> RECOVERING (START_RECOVERY)", self.tell(0, "history", "t"))

    def test_checkpoints_by_hand(self):
        """004-261, 004-262, 004-264, 004-266, 004-269, 004-271"""
        self.agents(tester=UNTIL_FIXED, reviewer=self.BROKEN)
        self.run_task(1)
        self.assertIn("Checkpoint created: here at state ESCALATED",
                      self.tell(0, "checkpoint", "t", "here", "--artifact", "designs/mockups"))
        self.assertIn("Checkpoint created: checkpoint-", self.tell(0, "checkpoint"))
        self.assertIn("checkpoint here", self.tell(0, "status", "t"))
        before = self.status()
        self.assertIn("no task is in ERROR or RECOVERING", self.tell(1, "restore"))
        self.assertEqual(self.status(), before)
        self.assertIn("Restored checkpoint: here to state ESCALATED",
                      self.tell(1, "restore", "t", "here"))
        self.agents(tester=FINE)
        self.tell(1, "resume", "t")
        before = self.status()
        self.assertEqual(before["state"], "ERROR")
        self.assertIn("Checkpoint not found: there", self.tell(1, "restore", "t", "there"))
        self.assertEqual(self.status(), before)
        self.assertIn("Restored checkpoint: here to state ESCALATED",
                      self.tell(1, "restore", "t", "here"))
        self.assertEqual(self.status()["context"]["retryCount"], 3)  # 004-388

    def test_restored_before_what_happened(self):
        self.run_task()
        self.assertEqual(self.status()["state"], "COMPLETED")
        calls = {name: self.count(name) for name in ("backend_developer", "tester", "reviewer")}
        self.assertIn("no agent, event or state nobody",
                      self.tell(1, "restore", "t", "--before", "nobody"))
        self.assertIn("not both", self.tell(2, "restore", "t", "here", "--before", "reviewer"))
        out = self.tell(0, "restore", "t", "--before", "reviewer")
        self.assertIn("Restored before reviewer to state ORCHESTRATING", out)
        self.assertEqual(self.status()["state"], "COMPLETED")
        self.assertEqual({name: self.count(name) for name in calls},
                         {**calls, "reviewer": calls["reviewer"] + 1})
        self.tell(0, "restore", "t")  # the newest checkpoint, also of a task that is completed

    def test_restored_at_a_revision(self):
        self.run_task()
        calls = self.count("reviewer")
        revision = self.revision("reviewer")
        out = self.tell(0, "restore", "t", "--at", str(revision))
        self.assertIn(f"Restored revision {revision} to state ORCHESTRATING", out)
        self.assertEqual(self.count("reviewer"), calls + 1)
        for wrong in "0", "x", "-1", "1.5", "99999999999999999999":
            self.assertIn("a number from 1", self.tell(2, "restore", "t", "--at", wrong))
        self.assertIn("12345", self.tell(1, "restore", "t", "--at", "12345"))

    def test_forked(self):
        self.run_task()
        calls, before = self.count("reviewer"), self.status()
        self.assertIn("u: forked from t", self.tell(0, "fork", "t", "u", "--before", "reviewer"))
        self.assertEqual((self.status(), self.count("reviewer")), (before, calls + 1))
        self.assertEqual(self.status("u")["context"]["taskId"], "u")
        self.tell(0, "fork", "t", "v")  # the newest checkpoint
        self.assertIn("already", self.tell(1, "fork", "t", "u"))
        self.assertIn("new one", self.tell(2, "fork", "t"))
        self.assertIn("Checkpoint not found", self.tell(1, "fork", "t", "x", "nothing"))
        self.assertIn("nobody", self.tell(3, "fork", "nobody", "x"))
        self.assertIn("x", self.tell(3, "status", "x"))

    def test_what_was_aborted_is_forked_and_not_restored(self):
        self.agents(tester=FAILS)
        self.run_task(1)
        self.tell(0, "abort")
        self.assertIn("Nothing to restore", self.tell(1, "restore", "t", "--before", "tester"))
        self.agents(tester=FINE)
        self.tell(0, "fork", "t", "u", "--before", "tester")

    def test_the_agent_that_says_no_success(self):
        """004-103, 004-384: one more try, then ERROR."""
        self.agents(backend_developer=says(success=False))
        self.run_task(1)
        self.assertEqual(self.count("backend_developer"), 2)
        self.assertEqual(self.status()["context"]["completedAgents"], [])


class Abort(World):
    def test_what_waits(self):
        """004-23, 004-40, 004-329, 004-377"""
        self.agents(tester=FAILS)
        self.run_task(1)
        self.tell(0, "abort")
        self.assertEqual(self.status()["state"], "ABORTED")
        self.assertIn("Nothing to abort", self.tell(1, "abort"))
        self.assertIn("Nothing to resume", self.tell(1, "resume", "t"))

    def test_what_is_completed(self):
        """004-383"""
        self.run_task()
        self.assertIn("Nothing to abort", self.tell(1, "abort", "t"))

    def begun(self, more=""):
        """A task whose developer works until it is told to end."""
        self.agents(backend_developer=f"{more}\n[ -e free ] && {{ {FINE}; exit 0; }}\n"
                    "echo $$ > pid.new; mv pid.new pid\nwhile :; do sleep 0.05; done")
        process = self.begin("run", "Do it", "--id", "t")
        while not (self.path / "pid").exists():
            time.sleep(0.02)
        return process, int((self.path / "pid").read_text())

    def gone(self, pid):
        with self.assertRaises(ProcessLookupError):
            os.kill(pid, 0)

    def test_a_signal_pauses_and_resume_continues(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(signal=number):
                self.setUp()
                process, pid = self.begun()
                process.send_signal(number)
                out, err = process.communicate(timeout=600)
                self.assertEqual(process.returncode, 130, out + err)
                self.assertIn("`aigentflow resume t` continues it", out)
                self.assertEqual(self.status()["state"], "AGENT_WORKING")
                self.gone(pid)
                (self.path / "free").touch()
                self.tell(0, "resume", "t")
                self.assertEqual(self.status()["state"], "COMPLETED")
                self.assertEqual((self.count("task_analyzer"), self.count("backend_developer")),
                                 (1, 2))

    def test_a_second_signal_kills_agents_that_do_not_listen(self):
        self.configure(grace_ms=600000)
        process, pid = self.begun("trap 'touch asked' TERM")
        process.send_signal(signal.SIGINT)
        while not (self.path / "asked").exists():
            time.sleep(0.02)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130, out + err)
        self.gone(pid)
        (self.path / "free").touch()
        self.tell(0, "resume", "t")

    def test_from_another_terminal(self):
        """004-329, by another process; two orchestrators do not drive one task."""
        self.agents(backend_developer="touch started\nsleep 30")
        process = self.begin("run", "Do it", "--id", "t")
        while not (self.path / "started").exists():
            time.sleep(0.02)
        self.assertIn("is at work on it", self.tell(3, "resume", "t"))
        self.assertIn("is at work on it", self.tell(3, "checkpoint", "t", "x"))
        self.assertIn("is told", self.tell(0, "abort", "t"))
        process.communicate(timeout=600)
        self.assertEqual(self.status()["state"], "ABORTED")


class Competition(World):
    WAITS = 'until [ $(wc -l < ui_designer.count) -ge 15 ]; do sleep 0.05; done\n'

    def setUp(self):
        super().setUp()
        self.agents(task_analyzer=analysis("ui_designer", "frontend_developer"))

    def test_fifteen_at_once(self):
        """004-80, 004-187, 004-189, 004-200, 004-220 to 004-224: none ends before all work."""
        self.agents(ui_designer=self.WAITS + says(output={"colour": "red"}))
        self.run_task(7, "--compete")
        self.assertEqual(self.count("ui_designer"), 15)
        asked = self.asked("ui_designer")
        self.assertEqual((asked["totalVariants"], asked["competitionMode"],
                          asked["requirement"]), (15, True, "Do it"))

    def test_a_person_chooses(self):
        """004-225"""
        self.configure("[pool]\ncompetitive_design_count = 3\n")
        self.agents(ui_designer="n=${given#*'\"designVariant\":'}\nn=${n%%[,\\}]*}\n"
                    'echo "{\\"success\\":true,\\"output\\":{\\"number\\":$n}}"')
        self.run_task(7, "--compete")
        self.assertIn("expected --design with a number from 1 to 3", self.tell(2, "approve"))
        self.tell(2, "approve", "--design", "4")
        self.tell(0, "approve", "--design", "2", "--by", "ada")
        context = self.status()["context"]
        self.assertEqual(context["design"], {"number": 2, "design": {"number": 2}})
        self.assertEqual(context["designs"], [])
        self.assertEqual(self.asked("frontend_developer")["design"]["design"], {"number": 2})


class Nothing(World):
    def test_no_task_yet(self):
        for command in ("status", "pool", "clean"):
            self.assertEqual(self.tell(0, command), "no task yet\n")
        self.assertEqual(self.tell(3, "clean", "t"),
                         "aigentflow: the store: aigentflow.db: there is no such file\n")
        self.assertEqual(self.nothing("status"), [])
        before = {command: self.nothing(command) for command in ("pool", "clean")}
        self.run_task()
        for command, none in before.items():
            self.assertEqual(self.nothing(command), none)

    def nothing(self, command):
        return json.loads(self.tell(0, command, "--json"))


class BadInput(World):
    def refused(self, words, *arguments):
        self.assertIn(words, self.tell(2, "run", *arguments))
        self.assertFalse((self.path / "aigentflow.db").exists())

    def test_prompts(self):
        """004-59: empty, too long, not UTF-8."""
        for prompt in ("", " \n\t"):
            self.refused("expected words, found nothing", prompt)
        (self.path / "long").write_bytes(b"x" * 10_000_000)
        self.refused("long", "--prompt-file", "long")
        (self.path / "latin").write_bytes(b"caf\xe9")
        self.refused("expected UTF-8", "--prompt-file", "latin")
        self.refused("expected UTF-8", b"caf\xe9")
        (self.path / "nul").write_bytes(b"a\0b")
        self.refused("found a NUL byte", "--prompt-file", "nul")
        self.refused("expected either a prompt or --prompt-file")
        self.refused("expected either a prompt or --prompt-file", "x", "--prompt-file", "nul")

    def test_a_prompt_of_a_million_bytes(self):
        self.agents(router=f'printf "%s" "$given" | python3 -B {HERE}/agents/router.py')
        (self.path / "long").write_text("x" * 1_000_000)
        self.tell(0, "run", "--prompt-file", "long", "--id", "t")
        self.assertEqual(len(self.asked("backend_developer")["prompt"]), 1_000_000)

    def test_epics(self):
        feature = {"featureId": "a", "name": "A"}
        for made, words in (
                ({"features": [feature, feature]}, "there is another feature of this id"),
                ({"features": []}, "expected a list with at least one"),
                ({}, "expected a list with at least one"),
                ({"features": [{"featureId": "../a", "name": "A"}]}, "expected 1 to 64 letters"),
                ({"features": [{"featureId": "a"}]}, "name: expected a text"),
                ({"features": [feature], "parallelFeatures": 0}, "expected a whole number"),
                ({"features": [feature], "epicId": "a b"}, "epicId: expected"),
                ({"features": [{**feature, "dependsOn": "b"}]},
                 "epic.json: feature 1: dependsOn: expected a list"),
                ({"features": [feature, {**feature, "featureId": "b", "dependsOn": ["a", "x"]}]},
                 "epic.json: feature 2: dependsOn: there is no feature x"),
                ({"features": [feature] + [{"featureId": a, "name": a, "dependsOn": ["a", b]}
                                           for a, b in ("bc", "cd", "db")]},
                 "epic.json: feature 2: dependsOn: it depends on itself: b → c → d → b"),
                ({"features": [{**feature, "dependsOn": ["a"]}]}, "it depends on itself: a → a"),
                ({"features": [{"featureId": f"f{n}", "name": ""} for n in range(1001)]},
                 "expected at most 1,000")):
            (self.path / "epic.json").write_text(json.dumps(made))
            self.refused(words, "x", "--epic", "epic.json")
        (self.path / "epic.json").write_text(json.dumps({"features": [feature]}))
        for name in "../../evil", "..", "a/b", "a b", "x.lock", "x" * 65:
            self.refused("it has no epicId, so --id is its name: expected 1 to 64 letters",
                         "x", "--epic", "epic.json", "--id", name)
        (self.path / "epic.json").write_text('{"features": [')
        self.refused("epic.json:1:", "x", "--epic", "epic.json")
        self.refused("nothing.json", "x", "--epic", "nothing.json")

    def test_command_lines(self):
        for arguments in ([], ["fly"], ["run", "a", "b"], ["status", "--design", "1"],
                          ["approve", "--design", "0"], ["pool", "t"], ["run", "x", "--reason", "y"],
                          ["status", "--fly"], ["run", "x", "--config", "none.toml"]):
            self.assertIn("aigentflow: ", self.tell(2, *arguments), arguments)
        self.assertIn("usage: aigentflow run", self.tell(0, "--help"))
        self.assertIn("usage: aigentflow run", self.tell(0, "run", "--help"))

    def test_nothing_there(self):
        self.assertEqual("no task yet\n", self.tell(0, "status"))
        self.run_task()
        self.assertIn("nobody", self.tell(3, "status", "nobody"))
        self.assertIn("nobody", self.tell(3, "approve", "nobody"))


if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and programs inherit that
    unittest.main(argv=sys.argv[:1])
