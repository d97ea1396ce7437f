"""One task: a node with its conditional edges, as LangGraph calls them."""
from __future__ import annotations

import asyncio
import inspect
import itertools
import sys
from functools import partial
from types import SimpleNamespace
from typing import Any, Awaitable, Callable, Dict, Generator, List, Mapping, Optional, Tuple

from ._langgraph_codec import Codec
from ._langgraph_plan import Branch, Node, Plan, only_async
from ._langgraph_state import State
from ._langgraph_types import END, PARENT, ROOT, START, Config, error, is_a

#: What to call next: a runnable, and its input. What it returns is sent in.
Calls = Generator[Tuple[Any, Any], Any, Dict[str, Any]]
#: What to call next, or the answer.
Step = Tuple[Any, Optional[Dict[str, Any]]]


class Scratchpad:
    """What LangGraph's ``interrupt`` asks for: the answers that the task was resumed with. The last one
    is given apart, so that a graph that is called within the node finds it too."""

    def __init__(self, step: int, stop: int, answers: List[Any]):
        self.step, self.stop = step, stop
        self.resume: List[Any] = answers[:-1]
        self._last: List[Any] = answers[-1:]
        self.interrupt_counter: Callable[[], int] = itertools.count().__next__
        self.call_counter: Callable[[], int] = itertools.count().__next__
        self.subgraph_counter: Callable[[], int] = itertools.count().__next__

    def get_null_resume(self, consume: bool = False) -> Any:
        if not self._last:
            return None
        return self._last.pop() if consume else self._last[0]


class Answer:
    """What a node's output writes, and where it goes."""

    def __init__(self, plan: Plan, codec: Codec, keys: Tuple[str, ...]):
        self._plan, self._codec, self._keys = plan, codec, keys
        self.writes: List[Tuple[str, Any]] = []
        self.goto: List[str] = []
        self.sends: List[Any] = []
        self.parents: List[Any] = []

    def take(self, output: Any) -> None:
        many = isinstance(output, (list, tuple)) and any(is_a(one, "Command") for one in output)
        for one in output if many else [output]:
            if is_a(one, "Command"):
                self._command(one)
            elif is_a(one, "Send"):
                self.sends.append(one)
            else:
                self._update(one)

    def _command(self, command: Any) -> None:
        if command.graph == PARENT:
            self.parents.append(command)
            return
        self._write(command._update_as_tuples())
        self.go(command.goto)

    def go(self, ends: Any) -> None:
        for end in ends if isinstance(ends, (list, tuple)) else [ends]:
            if is_a(end, "Send"):
                self.sends.append(end)
            elif end != END:
                self.goto.append(end)

    def _update(self, output: Any) -> None:
        if output is None:
            return
        if self._keys == (ROOT,):
            self.writes.append((ROOT, output))
        elif isinstance(output, dict):
            self._write(output.items())
        elif hasattr(type(output), "__annotations__"):
            self._write(_members(output))
        else:
            raise error("InvalidUpdateError")(f"Expected dict, got {output}")

    def _write(self, items: Any) -> None:
        self.writes += [(key, value) for key, value in items if key in self._keys]

    def json(self) -> Dict[str, Any]:
        encode = self._codec.encode
        return {"writes": [[key, encode(value)] for key, value in self.writes], "goto": self.goto,
                "sends": [{"node": one.node, "arg": encode(one.arg)} for one in self.sends]}


def _members(output: Any) -> List[Tuple[str, Any]]:
    """Of a dataclass or a model: the fields that were given."""
    given = getattr(output, "model_fields_set", None)
    return [(key, value) for key, value in vars(output).items() if given is None or key in given]


def _end(branch: Branch, end: Any) -> Any:
    return end if is_a(end, "Send") or branch.ends is None else branch.ends[end]


def _ends(branch: Branch, found: Any) -> List[Any]:
    ends = [_end(branch, one) for one in (found if isinstance(found, (list, tuple)) else [found])]
    if any(end is None or end == START for end in ends):
        raise ValueError("Branch did not return a valid destination")
    if any(is_a(end, "Send") and end.node == END for end in ends):
        raise error("InvalidUpdateError")("Cannot send a packet to the END node")
    return ends


def after(node: Node, output: Any, state: State, answer: Answer, scratchpad: Any) -> Calls:
    """What follows from a node's output: writes, then the conditional edges, which see them."""
    answer.take(output)
    if answer.parents:
        return {"parent": {"graph": None, **_command_json(answer.parents[0], answer)}}
    if node.branches:
        state.apply(answer.writes, False)
    for branch in node.branches:
        value = state.seen(branch.schema, scratchpad)
        if branch.passes and isinstance(value, dict) and isinstance(output, dict):
            value = {**output, **value}
        answer.go(_ends(branch, (yield branch.path, value)))
    return answer.json()


def _command_json(command: Any, answer: Answer) -> Dict[str, Any]:
    """A command for the parent graph, which has channels of its own."""
    parent = Answer(answer._plan, answer._codec, tuple(key for key, _ in command._update_as_tuples()))
    parent._write(command._update_as_tuples())
    parent.go(command.goto)
    return parent.json()


def perform(plan: Plan, codec: Codec, node: Node, task: Mapping[str, Any], state: State,
            scratchpad: Any) -> Calls:
    """One task from its input to its answer."""
    if node.name == START:
        output = codec.decode(task["arg"])
        keys = plan.input.keys
    else:
        given = codec.decode(task["arg"]) if task["kind"] == "push" else state.seen(node.schema, scratchpad)
        output = yield node.runnable, given
        keys = tuple(plan.channels)
    return (yield from after(node, output, state, Answer(plan, codec, keys), scratchpad))


# Calling.


def _enter(config: Config) -> None:
    """LangGraph's ``get_config`` reads this variable."""
    module = sys.modules.get("langchain_core.runnables.config")
    if module is not None:
        module.var_child_runnable_config.set(config)


def _call(runnable: Any, given: Any, config: Config) -> Any:
    invoke = getattr(runnable, "invoke", None)
    return runnable(given) if invoke is None else invoke(given, config)


async def _acall(runnable: Any, given: Any, config: Config) -> Any:
    if not only_async(runnable):
        return await asyncio.to_thread(_call, runnable, given, config)
    if inspect.iscoroutinefunction(runnable):
        return await runnable(given)
    return await runnable.ainvoke(given, config)


def _advance(calls: Calls, given: Any, problem: Optional[Exception]) -> Step:
    """A StopIteration does not come through a future."""
    try:
        return (calls.send(given) if problem is None else calls.throw(problem)), None
    except StopIteration as end:
        return None, dict(end.value)


def run(calls: Calls, config: Config) -> Dict[str, Any]:
    _enter(config)
    given: Any = None
    problem: Optional[Exception] = None
    while True:
        wanted, answer = _advance(calls, given, problem)
        if answer is not None:
            return answer
        try:
            given, problem = _call(wanted[0], wanted[1], config), None
        except Exception as raised:  # pylint: disable=broad-except
            problem = raised


async def _here(step: Callable[[], Step]) -> Step:
    return step()


async def arun(calls: Calls, config: Config,
               make: Callable[[Callable[[], Step]], Awaitable[Step]] = _here) -> Dict[str, Any]:
    """``run``, in the running loop. `make` does what comes between the calls."""
    _enter(config)
    given: Any = None
    problem: Optional[Exception] = None
    while True:
        wanted, answer = await make(partial(_advance, calls, given, problem))
        if answer is not None:
            return answer
        try:
            given, problem = await _acall(wanted[0], wanted[1], config), None
        except Exception as raised:  # pylint: disable=broad-except
            problem = raised


def runtime(context: Any, writer: Callable[[Any], None]) -> Any:
    """What a node gets as `runtime`: LangGraph's, if the program has imported it."""
    module = sys.modules.get("langgraph.runtime")
    make = SimpleNamespace if module is None else module.Runtime
    return make(context=context, store=None, stream_writer=writer, previous=None)
