#!/usr/bin/python3
"""Epics of the program aigentflow, from outside, with agents made for each test (seed 004).

usage: test_epic.py AIGENTFLOW [TEST…]
"""

import json
import os
import re
import resource
import signal
import sys
import time
import unittest
from pathlib import Path

from world import FAILS, FINE, GIT, UNTIL_FIXED, World, analysis, says

World.program = str(Path(sys.argv[1]).resolve())


class Epic(World):
    def test_features_are_worked_on_at_once(self):
        """004-86 to 004-93, 004-199, 004-201, 004-238: none ends before all work."""
        self.epic("a", "b", "c", "d", "e")
        self.agents(project_manager="case $given in *'\"featureId\":'*)\n"
                    "until [ $(grep -c / pms) -ge 5 ]; do sleep 0.05; echo $WFSM_INVOCATION_ID >> "
                    "seen; sort -u seen > pms.new; mv pms.new pms; done ;; esac\n" + FINE)
        out = self.run_task(0, "--epic", "epic.json")
        for feature in "abcde":
            self.assertIn(f"t/{feature}  reviewing", out)
            self.assertRegex(out, rf"feature +{feature} +completed")
        self.assertEqual(self.asked("backend_developer")["worktreePath"][:5], "/tmp/")

    def test_features_that_were_finished_before_are_kept(self):
        self.epic("a", "b")
        self.run_task(0, "--epic", "epic.json")
        self.assertEqual(self.count("backend_developer"), 2)
        reviews, asked = self.count("reviewer"), self.revision("machine:feature") + 1
        self.tell(0, "restore", "t", "--before", "reviewer")
        self.assertEqual((self.count("backend_developer"), self.count("reviewer")),
                         (2, reviews + 1))
        out = self.tell(0, "restore", "t", "--before", "machine:feature")
        self.assertIn("b was finished before, and is kept", out)
        self.assertEqual(self.count("backend_developer"), 2)
        self.assertEqual(self.status()["state"], "COMPLETED")
        out = self.tell(0, "restore", "t", "--at", str(asked))  # both are asked for
        self.assertIn("a was finished before, and is kept", out)
        self.assertEqual(self.count("backend_developer"), 2)

    def test_features_that_were_not_finished_are_worked_on_again(self):
        self.epic("a", "b", {"featureId": "c", "name": "C", "needsFrontend": False,
                             "dependsOn": ["a", "b"]})
        self.agents(backend_developer="case $given in *'\"featureId\":\"b\"'*) "
                                      "[ -e fixed ] || exit 3 ;; esac\n" + FINE)
        self.run_task(1, "--epic", "epic.json")  # b is escalated, and c waits for it
        (self.path / "fixed").touch()
        before = self.count("backend_developer")
        out = self.tell(0, "restore", "t", "--before", "machine:feature")
        self.assertIn("a was finished before, and is kept", out)
        self.assertNotIn("b was finished", out)
        self.assertEqual(self.count("backend_developer"), before + 2, out)
        self.assertEqual(self.status()["state"], "COMPLETED")
        # What was finished in both of these is there for the third.
        self.tell(0, "restore", "t", "--before", "machine:feature")
        self.assertEqual(self.count("backend_developer"), before + 2)

    def test_kept_although_killed_in_between(self):
        self.epic("a", "b")
        broken = "case $given in *'\"featureId\":\"b\"'*) %s ;; esac\n" + FINE
        self.agents(backend_developer=broken % "exit 3")
        self.run_task(1, "--epic", "epic.json")
        before = self.count("backend_developer")
        self.agents(backend_developer=broken % "[ -e killed ] || { touch killed; kill -9 $PPID; }")
        process = self.begin("restore", "t", "--before", "machine:feature")
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.tell(0, "resume", "t")
        self.assertEqual(self.count("backend_developer"), before + 1)  # b, who ended without its host

    def test_another_input_is_other_work(self):
        self.epic("a")
        self.agents(task_analyzer=analysis("ui_designer", "backend_developer", "tester", "reviewer",
                                           requiresUI=True))
        self.run_task(7, "--compete", "--epic", "epic.json")
        self.tell(0, "approve", "--design", "1")
        self.assertEqual(self.count("backend_developer"), 1)
        self.tell(7, "restore", "t", "--before", "APPROVE")
        self.tell(0, "approve", "--design", "1")
        self.assertEqual(self.count("backend_developer"), 1)
        self.tell(7, "restore", "t", "--before", "APPROVE")
        self.tell(0, "approve", "--design", "2")
        self.assertEqual(self.count("backend_developer"), 2)

    def test_a_fork_has_an_epic_of_its_own_and_what_was_finished(self):
        self.epic("a", "b", {"featureId": "c", "name": "C", "needsFrontend": False,
                             "dependsOn": ["a"]})
        self.agents(backend_developer="case $given in *'\"featureId\":\"c\"'*) "
                                      "[ -e fixed ] || exit 3 ;; esac\n" + FINE)
        self.run_task(1, "--epic", "epic.json")
        (self.path / "fixed").touch()
        before, source = self.count("backend_developer"), self.status()
        self.assertIn("features are at work", self.tell(1, "fork", "t", "u", "--at", str(
            self.revision("machine:feature") + 1)))
        out = self.tell(0, "fork", "t", "u", "--before", "machine:feature")
        self.assertIn("u: forked from t", out)
        self.assertIn("b was finished before, and is kept", out)
        self.assertEqual(self.count("backend_developer"), before + 1)
        self.assertEqual(self.status(), source)
        made = self.status("u")
        self.assertEqual((made["state"], made["context"]["taskId"],
                          made["context"]["epicContext"]["epicId"]), ("COMPLETED", "u", "u"))
        self.assertIn("/worktrees/u/c", made["context"]["epicContext"]["features"][2]["worktreePath"])

    def test_the_pool_is_bounded(self):
        """004-66, 004-188, 004-203 to 004-205, 004-216"""
        self.configure("[pool]\nmax_concurrent = 2\n")
        busy = 'mkdir busy-$$; ls -d busy-* | wc -l >> busy; sleep 0.1; rmdir busy-$$\n'
        self.agents(**{name: busy + FINE for name in
                       ("project_manager", "backend_developer", "tester", "reviewer")})
        self.epic("a", "b", "c", "d")
        self.run_task(0, "--epic", "epic.json")
        seen = [int(line) for line in (self.path / "busy").read_text().split()]
        self.assertEqual(max(seen), 2)

    def test_agents_of_one_feature_are_bounded(self):
        """004-190"""
        self.configure("[pool]\nmax_agents_per_feature = 1\n")
        busy = 'mkdir busy-$$; ls -d busy-* | wc -l >> busy; sleep 0.2; rmdir busy-$$\n'
        self.agents(frontend_developer=busy + FINE, backend_developer=busy + FINE)
        self.epic({"featureId": "a", "name": "A"})
        self.run_task(0, "--epic", "epic.json")
        self.assertEqual((self.path / "busy").read_text().split(), ["1", "1"])

    def test_what_is_at_work_and_what_it_costs(self):
        self.epic("a", "b")
        self.agents(backend_developer="touch started\nuntil [ -e go ]; do sleep 0.05; done\n" + FINE)
        process = self.begin("run", "Do it", "--id", "t", "--epic", "epic.json")
        while self.count("backend_developer") < 2:
            time.sleep(0.05)
        out = self.tell(0, "status", "t")
        self.assertRegex(out, r"at work +backend_developer of [ab], for \d")
        self.assertRegex(out, r"budget +1 of \d+ times")
        seen = self.status()
        self.assertEqual(sorted((one["agent"], one["feature"]) for one in seen["work"]),
                         [("backend_developer", "a"), ("backend_developer", "b")])
        (self.path / "go").touch()
        out, err = process.communicate(timeout=600)
        self.assertRegex(out, r"took +\S+\n +budget +3 of \d+ times.*\n"
                              r" +look +aigentflow history t, aigentflow log t\n$")
        seen = self.status()
        self.assertEqual((seen["work"], seen["budget"]["used"]), ([], 3))
        self.assertGreater(seen["took"], 0)

    def test_the_whole_history_of_a_feature(self):
        self.epic("a")
        self.run_task(0, "--epic", "epic.json")
        moves = json.loads(self.tell(0, "history", "t", "--feature", "a", "--json"))
        self.assertEqual([one["to"] for one in moves], ["planning", "developing", "testing", "reviewing", "completed"])
        self.assertRegex(self.tell(0, "history", "t", "--feature", "a"), r"Z  planning -> developing \(")

    def test_the_pool_seen_from_another_process(self):
        """004-65, 004-217, 004-218, 004-234 to 004-237"""
        self.epic("a", "b")
        self.agents(backend_developer="touch started\nuntil [ -e go ]; do sleep 0.05; done\n" + FINE)
        process = self.begin("run", "Do it", "--id", "t", "--epic", "epic.json")
        while self.count("backend_developer") < 2:
            time.sleep(0.05)
        seen = json.loads(self.tell(0, "pool", "--json"))
        self.assertEqual(seen, {
            "utilization": {"active": 2, "available": 13, "max": 15},
            "byPhase": {"planning": 0, "design_competition": 0, "development": 2,
                        "testing": 0, "fixing": 0, "review": 0},
            "byFeature": {"a": 1, "b": 1}, "pending": 0})
        self.assertRegex(self.tell(0, "status", "t"), r"feature +a +developing")  # 004-91, 004-94
        (self.path / "go").touch()
        process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0)

    def test_one_escalates_while_another_works(self):
        """004-36, 004-281, in a feature: the person speaks to the process that drives it."""
        self.epic("a", "b")
        self.agents(
            tester="case $given in *'\"worktreePath\":\"/tmp/a\"'*) " + UNTIL_FIXED + "\n;; *) "
                   + FINE + ";; esac",
            backend_developer="case $given in *'\"worktreePath\":\"/tmp/b\"'*)\n"
                              "until [ -e go ]; do sleep 0.05; done ;; esac\n" + FINE)
        process = self.begin("run", "Do it", "--id", "t", "--epic", "epic.json")
        while self.count("bug_fixer") < 3 or "escalated" not in self.tell(0, "status", "t"):
            time.sleep(0.05)
        (self.path / "fixed").touch()
        self.assertIn("is told", self.tell(0, "resume", "t", "--feature", "a"))
        (self.path / "go").touch()
        out, _ = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, out)
        self.assertIn("Workflow completed successfully!", out)

    def test_a_failed_review_of_one_is_worked_on_with_its_reason(self):
        self.epic("a")
        self.agents(bug_fixer="touch fixed\n" + FINE, reviewer="if [ -e fixed ]; then " + FINE +
                    "\nelse " + says(output="no names", routingHints={"hasFailures": True})
                    + "\nfi")
        self.run_task(0, "--epic", "epic.json")
        self.assertEqual(self.asked("bug_fixer")["rework"],
                         {"by": "reviewer", "reason": "no names"})
        self.assertEqual(self.count("bug_fixer"), 1)

    def test_a_review_that_never_passes_waits_for_a_person(self):
        self.epic("a")
        self.agents(reviewer=says(output="no names", routingHints={"hasFailures": True}))
        out = self.run_task(1, "--epic", "epic.json")
        self.assertRegex(out, r"feature +a +escalated +the reviewer still objects: no names")
        self.assertEqual((self.count("bug_fixer"), self.count("reviewer")), (3, 4))

    def asking(self, agent, output, **hints):
        """One of the feature a asks until it has been answered; b does not."""
        self.epic("a", "b")
        ask = says(output=output, routingHints=hints)
        self.agents(**{agent: "case $given in *'\"worktreePath\":\"/tmp/a\"'*)\n"
                              f"if [ -e asked ]; then {FINE}\nelse touch asked\n{ask}\nfi\n;; *) "
                              + FINE + ";; esac"})

    def test_an_agent_of_a_feature_asks(self):
        self.asking("backend_developer", "which colour?", needsUserInput=True)
        out = self.run_task(7, "--epic", "epic.json")
        self.assertRegex(out, r"feature +b +completed")
        line = "feature +a +asking +backend_developer: the agent asks: which colour\\?"
        self.assertRegex(out, line)
        self.assertRegex(self.tell(0, "status", "t"), line)
        self.assertIn("aigentflow answer t --feature a --answer TEXT", out)
        self.assertIn("expected --answer", self.tell(2, "approve", "t", "--feature", "a"))
        self.assertIn("expected --answer", self.tell(2, "answer", "t", "--feature", "a"))
        self.tell(0, "answer", "t", "--feature", "a", "--answer", "blue")
        answer = self.asked("backend_developer")["answer"]
        self.assertEqual((answer["question"]["output"], answer["answer"]), ("which colour?", "blue"))
        self.assertEqual(self.status()["state"], "COMPLETED")
        self.assertIn("Nothing to answer", self.tell(1, "answer", "--answer", "red"))

    def test_the_work_of_an_agent_of_a_feature_is_approved(self):
        self.asking("project_manager", "the plan", needsApproval=True)
        out = self.run_task(7, "--epic", "epic.json")
        self.assertRegex(out, "feature +a +asking +project_manager: the agent's work is to be "
                              "approved: the plan")
        self.tell(0, "approve")  # nothing else asks
        self.assertEqual((self.status()["state"], self.count("project_manager")), ("COMPLETED", 2))

    def test_the_work_of_an_agent_of_a_feature_is_rejected(self):
        self.asking("reviewer", "it is fine", needsApproval=True)
        self.agents(bug_fixer="printf '%s' \"$given\" > why\n" + FINE)
        self.run_task(7, "--epic", "epic.json")
        feature = re.search(r"(t/[0-9a-f]{16})", self.tell(0, "pool", "--json") +
                            self.tell(2, "approve", "t", "--design", "1")).group(1)
        self.assertIn("Nothing to answer", self.tell(1, "answer", feature, "--answer", "x"))
        self.tell(0, "reject", feature, "--reason", "too loud")  # by the feature's own id
        self.assertEqual(json.loads((self.path / "why").read_text())["input"]["rework"],
                         {"by": "a person", "reason": "too loud"})
        self.assertEqual(self.status()["state"], "COMPLETED")

    def test_a_feature_asks_while_another_works(self):
        """The answer goes to the process that drives it."""
        self.asking("tester", "which?", needsUserInput=True)
        self.agents(backend_developer="case $given in *'\"worktreePath\":\"/tmp/b\"'*)\n"
                                      "until [ -e go ]; do sleep 0.05; done ;; esac\n" + FINE)
        process = self.begin("run", "Do it", "--id", "t", "--epic", "epic.json")
        while not (self.path / "tester.count").exists() or "asking" not in self.tell(0, "status", "t"):
            time.sleep(0.05)
        self.assertIn("is told", self.tell(0, "answer", "--answer", "this one"))
        (self.path / "go").touch()
        out, _ = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, out)
        self.assertIn("Workflow completed successfully!", out)

    def depends(self, name, *others):
        return {"featureId": name, "name": name, "needsFrontend": False, "dependsOn": list(others)}

    def test_features_wait_for_those_that_they_depend_on(self):
        """Also where only one may be worked on at a time, and it stands first."""
        for parallel in (1, 3):
            self.setUp()
            self.epic(self.depends("c", "b", "a"), self.depends("b", "a"), "a", parallel=parallel)
            self.agents(git_agent="case $given in *'\"action\":\"worktree\"'*) f=${given#*'\"featureId\":\"'}\n"
                                  "echo \"begin ${f%%'\"'*}\" >> order ;; esac\n" + GIT,
                        reviewer="case $given in *'\"reworks\":'*) f=${given#*'\"featureId\":\"'}\n"
                                 "echo \"end ${f%%'\"'*}\" >> order ;; esac\n" + FINE)
            self.run_task(0, "--epic", "epic.json")
            self.assertEqual((self.path / "order").read_text().split("\n")[:-1],
                             [f"{what} {name}" for name in "abc" for what in ("begin", "end")])

    def test_one_whose_dependency_is_escalated_or_dropped_waits(self):
        """It is reported; a person may let it begin without."""
        self.epic("a", self.depends("b", "a"), "c")
        self.agents(tester="case $given in *'\"worktreePath\":\"/tmp/a\"'*) " + FAILS + "\n;; *) "
                           + FINE + ";; esac")
        out = self.run_task(1, "--epic", "epic.json")
        self.assertRegex(out, r"feature +b +waiting +waits for a \(escalated\)\n")
        self.assertRegex(out, r"feature +c +completed")
        out = self.tell(1, "abort", "t", "--feature", "a")
        self.assertRegex(out, r"feature b: waits for a \(aborted\)\n +aigentflow resume t --feature b")
        self.assertIn("waits for a (aborted)", self.tell(0, "status", "t"))
        self.assertIn("waits for a (aborted)", self.tell(1, "resume", "t"))
        self.tell(0, "resume", "t", "--feature", "b")
        self.assertEqual(self.status()["state"], "COMPLETED")

    def test_killed_while_one_waits(self):
        self.epic("a", self.depends("b", "a"))
        self.agents(backend_developer="until [ -e go ]; do touch started; sleep 0.05; done\n" + FINE)
        process = self.begin("run", "Do it", "--id", "t", "--epic", "epic.json")
        while not (self.path / "started").exists() or "waiting" not in self.tell(0, "status", "t"):
            time.sleep(0.02)
        process.kill()
        process.communicate(timeout=600)
        (self.path / "go").touch()
        self.tell(0, "resume", "t")
        self.assertEqual(self.status()["state"], "COMPLETED")

    def test_conflicts_that_nobody_resolves(self):
        """A person is asked, and continues; the features are not worked on again."""
        self.configure("max_retries = 1")
        self.epic("a")
        conflict = '{"success":true,"output":{"merged":[],"conflicts":[{"branch":"b/a"}]}}'
        self.agents(git_agent="case $given in *'\"action\":\"merge\"'*) [ -e resolved ] || { "
                              f"echo '{conflict}'; exit 0; }} ;; esac\n" + GIT)
        out = self.run_task(7, "--epic", "epic.json")
        self.assertRegex(out, r'the features cannot be merged\n +said +.*"branch":"b/a"')
        (self.path / "resolved").touch()
        self.tell(0, "approve", "--answer", "resolved by hand")
        self.assertEqual((self.status()["state"], self.count("merge_resolver"),
                          self.count("backend_developer")), ("COMPLETED", 1, 1))

    def test_one_is_dropped(self):
        self.epic("a", "b")
        self.agents(tester="case $given in *'\"worktreePath\":\"/tmp/a\"'*) " + FAILS + "\n;; *) "
                           + FINE + ";; esac")
        out = self.run_task(1, "--epic", "epic.json")
        self.assertIn("aigentflow resume t --feature a", out)
        self.tell(0, "abort", "t", "--feature", "a")
        after = self.status()
        self.assertEqual(after["state"], "COMPLETED")
        merged = json.loads((self.path / "git_agent.in").read_text())["input"]["branches"]
        self.assertEqual(merged, ["b/b"])

    def test_many_features(self):
        """FEATURES=1000 in the environment makes it an epic of that size."""
        count = int(os.environ.get("FEATURES", "25"))
        self.epic(*[f"f{number}" for number in range(count)], parallel=count)
        self.run_task(0, "--epic", "epic.json")
        merged = self.status()["context"]["merge"]["features"]
        self.assertEqual([one["output"]["featureId"] for one in merged],
                         [f"f{number}" for number in range(count)])
        if "FEATURES" in os.environ:  # by hand and in the long tests, not under a sanitizer
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 64 * 1024)

    def test_two_orchestrators_on_one_store(self):
        """Each drives its own; both come to their ends."""
        self.epic("a", "b", "c")
        first = self.begin("run", "One", "--id", "t", "--epic", "epic.json")
        second = self.begin("run", "Two", "--id", "u", "--epic", "epic.json")
        for process in (first, second):
            out, err = process.communicate(timeout=600)
            self.assertEqual(process.returncode, 0, out + err)
        for task in "tu":
            self.assertEqual(self.status(task)["state"], "COMPLETED")
            self.assertEqual(len(self.status(task)["context"]["merge"]["features"]), 3)


if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and programs inherit that
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
