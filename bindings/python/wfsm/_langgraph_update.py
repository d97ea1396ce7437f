"""``update_state``: by hand, without an engine, so that nothing begins to run."""
from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional

from ._langgraph_history import config_of, revision_of
from ._langgraph_run import thread_of
from ._langgraph_state import State
from ._langgraph_task import Answer, Calls, Scratchpad, after
from ._langgraph_types import END, START, Config, error
from .enums import Status
from .errors import Busy
from .functions import Functions
from .instance import Instance

if TYPE_CHECKING:
    from ._langgraph_threads import Threads


@contextmanager
def _by_hand(threads: "Threads", thread: str) -> Iterator[Instance]:
    if thread in threads._nodes.runs:
        raise Busy(Status.BUSY, f"the thread {thread!r} is running")
    functions = Functions()
    threads._add_actions(functions)
    is_old = threads._is_old(thread)
    if is_old is None:
        instance = Instance.start(threads.machine, threads._store, thread, functions=functions)
    else:
        threads._take(thread)
        instance = Instance.load(threads._store, thread, functions=functions)
    with functions, instance:
        if is_old:
            instance.migrate(threads.machine)
        yield instance


def _as_node(threads: "Threads", context: Mapping[str, Any], given: Optional[str], values: Any) -> str:
    last = context["__last__"]
    if given is None:
        if context["__checkpoint__"] is None:
            return START
        if len(last) != 1:
            raise error("InvalidUpdateError")("Ambiguous update, specify as_node")
        return str(last[0])
    if given not in threads._plan.nodes and not (given == END and values is None):
        raise error("InvalidUpdateError")(f"Node {given} does not exist")
    return given


def _written(threads: "Threads", node: str, context: Mapping[str, Any], values: Any) -> Calls:
    """As if the node had returned the values: its conditional edges are asked, too."""
    plan, codec = threads._plan, threads._codec
    if node == END:
        return Answer(plan, codec, ()).json()
    step = threads._steps.step(context)
    keys = plan.input.keys if node == START else tuple(plan.channels)
    state = State(plan, codec, context)
    return (yield from after(plan.nodes[node], values, state, Answer(plan, codec, keys),
                             Scratchpad(step, step + 2, [])))


def updating(threads: "Threads", config: Config, values: Any, as_node: Optional[str]) -> Calls:
    """Its answer is the config of the new checkpoint."""
    thread, revision = thread_of(config), revision_of(config)
    with _by_hand(threads, thread) as instance:
        context = dict(instance.context)
        if revision is not None:
            with Instance.load_at(threads._store, thread, revision) as then:
                context = dict(then.context)
        node = _as_node(threads, context, as_node, values)
        answer = yield from _written(threads, node, context, values)
        if revision is not None:
            instance.restore(revision=revision)
        outcome = instance.send("update", {"node": node, "answer": answer, "applies": revision is None})
        threads._took(thread, outcome, instance.error)
        return config_of(thread, instance.revision)
