"""What a program does wrong is an exception with a sentence; the interpreter continues."""
import copy
import pickle
import subprocess
import sys
import textwrap
import threading
import unittest

from support import DOOR, ROOT, Case, wfsm
from wfsm.agents import Agents, Progress, release_owner

PLAIN = {"id": "plain", "initial": "one", "states": {"one": {"on": {"go": "two"}},
                                                     "two": {"type": "final"}}}


class WrongObjects(Case):
    def test_an_object_of_another_class_is_named_with_the_one_that_is_expected(self):
        machine, store, functions = wfsm.Machine.load(PLAIN), self.memory(), wfsm.Functions()
        one = wfsm.Instance.start(machine, store, "one")
        engine = wfsm.Engine(store)
        start, load = wfsm.Instance.start, wfsm.Instance.load
        for use, what, expected, given in (
                (lambda: start(store, machine, "y"), "machine", "Machine", "Store"),
                (lambda: start(machine, machine, "y"), "store", "Store", "Machine"),
                (lambda: start(machine, engine, "y"), "store", "Store", "Engine"),
                (lambda: start(machine, "y", store), "store", "Store", "str"),
                (lambda: start(machine, store, "y", functions=machine), "functions", "Functions",
                 "Machine"),
                (lambda: load(machine, "one"), "store", "Store", "Machine"),
                (lambda: load(store, "one", machine=store), "machine", "Machine", "Store"),
                (lambda: load(store, "one", functions=store), "functions", "Functions", "Store"),
                (lambda: wfsm.Instance.load_at(one, "one", 1), "store", "Store", "Instance"),
                (lambda: one.migrate(store), "machine", "Machine", "Store"),
                (lambda: one.migrate(machine, functions=machine), "functions", "Functions",
                 "Machine"),
                (lambda: one.check_migration(one), "machine", "Machine", "Instance"),
                (lambda: one.ack(1), "effect", "Effect", "int"),
                (lambda: engine.add_machine(store), "machine", "Machine", "Store"),
                (lambda: engine.migrate("one", engine), "machine", "Machine", "Engine"),
                (lambda: wfsm.Engine(machine), "store", "Store", "Machine"),
                (lambda: wfsm.Engine("a.db"), "store", "Store", "str"),
                (lambda: store.compact("one", archive=machine), "archive", "Store", "Machine"),
                (lambda: store.archive("one", one), "archive", "Store", "Instance")):
            with self.subTest(what=what, given=given):
                with self.assertRaisesRegex(
                        TypeError, f"{what} must be a wfsm.{expected}, not {given}"):
                    use()
        self.assertEqual([head.instance for head in store.list()], ["one"])
        functions.close()

    def test_a_method_of_another_class_is_refused(self):
        machine, store = wfsm.Machine.load(PLAIN), self.memory()
        for use in (lambda: wfsm.Store.head(machine, "one"),
                    lambda: wfsm.Machine.states.fget(store),
                    lambda: wfsm.Instance.send(wfsm.Engine(store), "go"),
                    lambda: wfsm.Instance.migrate(wfsm.Engine(store), machine,
                                                  functions=wfsm.Functions()),
                    lambda: wfsm.Engine.run(store),
                    lambda: wfsm.EngineInstance(store, "one").context):
            with self.assertRaises((TypeError, AttributeError)):
                use()

    def test_what_the_library_makes_is_not_made_by_hand(self):
        engine = wfsm.Engine(self.memory())
        for make in (lambda: wfsm.Call(7), lambda: wfsm.Round(engine, 7),
                     lambda: wfsm.Monitor(7)):
            with self.assertRaisesRegex(TypeError, "is not called directly"):
                make()

    def test_the_id_of_an_instance_is_a_str(self):
        """Another instance as the id made a repr that never ended."""
        engine = wfsm.Engine(self.memory())
        none = wfsm.EngineInstance(engine, "none")
        for id in (none, 5, None, "a\0b"):
            with self.assertRaisesRegex((TypeError, ValueError), "id must"):
                wfsm.EngineInstance(engine, id)
        self.assertIn("'none'", repr(none))

    def test_an_input_is_a_dict_or_has_members(self):
        machine, store = wfsm.Machine.load(DOOR), self.memory()
        engine = wfsm.Engine(store)
        self.addCleanup(engine.close)
        for wrong in ([1], [["n", 1]], "x", 5, object()):
            for call in (lambda one: wfsm.Instance.start(machine, store, "x", one),
                         lambda one: engine.start("door", "x", one), lambda one: engine.patch("x", one)):
                with self.subTest(wrong=wrong), self.assertRaisesRegex(
                        TypeError, f"expected a dict, or an object .*, not {type(wrong).__name__}"):
                    call(wrong)
        for starts in ("door", [()], [5], [("door",)]):
            with self.subTest(starts=starts), self.assertRaisesRegex(
                    TypeError, r"a start is \(machine, id\) or \(machine, id, input\), not"):
                engine.start_all(starts)

    def test_an_object_is_made_once(self):
        store = self.memory()
        engine, functions = wfsm.Engine(store), wfsm.Functions()
        for again in (lambda: engine.__init__(store), functions.__init__):
            with self.assertRaisesRegex(TypeError, "made already"):
                again()
        engine.run()

    def test_a_store_is_not_archived_into_itself(self):
        store = self.memory()
        wfsm.Instance.start(wfsm.Machine.load(PLAIN), store, "one").send("go")
        for use in (lambda: store.archive("one", store),
                    lambda: store.compact("one", archive=store)):
            with self.assertRaisesRegex(ValueError, "the archive is another store"):
                use()

    def test_an_object_of_the_agents_library_is_checked_too(self):
        try:
            agents = Agents()
        except ImportError:
            self.skipTest("without libwfsm-agents")
        store = self.memory()
        with self.assertRaisesRegex(TypeError, "engine must be a wfsm.Engine, not Store"):
            agents.register(store, store)
        with self.assertRaisesRegex(TypeError, "store must be a wfsm.Store, not Engine"):
            agents.register(wfsm.Engine(store), wfsm.Engine(store))
        with self.assertRaisesRegex(TypeError, "engine must be a wfsm.Engine, not Store"):
            Progress(lambda line: None).observe(store)
        with self.assertRaisesRegex(TypeError, "self must be a wfsm.Progress, not Agents"):
            Progress.observe(agents, wfsm.Engine(store))
        with self.assertRaisesRegex(TypeError, "store must be a wfsm.Store, not Agents"):
            release_owner(agents, "one")


class Copies(Case):
    def test_what_has_a_handle_is_neither_copied_nor_pickled(self):
        machine, store = wfsm.Machine.load(DOOR), self.memory()
        seen = []

        def has_key(call):
            for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex(TypeError, "a call cannot be copied or pickled"):
                    attempt(call)
            seen.append(call)
            return True

        door = self.door(store, has_key=has_key)
        door.send("unlock")
        self.assertEqual(len(seen), 1)
        engine = wfsm.Engine(store)
        round = engine.prepare()
        for thing, kind in ((machine, "machine"), (store, "store"), (door, "instance"),
                            (engine, "engine"), (door._functions, "table of functions"),
                            (round, "round")):
            for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.subTest(kind), self.assertRaisesRegex(
                        TypeError, f"an? {kind} cannot be copied or pickled: "):
                    attempt(thing)
        round.exchange()
        round.finish()
        self.assertEqual(door.send("close"), wfsm.Outcome.TAKEN)


class Threads(Case):
    def test_archiving_in_two_directions_at_once_does_not_stand_still(self):
        stores = self.memory(), self.memory()
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        self.addCleanup(sys.setswitchinterval, interval)
        begun = threading.Barrier(2)

        def archive(here, there):
            begun.wait()
            for _ in range(2000):
                with self.assertRaises(wfsm.NotFound):
                    here.archive("none", there)

        threads = [threading.Thread(target=archive, args=pair, daemon=True)
                   for pair in (stores, stores[::-1])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(40)
        self.assertFalse(any(thread.is_alive() for thread in threads))

    def test_closing_a_machine_while_a_thread_draws_it(self):
        wide = {"id": "wide", "initial": "s0", "states": {
            f"s{n}": {"on": {f"e{m}": f"s{m}" for m in range(20)}} for n in range(200)}}
        for _ in range(3):
            machine = wfsm.Machine.load(wide)
            drawn, other = threading.Event(), []

            def draw():
                try:
                    while True:
                        machine.graph()
                        drawn.set()
                except wfsm.Closed as closed:
                    other.append(closed)

            thread = threading.Thread(target=draw)
            thread.start()
            drawn.wait()
            while not machine.closed:
                try:
                    machine.close()
                except wfsm.Busy as busy:
                    self.assertIn("the machine is in a call", str(busy))
            thread.join()
            self.assertEqual(len(other), 1)

    def test_archives_in_both_directions_at_once(self):
        first, second = self.memory(), self.memory()
        machine = wfsm.Machine.load(PLAIN)

        def move(here, there, name):
            for number in range(50):
                one = wfsm.Instance.start(machine, here, f"{name}{number}")
                one.send("go")
                here.archive(one.id, there)

        threads = [threading.Thread(target=move, args=given, daemon=True)
                   for given in ((first, second, "a"), (second, first, "b"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertFalse(any(thread.is_alive() for thread in threads))
        self.assertEqual((len(first.list()), len(second.list())), (50, 50))

    def test_a_call_that_a_thread_keeps_ends_with_the_callback(self):
        ended, used = [], threading.Event()

        def look(call):
            try:
                while True:
                    call.context, call.name
                    used.set()
            except wfsm.Closed as closed:
                ended.append(closed)

        threads = []

        def has_key(call):
            threads.append(threading.Thread(target=look, args=(call,)))
            threads[-1].start()
            used.wait()
            return False

        door = self.door(has_key=has_key)
        for _ in range(3):
            used.clear()
            door.send("unlock")
        for thread in threads:
            thread.join()
        self.assertEqual(len(ended), 3)


class Coroutines(Case):
    def test_a_coroutine_function_is_refused_where_nobody_would_await_it(self):
        engine, functions = wfsm.Engine(self.memory()), wfsm.Functions()
        door = self.door()

        async def late(*_):
            pass

        class Late:
            def start(self, call):
                return wfsm.LATER

            async def poll(self, call):
                pass

        for what, register in (
                ("observer", engine.observer),
                ("on_lost", engine.on_lost), ("diagnostic", engine.on_diagnostic),
                ("guard", engine.guard), ("action", engine.action),
                ("guard", functions.guard), ("action", functions.action("paint")),
                ("observer", door.observe), ("poll", lambda _: engine.add_agent("a", Late()))):
            with self.subTest(what), self.assertRaisesRegex(
                    TypeError, "is a coroutine function, which nobody would await here"):
                register(late)

    def test_what_cannot_be_called_is_refused_when_it_is_given(self):
        engine = wfsm.Engine(self.memory())
        for register in (engine.on_effect, engine.observer, engine.guard("g"), engine.agent("a"),
                         lambda it: engine.add_agent("a", it), self.door().observe):
            with self.assertRaises(TypeError):
                register(5)


class Interpreters(Case):
    def test_a_sub_interpreter_is_refused_with_a_sentence(self):
        script = textwrap.dedent("""
            import sys
            try:
                import _interpreters as interpreters
            except ImportError:
                import _xxsubinterpreters as interpreters
            made = interpreters.create()
            interpreters.run_string(made, '''if True:
                import sys
                sys.path.insert(0, %r)
                try:
                    import wfsm
                except ImportError as refused:
                    print(refused, flush=True)
            ''')
        """) % str(ROOT / "bindings" / "python")
        ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        if "ModuleNotFoundError" in ended.stderr:
            self.skipTest("this Python has no interface for sub-interpreters")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertRegex(ended.stdout, "main interpreter|does not support loading in subinterp")


if __name__ == "__main__":
    unittest.main()
