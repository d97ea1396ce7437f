"""What an instance is asked, by whomever it is driven."""
from __future__ import annotations

import ctypes
from contextlib import AbstractContextManager
from typing import Any, Dict, List, Optional, Type, TypeVar, cast

from . import _boundary, _ffi, _text, types
from ._context import Context
from .enums import InstanceStatus
from .store import Head, _head

T = TypeVar("T")


class Questions:
    """The queries of an instance. They change nothing."""

    def _using(self) -> AbstractContextManager[Any]:
        raise NotImplementedError

    def _ask(self, function: Any, *arguments: Any) -> Any:
        with self._using() as pointer:
            return function(pointer, *arguments)

    def _json(self, function: Any, hook: Any = None) -> Any:
        with self._using() as pointer:
            return _text.answer(function, pointer, hook)

    @property
    def id(self) -> str:
        """The id that it was started with."""
        return str(self._ask(_ffi.lib.wfsm_instance_id).decode())

    @property
    def revision(self) -> int:
        """The number of commits."""
        return int(self._ask(_ffi.lib.wfsm_instance_revision))

    @property
    def status(self) -> InstanceStatus:
        """RUNNING, or DONE: a final state of the root is reached, or it was stopped."""
        return InstanceStatus(self._ask(_ffi.lib.wfsm_instance_status))

    @property
    def done(self) -> bool:
        """True if the instance has ended."""
        return self.status is InstanceStatus.DONE

    @property
    def now(self) -> int:
        """The time of the last step, in milliseconds."""
        return int(self._ask(_ffi.lib.wfsm_instance_now))

    @property
    def deadline(self) -> Optional[int]:
        """When ``advance`` has something to do, in milliseconds; None: never."""
        return _text.deadline(self._ask(_ffi.lib.wfsm_instance_deadline))

    @property
    def head(self) -> Head:
        """The head row of this state. `created`, `first` and `snapshot_revision` are 0, because
        only the store knows them."""
        raw = _ffi.Head()
        with self._using() as pointer:
            if _ffi.lib.wfsm_instance_head(pointer, ctypes.byref(raw)):
                raise MemoryError
            return _head(raw)

    def in_state(self, state: str) -> bool:
        """True if this state (dotted path or "#id") is active. `state` is that path or id."""
        return bool(self._ask(_ffi.lib.wfsm_instance_in, _text.name(state)))

    def has_tag(self, tag: str) -> bool:
        """True if a state with this tag is active. `tag` is the tag."""
        return bool(self._ask(_ffi.lib.wfsm_instance_has_tag, _text.name(tag)))

    @property
    def blocked(self) -> str:
        """The guard that blocked the last event: its name, or its rule as JSON; or ""."""
        return str(self._ask(_ffi.lib.wfsm_instance_blocked).decode())

    @property
    def configuration(self) -> List[str]:
        """Dotted paths of the active atomic and final states, in document order."""
        return cast(List[str], self._json(_ffi.lib.wfsm_instance_configuration))

    @property
    def context(self) -> Dict[str, Any]:
        """The instance's data; a copy, which refuses assignments."""
        return cast(Dict[str, Any], self._json(_ffi.lib.wfsm_instance_context, Context))

    def context_as(self, kind: Type[T]) -> T:
        """The context as an object of this type: a dataclass, a TypedDict or a pydantic model.
        ValueError if it does not fit. `kind` is the type."""
        return cast(T, types.convert(self.context, kind, "context"))

    @property
    def output(self) -> Any:
        """The output of the root's final state; None before the end."""
        return self._json(_ffi.lib.wfsm_instance_output)

    @property
    def invocations(self) -> List[Dict[str, Any]]:
        """The outstanding invocations: id, src, state, status, attempt, input and more. While one item of
        an invocation with items is at work, those that have ended are among them, with their result."""
        return cast(List[Dict[str, Any]], self._json(_ffi.lib.wfsm_instance_invocations))

    def budgets(self, now: Optional[int] = None) -> Dict[str, Any]:
        """The document's budgets: {name: {"used", "limit", "left"}}. `now` is the time in
        milliseconds that rates are counted at (None: the clock)."""
        length = _ffi.size()
        with self._using() as pointer:
            text = _ffi.lib.wfsm_instance_budgets(pointer, _text.time_or_now(now),
                                                  ctypes.byref(length))
            return cast(Dict[str, Any], _text.decode(text, length.value))

    @property
    def parent(self) -> Optional[str]:
        """The invocation whose child workflow this is; None if it is not a child."""
        with self._using() as pointer:
            return _text.plain(_ffi.lib.wfsm_instance_parent(pointer)) or None

    @property
    def stopped(self) -> bool:
        """True if it was ended by ``stop``."""
        with self._using() as pointer:
            return bool(_ffi.lib.wfsm_instance_stopped(pointer))

    @property
    def limits(self) -> Dict[str, int]:
        """The limits of a step: selections, rule_steps, rule_bytes, step_work, step_bytes; and
        of the instances that may descend from it: descendants, descendants_in_all."""
        limits = _ffi.StepLimits()
        with self._using() as pointer:
            _ffi.lib.wfsm_instance_limits(pointer, ctypes.byref(limits))
        return {name: getattr(limits, name) for name in _text.LIMITS}

    @property
    def failures(self) -> List[Dict[str, Any]]:
        """Repeated failures: invoke, signature, count; the newest is last."""
        return cast(List[Dict[str, Any]], self._json(_ffi.lib.wfsm_instance_failures))

    @property
    def timers(self) -> List[Dict[str, Any]]:
        """The pending timers: event, due, and id and data if they have any."""
        return cast(List[Dict[str, Any]], self._json(_ffi.lib.wfsm_instance_timers))

    @property
    def enabled_events(self) -> List[str]:
        """The names of events that would be taken now, with null data."""
        return cast(List[str], self._json(_ffi.lib.wfsm_instance_events))

    @property
    def record(self) -> Any:
        """The record of the last commit of this object; None before the first."""
        return self._json(_ffi.lib.wfsm_instance_record) or None

    @property
    def log(self) -> List[Dict[str, Any]]:
        """What the last commit of this object logged: {"label", "value"}."""
        return self._json(_ffi.lib.wfsm_instance_log) or []

    @property
    def entered(self) -> List[str]:
        """The states that the last commit of this object entered and that are still active:
        dotted paths. A state that was left and entered again is among them."""
        return self._json(_ffi.lib.wfsm_instance_entered) or []

    @property
    def event(self) -> Any:
        """The event that the last commit of this object reacted to, as rules saw it, for
        ``Monitor.observe``: {"type", "data", "id", "kind", "origin"}. None if no transition was
        taken for an event, or if the machine has no properties."""
        return self._json(_ffi.lib.wfsm_instance_event) or None


_boundary.around(globals())
