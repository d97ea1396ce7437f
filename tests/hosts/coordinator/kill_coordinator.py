#!/usr/bin/python3
"""The coordinator, killed with -9 at random times until it has been killed often enough.

usage: kill_coordinator.py COORDINATOR WFSM [KILLS [SEED]]

One task after the other goes through its rounds with agents of a few milliseconds. After each
the journal is compared with that of a task that nobody disturbed: the same events, answers and
states in the same order, the same context at the end. Every timer fired once, every invocation
was answered once, no agent's work was paid for twice, all effects were delivered, none of its
processes is left, and the audit finds nothing. Prints its counts.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import ends  # noqa: E402

COORDINATOR, WFSM = (str(Path(name).resolve()) for name in sys.argv[1:3])
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 25
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 32)
SPANS = [0.06, 0.2, 0.5]  # seconds between kills
MACHINE = Path(__file__).resolve().parents[3] / "examples/coordinator/coordinator.json"
ROUNDS = 6

AGENT = """#!/bin/sh
given=$(cat)
echo "$WFSM_INVOCATION_ID $WFSM_ATTEMPT $$" >> ../../paid
%s
"""
BODIES = {
    "coder": """echo '{"summary":"did it","changed_files":["a.txt"]}'""",
    "reviewer": """case "$given" in
*'"round":%d,'*) echo '{"decision":"approve","must_fix":[],"summary":"good"}' ;;
*) echo '{"decision":"changes_requested","summary":"bad","must_fix":[{"message":"no good"}]}' ;;
esac""" % ROUNDS,
    "tester": """echo '{"commands":[{"argv":["true"]}],"summary":"it is true"}'""",
}


class Violation(Exception):
    pass


def hold(holds, what):
    if not holds:
        raise Violation(what)


class World:
    def __init__(self, path):
        self.path, self.rng = path, random.Random(SEED)
        self.kills = self.tasks = self.records = self.work = 0
        self.invariants = 0
        (path / "project").mkdir()
        config = f'machine = "{MACHINE}"\nstore = "tasks.db"\nmax_rounds = {ROUNDS}\n'
        for name, body in BODIES.items():
            (path / name).write_text(AGENT % body)
            (path / name).chmod(0o755)
            config += f'[agents.{name}]\ncommand = ["{{dir}}/{name}"]\ngrace_ms = 500\n'
        (path / "coordinator.toml").write_text(config)
        (path / "paid").touch()

    def begin(self, *arguments):
        return subprocess.Popen([COORDINATOR, *arguments], cwd=self.path,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def tell(self, *arguments):
        done = subprocess.run([WFSM, *arguments], cwd=self.path, capture_output=True, text=True,
                              timeout=600)
        return done.returncode, done.stdout, done.stderr

    def show(self, task):
        code, out, _ = self.tell("show", "--json", "tasks.db", task)
        return json.loads(out) if code == 0 else None

    def resume(self, task):
        if self.show(task):
            return self.begin("resume", task)
        return self.begin("run", "--task", "Do it", "--workspace", "project", "--id", task)

    def undisturbed(self, task):
        hold(self.resume(task).wait(timeout=600) == 0, f"{task}: nobody killed it, and it failed")

    def disturbed(self, task):
        """A run that is killed ends with -9, one that is not with 0."""
        process = self.resume(task)
        while self.kills < KILLS:
            try:
                process.wait(timeout=self.rng.uniform(0, self.rng.choice(SPANS)))
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                self.kills += 1
                process = self.resume(task)
        hold(process.wait(timeout=600) == 0, f"{task}: exit status {process.returncode}")

    # ---- what is there in the end ----

    def journal(self, task):
        code, out, err = self.tell("journal", "--json", "tasks.db", task)
        hold(code == 0, err)
        return [row["record"] for row in json.loads(out)]

    def paid(self, task):
        lines = [line.split() for line in (self.path / "paid").read_text().splitlines()]
        return [line for line in lines if line[0].rsplit("/", 2)[0] == task]

    def check(self, task, expected):
        shown, records = self.show(task), self.journal(task)
        hold(trace(records) == expected[0], f"{task}: the journal has another trace")
        hold(context(shown) == expected[1], f"{task}: another context")
        hold(shown["acknowledged"] == shown["effects"] == 1, f"{task}: effects")
        timers = [r["input"]["number"] for r in records if r["input"]["kind"] == "timer"]
        hold(len(timers) == len(set(timers)), f"{task}: a timer fired twice")
        answers = [r["input"]["invocation"] for r in records if r["input"]["kind"] == "result"]
        hold(len(answers) == len(set(answers)), f"{task}: an invocation was answered twice")
        paid = self.paid(task)
        work = [line[0] for line in paid]
        hold(len(work) == len(set(work)), f"{task}: work was paid for twice")
        hold(set(work) <= set(answers), f"{task}: work without an answer")
        for line in paid:
            hold(ends(line[2]), f"{task}: process {line[2]} is left")
        hold([r["revision"] for r in records] == list(range(1, len(records) + 1)), "revisions")
        code, out, err = self.tell("audit", "tasks.db")
        hold(code == 0, f"{task}: the audit: {out}{err}")
        self.invariants += len(records) + len(timers) + len(answers) + 2 * len(paid) + 4
        self.records += len(records)
        self.work += len(paid)
        self.tasks += 1


def trace(records):
    """Inputs and states, without ids of invocations, times, claims and probes."""
    told = []
    for record in records:
        given = record["input"]
        if given["kind"] in ("start", "event", "timer", "result", "failure"):
            output = without_ids(given.get("output"))
            told.append((given["kind"], given.get("event"), without_times(output),
                         record.get("configuration")))
    return told


def without_ids(value):
    """A copy without the ids of commits, which have the time in them, and the names of places."""
    copy = json.loads(json.dumps(value))
    for holder in (copy, (copy or {}).get("review"), (copy or {}).get("tests")) \
            if isinstance(copy, dict) else ():
        for key in ("change", "commit", "place", "workspace"):
            (holder or {}).pop(key, None)
    return copy


def without_times(output):
    for result in (output or {}).get("results", []) if isinstance(output, dict) else []:
        result.pop("duration_ms", None)
    return output


def context(shown):
    copy = without_ids(shown["context"])
    without_times(copy.get("tests"))
    return copy


def main():
    with tempfile.TemporaryDirectory(prefix="wfsm-kills-") as scratch:
        world = World(Path(scratch))
        begin = time.monotonic()
        try:
            world.undisturbed("reference")
            expected = trace(world.journal("reference")), context(world.show("reference"))
            world.check("reference", expected)
            while world.kills < KILLS:
                task = f"t{world.tasks}"
                world.disturbed(task)
                world.check(task, expected)
        except Violation as found:
            print(f"seed {SEED}, kill {world.kills}: {found}")
            return 1
        print(f"{world.kills} kills in {time.monotonic() - begin:.0f} s, seed {SEED}: "
              f"{world.tasks} tasks, {world.records} records, {world.work} agents, "
              f"{world.invariants} invariants checked, 0 violations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
