"""One running workflow, stepped by hand."""
from __future__ import annotations

import ctypes
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, cast

from . import _boundary, _ffi, _text, _values
from ._handle import Resource
from ._questions import Questions
from ._run import run, silent
from .call import Call
from .enums import ENDED_BEFORE, InstanceStatus, Outcome
from .errors import WfsmError
from .functions import Functions
from .machine import Machine
from .store import Signed, Store


@dataclass(frozen=True)
class Effect:
    """An external event that a step recorded with ``emit``.

    ``id`` stays the same if the effect comes again.

    ``number`` is what ``Instance.ack`` wants; 0 from an engine, which does that itself.

    `event` is its name, `data` what came with it, and `instance` the id of the instance that made
    it.
    """

    number: int
    id: str
    event: str
    data: Any
    instance: str = ""


def _over(instance: Any) -> bool:
    return bool(_ffi.lib.wfsm_instance_status(instance) == InstanceStatus.DONE)


def outcome_of(value: int, over: bool) -> Outcome:
    """`over`: the instance had ended before."""
    return ENDED_BEFORE if over and value == Outcome.ENDED else Outcome(value)


@contextmanager
def _made_of(machine: Optional[Machine], store: Store,
             functions: Optional[Functions]) -> Iterator[Tuple[Any, Any, Any]]:
    """The pointers of what an instance is made of, which nobody closes meanwhile."""
    Machine._maybe(machine, "machine")
    Store._of(store, "store")
    Functions._maybe(functions, "functions")
    with ExitStack() as stack:
        stored = stack.enter_context(store._lending())
        yield (machine and stack.enter_context(machine._sharing()), stored,
               functions and stack.enter_context(functions._sharing()))


class Instance(Resource, Questions):
    """An instance without agents, from ``Instance.start`` or ``Instance.load``.

    Its invocations wait to be answered by ``result`` or ``fail``; an Engine drives
    instances with agents. All inputs take `now` in milliseconds (None: the clock) and
    return an Outcome. Each is one commit, or nothing at all. After Outcome.FAILED, ``error``
    says why. After a Conflict, load the instance again.

    What parameters mean in all methods: `invocation` is the id of an invocation, as ``invocations``
    has it. `machine`, `store` and `functions` are what the instance is made of: functions are
    needed where the machine uses guards or actions of the host. `interface` (``Interface``) and
    `sender` say where an input comes from.
    """

    _kind = "instance"
    _made_by = "Instance.start() and Instance.load()"
    _instead = "load it again with Instance.load(), or fork() it"
    _pointers = _ffi.INSTANCE

    def __init__(self, pointer: Any, store: Store, functions: Optional[Functions]):
        on: List[Resource] = [store, functions] if functions else [store]
        super().__init__(pointer, _ffi.lib.wfsm_instance_free, Store._of(
            store, "store")._own_handle().family, on)
        self._store, self._functions = store, functions
        #: Why the last input's outcome was FAILED; None for any other outcome.
        self.error: Optional[WfsmError] = None

    @classmethod
    def start(cls, machine: Machine, store: Store, id: str,
              input: "Optional[_values.Members]" = None, *,
              functions: Optional[Functions] = None, now: Optional[int] = None,
              limits: Optional[Mapping[str, int]] = None,
              session: Optional[str] = None) -> "Instance":
        """Starts a new instance. `input` replaces keys of the machine's initial context.

        `limits` are limits of a step, by the names of the property ``limits``; those that are
        missing are the document's. `session` says who starts it: the ids of the first step's
        work follow from it and from `now`, so that an instance that is removed and started again
        under its name has other ids.

        Raises AlreadyExists; NotFound (a guard or action that the machine uses is missing);
        or why the start failed: then there is no instance.

        `id` names the instance in the store.
        """
        json = None if input is None else _text.encode(_values.mapping(input))
        pointer = _ffi.ptr()
        Machine._of(machine, "machine")
        if functions is not None:
            Functions._of(functions, "functions")._shapes.check(machine)
        with _made_of(machine, store, functions) as (compiled, stored, table):
            options = _ffi.StartOptions(
                id=_text.name(id), store=stored, functions=table,
                input=json, length=len(json or b""), limits=_text.limits(limits),
                session=_text.name(session) if session else None)
            run(_ffi.lib.wfsm_instance_start, ctypes.byref(pointer), compiled,
                ctypes.byref(options), _text.time_or_now(now))
            return cls(pointer, store, functions)

    @classmethod
    def load(cls, store: Store, id: str, *, machine: Optional[Machine] = None,
             functions: Optional[Functions] = None,
             limits: Optional[Mapping[str, int]] = None) -> "Instance":
        """Loads a stored instance. Without `machine` the document in the store is compiled.

        `limits`, as in ``start``, hold from the next step on.

        Raises NotFound, and Denied if the instance was started with another machine.

        `id` is the one that it was started with.
        """
        pointer = _ffi.ptr()
        with _made_of(machine, store, functions) as (compiled, stored, table):
            run(_ffi.lib.wfsm_instance_load, ctypes.byref(pointer), compiled, stored, table,
                _text.name(id))
            made = cls(pointer, store, functions)
            run(_ffi.lib.wfsm_instance_set_limits, made._pointer(), _text.limits(limits))
            return made

    @classmethod
    def load_at(cls, store: Store, id: str, revision: int) -> "Instance":
        """The state that a stored instance had at a `revision`, for questions only.

        Inputs raise Denied; use ``restore`` or ``fork`` of the instance itself to go back there.
        Effects that have been acknowledged by now are not in the state. Raises NotFound if the
        journal does not have the revision; the message says what it has.

        `id` is that of the instance.
        """
        pointer = _ffi.ptr()
        with Store._of(store, "store")._lending() as stored:
            run(_ffi.lib.wfsm_instance_load_at, ctypes.byref(pointer), stored, _text.name(id),
                _text.number(revision, "revision"))
            return cls(pointer, store, None)

    def _input(self, function: Any, *arguments: Any, now: Optional[int]) -> Outcome:
        return self._change(self._step, function, arguments, now)

    def _step(self, pointer: Any, function: Any, arguments: Tuple[Any, ...],
              now: Optional[int]) -> Outcome:
        outcome = _ffi.i32()
        self.error, over = None, _over(pointer)
        self.error = run(function, pointer, *arguments, _text.time_or_now(now),
                         ctypes.byref(outcome), outcome=outcome)
        return outcome_of(outcome.value, over)

    def send(self, event: str, data: Any = None, *, id: Optional[str] = None,
             interface: int = 0, sender: Optional[str] = None,
             now: Optional[int] = None) -> Outcome:
        """Sends an event. With an `id` that is recorded already: DUPLICATE.

        `interface` (``Interface``) and `sender` say where it comes from; rules see them as
        ``event.origin``, and the record has them.

        `data` is any JSON value, or an object that has a form in JSON.
        """
        given = _text.event(event, data, id, interface, sender)
        return self._input(_ffi.lib.wfsm_instance_send, ctypes.byref(given), now=now)

    def advance(self, now: Optional[int] = None) -> List[Outcome]:
        """Fires the timers that are due, oldest first. Returns the outcome of each."""
        outcomes: List[Outcome] = []
        time = _text.time_or_now(now)
        while True:
            outcome = self._fire(time)
            if outcome is None:
                return outcomes
            outcomes.append(outcome)

    def _fire(self, time: int) -> Optional[Outcome]:
        """Fires one timer that is due; None if there is none."""
        outcome, fired = _ffi.i32(), _ffi.i32()
        with self._changing() as pointer:
            self.error = run(_ffi.lib.wfsm_instance_advance, pointer, time,
                             ctypes.byref(fired), ctypes.byref(outcome), outcome=outcome)
        return Outcome(outcome.value) if fired.value else None

    def patch(self, context: "_values.Members", *, now: Optional[int] = None) -> Outcome:
        """Replaces top-level keys of the context. No transition is selected. `context` is a dict
        with these keys, or an object."""
        json = _text.encode(_values.mapping(context))
        return self._input(_ffi.lib.wfsm_instance_patch, json, len(json), now=now)

    def checkpoint(self, id: str, artifacts: Iterable[str] = (), *,
                   now: Optional[int] = None) -> Outcome:
        """Keeps the present state under an id, to be restored or forked from.

        `artifacts` are names of files or other things that belong to it.

        `id` is the name of the checkpoint.
        """
        names = _text.encode(list(artifacts))
        kept = _ffi.Checkpoint(id=_text.name(id), artifacts=names, length=len(names))
        return self._input(_ffi.lib.wfsm_instance_checkpoint, ctypes.byref(kept), now=now)

    def delete_checkpoint(self, id: str, *, now: Optional[int] = None) -> Outcome:
        """Deletes a checkpoint; its record stays. Raises NotFound. `id` is its name."""
        return self._input(_ffi.lib.wfsm_instance_delete_checkpoint, _text.name(id), now=now)

    def restore(self, id: Optional[str] = None, *, revision: Optional[int] = None,
                interface: int = 0, sender: Optional[str] = None,
                now: Optional[int] = None) -> Outcome:
        """Goes back to a checkpoint, or to a `revision` that the journal still has.

        Without both: the newest checkpoint. Raises NotFound, or Denied: by the document, or
        because the state is one from before a migration or after the end. `interface` and
        `sender` are those of ``send``.

        `id` is the name of the checkpoint.
        """
        wanted = _text.origin(id or None, not id and revision is None, revision, interface, sender)
        return self._input(_ffi.lib.wfsm_instance_restore, wanted, now=now)

    def fork(self, id: str, checkpoint: Optional[str] = None, *, latest: bool = False,
             revision: Optional[int] = None, interface: int = 0, sender: Optional[str] = None,
             now: Optional[int] = None) -> "Instance":
        """Starts a new instance in the state of this one.

        It begins in the present state, or in that of a checkpoint, of the latest one, or of a
        `revision` that the journal still has. This one is not changed. Raises NotFound (there is
        no such checkpoint or revision), AlreadyExists, or Denied as ``restore``. `interface` and
        `sender` are those of ``send``.

        `id` is that of the new one, `checkpoint` a name, and `latest` asks for the newest
        checkpoint.
        """
        wanted = _text.origin(checkpoint, latest, revision, interface, sender)
        pointer = _ffi.ptr()
        with self._changing() as source:
            run(_ffi.lib.wfsm_instance_fork, ctypes.byref(pointer), source, wanted,
                _text.name(id), _text.time_or_now(now))
            return Instance(pointer, self._store, self._functions)

    def migrate(self, machine: Machine, *, functions: Optional[Functions] = None,
                now: Optional[int] = None) -> Outcome:
        """Continues under another document of the same machine, as its ``migrate`` says.

        `functions` are those of the new document. If None, the present ones are kept.
        Raises Denied, with the reason, if it cannot continue there; then nothing has changed.
        """
        Instance._of(self, "the instance")  # C gets a pointer to its pointer, which has no type
        outcome, functions = _ffi.i32(), functions or self._functions
        with self._changing() as pointer, _made_of(machine, self._store, functions) as (
                compiled, _, table):
            self.error = run(_ffi.lib.wfsm_instance_migrate, ctypes.byref(pointer), compiled, table,
                             _text.time_or_now(now), ctypes.byref(outcome), outcome=outcome)
            if functions:
                self._own_handle().borrow(functions._own_handle())
                functions._dependants.add(self)
                self._functions = functions
        return Outcome(outcome.value)

    def check_migration(self, machine: Machine, *, functions: Optional[Functions] = None,
                        now: Optional[int] = None) -> None:
        """Raises what ``migrate`` would raise; changes nothing."""
        with self._changing() as pointer, _made_of(
                machine, self._store, functions or self._functions) as (compiled, _, table):
            run(_ffi.lib.wfsm_instance_can_migrate, pointer, compiled, table,
                _text.time_or_now(now))

    def check_commit(self) -> bool:
        """After StoreError with Status.STORE_UNKNOWN: whether the commit was stored after all.

        Call this before you load the instance again.
        """
        stored = _ffi.i32()
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_instance_check_commit, pointer, ctypes.byref(stored))
        return bool(stored.value)

    def stop(self, *, now: Optional[int] = None) -> Outcome:
        """Ends the instance wherever it is: exit actions run, and there is no output."""
        return self._input(_ffi.lib.wfsm_instance_stop, now=now)

    def result(self, invocation: str, output: Any = None, *,
               usage: Optional[Mapping[str, int]] = None, signature: Optional[str] = None,
               now: Optional[int] = None) -> Outcome:
        """Gives the output of an invocation, by its id. STALE if it is not outstanding.

        `usage` is counted by the document's budgets: {"tokens": 1200}. With a `signature`
        the output counts as a failure with this signature (`failure` in rules).

        `output` is any JSON value, or an object that has a form in JSON.
        """
        json = _text.encode(output)
        report = _text.report(usage, signature, 0)
        result = _ffi.Result(invocation=_text.name(invocation), output=json, length=len(json),
                             report=ctypes.pointer(report))
        return self._input(_ffi.lib.wfsm_instance_result, ctypes.byref(result), now=now)

    def fail(self, invocation: str, failure_class: str = "other",
             message: Optional[str] = None, *, usage: Optional[Mapping[str, int]] = None,
             signature: Optional[str] = None, retry_after: int = 0,
             now: Optional[int] = None) -> Outcome:
        """Reports the failure of an invocation. RETRY if another attempt will be made, no earlier
        than `retry_after` milliseconds from now. `failure_class` is "network", "timeout", "auth",
        "schema", "exit", "canceled", "limit" or "other", and `message` one sentence. `usage` and
        `signature` are those of ``result``."""
        report = _text.report(usage, signature, retry_after)
        failure = _ffi.Failure(
            invocation=_text.name(invocation), failure_class=_text.name(failure_class),
            message=_text.optional(message), report=ctypes.pointer(report))
        return self._input(_ffi.lib.wfsm_instance_failure, ctypes.byref(failure), now=now)

    def approve(self, invocation: str, *, by: str, digest: str, approve: bool = True,
                reason: Optional[str] = None, id: Optional[str] = None, interface: int = 0,
                sender: Optional[str] = None, signed: Optional[Signed] = None,
                now: Optional[int] = None) -> Outcome:
        """Gives the vote of a person, as ``Store.approve`` does. The record says whether it counts.
        `by`, `digest`, `reason`, `id` and `signed` are those of ``Store.approve``, and `approve`
        False rejects."""
        given = _text.approval(None, invocation, by, digest, approve, reason, id, interface,
                               sender, signed)
        return self._input(_ffi.lib.wfsm_instance_approve, ctypes.byref(given), now=now)

    def cancel(self, invocation: str, message: Optional[str] = None, *,
               now: Optional[int] = None) -> Outcome:
        """Ends an invocation with a failure of class "canceled", without retries. `message` says
        why."""
        return self._input(_ffi.lib.wfsm_instance_cancel, _text.name(invocation),
                           _text.optional(message), now=now)

    def retry(self, invocation: str, *, now: Optional[int] = None) -> Outcome:
        """Starts the next attempt of an invocation without waiting. One that is running gives
        its attempt up. STALE if there is nothing to repeat."""
        return self._input(_ffi.lib.wfsm_instance_retry, _text.name(invocation), now=now)

    def claim(self, invocation: str, owner: str, *, now: Optional[int] = None) -> Outcome:
        """Begins the next attempt of a pending invocation under `owner`."""
        return self._input(_ffi.lib.wfsm_instance_claim, _text.name(invocation),
                           _text.name(owner), now=now)

    def can(self, event: str, data: Any = None, *, now: Optional[int] = None) -> bool:
        """True if this event would be taken. `event` and `data` are those of ``send``."""
        outcome = _ffi.i32()
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_instance_can, pointer, ctypes.byref(_text.event(event, data)),
                _text.time_or_now(now), ctypes.byref(outcome), None, outcome=outcome)
        return outcome.value == Outcome.TAKEN or (
            outcome.value == Outcome.ENDED and not self.done)

    def dry_run(self, event: str, data: Any = None, *, now: Optional[int] = None) -> Any:
        """The record that this event would make, or None; nothing changes. `event` and `data` are
        those of ``send``."""
        outcome, preview = _ffi.i32(), _ffi.Preview()
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_instance_can, pointer, ctypes.byref(_text.event(event, data)),
                _text.time_or_now(now), ctypes.byref(outcome), ctypes.byref(preview),
                outcome=outcome)
            return _text.decode(preview.record, preview.length)

    def next_effect(self) -> Optional[Effect]:
        """The oldest effect that is not acknowledged, or None."""
        text, length, number = _ffi.ptr(), _ffi.size(), _ffi.u64()
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_instance_next_effect, pointer, ctypes.byref(text),
                ctypes.byref(length), ctypes.byref(number))
            found = _text.decode(text.value, length.value)
        return found and Effect(found["number"], found["id"], found["event"], found["data"],
                               self.id)

    def ack(self, effect: Effect) -> None:
        """Acknowledges this effect and those before it. `effect` is one from ``next_effect`` or
        ``effects``."""
        if not isinstance(effect, Effect):
            raise TypeError(f"effect must be a wfsm.Effect, not {type(effect).__name__}")
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_instance_ack, pointer, _text.number(effect.number, "number"))

    def effects(self) -> Iterator[Effect]:
        """Effects in order. Each is acknowledged when the next one is asked for.

        So an exception, or a break, in the loop's body leaves the present one to be
        delivered again: at least once.
        """
        effect = self.next_effect()
        while effect is not None:
            yield effect
            self.ack(effect)
            effect = self.next_effect()

    def observe(self, observer: Optional[Callable[[Call], None]]) -> None:
        """Tells `observer` of every commit of this object; None ends it.

        Its exceptions are logged and change nothing.
        """
        wrapped = _ffi.CALLBACK() if observer is None else silent("observer", observer)
        with self._changing() as pointer:
            handle = self._own_handle()
            handle.callbacks.append(wrapped)
            _ffi.lib.wfsm_instance_observe(pointer, wrapped, None)
            del handle.callbacks[:-1]

    def __repr__(self) -> str:
        return "<Instance closed>" if self.closed else (
            f"<Instance {self.id!r} revision {self.revision} in {self.configuration}>")


_boundary.around(globals())
