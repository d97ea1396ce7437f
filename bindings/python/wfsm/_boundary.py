"""Keeps the frames of this package out of tracebacks.

An exception that leaves a public call shows the caller, one line that names the call, and the
functions of the caller that the call called. The frames of this package between them are hidden. The
environment variable WFSM_TRACEBACK=full shows them.

pytest shows not even that one line.
"""
from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import os
import sys
from types import CodeType, TracebackType
from typing import Any, Callable, Dict, List, Optional, Set, Tuple, TypeVar

__tracebackhide__ = True

B = TypeVar("B", bound=BaseException)

_FULL = os.environ.get("WFSM_TRACEBACK") == "full"
_NAME = "<wfsm>"
_OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
_STANDARD = os.path.dirname(os.__file__) + os.sep
_FOREIGN = ("site-packages", "dist-packages")
_SPECIAL = ("__init__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__iter__",
            "__next__", "__aiter__", "__anext__", "__await__")


def _is_ours(path: str) -> bool:
    return path == _NAME or path.startswith(_OURS)


def _is_standard(path: str) -> bool:
    return path.startswith((_STANDARD, "<frozen")) and not any(part in path for part in _FOREIGN)


def _kept(trace: Optional[TracebackType]) -> List[TracebackType]:
    """Without the frames of this package, and those of the standard library that it called."""
    found, inside = [], False
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        inside = _is_ours(path) or inside and _is_standard(path)
        if not inside:
            found.append(trace)
        trace = trace.tb_next
    return found


def _shortened(trace: Optional[TracebackType]) -> Optional[TracebackType]:
    found = _kept(trace)
    for one, following in zip(found, found[1:]):
        one.tb_next = following
    if found:
        found[-1].tb_next = None
    return found[0] if found else None


def trimmed(problem: B) -> B:
    """The exception, with what led to it, without our frames."""
    if _FULL:
        return problem
    seen: Set[int] = set()
    left: List[Optional[BaseException]] = [problem]
    while left:
        one = left.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            one.__traceback__ = _shortened(one.__traceback__)
            left += [one.__cause__, one.__context__]
    return problem


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except BaseException as problem:  # pylint: disable=broad-except
            raise trimmed(problem)  # pylint: disable=raise-missing-from

    return call


def _coroutine(function: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*arguments: Any, **named: Any) -> Any:
        try:
            return await function(*arguments, **named)
        except BaseException as problem:  # pylint: disable=broad-except
            raise trimmed(problem)  # pylint: disable=raise-missing-from

    return call


def _generator(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return (yield from function(*arguments, **named))
        except BaseException as problem:  # pylint: disable=broad-except
            raise trimmed(problem)  # pylint: disable=raise-missing-from

    return call


def _labelled(code: CodeType, name: str) -> CodeType:
    """The traceback's line is `File "<wfsm>", line 1, in Engine.start`."""
    more: Dict[str, Any] = {"co_qualname": name} if sys.version_info >= (3, 11) else {}
    return code.replace(co_filename=_NAME, co_name=name, **more)


def bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, as callers of this package see it."""
    if inspect.iscoroutinefunction(function):
        made = _coroutine(function)
    elif inspect.isgeneratorfunction(function):
        made = _generator(function)
    else:
        made = _plain(function)
    made.__code__ = _labelled(made.__code__, function.__qualname__)
    return functools.wraps(function)(made)


def _member(found: Any) -> Any:
    """A member of a class, likewise; None if it is nothing that is called."""
    if inspect.isfunction(found):
        return None if inspect.isasyncgenfunction(found) else bounded(found)
    if isinstance(found, (classmethod, staticmethod)):
        return type(found)(bounded(found.__func__))
    if isinstance(found, property) and found.fget is not None:
        return property(bounded(found.fget), found.fset and bounded(found.fset), found.fdel,
                        found.__doc__)
    return None


def _is_data(kind: type) -> bool:
    return (issubclass(kind, (enum.Enum, BaseException, tuple)) or dataclasses.is_dataclass(kind)
            or getattr(kind, "_is_protocol", False))


def _public(names: Dict[str, Any]) -> List[Tuple[str, Any]]:
    return [(name, found) for name, found in names.items()
            if name[0] != "_" or name in _SPECIAL]


def _rename(found: Any, kind: str) -> None:
    """As a method of the class that callers know."""
    function = getattr(found, "__func__", getattr(found, "fget", found))
    if inspect.isfunction(function):
        function.__qualname__ = f"{kind}.{function.__name__}"


def _around_class(kind: type, known_as: Optional[str]) -> None:
    for name, found in _public(dict(vars(kind))):
        if known_as is not None:
            _rename(found, known_as)
        member = _member(found)
        if member is not None:
            setattr(kind, name, member)


def around(module: Dict[str, Any], known_as: Optional[str] = None) -> None:
    """Makes the public callables of a module, given its globals(), the boundary. At the end of the
    module. Its classes are parts of the one that callers know by this name."""
    if _FULL:
        return
    for name, found in _public(dict(module)):
        if getattr(found, "__module__", None) != module["__name__"]:
            continue
        if inspect.isclass(found) and not _is_data(found):
            _around_class(found, known_as)
        elif inspect.isfunction(found) and not inspect.isasyncgenfunction(found):
            module[name] = bounded(found)
