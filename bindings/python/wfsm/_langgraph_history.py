"""The checkpoints of a thread: the revisions of its journal at which a superstep has ended."""
from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from typing import Any, Dict, Iterator, List, Mapping, Optional

from ._langgraph_codec import Codec
from ._langgraph_plan import Plan
from ._langgraph_state import State
from ._langgraph_step import is_open
from ._langgraph_types import Config, Interrupt, PregelTask, StateSnapshot
from .errors import NotFound
from .instance import Instance
from .store import Store


@dataclass(frozen=True)
class Checkpoint:
    """`last` is the context after what came in the superstep that follows."""

    revision: int
    now: int
    parent: Optional[int]
    context: Dict[str, Any]
    last: Dict[str, Any]


def config_of(thread: str, revision: int) -> Config:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": "", "checkpoint_id": str(revision)}}


def revision_of(config: Mapping[str, Any]) -> Optional[int]:
    """That of a config with a `checkpoint_id`."""
    given = config.get("configurable", {}).get("checkpoint_id")
    if given is None:
        return None
    if not str(given).isdigit():
        raise ValueError(f"a checkpoint_id is the number of a revision, not {given!r}")
    return int(given)


def last_context(store: Store, thread: str) -> Dict[str, Any]:
    """The state as the journal ends."""
    found: Dict[str, Any] = {}
    for _, found in _contexts(store, thread):
        pass
    return found


def _contexts(store: Store, thread: str) -> Iterator[Any]:
    context: Optional[Dict[str, Any]] = None
    try:
        records = store.records(thread)
    except NotFound:
        records = []
    for record in records:
        if context is None:  # the first that is kept
            with Instance.load_at(store, thread, record.revision) as first:
                context = dict(first.context)
        else:
            context = record.context(context)
        yield record, context


class History:
    """The checkpoints of a thread, oldest first, and the one at which it is: the newest, until a run has
    gone back to another one."""

    def __init__(self, store: Store, thread: str):
        self.found: List[Checkpoint] = []
        self.current = -1
        before: Any = None
        for record, context in _contexts(store, thread):
            now = context["__checkpoint__"]
            if record.data["input"]["kind"] == "restore":
                self.current = self._at(record.data["input"]["revision"])
            elif now is not None and now != before:
                self._add(Checkpoint(record.revision, record.now, self._parent(), context, context))
            elif self.found:
                self.found[self.current] = replace(self.found[self.current], last=context)
            before = now

    def _add(self, one: Checkpoint) -> None:
        self.current = len(self.found)
        self.found.append(one)

    def _parent(self) -> Optional[int]:
        return self.found[self.current].revision if self.found else None

    def _at(self, revision: int) -> int:
        """The checkpoint that was the last one at a revision."""
        return max((place for place, one in enumerate(self.found) if one.revision <= revision), default=-1)

    def get(self, revision: Optional[int]) -> Optional[Checkpoint]:
        """That of a revision, or the one at which the thread is."""
        if revision is None:
            return self.found[self.current] if self.found else None
        return next((one for one in self.found if one.revision == revision), None)


def interrupts(codec: Codec, task: Mapping[str, Any]) -> Any:
    return tuple(Interrupt(codec.decode(one["value"]), one["id"]) for one in task.get("interrupts", ()))


def _task(codec: Codec, number: int, task: Mapping[str, Any]) -> PregelTask:
    path = ("__pregel_push", number, False) if task["kind"] == "push" else ("__pregel_pull", task["node"])
    result = None if is_open(task) else {
        key: codec.decode(value) for key, value in task["answer"].get("writes", ())}
    return PregelTask(task["id"], task["node"], path, task.get("error"), interrupts(codec, task), None, result)


def snapshot(plan: Plan, codec: Codec, thread: str, one: Checkpoint, is_latest: bool) -> StateSnapshot:
    """As LangGraph: the present one shows also what the tasks of its superstep have written."""
    state = State(plan, codec, one.context)
    tasks = one.last["__tasks__"]
    if is_latest and any(map(is_open, tasks)):
        done = [(key, codec.decode(value)) for task in tasks if not is_open(task)
                for key, value in task["answer"].get("writes", ())]
        state.apply(done, False)
    tasks = sorted(tasks, key=lambda task: bool(task["kind"] != "push"))  # as they are shown there
    pushes = [task["id"] for task in tasks if task["kind"] == "push"]
    shown = tuple(_task(codec, pushes.index(task["id"]) if task["id"] in pushes else 0, task)
                  for task in tasks)
    made = datetime.datetime.fromtimestamp(one.now / 1000, datetime.timezone.utc).isoformat()
    due = tuple(task["node"] for task in tasks if is_open(task) or not is_latest)
    return StateSnapshot(
        state.everything(), due,
        config_of(thread, one.revision), {**one.context["__checkpoint__"], "parents": {}}, made,
        None if one.parent is None else config_of(thread, one.parent), shown,
        tuple(each for task in shown for each in task.interrupts))


def nothing(plan: Plan, codec: Codec, config: Config) -> StateSnapshot:
    """Of a thread that does not exist."""
    return StateSnapshot(State(plan, codec, {}).everything(), (), config, None, None, None, (), ())
