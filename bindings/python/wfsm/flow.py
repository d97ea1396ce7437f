"""Workflows as Python: states are classes or functions, conditions are expressions.

    @dataclass
    class Essay:
        topic: str = ""
        text: str = ""

    essay = Flow("essay", Essay)

    @essay.state
    class writing:
        work = essay.agent("writer", output=str).done("printed", do=lambda c, text: {"text": text})

    @essay.state
    class printed(Final):
        pass

A flow is compiled and not run: it becomes the same document that could be written by hand. Everything is
described in doc/python-flow.md.
"""
from __future__ import annotations

import json
from typing import Any, Callable, Dict, Generic, List, Mapping, Optional, Sequence, Type, TypeVar, Union, cast, overload

from . import _boundary, _flow_body as body
from . import _flow_kinds as kinds
from . import _text, _values, types
from ._documents import typed
from ._flow_rules import in_state
from ._flow_source import FlowError, trimmed
from ._flow_states import (
    Action1, Actions1, Actions2, Decision, Effect, Failure, Final, Parallel, Transition, When1, When2, Work, add_member,
    added, compiled_actions, compiled_state, tidied, transition)
from ._typed import _NOTHING, read
from .engine import Engine
from .machine import Machine

C = TypeVar("C")
D = TypeVar("D")
S = TypeVar("S", bound=Any)

_CLAIMS = {"never": "never", "always": "always", "reachable": "reachable", "precedes": "precedes",
           "leads_to": "leadsTo", "at_most": "atMost", "at_least": "atLeast", "exactly": "exactly",
           "until": "until", "absent": "absent"}


class Flow(Generic[C]):
    """A workflow whose context is of the type `context`: a dataclass, a TypedDict or a pydantic
    model. `values` is an object of it with the initial values; otherwise they are the type's
    defaults. The first state is the initial one, unless `initial` names another. `more` has further
    keys of the document's root. `id` is that of the machine; `version` and `description` are those
    of the document."""

    def __init__(self, id: str, context: Type[C], *, values: Optional[C] = None, initial: Optional[str] = None,
                 version: Optional[str] = None, description: Optional[str] = None,
                 more: Optional[Mapping[str, Any]] = None):
        self.id: str = id
        self._context: Any = context
        self._values, self._more = values, dict(more or {})
        self._kinds = kinds.of(context)
        if {one.name for one in self._kinds} != {"object"}:
            raise FlowError(f"the context of a flow is a dataclass, a TypedDict or a pydantic model, not "
                            f"{kinds.show(self._kinds)}")
        self._head = {"version": version, "description": description, "initial": initial}
        self._states: Dict[str, Any] = {}
        self._members: List[Any] = []
        self._claims: Dict[str, Any] = {}
        self._events: Dict[str, Any] = {}
        self._agents: Dict[str, Callable[..., Any]] = {}

    # What states are made of.

    @trimmed
    def state(self, state: S) -> S:
        """Decorator: a class, or a function that returns the name of the next state. `state` is
        this class or function."""
        if state.__name__ in self._states:
            raise FlowError(f"the flow {self.id!r} has two states {state.__name__!r}")
        self._states[state.__name__] = compiled_state(state, (self._kinds,))
        return state

    def root(self, *members: Union[Transition, "Work[C, Any]"]) -> None:
        """Transitions and agents of the whole flow, whatever state is active. Their targets are the
        names of states. `members` are these."""
        self._members.extend(members)

    @overload
    def on(self, event: str, *, to: Optional[str] = ..., when: When2[C, Any] = ...,
           do: Actions2[C, Any] = ..., reenter: bool = ...) -> Transition: ...

    @overload
    def on(self, event: str, data: Type[D], *, to: Optional[str] = ...,
           when: When2[C, D] = ..., do: Actions2[C, D] = ..., reenter: bool = ...) -> Transition: ...

    @trimmed
    def on(self, event: str, data: Any = None, *, to: Optional[str] = None, when: Any = None,
           do: Any = (), reenter: bool = False) -> Transition:
        """On an event whose data is of the type `data`: if `when` holds, `do` and go `to` a state.
        `when` and `do` are functions of the context and the data, or name a guard or an action of
        the host, or are dicts as in the document. Without `to` no state is left. With `reenter` a
        state that is active already is left and entered again. `event` is the name of the event."""
        if data is not None and self._events.setdefault(event, data) != data:
            raise FlowError(f"the data of the event {event!r} has two types")
        given = (self._kinds, kinds.of(Any if data is None else data))
        return Transition("on", event, transition(to, when, do, given, reenter))

    @trimmed
    def after(self, milliseconds: int, *, to: Optional[str] = None,
              when: When1[C] = None, do: Actions1[C] = (), reenter: bool = False) -> Transition:
        """When the state has been active for so long. The timer is durable. `milliseconds` count
        from when the state is entered. `to`, `when`, `do` and `reenter` are those of ``on``."""
        return Transition("after", str(milliseconds), transition(to, when, do, (self._kinds,), reenter))

    @trimmed
    def always(self, *, to: Optional[str] = None, when: When1[C] = None,
               do: Actions1[C] = ()) -> Transition:
        """As soon as `when` holds, without an event. `to` and `do` are those of ``on``."""
        return Transition("always", "", transition(to, when, do, (self._kinds,)))

    @trimmed
    def finished(self, *, to: Optional[str] = None, when: When1[C] = None,
                 do: Actions1[C] = ()) -> Transition:
        """When the states within this one are done. `to`, `when` and `do` are those of ``on``."""
        return Transition("onDone", "", transition(to, when, do, (self._kinds,)))

    @overload
    def agent(self, agent: str, *, input: Optional[Callable[[C], object]] = ...,
              retry: Sequence[Mapping[str, Any]] = ..., timeout_ms: int = ...,
              heartbeat_ms: int = ..., more: Optional[Mapping[str, Any]] = ...) -> "Work[C, Any]": ...

    @overload
    def agent(self, agent: str, *, output: Type[D], input: Optional[Callable[[C], object]] = ...,
              retry: Sequence[Mapping[str, Any]] = ..., timeout_ms: int = ...,
              heartbeat_ms: int = ..., more: Optional[Mapping[str, Any]] = ...) -> "Work[C, D]": ...

    @overload
    def agent(self, agent: Callable[..., D], *, input: Optional[Callable[[C], object]] = ...,
              retry: Sequence[Mapping[str, Any]] = ..., timeout_ms: int = ...,
              heartbeat_ms: int = ..., more: Optional[Mapping[str, Any]] = ...) -> "Work[C, D]": ...

    @trimmed
    def agent(self, agent: Any, *, output: Any = None, input: Optional[Callable[[C], object]] = None,
              retry: Sequence[Mapping[str, Any]] = (), timeout_ms: int = 0, heartbeat_ms: int = 0,
              more: Optional[Mapping[str, Any]] = None) -> Any:
        """An agent, at work while the state is active: its name, or its function, whose annotation
        says what it returns. `input` is a function of the context. ``done`` and ``failed`` of the
        answer say what follows. `retry` has retry rules, as the document has them, and `more`
        further keys of the invocation. `agent` is the name or the function. `output` is the type of
        what it returns, if it is given by name. `timeout_ms` limits each attempt, and after
        `heartbeat_ms` without a heartbeat it counts as failed (0: no limit)."""
        document: Dict[str, Any] = {"src": agent}
        if not isinstance(agent, str):
            document["src"], output = self._function(agent), _result_of(agent)
        elif output is not None:
            document["output"] = types.schema(output)
        if input is not None:
            document["input"] = body.value_of(input, (self._kinds,))
        limits = {"retry": [dict(one) for one in retry], "timeoutMs": timeout_ms, "heartbeatMs": heartbeat_ms}
        document.update({key: value for key, value in limits.items() if value})
        document = added(document, more or {}, f"agent {document['src']!r}")
        return Work(document, self._kinds, Any if output is None else output)

    def _function(self, agent: Callable[..., Any]) -> str:
        name = agent.__name__
        if self._agents.setdefault(name, agent) is not agent:
            raise FlowError(f"the flow {self.id!r} has two agents {name!r}")
        return name

    @trimmed
    def person(self, name: str = "person", *, input: Optional[Callable[[C], object]] = None) -> "Work[C, Decision]":
        """A question to people, who answer by approvals (doc/approvals.md). `input` says what is to
        be approved; `people`, `quorum` and `rejections` in it have a meaning. `name` is "person",
        or begins with "person."."""
        if name != "person" and not name.startswith("person."):
            raise FlowError(f'the name of a person is "person", or begins with "person.", not {name!r}')
        document: Dict[str, Any] = {"src": name}
        if input is not None:
            document["input"] = body.value_of(input, (self._kinds,))
        return Work(document, self._kinds, Decision)

    def emit(self, event: str, data: Optional[Callable[..., object]] = None) -> Effect:
        """An action: an effect, delivered after the commit. `data` is a function with the same
        parameters as others have in this place. `event` is its name."""
        return Effect(event, data)

    @trimmed
    def actions(self, *actions: Action1[C]) -> List[Any]:
        """For `entry` and `exit` of a state. `actions` are functions of the context, and the like,
        as for `do` of ``on``."""
        return compiled_actions(actions, (self._kinds,))

    @trimmed
    def value(self, function: Callable[[C], object]) -> Any:
        """For `output` of a final state. `function` is a function of the context."""
        return body.value_of(function, (self._kinds,))

    @trimmed
    def claim(self, name: str, **claim: Any) -> None:
        """A property of all runs, that ``verify`` proves: ``never=lambda c: …``, ``always``,
        ``reachable``; or ``precedes={"of": lambda c: …, "needs": …}``, ``leads_to``, ``at_most``,
        ``at_least``, ``exactly``, ``until`` and ``absent`` (doc/properties.md).
        ``in_state("done")`` asks for a state. `name` is the property's name, and `claim` the one
        keyword."""
        if len(claim) != 1 or not claim.keys() <= _CLAIMS.keys():
            raise FlowError(f"the property {name!r} has one of {', '.join(_CLAIMS)}")
        [(kind, given)] = claim.items()
        self._claims[name] = {_CLAIMS[kind]: self._claimed(given)}

    def _claimed(self, given: Any) -> Any:
        if isinstance(given, dict):
            return {key: self._claimed(value) for key, value in given.items()}
        return body.guard_of(given, (self._kinds,)) if callable(given) else given

    # The document and its agents.

    @property
    def agents(self) -> Dict[str, Callable[..., Any]]:
        """The agents that were given as functions, by name."""
        return dict(self._agents)

    def document(self) -> Dict[str, Any]:
        """The document, with the schemas of the types in it."""
        made: Dict[str, Any] = {"id": self.id}
        if self._values is not None:
            made["context"] = _values.mapping(cast(Any, self._values))
        made.update({key: value for key, value in self._head.items() if value is not None})
        if self._states:
            made.setdefault("initial", next(iter(self._states)))
        for member in self._members:
            add_member(made, self.id, "", member, (self._kinds,))
        made = tidied({**made, "states": self._states})
        if self._claims:
            made["properties"] = self._claims
        made = added(made, self._more, f"flow {self.id!r}")
        agents = {name: agent for name, agent in self._agents.items() if _result_of(agent) is not Any}
        return dict(json.loads(typed(_text.encode(made), self._context, self._events, agents)))

    def machine(self) -> Machine:
        """The machine. Raises BadDocument, for example for a state that is not there."""
        return Machine.load(self.document())

    def add_to(self, engine: Engine) -> None:
        """Adds the machine, and the agents that are functions, to an engine. `engine` is that
        engine."""
        engine.add_machine(self.machine())
        for name, agent in self._agents.items():
            engine.agent(name)(agent)

    def __repr__(self) -> str:
        return f"<Flow {self.id!r}>"


def _result_of(agent: Callable[..., Any]) -> Any:
    signature = read(agent, "agent", agent.__name__)
    return Any if signature is None or signature.output is _NOTHING else signature.output


__all__ = ["Decision", "Effect", "Failure", "Final", "Flow", "FlowError", "Parallel", "Transition", "Work", "in_state"]


_boundary.around(globals())
