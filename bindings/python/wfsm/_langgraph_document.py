"""The machine document of a graph.

Each node is a state, whose agents are the node's tasks of one superstep. When all of them have ended,
the action "merge" applies their writes and names in `__due__` what comes next. Tasks of several nodes
run in the state `__parallel__`.
"""
from __future__ import annotations

from typing import Any, Dict, Iterable, List

from ._langgraph_plan import Plan
from ._langgraph_types import END, START

PARALLEL, NEXT = "__parallel__", "__next__"
IDLE, RUNNING, INTERRUPTED, FAILED = "idle", "running", "interrupted", "failed"
_TASKS = {"filter": [{"var": "context.__tasks__"}, {"===": [{"var": "answer"}, None]}]}
_CONTEXT: Dict[str, Any] = {
    "__due__": None, "__tasks__": [], "__joins__": {}, "__waiting__": [], "__last__": [],
    "__checkpoint__": None, "__run__": {}, "__error__": None, "__parent__": None}


def agent(name: str) -> str:
    """Not the bare name: "person" and "machine:…" have a meaning of their own."""
    return f"node:{name}"


def keys(plan: Plan) -> Dict[str, str]:
    """The state of each node. The key of a state has no dot, and does not begin with #."""
    found: Dict[str, str] = {}
    for name in plan.nodes:
        key = name.replace(".", "_").replace("#", "_") or "_"
        while key in found.values():
            key += "_"
        found[name] = key
    return found


def _goes(due: str, target: str) -> Dict[str, Any]:
    return {"guard": {"===": [{"var": "context.__due__"}, due]}, "target": target}


def _to(key: str) -> str:
    return f"#{RUNNING}.{key}"


def _retry(plan: Plan, names: Iterable[str]) -> List[Dict[str, Any]]:
    """How many attempts there may be at most. The agent itself says when, and whether."""
    most = max((policy.max_attempts for name in names for policy in plan.nodes[name].retry), default=1)
    return [{"errors": ["other"], "maxAttempts": most, "intervalMs": 1, "backoffRate": 1}]


def _working(plan: Plan, key: str, names: List[str], source: Dict[str, Any]) -> Dict[str, Any]:
    return {
        "entry": {"type": "assign", "params": {"__due__": None}},
        "invoke": {
            "id": key, **source, "items": _TASKS, "complete": "settled",
            "retry": _retry(plan, names),
            "onDone": {"target": "merged", "actions": "merge"},
            "onError": "#" + FAILED}}


def _state(plan: Plan, key: str, names: List[str], source: Dict[str, Any],
           then: List[Dict[str, Any]]) -> Dict[str, Any]:
    merged = {"always": then} if then else {}
    return {"initial": "working",
            "states": {"working": _working(plan, key, names, source), "merged": merged}}


def _node(plan: Plan, name: str, known: Dict[str, str]) -> Dict[str, Any]:
    ends = plan.successors(name)
    then = [_goes(END, "#" + IDLE) if end == END else _goes(end, _to(known[end]))
            for end in ends if end == END or end in known]
    if len(ends) > 1 and len(known) > 2:
        then.append(_goes(PARALLEL, _to(PARALLEL)))
    return _state(plan, known[name], [name], {"src": agent(name)}, then)


def _parallel(plan: Plan) -> Dict[str, Any]:
    names = [name for name in plan.nodes if name != START]
    source = {"src": {"cat": ["node:", {"var": "item.node"}]}, "srcs": [agent(name) for name in names]}
    return _state(plan, PARALLEL, names, source, [])


def _running(plan: Plan, known: Dict[str, str]) -> Dict[str, Any]:
    """`always` has what the graph does not show: interrupts, failures, and jumps by Command."""
    states: Dict[str, Any] = {NEXT: {}, **{key: _node(plan, name, known) for name, key in known.items()}}
    exits = [_goes(END, "#" + IDLE), _goes(INTERRUPTED, "#" + INTERRUPTED), _goes(FAILED, "#" + FAILED)]
    if len(known) > 2:
        states[PARALLEL] = _parallel(plan)
        exits.append(_goes(PARALLEL, _to(PARALLEL)))
    exits += [_goes(name, _to(key)) for name, key in known.items()]
    broken = {"target": "#" + FAILED, "actions": {"type": "assign", "params": {
        "__error__": "the superstep could not begin, or not end: the journal says why"}}}
    return {"initial": NEXT, "always": exits, "on": {"error.execution": broken}, "states": states}


def make(plan: Plan) -> Dict[str, Any]:
    known = keys(plan)
    ends = [name for name in known if name != START] + [START, END, PARALLEL, INTERRUPTED, FAILED, None]
    return {
        "wfsm": 1,
        "id": plan.name,
        "initial": IDLE,
        "context": _CONTEXT,
        "schemas": {"context": {"type": "object", "properties": {"__due__": {"enum": ends}}}},
        "migrate": [{}],  # a state is the same in the next document if its path is
        "on": {
            "input": {"target": f".{RUNNING}.{known[START]}", "actions": "input"},
            "resume": {"target": "." + RUNNING, "actions": "resume"},
            "update": {"target": "." + INTERRUPTED, "actions": "update"}},
        "states": {
            IDLE: {"tags": ["awaiting_input", "terminal"]},
            RUNNING: _running(plan, known),
            INTERRUPTED: {"tags": "awaiting_input", "always": [_goes(END, IDLE)]},
            FAILED: {"tags": ["awaiting_input", "error"]}}}
