"""Graphs of LangGraph as durable workflows.

    from langgraph.graph import START, StateGraph
    import wfsm.langgraph

    builder = StateGraph(State)
    …
    graph = wfsm.langgraph.compile(builder, store=wfsm.sqlite("threads.db"))
    graph.invoke({"question": "…"}, {"configurable": {"thread_id": "1"}})

LangGraph is not imported, and not needed by this module: it reads the attributes of the builder.
doc/python-langgraph.md has what is the same and what is not.
"""
from __future__ import annotations

from contextlib import closing
from functools import partial
from typing import Any, AsyncIterator, Iterator, Optional, Sequence, Union

from . import _boundary
from ._langgraph_codec import Codec
from ._langgraph_history import History, nothing, revision_of, snapshot
from ._langgraph_plan import read
from ._langgraph_run import thread_of
from ._langgraph_saver import CheckpointTuple, Saver
from ._langgraph_task import arun, run
from ._langgraph_threads import LIMIT, Threads
from ._langgraph_types import Config, Interrupt, PregelTask, StateSnapshot
from ._langgraph_update import updating
from ._turn import to_its_end
from .store import Store, memory


class CompiledGraph(Threads):
    """A graph that runs on a store, from ``compile``. The names of its methods are LangGraph's.

    What parameters mean in all methods: `config` names the thread, ``{"configurable": {"thread_id": "1"}}``; beside the
    id a `checkpoint_id` means an older state of it, and "recursion_limit" how many supersteps a call may take. `input`
    is what the state begins with, or continues with; None continues where the thread is, and a Command of LangGraph
    answers a question, or jumps. `interrupt_before` and `interrupt_after` are names of nodes at which the call stops, or
    "*"; None: those of ``compile``. `context` is what nodes get as ``runtime.context``. `limit` is how many states are
    given out at most. `values` is an update of the state, as a node would return it, and `as_node` the name of that
    node.
    """

    def stream(self, input: Any, config: Config, *, stream_mode: Union[str, Sequence[str]] = "updates",
               interrupt_before: Any = None, interrupt_after: Any = None,
               context: Any = None) -> Iterator[Any]:
        """Runs the thread of the config, and gives out what happens: "values" are the state after each
        superstep, "updates" what each node has returned, "custom" what nodes give to their stream
        writer. `stream_mode` is one of these words, or a list of them; then the chunks are pairs of mode and
        chunk. Who stops reading stops the run."""
        begun = self._run(config, stream_mode, context)
        many = not isinstance(stream_mode, str)
        played = self._play(begun, input, self._options(config, interrupt_before, interrupt_after))
        with closing(self._chunks(played)) as chunks:
            for found in chunks:
                yield found if many else found[1]

    async def astream(self, input: Any, config: Config, *,
                      stream_mode: Union[str, Sequence[str]] = "updates", interrupt_before: Any = None,
                      interrupt_after: Any = None, context: Any = None) -> AsyncIterator[Any]:
        """As ``stream``, in the running event loop. `stream_mode` is that of ``stream``."""
        begun = self._run(config, stream_mode, context)
        many = not isinstance(stream_mode, str)
        played = self._play(begun, input, self._options(config, interrupt_before, interrupt_after))
        chunks = self._achunks(played)
        try:
            async for found in chunks:
                yield found if many else found[1]
        finally:
            await chunks.aclose()

    def invoke(self, input: Any, config: Config, *, interrupt_before: Any = None,
               interrupt_after: Any = None, context: Any = None) -> Any:
        """Runs the thread until it ends or waits, and returns its output. `input` None continues; a
        Command answers a question, or jumps."""
        begun = self._run(config, (), context)
        options = self._options(config, interrupt_before, interrupt_after)
        self._through(self._play(begun, input, options))
        return begun.result()

    async def ainvoke(self, input: Any, config: Config, *, interrupt_before: Any = None,
                      interrupt_after: Any = None, context: Any = None) -> Any:
        """As ``invoke``, in the running event loop."""
        begun = self._run(config, (), context)
        options = self._options(config, interrupt_before, interrupt_after)
        await self._athrough(self._play(begun, input, options))
        return begun.result()

    # Checkpoints.

    def get_state(self, config: Config) -> StateSnapshot:
        """The thread's state: at the `checkpoint_id` of the config, or the present one."""
        thread, revision = thread_of(config), revision_of(config)
        found = History(self._store, thread).get(revision)
        if found is None:
            return nothing(self._plan, self._codec, config)
        return snapshot(self._plan, self._codec, thread, found, revision is None)

    def get_state_history(self, config: Config, *, limit: Optional[int] = None) -> Iterator[StateSnapshot]:
        """The states of the thread at all its checkpoints, the newest first."""
        thread = thread_of(config)
        found = History(self._store, thread).found[::-1]
        for one in found[:limit]:
            yield snapshot(self._plan, self._codec, thread, one, False)

    def update_state(self, config: Config, values: Any, as_node: Optional[str] = None) -> Config:
        """Changes the state as if the node `as_node` had returned `values` (None: the one that ran last).
        With a `checkpoint_id` the thread continues from there. Nothing runs until ``invoke(None, …)``.
        Returns the config of the new checkpoint."""
        self._refuse_in_callback()
        return run(updating(self, config, values, as_node), config)

    async def aget_state(self, config: Config) -> StateSnapshot:
        """As ``get_state``."""
        return await self._aside(partial(self.get_state, config))

    async def aget_state_history(self, config: Config, *,
                                 limit: Optional[int] = None) -> AsyncIterator[StateSnapshot]:
        """As ``get_state_history``."""
        for one in await self._aside(lambda: [*self.get_state_history(config, limit=limit)]):
            yield one

    async def aupdate_state(self, config: Config, values: Any, as_node: Optional[str] = None) -> Config:
        """As ``update_state``, in the running event loop. If it is cancelled, the update may be made all the
        same."""
        self._refuse_in_callback()
        return await to_its_end(arun(updating(self, config, values, as_node), config, self._aside))


def compile(graph: Any, *, store: Optional[Store] = None, serde: Any = None,
            interrupt_before: Any = None, interrupt_after: Any = None, name: Optional[str] = None,
            slots: int = LIMIT) -> CompiledGraph:
    """A graph that runs durably on a wfsm store.

    `graph` is a StateGraph, or what its ``compile`` returned. `store` is where threads are kept (None: in
    memory). `serde` is a serializer of LangGraph for what is no JSON (None: its JsonPlusSerializer).
    `interrupt_before` and `interrupt_after` are names of nodes, or "*". `name` is that of the machine, and of the
    graph in messages (None: that of the graph). `slots` is how many nodes may be at work at once, in all threads.
    """
    plan = read(graph, name, interrupt_before, interrupt_after)
    kept = memory() if store is None else Store._of(store, "store")
    return CompiledGraph(plan, kept, Codec(serde), slots)


__all__ = ["CheckpointTuple", "CompiledGraph", "Interrupt", "PregelTask", "Saver", "StateSnapshot", "compile"]


_boundary.around(globals())
