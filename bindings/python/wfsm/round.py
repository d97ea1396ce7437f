"""One round of an engine in three parts."""
from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Iterator, List, Optional

from . import _boundary, _ffi, _fork, _text
from ._handle import Unique
from ._run import collecting, run
from .enums import Status
from .errors import Busy, Closed, InvalidArgument, WfsmError

if TYPE_CHECKING:
    from .engine import Engine


class Round(Unique):
    """One round of an engine in three parts, so that no loop waits for a disk or a network:

        round = engine.prepare()
        await asyncio.to_thread(round.exchange)
        round.finish()

    ``prepare`` makes the inputs and calls guards, actions and polls. ``exchange`` only talks to the
    store. ``finish`` calls observers and agents. Between ``prepare`` and ``finish`` the engine and its
    store answer only questions about instances, from the state that the store has confirmed;
    everything else raises Busy. A round that is finished without an exchange is taken back.
    """

    _kind = "round"
    _round: Any = None
    _engine: "Engine"
    _forks: int
    _turn: Any
    _raised: List[BaseException]

    def __init__(self, *_: object) -> None:
        raise TypeError("Round() is not called directly: rounds are made by Engine.prepare()")

    @classmethod
    def _made(cls, engine: "Engine", pointer: Any) -> "Round":
        made = cls.__new__(cls)
        made._engine, made._round = engine, pointer
        made._forks, made._turn = _fork.generation(), threading.Lock()
        made._raised = []
        return made

    @contextmanager
    def _one_thread(self) -> Iterator[None]:
        """For one part of the round, which no other thread may be in."""
        if self._round is None:
            raise InvalidArgument(Status.INVALID, "the round is finished")
        if self._forks != _fork.generation():
            raise Closed("round", _fork.SENTENCE)
        if not self._turn.acquire(blocking=False):
            raise Busy(Status.BUSY, "another thread is in this round")
        try:
            yield
        finally:
            self._turn.release()

    def exchange(self) -> None:
        """Talks to the store, perhaps on another thread. ``finish`` raises what it says."""
        with self._one_thread(), collecting(self._raised):
            _ffi.lib.wfsm_round_exchange(self._round)

    def finish(self, now: Optional[int] = None) -> None:
        """Puts into effect what was stored. Raises the first failure of the round. `now` is the
        time in milliseconds (None: the clock)."""
        time = _text.time_or_now(now)
        with self._one_thread(), self._engine._using() as engine:
            pointer, self._round = self._round, None
            self._engine._lent -= 1
            run(_ffi.lib.wfsm_engine_finish, engine, pointer, time, raised=self._raised)

    def __repr__(self) -> str:
        return f"<Round of {self._engine!r}{' finished' if self._round is None else ''}>"

    def __del__(self) -> None:
        if self._round is not None:
            try:
                self.finish()
            except WfsmError:
                pass


_boundary.around(globals())
