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
from contextlib import ExitStack, contextmanager
from typing import (
    TYPE_CHECKING, Any, Callable, ContextManager, Deque, Iterable, Iterator, List, NoReturn,
    Optional, Tuple, Type, TypeVar)

from . import _ffi, _fork
from ._entrance import local
from .enums import Status
from .errors import Busy, Closed

if TYPE_CHECKING:
    from ._turn import Turn

_counting = threading.RLock()
T = TypeVar("T", bound="Resource")
R = TypeVar("R")


class Family:
    """A store and all objects on it. One thread at a time uses them."""

    def __init__(self) -> None:
        self.lock: Any = threading.RLock()
        self.depth: int = 0
        self.dead: Deque["Handle"] = collections.deque()
        #: While an event loop drives an engine of the store.
        self.turn: Optional["Turn"] = None

    @contextmanager
    def used(self) -> Iterator[None]:
        with self.lock:
            self.depth += 1
            try:
                yield
            finally:
                self.left()

    def is_mine(self) -> bool:
        """True in a callback: this thread is in a call, and another one would wait for its end."""
        return bool(self.lock._is_owned())

    def left(self) -> None:
        """At the end of a call. The last one frees what was dropped meanwhile."""
        try:
            while self.depth == 1 and self.dead:
                self.dead.popleft().free_now()
        finally:
            self.depth -= 1

    def bury(self, handle: "Handle") -> None:
        """Frees the handle; if calls are running, the last of them does it. Never waits."""
        self.dead.append(handle)
        if self.lock.acquire(blocking=False):
            try:
                if self.depth == 0:
                    with self.used():
                        pass
            finally:
                self.lock.release()


class Handle:
    """A pointer, the function that frees it, and the handles that it borrows. `callbacks` live
    as long as the pointer, because the library may call them."""

    def __init__(self, pointer: ctypes.c_void_p, free: Callable[[Any], Any], family: Family,
                 borrows: Tuple["Handle", ...] = (), callbacks: Iterable[Any] = ()):
        self.pointer: Optional[ctypes.c_void_p] = pointer
        self.free: Callable[[Any], Any] = free
        self.family: Family = family
        self.borrows: Tuple["Handle", ...] = borrows
        self.users: int = 1
        self.callbacks: List[Any] = list(callbacks)
        for handle in borrows:
            handle.hold()

    def hold(self) -> None:
        with _counting:
            self.users += 1

    def borrow(self, handle: "Handle") -> None:
        """Adds a handle that must be freed after this one."""
        if handle not in self.borrows:
            handle.hold()
            self.borrows += (handle,)

    def drop(self) -> None:
        with _counting:
            self.users -= 1
            last = self.users == 0
        if last:
            self.family.bury(self)

    def free_now(self) -> None:
        pointer, self.pointer = self.pointer, None
        outer = getattr(local, "raised", None)
        raised: List[BaseException] = []
        local.raised = raised if outer is None else outer
        try:
            self.free(pointer)
        finally:
            local.raised = outer
            for handle in self.borrows:
                handle.drop()
        for exception in raised:  # Ctrl-C in an agent that was told to stop
            if not isinstance(exception, Exception):
                raise exception


_open: "weakref.WeakSet[Resource]" = weakref.WeakSet()


class Unique:
    """What cannot be copied, because it stands for one object of the library."""

    _kind: str = "object"
    _instead: str = "it stands for one object of this process"

    def __reduce_ex__(self, _protocol: Any) -> NoReturn:
        article = "an" if self._kind[0] in "aeiou" else "a"
        raise TypeError(f"{article} {self._kind} cannot be copied or pickled: {self._instead}")


class Resource(Unique):
    """An object with a handle. Close it, or use it in a with statement."""

    _made_by: str = "a method of this package"
    #: The ctypes class of its pointers, by which every call checks its first argument.
    _pointers: Type[ctypes.c_void_p] = ctypes.c_void_p
    #: True if a child of os.fork() may use it too: it is memory, and nothing else.
    _forks: bool = False
    _handle: Optional[Handle] = None
    _abandoned: bool = False

    def __init__(self, pointer: ctypes.c_void_p, free: Callable[[Any], Any],
                 family: Optional[Family] = None, on: Iterable["Resource"] = (),
                 callbacks: Iterable[Any] = ()):
        if not isinstance(pointer, ctypes.c_void_p) or not pointer:
            raise TypeError(f"{type(self).__name__}() is not called directly: "
                            f"{self._kind}s are made by {self._made_by}")
        self._once()
        borrowed = tuple(resource._own_handle() for resource in on)
        self._active: bool = False
        self._lent: int = 0
        self._dependants: "weakref.WeakSet[Resource]" = weakref.WeakSet()
        self._handle = Handle(self._pointers(pointer.value), free, family or Family(), borrowed,
                              callbacks)
        for resource in on:
            resource._dependants.add(self)
        _open.add(self)

    def _once(self) -> None:
        """Before anything is made: __init__ may not be called again."""
        if self._handle is not None:
            raise TypeError(f"the {self._kind} is made already")

    @classmethod
    def _of(cls: Type[T], value: Any, what: str) -> T:
        """The value, if it is of this class: C would take any other address for one."""
        if not isinstance(value, cls):
            raise TypeError(f"{what} must be a wfsm.{cls.__name__}, not {type(value).__name__}")
        return value

    @classmethod
    def _maybe(cls: Type[T], value: Any, what: str) -> Optional[T]:
        return None if value is None else cls._of(value, what)

    def close(self) -> None:
        """Frees the object, after the objects that use it. May be called twice. Raises Busy while
        a call uses one of them."""
        with _counting:
            handle = self._handle
            if handle is None:
                return
            dependants = list(self._dependants)
            for resource in (self, *dependants):
                if resource._active or resource._lent:
                    raise Busy(Status.BUSY,
                               f"the {resource._kind} is in a call: close it afterwards")
            if not dependants:
                self._handle = None
        if dependants:
            self._close_after(dependants)
        else:
            handle.drop()

    def _close_after(self, dependants: List["Resource"]) -> None:
        for dependant in dependants:
            dependant.close()
            self._dependants.discard(dependant)
        self.close()

    @property
    def closed(self) -> bool:
        """True after close()."""
        return self._handle is None

    def __repr__(self) -> str:
        return f"<{type(self).__name__}{' closed' if self.closed else ''}>"

    def __enter__(self: T) -> T:
        self._own_handle()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None and not _ended:
            handle.drop()

    def _own_handle(self) -> Handle:
        handle = self._handle
        if handle is None:
            raise Closed(self._kind, _fork.SENTENCE if self._abandoned else "")
        return handle

    def _pointer(self) -> Any:
        return self._own_handle().pointer

    @contextmanager
    def _using(self) -> Iterator[Any]:
        """The pointer, for one call, which no callback of that call may repeat."""
        with self._own_handle().family.used():
            pointer = self._pointer()
            if self._active:
                raise Busy(Status.BUSY, f"a callback may not use the {self._kind} that called it")
            self._active = True
            try:
                yield pointer
            except ctypes.ArgumentError as wrong:
                raise self._wrong(wrong) from None
            finally:
                self._active = False

    def _change(self, work: Callable[..., R], *arguments: Any) -> R:
        """``work(pointer, *arguments)`` within ``_changing``. Without a context manager, which
        would take longer than the step itself."""
        family = self._own_handle().family
        with family.lock:
            if family.turn is None:
                return self._work(family, work, *arguments)
        return self._change_in_turn(work, *arguments)

    def _change_in_turn(self, work: Callable[..., R], *arguments: Any) -> R:
        """The same while an event loop drives an engine of the store."""
        with self._changing() as pointer:
            return work(pointer, *arguments)

    def _work(self, family: Family, work: Callable[..., R], *arguments: Any) -> R:
        """The same as ``_using``, while the family is locked."""
        family.depth += 1
        try:
            pointer = self._pointer()
            if self._active:
                raise Busy(Status.BUSY, f"a callback may not use the {self._kind} that called it")
            self._active = True
            try:
                return work(pointer, *arguments)
            except ctypes.ArgumentError as wrong:
                raise self._wrong(wrong) from None
            finally:
                self._active = False
        finally:
            family.left()

    @contextmanager
    def _changing(self) -> Iterator[Any]:
        """The pointer, as from ``_using``, for a call that needs the store: a round that is out
        ends first."""
        with self._in_turn(self._using) as pointer:
            yield pointer

    @contextmanager
    def _in_turn(self, enter: Callable[[], ContextManager[Any]]) -> Iterator[Any]:
        family = self._own_handle().family
        while True:
            turn, in_call = family.turn, family.is_mine()
            with ExitStack() as stack:
                if turn is not None:
                    stack.enter_context(turn.taken(in_call))
                pointer = stack.enter_context(enter())
                # no event loop has begun meanwhile, and nobody else has begun to use the store
                if family.turn is turn and not (turn is not None and turn.must_wait(in_call)):
                    yield pointer
                    return

    @contextmanager
    def _turn(self) -> Iterator[None]:
        family = self._own_handle().family
        turn = family.turn
        if turn is None:
            yield
        else:
            with turn.taken(family.is_mine()):
                yield

    @contextmanager
    def _lending(self) -> Iterator[Any]:
        """The pointer, for a call on something that is being made on it: its callbacks may
        use this object, but not close it."""
        with self._in_turn(self._lend) as pointer:
            yield pointer

    @contextmanager
    def _lend(self) -> Iterator[Any]:
        with self._own_handle().family.used(), self._sharing() as pointer:
            yield pointer

    @contextmanager
    def _sharing(self) -> Iterator[Any]:
        """The pointer, for a call that threads may make at the same time. It is counted, so that
        nobody closes the object meanwhile."""
        with _counting:
            handle = self._own_handle()
            handle.hold()
            self._lent += 1
        try:
            yield handle.pointer
        except ctypes.ArgumentError as wrong:
            raise self._wrong(wrong) from None
        finally:
            with _counting:
                self._lent -= 1
            handle.drop()

    def _wrong(self, problem: ctypes.ArgumentError) -> TypeError:
        """What ctypes refused: a method of another class, or an argument of another type."""
        return TypeError(f"a method for something else than this {self._kind}, or an argument of "
                         f"another type: {problem}")

    def _abandon(self) -> None:
        """In a child of os.fork(): the object is the parent's, and is never freed here."""
        handle = self._handle
        if handle is None:
            return
        self._active, self._lent = False, 0
        if self._forks:
            handle.family.lock, handle.family.depth = threading.RLock(), 0
            handle.family.turn = None
        else:
            _left_alone.append(handle)
            self._handle, self._abandoned = None, True


@contextmanager
def both(first: Resource, second: Resource) -> Iterator[Tuple[Any, Any]]:
    """The pointers of two objects, always locked in the same order, so that two threads that
    name them in different orders do not wait for each other."""
    with ExitStack() as stack:
        for resource in (first, second):
            stack.enter_context(resource._turn())
        for resource in sorted((first, second), key=lambda one: id(one._own_handle().family)):
            stack.enter_context(resource._own_handle().family.used())
        yield (stack.enter_context(first._using()), stack.enter_context(second._using()))


_left_alone: List[Handle] = []
_ended = False


def _after_fork() -> None:
    global _counting  # pylint: disable=global-statement
    _counting = threading.RLock()
    for resource in list(_open):
        resource._abandon()


_fork.in_child(_after_fork)


@atexit.register
def _close_all() -> None:
    """Called while callbacks are still possible: engines tell their agents to stop. What is
    still in a call of another thread is left to the end of the process."""
    global _ended  # pylint: disable=global-statement
    for resource in list(_open):
        try:
            resource.close()
        except Busy:
            pass
    _ended = True
