"""Fixes the module of a feature whose tests have failed.

usage: bug_fixer.py WORK   (the invocation comes on standard input)

Where WORK/FEATURE/needs.txt is, it does not find the cause without a person whose advice has
this word.
"""

import sys
from pathlib import Path

from work import commit, folder_of, log, run, write


def knows_how(asked, given):
    needs = given / "needs.txt"
    advice = asked.get("advice") or ""
    return not needs.exists() or needs.read_text().strip() in advice


def work(asked):
    feature = asked.get("featureId", "task")
    given = Path(sys.argv[1]) / feature
    folder = folder_of(asked)
    if not knows_how(asked, given):
        log("the cause is not found")
        return {"changed": [], "note": "the cause is not found"}
    name = f"words/{feature}.py"
    write(folder / name, (given / "module.py").read_text())
    commit(folder, [name], f"{asked.get('name', 'task')}: a fix")
    return {"changed": [name]}


if __name__ == "__main__":
    sys.exit(run(work))
