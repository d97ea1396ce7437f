"""What an engine is told: instances that begin, events, answers."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, Iterable, List, Mapping, Optional, Sequence, Tuple

from . import _boundary, _ffi, _text, _values
from ._engine_base import EngineParts
from ._run import run
from ._starts import Starts, start
from .enums import Outcome
from .errors import WfsmError
from .instance import _over, outcome_of
from .machine import Machine
from .task import EngineInstance


class Inputs(EngineParts):
    """The methods that give it something."""

    error: Optional[WfsmError]

    def start(self, machine: str, id: str, input: "Optional[_values.Members]" = None, *,
              now: Optional[int] = None) -> EngineInstance:
        """Starts an instance of the machine of this name. `machine` is the id of one that was
        added, and `input` a dict, or an object of the type of the context, that replaces keys of
        the initial context. AlreadyExists: there is an instance `id`."""
        self._change(self._starter(machine, id, input, now))
        self._wake()
        return self._instance(id)

    async def astart(self, machine: str, id: str, input: "Optional[_values.Members]" = None, *,
                     now: Optional[int] = None) -> EngineInstance:
        """``start``, while the running event loop continues. Those that wait for the store together are one
        transaction. `machine` and `input` are those of ``start``. If it is cancelled, the instance may have
        been started."""
        await self._together.start(start(machine, id, input), now, self._starter(machine, id, input, now))
        return self._instance(id)

    def _starter(self, machine: str, id: str, input: "Optional[_values.Members]",
                 now: Optional[int]) -> Callable[[Any], None]:
        json = None if input is None else _text.encode(_values.mapping(input))
        names = _text.name(machine), _text.name(id)

        def start(pointer: Any) -> None:
            run(_ffi.lib.wfsm_engine_start, pointer, *names, json, len(json or b""), self._time(now))

        return start

    def start_all(self, starts: Iterable[Sequence[Any]], *,
                  now: Optional[int] = None) -> List[EngineInstance]:
        """Starts many instances, each given as (machine, id) or (machine, id, input), in order.

        Up to 1,000 of them are one transaction. One that is refused does not concern the others:
        all are tried, and then the first failure is raised. Its `answers` has one entry for each
        start: None, or the status that it was refused with.

        `starts` are these tuples.
        """
        many = Starts(starts)
        try:
            with many.answered():
                self._change(lambda pointer: many.run(pointer, self._time(now)))
        finally:
            self._wake()
        return [self._instance(id) for id in many.ids]

    async def astart_all(self, starts: Iterable[Sequence[Any]], *,
                         now: Optional[int] = None) -> List[EngineInstance]:
        """``start_all``, while the running event loop continues. `starts` are those of ``start_all``."""
        many = Starts(starts)
        with many.answered():
            await self._change_aside(lambda pointer: many.run(pointer, self._time(now)))
        return [self._instance(id) for id in many.ids]

    def adopt(self, id: str, *, now: Optional[int] = None) -> EngineInstance:
        """Takes over a stored instance. Raises NotFound; Denied while another owner lives."""
        self._change(self._adopting(id, now))
        self._wake()
        return self._instance(id)

    async def aadopt(self, id: str, *, now: Optional[int] = None) -> EngineInstance:
        """``adopt``, while the running event loop continues."""
        await self._change_aside(self._adopting(id, now), reads=True)
        return self._instance(id)

    def _adopting(self, id: str, now: Optional[int]) -> Callable[[Any], Any]:
        name = _text.name(id)
        return lambda pointer: run(_ffi.lib.wfsm_engine_adopt, pointer, name, self._time(now))

    def adopt_all(self, *, now: Optional[int] = None) -> int:
        """Takes over every unfinished instance whose owner is not alive. Returns how many."""
        found = self._change(self._adopt_all, now)
        if found:
            self._wake()
        return found

    async def aadopt_all(self, *, now: Optional[int] = None) -> int:
        """``adopt_all``, while the running event loop continues."""
        return await self._change_aside(self._adopt_all, now, reads=True)

    def _adopt_all(self, pointer: Any, now: Optional[int]) -> int:
        count = _ffi.size()
        run(_ffi.lib.wfsm_engine_adopt_all, pointer, self._time(now), ctypes.byref(count))
        return count.value

    def instance(self, id: str) -> EngineInstance:
        """An instance of this engine, for queries. Raises NotFound."""
        found = self._instance(id)
        found.revision  # pylint: disable=pointless-statement
        return found

    def release(self, id: str) -> None:
        """Gives an instance up; the store keeps it."""
        self._change(self._releasing(id))

    async def arelease(self, id: str) -> None:
        """``release``, while the running event loop continues."""
        await self._change_aside(self._releasing(id), reads=True)

    @staticmethod
    def _releasing(id: str) -> Callable[[Any], Any]:
        name = _text.name(id)
        return lambda pointer: run(_ffi.lib.wfsm_engine_release, pointer, name)

    def _input(self, function: Any, *arguments: Any, now: Optional[int],
               id: Optional[bytes] = None) -> Outcome:
        outcome = self._change(self._step, function, arguments, now, id)
        self._wake()
        return outcome

    def _step(self, pointer: Any, function: Any, arguments: Tuple[Any, ...], now: Optional[int],
              id: Optional[bytes]) -> Outcome:
        outcome = _ffi.i32()
        over = id is not None and _over(_ffi.lib.wfsm_engine_instance(pointer, id))
        self.error = run(function, pointer, *arguments, self._time(now),
                         ctypes.byref(outcome), outcome=outcome)
        return outcome_of(outcome.value, over)

    def send(self, id: str, event: str, data: Any = None, *, event_id: Optional[str] = None,
             interface: int = 0, sender: Optional[str] = None,
             now: Optional[int] = None) -> Outcome:
        """Sends an event to an instance of this engine. `interface` and `sender` are those of
        ``Instance.send``. `event` is its name, `data` any JSON value or an object that has a form
        in JSON. With an `event_id` that is recorded already: DUPLICATE."""
        given, name = _text.event(event, data, event_id, interface, sender), _text.name(id)
        return self._input(_ffi.lib.wfsm_engine_send_event, name, ctypes.byref(given), now=now,
                           id=name)

    async def asend(self, id: str, event: str, data: Any = None, *, event_id: Optional[str] = None,
                    interface: int = 0, sender: Optional[str] = None,
                    now: Optional[int] = None) -> Outcome:
        """``send``, while the running event loop continues. `event`, `data`, `event_id`, `interface` and `sender`
        are those of ``send``. If it is cancelled, the event may have been taken: with an `event_id` it can
        be sent again."""
        given, name = _text.event(event, data, event_id, interface, sender), _text.name(id)
        return await self._change_aside(
            self._step, _ffi.lib.wfsm_engine_send_event, (name, ctypes.byref(given)), now, name,
            reads=event_id is not None)

    async def astop(self, id: str, *, now: Optional[int] = None) -> Outcome:
        """``stop``, while the running event loop continues."""
        name = _text.name(id)
        return await self._change_aside(self._step, _ffi.lib.wfsm_engine_stop, (name,), now, name)

    def patch(self, id: str, context: "_values.Members", *,
              now: Optional[int] = None) -> Outcome:
        """Replaces top-level keys of the context. No transition is selected. `context` is a dict
        with these keys, or an object."""
        json = _text.encode(_values.mapping(context))
        return self._input(_ffi.lib.wfsm_engine_patch, _text.name(id), json, len(json), now=now)

    def checkpoint(self, id: str, checkpoint: str, artifacts: Iterable[str] = (), *,
                   now: Optional[int] = None) -> Outcome:
        """Keeps the present state of an instance under a name. As ``Instance.checkpoint``.
        `checkpoint` is the name, and `artifacts` are names of what belongs to it."""
        names = _text.encode(list(artifacts))
        return self._input(_ffi.lib.wfsm_engine_checkpoint, _text.name(id),
                           _text.name(checkpoint), names, len(names), now=now)

    def delete_checkpoint(self, id: str, checkpoint: str, *,
                          now: Optional[int] = None) -> Outcome:
        """Deletes a checkpoint; its record stays. Raises NotFound. `checkpoint` is its name."""
        return self._input(_ffi.lib.wfsm_engine_delete_checkpoint, _text.name(id),
                           _text.name(checkpoint), now=now)

    def restore(self, id: str, checkpoint: Optional[str] = None, *,
                revision: Optional[int] = None, interface: int = 0,
                sender: Optional[str] = None, now: Optional[int] = None) -> Outcome:
        """Goes back to a checkpoint or a revision. Invocations at work are withdrawn.

        As ``Instance.restore``.

        `checkpoint` is a name, `revision` a number; without both, it is the newest checkpoint.
        `interface` and `sender` are those of ``Instance.send``.
        """
        wanted = _text.origin(checkpoint or None, not checkpoint and revision is None, revision,
                              interface, sender)
        return self._input(_ffi.lib.wfsm_engine_restore, _text.name(id), wanted, now=now)

    def migrate(self, id: str, machine: Machine, *, now: Optional[int] = None) -> Outcome:
        """An instance of this engine continues under another document. As ``Instance.migrate``.

        Agents whose work the new document still asks for continue it.

        `machine` is that document.
        """
        with Machine._of(machine, "machine")._sharing() as compiled:
            return self._input(_ffi.lib.wfsm_engine_migrate, _text.name(id), compiled, now=now)

    def fork(self, source: str, id: str, checkpoint: Optional[str] = None, *,
             latest: bool = False, revision: Optional[int] = None, interface: int = 0,
             sender: Optional[str] = None, now: Optional[int] = None) -> EngineInstance:
        """Starts a new instance in the state of another one. As ``Instance.fork``. `source` is the
        id of the other one, which this engine has, and `id` that of the new one. Its state is that
        of the `checkpoint`, of the newest one if `latest`, of the `revision`, or the present one.
        `interface` and `sender` are those of ``Instance.send``."""
        wanted = _text.origin(checkpoint, latest, revision, interface, sender)
        self._change(lambda pointer: run(_ffi.lib.wfsm_engine_fork, pointer, _text.name(source), wanted,
                                         _text.name(id), self._time(now)))
        self._wake()
        return self._instance(id)

    def result(self, invocation: str, output: Any = None, *,
               usage: Optional[Mapping[str, int]] = None, signature: Optional[str] = None,
               now: Optional[int] = None) -> Outcome:
        """The output of an agent that returned LATER. Any thread may call this. `output` is any
        JSON value. `usage` is counted by budgets: {"tokens": 1200}. With a `signature` the output
        counts as a failure that can be recognised."""
        json = _text.encode(output)
        return self._input(_ffi.lib.wfsm_engine_result_full, _text.name(invocation), json,
                           len(json), ctypes.byref(_text.report(usage, signature, 0)), now=now)

    def fail(self, invocation: str, failure_class: str = "other",
             message: Optional[str] = None, *, usage: Optional[Mapping[str, int]] = None,
             signature: Optional[str] = None, retry_after: int = 0,
             now: Optional[int] = None) -> Outcome:
        """The failure of an agent that returned LATER. Any thread may call this. `failure_class` is
        "network", "timeout", "auth", "schema", "exit", "canceled", "limit" or "other", and
        `message` one sentence. `usage` is counted by budgets, the same `signature` recognises
        repeated failures, and no attempt is made before `retry_after` milliseconds are over."""
        return self._input(_ffi.lib.wfsm_engine_failure_full, _text.name(invocation),
                           _text.name(failure_class), _text.optional(message),
                           ctypes.byref(_text.report(usage, signature, retry_after)), now=now)

    def stop(self, id: str, *, now: Optional[int] = None) -> Outcome:
        """Ends an instance wherever it is; its agents are told."""
        name = _text.name(id)
        return self._input(_ffi.lib.wfsm_engine_stop, name, now=now, id=name)

    def heartbeat(self, invocation: str, now: Optional[int] = None) -> None:
        """The work continues (`heartbeatMs`). Raises NotFound if it is not at work here."""
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_engine_heartbeat, pointer, _text.name(invocation),
                _text.time_or_now(now))

    def cancel(self, invocation: str, message: Optional[str] = None, *,
               now: Optional[int] = None) -> Outcome:
        """Ends an invocation, waiting or at work, with a failure of class "canceled". `message`
        says why."""
        return self._input(_ffi.lib.wfsm_engine_cancel, _text.name(invocation),
                           _text.optional(message), now=now)

    def retry(self, invocation: str, *, now: Optional[int] = None) -> Outcome:
        """Starts the next attempt of an invocation without waiting: STALE if there is nothing to
        repeat. An agent at work is told to stop, and its attempt is given up."""
        return self._input(_ffi.lib.wfsm_engine_retry, _text.name(invocation), now=now)

    def spawn(self, id: str, requests: Iterable[Mapping[str, Any]], *,
              now: Optional[int] = None) -> EngineInstance:
        """Starts several invocations at once, without a machine: {"agent", "input", "priority",
        "phase", "group"} each. Their ids are ID/1/1, ID/1/2, …. The output of the instance is the
        list of their results, in the same order. `requests` are these dicts."""
        json = _text.encode([dict(request) for request in requests])
        self._change(lambda pointer: run(_ffi.lib.wfsm_engine_spawn, pointer, _text.name(id), json,
                                         len(json), self._time(now)))
        self._wake()
        return self._instance(id)


_boundary.around(globals(), "Engine")
