#!/usr/bin/python3
"""coordinator resume: what was stopped or killed continues.

usage: test_resume.py COORDINATOR
"""

import os
import random
import signal
import sys
import time
import unittest

from test_coordinator import CHANGES, CODER, MACHINE, REVIEWER, TESTER, Host, tester
from processes import ends


class Resume(Host):
    def begin_and_kill(self, name, *more):
        """The host of a task is killed while the coder works."""
        process = self.begin("run", "--task", "Do it", "--workspace", "project", "--id", name, *more)
        self.wait_until((self.path / "coder.in").exists)
        self.kill(process)
        (self.path / "coder.in").unlink()

    def test_nothing_to_do(self):
        self.new_task(0)
        self.assertIn("no task is unfinished", self.expect(0, "resume").out)

    def test_each_that_nobody_runs(self):
        self.agents(coder=f"until [ -e {self.path}/go ]; do sleep 0.05; done; {CODER}")
        for name in ("t", "u"):
            self.begin_and_kill(name)
        (self.path / "go").touch()
        out = self.expect(0, "resume").out
        for name in ("t", "u"):
            self.assertIn(f"{name}: approved", out)

    def test_a_failure_comes_before_what_waits_for_a_person(self):
        text = "echo '{\"text\":\"so\"}'"  # right for a roundtable, and wrong for a change
        self.agents(coder=f"until [ -e {self.path}/go ]; do sleep 0.05; done; {text}", reviewer=text, tester=text)
        self.begin_and_kill("t")
        self.begin_and_kill("u", "--mode", "proposal")
        (self.path / "go").touch()
        out = self.expect(1, "resume").out
        self.assertIn("t: agent_failed", out)
        self.assertIn("u: await_operator_confirm", out)

    def test_an_agent_that_works_on_without_its_host(self):
        self.agents(coder=f"until [ -e {self.path}/go ]; do sleep 0.05; done; {CODER}")
        process = self.begin_task()
        self.kill(process)
        self.assertIn("its process has ended", self.expect(0, "status", "t").out)
        self.assertIn("t: approved", self.resume_beside_the_coder())
        self.assertEqual(self.attempts(self.expect(0, "history", "t"))["coder"], (1, 1))

    def test_an_agent_that_ended_without_its_host(self):
        self.agents(coder=f"until [ -e {self.path}/go ]; do sleep 0.05; done; {CODER}\n"
                          f"echo $$ > {self.path}/coder.pid.new\n"
                          f"mv {self.path}/coder.pid.new {self.path}/coder.pid")
        self.kill(self.begin_task())
        (self.path / "go").touch()
        self.wait_until(lambda: (self.path / "coder.pid").exists())
        coder = int((self.path / "coder.pid").read_text())
        self.assertTrue(ends(coder))
        self.expect(0, "resume", "t")
        self.assertEqual(self.attempts(self.expect(0, "history", "t"))["coder"], (1, 1))

    def test_an_agent_that_died_with_its_host(self):
        self.agents(coder=f"[ $WFSM_ATTEMPT = 2 ] || {{ echo $$ > ../../coder.pid; sleep 60; }}\n"
                          f"{CODER}")
        process = self.begin_task("coder.pid")
        self.wait_until(lambda: (self.path / "coder.pid").read_text().strip())
        self.kill(process)
        os.killpg(int((self.path / "coder.pid").read_text()), signal.SIGKILL)
        self.expect(0, "resume", "t")
        self.assertEqual(self.attempts(self.expect(0, "history", "t"))["coder"], (1, 2))

    def test_commands_are_run_again(self):
        self.agents(tester=tester({"argv": ["sh", "-c", "echo x >> ../../ran; [ $(wc -l < ../../ran) -gt 1 ] || sleep 600"]}))
        process = self.begin_task("ran")
        self.kill(process)
        self.expect(0, "resume", "t")
        self.assertEqual((self.path / "ran").read_text(), "x\nx\n")

    def test_a_task_that_somebody_runs_is_left_to_him(self):
        self.agents(coder=f"until [ -e {self.path}/go ]; do sleep 0.05; done; {CODER}")
        process = self.begin_task()
        self.assertIn(f"process {process.pid}", self.expect(3, "resume", "t").err)
        self.assertIn(f"process {process.pid}", self.expect(0, "resume").out)
        self.assertIn("(at work)", self.expect(0, "list").out)
        (self.path / "go").touch()
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, out + err)

    def test_killed_again_and_again_nobody_works_twice(self):
        seed = random.randrange(1 << 32)
        rng = random.Random(seed)
        note = f'echo "$WFSM_AGENT $WFSM_INVOCATION_ID" >> {self.path}/paid; sleep 0.1\n'
        again = f"[ $(grep -c reviewer {self.path}/paid) -gt 3 ]"
        self.agents(coder=note + CODER, tester=note + TESTER,
                    reviewer=f"{note}if {again}; then {REVIEWER}\nelse {CHANGES}\nfi")
        process = self.begin("run", "--task", "Do it", "--workspace", "project", "--id", "t")
        self.wait_until(lambda: "t " in self.run_it("list").out)
        kills = 0
        while process.poll() is None and kills < 15:
            time.sleep(rng.uniform(0, 0.35))
            self.kill(process)
            kills += 1
            process = self.begin("resume")
        out, err = process.communicate(timeout=600)
        with self.subTest(seed=seed, kills=kills):
            self.assertIn("approved", self.expect(0, "status", "t").out, out + err)
            paid = (self.path / "paid").read_text().split("\n")[:-1]
            self.assertEqual(len(paid), len(set(paid)))
            self.assertEqual([line.split()[0] for line in paid],
                             ["coder", "reviewer"] * 4 + ["tester"])
            self.assertEqual([r["revision"] for r in self.records()],
                             list(range(1, len(self.records()) + 1)))

    def test_without_the_document_and_with_another_one(self):
        self.agents(coder=f"sleep 0.5; {CODER}")
        self.kill(self.begin_task())
        config = self.path / "coordinator.toml"
        config.write_text(config.read_text().replace(str(MACHINE), "nowhere.json"))
        self.assertIn("t: approved", self.expect(0, "resume").out)


if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and programs inherit that
    unittest.main(argv=sys.argv[:1])
