#!/usr/bin/python3
"""Each task has a workspace of its own: what is made there is tested and reviewed, and then brought to the
project. With git and without.

usage: test_workspace.py AIGENTFLOW
"""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import at_terminal  # noqa: E402
from world import FINE, HERE, TYPES, World, analysis, says  # noqa: E402

World.program = str(Path(sys.argv[1]).resolve())
WRITES = 'cd "$here"; echo two > a.txt; echo new > made.txt\n' + FINE
LOOKS = 'cat "$here/a.txt" >> seen\n'
ONCE = 'if mkdir once 2>/dev/null; then %s\nfi\n' + FINE
WAITS = "touch waits; while [ ! -e go ]; do sleep 0.02; done\n"


class Plain(World):
    """A project that is in no repository."""

    has_git = False

    def setUp(self):
        super().setUp()
        self.project = self.path / "project"
        (self.project / "a.txt").write_text("one\n")
        self.begin_project()
        self.agents(backend_developer=WRITES)

    def begin_project(self):
        pass

    def commit(self, message="more"):
        """What a person does in the project."""

    def git(self, *words, folder=None):
        done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
                              cwd=folder or self.project, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def tree(self, task="t"):
        return self.path / "worktrees" / task

    def text(self, name="a.txt"):
        return (self.project / name).read_text()

    def landing(self, task="t"):
        return self.status(task)["context"]["metadata"]["landing"]

    def test_the_project_is_not_touched_before_the_end(self):
        self.agents(reviewer=LOOKS + "cat project/a.txt >> outside\n" + FINE)
        out = self.run_task(0)
        self.assertEqual(((self.path / "seen").read_text(), (self.path / "outside").read_text()), ("two\n", "one\n"))
        self.assertEqual((self.text(), self.text("made.txt")), ("two\n", "new\n"))
        self.assertEqual((self.landing()["status"], sorted(self.landing()["files"])), ("landed", ["a.txt", "made.txt"]))
        self.assertIn("2 files: a.txt made.txt", out)

    def test_the_end_tells_rounds_and_changed_files(self):
        failing = says(routingHints={"hasFailures": True})
        once = "if mkdir %s 2>/dev/null; then " + failing + "\nexit 0; fi\n" + FINE
        self.agents(task_analyzer=analysis("backend_developer", "tester", "reviewer", requiresApproval=True),
                    tester=once % "t", reviewer=once % "r")
        rounds = "rounds +3 tests \\(1 failed\\), 2 reviews \\(1 failed\\), 2 fixes\n"
        out = self.run_task(7)
        self.assertRegex(out, rounds + r" +changed +2 files: a.txt made.txt\n +look at it git -C \S+/t diff [0-9a-f]+\n"
                              r" +took +\S+\n")
        look = out.split("look at it")[1].split("\n")[0].split()
        self.assertIn("+two", subprocess.run(look, capture_output=True, text=True, check=True).stdout)
        self.assertRegex(self.tell(0, "approve", "t"), rounds + r" +changed +2 files: a.txt made.txt\n +took ")
        told = self.status()
        self.assertEqual((told["rounds"]["tests"], told["rounds"]["failedReviews"], told["rounds"]["fixes"]), (3, 1, 2))
        self.assertEqual(sorted(told["changed"]), ["a.txt", "made.txt"])

    def test_what_judges_write_is_no_part_of_it(self):
        mess = LOOKS + 'cd "$here"; echo broken > a.txt; echo junk > junk\n' + FINE
        self.agents(tester=mess, reviewer=mess)
        self.run_task(0)
        self.assertEqual((self.path / "seen").read_text(), "two\ntwo\n")
        self.assertEqual(self.text(), "two\n")
        self.assertFalse((self.project / "junk").exists())

    def test_changed_after_the_review_is_tested_and_reviewed_again(self):
        self.agents(task_analyzer=analysis("backend_developer", "tester", "reviewer", "analyst"),
                    analyst=ONCE % 'echo late > "$here/a.txt"', tester=LOOKS + FINE, reviewer=LOOKS + FINE)
        self.run_task(0)
        self.assertEqual((self.path / "seen").read_text().split(), ["two", "two", "late", "late"])
        self.assertEqual(self.text(), "late\n")

    def test_changed_between_test_and_review(self):
        self.agents(task_analyzer=analysis("backend_developer", "tester", "analyst", "reviewer"),
                    analyst=ONCE % 'echo late > "$here/a.txt"', tester=LOOKS + FINE, reviewer=LOOKS + FINE)
        self.run_task(0)
        self.assertEqual((self.path / "seen").read_text().split(), ["two", "late", "late", "late"])

    def test_what_a_person_changes_before_he_approves(self):
        self.agents(task_analyzer=analysis("backend_developer", "tester", "reviewer", requiresApproval=True))
        self.run_task(7)
        (self.tree() / "a.txt").write_text("by hand\n")
        self.tell(7, "approve", "t")
        self.assertEqual(self.status()["state"], "AWAITING_APPROVAL")  # that was not what he had seen
        self.assertEqual((self.count("tester"), self.count("reviewer")), (2, 2))
        self.assertEqual(self.text(), "one\n")
        self.tell(0, "approve", "t")
        self.assertEqual(self.text(), "by hand\n")

    def test_a_failed_review_of_what_was_changed_is_no_approval(self):
        self.agents(task_analyzer=analysis("backend_developer", "tester", "reviewer", "analyst"),
                    analyst=ONCE % 'echo late > "$here/a.txt"', bug_fixer='echo right > "$here/a.txt"\n' + FINE,
                    reviewer='grep -q late "$here/a.txt" && { ' + says(routingHints={"hasFailures": True})
                    + "\nexit 0; }\n" + FINE)
        self.run_task(0)
        self.assertEqual(self.text(), "right\n")

    def test_two_at_once(self):
        self.agents(backend_developer='case $given in *First*) echo 1 > "$here/first"\n' + WAITS + FINE
                    + ';; *) echo 2 > "$here/second"\n' + FINE + ";; esac")
        first = self.begin("run", "First", "--id", "one")
        while not (self.path / "waits").exists():
            self.assertIsNone(first.poll())
        self.tell(0, "run", "Second", "--id", "two")
        (self.path / "go").touch()
        out, errors = first.communicate(timeout=600)
        self.assertEqual(first.returncode, 0, out + errors)
        self.assertIn("the project has changed meanwhile", out)
        self.assertEqual((self.text("first"), self.text("second")), ("1\n", "2\n"))
        self.assertEqual((self.count("tester"), self.count("reviewer")), (3, 3))

    def test_conflicts_with_what_a_person_did_meanwhile(self):
        self.agents(backend_developer=WRITES.replace("\n", "; echo three > ../../project/a.txt\n", 1),
                    merge_resolver='cp "$here/a.txt" marked; echo both > "$here/a.txt"\n' + FINE)
        self.agents(reviewer="[ -e .did ] || { touch .did; " + self.committing() + "; }\n" + FINE)
        self.run_task(0)
        self.assertIn("<<<<<<<", (self.path / "marked").read_text())
        self.assertEqual(self.text(), "both\n")
        self.assertEqual(self.asked("merge_resolver")["rework"]["by"], "git_agent")

    def committing(self):
        return "true"

    def test_aborted(self):
        self.agents(reviewer=WAITS + FINE)
        process = self.begin("run", "Do it", "--id", "t")
        while not (self.path / "waits").exists():
            self.assertIsNone(process.poll())
        self.tell(0, "abort", "t")
        process.communicate(timeout=600)
        self.assertEqual(self.status()["state"], "ABORTED")
        self.assertEqual(self.text(), "one\n")
        kept = json.loads(self.tell(0, "clean", "--json", "t"))["kept"]
        self.assertIn(str(self.tree()) if not self.has_git else "wfsm/t", [one["what"] for one in kept])
        self.tell(0, "clean", "t", "--force")
        self.cleaned()

    def cleaned(self):
        self.assertEqual(list((self.path / "worktrees").iterdir()), [])

    def test_cleaned(self):
        self.run_task(0)
        self.assertTrue(self.tree().exists())
        self.assertEqual(json.loads(self.tell(0, "clean", "--json", "t"))["worktrees"], [str(self.tree())])
        self.cleaned()
        self.tell(0, "status", "t")

    def test_killed_at_each_agent(self):
        for number, agent in enumerate(("backend_developer", "tester", "reviewer", "router")):
            with self.subTest(agent):
                self.agents(backend_developer=f'cd "$here"; echo {number}{number} > a.txt\n' + FINE)
                kill = f"[ -e k{number} ] || {{ touch k{number}; kill -9 $PPID; kill -9 $$; }}\n"
                path = self.path / agent
                path.write_text(path.read_text().replace("given=$(cat)\n", "given=$(cat)\n" + kill))
                process = self.begin("run", "Do it", "--id", f"k{number}")
                process.communicate(timeout=600)
                self.assertEqual(process.returncode, -signal.SIGKILL)
                self.tell(0, "resume", f"k{number}")
                self.assertEqual(self.text(), f"{number}{number}\n")

    def test_forked(self):
        self.agents(task_analyzer=analysis("backend_developer", "analyst", "tester"))
        self.run_task(0)
        self.agents(analyst='cp "$here/a.txt" forked; echo other > "$here/a.txt"\n' + FINE)
        out = self.tell(0, "fork", "t", "u", "--before", "analyst")
        self.assertEqual((self.path / "forked").read_text(), "two\n")
        self.assertEqual(self.text(), "other\n", out)
        self.assertEqual(self.text("made.txt"), "new\n")
        self.assertNotEqual(self.status("u")["context"]["metadata"]["place"]["root"], str(self.tree()))

    def test_restored_to_before_it_had_one(self):
        self.agents(task_analyzer=analysis("backend_developer", "tester", "reviewer", requiresApproval=True))
        self.run_task(7)
        self.tell(7, "restore", "t", "--at", "1")
        self.assertEqual(self.text(), "one\n")
        self.tell(0, "approve", "t")
        self.assertEqual(self.text(), "two\n")

    def test_what_is_decided_on_is_shown(self):
        self.agents(task_analyzer=analysis("backend_developer", "tester"),
                    backend_developer=WRITES.replace(FINE, says(routingHints={"needsApproval": True})))
        self.run_task(7)
        for words in (["reject", "t", "--reason", "no"], ["approve", "t"]):
            code = 7 if words[0] == "reject" else 0
            shown = self.tell(code, *words).split("[")[0]
            for line in ("-one\n+two\n", "+++ b/made.txt\n", "+new\n"):
                self.assertIn(line, shown)

    def test_what_is_decided_on_of_a_feature_is_shown(self):
        self.configure(more=f'[agents.git_agent]\ncommand = ["{sys.executable}", "{HERE}/agents/git_agent.py"]\n',
                       agents=[name for name in TYPES if name != "git_agent"] + ["task_analyzer"])
        self.epic("x")
        self.agents(backend_developer="cd worktrees/e/x; echo x > x.txt\n" + says(routingHints={"needsApproval": True}))
        self.run_task(7, "--epic", "epic.json")
        shown = self.tell(0, "approve", "t", "--feature", "x").split("[")[0]
        self.assertIn("+++ b/x.txt\n@@ -0,0 +1 @@\n+x\n", shown)
        self.assertNotIn("+two", shown)
        self.assertEqual(self.text("x.txt"), "x\n")

    def test_a_terminal_has_a_pager_colours_and_a_question(self):
        self.agents(task_analyzer=analysis("backend_developer", "tester", requiresApproval=True))
        self.run_task(7)
        pager = self.path / "pager"
        pager.write_text(f"#!/bin/sh\ntouch {self.path}/paged\nexec cat\n")
        pager.chmod(0o755)
        for answer, code, state in ((b"n\n", 1, "AWAITING_APPROVAL"), (signal.SIGINT, 1, "AWAITING_APPROVAL"),
                                    (b"y\n", 0, "COMPLETED")):
            text, ended = at_terminal(self.path, [self.program, "approve", "t"], answer, PAGER=str(pager))
            self.assertEqual((ended, self.status()["state"]), (code, state), text)
            self.assertIn("\x1b[32m+two", text)
        self.assertTrue((self.path / "paged").exists())

    def test_a_restore_takes_the_workspace_back(self):
        """To each revision: an agent that works again finds what it had found, and the task ends the same."""
        self.agents(task_analyzer=analysis("backend_developer", "analyst", "tester", "reviewer", requiresApproval=True),
                    backend_developer='echo two >> "$here/a.txt"\n' + FINE,
                    analyst='cat "$here/a.txt" > seen; echo three >> "$here/a.txt"\n' + FINE,
                    tester=ONCE % (says(routingHints={"hasFailures": True}) + "\nexit 0"),
                    bug_fixer='echo four >> "$here/a.txt"\n' + FINE)
        self.configure("max_agent_runs = 1000")
        self.run_task(7)
        for at in range(3, self.revisions() + 1):
            with self.subTest(at):
                self.tell(7, "restore", "t", "--at", str(at))
                self.assertEqual((self.path / "seen").read_text(), "one\ntwo\n")
                self.assertIn((self.tree() / "a.txt").read_text(), ("one\ntwo\nthree\n", "one\ntwo\nthree\nfour\n"))
        self.tell(7, "restore", "t", "--at", str(at))
        self.tell(0, "approve", "t")
        self.assertEqual(self.text(), "one\ntwo\nthree\nfour\n")

    def revisions(self, task="t"):
        with sqlite3.connect(self.path / "aigentflow.db") as db:
            return db.execute("select max(j.revision) from journal j join instance i on j.instance = i.key "
                              "where i.id = ?", (task,)).fetchone()[0]

    def test_a_restore_loses_nothing(self):
        self.agents(task_analyzer=analysis("backend_developer", "tester", "reviewer", requiresApproval=True))
        self.run_task(7)
        (self.tree() / "mine.txt").write_text("mine\n")
        out = self.tell(7, "restore", "t", "--before", "backend_developer")
        self.assertFalse((self.tree() / "mine.txt").exists())
        kept = re.search(r"refs/wfsm/kept/\S+", out).group()
        self.assertEqual(self.git("show", f"{kept}:mine.txt", folder=self.tree()), "mine")
        self.tell(0, "abort", "t")
        self.tell(0, "clean", "t", "--force")
        if self.has_git:
            self.assertEqual(self.git("for-each-ref", "refs/wfsm"), "")

    def test_a_verdict_is_restored_with_its_files(self):
        """A person rejects, and takes that back. He approves the files that were reviewed."""
        self.agents(task_analyzer=analysis("backend_developer", "tester", "reviewer", requiresApproval=True),
                    backend_developer='case $given in *"no good"*) echo other > "$here/a.txt" ;; *) echo two > "$here/a.txt" ;; esac\n' + FINE)
        self.run_task(7)
        at = self.revisions()
        self.agents(bug_fixer='echo other > "$here/a.txt"\n' + FINE)
        self.tell(7, "reject", "t", "--reason", "no good")
        self.assertEqual((self.tree() / "a.txt").read_text(), "other\n")
        rejected = self.revisions()
        counts = self.count("tester"), self.count("reviewer")
        self.tell(7, "restore", "t", "--at", str(at))
        # Nothing is lost: a fork can begin at each revision.
        for name, revision, text in (("u", at, "two\n"), ("v", rejected, "other\n"), ("w", self.revisions(), "two\n")):
            self.tell(7, "fork", "t", name, "--at", str(revision))
            self.assertEqual((self.tree(name) / "a.txt").read_text(), text)
        self.tell(0, "approve", "t")
        self.assertEqual(self.text(), "two\n")
        self.assertEqual((self.count("tester"), self.count("reviewer")), counts)

    def test_features(self):
        """Also without git: the copy has a repository of its own."""
        self.configure(more=f'[agents.git_agent]\ncommand = ["{sys.executable}", "{HERE}/agents/git_agent.py"]\n',
                       agents=[name for name in TYPES if name != "git_agent"] + ["task_analyzer"])
        self.epic("x", "y")
        self.agents(backend_developer='case $given in *\'"featureId":"\'*) f=${given#*\'"featureId":"\'}; f=${f%%\'"\'*}\n'
                    'cd worktrees/e/$f; echo $f > $f.txt\n;; esac\n' + FINE)
        self.run_task(0, "--epic", "epic.json")
        self.assertEqual((self.text("x.txt"), self.text("y.txt")), ("x\n", "y\n"))
        hook = self.path / "project/.git/hooks/reference-transaction"
        hook.parent.mkdir(parents=True, exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch '{self.path}/hook-ran'\n")
        hook.chmod(0o755)
        self.tell(0, "clean", "t")
        self.cleaned()
        self.assertFalse((self.path / "hook-ran").exists())

    def test_edited_after_its_review_a_feature_is_merged_as_it_was_reviewed(self):
        self.configure(more=f'[agents.git_agent]\ncommand = ["{sys.executable}", "{HERE}/agents/git_agent.py"]\n',
                       agents=[name for name in TYPES if name != "git_agent"] + ["task_analyzer"])
        self.epic("x", "y", parallel=1)  # x is over when the developer of y edits its worktree
        self.agents(backend_developer='case $given in *\'"featureId":"x"\'*) echo right > worktrees/e/x/x.txt ;;\n'
                    '*) [ -e worktrees/e/x/x.txt ] && echo late > worktrees/e/x/x.txt ;; esac\n' + FINE)
        self.run_task(0, "--epic", "epic.json")
        self.assertEqual(self.text("x.txt"), "right\n")
        self.assertEqual((self.path / "worktrees/e/x/x.txt").read_text(), "late\n")
        kept = json.loads(self.tell(0, "clean", "--json", "t"))["kept"]
        self.assertIn(str(self.path / "worktrees/e/x"), [one["what"] for one in kept])


class Shared(World):
    """workspace = "shared": one task in the project itself."""

    def setUp(self):
        super().setUp()
        self.configure('workspace = "shared"')

    def test_one_task(self):
        self.agents(backend_developer='echo made > "$here/made"\n' + FINE)
        self.run_task(0)
        self.assertEqual((self.path / "project/made").read_text(), "made\n")
        self.assertEqual(list((self.path / "worktrees").iterdir()), [])

    def test_a_second_one_is_refused(self):
        self.agents(backend_developer=WAITS + FINE)
        first = self.begin("run", "First", "--id", "one")
        while not (self.path / "waits").exists():
            self.assertIsNone(first.poll())
        self.assertIn("one is not over yet", self.tell(3, "run", "Second", "--id", "two"))
        (self.path / "go").touch()
        first.communicate(timeout=600)
        self.assertEqual(first.returncode, 0)
        self.tell(0, "resume", "two")

    def test_other_words(self):
        self.configure('workspace = "mine"')
        self.assertIn('expected "own" or "shared"', self.tell(2, "run", "x"))


class Git(Plain):
    has_git = True

    def begin_project(self):
        self.git("init", "-q", "-b", "main")
        self.git("add", ".")
        self.git("commit", "-qm", "one")

    def committing(self):
        return "(cd project; git -c user.name=a -c user.email=a@b commit -qam meanwhile)"

    def cleaned(self):
        super().cleaned()
        self.assertEqual(self.git("for-each-ref", "--format=%(refname)"), "refs/heads/main")
        self.assertEqual(self.git("worktree", "list").count("\n"), 0)

    def test_what_a_person_has_not_committed(self):
        self.agents(reviewer="echo mine > project/a.txt\n" + FINE)
        out = self.run_task(1)
        self.assertIn("the project has changes that are in no commit", out)
        self.assertIn("merge wfsm/t", out)
        self.assertEqual(self.text(), "mine\n")
        self.git("checkout", "-q", ".")
        self.tell(0, "resume", "t")
        self.assertEqual(self.text(), "two\n")
        self.assertIn("Nothing to resume", self.tell(1, "resume", "t"))

    def killed(self, at, *words):
        """Runs a command with a git that kills aigentflow at its call number `at`."""
        git, calls, pid = shutil.which("git"), self.path / "calls", self.path / "pid"
        (self.path / "bin").mkdir(exist_ok=True)
        (self.path / "bin/git").write_text(
            f"#!/bin/sh\necho >> {calls}\nn=$(wc -l < {calls})\n[ $n -eq {at} ] && kill -9 $(cat {pid})\n"
            f"[ $n -ge {at} ] && exit 1\nexec {git} \"$@\"\n")
        (self.path / "bin/git").chmod(0o755)
        calls.write_text("")
        done = subprocess.run(["sh", "-c", f'echo $$ > {pid}; exec "$0" "$@"', self.program, *words], cwd=self.path,
                              capture_output=True, check=False, timeout=600,
                              env={**os.environ, "PATH": f"{self.path}/bin:{os.environ['PATH']}"})
        return done.returncode == -signal.SIGKILL

    def says_what_is_left(self, task):
        """The command that continues, and whether the task is completed without its work being in the project."""
        status, text = self.status(task), self.tell(0, "status", task)
        is_left = status["state"] == "COMPLETED" and not status["isInProject"]
        command = "approve" if status["state"] == "AWAITING_APPROVAL" else "resume"
        self.assertEqual("not in it" in text, is_left, text)
        self.assertIn(f"aigentflow {command} {task}", text)
        return command, is_left

    def test_killed_anywhere_on_the_way_to_the_project(self):
        self.agents(task_analyzer=analysis("backend_developer", "tester", "reviewer", requiresApproval=True),
                    backend_developer='echo made > "$here/${WFSM_INVOCATION_ID%%/*}"\n' + FINE)
        at, is_killed, left, asked = 1, True, 0, set()
        while is_killed:
            self.tell(7, "run", "Do it", "--id", f"k{at}")
            is_killed = self.killed(at, "approve", f"k{at}")
            self.git("fsck", "--no-dangling")
            if is_killed:
                command, is_left = self.says_what_is_left(f"k{at}")
                left += is_left
                asked.add(command)
                self.tell(0, command, f"k{at}")
            self.assertTrue(self.status(f"k{at}")["isInProject"])
            self.assertEqual(self.landing(f"k{at}")["status"], "landed")
            self.assertEqual(self.git("status", "--porcelain"), "")
            self.assertEqual(int(self.git("rev-list", "--count", "HEAD")), at + 1)
            at += 1
        self.assertGreater(at, 10)
        self.assertGreater(left, 0)
        self.assertEqual(asked, {"approve", "resume"})

    def test_killed_anywhere_on_the_way_back(self):
        """Both the task and its files have gone back, or neither."""
        self.agents(task_analyzer=analysis("backend_developer", "analyst", "tester", requiresApproval=True),
                    backend_developer='echo two >> "$here/a.txt"\n' + FINE, analyst='echo three >> "$here/a.txt"\n' + FINE)
        at, is_killed, back = 1, True, 0
        while is_killed:
            self.tell(7, "run", "Do it", "--id", f"k{at}")
            worked = self.count("analyst")
            is_killed = self.killed(at, "restore", f"k{at}", "--before", "analyst")
            self.tell(7, "resume", f"k{at}")
            self.assertEqual((self.tree(f"k{at}") / "a.txt").read_text(), "one\ntwo\nthree\n")
            back += self.count("analyst") > worked
            self.git("fsck", "--no-dangling")
            at += 1
        self.assertGreater(at, 10)
        self.assertIn(back, range(2, at - 2))

    def test_the_history_of_the_project(self):
        self.run_task(0)
        self.assertEqual(self.git("log", "--format=%s"), "backend_developer: Do it\none")
        self.assertEqual(self.git("status", "--porcelain"), "")

    def test_a_worktree_that_somebody_has_removed(self):
        self.agents(task_analyzer=analysis("backend_developer", "tester", "reviewer", requiresApproval=True))
        self.run_task(7)
        shutil.rmtree(self.tree())
        self.tell(0, "approve", "t")
        self.assertEqual(self.text(), "two\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
