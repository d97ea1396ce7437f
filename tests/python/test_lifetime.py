"""Objects that are closed, collected or left behind, in any order."""
import gc
import subprocess
import sys
import textwrap
import unittest

from support import DOOR, Case, wfsm


class Closing(Case):
    def test_every_use_after_closing_says_what_is_closed(self):
        store, machine = wfsm.memory(), wfsm.Machine.load(DOOR)
        functions = self.door_functions()
        door = wfsm.Instance.start(machine, store, "front", functions=functions)
        engine = wfsm.Engine(store)
        for thing, use, kind in (
                (door, lambda: door.send("open"), "instance"),
                (door, lambda: door.context, "instance"),
                (engine, engine.run, "engine"),
                (functions, lambda: functions.guard("g")(print), "table of functions"),
                (store, lambda: store.head("front"), "store"),
                (store, lambda: wfsm.Instance.load(store, "front"), "store"),
                (machine, lambda: machine.id, "machine"),
                (machine, lambda: machine.graph(), "machine")):
            with self.subTest(kind):
                thing.close()
                thing.close()
                self.assertTrue(thing.closed)
                with self.assertRaisesRegex(wfsm.Closed, f"the {kind} is closed"):
                    use()
        self.assertIn("closed", repr(door) + repr(machine))

    def test_what_is_made_by_a_method_is_not_made_by_its_class(self):
        with self.assertRaisesRegex(TypeError, r"machines are made by Machine.load\(\)"):
            wfsm.Machine('{"id": "m"}')
        with self.assertRaisesRegex(TypeError, r"stores are made by wfsm.memory\(\)"):
            wfsm.Store("a.db")
        with self.assertRaisesRegex(TypeError, r"made by Instance.start\(\)"):
            wfsm.Instance(7, wfsm.memory(), None)

    def test_a_store_closes_what_lives_on_it(self):
        with wfsm.memory() as store:
            door, engine = self.door(store), wfsm.Engine(store)
        self.assertTrue(door.closed and engine.closed)

    def test_a_machine_may_go_before_its_instances(self):
        machine = wfsm.Machine.load(DOOR)
        door = wfsm.Instance.start(machine, self.memory(), "front",
                                   functions=self.door_functions())
        machine.close()
        self.assertEqual(door.send("open"), wfsm.Outcome.TAKEN)

    def test_an_instance_outlives_the_names_of_what_it_needs(self):
        door = self.door(wfsm.memory(), has_key=lambda call: True)
        gc.collect()
        self.assertEqual(door.send("unlock"), wfsm.Outcome.TAKEN)

    def test_with_closes_and_a_closed_one_cannot_be_entered(self):
        with self.door() as door:
            door.send("open")
        with self.assertRaises(wfsm.Closed):
            with door:
                pass


class Collecting(Case):
    def test_a_cycle_through_a_callback_is_collected(self):
        for _ in range(50):
            store = wfsm.memory()
            functions = wfsm.Functions()
            everything = []

            @functions.guard("has-key")
            def has_key(call, everything=everything):
                return bool(everything)

            functions.action("paint")(lambda call: None)
            door = wfsm.Instance.start(wfsm.Machine.load(DOOR), store, "front",
                                       functions=functions)
            everything.extend([store, functions, door])
            del store, functions, door, has_key, everything
        gc.collect()

    def test_an_object_dropped_inside_a_callback_is_freed_afterwards(self):
        store = self.memory()
        others = [self.door(store, id=f"other{n}") for n in range(20)]
        door = self.door(store, has_key=lambda call: bool(others.clear()))
        door.send("unlock")
        self.assertEqual(len(store.list()), 21)

    def test_a_program_may_just_end(self):
        script = textwrap.dedent("""
            import sys, wfsm
            machine = wfsm.Machine.load(sys.argv[1])
            store = wfsm.memory()
            functions = wfsm.Functions()
            functions.guard("has-key")(lambda call: True)
            functions.action("paint")(lambda call: None)
            door = wfsm.Instance.start(machine, store, "front", functions=functions)
            door.send("unlock")
            engine = wfsm.Engine(store)
            engine.me = engine
            print(door.configuration)
        """)
        import json
        ended = subprocess.run([sys.executable, "-c", script, json.dumps(DOOR)],
                               capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "['open']\n", ""))


if __name__ == "__main__":
    unittest.main()
