"""What the parts of an engine share."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Dict, List, Optional, Set, cast

from ._handle import Resource
from ._typed import Shapes
from .errors import WfsmError
from .stream import Streams
from .task import EngineInstance
from .watch import Watch
from .work import Tasks

if TYPE_CHECKING:
    from .driver import Driver
    from .engine import Engine
    from .store import Store


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
