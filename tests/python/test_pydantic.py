"""Contexts, inputs and outputs that are models of pydantic, where it is installed."""
import unittest
from typing import List, Optional

from shapes import DOCUMENT
from support import Case, wfsm
from wfsm import types

try:
    from pydantic import BaseModel, Field
except ImportError:
    raise unittest.SkipTest("pydantic is not installed") if __name__ != "__main__" else SystemExit(77)


class Note(BaseModel):
    text: str
    stars: int = Field(default=0, ge=0, le=5)


class Review(BaseModel):
    change: str = ""
    notes: List[Note] = []
    best: Optional[Note] = None


class Change(BaseModel):
    change: str


class Other(BaseModel):
    chnage: str


class Models(Case):
    def test_a_model_is_a_context(self):
        machine = wfsm.Machine.load(DOCUMENT, context=Review)
        functions = wfsm.Functions()

        @functions.guard
        def may(call, event: Note) -> bool:
            return event.stars > 2

        @functions.action
        def note(call, context: Review, event: Note) -> Review:
            return context.model_copy(update={"notes": [*context.notes, event], "best": event})

        with wfsm.Instance.start(machine, self.memory(), "t", Review(change="x"), functions=functions) as task:
            task.result(task.invocations[0]["id"])
            self.assertFalse(task.send("approve", Note(text="a", stars=1)))
            self.assertEqual(task.send("approve", {"text": "a", "stars": 9}), wfsm.Outcome.BLOCKED)
            self.assertTrue(task.send("approve", Note(text="b", stars=3)))
            best = Note(text="b", stars=3)
            self.assertEqual(task.context_as(Review), Review(change="x", notes=[best], best=best))

    def test_the_schema_is_checked_by_the_library(self):
        machine = wfsm.Machine.load(DOCUMENT, context=Review)
        functions = wfsm.Functions()
        functions.guard("may")(lambda call: True)
        functions.action("note")(lambda call: {"notes": [{"text": "a", "stars": 9}]})
        with wfsm.Instance.start(machine, self.memory(), "t", functions=functions) as task:
            task.result(task.invocations[0]["id"])
            self.assertEqual(task.send("approve"), wfsm.Outcome.FAILED)

    def test_agents(self):
        def review(call, input: Change) -> Note:
            return Note(text=input.change, stars=call.attempt)

        def wrong(call, input: Other) -> Note: ...

        engine = wfsm.Engine(self.memory())
        self.addCleanup(engine.close)
        engine.guard("may")(lambda call: True)
        engine.action("note")(lambda call: None)
        machine = wfsm.Machine.load(DOCUMENT, context=Review, agents={"reviewer": review})
        engine.add_machine(machine)
        with self.assertRaisesRegex(TypeError, "its input has no 'chnage'"):
            engine.agent("reviewer")(wrong)
        engine.agent("reviewer")(review)
        task = engine.start("review", "t", {"change": "x"})
        engine.run_until(lambda: task.in_state("waiting") or task.done)
        self.assertTrue(task.in_state("waiting"))

    def test_models_within_other_types(self):
        schema = types.schema(List[Review])
        self.assertIn("Note", schema["$defs"])
        self.assertEqual(types.convert([{"change": "x"}], List[Review]), [Review(change="x")])
        with self.assertRaisesRegex(ValueError, "stars"):
            types.convert({"text": "", "stars": 9}, Note)


if __name__ == "__main__":
    unittest.main()
