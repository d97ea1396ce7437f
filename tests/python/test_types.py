"""The annotations, as the type checkers see them: mypy, and pyright where it is installed.

In the converter of SCXML, only what is public has annotations.
"""
import json
import os
import shutil
import subprocess
import sys
import unittest

from support import ROOT, Case

SOURCE = ROOT / "bindings" / "python"
TYPED = ROOT / "tests" / "python" / "typed.py"
FLOW_WRONG = """from dataclasses import dataclass
from wfsm.flow import Flow


@dataclass
class Count:
    n: int = 0


flow = Flow("flow", Count)
flow.on("go", Count, to="x", when=lambda c, e: c.m > 1)
flow.on("go", Count, to="x", when=lambda c, e: e.text)
flow.after(5, to=7)
flow.agent("a", output=Count).done("x", do=lambda c, found: found.m)
flow.value(lambda c: c.n)
"""
WRONG = """import wfsm

machine, store = wfsm.Machine.load("{}"), wfsm.memory()
wfsm.Instance.start(store, machine, "y")
engine = wfsm.Engine(store)


@engine.guard("may")
def may(call: wfsm.Call) -> str:
    return "yes"


@engine.on_effect
def deliver(effect: wfsm.Effect) -> None:
    pass


print(store.head("y").revison)
wfsm.Instance.start(machine, store, "x", 5)
"""


class Types(Case):
    def mypy(self, *arguments):
        if shutil.which("mypy") is None:
            self.skipTest("mypy is not installed")
        return subprocess.run(
            ["mypy", "--config-file", str(SOURCE / "mypy.ini"), "--cache-dir", str(self.folder()),
             *map(str, arguments)], capture_output=True, text=True, cwd=SOURCE,
            env={**os.environ, "LD_PRELOAD": ""})

    def test_the_package_and_a_program_are_strict_for_mypy(self):
        checked = self.mypy("-p", "wfsm")
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        for program in TYPED, SOURCE / "examples" / "essay_flow.py":
            checked = self.mypy(program)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_the_examples_are_fine_for_mypy(self):
        """Most have few annotations, as programs have."""
        if shutil.which("mypy") is None:
            self.skipTest("mypy is not installed")
        checked = subprocess.run(
            ["mypy", "--check-untyped-defs", "--ignore-missing-imports", "--config-file=", "--cache-dir",
             str(self.folder()), *map(str, sorted((SOURCE / "examples").glob("*.py")))],
            capture_output=True, text=True, cwd=SOURCE, env={**os.environ, "LD_PRELOAD": ""})
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_the_examples_are_fine_for_pyright(self):
        if shutil.which("pyright") is None:
            self.skipTest("pyright is not installed")
        seen = subprocess.run(["pyright", "--outputjson", str(SOURCE / "examples")], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(SOURCE), "LD_PRELOAD": ""})
        found = [one for one in json.loads(seen.stdout)["generalDiagnostics"]
                 if one["severity"] == "error" and one.get("rule") != "reportMissingImports"]
        self.assertEqual(found, [])

    def test_mypy_finds_wrong_arguments(self):
        program = self.folder() / "wrong.py"
        program.write_text(WRONG, encoding="utf-8")
        found = self.mypy(program).stdout
        self.assertEqual({int(line.split(":")[1]) for line in found.splitlines() if ": error: " in line},
                         {4, 8, 13, 18, 19}, found)

    def test_mypy_finds_wrong_expressions_of_a_flow(self):
        program = self.folder() / "wrong.py"
        program.write_text(FLOW_WRONG, encoding="utf-8")
        found = self.mypy(program).stdout
        self.assertEqual({int(line.split(":")[1]) for line in found.splitlines() if ": error: " in line},
                         {11, 12, 13, 14}, found)

    def test_pyright_finds_every_public_type(self):
        if shutil.which("pyright") is None:
            self.skipTest("pyright is not installed")
        seen = subprocess.run(
            ["pyright", "--outputjson", "--ignoreexternal", "--verifytypes", "wfsm"],
            capture_output=True, text=True, cwd=SOURCE,
            env={**os.environ, "PYTHONPATH": str(SOURCE), "LD_PRELOAD": ""})
        symbols = [one for one in json.loads(seen.stdout)["typeCompleteness"]["symbols"] if one["isExported"]]
        self.assertGreater(len(symbols), 500)
        self.assertEqual([one["name"] for one in symbols
                          if not one["isTypeKnown"] or one["isTypeAmbiguous"]], [])

    def test_the_program_runs(self):
        ended = subprocess.run([sys.executable, str(TYPED)], capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)


if __name__ == "__main__":
    unittest.main()
