"""What an engine works with: machines, agents, guards, actions and observers."""
from __future__ import annotations

import ctypes
from difflib import get_close_matches
from typing import Any, Callable, Coroutine, Dict, Optional, TypeVar, Union, cast, overload

from . import _boundary, _ffi, _text
from ._engine_base import EngineParts
from ._run import callback, is_coroutine_function, logger, plain, run, silent
from ._served import CoroutineAgent, agent_callback, effect_of
from .call import Call
from .enums import Status
from .functions import Action, Decorators, F, Guard, action_callback, decorator, guard_callback
from .instance import Effect
from .machine import Machine
from .watch import COMMIT, LOST

O = TypeVar("O", bound=Callable[[Call], Any])
E = TypeVar("E", bound=Union[Callable[[Effect, Call], Any],
                             Callable[[Effect], Coroutine[Any, Any, Any]]])
D = TypeVar("D", bound=Callable[[Dict[str, Any], Call], Any])


def _is_no_agent(name: str) -> bool:
    """True for child workflows and people, whose work no engine does."""
    return name == "person" or name.startswith(("machine:", "person."))


class Registration(Decorators, EngineParts):
    """The methods that register."""

    def add_machine(self, machine: Machine) -> None:
        """Instances of this machine can be started. TypeError if the types of a function of this
        engine do not fit the machine. `machine` may serve other engines too."""
        self._shapes.machine(Machine._of(machine, "machine"))
        with self._changing() as pointer, machine._sharing() as compiled:
            run(_ffi.lib.wfsm_engine_add_machine, pointer, compiled)
        self._invoked[machine.id] = machine.agents

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


_boundary.around(globals(), "Engine")
