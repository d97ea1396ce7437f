"""The threads of a graph: instances of its machine, which an engine runs while somebody waits."""
from __future__ import annotations

import asyncio
import threading
from contextlib import closing
from dataclasses import replace
from typing import (
    Any, AsyncGenerator, Callable, Dict, Generator, Mapping, Optional, Sequence, TypeVar, Union, cast)

from . import _boundary
from ._langgraph_codec import Codec
from ._langgraph_document import FAILED, agent, make
from ._langgraph_events import event, nested
from ._langgraph_history import revision_of
from ._langgraph_nodes import Nodes
from ._langgraph_plan import Node, Plan, chosen, read
from ._langgraph_run import Chunk, Run, modes
from ._langgraph_step import RECURSION, Steps
from ._langgraph_subgraph import Subgraph
from ._langgraph_types import Config, error
from ._turn import in_thread, to_its_end
from .call import Call
from .engine import Engine
from .enums import Outcome, Status
from .errors import Busy, HostFailure, NotFound
from .functions import Functions
from .machine import Machine
from .owners import owner_is_dead
from .store import Store
from .task import EngineInstance

LIMIT = 1000
#: Chunks, conditions to wait for, and uses of the store.
Played = Generator[Any, None, None]
T = TypeVar("T", bound="Threads")
R = TypeVar("R")


class Use:
    """Something that uses the store, and so may take a while."""

    def __init__(self, work: Callable[[], Any]):
        self._work = work
        self.found: Any = None

    def make(self) -> None:
        self.found = self._work()


def _using(work: Callable[[], R]) -> Generator[Use, None, R]:
    use = Use(work)
    yield use
    return cast(R, use.found)


class Threads:
    """What runs the threads of one graph on one store."""

    def __init__(self, plan: Plan, store: Store, codec: Codec, slots: int):
        self._store, self._codec, self._slots = store, codec, slots
        self._name = plan.name
        self._inner: Dict[str, Threads] = {}
        self._plan = plan = replace(plan, nodes={name: self._with_inner(node)
                                                 for name, node in plan.nodes.items()})
        #: The machine: its `document` can be shown, drawn and verified.
        self.machine: Machine = Machine.load(make(plan))
        self._steps = Steps(plan, codec)
        self._nodes = Nodes(plan, codec, store, self._driven)
        self._engine: Optional[Engine] = None
        self._lock, self._pumping = threading.Lock(), threading.Lock()

    def _with_inner(self, node: Node) -> Node:
        """A node that is a graph runs on the same store."""
        graph = node.subgraph
        if graph is None:
            return node
        plan = read(graph, f"{self._name}.{node.name}", None, None)
        self._inner[node.name] = inner = Threads(plan, self._store, self._codec, self._slots)
        return replace(node, runnable=Subgraph(inner, getattr(graph, "checkpointer", None) is True))

    # The engine.

    def _driven(self) -> Engine:
        with self._lock:
            if self._engine is None or self._engine.closed:
                self._engine = self._made()
            return self._engine

    def _made(self) -> Engine:
        engine = Engine(self._store, slots=self._slots)
        engine.add_machine(self.machine)
        self._add_actions(engine)
        for node in self._plan.nodes.values():
            engine.agent(agent(node.name))(self._nodes.agent(node))
        return engine

    def _add_actions(self, target: Union[Engine, Functions]) -> None:
        for name in ("input", "merge", "resume", "update"):
            target.action(name)(self._action(getattr(self._steps, name)))

    def _action(self, step: Callable[..., Any]) -> Callable[[Call], Any]:
        def act(call: Call) -> Any:
            try:
                return step(call.context, call.event["data"], call.instance)
            except Exception as problem:
                self._steps.failed[str(call.instance)] = problem
                raise

        return act

    def _took(self, thread: str, outcome: Outcome, problem: Optional[Exception]) -> None:
        """Raises why an event was not taken: what a reducer has raised, as it is."""
        if outcome is Outcome.FAILED:
            raise self._steps.failed.pop(thread, problem or RuntimeError(str(outcome)))

    def close(self) -> None:
        """Ends the engine. Nodes at work are told to stop; what they did continues with the next
        ``invoke(None, …)``."""
        for inner in self._inner.values():
            inner.close()
        if self._engine is not None:
            self._engine.close()

    def __enter__(self: T) -> T:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Threads.

    def _own(self, thread: str) -> EngineInstance:
        """The thread, which this engine has until ``_release``."""
        engine, is_old = self._driven(), self._is_old(thread)
        if is_old is None:
            return engine.start(self.machine.id, thread)
        adopted = engine.adopt(thread)
        if is_old:
            engine.migrate(thread, self.machine)
        return adopted

    def _is_old(self, thread: str) -> Optional[bool]:
        """True if it is one of an older form of the graph; None if there is no such thread. Frees it from an
        owner on this computer that was killed."""
        try:
            head = self._store.head(thread)
        except NotFound:
            return None
        if head.machine != self.machine.id:
            raise ValueError(f"the thread {thread!r} is one of {head.machine!r}, not of {self.machine.id!r}")
        if head.owner and owner_is_dead(head.owner):
            self._store.remove_owner(head.owner)
        return head.fingerprint != self.machine.fingerprint

    def _refuse_in_callback(self) -> None:
        """The nodes work in other threads, and would wait for the store until the callback has returned."""
        if self._store._own_handle().family.is_mine():
            raise Busy(Status.BUSY, "a callback may not run a graph on the store that called it")

    def _take(self, thread: str) -> None:
        """Denied while another process has the thread. An engine that makes no round begins nothing."""
        if self._store.head(thread).owner:
            with self._made() as engine:
                engine.adopt(thread)
                engine.release(thread)

    def _reserve(self, run: Run) -> None:
        with self._lock:
            if run.thread in self._nodes.runs:
                raise Busy(Status.BUSY, f"the thread {run.thread!r} is running")
            self._nodes.runs[run.thread] = run

    def _leave(self, run: Run) -> None:
        """Gives the thread up, if that was not done."""
        if self._nodes.runs.get(run.thread) is not run:
            return
        try:
            if self._engine is not None and not self._engine.closed:
                self._engine.release(run.thread)
        except NotFound:
            pass
        finally:
            self._nodes.runs.pop(run.thread, None)

    # Running.

    def _play(self, run: Run, input: Any, options: Mapping[str, Any]) -> Played:
        """Chunks; and, in between, conditions to wait for, and uses of the store."""
        self._refuse_in_callback()
        self._reserve(run)
        try:
            instance = yield from _using(lambda: self._own(run.thread))
            run.seen, run.context = instance.revision, dict(instance.context)
            yield from _using(lambda: self._begin(run, instance, input, options))
            while True:
                yield from run.given()
                yield from run.follow((yield from _using(lambda: run.records(self._store))))
                if not instance.in_state("running") and run.seen == instance.revision:
                    break
                yield lambda: instance.revision > run.seen or bool(run.custom)
            self._check(run, instance)
            yield from _using(lambda: self._leave(run))
        finally:
            self._leave(run)

    def _begin(self, run: Run, instance: EngineInstance, input: Any, options: Mapping[str, Any]) -> None:
        revision = revision_of(run.config)
        if revision is not None:
            self._driven().restore(run.thread, revision=revision)
        context, place = dict(instance.context), instance.configuration[0].split(".")[0]
        if run.task is None:
            found = event(self._plan, self._codec, context, place, input, options)
        else:
            found = nested(self._codec, context, place, input, options, run.task, run.attempt)
        if found is not None:
            name, data, id = found
            self._took(run.thread, instance.send(name, data, id=id), self._driven().error)

    def _check(self, run: Run, instance: EngineInstance) -> None:
        """Raises what the run has failed with."""
        text = run.context["__error__"]
        if text == RECURSION:
            raise error("GraphRecursionError")(
                f"Recursion limit reached without hitting a stop condition, after step "
                f"{run.context['__checkpoint__']['step']}")
        if not instance.in_state(FAILED):
            return
        found = self._steps.failed.pop(run.thread, None) if text else run.failed()
        if found is not None:
            raise found
        tasks = [task for task in run.context["__tasks__"] if "error" in task]
        raise HostFailure(Status.HOST, text or f"node {tasks[0]['node']!r}: {tasks[0]['error']}")

    def _run(self, config: Config, stream_mode: Union[str, Sequence[str]], context: Any) -> Run:
        return Run(self._plan, self._codec, config, modes(stream_mode), context)

    def _options(self, config: Mapping[str, Any], before: Any, after: Any) -> Dict[str, Any]:
        return {"recursion_limit": int(config.get("recursion_limit") or LIMIT),
                "before": chosen(self._plan, before, "interrupt_before", self._plan.before),
                "after": chosen(self._plan, after, "interrupt_after", self._plan.after)}

    def _through(self, played: Played) -> None:
        """To the end, without the chunks."""
        for _ in self._chunks(played):
            pass

    async def _athrough(self, played: Played) -> None:
        async for _ in self._achunks(played):
            pass

    def _chunks(self, played: Played) -> Generator[Chunk, None, None]:
        with closing(played):
            for found in played:
                if isinstance(found, Use):
                    found.make()
                elif callable(found):
                    self._pump(found)
                else:
                    yield found

    async def _aside(self, work: Callable[[], R]) -> R:
        """In another thread, while the running loop continues."""
        return await in_thread(work, self._store._own_handle().family)

    async def _achunks(self, played: Played) -> AsyncGenerator[Chunk, None]:
        """In the running loop, which does not wait for the store."""
        using = asyncio.Lock()

        async def use(work: Callable[[], None]) -> None:
            async with using:
                await self._aside(work)

        try:
            for found in played:
                if isinstance(found, Use):
                    await to_its_end(use(found.make))
                elif callable(found):
                    await self._driven().arun_until(found)
                else:
                    yield found
        finally:
            if played.gi_frame is not None:  # broken off
                await to_its_end(use(played.close))

    def _pump(self, until: Callable[[], bool]) -> None:
        """Several threads may wait; one at a time makes the rounds, for all."""
        while not until():
            if self._pumping.acquire(timeout=0.01):
                try:
                    self._driven().run_until(until, timeout=0.05)
                finally:
                    self._pumping.release()


_boundary.around(globals())
