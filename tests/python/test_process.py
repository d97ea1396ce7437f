"""The package in a process: forks, the end of the program, and Ctrl-C."""
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import unittest

from support import DOOR, REVIEW, ROOT, Case, wfsm

sys.path.insert(0, str(ROOT / "bindings" / "python" / "examples"))
from shelf import Shelf  # noqa: E402

PLAIN = {"id": "plain", "initial": "one", "states": {"one": {}}}
COUNTER = {"id": "counter", "initial": "one", "context": {"n": 0}, "states": {"one": {"on": {"more": {
    "guard": {"<": [{"var": "context.n"}, 100000]},
    "actions": [{"type": "assign", "params": {"n": {"+": [{"var": "context.n"}, 1]}}}]}}}}}


def program(text, *arguments):
    """Runs a program of the package; returns its exit code, output and errors."""
    source = "import os, sys, threading, wfsm\n" + textwrap.dedent(text)
    ended = subprocess.run([sys.executable, "-c", source, *arguments],
                           capture_output=True, text=True, timeout=60)
    return ended.returncode, ended.stdout, ended.stderr


def in_child(function):
    """Calls the function in a child that ends as programs end. Returns its exit code."""
    child = os.fork()
    if child == 0:
        try:
            function()
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(99)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Forks(Case):
    def test_a_child_gives_up_nothing_of_its_parent(self):
        path = str(self.folder() / "tasks.db")
        code, shown, errors = program("""
            store = wfsm.sqlite(sys.argv[1])
            engine = wfsm.Engine(store)
            engine.add_machine(wfsm.Machine.load(sys.argv[2]))
            engine.agent("reviewer")(lambda call: wfsm.LATER)
            engine.start("review", "one")
            engine.run()
            before = store.head("one")
            child = os.fork()
            if child == 0:
                sys.exit(0)  # an ordinary end, with atexit
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            print(store.head("one") == before, before.owner == engine.session)
            engine.run()
        """, path, json.dumps(REVIEW))
        self.assertEqual((code, shown, errors), (0, "0\nTrue True\n", ""))

    def test_a_child_is_told_that_a_store_is_its_parents(self):
        machine, store, functions = wfsm.Machine.load(DOOR), self.memory(), self.door_functions()
        door = wfsm.Instance.start(machine, store, "front", functions=functions)
        engine = wfsm.Engine(store)
        round = engine.prepare()

        def child():
            for use in (lambda: store.list(), lambda: door.send("open"), engine.run,
                        lambda: door.context, round.exchange, round.finish):
                with self.assertRaisesRegex(wfsm.Closed, "this is a child of os.fork"):
                    use()
            self.assertEqual(machine.id, "door")
            self.assertIn("open", machine.graph())
            with wfsm.memory() as own:
                mine = wfsm.Instance.start(machine, own, "front", functions=functions)
                self.assertEqual(mine.send("open"), wfsm.Outcome.TAKEN)

        self.assertEqual(in_child(child), 0)
        round.exchange()
        round.finish()
        self.assertEqual(door.send("open"), wfsm.Outcome.TAKEN)

    def test_a_child_of_a_program_whose_threads_are_in_calls(self):
        machine, stop = wfsm.Machine.load(DOOR), threading.Event()

        def draw():
            while not stop.is_set():
                machine.graph()

        threads = [threading.Thread(target=draw) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(10):
                self.assertEqual(in_child(lambda: (machine.states, machine.close())), 0)
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    def test_a_child_that_is_forked_in_a_callback_ends_with_it(self):
        children = []

        def has_key(call):
            child = os.fork()
            if child:
                children.append(child)
            return True  # in both

        door = self.door(has_key=has_key)
        self.assertEqual(door.send("unlock"), wfsm.Outcome.TAKEN)
        [child] = children
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 1)

    def test_a_child_that_is_forked_in_a_callback_may_exit(self):
        children = []

        def has_key(call):
            child = os.fork()
            if child == 0:
                sys.exit(7)
            children.append(child)
            return False

        self.door(has_key=has_key).send("unlock")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]), 7)


class Ends(Case):
    def test_a_program_ends_while_threads_and_loops_are_alive(self):
        code, _, errors = program("""
            import asyncio
            machine, kept = wfsm.Machine.load(sys.argv[1]), []
            started = threading.Barrier(4)

            def work():
                store = wfsm.memory()
                engine = wfsm.Engine(store)
                engine.add_machine(machine)

                @engine.agent("reviewer")
                async def review(work):
                    await asyncio.sleep(3600)

                engine.start("review", "one")
                kept.append((engine, store))
                started.wait()
                while True:
                    engine.run_until_idle(timeout=0.001)

            def draw():
                started.wait()
                while True:
                    machine.graph(), machine.states, machine.verify(max_states=10)

            for function in (work, work, draw):
                threading.Thread(target=function, daemon=True).start()
            loop = asyncio.new_event_loop()
            loop.create_task(asyncio.sleep(3600))
            started.wait()
        """, json.dumps(REVIEW))
        self.assertEqual(code, 0, errors)

    def test_objects_end_in_any_order_with_the_modules(self):
        for order in range(6):
            code, shown, errors = program("""
                import itertools, builtins
                store = wfsm.memory()
                engine = wfsm.Engine(store)
                machine = wfsm.Machine.load(sys.argv[1])
                functions = wfsm.Functions()
                functions.guard("has-key")(lambda call: True)
                functions.action("paint")(lambda call: None)
                door = wfsm.Instance.start(machine, store, "front", functions=functions)
                engine.observer(lambda call: (engine, door))
                things = [[store, engine], [machine, functions], [door]]
                for thing in list(itertools.permutations(things))[int(sys.argv[2])]:
                    builtins.__dict__.setdefault("kept", []).append(thing)
                del wfsm.__dict__["memory"], sys.modules["wfsm._handle"]
            """, json.dumps(DOOR), str(order))
            self.assertEqual((code, shown, errors), (0, "", ""))

    def test_an_exit_in_a_thread_of_the_library_s_caller(self):
        code, _, errors = program("""
            door = wfsm.Machine.load(sys.argv[1])
            functions = wfsm.Functions()
            functions.guard("has-key")(lambda call: sys.exit(3))
            functions.action("paint")(lambda call: None)
            wfsm.Instance.start(door, wfsm.memory(), "front", functions=functions).send("unlock")
        """, json.dumps(DOOR))
        self.assertEqual((code, errors), (3, ""))


class CtrlC(Case):
    """A signal handler raises KeyboardInterrupt, and it arrives wherever Python is."""

    @staticmethod
    def press(*_):
        signal.raise_signal(signal.SIGINT)

    def on_shelf(self):
        """A store that is written in Python, and an engine on it."""
        shelf = Shelf(self.folder() / "shelf.json")
        store = wfsm.hosted.store(shelf)
        self.addCleanup(store.close)
        engine = wfsm.Engine(store)
        engine.add_machine(wfsm.Machine.load(PLAIN))
        return shelf, store, engine

    def test_in_a_callback(self):
        door = self.door(has_key=self.press)
        with self.assertRaises(KeyboardInterrupt):
            door.send("unlock")
        self.assertEqual(door.send("open"), wfsm.Outcome.TAKEN)

    def test_in_a_store_that_is_written_in_python(self):
        shelf = Shelf(self.folder() / "shelf.json")
        store = wfsm.hosted.store(shelf)
        self.addCleanup(store.close)
        door = self.door(store)
        shelf.commit = self.press
        with self.assertRaises(KeyboardInterrupt):
            door.send("open")
        del shelf.commit
        with self.assertRaises(wfsm.Conflict):  # sealed: nobody knows what was written
            door.send("open")
        self.assertEqual(store.head("front").revision, 1)

    def test_the_exception_of_a_store_in_python_is_the_cause(self):
        shelf, store, engine = self.on_shelf()
        disk = OSError("the disk is gone")

        def broken(*_):
            raise disk

        shelf.head, shelf.commit = broken, broken
        for use in (lambda: store.head("front"), lambda: engine.start("plain", "one")):
            with self.assertRaises(wfsm.WfsmError) as raised:
                use()
            self.assertIs(raised.exception.__cause__, disk)
        del shelf.head, shelf.commit

    def test_the_exception_of_a_round_s_exchange_is_the_cause_in_finish(self):
        shelf, store, engine = self.on_shelf()
        disk = OSError("the disk is gone")
        engine.start("plain", "one")

        def broken(*_):
            raise disk

        shelf.owner_alive = shelf.claim = shelf.transaction = broken
        round = engine.prepare(now=wfsm.now() + 9000)
        thread = threading.Thread(target=round.exchange)
        thread.start()
        thread.join()
        with self.assertRaises(wfsm.WfsmError) as raised:
            round.finish(now=wfsm.now() + 9000)
        self.assertIs(raised.exception.__cause__, disk)
        del shelf.owner_alive, shelf.claim, shelf.transaction

    def test_in_a_sink_a_clock_and_a_progress(self):
        store, machine = self.memory(), wfsm.Machine.load(DOOR)
        with self.assertRaises(KeyboardInterrupt):
            machine.verify(progress=self.press, max_states=100000)
        engine = wfsm.Engine(store, clock=self.press)
        with self.assertRaises(KeyboardInterrupt):
            engine.run()

    def test_at_the_beginning_of_a_callback(self):
        """The signal comes while the library computes; Python's next code is a callback."""
        machine = wfsm.Machine.load(COUNTER)
        for _ in range(20):
            begun = threading.Event()
            presser = threading.Thread(target=lambda: (begun.wait(), self.press()), daemon=True)
            presser.start()
            with self.assertRaises(KeyboardInterrupt):
                while True:
                    machine.verify(progress=lambda _states, _moves: begun.set())
            presser.join()

    def test_while_an_engine_waits(self):
        engine = wfsm.Engine(self.memory())
        threading.Timer(0.05, self.press).start()
        with self.assertRaises(KeyboardInterrupt):
            engine.run_until(lambda: False, timeout=60)
        engine.run()

    def test_a_loop_over_effects_may_be_left_by_generator_exit(self):
        door = self.door()
        door.send("open")
        loop = door.effects()
        first = next(loop)
        loop.close()
        self.assertEqual(door.next_effect(), first)

    def test_a_callback_that_raises_generator_exit(self):
        def has_key(call):
            raise GeneratorExit

        door = self.door(has_key=has_key)
        with self.assertRaises(GeneratorExit):
            door.send("unlock")
        self.assertEqual(door.send("open"), wfsm.Outcome.TAKEN)


if __name__ == "__main__":
    unittest.main()
