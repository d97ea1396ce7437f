"""The table of doc/verification.md, of what `wfsm verify` explores of the documents that come with wfsm.

usage: verification.py ROOT WFSM             checks it
       verification.py ROOT WFSM --update    writes it
"""
import json
import re
import subprocess
import sys
from pathlib import Path

HEAD = "| document | properties | states | moves | depth |\n|---|---|---|---|---|\n"
ROW = re.compile(r"^\| `(\S+)` \|.*$", re.M)
FOLDERS = ("examples", "bindings/python/examples")
EXPLAINED_BELOW = "examples/aigentflow/aigentflow.json"


def path_of(root, name):
    return next(path for path in (root / "examples" / name, root / name) if path.exists())


def row(root, wfsm, name):
    run = subprocess.run([wfsm, "verify", "--json", path_of(root, name)], capture_output=True, text=True,
                         timeout=120)
    found = json.loads(run.stdout)
    if found["verdict"] != "holds":
        raise ValueError(f"{name}: {found['verdict']}")
    counts = (len(found["properties"]), *(found[key] for key in ("states", "moves", "depth")))
    return "| " + " | ".join([f"`{name}`", *(f"{count:,}" for count in counts)]) + " |"


def missing(root, names):
    """Machine documents with properties that have no row."""
    listed = {path_of(root, name) for name in names} | {root / EXPLAINED_BELOW}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.json")):
            if path not in listed and {"states", "properties"} <= json.loads(path.read_text("utf-8")).keys():
                yield f"{path.relative_to(root)} has properties, and no row"


def main(arguments):
    root, wfsm = Path(arguments[0]), arguments[1]
    path = root / "doc/verification.md"
    before, head, rest = path.read_text("utf-8").partition(HEAD)
    table, end, after = rest.partition("\n\n")
    names = ROW.findall(table)
    found = "\n".join(row(root, wfsm, name) for name in names)
    if "--update" in arguments:
        path.write_text(before + head + found + end + after, "utf-8")
        table = found
    wrong = [*(line for line in found.splitlines() if line not in table.splitlines()), *missing(root, names)]
    print(*wrong, f"{len(names)} rows, {len(wrong)} wrong", sep="\n")
    return 1 if wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
