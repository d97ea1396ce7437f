"""A user's machine: a home, a project, the three programs, and the model that they ask."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from model import Model
from programs import Missing, make_home, programs, variables
from outside import without

KEPT = 4000  # of what a command has printed, in a message


class World(unittest.TestCase):
    found = None  # the folder of the programs

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-coding-", ignore_cleanup_errors=True)
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        self.project = self.root / "project"
        self.project.mkdir()
        self.model = Model()
        self.addCleanup(self.model.close)
        self.home = make_home(self.root / "home", self.model.url)
        self.variables = variables(self.found, self.home, self.model.url)

    def teach(self, *rules):
        self.model.rules[:] = rules

    def call(self, *words, code=0, said=None):
        """The standard output of a command in the project."""
        done = subprocess.run([str(word) for word in words], cwd=self.project, env=self.variables, input=said,
                              capture_output=True, text=True, check=False, timeout=900)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout[-KEPT:]}\n{done.stderr[-KEPT:]}\n{self.questions()}")
        return done.stdout

    def questions(self):
        """What the model had no answer to, for messages."""
        return [(asked.program, asked.prompt[-600:], asked.results[-1:]) for asked in self.model.lost]

    def objects(self, *words, code=0):
        return [json.loads(line) for line in self.call(*words, code=code).splitlines()]

    def git(self, *words):
        return self.call("git", *words).strip()

    def new_project(self, **files):
        """A git project with these files in its first commit."""
        self.git("init", "--quiet")
        for name, text in {"README.md": "# A project\n", **files}.items():
            (self.project / name).write_text(text, encoding="utf-8")
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "begin")

    def text(self, name):
        return (self.project / name).read_text(encoding="utf-8")

    def folders(self, words):
        """Where the programs worked that got these words."""
        return {asked.folder for asked in self.model.of(words)}


def main(folder, world, what):
    """Runs the tests of the calling file, and says with what."""
    try:
        world.found = programs(folder)
    except Missing as problem:
        sys.exit(without(problem))
    result = unittest.main(argv=[sys.argv[0]], exit=False).result
    if result.wasSuccessful():
        print(f"\nclaude, codex and gemini, each with a scripted model: {result.testsRun} tests of {what}")
    sys.exit(not result.wasSuccessful())
