"""Verification: everything that can happen to an instance of a machine (wfsm_verify)."""
from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from . import _ffi, _text
from ._run import run
from .enums import Verdict


@dataclass(frozen=True)
class Violation:
    """A diagnostic. `severity` is "error", "warning" or "note". `script` has lines for
    ``wfsm simulate --by-hand``. `steps` is None if there is no trace. `replayed` is true if the
    trace was replayed without any abstraction and ended the same."""

    severity: str
    rule: str
    property: Optional[str]
    message: str
    state: str
    pointer: str
    line: int
    column: int
    steps: Optional[int]
    replayed: bool
    trace: str
    script: str
    start: Any


@dataclass(frozen=True)
class Verification:
    """The result. `properties` are the document's own, by name. `bound` says which bound was
    reached, if any, and `notes` says what was abstracted."""

    verdict: Verdict
    properties: Dict[str, Verdict]
    diagnostics: Tuple[Violation, ...]
    bound: str
    notes: Tuple[str, ...]
    states: int
    moves: int
    depth: int

    def __bool__(self) -> bool:
        """True if every state was explored and nothing is violated."""
        return self.verdict is Verdict.HOLDS


_SEVERITIES = {1: "error", 2: "warning", 3: "note"}


def _violation(raw: _ffi.VerifyDiagnostic) -> Violation:
    return Violation(
        _SEVERITIES[raw.severity], raw.rule.decode(), _text.plain(raw.property), raw.message.decode(),
        raw.state.decode(), raw.pointer.decode(), raw.line, raw.column,
        None if raw.steps < 0 else raw.steps, bool(raw.replayed), raw.trace.decode(),
        raw.script.decode(), json.loads(raw.start) if raw.start else None)


def _all(make, function, pointer) -> List[Any]:
    found: List[Any] = []
    while True:
        raw = make()
        if function(pointer, len(found), ctypes.byref(raw)) != 0:
            return found
        found.append(raw)


def _read(pointer) -> Verification:
    lib, counts = _ffi.tools(), _ffi.VerifyCounts()
    lib.wfsm_verification_counts(pointer, ctypes.byref(counts))
    notes: List[str] = []
    while True:
        note = lib.wfsm_verification_note(pointer, len(notes))
        if note is None:
            break
        notes.append(note.decode())
    properties = _all(_ffi.VerifyProperty, lib.wfsm_verification_property, pointer)
    diagnostics = _all(_ffi.VerifyDiagnostic, lib.wfsm_verification_get, pointer)
    return Verification(
        Verdict(lib.wfsm_verification_verdict(pointer)),
        {raw.name.decode(): Verdict(raw.verdict) for raw in properties},
        tuple(_violation(raw) for raw in diagnostics),
        lib.wfsm_verification_bound(pointer).decode(), tuple(notes), counts.states,
        counts.moves, counts.depth)


def verify(machine, *, max_states: int = 0, max_memory: int = 0, bound: int = 0,
           punctual: bool = False, restores: bool = False, first: bool = False,
           open: bool = False,
           inputs: Optional[Sequence[Mapping[str, Any]]] = None,
           progress: Optional[Callable[[int, int], Any]] = None) -> Verification:
    """As ``Machine.verify``."""
    raised: List[BaseException] = []

    def tell(_user, counts):
        try:
            return 1 if progress(counts.contents.states, counts.contents.moves) else 0
        except BaseException as exception:  # pylint: disable=broad-except
            raised.append(exception)
            return 1

    text = None if inputs is None else _text.encode(list(inputs))
    options = _ffi.VerifyOptions(
        max_states=max_states, max_memory=max_memory, bound=bound, punctual=punctual,
        restores=restores, first=first, open=open, inputs=text, inputs_length=len(text or b""))
    if progress is not None:
        options.progress = _ffi.PROGRESS(tell)
    pointer = _ffi.ptr()
    run(_ffi.tools().wfsm_verify, ctypes.byref(pointer), machine._pointer(), ctypes.byref(options))
    try:
        if raised:
            raise raised[0]
        return _read(pointer)
    finally:
        _ffi.tools().wfsm_verification_free(pointer)
