"""The commands of doc/first-run.md, as a new user has them: with the real programs, in an empty project.

usage: start.py FOLDER DOC BLOCKS BUILD
"""
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from model import Rule
from outside import environment, tool
from world import World, main

DOC = Path(sys.argv[2])
sys.path.insert(0, sys.argv[3])
import blocks  # noqa: E402  pylint: disable=wrong-import-position

BUILD = Path(sys.argv[4]).resolve()


def section(title):
    """The console and file blocks of a chapter, in order."""
    page = DOC.read_text(encoding="utf-8")
    return list(blocks.blocks(re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", page, re.M | re.S).group(1)))


def say(words):
    return {"report": f"# Report\n\n{words}\n\nVerdict: APPROVED\n", "summary": words}


def files(path, text):
    return {"files": [{"path": path, "text": text}], "summary": "written"}


COMMANDS = {"commands": [{"argv": ["sh", "greet.sh"]}], "summary": "it runs"}
DONE = {"success": True, "output": "done"}
SCRIPT = [
    Rule("This is a test of the set-up", ("answer", {"ok": True})),
    *[Rule(["You are the coder", '"mode":"proposal"', words], ("answer", {"text": f'greet.sh prints "{text}".'}))
      for words, text in (("In capitals", "HELLO WORLD"), ("greets the world", "hello world"))],
    Rule('"mode":"discussion"', ("answer", {"text": "I agree.", "objections": []})),
    Rule(["You are the coder", '"mode":"implementation"', "HELLO WORLD"], ("replace", "greet.sh", "echo hello", "echo HELLO WORLD"),
         ("answer", {"summary": "greets all", "changed_files": ["greet.sh"]})),
    Rule("You are the coder", ("write", "greet.sh", "echo hello\n"), ("answer", {"summary": "greets", "changed_files": ["greet.sh"]})),
    Rule("You are the reviewer", ("answer", {"decision": "approve", "must_fix": [], "summary": "good"})),
    Rule("You are the tester", ("answer", COMMANDS)),
    Rule(["You write proposals", '"step":"proposal"'],
         ("answer", files("proposal.md", "# Greeting\n\n## Why\n\nIt is polite.\n\n## What Changes\n\ngreet.sh.\n\n## Impact\n\nSmall.\n"))),
    Rule(["You write proposals", '"step":"specs"'], ("answer", files("specs/greeting.md", "# Greeting\n\ngreet.sh says hello.\n"))),
    Rule(["You write proposals", '"step":"tasks"'], ("answer", files("tasks.md", "# Tasks\n\n- [ ] greet.sh\n"))),
    Rule("You challenge a proposal", ("answer", say("Well said."))),
    Rule(["You implement an approved change", "it must greet the world"], ("replace", "greet.sh", "echo hello", "echo hello world"),
         ("answer", {"summary": "greets all"})),
    Rule("You implement an approved change", ("write", "greet.sh", "echo hello\n"), ("answer", {"summary": "greets"})),
    Rule("You review an implementation", ("answer", say("Well done."))),
    Rule('"agent":"backend_developer"', ("write", "greet.sh", "echo hello\n"), ("answer", DONE)),
    Rule('"agent":"', ("answer", DONE)),
]


class Start(World):
    installed = None  # the prefix of the hosts

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-installed-")
        cls.addClassCleanup(scratch.cleanup)
        subprocess.run([tool("meson"), "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", scratch.name],
                       check=True, capture_output=True, env=environment())
        cls.installed = next(Path(scratch.name).rglob("bin/coordinator")).parent.parent

    def setUp(self):
        super().setUp()
        self.teach(*SCRIPT)
        self.variables["PATH"] = f"{self.installed}/bin:{self.variables['PATH']}"
        self.variables["LD_LIBRARY_PATH"] = ":".join({str(library.parent) for library in self.installed.rglob("libwfsm*.so")})
        self.call("git", "init", "--quiet")

    def follow(self, title, kind, said):
        """The commands of a chapter, for one of the programs."""
        begun = time.monotonic()
        for block in section(title):
            if "file" in block.marks:
                (self.project / block.marks["file"]).write_text(block.text.replace("claude", kind), encoding="utf-8")
            elif block.language == "console":
                self.follow_block(block.text.replace("claude", kind))
        print(f"{title}, {kind}: {time.monotonic() - begun:.0f} s")
        self.assertEqual(self.text("greet.sh"), f"echo {said}\n")
        self.assertEqual(self.model.lost, [], self.questions())

    def follow_block(self, text):
        for command, expected in blocks.commands(text):
            done = subprocess.run(["bash", "-c", command], cwd=self.project, env=self.variables, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            waits = "await_operator_confirm" in expected  # for a person
            self.assertEqual(done.returncode, 7 if waits else 0, f"{command}\n{done.stdout}\n{self.questions()}")
            self.assertTrue(blocks.fits(expected, done.stdout), f"{command} printed\n{done.stdout}\nand not\n{expected}")


def add_test(host, kind, said):
    def test(self):
        self.follow(host, kind, said)
    setattr(Start, f"test_{host.split()[-1]}_{kind}", test)


# What a person's decision in each chapter leads to.
SAID = {"The coordinator": "HELLO WORLD", "agentd": "hello world", "aigentflow": "hello"}
for host_name, kind_name in (("The coordinator", "claude"), ("The coordinator", "codex"), ("The coordinator", "gemini"),
                             ("agentd", "codex"), ("aigentflow", "gemini")):
    add_test(host_name, kind_name, SAID[host_name])

if __name__ == "__main__":
    os.environ.pop("CLAUDECODE", None)
    main(sys.argv[1], World, "doc/first-run.md")
