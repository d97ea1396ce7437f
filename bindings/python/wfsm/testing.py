"""For tests of workflows: a clock that stands still until it is advanced, proofs that fail with their
counterexample, and journals that are replayed. doc/python-testing.md has examples."""
from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Coroutine, Optional, TypeVar, Union

from . import _boundary, _text
from ._simulated import Loop, Stalled, Time
from .engine import Engine
from .flow import Flow
from .instance import Instance
from .machine import Machine, Source
from .store import Replayed, Store, sqlite
from .verify import Verification, Violation

T = TypeVar("T")


class Clock:
    """Simulated time, in milliseconds, that stands still until ``advance``. While it is used by ``with``, all
    of the package reads it where no time is given: ``wfsm.now()``, engines, instances and stores.

        with Clock() as clock:
            engine.start("review", "task-1")
            clock.advance(3_600_000, engine)

    Coroutines, and engines that they drive, run in ``clock.run(main())``: there ``asyncio.sleep``, time limits
    and the engine's timers wait for this clock too, and ``await clock.pass_time(milliseconds)`` advances it.
    One clock is in use at a time.

    `now` is where it begins.
    """

    def __init__(self, now: int = 0):
        self._time = Time(_text.number(now, "now"))
        self._loop: Optional[Loop] = None

    @property
    def now(self) -> int:
        """The time."""
        return self._time.milliseconds

    def __enter__(self) -> "Clock":
        if _text.simulated is not None:
            raise RuntimeError("a simulated clock is in use already")
        _text.simulated = lambda: self._time.milliseconds
        return self

    def __exit__(self, *_: object) -> None:
        _text.simulated = None

    def advance(self, milliseconds: int, *driven: Union[Engine, Instance]) -> None:
        """Advances the clock, and stops where an engine or an instance of these has something to
        do: then it does it. Not within ``run``, where engines are driven by their loop. `driven`
        are these, and `milliseconds` is how far."""
        if self._loop is not None:
            raise RuntimeError("within run(), use: await clock.pass_time(…)")
        target = self.now + _text.number(milliseconds, "milliseconds")
        while True:
            for one in driven:
                _act(one)
            due = [one.deadline for one in driven if not one.closed]
            later = [time for time in due if time is not None and self.now < time <= target]
            if not later and self.now == target:
                return
            self._set(min(later, default=target))

    def _set(self, now: int) -> None:
        self._time.now = self._time.target = now * 1000

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        """Runs a coroutine in a loop whose time is this clock's. Raises Stalled if everything waits
        for a later time, and nobody advances the clock. `main` is that coroutine."""
        if _text.simulated is None:
            main.close()
            raise RuntimeError("use the clock by 'with' first")
        self._loop = Loop(self._time)
        try:
            return self._loop.run_until_complete(self._main(main))
        finally:
            self._end(self._loop)
            self._loop = None

    async def _main(self, main: Coroutine[Any, Any, T]) -> T:
        return await main

    def _end(self, loop: Loop) -> None:
        """Cancels what is left, as asyncio.run does."""
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        self._time.target = self._time.now + 1_000_000_000
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True) if left else asyncio.sleep(0))
        self._time.target = self._time.now
        loop.close()

    async def pass_time(self, milliseconds: int) -> None:
        """Advances the clock within ``run``. Whatever becomes due meanwhile is done at its time.
        `milliseconds` is how far."""
        if self._loop is None or asyncio.get_running_loop() is not self._loop:
            raise RuntimeError("pass_time() is for coroutines in run(); otherwise use advance()")
        wanted = self._time.now + _text.number(milliseconds, "milliseconds") * 1000
        self._time.target = max(self._time.target, wanted)
        await asyncio.sleep((wanted - self._time.now) / 1_000_000)
        for _ in range(100):  # lets the tasks run whose time has come
            await asyncio.sleep(0)


def _act(driven: Union[Engine, Instance]) -> None:
    if driven.closed:
        return
    if isinstance(driven, Engine):
        driven.run()
    else:
        driven.advance()


def _machine(given: Union[Machine, "Flow[Any]", Source]) -> Machine:
    """A text is the path of a file here."""
    if isinstance(given, Machine):
        return given
    if isinstance(given, Flow):
        return given.machine()
    return Machine.load(Path(given) if isinstance(given, str) else given)


def _shown(found: Violation) -> str:
    place = f" ({found.pointer}, line {found.line})" if found.line else ""
    trace = f"\n{found.trace.rstrip()}" if found.trace else ""
    return f"{found.message}{place}{trace}"


def verify(machine: Union[Machine, "Flow[Any]", Source], *, undecided: bool = False, **options: Any) -> Verification:
    """Verifies a machine, and raises AssertionError with the counterexamples as its message. The
    machine may be a Flow, a document as a dict, or the path of one. The options are those of
    ``Machine.verify``. With `undecided`, a machine that is too large to be explored passes if
    nothing wrong was found. `machine` and `options` are these."""
    __tracebackhide__ = True  # pylint: disable=unused-variable
    compiled = _machine(machine)
    found = compiled.verify(**options)
    wrong = [_shown(one) for one in found.diagnostics if one.severity == "error"]
    if wrong:
        raise AssertionError(f"machine {compiled.id!r}: " + "\n\n".join(wrong))
    if not found and not undecided:
        names = [name for name, verdict in found.properties.items() if verdict is not found.verdict.HOLDS]
        why = "; ".join([*([f"the search reached {found.bound}"] if found.bound else []), *found.notes])
        raise AssertionError(f"machine {compiled.id!r}: undecided: {', '.join(names) or 'the search did not end'} "
                             f"({why})")
    return found


def replay(store: Union[Store, str, "os.PathLike[str]"], instance: str,
           machine: Union[Machine, "Flow[Any]", Source]) -> Replayed:
    """Replays the journal of a stored instance under a machine, and raises AssertionError if
    something else comes of it. `store` may be the path of a copy of the file. The machine is as for
    ``verify``. `instance` is its id, and `machine` the one that is tried."""
    __tracebackhide__ = True  # pylint: disable=unused-variable
    with ExitStack() as stack:
        if not isinstance(store, Store):
            if not Path(store).exists():  # a store that is opened is made
                raise FileNotFoundError(f"there is no file {store}")
            store = stack.enter_context(sqlite(store))
        compiled = _machine(machine)
        found = store.replay(instance, compiled)
    if found.revision:
        what = "gives something else" if found.diverged else "cannot be replayed"
        raise AssertionError(f"instance {instance!r}: under machine {compiled.id!r}, revision {found.revision} "
                             f"{what}: {found.message}")
    return found


__all__ = ["Clock", "Stalled", "replay", "verify"]


_boundary.around(globals())
