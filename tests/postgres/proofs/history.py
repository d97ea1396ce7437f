#!/usr/bin/env python3
"""All calls of eight clients, while sessions, the server, the pool and the clients are killed.

usage: history.py CLIENT WFSM [CALLS [SEED]]

CALLS is how many they make, without those that fail. For each instance linear.py looks for an order that explains all answers. Then the
same is done with clients whose store acknowledges before it writes, and with clients that read what is old: both
must be found.
"""
import collections
import contextlib
import functools
import subprocess
import sys
import time

import linear
import program
from fleet import HERE
from servers import check, until
from victims import Victims, show_kills

CLIENTS = 8
TARGETS = {"session": 45, "client": 35, "server": 10, "pool": 10}


class Clients(Victims):
    def __init__(self, stack, client, wfsm, calls, seed, **options):
        super().__init__(stack, wfsm, seed, TARGETS)
        self.client, self.calls, self.seed, self.counts = client, calls, seed, collections.Counter()
        self.options = [f"{key}={value}" for key, value in options.items()]
        self.logs = [self.server.folder / f"c{number}.log" for number in range(CLIENTS)]
        self.processes = [None] * CLIENTS
        stack.callback(self.end)
        for number in range(CLIENTS):
            self.start(number)

    def start(self, number):
        self.processes[number] = subprocess.Popen(
            [self.client, self.place(number), HERE / "register.json", self.logs[number],
             self.server.folder / "count", str(number), str(self.seed),
             str(self.calls), *self.options], stdin=subprocess.DEVNULL)

    def end(self):
        for process in self.processes:
            if process:
                process.kill()
                process.wait()

    def size(self):
        return sum(log.stat().st_size for log in self.logs if log.exists())

    def running(self):
        for process in self.processes:
            check(process.poll() in (None, 0), f"a client has ended with {process.returncode}")
        return [number for number, process in enumerate(self.processes) if process.returncode is None]

    def kill_client(self):
        number = self.random.choice(self.running() or [0])
        self.processes[number].kill()
        self.processes[number].wait()
        self.start(number)

    def run(self, every):
        """One kill for so many bytes of history, until all clients have ended."""
        while self.running():
            begin = self.size()
            more = self.random.randint(1, every)
            until(lambda: self.size() - begin > more or not self.running(), "the clients continue", 0.003)
            if self.running():
                self.kill_one()

    def read(self):
        """The calls by instance."""
        histories = collections.defaultdict(list)
        for log in self.logs:
            open_calls = {}
            for line in log.read_text().splitlines():
                word, *rest = line.split()
                if word == "invoke":
                    begin, call, kind, instance, value = rest
                    open_calls[call] = linear.Call(int(begin), kind, int(value), name=f"{log.stem} {call}")
                    histories[instance].append(open_calls[call])
                elif word == "return":
                    one = open_calls[rest[1]]
                    one.outcome, one.result = rest[2], (int(rest[3]), int(rest[4]))
                    one.end = int(rest[0]) if one.is_certain() else one.end
                elif word == "resolved":
                    self.counts["asked, and stored" if rest[1] == "1" else "asked, and not stored"] += 1
                check(word != "wrong", line)
        for calls in histories.values():
            self.counts.update(call.outcome for call in calls)
        return histories


def judge(histories):
    return [f"{instance}: {sentence}" for instance, calls in sorted(histories.items())
            if (sentence := linear.explain(calls))]


def prove(client, wfsm, calls, seed):
    check(linear.self_test(), "the checker gives a wrong answer to a history that is known")
    with contextlib.ExitStack() as stack:
        one = Clients(stack, client, wfsm, calls, seed)
        one.run(8000)
        histories = one.read()
    begin = time.monotonic()
    wrong = judge(histories)
    print(*wrong[:20], sep="\n", end="\n" if wrong else "")
    show_kills(one.kills)
    print(f"{sum(map(len, histories.values()))} calls of {CLIENTS} clients to {len(histories)} instances"
          f" ({program.counted(one.counts)}), checked in {time.monotonic() - begin:.1f} s; not linearizable: {len(wrong)}", flush=True)
    check(one.counts["unknown"] > 0, "no outcome was unknown")
    return not wrong


def is_found_out(client, wfsm, seed, **options):
    with contextlib.ExitStack() as stack:
        one = Clients(stack, client, wfsm, 1500, seed, **options)
        one.run(1000000)
        histories = one.read()
    wrong = judge(histories)
    return program.judge(options, wrong, f"in {len(wrong)} of {len(histories)} instances")


if __name__ == "__main__":
    sys.exit(program.run(__doc__, 6000, prove, functools.partial(is_found_out, early=40),
                         functools.partial(is_found_out, stale=5)))
