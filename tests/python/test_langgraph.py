"""wfsm.langgraph: graphs of a stand-in of LangGraph's interface, run on wfsm."""
import asyncio
import operator
import threading
import unittest
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict

from langgraph_given import END, START, GraphCase, StateGraph, config, graph, says, wfsm
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.channels import EphemeralValue
from langgraph.config import get_config, get_stream_writer
from langgraph.errors import GraphRecursionError, InvalidUpdateError
from langgraph.graph import MessagesState
from langgraph.types import Command, Overwrite, RetryPolicy, Send

CONFIG = config()


def steps(made, thread="t"):
    """The checkpoints, oldest first: step, source, next."""
    found = [(one.metadata["step"], one.metadata["source"], one.next)
             for one in made.get_state_history(config(thread))]
    return found[::-1]


class Supersteps(GraphCase):
    def test_a_line(self):
        made = self.compiled(graph((START, "a"), ("a", "b"), ("b", END)))
        self.assertEqual(made.invoke({"log": ["x"]}, CONFIG), {"log": ["x", "a", "b"]})
        self.assertEqual(steps(made), [(-1, "input", ("__start__",)), (0, "loop", ("a",)),
                                       (1, "loop", ("b",)), (2, "loop", ())])
        state = made.get_state(CONFIG)
        self.assertEqual((state.values, state.next, state.tasks), ({"log": ["x", "a", "b"]}, (), ()))
        self.assertEqual(made.get_state(config("other")).values, {"log": []})

    def test_a_thread_goes_on_with_its_state(self):
        made = self.compiled(graph((START, "a")))
        made.invoke({"log": ["x"]}, CONFIG)
        self.assertEqual(made.invoke({"log": ["y"]}, CONFIG), {"log": ["x", "a", "y", "a"]})
        self.assertEqual([step for step, _, _ in steps(made)], [-1, 0, 1, 2, 3, 4])

    def test_nodes_of_a_step_run_at_the_same_time_and_write_in_order(self):
        meeting = threading.Barrier(2, timeout=30)

        def meets(word):
            def node(state):
                meeting.wait()
                return {"log": [word]}
            return node

        made = self.compiled(graph((START, "b"), (START, "a"), (("a", "b"), "c"), a=meets("a"), b=meets("b")))
        self.assertEqual(made.invoke({"log": []}, CONFIG), {"log": ["a", "b", "c"]})

    def test_an_edge_from_several_nodes_waits_for_all(self):
        made = self.compiled(graph((START, "a"), (START, "b"), ("b", "c"), (("a", "c"), "d")))
        self.assertEqual(made.invoke({}, CONFIG), {"log": ["a", "b", "c", "d"]})
        self.assertEqual(steps(made)[2][2], ("c",))

    def test_a_deferred_node_is_last(self):
        builder = graph((START, "a"), ("a", "b"), ("a", "c"), ("b", "d"))
        builder.add_node("end", says("end"), defer=True).add_edge("d", "end").add_edge("c", "end")
        self.assertEqual(self.compiled(builder).invoke({}, CONFIG), {"log": ["a", "b", "c", "d", "end"]})

    def test_new_input_drops_a_deferred_node_that_was_due(self):
        """Seed 20103 of tests/conformance/langgraph_fuzz.py."""
        builder = graph(("a", "b"), a=says("a")).add_edge("b", END)
        builder.nodes.pop("b")
        builder.add_node("b", says("b"), defer=True)
        builder.add_conditional_edges(START, lambda state: [Send("a", state)] * state["n"], ["a"])
        made = self.compiled(builder, interrupt_after=["a"])
        made.invoke({"n": 1}, CONFIG)
        self.assertEqual(made.get_state(CONFIG).next, ("b",))
        self.assertEqual(made.invoke({"n": 0}, CONFIG), {"log": ["a"], "n": 0})
        self.assertEqual(made.get_state(CONFIG).next, ())

    def test_conditional_edges_see_what_their_node_wrote(self):
        seen = []

        def choose(state) -> Literal["b", "c"]:
            seen.append(state["n"])
            return "b" if state["n"] > 1 else "c"

        builder = graph((START, "a"), a=lambda state: {"n": 2}, b=says("b"), c=says("c"))
        builder.add_conditional_edges("a", choose)
        self.assertEqual(self.compiled(builder).invoke({"n": 1}, CONFIG), {"log": ["b"], "n": 2})
        self.assertEqual(seen, [2])

    def test_a_loop_with_a_map_of_ends(self):
        builder = graph((START, "a"), a=lambda state: {"n": state["n"] + 1, "log": ["a"]})
        builder.add_conditional_edges("a", lambda state: state["n"] < 3, {True: "a", False: END})
        self.assertEqual(self.compiled(builder).invoke({"n": 0}, CONFIG), {"log": ["a"] * 3, "n": 3})

    def test_an_entry_that_depends_on_the_input(self):
        builder = graph(a=says("a"), b=says("b"))
        builder.add_conditional_edges(START, lambda state: "b" if state["n"] else "a")
        made = self.compiled(builder)
        self.assertEqual(made.invoke({"n": 1}, CONFIG)["log"], ["b"])
        self.assertEqual(made.invoke({"n": 0}, config("2"))["log"], ["a"])

    def test_send(self):
        builder = graph(("one", "sum"), one=lambda state: {"log": [state["item"] * 2]},
                        sum=lambda state: {"n": sum(state["log"])})
        builder.add_conditional_edges(START, lambda state: [Send("one", {"item": n}) for n in range(state["n"])])
        made = self.compiled(builder)
        self.assertEqual(made.invoke({"n": 5}, CONFIG), {"log": [0, 2, 4, 6, 8], "n": 20})
        self.assertEqual(steps(made)[1][2], ("one",) * 5)

    def test_a_thousand_sends_of_a_large_state(self):
        builder = graph(one=lambda state: {"log": [state]})
        builder.add_conditional_edges(START, lambda state: [Send("one", n) for n in range(1000)])
        found = self.compiled(builder).invoke({"n": "x" * 30_000}, CONFIG)
        self.assertEqual(found["log"], list(range(1000)))

    def test_command(self):
        builder = graph((START, "a"), a=lambda state: Command(update={"log": ["a"]}, goto=["b", Send("c", 7)]),
                        c=lambda given: [Command(update={"log": ["c", given]}), {"n": 1}], b=says("b"))
        self.assertEqual(self.compiled(builder).invoke({}, CONFIG), {"log": ["a", "b", "c", 7], "n": 1})

    def test_a_step_may_set_a_key_once(self):
        made = self.compiled(graph((START, "a"), (START, "b"), a=lambda s: {"n": 1}, b=lambda s: {"n": 2}))
        for given in {"log": ["x"]}, None:
            with self.assertRaises(InvalidUpdateError):
                made.invoke(given, CONFIG)
        self.assertEqual(made.get_state(CONFIG).next, ())

    def test_a_reducer_that_raises(self):
        def adds(left, right):
            if right == 13:
                raise ArithmeticError("13")
            return left + right

        class Sum(TypedDict):
            n: Annotated[int, adds]

        made = self.compiled(graph((START, "a"), state=Sum, a=lambda state: {"n": state["n"]}))
        self.assertEqual(made.invoke({"n": 5}, CONFIG), {"n": 10})
        for attempt in (lambda: made.update_state(CONFIG, {"n": 13}), lambda: made.invoke({"n": 13}, CONFIG),
                        lambda: made.invoke(Command(update={"n": 13}), CONFIG)):
            with self.assertRaisesRegex(ArithmeticError, "13"):
                attempt()
            self.assertEqual(made.get_state(CONFIG).values, {"n": 10})
        self.assertEqual(made.invoke({"n": 1}, CONFIG), {"n": 22})

    def test_a_step_that_is_too_large(self):
        builder = graph(one=says("one"))
        builder.add_conditional_edges(START, lambda state: [Send("one", {})] * 10_001)
        made = self.compiled(builder)
        for given in {}, None:
            with self.assertRaisesRegex(wfsm.HostFailure, "the superstep could not begin"):
                made.invoke(given, CONFIG)

    def test_what_a_node_returns_must_be_a_dict(self):
        with self.assertRaisesRegex(InvalidUpdateError, "Expected dict, got 5"):
            self.compiled(graph((START, "a"), a=lambda state: 5)).invoke({}, CONFIG)

    def test_keys_that_are_not_in_the_state_are_left_out(self):
        made = self.compiled(graph((START, "a"), a=lambda state: {"log": ["a"], "other": 1}))
        self.assertEqual(made.invoke({"else": 1}, CONFIG), {"log": ["a"]})

    def test_recursion_limit(self):
        builder = graph((START, "a"), ("a", "a"))
        made = self.compiled(builder)
        with self.assertRaises(GraphRecursionError):
            made.invoke({}, {**CONFIG, "recursion_limit": 3})
        self.assertEqual(made.get_state(CONFIG).values, {"log": ["a"] * 3})
        with self.assertRaises(GraphRecursionError):
            made.invoke(None, {**CONFIG, "recursion_limit": 2})
        self.assertEqual(made.get_state(CONFIG).values, {"log": ["a"] * 7})  # as the reference: langgraph_cases.json

    def test_one_process_runs_a_thread_once_at_a_time(self):
        begun, go = threading.Event(), threading.Event()

        def waits(state):
            begun.set()
            go.wait(30)
            return {"log": ["a"]}

        made = self.compiled(graph((START, "a"), a=waits))
        other = threading.Thread(target=made.invoke, args=({}, CONFIG))
        other.start()
        begun.wait(30)
        for attempt in (lambda: made.invoke({}, CONFIG), lambda: made.update_state(CONFIG, {"n": 1})):
            with self.assertRaisesRegex(wfsm.WfsmError, "is running"):
                attempt()
        go.set()
        other.join()
        self.assertEqual(made.get_state(CONFIG).values, {"log": ["a"]})

    def test_many_threads_of_a_program(self):
        made = self.compiled(graph((START, "a"), ("a", "b")))
        found = {}

        def work(number):
            found[number] = made.invoke({"log": [number]}, config(str(number)))["log"]

        workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(found, {number: [number, "a", "b"] for number in range(8)})


class Values(GraphCase):
    def test_messages(self):
        builder = StateGraph(MessagesState)
        builder.add_node("answer", lambda state: {"messages": AIMessage("to " + state["messages"][-1].content)})
        builder.add_edge(START, "answer")
        made = self.compiled(builder)
        made.invoke({"messages": [("user", "one")]}, CONFIG)
        found = made.invoke({"messages": HumanMessage("two")}, CONFIG)["messages"]
        self.assertEqual([(one.type, one.content) for one in found],
                         [("human", "one"), ("ai", "to one"), ("human", "two"), ("ai", "to two")])
        self.assertEqual(len({one.id for one in found}), 4)

    def test_what_is_no_json_keeps_its_type(self):
        odd = {"bytes": b"\0\1", "tuple": (1, [(2,)]), "nul": "a\0b", "large": 2 ** 60, 5: "five",
               "marked": {"__tuple__": 1}}

        class Any_(TypedDict):
            value: Any

        seen = []
        made = self.compiled(graph((START, "a"), state=Any_, a=lambda state: seen.append(state["value"])))
        for value in odd["bytes"], odd["tuple"], odd["nul"], odd["large"], [odd["marked"]]:
            self.assertEqual(made.invoke({"value": value}, CONFIG), {"value": value})
            self.assertEqual(seen.pop(), value)
        with self.assertRaises(TypeError):
            made.invoke({"value": object()}, CONFIG)

    def test_a_serializer_of_the_program(self):
        class Upper:
            def dumps_typed(self, value):
                return "complex", repr(value).encode()

            def loads_typed(self, stored):
                return complex(stored[1].decode())

        made = self.compiled(graph((START, "a"), a=lambda state: {"n": state["n"] * 1j}), serde=Upper())
        self.assertEqual(made.invoke({"n": 2}, CONFIG)["n"], 2j)

    def test_a_state_that_is_a_dataclass(self):
        @dataclass
        class Count:
            n: int = 0
            log: Annotated[list, operator.add] = field(default_factory=list)

        def node(state: Count):
            return Count(n=state.n + 1, log=[state.n])

        made = self.compiled(graph((START, "a"), state=Count, a=node))
        self.assertEqual(made.invoke({"n": 4}, CONFIG), {"n": 5, "log": [4]})

    def test_a_state_that_is_no_dict(self):
        made = self.compiled(graph((START, "a"), state=Annotated[list, operator.add], a=lambda state: [len(state)]))
        self.assertEqual(made.invoke(["x"], CONFIG), ["x", 1])
        self.assertEqual(list(made.stream(["y"], CONFIG)), [{"a": [3]}])

    def test_schemas_of_input_and_output(self):
        class Asked(TypedDict):
            question: str

        class Answered(TypedDict):
            answer: str

        class Both(Asked, Answered):
            secret: int

        seen = []

        def think(state: Asked):
            seen.append(state)
            return {"answer": state["question"] + "!", "secret": 1}

        builder = StateGraph(Both, input_schema=Asked, output_schema=Answered)
        builder.add_node("think", think).add_edge(START, "think")
        made = self.compiled(builder)
        self.assertEqual(made.invoke({"question": "why", "secret": 5}, CONFIG), {"answer": "why!"})
        self.assertEqual(seen, [{"question": "why"}])
        self.assertEqual(made.get_state(CONFIG).values["secret"], 1)

    def test_values_for_one_step_and_overwrite(self):
        class Once(TypedDict):
            log: Annotated[list, operator.add]
            note: Annotated[str, EphemeralValue]

        def looks(state):
            return {"log": Overwrite([state.get("note")])}

        made = self.compiled(graph((START, "a"), ("a", "b"), ("b", "c"), state=Once, a=lambda state: {"note": "x"},
                                   b=looks, c=lambda state: {"log": [state.get("note")]}))
        self.assertEqual(made.invoke({"log": ["gone"]}, CONFIG), {"log": ["x", None]})


class Nodes(GraphCase):
    def test_what_a_node_gets(self):
        seen = {}

        def node(state, config, runtime):
            seen.update(config["configurable"], same=get_config() is config, context=runtime.context,
                        step=config["metadata"]["langgraph_step"])
            get_stream_writer()({"half": 1})
            return {}

        made = self.compiled(graph((START, "a"), a=node))
        chunks = list(made.stream({}, config(user="ada"), stream_mode=["custom", "updates"],
                                  context={"db": 1}))
        self.assertEqual(chunks, [("custom", {"half": 1}), ("updates", {"a": None})])
        self.assertEqual((seen["user"], seen["thread_id"], seen["same"], seen["context"], seen["step"]),
                         ("ada", "t", True, {"db": 1}, 1))

    def test_an_exception_reaches_the_caller_and_what_was_done_stays(self):
        calls = []

        def fails(state):
            calls.append("b")
            if len(calls) < 3:
                raise KeyError("b")
            return {"log": ["b"]}

        def works(state):
            calls.append("a")
            return {"log": ["a"]}

        made = self.compiled(graph((START, "a"), (START, "b"), a=works, b=fails))
        with self.assertRaises(KeyError):
            made.invoke({}, CONFIG)
        state = made.get_state(CONFIG)
        self.assertEqual((state.next, state.tasks[1].error, state.values), (("b",), "KeyError: 'b'", {"log": ["a"]}))
        self.assertEqual(made.invoke(None, CONFIG), {"log": ["a", "b"]})
        self.assertEqual(sorted(calls), ["a", "b", "b"])

    def test_retries(self):
        calls = []

        def fails(state):
            calls.append(1)
            raise OSError("down") if len(calls) < 3 else ValueError("up")

        policy = RetryPolicy(initial_interval=0, jitter=False, max_attempts=5, retry_on=OSError)
        builder = graph((START, "a"), (START, "b"), b=says("b"))
        builder.nodes.pop("a")
        builder.add_node("a", fails, retry_policy=policy)
        with self.assertRaisesRegex(ValueError, "up"):
            self.compiled(builder).invoke({}, CONFIG)
        self.assertEqual(len(calls), 3)

    def test_coroutines(self):
        async def node(state):
            await asyncio.sleep(0)
            return {"log": [asyncio.get_running_loop() is loop]}

        async def choose(state):
            return "b"

        builder = graph((START, "a"), a=node, b=says("b"))
        builder.add_conditional_edges("a", choose)
        made = self.compiled(builder)

        async def main():
            nonlocal loop
            loop = asyncio.get_running_loop()
            self.assertEqual(await made.ainvoke({}, CONFIG), {"log": [True, "b"]})
            chunks = [one async for one in made.astream({"log": ["x"]}, CONFIG)]
            self.assertEqual(chunks, [{"a": {"log": [True]}}, {"b": {"log": ["b"]}}])
            await made.aupdate_state(CONFIG, {"log": ["u"]}, as_node="a")
            self.assertEqual((await made.aget_state(CONFIG)).next, ("b",))
            self.assertEqual(len([one async for one in made.aget_state_history(CONFIG, limit=2)]), 2)
            many = await asyncio.gather(*(made.ainvoke({}, config(str(n))) for n in range(50)))
            self.assertEqual(len(many), 50)

        loop = None
        asyncio.run(main())
        made.close()
        self.assertEqual(made.invoke({}, config("sync")), {"log": [False, "b"]})

    def test_odd_names(self):
        made = self.compiled(graph((START, "person"), ("person", "a.b"), ("a.b", "#a_b"), ("#a_b", "running"),
                                   ("running", "machine:x")))
        self.assertEqual(made.invoke({}, CONFIG)["log"], ["person", "a.b", "#a_b", "running", "machine:x"])


if __name__ == "__main__":
    unittest.main()
