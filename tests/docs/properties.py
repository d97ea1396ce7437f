"""The table of doc/properties.md: its examples hold, and each document of its last column violates the
property of its row. Both `wfsm verify` and `wfsm simulate --properties` are asked.

usage: properties.py ROOT WFSM
"""
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT, WFSM = None, None
ROW = re.compile(r"^\| ([^|]+) \| `(\w+)` \| ([^|]+) \| `(\{.*\})` \| \[[^]]+\]\((\S+)\) \|$", re.M)
NOBODY = {"===": [{"var": "event.type"}, "nobody"]}
SHIPPED = {"in_state": "shipped"}
PAID = {"var": "context.paid"}
VACUOUS = {
    "never": {"never": {"and": [NOBODY, SHIPPED]}},
    "never, the other": {"never": {"and": [{"!": PAID}, SHIPPED, NOBODY]}},
    "always": {"always": {"or": [{"!": NOBODY}, PAID]}},
    "always, a list": {"always": {"or": [PAID, {"!": [NOBODY]}]}},
    "always, if": {"always": {"if": [NOBODY, PAID, True]}},
    "precedes": {"precedes": {"of": NOBODY, "needs": SHIPPED}},
    "leadsTo": {"leadsTo": {"from": NOBODY, "to": SHIPPED}},
    "leadsTo within a time": {"leadsTo": {"from": NOBODY, "to": SHIPPED, "within": {"ms": 1}}},
    "until": {"until": {"of": PAID, "from": NOBODY, "to": SHIPPED}},
    "absent of": {"absent": {"of": NOBODY, "from": SHIPPED}},
    "absent from": {"absent": {"of": SHIPPED, "from": NOBODY}},
    "atMost": {"atMost": {"of": NOBODY, "times": 1}},
}
NOT_VACUOUS = {
    "a claim about data": {"never": {"and": [SHIPPED, {"!": PAID}]}},
    "and nothing else": {"never": NOBODY},
    "not at all": {"atMost": {"of": NOBODY, "times": 0}},
    "the event comes": {"always": {"or": [{"!": {"===": [{"var": "event.type"}, "pay"]}},
                                          {"in_state": "charging"}]}},
    "from the start": {"absent": {"of": SHIPPED, "to": {"in_state": "packing"}}},
}


def wfsm(*arguments, text=None):
    return subprocess.run([WFSM, *map(str, arguments)], input=text, capture_output=True,
                          text=True, timeout=120)


def verify(path):
    """The times of parent and child are not compared: the property of both is not asked with --punctual."""
    child = ROOT / "doc/properties/parcel.json"
    punctual = [] if path.name == "instances.json" else ["--punctual"]
    return json.loads(wfsm("verify", "--json", *punctual, "--machines", child, path).stdout)


def kind_of(claim):
    return next(key for key in claim if key != "description")


class Properties(unittest.TestCase):
    def setUp(self):
        page = (ROOT / "doc/properties.md").read_text("utf-8")
        table = page.partition("| pattern |")[2].partition("\n\n")[0]
        self.rows = [(row[2], json.loads(row[4]), ROOT / "doc" / row[5])
                     for row in ROW.finditer(table)]
        self.assertEqual(len(table.splitlines()) - 2, len(self.rows), "a row is not understood")

    def test_each_word_has_a_row(self):
        schema = json.loads((ROOT / "doc/machine.schema.json").read_text("utf-8"))
        words = set(schema["$defs"]["property"]["properties"]) - {"description"}
        self.assertEqual(words, {word for word, _, _ in self.rows})
        for word, claim, _ in self.rows:
            self.assertEqual(word, kind_of(claim))

    def test_the_examples_hold_and_are_not_vacuous(self):
        path = ROOT / "doc/properties/order.json"
        document = json.loads(path.read_text("utf-8"))
        known = list(document["properties"].values())
        for _, claim, _ in self.rows:
            self.assertIn(claim, known)
        found = verify(path)
        self.assertEqual("holds", found["verdict"])
        for one in found["properties"]:
            self.assertEqual(("holds", False), (one["verdict"], one["vacuous"]), one["name"])

    def test_each_document_violates_the_property_of_its_row(self):
        for _, claim, path in self.rows:
            with self.subTest(path.name):
                document = json.loads(path.read_text("utf-8"))
                self.assertEqual([claim], list(document["properties"].values()))
                found = verify(path)
                self.assertEqual(["violated"], [one["verdict"] for one in found["properties"]])
                self.assertFalse(found["properties"][0]["vacuous"])
                self.replay(path, found)

    def replay(self, path, found):
        """The run that is shown violates it, or ends before what must come has come."""
        shown = [one for one in found["diagnostics"] if one["rule"] == "property" and one["script"]]
        for one in shown:
            run = wfsm("simulate", "--by-hand", "--properties", path, text=one["script"])
            lines = [json.loads(line)["properties"] for line in run.stdout.splitlines()]
            violated = [name for line in lines for name in line["violated"]]
            unwatched = lines[-1].get("unwatched", [])
            self.assertEqual([one["property"]], violated or lines[-1]["pending"] or unwatched,
                             run.stdout)

    def order_with(self, properties):
        document = json.loads((ROOT / "doc/properties/order.json").read_text("utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.json"
            path.write_text(json.dumps({**document, "properties": properties}), "utf-8")
            return {one["name"]: (one["verdict"], one["vacuous"])
                    for one in verify(path)["properties"]}

    def test_what_never_happens_is_vacuous(self):
        self.assertEqual({name: ("holds", True) for name in VACUOUS}, self.order_with(VACUOUS))

    def test_what_happens_is_not_vacuous(self):
        self.assertEqual({name: ("holds", False) for name in NOT_VACUOUS},
                         self.order_with(NOT_VACUOUS))


if __name__ == "__main__":
    ROOT, WFSM = Path(sys.argv.pop(1)), sys.argv.pop(1)
    unittest.main()
