"""What the tests ran through of lib/, as gcov counted it.

usage: coverage.py BUILD-FOLDER ROOT LINES BRANCHES    the least percentages

A source that is compiled into several libraries counts once: with what any of them ran. An
invariant is no branch: nothing can make it fail here, and tests/mutations proves that it can.
"""
import collections
import json
import re
import subprocess
import sys
from pathlib import Path


INVARIANT = re.compile(r"\bWF_INVARIANT\(")


class Source:
    def __init__(self, path):
        self.invariants = invariants(path.read_text(encoding="utf-8"))
        self.lines = collections.Counter()
        self.branches = {}

    def add(self, line):
        number = line["line_number"]
        self.lines[number] += line["count"]
        if number in self.invariants:
            return
        known = self.branches.setdefault(number, [])
        for index, branch in enumerate(line["branches"]):
            if index == len(known):
                known.append(0)
            known[index] += branch["count"]

    def counts(self):
        branches = [count for line in self.branches.values() for count in line]
        return (sum(map(bool, self.lines.values())), len(self.lines),
                sum(map(bool, branches)), len(branches))


def invariants(text):
    """The numbers of the lines that an invariant stands on, down to its semicolon."""
    numbers = set()
    for match in INVARIANT.finditer(text):
        first = text.count("\n", 0, match.start()) + 1
        numbers.update(range(first, first + text.count("\n", match.start(),
                                                      text.index(";", match.start())) + 1))
    return numbers


def read(build, root):
    """The sources by their paths below lib/."""
    sources = {}
    for data in sorted((build / "lib").rglob("*.gcda")):
        text = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout",
                               str(data)], cwd=build, capture_output=True, check=True).stdout
        for part in text.splitlines():
            for file in json.loads(part)["files"]:
                path = (build / file["file"]).resolve()
                # What an older build has left behind may be of a source that is gone.
                if path.is_relative_to(root / "lib") and path.exists():
                    name = str(path.relative_to(root))
                    if name not in sources:
                        sources[name] = Source(path)
                    for line in file["lines"]:
                        sources[name].add(line)
    return sources


def percent(part, whole):
    return 100 * part / whole if whole else 100.0


def main(build, root, least_lines, least_branches):
    build, root = Path(build).resolve(), Path(root).resolve()
    sources = read(build, root)
    folders = collections.defaultdict(lambda: [0, 0, 0, 0])
    missed = []
    for name, source in sorted(sources.items()):
        for key in (str(Path(name).parent), "all"):
            folders[key] = [a + b for a, b in zip(folders[key], source.counts())]
        missed += [f"{name}:{number}" for number, count in sorted(source.lines.items())
                   if not count]
    (build / "missed.txt").write_text("\n".join(missed) + "\n", encoding="utf-8")
    print(f"{'':14} {'lines':>16} {'branches':>18}")
    for name, (ran, lines, taken, branches) in sorted(folders.items(), key=lambda item: (
            item[0] == "all", item[0])):
        print(f"{name:14} {ran:6}/{lines:<6} {percent(ran, lines):5.1f} % "
              f"{taken:6}/{branches:<6} {percent(taken, branches):5.1f} %")
    ran, lines, taken, branches = folders["all"]
    enough = lines > 0
    for what, part, least in (("lines", percent(ran, lines), float(least_lines)),
                              ("branches", percent(taken, branches), float(least_branches))):
        if part < least:
            enough = False
            print(f"{part:.1f} % of the {what} is less than {least:.0f} %")
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
