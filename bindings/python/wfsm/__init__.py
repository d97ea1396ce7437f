"""wfsm: durable workflow state machines that drive agents.

    import pathlib
    import wfsm

    machine = wfsm.Machine.load(pathlib.Path("review.json"))
    with wfsm.sqlite("tasks.db") as store:
        instance = wfsm.Instance.start(machine, store, "task-1")
        instance.send("approve")

Everything is described in doc/python.md.
"""
import ctypes as _ctypes
from typing import Union as _Union

from . import _boundary, _main, hosted
from ._ffi import NEVER, lib as _lib
from ._text import now
from .call import Call
from .enums import InstanceStatus, Interface, Outcome, PostKind, Status, Verdict, Watched
from ._served import GONE, LATER, UNSURE
from .engine import Engine, engine
from .stream import Stream, StreamEvent
from .task import EngineInstance
from .errors import (
    AgentFailed, AlreadyExists, BadDocument, Busy, Closed, Conflict, Denied, HostFailure,
    InvalidArgument, LimitReached, NotFound, OutOfMemory, StoreError, WfsmError)
from .functions import Functions
from .instance import Effect, Instance
from .machine import Diagnostic, Machine, check
from .monitor import Monitor, Property
from .round import Round
from .play import play
from .owners import owner_is_dead, session_name
from .store import (Checkpoint, Compacted, AuditDiagnostic, Head, Post, Record, Replayed, Signed, Store, Swept,
                    memory, sqlite, sqlite_check, sqlite_check_age)
from ._postgres import postgres, postgres_init, postgres_sql, postgres_tenant, postgres_tenant_sql
from .verify import Covered, Verification, Violation
from ._values import Answer
from .work import Work

__version__ = "0.1.0"


def library_version() -> str:
    """The version of the C library that is in use."""
    return str(_lib.wfsm_version().decode())


def digest(content: bytes) -> str:
    """The digest of bytes that the library itself uses, as 64 hexadecimal digits: for what a vote
    is about, and whatever else must be known again. `content` are these bytes."""
    if not isinstance(content, (bytes, bytearray)):
        raise TypeError(f"content must be bytes, not {type(content).__name__}")
    content = bytes(content)
    made = _ctypes.create_string_buffer(65)
    _lib.wfsm_digest(content, len(content), made)
    return made.value.decode()


def escape_text(text: "_Union[str, bytes]", form: str = "line") -> str:
    """A text that comes from outside, as it can be shown: on one line of a terminal ("line"), on
    several ("text"), or in HTML ("html"). Controls, bidi controls and line separators become
    ``\\uXXXX``. ValueError for another form. `text` is str, or bytes in UTF-8, and `form` one of
    the three words."""
    forms = ("line", "text", "html")
    if form not in forms:
        raise ValueError(f'form is one of {", ".join(forms)}, not {form!r}')
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    room = _lib.wfsm_text_escape(forms.index(form), raw, len(raw), None, 0) + 1
    made = _ctypes.create_string_buffer(room)
    _lib.wfsm_text_escape(forms.index(form), raw, len(raw), made, room)
    return made.value.decode()


_boundary.around(globals())

__all__ = [
    "AgentFailed", "AlreadyExists", "Answer", "BadDocument", "Busy", "Call", "Checkpoint",
    "Closed", "Compacted", "Conflict", "Covered", "Denied", "Effect", "Engine", "EngineInstance", "Diagnostic",
    "AuditDiagnostic", "Functions", "GONE", "Head", "HostFailure", "Instance", "InstanceStatus",
    "InvalidArgument", "LATER", "LimitReached", "Machine", "Monitor", "NEVER", "NotFound",
    "Interface", "OutOfMemory", "Outcome", "Post", "PostKind", "Property", "Record", "Replayed", "Round", "Signed", "Status", "Store", "Swept", "StoreError", "Stream", "StreamEvent",
    "UNSURE", "Verdict", "Verification", "Violation", "Watched", "WfsmError", "Work", "check", "digest", "engine", "escape_text",
    "library_version", "memory", "now", "owner_is_dead", "play",
    "hosted", "postgres", "postgres_init", "postgres_sql", "postgres_tenant",
    "postgres_tenant_sql", "session_name", "sqlite", "sqlite_check", "sqlite_check_age",
]
