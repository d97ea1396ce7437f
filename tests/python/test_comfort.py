"""What makes the package pleasant: truth values, reprs, help, and warnings about mistakes."""
import copy
import enum
import importlib
import inspect
import logging
import pydoc
import sys
import types
import unittest

from support import Case, wfsm
from wfsm import Outcome

DOC = {
    "id": "m", "initial": "a", "context": {"n": 0, "inner": {"k": 1}},
    "states": {
        "a": {"invoke": {"src": "reviewer", "onDone": "b"},
              "on": {"go": "b", "no": {"target": "b", "guard": "never"}, "set": {"actions": "set"}}},
        "b": {"on": {"end": "c"}}, "c": {"type": "final"}}}


MODULES = ("wfsm", "wfsm.agents", "wfsm.flow", "wfsm.hosted", "wfsm.progress", "wfsm.scxml", "wfsm.sign",
           "wfsm.testing", "wfsm.types")


def public_callables():
    """(name, function, class or property) of all modules that the pages name."""
    for module in map(importlib.import_module, MODULES):
        for name, thing in vars(module).items():
            if name[0] == "_" or not callable(thing) or not getattr(thing, "__module__", "").startswith("wfsm"):
                continue
            if name not in getattr(module, "__all__", (name,)) or (
                    not hasattr(module, "__all__") and thing.__module__ != module.__name__):
                continue
            yield f"{module.__name__}.{name}", thing
            if inspect.isclass(thing) and not issubclass(thing, (enum.Enum, Exception)):
                yield from members(thing)


def members(kind):
    for owner in kind.__mro__:
        for name, found in vars(owner).items() if owner.__module__.startswith("wfsm") else ():
            found = getattr(found, "__func__", found)
            if name[0] != "_" and isinstance(found, (property, types.FunctionType)):
                yield f"{kind.__name__}.{name}", found


def calls_of(use):
    """How many calls, of Python and of C, it makes."""
    counted = [0]

    def count(_frame, what, _argument):
        counted[0] += what in ("call", "c_call")

    sys.setprofile(count)
    try:
        use()
    finally:
        sys.setprofile(None)
    return counted[0]


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
        missing, unnamed = [], []
        for name, function in public_callables():
            if not inspect.getdoc(function):
                missing.append(name)
            signature = inspect.signature(function) if not isinstance(function, (type, property)) else None
            for one in signature.parameters.values() if signature else ():
                free = one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
                if one.name not in ("self", "cls") and (
                        one.annotation is one.empty or free and one.name in ("args", "kwargs", "arguments", "named")):
                    unnamed.append(f"{name}: {one.name}")
        self.assertEqual(missing, [])
        self.assertEqual(unnamed, [])

    def test_help_of_a_call_is_that_of_the_call_itself(self):
        shown = pydoc.render_doc(wfsm.Engine.send, renderer=pydoc.plaintext)
        self.assertIn("event_id: ", shown)
        self.assertIn("Sends an event to an instance of this engine.", shown)
        self.assertTrue(inspect.iscoroutinefunction(wfsm.EngineInstance.wait))
        self.assertTrue(inspect.isgeneratorfunction(wfsm.Instance.effects))

    def test_a_call_does_little_beside_the_call_of_c(self):
        """Python's own calls are counted, because a clock would measure the machine, too. The first two
        were 100 and 118 with context managers. bench/python_calls.py has the microseconds."""
        task, engine = self.by_hand(), self.engine()
        driven = engine.start("m", "t")
        for use, most in ((lambda: task.send("set"), 75), (lambda: driven.send("set"), 95),
                          (lambda: task.revision, 40), (lambda: task.context, 65)):
            use()
            self.assertLess(calls_of(use), most)

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
