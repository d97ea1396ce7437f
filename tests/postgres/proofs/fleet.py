"""The engines of a proof: processes of `worker`, which are killed and started again."""
import os
import re
import signal
import subprocess
import time
from pathlib import Path

from servers import Server, check, give_to_user, make_folder, until

HERE = Path(__file__).resolve().parent
MACHINE = HERE / "job.json"
LOST_SESSION = 3  # what a worker ends with


class Worker:
    def __init__(self, fleet, number, address, prefix=(), options=None):
        self.fleet, self.address, self.prefix = fleet, address, list(prefix)
        self.name, self.lives = f"w{number}", 0
        self.options = dict(options or {})
        self.log = fleet.folder / f"{self.name}.log"
        self.process, self.offset, self.commits, self.troubles = None, 0, 0, 0
        self.before = []  # words before the program
        self.is_wanted = True  # or it is not started again
        self.deaths = {}  # by session: microseconds of the monotonic clock

    def start(self):
        self.lives += 1
        words = [f"{key}={value}" for key, value in {**self.fleet.options, **self.options}.items()]
        self.process = subprocess.Popen(
            [*self.prefix, *self.before, str(self.fleet.program), self.address, self.fleet.machines, str(self.fleet.folder),
             self.name, self.session(), *words], stdin=subprocess.DEVNULL, start_new_session=True)

    def session(self):
        return f"{self.name}.{self.lives}"

    def is_alive(self):
        return self.process and self.process.poll() is None

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.deaths.setdefault(self.session(), time.monotonic_ns() // 1000)

    def end(self):
        if self.is_alive():
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()

    def progress(self):
        """How many commits were acknowledged to it, in all its lives."""
        if self.log.exists() and self.log.stat().st_size > self.offset:
            with open(self.log, "rb") as file:
                file.seek(self.offset)
                text = file.read()
            text = text[:text.rfind(b"\n") + 1]
            self.offset += len(text)
            self.commits += len(re.findall(rb"^ok ", text, re.MULTILINE))
            self.troubles += len(re.findall(rb"^trouble ", text, re.MULTILINE))
        return self.commits

    def lines(self):
        return self.log.read_text(errors="replace").splitlines() if self.log.exists() else []

    def is_between(self):
        """It has no instance whose events are not all posted."""
        plans = [line for line in self.lines() if line.startswith(("begun ", "planned "))]
        return not plans or plans[-1].startswith("planned ")


class Fleet:
    def __init__(self, stack, program, folder, machines=(MACHINE,), **options):
        self.program, self.folder, self.options = Path(program).resolve(), folder, options
        self.machines = ",".join(map(str, machines))
        self.workers = []
        (folder / "work").mkdir()
        give_to_user(folder / "work")
        stack.callback(self.kill)

    def add(self, address, prefix=(), **options):
        worker = Worker(self, len(self.workers), address, prefix, options)
        self.workers.append(worker)
        return worker

    def start(self):
        for worker in self.workers:
            worker.start()

    def kill(self):
        for worker in self.workers:
            worker.kill()

    def progress(self, workers=None):
        return sum(worker.progress() for worker in workers or self.workers)

    def troubles(self, workers=None):
        """How many calls have failed."""
        self.progress(workers)
        return sum(worker.troubles for worker in workers or self.workers)

    def revive(self):
        """Starts those again that have ended because their session was lost. How many?"""
        ended = [worker for worker in self.workers if worker.is_wanted and not worker.is_alive()]
        for worker in ended:
            check(worker.process.returncode == LOST_SESSION, f"{worker.name} has ended: {worker.lines()[-3:]}")
            worker.start()
        return len(ended)

    def await_progress(self, more, workers=None):
        begin = self.progress(workers)

        def is_there():
            self.revive()
            return self.progress(workers) - begin >= more
        until(is_there, f"{more} commits", 0.003)

    def drain(self, server, patience=600):
        """No new instances are started, and those that are there come to their end."""
        (self.folder / "drain").touch()
        left = ("SELECT (SELECT count(*) FROM wfsm.head WHERE revision > 0 AND (status = 1 OR owing)) +"
                " (SELECT count(*) FROM wfsm.post)")

        def is_over():
            self.revive()
            return all(worker.is_between() for worker in self.workers) and \
                server.ask(left, check_it=False) == [("0",)]
        until(is_over, "all instances end", 0.1, patience)
        until(is_over, "all instances end", 0.1, patience)
        for worker in self.workers:
            worker.end()
        (self.folder / "drain").unlink()


def make_tables(server, wfsm, prefix=()):
    """Makes the tables."""
    done = subprocess.run([*prefix, wfsm, "store", "init", server.address()], capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"wfsm store init: {done.stdout}{done.stderr}")


def server_with_tables(stack, wfsm, folder=None, words=(), **options):
    """A server that runs; `words` are for initdb."""
    server = Server(stack, folder or make_folder(stack), "primary", **options)
    server.make(*words)
    server.start()
    make_tables(server, wfsm)
    return server


def environment():
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
