"""How an engine runs: rounds, and waiting between them."""
from __future__ import annotations

import ctypes
import time
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional

from . import _boundary, _ffi, _text
from ._engine_base import EngineParts
from ._run import plain, run
from ._turn import in_thread, running_loop
from .driver import Driver
from .round import Round

if TYPE_CHECKING:
    from .engine import Engine

# Rounds of one call of ``Engine.run``.
_ROUNDS = 1000
# Answers of agents that an event loop hands over at a time.
_ANSWERS = 200


class Rounds(EngineParts):
    """The methods that make rounds."""

    def _name_missing_agents(self) -> None:
        raise NotImplementedError

    def _free(self) -> None:
        raise NotImplementedError

    def run(self, now: Optional[int] = None) -> None:
        """Does what can be done now, and returns. Raises the store's first failure.

        Makes rounds (one transaction each) until nothing more is due at this time, at most a
        thousand: after that ``deadline`` is not later than now.
        """
        self._name_missing_agents()
        self._tasks.hand_beats()
        time = _text.time_or_now(now)
        try:
            if self._tasks.has_answers():
                self._take_answers(time)
        finally:  # also when an agent has ended the program
            self._make_rounds(time)

    def _make_rounds(self, time: int) -> None:
        with self._changing() as pointer:
            for _ in range(_ROUNDS):
                run(_ffi.lib.wfsm_engine_run, pointer, time)
                if _ffi.lib.wfsm_engine_deadline(pointer) > time:
                    break

    def _take_answers(self, time: int) -> None:
        """What is answered while a round is out goes into the next one, all together. Other threads wait
        until it is not out any more."""
        with self._turn(), self._own_handle().family.used():
            begun = self._prepare(time)
            try:
                self._tasks.deliver()
            finally:
                begun.exchange()
                begun.finish(time)

    def prepare(self, now: Optional[int] = None) -> Round:
        """The first part of one round; see ``Round``."""
        self._tasks.hand_beats()
        self._tasks.deliver()
        return self._prepare(now)

    def _prepare(self, now: Optional[int] = None) -> Round:
        pointer = _ffi.ptr()
        with self._using() as engine:
            run(_ffi.lib.wfsm_engine_prepare, engine, _text.time_or_now(now),
                ctypes.byref(pointer))
            self._lent += 1  # until Round.finish()
        return Round._made(self._whole, pointer)

    def _begin_round(self) -> Round:
        """As ``prepare``, but what agents have answered goes into the next round, all together."""
        self._name_missing_agents()
        self._tasks.hand_beats()
        begun = self._prepare()
        try:
            if self._tasks.deliver(_ANSWERS):
                self._wake()
        except BaseException:
            begun.exchange()
            begun.finish()
            raise
        return begun

    @property
    def idle(self) -> bool:
        """True if there is nothing to do without new events: no invocation and no timer."""
        with self._using() as pointer:
            return bool(_ffi.lib.wfsm_engine_idle(pointer))

    @property
    def deadline(self) -> Optional[int]:
        """The latest time at which ``run`` must be called, in milliseconds; None: never."""
        with self._using() as pointer:
            return _text.deadline(_ffi.lib.wfsm_engine_deadline(pointer))

    @property
    def fd(self) -> Optional[int]:
        """A file descriptor to wait for beside the deadline: it can be read when others have
        posted something. None: the store has none, and the deadline includes the next look."""
        with self._using() as pointer:
            found = _ffi.lib.wfsm_engine_fd(pointer)
            return None if found < 0 else found

    def look(self) -> None:
        """The next round looks for what others have posted, also with `look_most_ms`."""
        with self._using() as pointer:
            run(_ffi.lib.wfsm_engine_look, pointer)

    def run_until(self, condition: Callable[[], bool], timeout: Optional[float] = None,
                  interval: float = 0.05) -> bool:
        """Runs, and sleeps in between, until `condition()` holds; then True.

        False when `timeout` seconds are over. `interval` is the longest sleep in seconds,
        for agents that are polled and for posts of other processes.
        """
        for left in self._rounds(condition, timeout, interval):
            if self._tasks.has_own_work():
                self._tasks.work_for(left)
            else:
                self._news.wait(left)
        return bool(condition())

    async def arun_until(self, condition: Callable[[], bool], timeout: Optional[float] = None,
                         interval: float = 0.05) -> bool:
        """The same within a loop of asyncio, which does other things while the engine waits, and
        while it talks to the store. Any number may wait at once. `condition`, `timeout` and
        `interval` are those of ``run_until``."""
        plain(condition, "condition")
        return await self._drive().until(condition, timeout, interval=interval)

    def _drive(self) -> Driver:
        """The driver of the running loop. Who waits for something in it keeps it going."""
        driver = self._driver
        if driver is None or not driver.alive or driver.loop is not running_loop():
            self._listen()
            driver = self._driver = Driver(self._whole)
        return driver

    def _listen(self) -> None:
        if not self._listens:
            self._watch.listen(self._changed)
            self._listens = True

    def _changed(self, _what: str, call: Any) -> None:
        if self._driver is not None:
            self._driver.changed(_ffi.lib.wfsm_call_instance(call))

    async def __aenter__(self) -> "Engine":
        """Drives the engine in the running loop until the end of the ``async with``."""
        self._own_handle()
        self._drive().stays = True
        return self._whole

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """``close``, while the running event loop continues. Agents that are objects are told in another
        thread."""
        driver = self._driver
        try:
            if driver is not None and driver.alive and driver.loop is running_loop():
                await driver.stop()
        finally:
            try:
                handle = self._handle
                if handle is not None:
                    await in_thread(self._free, handle.family)
            finally:
                self._tasks.close()

    def _rounds(self, condition: Callable[[], bool], timeout: Optional[float],
                interval: float) -> Iterator[float]:
        """Runs the engine. Yields how long to wait, until the condition holds or time is up."""
        plain(condition, "condition")
        end = None if timeout is None else time.monotonic() + timeout
        self._tasks.end_lost()
        while True:
            self._news.clear()
            with self._tasks.in_threads(self._threads):
                self.run()
            if condition():
                return
            left = interval if end is None else min(interval, end - time.monotonic())
            if left <= 0:
                return
            deadline = self.deadline
            if deadline is not None:
                left = min(left, (deadline - _text.now()) / 1000)
            yield max(left, 0)

    def run_until_idle(self, timeout: Optional[float] = None, interval: float = 0.05) -> bool:
        """Runs until nothing is left to do without new events; as ``run_until``. `timeout` and
        `interval` are those of ``run_until``."""
        return self.run_until(lambda: self.idle, timeout, interval)

    async def arun_until_idle(self, timeout: Optional[float] = None,
                              interval: float = 0.05) -> bool:
        """The same within a loop of asyncio. `timeout` and `interval` are those of
        ``run_until``."""
        return await self.arun_until(lambda: self.idle, timeout, interval)


_boundary.around(globals(), "Engine")
