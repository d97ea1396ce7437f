"""Bad input from outside: agentd reports it, and nothing is lost or half done.

usage: test_input.py AGENTD
"""

import os
import resource
import shutil
import signal
import sys
import unittest
import unittest.mock

from support import Project

AGENTD = None


class Input(unittest.TestCase):
    def setUp(self):
        self.project = Project(AGENTD)
        self.addCleanup(self.project.close)

    def tree(self):
        """Every file of the project but the store, with its text; of STATE.yaml the phase: an
        attempt that failed is in its revision."""
        found = {str(path.relative_to(self.project.root)): path.read_bytes()
                 for path in self.project.agentd.rglob("*")
                 if path.is_file() and not {".state", ".worktrees"} & set(path.parts)}
        for name in found:
            if name.endswith("STATE.yaml"):
                found[name] = found[name].split(b"phase: ")[1].split()[0]
        return found

    def share(self):
        config = self.project.agentd / "config.toml"
        config.write_text(config.read_text().replace("[workflow]", '[workflow]\nworkspace = "shared"'))

    def complete(self):
        self.project.run("plan", "add-login", "log in")
        self.project.run("impl", "add-login")

    def refused(self, code, words, *arguments):
        """It says so, and changes no file."""
        before = self.tree()
        self.project.run(*arguments, code=code)
        said = self.project.out + self.project.errors
        self.assertIn(words, said)
        self.assertEqual(before, self.tree())

    def test_folders_and_pipes_in_the_place_of_files(self):
        change = self.project.change()
        change.mkdir(parents=True)
        os.mkfifo(change / "proposal.md")
        self.project.run("plan", "add-login", "x", code=3)
        self.assertIn("proposal.md: not a regular file", self.project.errors)
        (change / "proposal.md").unlink()
        (change / "proposal.md").mkdir()
        self.project.run("plan", "add-login", "x", code=3)
        self.assertIn("proposal.md: not a regular file", self.project.errors)
        (change / "proposal.md").rmdir()
        self.project.run("plan", "add-login", "x")

    def test_a_program_of_the_project_is_not_run(self):
        """diff(1) is looked up in the absolute folders of PATH only."""
        self.project.run("plan", "add-login", "log in")
        trap = self.project.root / "diff"
        trap.write_text(f"#!/bin/sh\ntouch {self.project.root}/trapped\n")
        trap.chmod(0o755)
        for before in ("", ".", "agentd/.."):
            with unittest.mock.patch.dict(os.environ, {"PATH": f"{before}:/usr/bin:/bin"}):
                self.assertIn("+It works", self.project.run("diff", "add-login"))
            self.assertFalse((self.project.root / "trapped").exists(), before)
        with unittest.mock.patch.dict(os.environ, {"PATH": ".:"}):
            self.project.run("diff", "add-login", code=3)
        self.assertIn("diff: not found in PATH", self.project.errors)

    def test_a_file_in_the_place_of_a_folder(self):
        self.project.change().mkdir(parents=True)
        (self.project.change() / "specs").write_text("not a folder")
        self.project.run("plan", "add-login", "x", code=1)
        self.assertIn("Not a directory", self.project.out)
        self.assertEqual("Proposed", self.project.state()["phase"])
        (self.project.change() / "specs").unlink()
        self.project.run("plan", "add-login")

    def test_state_yaml_a_folder(self):
        self.project.run("plan", "add-login", "x")
        state = self.project.change() / "STATE.yaml"
        state.unlink()
        state.mkdir()
        self.refused(3, "STATE.yaml: not a regular file", "impl", "add-login")
        self.refused(0, "STATE.yaml: not a regular file", "status", "add-login")
        state.rmdir()
        self.project.run("impl", "add-login")

    def test_no_configuration(self):
        (self.project.agentd / "config.toml").unlink()
        self.refused(2, "config.toml: No such file", "plan", "add-login", "x")
        self.refused(0, "", "status")

    def test_a_configuration_of_another_version(self):
        config = self.project.agentd / "config.toml"
        config.write_text("new = 1\n" + config.read_text().replace("version = 1", "version = 7"))
        self.refused(2, "config.toml:2:11: version: expected 1, the version that this agentd "
                        "reads, found 7", "plan", "add-login", "x")

    def test_a_challenger_that_is_the_proposer(self):  # 003-66
        config = self.project.agentd / "config.toml"
        config.write_text(config.read_text().replace('"challenger", ', '"proposer", '))
        self.refused(2, "[agents.challenger] is the proposer again", "plan", "add-login", "x")

    def test_a_store_that_is_none(self):
        state = self.project.agentd / ".state"
        state.mkdir(exist_ok=True)
        (state / "agentd.db").write_bytes(b"garbage" * 1000)
        for command in (("plan", "add-login", "x"), ("status",), ("list",)):
            self.refused(3, "a wfsm store", *command)

    def test_descriptions(self):
        self.refused(2, "expected text in UTF-8", "plan", "a", b"\xff\xfe")
        self.project.run("plan", "b", "red: \x1b[31m and \u009b31m\x07\nmore")
        self.project.run("list")
        self.assertIn("red: \\u001b[31m and \\u009b31m\\u0007", self.project.out)
        self.project.run("status", "b")
        for sign in "\x1b\x07\u009b":
            self.assertNotIn(sign, self.project.out)
        self.project.run("plan", "c", "x" * 100000)

    def test_ids(self):
        for name in ("a/b", "..", "a.b", "a b", "a\nb", "-x", "", "x" * 300, "caf\u00e9",
                     "\x1b[2J"):
            for command in ("plan", "impl", "archive", "status", "diff"):
                words = "" if name.startswith("-") else "change id: "
                self.refused(2, words, command, name)
                self.assertNotIn("\x1b", self.project.errors)

    def test_links_out(self):
        outside = self.project.root / "outside"
        outside.mkdir()
        self.share()
        self.complete()
        project = self.project.agentd.parent / "deep"
        project.mkdir()
        shutil.move(str(self.project.agentd), str(project / "agentd"))
        shutil.move(str(self.project.root / "src"), str(project / "src"))
        self.project.root, self.project.agentd = project, project / "agentd"
        shutil.rmtree(project / "agentd" / "specs")
        os.symlink(outside, project / "agentd" / "specs")
        self.refused(4, "agentd/specs: a link leads out of the project", "archive", "add-login")
        self.assertEqual([], os.listdir(outside))
        (project / "agentd" / "specs").unlink()
        self.project.run("archive", "add-login")

    def test_a_link_in_the_place_of_the_lock(self):
        self.complete()
        lock = self.project.agentd / ".state" / "archive.lock"
        lock.symlink_to(self.project.root / "elsewhere")
        self.project.run("archive", "add-login", code=None)
        self.assertNotEqual(self.project.code, 0)
        self.assertIn("archive.lock", self.project.out + self.project.errors)
        self.assertFalse((self.project.root / "elsewhere").exists())
        lock.unlink()
        self.project.run("archive", "add-login")
        self.assertEqual(lock.stat().st_mode & 0o777, 0o600)

    def test_an_archive_of_this_name(self):
        self.complete()
        self.project.archived().mkdir(parents=True)
        self.project.run("archive", "add-login", code=4)
        self.assertIn("archive/add-login: exists already", self.project.out)
        self.assertEqual("Complete", self.project.state()["phase"])
        self.project.archived().rmdir()
        self.project.run("archive", "add-login")
        self.refused(4, "a new change needs another id", "plan", "add-login", "x")

    def test_the_disk_is_full_in_the_middle_of_the_archive(self):
        """Files may not grow beyond 2 MiB: the second spec does not fit."""
        self.complete()
        specs = self.project.change() / "specs"
        (specs / "a.md").write_text("# a\n")
        (specs / "zz.md").write_text("z" * 3 * 1024 * 1024)
        before = self.tree()
        process = self.project.start("archive", "add-login", "--accept", preexec_fn=small_disk)
        out, errors = process.communicate(timeout=600)
        self.assertEqual(4, process.returncode, out + errors)
        self.assertIn("nothing was moved", out)
        self.assertEqual(before, self.tree())
        self.project.run("archive", "add-login", "--accept")
        self.assertEqual("Archived", self.project.state()["phase"])
        self.assertTrue((self.project.agentd / "specs" / "zz.md").exists())
        self.assertFalse(self.project.change().exists())

    def test_a_scan_that_is_not_installed(self):  # 003-112
        config = self.project.agentd / "config.toml"
        config.write_text(config.read_text().replace("scan = []\n", ""))
        self.share()
        (self.project.root / "requirements.txt").write_text("")
        (self.project.root / "bin").mkdir()
        for name in ("true", "sh"):
            (self.project.root / "bin" / name).symlink_to(shutil.which(name))
        with unittest.mock.patch.dict(os.environ, PATH=str(self.project.root / "bin")):
            self.complete()
        self.assertIn("- `pip-audit -r requirements.txt`: not run: pip-audit is not installed\n",
                      (self.project.change() / "REVIEW.md").read_text())

    def test_without_git(self):
        self.assertFalse((self.project.root / ".git").exists())
        self.complete()
        self.project.run("archive", "add-login")


def small_disk():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * 1024 * 1024, 2 * 1024 * 1024))


if __name__ == "__main__":
    AGENTD = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
