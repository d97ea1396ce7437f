#!/usr/bin/python3
"""A host whose pool is full, killed with -9 at random times, and its agents with it.

usage: kill_pool.py POOL_HOST WFSM [KILLS [SEED]]

Five instances ask for 24 pieces of work each, done by programs in 15 slots, at most four of a
group at once; some fail on their first attempts. The host is killed and started again until so
many kills were made, and now and then one of its programs is; the programs work on without their
host. Checked: by locks that the programs hold, that never more than 15 of them, or four of a
group, were at work at once, no matter which process had started them, and never two at the same; by the journal,
commit by commit, that no slot was leaked or given twice, and that the pool was full; that all
work was done, its results in their order; that nobody began but under a claim that was
committed, and nobody twice but after a failure of its own; that each effect was delivered; that
no process is left; that the audit is clean. What a host has
withdrawn and could not tell any more is stopped by the next one. A host that does not look for what is at work must
be found out.
"""

import collections
import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from processes import is_alive

HOST, WFSM = (str(Path(name).resolve()) for name in sys.argv[1:3])
INSTANCES, ITEMS, SLOTS, GROUP = 5, 24, 15, 4
GROUPS = 5


def items(least=10, most=90):
    chance = random.Random(7)
    return [{"n": n, "ms": chance.randrange(least, most), "failures": 2 if n % 11 == 5 else 0,
             "group": f"g{n % GROUPS}", "priority": ["low", "normal", "high"][n % 3]}
            for n in range(ITEMS)]


MACHINE = {
    "id": "full", "initial": "work", "context": {"seed": 0, "out": None},
    "states": {
        "work": {"invoke": {
            "src": "worker", "items": {"literal": items()}, "onUnknown": "reattach",
            "retry": [{"errors": ["exit"], "maxAttempts": 1000, "intervalMs": 5,
                       "backoffRate": 1}],
            "pool": {"priority": {"var": "item.priority"}, "group": {"var": "item.group"},
                     "phase": {"cat": ["phase ", {"var": "context.seed"}]}},
            "onDone": {"target": "done", "actions": [
                {"type": "assign", "params": {"out": {"var": "event.data"}}},
                {"type": "emit", "params": {"event": "finished"}}]}}},
        "done": {"type": "final"}}}
LEAVING = json.loads(json.dumps(MACHINE))
LEAVING["states"]["work"]["on"] = {"leave": "done"}
LEAVING["states"]["work"]["invoke"]["items"]["literal"] = items(60000, 60001)


def bare(id):
    """The id without its incarnation."""
    return id.rsplit("-", 1)[0]


class World:
    def __init__(self, folder, seed, how="drive"):
        self.folder, self.random, self.how = Path(folder), random.Random(seed), how
        (self.folder / "machine.json").write_text(json.dumps(MACHINE))
        (self.folder / "runs").mkdir()
        self.hosts = self.kills = self.shot = 0
        self.killed_work = collections.Counter()
        self.wrong = []

    def begin(self, instances=INSTANCES):
        self.hosts += 1
        return subprocess.Popen(
            [HOST, self.how, "store.db", "machine.json", ".", str(instances), str(self.hosts)],
            cwd=self.folder, stderr=subprocess.PIPE, text=True)

    def notes(self):
        path = self.folder / "notes"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    def at_work(self):
        """Those that are, but for those that have just ended."""
        ended = {(id, attempt) for what, id, attempt, _ in self.notes() if what == "end"}
        return [(id, int(pid)) for what, id, attempt, pid in self.notes()
                if what == "begin" and (id, attempt) not in ended and is_alive(pid)]

    def shoot(self):
        alive = self.at_work()
        if alive:
            id, pid = self.random.choice(alive)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                self.killed_work[bare(id)] += 1
                self.shot += 1

    def play(self, most):
        """Lives get longer, so that a slow machine comes to an end, too."""
        life, host = 0.15, self.begin()
        limit = time.monotonic() + 600
        while time.monotonic() < limit:
            with contextlib.suppress(subprocess.TimeoutExpired):
                host.wait(self.random.uniform(0, life) if self.kills < most else 600)
                break
            host.kill()
            host.communicate()
            self.kills += 1
            life *= 1.02
            if self.random.random() < 0.3:
                self.shoot()
            time.sleep(self.random.choice([0, 0, 0.03]))
            host = self.begin()
            if self.random.random() < 0.3:
                self.shoot()
        said = host.communicate()[1]
        if host.returncode != 0:
            self.wrong.append(f"the host: {host.returncode} {said}")

    def play_blind(self):
        """One kill, while somebody is at work: the next host begins that work again."""
        host = self.begin()
        while not self.at_work() and host.poll() is None:
            time.sleep(0.005)
        host.kill()
        host.communicate()
        self.begin().communicate()

    # ---- what is left ----

    def records(self):
        with contextlib.closing(sqlite3.connect(self.folder / "store.db")) as file:
            rows = file.execute("SELECT i.id, j.record FROM journal AS j JOIN instance AS i ON"
                                " i.key = j.instance ORDER BY j.key").fetchall()
        return [(instance, json.loads(record)) for instance, record in rows]

    def walk(self, records):
        """The ledgers, commit by commit."""
        entries, self.claims, self.fullest, self.done = {}, set(), 0, collections.Counter()
        for instance, record in records:
            for entry in record.get("invocations", []):
                id = f"{instance}/{entry['revision']}/{entry['ordinal']}"
                before = entries.get(id, {})
                entries[id] = {**before, **entry}
                if entry["status"] == "running":
                    self.claims.add((f"{id}-{entry['incarnation']}", str(entry["attempt"])))
                if entry["status"] == "done" and before.get("status") != "done":
                    self.done[id] += 1
            for revision, ordinal in record.get("invocations_cleared", []):
                id = f"{instance}/{revision}/{ordinal}"
                if entries.pop(id)["status"] == "running":
                    self.done[id] += 1
            working = [e for e in entries.values() if e["status"] == "running"]
            self.fullest = max(self.fullest, len(working))
            groups = collections.Counter(e["pool"]["group"] for e in working)
            if len(working) > SLOTS or max(groups.values(), default=0) > GROUP:
                yield f"{instance}/{record['revision']}: {len(working)} at work, {dict(groups)}"
        if entries:
            yield f"still in the ledgers: {sorted(entries)}"
        if self.fullest < SLOTS:
            yield f"never more than {self.fullest} at work: the pool was not full"

    def check_work(self):
        failures = {f"i{i}/1/{n + 1}": item["failures"] for i in range(INSTANCES)
                    for n, item in enumerate(items())}
        if self.done != {id: 1 for id in failures}:
            yield f"done: {sorted(self.done.items())}"
        begun = collections.Counter()
        for what, id, attempt, pid in self.notes():
            if what not in ("begin", "end"):
                yield f"{what}: {id}, attempt {attempt}, process {pid}"
            if what == "begin":
                begun[bare(id)] += 1
                if (id, attempt) not in self.claims:
                    yield f"{id}, attempt {attempt}, was begun and never claimed"
        self.begun = sum(begun.values())
        for id, most in failures.items():  # a claim whose host died at once is an attempt, too
            if not 1 <= begun[id] <= 1 + most + self.killed_work[id]:
                yield (f"{id} was begun {begun[id]} times: it fails {most} times, was killed"
                       f" {self.killed_work[id]} times")

    def check_ends(self, records):
        last = {instance: record for instance, record in records if "set" in record}
        expected = [{"n": n} for n in range(ITEMS)]
        made = set()
        for instance, record in records:
            made |= {f"{instance}/{record['revision']}/{e['ordinal']}-{e['incarnation']}"
                     for e in record.get("effects", [])}
        seen = self.folder / "effects"
        seen = set(seen.read_text().split()) if seen.exists() else set()
        if len(made) != INSTANCES or seen != made:
            yield f"effects {sorted(made)}, delivered {sorted(seen)}"
        for instance in sorted(last):
            if last[instance]["set"].get("out") != expected:
                yield f"{instance}: {last[instance]['set']}"

    def check(self):
        records = self.records()
        self.wrong += self.walk(records)
        self.wrong += self.check_work()
        self.wrong += self.check_ends(records)
        self.wrong += [f"process {pid} of {id} is left" for what, id, _, pid in self.notes()
                       if what == "begin" and is_alive(pid)]
        done = subprocess.run([WFSM, "audit", "store.db"], cwd=self.folder, text=True,
                              capture_output=True)
        if done.returncode:
            self.wrong.append(done.stdout + done.stderr)
        return len(records)


def one_round(kills, seed):
    with tempfile.TemporaryDirectory(prefix="wfsm-pool-") as folder:
        world = World(folder, seed)
        world.play(kills)
        world.commits = world.check()
        return world


def blind_is_found_out():
    """The work may end between the look and the kill: then once more."""
    for seed in range(20):
        with tempfile.TemporaryDirectory(prefix="wfsm-pool-") as folder:
            world = World(folder, seed, "blind")
            world.play_blind()
            world.check()
            if any("was begun" in text for text in world.wrong):
                return True
    return False


def left_behind():
    """A host is gone before it could tell its programs that nobody waits for them any more."""
    with tempfile.TemporaryDirectory(prefix="wfsm-pool-") as folder:
        world = World(folder, 1, "leave")
        (world.folder / "machine.json").write_text(json.dumps(LEAVING))
        first = world.begin(1)
        said = [first.communicate()[1]]
        begun = [pid for what, _, _, pid in world.notes() if what == "begin"]
        alive = [pid for pid in begun if is_alive(pid)]
        world.how = "drive"
        second = world.begin(1)
        said.append(second.communicate()[1])
        left = [pid for pid in begun if is_alive(pid)]
        for pid in left:
            os.kill(int(pid), signal.SIGKILL)
        if first.returncode or second.returncode or not alive or left:
            return [f"left behind: {said}, {len(alive)} were at work, {len(left)} still are"]
    return []


def main():
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    begin, counts, violations = time.monotonic(), collections.Counter(), []
    while counts["kills"] < most:
        world = one_round(min(20, most), seed)
        counts.update(rounds=1, kills=world.kills, shot=world.shot, commits=world.commits,
                      begun=world.begun)
        violations += [f"seed {seed}: {text}" for text in world.wrong]
        seed += 1
        if violations:
            break
    violations += left_behind()
    print("\n".join(violations[:20]))
    print(f"{counts['kills']} kills of the host and {counts['shot']} of its programs in"
          f" {time.monotonic() - begin:.0f} s, {counts['rounds']} rounds of"
          f" {INSTANCES * ITEMS} pieces of work in {SLOTS} slots: {counts['begun']} programs,"
          f" {counts['commits']} commits walked; violations: {len(violations)}")
    found = blind_is_found_out()
    print(f"a host that does not look for what is at work: {'' if found else 'NOT '}found out")
    return 1 if violations or not found else 0


if __name__ == "__main__":
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    sys.exit(main())
