"""What an engine has at work, and its limits."""
from __future__ import annotations

import ctypes
from typing import Any, Dict, List, Optional, cast

from . import _boundary, _ffi, _text
from ._engine_base import EngineParts
from ._run import run
from .enums import PoolKind

_KINDS = {"slots": PoolKind.POOL_ALL, "agent": PoolKind.POOL_AGENT,
          "phase": PoolKind.POOL_PHASE, "group": PoolKind.POOL_GROUP}


def _kind(word: str) -> int:
    if word not in _KINDS:
        raise ValueError(f'expected "slots", "agent", "phase" or "group", not {word!r}')
    return _KINDS[word]


class Slots(EngineParts):
    """The methods about agents at work."""

    def limit(self, kind: str, most: int, name: Optional[str] = None) -> None:
        """Limits how many invocations are at work at once: of each "agent", "phase" or "group", or
        of the one with this name (0: no limit of its own); or of the engine: "slots". `kind` is one
        of these four words, `most` the limit, and `name` that of an agent, a phase or a group."""
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_engine_limit, pointer, _kind(kind), _text.optional(name), most)

    def limit_shared(self, kind: str, name: str, most: int) -> None:
        """Limits how many invocations of an "agent", a "phase" or a "group" are at work at once in
        all engines of the store together (0: no such limit). Every engine sets it. Raises Denied if
        a hosted store cannot do this. `kind` is one of these three words, `name` that of the agent,
        phase or group, and `most` the limit."""
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_engine_limit_shared, pointer, _kind(kind), _text.name(name), most)

    def rate(self, kind: str, name: str, count: int, per_ms: int, *, shared: bool = False) -> None:
        """Attempts of an "agent", a "phase" or a "group" begin no faster than `count` in `per_ms`:
        so many at once, and one more each per_ms / count (0: no rate). With `shared`, in all
        engines of the store together; every engine sets it. Raises Denied if a hosted store cannot
        do this. `kind` is one of these three words, and `name` that of the agent, phase or
        group."""
        with self._changing() as pointer:
            rate = _ffi.PoolRate(kind=_kind(kind), shared=shared, name=_text.name(name),
                                 per_ms=per_ms, count=count)
            run(_ffi.lib.wfsm_engine_rate, pointer, ctypes.byref(rate))

    @property
    def pool(self) -> Dict[str, Any]:
        """slots, working, free, waiting; and agents, phases and groups by name."""
        with self._using() as pointer:
            return cast(Dict[str, Any], _text.answer(_ffi.lib.wfsm_engine_pool, pointer))

    @property
    def counts(self) -> Dict[str, int]:
        """What the engine has done since it was made (rounds, commits, failures by class), and what
        it does now (slots, working, waiting): the members of wfsm_engine_counts."""
        counts = _ffi.EngineCounts()
        with self._using() as pointer:
            _ffi.lib.wfsm_engine_count(pointer, ctypes.byref(counts))
        return {name: getattr(counts, name) for name, _ in counts._fields_ if name != "size"}

    @property
    def metrics(self) -> str:
        """The same in the text format of Prometheus, with the times of exchanges as a histogram."""
        with self._using() as pointer:
            length = _ffi.size()
            text = _ffi.lib.wfsm_engine_metrics(pointer, ctypes.byref(length))
            if not text:
                raise MemoryError("out of memory")
            return ctypes.string_at(text, length.value).decode()

    def work(self, kind: str = "slots", name: Optional[str] = None) -> List[Dict[str, Any]]:
        """The outstanding invocations, of all or of one agent, phase or group. `kind` is "slots"
        (all), "agent", "phase" or "group", and `name` that of one agent, phase or group."""
        with self._using() as pointer:
            length = _ffi.size()
            text = _ffi.lib.wfsm_engine_work(pointer, _kind(kind), _text.optional(name),
                                             ctypes.byref(length))
            if not text:
                raise ValueError(f"unknown kind, or a name that does not fit: {kind!r}, {name!r}")
            return cast(List[Dict[str, Any]], _text.decode(text, length.value))

    @property
    def waiting(self) -> int:
        """Invocations that wait for a slot, below a limit, or for the time of a retry."""
        with self._using() as pointer:
            return int(_ffi.lib.wfsm_engine_waiting(pointer))

    def can_spawn(self, count: int = 1) -> bool:
        """True if so many slots are free. `count` is their number."""
        with self._using() as pointer:
            return bool(_ffi.lib.wfsm_engine_can_spawn(pointer, count))

    def await_empty(self, kind: str, name: str, instance: str, event: str, event_id: str, *,
                    now: Optional[int] = None) -> None:
        """Posts the event to the instance as soon as no invocation of this "agent", "phase" or
        "group" is at work or waits. `kind` is one of these three words, and `name` that of the
        agent, phase or group. `instance` gets the `event` once, under the id `event_id`."""
        with self._changing() as pointer:
            wait = _ffi.PoolWait(
                kind=_kind(kind), name=_text.name(name), instance=_text.name(instance),
                event=_text.name(event), event_id=_text.name(event_id))
            run(_ffi.lib.wfsm_engine_await_empty, pointer, ctypes.byref(wait),
                _text.time_or_now(now))
        self._wake()

    @property
    def working(self) -> int:
        """Invocations at work now."""
        with self._using() as pointer:
            return int(_ffi.lib.wfsm_engine_working(pointer))


_boundary.around(globals(), "Engine")
