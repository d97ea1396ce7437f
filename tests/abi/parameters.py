"""No public call has more than six parameters; more belong into a struct.

usage: parameters.py INCLUDE
"""
import re
import sys
from pathlib import Path

MOST = 6
# The issue on rounds of the engine replaces both interfaces; until then they stay as they are.
EXCEPT = {"engine.h", "store.h"}
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
CALL = re.compile(r"(?:WFSM_API|static inline)\s[^;()]*?\b(wfsm_\w+)\((.*?)\)(?:;|\s*\{)",
                  re.S)


def count(parameters):
    """How many there are, where a parameter may be a function with parameters of its own."""
    while re.search(r"\([^()]*\)", parameters):
        parameters = re.sub(r"\([^()]*\)", "", parameters)
    return 0 if parameters.strip() == "void" else parameters.count(",") + 1


def calls(text):
    """(name, number of parameters) of every function that a header declares."""
    for name, parameters in CALL.findall(COMMENT.sub("", text)):
        yield name, count(parameters)


def main(include):
    seen, wrong = 0, []
    for header in sorted(Path(include).glob("wfsm/*.h")):
        for name, parameters in calls(header.read_text(encoding="utf-8")):
            seen += 1
            if parameters > MOST and header.name not in EXCEPT:
                wrong.append(f"{header.name}: {name} has {parameters} parameters")
    print("\n".join(wrong) or f"{seen} functions")
    return 1 if wrong or not seen else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
