#!/usr/bin/python3
"""The agents of aigentflow's demo, each as a process, in a repository made for the test.

usage: test_agents.py SRCDIR [AIGENTFLOW]
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv[1]).resolve()
AIGENTFLOW = str(Path(sys.argv[2]).resolve()) if len(sys.argv) > 2 else None
HERE = SOURCE / "examples/aigentflow"
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"]


class Repository(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-agents-")
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name)
        self.project = self.path / "project"
        shutil.copytree(HERE / "sample/project", self.project)
        self.git("init", "--quiet")
        self.git("symbolic-ref", "HEAD", "refs/heads/main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "base")

    def git(self, *arguments, folder=None):
        return subprocess.run([*GIT, *arguments], cwd=folder or self.project, check=True,
                              capture_output=True, text=True, env=ENVIRONMENT).stdout

    def agent(self, program, /, **asked):
        command = ["python3", "-B", str(HERE / f"agents/{program}.py")]
        if program in ("developer", "bug_fixer"):
            command.append(str(HERE / "sample/work"))
        done = subprocess.run(command, cwd=self.project, text=True, capture_output=True,
                              input=json.dumps({"id": "i", "attempt": 1, "input": asked}),
                              env=ENVIRONMENT, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def worktree(self, feature, path=None, **more):
        return self.agent("git_agent", action="worktree", epicId="e", featureId=feature, **more,
                          worktreePath=str(path or self.path / f"trees/{feature}"))

    def develop(self, feature, **more):
        tree = self.worktree(feature)["output"]["worktreePath"]
        asked = {"featureId": feature, "name": feature, "worktreePath": tree, **more}
        self.agent("developer", agent="backend_developer", **asked)
        return asked

    def merge(self, *features):
        return self.agent("git_agent", **self.to_merge(*features))

    def to_merge(self, *features):
        return {"action": "merge", "epicId": "e", "worktreePath": str(self.path / "trees/.merge"),
                "branches": [f"feature/e/{feature}" for feature in features]}

    def resolve(self, found):
        return self.agent("merge_resolver", conflicts=found["conflicts"],
                          worktreePath=found["worktreePath"])


class Worktrees(Repository):
    def test_a_link_in_the_place_of_the_lock(self):
        precious = self.path / "precious"
        precious.write_text("precious")
        (self.project / ".git" / "aigentflow.lock").symlink_to(precious)
        with self.assertRaises(AssertionError):
            self.worktree("count")
        self.assertEqual(precious.read_text(), "precious")

    def test_each_feature_has_its_own(self):
        """004-92"""
        for feature in ("count", "slug"):
            answer = self.worktree(feature)
            self.assertEqual(answer["output"]["branch"], f"feature/e/{feature}")
            self.assertTrue((self.path / f"trees/{feature}/words").is_dir())

    def test_twice_is_once(self):
        self.assertEqual(self.worktree("count"), self.worktree("count"))

    def test_one_that_was_removed_by_hand(self):
        self.worktree("count")
        shutil.rmtree(self.path / "trees/count")
        self.assertTrue(self.worktree("count")["success"])

    def test_one_that_exists(self):
        self.worktree("count")
        (self.path / "trees/slug").mkdir()
        (self.path / "trees/file").write_text("")
        for path, words in ((self.path / "trees/slug", "is no worktree of this project"),
                            (self.path / "trees/file", "is no worktree of this project"),
                            (self.path / "trees/count", "is the worktree of feature/e/count")):
            answer = self.worktree("slug", path)
            self.assertFalse(answer["success"])
            self.assertIn(words, answer["output"])


    def test_what_was_not_committed_is_merged(self):
        """A coding agent edits files, and may not commit."""
        tree = Path(self.develop("count")["worktreePath"])
        (tree / "words/count.py").write_text("COUNT = 1\n")
        (tree / "new.txt").write_text("new\n")
        other = Path(self.worktree("slug", dependsOn=["count"])["output"]["worktreePath"])
        self.assertEqual((other / "new.txt").read_text(), "new\n")
        (tree / "new.txt").write_text("newer\n")
        self.assertEqual(self.merge("count")["output"]["merged"], ["feature/e/count"])
        self.assertEqual((self.project / "words/count.py").read_text(), "COUNT = 1\n")
        self.assertEqual((self.project / "new.txt").read_text(), "newer\n")
        self.assertEqual(self.git("status", "--porcelain"), "")

    def test_a_merge_that_somebody_has_begun_there(self):
        for feature in ("shout", "mirror"):
            self.develop(feature)
        tree = self.path / "trees/shout"
        with self.assertRaises(subprocess.CalledProcessError):
            self.git("merge", "--quiet", "feature/e/mirror", folder=tree)
        answer = self.merge("shout")
        self.assertFalse(answer["success"])
        self.assertIn("in the middle of a merge", answer["output"])

    def test_what_it_depends_on_is_in_it(self):
        for feature in ("shout", "mirror"):
            self.develop(feature)
        for _ in range(2):
            tree = self.worktree("count", dependsOn=["shout"])["output"]["worktreePath"]
            self.assertTrue((Path(tree) / "words/shout.py").exists())
        answer = self.worktree("slug", dependsOn=["shout", "mirror"])
        self.assertFalse(answer["success"])
        self.assertIn("conflicts in FEATURES.md", answer["output"])
        tree = self.path / "trees/slug"
        self.assertEqual(self.git("status", "--porcelain", folder=tree), "")
        self.git("merge", "--quiet", "-X", "ours", "feature/e/mirror", folder=tree)
        self.assertTrue(self.worktree("slug", dependsOn=["shout", "mirror"])["success"])


class Merges(Repository):
    def test_in_order_and_once(self):
        self.develop("count")
        self.develop("slug")
        for _ in range(2):
            answer = self.merge("count", "slug")
            self.assertEqual(answer["output"]["conflicts"], [])
            self.assertEqual(len(answer["output"]["merged"]), 2)
        self.assertEqual(self.git("log", "--merges", "--format=%s").count("Merge"), 2)

    def conflict(self):
        self.develop("shout")
        self.develop("mirror")
        return self.merge("shout", "mirror")["output"]

    def untouched(self):
        """The project is as its branch is, and in the middle of nothing."""
        self.assertEqual(self.git("status", "--porcelain"), "")
        for name in ("MERGE_HEAD", "index.lock", "aigentflow-move.json"):
            self.assertFalse((self.project / ".git" / name).exists(), name)

    def test_a_conflict_is_resolved(self):
        base = self.git("rev-parse", "HEAD")
        found = self.conflict()
        self.assertEqual((found["merged"], found["conflicts"]), (["feature/e/shout"], [
            {"branch": "feature/e/mirror", "files": ["FEATURES.md"]}]))
        self.untouched()
        for _ in range(2):  # started twice, it is done once
            self.resolve(found)
        self.assertEqual(self.git("rev-parse", "HEAD"), base)
        self.assertEqual(self.merge("shout", "mirror")["output"]["conflicts"], [])
        text = (self.project / "FEATURES.md").read_text()
        self.assertEqual(text.count("- shout"), 1)
        self.assertEqual(text.count("- mirror"), 1)
        self.assertNotIn("<<<<", text)
        self.untouched()
        self.assertFalse((self.path / "trees/.merge").exists())
        self.assertNotIn("aigentflow-merge", self.git("branch", "--list"))

    def test_a_resolver_that_commits_nothing(self):
        # As a coding agent does, which is told to commit nothing.
        found = self.conflict()
        file = Path(found["worktreePath"]) / "FEATURES.md"
        conflict = file.read_text()
        file.write_text("".join(line for line in conflict.splitlines(True)
                                if not line.startswith(("<<<<<<<", "=======", ">>>>>>>"))))
        self.assertEqual(self.merge("shout", "mirror")["output"]["conflicts"], [])
        text = (self.project / "FEATURES.md").read_text()
        self.assertEqual((text.count("- shout"), text.count("- mirror")), (1, 1))
        self.untouched()

    def test_a_resolver_that_has_resolved_a_part(self):
        found = self.conflict()
        file = Path(found["worktreePath"]) / "FEATURES.md"
        file.write_text(file.read_text().replace("<<<<<<<", "", 1))
        self.assertEqual(len(self.merge("shout", "mirror")["output"]["conflicts"]), 1)
        self.assertIn("<<<<<<<", file.read_text())
        self.untouched()

    def test_a_merge_that_somebody_left_behind(self):
        self.conflict()
        self.assertEqual(len(self.merge("shout", "mirror")["output"]["conflicts"]), 1)
        shutil.rmtree(self.path / "trees/.merge")
        self.assertEqual(len(self.merge("shout", "mirror")["output"]["conflicts"]), 1)
        self.untouched()

    def test_what_a_person_has_not_committed_is_not_overwritten(self):
        self.develop("shout")
        for name, text in (("FEATURES.md", "mine"), ("words/shout.py", "mine")):
            kept = (self.project / name).read_text() if name == "FEATURES.md" else None
            (self.project / name).write_text(text)
            answer = self.merge("shout")
            self.assertFalse(answer["success"])
            self.assertIn(f"not committed in files that the features change: {name}",
                          answer["output"])
            self.assertEqual((self.project / name).read_text(), text)
            (self.project / name).unlink()
            if kept:
                (self.project / name).write_text(kept)
        (self.project / "README.md").write_text("mine")  # no feature changes it
        self.assertEqual(self.merge("shout")["output"]["conflicts"], [])
        self.assertEqual(self.git("status", "--porcelain"), " M README.md\n")

    def test_commits_of_a_person_meanwhile(self):
        found = self.conflict()
        (self.project / "README.md").write_text("new\n")
        self.git("commit", "--quiet", "--all", "--message", "by hand")
        self.resolve(found)
        self.assertEqual(self.merge("shout", "mirror")["output"]["conflicts"], [])
        self.assertIn("by hand", self.git("log", "--format=%s"))
        self.untouched()

    def test_on_no_branch(self):
        self.develop("shout")
        self.git("checkout", "--quiet", "--detach")
        self.assertIn("the project is on no branch", self.merge("shout")["output"])

    def killed(self, at):
        """The agent that merges, with a git that kills it when it has been called so often. False if it
        has come to its end before."""
        git = shutil.which("git")
        (self.path / "bin").mkdir(exist_ok=True)
        (self.path / "calls").write_text("")
        (self.path / "bin/git").write_text(
            f"#!/bin/sh\necho >> {self.path}/calls\n"
            f"n=$(wc -l < {self.path}/calls)\n"
            f"[ $n -eq {at} ] && kill -9 $PPID\n"
            f"[ $n -ge {at} ] && exit 1\nexec {git} \"$@\"\n")
        (self.path / "bin/git").chmod(0o755)
        done = subprocess.run(
            ["python3", "-B", str(HERE / "agents/git_agent.py")], cwd=self.project, text=True,
            capture_output=True, check=False, input=json.dumps(
                {"id": "i", "attempt": 1, "input": self.to_merge("count", "slug")}),
            env={**ENVIRONMENT, "PATH": f"{self.path}/bin:{os.environ['PATH']}"})
        return done.returncode == -signal.SIGKILL

    def test_the_lock_of_somebody_elses_git_is_respected(self):
        self.develop("count")
        base = self.git("rev-parse", "HEAD").strip()
        lock = self.project / ".git/index.lock"
        lock.write_text("")
        answer = self.merge("count")
        self.assertFalse(answer["success"])
        self.assertIn("index.lock", json.dumps(answer))
        self.assertTrue(lock.exists())
        self.assertEqual(self.git("rev-parse", "HEAD").strip(), base)
        lock.unlink()
        self.assertTrue(self.merge("count")["success"])

    def test_killed_anywhere(self):
        """Before each git that it runs: the project is in the middle of no merge, and the next merges."""
        self.develop("count")
        self.develop("slug")
        base = self.git("rev-parse", "HEAD").strip()
        at = 1
        while self.killed(at):
            self.assertFalse((self.project / ".git/MERGE_HEAD").exists())
            self.git("fsck", "--no-dangling")
            self.assertEqual(self.merge("count", "slug")["output"]["conflicts"], [], at)
            self.untouched()
            self.assertEqual(self.git("log", "--merges", "--format=%s").count("Merge"), 2)
            self.git("reset", "--quiet", "--hard", base)
            at += 1
        self.assertGreater(at, 20)

    def test_killed_in_the_middle_of_the_files(self):
        """A git that was killed has left its lock, half of a file, and half of the files."""
        self.develop("count")
        base = self.git("rev-parse", "HEAD").strip()
        self.merge("count")
        new = self.git("rev-parse", "HEAD").strip()
        self.git("reset", "--quiet", "--hard", base)
        (self.project / ".git/index.lock").write_text("")
        (self.project / "words/count.py").write_text("def cou")
        (self.project / ".git/aigentflow-move.json").write_text(
            json.dumps({"branch": "main", "old": base, "new": new}))
        self.assertEqual(self.merge("count")["output"]["conflicts"], [])
        self.assertEqual(self.git("rev-parse", "HEAD").strip(), new)
        self.untouched()


class Work(Repository):
    def test_a_draft_is_repaired(self):
        asked = self.develop("slug")
        self.agent("developer", agent="frontend_developer", design={"design": {"colour": "navy"}},
                   **asked)
        report = self.agent("tester", **asked)
        self.assertTrue(report["routingHints"]["hasFailures"])
        self.assertEqual(report["output"]["failed"], ["test_slug"])
        self.agent("bug_fixer", **asked)
        self.assertFalse(self.agent("tester", **asked)["routingHints"]["hasFailures"])
        self.assertEqual(self.git("status", "--porcelain", folder=asked["worktreePath"]), "")

    def test_advice(self):
        asked = self.develop("wrap")
        self.assertEqual(self.agent("bug_fixer", **asked)["output"]["changed"], [])
        self.agent("bug_fixer", advice="use textwrap", **asked)
        self.assertFalse(self.agent("tester", **asked)["routingHints"]["hasFailures"])

    def test_what_decides(self):
        for words, kind in (("Fix the crash", "bugfix"), ("Refactor utils", "refactor"),
                            ("A login page", "feature")):
            self.assertEqual(self.agent("task_analyzer", prompt=words)["taskType"], kind)
        asked = {"agentQueue": ["tester"], "completedAgents": [], "allowedAgents": ["tester"]}
        self.assertEqual(self.agent("router", **asked)["next"], "tester")


@unittest.skipUnless(AIGENTFLOW, "no program to run them")
class BadWorktree(Repository):
    def tell(self, *arguments):
        done = subprocess.run([AIGENTFLOW, *arguments], cwd=self.path, capture_output=True,
                              text=True, env=ENVIRONMENT, timeout=600, check=False)
        return done.stdout + done.stderr

    def test_a_worktree_that_exists(self):
        """The feature waits for a person, who makes room; what is there is never touched."""
        (self.path / "aigentflow.toml").symlink_to(HERE / "aigentflow.toml")
        (self.path / "epic.json").write_text(json.dumps(
            {"epicId": "e", "features": [{"featureId": "count", "name": "Count"}]}))
        there = self.path / "worktrees/e/count"
        there.mkdir(parents=True)
        (there / "mine").write_text("precious")
        out = self.tell("run", "Count words", "--id", "t", "--epic", "epic.json")
        self.assertIn("exists, and is no worktree of this project", out)
        self.assertEqual((there / "mine").read_text(), "precious")
        there.rename(self.path / "elsewhere")
        out = self.tell("resume", "t", "--feature", "count")
        self.assertIn("Awaiting user approval", out)
        self.assertIn("Workflow completed successfully!", self.tell("approve"))


@unittest.skipUnless(AIGENTFLOW, "no program to run them")
class Clean(Repository):
    """What has ended is removed: worktrees, branches, logs. What nobody has merged is kept."""

    def setUp(self):
        super().setUp()
        text = (HERE / "aigentflow.toml").read_text().replace("{dir}", str(HERE))
        (self.path / "aigentflow.toml").write_text(text.replace("keep_days = 7", "keep_days = 1"))
        (self.path / "epic.json").write_text(json.dumps({"epicId": "e", "features": [
            {"featureId": "count", "name": "Count", "needsFrontend": False},
            {"featureId": "wrap", "name": "Wrap", "needsFrontend": False}]}))
        self.tell(1, "run", "Count words", "--id", "t", "--epic", "epic.json")  # wrap is escalated

    def tell(self, code, *arguments):
        done = subprocess.run([AIGENTFLOW, *arguments], cwd=self.path, capture_output=True,
                              text=True, env=ENVIRONMENT, timeout=600, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def clean(self, *arguments):
        return json.loads(self.tell(0, "clean", "--json", *arguments))

    def branches(self):
        return self.git("branch", "--list", "--format=%(refname:short)").split()

    def test_what_is_merged(self):
        self.assertIn("expected a task that has ended", self.tell(1, "clean", "t"))
        self.tell(7, "resume", "t", "--feature", "wrap", "--answer", "textwrap")
        self.tell(0, "approve")
        logs = len(list((self.path / "logs").iterdir()))
        self.assertEqual(self.clean()["tasks"], [])  # it has ended just now
        done = self.clean("t")
        self.assertEqual((len(done["worktrees"]), sorted(done["branches"]), done["kept"]),
                         (3, ["feature/e/count", "feature/e/wrap", "wfsm/t"], []))
        self.assertEqual((self.branches(), done["logs"]), (["main"], logs))
        self.assertEqual(list((self.path / "logs").iterdir()), [])
        self.assertFalse((self.path / "worktrees/e").exists())
        self.assertIn("words/wrap.py", self.git("ls-files"))
        self.assertEqual(self.clean("t")["logs"], 0)

    def test_what_is_not_merged_is_kept_unless_it_is_forced(self):
        self.tell(0, "abort", "t")
        (self.path / "worktrees/e/count/mine").write_text("precious")
        config = self.path / "aigentflow.toml"
        config.write_text(config.read_text().replace("keep_days = 1", "keep_days = 0"))
        done = self.clean()
        self.assertEqual(done["worktrees"], [str((self.path / "worktrees" / name).resolve())
                                             for name in ("e/wrap", "t")])
        self.assertEqual(sorted(one["why"] for one in done["kept"]), [
            "it is no worktree, or has changes that are not committed",
            "it is not merged, or its worktree is kept", "it is not merged, or its worktree is kept"])
        self.assertEqual((self.path / "worktrees/e/count/mine").read_text(), "precious")
        self.assertEqual(self.branches(), ["feature/e/count", "feature/e/wrap", "main"])
        self.clean("--force")
        self.assertEqual(self.branches(), ["main"])

    def test_a_folder_that_an_agent_names(self):
        """Nothing outside of the folder for worktrees is removed."""
        self.tell(0, "abort", "t")
        config = self.path / "aigentflow.toml"
        config.write_text(config.read_text().replace('"worktrees"', '"elsewhere"'))
        self.clean("t", "--force")
        self.assertTrue((self.path / "worktrees/e/count/words").is_dir())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
