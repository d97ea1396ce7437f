"""Who uses a store while an event loop drives its engines."""
from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent import futures
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Coroutine, Iterator, Optional, Tuple, TypeVar

from ._simulated import is_simulated
from .enums import Status
from .errors import Busy

if TYPE_CHECKING:
    from ._handle import Family

R = TypeVar("R")


def running_loop() -> Optional[asyncio.AbstractEventLoop]:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def in_thread(function: Callable[[], R], family: "Family") -> R:
    """What waits for a store, in a thread of its own, while the running loop continues. Cancelling ends only
    the wait. In simulated time there are no threads, and in a callback its own thread has the store."""
    if is_simulated(asyncio.get_running_loop()) or family.is_mine():
        return function()
    executor = futures.ThreadPoolExecutor(1, "wfsm")
    context = contextvars.copy_context()
    try:
        begun = executor.submit(lambda: context.run(function))
        return await asyncio.shield(asyncio.wrap_future(begun))
    finally:
        executor.shutdown(wait=False)


async def to_its_end(work: Coroutine[Any, Any, R]) -> R:
    """Awaits what is not broken off when who waits is cancelled."""
    task = asyncio.get_running_loop().create_task(work)
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    return await asyncio.shield(task)


class Turn:
    """Who uses a store: a round of one of its engines, or a call. All drivers on a store share it.

    The exchange of a round runs in a thread of its own. Meanwhile the round is out, and the lock of the
    family is free: questions are answered from memory. A call of the loop's thread that needs the store
    ends the round first. A call of another thread waits for its turn.
    """

    def __init__(self, family: "Family"):
        self._family = family
        self.loop: asyncio.AbstractEventLoop = asyncio.get_running_loop()
        self.lock: asyncio.Lock = asyncio.Lock()
        self._executor = futures.ThreadPoolExecutor(1, "wfsm store")
        self._settling = threading.RLock()
        self._out: Optional[Tuple["futures.Future[None]", Callable[[], None]]] = None
        self._owner: Optional[int] = None

    @classmethod
    def of(cls, family: "Family") -> "Turn":
        turn = family.turn
        if turn is None or not turn.loop.is_running():
            if turn is not None:
                turn.settle()
            turn = family.turn = cls(family)
        if turn.loop is not asyncio.get_running_loop():
            raise Busy(Status.BUSY, "the store is used in another event loop: open it again here")
        return turn

    async def use(self, function: Callable[[], None]) -> None:
        """Uses the store for something else than a round."""
        async with self.lock:
            await self.exchange(function, lambda: None)

    async def exchange(self, function: Callable[[], None], finish: Callable[[], None]) -> None:
        """Runs the exchange of a round, which is out meanwhile, and then ``finish``. Where it runs is as in
        ``in_thread``."""
        if is_simulated(self.loop) or self._family.is_mine():
            function()
            finish()
            return
        future = self._executor.submit(function)
        self._out = future, finish
        cancelled = await self._done(future)
        self.settle()
        future.result()
        if cancelled is not None:
            raise cancelled

    @staticmethod
    async def _done(future: "futures.Future[None]") -> Optional[asyncio.CancelledError]:
        """Waits until the future is done, even if the task is cancelled: the work in the other
        thread cannot be stopped. Returns the CancelledError, or None."""
        cancelled, wrapped = None, asyncio.wrap_future(future)
        wrapped.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        while not wrapped.done():
            try:
                await asyncio.wait([wrapped])
            except asyncio.CancelledError as problem:
                cancelled = problem
        return cancelled

    @contextmanager
    def apart(self) -> Iterator[None]:
        """In another thread that has its turn: the store is used, and the lock of the family may be free."""
        future: "futures.Future[None]" = futures.Future()
        out = self._out = future, lambda: None
        try:
            yield
        finally:
            if self._out is out:
                self._out = None
            future.set_result(None)

    def settle(self) -> None:
        """Ends the round that is out, if there is one. In the loop's thread; if the loop does not run, in
        any thread."""
        with self._settling:
            out = self._out
            if out is None or self._owner == threading.get_ident():  # it is what this thread does
                return
            futures.wait([out[0]])  # Ctrl-C ends this, and the round stays out
            if self._out is out:
                self._out = None
                out[1]()

    def must_wait(self, in_call: bool) -> bool:
        """True if another thread has begun to use the store."""
        return self._out is not None and not in_call and self._owner != threading.get_ident()

    @contextmanager
    def taken(self, in_call: bool) -> Iterator[bool]:
        """For one call that needs the store. `in_call`: of a callback, whose thread is in a call already. The
        end of a round would wait for that call, so it does not wait for the round: while one is out, the
        library itself answers that the store is busy. True if this is another thread than the loop's, which
        has waited for its turn."""
        if in_call or self._owner == threading.get_ident():
            yield False
        elif running_loop() is self.loop:
            self.settle()
            yield False
        elif self._wait():
            self._owner = threading.get_ident()
            try:
                yield True
            finally:
                self._owner = None
                self._give_back()
        else:
            self.settle()
            yield False

    def _wait(self) -> bool:
        """In another thread. False if the loop does not run any more: then no round is out."""
        if not self.loop.is_running():
            return False
        acquire = self.lock.acquire()
        try:
            waiting = asyncio.run_coroutine_threadsafe(acquire, self.loop)
        except RuntimeError:  # it was closed just now
            acquire.close()
            return False
        while True:
            try:
                return bool(waiting.result(timeout=0.1))
            except futures.TimeoutError:
                if not self.loop.is_running():
                    waiting.cancel()
                    return False
            except futures.CancelledError:
                return False

    def _give_back(self) -> None:
        try:
            self.loop.call_soon_threadsafe(self.lock.release)
        except RuntimeError:  # the loop is closed
            pass
