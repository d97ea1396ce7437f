"""What the tests ran through of lib/, as gcov counted it.

usage: coverage.py BUILD-FOLDER ROOT LINES BRANCHES    the least percentages

A source that is compiled into several libraries counts once: with what any of them ran.
"""
import collections
import json
import subprocess
import sys
from pathlib import Path


class Source:
    def __init__(self):
        self.lines = collections.Counter()
        self.branches = {}

    def add(self, line):
        number = line["line_number"]
        self.lines[number] += line["count"]
        known = self.branches.setdefault(number, [])
        for index, branch in enumerate(line["branches"]):
            if index == len(known):
                known.append(0)
            known[index] += branch["count"]

    def counts(self):
        branches = [count for line in self.branches.values() for count in line]
        return (sum(map(bool, self.lines.values())), len(self.lines),
                sum(map(bool, branches)), len(branches))


def read(build, root):
    """The sources by their paths below lib/."""
    sources = collections.defaultdict(Source)
    for data in sorted((build / "lib").rglob("*.gcda")):
        text = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout",
                               str(data)], cwd=build, capture_output=True, check=True).stdout
        for part in text.splitlines():
            for file in json.loads(part)["files"]:
                path = (build / file["file"]).resolve()
                if path.is_relative_to(root / "lib"):
                    for line in file["lines"]:
                        sources[str(path.relative_to(root))].add(line)
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
    enough = (percent(ran, lines) >= float(least_lines)
              and percent(taken, branches) >= float(least_branches))
    return 0 if enough and lines else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
