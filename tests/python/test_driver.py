"""An engine that the event loop drives: waiting, threads beside it, and the store's own thread."""
import asyncio
import sys
import threading
import unittest
import unittest.mock

from support import ROOT, Case, wfsm

sys.path.insert(0, str(ROOT / "bindings" / "python" / "examples"))

from shelf import Shelf  # noqa: E402

from wfsm import _threads, agents, hosted  # noqa: E402

CHAIN = {
    "id": "chain", "initial": "first",
    "states": {
        "first": {"invoke": {"src": "worker", "onDone": "second", "onError": "given_up"},
                  "on": {"skip": "second"}},
        "second": {"invoke": {"src": "worker", "onDone": "done", "onError": "given_up"},
                   "on": {"skip": "done"}},
        "done": {"type": "final", "output": {"var": "context.answer"}},
        "given_up": {"type": "final"}},
    "context": {"answer": 42}}
GUARDED = {**CHAIN, "states": {**CHAIN["states"], "first": {
    **CHAIN["states"]["first"], "on": {"skip": {"guard": "may", "target": "second"}}}}}
BELL = {
    "id": "bell", "initial": "still", "states": {
        "still": {"on": {"ring": {"actions": {"type": "emit", "params": {"event": "ding"}}},
                         "end": "over"}},
        "over": {"type": "final"}}}
PATIENT = {
    "id": "patient", "initial": "both", "states": {
        "both": {"type": "parallel", "onDone": "done", "states": {
            "work": {"initial": "at", "states": {
                "at": {"invoke": {"src": "worker", "onDone": "ready"}}, "ready": {"type": "final"}}},
            "clock": {"initial": "before", "states": {
                "before": {"after": {"10": "later"}}, "later": {"type": "final"}}}}},
        "done": {"type": "final"}}}
FOREVER = 600  # seconds; no test waits so long unless it fails


class Gated(Shelf):
    """A store whose commits, once `shut` is set, begin only when the gate is opened."""

    def __init__(self, path):
        super().__init__(path)
        self.shut, self.inside, self.gate = False, threading.Event(), threading.Event()
        self.fails = None

    def commit(self, commits):
        if self.shut:
            self.inside.set()
            assert self.gate.wait(FOREVER)
        if self.fails is not None:
            raise self.fails
        return super().commit(commits)


def once(call):
    """Its answer makes a round commit, with which the next state begins."""
    return 1 if call.state == "first" else wfsm.LATER


async def later(_work):
    await asyncio.sleep(FOREVER)


class Driven(Case):
    def engine(self, document=CHAIN, store=None, agent=lambda call: 1, **options):
        engine = wfsm.Engine(store or self.memory(), **options)
        self.addCleanup(engine.close)
        engine.add_machine(wfsm.Machine.load(document))
        if agent is not None:
            engine.agent("worker")(agent)
        return engine

    def gated(self, **options):
        shelf = Gated(self.folder() / "shelf")
        store = hosted.store(shelf)
        self.addCleanup(store.close)
        self.addCleanup(shelf.gate.set)
        return shelf, self.engine(store=store, **options)

    def rounds(self, engine):
        """Counts the rounds that begin."""
        begun, prepare = [], engine._prepare

        def counted(*arguments):
            begun.append(1)
            return prepare(*arguments)

        engine._prepare = counted
        return begun

    def test_a_task_is_awaited_and_gives_its_output(self):
        engine = self.engine()

        async def main():
            tasks = [engine.start("chain", f"t{number}") for number in range(5)]
            return await asyncio.gather(*(task.wait(timeout=FOREVER) for task in tasks))

        self.assertEqual(asyncio.run(main()), [42] * 5)

    def test_rounds_that_are_refused_at_once_let_the_loop_run(self):
        """The fuzzer found a driver that made such rounds for ever, because nothing in them waits."""
        engine, rounds, happened = self.engine(), iter(range(10000)), []

        def refused():
            if next(rounds, None) is None:
                raise SystemExit("the loop did not run")
            raise wfsm.Denied(wfsm.Status.DENIED, "not now")

        async def main():
            asyncio.get_running_loop().call_soon(happened.append, True)
            with unittest.mock.patch.object(engine, "_begin_round", refused):
                await engine.arun_until(lambda: bool(happened), interval=0)

        asyncio.run(main())

    def test_agents_begin_and_who_waits_is_told_in_turns_of_their_own(self):
        """Together they took 15 ms of a loop with 1,000 workflows."""
        engine, turns, parts = self.engine(), [0], []

        def turn():
            turns[0] += 1
            asyncio.get_running_loop().call_soon(turn)

        def noting(method):
            def noted(*arguments):
                parts.append((method.__name__, turns[0]))
                return method(*arguments)
            return noted

        async def main():
            turn()
            task = engine.start("chain", "t")
            driver = engine._drive()
            driver._finish, driver._tell = noting(driver._finish), noting(driver._tell)
            await task.wait(timeout=FOREVER)

        asyncio.run(main())
        rounds = list(zip(parts[::2], parts[1::2]))
        self.assertGreater(len(rounds), 0)
        for (finish, finished), (tell, told) in rounds:
            self.assertEqual((finish, tell), ("_finish", "_tell"))
            self.assertGreater(told, finished)

    def test_a_condition_a_time_limit_and_no_such_instance(self):
        engine = self.engine(agent=later)

        async def main():
            task = engine.start("chain", "t")
            with self.assertRaises(asyncio.TimeoutError):
                await task.wait(timeout=0.01)
            waiting = asyncio.ensure_future(task.wait(lambda: task.in_state("second")))
            await asyncio.sleep(0)
            self.assertTrue(task.send("skip"))
            await waiting
            with self.assertRaises(wfsm.NotFound):
                await wfsm.EngineInstance(engine, "nobody").wait()
            with self.assertRaises(TypeError):
                await task.wait(later)

        asyncio.run(main())

    def test_a_second_loop_drives_it_on(self):
        engine = self.engine(agent=later)
        task = engine.start("chain", "t")

        async def skip():
            task.send("skip")
            await task.wait(lambda: not task.in_state("first"))

        asyncio.run(skip())
        asyncio.run(skip())
        self.assertTrue(task.done or task.in_state("second"))

    def test_one_driver_serves_all_who_wait(self):
        engine = self.engine(agent=later, look_ms=60000)
        begun = self.rounds(engine)

        async def main():
            tasks = [engine.start("chain", f"t{number}") for number in range(100)]
            waiting = [asyncio.ensure_future(task.wait(timeout=FOREVER)) for task in tasks]
            await engine.arun_until(lambda: engine.working == 15, timeout=FOREVER)
            for task in tasks:
                task.stop()
            await asyncio.gather(*waiting)

        asyncio.run(main())
        self.assertLess(len(begun), 30)

    def test_a_send_of_another_thread_wakes_it(self):
        engine = self.engine(agent=later, look_ms=FOREVER * 1000, lapse_ms=FOREVER * 3000)
        begun = self.rounds(engine)

        async def main():
            task = engine.start("chain", "t")
            waiting = asyncio.ensure_future(task.wait(timeout=FOREVER / 2))
            while len(begun) < 3 or engine.working == 0:
                await asyncio.sleep(0.001)
                task._engine._wake()
            sender = threading.Thread(target=lambda: [task.send("skip"), task.send("skip")])
            sender.start()
            await waiting
            sender.join()

        asyncio.run(main())

    def test_instances_that_another_thread_begins_wake_it(self):
        """Nothing else does: the engine looks for posts once in an hour."""
        store, hour = self.memory(), 3_600_000
        machine = wfsm.Machine.load(CHAIN)

        async def main():
            with wfsm.Engine(store) as other:
                other.add_machine(machine)
                for name in ("adopted", "one-of-all"):
                    other.start("chain", name)
                    other.release(name)
            ended = asyncio.Queue()
            async with wfsm.engine(store, [machine], look_ms=hour, lapse_ms=24 * hour) as engine:
                engine.agent("worker")(lambda call: 1)

                @engine.observer
                def tell(call):
                    if call.record["outcome"] == "ended":
                        ended.put_nowait(call.instance)

                await engine.start("chain", "first").wait()
                for begin in (lambda: engine.start("chain", "second"),
                              lambda: engine.start_all([("chain", "third")]),
                              lambda: engine.adopt("adopted"), engine.adopt_all,
                              lambda: engine.fork("first", "forked", revision=1)):
                    await ended.get()
                    await asyncio.to_thread(begin)
                return await ended.get()

        self.assertEqual(asyncio.run(asyncio.wait_for(main(), FOREVER / 10)), "forked")

    def test_the_loop_goes_on_while_the_store_writes(self):
        shelf, engine = self.gated()

        async def main():
            task = engine.start("chain", "t")
            shelf.shut = True
            waiting = asyncio.ensure_future(task.wait(timeout=FOREVER))
            while not shelf.inside.is_set():  # for ever, if the commit held the loop up
                await asyncio.sleep(0.001)
            self.assertEqual(task.configuration, ["first"])  # from what is stored
            shelf.gate.set()
            await waiting

        asyncio.run(asyncio.wait_for(main(), FOREVER))

    @staticmethod
    async def round_out(shelf, engine):
        """A task, and a wait for it whose round is out: the store is called and does not answer."""
        task = engine.start("chain", "t")
        shelf.shut = True
        waiting = asyncio.ensure_future(task.wait(timeout=FOREVER))
        while not shelf.inside.is_set():
            await asyncio.sleep(0.001)
        return task, waiting

    def test_calls_of_the_loop_while_a_round_is_out(self):
        shelf, engine = self.gated(agent=once)

        async def main():
            task, waiting = await self.round_out(shelf, engine)
            threading.Timer(0.01, shelf.gate.set).start()
            other = engine.start("chain", "other")  # ends the round that is out, and then starts
            self.assertEqual(other.configuration, ["first"])
            self.assertEqual(task.send("skip"), wfsm.Outcome.ENDED)
            await waiting

        asyncio.run(main())

    def test_calls_of_other_threads_while_a_round_is_out(self):
        shelf, engine = self.gated(agent=once)

        async def main():
            task, waiting = await self.round_out(shelf, engine)
            threading.Timer(0.01, shelf.gate.set).start()
            outcome = await asyncio.get_running_loop().run_in_executor(
                None, lambda: task.send("skip"))
            self.assertEqual(outcome, wfsm.Outcome.ENDED)
            await waiting

        asyncio.run(main())

    def test_a_callback_in_another_thread_does_not_wait_for_the_round_that_waits_for_it(self):
        shelf, engine = self.gated(agent=once, document=GUARDED)
        said = []

        @engine.guard("may")
        def may(call):
            if threading.current_thread() is threading.main_thread():
                return True
            try:
                engine._store.remove("other")
            except wfsm.WfsmError as problem:
                said.append(problem)
            shelf.gate.set()
            return True

        async def main():
            task, waiting = await self.round_out(shelf, engine)
            family = engine._own_handle().family
            wait = family.turn._wait

            def waits():  # the end of the round needs the store, which this thread has
                self.assertFalse(family.is_mine())
                return wait()

            family.turn._wait = waits
            try:
                await asyncio.get_running_loop().run_in_executor(None, lambda: task.enabled_events)
            finally:
                shelf.gate.set()
            self.assertIsInstance(said[0], wfsm.Busy)
            task.send("skip")
            await waiting

        asyncio.run(main())

    def test_agents_are_registered_while_a_round_is_out(self):
        """The thread must not hold the store while it waits for the round, which needs it to end."""
        try:
            collection = agents.Agents()
        except ImportError as missing:
            self.skipTest(str(missing))
        self.addCleanup(collection.close)
        shelf, engine = self.gated(agent=once)

        async def main():
            task, waiting = await self.round_out(shelf, engine)
            turn = engine._own_handle().family.turn
            wait = turn._wait

            def waits():
                shelf.gate.set()
                return wait()

            turn._wait = waits
            await asyncio.get_running_loop().run_in_executor(
                None, lambda: collection.register(engine, engine._store))
            task.send("skip")
            await waiting

        asyncio.run(main())

    def test_drivers_that_begin_and_end_share_the_turn_of_their_store(self):
        engine = self.engine(agent=later)
        outcomes = []

        def send():
            for _ in range(200):
                outcomes.append(engine.send("t", "nothing"))

        async def main():
            engine.start("chain", "t")
            sender = threading.Thread(target=send)
            sender.start()
            while sender.is_alive():
                await engine.arun_until(lambda: True)
            sender.join()

        asyncio.run(main())
        self.assertEqual(set(outcomes), {wfsm.Outcome.NO_TRANSITION})
        self.assertEqual(len(outcomes), 200)

    def test_the_store_is_used_beside_the_driver(self):
        store = self.memory()
        engine = self.engine(store=store)

        async def main():
            async with engine:
                tasks = [engine.start("chain", f"t{number}") for number in range(20)]
                waiting = asyncio.gather(*(task.wait(timeout=FOREVER) for task in tasks))
                while not waiting.done():
                    self.assertEqual(len(list(store.list())), 20)
                    await asyncio.sleep(0)
                await waiting

        asyncio.run(main())
        self.assertTrue(engine.closed)

    def test_rounds_go_on_while_a_function_blocks(self):
        """So the lease is renewed, and time limits hold."""
        engine = self.engine(PATIENT, agent=None)
        ticked = threading.Event()

        @engine.agent("worker")
        def worker(call):
            return ticked.wait(FOREVER)

        @engine.observer
        def observe(call):
            if call.record["input"]["kind"] == "timer":
                ticked.set()

        async def main():
            await engine.start("patient", "t").wait(timeout=FOREVER)

        asyncio.run(main())
        self.assertTrue(ticked.is_set())

    def test_an_agent_in_a_thread_uses_its_engine(self):
        engine = self.engine(agent=None)

        @engine.agent("worker")
        def worker(call):
            call.heartbeat()
            return str(engine.send(call.instance, "skip"))

        async def main():
            await engine.start("chain", "t").wait(timeout=FOREVER)

        asyncio.run(main())

    def test_a_failing_store_is_told_to_who_waits(self):
        shelf, engine = self.gated()

        async def main():
            task = engine.start("chain", "t")
            shelf.fails = OSError("full")
            with self.assertRaises(wfsm.WfsmError):
                await task.wait(timeout=FOREVER)

        asyncio.run(main())

    def test_who_waits_learns_that_the_instance_is_lost(self):
        path = self.folder() / "tasks.db"
        store, other = wfsm.sqlite(path), wfsm.sqlite(path)
        self.addCleanup(store.close)
        self.addCleanup(other.close)
        engine = self.engine(store=store, agent=later)

        async def main():
            task = engine.start("chain", "t")
            waiting = asyncio.ensure_future(task.wait(timeout=FOREVER))
            await engine.arun_until(lambda: engine.working == 1, timeout=FOREVER)
            other.remove_owner(engine.session)
            self.engine(store=other, agent=later).adopt("t")
            with self.assertRaises(wfsm.WfsmError):
                task.send("skip")
            with self.assertRaises(wfsm.NotFound):
                await waiting

        asyncio.run(main())

    def test_the_end_of_async_with_stops_its_agents(self):
        ended = []

        async def worker(work):
            try:
                await asyncio.sleep(FOREVER)
            finally:
                ended.append(work.instance)

        async def main():
            machine = wfsm.Machine.load(CHAIN)
            async with wfsm.engine(self.memory(), [machine], slots=3) as engine:
                engine.agent("worker")(worker)
                task = engine.start("chain", "t")
                await engine.arun_until(lambda: engine.working == 1, timeout=FOREVER)
                await asyncio.sleep(0)
            self.assertTrue(engine.closed)
            await asyncio.sleep(0)

        asyncio.run(main())
        self.assertEqual(ended, ["t"])

    def test_an_effect_is_handled_by_a_coroutine(self):
        engine, handled = self.engine(BELL, agent=None), []

        @engine.on_effect
        async def ring(effect):
            handled.append((effect.instance, effect.event, effect.id))
            await asyncio.sleep(0)
            if len(handled) == 1:
                raise OSError("the bell is stuck")

        async def main():
            task = engine.start("bell", "b")
            task.send("ring")
            await engine.arun_until(lambda: len(handled) == 2, timeout=FOREVER)
            await engine.arun_until(
                lambda: engine.instance("b").head.acknowledged == 1, timeout=FOREVER)

        asyncio.run(main())
        self.assertLogged("the bell is stuck")
        self.assertEqual([one[:2] for one in handled], [("b", "ding")] * 2)
        self.assertEqual(handled[0], handled[1])

    def test_coroutines_within_partial_and_objects(self):
        import functools

        class Agent:
            async def __call__(self, _work):
                return 1

        async def work(_work, _more):
            return 1

        for agent in (Agent(), functools.partial(work, _more=2)):
            with self.subTest(agent=type(agent).__name__):
                engine = self.engine(agent=agent)
                asyncio.run(engine.start("chain", "t").wait(timeout=FOREVER))
        engine = self.engine()
        for register in (engine.guard("g"), engine.action("a"), engine.observer):
            with self.assertRaisesRegex(TypeError, "coroutine function"):
                register(functools.partial(work, _more=2))

    def test_threads_are_used_again(self):
        pool, seen = _threads.Pool("test"), []
        for _ in range(3):
            pool.submit(lambda: seen.append(threading.get_ident()))
            while pool._free == 0:
                pass
        self.assertEqual(len(seen), 3)
        self.assertEqual(len(set(seen)), 1)


if __name__ == "__main__":
    unittest.main()
