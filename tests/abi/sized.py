"""Every public struct that begins with its size is tested with a short, an exact and a long size.

usage: sized.py INCLUDE TEST...
"""
import re
import sys
from pathlib import Path

STRUCT = re.compile(r"typedef struct (\w+) \{\s*(.*?)\n\} \w+;", re.S)


def structs(headers):
    """(name, whether its first member is its size) of every struct that callers see."""
    for header in headers:
        for name, body in STRUCT.findall(header.read_text(encoding="utf-8")):
            yield name, body.startswith("size_t size;")


def main(include, *tests):
    words = {word for test in tests
             for word in re.findall(r"\w+", Path(test).read_text(encoding="utf-8"))}
    found = list(structs(sorted(Path(include).glob("wfsm/*.h"))))
    wrong = [f"struct {name} does not begin with its size" for name, sized in found if not sized]
    wrong += [f"struct {name} is not in {' or '.join(tests)}" for name, _ in found if name not in words]
    print("\n".join(wrong) or f"{len(found)} structs")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
