"""Machines: compiled, immutable definitions."""
from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, List, Mapping, Optional, Union

from . import _boundary, _ffi, _text
from ._documents import typed
from ._handle import Resource
from ._run import run
from .enums import GraphFormat, Uses
from .verify import Verification, verify

if TYPE_CHECKING:
    from .monitor import Monitor

Source = Union[str, bytes, Mapping[str, Any], "os.PathLike[str]"]


@dataclass(frozen=True)
class Diagnostic:
    """An error in a document, or a warning about it. `severity` is "error", "warning" or "note",
    `rule` the name of the rule (doc/lint.md), and `message` one sentence. `pointer` is a JSON
    pointer to the place; `line` and `column` count from 1, and are 0 if unknown."""

    severity: str
    rule: str
    message: str
    pointer: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.severity}: {self.message} [{self.rule}]"


def _read(source: Source) -> bytes:
    if isinstance(source, os.PathLike):
        with open(source, "rb") as file:
            return file.read()
    if isinstance(source, str):
        return source.encode("utf-8")
    if isinstance(source, (bytes, bytearray)):
        return bytes(source)
    if isinstance(source, Mapping):
        return _text.encode(dict(source))
    raise TypeError(f"a machine is JSON text, a dict or a Path, not {type(source).__name__}")


_SEVERITIES = {1: "error", 2: "warning", 3: "note"}


def _diagnostics(pointer: Any) -> Iterator[Diagnostic]:
    for index in range(_ffi.lib.wfsm_diagnostics_count(pointer)):
        found = _ffi.Diagnostic()
        _ffi.lib.wfsm_diagnostics_get(pointer, index, ctypes.byref(found))
        yield Diagnostic(_SEVERITIES[found.severity], found.rule.decode(),
                      found.message.decode("utf-8", "replace"),
                      found.pointer.decode("utf-8", "replace"), found.line, found.column)


def check(source: Source) -> List[Diagnostic]:
    """All errors, warnings and notes of a document.

    A document without a diagnostic of severity "error" can be loaded.

    `source` is what ``Machine.load`` takes.
    """
    text, pointer = _read(source), _ffi.ptr()
    run(_ffi.lib.wfsm_machine_check, ctypes.byref(pointer), text, len(text), None)
    try:
        return list(_diagnostics(pointer))
    finally:
        _ffi.lib.wfsm_diagnostics_free(pointer)


class Machine(Resource):
    """A machine, made by ``Machine.load``. Threads and instances may share it."""

    _kind = "machine"
    _made_by = "Machine.load()"
    _instead = "load its document again"
    _pointers = _ffi.MACHINE
    _forks = True

    def __init__(self, pointer: Any):
        super().__init__(pointer, _ffi.lib.wfsm_machine_unref)

    @classmethod
    def load(cls, source: Source, *, context: Any = None, events: Optional[Mapping[str, Any]] = None,
             agents: Optional[Mapping[str, Any]] = None) -> "Machine":
        """Compiles a document: JSON text (str or bytes), a dict, or the Path of a file.

        Types can be given in Python (``wfsm.types``), and their JSON Schemas are put into the document:
        `context` is a dataclass, a TypedDict or a pydantic model, or an object of one, with the initial
        values; `events` has the types of events' data, which ``verify`` assumes; `agents` has agents by
        name, as functions with an annotation of their result, or the type of it.

        Raises BadDocument with the place and what was expected there, and TypeError for a type that
        has no schema, or does not fit.

        `source` is this document.
        """
        text, pointer = typed(_read(source), context, events, agents), _ffi.ptr()
        run(_ffi.lib.wfsm_machine_load, ctypes.byref(pointer), text, len(text), None, None)
        return cls(pointer)

    @property
    def id(self) -> str:
        """The id in the document. Engines know the machine by it."""
        return self._text(_ffi.lib.wfsm_machine_id)

    @property
    def version(self) -> str:
        """"" when the document has none."""
        return self._text(_ffi.lib.wfsm_machine_version)

    @property
    def fingerprint(self) -> str:
        """A digest of the document without descriptions and the like."""
        return self._text(_ffi.lib.wfsm_machine_fingerprint)

    @property
    def document(self) -> Any:
        """The document, as it was given."""
        with self._sharing() as pointer:
            return _text.answer(_ffi.lib.wfsm_machine_document, pointer)

    @property
    def states(self) -> List[str]:
        """Dotted paths in document order; the first is the root, ""."""
        with self._sharing() as pointer:
            count = _ffi.lib.wfsm_machine_state_count(pointer)
            return [_ffi.lib.wfsm_machine_state_path(pointer, i).decode() for i in range(count)]

    @property
    def guards(self) -> List[str]:
        """Names of the host guards that the document uses."""
        return self._uses(Uses.USES_GUARDS)

    @property
    def actions(self) -> List[str]:
        """Names of the host functions that the document uses."""
        return self._uses(Uses.USES_ACTIONS)

    @property
    def agents(self) -> List[str]:
        """Names of the agents that the document may invoke."""
        return self._uses(Uses.USES_AGENTS)

    def _uses(self, kind: Uses) -> List[str]:
        names: List[str] = []
        with self._sharing() as pointer:
            while True:
                name = _ffi.lib.wfsm_machine_uses(pointer, kind, len(names))
                if name is None:
                    return names
                names.append(name.decode())

    def _text(self, function: Any) -> str:
        with self._sharing() as pointer:
            return str(function(pointer).decode())

    def check(self) -> List[Diagnostic]:
        """The warnings about the document."""
        length = _ffi.size()
        with self._sharing() as pointer:
            text = _ffi.lib.wfsm_machine_document(pointer, ctypes.byref(length))
            return check(ctypes.string_at(text, length.value))

    def verify(self, **options: Any) -> Verification:
        """Explores everything that can happen to an instance: every event, result, failure
        and timer in any order. True if all properties of the document hold in every state.

        Options: `max_states`, `max_memory` (bytes), `bound` (how far numbers may grow);
        `punctual`, `restores`, `first`, `open`, `no_reduction`, `fairness` ("weak", "strong" or "none"; all as the
        options of ``wfsm verify``); `inputs`,
        dicts to start with; `machines`, those that the document may start as children, for
        properties of `instances`; `jobs`, the number of threads that search together; `cases` (test cases, for ``wfsm.play``); `progress`, called with
        the numbers of states and moves, ends the search if it returns something true.

        `options` are these.
        """
        return verify(self, **options)

    def monitor(self) -> "Monitor":
        """A Monitor, which watches the properties of the document over one run."""
        from .monitor import monitor  # pylint: disable=import-outside-toplevel,cyclic-import
        return monitor(self)

    def graph(self, format: str = "mermaid") -> str:
        """A drawing as text: "mermaid" (stateDiagram-v2) or "dot" (Graphviz); or a model for SPIN,
        "promela", of a chart whose guards and actions read no data. `format` is one of these three
        words."""
        if format not in ("mermaid", "dot", "promela"):
            raise ValueError(f'the format of a graph is "mermaid", "dot" or "promela", '
                             f'not {format!r}')
        text, length = _ffi.ptr(), _ffi.size()
        with self._sharing() as pointer:
            run(_ffi.tools().wfsm_machine_graph, pointer, GraphFormat[format.upper()],
                ctypes.byref(text), ctypes.byref(length))
            try:
                return ctypes.string_at(text, length.value).decode()
            finally:
                _ffi.tools().wfsm_text_free(pointer, text)

    def __repr__(self) -> str:
        return "<Machine closed>" if self.closed else f"<Machine {self.id!r}>"


_boundary.around(globals())
