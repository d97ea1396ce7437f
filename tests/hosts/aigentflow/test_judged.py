#!/usr/bin/python3
"""What a tester or a reviewer writes is no part of a feature: aigentflow with git, and its git_agent.

usage: test_judged.py AIGENTFLOW
"""

import signal
import subprocess
import sys
import unittest
from pathlib import Path

from world import FINE, HERE, TYPES, World, says

World.program = str(Path(sys.argv[1]).resolve())
# In the worktree of the feature. Those of the task itself have nothing to do.
IN_TREE = f"""case $given in *'"taskAnalysis"'*) {FINE}; exit 0 ;; esac
cd {{root}}/worktrees/e/a
"""
MESS = """echo broken > a.txt; echo x > junk; git add junk; git -c user.name=a -c user.email=a@b commit -qam oops
git checkout -q -b elsewhere-%s; echo more > other
"""


class Judged(World):
    def setUp(self):
        super().setUp()
        self.project = self.path / "project"
        (self.project / "a.txt").write_text("one\n")
        self.git("init", "-q", "-b", "main")
        self.git("add", ".")
        self.git("commit", "-qm", "one")
        self.configure(more=f'[agents.git_agent]\ncommand = ["{sys.executable}", "{HERE}/agents/git_agent.py"]\n'
                            'folder = "project"\n', agents=[name for name in TYPES if name != "git_agent"]
                       + ["task_analyzer"])
        self.epic("a")
        self.in_tree = IN_TREE.replace("{root}", str(self.path))
        self.agents(backend_developer=self.in_tree + "echo two > a.txt; echo new > made.txt\n" + FINE,
                    tester=self.in_tree + "cat a.txt >> ../../../seen; ls >> ../../../files\n" + MESS % "t" + FINE,
                    reviewer=self.in_tree + "cat a.txt >> ../../../seen; ls >> ../../../files\n" + MESS % "r" + FINE)

    def git(self, *words):
        done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.project,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def lines(self, name):
        return (self.path / name).read_text().split()

    def refs(self):
        return self.git("for-each-ref", "--format=%(refname)", "refs/wfsm/judged")

    def merged(self):
        self.assertEqual(self.git("show", "HEAD:a.txt"), "two")
        self.assertEqual(self.git("ls-tree", "--name-only", "HEAD").split(), ["a.txt", "made.txt"])
        self.assertEqual(self.refs(), "")

    def test_what_they_write_is_not_merged(self):
        self.run_task(0, "--epic", "epic.json")
        self.merged()
        self.assertEqual(self.lines("seen")[:2], ["two", "two"])
        self.assertEqual(self.lines("files")[:4], ["a.txt", "made.txt"] * 2)

    def test_nor_is_it_there_for_who_fixes(self):
        self.agents(tester=self.in_tree + MESS % "t$$" + f"[ -e made.txt ] && [ ! -e ../../../failed ] && {{ touch "
                    f"../../../failed; {says(routingHints={'hasFailures': True})}\nexit 0; }}\n" + FINE,
                    bug_fixer=self.in_tree + "cat a.txt > ../../../fixer; ls >> ../../../fixer\n" + FINE)
        self.run_task(0, "--epic", "epic.json")
        self.assertEqual(self.lines("fixer"), ["two", "a.txt", "made.txt"])
        self.merged()

    def test_killed_with_them_at_work(self):
        self.agents(reviewer=self.in_tree + MESS % "r$$" + "cd ../../..\n[ -e killed ] || { touch killed; kill -9 $PPID; "
                    "kill -9 $$; }\n" + FINE)
        process = self.begin("run", "Do it", "--id", "t", "--epic", "epic.json")
        process.communicate(timeout=600)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertIn("refs/wfsm/judged/feature/e/a", self.refs())
        self.tell(0, "resume", "t")
        self.merged()

    def test_what_a_person_does_between_them_stays(self):
        self.agents(tester=self.in_tree + f"grep -q right a.txt && {{ {FINE}; exit 0; }}\n" + MESS % "t$$"
                    + says(routingHints={"hasFailures": True}), bug_fixer=FINE)
        self.run_task(1, "--epic", "epic.json")  # escalated: nobody can fix it
        self.assertEqual(self.refs(), "")
        tree = self.path / "worktrees/e/a"
        self.assertEqual((tree / "a.txt").read_text(), "two\n")
        (tree / "a.txt").write_text("right\n")
        self.agents(tester=FINE)
        self.tell(0, "resume", "t", "--feature", "a")
        self.assertEqual(self.git("show", "HEAD:a.txt"), "right")


    def test_changed_between_its_test_and_its_review(self):
        """There is one slot, so agents of b work between the tester and the reviewer of a."""
        self.configure(more='[pool]\nmax_concurrent = 1\n[agents.git_agent]\n'
                            f'command = ["{sys.executable}", "{HERE}/agents/git_agent.py"]\n',
                       agents=[name for name in TYPES if name != "git_agent"] + ["task_analyzer"])
        self.epic("a", "b")
        late = ("case $given in *'\"featureId\":\"b\"'*) [ -e tested ] && mkdir late 2>/dev/null && "
                "echo late > worktrees/e/a/a.txt;; esac\n")
        a = "case $given in *'\"featureId\":\"a\"'*) %s;; esac\n"
        self.agents(project_manager=late + FINE,
                    backend_developer=late + a % "echo two > worktrees/e/a/a.txt" + FINE,
                    tester=late + a % "cat worktrees/e/a/a.txt >> seen; touch tested" + FINE,
                    reviewer=late + a % "cat worktrees/e/a/a.txt >> seen" + FINE, bug_fixer=FINE)
        self.run_task(0, "--epic", "epic.json")
        self.assertTrue((self.path / "late").exists())
        self.assertEqual(self.lines("seen")[0], "two")
        self.assertEqual(self.lines("seen")[-2:], ["late", "late"])
        self.assertEqual(self.asked("bug_fixer")["rework"]["reason"], "it was changed after it was tested")
        self.assertEqual(self.git("show", "HEAD:a.txt"), "late")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
