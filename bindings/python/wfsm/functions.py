"""Guards and actions as Python functions."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, TypeVar, overload

from . import _boundary, _ffi, _text
from ._handle import Resource
from ._run import callback, plain, run, why
from ._typed import Shapes, patch_of
from .call import Call
from .enums import Status
from .errors import Denied

Guard = Callable[..., bool]
Action = Callable[..., Any]
F = TypeVar("F", bound=Callable[..., Any])
G = TypeVar("G", bound=Guard)
A = TypeVar("A", bound=Action)


def _fail(call: Call, exception: BaseException) -> int:
    return int(call._ask(_ffi.lib.wfsm_call_failed, None, why(exception)))


def guard_callback(function: Guard, shapes: Shapes, name: str) -> Any:
    plain(function, "guard")
    guard = shapes.adapt(function, "guard", name)

    def serve(call: Call) -> int:
        answer = guard(call)
        if not isinstance(answer, bool):
            raise TypeError(f"a guard returns True or False, not {type(answer).__name__}")
        return call._set(_ffi.lib.wfsm_call_allow, answer)

    return callback("guard", serve, _fail)


def action_callback(function: Action, shapes: Shapes, name: str) -> Any:
    plain(function, "action")
    action = shapes.adapt(function, "action", name)

    def serve(call: Call) -> int:
        patch = patch_of(action(call), call)
        if patch is None:
            return 0
        if not isinstance(patch, dict):
            raise TypeError(f"an action returns a dict, an object or None, not {type(patch).__name__}")
        json = _text.encode(patch)
        return call._set(_ffi.lib.wfsm_call_patch, json, len(json))

    return callback("action", serve, _fail)


def decorator(add: Callable[[str, Any], None], name: Any) -> Any:
    """Serves `@register` (the function's own name) and `@register("name")`."""
    if not isinstance(name, str):
        if not hasattr(name, "__name__"):
            raise TypeError(f"expected a function, or its name, not {type(name).__name__}")
        add(name.__name__, name)
        return name

    def named(function: F) -> F:
        add(name, function)
        return function

    return named


class Decorators:
    """For classes that keep guards and actions."""

    def _add_guard(self, name: str, guard: Guard) -> None:
        raise NotImplementedError

    def _add_action(self, name: str, action: Action) -> None:
        raise NotImplementedError

    @overload
    def guard(self, name: str) -> Callable[[G], G]: ...

    @overload
    def guard(self, name: G) -> G: ...

    def guard(self, name: Any) -> Any:
        """Decorator, with or without a name. The function gets a Call, and the `context`, data of
        the `event` and `params` if it has parameters of these names, as objects of the annotated
        types. It returns a bool. `name` is that of the document; without it, it is that of the
        function."""
        return decorator(self._add_guard, name)

    @overload
    def action(self, name: str) -> Callable[[A], A]: ...

    @overload
    def action(self, name: A) -> A: ...

    def action(self, name: Any) -> Any:
        """Decorator. The function gets what a guard gets, and returns a dict of context keys, an
        object whose members differ from the context, or None. `name` is that of the document;
        without it, it is that of the function."""
        return decorator(self._add_action, name)


class Functions(Decorators, Resource):
    """Guards and actions for instances that are stepped by hand; an engine has its own.

    Fill it before the first instance uses it. A name that is added again is replaced.

        functions = Functions()

        @functions.guard("may-publish")
        def may_publish(call):
            return call.context["approvals"] >= 2
    """

    _kind = "table of functions"
    _pointers = _ffi.FUNCTIONS
    _forks = True

    def __init__(self) -> None:
        self._once()
        self._shapes = Shapes()
        pointer = _ffi.ptr()
        run(_ffi.lib.wfsm_functions_new, ctypes.byref(pointer), None)
        super().__init__(pointer, _ffi.lib.wfsm_functions_free)

    def _add_guard(self, name: str, guard: Guard) -> None:
        self._add(_ffi.lib.wfsm_functions_add_guard, name, guard_callback(guard, self._shapes, name))

    def _add_action(self, name: str, action: Action) -> None:
        self._add(_ffi.lib.wfsm_functions_add_action, name, action_callback(action, self._shapes, name))

    def _add(self, function: Any, name: str, wrapped: Any) -> None:
        with self._using() as pointer:
            handle = self._own_handle()
            if handle.users > 1:
                raise Denied(Status.DENIED, "an instance uses these functions already")
            handle.callbacks.append(wrapped)
            run(function, pointer, _text.name(name), wrapped, None)


_boundary.around(globals())
