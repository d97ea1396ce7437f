"""Writes a feature: the backend developer its module and tests, the frontend developer its page.

usage: developer.py WORK   (the invocation comes on standard input)

WORK has a folder for each feature: module.py and test.py; draft.py, if the first try is another
one; line.txt, if FEATURES.md gets a line.
"""

import sys
from pathlib import Path

from work import commit, folder_of, run, write


def backend(asked, given, folder):
    feature = asked["featureId"]
    draft = given / "draft.py"
    module = draft if draft.exists() else given / "module.py"
    files = {f"words/{feature}.py": module.read_text(),
             f"tests/test_{feature}.py": (given / "test.py").read_text()}
    line = given / "line.txt"
    if line.exists():
        known = (folder / "FEATURES.md").read_text()
        if line.read_text() not in known:
            files["FEATURES.md"] = known + line.read_text()
    return files


def frontend(asked, given, folder):
    design = (asked.get("design") or {}).get("design") or {}
    colour = design.get("colour", "black")
    return {f"pages/{asked['featureId']}.html":
            f"<h1 style=\"color: {colour}\">{asked['name']}</h1>\n"}


def work(asked):
    given = Path(sys.argv[1]) / asked.get("featureId", "task")
    folder = folder_of(asked)
    make = frontend if asked["agent"] == "frontend_developer" else backend
    files = make(asked, given, folder)
    for name, text in files.items():
        write(folder / name, text)
    commit(folder, list(files), f"{asked.get('name', 'task')}: {asked['agent']}")
    return {"files": sorted(files)}


if __name__ == "__main__":
    sys.exit(run(work))
