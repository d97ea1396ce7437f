"""What happens in an instance, as a stream."""
import asyncio
import threading
import unittest

from support import Case, wfsm

FOREVER = 600
STEPS = {
    "id": "steps", "initial": "count", "context": {"n": 0},
    "states": {
        "count": {"on": {
            "up": {"actions": [
                {"type": "assign", "params": {"n": {"+": [{"var": "context.n"}, 1]}}},
                {"type": "log", "params": {"label": "n", "value": {"var": "context.n"}}}]},
            "work": "working", "end": "over"}},
        "working": {"invoke": {"src": "writer", "onDone": "over", "onError": "over"}},
        "over": {"type": "final"}}}


class Streams(Case):
    def engine(self, agent=None, store=None, **options):
        engine = wfsm.Engine(store or self.memory(), **options)
        self.addCleanup(engine.close)
        engine.add_machine(wfsm.Machine.load(STEPS))
        engine.agent("writer")(agent or (lambda call: 1))
        return engine

    def brief(self, events):
        return [(one.kind, one.revision, one.data if one.kind != "commit" else one.data["outcome"])
                for one in events]

    async def all(self, stream):
        return [event async for event in stream]

    def test_commits_and_logs_in_order_until_the_end(self):
        engine = self.engine()

        async def main():
            task = engine.start("steps", "t")
            reading = asyncio.ensure_future(self.all(task.stream()))
            await asyncio.sleep(0)
            for event in ("up", "up", "end"):
                self.assertTrue(task.send(event))
            return await reading

        self.assertEqual(self.brief(asyncio.run(main())), [
            ("commit", 2, "taken"), ("log", 2, {"label": "n", "value": 1}),
            ("commit", 3, "taken"), ("log", 3, {"label": "n", "value": 2}), ("commit", 4, "ended")])

    def test_from_any_revision_on_and_again_after_a_disconnect(self):
        engine = self.engine()

        async def main():
            task = engine.start("steps", "t")
            for _ in range(5):
                task.send("up")
            seen = []
            async for event in task.events(after=0):
                seen.append(event.revision)
                if len(seen) == 3:
                    break
            task.send("up")
            task.send("end")
            async for event in task.events(after=seen[-1]):
                seen.append(event.revision)
            return seen

        self.assertEqual(asyncio.run(main()), list(range(1, 9)))

    def test_a_callback_reads_what_was_committed(self):
        """The thread of the callback has the store, so that no other thread can read for it."""
        engine = self.engine()
        task, seen = engine.start("steps", "t"), []
        stream = task.stream(after=0)

        async def first():
            loop = asyncio.get_running_loop()

            def refuses(*_):
                raise AssertionError("a thread that would wait for the callback")

            loop.run_in_executor = refuses
            return (await stream.__anext__()).revision

        @engine.observer
        def told(call):
            seen.append(asyncio.run(first()))

        self.assertTrue(task.send("up"))
        self.assertEqual(seen, [1])

    def test_progress_and_tokens_of_functions_and_coroutines(self):
        def function(call):
            call.progress({"done": 1})
            for text in ("Dear", " Ada"):
                call.token(text)

        async def coroutine(work):
            await work.progress({"done": 1})
            for text in ("Dear", " Ada"):
                await work.token(text)

        for agent in function, coroutine:
            with self.subTest(agent=agent.__name__):
                engine = self.engine(agent)

                async def main():
                    task = engine.start("steps", "t")
                    reading = asyncio.ensure_future(self.all(task.stream()))
                    await asyncio.sleep(0)
                    task.send("work")
                    return await reading

                events = asyncio.run(main())
                self.assertEqual(self.brief(events), [
                    ("commit", 2, "taken"), ("progress", 2, {"done": 1}), ("token", 2, "Dear"),
                    ("token", 2, " Ada"), ("commit", 3, "ended")])
                self.assertEqual(len({one.invocation for one in events[1:4]}), 1)

    def test_a_slow_reader_holds_agents_up_and_loses_no_token(self):
        given = []

        def function(call):
            for number in range(50):
                call.token(str(number))
                given.append(number)

        async def coroutine(work):
            for number in range(50):
                await work.token(str(number))
                given.append(number)

        for agent in function, coroutine:
            with self.subTest(agent=agent.__name__):
                engine = self.engine(agent)
                given.clear()

                async def main():
                    task, seen = engine.start("steps", "t"), []
                    stream = task.stream(kinds=("token",), buffer=4)
                    task.send("work")
                    async for event in stream:
                        self.assertLessEqual(len(given) - len(seen), 6)
                        seen.append(event.data)
                        await asyncio.sleep(0.001)
                    return seen

                self.assertEqual(asyncio.run(main()), [str(number) for number in range(50)])

    def test_a_reader_that_leaves_holds_nobody_up(self):
        async def coroutine(work):
            for number in range(50):
                await work.token(str(number))

        engine = self.engine(coroutine)

        async def main():
            task = engine.start("steps", "t")
            stream = task.stream(buffer=1)
            task.send("work")
            async for event in stream:
                if event.kind == "token":
                    break
            await stream.aclose()
            await task.wait(timeout=FOREVER)

        asyncio.run(main())

    def test_commits_that_do_not_fit_are_read_from_the_journal(self):
        engine = self.engine()

        async def main():
            task = engine.start("steps", "t")
            stream = task.stream(kinds=("commit",), buffer=3)
            for _ in range(20):
                task.send("up")
            task.send("end")
            return [event.revision async for event in stream]

        self.assertEqual(asyncio.run(main()), list(range(2, 23)))

    def test_several_readers_from_several_threads(self):
        engine = self.engine()

        async def main():
            task = engine.start("steps", "t")
            readers = [asyncio.ensure_future(self.all(task.events(after=0))) for _ in range(3)]
            await asyncio.sleep(0)

            def send():
                for _ in range(10):
                    task.send("up")
                task.send("end")

            sender = threading.Thread(target=send)
            sender.start()
            found = await asyncio.gather(*readers)
            sender.join()
            return [[event.revision for event in events] for events in found]

        self.assertEqual(asyncio.run(main()), [list(range(1, 13))] * 3)

    def test_what_does_not_fit_is_refused(self):
        task = self.engine().start("steps", "t")
        for wrong in (lambda: task.stream(kinds=("commits",)), lambda: task.stream(kinds="commit"),
                      lambda: task.stream(buffer=0), lambda: task.stream(after=-1),
                      lambda: task.stream(after="x")):
            with self.assertRaises((TypeError, ValueError)):
                wrong()

    def test_what_is_no_json_is_a_failure_of_the_agent(self):
        def function(call):
            call.progress({1, 2})

        engine, store = None, self.memory()
        engine = self.engine(function, store)

        async def main():
            task = engine.start("steps", "t")
            task.send("work")
            await task.wait(timeout=FOREVER)

        asyncio.run(main())
        self.assertEqual([one.data["input"]["kind"] for one in store.records("t")][-1], "failure")


if __name__ == "__main__":
    unittest.main()
