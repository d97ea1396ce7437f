"""Machines as people of XState have them, on libwfsm and on npm's xstate.

usage: xstate_suite.py FOLDER PROGRAM.js

FOLDER is where the package is unpacked, once. The machines of xstate/ have the form in which
Stately's editor exports them, as JSON. The same document is loaded by both, gets the same
events, and must have the same states active and call the same actions in the same order.
outside.py tells what happens without node, npm or a registry.
"""
import json
import subprocess
import sys
from pathlib import Path

import outside
import wfsm

PACKAGE = "xstate@5.33.3"
CASES = Path(__file__).with_name("xstate")


def names(node, keys):
    """The names of actions or guards."""
    if isinstance(node, list):
        return {name for item in node for name in names(item, keys)}
    if not isinstance(node, dict):
        return set()
    found = set()
    for key, value in node.items():
        if key in keys:
            for one in value if isinstance(value, list) else [value]:
                found.add(one["type"] if isinstance(one, dict) else one)
        found |= names(value, keys)
    return found


class Play:
    """One run on libwfsm."""

    def __init__(self, case, store):
        self.called, self.report, self.now = [], [], 0
        functions = wfsm.Functions()
        for name in names(case["machine"], ("actions", "entry", "exit")):
            functions.action(name)(lambda call: self.called.append(call.name))
        for name in names(case["machine"], ("guard",)):
            functions.guard(name)(lambda call: case.get("guards", {}).get(call.name, False))
        self.instance = wfsm.Instance.start(wfsm.Machine.load(case["machine"]), store, "one",
                                            functions=functions, now=0)
        self.note()
        for step in case["script"]:
            self.step(step)
            self.note()

    def note(self):
        self.report.append([sorted(self.instance.configuration), self.called[:]])
        self.called.clear()

    def step(self, step):
        if isinstance(step, str):
            self.instance.send(step, now=self.now)
            return
        if "after" in step:
            self.now += step["after"]
            self.instance.advance(self.now)
            return
        (kind, invoke), = step.items()
        (work,) = [each for each in self.instance.invocations if each["invoke"] == invoke]
        self.instance.claim(work["id"], "somebody", now=self.now)
        answer = self.instance.result if kind == "done" else self.instance.fail
        answer(work["id"], now=self.now)


def cases():
    """(name, case), a case for each run of a machine."""
    for path in sorted(CASES.glob("*.json")):
        read = json.loads(path.read_text(encoding="utf-8"))
        for number, run in enumerate(read["runs"], 1):
            yield f"{path.stem} {number}", {"machine": read["machine"], **run}


def reference(program, package, found):
    lines = "".join(json.dumps(case) + "\n" for _, case in found)
    done = subprocess.run([outside.tool("node"), program, package], input=lines, check=True,
                          env=outside.environment(), capture_output=True, text=True, timeout=60)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main(words):
    folder, program = Path(words[0]), words[1]
    found = list(cases())
    try:
        package = (outside.fetch(PACKAGE, folder) / "dist" / "xstate.cjs.js").resolve()
        expected = reference(program, str(package), found)
    except outside.Missing as problem:
        return outside.without(problem)
    failed = int(len(found) != len(expected))
    for (name, case), right in zip(found, expected):
        with wfsm.memory() as store:
            report = Play(case, store).report
        failed += len(report) != len(right)
        for number, (one, other) in enumerate(zip(report, right)):
            if one != other:
                failed += 1
                print(f"FAILED {name}, after {['the start', *case['script']][number]}: "
                      f"wfsm {one}, xstate {other}")
    print(f"\n{PACKAGE}: {len(found)} runs, {failed} differences")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
