"""StateGraph, with the attributes that the documentation of its classes names."""
import inspect
import typing
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

from langchain_core.runnables import Runnable, coerce_to_runnable
import langgraph.checkpoint.base  # as the package itself  # noqa: F401
from langgraph.channels import BaseChannel, BinaryOperatorAggregate, LastValue

START, END = "__start__", "__end__"


@dataclass
class StateNodeSpec:
    runnable: Any
    metadata: Optional[dict]
    input_schema: Any
    retry_policy: Any
    cache_policy: Any
    ends: Any = ()
    defer: bool = False


class BranchSpec(NamedTuple):
    path: Any
    ends: Optional[dict]
    input_schema: Any = None


def channel_of(key, annotation):
    bare = annotation
    while typing.get_origin(bare) is not None and hasattr(bare, "__metadata__"):
        last = bare.__metadata__[-1]
        bare = bare.__origin__
        if isinstance(last, BaseChannel):
            return last
        if inspect.isclass(last) and issubclass(last, BaseChannel):
            return last(bare, key)
        if callable(last):
            kind = typing.get_origin(bare) or bare
            return BinaryOperatorAggregate(kind, last, key)
    return LastValue(annotation, key)


def hint(function, name):
    """The annotation of a parameter or the answer, if it can be read."""
    try:
        return typing.get_type_hints(function).get(name)
    except (TypeError, NameError):
        return None


def schema_of(function):
    """The state that the first parameter asks for."""
    if not inspect.isroutine(function):
        return None
    first = next(iter(inspect.signature(function).parameters), None)
    found = hint(function, first)
    return found if inspect.isclass(found) and hasattr(found, "__annotations__") else None


class StateGraph:
    def __init__(self, state_schema, context_schema=None, *, input_schema=None, output_schema=None):
        self.nodes, self.edges, self.branches = {}, set(), defaultdict(dict)
        self.channels, self.managed, self.schemas = {}, {}, {}
        self.waiting_edges = set()
        self.compiled = False
        self.state_schema, self.context_schema = state_schema, context_schema
        self.input_schema = input_schema or state_schema
        self.output_schema = output_schema or state_schema
        for schema in (self.state_schema, self.input_schema, self.output_schema):
            self._add_schema(schema)

    def _add_schema(self, schema):
        if not hasattr(schema, "__annotations__"):
            hints = {"__root__": schema}
        else:
            hints = typing.get_type_hints(schema, include_extras=True)
        self.schemas[schema] = {key: channel_of(key, one) for key, one in hints.items()}
        for key, channel in self.schemas[schema].items():
            self.channels.setdefault(key, channel)

    def add_node(self, node, action=None, *, defer=False, metadata=None, input_schema=None,
                 retry_policy=None, cache_policy=None, destinations=None):
        if not isinstance(node, str):
            node, action = getattr(node, "name", None) or node.__name__, node
        if node in self.nodes:
            raise ValueError(f"Node `{node}` already present.")
        if node in (START, END):
            raise ValueError(f"Node `{node}` is reserved.")
        schema = input_schema or schema_of(action)
        if schema is not None:
            self._add_schema(schema)
        self.nodes[node] = StateNodeSpec(
            coerce_to_runnable(action, name=node), metadata, schema or self.state_schema, retry_policy,
            cache_policy, destinations or self._ends(action), defer)
        return self

    @staticmethod
    def _ends(action):
        answer = hint(action, "return") if inspect.isroutine(action) else None
        arguments = typing.get_args(answer)
        return typing.get_args(arguments[0]) if arguments else ()

    def add_edge(self, start_key, end_key):
        if isinstance(start_key, str):
            self.edges.add((start_key, end_key))
        else:
            self.waiting_edges.add((tuple(start_key), end_key))
        return self

    def add_conditional_edges(self, source, path, path_map=None):
        function, path = path, coerce_to_runnable(path, name=None)
        if isinstance(path_map, list):
            path_map = {name: name for name in path_map}
        answer = hint(function, "return") if inspect.isroutine(function) else None
        if path_map is None and typing.get_origin(answer) is typing.Literal:
            path_map = {name: name for name in typing.get_args(answer)}
        name = path.name or "condition"
        if name in self.branches[source]:
            raise ValueError(f"Branch with name `{name}` already exists for node `{source}`")
        schema = schema_of(function)
        if schema is not None:
            self._add_schema(schema)
        self.branches[source][name] = BranchSpec(path, path_map, schema)
        return self

    def set_entry_point(self, key):
        return self.add_edge(START, key)

    def set_finish_point(self, key):
        return self.add_edge(key, END)

    def add_sequence(self, nodes):
        before = None
        for one in nodes:
            name, action = one if isinstance(one, tuple) else (one.__name__, one)
            self.add_node(name, action)
            if before is not None:
                self.add_edge(before, name)
            before = name
        return self

    def validate(self, interrupt=None):
        ends = {end for _, end in self.edges} | {end for _, end in self.waiting_edges}
        sources = {start for start, _ in self.edges} | set(self.branches)
        if START not in sources:
            raise ValueError("Graph must have an entrypoint: add at least one edge from START to "
                             "another node")
        for branches in self.branches.values():
            ends |= {end for branch in branches.values() for end in (branch.ends or {}).values()}
        for name in (ends | sources) - {START, END} - set(self.nodes):
            raise ValueError(f"Found edge at unknown node `{name}`")
        for name in interrupt or ():
            if name not in self.nodes:
                raise ValueError(f"Interrupt node `{name}` not found")
        self.compiled = True
        return self

    def compile(self, checkpointer=None, *, store=None, interrupt_before=None, interrupt_after=None,
                name=None):
        self.validate()
        return CompiledStateGraph(self, checkpointer, store, interrupt_before or [],
                                  interrupt_after or [], name or "LangGraph")


class CompiledStateGraph(Runnable):
    """What compile() returns. This one does not run."""

    def __init__(self, builder, checkpointer, store, interrupt_before, interrupt_after, name):
        self.builder, self.checkpointer, self.store, self.name = builder, checkpointer, store, name
        self.interrupt_before_nodes, self.interrupt_after_nodes = interrupt_before, interrupt_after
