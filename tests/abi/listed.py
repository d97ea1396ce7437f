"""Every C and C++ source is named in a meson.build, because a test that is not named never runs.
No two sources below lib/ have the same name, and the first header of each part names all files of
the part, in reading order.

usage: listed.py ROOT BUILD-FOLDER
"""
import json
import re
import sys
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

FOLDERS = ("lib", "cmd", "tests", "examples", "bench")
# Projects of their own: the coordinator's patient, what is measured beside.
FOREIGN = ("examples/coordinator/sample", "bench/peers")

# The header of each part whose first comment explains the part (doc/internals.md names them).
FIRST = {"base": "arena.h", "logic": "value.h", "machine": "model.h", "step": "step.h",
         "store": "store.h", "instance": "inner.h", "engine": "engine.h", "sqlite": "database.h", "postgres": "pg.h",
         "testkit": "check.h", "draw": "draw.h", "verify": "explorer.h", "agents": "collection.h"}


def built(build):
    text = (Path(build) / "meson-info/intro-targets.json").read_text(encoding="utf-8")
    return {
        Path(source).resolve()
        for target in json.loads(text)
        for group in target["target_sources"]
        for source in group.get("sources", ())
    }


def sources(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.c*")):
            place = path.relative_to(root).as_posix()
            if path.suffix in (".c", ".cpp") and not place.startswith(FOREIGN):
                yield path


def twice(root):
    """Sources of lib/ whose name another one has."""
    paths = [path for path in sources(root) if root / "lib" in path.parents]
    names = Counter(path.name for path in paths)
    return [str(path) for path in paths if names[path.name] > 1]


def unexplained(folder, first):
    """Sources of a part that the first comment of its first header does not name. X.h stands for
    X.c, too."""
    comment = (folder / first).read_text(encoding="utf-8").partition("*/")[0]
    names = re.findall(r"[\w*]+\.(?:cpp|c|h)\b", comment)
    return [str(path) for path in sorted(folder.glob("*.c*")) if path.suffix in (".c", ".cpp")
            and not any(fnmatch(path.name, name) or name == path.stem + ".h" for name in names)]


def main(arguments):
    root, build = Path(arguments[0]).resolve(), arguments[1]
    known = built(build)
    found = [f"{path}: not named in any meson.build" for path in sources(root)
             if path not in known]
    found += [f"{path}: another source of lib/ has this name" for path in twice(root)]
    for part in sorted(path.name for path in (root / "lib").glob("*") if path.is_dir()):
        found += [f"{path}: not in the first comment of {FIRST[part]}"
                  for path in unexplained(root / "lib" / part, FIRST[part])]
    print(f"{len(known)} sources are built")
    print("\n".join(found))
    return 1 if found or not known else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
