"""The table "changed X, run Y" of CONTRIBUTING.md.

usage: table.py ROOT BUILD              checks that each part has a row and each suite exists
       table.py ROOT BUILD TESTLOG      writes the seconds of each row, of a full run's
                                        build/meson-logs/testlog.json

The time of a row is the sum of its tests' durations, divided by the number that run at once; but
at least half of its longest test, which runs alone in the end.
"""
import json
import math
import re
import sys
from pathlib import Path

ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.M)
AT_ONCE = 4
PARTS = ("lib", "cmd", "examples", "bindings")


def rows(page):
    """[(changed, run, seconds)] of the section."""
    section = page.partition("## What to run")[2].partition("\n## ")[0]
    return [row.groups() for row in ROW.finditer(section) if row[1] not in ("changed", "---")]


def suites(run):
    """(those that are run, those that are not)."""
    return (set(re.findall(r"--suite (\w+)", run)), set(re.findall(r"--no-suite (\w+)", run)))


def parts(root):
    """The folders that need a row each."""
    return [f"{top}/{path.name}" for top in PARTS for path in sorted((root / top).iterdir())
            if path.is_dir() and path.name != "__pycache__"] + ["include", "doc", "scripts"]


def problems(root, page, known):
    found = rows(page)
    named = " ".join(changed for changed, _, _ in found)
    for part in parts(root):
        if not re.search(rf"`{part}[`/]", named):
            yield f"no row says what to run after a change in {part}"
    for changed, run, _ in found:
        for suite in sorted(set.union(*suites(run)) - known):
            yield f"{changed}: there is no suite {suite}"
        for path in re.findall(r"`([\w./*-]+)`", changed):
            if not list(root.glob(path)):
                yield f"{changed}: there is no {path}"


def seconds(run, tests):
    wanted, unwanted = suites(run)
    times = [test["duration"] for test in tests
             if wanted & set(test["suites"]) and not (unwanted | {"long"}) & set(test["suites"])]
    return math.ceil(max(sum(times) / AT_ONCE, max(times, default=0) / 2))


def logged(path):
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        test = json.loads(line)
        names = test["name"].split(" / ")[0].partition(":")[2].split("+")
        yield {"suites": names, "duration": test["duration"]}


def with_seconds(page, tests):
    def write(match):
        if "--suite" not in match[2]:
            return match[0]
        return f"| {match[1]} | {match[2]} | {seconds(match[2], tests)} |"
    before, heading, section = page.partition("## What to run")
    return before + heading + ROW.sub(write, section)


def main(arguments):
    root, build = (Path(name) for name in arguments[:2])
    path = root / "CONTRIBUTING.md"
    page = path.read_text(encoding="utf-8")
    if len(arguments) > 2:
        path.write_text(with_seconds(page, list(logged(arguments[2]))), encoding="utf-8")
    tests = json.loads((build / "meson-info/intro-tests.json").read_text(encoding="utf-8"))
    known = {suite.partition(":")[2] for test in tests for suite in test["suite"]}
    found = list(problems(root, page, known))
    print(*(f"CONTRIBUTING.md: {problem}" for problem in found),
          f"{len(rows(page))} rows, {len(found)} problems", sep="\n")
    return 1 if found or not rows(page) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
