"""What an engine tells of its instances: to the functions of the program, and to who waits."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Tuple

from . import _boundary, _ffi
from ._run import run, shield

if TYPE_CHECKING:
    from .engine import Engine

COMMIT, LOST = "wfsm_engine_observe", "wfsm_engine_on_lost"


class Watch:
    """The library calls one function for commits and one for losses. This class calls that of the
    program, and listeners of the package: with COMMIT or LOST, and the address of the call."""

    def __init__(self, engine: "Engine"):
        self._engine = engine
        self._given: Dict[str, Tuple[Any, Any]] = {}
        self._listeners: List[Callable[[str, Any], None]] = []

    def set(self, what: str, function: Any, user: Any = None) -> None:
        """The function of the program, as C may call it. There is one: the last."""
        self._given[what] = function, user
        if not self._listeners:
            self._register(what, function, user)

    def listen(self, listener: Callable[[str, Any], None]) -> None:
        if not self._listeners:
            for what in (COMMIT, LOST):
                self._register(what, shield(_ffi.CALLBACK, "observer", self._teller(what)), None)
        self._listeners.append(listener)

    def _register(self, what: str, function: Any, user: Any) -> None:
        with self._engine._changing() as pointer:
            self._engine._own_handle().callbacks.append(function)
            run(getattr(_ffi.lib, what), pointer, function, user)

    def _teller(self, what: str) -> Callable[[Any, Any], int]:
        def tell(_user: Any, pointer: Any) -> int:
            function, user = self._given.get(what, (None, None))
            if function is not None:
                function(user, pointer)
            for listener in self._listeners:
                listener(what, _ffi.CALL(pointer))
            return 0

        return tell


_boundary.around(globals())
