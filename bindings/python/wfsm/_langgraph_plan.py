"""Reads LangGraph's builder, by the names of its public attributes. The package is not imported."""
from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ._langgraph_types import END, ROOT, START

_READ = ("nodes", "edges", "branches", "channels", "schemas", "waiting_edges")
_OWN = ("__next__", "__parallel__", START, END)


@dataclass(frozen=True)
class Schema:
    """What a node sees of the state."""

    keys: Tuple[str, ...]
    make: Optional[Callable[..., Any]]

    @property
    def is_root(self) -> bool:
        return self.keys == (ROOT,)


@dataclass(frozen=True)
class Branch:
    """A conditional edge. Without `ends`, what `path` returns are names of nodes."""

    path: Any
    ends: Optional[Mapping[Any, str]]
    schema: Schema
    passes: bool


@dataclass(frozen=True)
class Node:
    name: str
    runnable: Any
    schema: Schema
    metadata: Mapping[str, Any]
    retry: Tuple[Any, ...]
    ends: Tuple[str, ...]
    waits: bool
    branches: Tuple[Branch, ...]

    @property
    def subgraph(self) -> Any:
        """The compiled graph that this node is, or None."""
        return self.runnable if hasattr(self.runnable, "builder") else None

    @property
    def is_async(self) -> bool:
        return any(map(only_async, (self.runnable, *(one.path for one in self.branches))))


@dataclass(frozen=True)
class Join:
    """An edge from several nodes, which waits for all of them."""

    starts: Tuple[str, ...]
    end: str

    @property
    def key(self) -> str:
        return "+".join(self.starts) + ":" + self.end


@dataclass(frozen=True)
class Plan:
    name: str
    nodes: Mapping[str, Node]
    edges: Mapping[str, Tuple[str, ...]]
    joins: Tuple[Join, ...]
    channels: Mapping[str, Any]
    managed: Mapping[str, Any]
    input: Schema
    output: Schema
    before: Tuple[str, ...]
    after: Tuple[str, ...]

    def successors(self, name: str) -> List[str]:
        """The nodes that may follow, as far as the graph says; END among them."""
        node, found = self.nodes[name], list(self.edges.get(name, ()))
        found += [join.end for join in self.joins if name in join.starts]
        found += node.ends
        for branch in node.branches:
            found += branch.ends.values() if branch.ends is not None else [*sorted(self.nodes), END]
        known = [end for end in dict.fromkeys(found) if end != START]
        return known or [END]


def only_async(runnable: Any) -> bool:
    if inspect.iscoroutinefunction(runnable):
        return True
    return getattr(runnable, "func", None) is None and getattr(runnable, "afunc", None) is not None


def _is_dict(schema: Any) -> bool:
    return not inspect.isclass(schema) or issubclass(schema, dict)


def _schema(builder: Any, schema: Any) -> Schema:
    keys = tuple(builder.schemas[schema])
    return Schema(keys, None if _is_dict(schema) or keys == (ROOT,) else schema)


def _branches(builder: Any, name: str, own: Schema) -> Tuple[Branch, ...]:
    found = []
    for spec in builder.branches.get(name, {}).values():
        asked = getattr(spec, "input_schema", None)
        found.append(Branch(spec.path, spec.ends, own if asked is None else _schema(builder, asked),
                            asked is None))
    return tuple(found)


def _retry(policy: Any) -> Tuple[Any, ...]:
    if policy is None:
        return ()
    return (policy,) if hasattr(policy, "max_attempts") else tuple(policy)


def _node(builder: Any, name: str, spec: Any) -> Node:
    schema = _schema(builder, spec.input_schema)
    return Node(name, spec.runnable, schema, dict(spec.metadata or {}), _retry(spec.retry_policy),
                tuple(spec.ends or ()), bool(spec.defer), _branches(builder, name, schema))


def _start(builder: Any) -> Node:
    schema = _schema(builder, builder.state_schema)
    return Node(START, None, schema, {}, (), (), False, _branches(builder, START, schema))


def _names(given: Any, nodes: Mapping[str, Any], what: str) -> Tuple[str, ...]:
    if given == "*":
        return tuple(nodes)
    unknown = [name for name in given or () if name not in nodes]
    if unknown:
        raise ValueError(f"{what}: there is no node {unknown[0]!r}")
    return tuple(given or ())


def _is_functional(graph: Any) -> bool:
    """What ``@entrypoint`` and ``@task`` make: a Pregel without a builder, and a function."""
    kinds = {kind.__name__ for kind in type(graph).__mro__}
    return bool(kinds & {"Pregel", "_TaskFunction"}) and not hasattr(graph, "edges")


def _check(builder: Any) -> None:
    if _is_functional(builder):
        raise TypeError("compile() takes a StateGraph. The functional API (@entrypoint, @task) is not supported: such a "
                        "function has no nodes to continue at. Make its tasks nodes of a StateGraph, or let LangGraph "
                        "run it: @entrypoint(checkpointer=wfsm.langgraph.Saver(store))")
    missing = [name for name in _READ if not hasattr(builder, name)]
    if missing:
        raise TypeError(f"compile() takes a StateGraph, not {type(builder).__name__}, which has no "
                        f"{missing[0]!r}")
    reserved = [name for name in builder.nodes if name in _OWN]
    reserved += [key for key in builder.channels if key.startswith("__") and key != ROOT]
    if reserved:
        raise ValueError(f"the name {reserved[0]!r} is used by wfsm itself")


def read(graph: Any, name: Optional[str], before: Any, after: Any) -> Plan:
    """`graph` is a StateGraph, or what its ``compile`` returned."""
    builder = getattr(graph, "builder", graph)
    _check(builder)
    builder.validate()
    nodes = {key: _node(builder, key, spec) for key, spec in builder.nodes.items()}
    edges: Dict[str, List[str]] = {}
    for start, end in sorted(builder.edges):
        edges.setdefault(start, []).append(end)
    joins = (Join(tuple(starts), end) for starts, end in sorted(builder.waiting_edges))
    before = before or getattr(graph, "interrupt_before_nodes", None)
    after = after or getattr(graph, "interrupt_after_nodes", None)
    return Plan(
        name or getattr(graph, "name", None) or "LangGraph", {START: _start(builder), **nodes},
        {start: tuple(ends) for start, ends in edges.items()}, tuple(joins),
        dict(builder.channels), dict(getattr(builder, "managed", {})),
        _schema(builder, builder.input_schema), _schema(builder, builder.output_schema),
        _names(before, nodes, "interrupt_before"), _names(after, nodes, "interrupt_after"))


def chosen(plan: Plan, given: Optional[Sequence[str]], what: str, default: Tuple[str, ...]) -> List[str]:
    """The nodes of an argument of ``invoke``, or those of ``compile``."""
    if given is None:
        return list(default)
    nodes = {name: node for name, node in plan.nodes.items() if name != START}
    return list(_names(given, nodes, what))
