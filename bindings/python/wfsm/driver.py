"""Drives an engine in an event loop of asyncio."""
from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Set

from . import _text
from ._run import logger
from ._simulated import is_simulated
from ._turn import Turn, running_loop
from .errors import Closed, Denied, NotFound

if TYPE_CHECKING:
    from .engine import Engine

# Seconds between two rounds for agents that are polled, and for what failed.
INTERVAL = 0.05
# In simulated time, where a day takes a moment.
SIMULATED_INTERVAL = 1.0


class _Waiter:
    """Somebody who waits until a condition holds."""

    def __init__(self, condition: Callable[[], bool], instance: Optional[bytes]):
        self.condition, self.instance = condition, instance
        self.future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def fail(self, problem: BaseException) -> None:
        if not self.future.done() and not self.future.get_loop().is_closed():
            self.future.set_exception(problem)

    def look(self) -> None:
        try:
            if not self.future.done() and self.condition():
                self.future.set_result(True)
        except Exception as problem:  # pylint: disable=broad-except
            self.fail(problem)


class Driver:
    """Makes the rounds of one engine, for all who wait for something in it. It continues as long as
    somebody waits, or until ``stop`` if it was told to stay."""

    def __init__(self, engine: "Engine"):
        self._engine = engine
        self._turn = Turn.of(engine._own_handle().family)
        self.loop: asyncio.AbstractEventLoop = self._turn.loop
        self._news = asyncio.Event()
        self._waiters: Set[_Waiter] = set()
        self._intervals: List[float] = []
        self._changed: Set[bytes] = set()
        self.stays: bool = False
        self._problem: Optional[BaseException] = None
        self._left = 0.0
        engine._tasks.end_lost()
        self._task: asyncio.Task[None] = self.loop.create_task(self._drive())

    @property
    def _threads(self) -> bool:
        """Whether agents that are functions work in threads. In simulated time they take none."""
        return self._engine._threads and not is_simulated(self.loop)

    @property
    def alive(self) -> bool:
        return not self._task.done() and not self.loop.is_closed()

    def wake(self) -> None:
        """Makes a round soon. Any thread may call this."""
        if running_loop() is self.loop:
            self._news.set()
            return
        try:
            self.loop.call_soon_threadsafe(self._news.set)
        except RuntimeError:  # the loop is closed
            pass

    def changed(self, instance: bytes) -> None:
        """An instance was committed, or lost: who waits for it looks after the round."""
        self._changed.add(instance)

    async def until(self, condition: Callable[[], bool], timeout: Optional[float],
                    instance: Optional[bytes] = None, interval: Optional[float] = None) -> bool:
        """True when the condition holds, False when `timeout` seconds are over. With an `instance`,
        the condition is only about that one, and is asked when it has changed."""
        waiter = _Waiter(condition, instance)
        if instance is not None:
            waiter.look()
        self._waiters.add(waiter)
        if interval is not None:
            self._intervals.append(interval)
        self._news.set()
        try:
            return await asyncio.wait_for(waiter.future, timeout)
        except asyncio.TimeoutError:
            return False
        finally:
            self._leave(waiter)
            if interval is not None:
                self._intervals.remove(interval)

    async def either(self, news: asyncio.Event, condition: Callable[[], bool],
                     instance: bytes) -> None:
        """Until `news` is set, or the condition about the instance holds."""
        waiter = _Waiter(condition, instance)
        self._waiters.add(waiter)
        self._news.set()
        ready: asyncio.Future[Any] = self.loop.create_task(news.wait())
        try:
            await asyncio.wait([ready, waiter.future], return_when=asyncio.FIRST_COMPLETED)
            if waiter.future.done():
                waiter.future.result()
        finally:
            ready.cancel()
            self._leave(waiter)

    def _leave(self, waiter: _Waiter) -> None:
        self._waiters.discard(waiter)
        if not self._waiters and not self.loop.is_closed():
            self._news.set()

    async def stop(self) -> None:
        self.stays = False
        self._waiters.clear()
        self._news.set()
        await asyncio.wait([self._task])

    async def _drive(self) -> None:
        problem: BaseException = Closed("engine")
        try:
            while self.stays or self._waiters:
                self._news.clear()
                await self._round()
                await self._pause()
        except Exception as raised:  # pylint: disable=broad-except
            problem = raised
        finally:
            for waiter in list(self._waiters):
                waiter.fail(problem)

    async def _round(self) -> None:
        """One round, and then everybody who waits is told. All of it has the turn: what is asked of the engine
        here would wait for a call in another thread, and hold the loop."""
        self._problem = None
        async with self._turn.lock:
            try:
                with self._engine._tasks.in_threads(self._threads):
                    begun = self._engine._begin_round()
                    await self._turn.exchange(begun.exchange, lambda: self._finish(begun))
            except Exception as problem:  # pylint: disable=broad-except
                self._problem = problem
            await asyncio.sleep(0)  # agents have begun: what else waits in the loop comes first
            if self._engine.closed:
                raise Closed("engine")
            self._tell()
            self._left = self._longest()

    def _finish(self, begun: Any) -> None:
        try:
            with self._engine._tasks.in_threads(self._threads):
                begun.finish()
        except BaseException as problem:  # pylint: disable=broad-except
            self._problem = problem

    def _tell(self) -> None:
        changed, self._changed = self._changed, set()
        problem = self._problem
        if isinstance(problem, (NotFound, Denied)):  # an answer for an instance that is gone
            logger.info("an input was refused: %s", problem)
            problem = None
        if problem is not None and not self._waiters:
            if not isinstance(problem, Exception):
                raise problem
            logger.error("a round of the engine failed", exc_info=problem)
        for waiter in list(self._waiters):
            if problem is not None:
                waiter.fail(problem)
            elif waiter.instance is None or waiter.instance in changed:
                waiter.look()

    async def _pause(self) -> None:
        """Until something happens, or something is due."""
        least = SIMULATED_INTERVAL if is_simulated(self.loop) else 0.0
        left = min([self._left, *(max(one, least) for one in self._intervals)])
        if left > 0 and not self._news.is_set():
            try:
                await asyncio.wait_for(self._news.wait(), left)
            except asyncio.TimeoutError:
                pass
        else:
            await asyncio.sleep(0)  # a round that failed has not come back to the loop

    def _longest(self) -> float:
        if self._problem is not None or self._engine._polled:
            return SIMULATED_INTERVAL if is_simulated(self.loop) else INTERVAL
        deadline = self._engine.deadline
        if deadline is None:
            return 3600.0
        return (deadline - _text.now()) / 1000
