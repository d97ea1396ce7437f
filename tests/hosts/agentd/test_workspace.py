#!/usr/bin/python3
"""Each change of agentd has a workspace of its own, and the archive merges it.

usage: test_workspace.py AGENTD WFSM [CLASS]
"""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest

import case
from case import AGENTD, ID
from support import Project

GIT = shutil.which("git")
MARKS = ["sh", "-c", "! grep -rq '<<<<<<<' src"]


def git(root, *words):
    done = subprocess.run([GIT, "-c", "user.name=a", "-c", "user.email=a@b.invalid", *words],
                          cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


@unittest.skipUnless(GIT, "no git")
class Case(case.Case):
    repository = True

    def begun(self, script=None, **more):
        """A project with one commit; agentd's own folder is in it, as users have it."""
        made = self.project(script, **more)
        (made.root / "src").mkdir()
        (made.root / "src/old.txt").write_text("".join(f"line {n}\n" for n in range(20)))
        (made.root / ".gitignore").write_text("calls.jsonl\nagents.json\ngo\n")
        if self.repository:
            git(made.root, "init", "-q", "-b", "main")
            git(made.root, "add", "-A")
            git(made.root, "commit", "-qm", "one")
        return made

    def complete(self, project, name, spec):
        project.script(specs=[spec])
        project.run("plan", name, f"add {spec}")
        project.run("impl", name)

    def files(self, project):
        return sorted(path.name for path in (project.root / "src").iterdir())

    def tidy(self, project):
        """Nothing of a workspace is left, and nothing is half-way."""
        left = [path.name for path in (project.agentd / ".worktrees").iterdir()
                if path.name not in (".gitignore", ".lock")]
        self.assertEqual(left, [])
        if self.repository:
            self.assertEqual(git(project.root, "branch", "--list", "wfsm/*"), "")
            self.assertEqual(git(project.root, "status", "--porcelain", "--", "src"), "")
            self.assertEqual(len(git(project.root, "worktree", "list").splitlines()), 1)
            for name in ("MERGE_HEAD", "index.lock", "CHERRY_PICK_HEAD"):
                self.assertFalse((project.root / ".git" / name).exists(), name)

    def test_the_code_goes_back(self):
        project = self.begun()
        project.script(specs=["login"])
        project.run("plan", ID, "add login")
        planned = self.journal(project)[-1]["revision"]
        project.run("impl", ID)
        tree = project.agentd / ".worktrees" / ID / "src"
        project.run("reject", ID, "not so")
        project.run("impl", ID)
        self.assertEqual(sorted(path.name for path in tree.iterdir()), ["login.txt", "old.txt", "resolved.txt"])
        (tree / "mine.txt").write_text("mine\n")
        out = project.run("restore", ID, "--before", "impl")
        self.assertEqual(sorted(path.name for path in tree.iterdir()), ["login.txt", "old.txt"])
        kept = re.search(r"refs/wfsm/kept/\S+", out).group()
        self.assertEqual(git(tree, "show", f"{kept}:./mine.txt"), "mine")
        project.run("approve", ID)  # the code of the first round
        project.run("restore", ID, "--before", "impl")
        project.run("restore", ID, "--at", str(planned))
        self.assertEqual(sorted(path.name for path in tree.iterdir()), ["old.txt"])
        self.phase(project, "Challenged", "APPROVED")
        project.run("impl", ID)
        project.run("archive", ID)
        self.assertEqual(self.files(project), ["login.txt", "old.txt"])
        self.tidy(project)
        if self.repository:
            self.assertEqual(git(project.root, "for-each-ref", "refs/wfsm"), "")


class Own(Case):
    def test_the_project_changes_when_it_is_archived(self):
        project = self.begun()
        self.complete(project, ID, "login")
        self.assertEqual({call["folder"] for call in project.calls()
                          if call["role"] in ("implementer", "reviewer")},
                         {str(project.workspace().resolve())})
        self.assertEqual({call["folder"] for call in project.calls()
                          if call["role"] in ("proposer", "challenger")},
                         {str(project.root.resolve())})
        self.assertEqual(self.files(project), ["old.txt"])
        self.assertIn(str(project.workspace()), project.run("status", ID))
        self.assertEqual(json.loads(project.run("status", ID, "--json"))["workspace"],
                         str(project.workspace().resolve()))
        project.run("archive", ID)
        self.assertEqual(self.files(project), ["login.txt", "old.txt"])
        self.tidy(project)

    def test_two_at_once_do_not_see_each_other(self):
        project = self.begun()
        for name, spec in (("one", "a"), ("two", "b")):
            project.script(specs=[spec])
            project.run("plan", name, "x")
        project.script(hold=True)
        both = [project.start("impl", name) for name in ("one", "two")]
        calls = project.root / "calls.jsonl"
        while calls.read_text().count('"step": "implement"') < 2:
            self.assertEqual([process.poll() for process in both], [None, None])
        project.release()
        for process in both:
            out, errors = process.communicate(timeout=600)
            self.assertEqual(process.returncode, 0, out + errors)
        for name, spec in (("one", "a"), ("two", "b")):
            self.assertEqual(sorted(path.name for path in (project.workspace(name) / "src").iterdir()),
                             [f"{spec}.txt", "old.txt"])
        # The second is merged with the first, and judged again.
        project.run("archive", "one")
        project.forget_calls()
        out = project.run("archive", "two", code=4)
        self.assertIn("the project has changed meanwhile", out)
        self.assertEqual(self.files(project), ["a.txt", "old.txt"])
        project.run("archive", "two", code=4)
        self.assertEqual(project.steps(), [])
        project.run("impl", "two", "--review")
        self.assertEqual(project.steps(), ["review"])
        project.run("archive", "two")
        self.assertEqual(self.files(project), ["a.txt", "b.txt", "old.txt"])
        self.tidy(project)

    def test_conflicts_are_resolved_in_the_workspace(self):
        project = self.begun(test=MARKS)
        self.complete(project, "one", "a")
        self.complete(project, "two", "a")
        (project.workspace("two") / "src/a.txt").write_text("mine\n")
        project.run("impl", "two", "--review")
        project.run("archive", "one")
        out = project.run("archive", "two", code=4)
        self.assertIn("it has conflicts, which are marked in the files: src/a.txt", out)
        self.assertIn("<<<<<<<", (project.workspace("two") / "src/a.txt").read_text())
        self.assertEqual((project.root / "src/a.txt").read_text(), "made from specs/a.md\n")
        # The project's tests find the marks; what resolves them is reviewed again.
        project.script()
        project.run("impl", "two", "--review", code=1)
        (project.workspace("two") / "src/a.txt").write_text("both\n")
        project.run("impl", "two")
        project.run("archive", "two")
        self.assertEqual((project.root / "src/a.txt").read_text(), "both\n")
        self.tidy(project)

    def test_what_tests_and_reviewers_write_is_no_part_of_it(self):
        project = self.begun({"review_writes": {"src/NOTES.txt": "read\n"}},
                             test=["sh", "-c", "echo x > src/tested.txt"])
        project.run("plan", ID, "x")
        project.run("impl", ID)
        self.assertFalse((project.workspace() / "src/NOTES.txt").exists())
        project.run("archive", ID)
        self.assertEqual(self.files(project), ["login.txt", "old.txt"])

    def test_nor_is_what_a_reviewer_commits(self):
        project = self.begun({"commits": True})
        project.run("plan", ID, "x")
        project.run("impl", ID)
        project.run("archive", ID)
        self.assertEqual(self.files(project), ["login.txt", "old.txt"])
        self.tidy(project)

    def test_nor_is_agentds_own_folder(self):
        """An implementer writes a verdict, where its workspace has the folder agentd."""
        project = self.begun({"writes": {"agentd/changes/add-login/REVIEW.md": "Verdict: APPROVED\n",
                                         "agentd/config.toml": "version = 1\n"}})
        before = (project.agentd / "config.toml").read_text()
        project.run("plan", ID, "x")
        project.run("impl", ID)
        self.assertIn("Iteration 0", (project.change() / "REVIEW.md").read_text())
        project.run("archive", ID)
        self.assertEqual((project.agentd / "config.toml").read_text(), before)
        self.assertEqual(self.files(project), ["login.txt", "old.txt"])

    def test_specs_that_are_there_are_found_before_the_code_is_merged(self):
        project = self.begun()
        self.complete(project, ID, "login")
        (project.agentd / "specs/login.md").write_text("# another\n")
        project.run("archive", ID, code=4)
        self.assertEqual(self.files(project), ["old.txt"])
        project.run("archive", ID, "--overwrite")
        self.assertEqual(self.files(project), ["login.txt", "old.txt"])

    def test_a_file_in_the_way_is_left_as_it_is(self):
        project = self.begun()
        self.complete(project, ID, "login")
        (project.root / "src/login.txt").write_text("mine\n")
        project.run("archive", ID, code=4)
        self.assertEqual((project.root / "src/login.txt").read_text(), "mine\n")
        self.phase(project, "Complete")

    def test_a_reviewed_commit_is_the_one_that_is_merged(self):
        """Its file says another digest than the store: nothing is merged."""
        project = self.begun()
        self.complete(project, ID, "login")
        path = project.agentd / f".worktrees/{ID}.json"
        kept = json.loads(path.read_text())
        kept["tree"] = "sha256:" + "0" * 64
        path.write_text(json.dumps(kept))
        self.assertIn("not the one that was tested", project.run("archive", ID, code=4))
        self.assertEqual(self.files(project), ["old.txt"])
        project.run("impl", ID, "--review")
        project.run("archive", ID)

    def test_a_workspace_that_was_removed_is_made_again(self):
        project = self.begun({"review": ["NEEDS_CHANGES"]}, implementation=0)
        project.run("plan", ID, "x")
        project.run("impl", ID, code=1)
        shutil.rmtree(project.workspace())
        project.script()
        config = project.agentd / "config.toml"
        config.write_text(config.read_text().replace("implementation_iterations = 0",
                                                     "implementation_iterations = 1"))
        project.run("impl", ID)
        project.run("archive", ID)
        self.assertIn("login.txt", self.files(project))

    def test_clean_removes_what_a_killed_archive_has_left(self):
        project = self.begun()
        self.complete(project, ID, "login")
        path = project.agentd / f".worktrees/{ID}.json"
        kept = path.read_text()
        project.run("archive", ID)
        path.write_text(kept)
        project.run("clean", ID)
        self.tidy(project)

    def test_a_project_that_is_moved(self):
        project = self.begun({"review": ["NEEDS_CHANGES"]}, implementation=0)
        project.run("plan", ID, "x")
        project.run("impl", ID, code=1)
        moved = project.root.with_name(project.root.name + "-moved")
        project.root.rename(moved)
        self.addCleanup(moved.rename, project.root)
        config = (moved / "agentd/config.toml")
        config.write_text(config.read_text().replace(str(project.root), str(moved)))
        project.root, project.agentd = moved, moved / "agentd"
        project.run("approve", ID)
        project.run("impl", ID, "--review", code=1)
        project.run("approve", ID)
        project.run("archive", ID)
        self.assertIn("login.txt", self.files(project))
        self.tidy(project)

    def test_an_agent_in_the_workspace_is_at_work_on_the_project(self):
        project = self.begun()
        self.complete(project, ID, "login")
        done = subprocess.run([AGENTD, "status", ID], cwd=project.workspace() / "src", text=True,
                              capture_output=True, check=False)
        self.assertIn("phase=Complete", done.stdout)

    def test_the_shared_workspace(self):
        project = self.begun()
        config = project.agentd / "config.toml"
        config.write_text(config.read_text().replace("[workflow]", '[workflow]\nworkspace = "shared"'))
        self.complete(project, ID, "login")
        self.assertEqual(self.files(project), ["login.txt", "old.txt"])
        self.assertFalse(project.workspace().exists())
        project.run("archive", ID)

    def test_another_word(self):
        project = self.begun()
        config = project.agentd / "config.toml"
        config.write_text(config.read_text().replace("[workflow]", '[workflow]\nworkspace = "mine"'))
        project.run("plan", ID, "x", code=2)
        self.assertIn('expected "own" or "shared"', project.errors)


class Copy(Own):
    """The same for a project that is in no repository."""

    repository = False

    def test_the_diff(self):
        project = self.begun()
        self.complete(project, ID, "login")
        self.assertIn("+made from specs/login.md", project.run("approve", ID))

    def test_products_are_not_copied(self):
        project = self.begun()
        config = project.agentd / "config.toml"
        config.write_text("".join(line for line in config.read_text().splitlines(True)
                                  if not line.startswith("ignore")))
        (project.root / "build").mkdir()
        (project.root / "build/x").touch()
        self.complete(project, ID, "login")
        self.assertFalse((project.workspace() / "build").exists())
        (project.root / "build/x").write_text("built again\n")
        project.run("archive", ID)

    def test_without_git(self):
        project = self.begun()
        project.run("plan", ID, "x")
        empty = project.root / "empty"
        empty.mkdir()
        path, os.environ["PATH"] = os.environ["PATH"], str(empty)
        try:
            project.run("impl", ID, code=3)
        finally:
            os.environ["PATH"] = path
        self.assertIn('workspace = "shared"', project.errors)
        self.assertIn("phase=Challenged", project.run("status", ID))


class Repository(Case):
    def test_a_project_that_is_not_clean_is_left_with_a_command(self):
        project = self.begun()
        self.complete(project, ID, "login")
        (project.root / "src/old.txt").write_text("mine\n")
        out = project.run("archive", ID, code=4)
        self.assertIn("changes that are in no commit", out)
        self.assertIn(f"merge wfsm/{ID}", out)
        self.assertEqual(self.files(project), ["old.txt"])
        self.phase(project, "Complete")
        git(project.root, "checkout", "-q", "--", "src/old.txt")
        project.run("archive", ID)
        self.assertEqual(git(project.root, "log", "-1", "--format=%s"), f"{ID}: add login")
        self.tidy(project)

    def test_documents_may_be_committed_meanwhile(self):
        project = self.begun()
        self.complete(project, ID, "login")
        git(project.root, "add", "-A")
        git(project.root, "commit", "-qm", "the documents")
        project.run("archive", ID)
        self.assertEqual(self.files(project), ["login.txt", "old.txt"])
        self.tidy(project)

    def test_a_folder_of_a_repository(self):
        outer = self.begun()
        inner = Project(AGENTD)
        self.addCleanup(inner.close)
        shutil.copytree(inner.root, outer.root / "part")
        git(outer.root, "add", "-A")
        git(outer.root, "commit", "-qm", "a part")
        inner.root, inner.agentd = outer.root / "part", outer.root / "part/agentd"
        config = inner.agentd / "config.toml"
        config.write_text(config.read_text().replace(inner.temporary.name, str(inner.root)))
        inner.run("plan", ID, "x")
        inner.run("impl", ID)
        self.assertTrue((inner.workspace() / "part/src/login.txt").exists())
        inner.run("archive", ID)
        self.assertTrue((inner.root / "src/login.txt").exists())

    def test_a_clone_has_the_code_from_the_branch(self):
        project = self.begun()
        self.complete(project, ID, "login")
        git(project.root, "add", "-A")
        git(project.root, "commit", "-qm", "the documents")
        clone = Project(AGENTD)
        self.addCleanup(clone.close)
        shutil.rmtree(clone.root)
        git(project.root, "clone", "-q", str(project.root), str(clone.root))
        out = clone.run("archive", ID)
        self.assertIn("phase=Archived", out)
        self.assertTrue((clone.root / "src/login.txt").exists())
        self.assertEqual(git(clone.root, "log", "-1", "--format=%s"),
                         git(project.root, "log", "-1", "--format=%s", f"wfsm/{ID}"))

    def test_a_clone_without_the_branch_archives_nothing(self):
        project = self.begun()
        self.complete(project, ID, "login")
        git(project.root, "add", "-A")
        git(project.root, "commit", "-qm", "the documents")
        clone = Project(AGENTD)
        self.addCleanup(clone.close)
        shutil.rmtree(clone.root)
        git(project.root, "clone", "-q", "--single-branch", str(project.root), str(clone.root))
        clone.run("archive", ID, code=4)
        self.assertIn("not those that were reviewed", clone.errors)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
