"""The argument of guards, actions, agents and observers."""
from __future__ import annotations

from typing import Any, Optional

from . import _ffi, _text
from .enums import Lost
from .errors import Closed, make


def _check(status: int) -> None:
    """Raises the error of a setter."""
    if status != 0:
        raise make(status, _ffi.lib.wfsm_status_name(status).decode())


class Call:
    """One call of a function of the host by the library.

    It is valid until the function returns; afterwards its members raise ``Closed``. A member
    that does not apply is None or 0. JSON comes as Python values, decoded again at each access.
    """

    def __init__(self, pointer: int):
        self._address: Optional[int] = pointer

    def _end(self) -> None:
        self._address = None

    def _pointer(self) -> int:
        if self._address is None:
            raise Closed("call")
        return self._address

    def _plain(self, function) -> Optional[str]:
        return _text.plain(function(self._pointer()))

    def _json(self, function) -> Any:
        return _text.answer(function, self._pointer())

    @property
    def name(self) -> Optional[str]:
        """The name of the guard, action, agent or effect; for an observer, of the machine."""
        return self._plain(_ffi.lib.wfsm_call_name)

    @property
    def instance(self) -> Optional[str]:
        """The id of the instance."""
        return self._plain(_ffi.lib.wfsm_call_instance)

    @property
    def now(self) -> int:
        """The time of the step, in milliseconds."""
        return _ffi.lib.wfsm_call_now(self._pointer())

    @property
    def lost(self) -> Optional[Lost]:
        """Engine.on_lost: why the instance is lost."""
        why = _ffi.lib.wfsm_call_lost(self._pointer())
        return Lost(why) if why else None

    @property
    def params(self) -> Any:
        """Guards and actions: the parameters in the document."""
        return self._json(_ffi.lib.wfsm_call_params)

    @property
    def context(self) -> Any:
        """Guards and actions: the instance's data."""
        return self._json(_ffi.lib.wfsm_call_context)

    @property
    def event(self) -> Any:
        """Guards and actions: {"type", "data", "id", "kind"}, or None."""
        return self._json(_ffi.lib.wfsm_call_event)

    @property
    def id(self) -> Optional[str]:
        """Agents: the invocation's id, the same over all attempts. Effects: the effect's."""
        return self._plain(_ffi.lib.wfsm_call_id)

    @property
    def attempt(self) -> int:
        """Agents: the number of the attempt, from 1."""
        return _ffi.lib.wfsm_call_attempt(self._pointer())

    @property
    def state(self) -> Optional[str]:
        """Agents: the path of the invoking state."""
        return self._plain(_ffi.lib.wfsm_call_state)

    @property
    def input(self) -> Any:
        """Agents: the invocation's input. Effects: the data."""
        return self._json(_ffi.lib.wfsm_call_input)

    @property
    def schema(self) -> Any:
        """Agents: the JSON Schema that the output must match, or None."""
        return self._json(_ffi.lib.wfsm_call_schema)

    @property
    def claimed(self) -> int:
        """Agents: when this attempt was claimed, in milliseconds."""
        return _ffi.lib.wfsm_call_claimed(self._pointer())

    @property
    def timeout(self) -> int:
        """Agents: the time limit in milliseconds from `claimed` on; 0: none."""
        return _ffi.lib.wfsm_call_timeout(self._pointer())

    def usage(self, **amounts: int) -> None:
        """Agents: what the work has used, counted by budgets of these names.

        It is added to the answer that this callback gives: ``call.usage(tokens=1200)``.
        """
        for name, amount in amounts.items():
            _check(_ffi.lib.wfsm_call_usage(self._pointer(), _text.name(name),
                                            _text.count(amount)))

    def retry_after(self, milliseconds: int) -> None:
        """Agents: if this callback fails, the next attempt is not made earlier."""
        _check(_ffi.lib.wfsm_call_retry_after(self._pointer(), _text.count(milliseconds)))

    def signature(self, signature: str) -> None:
        """Agents: recognises repeated failures; also allowed with an output."""
        _check(_ffi.lib.wfsm_call_signature(self._pointer(), _text.name(signature)))

    def heartbeat(self) -> None:
        """Agents: the work continues (`heartbeatMs` of the invocation)."""
        _check(_ffi.lib.wfsm_call_heartbeat(self._pointer()))

    @property
    def record(self) -> Any:
        """Observers: the record of the commit (doc/records.md)."""
        return self._json(_ffi.lib.wfsm_call_record)

    @property
    def log(self) -> Any:
        """Observers: what the step logged, a list of {"label", "value"}."""
        return self._json(_ffi.lib.wfsm_call_log)
