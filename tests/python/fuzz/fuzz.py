"""Calls everything that the package has with whatever there is, and sees that it does not crash.

    python3 tests/python/fuzz/fuzz.py [--cases N] [--first N] [--seconds S] [--quiet]

Each case has a number, from which all that it does follows, except for what threads do first.
Objects are wrong, closed, in use by another thread, copied, or those of a parent process; callbacks
call what called them, raise KeyboardInterrupt, and keep what they were given. Any exception is
fine, except for those of ctypes and of the interpreter itself. The environment names the libraries,
as for the other tests.
"""
import argparse
import asyncio
import ctypes
import faulthandler
import inspect
import logging
import os
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(ROOT / "bindings" / "python"),
                str(ROOT / "bindings" / "python" / "examples")]

from surface import callables, parameters  # noqa: E402
from world import World  # noqa: E402

OPERATIONS = 25
DEEPEST = 2
# ASan's allocator does not come through a fork while a thread is ending.
FORKS = "libasan" not in os.environ.get("LD_PRELOAD", "")
PATIENCE = 300  # seconds after which a case hangs, also on a machine that does much else


async def collected(values):
    return [value async for value in values]


class Case:
    def __init__(self, number, folder, surface, called):
        self.random, self.surface, self.called = random.Random(number), surface, called
        self.depth, self.problems = 0, []
        self.world = World(self.random, folder, self.inside)

    def run(self):
        for _ in range(OPERATIONS):
            chance = self.random.random()
            if chance < 0.1:
                self.beside()
            elif chance < 0.13 and FORKS:
                self.forked()
            else:
                self.operation()
        self.world.end()

    def inside(self, what):
        """In a callback."""
        if self.depth >= DEEPEST or what in ("clock", "condition"):
            return
        self.depth += 1
        try:
            for _ in range(self.random.randrange(3)):
                self.operation()
        finally:
            self.depth -= 1
        if self.random.random() < 0.1:
            raise self.random.choice((ValueError, KeyboardInterrupt, SystemExit, GeneratorExit,
                                      asyncio.CancelledError))("of a callback")

    def beside(self):
        """Two threads at once."""
        threads = [threading.Thread(target=self.operation, daemon=True) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def forked(self):
        child = os.fork()
        if child == 0:
            try:
                for _ in range(5):
                    self.operation()
            finally:
                print(*self.problems, sep="\n", end="", flush=True)
                os._exit(3 if self.problems else 0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code not in (0, 1):  # 1: a child that was forked in a callback
            self.problems.append(f"a child ended with {code}")

    def operation(self):
        name, kind, owner, function = self.random.choice(self.surface)
        try:
            self.called.add(name)
            value = self.use(name, kind, owner, function)
            if hasattr(value, "close") or self.random.random() < 0.2:
                self.world.pool.append(value)
                del self.world.pool[60:]
        except (ctypes.ArgumentError, SystemError) as problem:
            self.problems.append(f"{name}: {type(problem).__name__}: {problem}")
        except BaseException:  # whatever it says, it has said it
            pass

    def use(self, name, kind, owner, function):
        target = None
        if kind in ("method", "property"):
            fitting = [one for one in self.world.pool if isinstance(one, owner)]
            target = self.random.choice(fitting if fitting and self.random.random() < 0.9
                                        else self.world.pool)
        if kind == "property":
            return function(target)
        positional, named = self.arguments(function, kind == "method")
        value = function(*([target] if kind == "method" else []), *positional, **named)
        if inspect.iscoroutine(value):
            return asyncio.run(value)
        if inspect.isasyncgen(value):
            return asyncio.run(collected(value))
        return list(value) if inspect.isgenerator(value) else value

    def arguments(self, function, method):
        known = parameters(function)
        if known is None:
            return [self.world.value("?") for _ in range(self.random.randrange(3))], {}
        positional, named = [], {}
        for one in known[1:] if method else known:
            if one.kind is one.VAR_KEYWORD:
                if self.random.random() < 0.5:
                    named["tokens"] = self.world.value("tokens")
            elif one.kind is one.VAR_POSITIONAL:
                continue
            elif one.default is one.empty:
                positional.append(self.world.value(one.name))
            elif one.name == "timeout" or self.random.random() < 0.4:
                named[one.name] = self.world.value(one.name)
        return positional, named


def run(number, surface, called):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            case = Case(number, folder, surface, called)
            case.run()
            return case.problems
        finally:
            os.chdir(before)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--quiet", action="store_true")
    given = parser.parse_args()
    faulthandler.enable()
    logging.getLogger("wfsm").setLevel(logging.CRITICAL + 1)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL + 1)
    surface, called, number, bad = callables(), set(), given.first, 0
    names = {name for name, *_ in surface}
    end = None if given.seconds is None else time.monotonic() + given.seconds
    while time.monotonic() < end if end else number < given.first + given.cases:
        if not given.quiet:
            print(f"case {number}", flush=True)
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        for problem in run(number, surface, called):
            print(f"case {number}: {problem}", flush=True)
            bad += 1
        faulthandler.cancel_dump_traceback_later()
        number += 1
    never = sorted(names - called)
    print(f"{number - given.first} cases, {len(called)} of {len(names)} callables, {bad} problems"
          f"{'; never called: ' if never else ''}{', '.join(never[:20])}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
