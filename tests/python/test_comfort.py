"""What makes the package pleasant: truth values, reprs, help, and warnings about mistakes."""
import copy
import inspect
import logging
import unittest

from support import Case, wfsm
from wfsm import Outcome

DOC = {
    "id": "m", "initial": "a", "context": {"n": 0, "inner": {"k": 1}},
    "states": {
        "a": {"invoke": {"src": "reviewer", "onDone": "b"},
              "on": {"go": "b", "no": {"target": "b", "guard": "never"}, "set": {"actions": "set"}}},
        "b": {"on": {"end": "c"}}, "c": {"type": "final"}}}


class Comfort(Case):
    def engine(self):
        engine = wfsm.Engine(self.memory())
        self.addCleanup(engine.close)
        engine.guard("never")(lambda call: False)
        engine.action("set")(lambda call: None)
        engine.add_machine(wfsm.Machine.load(DOC))
        return engine

    def by_hand(self, action=lambda call: None):
        functions = wfsm.Functions()
        functions.guard("never")(lambda call: False)
        functions.action("set")(action)
        return wfsm.Instance.start(wfsm.Machine.load(DOC), self.memory(), "t", functions=functions)

    def test_an_outcome_is_true_if_the_event_was_taken(self):
        engine = self.engine()
        for task in (self.by_hand(), engine.start("m", "t")):
            with self.subTest(task=task):
                self.assertFalse(task.send("nothing"))
                self.assertFalse(task.send("no"))
                self.assertTrue(task.send("go", id="1"))
                self.assertFalse(task.send("go", id="1"))
                self.assertTrue(task.send("end"))
                again = task.send("end")
                self.assertEqual((again, str(again)), (Outcome.ENDED, "ended"))
                self.assertFalse(again)
                self.assertFalse(task.stop())

    def test_a_repr_says_what_it_is(self):
        engine, task = self.engine(), self.by_hand()
        seen = []
        engine.agent("reviewer")(lambda call: seen.extend((repr(call), call)) or 1)
        driven = engine.start("m", "t")
        engine.run()
        begun = engine.prepare()
        begun.exchange()
        begun.finish()
        for thing in (engine, task, driven, begun, wfsm.memory(), wfsm.Functions(), seen[1],
                      wfsm.Machine.load(DOC), wfsm.EngineInstance(engine, "none")):
            self.assertNotIn(" object at ", repr(thing))
        self.assertEqual(seen[0], "<Call 'reviewer' of 't'>")
        self.assertEqual(repr(driven), "<EngineInstance 't' revision 2 in ['b']>")

    def test_help_is_complete(self):
        missing = []
        for name in wfsm.__all__:
            thing = getattr(wfsm, name)
            if callable(thing) and not inspect.getdoc(thing):
                missing.append(name)
            for member, found in vars(thing).items() if inspect.isclass(thing) else ():
                if member[0] != "_" and (inspect.isfunction(found) or isinstance(found, (
                        property, classmethod))) and not inspect.getdoc(found):
                    missing.append(f"{name}.{member}")
        self.assertEqual(missing, [])

    def test_a_misspelt_agent_is_named(self):
        engine = self.engine()
        engine.agent("reviewr")(lambda call: 1)
        engine.start("m", "t")
        with self.assertLogs("wfsm", logging.WARNING) as said:
            engine.run()
            engine.run()
        self.assertEqual([line.split(":", 2)[2] for line in said.output], [
            "machine 'm' invokes the agent 'reviewer', which this engine does not have: "
            "did you mean 'reviewr'?"])

    def test_an_assignment_that_would_be_lost_is_refused(self):
        def assign(call):
            call.context["n"] = 1

        task = self.by_hand(assign)
        self.assertEqual(task.send("set"), Outcome.FAILED)
        self.assertIn("return the keys from an action", str(task.error))
        for lose in (lambda: task.context.update(n=1), lambda: task.context.pop("n"),
                     lambda: task.context["inner"].clear(), lambda: task.context.__setitem__("n", 1)):
            with self.assertRaisesRegex(TypeError, "would be lost"):
                lose()
        changed = copy.deepcopy(task.context)
        changed["inner"]["k"] = 2
        self.assertEqual({**task.context, **changed}, {"n": 0, "inner": {"k": 2}})
        self.assertEqual(task.patch({"n": 5}), Outcome.TAKEN)
        self.assertEqual(task.context["n"], 5)


if __name__ == "__main__":
    unittest.main()
