"""Every script answers --help, and wrong arguments, with a sentence, from any folder.

usage: test_answers.py SCRIPTS-FOLDER
"""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(sys.argv.pop(1)).resolve()
SCRIPTS = sorted(path for path in FOLDER.iterdir() if os.access(path, os.X_OK))
NOBODY = 65534


def run(*command, **more):
    with tempfile.TemporaryDirectory() as elsewhere:
        return subprocess.run([str(part) for part in command], cwd=elsewhere, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, **more)


class Answers(unittest.TestCase):
    def each(self):
        for script in SCRIPTS:
            with self.subTest(script=script.name):
                yield script

    def test_there_are_scripts(self):
        names = {script.name for script in SCRIPTS}
        self.assertLessEqual({"amalgamate", "demo", "fresh", "test"}, names)

    def test_help(self):
        for script in self.each():
            done = run(script, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, rf"\Ausage: scripts/{script.name}\b")
            self.assertGreater(len(done.stdout.splitlines()), 3)

    def test_an_option_that_it_does_not_know(self):
        for script in self.each():
            self.expect_refusal(script, run(script, "--nonsense"))

    def test_words_that_it_does_not_know(self):
        for script in self.each():
            self.expect_refusal(script, run(script, "nonsense", "nonsense", "nonsense"))

    def expect_refusal(self, script, done):
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, rf"(?m)^scripts/{script.name}: \S+ \S+")
        self.assertNotIn("Traceback", done.stderr)


class Amalgamate(unittest.TestCase):
    def test_a_folder_that_cannot_be_made(self):
        done = run(FOLDER / "amalgamate", "/dev/null/there")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Ascripts/amalgamate: .*/dev/null/there.*\n\Z")


class Fresh(unittest.TestCase):
    def test_only_root_makes_a_new_debian(self):
        if os.getuid() == 0 and not readable_for(NOBODY):
            self.skipTest("only root can read this folder")
        more = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        done = subprocess.run([str(FOLDER / "fresh")], cwd="/", text=True, capture_output=True,
                              **more)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("Run it as root", done.stderr)

    def test_a_release_that_it_does_not_know(self):
        done = run(FOLDER / "fresh", "sarge")
        self.assertEqual(done.returncode, 2)
        self.assertIn("there is no release sarge", done.stderr)


def readable_for(user):
    return subprocess.run(["test", "-x", str(FOLDER / "fresh")], user=user, group=user,
                          extra_groups=[], check=False).returncode == 0


if __name__ == "__main__":
    unittest.main()
