"""Where C calls Python, and Ctrl-C.

Python runs the handler of a signal as soon as it executes Python code again. If a signal comes
while the main thread is in the library, that is the first moment of the next callback, before its
``try``. ctypes prints an exception that is raised there, and C gets a value that nobody set. So C
first calls a function of Python that does nothing. The handler runs there, the hook below keeps
what it raises, and the callback proper begins undisturbed.
"""
from __future__ import annotations

import ctypes
import sys
import threading
from typing import Any, Callable, Set

# What callbacks raise in the thread's call of the library: `local.raised`, a list, or None.
local = threading.local()

_codes: Set[Any] = set()


def _begin(*_arguments: Any) -> None:
    pass


def entrance(kind: Any, function: Callable[..., Any]) -> Any:
    """`function` as a C function of the type `kind`."""

    def go_on(_nothing: None, _first: Any, arguments: Any) -> Any:
        return function(*arguments)

    _codes.update((_begin.__code__, go_on.__code__))
    first: Any = ctypes.PYFUNCTYPE(None, *kind._argtypes_)(_begin)
    first.errcheck = go_on
    return kind(first)


def _hook(problem: Any) -> None:
    """Keeps what left a callback for the call of the library that called it."""
    raised, trace = getattr(local, "raised", None), problem.exc_traceback
    if raised is not None and trace is not None and trace.tb_frame.f_code in _codes:
        raised.append(problem.exc_value)
    else:
        _next_hook(problem)


_next_hook, sys.unraisablehook = sys.unraisablehook, _hook
