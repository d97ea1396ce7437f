#!/usr/bin/python3
"""README.md names a test for every fault and every point, and meson runs each of them.

usage: test_faults.py BUILDDIR
"""

import ast
import json
import re
import sys
import unittest
from collections import Counter
from pathlib import Path

BUILD = Path(sys.argv[1]).resolve()
HOSTS = Path(__file__).resolve().parent
TESTS = HOSTS.parent
FAULTS = {"coordinator": 8, "agentd": 6, "aigentflow": 10, "all": 5}
POINTS = [str(number) for number in range(1, 10)]


def rows():
    """The cells of each row of both tables, without heads."""
    for line in (HOSTS / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0] in [*FAULTS, *POINTS]:
            yield cells


def named():
    for cells in rows():
        for name in re.findall(r"`(\S+\.(?:py|c) \S+)`", cells[2]):
            yield name


def commands():
    """The files and the words of the command line of each test."""
    tests = json.loads((BUILD / "meson-info/intro-tests.json").read_text(encoding="utf-8"))
    for test in tests:
        words = [str(word) for word in test["cmd"]]
        yield {(BUILD / word).resolve() for word in words if "/" in word}, words


def sources():
    """The C files of each program."""
    targets = json.loads((BUILD / "meson-info/intro-targets.json").read_text(encoding="utf-8"))
    for target in targets:
        files = {Path(name).resolve() for part in target["target_sources"]
                 for name in part.get("sources", [])}
        yield {Path(name).resolve() for name in target["filename"]}, files


def classes(path):
    """The tests of each class, also those of the classes of this file that it is derived from."""
    found = {}
    for one in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(one, ast.ClassDef):
            names = {part.name for part in one.body if isinstance(part, ast.FunctionDef)}
            for base in one.bases:
                names |= found.get(getattr(base, "id", None), set())
            found[one.name] = names
    return found


class Faults(unittest.TestCase):
    def test_every_fault_and_every_point_has_a_row_with_tests(self):
        count = Counter(cells[0] for cells in rows())
        self.assertEqual(count, {**FAULTS, **dict.fromkeys(POINTS, 1)})
        for cells in rows():
            with self.subTest(cells[1]):
                self.assertRegex(cells[2], r"^`\S+\.(py|c) \S+`(, `\S+\.(py|c) \S+`)*$")

    def check_python(self, path, name):
        found = classes(path)
        one, test = name.split(".")
        self.assertIn(test, found.get(one, ()))
        run = [words for files, words in commands() if path in files]
        self.assertTrue(run, "meson does not run this file")
        # A command line that names classes runs these and no other.
        parts = [set(words) & set(found) for words in run]
        self.assertTrue(any(not part or one in part for part in parts), "meson does not run this class")

    def check_c(self, path, name):
        text = path.read_text(encoding="utf-8")
        self.assertIn(f"static void {name}(void)", text)
        self.assertIn(f"RUN_TEST({name});", text)
        programs = [program for program, files in sources() if path in files]
        self.assertTrue(any(program & files for program in programs for files, _ in commands()),
                        "meson does not run this file")

    def test_each_test_exists_and_is_run(self):
        for words in sorted(set(named())):
            with self.subTest(words):
                file, name = words.split()
                check = self.check_c if file.endswith(".c") else self.check_python
                check(TESTS / file, name)


class Installed(unittest.TestCase):
    def test_the_hosts_and_their_pages(self):
        plan = json.loads((BUILD / "meson-info/intro-install_plan.json").read_text(encoding="utf-8"))
        programs = {one["destination"] for one in plan["targets"].values()}
        pages = {one["destination"] for one in plan["man"].values()}
        for host in "coordinator", "agentd", "aigentflow":
            self.assertIn("{bindir}/" + host, programs)
            self.assertIn("{mandir}/man1/" + host + ".1", pages)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
