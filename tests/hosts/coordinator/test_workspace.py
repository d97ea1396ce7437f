#!/usr/bin/python3
"""Each task of the coordinator has a workspace of its own.

usage: test_workspace.py COORDINATOR
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import unittest
from pathlib import Path

from test_coordinator import CHANGES, CODER, COORDINATOR, REVIEWER, TESTER, Host, tester

GIT = shutil.which("git")


@unittest.skipUnless(GIT, "no git")
class Workspace(Host):
    """The project is a git repository with one file, a.txt, of twenty lines."""

    def setUp(self):
        super().setUp()
        self.project = self.path / "project"
        self.lines = [f"line {number}" for number in range(20)]
        self.write("a.txt", self.lines)
        self.make_repository()
        environment = {"HOME": str(self.path), "GIT_CONFIG_GLOBAL": "/dev/null",
                       "GIT_CONFIG_NOSYSTEM": "1"}
        for name, value in environment.items():
            self.addCleanup(os.environ.__setitem__, name, os.environ[name]) \
                if name in os.environ else self.addCleanup(os.environ.pop, name, None)
            os.environ[name] = value

    def write(self, name, lines):
        (self.project / name).write_text("".join(line + "\n" for line in lines))

    def make_repository(self):
        self.git("init", "-q", "-b", "main")
        self.git("add", ".")
        self.git("commit", "-qm", "one")

    def git(self, *words, folder=None):
        done = subprocess.run([GIT, "-c", "user.name=a", "-c", "user.email=a@b", *words],
                              cwd=folder or self.project, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def edits(self, line, text):
        """A coder that replaces one line."""
        return f"sed -i 's/^line {line}$/{text}/' a.txt\n{CODER}"

    def text(self, name="a.txt"):
        return (self.project / name).read_text().splitlines()

    def expected(self, **changed):
        return [changed.get(f"l{number}", line) for number, line in enumerate(self.lines)]

    def untouched(self):
        """Nothing is half-way."""
        self.assertEqual(self.git("status", "--porcelain"), "")
        for name in ("MERGE_HEAD", "index.lock", "rebase-merge", "CHERRY_PICK_HEAD"):
            self.assertFalse((self.project / ".git" / name).exists(), name)

    def context(self, task="t"):
        context = {}
        for record in self.records(task):
            context.update({**record.get("set", {}), **record["input"].get("patch", {})})
        return context


class Landing(Workspace):
    def test_an_approved_change_is_a_commit_of_the_project(self):
        self.agents(coder=self.edits(3, "three"))
        self.new_task(0, "--id", "t")
        self.assertEqual(self.text(), self.expected(l3="three"))
        self.assertEqual(self.git("log", "--format=%s"), "Do it\none")
        self.untouched()
        self.assertIn('"files": ["a.txt"]', json.dumps(self.records()))

    def test_what_reviewer_tester_and_commands_write_is_no_part_of_it(self):
        note = "echo broken > a.txt; echo x > junk; git add junk; git commit -qam oops"
        self.agents(coder=self.edits(3, "three"), reviewer=f"{note}\n{REVIEWER}",
                    tester=note + "\n" + tester({"argv": ["grep", "-x", "three", "a.txt"]},
                                                {"argv": ["sh", "-c", "echo y > a.txt"]}))
        self.new_task(0, "--id", "t")
        self.assertEqual(self.text(), self.expected(l3="three"))
        self.assertEqual(self.git("ls-files"), "a.txt")
        self.assertEqual(self.git("log", "--format=%s"), "Do it\none")

    def test_nor_is_it_there_for_the_next_coder(self):
        self.agents(coder=f"cp a.txt {self.path}/seen; ls > {self.path}/files\n"
                          + self.edits(3, "three"),
                    reviewer=f"echo x > junk; echo broken > a.txt\n"
                             f"if [ -e {self.path}/again ]; then {REVIEWER}\n"
                             f"else touch {self.path}/again; {CHANGES}\nfi")
        self.new_task(0, "--id", "t")
        self.assertEqual((self.path / "seen").read_text().splitlines(),
                         self.expected(l3="three"))
        self.assertEqual((self.path / "files").read_text(), "a.txt\n")

    def test_a_run_that_is_not_approved_leaves_the_project_alone(self):
        self.configure(head="max_rounds = 1")
        self.agents(coder=self.edits(3, "three"), reviewer=CHANGES)
        self.new_task(1, "--id", "t")
        self.assertEqual(self.text(), self.lines)
        self.untouched()
        # A follow-up continues it.
        self.agents()
        self.expect(0, "followup", "t", "--message", "it was good")
        self.assertEqual(self.text(), self.expected(l3="three"))

    def test_a_followup_begins_with_the_project_as_it_is(self):
        self.agents(coder=self.edits(3, "three"))
        self.new_task(0, "--id", "t")
        self.write("b.txt", ["by hand"])
        self.git("add", ".")
        self.git("commit", "-qm", "two")
        self.agents(coder=f"grep -q hand b.txt || exit 1\n{self.edits(4, 'four')}")
        self.expect(0, "followup", "t", "--message", "more")
        self.assertEqual(self.text(), self.expected(l3="three", l4="four"))
        self.untouched()

    def test_a_project_that_is_not_clean_is_left_with_a_command(self):
        self.agents(coder=self.edits(3, "three"))
        self.write("a.txt", self.expected(l9="mine"))
        out = self.new_task(1, "--id", "t").out
        self.assertIn("changes that are in no commit", out)
        self.assertEqual(self.text(), self.expected(l9="mine"))
        command = [line.strip() for line in out.splitlines() if " merge " in line]
        self.assertEqual(len(command), 1, out)
        self.git("commit", "-qam", "mine")
        subprocess.run(["sh", "-c", command[0]], check=True, cwd="/", capture_output=True,
                       env={**os.environ, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
                            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"})
        self.assertEqual(self.text(), self.expected(l3="three", l9="mine"))

    def test_a_file_in_the_way_is_left_as_it_is(self):
        self.agents(coder=f"echo theirs > b.txt\n{CODER}")
        self.write("b.txt", ["mine"])
        self.assertIn("b.txt", self.new_task(1, "--id", "t").out)
        self.assertEqual(self.text("b.txt"), ["mine"])

    def test_an_ignored_file_in_the_way_is_left_as_it_is(self):
        self.write(".gitignore", ["b.txt"])
        self.git("add", ".")
        self.git("commit", "-qm", "two")
        self.agents(coder=f"echo > .gitignore; echo theirs > b.txt\n{CODER}")
        self.write("b.txt", ["mine"])
        self.assertIn("b.txt", self.new_task(1, "--id", "t").out)
        self.assertEqual(self.text("b.txt"), ["mine"])

    def test_another_branch_is_checked_out_meanwhile(self):
        self.agents(coder=f"git -C {self.project} checkout -qb other\n{self.edits(3, 'three')}")
        self.new_task(0, "--id", "t")
        self.assertEqual(self.text(), self.lines)
        self.untouched()
        self.assertIn("three", self.git("show", "main:a.txt"))

    def test_the_branch_is_deleted_meanwhile(self):
        self.agents(coder=f"git -C {self.project} checkout -q --detach; "
                          f"git -C {self.project} branch -qD main\n{self.edits(3, 'three')}")
        self.assertIn("not there any more", self.new_task(1, "--id", "t").out)
        self.assertIn("three", self.git("show", "wfsm/t:a.txt"))

    def test_a_folder_of_a_repository(self):
        (self.project / "sub").mkdir()
        self.write("sub/b.txt", ["b"])
        self.git("add", ".")
        self.git("commit", "-qm", "two")
        self.agents(coder=f"echo c > b.txt\n{CODER}")
        self.expect(0, "run", "--task", "Do it", "--workspace", "project/sub", "--id", "t")
        self.assertEqual(self.text("sub/b.txt"), ["c"])
        self.assertTrue(self.given("coder")["input"]["workspace"].endswith("/t/sub"))

    def test_a_proposal_changes_nothing(self):
        self.agents(coder="echo x >> a.txt; echo '{\"text\":\"so\"}'",
                    reviewer="echo '{\"text\":\"hm\"}'", tester="echo '{\"text\":\"hm\"}'")
        self.new_task(7, "--id", "t", "--mode", "proposal")
        self.agents(coder=self.edits(3, "three"))
        self.expect(0, "confirm", "t")
        self.assertEqual(self.text(), self.expected(l3="three"))

    def test_names(self):
        for name, folder in (("a b", "a+20b"), ("../x", "+2e+2e+2fx"), ("-q", "+2dq"),
                             ("x" * 200, None), ("ü.lock", "+c3+bc+2elock")):
            with self.subTest(name=name):
                self.agents(coder=f"echo {folder} >> a.txt\n{CODER}")
                self.expect(0, "run", "--task", "Do it", "--workspace", "project",
                            f"--id={name}")
                if folder:
                    self.assertTrue((self.path / "worktrees" / folder).is_dir())
        self.untouched()
        for file in self.path.glob("tasks.db*"):
            file.unlink()
        self.expect(0, "run", "--task", "Do it", "--workspace", "project", "--id", "a b")
        self.assertTrue((self.path / "worktrees/a+20b-2").is_dir())

    def test_without_git(self):
        empty = self.path / "bin"
        empty.mkdir()
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = str(empty)
        self.assertIn('workspace = "shared"', self.new_task(2).err)
        self.assertFalse((self.path / "tasks.db").exists())


class Together(Workspace):
    """Two tasks at a time on one project."""

    def meanwhile(self, first, second):
        """The second task lands while the first one's coder is at work; both are approved."""
        self.agents(coder=f"""case $(pwd) in
*/worktrees/t) if [ -e {self.path}/began ]; then {second}
    else touch {self.path}/began; until [ -e {self.path}/go ]; do sleep 0.05; done
    {first}; fi ;;
*) {self.edits(7, "seven")} ;;
esac""")
        process = self.begin_task("began")
        self.new_task(0, "--id", "u")
        (self.path / "go").touch()
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0, out + err)
        self.assertIn("t: approved after 2 of 5 rounds", out)
        self.untouched_if_git()
        (item,) = [s["mustFix"] for r in self.records() if (s := r.get("set", {})).get("mustFix")][0]
        self.assertEqual(item["source"], "merge")
        return item["message"]

    def untouched_if_git(self):
        self.untouched()

    def test_each_edits_its_own_and_what_was_merged_is_judged_again(self):
        self.agents()
        message = self.meanwhile(self.edits(3, "three"), CODER)
        self.assertIn("still right", message)
        self.assertEqual(self.text(), self.expected(l3="three", l7="seven"))
        # Two reviews and two tests: the second of a tree that has both.
        asked = [r["input"]["output"] for r in self.records()
                 if "decision" in str(r["input"].get("output", ""))]
        self.assertEqual(len(asked), 2)

    def test_conflicts_are_for_the_coder(self):
        solved = "grep -c '<<<<' a.txt > /dev/null || exit 1; " \
                 "sed -i -e '/^<<<</d' -e '/^====/,/^>>>>/d' -e 's/^seven$/both/' a.txt\n" + CODER
        message = self.meanwhile(self.edits(7, "mine"), solved)
        self.assertRegex(message, "conflicts.* a.txt")
        self.assertEqual(self.text(), self.expected(l7="both"))

    def test_the_same_change_twice_lands_once(self):
        self.agents(coder=f"""case $(pwd) in
*/worktrees/t) touch {self.path}/began; until [ -e {self.path}/go ]; do sleep 0.05; done ;;
esac
{self.edits(7, "seven")}""")
        process = self.begin_task("began")
        self.new_task(0, "--id", "u")
        (self.path / "go").touch()
        out, err = process.communicate(timeout=600)
        self.assertIn("t: approved after 1 of 5 rounds", out + err)


class CopiedTogether(Together):
    """The same with a folder that is in no repository."""

    def make_repository(self):
        pass

    def untouched_if_git(self):
        self.assertEqual(sorted(os.listdir(self.project)), ["a.txt"])


class Copied(Workspace):
    def make_repository(self):
        pass

    def test_the_change_comes_to_the_folder(self):
        (self.project / "old.txt").write_text("old")
        self.agents(coder=f"rm old.txt; mkdir sub; echo n > sub/new.txt\n{self.edits(3, 'three')}",
                    reviewer=f"echo x > junk\n{REVIEWER}")
        self.new_task(0, "--id", "t")
        self.assertEqual(self.text(), self.expected(l3="three"))
        self.assertEqual(sorted(os.listdir(self.project)), ["a.txt", "sub"])

    def test_what_is_ignored_is_neither_copied_nor_touched(self):
        self.write(".gitignore", ["*.o"])
        self.write("a.o", ["object"])
        self.agents(coder=f"ls > {self.path}/files; echo x > a.o\n{self.edits(3, 'three')}")
        self.new_task(0, "--id", "t")
        self.assertEqual((self.path / "files").read_text(), "a.txt\n")
        self.assertEqual(self.text("a.o"), ["object"])

    def test_the_host_s_own_files_are_not_copied(self):
        """The project is the folder in which the coordinator is started."""
        self.agents(coder=f"ls > {self.path}/../seen-{self.path.name}\n{CODER}")
        seen = self.path.parent / f"seen-{self.path.name}"
        self.addCleanup(lambda: seen.unlink(missing_ok=True))
        self.expect(0, "run", "--task", "Do it", "--workspace", ".", "--id", "t")
        names = seen.read_text().split()
        self.assertIn("coordinator.toml", names)
        self.assertEqual([name for name in names if name.startswith(("tasks", "logs", "worktrees"))],
                         [])

    def test_a_file_in_the_way_is_left_as_it_is(self):
        self.write(".gitignore", ["b.txt"])
        self.agents(coder=f"echo > .gitignore; echo theirs > b.txt\n{CODER}")
        self.write("b.txt", ["mine"])
        self.assertIn("b.txt", self.new_task(1, "--id", "t").out)
        self.assertEqual(self.text("b.txt"), ["mine"])


class Killed(Workspace):
    """kill -9 of the coordinator's whole process group, at each of the commands of git."""

    KILLER = """#!/bin/sh
case " $* " in
*" {word} "*) if mkdir {path}/killed 2> /dev/null; then
    {before}
    kill -9 -$PPID
    {after}
    exit 1
fi ;;
esac
exec {git} "$@"
"""

    def killed_at(self, word, before, after=""):
        folder = self.path / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "git").write_text(self.KILLER.format(word=word, path=self.path, git=GIT,
                                                       before=before, after=after))
        (folder / "git").chmod(0o755)
        path = os.environ["PATH"]
        os.environ["PATH"] = f"{folder}:{path}"
        try:
            process = subprocess.Popen(
                [COORDINATOR, "run", "--task", "Do it", "--workspace", "project", "--id", "t"],
                cwd=self.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True)
            self.assertEqual(process.wait(600), -signal.SIGKILL)
        finally:
            os.environ["PATH"] = path
        self.assertTrue((self.path / "killed").exists())

    def again(self, word):
        self.expect(0, "resume", "t")
        self.assertEqual(self.text(), self.expected(l3="three"))
        for name in ("killed", "worktrees"):
            shutil.rmtree(self.path / name)
        for file in self.path.glob("tasks.db*"):
            file.unlink()

    WORDS = ("worktree", "reset", "clean", "symbolic-ref", "add", "write-tree", "commit-tree",
             "update-ref", "merge")

    def test_before_and_after_each_command(self):
        self.agents(coder=self.edits(3, "three"))
        for word in self.words():
            for before, after in ((":", ":"), (f'{GIT} "$@"', ":"), (":", f'sleep 0.2; {GIT} "$@"')):
                with self.subTest(word=word, before=before, after=after):
                    self.killed_at(word, before, after)
                    self.again(word)
                    self.begin_again()

    def words(self):
        return self.WORDS

    def begin_again(self):
        self.untouched()
        self.assertEqual(self.git("log", "--format=%s"), "Do it\none")
        self.git("reset", "-q", "--hard", "HEAD~1")
        self.git("worktree", "prune")
        self.git("branch", "-D", "wfsm/t")


class KilledCopy(Killed):
    def make_repository(self):
        pass

    def words(self):
        return [word for word in self.WORDS if word != "merge"] + ["init", "read-tree"]

    def begin_again(self):
        self.assertEqual(sorted(os.listdir(self.project)), ["a.txt"])
        self.write("a.txt", self.lines)


class Shared(Workspace):
    """workspace = "shared": all agents work in the project, as one task at a time."""

    def setUp(self):
        super().setUp()
        self.configure(head='workspace = "shared"')

    def test_agents_work_in_the_project(self):
        self.agents(coder=self.edits(3, "three"))
        self.new_task(0, "--id", "t")
        self.assertEqual(self.text(), self.expected(l3="three"))
        self.assertEqual(self.git("log", "--format=%s"), "one")
        self.assertFalse((self.path / "worktrees").exists())
        self.new_task(0, "--id", "u")

    def test_a_second_task_is_refused(self):
        self.agents(coder=f"until [ -e {self.path}/go ]; do sleep 0.05; done\n{CODER}")
        process = self.begin_task()
        self.assertIn("another task is at work", self.new_task(3, "--id", "u").err)
        self.configure(head='workspace = "shared"\n', more="")
        text = (self.path / "coordinator.toml").read_text().replace("tasks.db", "others.db")
        (self.path / "coordinator.toml").write_text(text)
        self.assertIn("another task is at work", self.new_task(3, "--id", "u").err)
        (self.path / "coordinator.toml").write_text(text.replace("others.db", "tasks.db"))
        process.kill()
        process.wait()
        # Its coder may still be at work.
        self.assertIn("t is not over yet", self.new_task(3, "--id", "u").err)
        (self.path / "go").touch()
        self.expect(0, "resume", "t")
        self.new_task(0, "--id", "u")

    def test_another_word(self):
        self.configure(head='workspace = "mine"')
        self.assertIn('"own" or "shared"', self.new_task(2).err)


if __name__ == "__main__":
    unittest.main(argv=["test_workspace.py"])
