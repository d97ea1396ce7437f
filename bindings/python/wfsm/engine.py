"""Many instances over one store, with agents."""
from __future__ import annotations

import asyncio
import contextlib
import ctypes
import threading
import time
from typing import Any, AsyncIterator, Callable, Dict, Iterable, List, Mapping, Optional, Set

from . import _boundary, _ffi, _text
from ._engine_inputs import Inputs
from ._engine_pool import Slots
from ._engine_register import Registration
from ._engine_rounds import Rounds
from ._run import run
from ._served import clock_callback
from ._starts import Together
from ._turn import in_thread
from ._typed import Shapes
from .driver import Driver
from .errors import WfsmError
from .machine import Machine
from .owners import session_name
from .store import Store
from .stream import Streams
from .watch import Watch
from .work import Tasks


class Engine(Registration, Inputs, Slots, Rounds):
    """Drives instances: timers, agents, retries, the inbox, effects.

    It has no thread: call ``run`` when something may have happened, and no later than
    ``deadline``, or use ``run_until_idle`` or ``run_until``. Agents and guards are functions:

        engine = Engine(store)
        engine.add_machine(machine)

        @engine.agent("reviewer")
        def review(call):
            return {"decision": "approve"}

    `session` is the name of this engine on the store, which no other engine may ever have (None:
    a new one for this process). Raises Denied if another engine that is alive has it. `now` is the
    time in milliseconds (None: the clock).
    `lapse_ms` is how long it may be silent before others take over (default 10,000).
    `slots` is how many invocations may be at work at once (default 15). `promote_ms` is how
    long an invocation waits until its priority rises by one (default 300,000). `limits` are
    limits of a step, as in ``Instance.start``, for all instances of this engine. `children` is
    how many child workflows may be at work at once, at each depth (default 10,000). `look_ms` is
    how often ``deadline`` asks for a look at what others have posted (default 1,000). With
    `look_most_ms` the time grows up to that while nothing happens, and ``run`` looks only when
    it is over, or after ``look``; a third of the lapse is good for a store on a server.
    `cached_instances` is how many instances that only wait stay in memory (default: all); the
    others are loaded from the store when their time comes. `round_ms` is after how long a round
    takes no more inputs and calls no more agents (default: a tenth of the lapse), by `clock`, a
    function that returns seconds. While ``run_until`` and the like wait, agents that are functions
    work in threads, so that the engine keeps its lease; with `threads` False, and in ``run``, the
    engine waits for each of them.

    What parameters mean in all methods: `id` is the id of an instance, and `invocation` that of an
    invocation, as ``instance.invocations`` has it. `now` is the time in milliseconds since 1970
    (None: the clock). `function` is the function that a decorator gets, and `name` the name by
    which documents call it: without a name, it is that of the function. `store` is where the
    instances are.
    """

    _kind = "engine"
    _pointers = _ffi.ENGINE

    def __init__(self, store: Store, *, session: Optional[str] = None, lapse_ms: int = 0,
                 slots: int = 0, promote_ms: int = 0,
                 limits: Optional[Mapping[str, int]] = None, children: int = 0,
                 look_ms: int = 0, now: Optional[int] = None, cached_instances: int = 0,
                 round_ms: int = 0, look_most_ms: int = 0, threads: bool = True,
                 clock: Callable[[], float] = time.monotonic):
        Store._of(store, "store")
        self._once()
        ticking = clock_callback(clock)
        self.session: str = session or session_name()
        options = _ffi.EngineOptions(session=_text.name(self.session), lapse_ms=lapse_ms,
                                     slots=slots, promote_ms=promote_ms,
                                     limits=_text.limits(limits), children=children,
                                     look_ms=look_ms, look_most_ms=look_most_ms,
                                     cached_instances=cached_instances,
                                     round_ms=round_ms, clock=ticking,
                                     now=_text.time_or_now(now))
        self._news, self._threads = threading.Event(), bool(threads)
        self._driver: Optional[Driver] = None
        self._together = Together(self)
        self._listens, self._evicts = False, cached_instances > 0
        self._agents: Set[str] = set()
        self._shapes = Shapes()
        self._invoked: Dict[str, List[str]] = {}
        self._knows_agents = True
        self._polled = False
        self._tasks, self._watch = Tasks(self), Watch(self)
        self._store, self._streams = store, Streams(self)
        #: Why the last input's outcome was FAILED; None for any other outcome.
        self.error: Optional[WfsmError] = None
        pointer = _ffi.ptr()
        with store._lending() as stored:
            run(_ffi.lib.wfsm_engine_new, ctypes.byref(pointer), stored, ctypes.byref(options))
            super().__init__(pointer, _ffi.lib.wfsm_engine_free, store._own_handle().family,
                             [store], [ticking])

    def __repr__(self) -> str:
        return "<Engine closed>" if self.closed else f"<Engine of session {self.session!r}>"

    def close(self) -> None:
        """Frees the engine. Agents at work are told to stop, and coroutines are cancelled."""
        self._free()
        self._tasks.close()

    def _free(self) -> None:
        if not self.closed:
            with self._turn():
                super().close()


async def _opened(make: Callable[[], Engine], store: Store) -> Engine:
    """Opening talks to the store. An engine that nobody waits for any more is closed again."""
    opening = asyncio.get_running_loop().create_task(
        in_thread(make, store._own_handle().family))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(_close_made)
        raise


def _close_made(opening: "asyncio.Task[Engine]") -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


@contextlib.asynccontextmanager
async def engine(store: Store, machines: Iterable[Machine] = (), *, round_ms: int = 10,
                 **options: Any) -> AsyncIterator[Engine]:
    """An engine that the running event loop drives, as long as the ``async with`` lasts:

        async with wfsm.engine(store, [machine], slots=200) as engine:
            task = await engine.astart("review", "task-1")
            await task.wait()

    The options are those of ``Engine``. A round ends its calls of agents after `round_ms`, so that the
    loop does other things too.

    `store` is where the instances are, `machines` are added at once, and `options` are further
    arguments of ``Engine``.
    """
    def make() -> Engine:
        made = Engine(store, round_ms=round_ms, **options)
        for machine in machines:
            made.add_machine(machine)
        made._listen()
        return made

    async with await _opened(make, Store._of(store, "store")) as made:
        yield made


_boundary.around(globals())
