"""The command wfsm from outside: wfsm gate.

usage: test_gate.py WFSM COMMAND-STORE
"""
import copy
import hashlib
import json
import os
import sys
import unittest
from pathlib import Path

import test_command
from test_command import Folder, run

CASES = Path(__file__).resolve().parents[1] / "cases" / "verify"
OLD = {"wfsm": 1, "id": "m", "version": "1", "initial": "a", "context": {"n": 0},
       "restore": {"event": "RESTORED"},
       "budgets": {"tokens": {"limit": 100}}, "schemas": {"context": {"type": "object"}},
       "states": {"a": {"on": {"GO": "b"}},
                  "b": {"invoke": {"src": "coder", "output": {"type": "string"}},
                        "on": {"END": "c", "BACK": "a"}},
                  "c": {"type": "final"}}}
# Another version, that changes nothing.
NEXT = {**OLD, "version": "2", "migrate": [{"from": "1"}]}


def changed(change):
    document = copy.deepcopy(NEXT)
    change(document)
    return document


class Gate(Folder):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "s.db"
        self.fine("store", "init", self.store)
        old = self.file(OLD, "old.json")
        for name, events in (("waits", []), ("works", ["GO"]), ("was back", ["GO", "BACK"]),
                             ("ended", ["GO", "END"])):
            self.fine("start", self.store, old, name)
            for event in events:
                self.fine("send", self.store, name, event)
        # Another machine does not matter.
        self.fine("start", self.store, self.file({**OLD, "id": "other"}, "other.json"), "other")

    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def gate(self, document, *options, code=0):
        done = run("gate", "--json", *options, self.file(document, "new.json"), self.store)
        self.assertEqual((done.returncode, done.stderr), (code, b""), done.stdout.decode())
        return json.loads(done.stdout)

    def diagnostics(self, found, rule):
        return [(one["severity"], one["message"], one["instances"], one["examples"])
                for one in found["diagnostics"] if one["rule"] == rule]

    def test_nothing_speaks_against_it(self):
        before = hashlib.sha256(self.store.read_bytes()).digest()
        found = self.gate(NEXT)
        self.assertEqual(found, {
            "deploy": True, "verification": "holds", "more": 0, "diagnostics": [],
            "instances": {"all": 4, "running": 3, "there": 0, "movable": 3, "staying": 0},
            "replays": {"journals": 4, "same": 4, "diverging": 0}})
        self.assertEqual(hashlib.sha256(self.store.read_bytes()).digest(), before)
        self.assertEqual(self.gate(OLD)["instances"]["there"], 3)

    def test_a_property_that_is_violated(self):
        found = self.gate({**NEXT, "properties": {"p": {"never": {"in_state": "c"}}}}, code=1)
        self.assertEqual((found["deploy"], found["verification"]), (False, "violated"))
        self.assertEqual(self.diagnostics(found, "verify"),
                         [("error", 'the property "p" is violated', 0, [])])

    def test_a_property_of_children_needs_their_machines(self):
        def call(document):
            document["properties"] = {"p": {"instances": {"never": {"and": [
                {"in_state": "c"}, {"children_in": ["b", "busy"]}]}}}}
            document["states"]["b"]["invoke"]["src"] = "machine:coder"
        coder = self.file({"id": "coder", "initial": "busy", "states": {
            "busy": {"invoke": {"src": "agent", "onDone": "end", "onError": "end"}},
            "end": {"type": "final"}}}, "coder.json")
        found = self.gate(changed(call), code=3)
        self.assertEqual(found["verification"], "undecided")
        found = self.gate(changed(call), "--machines", coder, code=1)
        self.assertEqual(self.diagnostics(found, "verify"),
                         [("error", 'the property "p" is violated', 0, [])])

    def test_instances_that_cannot_be_migrated(self):
        def rename(document):
            document["states"]["w"] = document["states"].pop("b")
            document["states"]["a"]["on"]["GO"] = "w"
        found = self.gate(changed(rename), code=1)
        self.assertEqual(found["instances"]["staying"], 1)
        self.assertEqual(self.diagnostics(found, "migration"),
                         [("error", 'the new document has no state for "b"', 1, ["works"])])
        found = self.gate({**OLD, "version": "3"}, code=1)
        self.assertEqual(found["instances"]["staying"], 3)
        self.assertEqual(len(self.diagnostics(found, "migration")), 1)

    def test_a_state_with_another_name(self):
        """`migrate` says what it is called now, so neither instances nor journals speak against it."""
        def rename(document):
            document["states"]["coding"] = document["states"].pop("b")
            document["states"]["a"]["on"]["GO"] = "coding"
            document["migrate"] = [{"from": "1", "states": {"b": "coding"}}]
        found = self.gate(changed(rename))
        self.assertEqual(found["diagnostics"], [])
        self.assertEqual(found["replays"], {"journals": 4, "same": 4, "diverging": 0})
        self.assertEqual(found["instances"]["movable"], 3)

    def test_a_state_that_moved_into_another(self):
        """A mapping names a state by its id, or an ancestor; `from` can be a list."""
        def move(document):
            state = {**document["states"].pop("b"), "id": "coding"}
            document["states"]["work"] = {"initial": "code", "states": {"code": state}}
            document["states"]["work"]["states"]["code"]["on"] = {"END": "#c", "BACK": "#a"}
            for name in "ac":
                document["states"][name]["id"] = name
            document["states"]["a"]["on"]["GO"] = "work"
            document["migrate"] = [{"from": "0"}, {"from": ["x", "1"], "states": {"b": "#coding"}}]
        self.assertEqual(self.diagnostics(self.gate(changed(move)), "document"), [])

    def test_another_agent_for_the_same_answer(self):
        found = self.gate(changed(lambda document: document["states"]["b"]["invoke"].update(src="writer")))
        self.assertEqual([one[1] for one in self.diagnostics(found, "document")],
                         ["agent coder is not there any more", "agent writer is new"])

    def test_an_agent_that_is_not_invoked_any_more(self):
        """Journals with the same reason share a line."""
        def leave(document):
            del document["states"]["b"]["invoke"]
        found = self.gate(changed(leave))
        self.assertEqual(self.diagnostics(found, "replay"),
                         [("warning", 'invocations[0].agent is not there; in the journal "coder"', 3,
                           ["ended revision 2", "was back revision 2", "works revision 2"])])

        def add(document):
            document["states"]["b"]["on"]["END"] = {"target": "c", "actions": {"type": "emit", "params": {"event": "went"}}}
        found = self.gate(changed(add))
        self.assertEqual([one[1:3] for one in self.diagnostics(found, "replay")],
                         [('effects[0].emit.event is "went"; in the journal not there', 1)])

    def test_a_machine_that_the_store_does_not_have(self):
        found = self.gate({**OLD, "id": "stranger"})
        self.assertEqual([one[:2] for one in self.diagnostics(found, "document")],
                         [("note", 'the store has no instance of the machine "stranger"')])

    def test_what_would_have_come_out_differently(self):
        found = self.gate(changed(lambda document: document["states"]["b"]["on"].pop("BACK")))
        self.assertEqual(self.diagnostics(found, "replay"),
                         [("warning", 'outcome is "no_transition"; in the journal "taken"', 1,
                           ["was back revision 3"])])
        self.assertEqual(found["replays"], {"journals": 4, "same": 3, "diverging": 1})
        found = self.gate(changed(lambda document: document["states"]["b"]["on"].pop("BACK")), "--strict", code=1)
        self.assertEqual(self.diagnostics(found, "replay")[0][0], "error")
        found = self.gate(changed(lambda document: document["states"]["b"]["invoke"].update(src="writer")))
        self.assertEqual(self.diagnostics(found, "replay")[0][1:3],
                         ('invocations[0].agent is "writer"; in the journal "coder"', 3))

    def test_only_the_last_are_replayed(self):
        self.assertEqual(self.gate(NEXT, "--replay", "2")["replays"]["journals"], 2)
        self.assertEqual(self.gate(NEXT, "--replay=0")["replays"]["journals"], 0)
        self.fine("send", self.store, "waits", "GO", "--now", "9000000000000")
        found = self.gate(changed(lambda document: document["states"]["a"]["on"].update(GO="c")), "--replay", "1")
        self.assertEqual(self.diagnostics(found, "replay")[0][3], ["waits revision 2"])

    def test_agents_budgets_and_schemas_that_changed(self):
        def change(document):
            document["budgets"] = {"tokens": {"limit": 7}, "ms": {"limit": 5}}
            document["states"]["b"]["invoke"] = [
                {"id": "one", "src": "coder", "output": {"type": "object"}}, {"id": "two", "src": "critic"}]
            del document["schemas"]
        self.assertEqual([one[1] for one in self.diagnostics(self.gate(changed(change)), "document")],
                         ["agent critic is new", 'budget tokens is {"limit":7}, and was {"limit":100}',
                          "budget ms is new", "the schema of context is not there any more",
                          'the output schema of b, coder is {"type":"object"}, and was {"type":"string"}'])

    def test_a_bound_of_the_verification(self):
        case = json.loads((CASES / "within-many.json").read_text())
        found = self.gate({**case["document"], "id": "alone"}, code=3)
        self.assertEqual((found["deploy"], found["verification"]), (False, "undecided"))
        self.assertEqual([one[0] for one in self.diagnostics(found, "verify")], ["warning"])
        page = run("gate", "--html", self.folder / "new.json", self.store)
        self.assertEqual(page.returncode, 3)
        self.assertIn(b'<strong class="bad">undecided</strong>', page.stdout)

    def test_text_sarif_and_a_page(self):
        evil = changed(lambda document: document["budgets"].update({"<b>x": {"limit": 1}}))
        file = self.file(evil, "new.json")
        text = self.fine("gate", file, self.store)
        self.assertTrue(text.endswith("new.json: may be deployed\n"))
        self.assertIn("new.json:1:1: note: budget <b>x is new [document]", text)
        page = self.folder / "page.html"
        self.assertEqual(self.fine("gate", "--html", "--output", page, file, self.store), text)
        html = page.read_text()
        self.assertIn("may be deployed", html)
        self.assertIn("budget &lt;b&gt;x is new", html)
        self.assertNotIn("<b>x", html)
        sarif = json.loads(self.fine("gate", "--sarif", file, self.store))
        self.assertEqual(sarif["version"], "2.1.0")
        self.assertEqual([(one["ruleId"], one["level"]) for one in sarif["runs"][0]["results"]],
                         [("document", "note")])

    @unittest.skipUnless("WFSM_LIBRARY" in os.environ, "under sanitizers, Python cannot load the library")
    def test_more_instances_than_fit_into_memory_at_once(self):
        sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python"))
        import wfsm
        with wfsm.sqlite(str(self.store), synchronous="normal") as store:
            machine = wfsm.Machine.load(OLD)
            for number in range(1345):
                wfsm.Instance.start(machine, store, f"many{number:05}", now=1)
        found = self.gate({**OLD, "version": "3"}, "--replay", "3", code=1)
        self.assertEqual(found["instances"], {"all": 1349, "running": 1348, "there": 0, "movable": 0,
                                              "staying": 1348})
        self.assertEqual([one[2] for one in self.diagnostics(found, "migration")], [1348])

    def test_a_restore_ends_a_replay(self):
        self.fine("checkpoint", self.store, "works", "here")
        self.fine("restore", self.store, "works", "here")
        self.assertEqual(self.gate(NEXT)["replays"], {"journals": 4, "same": 3, "diverging": 0})

    def test_what_is_wrong_is_told(self):
        new = self.file(NEXT, "new.json")
        bad = self.file({"id": "x"}, "bad.json")
        for arguments, code, why in (
                ([], 64, "gate needs a machine document and a store"), ([new], 64, "gate needs"),
                ([new, self.store, "x"], 64, "gate does not take x"),
                (["--json", "--html", new, self.store], 64, "only one of"),
                (["--output", "x", new, self.store], 64, "--output needs"),
                (["--replay", "x", new, self.store], 64, "--replay x: expected a whole number"),
                ([bad, self.store], 2, "bad.json"), ([self.folder / "none", self.store], 2, "none"),
                ([new, self.folder / "none.db"], 1, "none.db"),
                (["--json", "--output", "/dev/full", new, self.store], 2, "/dev/full")):
            done = run("gate", *arguments)
            self.assertEqual((done.returncode, done.stdout), (code, b""), arguments)
            self.assertIn(why, done.stderr.decode())


if __name__ == "__main__":
    test_command.WFSM, test_command.STORE_MAKER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=1)
