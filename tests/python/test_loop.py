"""The event loop never waits for the store: it continues while the store is held in a call."""
import asyncio
import threading
import unittest
from unittest import mock

from held import CALLBACKS, FOREVER, LoopCase, Mark, let_run
from support import wfsm

STEPS = {
    "id": "steps", "initial": "first", "context": {"answer": 42},
    "states": {
        "first": {"on": {"go": "second", "time": "timed", "work": "working", "ask": {"guard": "may", "target": "second"}},
                  "entry": [{"type": "emit", "params": {"event": "began"}}]},
        "second": {"on": {"go": "first", "work": "working"}},
        "timed": {"after": {"1": "third"}},
        "third": {"on": {"work": "working"}},
        "working": {"invoke": {"src": "worker", "onDone": "done"}},
        "done": {"type": "final", "output": {"var": "context.answer"}}}}


class Loop(LoopCase):
    def setUp(self):
        super().setUp()
        self.machine = wfsm.Machine.load(STEPS)

    def engine(self, **options):
        return wfsm.engine(self.store, [self.machine], **options)

    def made(self, store=None):
        engine = wfsm.Engine(store or self.store)
        self.addCleanup(engine.close)
        engine.add_machine(self.machine)
        engine.guard("may")(lambda call: True)
        return engine

    def test_opening_and_closing(self):
        async def main():
            context = self.engine()
            made, _ = await self.held("claim", context.__aenter__)
            made.guard("may")(lambda call: True)
            await made.astart("steps", "x")
            await self.held("disown", made.aclose)
            self.assertTrue(made.closed)

        self.run_off_the_loop(main)

    def test_the_end_of_async_with(self):
        async def body():
            async with self.engine() as engine:
                engine.guard("may")(lambda call: True)
                await engine.astart("steps", "x")

        async def main():
            await self.held("disown", body)

        self.run_off_the_loop(main)

    def test_opening_that_is_cancelled_closes_the_engine(self):
        async def main():
            self.shelf.held = "claim"
            opening = asyncio.ensure_future(self.engine(session="one").__aenter__())
            while not self.shelf.inside.is_set():
                await asyncio.sleep(0.001)
            opening.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await opening
            self.shelf.gate.set()
            while self.shelf.calls.count("owner_alive") < 2 or self.shelf._all["owners"]:
                await asyncio.sleep(0.001)

        asyncio.run(asyncio.wait_for(main(), FOREVER))

    def test_inputs_and_questions_meanwhile(self):
        engine = self.made()

        async def main():
            async with engine:
                task, _ = await self.held("commit", lambda: engine.astart("steps", "x"))
                outcome, before = await self.held("commit", lambda: task.asend("go"),
                                                  lambda: (task.configuration, task.done, engine.working))
                self.assertEqual((outcome, before), (wfsm.Outcome.TAKEN, (["first"], False, 0)))
                outcome, _ = await self.held("seen", lambda: task.asend("go", id="e1"))
                self.assertTrue(outcome)
                self.assertEqual(await task.asend("go", id="e1"), wfsm.Outcome.DUPLICATE)
                many, _ = await self.held("commit", lambda: engine.astart_all([("steps", "a"), ("steps", "b")]))
                self.assertEqual([one.id for one in many], ["a", "b"])
                outcome, before = await self.held("commit", many[0].astop, lambda: many[0].done)
                self.assertEqual((outcome, before, many[0].done), (wfsm.Outcome.ENDED, False, True))

        self.run_off_the_loop(main)

    def test_a_callback_opens_and_closes_an_engine(self):
        """Its thread has the store until it returns: no other one is waited for."""
        engine, other, opened, refused = self.made(self.memory()), None, [], []

        async def open_and_close():
            async with wfsm.engine(engine._store, [self.machine]) as made:
                opened.append(made)

        def observe(_call):
            asyncio.run(open_and_close())
            for call in (lambda: engine.asend("x", "go", event_id="e1"), lambda: engine.aadopt("x"),
                         lambda: other.aadopt("x")):
                try:
                    asyncio.run(call())
                except wfsm.WfsmError as problem:
                    refused.append(type(problem))
            asyncio.run(other.aclose())

        other = self.made(engine._store)
        engine.observer(observe)
        engine.start("steps", "x")
        self.assertTrue(opened[0].closed and other.closed)
        self.assertEqual(refused, [wfsm.Busy, wfsm.Busy, wfsm.Denied])

    def test_a_callback_in_another_thread_whose_loop_has_ended(self):
        """A new loop there does not wait for the call that the callback is part of."""
        engine, inside, ended, refused = self.made(), threading.Event(), threading.Event(), []

        def observe(call):
            if "event" in call.record["input"]:
                inside.set()
                assert ended.wait(FOREVER)
                try:
                    asyncio.run(engine.astart_all([("steps", "y")]))
                except wfsm.Busy as problem:
                    refused.append(problem)

        engine.observer(observe)

        async def main():
            task = await engine.astart("steps", "x")
            sending = threading.Thread(target=lambda: task.send("go"), daemon=True)
            sending.start()
            while not inside.is_set():
                await asyncio.sleep(0.001)
            return sending

        sending = asyncio.run(main())
        ended.set()
        sending.join()
        self.assertEqual(len(refused), 1)

    def test_adopting(self):
        engine = self.made()
        with self.made() as before:
            for number in range(3):
                before.start("steps", f"t{number}")

        async def main():
            async with engine:
                task, _ = await self.held("own", lambda: engine.aadopt("t0"))
                self.assertEqual(task.configuration, ["first"])
                found, state = await self.held("own", engine.aadopt_all, lambda: len(self.shelf.calls))
                self.assertEqual((found, [engine.instance(f"t{number}").done for number in range(3)]), (2, [False] * 3))
                self.assertGreater(state, 0)
                self.assertEqual(await engine.aadopt_all(), 0)
                with self.assertRaises(wfsm.NotFound):
                    await engine.aadopt("none")
                self.assertEqual(await task.asend("go"), wfsm.Outcome.TAKEN)
                await self.held("disown", lambda: engine.arelease("t0"))
                with self.assertRaises(wfsm.NotFound):
                    engine.instance("t0")

        self.run_off_the_loop(main)

    def test_the_driver_asks_for_the_deadline_in_its_turn(self):
        """Else it would wait, and hold the loop, while another thread uses the store."""
        engine, asked, deadline = self.made(), [], wfsm.Engine.deadline

        def watched(self):
            asked.append(self._driver._turn.lock.locked())
            return deadline.fget(self)

        async def main():
            async with engine:
                await (await engine.astart("steps", "x")).asend("go")

        with mock.patch.object(wfsm.Engine, "deadline", property(watched)):
            self.run_off_the_loop(main)
        self.assertTrue(asked)
        self.assertNotIn(False, asked)

    def test_what_is_refused(self):
        engine = self.made()

        async def main():
            async with engine:
                task = await engine.astart("steps", "x")
                for refused in (lambda: engine.astart("steps", "x"), lambda: engine.astart_all([("steps", "x")])):
                    with self.assertRaises(wfsm.AlreadyExists):
                        await refused()
                with self.assertRaises(wfsm.NotFound) as failed:
                    await engine.astart_all([("none", "a"), ("steps", "b"), ("steps", "x")])
                self.assertEqual(failed.exception.answers,
                                 [wfsm.Status.NOT_FOUND, None, wfsm.Status.EXISTS])
                with self.assertRaises(wfsm.NotFound):
                    await engine.asend("nobody", "go")
                with self.assertRaises(TypeError):
                    await engine.asend("x", 5)
                self.assertEqual(await task.asend("nothing"), wfsm.Outcome.NO_TRANSITION)
                with self.assertRaises(wfsm.NotFound):
                    await engine.astop("nobody")
                self.assertEqual(await task.asend("go"), wfsm.Outcome.TAKEN)

        asyncio.run(main())

    def test_starts_that_wait_together_are_one_transaction(self):
        engine = self.made()

        async def main():
            async with engine:
                await engine.astart("steps", "known")
                before = self.shelf.calls.count("commit")
                ids = ["known", *(f"t{number}" for number in range(30))]
                starts = [engine.astart("steps", id) for id in ids]
                starts += [engine.astart("none", "x"), engine.astart("steps", "later", now=5)]
                cancelled = asyncio.ensure_future(engine.astart("steps", "cancelled"))
                answers = asyncio.gather(*starts, return_exceptions=True)
                await asyncio.sleep(0)
                cancelled.cancel()
                answers = await answers
                self.assertIsInstance(answers[0], wfsm.AlreadyExists)
                self.assertIn("known", str(answers[0]))
                self.assertIsInstance(answers[-2], wfsm.NotFound)
                self.assertEqual([one.id for one in answers[1:-2]], ids[1:])
                self.assertEqual(answers[-1].now, 5)
                self.assertLess(self.shelf.calls.count("commit") - before, 6)
                with self.assertRaises(TypeError):
                    await engine.astart("steps", "y", [5])

        self.run_off_the_loop(main)

    def test_answers_that_come_together_are_one_transaction_without_a_loop_too(self):
        engine, most = self.made(), 30
        engine.limit("slots", most)
        begun, everybody = [], Mark()

        @engine.agent("worker")
        async def worker(work):
            begun.append(work)
            if len(begun) == most:
                everybody.set()
            await everybody.wait()

        tasks = engine.start_all([("steps", f"t{number}") for number in range(most)])
        for task in tasks:
            task.send("work")
        before = self.shelf.calls.count("commit")
        self.assertTrue(engine.run_until(lambda: all(task.done for task in tasks), FOREVER))
        self.assertLess(self.shelf.calls.count("commit") - before, 10)

    def test_a_store_that_fails_is_told_to_all_who_start(self):
        engine = self.made()

        async def main():
            async with engine:
                await engine.astart("steps", "x")
                self.shelf.commit = self.fail_once(self.shelf.commit)
                answers = await asyncio.gather(*(engine.astart("steps", f"t{number}") for number in range(3)),
                                               return_exceptions=True)
                self.assertEqual({type(one) for one in answers}, {wfsm.Conflict})  # it may have been stored
                await engine.astart("steps", "y")

        asyncio.run(main())

    @staticmethod
    def fail_once(commit):
        failures = iter([OSError("full")])

        def fails(commits):
            for problem in failures:
                raise problem
            return commit(commits)

        return fails

    def test_a_round_and_a_wait_that_begins_meanwhile(self):
        engine = self.made()

        @engine.agent("worker")
        async def worker(_work):
            return 1

        async def main():
            async with engine:
                task = await engine.astart("steps", "x")
                await task.asend("work")
                waits = []
                await self.held("commit", lambda: task.wait(timeout=FOREVER),
                                lambda: waits.append(asyncio.ensure_future(task.wait(timeout=FOREVER))))
                self.assertEqual(await waits[0], 42)

        self.run_off_the_loop(main)

    def test_a_stream_that_reads_the_journal(self):
        engine = self.made()

        async def main():
            async with engine:
                task = await engine.astart("steps", "x")
                await task.asend("go")
                stream = task.stream(after=0)
                first, state = await self.held("records", stream.__anext__, lambda: task.configuration)
                self.assertEqual((first.revision, state), (1, ["second"]))
                _, closed = await self.held("commit", lambda: task.asend("go"),
                                            lambda: asyncio.ensure_future(stream.aclose()))
                await closed

        self.run_off_the_loop(main)

    def test_a_call_of_another_thread(self):
        engine = self.made()

        async def main():
            async with engine:
                task = await engine.astart("steps", "x")
                for name, use in (("post", lambda: self.store.post("x", "nothing")), ("head", lambda: self.store.head("x")),
                                  ("list", self.store.list), ("records", lambda: self.store.records("x"))):
                    _, state = await self.held(name, lambda: asyncio.to_thread(use), lambda: task.configuration)
                    self.assertEqual(state, ["first"])
                for call in (lambda: task.send("go"), lambda: engine.start("steps", "y"),
                             lambda: engine.start_all([("steps", "z")]), lambda: engine.fork("x", "f"),
                             lambda: engine.patch("x", {"answer": 1}), lambda: engine.stop("y")):
                    _, state = await self.held("commit", lambda: asyncio.to_thread(call), lambda: task.revision)
                    self.assertGreater(state, 0)

        self.run_off_the_loop(main)

    def test_a_call_of_the_loop_waits_for_another_thread(self):
        """It is made in the loop's thread, and so waits for the store; but it is answered."""
        engine = self.made()

        async def main():
            async with engine:
                task = await engine.astart("steps", "x")
                self.shelf.held = "commit"
                sent = asyncio.ensure_future(asyncio.to_thread(task.send, "go"))
                while not self.shelf.inside.is_set():
                    await asyncio.sleep(0.001)
                threading.Timer(0.01, self.shelf.gate.set).start()
                self.assertEqual(task.send("go"), wfsm.Outcome.TAKEN)
                self.assertEqual(await sent, wfsm.Outcome.TAKEN)
                self.assertEqual(task.configuration, ["first"])

        asyncio.run(asyncio.wait_for(main(), FOREVER))

    def test_who_is_cancelled_does_not_hold_the_loop(self):
        engine = self.made()

        async def main():
            async with engine:
                task = await engine.astart("steps", "x")
                self.shelf.held = "commit"
                sent = asyncio.ensure_future(task.asend("go"))
                while not self.shelf.inside.is_set():
                    await asyncio.sleep(0.001)
                sent.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await sent
                await let_run(CALLBACKS)
                self.assertEqual(task.configuration, ["first"])
                self.shelf.gate.set()
                await task.wait(lambda: not task.in_state("first"), timeout=FOREVER)

        self.run_off_the_loop(main)

    def test_a_whole_life(self):
        """Agents of both kinds, timers, effects, posts, logs: nothing reaches the store from the loop."""
        engine = self.made()
        began = []

        @engine.agent("worker")
        def worker(call):
            call.progress(1)
            return 1

        @engine.on_effect
        async def effect(one):
            began.append(one.instance)

        async def main():
            async with engine:
                tasks = await engine.astart_all([("steps", f"t{number}") for number in range(5)])
                streams = [asyncio.ensure_future(self.read(task)) for task in tasks]
                for task in tasks:
                    await task.asend("time")
                await asyncio.gather(*(task.wait(lambda one=task: one.in_state("third"), FOREVER) for task in tasks))
                await asyncio.to_thread(self.store.post, "t0", "work")
                for task in tasks[1:]:
                    await task.asend("work")
                self.assertEqual(await asyncio.gather(*(task.wait(timeout=FOREVER) for task in tasks)), [42] * 5)
                self.assertEqual(len(await asyncio.gather(*streams)), 5)
                await engine.arun_until(lambda: len(began) == 5, FOREVER)

        self.run_off_the_loop(main)

    @staticmethod
    async def read(task):
        return [event.kind async for event in task.stream(after=0, buffer=2)]

    def test_many_answers_are_handed_over_in_several_turns(self):
        """Each is cheap, but a thousand of them are not."""
        engine, handed = self.made(self.memory()), []

        @engine.agent("worker")
        async def worker(_work):
            await everybody.wait()

        deliver = engine._tasks.deliver

        def counted(*arguments):
            before = len(engine._tasks._ended)
            left = deliver(*arguments)
            handed.append(before - len(engine._tasks._ended))
            return left

        engine._tasks.deliver = counted

        async def main():
            async with engine:
                engine.limit("slots", 450)
                tasks = await engine.astart_all([("steps", f"t{number}") for number in range(450)])
                for task in tasks:
                    await task.asend("work")
                await engine.arun_until(lambda: engine.working == 450, FOREVER)
                everybody.set()
                await asyncio.gather(*(task.wait(timeout=FOREVER) for task in tasks))

        everybody = Mark()
        asyncio.run(main())
        self.assertEqual(sum(handed), 450)
        self.assertLessEqual(max(handed), 200)

    def test_an_instance_that_was_evicted_is_found_while_a_round_is_out(self):
        """A question about it reads the store, and so waits for the round; but it is answered."""
        async def main():
            async with self.engine(cached_instances=1) as engine:
                engine.guard("may")(lambda call: True)
                tasks = [await engine.astart("steps", f"t{number}") for number in range(3)]
                threading.Timer(0.01, self.shelf.gate.set).start()
                self.shelf.held = "commit"
                sent = asyncio.ensure_future(tasks[0].asend("go"))
                while not self.shelf.inside.is_set():
                    await asyncio.sleep(0.001)
                self.assertEqual([task.configuration for task in tasks], [["second"], ["first"], ["first"]])
                self.assertTrue(await sent)

        asyncio.run(asyncio.wait_for(main(), FOREVER))


if __name__ == "__main__":
    unittest.main()
