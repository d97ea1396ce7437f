"""wfsm.langgraph in an event loop, which never waits for the store."""
import asyncio
import unittest

from held import CALLBACKS, LoopCase, Mark, let_run
from langgraph_given import START, config, graph, says, wfsm

CONFIG = config()


class Graphs(LoopCase):
    def compiled(self, *edges, **nodes):
        made = wfsm.langgraph.compile(graph(*edges, **nodes), store=self.store)
        self.addCleanup(made.close)
        return made

    def test_a_run_and_its_states(self):
        made = self.compiled((START, "a"), a=says("a"))

        async def main():
            await made.ainvoke({"log": []}, CONFIG)
            chunks = [chunk async for chunk in made.astream({"log": []}, CONFIG)]
            state = await made.aget_state(CONFIG)
            history = [one async for one in made.aget_state_history(CONFIG)]
            self.assertEqual((len(chunks), state.next, len(history) > 2), (1, (), True))

        self.run_off_the_loop(main)

    def test_an_update(self):
        made = self.compiled((START, "a"), ("a", "b"))
        first, second = config("new"), config("old")
        made.invoke({"log": ["x"]}, second)
        past = next(one.config for one in made.get_state_history(second) if one.next == ("b",))

        async def main():
            for place, name, call in ((first, "snapshot", "commit"), (second, None, "snapshot"), (second, None, "commit"),
                                      (past, None, "records")):
                del name
                found, _ = await self.held(call, lambda one=place: made.aupdate_state(one, {"log": ["u"]}, as_node="a"))
                self.assertEqual((await made.aget_state(found)).next, ("b",))
            self.assertEqual((await made.ainvoke(None, second))["log"], ["x", "a", "u", "b"])

        self.run_off_the_loop(main)

    def test_an_update_asks_edges_of_both_kinds(self):
        """Those that are coroutines run in this loop."""
        loops = []

        async def path(state):
            loops.append(asyncio.get_running_loop())
            return state["log"][-1]

        builder = graph((START, "a"), b=says("b"), c=says("c"))
        builder.add_conditional_edges("a", path)
        builder.add_conditional_edges("a", lambda state: "c")
        made = wfsm.langgraph.compile(builder, store=self.store)
        self.addCleanup(made.close)

        async def main():
            found = await made.aupdate_state(CONFIG, {"log": ["b"]}, as_node="a")
            self.assertEqual(set((await made.aget_state(found)).next), {"b", "c"})
            self.assertEqual(loops, [asyncio.get_running_loop()])

        self.run_off_the_loop(main)

    def test_an_update_that_is_cancelled_is_made(self):
        made = self.compiled((START, "a"))

        async def main():
            self.shelf.held = "commit"
            update = asyncio.ensure_future(made.aupdate_state(CONFIG, {"log": ["u"]}, as_node="a"))
            while not self.shelf.inside.is_set():
                await asyncio.sleep(0.001)
            update.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await update
            await let_run(CALLBACKS)
            self.shelf.gate.set()
            while not (await made.aget_state(CONFIG)).values.get("log"):
                await asyncio.sleep(0.001)

        self.run_off_the_loop(main)

    def test_a_node_begins_while_its_thread_is_given_up(self):
        made = self.compiled((START, "a"), a=says("a"))
        made.invoke({"log": []}, CONFIG)
        with self.assertRaises(wfsm.NotFound):
            made._driven().instance("t").context
        context = made._nodes._context("t")
        self.assertEqual((made.get_state(CONFIG).values["log"], context["__checkpoint__"]["step"]), (["a"], 1))

    def test_who_stops_reading_a_stream(self):
        """The thread is given up in another thread."""
        made = self.compiled((START, "a"), ("a", "b"))

        async def first():
            stream = made.astream({"log": []}, CONFIG)
            async for chunk in stream:
                break
            await stream.aclose()
            return chunk

        async def main():
            chunk, _ = await self.held("disown", first)
            self.assertEqual(chunk, {"a": {"log": ["a"]}})
            self.assertEqual((await made.ainvoke(None, CONFIG))["log"], ["a", "b"])

        self.run_off_the_loop(main)

    def test_a_call_that_is_cancelled(self):
        """While it uses the store, and while a node is at work."""
        begun = Mark()

        async def slow(_state):
            begun.set()
            await asyncio.sleep(3600)

        made = self.compiled((START, "a"), ("a", "b"), b=slow)

        async def cancelled(call):
            call.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await call

        async def main():
            self.shelf.held = "commit"
            call = asyncio.ensure_future(made.ainvoke({"log": []}, CONFIG))
            while not self.shelf.inside.is_set():
                await asyncio.sleep(0.001)
            ended = asyncio.ensure_future(cancelled(call))
            await let_run(CALLBACKS)
            self.shelf.gate.set()
            await ended
            other = config("other")
            call = asyncio.ensure_future(made.ainvoke({"log": []}, other))
            await begun.wait()
            self.shelf.inside.clear()
            self.shelf.gate.clear()
            self.shelf.held = "disown"
            ended = asyncio.ensure_future(cancelled(call))
            while not self.shelf.inside.is_set():
                await asyncio.sleep(0.001)
            await let_run(CALLBACKS)
            self.shelf.gate.set()
            await ended

        self.run_off_the_loop(main)


if __name__ == "__main__":
    unittest.main()
