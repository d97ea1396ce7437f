"""How things end: loops that are closed, forks, Ctrl-C while something is closed, the end of the program."""
import asyncio
import gc
import os
import subprocess
import sys
import threading
import unittest
import unittest.mock

from support import ROOT, Case, wfsm

sys.path.insert(0, str(ROOT / "bindings" / "python" / "examples"))

from wfsm import _turn, hosted  # noqa: E402

from test_driver import BELL, CHAIN, FOREVER, Gated  # noqa: E402
from held import Held, Mark, let_run  # noqa: E402
from test_loop import STEPS  # noqa: E402

START = '''
import asyncio, os, sys, threading
import wfsm
CHAIN = {"id": "chain", "initial": "first", "states": {
    "first": {"invoke": {"src": "worker", "onDone": "done"}, "on": {"skip": "done"}}, "done": {"type": "final"}}}
store = wfsm.sqlite(sys.argv[1])
machine = wfsm.Machine.load(CHAIN)
at_work = threading.Event()
'''


class Endings(Case):
    def engine(self, agent, document=CHAIN, store=None):
        engine = wfsm.Engine(store or self.memory())
        self.addCleanup(engine.close)
        engine.add_machine(wfsm.Machine.load(document))
        if agent is not None:
            engine.agent("worker")(agent)
        return engine

    def run_program(self, text):
        program = subprocess.run([sys.executable, "-X", "faulthandler", "-c", START + text,
                                  str(self.folder() / "tasks.db")], capture_output=True, text=True,
                                 timeout=FOREVER, check=False)
        self.assertEqual(program.returncode, 0, program.stderr)
        return program

    @staticmethod
    def abandon(main):
        """Runs it in a loop that is closed with everything that it has begun. What asyncio says of that goes
        nowhere."""
        loop = asyncio.new_event_loop()
        loop.set_exception_handler(lambda *_: None)
        answer = loop.run_until_complete(main())
        loop.close()
        return answer

    # Event loops.

    def begins_and_is_abandoned(self, engine, began, document="chain"):
        async def main():
            task = engine.start(document, "t")
            task.loops_task = asyncio.ensure_future(task.wait())
            await began()
            return task

        return self.abandon(main)

    def test_a_coroutine_whose_loop_was_closed_is_canceled(self):
        for again in ("a loop", "no loop"):
            with self.subTest(again=again):
                began = Mark()

                async def worker(_work):
                    began.set()
                    await asyncio.sleep(FOREVER)

                engine = self.engine(worker)
                task = self.begins_and_is_abandoned(engine, began.wait)
                if again == "a loop":
                    asyncio.run(task.wait(timeout=FOREVER))
                else:
                    self.assertTrue(engine.run_until(lambda t=task: t.done, FOREVER))
                self.assertEqual(task.configuration, ["given_up"])

    def test_an_effect_whose_loop_was_closed_comes_again(self):
        engine, began, seen = self.engine(None, BELL), Mark(), []

        @engine.on_effect
        async def ring(effect):
            seen.append(effect.id)
            began.set()
            await asyncio.sleep(0 if len(seen) > 1 else FOREVER)

        async def rings():
            engine.send("t", "ring")
            await began.wait()

        task = self.begins_and_is_abandoned(engine, rings, "bell")
        asyncio.run(engine.arun_until(lambda: task.head.acknowledged == 1, FOREVER))
        self.assertEqual(len(seen), 2)
        self.assertEqual(seen[0], seen[1])

    def held_engine(self, agent=lambda call: 1):
        shelf = Gated(self.folder() / "shelf")
        store = hosted.store(shelf)
        self.addCleanup(store.close)
        self.addCleanup(shelf.gate.set)
        return shelf, self.engine(agent, store=store)

    def test_a_round_that_is_out_when_the_loop_ends(self):
        """The next use of the store ends it: a call without a loop, or another loop."""
        for stays_open in (True, False):
            for again in ("a call", "a loop"):
                with self.subTest(stays_open=stays_open, again=again):
                    shelf, engine = self.held_engine()
                    loop = asyncio.new_event_loop()
                    loop.set_exception_handler(lambda *_: None)

                    async def main():
                        task = engine.start("chain", "t")
                        shelf.shut = True
                        waiting = asyncio.ensure_future(task.wait())
                        while not shelf.inside.is_set():
                            await asyncio.sleep(0.001)
                        return task, waiting

                    task, waiting = loop.run_until_complete(main())
                    if not stays_open:
                        loop.close()
                    threading.Timer(0.01, shelf.gate.set).start()
                    if again == "a call":
                        self.assertNotEqual(task.send("nothing"), None)
                        self.assertTrue(engine.run_until(lambda: task.done, FOREVER))
                    else:
                        self.assertEqual(asyncio.run(task.wait(timeout=FOREVER)), 42)
                    if stays_open:
                        self.assertEqual(loop.run_until_complete(waiting), 42)
                        loop.close()

    def test_nothing_is_printed_when_a_driver_is_collected_after_its_loop(self):
        program = self.run_program('''
engine = wfsm.Engine(store)
engine.add_machine(machine)
@engine.agent("worker")
async def worker(work):
    at_work.set()
    await asyncio.sleep(1000)
async def main():
    task = engine.start("chain", "t")
    kept = asyncio.ensure_future(task.wait())
    while not at_work.is_set():
        await asyncio.sleep(0.001)
loop = asyncio.new_event_loop()
loop.set_exception_handler(lambda *_: None)
loop.run_until_complete(main())
loop.close()
engine.run()
del engine
''')
        self.assertEqual(program.stderr, "")

    def held_steps(self):
        shelf = Held(self.folder() / "shelf")
        store = hosted.store(shelf)
        self.addCleanup(store.close)
        self.addCleanup(shelf.gate.set)
        engine = self.engine(None, STEPS, store)
        engine.guard("may")(lambda call: True)
        return shelf, store, engine

    def test_the_end_of_async_with_is_cancelled(self):
        shelf, store, engine = self.held_steps()

        async def body():
            async with engine:
                await engine.astart("steps", "x")

        async def main():
            shelf.held = "disown"
            ending = asyncio.ensure_future(body())
            while not shelf.inside.is_set():
                await asyncio.sleep(0.001)
            ending.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await ending
            await let_run(10)
            shelf.gate.set()

        asyncio.run(asyncio.wait_for(main(), FOREVER))
        self.assertTrue(engine.closed)
        self.assertEqual(store.head("x").owner, "")

    # Streams.

    def test_a_reader_that_is_cancelled_misses_nothing(self):
        shelf, _, engine = self.held_steps()

        async def main():
            async with engine:
                task = await engine.astart("steps", "x")
                await task.asend("go")
                stream = task.stream(after=0)
                shelf.held = "records"
                reading = asyncio.ensure_future(stream.__anext__())
                while not shelf.inside.is_set():
                    await asyncio.sleep(0.001)
                reading.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await reading
                shelf.gate.set()
                await task.asend("go")
                return [(await stream.__anext__()).revision for _ in range(3)]

        self.assertEqual(asyncio.run(asyncio.wait_for(main(), FOREVER)), [1, 2, 3])

    def test_readers_that_go_away_are_forgotten(self):
        engine = self.engine(None, BELL)

        async def events(task):
            async for event in task.stream(after=0):
                yield event

        async def main():
            async with engine:
                task = engine.start("bell", "b")
                for _ in range(20):
                    reader = events(task)
                    self.assertEqual((await reader.__anext__()).revision, 1)
                    await reader.aclose()  # GeneratorExit
                    del reader
                    gc.collect()
                self.assertLessEqual(len(engine._streams._of["b"]), 1)

        asyncio.run(main())

    # Ctrl-C.

    def test_ctrl_c_while_an_engine_is_closed(self):
        for ending in ("with", "async with", "close"):
            with self.subTest(ending=ending):
                class Agent:
                    def start(self, call):
                        return wfsm.LATER

                    def cancel(self, call):
                        raise KeyboardInterrupt

                store = self.memory()
                engine = self.engine(None, store=store)
                engine.add_agent("worker", Agent())
                engine.start("chain", "t")
                engine.run()
                with self.assertRaises(KeyboardInterrupt):
                    if ending == "with":
                        with engine:
                            pass
                    elif ending == "close":
                        engine.close()
                    else:
                        asyncio.run(self.leave(engine))
                self.assertTrue(engine.closed)
                self.assertEqual(store.head("t").owner, "")

    def test_ctrl_c_while_a_call_waits_for_the_round_that_is_out(self):
        shelf, engine = self.held_engine()

        async def main():
            task = engine.start("chain", "t")
            shelf.shut = True
            waiting = asyncio.ensure_future(task.wait())
            while not shelf.inside.is_set():
                await asyncio.sleep(0.001)
            with unittest.mock.patch.object(_turn.futures, "wait", side_effect=KeyboardInterrupt):
                with self.assertRaises(KeyboardInterrupt):
                    engine.start("chain", "u")
            shelf.gate.set()
            return await waiting, await (await engine.astart("chain", "u")).wait(timeout=FOREVER)

        self.assertEqual(asyncio.run(asyncio.wait_for(main(), FOREVER / 20)), (42, 42))

    @staticmethod
    async def leave(engine):
        async with engine:
            pass

    def test_ctrl_c_in_the_body_of_async_with(self):
        program = self.run_program('''
import signal
async def main():
    async with wfsm.engine(store, [machine]) as engine:
        @engine.agent("worker")
        async def worker(work):
            at_work.set()
            await asyncio.sleep(1000)
        task = await engine.astart("chain", "t")
        waiting = asyncio.ensure_future(task.wait())
        while not at_work.is_set():
            await asyncio.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)
        await waiting
try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("interrupted", repr(store.head("t").owner))
''')
        self.assertEqual(program.stdout, "interrupted ''\n")

    # Forks.

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_a_fork_while_calls_run(self):
        program = self.run_program('''
import tempfile, pathlib
sys.path.insert(0, %r); sys.path.insert(0, %r)
from held import Held
from wfsm import hosted
shelf = Held(pathlib.Path(tempfile.mkdtemp()) / "shelf")
held = hosted.store(shelf)
engine = wfsm.Engine(held)
engine.add_machine(machine)
shelf.held = "commit"
threading.Thread(target=lambda: engine.start("chain", "t")).start()
assert shelf.inside.wait(600)
child = os.fork()
if child == 0:
    answers = []
    for call in (held.list, lambda: engine.send("t", "skip"), lambda: engine.working):
        try:
            call()
        except wfsm.Closed as closed:
            answers.append("os.fork()" in str(closed))
    engine.close(); held.close(); del engine, held
    machine.agents, machine.fingerprint
    store = wfsm.memory()
    with wfsm.Engine(store) as own:
        own.add_machine(machine)
        own.agent("worker")(lambda call: 1)
        own.start("chain", "mine")
        own.run_until_idle(10)
        answers.append(own.instance("mine").done)
    sys.exit(0 if answers == [True] * 4 else 5)
_, status = os.waitpid(child, 0)
shelf.gate.set()
while "chain" not in [one.machine for one in held.list()]:
    pass
print(os.waitstatus_to_exitcode(status), held.head("t").revision)
''' % (str(ROOT / "tests" / "python"), str(ROOT / "bindings" / "python" / "examples")))
        self.assertEqual(program.stdout, "0 1\n")

    # The end of the program.

    def test_the_program_ends_while_everything_is_at_work(self):
        program = self.run_program('''
async def main():
    async with wfsm.engine(store, [machine]) as engine:
        @engine.agent("worker")
        def worker(call):
            at_work.set()
            threading.Event().wait()
        task = await engine.astart("chain", "t")
        stream = task.stream()
        await asyncio.gather(task.wait(), stream.__anext__(), task.wait())
threading.Thread(target=lambda: asyncio.run(main()), daemon=True).start()
at_work.wait()
cycle = [store, machine]
cycle.append(cycle)
sys.modules["wfsm"] = None
''')
        self.assertNotIn("Fatal", program.stderr)


if __name__ == "__main__":
    unittest.main()
