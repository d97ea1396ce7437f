"""A pool of threads that does not hinder the end of the program."""
from __future__ import annotations

import queue
import threading
from typing import Callable

# Seconds after which a thread without work ends.
_IDLE = 10.0


class Pool:
    """Runs each function at once: in a thread that has nothing to do, or else in a new one.

    Who calls limits how many there are. ``concurrent.futures`` waits for its threads at the end of
    the program, which an agent that blocks would hold up.
    """

    def __init__(self, name: str):
        self._name = name
        self._work: "queue.SimpleQueue[Callable[[], None]]" = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._free = 0

    def submit(self, function: Callable[[], None]) -> None:
        """The function must not raise."""
        with self._lock:
            taken = self._free > 0
            self._free -= taken
        self._work.put(function)
        if not taken:
            threading.Thread(target=self._serve, daemon=True, name=self._name).start()

    def _serve(self) -> None:
        while True:
            try:
                function = self._work.get(timeout=_IDLE)
            except queue.Empty:
                if self._leave():
                    return
                continue
            function()
            del function
            with self._lock:
                self._free += 1

    def _leave(self) -> bool:
        """False if work was given to this thread meanwhile."""
        with self._lock:
            left = self._free > 0
            self._free -= left
            return left
