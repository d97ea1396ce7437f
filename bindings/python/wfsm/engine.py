"""Many instances over one store, with agents."""
from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from difflib import get_close_matches
from typing import (
    Any, AsyncIterator, Callable, Coroutine, Dict, Iterable, Iterator, List, Mapping, Optional,
    Sequence, Set, Tuple, TypeVar, Union, cast, overload)

from . import _boundary, _ffi, _text, _values
from ._handle import Resource
from ._run import callback, is_coroutine_function, logger, plain, run, silent
from ._typed import Shapes
from ._served import CoroutineAgent, agent_callback, clock_callback, effect_of
from .call import Call
from .driver import Driver
from .enums import Outcome, PoolKind, Status
from .errors import WfsmError
from .functions import A, Action, F, G, Guard, action_callback, decorator, guard_callback
from .instance import Effect, _over, outcome_of
from .machine import Machine
from .owners import session_name
from .round import Round
from .store import Store
from .stream import Streams
from .task import EngineInstance
from .watch import COMMIT, LOST, Watch
from .work import Tasks

O = TypeVar("O", bound=Callable[[Call], Any])
E = TypeVar("E", bound=Union[Callable[[Effect, Call], Any],
                             Callable[[Effect], Coroutine[Any, Any, Any]]])
D = TypeVar("D", bound=Callable[[Dict[str, Any], Call], Any])

# Rounds of one call of ``Engine.run``.
_ROUNDS = 1000


def _start(machine: str, id: str, input: "Optional[_values.Members]" = None) -> "_ffi.Start":
    json = None if input is None else _text.encode(_values.mapping(input))
    return _ffi.Start(machine=_text.name(machine), id=_text.name(id), input=json,
                      length=len(json or b""))


_KINDS = {"slots": PoolKind.POOL_ALL, "agent": PoolKind.POOL_AGENT,
          "phase": PoolKind.POOL_PHASE, "group": PoolKind.POOL_GROUP}


def _kind(word: str) -> int:
    if word not in _KINDS:
        raise ValueError(f'expected "slots", "agent", "phase" or "group", not {word!r}')
    return _KINDS[word]


def _is_no_agent(name: str) -> bool:
    """True for child workflows and people, whose work no engine does."""
    return name == "person" or name.startswith(("machine:", "person."))


class Engine(Resource):
    """Drives instances: timers, agents, retries, the inbox, effects.

    It has no thread: call ``run`` when something may have happened, and no later than
    ``deadline``, or use ``run_until_idle`` or ``run_until``. Agents and guards are functions:

        engine = Engine(store)
        engine.add_machine(machine)

        @engine.agent("reviewer")
        def review(call):
            return {"decision": "approve"}

    `session` is the name of this engine on the store, which no other engine may ever have (None:
    a new one for this process). Raises Denied if another engine that is alive has it. `now` is the
    time in milliseconds (None: the clock).
    `lapse_ms` is how long it may be silent before others take over (default 10,000).
    `slots` is how many invocations may be at work at once (default 15). `promote_ms` is how
    long an invocation waits until its priority rises by one (default 300,000). `limits` are
    limits of a step, as in ``Instance.start``, for all instances of this engine. `children` is
    how many child workflows may be at work at once, at each depth (default 10,000). `look_ms` is
    how often ``deadline`` asks for a look at what others have posted (default 1,000). With
    `look_most_ms` the time grows up to that while nothing happens, and ``run`` looks only when
    it is over, or after ``look``; a third of the lapse is good for a store on a server.
    `cached_instances` is how many instances that only wait stay in memory (default: all); the
    others are loaded from the store when their time comes. `round_ms` is after how long a round
    takes no more inputs and calls no more agents (default: a tenth of the lapse), by `clock`, a
    function that returns seconds. While ``run_until`` and the like wait, agents that are functions
    work in threads, so that the engine keeps its lease; with `threads` False, and in ``run``, the
    engine waits for each of them.

    What parameters mean in all methods: `id` is the id of an instance, and `invocation` that of an
    invocation, as ``instance.invocations`` has it. `now` is the time in milliseconds since 1970
    (None: the clock). `function` is the function that a decorator gets, and `name` the name by
    which documents call it: without a name, it is that of the function. `store` is where the
    instances are.
    """

    _kind = "engine"
    _pointers = _ffi.ENGINE

    def __init__(self, store: Store, *, session: Optional[str] = None, lapse_ms: int = 0,
                 slots: int = 0, promote_ms: int = 0,
                 limits: Optional[Mapping[str, int]] = None, children: int = 0,
                 look_ms: int = 0, now: Optional[int] = None, cached_instances: int = 0,
                 round_ms: int = 0, look_most_ms: int = 0, threads: bool = True,
                 clock: Callable[[], float] = time.monotonic):
        Store._of(store, "store")
        self._once()
        ticking = clock_callback(clock)
        self.session: str = session or session_name()
        options = _ffi.EngineOptions(session=_text.name(self.session), lapse_ms=lapse_ms,
                                     slots=slots, promote_ms=promote_ms,
                                     limits=_text.limits(limits), children=children,
                                     look_ms=look_ms, look_most_ms=look_most_ms,
                                     cached_instances=cached_instances,
                                     round_ms=round_ms, clock=ticking,
                                     now=_text.time_or_now(now))
        self._news, self._threads = threading.Event(), bool(threads)
        self._driver: Optional[Driver] = None
        self._agents: Set[str] = set()
        self._shapes = Shapes()
        self._invoked: Dict[str, List[str]] = {}
        self._knows_agents = True
        self._polled = False
        self._tasks, self._watch = Tasks(self), Watch(self)
        self._store, self._streams = store, Streams(self)
        #: Why the last input's outcome was FAILED; None for any other outcome.
        self.error: Optional[WfsmError] = None
        pointer = _ffi.ptr()
        with store._lending() as stored:
            run(_ffi.lib.wfsm_engine_new, ctypes.byref(pointer), stored, ctypes.byref(options))
            super().__init__(pointer, _ffi.lib.wfsm_engine_free, store._own_handle().family,
                             [store], [ticking])

    # What it works with.

    def add_machine(self, machine: Machine) -> None:
        """Instances of this machine can be started. TypeError if the types of a function of this
        engine do not fit the machine. `machine` may serve other engines too."""
        self._shapes.machine(Machine._of(machine, "machine"))
        with self._changing() as pointer, machine._sharing() as compiled:
            run(_ffi.lib.wfsm_engine_add_machine, pointer, compiled)
        self._invoked[machine.id] = machine.agents

    @overload
    def guard(self, name: str) -> Callable[[G], G]: ...

    @overload
    def guard(self, name: G) -> G: ...

    def guard(self, name: Any) -> Any:
        """Decorator, with or without a name. As ``Functions.guard``."""
        return decorator(self._add_guard, name)

    @overload
    def action(self, name: str) -> Callable[[A], A]: ...

    @overload
    def action(self, name: A) -> A: ...

    def action(self, name: Any) -> Any:
        """Decorator. As ``Functions.action``."""
        return decorator(self._add_action, name)

    @overload
    def agent(self, name: str) -> Callable[[F], F]: ...

    @overload
    def agent(self, name: F) -> F: ...

    def agent(self, name: Any) -> Any:
        """Decorator. The function gets a Call and returns the output, or LATER. Under ``run_until``
        and the like it works in a thread of a pool (see `threads`). Or it is a
        coroutine function, gets a Work, and works as a task of asyncio while the engine
        waits: in the running loop, or in one that ``run_until`` drives.

        A parameter `input` gets the input, as an object of the annotated type.

        AgentFailed gives the failure a class; any other exception is a failure of class
        "other". A coroutine whose invocation has ended is cancelled.
        """
        return decorator(self._add_agent, name)

    def observer(self, function: O) -> O:
        """Decorator. The function is called after every commit: call.record, call.log."""
        self._watch.set(COMMIT, silent("observer", function))
        return function

    def on_lost(self, function: O) -> O:
        """Decorator. The function is called when the engine has lost an instance: call.instance,
        and call.lost, which says why. ``instance()`` raises NotFound for it from then on.
        """
        self._watch.set(LOST, silent("lost", function))
        return function

    def on_effect(self, function: E) -> E:
        """Decorator. The function gets each Effect and its Call. When it returns, the effect is
        acknowledged. After an exception the effect is delivered again on a later run.

        A coroutine function gets the Effect alone. It works as coroutine agents do, and the effect
        is acknowledged when it has returned. One at a time works for each instance.
        """
        if is_coroutine_function(function):
            handler = self._awaited(cast(Callable[[Effect], Coroutine[Any, Any, Any]], function))
        else:
            plain(function, "effect handler")
            handle = cast(Callable[[Effect, Call], Any], function)
            handler = silent("effect", lambda call: handle(effect_of(call), call))
        self._polled = True  # one that was not acknowledged comes again
        self._register(_ffi.lib.wfsm_engine_on_effect, None, handler)
        return function

    def _awaited(self, function: Callable[[Effect], Coroutine[Any, Any, Any]]) -> Any:
        def deliver(call: Call) -> int:
            effect = effect_of(call)
            handled = self._tasks.effect(effect.id, lambda: function(effect))
            return Status.OK if handled else Status.BUSY

        return callback("effect", deliver)

    def on_diagnostic(self, function: D) -> D:
        """Decorator. The function gets what is probably a mistake, once each: severity, rule
        and message, and its Call. An invocation that has waited for an agent that nobody has
        had for a minute is one (``unknown-agent``).
        """
        plain(function, "diagnostic handler")

        def tell(call: Call) -> None:
            function(call.input, call)

        self._register(_ffi.lib.wfsm_engine_on_diagnostic, None, silent("diagnostic", tell))
        return function

    def add_agent(self, name: str, agent: Any) -> None:
        """An agent as an object with ``start(call)`` and any of ``poll``, ``cancel``, ``probe``.

        start, poll and probe return an output, or LATER (still at work); probe also GONE
        or UNSURE. cancel returns nothing.

        `agent` is this object, and `name` what documents call it.
        """
        if getattr(agent, "start", None) is None:
            raise TypeError(f"an agent is an object with start(call), not {type(agent).__name__}")
        for part in ("start", "poll", "cancel", "probe"):
            if getattr(agent, part, None) is not None:
                plain(getattr(agent, part), f"{part} of agent")
        calls = {part: agent_callback(getattr(agent, part), f"{part} of agent")
                 for part in ("start", "poll", "probe") if getattr(agent, part, None) is not None}
        self._polled = self._polled or "poll" in calls
        if getattr(agent, "cancel", None) is not None:
            calls["cancel"] = silent("cancel of agent", agent.cancel)
        with self._changing() as pointer:
            self._own_handle().callbacks.extend(calls.values())
            run(_ffi.lib.wfsm_engine_add_agent_full, pointer, _text.name(name),
                ctypes.byref(_ffi.Agent(**calls)))
        self._agents.add(name)

    def _add_guard(self, name: str, function: Guard) -> None:
        self._register(_ffi.lib.wfsm_engine_add_guard, name, guard_callback(function, self._shapes, name))

    def _add_action(self, name: str, function: Action) -> None:
        self._register(_ffi.lib.wfsm_engine_add_action, name, action_callback(function, self._shapes, name))

    def _add_agent(self, name: str, function: Callable[..., Any]) -> None:
        adapted = self._shapes.adapt(function, "agent", name)
        if is_coroutine_function(function):
            self.add_agent(name, CoroutineAgent(self._tasks, adapted))
            return
        self._register(_ffi.lib.wfsm_engine_add_agent, name,
                       agent_callback(adapted, tasks=self._tasks))
        self._agents.add(name)

    def _register(self, function: Any, name: Optional[str], wrapped: Any) -> None:
        named = () if name is None else (_text.name(name),)
        with self._changing() as pointer:
            self._own_handle().callbacks.append(wrapped)
            run(function, pointer, *named, wrapped, None)

    def _name_missing_agents(self) -> None:
        """Before the first round with a machine: warns of agents that nobody has registered."""
        while self._invoked:
            machine, names = self._invoked.popitem()
            for name in names:
                if self._knows_agents and name not in self._agents and not _is_no_agent(name):
                    close = get_close_matches(name, self._agents, 1)
                    logger.warning("machine %r invokes the agent %r, which this engine does not have%s",
                                   machine, name, f": did you mean {close[0]!r}?" if close else "")

    # Instances.

    def start(self, machine: str, id: str, input: "Optional[_values.Members]" = None, *,
              now: Optional[int] = None) -> EngineInstance:
        """Starts an instance of the machine of this name. `machine` is the id of one that was
        added, and `input` a dict, or an object of the type of the context, that replaces keys of
        the initial context. AlreadyExists: there is an instance `id`."""
        json = None if input is None else _text.encode(_values.mapping(input))
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_engine_start, pointer, _text.name(machine), _text.name(id), json,
                len(json or b""), _text.time_or_now(now))
        self._wake()
        return EngineInstance(self, id)

    def start_all(self, starts: Iterable[Sequence[Any]], *,
                  now: Optional[int] = None) -> List[EngineInstance]:
        """Starts many instances, each given as (machine, id) or (machine, id, input), in order.

        Up to 1,000 of them are one transaction. One that is refused does not concern the others:
        all are tried, and then the first failure is raised. Its `answers` has one entry for each
        start: None, or the status that it was refused with.

        `starts` are these tuples.
        """
        made = [_start(*given) for given in starts]
        places = (_ffi.ptr * len(made))(*map(ctypes.addressof, made))
        answers = (_ffi.i32 * len(made))()
        with self._changing() as pointer:
            try:
                run(_ffi.lib.wfsm_engine_start_all, pointer, places, len(made),
                    _text.time_or_now(now), answers)
            except WfsmError as failed:
                failed.answers = [Status(answer) if answer else None for answer in answers]
                raise
            finally:
                self._wake()
        return [EngineInstance(self, one.id.decode()) for one in made]

    def adopt(self, id: str, *, now: Optional[int] = None) -> EngineInstance:
        """Takes over a stored instance. Raises NotFound; Denied while another owner lives."""
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_engine_adopt, pointer, _text.name(id), _text.time_or_now(now))
        self._wake()
        return EngineInstance(self, id)

    def adopt_all(self, *, now: Optional[int] = None) -> int:
        """Takes over every unfinished instance whose owner is not alive. Returns how many."""
        count = _ffi.size()
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_engine_adopt_all, pointer, _text.time_or_now(now),
                ctypes.byref(count))
        if count.value:
            self._wake()
        return count.value

    def instance(self, id: str) -> EngineInstance:
        """An instance of this engine, for queries. Raises NotFound."""
        found = EngineInstance(self, id)
        found.revision  # pylint: disable=pointless-statement
        return found

    def release(self, id: str) -> None:
        """Gives an instance up; the store keeps it."""
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_engine_release, pointer, _text.name(id))

    def _input(self, function: Any, *arguments: Any, now: Optional[int],
               id: Optional[bytes] = None) -> Outcome:
        outcome = self._change(self._step, function, arguments, now, id)
        self._wake()
        return outcome

    def _step(self, pointer: Any, function: Any, arguments: Tuple[Any, ...], now: Optional[int],
              id: Optional[bytes]) -> Outcome:
        outcome = _ffi.i32()
        over = id is not None and _over(_ffi.lib.wfsm_engine_instance(pointer, id))
        self.error = run(function, pointer, *arguments, _text.time_or_now(now),
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
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_engine_fork, pointer, _text.name(source), wanted,
                _text.name(id), _text.time_or_now(now))
        self._wake()
        return EngineInstance(self, id)

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

    # The pool.

    def limit(self, kind: str, most: int, name: Optional[str] = None) -> None:
        """Limits how many invocations are at work at once: of each "agent", "phase" or "group", or
        of the one with this name (0: no limit of its own); or of the engine: "slots". `kind` is one
        of these four words, `most` the limit, and `name` that of an agent, a phase or a group."""
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_engine_limit, pointer, _kind(kind), _text.optional(name), most)

    def limit_shared(self, kind: str, name: str, most: int) -> None:
        """Limits how many invocations of an "agent", a "phase" or a "group" are at work at once in
        all engines of the store together (0: no such limit). Every engine sets it. Raises Denied if
        a hosted store cannot do this. `kind` is one of these three words, `name` that of the agent,
        phase or group, and `most` the limit."""
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_engine_limit_shared, pointer, _kind(kind), _text.name(name), most)

    def rate(self, kind: str, name: str, count: int, per_ms: int, *, shared: bool = False) -> None:
        """Attempts of an "agent", a "phase" or a "group" begin no faster than `count` in `per_ms`:
        so many at once, and one more each per_ms / count (0: no rate). With `shared`, in all
        engines of the store together; every engine sets it. Raises Denied if a hosted store cannot
        do this. `kind` is one of these three words, and `name` that of the agent, phase or
        group."""
        with self._changing() as pointer:
            rate = _ffi.PoolRate(kind=_kind(kind), shared=shared, name=_text.name(name),
                                 per_ms=per_ms, count=count)
            run(_ffi.lib.wfsm_engine_rate, pointer, ctypes.byref(rate))

    @property
    def pool(self) -> Dict[str, Any]:
        """slots, working, free, waiting; and agents, phases and groups by name."""
        with self._using() as pointer:
            return cast(Dict[str, Any], _text.answer(_ffi.lib.wfsm_engine_pool, pointer))

    @property
    def counts(self) -> Dict[str, int]:
        """What the engine has done since it was made (rounds, commits, failures by class), and what
        it does now (slots, working, waiting): the members of wfsm_engine_counts."""
        counts = _ffi.EngineCounts()
        with self._using() as pointer:
            _ffi.lib.wfsm_engine_count(pointer, ctypes.byref(counts))
        return {name: getattr(counts, name) for name, _ in counts._fields_ if name != "size"}

    @property
    def metrics(self) -> str:
        """The same in the text format of Prometheus, with the times of exchanges as a histogram."""
        with self._using() as pointer:
            length = _ffi.size()
            text = _ffi.lib.wfsm_engine_metrics(pointer, ctypes.byref(length))
            if not text:
                raise MemoryError("out of memory")
            return ctypes.string_at(text, length.value).decode()

    def work(self, kind: str = "slots", name: Optional[str] = None) -> List[Dict[str, Any]]:
        """The outstanding invocations, of all or of one agent, phase or group. `kind` is "slots"
        (all), "agent", "phase" or "group", and `name` that of one agent, phase or group."""
        with self._using() as pointer:
            length = _ffi.size()
            text = _ffi.lib.wfsm_engine_work(pointer, _kind(kind), _text.optional(name),
                                             ctypes.byref(length))
            if not text:
                raise ValueError(f"unknown kind, or a name that does not fit: {kind!r}, {name!r}")
            return cast(List[Dict[str, Any]], _text.decode(text, length.value))

    @property
    def waiting(self) -> int:
        """Invocations that wait for a slot, below a limit, or for the time of a retry."""
        with self._using() as pointer:
            return int(_ffi.lib.wfsm_engine_waiting(pointer))

    def can_spawn(self, count: int = 1) -> bool:
        """True if so many slots are free. `count` is their number."""
        with self._using() as pointer:
            return bool(_ffi.lib.wfsm_engine_can_spawn(pointer, count))

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

    def await_empty(self, kind: str, name: str, instance: str, event: str, event_id: str, *,
                    now: Optional[int] = None) -> None:
        """Posts the event to the instance as soon as no invocation of this "agent", "phase" or
        "group" is at work or waits. `kind` is one of these three words, and `name` that of the
        agent, phase or group. `instance` gets the `event` once, under the id `event_id`."""
        with self._changing() as pointer:
            wait = _ffi.PoolWait(
                kind=_kind(kind), name=_text.name(name), instance=_text.name(instance),
                event=_text.name(event), event_id=_text.name(event_id))
            run(_ffi.lib.wfsm_engine_await_empty, pointer, ctypes.byref(wait),
                _text.time_or_now(now))
        self._wake()

    def spawn(self, id: str, requests: Iterable[Mapping[str, Any]], *,
              now: Optional[int] = None) -> EngineInstance:
        """Starts several invocations at once, without a machine: {"agent", "input", "priority",
        "phase", "group"} each. Their ids are ID/1/1, ID/1/2, …. The output of the instance is the
        list of their results, in the same order. `requests` are these dicts."""
        json = _text.encode([dict(request) for request in requests])
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_engine_spawn, pointer, _text.name(id), json, len(json),
                _text.time_or_now(now))
        self._wake()
        return EngineInstance(self, id)

    def _wake(self) -> None:
        """Something has happened: who waits makes a round."""
        self._news.set()
        self._tasks.wake()
        if self._driver is not None:
            self._driver.wake()

    # Running.

    def run(self, now: Optional[int] = None) -> None:
        """Does what can be done now, and returns. Raises the store's first failure.

        Makes rounds (one transaction each) until nothing more is due at this time, at most a
        thousand: after that ``deadline`` is not later than now.
        """
        self._name_missing_agents()
        self._tasks.hand_beats()
        self._tasks.deliver()
        time = _text.time_or_now(now)
        with self._changing() as pointer:
            for _ in range(_ROUNDS):
                run(_ffi.lib.wfsm_engine_run, pointer, time)
                if _ffi.lib.wfsm_engine_deadline(pointer) > time:
                    break

    def prepare(self, now: Optional[int] = None) -> Round:
        """The first part of one round; see ``Round``."""
        self._tasks.hand_beats()
        self._tasks.deliver()
        return self._prepare(now)

    def _prepare(self, now: Optional[int] = None) -> Round:
        pointer = _ffi.ptr()
        with self._using() as engine:
            run(_ffi.lib.wfsm_engine_prepare, engine, _text.time_or_now(now),
                ctypes.byref(pointer))
            self._lent += 1  # until Round.finish()
        return Round._made(self, pointer)

    def _begin_round(self) -> Round:
        """As ``prepare``, but what agents have answered goes into the next round, all together."""
        self._name_missing_agents()
        self._tasks.hand_beats()
        begun = self._prepare()
        try:
            self._tasks.deliver()
        except BaseException:
            begun.finish()
            raise
        return begun

    @property
    def idle(self) -> bool:
        """True if there is nothing to do without new events: no invocation and no timer."""
        with self._using() as pointer:
            return bool(_ffi.lib.wfsm_engine_idle(pointer))

    @property
    def deadline(self) -> Optional[int]:
        """The latest time at which ``run`` must be called, in milliseconds; None: never."""
        with self._using() as pointer:
            return _text.deadline(_ffi.lib.wfsm_engine_deadline(pointer))

    @property
    def fd(self) -> Optional[int]:
        """A file descriptor to wait for beside the deadline: it can be read when others have
        posted something. None: the store has none, and the deadline includes the next look."""
        with self._using() as pointer:
            found = _ffi.lib.wfsm_engine_fd(pointer)
            return None if found < 0 else found

    def look(self) -> None:
        """The next round looks for what others have posted, also with `look_most_ms`."""
        with self._using() as pointer:
            run(_ffi.lib.wfsm_engine_look, pointer)

    @property
    def working(self) -> int:
        """Invocations at work now."""
        with self._using() as pointer:
            return int(_ffi.lib.wfsm_engine_working(pointer))

    def run_until(self, condition: Callable[[], bool], timeout: Optional[float] = None,
                  interval: float = 0.05) -> bool:
        """Runs, and sleeps in between, until `condition()` holds; then True.

        False when `timeout` seconds are over. `interval` is the longest sleep in seconds,
        for agents that are polled and for posts of other processes.
        """
        for left in self._rounds(condition, timeout, interval):
            if self._tasks.has_own_work():
                self._tasks.work_for(left)
            else:
                self._news.wait(left)
        return bool(condition())

    async def arun_until(self, condition: Callable[[], bool], timeout: Optional[float] = None,
                         interval: float = 0.05) -> bool:
        """The same within a loop of asyncio, which does other things while the engine waits, and
        while it talks to the store. Any number may wait at once. `condition`, `timeout` and
        `interval` are those of ``run_until``."""
        plain(condition, "condition")
        return await self._drive().until(condition, timeout, interval=interval)

    def _drive(self) -> Driver:
        """The driver of the running loop. Who waits for something in it keeps it going."""
        if self._driver is None or not self._driver.alive:
            if self._driver is None:
                self._watch.listen(self._changed)
            self._driver = Driver(self)
        return self._driver

    def _changed(self, _what: str, call: Any) -> None:
        if self._driver is not None:
            self._driver.changed(_ffi.lib.wfsm_call_instance(call))

    async def __aenter__(self) -> "Engine":
        """Drives the engine in the running loop until the end of the ``async with``."""
        self._own_handle()
        self._drive().stays = True
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._driver is not None and self._driver.alive:
            await self._driver.stop()
        self.close()

    def _rounds(self, condition: Callable[[], bool], timeout: Optional[float],
                interval: float) -> Iterator[float]:
        """Runs the engine. Yields how long to wait, until the condition holds or time is up."""
        plain(condition, "condition")
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            self._news.clear()
            with self._tasks.in_threads(self._threads):
                self.run()
            if condition():
                return
            left = interval if end is None else min(interval, end - time.monotonic())
            if left <= 0:
                return
            deadline = self.deadline
            if deadline is not None:
                left = min(left, (deadline - _text.now()) / 1000)
            yield max(left, 0)

    def run_until_idle(self, timeout: Optional[float] = None, interval: float = 0.05) -> bool:
        """Runs until nothing is left to do without new events; as ``run_until``. `timeout` and
        `interval` are those of ``run_until``."""
        return self.run_until(lambda: self.idle, timeout, interval)

    async def arun_until_idle(self, timeout: Optional[float] = None,
                              interval: float = 0.05) -> bool:
        """The same within a loop of asyncio. `timeout` and `interval` are those of
        ``run_until``."""
        return await self.arun_until(lambda: self.idle, timeout, interval)

    def __repr__(self) -> str:
        return "<Engine closed>" if self.closed else f"<Engine of session {self.session!r}>"

    def close(self) -> None:
        """Frees the engine. Agents at work are told to stop, and coroutines are cancelled."""
        if not self.closed:
            with self._turn():
                super().close()
        self._tasks.close()


@contextlib.asynccontextmanager
async def engine(store: Store, machines: Iterable[Machine] = (), *, round_ms: int = 10,
                 **options: Any) -> AsyncIterator[Engine]:
    """An engine that the running event loop drives, as long as the ``async with`` lasts:

        async with wfsm.engine(store, [machine], slots=200) as engine:
            task = engine.start("review", "task-1")
            await task.wait()

    The options are those of ``Engine``. A round ends its calls of agents after `round_ms`, so that the
    loop does other things too.

    `store` is where the instances are, `machines` are added at once, and `options` are further
    arguments of ``Engine``.
    """
    async with Engine(store, round_ms=round_ms, **options) as made:
        for machine in machines:
            made.add_machine(machine)
        yield made


_boundary.around(globals())
