"""The annotations, as the type checkers see them: mypy, and pyright where it is installed.

The converter of SCXML is left out: only the two functions of wfsm.scxml have annotations.
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
        checked = self.mypy(TYPED)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_mypy_finds_wrong_arguments(self):
        program = self.folder() / "wrong.py"
        program.write_text(WRONG, encoding="utf-8")
        found = self.mypy(program).stdout
        self.assertEqual({int(line.split(":")[1]) for line in found.splitlines() if ": error: " in line},
                         {4, 8, 13, 18, 19}, found)

    def test_pyright_finds_every_public_type(self):
        if shutil.which("pyright") is None:
            self.skipTest("pyright is not installed")
        seen = subprocess.run(
            ["pyright", "--outputjson", "--ignoreexternal", "--verifytypes", "wfsm"],
            capture_output=True, text=True, cwd=SOURCE,
            env={**os.environ, "PYTHONPATH": str(SOURCE), "LD_PRELOAD": ""})
        symbols = [one for one in json.loads(seen.stdout)["typeCompleteness"]["symbols"]
                   if one["isExported"] and not one["name"].startswith("wfsm.scxml.")]
        self.assertGreater(len(symbols), 500)
        self.assertEqual([one["name"] for one in symbols
                          if not one["isTypeKnown"] or one["isTypeAmbiguous"]], [])

    def test_the_program_runs(self):
        ended = subprocess.run([sys.executable, str(TYPED)], capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr)


if __name__ == "__main__":
    unittest.main()
