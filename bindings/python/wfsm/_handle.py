"""When objects of the library are freed.

An object of the library must be freed after all that borrow it, and never while one of its
calls is running. Python guarantees no order, neither at the end of the program nor in garbage
collection, so this module keeps the order: a handle is freed with its last user and, if a call
is running, after that call.
"""
from __future__ import annotations

import atexit
import collections
import ctypes
import threading
import weakref
from contextlib import contextmanager

from .enums import Status
from .errors import Busy, Closed

_counting = threading.RLock()


class Family:
    """A store and all objects on it. One thread at a time uses them."""

    def __init__(self):
        self.lock = threading.RLock()
        self.depth = 0
        self.dead = collections.deque()

    def __enter__(self):
        self.lock.acquire()
        self.depth += 1

    def __exit__(self, *_):
        try:
            while self.depth == 1 and self.dead:
                self.dead.popleft().free_now()
        finally:
            self.depth -= 1
            self.lock.release()

    def bury(self, handle):
        """Frees the handle; if calls are running, the last of them does it. Never waits."""
        self.dead.append(handle)
        if self.lock.acquire(blocking=False):
            try:
                if self.depth == 0:
                    with self:
                        pass
            finally:
                self.lock.release()


class Handle:
    """A pointer, the function that frees it, and the handles that it borrows."""

    def __init__(self, pointer, free, family, borrows=()):
        self.pointer, self.free, self.family, self.borrows = pointer, free, family, borrows
        self.users = 1
        self.callbacks = []
        for handle in borrows:
            with _counting:
                handle.users += 1

    def borrow(self, handle):
        """Adds a handle that must be freed after this one."""
        if handle not in self.borrows:
            with _counting:
                handle.users += 1
            self.borrows += (handle,)

    def drop(self):
        with _counting:
            self.users -= 1
            last = self.users == 0
        if last:
            self.family.bury(self)

    def free_now(self):
        pointer, self.pointer = self.pointer, None
        self.free(pointer)
        for handle in self.borrows:
            handle.drop()


_open = weakref.WeakSet()


class Resource:
    """An object with a handle. Close it, or use it in a with statement."""

    _kind = "object"
    _made_by = "a method of this package"
    _handle = None

    def __init__(self, pointer, free, family=None, on=()):
        if not isinstance(pointer, ctypes.c_void_p) or not pointer:
            raise TypeError(f"{type(self).__name__}() is not called directly: "
                            f"{self._kind}s are made by {self._made_by}")
        self._active = False
        self._lent = 0
        self._dependants = weakref.WeakSet()
        self._handle = Handle(pointer, free, family or Family(),
                              tuple(resource._handle for resource in on))
        for resource in on:
            resource._dependants.add(self)
        _open.add(self)

    def close(self) -> None:
        """Frees the object, after the objects that use it. May be called twice."""
        handle = self._handle
        if handle is None:
            return
        dependants = list(self._dependants)
        for resource in (self, *dependants):
            if resource._active or resource._lent:
                raise Busy(Status.BUSY, f"the {resource._kind} is in a call: close it afterwards")
        for dependant in dependants:
            dependant.close()
        self._handle = None
        handle.drop()

    @property
    def closed(self) -> bool:
        return self._handle is None

    def __enter__(self):
        self._pointer()
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        handle = getattr(self, "_handle", None)
        if handle is not None:
            self._handle = None
            handle.drop()

    def _pointer(self):
        if self._handle is None:
            raise Closed(self._kind)
        return self._handle.pointer

    @contextmanager
    def _using(self):
        """The pointer, for one call, which no callback of that call may repeat."""
        self._pointer()
        with self._handle.family:
            pointer = self._pointer()
            if self._active:
                raise Busy(Status.BUSY, f"a callback may not use the {self._kind} that called it")
            self._active = True
            try:
                yield pointer
            finally:
                self._active = False

    @contextmanager
    def _lending(self):
        """The pointer, for a call on something that is being made on it: its callbacks may
        use this object, but not close it."""
        self._pointer()
        with self._handle.family:
            pointer = self._pointer()
            self._lent += 1
            try:
                yield pointer
            finally:
                self._lent -= 1


@atexit.register
def _close_all():
    """Called while callbacks are still possible: engines tell their agents to stop."""
    for resource in list(_open):
        try:
            resource.close()
        except Busy:
            pass
