"""Agents that work while the engine waits: tasks of asyncio, and threads."""
from __future__ import annotations

import asyncio
import contextvars
import logging
from collections import deque
from contextlib import contextmanager
from functools import partial
from typing import (
    TYPE_CHECKING, Any, Callable, Coroutine, Deque, Dict, Iterator, List, Optional, Set,
    cast)

from . import _boundary, _text
from ._run import why
from ._threads import Pool
from ._values import Answer
from .call import Call
from .errors import FAILURE_CLASSES, AgentFailed, Denied, InvalidArgument, LimitReached, NotFound, WfsmError

if TYPE_CHECKING:
    from .engine import Engine
    from .stream import Streams

logger: logging.Logger = logging.getLogger("wfsm")


def _running_loop() -> Optional[asyncio.AbstractEventLoop]:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _resolve(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_result(None)


class Work:
    """The argument of a coroutine agent: the members of a Call about its invocation, valid as
    long as the coroutine works. Usage, signature and retry time go in with its answer."""

    def __init__(self, call: Call, heartbeat: Callable[[str], None], streams: "Streams"):
        self.name: Optional[str] = call.name
        self.instance: Optional[str] = call.instance
        self.now: int = call.now
        self.id: str = call.id or ""
        self.attempt: int = call.attempt
        self.state: Optional[str] = call.state
        self.input: Any = call.input
        self.schema: Any = call.schema
        self.claimed: int = call.claimed
        self.timeout: int = call.timeout
        self._heartbeat, self._streams = heartbeat, streams
        self._usage: Dict[str, int] = {}
        self._signature: Optional[str] = None
        self._retry_after = 0

    def __repr__(self) -> str:
        return f"<Work {self.name!r} of {self.instance!r}, attempt {self.attempt}>"

    def _beside(self) -> Dict[str, Any]:
        return {"usage": self._usage or None, "signature": self._signature}

    def usage(self, **amounts: int) -> None:
        """What the work has used. Amounts of one name are added up. `amounts` are numbers by the
        names of budgets."""
        for name, amount in amounts.items():
            self._usage[name] = self._usage.get(name, 0) + _text.count(amount)

    def retry_after(self, milliseconds: int) -> None:
        """If it fails, the next attempt is not made earlier. `milliseconds` count from when it
        fails."""
        self._retry_after = _text.count(milliseconds)

    def signature(self, signature: str) -> None:
        """Recognises repeated failures; also allowed with an output. `signature` is a text that is
        the same for the same failure."""
        _text.name(signature, "signature")
        self._signature = signature

    def heartbeat(self) -> None:
        """The work continues (`heartbeatMs` of the invocation)."""
        self._heartbeat(self.id)

    async def progress(self, data: Any) -> None:
        """Gives any JSON value to those who read ``EngineInstance.stream``. It is not stored. Waits
        while a reader's buffer is full. `data` is that value."""
        await self._streams.send(self.instance or "", self.id, "progress", data)

    async def token(self, text: str) -> None:
        """As ``progress``, for a piece of the text that a model writes. `text` is that piece."""
        await self._streams.send(self.instance or "", self.id, "token", text)


class ThreadCall(Call):
    """The call of an agent in a thread: it has what the agent may ask and say, after the callback
    has returned too."""

    def __init__(self, work: Work):
        self._work = work
        self._values: Dict[str, Any] = {
            f"wfsm_call_{member}": getattr(work, member) for member in (
                "name", "instance", "now", "id", "attempt", "state", "input", "schema", "claimed",
                "timeout")}

    def usage(self, **amounts: int) -> None:
        self._work.usage(**amounts)

    def retry_after(self, milliseconds: int) -> None:
        self._work.retry_after(milliseconds)

    def signature(self, signature: str) -> None:
        self._work.signature(signature)

    def heartbeat(self) -> None:
        self._work.heartbeat()

    def _give(self, kind: str, data: Any) -> None:
        self._work._streams.wait(self._work.instance or "", self._work.id, kind, data)

    def _ask(self, function: Any, *arguments: Any) -> Any:
        return self._values.get(function.__name__, 0)

    def _plain(self, function: Any) -> Optional[str]:
        return cast(Optional[str], self._values.get(function.__name__))

    def _json(self, function: Any, hook: Any = None) -> Any:
        return self._values.get(function.__name__)


class Tasks:
    """The tasks and threads of one engine. Tasks run in the loop that is running when they are
    started. If there is none, they run in a loop of their own while the engine waits."""

    def __init__(self, engine: "Engine"):
        self._engine = engine
        self._tasks: Dict[str, asyncio.Task[Any]] = {}
        self._ended: Deque[Callable[[], Any]] = deque()
        self._waiters: Set[asyncio.Future[None]] = set()
        self._raised: List[BaseException] = []
        self.threads: bool = False
        self._pool = Pool("wfsm agent")
        self._beats: Set[str] = set()
        self._effects: Dict[str, asyncio.Task[Any]] = {}
        self._stopping: Set[asyncio.Task[Any]] = set()
        self._own: Optional[asyncio.AbstractEventLoop] = None

    def start(self, function: Callable[[Work], Coroutine[Any, Any, Any]], call: Call) -> None:
        work, loop = Work(call, self._beat, self.streams), self._loop()
        if loop.is_running() and loop is not _running_loop():
            loop.call_soon_threadsafe(self._begin, loop, function, work)
        else:
            self._begin(loop, function, work)

    def _begin(self, loop: asyncio.AbstractEventLoop,
               function: Callable[[Work], Coroutine[Any, Any, Any]], work: Work) -> None:
        task: asyncio.Task[Any] = loop.create_task(function(work))
        self._tasks[work.id] = task
        task.add_done_callback(lambda ended: self._end(work, ended))

    def _beat(self, invocation: str) -> None:
        """Kept for `deliver`, so that an agent waits for no round."""
        self._beats.add(invocation)
        self._engine._wake()

    @property
    def streams(self) -> "Streams":
        return self._engine._streams

    @contextmanager
    def in_threads(self, wanted: bool) -> Iterator[None]:
        """Functions that are started meanwhile work in threads."""
        before, self.threads = self.threads, wanted
        try:
            yield
        finally:
            self.threads = before

    def start_thread(self, function: Callable[[Call], Any], call: Call) -> None:
        """One attempt in a thread. It does not hinder the end of the program: what it was doing is
        then started again, as after a crash."""
        work, context = Work(call, self._beat, self.streams), contextvars.copy_context()
        self._pool.submit(lambda: context.run(self._work, function, work))

    def _work(self, function: Callable[[Call], Any], work: Work) -> None:
        try:
            answer = function(ThreadCall(work))
            self._ended.append(lambda: self._give(work, answer))
        except BaseException as exception:  # pylint: disable=broad-except
            failed = exception
            self._ended.append(lambda: self._fail(work, failed))
        self._engine._wake()

    def cancel(self, call: Call) -> None:
        task = self._tasks.pop(call.id or "", None)
        if task is None:
            return
        self._stopping.add(task)
        loop = task.get_loop()
        if loop.is_running() and loop is not _running_loop():
            loop.call_soon_threadsafe(task.cancel)
        elif not loop.is_closed():
            task.cancel()

    def _loop(self) -> asyncio.AbstractEventLoop:
        """The driver's, or the running one, or one of its own."""
        driver = self._engine._driver
        if driver is not None and driver.alive:
            return driver.loop
        loop = _running_loop()
        if loop is None:
            if self._own is None:
                self._own = asyncio.new_event_loop()
            loop = self._own
        return loop

    def _end(self, work: Work, task: asyncio.Task[Any]) -> None:
        """Keeps the answer for `deliver`, because this may run within a call of the engine."""
        self._stopping.discard(task)
        if self._tasks.get(work.id) is not task:
            problem = None if task.cancelled() else task.exception()
            if problem is not None:
                logger.info("agent %s was told to stop and raised", work.name,
                            exc_info=problem and _boundary.trimmed(problem))
            return
        del self._tasks[work.id]
        self._ended.append(lambda: self._hand_in(work, task))
        self._engine._wake()

    def end_lost(self) -> None:
        """Coroutines whose loop was closed never end. Their invocations are cancelled, and their effects are
        delivered again."""
        lost = [id for id, task in self._tasks.items() if task.get_loop().is_closed()]
        for id in lost:
            del self._tasks[id]
            self._ended.append(partial(self._engine.fail, id, "canceled", "its event loop was closed"))
        for id in [id for id, task in self._effects.items() if task.get_loop().is_closed() and not task.done()]:
            del self._effects[id]

    def _hand_in(self, work: Work, task: asyncio.Task[Any]) -> None:
        if task.cancelled():
            self._engine.fail(work.id, "canceled", "the task was cancelled", **work._beside())
            return
        failed = task.exception()
        if failed is None:
            self._give(work, task.result())
        else:
            self._fail(work, failed)

    def _give(self, work: Work, answer: Any) -> None:
        if answer is Answer.LATER:
            return
        try:
            self._engine.result(work.id, answer, **work._beside())
        except (InvalidArgument, LimitReached) as problem:  # it is never taken
            self._fail(work, AgentFailed("limit", f"the output is refused: {problem}"))
        except WfsmError:
            raise
        except Exception as problem:  # pylint: disable=broad-except  # the result is not JSON
            self._fail(work, problem)

    def _fail(self, work: Work, failed: BaseException) -> None:
        beside: Dict[str, Any] = {**work._beside(), "retry_after": work._retry_after}
        if isinstance(failed, AgentFailed):
            text = str(failed).replace("\0", " ")
            known = failed.failure_class
            if known not in FAILURE_CLASSES:
                logger.error("agent %s failed with %r, which is no failure class", work.name, known)
                known = "other"
            self._engine.fail(work.id, known, text, **beside)
            return
        if isinstance(failed, Exception):
            logger.error("agent %s of instance %s raised", work.name, work.instance,
                         exc_info=_boundary.trimmed(failed))
        elif not isinstance(failed, asyncio.CancelledError):
            self._raised.append(failed)
        self._engine.fail(work.id, "other", why(failed).decode("utf-8", "replace"), **beside)

    def has_answers(self) -> bool:
        """True if ``deliver`` has something to do."""
        return bool(self._ended or self._raised)

    def deliver(self, most: Optional[int] = None) -> bool:
        """Gives the engine the answers of what has ended, but no more than so many. True if some are left.
        Raises what is no answer, such as SystemExit, after them."""
        for _ in range(len(self._ended) if most is None else min(most, len(self._ended))):
            hand_in = self._ended.popleft()
            try:
                hand_in()
            except (NotFound, Denied) as gone:  # the instance is not this engine's any more
                logger.info("an answer came too late: %s", gone)
            except WfsmError:  # of the store: kept for another time
                self._ended.appendleft(hand_in)
                raise
        while self._raised:
            raise self._raised.pop(0)
        return bool(self._ended)

    def hand_beats(self) -> None:
        """Gives the engine the signs of life. Not while a round is out."""
        while self._beats:
            try:
                self._engine.heartbeat(self._beats.pop())
            except WfsmError as problem:
                logger.info("a heartbeat came too late: %s", problem)

    def effect(self, id: str, handler: Callable[[], Coroutine[Any, Any, Any]]) -> bool:
        """True if this coroutine has handled the effect. Until then it works, and the engine
        delivers the effect again and again. One that has failed is started again."""
        task = self._effects.get(id)
        if task is not None and not task.done():
            return False
        if task is not None:
            del self._effects[id]
            if not task.cancelled() and task.exception() is None:
                return True
            problem = None if task.cancelled() else task.exception()
            logger.error("the handler of effect %s failed", id, exc_info=problem and _boundary.trimmed(problem))
        self._effects[id] = made = self._loop().create_task(handler())
        made.add_done_callback(lambda _: self._engine._wake())
        return False

    def wake(self) -> None:
        """Ends the waits. Any thread may call this."""
        for waiter in list(self._waiters):
            try:
                waiter.get_loop().call_soon_threadsafe(_resolve, waiter)
            except RuntimeError:  # its loop is closed
                pass

    def has_own_work(self) -> bool:
        return self._own is not None and bool(self._tasks or self._stopping or self._effects)

    def work_for(self, seconds: float) -> None:
        """Runs the own loop until one of its tasks ends, but no longer than this."""
        if self._own is not None:
            self._own.run_until_complete(self.wait(seconds))

    async def wait(self, seconds: float) -> None:
        """In the own loop: until a task or a thread has ended, something was sent, or the time is over."""
        woken = asyncio.get_running_loop().create_future()
        self._waiters.add(woken)
        try:
            if self._ended or self._engine._news.is_set():
                seconds = 0
            working = [one for one in self._effects.values() if not one.done()]
            await asyncio.wait([*self._tasks.values(), *self._stopping, *working, woken],
                               timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.sleep(0)  # the callbacks of those that have ended
        finally:
            self._waiters.discard(woken)

    def close(self) -> None:
        """Stops all tasks, because the engine is closed."""
        left = [*self._tasks.values(), *self._stopping, *self._effects.values()]
        self._tasks.clear()
        self._effects.clear()
        for task in left:
            if not task.get_loop().is_closed():
                task.cancel()
        if self._own is not None:
            own = [task for task in left if task.get_loop() is self._own]
            if own:
                self._own.run_until_complete(asyncio.wait(own))
            self._own.close()
            self._own = None


_boundary.around(globals())
