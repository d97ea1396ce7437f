#!/usr/bin/python3
"""coordinator restore and fork: to any revision, by the name of what happened.

usage: test_rewind.py COORDINATOR WFSM
"""

import json
import os
import shutil
import subprocess
import sys
import unittest
import unittest.mock
from pathlib import Path

from test_coordinator import CHANGES, CODER, REVIEWER
from test_workspace import Landing as _, Workspace  # noqa: F401

del _
WFSM = str(Path(sys.argv[2]).resolve())


class Rewind(Workspace):
    """Two rounds: the first coder writes "one", the second "two"."""

    def setUp(self):
        super().setUp()
        self.agents(
            coder=f"echo x >> {self.path}/coders\n[ -e mark ] && w=two || w=one\n"
                  f"echo $w > mark\n{CODER}",
            reviewer=f"cat mark >> {self.path}/seen\n"
                     f"if [ $(wc -l < {self.path}/seen) = 1 ]; then {CHANGES}\nelse {REVIEWER}\nfi")
        self.new_task(0, "--id", "t")

    def seen(self):
        return (self.path / "seen").read_text().split()

    def coders(self):
        return len((self.path / "coders").read_text().split())

    def revision_of(self, event, which=0):
        """The revision before this event was taken."""
        found = [r["revision"] for r in self.records() if r["input"].get("event") == event]
        return found[which] - 1

    def coder_was_asked(self):
        """The revision of the last time."""
        return [r["revision"] for r in self.records()
                if any(one.get("agent") == "coder" for one in r.get("invocations", []))][-1]

    def generic(self, *words):
        done = subprocess.run([WFSM, *words], cwd=self.path, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Restore(Rewind):
    def test_before_an_agent(self):
        out = self.expect(0, "restore", "t", "--before", "reviewer").out
        self.assertIn("back to before reviewer", out)
        self.assertEqual((self.seen(), self.coders()), (["one", "two", "two"], 2))
        self.assertEqual(self.text("mark"), ["two"])
        last = [r for r in self.records() if r["input"]["kind"] == "restore"]
        self.assertEqual(last[-1]["origin"]["interface"], "command")

    def test_a_reviewer_sees_what_his_verdict_is_about(self):
        first = self.revision_of("start_reviewer")
        out = self.expect(0, "restore", "t", "--at", str(first)).out
        self.assertIn(f"back to revision {first}", out)
        # The project has "two" by then, so the two are merged and worked on again.
        self.assertEqual(self.seen()[:3], ["one", "two", "one"])

    def test_an_agent_at_work_begins_with_the_files_of_then(self):
        """Also with a slow git."""
        at = self.coder_was_asked()
        slow = self.path / "bin/git"
        slow.parent.mkdir()
        slow.write_text(f'#!/bin/sh\nsleep 0.05\nexec {shutil.which("git")} "$@"\n')
        slow.chmod(0o755)
        self.agents(coder=f"cat mark >> {self.path}/begun\n{CODER}",
                    reviewer=f"cat mark >> {self.path}/seen\n{REVIEWER}")
        with unittest.mock.patch.dict(os.environ, {"PATH": f"{slow.parent}:{os.environ['PATH']}"}):
            self.expect(0, "restore", "t", "--at", str(at))
        self.assertEqual((self.path / "begun").read_text().split()[0], "one")

    def test_killed_while_the_coder_works(self):
        """Resuming a task keeps the files that its agent has written since the restore."""
        at = self.coder_was_asked()
        self.agents(coder=f"echo part > part\ntouch {self.path}/began\n"
                          f"until [ -e {self.path}/go ]; do sleep 0.05; done\n{CODER}",
                    reviewer=REVIEWER)
        process = self.begin("restore", "t", "--at", str(at))
        self.wait_until((self.path / "began").exists)
        self.kill(process)
        self.resume_beside_the_coder()
        self.assertEqual(self.text("part"), ["part"])

    def test_also_after_the_generic_command(self):
        first = self.revision_of("start_reviewer")
        self.generic("restore", "--at", str(first), "tasks.db", "t")
        self.expect(0, "resume", "t")
        self.assertEqual(self.seen()[:3], ["one", "two", "one"])

    def test_a_coder_begins_with_what_was_there(self):
        self.expect(0, "restore", "t", "--before", "build")
        self.assertEqual((self.seen(), self.coders()), (["one", "two", "two"], 3))

    def test_a_workspace_that_was_cleaned(self):
        self.expect(0, "clean", "t")
        self.expect(0, "restore", "t", "--before", "reviewer")
        self.assertEqual(self.seen(), ["one", "two", "two"])

    def test_what_is_refused_changes_nothing(self):
        before = self.records()
        for code, words, why in (
                (2, (), "--before NAME or --at REVISION"),
                (2, ("--before", "reviewer", "--at", "3"), "--before NAME or --at REVISION"),
                (2, ("--at", "0"), "revision"), (2, ("--at", "x"), "revision"),
                (2, ("--at", "-1"), "revision"), (2, ("--at", "18446744073709551616"), "revision"),
                (1, ("--at", "5000"), "5000"),
                (1, ("--before", "nobody"), "no agent, event or state nobody")):
            with self.subTest(words=words):
                done = self.expect(code, "restore", "t", *words)
                self.assertIn(why, done.err)
        self.assertEqual(self.records(), before)
        self.expect(3, "restore", "u", "--before", "reviewer")
        self.expect(2, "status", "t", "--before", "reviewer")

    def test_one_that_is_not_over(self):
        self.agents(coder=f"touch {self.path}/again\nsleep 60\n{CODER}")
        process = self.begin("followup", "t", "--message", "more")
        self.wait_until((self.path / "again").exists)
        process.terminate()
        process.wait(timeout=60)
        self.assertIn("`coordinator abort t`",
                      self.expect(1, "restore", "t", "--before", "reviewer").err)
        self.agents(coder=CODER, reviewer=f"cat mark >> {self.path}/seen\n{REVIEWER}")
        self.expect(0, "abort", "t")
        self.expect(0, "restore", "t", "--before", "reviewer")
        self.assertEqual(self.seen(), ["one", "two", "two"])

    def test_json(self):
        made = json.loads(self.expect(0, "restore", "t", "--before", "reviewer", "--json").out)
        self.assertEqual((made["task"], made["outcome"]), ("t", "approved"))


class Fork(Rewind):
    def test_a_task_of_its_own(self):
        before = self.records()
        out = self.expect(0, "fork", "t", "u", "--before", "reviewer").out
        self.assertIn("u: forked from t before reviewer", out)
        self.assertEqual(self.records(), before)
        self.assertEqual(self.seen(), ["one", "two", "two"])
        places = [self.context(task)["place"] for task in ("t", "u")]
        self.assertEqual([place["branch"] for place in places], ["wfsm/t", "wfsm/u"])
        self.assertEqual(self.context("u")["workspace"], places[1]["folder"])

    def test_an_agent_at_work_then_works_in_the_new_place(self):
        first = self.revision_of("start_reviewer") - 2  # the coder is at work
        self.expect(0, "fork", "t", "u", "--at", str(first))
        self.assertEqual(self.given("coder")["input"]["workspace"],
                         self.context("u")["place"]["folder"])

    def test_also_after_the_generic_command(self):
        self.generic("fork", "--before", "reviewer", "tasks.db", "t", "u")
        self.expect(0, "resume", "u")
        self.assertEqual(self.context("u")["place"]["branch"], "wfsm/u")
        self.assertEqual(self.seen(), ["one", "two", "two"])

    def test_the_first_round_can_be_tried_in_another_way(self):
        first = self.revision_of("start_reviewer")
        (self.path / "seen").write_text("")  # the reviewer asks for changes again
        self.expect(0, "fork", "t", "u", "--at", str(first))
        self.assertEqual((self.seen(), self.coders()), (["one", "two"], 3))

    def test_what_is_refused(self):
        self.assertIn("new task", self.expect(2, "fork", "t", "--before", "reviewer").err)
        self.expect(1, "fork", "t", "t", "--before", "reviewer")
        self.expect(1, "fork", "t", "u", "--before", "nobody")
        self.expect(3, "fork", "x", "u", "--before", "reviewer")
        self.expect(3, "status", "u")


class CopiedRestore(Restore):
    """The same with a folder that is in no repository."""

    def make_repository(self):
        pass

    def test_a_workspace_that_was_cleaned(self):
        before = self.records()
        self.expect(0, "clean", "t")
        for words in (("restore", "t"), ("fork", "t", "u")):
            self.assertIn("its workspace was removed",
                          self.expect(1, *words, "--before", "reviewer").err)
        self.assertEqual(self.records(), before)
        self.expect(3, "status", "u")
        unbuilt = self.revision_of("start_coder")
        self.expect(0, "restore", "t", "--at", str(unbuilt))
        self.assertEqual(self.coders(), 3)


class CopiedFork(Fork):
    """The change of the source is in the repository of its own copy."""

    def make_repository(self):
        pass

    def test_a_fork_needs_its_source_no_more(self):
        self.expect(0, "fork", "t", "u", "--before", "reviewer")
        self.expect(0, "clean", "t")
        self.agents(coder=f"echo three > mark\n{CODER}")
        self.expect(0, "followup", "u", "--message", "more")
        self.assertEqual(self.text("mark"), ["three"])

    def test_a_project_that_is_a_repository_by_now(self):
        Workspace.make_repository(self)
        self.expect(0, "fork", "t", "u", "--before", "reviewer")
        self.assertEqual(self.seen(), ["one", "two", "two"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
