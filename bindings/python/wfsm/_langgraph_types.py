"""What a compiled graph answers: the shapes that LangGraph's users know."""
from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple, Type

START, END = "__start__", "__end__"
INTERRUPT = "__interrupt__"
ROOT = "__root__"
PARENT = "__parent__"

Config = Dict[str, Any]


@dataclass(frozen=True)
class Interrupt:
    """A question of a node that called ``interrupt(value)``: its `value`, and the `id` by which a Command may
    answer it."""

    value: Any
    id: str


class PregelTask(NamedTuple):
    """A node that is to run in the next step, or has failed in it, or asks something. `id` is that of the task, `name`
    that of the node, and `path` says how the task has come about. `error` is what it failed with, and `interrupts` are
    its questions. `state` and `result` are None."""

    id: str
    name: str
    path: Tuple[Any, ...]
    error: Optional[str] = None
    interrupts: Tuple[Interrupt, ...] = ()
    state: Any = None
    result: Any = None


class StateSnapshot(NamedTuple):
    """The state of a thread at a checkpoint. `values` is the state, `next` has the names of the nodes that run next,
    `tasks` are these, and `interrupts` their questions. `config` names the checkpoint, and `parent_config` the one
    before. `metadata` has its step and its source, and `created_at` is its time in ISO 8601."""

    values: Any
    next: Tuple[str, ...]
    config: Config
    metadata: Optional[Dict[str, Any]]
    created_at: Optional[str]
    parent_config: Optional[Config]
    tasks: Tuple[PregelTask, ...]
    interrupts: Tuple[Interrupt, ...]


class GraphInterrupt(Exception):
    """Raised by a graph that is a node of another one, as LangGraph's, which has this name."""


@dataclass(frozen=True)
class Send:
    """As LangGraph's."""

    node: str
    arg: Any


@dataclass(frozen=True)
class Command:
    """As LangGraph's: what a graph asks of the one that it is a node of."""

    writes: Sequence[Tuple[str, Any]]
    goto: Sequence[Any]
    graph: None = None

    def _update_as_tuples(self) -> Sequence[Tuple[str, Any]]:
        return self.writes


class _InvalidUpdateError(Exception):
    pass


class _GraphRecursionError(RecursionError):
    pass


class _EmptyInputError(Exception):
    pass


_OURS: Dict[str, Type[Exception]] = {
    "InvalidUpdateError": _InvalidUpdateError, "GraphRecursionError": _GraphRecursionError,
    "EmptyInputError": _EmptyInputError}


def error(name: str) -> Type[Exception]:
    """LangGraph's exception of this name, which a program catches; or one of ours, if the program
    has not imported LangGraph."""
    theirs = getattr(sys.modules.get("langgraph.errors"), name, None)
    return theirs if isinstance(theirs, type) else _OURS[name]


def is_a(value: Any, name: str) -> bool:
    """True for an object of LangGraph's class of this name. The package itself is not imported."""
    return any(kind.__name__ == name for kind in type(value).__mro__)
