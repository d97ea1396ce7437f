"""wfsm.langgraph: interrupts, checkpoints, subgraphs and the document, with a stand-in of LangGraph."""
import asyncio
import operator
import threading
import unittest
from typing import Annotated, TypedDict

from langgraph_given import END, START, GraphCase, Log, config, graph, says, wfsm
from langgraph.errors import InvalidUpdateError
from langgraph.types import Command, Send, interrupt

CONFIG = config()


def steps(made):
    return [one.metadata["step"] for one in made.get_state_history(CONFIG)]


class Stopped(GraphCase):
    def ask(self, **options):
        def asks(state):
            first = interrupt("first?")
            return {"log": [first, interrupt({"second": first})]}

        return self.compiled(graph((START, "a"), ("a", "b"), ("b", "c"), b=asks), **options)

    def test_a_node_asks_twice(self):
        made = self.ask()
        found = made.invoke({}, CONFIG)
        self.assertEqual((found["log"], [one.value for one in found["__interrupt__"]]), (["a"], ["first?"]))
        state = made.get_state(CONFIG)
        self.assertEqual((state.next, state.interrupts, state.tasks[0].interrupts[0].value),
                         (("b",), state.tasks[0].interrupts, "first?"))
        found = made.invoke(Command(resume="one"), CONFIG)
        self.assertEqual(found["__interrupt__"][0].value, {"second": "one"})
        self.assertEqual(made.invoke(Command(resume=2), CONFIG), {"log": ["a", "one", 2, "c"]})

    def test_streams_of_a_question(self):
        made = self.ask()
        chunks = list(made.stream({"log": []}, CONFIG, stream_mode=["values", "updates"]))
        self.assertEqual(chunks[:-1], [("values", {"log": []}), ("updates", {"a": {"log": ["a"]}}),
                                       ("values", {"log": ["a"]})])
        (mode, chunk), = chunks[-1:]
        self.assertEqual((mode, chunk["__interrupt__"][0].value), ("updates", "first?"))
        chunks = list(made.stream(Command(resume=1), CONFIG, stream_mode="values"))
        self.assertEqual(chunks, [{"log": ["a"]}])

    def test_questions_of_several_nodes(self):
        def asks(word):
            return lambda state: {"log": [word + interrupt(word + "?")]}

        made = self.compiled(graph((START, "a"), (START, "b"), (START, "c"), a=asks("a"), b=asks("b")))
        found = made.invoke({}, CONFIG)
        self.assertEqual(found["log"], ["c"])
        ids = {one.value: one.id for one in found["__interrupt__"]}
        with self.assertRaisesRegex(RuntimeError, "interrupt id"):
            made.invoke(Command(resume="x"), CONFIG)
        self.assertEqual(len(made.invoke(Command(resume={ids["b?"]: "!"}), CONFIG)["__interrupt__"]), 1)
        self.assertEqual(made.invoke(Command(resume="."), CONFIG), {"log": ["a.", "b!", "c"]})

    def test_before_and_after(self):
        builder = graph((START, "a"), ("a", "b"), ("b", "c"))
        for options in {"interrupt_before": ["b"]}, {"interrupt_after": ["a"]}:
            for made, given in (self.compiled(builder, **options), {}), (self.compiled(builder), options):
                self.assertEqual(list(made.stream({}, CONFIG, **given)), [{"a": {"log": ["a"]}}, {"__interrupt__": ()}])
                self.assertEqual(made.get_state(CONFIG).next, ("b",))
                self.assertEqual(made.invoke(None, CONFIG), {"log": ["a", "b", "c"]})
        made = self.compiled(builder, interrupt_after="*")
        self.assertEqual([made.invoke(given, CONFIG)["log"] for given in ({}, None, None)],
                         [["a"], ["a", "b"], ["a", "b", "c"]])

    def test_who_stops_reading_stops_the_run(self):
        calls = []

        def counts(state):
            calls.append("b")
            return {"log": ["b"]}

        made = self.compiled(graph((START, "a"), ("a", "b"), ("b", "c"), b=counts))
        reader = made.stream({}, CONFIG)
        self.assertEqual(next(reader), {"a": {"log": ["a"]}})
        reader.close()
        self.assertEqual(made.invoke(None, CONFIG), {"log": ["a", "b", "c"]})

    def test_a_cancelled_call(self):
        begun = []

        async def waits(state):
            begun.append(1)
            if len(begun) == 1:
                await asyncio.Event().wait()
            return {"log": ["a"]}

        made = self.compiled(graph((START, "a"), a=waits))

        async def main():
            call = asyncio.ensure_future(made.ainvoke({}, CONFIG))
            while not begun:
                await asyncio.sleep(0.001)
            call.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await call
            self.assertEqual(await made.ainvoke(None, CONFIG), {"log": ["a"]})

        asyncio.run(main())

    def test_a_thread_of_another_process(self):
        path, begun, end = self.folder() / "t.db", threading.Event(), threading.Event()

        def waits(state):
            begun.set()
            end.wait(30)

        stores = [wfsm.sqlite(path), wfsm.sqlite(path)]
        for store in stores:
            self.addCleanup(store.close)
        first, second = (self.compiled(graph((START, "a"), a=waits), store=store) for store in stores)
        working = threading.Thread(target=first.invoke, args=({}, CONFIG))
        working.start()
        begun.wait(30)
        for attempt in (lambda: second.invoke(None, CONFIG), lambda: second.update_state(CONFIG, {"n": 1}, "a")):
            with self.assertRaises(wfsm.WfsmError):
                attempt()
        self.assertEqual(second.get_state(CONFIG).next, ("a",))
        end.set()
        working.join()
        self.assertEqual(second.invoke({"n": 2}, CONFIG), {"log": [], "n": 2})

    def test_an_answer_that_is_refused_changes_nothing(self):
        made = self.ask()
        for given in None, Command(resume=1):
            with self.assertRaises(Exception):
                made.invoke(given, CONFIG)
        made.invoke({}, CONFIG)
        with self.assertRaisesRegex(Exception, "empty Command"):
            made.invoke(Command(), CONFIG)
        with self.assertRaises(InvalidUpdateError):
            made.invoke(Command(graph=Command.PARENT, goto="a"), CONFIG)
        self.assertEqual(made.get_state(CONFIG).next, ("b",))

    def test_new_input_drops_what_was_due(self):
        made = self.ask()
        made.invoke({}, CONFIG)
        self.assertEqual(made.invoke({"log": ["again"]}, CONFIG)["log"], ["a", "again", "a"])

    def test_a_command_jumps_and_updates(self):
        made = self.compiled(graph((START, "a"), ("a", END), b=says("b")))
        made.invoke({}, CONFIG)
        self.assertEqual(made.invoke(Command(goto="b", update={"n": 3}), CONFIG), {"log": ["a", "b"], "n": 3})
        self.assertEqual(made.invoke(None, CONFIG), {"log": ["a", "b"], "n": 3})


class Forks(GraphCase):
    def setUp(self):
        super().setUp()
        self.made = self.compiled(graph((START, "a"), ("a", "b"), ("b", "c")))
        self.made.invoke({"log": ["x"]}, CONFIG)
        self.before = {one.next: one.config for one in self.made.get_state_history(CONFIG)}

    def log(self, given=CONFIG):
        return self.made.get_state(given).values["log"]

    def test_a_state_of_the_past(self):
        then = self.made.get_state(self.before["b",])
        self.assertEqual((then.values["log"], then.next, then.config["configurable"]["thread_id"]),
                         (["x", "a"], ("b",), "t"))
        self.assertEqual(then.parent_config, self.before["a",])
        for wrong in "x", "999999":
            with self.subTest(wrong), self.assertRaises((ValueError, LookupError)):
                self.made.invoke(None, config(checkpoint_id=wrong))

    def test_run_again_from_a_checkpoint(self):
        self.assertEqual(self.made.invoke(None, self.before["b",]), {"log": ["x", "a", "b", "c"]})
        newest = next(self.made.get_state_history(CONFIG))
        self.assertEqual(newest.metadata["step"], 3)
        self.assertEqual(len(steps(self.made)), 5 + 2)

    def test_update_and_go_on(self):
        changed = self.made.update_state(self.before["b",], {"log": ["!"]})
        self.assertEqual((self.log(changed), self.made.get_state(CONFIG).next), (["x", "a", "!"], ("b",)))
        self.assertEqual(self.made.get_state(CONFIG).metadata["source"], "update")
        self.assertEqual(self.made.get_state(CONFIG).parent_config, self.before["b",])
        self.assertEqual(self.made.invoke(None, CONFIG)["log"], ["x", "a", "!", "b", "c"])
        self.assertEqual(self.log(self.before["c",]), ["x", "a", "b"])

    def test_update_as_another_node(self):
        self.made.update_state(CONFIG, {"log": ["as a"]}, as_node="a")
        self.assertEqual(self.made.get_state(CONFIG).next, ("b",))
        self.made.update_state(CONFIG, None, as_node=END)
        self.assertEqual(self.made.get_state(CONFIG).next, ())
        for wrong, values in ("nobody", {}), (END, {"n": 1}):
            with self.assertRaises(InvalidUpdateError):
                self.made.update_state(CONFIG, values, as_node=wrong)

    def test_update_of_a_thread_that_does_not_exist(self):
        self.made.update_state(config("new"), {"log": ["first"]})
        self.assertEqual(self.made.get_state(config("new")).next, ("a",))
        self.assertEqual(self.made.invoke(None, config("new"))["log"], ["first", "a", "b", "c"])

    def test_an_update_that_could_be_of_two_nodes(self):
        made = self.compiled(graph((START, "a"), (START, "b")))
        made.invoke({}, CONFIG)
        with self.assertRaisesRegex(InvalidUpdateError, "Ambiguous"):
            made.update_state(CONFIG, {"n": 1})

    def test_conditional_edges_of_an_update(self):
        builder = graph((START, "a"), b=says("b"), a=says("a"))
        builder.add_conditional_edges("a", lambda state: "b" if state.get("n") else END)
        made = self.compiled(builder)
        made.invoke({}, CONFIG)
        made.update_state(CONFIG, {"n": 1}, as_node="a")
        self.assertEqual(made.get_state(CONFIG).next, ("b",))


class Subgraphs(GraphCase):
    def outer(self, inner, **nodes):
        builder = graph((START, "a"), ("a", "sub"), ("sub", "z"), sub=inner, **nodes)
        return self.compiled(builder)

    def test_a_graph_as_a_node(self):
        class Inner(TypedDict):
            n: int
            own: list

        inner = graph((START, "i"), ("i", "j"), state=Inner, i=lambda state: {"own": [state["n"]]},
                      j=lambda state: {"n": state["own"][0] + 1})
        made = self.outer(inner.compile())
        self.assertEqual(made.invoke({"n": 1}, CONFIG), {"log": ["a", "z"], "n": 2})
        self.assertEqual(made.invoke({"n": 5}, CONFIG)["n"], 6)

    def test_a_question_in_it(self):
        calls = []

        def before(state):
            calls.append("i")
            return {"n": 1}

        def asks(state):
            return {"n": interrupt("how many?")}

        class Inner(TypedDict):
            n: int

        made = self.outer(graph((START, "i"), ("i", "j"), state=Inner, i=before, j=asks).compile())
        self.assertEqual(made.invoke({}, CONFIG)["__interrupt__"][0].value, "how many?")
        self.assertEqual(made.invoke(Command(resume=7), CONFIG), {"log": ["a", "z"], "n": 7})
        self.assertEqual(calls, ["i"])

    def test_a_question_in_it_beside_nodes_that_set_one_key(self):
        """All questions come first; then the superstep is refused."""
        def asks(_state):
            return {"log": [interrupt("one?"), interrupt("two?")]}

        inner = graph((START, "i"), (START, "j"), (START, "k"), i=lambda state: {"n": 1}, j=asks, k=lambda state: {"n": 2})
        made = self.outer(inner.compile())
        self.assertEqual(made.invoke({}, CONFIG)["__interrupt__"][0].value, "one?")
        self.assertEqual(made.invoke(Command(resume=1), CONFIG)["__interrupt__"][0].value, "two?")
        with self.assertRaises(InvalidUpdateError):
            made.invoke(Command(resume=2), CONFIG)

    def test_a_pause_in_it(self):
        made = self.outer(graph((START, "i"), ("i", "j")).compile(interrupt_before=["j"]))
        made.invoke({}, CONFIG)
        self.assertEqual(made.get_state(CONFIG).next, ("sub",))
        self.assertEqual(made.invoke(None, CONFIG)["log"], ["a", "a", "i", "j", "z"])

    def test_a_failure_in_it(self):
        calls = []

        def fails(state):
            calls.append(1)
            if len(calls) == 1:
                raise KeyError("inner")
            return {"n": len(calls)}

        made = self.outer(graph((START, "i"), ("i", "j"), j=fails).compile())
        with self.assertRaises(KeyError):
            made.invoke({}, CONFIG)
        self.assertEqual(made.invoke(None, CONFIG)["n"], 2)

    def test_a_command_for_the_outer_graph(self):
        jump = graph((START, "i"), i=lambda state: Command(graph=Command.PARENT, goto="y", update={"n": 9}))
        builder = graph((START, "sub"), ("sub", END), sub=jump.compile(), y=says("y"))
        self.assertEqual(self.compiled(builder).invoke({}, CONFIG), {"log": ["y"], "n": 9})

    def test_one_that_keeps_its_state(self):
        class Inner(TypedDict):
            n: int
            kept: Annotated[list, operator.add]

        inner = graph((START, "i"), state=Inner, i=lambda state: {"kept": ["i"], "n": len(state["kept"])})
        for keeps, last in (True, 1), (None, 0):
            made = self.outer(inner.compile(checkpointer=keeps))
            made.invoke({}, CONFIG)
            self.assertEqual(made.invoke({}, CONFIG)["n"], last)

    def test_coroutines_in_it(self):
        async def node(state):
            return {"n": state["n"] + 1}

        made = self.outer(graph((START, "i"), i=node).compile())
        self.assertEqual(asyncio.run(made.ainvoke({"n": 1}, CONFIG))["n"], 2)

    def test_two_levels_and_many_at_once(self):
        leaf = graph((START, "l"), l=lambda state: {"n": state["n"] * 10})
        middle = graph((START, "m"), m=leaf.compile())
        builder = graph(sub=middle.compile(), state=Log)
        builder.add_conditional_edges(START, lambda state: [Send("sub", {"n": 1, "log": [n]}) for n in range(30)])
        builder.channels.pop("n")
        for schema in builder.schemas.values():
            schema.pop("n")
        self.assertEqual(self.compiled(builder).invoke({}, CONFIG), {"log": [n for n in range(30) for _ in "ab"]})


class Machines(GraphCase):
    def test_the_document_shows_the_graph(self):
        builder = graph((START, "a"), ("a", "b"), a=says("a"), b=says("b"))
        builder.add_conditional_edges("b", lambda state: "a", {"again": "a", "done": END})
        made = self.compiled(builder, name="loop")
        self.assertEqual(wfsm.check(made.machine.document), [])
        self.assertEqual((made.machine.id, made.machine.agents), ("loop", ["node:__start__", "node:a", "node:b"]))
        nodes = made.machine.document["states"]["running"]["states"]
        self.assertEqual([one["target"] for one in nodes["b"]["states"]["merged"]["always"]],
                         ["#running.a", "#idle", "#running.__parallel__"])

    def test_the_program_has_changed(self):
        path = self.folder() / "t.db"

        def opened(*edges, **options):
            store = wfsm.sqlite(path)
            self.addCleanup(store.close)
            return self.compiled(graph((START, "a"), ("a", "b"), *edges), store=store, **options)

        before = opened(interrupt_before=["b"])
        for thread in "1", "2":
            before.invoke({}, config(thread))
        before.close()
        after = opened(("b", "c"), ("c", "d"))
        self.assertEqual(after.invoke(None, config("1")), {"log": ["a", "b", "c", "d"]})
        after.update_state(config("2"), {"log": ["!"]}, as_node="b")
        self.assertEqual(after.get_state(config("2")).next, ("c",))
        first = [*after.get_state_history(config("1"))][-1]
        self.assertEqual(first.next, ("__start__",))
        with self.assertRaises(wfsm.Denied):
            after.invoke(None, first.config)
        with self.assertRaisesRegex(ValueError, "is one of 'LangGraph', not of 'other'"):
            opened(name="other").invoke(None, config("1"))

    def test_what_is_no_graph(self):
        with self.assertRaisesRegex(TypeError, "StateGraph, not dict"):
            wfsm.langgraph.compile({})
        with self.assertRaisesRegex(ValueError, "entrypoint"):
            wfsm.langgraph.compile(graph(a=says("a")))
        with self.assertRaisesRegex(ValueError, "no node 'z'"):
            wfsm.langgraph.compile(graph((START, "a")), interrupt_before=["z"])
        with self.assertRaisesRegex(ValueError, "'__next__'"):
            wfsm.langgraph.compile(graph((START, "__next__")))
        with self.assertRaises(TypeError):
            wfsm.langgraph.compile(graph((START, "a")), store=5)

    def test_arguments(self):
        made = self.compiled(graph((START, "a")))
        for wrong in {}, {"configurable": {}}:
            with self.assertRaisesRegex(ValueError, "thread_id"):
                made.invoke({}, wrong)
        for what in (type("Pregel", (), {"nodes": {}, "channels": {}})(), type("_TaskFunction", (), {})()):
            with self.assertRaisesRegex(TypeError, "functional API .* is not supported: .*wfsm.langgraph.Saver"):
                wfsm.langgraph.compile(what)
        with self.assertRaisesRegex(ValueError, "stream_mode"):
            list(made.stream({}, CONFIG, stream_mode="messages"))
        with self.assertRaisesRegex(ValueError, "no node 'z'"):
            made.invoke({}, CONFIG, interrupt_after=["z"])

    def test_a_callback_of_the_same_store(self):
        store, found = self.memory(), []
        made = self.compiled(graph((START, "a")), store=store)
        saver = wfsm.langgraph.Saver(store)

        def observe(_call):
            for attempt in (lambda: made.invoke({}, CONFIG), lambda: made.update_state(CONFIG, {}),
                            lambda: asyncio.run(made.ainvoke({}, CONFIG))):
                with self.assertRaises(wfsm.WfsmError):
                    attempt()
            found.append(asyncio.run(saver.aget_tuple(CONFIG)))
            found.append(asyncio.run(made.aget_state(CONFIG)).values)
            found.append(asyncio.run(listed()))

        async def listed():
            return [one async for one in made.aget_state_history(CONFIG)]

        instance = wfsm.Instance.start(made.machine, store, "x", functions=self.functions())
        instance.observe(observe)
        instance.send("update", {"node": "a", "answer": {"writes": [], "goto": [], "sends": []}, "applies": False})
        self.assertEqual((found, self.logged), ([None, {"log": []}, []], []))

    def functions(self):
        functions = wfsm.Functions()
        for name in "input", "merge", "resume", "update":
            functions.action(name)(lambda call: None)
        return functions

    def test_the_journal_is_sound(self):
        store = self.memory()
        made = self.compiled(graph((START, "a"), (START, "b"), (("a", "b"), "c")), store=store)
        made.invoke({}, CONFIG)
        made.update_state(CONFIG, {"n": 1}, as_node="a")
        made.invoke(None, CONFIG)
        self.assertEqual(store.audit(), [])


if __name__ == "__main__":
    unittest.main()
