"""Eight processes work on the same instances for a number of seconds.

usage: contention.py KILL_HOST MACHINE WFSM [SECONDS [SEED]]

One engine owns four instances. Four posters and three senders bring them events as fast as they
can. From time to time the engine is killed, and another takes over, half of the time only when
its row has lapsed. Or the engine is stopped until another has taken over, and then continues:
the fenced old owner must neither fail nor do harm.

The senders may see conflicts, but no other error and no busy store. Each acknowledged event is
in the journal exactly once, its timer fired once, and its effect was delivered, in order. The
states have as many events as the journals, and the audit is clean. The program prints its counts.
"""
import collections
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

from kill_hosts import BRINGERS, INSTANCES, World

NEVER = -1  # no instance ends
NAP = 3  # seconds, longer than the lapse of kill_host.c


class Contention(World):
    def __init__(self, host, machine, folder, seed):
        super().__init__(host, machine, folder, seed, BRINGERS)
        self.each, self.target = 0, NEVER
        self.naps, self.sleeper = 0, None
        self.told = False

    def gone(self):
        return super().gone() if self.told else ""

    def disturb(self):
        self.told = self.random.random() < 0.5
        if self.sleeper is None and self.random.random() < 0.3:
            process = self.running.pop("engine")
            process.send_signal(signal.SIGSTOP)
            self.sleeper = process, time.monotonic() + NAP
            self.told = False
            self.naps += 1
        else:
            self.kill("engine")

    def wake(self):
        """It learns that its instances are another's, and lives on beside them."""
        process, _ = self.sleeper
        self.sleeper = None
        process.send_signal(signal.SIGCONT)
        time.sleep(0.5)
        if process.poll() is not None:
            self.errors.append(f"the old owner: {process.communicate()[1].decode().strip()}")
        process.kill()
        process.communicate()

    def end(self, names):
        """They end by themselves; who does not is named."""
        for name in names:
            self.running[name].send_signal(signal.SIGTERM)
        until = time.monotonic() + 300
        while set(names) & set(self.running) and time.monotonic() < until:
            time.sleep(0.02)
            self.reap()
        for name in set(names) & set(self.running):
            self.kill(name)
            self.errors.append(f"{name} came to no end")

    def play(self, seconds):
        begin = time.monotonic()
        next_time = begin + 1
        for name in ["engine", *self.bringers]:
            self.start(name)
        while time.monotonic() < begin + seconds and not self.errors:
            time.sleep(0.02)
            self.reap()
            if self.sleeper and time.monotonic() > self.sleeper[1]:
                self.wake()
            if "engine" in self.running and time.monotonic() > next_time:
                self.disturb()
                self.start("engine")
                next_time = time.monotonic() + self.random.uniform(0.3, 4)
        if self.sleeper:
            self.wake()
        self.end(sorted(set(self.bringers) & set(self.running)))
        self.end(["engine"] if "engine" in self.running else [])

    # ---- what is left ----

    def check_states(self, wfsm, records):
        for instance in (f"i{i}" for i in range(INSTANCES)):
            shown = json.loads(subprocess.run([wfsm, "show", "--json", self.store, instance],
                                              capture_output=True, text=True).stdout)
            kinds = collections.Counter(record["input"].get("event") for record in records[instance])
            held = {"add": shown["context"]["n"], "tick": shown["context"]["ticks"]}
            if not kinds["add"] == kinds["tick"] == held["add"] == held["tick"]:
                yield f"{instance}: the journal has {kinds}, the state {held}"

    def check_file(self, wfsm):
        done = subprocess.run([wfsm, "audit", self.store], capture_output=True, text=True)
        return [done.stdout + done.stderr] if done.returncode else []

    def check_delivery(self, records):
        made = collections.defaultdict(dict)
        for instance, found in records.items():
            for record in found:
                for effect in record.get("effects", []):
                    made[instance][f"{instance}/{record['revision']}/{effect['ordinal']}-{effect['incarnation']}"] = True
        seen = collections.defaultdict(dict)
        lines = self.effects.read_text().splitlines()
        self.delivered = len(lines)
        for effect in (line.split()[0] for line in lines):
            seen[effect.rsplit("/", 2)[0]][effect] = True  # the first time counts
        for instance in {**made, **seen}:
            if list(made[instance]) != list(seen[instance]):
                yield (f"{instance}: {len(made[instance])} effects were made, "
                       f"{len(seen[instance])} delivered, or not in order")


def main():
    host, machine, wfsm = sys.argv[1:4]
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 3
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else random.randrange(1 << 32)
    with tempfile.TemporaryDirectory() as folder:
        world = Contention(host, machine, folder, seed)
        world.play(seconds)
        records = world.journal()
        wrong, acknowledged = world.check_events(records)
        wrong += [*world.errors, *world.check_states(wfsm, records), *world.check_delivery(records),
                  *world.check_file(wfsm)]
        told = [[int(word) for word in world.said.get(name, "0 0").split()] for name in BRINGERS]
    print("\n".join(text[:500] for text in wrong[:20]))
    print(f"seed {seed}, {seconds:g} s: {1 + len(BRINGERS)} processes, the owner killed {world.kills} "
          f"times and overtaken {world.naps} times; {acknowledged} events acknowledged, "
          f"{sum(map(len, records.values()))} commits, {world.delivered} deliveries of effects, "
          f"{sum(one for one, _ in told)} conflicts answered, longest call "
          f"{max(longest for _, longest in told)} ms; violations: {len(wrong)}")
    if not world.kills + world.naps or not acknowledged:
        print("nothing happened")
    return 1 if wrong or not world.kills + world.naps or not acknowledged else 0


if __name__ == "__main__":
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    sys.exit(main())
