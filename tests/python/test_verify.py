"""Machine.verify."""
import unittest

from support import Case, wfsm

RELEASE = {
    "id": "release", "initial": "draft",
    "properties": {
        "no release without approval": {"never": {"and": [
            {"in_state": "released"}, {"!": {"var": "context.approved"}}]}},
        "can be released": {"reachable": {"in_state": "released"}}},
    "context": {"approved": False},
    "states": {
        "draft": {"on": {"approve": {"target": "ready", "actions": {
            "type": "assign", "params": {"approved": True}}}, "hurry": "ready"}},
        "ready": {"on": {"release": "released", "edit": "draft"}},
        "released": {"type": "final"}}}


class Verify(Case):
    def test_a_violation_has_the_shortest_way(self):
        found = wfsm.Machine.load(RELEASE).verify()
        self.assertFalse(found)
        self.assertIs(wfsm.Verdict.VIOLATED, found.verdict)
        self.assertEqual({"no release without approval": wfsm.Verdict.VIOLATED,
                          "can be released": wfsm.Verdict.HOLDS}, found.properties)
        broken = [f for f in found.diagnostics if f.property == "no release without approval"]
        self.assertEqual(1, len(broken))
        self.assertEqual((broken[0].severity, broken[0].replayed), ("error", True))
        self.assertEqual(2, broken[0].steps)
        self.assertIn("hurry", broken[0].script)
        self.assertIn("release", broken[0].trace)

    def test_what_holds_is_true(self):
        fixed = {**RELEASE, "states": {**RELEASE["states"], "draft": {"on": {
            "approve": RELEASE["states"]["draft"]["on"]["approve"]}}}}
        fixed["states"]["ready"] = {"on": {"release": "released"}}
        found = wfsm.Machine.load(fixed).verify()
        self.assertTrue(found, found)
        self.assertGreater(found.states, 2)

    def test_progress_can_end_it_and_may_raise(self):
        many = {"id": "many", "initial": "a", "context": {"n": 0, "m": 0}, "states": {"a": {"on": {
            key: {"guard": {"<": [{"var": f"context.{key}"}, 1000]},
                  "actions": {"type": "assign", "params": {
                      key: {"+": [{"var": f"context.{key}"}, 1]}}}} for key in ("n", "m")}}}}
        machine = wfsm.Machine.load(many)
        calls = []
        found = machine.verify(progress=lambda states, moves: calls.append(moves) or True)
        self.assertIs(wfsm.Verdict.UNDECIDED, found.verdict)
        self.assertLess(len(calls), 3)
        with self.assertRaises(ZeroDivisionError):
            machine.verify(progress=lambda states, moves: 1 / 0)
        few = machine.verify(max_states=10)
        self.assertIs(wfsm.Verdict.UNDECIDED, few.verdict)
        self.assertTrue(few.bound)

    def test_properties_of_children_need_their_machines(self):
        parent = wfsm.Machine.load({
            "id": "parent", "initial": "a",
            "properties": {"quiet": {"instances": {"never": {"and": [
                {"in_state": "b"}, {"children_in": ["job", "busy"]}]}}}},
            "states": {"a": {"invoke": {"id": "job", "src": "machine:worker", "onDone": "b",
                                        "onError": "c"}},
                       "b": {"type": "final"}, "c": {"type": "final"}}})
        worker = wfsm.Machine.load({
            "id": "worker", "initial": "busy", "states": {
                "busy": {"invoke": {"src": "agent", "onDone": "idle", "onError": "idle"}},
                "idle": {"type": "final"}}})
        self.assertIs(parent.verify().verdict, wfsm.Verdict.UNDECIDED)
        self.assertIn("machine:worker", parent.verify().bound)
        self.assertIs(parent.verify(machines=[worker]).verdict, wfsm.Verdict.HOLDS)
        (watched,) = parent.monitor().properties
        self.assertIs(watched.watched, wfsm.Watched.WATCHED_UNKNOWN)

    def test_a_property_can_hold_vacuously(self):
        claim = {"precedes": {"of": {"===": [{"var": "event.type"}, "nobody"]},
                              "needs": {"in_state": "ready"}}}
        properties = {**RELEASE["properties"], "never asked": claim}
        found = wfsm.Machine.load({**RELEASE, "properties": properties}).verify()
        self.assertEqual(("never asked",), found.vacuous)

    def test_inputs_must_be_objects(self):
        machine = wfsm.Machine.load(RELEASE)
        self.assertEqual(2, len(machine.verify(inputs=[{}, {"approved": True}]).properties))
        with self.assertRaises(wfsm.WfsmError):
            machine.verify(inputs=[1])


if __name__ == "__main__":
    unittest.main()
