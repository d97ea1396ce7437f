#!/usr/bin/env python3
"""A synchronous standby takes over, again and again, while eight engines work.

usage: failover.py WORKER WFSM [FAILOVERS [SEED]]

The primary is killed with -9, the standby is promoted, and the old primary becomes its standby: by pg_rewind or as
a new copy. The engines have both in their address. Before a failover the standby may be silent, so that commits
wait for it, and their waits may be cancelled: these commits are on the primary only, and are lost. Nothing
that was acknowledged is: auditor.py checks it.
"""
import collections
import contextlib
import random
import sys

import auditor
import program
from fleet import Fleet, make_tables
from pair import Pair
from servers import check, make_folder, until

ENGINES = 8
KINDS = ("kill", "silent", "cancel", "cancel and continue")


class Failing:
    def __init__(self, stack, worker, wfsm, seed, **options):
        self.random, self.wfsm = random.Random(seed), wfsm
        self.counts = collections.Counter()
        folder = make_folder(stack)
        self.pair = Pair(stack, folder)
        make_tables(self.pair.primary, wfsm)
        self.pair.begin()
        self.fleet = Fleet(stack, worker, folder, answer=2000, lapse=5000, **options)
        for _ in range(ENGINES):
            self.fleet.add(self.pair.address())
        self.fleet.start()

    def cancel(self):
        """At least one wait is cancelled; those that come after it, too, for a while."""
        until(lambda: self.pair.waiting() > 0, "a commit waits for the standby")
        for _ in range(self.random.randint(1, 4)):
            self.counts["cancelled waits"] += self.pair.cancel_waits()

    def fail(self):
        self.pair.primary.kill()
        self.pair.exchange()
        self.counts["failovers"] += 1

    def follow(self):
        """The old primary becomes the standby."""
        if self.random.random() < 0.5 and self.pair.rewind():
            self.counts["pg_rewind"] += 1
        else:
            self.pair.rebuild()
            self.counts["pg_basebackup"] += 1
        self.pair.primary.await_standby()

    def round(self):
        kind = self.random.choice(KINDS)
        self.counts[kind] += 1
        self.fleet.await_progress(self.random.randint(20, 200))
        if kind == "kill":
            self.fail()
            return self.follow()
        with self.pair.silent_standby():
            until(lambda: self.pair.waiting() > 0, "a commit waits for the standby")
            if kind.startswith("cancel"):
                self.cancel()
            if kind != "cancel and continue":
                self.pair.primary.kill()
        if kind != "cancel and continue":
            self.fail()
            self.follow()
        return None

    def audit(self):
        self.fleet.drain(self.pair.primary)
        return auditor.audit(self.pair.primary, self.fleet, self.wfsm)


def prove(worker, wfsm, most, seed):
    with contextlib.ExitStack() as stack:
        one = Failing(stack, worker, wfsm, seed)
        while one.counts["failovers"] < most:
            one.round()
            print(f"{one.counts['failovers']} failovers, {one.fleet.progress()} acknowledged commits", flush=True)
        wrong, counts = one.audit()
    check(counts["unknown"] > 0 or most < 3, "no answer was lost")
    print(program.counted(one.counts))
    auditor.report(wrong, counts)
    return not wrong


def is_found_out(worker, wfsm, seed):
    """Commits that wait for no standby are lost, and this is found."""
    with contextlib.ExitStack() as stack:
        one = Failing(stack, worker, wfsm, seed)
        one.pair.primary.ask("ALTER SYSTEM SET synchronous_standby_names = ''")
        one.pair.primary.ask("SELECT pg_reload_conf()")
        with one.pair.silent_standby():
            one.fleet.await_progress(200)
            one.pair.primary.kill()
        one.fleet.kill()
        one.fail()
        one.pair.primary.ask("ALTER SYSTEM SET synchronous_standby_names = ''")
        one.pair.primary.ask("SELECT pg_reload_conf()")
        wrong, _counts = auditor.audit(one.pair.primary, one.fleet, wfsm, ends=False)
    return program.judge("a standby that nobody waits for", wrong, f"{len(wrong)} violations")


if __name__ == "__main__":
    sys.exit(program.run(__doc__, 4, prove, is_found_out))
