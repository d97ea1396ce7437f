"""The nodes of a graph as agents of an engine."""
from __future__ import annotations

import random
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from ._langgraph_codec import Codec
from ._langgraph_history import last_context
from ._langgraph_plan import Node, Plan
from ._langgraph_run import Run
from ._langgraph_state import State
from ._langgraph_task import Calls, Scratchpad, arun, perform, run, runtime
from ._langgraph_types import Config, is_a
from ._run import why
from .call import Call
from .engine import Engine
from .errors import AgentFailed, NotFound
from .store import Store
from .work import Work

Attempt = Union[Call, Work]


def _seconds(policy: Any, attempt: int) -> float:
    waits = min(policy.initial_interval * policy.backoff_factor ** (attempt - 1), policy.max_interval)
    return float(waits + (random.random() if policy.jitter else 0))


def _matches(policy: Any, problem: BaseException) -> bool:
    wanted = policy.retry_on
    if isinstance(wanted, (type, tuple, list)):
        return isinstance(problem, wanted if isinstance(wanted, type) else tuple(wanted))
    return bool(wanted(problem))


def _repeat(node: Node, problem: BaseException, attempt: int) -> Optional[float]:
    """The seconds until the next attempt; None: there is none."""
    for policy in node.retry:
        if _matches(policy, problem):
            return _seconds(policy, attempt) if attempt < policy.max_attempts else None
    return None


class Nodes:
    """`runs` has the calls of this process, by thread. A node that continues after a crash, which nobody
    here has called yet, gets a run of its own."""

    def __init__(self, plan: Plan, codec: Codec, store: Store, engine: Callable[[], Engine]):
        self._plan, self._codec, self._store, self._engine = plan, codec, store, engine
        self.runs: Dict[str, Run] = {}

    def agent(self, node: Node) -> Callable[[Any], Any]:
        if node.is_async:
            async def work(attempt: Work) -> Any:
                begun = self._begin(node, attempt)
                try:
                    return await arun(begun[0], begun[1])
                except Exception as problem:  # pylint: disable=broad-except
                    return self._rescue(node, attempt, problem)
            return work

        def work_in_thread(attempt: Call) -> Any:
            begun = self._begin(node, attempt)
            try:
                return run(begun[0], begun[1])
            except Exception as problem:  # pylint: disable=broad-except
                return self._rescue(node, attempt, problem)
        return work_in_thread

    def _begin(self, node: Node, attempt: Attempt) -> Any:
        """The state does not change during a superstep, so that it is not part of each task's input."""
        thread, task = str(attempt.instance), attempt.input
        context = self._context(thread)
        step, stop = context["__checkpoint__"]["step"] + 1, context["__run__"]["stop"]
        pad = Scratchpad(step, stop, self._codec.decode(task["resume"]))
        state = State(self._plan, self._codec, context)
        config = self._config(self._run(thread), node, attempt, pad)
        return self._marked(node, task, perform(self._plan, self._codec, node, task, state, pad)), config

    def _context(self, thread: str) -> Any:
        """The engine does not have a thread that was given up meanwhile. The next run of the thread waits for this
        attempt, so that the state is read from the store."""
        try:
            return self._engine().instance(thread).context
        except NotFound:
            return last_context(self._store, thread)

    @staticmethod
    def _marked(node: Node, task: Mapping[str, Any], calls: Calls) -> Calls:
        answer = yield from calls
        return {"node": node.name, "task": task["id"], **answer}

    def _run(self, thread: str) -> Run:
        found = self.runs.get(thread)
        return found or Run(self._plan, self._codec, {"configurable": {"thread_id": thread}}, [], None)

    @staticmethod
    def _config(run_: Run, node: Node, attempt: Attempt, pad: Scratchpad) -> Config:
        given, task = run_.config, attempt.input
        metadata = {**given.get("metadata", {}), "langgraph_step": pad.step, "langgraph_node": node.name,
                    **node.metadata}
        sent: List[Any] = []
        configurable = {
            **given.get("configurable", {}), "thread_id": run_.thread, "checkpoint_id": None,
            "checkpoint_ns": f"{node.name}:{task['id']}", "__pregel_task_id": task["id"],
            "__pregel_scratchpad": pad, "__pregel_send": sent.extend,
            "__pregel_runtime": runtime(run_.runtime_context, run_.write),
            "__wfsm_task": task, "__wfsm_attempt": attempt.attempt}
        return {**given, "metadata": metadata, "configurable": configurable}

    def _rescue(self, node: Node, attempt: Attempt, problem: Exception) -> Any:
        """A question is an answer. A failure is kept for the caller, who gets it as it is."""
        task = attempt.input
        if is_a(problem, "GraphInterrupt"):
            asked = [{"value": self._codec.encode(one.value), "id": one.id} for one in problem.args[0]]
            return {"node": node.name, "task": task["id"], "interrupts": asked}
        if is_a(problem, "ParentCommand"):
            raise AgentFailed("exit", "a Command for the parent graph was raised")
        self._run(str(attempt.instance)).raised[task["id"]] = problem
        waits = _repeat(node, problem, attempt.attempt)
        if waits is not None:
            attempt.retry_after(int(waits * 1000))
        raise AgentFailed("exit" if waits is None else "other",
                          why(problem).decode("utf-8", "replace")) from problem
