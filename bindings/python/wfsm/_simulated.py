"""An event loop whose time is a simulated one."""
from __future__ import annotations

import asyncio
import selectors
from concurrent import futures
from typing import Any, Callable, List, Optional, Tuple


class Stalled(RuntimeError):
    """Everything waits for a later time, and nobody advances the clock."""


class Time:
    """In microseconds, so that the loop's seconds and the library's milliseconds agree."""

    def __init__(self, milliseconds: int):
        self.now = milliseconds * 1000
        self.target = self.now

    @property
    def milliseconds(self) -> int:
        return self.now // 1000

    def move(self, seconds: Optional[float]) -> bool:
        """Moves to the next thing that is due, but not beyond the target. False if it is there."""
        if self.now >= self.target:
            return False
        step = self.target - self.now if seconds is None else max(1, round(seconds * 1_000_000))
        self.now = min(self.target, self.now + step)
        return True


class _Selector(selectors.SelectSelector):
    """Where the loop would sleep, simulated time passes. Work in threads of the loop is waited for."""

    def __init__(self, time: Time):
        super().__init__()
        self.time = time
        self.outside = 0

    def select(self, timeout: Optional[float] = None) -> List[Tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if found or timeout is not None and timeout <= 0:
            return found
        if self.outside:
            return super().select(None)
        if not self.time.move(timeout):
            raise Stalled("everything waits for a later time: advance the clock")
        return found


class Loop(asyncio.SelectorEventLoop):
    """The loop of ``Clock.run``. An engine's rounds and its agents that are functions run in its own thread,
    one after the other, so that each run is the same."""

    simulated = True

    def __init__(self, time: Time):
        self._time, self._own = time, _Selector(time)
        super().__init__(self._own)
        self._clock_resolution = 1e-6  # a timer due within a microsecond is due now

    def time(self) -> float:
        return self._time.now / 1_000_000

    def run_in_executor(self, executor: Optional[futures.Executor], func: Callable[..., Any],
                        *args: Any) -> "asyncio.Future[Any]":
        made = super().run_in_executor(executor, func, *args)
        self._own.outside += 1
        made.add_done_callback(self._returned)
        return made

    def _returned(self, _: Any) -> None:
        self._own.outside -= 1


def is_simulated(loop: Any) -> bool:
    """True for a loop of ``Clock.run``."""
    return bool(getattr(loop, "simulated", False))


