"""Every C and C++ source is named in a meson.build, because a test that is not named never runs.
No two sources below lib/ have the same name.

usage: listed.py ROOT BUILD-FOLDER
"""
import json
import sys
from collections import Counter
from pathlib import Path

FOLDERS = ("lib", "cmd", "tests", "examples", "bench")
# Projects of their own: the coordinator's patient, what is measured beside.
FOREIGN = ("examples/coordinator/sample", "bench/peers")


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


def main(arguments):
    root, build = Path(arguments[0]).resolve(), arguments[1]
    known = built(build)
    found = [f"{path}: not named in any meson.build" for path in sources(root)
             if path not in known]
    found += [f"{path}: another source of lib/ has this name" for path in twice(root)]
    print(f"{len(known)} sources are built")
    print("\n".join(found))
    return 1 if found or not known else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
