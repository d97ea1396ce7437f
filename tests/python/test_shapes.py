"""Contexts, inputs and outputs with Python types: schemas, conversion, and what is refused when."""
import json
import re
import unittest
from dataclasses import dataclass, replace
from typing import Any, Dict, List, Optional

from shapes import DOCUMENT, Approve, Change, Color, Note, Review, Tree, Verdict
from support import ROOT, Case, wfsm
from wfsm import _clash, types


@dataclass
class Wrong:
    number: complex = 0j


@dataclass
class Other:
    chnage: str


@dataclass
class Counted:
    change: int


class Schemas(Case):
    def test_a_dataclass(self):
        self.assertEqual(types.schema(Review), {
            "type": "object", "additionalProperties": False, "properties": {
                "change": {"type": "string"}, "score": {"type": "number"},
                "notes": {"type": "array", "items": {
                    "type": "object", "additionalProperties": False, "required": ["text"],
                    "properties": {"text": {"type": "string"}, "stars": {"type": "integer"}}}},
                "color": {"anyOf": [{"enum": ["red", "blue"]}, {"type": "null"}]}}})

    def test_a_typed_dict(self):
        self.assertEqual(types.schema(Change)["required"], ["change"])
        self.assertEqual(types.schema(Verdict)["properties"], {
            "verdict": {"enum": ["good", "bad"]},
            "pair": {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}],
                     "minItems": 2, "maxItems": 2},
            "extra": {"type": "object", "additionalProperties": {"anyOf": [
                {"type": "integer"}, {"type": "array", "items": {"type": "string"}}]}},
            "any": {}})

    def test_a_type_that_contains_itself(self):
        schema = types.schema(Tree)
        self.assertEqual(schema["$ref"], "#/$defs/Tree")
        machine = {"id": "m", "initial": "a", "context": {"name": "root"}, "states": {"a": {}}}
        loaded = wfsm.Machine.load(machine, context=Tree)
        with wfsm.Instance.start(loaded, self.memory(), "t", {"children": [{"name": "b"}]}) as task:
            self.assertEqual(task.context_as(Tree), Tree("root", [Tree("b")]))
            with self.assertRaisesRegex(wfsm.BadDocument, r"does not fit schemas\.context: at /children/0: expected a member \"name\""):
                task.patch({"children": [{"nam": "b"}]})

    def test_a_type_without_a_schema_is_named(self):
        for kind, said in ((Wrong, r"Wrong\.number: complex has no JSON Schema"),
                           (List[bytes], r"List\[bytes\]\[\]: bytes has no"),
                           (Dict[int, str], "has no JSON Schema")):
            with self.subTest(kind), self.assertRaisesRegex(TypeError, said):
                types.schema(kind)


class Values(Case):
    def test_values_become_objects_and_come_back(self):
        value = {"change": "x", "score": 1, "notes": [{"text": "a"}], "color": "blue"}
        made = types.convert(value, Review)
        self.assertEqual(made, Review("x", 1.0, [Note("a", 0)], Color.BLUE))
        self.assertIsInstance(made.score, float)
        self.assertEqual(json.loads(wfsm._text.encode(made))["notes"], [{"text": "a", "stars": 0}])
        self.assertEqual(types.convert({"pair": [1.0, "x"]}, Verdict), {"pair": (1, "x")})

    def test_what_does_not_fit_is_named_with_its_place(self):
        for value, said in (({"notes": [{"text": 5}]}, r"value\.notes\[0\]\.text: expected str, not 5"),
                            ({"notes": [{}]}, "'text' of Note is missing"),
                            ({"chnage": ""}, "Review has no member 'chnage'"),
                            ({"score": True}, "value.score: expected float"),
                            ({"score": "1"}, "expected float"), ({"color": "green"}, "green"),
                            ([], "expected Review")):
            with self.subTest(value), self.assertRaisesRegex(ValueError, said):
                types.convert(value, Review)


class Machines(Case):
    def test_the_schema_and_the_defaults_are_in_the_document(self):
        machine = wfsm.Machine.load(DOCUMENT, context=Review)
        self.assertEqual(machine.document["schemas"]["context"], types.schema(Review))
        self.assertEqual(machine.document["context"],
                         {"change": "", "score": 0, "notes": [], "color": None})
        self.assertNotIn("schemas", DOCUMENT)

    def test_an_object_is_the_initial_context(self):
        machine = wfsm.Machine.load(json.dumps(DOCUMENT), context=Review("x", notes=[Note("a")]))
        self.assertEqual(machine.document["context"]["notes"], [{"text": "a", "stars": 0}])

    def test_a_member_without_a_value_is_named(self):
        with self.assertRaisesRegex(TypeError, "Note.text has no default, and the document's context"):
            wfsm.Machine.load(DOCUMENT, context=Note)
        wfsm.Machine.load({**DOCUMENT, "context": {"text": "x"}}, context=Note)
        with self.assertRaisesRegex(wfsm.BadDocument, "schema"):
            wfsm.Machine.load({**DOCUMENT, "context": {"text": 5}}, context=Note)

    def test_other_things_are_refused(self):
        with self.assertRaisesRegex(TypeError, "a context is a dataclass, .*, not int"):
            wfsm.Machine.load(DOCUMENT, context=int)
        with self.assertRaisesRegex(TypeError, "schemas.context already"):
            wfsm.Machine.load({**DOCUMENT, "schemas": {"context": {}}}, context=Review)
        with self.assertRaisesRegex(TypeError, "invokes no agent 'reviewr'"):
            wfsm.Machine.load(DOCUMENT, agents={"reviewr": Verdict})
        with self.assertRaisesRegex(wfsm.BadDocument, "expected"):
            wfsm.Machine.load("{", context=Review)

    def test_events_and_agents(self):
        def reviewer(call: wfsm.Call, input: Change) -> Verdict:
            return {"verdict": "good"}

        machine = wfsm.Machine.load(DOCUMENT, context=Review, events={"approve": Approve},
                                    agents={"reviewer": reviewer})
        self.assertEqual(machine.document["assume"]["approve"], types.schema(Approve))
        self.assertEqual(machine.document["states"]["asked"]["invoke"]["output"], types.schema(Verdict))


class Functions(Case):
    def started(self, functions, **options):
        machine = wfsm.Machine.load(DOCUMENT, context=Review)
        task = wfsm.Instance.start(machine, self.memory(), "t", functions=functions, **options)
        self.addCleanup(task.close)
        task.result(task.invocations[0]["id"])
        return task

    def test_guards_and_actions_get_objects(self):
        functions, seen = wfsm.Functions(), []

        @functions.guard
        def may(call, event: Approve, context: Review) -> bool:
            seen.append((event, context))
            return event.stars > 2

        @functions.action
        def note(call, context: Review, event: Approve) -> Review:
            context.notes.append(Note(event.by, event.stars))
            return replace(context, color=Color.RED)

        task = self.started(functions, input=Review("fix"))
        self.assertFalse(task.send("approve", Approve("ada", 1)))
        self.assertTrue(task.send("approve", {"by": "ada", "stars": 3}))
        self.assertEqual(seen[-1], (Approve("ada", 3), Review("fix")))
        self.assertEqual(task.context_as(Review), Review("fix", 0, [Note("ada", 3)], Color.RED))
        self.assertEqual({one["path"] for one in task._store.diff("t", 2, 3)["context"]},
                         {"/notes/0", "/color"})

    def test_an_event_of_another_shape_fails_the_guard(self):
        functions = wfsm.Functions()
        functions.action("note")(lambda call: None)

        @functions.guard("may")
        def guard(call, event: Approve) -> bool:
            return True

        task = self.started(functions)
        self.assertEqual(task.send("approve", {"by": "ada"}), wfsm.Outcome.BLOCKED)
        self.assertLogged("event: the member 'stars' of Approve is missing")

    def refused(self, said, function, role="guard"):
        with self.assertRaisesRegex(TypeError, said):
            getattr(wfsm.Functions(), role)("f")(function)

    def test_wrong_shapes_are_refused_at_registration(self):
        def misspelt(call, contxt): ...
        def text(call) -> str: ...
        def without(call, event: Wrong) -> bool: ...
        def number(call) -> int: ...
        def nothing(): ...
        def unknown(call, event: "Nowhere") -> bool: ...  # noqa: F821
        self.refused("guard \"f\" has the parameter 'contxt'.*context, event, params", misspelt)
        self.refused('guard "f" returns str, not bool', text)
        self.refused(r'guard "f": event.number: complex has no JSON Schema', without)
        self.refused('action "f": its result is integer', number, "action")
        self.refused('guard "f" has no parameter', nothing)
        self.refused('annotations of the guard "f" cannot be evaluated: .*Nowhere', unknown)

    def test_a_context_that_the_machine_does_not_have(self):
        functions = wfsm.Functions()
        functions.action("note")(lambda call: None)

        @functions.guard("may")
        def guard(call, context: Other) -> bool:
            return True

        with self.assertRaisesRegex(TypeError, "guard \"may\" does not fit machine \"review\": "
                                               "its context has no 'chnage'"):
            self.started(functions)


class Agents(Case):
    def engine(self, **options):
        engine = wfsm.Engine(self.memory(), **options)
        self.addCleanup(engine.close)
        engine.guard("may")(lambda call: True)
        engine.action("note")(lambda call: None)
        return engine

    def run_one(self, engine, machine):
        engine.add_machine(machine)
        task = engine.start("review", "t", Review(change="fix"))
        engine.run_until(lambda: task.in_state("waiting") or task.done)
        return task

    def test_inputs_and_outputs(self):
        document = json.loads(json.dumps(DOCUMENT))
        document["states"]["asked"]["invoke"]["onDone"] = {"target": "waiting", "actions": {
            "type": "assign", "params": {"notes": [{"var": "event.data"}]}}}
        for threads in True, False:
            engine = self.engine(threads=threads)

            @engine.agent("reviewer")
            def review(call, input: Change) -> Note:
                return Note(input["change"], call.attempt)

            task = self.run_one(engine, wfsm.Machine.load(document, context=Review,
                                                          agents={"reviewer": review}))
            self.assertEqual(task.context_as(Review).notes, [Note("fix", 1)])

    def test_a_coroutine(self):
        engine, seen = self.engine(), []

        @engine.agent("reviewer")
        async def review(work, input: Change) -> Optional[Note]:
            seen.append(input)

        self.run_one(engine, wfsm.Machine.load(DOCUMENT, context=Review))
        self.assertEqual(seen, [{"change": "fix"}])

    def test_an_input_of_another_shape_is_a_failure(self):
        document = json.loads(json.dumps(DOCUMENT))
        document["states"]["asked"]["invoke"]["input"] = {"var": "context.notes"}
        for threads in True, False:
            engine = self.engine(threads=threads)
            engine.observer(lambda call: self.records.append(call.record))
            self.records = []

            @engine.agent("reviewer")
            def review(call, input: Change) -> None: ...

            self.assertTrue(self.run_one(engine, wfsm.Machine.load(document, context=Review)).in_state("failed"))
            failed = next(one["failed"] for one in self.records if one.get("failed"))
            self.assertEqual((failed["class"], failed["message"]), ("schema", "input: expected Change, not []"))

    def test_wrong_shapes_are_refused_in_either_order(self):
        def other(call, input: Other) -> None: ...
        def counted(call, input: Counted) -> Any: ...
        def text(call) -> str: ...
        def fits(call, input: Change) -> Dict[str, Any]: ...
        document = json.loads(json.dumps(DOCUMENT))
        document["states"]["asked"]["invoke"].update(
            input={"change": "constant"}, output={"type": "object", "required": ["verdict"]})
        place = 'agent "reviewer" does not fit machine "review", state "asked": '
        for function, said in ((other, "its input has no 'chnage'"),
                               (counted, "its input.change is string, not integer"),
                               (text, "its result is string, not object")):
            with self.subTest(said):
                engine, machine = self.engine(), wfsm.Machine.load(document)
                engine.agent("reviewer")(function)
                with self.assertRaisesRegex(TypeError, place + said):
                    engine.add_machine(machine)
                engine = self.engine()
                engine.add_machine(machine)
                with self.assertRaisesRegex(TypeError, place + said):
                    engine.agent("reviewer")(function)
                engine.agent("reviewer")(fits)

    def test_what_an_agent_returns_must_be_json(self):
        def bad(call) -> complex: ...
        with self.assertRaisesRegex(TypeError, 'agent "reviewer": its result: complex has no'):
            self.engine().agent("reviewer")(bad)


class Clashes(Case):
    def test_the_operators_are_those_of_the_library(self):
        source = (ROOT / "lib" / "logic" / "operators.c").read_text(encoding="utf-8")
        self.assertEqual(_clash._OPERATORS, set(re.findall(r'\{"([^"]+)", WF_SHAPE', source)))

    def test_a_reference_that_leads_nowhere_is_no_clash(self):
        for reference in ("#/$defs/none", "#/anyOf/0", "#/$defs/none/more", "other.json"):
            self.assertIsNone(_clash.clash({"$ref": reference, "anyOf": [{}]}, {"type": "string"}, "x"))


if __name__ == "__main__":
    unittest.main()
