"""What states are made of, and the classes that they are."""
from __future__ import annotations

import dataclasses
import inspect
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generic, List, Mapping, Optional, Sequence, TypeVar, Union

from . import _flow_body as body
from . import _flow_kinds as kinds
from ._flow_kinds import Kinds
from ._flow_source import FlowError, trimmed
from ._flow_values import literal

C = TypeVar("C")
D = TypeVar("D")


def added(made: Dict[str, Any], more: Mapping[str, Any], place: str) -> Dict[str, Any]:
    """With keys of the document that a flow has no words for."""
    both = made.keys() & more.keys()
    if both:
        raise FlowError(f"{place}: the flow has a key {min(both)!r} of its own")
    return {**made, **more}


class Final:
    """The base of a final state. `output` is its value, from ``Flow.value``."""


class Parallel:
    """The base of a state whose inner states are all active at once."""


@dataclass(frozen=True)
class Effect:
    """The action ``Flow.emit``. `event` is its name, and `data` the function of its data."""

    event: str
    data: Any = None

    def compiled(self, given: Sequence[Kinds]) -> Dict[str, Any]:
        """The action of the document. `given` are the types of the function's arguments."""
        params: Dict[str, Any] = {"event": self.event}
        if callable(self.data):
            params["data"] = body.value_of(self.data, given)
        elif self.data is not None:
            params["data"] = literal(self.data)
        return {"type": "emit", "params": params}


# A part of the document, as it is there.
Part = Mapping[str, Any]
Action2 = Union[str, Effect, Part, Callable[[C, D], object]]
Action1 = Union[str, Effect, Part, Callable[[C], object]]
# Written out, because mypy finds the type of a lambda only so.
Actions2 = Union[str, Effect, Part, Callable[[C, D], object], Sequence[Action2[C, D]]]
Actions1 = Union[str, Effect, Part, Callable[[C], object], Sequence[Action1[C]]]
When2 = Union[str, Part, None, Callable[[C, D], object]]
When1 = Union[str, Part, None, Callable[[C], object]]


def compiled_actions(do: Any, given: Sequence[Kinds]) -> List[Any]:
    """Functions become assignments; a text is a function of the host, and a dict an action of the document."""
    found: List[Any] = []
    for one in do if isinstance(do, (list, tuple)) else [do]:
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, Mapping):
            found.append(dict(one))
        elif isinstance(one, Effect):
            found.append(one.compiled(given))
        else:
            found.extend(body.actions_of(one, given))
    return found


def transition(to: Optional[str], when: Any, do: Any, given: Sequence[Kinds], reenter: bool = False) -> Dict[str, Any]:
    """As the document has it."""
    guard = body.guard_of(when, given) if callable(when) else when
    made = {"target": to, "guard": guard, "actions": compiled_actions(do, given), "reenter": reenter or None}
    return {key: value for key, value in made.items() if value is not None and value != []}


@dataclass(frozen=True)
class Transition:
    """What ``Flow.on``, ``after``, ``always`` and ``finished`` return. `key` is where the document has it."""

    key: str
    name: str
    document: Dict[str, Any]


@dataclass(frozen=True)
class Work(Generic[C, D]):
    """What ``Flow.agent`` and ``Flow.person`` return: an invocation."""

    document: Dict[str, Any]
    context: Kinds = field(repr=False)
    output: Any = field(repr=False)

    @trimmed
    def done(self, to: Optional[str] = None, *, when: "When2[C, D]" = None,
             do: "Actions2[C, D]" = (), reenter: bool = False) -> "Work[C, D]":
        """Transitions for the output, which is the second argument of `when` and `do`. The first
        one of several whose `when` holds is taken. `to`, `when`, `do` and `reenter` are those of
        ``Flow.on``."""
        return self._with("onDone", transition(to, when, do, (self.context, kinds.of(self.output)), reenter))

    @trimmed
    def failed(self, to: Optional[str] = None, *,
               when: "When2[C, Failure]" = None,
               do: "Actions2[C, Failure]" = (), reenter: bool = False) -> "Work[C, D]":
        """A transition for the failure that is left after the retries. `to`, `when`, `do` and
        `reenter` are those of ``Flow.on``."""
        return self._with("onError", transition(to, when, do, (self.context, kinds.of(Failure)), reenter))

    def _with(self, key: str, made: Dict[str, Any]) -> "Work[C, D]":
        return dataclasses.replace(self, document={**self.document, key: [*self.document.get(key, []), made]})


@dataclass
class Failure:
    """The second argument of ``Work.failed``. `message` says why the last of the `attempts`
    failed."""

    message: str
    attempts: int


@dataclass
class Vote:
    """One of ``Decision.votes``. `by` voted `decision`, "approve" or "reject", at the time `at`,
    for the `reason`."""

    by: str
    decision: str
    at: int
    reason: Optional[str]


@dataclass
class Decision:
    """What people have decided: the output of ``Flow.person``. `approved` is the result: false, too, if
    all of `people` have voted without reaching a number. `reason` is that of the last vote, `digest`
    that of what was asked, and `votes` are all that count."""

    approved: bool
    reason: Optional[str]
    digest: str
    votes: List[Vote]


_VALUES = {"tags": "tags", "entry": "entry", "exit": "exit", "output": "output", "initial": "initial"}


def compiled_state(state: Any, given: Sequence[Kinds]) -> Dict[str, Any]:
    """A class, or a function."""
    made: Dict[str, Any] = {}
    text = inspect.cleandoc(state.__doc__) if state.__doc__ else ""
    if text:
        made["description"] = text
    if not inspect.isclass(state):
        return {**made, **body.state_of(state, given)}
    if issubclass(state, Final):
        made["type"] = "final"
    if issubclass(state, Parallel):
        made["type"] = "parallel"
    for name, value in vars(state).items():
        if not (name.startswith("__") and name.endswith("__")):
            add_member(made, f"{state.__qualname__}.{name}", name, value, given)
    return made


def tidied(state: Dict[str, Any]) -> Dict[str, Any]:
    """As people write it: no list of one, and a target alone where there is nothing else."""
    made = dict(state)
    for key in ("on", "after"):
        if key in made:
            made[key] = {name: _tidied_list(found) for name, found in made[key].items()}
    for key in ("always", "onDone", "onError"):
        if key in made:
            made[key] = _tidied_list(made[key])
    for key in ("entry", "exit"):
        if isinstance(made.get(key), list) and len(made[key]) == 1:
            [made[key]] = made[key]
    if "invoke" in made:
        works = [tidied(one) for one in made["invoke"]]
        made["invoke"] = works[0] if len(works) == 1 else works
    if "states" in made:
        made["states"] = {name: tidied(child) for name, child in made["states"].items()}
    return made


def _tidied_list(found: List[Dict[str, Any]]) -> Any:
    made = [_tidied_transition(one) for one in found]
    return made[0] if len(made) == 1 else made


def _tidied_transition(one: Dict[str, Any]) -> Any:
    if one.keys() == {"target"}:
        return one["target"]
    actions = one.get("actions", [])
    return {**one, "actions": actions[0]} if len(actions) == 1 else one


def add_member(made: Dict[str, Any], place: str, name: str, value: Any, given: Sequence[Kinds]) -> None:
    """One member of the class of a state."""
    value = value.__func__ if isinstance(value, staticmethod) else value
    if name in _VALUES:
        made[_VALUES[name]] = value
    elif isinstance(value, Transition):
        _add_transition(made, value)
    elif isinstance(value, Work):
        made.setdefault("invoke", []).append(value.document)
    elif inspect.isclass(value) or inspect.isfunction(value):
        made.setdefault("states", {})[name] = compiled_state(value, given)
    else:
        raise FlowError(f"{place}: a state has transitions, agents, states, and {', '.join(_VALUES)}; "
                        f"this is {type(value).__name__}")


def _add_transition(made: Dict[str, Any], value: Transition) -> None:
    if value.name:
        made.setdefault(value.key, {}).setdefault(value.name, []).append(value.document)
    else:
        made.setdefault(value.key, []).append(value.document)


