"""A graph that is a node of another one: its thread is an instance of its own, on the same store."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._langgraph_run import Run
from ._langgraph_types import Command, Config, GraphInterrupt, Send

if TYPE_CHECKING:
    from ._langgraph_threads import Threads


class Subgraph:
    """As a runnable. `keeps`: the thread is the same each time, so that the state stays."""

    def __init__(self, threads: "Threads", keeps: bool):
        self._threads, self._keeps = threads, keeps
        some_wait = any(node.is_async for node in threads._plan.nodes.values())
        self.func: Any = None if some_wait else self.invoke
        self.afunc: Any = self.ainvoke if some_wait else None

    def _begin(self, config: Config) -> Run:
        conf = config["configurable"]
        task = conf["__wfsm_task"]
        place = task["node"] if self._keeps else task["id"]
        inner = {key: value for key, value in conf.items() if not key.startswith("__")}
        run = Run(self._threads._plan, self._threads._codec, {
            **config, "configurable": {**inner, "thread_id": f"{conf['thread_id']}/{place}"}},
            ["custom"], conf["__pregel_runtime"].context)
        run.task, run.attempt, run.write_to = task, conf["__wfsm_attempt"], conf["__pregel_runtime"].stream_writer
        return run

    def _play(self, run: Run, given: Any) -> Any:
        options = {**self._threads._options(run.config, None, None), "task": run.task and run.task["id"]}
        return self._threads._play(run, given, options)

    def invoke(self, given: Any, config: Config) -> Any:
        run = self._begin(config)
        self._threads._through(self._play(run, given))
        return self._end(run)

    async def ainvoke(self, given: Any, config: Config) -> Any:
        run = self._begin(config)
        await self._threads._athrough(self._play(run, given))
        return self._end(run)

    def _end(self, run: Run) -> Any:
        parent = run.context["__parent__"]
        if parent is not None:
            decode = self._threads._codec.decode
            sends = [Send(one["node"], decode(one["arg"])) for one in parent["sends"]]
            return Command([(key, decode(value)) for key, value in parent["writes"]],
                           [*parent["goto"], *sends])
        if run.is_waiting():
            raise GraphInterrupt(tuple(run.asked()))
        return run.values()
