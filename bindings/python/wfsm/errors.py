"""Exceptions: one class for each kind of status."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Type

from . import _ffi
from .enums import Status


class WfsmError(Exception):
    """A call of the library failed.

    ``status`` is the number, ``name`` its name ("SEMANTIC"), ``message`` one sentence.
    ``pointer`` is a JSON pointer into the caller's text ("" for the whole text or if there is
    no place). ``line`` and ``column`` count from 1, and are 0 if unknown.

    ``answers`` says what became of each part of a call that has many (``Engine.start_all``).

    The message may contain names and texts from outside. Show it with ``wfsm.escape_text``.

    `status`, `message`, `pointer`, `line` and `column` are also the arguments of the class.
    """

    def __init__(self, status: int, message: str, pointer: str = "", line: int = 0,
                 column: int = 0):
        self.status = status
        self.message = message
        self.pointer = pointer
        self.line = line
        self.column = column
        self.answers: Optional[List[Optional[Status]]] = None
        super().__init__(str(self))

    @property
    def name(self) -> str:
        """The name of the status, such as "NOT_FOUND"."""
        return str(_ffi.lib.wfsm_status_name(int(self.status)).decode())

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        at = f" (at {self.pointer})" if self.pointer else ""
        return f"{place}{self.message}{at}"

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.status, self.message, self.pointer, self.line, self.column)


class OutOfMemory(WfsmError, MemoryError):
    """NO_MEMORY: everything is as it was."""


class InvalidArgument(WfsmError, ValueError):
    """INVALID: an argument is out of range."""


class BadDocument(WfsmError, ValueError):
    """SYNTAX or SEMANTIC: text is not JSON, or not the JSON that was expected there."""


class NotFound(WfsmError, LookupError):
    """NOT_FOUND: no such instance, checkpoint, machine, invocation or name."""


class AlreadyExists(WfsmError):
    """EXISTS: the id exists already."""


class Busy(WfsmError):
    """BUSY: a callback called the object that called it, or a file is locked."""


class Conflict(WfsmError):
    """CONFLICT, STORE_UNKNOWN or SEALED: load the instance again."""


class StoreError(WfsmError):
    """STORE_FAILED, CORRUPT, VERSION or IO: the store cannot be read or written."""


class LimitReached(WfsmError):
    """LIMIT: a bound of depth, steps, size or count."""


class Denied(WfsmError):
    """DENIED: the document or the present state forbids it."""


class HostFailure(WfsmError):
    """HOST: a guard, function or agent of the host failed. Its exception is the cause."""


class Closed(WfsmError):
    """The object was closed, or a call is used after its callback returned. `what` is closed, and
    `why`, if that can be said."""

    def __init__(self, what: str, why: str = ""):
        super().__init__(Status.INVALID, f"the {what} is closed{why and ': '}{why}")

    def __reduce__(self) -> Tuple[Any, ...]:
        return WfsmError, (self.status, self.message)


FAILURE_CLASSES: Tuple[str, ...] = (
    "network", "timeout", "auth", "schema", "exit", "canceled", "limit", "other")


class AgentFailed(Exception):
    """Raised by an agent to say how it failed.

    ``failure_class`` is network, timeout, auth, schema, exit, canceled, limit
    or other.

    `message` is one sentence for the journal.
    """

    def __init__(self, failure_class: str, message: str = ""):
        super().__init__(message)
        self.failure_class = failure_class


_CLASSES: Dict[int, Type[WfsmError]] = {
    Status.NO_MEMORY: OutOfMemory, Status.INVALID: InvalidArgument,
    Status.SYNTAX: BadDocument, Status.SEMANTIC: BadDocument, Status.NOT_FOUND: NotFound,
    Status.EXISTS: AlreadyExists, Status.BUSY: Busy, Status.CONFLICT: Conflict,
    Status.STORE_FAILED: StoreError, Status.STORE_UNKNOWN: Conflict, Status.SEALED: Conflict,
    Status.CORRUPT: StoreError, Status.VERSION: StoreError, Status.LIMIT: LimitReached,
    Status.DENIED: Denied, Status.IO: StoreError, Status.HOST: HostFailure,
}


def make(status: int, message: str, pointer: str = "", line: int = 0,
         column: int = 0) -> WfsmError:
    """The exception for a status."""
    return _CLASSES.get(status, WfsmError)(status, message, pointer, line, column)


def from_library(status: int, error: Optional[int]) -> WfsmError:
    """The exception for a status that a call returned, with the text of its error object."""
    lib = _ffi.lib
    if not error or lib.wfsm_error_status(error) != status:
        return make(status, lib.wfsm_status_name(status).decode())
    return make(
        status,
        lib.wfsm_error_message(error).decode("utf-8", "replace"),
        lib.wfsm_error_pointer(error).decode("utf-8", "replace"),
        lib.wfsm_error_line(error), lib.wfsm_error_column(error))
