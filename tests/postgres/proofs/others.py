#!/usr/bin/env python3
"""Other faults under a few engines: stopped engines, wrong clocks, full disks, no connections, an old snapshot, newer tables.

usage: others.py WORKER CLIENT WFSM [TIMES [SEED [NAME …]]]

TIMES says how often or how long each is done; the names are those of the functions below that begin with prove_. After each
all instances come to their end, and auditor.py checks everything.
"""
import contextlib
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

import auditor
import program
from fleet import HERE, Fleet, server_with_tables
from servers import Wrong, check, give_to_user, kill, make_folder, until

ENGINES = 4
GONE = "SELECT count(*) FROM wfsm.head WHERE status = 1 AND owner = '{session}'"


class Proof:
    """A server, and engines that work on it."""

    def __init__(self, stack, paths, seed, *, folder=None, words=(), connections=60, **options):
        self.stack, self.paths, self.random = stack, paths, random.Random(seed)
        self.folder = folder or make_folder(stack)
        self.server = server_with_tables(stack, paths["wfsm"], self.folder, words, connections=connections)
        self.fleet = Fleet(stack, paths["worker"], self.folder, **{"lapse": 2000, "answer": 2000, **options})

    def engines(self, count=ENGINES, **options):
        for _ in range(count):
            self.fleet.add(self.server.address(), **options).start()

    def await_word(self, pattern, workers=None):
        """Until a new line of an engine has it."""
        workers = workers or self.fleet.workers
        places = {worker: len(worker.lines()) for worker in workers}

        def is_there():
            return any(re.search(pattern, line) for worker in workers for line in worker.lines()[places[worker]:])
        until(is_there, pattern, 0.05)

    def end(self, say, **options):
        self.fleet.drain(self.server)
        wrong, counts = auditor.audit(self.server, self.fleet, self.paths["wfsm"], **options)
        print(say)
        auditor.report(wrong, counts)
        return not wrong, counts


# ---- engines that are stopped, and clocks ----

def prove_stopped(stack, paths, times, seed):
    """SIGSTOP for longer than the lease: others take over, and the engine is refused when it continues."""
    one = Proof(stack, paths, seed)
    one.engines()
    for _ in range(times):
        one.fleet.await_progress(one.random.randint(5, 40))
        worker = one.random.choice(one.fleet.workers)
        others = [other for other in one.fleet.workers if other is not worker]
        kill(worker.process.pid, signal.SIGSTOP)
        until(lambda worker=worker: one.server.number(GONE.format(session=worker.session())) == 0,
              "others take over what a stopped engine has", 0.05)
        one.fleet.await_progress(10, others)
        kill(worker.process.pid, signal.SIGCONT)
        one.fleet.await_progress(5, [worker])
    return one.end(f"stopped: {times} times", late=True)[0]


def prove_clocks(stack, paths, times, seed):
    """A day before, a day behind, and right; the server's clock counts. While all live, nobody loses anything."""
    day = 24 * 3600 * 1000
    one = Proof(stack, paths, seed, lapse=5000)
    for shift in (-day, day, 0, 0):
        one.engines(1, shift=shift)
    faked = shutil.which("faketime") is not None
    for word in ("+1d", "-1d") if faked else ():
        worker = one.fleet.add(one.server.address())
        worker.before = ["faketime", "-f", word]
        worker.start()
    one.fleet.await_progress(150 * times)
    lost = sum(line.startswith("lost ") for worker in one.fleet.workers for line in worker.lines())
    for _ in range(times):
        one.fleet.await_progress(one.random.randint(5, 40))
        worker = one.random.choice(one.fleet.workers)
        worker.kill()
        until(lambda worker=worker: one.server.number(GONE.format(session=worker.session())) == 0,
              "others take over what a killed engine had", 0.05)
        worker.start()
    fine, _counts = one.end(f"clocks: {len(one.fleet.workers)} engines{', two of them under faketime' if faked else ''}, "
                            f"{times} kills; lost while all lived: {lost}")
    return fine and lost == 0


# ---- full disks ----

def small_disk(stack, path, megabytes):
    path.mkdir()
    check(subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "wfsm-proof", path],
                         check=False).returncode == 0, "no file system can be mounted")
    stack.callback(subprocess.run, ["umount", "-l", path], check=False)
    give_to_user(path)


def fill(path):
    """All that is left."""
    with contextlib.suppress(OSError), open(path / "filler", "wb", buffering=0) as out:
        while out.write(b"\0" * 65536) > 0:
            pass


def prove_disk(stack, paths, times, seed):
    """The disk of the tables is full: the server refuses, and lives on."""
    folder = make_folder(stack)
    small_disk(stack, folder / "primary", 100)
    log = folder / "wal"
    one = Proof(stack, paths, seed, folder=folder, words=("--waldir", log))
    one.engines()
    for _ in range(times):
        one.fleet.await_progress(50)
        fill(folder / "primary")
        one.await_word("SQLSTATE 53100")
        (folder / "primary" / "filler").unlink()
        one.fleet.await_progress(50)
    return one.end(f"disk: {times} times full, with SQLSTATE 53100")[0]


def prove_log(stack, paths, times, seed):
    """The disk of the log is full: the server ends, and cannot start before there is room."""
    folder = make_folder(stack)
    small_disk(stack, folder / "wal", 120)
    one = Proof(stack, paths, seed, folder=folder, words=("--waldir", folder / "wal" / "log", "--wal-segsize", "1"))
    one.engines()
    for _ in range(times):
        one.fleet.await_progress(50)
        fill(folder / "wal")
        one.await_word("trouble .*(cannot connect|lost)")
        until(lambda: "PANIC" in one.server.log.read_text(errors="replace") or not one.server.answers(),
              "the server ends", 0.1)
        (folder / "wal" / "filler").unlink()
        if one.server.process.poll() is not None:
            one.server.start()
        else:
            one.server.await_start()
        one.fleet.await_progress(50)
    panics = one.server.log.read_text(errors="replace").count("PANIC")
    return one.end(f"log: {times} times full, {panics} times PANIC")[0]


# ---- connections ----

class Held:
    """A session that does nothing. `pid` is None if the server has no more."""

    def __init__(self, server):
        self.pid, self.socket = None, socket.socket(socket.AF_UNIX)
        self.socket.connect(f"{server.folder}/.s.PGSQL.{server.port}")
        words = b"user\0wfsm\0database\0postgres\0\0"
        self.socket.sendall(struct.pack("!ii", 8 + len(words), 196608) + words)
        file = self.socket.makefile("rb")
        kind = b"R"
        while kind not in (b"Z", b"E", b""):
            kind = file.read(1)
            text = file.read(struct.unpack("!i", file.read(4))[0] - 4) if kind else b""
            if kind == b"K":
                self.pid = struct.unpack("!ii", text)[0]


def prove_connections(stack, paths, times, seed):
    """max_connections is used up when the engines lose their sessions."""
    one = Proof(stack, paths, seed, connections=24)
    one.engines()
    for _ in range(times):
        one.fleet.await_progress(50)
        places = {worker: len(worker.lines()) for worker in one.fleet.workers}
        held = []

        def is_used_up(held=held, places=places):
            """Takes what is left, and what the engines have."""
            held.append(Held(one.server))
            if held[-1].pid is None:
                for pid in set(one.server.backends()) - {other.pid for other in held}:
                    kill(pid, signal.SIGTERM)
            return all(any("too many clients" in line or "connection slots" in line
                           for line in worker.lines()[places[worker]:]) for worker in one.fleet.workers)
        until(is_used_up, "the engines find no connection")
        for connection in held:
            connection.socket.close()
        one.fleet.await_progress(50)
    return one.end(f"connections: {times} times none left")[0]


# ---- an old snapshot ----

SIZES = ("SELECT sum(n_dead_tup), sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables"
         " WHERE relname IN ('head', 'due', 'snapshot', 'session')")


class Writer:
    """One client that changes three instances, so that their rows are changed again and again."""

    def __init__(self, stack, proof):
        self.count = proof.folder / "count"
        self.process = subprocess.Popen(
            [proof.paths["client"], proof.server.address(), HERE / "register.json", proof.folder / "c0.log", self.count,
             "0", "1", "1000000000", "round=1000000000"], stdin=subprocess.DEVNULL)
        stack.callback(self.process.wait)
        stack.callback(self.process.kill)

    def done(self):
        text = self.count.read_bytes() if self.count.exists() else b""
        return struct.unpack("l", text)[0] if len(text) == 8 else 0

    def milliseconds(self, calls):
        """How long one call takes, over so many."""
        first, begin = self.done(), time.monotonic()
        until(lambda: self.done() - first >= calls, "the client continues")
        return 1000 * (time.monotonic() - begin) / (self.done() - first)


def prove_xmin(stack, paths, times, seed):
    """A transaction that keeps its snapshot, so that no version of a row is removed."""
    one = Proof(stack, paths, seed)
    writer = Writer(stack, one)
    each = 500
    print(f"xmin: ms for a call, before: {writer.milliseconds(each):.2f}")
    holder = subprocess.Popen([one.server.programs / "psql", *one.server.words(), "-Xqd", "postgres"],
                              stdin=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL)
    stack.callback(holder.kill)
    holder.stdin.write("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM wfsm.head;\n")
    holder.stdin.flush()
    until(lambda: one.server.number("SELECT count(*) FROM pg_stat_activity WHERE backend_xmin IS NOT NULL"
                                    " AND state = 'idle in transaction'") == 1, "the snapshot is held")
    for turn in range(times):
        cost = writer.milliseconds(each)
        dead, size = one.server.ask(SIZES)[0]
        print(f"  held for {(turn + 1) * each} calls: {cost:.2f} ms, {dead} dead rows, {int(size) // 1024} kB", flush=True)
    holder.kill()
    until(lambda: one.server.number("SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'") == 0,
          "the snapshot is gone")
    one.server.ask("VACUUM wfsm.head, wfsm.due, wfsm.snapshot, wfsm.session")
    cost = writer.milliseconds(each)
    dead, size = one.server.ask(SIZES)[0]
    print(f"  after VACUUM: {cost:.2f} ms, {dead} dead rows, {int(size) // 1024} kB", flush=True)
    check(writer.process.poll() is None, "the client has ended")
    return True


# ---- newer tables ----

def prove_newer(stack, paths, times, seed):
    """The server is restarted, and a newer release has made its tables: all is refused, with a sentence."""
    one = Proof(stack, paths, seed)
    one.engines()
    words = "have version 2, which a newer release of wfsm made"
    for _ in range(times):
        one.fleet.await_progress(50)
        one.server.kill()
        until(lambda: all(any("cannot connect" in line for line in worker.lines()[-5:]) for worker in one.fleet.workers),
              "the engines see that the server is gone", 0.05)
        for worker in one.fleet.workers:
            kill(worker.process.pid, signal.SIGSTOP)
        one.server.start()
        one.server.ask("UPDATE wfsm.version SET number = 2")
        begin = one.fleet.progress()
        for worker in one.fleet.workers:
            kill(worker.process.pid, signal.SIGCONT)
        for worker in one.fleet.workers:
            one.await_word(words, [worker])
        check(one.fleet.progress() == begin, "a commit was acknowledged on tables of a newer version")
        done = subprocess.run([paths["wfsm"], "list", one.server.address()], capture_output=True, text=True, check=False)
        check(done.returncode == 1 and words in done.stderr, f"wfsm list: {done.stderr}")
        one.server.ask("UPDATE wfsm.version SET number = 1")
        one.fleet.await_progress(50)
    return one.end(f"newer tables: {times} times refused", refused=("VERSION",))[0]


def main():
    paths, times, seed, names = program.begin(__doc__, 3, 2)
    paths = dict(zip(("worker", "client", "wfsm"), paths, strict=True))
    proofs = {name.removeprefix("prove_"): run for name, run in globals().items() if name.startswith("prove_")}
    fine = True
    for name in names or proofs:
        if name in ("disk", "log") and os.getuid() != 0:
            print(f"{name}: skipped, it needs root")
            continue
        try:
            with contextlib.ExitStack() as stack:
                fine &= proofs[name](stack, paths, times, seed)
        except Wrong as wrong:
            print(f"{name}: {wrong}")
            fine = False
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
