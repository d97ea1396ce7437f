"""The steps of a graph: pure functions of the context, which return what changes in it.

They are the actions of the machine. The context has `__tasks__`, the tasks of the present superstep:
each with the `answer` of its node, if it has one.
"""
from __future__ import annotations

import hashlib
import logging
from typing import Any, Dict, Iterable, List, Mapping, Sequence, Tuple

from ._langgraph_codec import Codec
from ._langgraph_document import FAILED, INTERRUPTED, PARALLEL
from ._langgraph_plan import Plan
from ._langgraph_state import State
from ._langgraph_types import END, START

logger: logging.Logger = logging.getLogger("wfsm")

Patch = Dict[str, Any]
Task = Dict[str, Any]
#: A node and its answer.
Done = Tuple[str, Mapping[str, Any]]
RECURSION = "recursion"


def copied(tasks: Iterable[Mapping[str, Any]]) -> List[Task]:
    return [dict(task) for task in tasks]


def is_open(task: Mapping[str, Any]) -> bool:
    return task.get("answer") is None


def route(tasks: Iterable[Mapping[str, Any]]) -> str:
    """The state for the tasks that have no answer yet."""
    names = {str(task["node"]) for task in tasks if is_open(task)}
    if not names:
        return END
    return names.pop() if len(names) == 1 else PARALLEL


class Steps:
    """`failed` gets what a reducer has raised, for the caller of this process."""

    def __init__(self, plan: Plan, codec: Codec):
        self.plan, self.codec = plan, codec
        self.failed: Dict[str, BaseException] = {}

    # The tasks of the next step.

    def _tasks(self, place: str, pulls: Iterable[str], sends: Sequence[Mapping[str, Any]]) -> List[Task]:
        """In the order in which their writes are applied."""
        paths: List[Tuple[str, Task]] = [(name, {"node": name, "kind": "pull"})
                                         for name in sorted(set(pulls))]
        paths += [(str(number), {"node": send["node"], "kind": "push", "arg": send["arg"]})
                  for number, send in enumerate(sends)]
        return [{"id": self._id(place, task["kind"], path), **task, "resume": []} for path, task in paths]

    @staticmethod
    def _id(*parts: str) -> str:
        made = hashlib.blake2b("/".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()
        return f"{made[:8]}-{made[8:12]}-{made[12:16]}-{made[16:20]}-{made[20:]}"

    def _knows(self, name: str) -> bool:
        if name in self.plan.nodes and name != START:
            return True
        if name != END:
            logger.warning("graph %r has no node %r to go to", self.plan.name, name)
        return False

    def _joined(self, context: Mapping[str, Any], done: Iterable[str]) -> Tuple[Dict[str, List[str]], List[str]]:
        """The nodes that edges from several nodes have waited for, and the ends that are due."""
        arrived = {key: list(names) for key, names in context["__joins__"].items()}
        due = []
        for join in self.plan.joins:
            names = arrived.setdefault(join.key, [])
            names += [name for name in done if name in join.starts and name not in names]
            if set(names) == set(join.starts):
                arrived[join.key] = []
                due.append(join.end)
        return {key: names for key, names in arrived.items() if names}, due

    def _next(self, context: Mapping[str, Any], done: Sequence[Done], others: Iterable[str]) -> Patch:
        """`others` are nodes that only edges from several nodes take notice of."""
        joins, due = self._joined(context, dict.fromkeys([*others, *(name for name, _ in done)]))
        for name, answer in done:
            due += [*self.plan.edges.get(name, ()), *answer["goto"]]
        due = [name for name in dict.fromkeys(due) if self._knows(name)]
        sends = [send for _, answer in done for send in answer["sends"] if self._knows(send["node"])]
        waiting = list(context["__waiting__"])
        waiting += [name for name in due if self.plan.nodes[name].waits and name not in waiting]
        due = [name for name in due if not self.plan.nodes[name].waits]
        if not due:  # as in LangGraph, packets do not keep a deferred node waiting
            due, waiting = waiting, []
        return {"__joins__": joins, "__waiting__": waiting, "due": due, "sends": sends}

    def _advance(self, context: Mapping[str, Any], done: Sequence[Done], source: str, place: str,
                 others: Iterable[str] = ()) -> Patch:
        """The tasks of the next superstep."""
        patch = self._next(context, done, others)
        step = max(self.step(context), -1) + 1
        patch["__tasks__"] = self._tasks(f"{place}/{step}", patch.pop("due"), patch.pop("sends"))
        patch["__checkpoint__"] = {"step": step, "source": source}
        patch["__error__"] = None
        return patch

    @staticmethod
    def step(context: Mapping[str, Any]) -> int:
        """That of the last checkpoint; the input of a new thread is step -1."""
        return int(context["__checkpoint__"]["step"]) if context["__checkpoint__"] else -2

    # The actions.

    def input(self, context: Mapping[str, Any], data: Mapping[str, Any], place: str) -> Patch:
        """What was due is dropped. Deferred nodes that are not due yet wait on."""
        step = self.step(context) + 1
        task = {"id": self._id(place, START, str(step)), "node": START, "kind": "pull",
                "arg": data["input"], "resume": []}
        return {"__tasks__": [task], "__waiting__": list(context["__waiting__"]), "__due__": START, "__error__": None,
                "__checkpoint__": {"step": step, "source": "input"}, "__parent__": None,
                "__run__": self._run(step, data["run"])}

    @staticmethod
    def _run(step: int, given: Mapping[str, Any]) -> Dict[str, Any]:
        return {"task": given.get("task"), "stop": step + 1 + given["recursion_limit"], "before": list(given["before"]),
                "after": list(given["after"])}

    def merge(self, context: Mapping[str, Any], results: Sequence[Mapping[str, Any]], place: str) -> Patch:
        """After the last task of a superstep."""
        tasks = copied(context["__tasks__"])
        for task, result in zip(filter(is_open, tasks), results):
            self._settle(task, result)
        return self._conclude(context, tasks, place)

    @staticmethod
    def _settle(task: Task, result: Mapping[str, Any]) -> None:
        task.pop("error", None)
        if "error" in result:
            task["error"] = result["error"]["message"]
        elif "interrupts" in result["output"]:
            task["interrupts"] = result["output"]["interrupts"]
        else:
            task["answer"] = result["output"]

    def _conclude(self, context: Mapping[str, Any], tasks: List[Task], place: str) -> Patch:
        if any("error" in task for task in tasks):
            return {"__tasks__": tasks, "__due__": FAILED}
        for task in tasks:
            if "parent" in (task.get("answer") or ()):
                return {"__tasks__": tasks, "__due__": END, "__parent__": task["answer"]["parent"]}
        if any(map(is_open, tasks)):
            return {"__tasks__": tasks, "__due__": INTERRUPTED}
        return self._finish(context, tasks, place)

    def _finish(self, context: Mapping[str, Any], tasks: List[Task], place: str) -> Patch:
        try:
            state = State(self.plan, self.codec, context)
            state.apply(self.writes(tasks))
            changed = state.patch()
        except Exception as problem:  # pylint: disable=broad-except
            self.failed[place] = problem
            text = f"{type(problem).__name__}: {problem}"
            return {"__tasks__": tasks, "__due__": FAILED, "__error__": text}
        done = [(task["node"], task["answer"]) for task in tasks]
        patch = self._advance(context, done, "loop", place)
        patch["__last__"] = list(dict.fromkeys(name for name, _ in done))
        due, error = self._due(context, patch, patch["__last__"])
        return {**changed, **patch, "__due__": due, "__error__": error}

    def writes(self, tasks: Iterable[Mapping[str, Any]]) -> List[Tuple[str, Any]]:
        """Those of the tasks that have answered, in order."""
        return [(key, self.codec.decode(value)) for task in tasks if not is_open(task)
                for key, value in task["answer"]["writes"]]

    @staticmethod
    def _due(context: Mapping[str, Any], patch: Patch, done: Sequence[str]) -> Tuple[str, Any]:
        run, due = context["__run__"], route(patch["__tasks__"])
        if patch["__checkpoint__"]["step"] + 1 > run["stop"]:
            return (FAILED if due != END else END), RECURSION
        paused = set(done) & set(run["after"]) or {
            task["node"] for task in patch["__tasks__"]} & set(run["before"])
        return (INTERRUPTED if due != END and paused else due), None

    def resume(self, context: Mapping[str, Any], data: Mapping[str, Any], place: str) -> Patch:
        """Continues with the tasks that have no answer: with answers to their questions, and with what a
        Command adds."""
        tasks = copied(context["__tasks__"])
        self._answer(tasks, data)
        state = State(self.plan, self.codec, context)
        state.apply([(key, self.codec.decode(value)) for key, value in data["writes"]], False)
        tasks += self._tasks(f"{place}/{self.step(context)}/{len(tasks)}",
                             filter(self._knows, data["goto"]), data["sends"])
        patch = {**state.patch(), "__tasks__": tasks, "__due__": route(tasks), "__error__": None,
                 "__run__": self._run(self.step(context) + 1, data["run"])}
        if tasks and not any(map(is_open, tasks)):  # a reducer had failed
            patch.update(self._conclude({**context, **patch}, tasks, place))
        return patch

    @staticmethod
    def _answer(tasks: List[Task], data: Mapping[str, Any]) -> None:
        """The answers to all questions, by their ids; or one, which is for the first."""
        given, single = data.get("resume_map") or {}, data.get("resume")
        pending = [task for task in tasks if is_open(task)]
        asking = [task for task in pending if task.get("interrupts")]
        for task in pending:
            ids = [one["id"] for one in task.get("interrupts", ()) if one["id"] in given]
            task["resumed"] = task.get("resumed", 0) + 1
            task["answers"] = {id: given[id] for id in ids}
            task["resume"] = task["resume"] + [given[id] for id in ids]
        for task in (asking or pending)[:1] if single is not None else ():
            task["resume"] = task["resume"] + [single]
        for task in pending:
            task.pop("interrupts", None)
            task.pop("error", None)

    def _deferred(self, context: Mapping[str, Any]) -> List[str]:
        """Deferred nodes that wait or are due, which stay so when others are dropped."""
        due = [task["node"] for task in context["__tasks__"]
               if is_open(task) and task["kind"] == "pull" and self.plan.nodes[task["node"]].waits]
        return list(dict.fromkeys([*context["__waiting__"], *due]))

    def update(self, context: Mapping[str, Any], data: Mapping[str, Any], place: str) -> Patch:
        """``update_state``: as if a node had answered this. Nothing runs until the thread is resumed."""
        state = State(self.plan, self.codec, context)
        answered = [task for task in context["__tasks__"] if data["applies"] and not is_open(task)]
        state.apply(self.writes(answered))
        answer = data["answer"]
        state.apply([(key, self.codec.decode(value)) for key, value in answer["writes"]])
        done = [] if data["node"] == END else [(data["node"], answer)]
        patch = self._advance({**context, "__waiting__": self._deferred(context)}, done, "update", place,
                              [task["node"] for task in answered])
        due = END if not patch["__tasks__"] else None
        return {**state.patch(), **patch, "__due__": due, "__parent__": None}
