"""The argument of guards, actions, agents and observers."""
from __future__ import annotations

import ctypes
import threading
from typing import Any, Optional

from . import _boundary, _ffi, _text
from ._context import Context
from ._handle import Unique
from .enums import Lost, Status
from .errors import Closed, InvalidArgument, make


class Call(Unique):
    """One call of a function of the host by the library.

    It is valid until the function returns; afterwards its members raise ``Closed``. A member
    that does not apply is None or 0. JSON comes as Python values, decoded again at each access.
    Other threads may use it too, until then.
    """

    _kind = "call"
    _instead = "it ends with the callback; take from it what is needed later"
    _address: Any = None
    _streams: Any = None
    _lock: Any

    def __init__(self, *_: object) -> None:
        raise TypeError("Call() is not called directly: the library makes it for a callback")

    @classmethod
    def _made(cls, pointer: int) -> "Call":
        call = cls.__new__(cls)
        call._lock = threading.RLock()
        call._address = _ffi.CALL(pointer)
        return call

    def _end(self) -> None:
        """Waits for the members that other threads are reading."""
        with self._lock:
            self._address = None

    def _pointer(self) -> Any:
        """Only with the lock held."""
        if self._address is None:
            raise Closed("call")
        return self._address

    def _ask(self, function: Any, *arguments: Any) -> Any:
        with self._lock:
            try:
                return function(self._pointer(), *arguments)
            except ctypes.ArgumentError as wrong:
                raise TypeError(f"a member of something else than a call, or an argument of another "
                                f"type: {wrong}") from None

    def _plain(self, function: Any) -> Optional[str]:
        with self._lock:
            return _text.plain(self._ask(function))

    def _json(self, function: Any, hook: Any = None) -> Any:
        with self._lock:  # until the text is read, which is the call's
            return _text.answer(self._ask, function, hook)

    def _set(self, function: Any, *arguments: Any) -> int:
        """Calls a setter, and raises its error."""
        status = self._ask(function, *arguments)
        if status != 0:
            raise make(status, _ffi.lib.wfsm_status_name(status).decode())
        return 0

    def __repr__(self) -> str:
        try:
            return f"<{type(self).__name__} {self.name!r} of {self.instance!r}>"
        except Closed:
            return f"<{type(self).__name__} ended>"

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
        return int(self._ask(_ffi.lib.wfsm_call_now))

    @property
    def lost(self) -> Optional[Lost]:
        """Engine.on_lost: why the instance is lost."""
        why = self._ask(_ffi.lib.wfsm_call_lost)
        return Lost(why) if why else None

    @property
    def params(self) -> Any:
        """Guards and actions: the parameters in the document."""
        return self._json(_ffi.lib.wfsm_call_params)

    @property
    def context(self) -> Any:
        """Guards and actions: the instance's data; a copy, which refuses assignments."""
        return self._json(_ffi.lib.wfsm_call_context, Context)

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
        return int(self._ask(_ffi.lib.wfsm_call_attempt))

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
        return int(self._ask(_ffi.lib.wfsm_call_claimed))

    @property
    def timeout(self) -> int:
        """Agents: the time limit in milliseconds from `claimed` on; 0: none."""
        return int(self._ask(_ffi.lib.wfsm_call_timeout))

    def usage(self, **amounts: int) -> None:
        """Agents: what the work has used, counted by budgets of these names.

        It is added to the answer that this callback gives: ``call.usage(tokens=1200)``.

        `amounts` are numbers by the names of budgets.
        """
        for name, amount in amounts.items():
            self._set(_ffi.lib.wfsm_call_usage, _text.name(name), _text.count(amount))

    def retry_after(self, milliseconds: int) -> None:
        """Agents: if this callback fails, the next attempt is not made earlier. `milliseconds`
        count from now."""
        self._set(_ffi.lib.wfsm_call_retry_after, _text.count(milliseconds))

    def signature(self, signature: str) -> None:
        """Agents: recognises repeated failures; also allowed with an output. `signature` is a text
        that is the same for the same failure."""
        self._set(_ffi.lib.wfsm_call_signature, _text.name(signature))

    def heartbeat(self) -> None:
        """Agents: the work continues (`heartbeatMs` of the invocation)."""
        self._set(_ffi.lib.wfsm_call_heartbeat)

    def progress(self, data: Any) -> None:
        """Agents that are functions: gives any JSON value to those who read
        ``EngineInstance.stream``. It is not stored. In a thread it waits while a reader's buffer is
        full. `data` is that value."""
        self._give("progress", data)

    def token(self, text: str) -> None:
        """As ``progress``, for a piece of the text that a model writes. `text` is that piece."""
        self._give("token", text)

    def _give(self, kind: str, data: Any) -> None:
        if self._streams is None:
            raise InvalidArgument(Status.INVALID, f"only an agent that is a function has {kind}()")
        self._streams.give(self.instance, self.id, kind, data)

    @property
    def record(self) -> Any:
        """Observers: the record of the commit (doc/records.md)."""
        return self._json(_ffi.lib.wfsm_call_record)

    @property
    def log(self) -> Any:
        """Observers: what the step logged, a list of {"label", "value"}."""
        return self._json(_ffi.lib.wfsm_call_log)


_boundary.around(globals())
