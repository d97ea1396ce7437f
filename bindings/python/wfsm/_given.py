"""One input of an engine in three parts: its step, its exchange, and what follows."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Callable, Optional

from . import _ffi
from ._run import run
from .enums import Outcome
from .errors import AlreadyExists
from .round import Round

if TYPE_CHECKING:
    from .engine import Engine


class Given:
    """``work(pointer, *arguments)``, where only ``exchange`` waits for the store, if it is a call that makes
    one input. Any other call is made by ``begin`` as a whole."""

    def __init__(self, engine: "Engine", work: Callable[..., Any], arguments: Any):
        self._engine, self._work, self._arguments = engine, work, arguments
        self._now: Optional[int] = None
        self._round: Optional[Round] = None
        self._answer: Any = None
        self._problem: Optional[BaseException] = None

    def begin(self) -> None:
        try:
            with self._engine._using() as pointer:
                self._step(pointer)
        except BaseException as problem:  # pylint: disable=broad-except
            self._problem = problem

    def _step(self, pointer: Any) -> None:
        made = _ffi.ptr()
        run(_ffi.lib.wfsm_engine_prepare_next, pointer, ctypes.byref(made))
        try:
            self._answer = self._work(pointer, *self._arguments)
        finally:
            if made:
                self._now = self._engine._at
                self._round = Round._made(self._engine, made)
                self._engine._lent += 1  # until Round.finish()
            else:
                run(_ffi.lib.wfsm_engine_prepare_next, pointer, None)

    def exchange(self) -> None:
        if self._round is not None:
            self._round.exchange()

    def begin_and_exchange(self) -> None:
        self.begin()
        self.exchange()

    def finish(self) -> None:
        try:
            if self._round is not None:
                self._round.finish(self._now)
        except AlreadyExists as known:
            if isinstance(self._answer, Outcome):
                self._answer = Outcome.DUPLICATE
            else:
                self._problem = self._problem or known
        except BaseException as problem:  # pylint: disable=broad-except
            self._problem = self._problem or problem

    def answer(self) -> Any:
        if self._problem is not None:
            raise self._problem
        return self._answer
