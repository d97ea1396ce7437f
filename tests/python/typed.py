"""A program as people write it, for the type checkers; test_types.py runs it too."""
import asyncio
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

import wfsm
import wfsm.langgraph
from wfsm import testing
from wfsm.flow import Final, Flow

MACHINE: Dict[str, Any] = {
    "id": "typed", "initial": "asked", "context": {"n": 0},
    "states": {
        "asked": {"invoke": {"src": "reviewer", "onDone": "checked", "onError": "checked"}},
        "checked": {"invoke": {"src": "checker", "onDone": "waiting", "onError": "waiting"}},
        "waiting": {"on": {"approve": {"target": "done", "guard": "may", "actions": "count"}}},
        "done": {"type": "final", "entry": {"type": "emit", "params": {"event": "merge"}}}}}


@dataclass
class Approval:
    by: str


@dataclass
class Count:
    n: int = 0
    by: List[str] = field(default_factory=list)


def with_types(store: wfsm.Store) -> Count:
    machine, functions = wfsm.Machine.load(MACHINE, context=Count), wfsm.Functions()

    @functions.guard
    def may(call: wfsm.Call, event: Approval) -> bool:
        return event.by == "ada"

    @functions.action("count")
    def counted(call: wfsm.Call, context: Count, event: Approval) -> Count:
        return Count(context.n + 1, [*context.by, event.by])

    with wfsm.Instance.start(machine, store, "types", Count(n=1), functions=functions) as task:
        for _ in range(2):
            task.result(task.invocations[0]["id"])
        task.send("approve", Approval("ada"))
        return task.context_as(Count)


def as_a_flow(store: wfsm.Store) -> List[str]:
    flow = Flow("flow", Count)

    def reviewer(call: wfsm.Call) -> Approval:
        return Approval("bob")

    @flow.state
    class asked:
        work = flow.agent(reviewer).done("waiting", when=lambda c, found: found.by.startswith("b"),
                                         do=lambda c, found: {"by": c.by + [found.by]})

    @flow.state
    class waiting:
        approve = flow.on("approve", Approval, to="count", when=lambda c, e: e.by not in c.by)

    @flow.state
    def count(c: Count) -> str:
        c.n += 1
        return "done"

    @flow.state
    class done(Final):
        output = flow.value(lambda c: c.by)

    engine = wfsm.Engine(store)
    flow.add_to(engine)
    task = engine.start("flow", "flow", Count())
    engine.run_until(lambda: task.in_state("waiting"), timeout=60)
    task.send("approve", Approval("bob"))
    assert not task.done
    task.send("approve", Approval("ada"))
    found: List[str] = task.output
    return found


def by_hand(machine: wfsm.Machine, store: wfsm.Store) -> wfsm.Outcome:
    functions = wfsm.Functions()

    @functions.guard("may")
    def may(call: wfsm.Call) -> bool:
        return call.now >= 0

    @functions.action
    def count(call: wfsm.Call) -> Dict[str, Any]:
        return {"n": call.context["n"] + 1}

    with wfsm.Instance.start(machine, store, "by-hand", functions=functions) as task:
        for src in ("reviewer", "checker"):
            task.result(task.invocations[0]["id"], src)
        outcome = task.send("approve", id="click-1")
        for effect in task.effects():
            print(effect.event, effect.data, task.deadline)
        return outcome


async def driven(machine: wfsm.Machine, store: wfsm.Store) -> Optional[str]:
    engine = wfsm.Engine(store, slots=4)
    engine.add_machine(machine)

    @engine.agent("reviewer")
    def review(call: wfsm.Call) -> Dict[str, int]:
        call.usage(tokens=12)
        return {"attempt": call.attempt}

    @engine.agent("checker")
    async def check(work: wfsm.Work) -> str:
        await asyncio.sleep(0)
        return work.id

    @engine.guard
    def may(call: wfsm.Call) -> bool:
        return True

    @engine.action("count")
    def counted(call: wfsm.Call) -> None:
        return None

    @engine.on_effect
    def deliver(effect: wfsm.Effect, call: wfsm.Call) -> None:
        print(effect.id, call.instance)

    task = engine.start("typed", "driven")
    await engine.arun_until(lambda: task.in_state("waiting"), timeout=60)
    store.post("driven", "approve", sender="ada")
    await engine.arun_until(lambda: task.done, timeout=60)
    return store.head("driven").owner or None


def with_langgraph(builder: Any, store: wfsm.Store) -> Tuple[Tuple[str, ...], int]:
    """Only read by the type checkers: `builder` is a StateGraph, whose package is not there."""
    config: Dict[str, Any] = {"configurable": {"thread_id": "t"}}
    saver = wfsm.langgraph.Saver(store)
    found: Optional[wfsm.langgraph.CheckpointTuple] = saver.get_tuple(config)
    with wfsm.langgraph.compile(builder, store=store, interrupt_before=["b"]) as graph:
        graph.invoke({"n": 1}, config)
        for chunk in graph.stream(None, config, stream_mode=["values", "updates"]):
            print(chunk, found)
        changed = graph.update_state(config, {"n": 2}, as_node="a")
        return graph.get_state(changed).next, len(list(graph.get_state_history(config, limit=3)))


def main() -> None:
    machine = wfsm.Machine.load(MACHINE)
    assert machine.verify(max_states=1000).verdict is not wfsm.Verdict.VIOLATED
    with wfsm.memory() as store:
        assert by_hand(machine, store) is wfsm.Outcome.ENDED
        assert with_types(store) == Count(2, ["ada"])
        asyncio.run(driven(machine, store))
        assert as_a_flow(store) == ["bob"]
    with testing.Clock() as clock:
        clock.advance(5)
        assert testing.verify(MACHINE, max_states=1000).states and clock.now == 5


if __name__ == "__main__":
    main()
