"""Kills an engine, and those who bring it events, again and again, and checks what is left.

usage: kill_hosts.py KILL_HOST MACHINE WFSM [KILLS [SEED]]

The engine drives several instances, and a child workflow of each, on one SQLite file; four posters and three senders bring
events, and another process compacts their journals into an archive meanwhile. All are killed with -9 at random moments and started again, until so many kills were
made; then they come to their end. Checked: every event whose bringer was told that it is
taken stands in the journal exactly once; every timer fired once; every effect was delivered
at least once, in order for each instance, none without its commit; each instance ended with
the answer of an uninterrupted run, and so did its child, the only one that ever ran; nobody saw an error; the audit is clean. A bringer that
notes events before it posts them must be found out.
"""
import collections
import contextlib
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

INSTANCES, EACH = 4, 40
KEEP = 40  # records; an event that is brought again must still be known
BRINGERS = {"p1": "post", "p2": "post", "p3": "post", "p4": "post", "s1": "send", "s2": "send",
            "s3": "send"}


class World:
    def __init__(self, host, machine, folder, seed, bringers):
        self.host, self.machine, self.bringers = host, machine, bringers
        self.folder = pathlib.Path(folder)
        self.store = self.folder / "store.db"
        self.archive = self.folder / "archive.db"
        self.effects = self.folder / "effects"
        self.random = random.Random(seed)
        self.running, self.owners, self.kills, self.over = {}, 0, 0, set()
        self.errors = []
        self.each, self.target = EACH, len(bringers) * EACH // INSTANCES
        self.said = {}

    def gone(self):
        """The owner that is known to be dead, so that nobody waits for its lapse."""
        return f"engine-{self.owners}" if self.owners else ""

    def start(self, name):
        if name == "engine":
            gone = self.gone()
            self.owners += 1
            arguments = ["serve", self.store, self.machine, self.effects,
                         f"engine-{self.owners}", gone, INSTANCES, self.target,
                         pathlib.Path(self.machine).with_name("ticking.json")]
        elif name == "compactor":
            arguments = ["compact", self.store, self.archive, name, KEEP, INSTANCES]
        else:
            arguments = [self.bringers[name], self.store, self.folder / f"acks-{name}", name,
                         self.each, INSTANCES]
        self.running[name] = subprocess.Popen([self.host, *map(str, arguments)],
                                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def reap(self):
        for name, process in list(self.running.items()):
            if process.poll() is None:
                continue
            self.said[name], said = (text.decode() for text in process.communicate())
            del self.running[name]
            if process.returncode == 0:
                self.over.add(name)
            elif process.returncode != -9:
                self.errors.append(f"{name}: {said.strip()}")
                self.over.add(name)

    def kill(self, name):
        self.running[name].kill()
        self.running.pop(name).communicate()
        self.kills += 1

    def play(self, most, patience):
        """Ends when all have ended, or so long after the last bringer has."""
        names = ["engine", "compactor", *self.bringers]
        end = None
        while set(names) - self.over and (end is None or time.monotonic() < end):
            if end is None and not set(self.bringers) - self.over:
                end = time.monotonic() + patience
            for name in names:
                if name not in self.over and name not in self.running:
                    self.start(name)
            time.sleep(self.random.expovariate(1 / 0.02))
            self.reap()
            if self.kills < most and self.running:
                self.kill(self.random.choice(sorted(self.running)))
        self.reap()
        for name in list(self.running):
            self.kill(name)
            self.errors.append(f"{name} came to no end")

    # ---- what is left ----

    @staticmethod
    def rows(path):
        with contextlib.closing(sqlite3.connect(path)) as file:
            if not file.execute("SELECT 1 FROM sqlite_schema").fetchall():
                return []
            return file.execute("SELECT i.id, j.revision, j.record FROM journal AS j JOIN"
                                " instance AS i ON i.key = j.instance").fetchall()

    def journal(self):
        """What was compacted stands in the archive."""
        records = collections.defaultdict(dict)
        for path in (self.archive, self.store):
            for instance, revision, record in self.rows(path):
                if records[instance].setdefault(revision, record) != record:
                    self.errors.append(f"{instance}: the archive has another record {revision}")
        self.archived = len(self.rows(self.archive))
        return {instance: [json.loads(found[revision]) for revision in sorted(found)]
                for instance, found in records.items()}

    def acknowledged(self):
        for name in self.bringers:
            notes = self.folder / f"acks-{name}"
            for line in notes.read_text().splitlines() if notes.exists() else []:
                yield tuple(line.split())

    def check_events(self, records):
        taken = collections.Counter(
            (instance, record["input"]["id"]) for instance, list_ in records.items()
            for record in list_ if record["input"].get("event") == "add" and "id" in record["input"])
        acknowledged = list(self.acknowledged())
        wrong = [f"{event} of {instance} was acknowledged and is there {taken[instance, event]} times"
                 for instance, event in acknowledged if taken[instance, event] != 1]
        return wrong + [f"{event} is there {times} times" for event, times in taken.items()
                        if times > 1], len(acknowledged)

    def check_ends(self, records):
        target = self.target
        child = {"n": 60, "double": 120}
        self.children = 0
        for instance, list_ in records.items():
            if "/" in instance:
                self.children += 1
                fired = sum(record["input"]["kind"] == "timer" for record in list_)
                if fired != 59 or list_[-1].get("output") != child:
                    yield f"{instance}: {fired} timers, ended with {list_[-1].get('output')}"
                continue
            ticks = sum(record["input"].get("event") == "tick" for record in list_)
            if ticks != target:
                yield f"{instance}: {ticks} timers fired, not {target}"
            if list_[-1].get("output") != {"n": target, "double": 2 * target,
                                           "child": child}:
                yield f"{instance}: ended with {list_[-1].get('output')}"

    def check_effects(self, records):
        made = {f"{instance}/{record['revision']}/{effect['ordinal']}-{effect['incarnation']}": effect
                for instance, list_ in records.items() for record in list_
                for effect in record.get("effects", [])}
        seen = collections.defaultdict(list)
        lines = self.effects.read_text().splitlines()
        for line in lines:
            effect = line.split()[0]
            if effect not in made:
                yield f"the effect {effect} was delivered without its commit"
            elif effect not in seen[effect.rsplit("/", 2)[0]]:
                seen[effect.rsplit("/", 2)[0]].append(effect)
        for instance, list_ in seen.items():
            if list_ != [effect for effect in made if effect.rsplit("/", 2)[0] == instance]:
                yield f"{instance}: effects are missing, or not in order"
        self.delivered = len(lines)

    def check_audit(self, wfsm):
        done = subprocess.run([wfsm, "audit", "--archive", self.archive, self.store],
                              capture_output=True, text=True)
        return [done.stdout] if done.returncode else []


def one_round(host, machine, wfsm, kills, seed, bringers=None):
    with tempfile.TemporaryDirectory() as folder:
        world = World(host, machine, folder, seed, bringers or BRINGERS)
        world.play(kills, 60 if bringers is None else 0.5)
        records = world.journal()
        wrong, acknowledged = world.check_events(records)
        if bringers is None:
            wrong += [*world.errors, *world.check_ends(records), *world.check_effects(records),
                      *world.check_audit(wfsm)]
            if world.children != INSTANCES:
                wrong.append(f"{world.children} children of {INSTANCES} instances")
        return world, wrong, acknowledged


def caught(host, machine, wfsm):
    """The wrong bringer: killed between its note and its post, it loses an event."""
    for seed in range(200):
        world, wrong, _ = one_round(host, machine, wfsm, 12, seed,
                                    {f"w{i}": "wrong" for i in range(5)})
        if any("acknowledged" in text for text in wrong):
            return world.kills
    return 0


def main():
    host, machine, wfsm = sys.argv[1:4]
    most = int(sys.argv[4]) if len(sys.argv) > 4 else 40
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    counts = collections.Counter()
    violations = []
    while counts["kills"] < most:
        world, wrong, acknowledged = one_round(host, machine, wfsm, 40, seed)
        counts.update(kills=world.kills, rounds=1, events=acknowledged, archived=world.archived,
                      effects=world.delivered if not wrong else 0)
        violations += [f"seed {seed}: {text}" for text in wrong]
        seed += 1
        if sys.stderr.isatty():
            print(f"\r{counts['kills']} of {most} kills", end="", file=sys.stderr, flush=True)
    print("\n".join(violations[:20]))
    print(f"{counts['rounds']} rounds of {2 + len(BRINGERS)} processes, {counts['kills']} kills;"
          f" {counts['events']} events acknowledged, {counts['effects']} deliveries of effects,"
          f" {counts['archived']} records compacted;"
          f" violations: {len(violations)}")
    found = caught(host, machine, wfsm)
    print(f"one that acknowledges too early: {'found out' if found else 'NOT found out'}")
    return 1 if violations or not found else 0


if __name__ == "__main__":
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    sys.exit(main())
