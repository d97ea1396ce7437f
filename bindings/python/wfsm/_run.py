"""Runs calls of the library, and Python functions that the library calls back.

No exception ever crosses C. One that leaves a callback becomes what the workflow knows about
(a failing guard, a failed agent, an effect to be delivered again), is written to the logger
"wfsm", and is the cause of the WfsmError if the whole call fails. KeyboardInterrupt,
SystemExit and the like are raised again when the call of the library has returned.
"""
from __future__ import annotations

import logging
import threading
from typing import Callable, Optional

from . import _ffi, errors
from .call import Call
from .enums import Outcome, Status

logger = logging.getLogger("wfsm")
_local = threading.local()
_spare = []


def _take_error():
    try:
        return _spare.pop()
    except IndexError:
        return _ffi.lib.wfsm_error_new(None)


def _give_back(error):
    if error:
        _spare.append(error)


def run(function, *arguments, outcome=None) -> Optional[errors.WfsmError]:
    """Calls `function` with an error object behind the arguments, and raises its failure.

    With `outcome` (a c_int32 that the call sets), a step that was consumed as failed raises
    nothing. Its error is returned.
    """
    error, outer = _take_error(), getattr(_local, "raised", None)
    raised = _local.raised = []
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
    return _conclude(status, problem, raised)


def _conclude(status, problem, raised):
    for exception in raised:
        if not isinstance(exception, Exception):
            raise exception
    if problem is not None and raised:
        problem.__cause__ = raised[-1]
    if status != 0:
        raise problem
    return problem


def _note(what: str, call: Call, exception: BaseException) -> None:
    raised = getattr(_local, "raised", None)
    if raised is not None:
        raised.append(exception)
    if isinstance(exception, Exception):
        logger.error("%s %s of instance %s raised", what, call.name or "", call.instance,
                     exc_info=exception)


def why(exception: BaseException) -> bytes:
    """The text for the record. C's text ends at the first NUL."""
    text = f"{type(exception).__name__}: {exception}"
    return text.replace("\0", " ").encode("utf-8", "replace")


def callback(what: str, serve: Callable[[Call], int],
             rescue: Optional[Callable[[Call, BaseException], int]] = None):
    """A C function around `serve`; `rescue` turns what it raises into an answer."""

    def trampoline(_user, pointer):
        call = Call(pointer)
        try:
            return serve(call)
        except BaseException as exception:  # pylint: disable=broad-except
            try:
                _note(what, call, exception)
                return rescue(call, exception) if rescue else Status.HOST
            except BaseException:  # pylint: disable=broad-except
                return Status.HOST
        finally:
            call._end()

    return _ffi.CALLBACK(trampoline)
