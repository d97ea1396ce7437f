"""Many starts as one transaction."""
from __future__ import annotations

import asyncio
import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, List, NamedTuple, Optional, Sequence

from . import _ffi, _text, _values
from ._given import Given
from ._run import run
from ._turn import Turn, to_its_end
from .enums import Status
from .errors import WfsmError

if TYPE_CHECKING:
    from .engine import Engine

# Of one transaction.
_MOST = 1000


def start(machine: str, id: str, input: "Optional[_values.Members]" = None) -> "_ffi.Start":
    json = None if input is None else _text.encode(_values.mapping(input))
    return _ffi.Start(machine=_text.name(machine), id=_text.name(id), input=json,
                      length=len(json or b""))


def _parts(given: Sequence[Any]) -> Sequence[Any]:
    if not isinstance(given, (tuple, list)) or len(given) not in (2, 3):
        raise TypeError(f"a start is (machine, id) or (machine, id, input), not {given!r:.80}")
    return given


class Starts:
    """The starts of one call, and what becomes of each."""

    def __init__(self, starts: Iterable[Sequence[Any]]):
        self._begin([start(*_parts(given)) for given in starts])

    @classmethod
    def of(cls, made: "List[_ffi.Start]") -> "Starts":
        self = cls.__new__(cls)
        self._begin(made)
        return self

    def _begin(self, made: "List[_ffi.Start]") -> None:
        self._made = made
        self._places = (_ffi.ptr * len(self._made))(*map(ctypes.addressof, self._made))
        self.answers = (_ffi.i32 * len(self._made))()
        self.ids = [one.id.decode() for one in self._made]

    def run(self, pointer: Any, now: int) -> None:
        run(_ffi.lib.wfsm_engine_start_all, pointer, self._places, len(self._made), now, self.answers)

    @contextmanager
    def answered(self) -> Iterator[None]:
        try:
            yield
        except WfsmError as failed:
            failed.answers = [Status(answer) if answer else None for answer in self.answers]
            raise


class _Waiting(NamedTuple):
    start: "_ffi.Start"
    now: Optional[int]
    alone: Callable[[Any], None]
    ended: "asyncio.Future[None]"


class Together:
    """Starts in an event loop: those that wait for their turn at the same time are one transaction."""

    def __init__(self, engine: "Engine"):
        self._engine = engine
        self._waiting: List[_Waiting] = []
        self._task: "Optional[asyncio.Task[None]]" = None

    async def start(self, what: "_ffi.Start", now: Optional[int], alone: Callable[[Any], None]) -> None:
        """`alone` makes the same start by itself."""
        loop = asyncio.get_running_loop()
        turn = Turn.of(self._engine._own_handle().family)
        if self._task is None or self._task.done() or self._task.get_loop() is not loop:
            self._waiting = []
            self._task = loop.create_task(self._make(turn))
        ended = loop.create_future()
        self._waiting.append(_Waiting(what, now, alone, ended))
        await ended

    async def _make(self, turn: Turn) -> None:
        while self._waiting:
            await self._make_some(turn)

    async def _make_some(self, turn: Turn) -> None:
        taken: List[_Waiting] = []
        found: List[Starts] = []

        def work(pointer: Any) -> None:
            taken.extend(self._take())
            if not taken:
                return
            found.append(Starts.of([one.start for one in taken]))
            found[0].run(pointer, self._engine._time(taken[0].now))

        given = Given(self._engine, work, ())
        await self._engine._in_parts(turn, given, False)
        problem: Optional[BaseException] = None
        try:
            given.answer()
        except BaseException as raised:  # pylint: disable=broad-except
            problem = raised
        answers = list(found[0].answers) if found else []
        if problem is not None and not found:  # nothing could be begun
            taken = self._take()
            answers = [-1] * len(taken)
        for one, answer in zip(taken, answers):
            self._tell(one, answer, problem)

    def _take(self) -> List[_Waiting]:
        """Those of the same time that somebody still waits for."""
        waiting = [one for one in self._waiting if not one.ended.done()]
        count = 0
        while count < min(len(waiting), _MOST) and waiting[count].now == waiting[0].now:
            count += 1
        self._waiting = waiting[count:]
        return waiting[:count]

    def _tell(self, one: _Waiting, answer: int, problem: Optional[BaseException]) -> None:
        if one.ended.done():
            return
        if answer == Status.OK:
            one.ended.set_result(None)
        elif problem is not None and (not isinstance(problem, WfsmError) or _is_of_all(answer)):
            one.ended.set_exception(problem)
        else:
            one.ended.get_loop().create_task(self._say_why(one))

    async def _say_why(self, one: _Waiting) -> None:
        """It is refused again, with its own sentence."""
        try:
            await to_its_end(self._engine._change_aside(one.alone))
        except BaseException as problem:  # pylint: disable=broad-except
            if not one.ended.done():
                one.ended.set_exception(problem)
        else:
            if not one.ended.done():
                one.ended.set_result(None)


def _is_of_all(answer: int) -> bool:
    """The store has failed: to try again is for the caller to decide."""
    return answer in (-1, Status.STORE_FAILED, Status.STORE_UNKNOWN, Status.BUSY, Status.IO, Status.CORRUPT)
