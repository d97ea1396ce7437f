#!/usr/bin/env python3
"""Engines that share instances join, leave and are killed with -9, at random, while agents are at work.

usage: shares.py WORKER WFSM [CHANGES [SEED]]

The agents work for a while, and write down from when to when. A machine starts a child. After each engine that has
joined, the instances that nothing is done for must come to the engine whose shards they are in, and nobody may
have more shards than its part; who has which shard is computed here, without the library. At the end all instances
come to their end, auditor.py checks everything, and no instance may ever have been at work in two engines at
the same time, except for one whose lease may have lapsed because it got no time to run. Then the same is done with
engines that do not stop their agents when they leave: the audit must find it.
"""
import collections
import contextlib
import random
import sys
import time

import auditor
import program
from fleet import HERE, Fleet, server_with_tables
from servers import check, until

LEAST, MOST = 2, 7  # engines
SEEDS = 100  # instances that one engine starts before it leaves
SHARDS, SLOTS, WORK_MS, LAPSE_MS = 256, 4, 250, 3000
EVERY = 60  # changes; then all instances end, so that the audit is not of one long run only
CHANGES = {"join": 10, "leave": 5, "kill": 5}
WORD = (1 << 64) - 1


def name_hash(name):
    found = 14695981039346656037
    for byte in name.encode():
        found = (found ^ byte) * 1099511628211 & WORD
    return found


def weight(name, shard):
    mixed = name_hash(name) + (shard + 1) * 0x9E3779B97F4A7C15 & WORD
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & WORD
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & WORD
    return mixed ^ mixed >> 31


def divide(sessions):
    """The session of each shard."""
    most, counts, holders = -(-SHARDS // len(sessions)), collections.Counter(), []
    for shard in range(SHARDS):
        free = [name for name in sessions if counts[name] < most]
        holders.append(max(free, key=lambda name: weight(name, shard)))
        counts[holders[-1]] += 1
    return holders


class Storm:
    def __init__(self, stack, worker, wfsm, seed, **options):
        self.random, self.wfsm, self.counts = random.Random(seed), wfsm, collections.Counter()
        self.server = server_with_tables(stack, wfsm)
        self.fleet = Fleet(stack, worker, self.server.folder, machines=(HERE / "family.json", HERE / "part.json"),
                           **{"work": WORK_MS, "slots": SLOTS, "lapse": LAPSE_MS, **options})
        for _ in range(LEAST):
            self.join()

    def living(self):
        return [worker for worker in self.fleet.workers if worker.is_wanted]

    def join(self, most=0):
        worker = self.fleet.add(self.server.address(), most=most)
        worker.start()
        self.counts["join"] += 1
        return worker

    def leave(self):
        worker = self.random.choice(self.living())
        worker.is_wanted = False
        worker.end()
        self.counts["leave"] += 1

    def kill(self):
        worker = self.random.choice(self.living())
        worker.is_wanted = False
        worker.kill()
        self.counts["kill"] += 1

    def seed(self):
        """One more engine starts instances, and leaves, so that they are free."""
        worker = self.join(SEEDS)
        until(lambda: f"planned {SEEDS - 1}" in worker.lines(), "the instances are started", 0.05)
        worker.is_wanted = False
        worker.end()
        self.counts["leave"] += 1

    def misplaced(self):
        """How many roots are not with the engine whose shard they are in, though no child of theirs keeps them."""
        holders = divide([worker.session() for worker in self.living()])
        heads = self.server.ask("SELECT instance, owner, shard FROM wfsm.head WHERE status = 1 AND revision > 0")
        busy = {instance.split("/")[0] for instance, *_ in heads if "/" in instance}
        return sum(owner != holders[int(shard)] for instance, owner, shard in heads
                   if "/" not in instance and instance not in busy)

    def await_balance(self):
        """Those that agents are at work for, or that are just between two engines, may be elsewhere."""
        began = time.monotonic()

        def is_balanced():
            self.fleet.revive()
            return self.misplaced() <= SLOTS * len(self.living())
        until(is_balanced, "the engines share evenly", 0.1)
        self.counts["balanced"] += 1
        self.counts["longest balance, ms"] = max(self.counts["longest balance, ms"],
                                                 int((time.monotonic() - began) * 1000))

    def change(self):
        running = self.server.number("SELECT count(*) FROM wfsm.head WHERE status = 1 AND revision > 0")
        if running < 2 * SEEDS:
            self.seed()
        what = self.random.choices(list(CHANGES), CHANGES.values())[0]
        count = len(self.living())
        what = "join" if count <= LEAST else "leave" if count >= MOST and what == "join" else what
        getattr(self, what)()
        if what == "join":
            self.await_balance()
        self.fleet.await_progress(self.random.randint(1, 60))

    def run(self, changes):
        for _ in range(changes):
            self.change()

    def audit(self):
        self.fleet.drain(self.server)
        wrong, counts = auditor.audit(self.server, self.fleet, self.wfsm)
        works = Works(self.fleet)
        return wrong + works.wrong, counts + works.counts


class Works:
    """When which agent was at work, and where."""

    def __init__(self, fleet):
        self.wrong, self.counts = [], collections.Counter()
        self.works = collections.defaultdict(list)  # of an instance: begin, end, session, invocation, attempt
        self.silent = collections.defaultdict(list)
        for worker in fleet.workers:
            self.read(worker)
        for instance, works in self.works.items():
            self.check(instance, sorted(works))

    def read(self, worker):
        begun, last = {}, {}
        for line in worker.lines():
            word, *rest = line.split()
            if word == "silent":
                self.silent[rest[0]].append((int(rest[1]), int(rest[2])))
            elif word == "begin":
                begun[tuple(rest[:3])] = last[rest[2]] = int(rest[3])
            elif word == "end":
                last[rest[2]] = int(rest[3])
                self.add(tuple(rest[:3]), begun.pop(tuple(rest[:3])), int(rest[3]))
        for key, moment in begun.items():
            if key[2] in worker.deaths:
                self.add(key, moment, worker.deaths[key[2]])
            else:
                self.wrong.append(f"{key} never came to its end")
        for session, moment in worker.deaths.items():
            if moment - last.get(session, moment) > LAPSE_MS * 500:
                self.silent[session].append((last[session], moment))

    def add(self, key, begin, end):
        ident, attempt, session = key
        self.works[ident.rsplit("/", 2)[0]].append((begin, end, session, ident, attempt))
        self.counts["works"] += 1

    def check(self, instance, works):
        self.counts["instances at work in several engines, one after the other"] += len({work[2] for work in works}) > 1
        for at, one in enumerate(works):
            for other in works[at + 1:]:
                if other[0] >= one[1]:
                    break
                self.take_overlap(instance, one, other)

    def take_overlap(self, instance, one, other):
        """The engine of `one` may have been asleep for longer than its lease."""
        if one[2] != other[2] and any(since <= other[0] and one[0] <= to for since, to in self.silent[one[2]]):
            self.counts["taken over from engines that got no time to run"] += 1
        elif one[2] != other[2] or one[3:] == other[3:]:
            self.wrong.append(f"{instance} is at work twice at the same time: {one} and {other}")


def prove(worker, wfsm, changes, seed):
    counts, made, wrong, done = collections.Counter(), collections.Counter(), [], 0
    while done < changes:
        now = min(EVERY, changes - done)
        with contextlib.ExitStack() as stack:
            one = Storm(stack, worker, wfsm, seed)
            one.run(now)
            found, counted = one.audit()
        longest = max(made.pop("longest balance, ms", 0), one.counts.pop("longest balance, ms", 0))
        made += one.counts
        made["longest balance, ms"] = longest
        counts += counted
        wrong += [f"seed {seed}: {sentence}" for sentence in found]
        done += now
        print(f"seed {seed}: {done} changes, {len(wrong)} violations", flush=True)
        seed += 1
    for name in ("instances moved to other engines", "instances taken that nobody had"):
        check(counts[name] > 0, f"none of this was seen: {name}")
    show(made, counts)
    auditor.report(wrong, counts)
    return not wrong


def show(made, counts):
    print(f"{made['join']} engines joined, {made['leave']} left, {made['kill']} were killed; {made['balanced']} times the"
          f" instances were shared evenly again, after {made['longest balance, ms']} ms at most")
    print(f"{counts['works']} times an agent was at work, and for"
          f" {counts['instances at work in several engines, one after the other']} instances in several engines;"
          f" {counts['taken over from engines that got no time to run']} were taken over from engines that got no time to run")


def is_found_out(worker, wfsm, seed):
    """Engines whose agents continue when they have left."""
    with contextlib.ExitStack() as stack:
        one = Storm(stack, worker, wfsm, seed, stubborn=2 * LAPSE_MS)
        one.seed()
        one.join()
        one.fleet.await_progress(50)
        one.leave()
        one.fleet.await_progress(50)
        one.fleet.kill()
        wrong = Works(one.fleet).wrong
    return program.judge("engines whose agents continue when they have left", wrong, f"{len(wrong)} violations")


if __name__ == "__main__":
    sys.exit(program.run(__doc__, 12, prove, is_found_out))
