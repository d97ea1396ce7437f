"""What the parts of an engine share."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Set, TypeVar, cast

from . import _text
from ._given import Given
from ._handle import Resource
from ._turn import Turn, to_its_end
from ._typed import Shapes
from .errors import WfsmError
from .stream import Streams
from .task import EngineInstance
from .watch import Watch
from .work import Tasks

if TYPE_CHECKING:
    from .driver import Driver
    from ._starts import Together
    from .engine import Engine
    from .store import Store

R = TypeVar("R")


class EngineParts(Resource):
    """Its members. ``Engine`` sets them."""

    session: str
    error: Optional[WfsmError]
    _store: "Store"
    _news: threading.Event
    _threads: bool
    _driver: "Optional[Driver]"
    _agents: Set[str]
    _shapes: Shapes
    _invoked: Dict[str, List[str]]
    _knows_agents: bool
    _polled: bool
    _tasks: Tasks
    _watch: Watch
    _streams: Streams

    _at: int
    _together: "Together"
    _listens: bool
    _evicts: bool

    def _time(self, now: Optional[int]) -> int:
        """The time of an input, also for what follows from it."""
        self._at = _text.time_or_now(now)
        return self._at

    @property
    def _whole(self) -> "Engine":
        return cast("Engine", self)

    def _instance(self, id: str) -> EngineInstance:
        return EngineInstance(self._whole, id)

    def _wake(self) -> None:
        """Something has happened: who waits makes a round."""
        self._news.set()
        self._tasks.wake()
        if self._driver is not None:
            self._driver.wake()

    def _change_in_turn(self, work: Callable[..., R], *arguments: Any) -> R:
        """In another thread than the loop's, questions are answered while the store is used."""
        family = self._own_handle().family
        turn = family.turn
        if turn is not None:
            with turn.taken(family.is_mine()) as apart:
                if apart and family.turn is turn:
                    given = Given(self._whole, work, arguments)
                    with turn.apart():
                        given.begin_and_exchange()
                        given.finish()
                    return cast(R, given.answer())
        return super()._change_in_turn(work, *arguments)

    async def _change_aside(self, work: Callable[..., R], *arguments: Any, reads: bool = False) -> R:
        """``_change``, while the running loop continues. `reads`: the step reads the store, too."""
        given = Given(self._whole, work, arguments)
        turn = Turn.of(self._own_handle().family)
        await to_its_end(self._in_parts(turn, given, reads))
        return cast(R, given.answer())

    async def _in_parts(self, turn: Turn, given: Given, reads: bool) -> None:
        async with turn.lock:
            if not reads:
                given.begin()
            await turn.exchange(given.begin_and_exchange if reads else given.exchange, given.finish)
        self._wake()
