"""Agents that are coroutines: tasks of asyncio that work while the engine waits."""
from __future__ import annotations

import asyncio
import logging
from typing import Any, Awaitable, Callable, Dict, List, Optional, Set

from .call import Call
from .errors import AgentFailed, Denied, NotFound, WfsmError

logger = logging.getLogger("wfsm")


class Work:
    """The argument of a coroutine agent: the members of a Call about its invocation, valid as
    long as the coroutine works. Usage, signature and retry time go in with its answer."""

    def __init__(self, call: Call, heartbeat: Callable[[str], None]):
        self.name, self.instance, self.now = call.name, call.instance, call.now
        self.id, self.attempt, self.state = call.id, call.attempt, call.state
        self.input, self.schema = call.input, call.schema
        self.claimed, self.timeout = call.claimed, call.timeout
        self._heartbeat = heartbeat
        self._usage: Dict[str, int] = {}
        self._signature: Optional[str] = None
        self._retry_after = 0

    def usage(self, **amounts: int) -> None:
        """What the work has used. Amounts of one name are added up."""
        for name, amount in amounts.items():
            self._usage[name] = self._usage.get(name, 0) + amount

    def retry_after(self, milliseconds: int) -> None:
        """If it fails, the next attempt is not made earlier."""
        self._retry_after = milliseconds

    def signature(self, signature: str) -> None:
        """Recognises repeated failures; also allowed with an output."""
        self._signature = signature

    def heartbeat(self) -> None:
        """The work continues (`heartbeatMs` of the invocation)."""
        self._heartbeat(self.id)


class Tasks:
    """The tasks of one engine. They run in the loop that is running when they are started. If
    there is none, they run in a loop of their own while the engine waits."""

    def __init__(self, engine):
        self._engine = engine
        self._tasks: Dict[str, asyncio.Task] = {}
        self._ended: List[Callable[[], Any]] = []
        self._stopping: Set[asyncio.Task] = set()
        self._own: Optional[asyncio.AbstractEventLoop] = None

    def start(self, function: Callable[[Work], Awaitable[Any]], call: Call) -> None:
        work = Work(call, self._engine.heartbeat)
        task = self._loop().create_task(function(work))
        self._tasks[work.id] = task
        task.add_done_callback(lambda ended: self._end(work, ended))

    def cancel(self, call: Call) -> None:
        task = self._tasks.pop(call.id, None)
        if task is not None:
            self._stopping.add(task)
            task.cancel()

    def _loop(self) -> asyncio.AbstractEventLoop:
        try:
            return asyncio.get_running_loop()
        except RuntimeError:
            if self._own is None:
                self._own = asyncio.new_event_loop()
            return self._own

    def _end(self, work: Work, task: asyncio.Task) -> None:
        """Keeps the answer for `deliver`, because this may run within a call of the engine."""
        self._stopping.discard(task)
        if self._tasks.get(work.id) is not task:
            if not task.cancelled() and task.exception() is not None:
                logger.info("agent %s was told to stop and raised", work.name,
                            exc_info=task.exception())
            return
        del self._tasks[work.id]
        self._ended.append(lambda: self._hand_in(work, task))

    def _hand_in(self, work: Work, task: asyncio.Task) -> None:
        beside = {"usage": work._usage or None, "signature": work._signature}
        if task.cancelled():
            self._engine.fail(work.id, "canceled", "the task was cancelled", **beside)
            return
        failed = task.exception()
        if failed is None:
            try:
                self._engine.result(work.id, task.result(), **beside)
                return
            except (TypeError, ValueError) as problem:  # the result is not JSON
                failed = problem
        beside["retry_after"] = work._retry_after
        if isinstance(failed, AgentFailed):
            self._engine.fail(work.id, failed.failure_class, str(failed), **beside)
            return
        logger.error("agent %s of instance %s raised", work.name, work.instance,
                     exc_info=failed)
        self._engine.fail(work.id, "other", f"{type(failed).__name__}: {failed}", **beside)

    def deliver(self) -> bool:
        """Gives the engine the answers of tasks that have ended. True if there were any."""
        some = bool(self._ended)
        while self._ended:
            hand_in = self._ended.pop(0)
            try:
                hand_in()
            except (NotFound, Denied) as gone:  # the instance is not this engine's any more
                logger.info("an answer came too late: %s", gone)
            except WfsmError:  # of the store: kept for another time
                self._ended.insert(0, hand_in)
                raise
        return some

    def has_own_work(self) -> bool:
        return self._own is not None and bool(self._tasks or self._stopping)

    def work_for(self, seconds: float) -> None:
        """Runs the own loop until one of its tasks ends, but no longer than this."""
        self._own.run_until_complete(self.wait(seconds))

    async def wait(self, seconds: float) -> None:
        tasks = [*self._tasks.values(), *self._stopping]
        if tasks:
            await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.sleep(0)  # the callbacks of those that have ended
        else:
            await asyncio.sleep(seconds)

    def close(self) -> None:
        """Stops all tasks, because the engine is closed."""
        left = [*self._tasks.values(), *self._stopping]
        self._tasks.clear()
        for task in left:
            task.cancel()
        if self._own is not None:
            own = [task for task in left if task.get_loop() is self._own]
            if own:
                self._own.run_until_complete(asyncio.wait(own))
            self._own.close()
            self._own = None
