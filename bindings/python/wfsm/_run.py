"""Runs calls of the library, and Python functions that the library calls back.

No exception ever crosses C. One that leaves a callback becomes what the workflow knows about
(a failing guard, a failed agent, an effect to be delivered again), is written to the logger
"wfsm", and is the cause of the WfsmError if the whole call fails. KeyboardInterrupt,
SystemExit and the like are raised again when the call of the library has returned.
"""
from __future__ import annotations

import logging
from contextlib import contextmanager
from functools import partial
from inspect import iscoroutinefunction
from typing import Any, Callable, Iterator, List, Optional

from . import _boundary, _ffi, _fork, errors
from ._entrance import entrance, local as _local
from .call import Call
from .enums import Outcome, Status

logger = logging.getLogger("wfsm")
_spare: List[Any] = []


def _take_error() -> Any:
    try:
        return _spare.pop()
    except IndexError:
        return _ffi.lib.wfsm_error_new(None)


def _give_back(error: Any) -> None:
    if error:
        _spare.append(error)


def run(function: Any, *arguments: Any, outcome: Any = None,
        raised: Optional[List[BaseException]] = None) -> Optional[errors.WfsmError]:
    """Calls `function` with an error object behind the arguments, and raises its failure.

    With `outcome` (a c_int32 that the call sets), a step that was consumed as failed raises
    nothing. Its error is returned. `raised` has what callbacks of an earlier part raised.
    """
    error, outer = _take_error(), getattr(_local, "raised", None)
    raised = [] if raised is None else raised
    _local.raised = raised
    try:
        status = function(*arguments, error)
        failed = outcome is not None and outcome.value == Outcome.FAILED
        problem = None
        if status != 0:
            problem = errors.from_library(status, error)
        elif failed:
            problem = errors.from_library(_ffi.lib.wfsm_error_status(error), error)
    finally:
        _local.raised = outer
        _give_back(error)
    return _conclude(problem, status != 0, raised)


def _conclude(problem: Optional[errors.WfsmError], failed: bool,
              raised: List[BaseException]) -> Optional[errors.WfsmError]:
    """Raises what callbacks raised and what is not an answer, such as KeyboardInterrupt; then the
    failure of the call, whose cause is the exception of a callback."""
    if problem is not None and raised:
        problem.__cause__ = next((one for one in reversed(raised) if isinstance(one, Exception)),
                                 raised[-1])
    for exception in raised:
        if not isinstance(exception, Exception):
            raise exception
    if failed and problem is not None:
        raise problem
    return problem


@contextmanager
def collecting(raised: List[BaseException]) -> Iterator[None]:
    """Keeps what callbacks raise in a call that has no error object."""
    outer = getattr(_local, "raised", None)
    _local.raised = raised
    try:
        yield
    finally:
        _local.raised = outer


def note(what: str, exception: BaseException) -> None:
    """Keeps what a callback raised for the call of the library that called it."""
    raised = getattr(_local, "raised", None)
    if raised is not None:
        raised.append(exception)
    _boundary.trimmed(exception)
    if isinstance(exception, Exception):
        logger.error("%s raised", what, exc_info=exception)


def why(exception: BaseException) -> bytes:
    """The text for the record. C's text ends at the first NUL."""
    try:
        text = f"{type(exception).__name__}: {exception}"
    except Exception:  # pylint: disable=broad-except  # it cannot say it
        text = type(exception).__name__
    return text.replace("\0", " ").encode("utf-8", "replace")


def is_coroutine_function(function: Any) -> bool:
    """True for an ``async def``, also within functools.partial, or as the __call__ of an object."""
    while isinstance(function, partial):
        function = function.func
    return iscoroutinefunction(function) or iscoroutinefunction(
        getattr(function, "__call__", None))


def plain(function: Any, what: str) -> None:
    """Refuses what cannot be called, or what returns a coroutine: it would never run."""
    if not callable(function):
        raise TypeError(f"the {what} must be a function, not {type(function).__name__}")
    if is_coroutine_function(function):
        raise TypeError(f"the {what} is a coroutine function, which nobody would await here: "
                        f"make it a plain function, or an agent")


def shield(kind: Any, what: str, function: Callable[..., Any],
           answer: Optional[Callable[[BaseException], Any]] = None) -> Any:
    """`function` as a C function of the type `kind`. What it raises is kept for the caller of the
    library, and C gets `answer` of it, or 0."""

    def trampoline(*arguments: Any) -> Any:
        begun, problem = _fork.generation(), None
        try:
            return function(*arguments)
        except BaseException as exception:  # pylint: disable=broad-except
            problem = exception
            note(what, exception)
            return answer(exception) if answer else 0
        finally:
            _fork.end_child(begun, problem)

    return entrance(kind, trampoline)


def callback(what: str, serve: Callable[[Call], int],
             rescue: Optional[Callable[[Call, BaseException], int]] = None) -> Any:
    """A C function around `serve`; `rescue` turns what it raises into an answer."""

    def trampoline(_user: Any, pointer: int) -> int:
        call, begun, problem = Call._made(pointer), _fork.generation(), None
        try:
            return serve(call)
        except BaseException as exception:  # pylint: disable=broad-except
            problem = exception
            try:
                note(f"{what} {call.name or ''} of instance {call.instance}", exception)
                return rescue(call, exception) if rescue else Status.HOST
            except BaseException:  # pylint: disable=broad-except
                return Status.HOST
        finally:
            _fork.end_child(begun, problem)
            call._end()

    return entrance(_ffi.CALLBACK, trampoline)


def silent(what: str, function: Callable[[Call], Any]) -> Any:
    """A C function around one whose value is nothing."""
    plain(function, what)

    def serve(call: Call) -> int:
        function(call)
        return 0

    return callback(what, serve)
