"""Resolves the conflicts of a merge where both sides have added lines: both are kept.

usage: merge_resolver.py   (the invocation comes on standard input; works in the project)
"""

import sys

from work import Failure, folder_of, git, locked, run, write


def both_sides(text):
    """The lines of ours, then those of theirs; other conflicts are for a person."""
    kept, side = [], None
    for line in text.splitlines(keepends=True):
        if line.startswith("<<<<<<< "):
            side = "ours"
        elif line.startswith("||||||| "):
            side = "base"
        elif line.startswith("=======") and side:
            side = "theirs"
        elif line.startswith(">>>>>>> ") and side:
            side = None
        elif side != "base":
            kept.append(line)
    if side:
        raise Failure("a conflict without an end")
    return "".join(kept)


def work(asked):
    folder = folder_of(asked)
    resolved = []
    for conflict in asked.get("conflicts", []):
        with locked(folder):
            if git(folder, "rev-parse", "--verify", "--quiet", "MERGE_HEAD",
                   may_fail=True).returncode != 0:
                git(folder, "merge", "--no-ff", "--no-edit", "--quiet", conflict["branch"],
                    may_fail=True)
            for name in conflict["files"]:
                path = folder / name
                write(path, both_sides(path.read_text(encoding="utf-8")))
                git(folder, "add", "--", name)
                resolved.append(name)
            if git(folder, "rev-parse", "--verify", "--quiet", "MERGE_HEAD",
                   may_fail=True).returncode == 0:
                git(folder, "commit", "--quiet", "--no-edit")
    return {"resolved": resolved}


if __name__ == "__main__":
    sys.exit(run(work))
