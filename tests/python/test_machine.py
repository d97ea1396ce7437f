"""Machines: loading, places of errors, drawings."""
import json
import unittest

from support import DOOR, Case, wfsm


class Loading(Case):
    def test_text_bytes_dict_and_file_are_the_same_machine(self):
        text = json.dumps(DOOR)
        path = self.folder() / "door.json"
        path.write_text(text, encoding="utf-8")
        machines = [wfsm.Machine.load(source) for source in (text, text.encode(), DOOR, path)]
        self.assertEqual(len({machine.fingerprint for machine in machines}), 1)
        self.assertEqual(machines[3].document, DOOR)

    def test_what_a_machine_tells(self):
        machine = wfsm.Machine.load({**DOOR, "version": "2"})
        self.assertEqual((machine.id, machine.version), ("door", "2"))
        self.assertEqual(machine.states, ["", "closed", "open", "broken"])
        self.assertEqual(machine.guards, ["has-key"])
        self.assertEqual(machine.actions, ["paint"])
        self.assertEqual(machine.agents, [])
        self.assertRegex(machine.fingerprint, "^[0-9a-f]{64}$")

    def test_a_semantic_error_names_its_place(self):
        text = '{"wfsm": 1, "id": "m", "initial": "a",\n "states": {"a": {"on": {"x": "b"}}}}'
        with self.assertRaises(wfsm.BadDocument) as caught:
            wfsm.Machine.load(text)
        error = caught.exception
        self.assertEqual((error.name, error.status), ("SEMANTIC", wfsm.Status.SEMANTIC))
        self.assertEqual(error.pointer, "/states/a/on/x")
        self.assertEqual((error.line, error.column), (2, 31))
        self.assertIn('"b"', error.message)
        self.assertIn("line 2, column 31", str(error))
        self.assertIsInstance(error, ValueError)

    def test_a_syntax_error_names_line_and_column(self):
        for text in ('{"id": 1,\n}', '{"id": "\xff"}'.encode("latin-1"), ""):
            with self.subTest(text[:20]), self.assertRaises(wfsm.BadDocument) as caught:
                wfsm.Machine.load(text)
            self.assertEqual(caught.exception.name, "SYNTAX")
            self.assertGreaterEqual(caught.exception.line, 1)

    def test_depth_is_bounded(self):
        with self.assertRaises(wfsm.LimitReached):
            wfsm.Machine.load("[" * 100_000)

    def test_duplicate_and_unknown_keys_are_refused(self):
        for text in ('{"wfsm": 1, "id": "m", "id": "n", "states": {"a": {}}}',
                     '{"wfsm": 1, "id": "m", "colour": "red", "states": {"a": {}}}'):
            with self.subTest(text), self.assertRaises(wfsm.BadDocument):
                wfsm.Machine.load(text)

    def test_wrong_types_are_type_errors(self):
        for source in (None, 7, ["{}"], object()):
            with self.subTest(repr(source)), self.assertRaises(TypeError):
                wfsm.Machine.load(source)
        with self.assertRaises(TypeError):
            wfsm.Machine.load({"id": {1, 2}})
        with self.assertRaises(ValueError):
            wfsm.Machine.load({**DOOR, "context": {"nan": float("nan")}})
        with self.assertRaises(FileNotFoundError):
            wfsm.Machine.load(self.folder() / "nowhere.json")


class Checking(Case):
    def test_diagnostics_come_all_at_once_in_order_of_the_text(self):
        text = ('{"wfsm": 1, "id": "m", "initial": "a", "states": {\n'
                ' "a": {"on": {"x": "nowhere"}},\n "b": {"colour": 1}}}')
        diagnostics = wfsm.check(text)
        errors = [found for found in diagnostics if found.severity == "error"]
        self.assertEqual([found.line for found in errors], [2, 3])
        self.assertRegex(str(errors[0]), r"^2:\d+: error: .*nowhere.* \[[a-z-]+\]$")

    def test_a_machine_that_loads_can_have_warnings(self):
        machine = wfsm.Machine.load(
            {"wfsm": 1, "id": "m", "initial": "a", "states": {"a": {"tags": ["terminal"]},
                                                               "far": {"on": {"x": "a"}}}})
        self.assertEqual([found.severity for found in machine.check()], ["warning"])
        self.assertIn("far", machine.check()[0].message)

    def test_no_json_at_all_is_one_diagnostic(self):
        self.assertEqual([found.rule for found in wfsm.check("nonsense")], ["syntax"])


class Watching(Case):
    def test_an_event_that_breaks_an_assumption_is_named(self):
        machine = wfsm.Machine.load({"id": "m", "assume": {"x": {"type": "integer"}},
                                     "properties": {"p": {"never": {"in_state": "c"}}},
                                     "states": {"a": {"on": {"x": "b"}}, "b": {"on": {"x": "a"}}, "c": {}}})
        monitor, instance = machine.monitor(), wfsm.Instance.start(machine, wfsm.memory(), "m1")
        self.assertIsNone(instance.event)
        for data, unassumed in (("1", "x"), (1, None)):
            instance.send("x", data)
            monitor.observe(instance)
            self.assertEqual(monitor.unassumed, unassumed)

    def test_without_properties_there_is_no_event(self):
        machine = wfsm.Machine.load({"id": "m", "states": {"a": {"on": {"x": {}}}}})
        instance = wfsm.Instance.start(machine, wfsm.memory(), "m1")
        instance.send("x")
        self.assertIsNone(instance.event)
        machine.monitor().observe(instance)


class Drawing(Case):
    def test_both_formats(self):
        machine = wfsm.Machine.load(DOOR)
        self.assertTrue(machine.graph().startswith("stateDiagram-v2"))
        self.assertIn("digraph", machine.graph("dot"))
        with self.assertRaises(ValueError):
            machine.graph("png")


if __name__ == "__main__":
    unittest.main()
