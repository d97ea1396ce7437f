"""What a program shows while agents work: a line for each thing that happens.

    from wfsm.agents import Agents, Progress

    progress = Progress()
    progress.observe(engine)
    agents.register(engine, store, tell=progress.note)

prints lines such as `[  12.3s] task-42  plan → build  start_coder`, with colours at a terminal
(and never when NO_COLOR is set). Live lines stand below at a terminal. Control characters
in any text are escaped, as `wfsm.escape_text` does it.
"""
from __future__ import annotations

import ctypes
from enum import IntEnum
from typing import Any, Callable, Optional

from . import _boundary, _ffi, _text
from ._handle import Resource
from ._run import plain, run, shield
from .engine import Engine
from .watch import COMMIT


class Tone(IntEnum):
    """How a line is meant, and coloured."""

    PLAIN = 0
    GOOD = 1
    BAD = 2
    QUIET = 3


def _shown(text: Optional[str]) -> Optional[bytes]:
    return None if text is None else text.replace("\0", "?").encode("utf-8", "replace")


def _writer(write: Callable[[str], Any]) -> Any:
    plain(write, "write")

    def call(_user: Any, start: int, length: int) -> None:
        write(ctypes.string_at(start, length).decode("utf-8", "replace"))
    return shield(_ffi.WRITE, "write of progress", call)


class Progress(Resource):
    """Lines about what happens. The times that they show begin now, or at `now`. `write` is called
    with whole lines; without it they go to the standard output of C."""

    _kind = "progress"
    _pointers = _ffi.SHOWN
    _forks = True

    def __init__(self, write: Optional[Callable[[str], None]] = None, *,
                 now: Optional[int] = None):
        """`write` takes whole lines. Without it they go to the standard output of C."""
        self._once()
        pointer = _ffi.ptr()
        self._lib = _ffi.agents()
        callback = _ffi.WRITE() if write is None else _writer(write)
        options = _ffi.ProgressOptions(now=_text.time_or_now(now), write=callback)
        run(self._lib.wfsm_progress_new, ctypes.byref(pointer), ctypes.byref(options))
        super().__init__(pointer, self._lib.wfsm_progress_free, callbacks=[callback])

    def line(self, text: str, *, instance: Optional[str] = None, tone: Tone = Tone.PLAIN,
             now: Optional[int] = None) -> None:
        """Shows one line. `text` is the line, `instance` the id that stands before it, and `tone`
        how it is meant."""
        with self._using() as pointer:
            self._lib.wfsm_progress_line(pointer, _text.time_or_now(now), _shown(instance),
                                         tone, _shown(text))

    def note(self, instance: str, line: str) -> None:
        """Shows a quiet line. Pass this method as `tell` to Agents.register(). `instance` is an id,
        and `line` the text."""
        self.line(line, instance=instance or None, tone=Tone.QUIET)

    def live(self, text: str) -> None:
        """Replaces the live lines; "" removes them. Does nothing where the output is no terminal.
        `text` has one or several lines."""
        with self._using() as pointer:
            self._lib.wfsm_progress_live(pointer, _shown(text))

    def observe(self, engine: Engine) -> None:
        """Shows every commit of the engine that moves an instance to another state, and its
        diagnostics. An engine that is freed later keeps this object alive. `engine` is that
        engine."""
        Progress._of(self, "self")  # the calls below get its address as that of anything
        # The engine first, as when it calls its observers.
        with Engine._of(engine, "engine")._using() as target, self._using() as pointer:
            engine._own_handle().borrow(self._own_handle())
            run(_ffi.lib.wfsm_engine_on_diagnostic, target,
                ctypes.cast(self._lib.wfsm_progress_diagnostic, _ffi.CALLBACK), pointer)
        engine._watch.set(COMMIT, ctypes.cast(self._lib.wfsm_progress_commit, _ffi.CALLBACK),
                          self._pointer())


_boundary.around(globals())
