"""One call of ``invoke`` or ``stream``: what it gets, and what it gives out meanwhile."""
from __future__ import annotations

from collections import Counter, deque
from typing import Any, Callable, Deque, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ._langgraph_codec import Codec
from ._langgraph_document import IDLE, INTERRUPTED
from ._langgraph_history import interrupts
from ._langgraph_plan import Plan
from ._langgraph_state import State
from ._langgraph_step import Steps, is_open
from ._langgraph_types import INTERRUPT, START, Config
from .store import Record, Store

MODES = ("values", "updates", "custom")
Chunk = Tuple[str, Any]


def modes(given: Union[str, Sequence[str]]) -> List[str]:
    found = [given] if isinstance(given, str) else list(given)
    unknown = [mode for mode in found if mode not in MODES]
    if unknown:
        raise ValueError(f"stream_mode is some of {', '.join(MODES)}, not {unknown[0]!r}: "
                         "doc/python-langgraph.md says what else is not there")
    return found


def thread_of(config: Mapping[str, Any]) -> str:
    thread = config.get("configurable", {}).get("thread_id")
    if thread is None or thread == "":
        raise ValueError("the config needs a thread_id: {\"configurable\": {\"thread_id\": …}}")
    return str(thread)


class Run:
    """`wanted` are stream modes. `raised` has the exceptions of nodes, by task."""

    def __init__(self, plan: Plan, codec: Codec, config: Config, wanted: List[str], context: Any):
        self.plan, self.codec, self.config, self.wanted = plan, codec, config, wanted
        self.runtime_context = context
        self.thread = thread_of(config)
        self.raised: Dict[str, BaseException] = {}
        self.custom: Deque[Any] = deque()
        self.seen = 0
        self.context: Dict[str, Any] = {}
        #: Of a graph that is a node: the task of the other graph, its attempt, and its stream writer.
        self.task: Optional[Mapping[str, Any]] = None
        self.attempt = 1
        self.write_to: Optional[Callable[[Any], None]] = None
        self._wrote = False

    def write(self, chunk: Any) -> None:
        """A node's stream writer. Any thread may call this."""
        if self.write_to is not None:
            self.write_to(chunk)
        elif "custom" in self.wanted:
            self.custom.append(chunk)

    def given(self) -> Iterator[Chunk]:
        """What nodes have given to their stream writers."""
        while self.custom:
            yield "custom", self.custom.popleft()

    def records(self, store: Store) -> List[Record]:
        """What has been committed since the last time."""
        return store.records(self.thread, self.seen + 1)

    def follow(self, records: Sequence[Record]) -> Iterator[Chunk]:
        for record in records:
            before, self.context = self.context, record.context(self.context)
            self.seen = record.revision
            for mode, chunk in self._chunks(record, before):
                if mode in self.wanted:
                    yield mode, chunk

    def _chunks(self, record: Record, before: Mapping[str, Any]) -> Iterator[Chunk]:
        """Values are made only for who wants them: writes that cannot be applied are refused at the end of
        the superstep, and not before its questions are answered."""
        given = record.data["input"]
        if given["kind"] == "result":
            yield from self._answered(given["output"])
        if given["kind"] == "event" and given["event"] == "resume":
            yield from self._values()
            yield from self._cached(before)
        if self.context["__checkpoint__"] != before.get("__checkpoint__") and self._wrote:
            self._wrote = False
            yield from self._values()
        if given["kind"] == "result" and self._is_stop(record):
            yield "updates", {INTERRUPT: ()}

    def _values(self) -> Iterator[Chunk]:
        if "values" in self.wanted:
            yield "values", self.values()

    def _is_stop(self, record: Record) -> bool:
        """At a node of interrupt_before or interrupt_after, which may be the last one."""
        if record.data.get("configuration") == [IDLE]:
            return not set(self.context["__last__"]).isdisjoint(self.context["__run__"]["after"])
        return record.data.get("configuration") == [INTERRUPTED] and not self.asked()

    def _cached(self, before: Mapping[str, Any]) -> Iterator[Chunk]:
        """Nodes of the superstep that have ended in an earlier run."""
        for task in before.get("__tasks__", ()):
            for mode, chunk in () if is_open(task) else self._answered(task["answer"]):
                yield mode, {**chunk, "__metadata__": {"cached": True}}

    def _answered(self, answer: Mapping[str, Any]) -> Iterator[Chunk]:
        if "interrupts" in answer:
            yield "updates", {INTERRUPT: interrupts(self.codec, answer)}
            return
        writes = [(key, value) for key, value in answer.get("writes", ()) if key in self.plan.output.keys]
        self._wrote = self._wrote or bool(writes)
        if answer["node"] != START:
            yield "updates", {answer["node"]: self._update(writes)}

    def _update(self, writes: Sequence[Tuple[str, Any]]) -> Any:
        """What the node has returned, as far as it is a dict; a list, if it wrote a key twice."""
        found = [(key, self.codec.decode(value)) for key, value in writes]
        if not found:
            return None
        if self.plan.output.is_root:
            return found[0][1] if len(found) == 1 else [value for _, value in found]
        if max(Counter(key for key, _ in found).values()) > 1:
            return [{key: value} for key, value in found]
        return dict(found)

    def values(self) -> Any:
        """The output. Of a superstep that is not complete, what its nodes have written counts."""
        state = State(self.plan, self.codec, self.context)
        state.apply(Steps(self.plan, self.codec).writes(
            task for task in self.context["__tasks__"] if "parent" not in (task.get("answer") or {})), False)
        return state.values(self.plan.output.keys)

    def is_waiting(self) -> bool:
        return any(map(is_open, self.context["__tasks__"]))

    def asked(self) -> List[Any]:
        return [one for task in self.context["__tasks__"] if is_open(task)
                for one in interrupts(self.codec, task)]

    def failed(self) -> Optional[BaseException]:
        """What a node of this process has raised in the present superstep."""
        return next((self.raised[task["id"]] for task in self.context["__tasks__"]
                     if task["id"] in self.raised), None)

    def result(self) -> Any:
        values = self.values()
        asked = self.asked()
        return {**values, INTERRUPT: asked} if asked and isinstance(values, dict) else values
