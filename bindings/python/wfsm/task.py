"""An instance that an engine drives."""
from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Sequence

from . import _boundary, _ffi, _text
from ._questions import Questions
from ._run import plain
from .enums import Outcome, Status
from .errors import NotFound
from .stream import KINDS, Stream

if TYPE_CHECKING:
    from .engine import Engine


class EngineInstance(Questions):
    """An instance that an engine owns, as long as the engine has it. ``Engine.start`` and
    ``Engine.instance`` return one. `engine` has it under the id `id`."""

    def __init__(self, engine: "Engine", id: str):
        from .engine import Engine  # pylint: disable=import-outside-toplevel,cyclic-import
        _text.name(id, "id")
        self._engine, self._id = Engine._of(engine, "engine"), id

    @contextmanager
    def _using(self) -> Iterator[Any]:
        # an instance that was evicted is read from the store
        engines = self._engine._changing if self._engine._evicts else self._engine._using
        with engines() as engine:
            pointer = _ffi.lib.wfsm_engine_instance(engine, _text.name(self._id))
            if not pointer:
                raise NotFound(Status.NOT_FOUND, f'the engine has no instance "{self._id}"')
            yield pointer

    def send(self, event: str, data: Any = None, *, id: Optional[str] = None, interface: int = 0,
             sender: Optional[str] = None, now: Optional[int] = None) -> Outcome:
        """Sends an event, as ``Instance.send``. The outcome is true if it was taken. `event`,
        `data`, `interface` and `sender` are those of ``Instance.send``; an `id` that is recorded
        already gives DUPLICATE. `now` is the time in milliseconds (None: the clock)."""
        return self._engine.send(self._id, event, data, event_id=id, interface=interface,
                                 sender=sender, now=now)

    async def asend(self, event: str, data: Any = None, *, id: Optional[str] = None, interface: int = 0,
                    sender: Optional[str] = None, now: Optional[int] = None) -> Outcome:
        """``send``, while the running event loop continues. `event`, `data`, `id`, `interface`, `sender` and `now`
        are those of ``send``. If it is cancelled, the event may have been taken: with an `id` it can be sent
        again."""
        return await self._engine.asend(self._id, event, data, event_id=id, interface=interface,
                                        sender=sender, now=now)

    async def astop(self, *, now: Optional[int] = None) -> Outcome:
        """``stop``, while the running event loop continues. `now` is that of ``stop``."""
        return await self._engine.astop(self._id, now=now)

    def stop(self, *, now: Optional[int] = None) -> Outcome:
        """Ends the instance wherever it is; its agents are told. `now` is the time in milliseconds
        (None: the clock)."""
        return self._engine.stop(self._id, now=now)

    async def wait(self, until: Optional[Callable[[], bool]] = None,
                   timeout: Optional[float] = None) -> Any:
        """Waits until the instance has ended, or until ``until()`` holds, which is asked after
        every commit of the instance. Returns the output of the instance.

        The engine is driven meanwhile by the running event loop, however many wait. Raises
        asyncio.TimeoutError after `timeout` seconds, and NotFound if the engine does not have the
        instance, or loses it.
        """
        if until is not None:
            plain(until, "condition")
        found = await self._engine._drive().until(
            until or (lambda: self.done), timeout, _text.name(self._id))
        if not found:
            raise asyncio.TimeoutError(f'"{self._id}" is in {self.configuration} after {timeout} s')
        return self.output

    def stream(self, after: Optional[int] = None, *,
               kinds: Sequence[str] = KINDS, buffer: int = 1000) -> Stream:
        """What happens in the instance, in order: commits, logs, and what its agents give to
        ``progress`` and ``token``; until it has ended. The engine is driven meanwhile.

        `after` is a revision: the commits after it come first, from the journal, which has no logs,
        progress and tokens. None: from now on. So ``after=event.revision`` continues after a
        disconnect. `kinds` are those that are wanted.

        When `buffer` events wait to be read, agents wait in ``progress`` and ``token``, and commits are
        read from the journal later; their logs are lost.
        """
        unknown = [kind for kind in kinds if kind not in KINDS]
        if unknown or isinstance(kinds, str):
            raise ValueError(f"kinds are some of {', '.join(KINDS)}, not {kinds!r}")
        if after is not None:
            _text.number(after, "after")
        if _text.number(buffer, "buffer") == 0:
            raise ValueError("buffer must be at least 1")
        return Stream(self, after, tuple(kinds), buffer)

    def events(self, after: Optional[int] = None) -> Stream:
        """The commits of ``stream``. `after` is as in ``stream``."""
        return self.stream(after, kinds=("commit",))

    def __repr__(self) -> str:
        try:
            return (f"<EngineInstance {self._id!r} revision {self.revision} in "
                    f"{self.configuration}>")
        except Exception:  # pylint: disable=broad-except
            return f"<EngineInstance {self._id!r}, which its engine does not have>"


_boundary.around(globals())
