"""What an engine calls: agents, effects and the clock as callbacks of the library."""
from __future__ import annotations

from typing import Any, Callable, Coroutine, Optional

from . import _ffi, _text
from ._run import callback, plain, shield, why
from .call import Call
from .errors import AgentFailed
from .instance import Effect
from ._values import Answer
from .work import Tasks, Work

LATER, GONE, UNSURE = Answer.LATER, Answer.GONE, Answer.UNSURE


def give(call: Call, answer: Any) -> int:
    if answer is LATER:
        return 0
    if answer is GONE:
        return call._set(_ffi.lib.wfsm_call_gone)
    if answer is UNSURE:
        return call._set(_ffi.lib.wfsm_call_unsure)
    json = _text.encode(answer)
    return call._set(_ffi.lib.wfsm_call_done, json, len(json))


def fail(call: Call, exception: BaseException) -> int:
    failure_class, text = "other", why(exception)
    if isinstance(exception, AgentFailed):
        failure_class = exception.failure_class
        text = str(exception).replace("\0", " ").encode("utf-8", "replace")
    return int(call._ask(_ffi.lib.wfsm_call_failed, _text.name(failure_class), text))


def agent_callback(function: Callable[[Call], Any], part: str = "agent",
                   tasks: Optional[Tasks] = None) -> Any:
    """With `tasks` it works in a thread if the engine waits for threads."""
    plain(function, part)

    def serve(call: Call) -> int:
        if tasks is not None and tasks.threads:
            tasks.start_thread(function, call)
            return 0
        try:
            call._streams = tasks and tasks.streams
            answer = function(call)
        except AgentFailed as failed:  # an answer, not an accident: not logged
            return fail(call, failed)
        return give(call, answer)

    return callback("agent", serve, fail)


def effect_of(call: Call) -> Effect:
    return Effect(0, call.id or "", call.name or "", call.input, call.instance or "")


def clock_callback(clock: Callable[[], float]) -> Any:
    """A clock that fails stands still, so that its rounds have no bound of time."""
    plain(clock, "clock")
    last = 0

    def read(_user: Any) -> int:
        nonlocal last
        last = int(clock() * 1000)
        return last

    return shield(_ffi.CLOCK, "the clock of an engine", read, lambda problem: last)


class CoroutineAgent:
    """A coroutine function as an agent. A coroutine ends with its process."""

    def __init__(self, tasks: Tasks, function: Callable[[Work], Coroutine[Any, Any, Any]]):
        self._tasks, self._function = tasks, function

    def start(self, call: Call) -> Answer:
        self._tasks.start(self._function, call)
        return LATER

    def cancel(self, call: Call) -> None:
        self._tasks.cancel(call)

    def probe(self, _call: Call) -> Answer:
        return GONE
