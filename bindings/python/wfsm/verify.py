"""Verification: everything that can happen to an instance of a machine (wfsm_verify)."""
from __future__ import annotations

import contextlib
import ctypes
import json
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple)

from . import _boundary, _ffi, _text
from ._run import plain, run, shield
from .enums import Fairness, Verdict

if TYPE_CHECKING:
    from .machine import Machine


@dataclass(frozen=True)
class Violation:
    """A diagnostic. `severity` is "error", "warning" or "note". `script` has lines for ``wfsm
    simulate --by-hand``. `steps` is None if there is no trace. `replayed` is true if the trace was
    replayed without any abstraction and ended the same. `rule` names what is violated, and
    `property` the property of the document, if it is one. `message` says it in a sentence. `state`
    is where it happens, and `pointer`, `line` and `column` are the place in the document. `trace`
    is the way to it as text, and `start` the input that it begins with."""

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
class Covered:
    """A transition, or a branch of the action ``choose``, and what was seen of it: `taken`,
    `was_true` and `was_false` are True if it was seen in some run, False if it is in none, and None
    if that is not known or not asked: there is no guard, or a branch is not taken. `state`,
    `event`, `guard` and `target` say which transition it is, and `pointer`, `line` and `column`
    where it stands. `branch` is true for a branch of ``choose``."""

    state: str
    event: str
    guard: str
    target: str
    pointer: str
    line: int
    column: int
    branch: bool
    taken: Optional[bool]
    was_true: Optional[bool]
    was_false: Optional[bool]


@dataclass(frozen=True)
class Verification:
    """The result. `properties` are the document's own, by name. `vacuous` names those that hold
    because what they are about never happens. `bound` says which bound was reached, if any, and
    `notes` says what was abstracted. `coverage` says what was seen of transitions and guards.
    `cases` are scripts for ``wfsm.play`` and ``wfsm simulate --by-hand``, if they were asked for.
    `verdict` is the result for all properties together, and `diagnostics` has what is wrong or
    noticed. `states`, `moves` and `depth` say how much was explored."""

    verdict: Verdict
    properties: Dict[str, Verdict]
    diagnostics: Tuple[Violation, ...]
    bound: str
    notes: Tuple[str, ...]
    states: int
    moves: int
    depth: int
    vacuous: Tuple[str, ...] = ()
    coverage: Tuple[Covered, ...] = ()
    cases: Tuple[str, ...] = ()

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


_SEEN = {0: None, 1: True, 2: False, 3: None}


def _covered(raw: _ffi.VerifyCoverage) -> Covered:
    return Covered(
        raw.state.decode(), raw.event.decode(), raw.guard.decode(), raw.target.decode(),
        raw.pointer.decode(), raw.line, raw.column, bool(raw.branch), _SEEN[raw.taken],
        _SEEN[raw.was_true], _SEEN[raw.was_false])


def _texts(function: Any, pointer: Any) -> Tuple[str, ...]:
    found: List[str] = []
    while True:
        text = function(pointer, len(found))
        if text is None:
            return tuple(found)
        found.append(text.decode())


def _all(make: Callable[[], Any], function: Any, pointer: Any) -> List[Any]:
    found: List[Any] = []
    while True:
        raw = make()
        if function(pointer, len(found), ctypes.byref(raw)) != 0:
            return found
        found.append(raw)


def _read(pointer: Any) -> Verification:
    lib, counts = _ffi.tools(), _ffi.VerifyCounts()
    lib.wfsm_verification_counts(pointer, ctypes.byref(counts))
    properties = _all(_ffi.VerifyProperty, lib.wfsm_verification_property, pointer)
    diagnostics = _all(_ffi.VerifyDiagnostic, lib.wfsm_verification_get, pointer)
    return Verification(
        Verdict(lib.wfsm_verification_verdict(pointer)),
        {raw.name.decode(): Verdict(raw.verdict) for raw in properties},
        tuple(_violation(raw) for raw in diagnostics),
        lib.wfsm_verification_bound(pointer).decode(),
        _texts(lib.wfsm_verification_note, pointer), counts.states, counts.moves, counts.depth,
        tuple(raw.name.decode() for raw in properties if raw.vacuous),
        tuple(_covered(raw) for raw in
              _all(_ffi.VerifyCoverage, lib.wfsm_verification_coverage, pointer)),
        _texts(lib.wfsm_verification_case, pointer))


def verify(machine: "Machine", *, max_states: int = 0, max_memory: int = 0, bound: int = 0,
           punctual: bool = False, restores: bool = False, first: bool = False,
           open: bool = False, fairness: str = "weak", cases: bool = False,
           inputs: Optional[Sequence[Mapping[str, Any]]] = None,
           machines: "Sequence[Machine]" = (), jobs: int = 1, no_reduction: bool = False,
           progress: Optional[Callable[[int, int], Any]] = None) -> Verification:
    """As ``Machine.verify``."""
    raised: List[BaseException] = []
    if fairness not in ("weak", "strong", "none"):
        raise ValueError(f'fairness is "weak", "strong" or "none", not {fairness!r}')

    if not 0 <= jobs <= 256:
        raise ValueError(f"jobs is from 0 to 256, not {jobs!r}")

    def tell(_user: Any, counts: Any) -> int:
        return 1 if progress and progress(counts.contents.states, counts.contents.moves) else 0

    def stop(exception: BaseException) -> int:
        raised.append(exception)
        return 1

    text = None if inputs is None else _text.encode(list(inputs))
    options = _ffi.VerifyOptions(
        max_states=max_states, max_memory=max_memory, bound=bound, punctual=punctual,
        restores=restores, first=first, open=open, cases=cases, jobs=jobs, inputs=text,
        inputs_length=len(text or b""), no_reduction=no_reduction,
        fairness=Fairness["FAIRNESS_" + fairness.upper()])
    if progress is not None:
        plain(progress, "progress")
        options.progress = shield(_ffi.PROGRESS, "progress of verify", tell, stop)
    pointer = _ffi.ptr()
    try:
        with contextlib.ExitStack() as shared:
            proved = shared.enter_context(machine._sharing())
            children = [shared.enter_context(one._sharing()) for one in machines]
            options.machines = (_ffi.ptr * len(children))(*children)
            options.machine_count = len(children)
            run(_ffi.tools().wfsm_verify, ctypes.byref(pointer), proved, ctypes.byref(options))
        if raised:
            raise raised[0]
        return _read(pointer)
    finally:
        _ffi.tools().wfsm_verification_free(pointer)


_boundary.around(globals())
