"""What happens in an instance, as a stream."""
from __future__ import annotations

import asyncio
import threading
import weakref
from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Deque, Dict, List, Optional, Tuple

from . import _boundary, _ffi, _fork, _text
from .watch import COMMIT

if TYPE_CHECKING:
    from .engine import Engine
    from .store import Record
    from .task import EngineInstance

KINDS = ("commit", "log", "progress", "token")


@dataclass(frozen=True)
class StreamEvent:
    """Something that has happened in an instance.

    `kind` is "commit" (`data` is the record, doc/records.md), "log" ({"label", "value"}),
    "progress" (what an agent gave to ``progress``) or "token" (the text of ``token``). `revision` is
    that of the commit; of progress and tokens, the last one before. `invocation` is the id of the
    work that progress and tokens are of.

    `instance` is the id of the instance.
    """

    kind: str
    instance: str
    revision: int
    data: Any
    invocation: Optional[str] = None


class Stream:
    """The events of one instance in their order: iterate with ``async for``. ``EngineInstance.stream``
    makes it. ``aclose`` ends it, and so does the end of an ``async with``."""

    def __init__(self, task: "EngineInstance", after: Optional[int], kinds: Tuple[str, ...],
                 buffer: int):
        self._task, self._kinds, self._buffer = task, kinds, buffer
        self._forks = _fork.generation()
        self._hub = task._engine._streams
        self._queue: Deque[StreamEvent] = deque()
        self._lock = threading.Lock()  # of the queue
        self._news: Optional[asyncio.Event] = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._room: List[Callable[[], None]] = []
        self._behind = after is not None
        self._newest: int = task.revision
        self._last = self._newest if after is None else after
        self._closed = self._checked = False
        self._hub.add(task._id, self)

    def __aiter__(self) -> "Stream":
        return self

    async def __anext__(self) -> StreamEvent:
        self._open()
        while not self._closed:
            event = self._take()
            if event is not None:
                return event
            if self._behind:
                await self._catch_up()
            elif not self._task.done:
                await self._more()
            elif self._checked or self._last >= self._task.revision:
                break
            else:
                self._behind = self._checked = True
        await self.aclose()
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Ends the stream. Agents that wait for room in it continue."""
        self._closed = True
        self._hub.remove(self._task._id, self)
        self._make_room()
        if self._news is not None:
            self._news.set()

    async def __aenter__(self) -> "Stream":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def __del__(self) -> None:
        if hasattr(self, "_room") and self._forks == _fork.generation():  # it was made, and here
            self._closed = True
            self._make_room()

    # The reader.

    def _open(self) -> None:
        if self._news is None:
            self._loop, self._news = asyncio.get_running_loop(), asyncio.Event()

    def _take(self) -> Optional[StreamEvent]:
        """The next event that was not given out yet."""
        while True:
            with self._lock:
                event = self._queue.popleft() if self._queue else None
            if event is None:
                return None
            if len(self._queue) < self._buffer:
                self._make_room()
            if event.kind == "commit":
                if event.revision <= self._last:
                    continue
                self._last = event.revision
            elif event.kind == "log" and event.revision < self._last:
                continue
            if event.kind in self._kinds:
                return event

    async def _catch_up(self) -> None:
        """Reads the missing commits from the journal. Newer events wait behind them."""
        with self._lock:
            self._behind = False
        first, last = self._last + 1, self._last + self._buffer
        id = self._task._id
        try:
            records = await self._records(first, last)
        except BaseException:  # cancelled, or the store has failed: they are still missing
            self._behind = True
            raise
        old = [StreamEvent("commit", id, one.revision, one.data) for one in records]
        with self._lock:
            self._queue.extendleft(reversed(old))
            self._behind = self._behind or len(old) == self._buffer
        self._make_room()

    async def _records(self, first: int, last: int) -> List["Record"]:
        """In another thread; but not in a callback, whose thread has the store until it returns."""
        store, id = self._task._engine._store, self._task._id
        if store._own_handle().family.is_mine():
            return store.records(id, first, last)
        return await store._read_aside(lambda pointer: store._records(pointer, id, first, last))

    async def _more(self) -> None:
        """Waits for the next event. The engine is driven meanwhile."""
        assert self._news is not None
        self._news.clear()
        if not self._queue and not self._behind and not self._closed:
            await self._task._engine._drive().either(
                self._news, lambda: self._task.done, _text.name(self._task._id))

    # The writers.

    def put(self, events: List[StreamEvent]) -> None:
        """A commit and its logs. When the buffer is full, commits are read from the journal later.
        `events` are these."""
        with self._lock:
            self._newest = events[0].revision
            if self._behind or len(self._queue) >= self._buffer:
                self._behind = True
            else:
                self._queue.extend(events)
        self._wake()

    def offer(self, kind: str, data: Any, invocation: str,
              when_room: Optional[Callable[[], None]]) -> bool:
        """Progress and tokens. False if there is no room: `when_room` is called when there is.
        Without it they are kept in any case. `kind` and `data` are those of the event, and
        `invocation` is the id of the work."""
        with self._lock:
            if self._closed or kind not in self._kinds:
                return True
            if when_room is not None and (self._behind or len(self._queue) >= self._buffer):
                self._room.append(when_room)
                return False
            self._queue.append(StreamEvent(kind, self._task._id, self._newest, data, invocation))
        self._wake()
        return True

    def _make_room(self) -> None:
        with self._lock:
            waiting, self._room = self._room, []
        for when_room in waiting:
            when_room()

    def _wake(self) -> None:
        if self._loop is not None and self._news is not None:
            _set(self._loop, self._news)


def _set(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    try:
        loop.call_soon_threadsafe(event.set)
    except RuntimeError:  # the loop is closed
        pass


class Streams:
    """All streams of one engine."""

    def __init__(self, engine: "Engine"):
        self._engine = engine
        self._of: Dict[str, List["weakref.ref[Stream]"]] = {}
        self._listens = False

    def add(self, instance: str, stream: Stream) -> None:
        if not self._listens:
            self._engine._watch.listen(self._told)
            self._listens = True
        self._of[instance] = [one for one in self._of.get(instance, []) if one() is not None]
        self._of[instance].append(weakref.ref(stream))

    def remove(self, instance: str, stream: Stream) -> None:
        left = [one for one in self._of.pop(instance, []) if one() not in (None, stream)]
        if left:
            self._of[instance] = left

    def _open(self, instance: str) -> List[Stream]:
        return [stream for stream in (one() for one in self._of.get(instance, []))
                if stream is not None]

    def _told(self, what: str, call: Any) -> None:
        if not self._of or what != COMMIT:
            return
        id = _text.plain(_ffi.lib.wfsm_call_instance(call)) or ""
        streams = self._open(id)
        if not streams:
            return
        record = _text.answer(_ffi.lib.wfsm_call_record, call)
        events = [StreamEvent("commit", id, record["revision"], record)]
        events += [StreamEvent("log", id, record["revision"], one)
                   for one in _text.answer(_ffi.lib.wfsm_call_log, call) or ()]
        for stream in streams:
            stream.put(events)

    def give(self, instance: str, invocation: str, kind: str, data: Any) -> None:
        """Of an agent that may not wait."""
        _text.encode(data)
        for stream in self._open(instance):
            stream.offer(kind, data, invocation, None)

    def wait(self, instance: str, invocation: str, kind: str, data: Any) -> None:
        """Of an agent in a thread: waits until there is room."""
        _text.encode(data)
        for stream in self._open(instance):
            room = threading.Event()
            while not stream.offer(kind, data, invocation, room.set):
                room.wait()
                room.clear()

    async def send(self, instance: str, invocation: str, kind: str, data: Any) -> None:
        """Of a coroutine, likewise."""
        _text.encode(data)
        loop = asyncio.get_running_loop()
        for stream in self._open(instance):
            room = asyncio.Event()
            while not stream.offer(kind, data, invocation,
                                   partial(_set, loop, room)):
                await room.wait()
                room.clear()


_boundary.around(globals())
