"""The tester of the demo: says with which commands the project is tested.

usage: tester.py   (the invocation comes on standard input)

It runs nothing itself. The host runs the commands, and their results decide.
"""

import re
import sys
from pathlib import Path

import protocol
from protocol import Failure, log

RULE = re.compile(r"^([A-Za-z0-9_][A-Za-z0-9_. -]*?)\s*:(?![:=])")
BUILD_MS = 60000
CHECK_MS = 60000


def main():
    return protocol.run({"strict": plan, "discussion": discuss})


def discuss(invocation):
    return {"text": plan(invocation)["summary"]}


def plan(invocation):
    targets = read_targets(Path(invocation["input"]["workspace"]) / "Makefile")
    log("targets of the Makefile: " + " ".join(targets))
    check = next((name for name in ("check", "test") if name in targets), None)
    if check is None:
        raise Failure("the Makefile has neither a target check nor a target test")
    commands = [{"argv": ["make", check], "timeout_ms": CHECK_MS}]
    if "all" in targets:
        commands.insert(0, {"argv": ["make", "all"], "timeout_ms": BUILD_MS})
    names = ", then ".join(" ".join(command["argv"]) for command in commands)
    return {"commands": commands, "summary": f"The project is tested by {names}."}


def read_targets(makefile):
    try:
        lines = makefile.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise Failure(f"cannot read {makefile}: {problem}") from None
    rules = [rule for rule in map(RULE.match, lines) if rule]
    return [name for rule in rules for name in rule[1].split()]


if __name__ == "__main__":
    sys.exit(main())
