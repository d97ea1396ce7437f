#!/usr/bin/env python3
"""Networks that break between engines, a primary and its standby.

usage: partitions.py WORKER WFSM [ROUNDS [SEED]]

Four engines in the east and four in the west, a primary and a synchronous standby, each of these on a network of its
own (network namespaces; needs root). In each round some of them stop hearing each other:

  engines   the east and both servers, in both directions or in one: the west takes over what the east had, and the
            east is refused when it comes back
  standby   primary and standby: nothing is acknowledged, also if the waits for the standby are cancelled
  primary   primary and east here, standby and west there. The standby is promoted while the old primary stays alive:
            it acknowledges nothing more, and the west continues. In half of these rounds the network heals while
            both are alive.

At the end all instances come to their end, and auditor.py checks everything.
"""
import collections
import contextlib
import random
import sys

import auditor
import program
from fleet import Fleet, make_tables
from network import Network, is_possible
from pair import Pair
from servers import Wrong, check, make_folder, until

EACH = 4  # engines in the east, and in the west
KINDS = {"engines": 45, "standby": 20, "primary": 35}
LEFT = ("SELECT count(*) FROM wfsm.head AS h JOIN wfsm.session AS s ON s.namespace = h.namespace AND s.name = h.owner"
        " WHERE h.status = 1 AND s.until < extract(epoch FROM now()) * 1000 AND h.owner IN ({names})")


class Parting:
    def __init__(self, stack, worker, wfsm, seed):
        self.random, self.wfsm, self.counts = random.Random(seed), wfsm, collections.Counter()
        folder = make_folder(stack)
        self.network = Network(stack, ["one", "two", "east", "west"])
        self.pair = Pair(stack, folder, [self.network.address(name) for name in ("one", "two")],
                         [self.network.at(name) for name in ("one", "two")])
        make_tables(self.pair.primary, wfsm, self.pair.primary.prefix)
        self.pair.begin()
        self.fleet = Fleet(stack, worker, folder, answer=2000, connect=2000, lapse=5000)
        for number in range(2 * EACH):
            self.fleet.add(self.pair.address(), self.network.at("west" if number % 2 else "east"))
        self.east, self.west = self.fleet.workers[::2], self.fleet.workers[1::2]
        self.fleet.start()

    def revive(self):
        """A worker whose session was lost has ended."""
        self.counts["sessions lost"] += self.fleet.revive()

    def await_progress(self, workers=None):
        self.fleet.await_progress(self.random.randint(5, 60), workers)

    # ---- engines ----

    def cut_engines(self):
        servers = ["one", "two"]
        kind = self.random.choice(("both", "answers", "questions"))
        self.counts[f"engines, {kind}"] += 1
        for server in servers:
            if kind in ("both", "answers"):
                self.network.cut(server, "east")
            if kind in ("both", "questions"):
                self.network.cut("east", server)

    def part_engines(self):
        """Until the leases of the east are over, and nothing is left of what it had."""
        names = ", ".join(f"'{worker.session()}'" for worker in self.east)
        begin = self.fleet.troubles(self.east)
        self.cut_engines()
        until(lambda: self.fleet.troubles(self.east) > begin, "the east loses an answer")
        self.await_progress(self.west)
        if self.random.random() < 0.7:
            until(lambda: self.pair.primary.number(
                f"SELECT count(*) FROM wfsm.session WHERE until < extract(epoch FROM now()) * 1000 AND name IN ({names})")
                == EACH, "the leases of the east are over")
            until(lambda: self.pair.primary.number(LEFT.format(names=names)) == 0, "the west takes over")
            self.counts["takeovers"] += 1
        self.network.heal()
        self.await_progress(self.east)

    # ---- the standby ----

    def part_standby(self):
        """A commit that was being acknowledged when the line was cut may still be."""
        self.network.part(["one"], ["two"])
        until(lambda: self.pair.waiting() > 0, "a commit waits for the standby")
        begin, acknowledged = self.fleet.troubles(), self.fleet.progress()
        until(lambda: self.fleet.troubles() > begin, "an answer is lost")
        if self.random.random() < 0.5:
            self.counts["cancelled waits"] += self.pair.cancel_waits()
        more = self.random.randint(1, 30)
        until(lambda: self.fleet.troubles() > begin + more, "more answers are lost")
        check(self.fleet.progress() == acknowledged, "a commit was acknowledged without the standby")
        self.network.heal()

    # ---- the primary ----

    def await_west_unless(self, is_wrong):
        """Waits until the west has made more commits, or something is wrong. The west stops if the new
        primary lacks commits of the old one."""
        begin, more = self.fleet.progress(self.west), self.random.randint(5, 60)

        def is_over():
            self.revive()
            return is_wrong() or self.fleet.progress(self.west) - begin >= more
        until(is_over, f"{more} commits in the west")

    def fence(self):
        """Checks that the old primary acknowledges nothing, even if its administrator cancels a wait."""
        begin, lost = self.fleet.progress(self.east), self.fleet.troubles(self.east)
        if self.random.random() < 0.5:
            with contextlib.suppress(Wrong):
                self.counts["cancelled waits"] += self.pair.standby.number(
                    f"SELECT count(pg_cancel_backend(pid)) {Pair.WAITING}")
        until(lambda: self.fleet.troubles(self.east) > lost or self.fleet.progress(self.east) > begin,
              "the east loses an answer")
        self.await_west_unless(lambda: self.fleet.progress(self.east) > begin)
        check(self.fleet.progress(self.east) == begin, "the old primary has acknowledged a commit")

    def part_primary(self):
        old, new = self.pair.primary.name, self.pair.standby.name
        self.network.part([old, "east"], [new, "west"])
        self.pair.exchange()
        self.pair.primary.want_standby("")
        self.fence()
        if self.random.random() < 0.5:
            self.counts["two primaries heard"] += 1
            self.network.heal()
            self.await_progress(self.west)
        self.pair.standby.kill()
        self.network.heal()
        self.await_progress(self.east)
        self.pair.primary.want_standby("*")
        self.pair.rebuild()
        self.pair.primary.await_standby()

    def round(self):
        kind = self.random.choices(list(KINDS), KINDS.values())[0]
        self.revive()
        self.await_progress()
        getattr(self, f"part_{kind}")()
        self.counts[kind] += 1
        self.counts["rounds"] += 1

    def audit(self):
        self.fleet.drain(self.pair.primary)
        return auditor.audit(self.pair.primary, self.fleet, self.wfsm)


def prove(worker, wfsm, most, seed):
    with contextlib.ExitStack() as stack:
        one = Parting(stack, worker, wfsm, seed)
        while one.counts["rounds"] < most:
            one.round()
            print(f"{one.counts['rounds']} rounds, {one.fleet.progress()} acknowledged commits", flush=True)
        wrong, counts = one.audit()
    print(program.counted(one.counts))
    auditor.report(wrong, counts)
    return not wrong


def is_found_out(worker, wfsm, seed):
    """An old primary that waits for no standby acknowledges commits, and is not fenced."""
    with contextlib.ExitStack() as stack:
        one = Parting(stack, worker, wfsm, seed)
        one.pair.primary.want_standby("")
        one.await_progress()
        try:
            one.part_primary()
            sentence = ""
        except Wrong as wrong:
            sentence = str(wrong)
    return program.judge("a primary that waits for nobody", "has acknowledged" in sentence, sentence)


if __name__ == "__main__":
    sys.exit(program.run(__doc__, 8, prove, is_found_out, is_possible=is_possible))
