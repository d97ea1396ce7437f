"""The properties of a machine's document, watched over one run."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Tuple

from . import _boundary, _ffi, _text
from ._handle import Resource
from ._run import run
from .enums import Watched
from ._questions import Questions
from .machine import Machine

EVENT_OF_INSTANCE: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Property:
    """The verdict on one property after the last observation. `message` says why one of its rules
    cannot be evaluated, or is "". `name`, `kind` and `description` are those of the document;
    `watched` is the verdict."""

    name: str
    kind: str
    description: str
    watched: Watched
    message: str


class Monitor(Resource):
    """Made by ``Machine.monitor``. It remembers what it has seen of one run.

    Call ``observe`` after the start of the instance, and then after each step. A checkpoint, an event or
    a claim to which nothing reacts, and a vote that neither decides nor leads anywhere are no steps.
    """

    _kind = "monitor"
    _made_by = "Machine.monitor"
    _pointers = _ffi.MONITOR
    _forks = True

    def __init__(self, pointer: Any):
        super().__init__(pointer, _ffi.tools().wfsm_monitor_free)

    def observe(self, instance: Questions,
                event: Optional[Mapping[str, Any]] = EVENT_OF_INSTANCE) -> None:
        """Looks at the instance after its start, or after a step. `event` is the one that the step
        reacted to, or None if no transition took it; by default, it is ``instance.event``.
        `instance` is always the same one."""
        if not isinstance(instance, Questions):
            raise TypeError(f"instance must be a wfsm.Instance or a wfsm.EngineInstance, "
                            f"not {type(instance).__name__}")
        states, context, entered = (
            _text.encode(value)
            for value in (instance.configuration, instance.context, instance.entered))
        seen_event = instance.event if event is EVENT_OF_INSTANCE else event
        text = None if seen_event is None else _text.encode(dict(seen_event))
        with self._using() as pointer:
            seen = _ffi.Observation(
                configuration=states, configuration_length=len(states), context=context,
                context_length=len(context), event=text, event_length=len(text or b""),
                entered=entered, entered_length=len(entered), now=instance.now)
            run(_ffi.tools().wfsm_monitor_observe, pointer, ctypes.byref(seen))

    def advance(self, now: int) -> None:
        """Tells the monitor that the time is `now` (ms, as ``Instance.now``), and that there was no
        step since the last observation. A property whose ``within`` has passed is violated."""
        with self._using() as pointer:
            run(_ffi.tools().wfsm_monitor_advance, pointer, now)

    @property
    def properties(self) -> Tuple[Property, ...]:
        """All properties, in the order of the document."""
        found: List[Property] = []
        with self._using() as pointer:
            raw = _ffi.WatchedProperty()
            while _ffi.tools().wfsm_monitor_property(pointer, len(found), ctypes.byref(raw)) == 0:
                found.append(Property(
                    raw.name.decode(), raw.kind.decode(), raw.description.decode(),
                    Watched(raw.watched), raw.message.decode("utf-8", "replace")))
        return tuple(found)

    @property
    def unassumed(self) -> Optional[str]:
        """The event of the last observation, if its data breaks what the document's `assume` promises
        of it: ``verify`` has not tried such a run. None: none does."""
        with self._using() as pointer:
            name = _ffi.tools().wfsm_monitor_unassumed(pointer)
        return None if name is None else str(name.decode())


def monitor(machine: Machine) -> Monitor:
    """As ``Machine.monitor``."""
    pointer = _ffi.ptr()
    with machine._sharing() as watched:
        run(_ffi.tools().wfsm_monitor_new, ctypes.byref(pointer), watched)
    return Monitor(pointer)


_boundary.around(globals())
