#!/usr/bin/env python3
"""kill -9 of a PostgreSQL server, its sessions, a pool and eight engines, at random.

usage: kills.py WORKER WFSM [KILLS [SEED]]

Half of the engines go through pgbouncer. A kill comes when some commits were acknowledged since the one
before it; one in ten comes at once. At the end all instances come to their end, and auditor.py checks
everything. Then the same is done with engines that acknowledge before they write: the audit must find it.
"""
import collections
import contextlib
import sys

import auditor
import program
from fleet import Fleet
from servers import kill
from victims import Victims, show_kills

ENGINES = 8
EVERY = 250  # kills; then all instances end, so that the audit is not of one long run only
TARGETS = {"session": 40, "engine": 44, "server": 8, "pool": 8}


class Killing(Victims):
    def __init__(self, stack, worker, wfsm, seed, **options):
        super().__init__(stack, wfsm, seed, TARGETS)
        self.wfsm = wfsm
        self.fleet = Fleet(stack, worker, self.server.folder, **options)
        for number in range(ENGINES):
            self.fleet.add(self.place(number))
        self.fleet.start()

    def kill_engine(self):
        worker = self.random.choice(self.fleet.workers)
        worker.kill()
        worker.start()

    def kill_server(self):
        """Only its main process, or all of them at once."""
        if self.random.random() < 0.5:
            kill(self.server.process.pid)
            self.server.process.wait()
            self.server.start()
        else:
            super().kill_server()

    def run(self, most):
        begin = sum(self.kills.values())
        while sum(self.kills.values()) - begin < most:
            if self.random.random() >= 0.1:
                self.fleet.await_progress(self.random.randint(1, 30))
            self.kill_one()

    def audit(self):
        self.fleet.drain(self.server)
        return auditor.audit(self.server, self.fleet, self.wfsm)


def prove(worker, wfsm, most, seed):
    """So many kills, in several runs, each with a server of its own."""
    counts, kills, wrong = collections.Counter(), collections.Counter(), []
    while sum(kills.values()) < most:
        with contextlib.ExitStack() as stack:
            one = Killing(stack, worker, wfsm, seed)
            one.run(min(EVERY, most - sum(kills.values())))
            found, counted = one.audit()
        kills += one.kills
        counts += counted
        wrong += [f"seed {seed}: {sentence}" for sentence in found]
        print(f"seed {seed}: {sum(kills.values())} kills, {counts['ok']} acknowledged commits,"
              f" {len(wrong)} violations", flush=True)
        seed += 1
    show_kills(kills)
    auditor.report(wrong, counts)
    return not wrong


def is_found_out(worker, wfsm, seed):
    """Engines that acknowledge one commit in 50 before they write it."""
    with contextlib.ExitStack() as stack:
        one = Killing(stack, worker, wfsm, seed, early=50)
        one.fleet.await_progress(2000)
        one.fleet.kill()
        wrong, _counts = auditor.audit(one.server, one.fleet, wfsm, ends=False)
    return program.judge("engines that acknowledge too early", wrong, f"{len(wrong)} violations")


if __name__ == "__main__":
    sys.exit(program.run(__doc__, 40, prove, is_found_out))
