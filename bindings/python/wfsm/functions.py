"""Guards and actions as Python functions."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Optional, TypeVar, Union

from . import _ffi, _text
from ._handle import Resource
from ._run import callback, run, why
from .call import Call
from .enums import Status
from .errors import Denied, make

Guard = Callable[[Call], bool]
Action = Callable[[Call], Optional[dict]]
F = TypeVar("F", bound=Callable[..., Any])


def check(status: int) -> int:
    """Raises the error of a setter of a call."""
    if status != 0:
        raise make(status, _ffi.lib.wfsm_status_name(status).decode())
    return status


def _fail(call: Call, exception: BaseException) -> int:
    return _ffi.lib.wfsm_call_failed(call._pointer(), None, why(exception))


def guard_callback(guard: Guard):
    def serve(call: Call) -> int:
        answer = guard(call)
        if not isinstance(answer, bool):
            raise TypeError(f"a guard returns True or False, not {type(answer).__name__}")
        return check(_ffi.lib.wfsm_call_allow(call._pointer(), answer))

    return callback("guard", serve, _fail)


def action_callback(action: Action):
    def serve(call: Call) -> int:
        patch = action(call)
        if patch is None:
            return 0
        if not isinstance(patch, dict):
            raise TypeError(f"an action returns a dict or None, not {type(patch).__name__}")
        json = _text.encode(patch)
        return check(_ffi.lib.wfsm_call_patch(call._pointer(), json, len(json)))

    return callback("action", serve, _fail)


def decorator(add: Callable[[str, F], None], name: Union[str, F]):
    """Serves `@register` (the function's own name) and `@register("name")`."""
    if callable(name):
        add(name.__name__, name)
        return name

    def named(function: F) -> F:
        add(name, function)
        return function

    return named


class Functions(Resource):
    """Guards and actions for instances that are stepped by hand; an engine has its own.

    Fill it before the first instance uses it. A name that is added again is replaced.

        functions = Functions()

        @functions.guard("may-publish")
        def may_publish(call):
            return call.context["approvals"] >= 2
    """

    _kind = "table of functions"

    def __init__(self):
        pointer = _ffi.ptr()
        run(_ffi.lib.wfsm_functions_new, ctypes.byref(pointer), None)
        super().__init__(pointer, _ffi.lib.wfsm_functions_free)

    def guard(self, name):
        """Decorator, with or without a name. The function gets a Call, returns a bool."""
        return decorator(self._add_guard, name)

    def action(self, name):
        """Decorator. The function gets a Call, returns a dict of context keys, or None."""
        return decorator(self._add_action, name)

    def _add_guard(self, name: str, guard: Guard) -> None:
        self._add(_ffi.lib.wfsm_functions_add_guard, name, guard_callback(guard))

    def _add_action(self, name: str, action: Action) -> None:
        self._add(_ffi.lib.wfsm_functions_add_action, name, action_callback(action))

    def _add(self, function, name, wrapped) -> None:
        with self._using() as pointer:
            if self._handle.users > 1:
                raise Denied(Status.DENIED, "an instance uses these functions already")
            run(function, pointer, _text.name(name), wrapped, None)
            self._handle.callbacks.append(wrapped)
