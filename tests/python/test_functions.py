"""Guards and actions as functions; what their exceptions become."""
import threading
import unittest

from support import DOOR, Case, wfsm
from wfsm import Outcome

GUARDED = {
    "wfsm": 1, "id": "m", "initial": "a",
    "states": {
        "a": {"on": {"go": {"target": "b", "guard": {"type": "ready", "params": {"level": 3}}},
                     "error.execution": "lost"}},
        "b": {}, "lost": {},
    },
}


class Guards(Case):
    def test_what_a_guard_sees_and_answers(self):
        seen = []

        def ready(call):
            seen.append((call.name, call.instance, call.now, call.params, call.context,
                         call.event, call.id, call.input, call.record))
            return call.event["data"]["key"] in call.context["keys"]

        door = self.door(has_key=ready)
        self.assertEqual(door.send("unlock", {"key": "iron"}, now=5), Outcome.BLOCKED)
        self.assertEqual(door.send("unlock", {"key": "brass"}, id="e", now=6), Outcome.TAKEN)
        self.assertEqual(seen[-1][:5], ("has-key", "front", 6, None,
                                        {"opened": 0, "keys": ["brass"]}))
        self.assertEqual(seen[-1][5], {"type": "unlock", "data": {"key": "brass"}, "id": "e",
                                       "kind": "external",
                                       "origin": {"interface": "engine", "sender": None}})

    def test_parameters(self):
        functions, seen = wfsm.Functions(), []

        @functions.guard
        def ready(call):
            seen.append(call.params)
            return True

        one = wfsm.Instance.start(wfsm.Machine.load(GUARDED), self.memory(), "i",
                                  functions=functions, now=0)
        self.assertEqual(one.send("go"), Outcome.TAKEN)
        self.assertEqual(seen, [{"level": 3}])
        self.assertTrue(ready)  # the decorator gives the function back

    def failing(self, guard):
        functions = wfsm.Functions()
        functions.guard("ready")(guard)
        return wfsm.Instance.start(wfsm.Machine.load(GUARDED), self.memory(), "i",
                                   functions=functions, now=0)

    def test_an_exception_is_a_guard_that_cannot_be_evaluated(self):
        one = self.failing(lambda call: call.context["missing"])
        self.assertEqual(one.send("go"), Outcome.TAKEN)
        self.assertEqual(one.configuration, ["lost"])  # error.execution was raised
        self.assertEqual(one.record["errors"], ["KeyError: 'missing'"])
        self.assertLogged("KeyError")
        self.assertEqual(self.logged[0].levelname, "ERROR")

    def test_so_is_an_answer_that_is_no_bool(self):
        for answer in (None, 1, "yes"):
            with self.subTest(answer):
                one = self.failing(lambda call, answer=answer: answer)
                one.send("go")
                self.assertEqual(one.configuration, ["lost"])
        self.assertLogged("a guard returns True or False, not NoneType")

    def test_keyboard_interrupt_goes_through_when_the_step_is_over(self):
        def interrupt(call):
            raise KeyboardInterrupt

        one = self.failing(interrupt)
        with self.assertRaises(KeyboardInterrupt):
            one.send("go")
        self.assertEqual(one.configuration, ["lost"])
        self.assertEqual(self.logged, [])


class Actions(Case):
    def test_a_patch(self):
        def paint(call):
            return {"opened": call.params["coats"], "colour": "red"}

        door = self.door(paint=paint)
        self.assertEqual(door.send("paint"), Outcome.TAKEN)
        self.assertEqual(door.context, {"opened": 2, "keys": ["brass"], "colour": "red"})

    def test_none_changes_nothing(self):
        door = self.door(paint=lambda call: None)
        self.assertEqual(door.send("paint"), Outcome.TAKEN)
        self.assertEqual(door.context["opened"], 0)

    def test_an_exception_fails_the_step_and_is_the_cause_of_its_error(self):
        door = self.door(paint=lambda call: 1 / 0)
        self.assertEqual(door.send("paint"), Outcome.FAILED)
        self.assertIsInstance(door.error, wfsm.HostFailure)
        self.assertIsInstance(door.error.__cause__, ZeroDivisionError)
        self.assertEqual(door.record["outcome"], "failed")
        self.assertEqual(door.record["errors"], ["ZeroDivisionError: division by zero"])
        self.assertEqual((door.revision, door.context["opened"]), (2, 0))
        self.assertEqual(door.send("open"), Outcome.TAKEN)
        self.assertIsNone(door.error)

    def test_so_do_answers_that_are_no_patch(self):
        for patch in ([], 7, {"x": object()}, {"x": float("nan")}, {"x": "\ud800"}, {"": 2**70}):
            with self.subTest(repr(patch)):
                door = self.door(paint=lambda call, patch=patch: patch)
                self.assertEqual(door.send("paint"), Outcome.FAILED)
                self.assertEqual(door.context, {"opened": 0, "keys": ["brass"]})

    def test_a_failing_start_raises_and_leaves_nothing(self):
        store, functions = self.memory(), wfsm.Functions()

        @functions.action("prepare")
        def prepare(call):
            raise LookupError("no paint")

        machine = wfsm.Machine.load({"wfsm": 1, "id": "m", "initial": "a",
                                     "states": {"a": {"entry": "prepare"}}})
        with self.assertRaises(wfsm.WfsmError) as caught:
            wfsm.Instance.start(machine, store, "i", functions=functions)
        self.assertIsInstance(caught.exception.__cause__, LookupError)
        self.assertEqual(store.list(), [])


class Reaching(Case):
    def test_a_callback_may_not_use_what_called_it(self):
        problems = []

        def meddle(call):
            for use in (lambda: door.send("open"), lambda: door.context, door.close,
                        lambda: store.close()):
                try:
                    use()
                except wfsm.Busy as busy:
                    problems.append(busy)
            return False

        store = self.memory()
        door = self.door(store, has_key=meddle)
        self.assertEqual(door.send("unlock"), Outcome.BLOCKED)
        self.assertEqual(len(problems), 4)
        self.assertEqual(door.send("open"), Outcome.TAKEN)

    def test_it_may_use_the_store(self):
        store, heads = self.memory(), []
        door = self.door(store, has_key=lambda call: bool(heads.append(store.head("front"))))
        door.send("unlock")
        self.assertEqual(heads[0].revision, 1)

    def test_so_it_may_while_an_instance_starts(self):
        store, seen = self.memory(), []
        functions = wfsm.Functions()

        @functions.action("prepare")
        def prepare(call):
            seen.append(store.list())
            with self.assertRaises(wfsm.Busy):
                store.close()

        machine = wfsm.Machine.load({"id": "m", "initial": "a",
                                     "states": {"a": {"entry": "prepare"}}})
        wfsm.Instance.start(machine, store, "i", functions=functions)
        self.assertEqual((seen, len(store.list())), ([[]], 1))

    def test_a_call_ends_with_its_function(self):
        calls = []
        door = self.door(has_key=lambda call: bool(calls.append(call)))
        door.send("unlock")
        with self.assertRaisesRegex(wfsm.Closed, "the call is closed"):
            calls[0].context

    def test_functions_in_use_do_not_change(self):
        functions = self.door_functions()
        door = wfsm.Instance.start(wfsm.Machine.load(DOOR), self.memory(), "front",
                                   functions=functions)
        with self.assertRaises(wfsm.Denied):
            functions.guard("late")(lambda call: True)
        door.close()
        functions.guard("late")(lambda call: True)

    def test_threads_wait_for_one_another(self):
        def slowly(call):
            inside.append(1)
            overlap.append(len(inside))
            threading.Event().wait(0.005)
            inside.pop()
            return False

        inside, overlap = [], []
        door = self.door(has_key=slowly)
        threads = [threading.Thread(target=door.send, args=("unlock",)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(overlap, [1] * 8)


if __name__ == "__main__":
    unittest.main()
