"""Stores of every released format are read, audited and continued.

usage: test_golden.py WFSM            the tests
       test_golden.py WFSM --update   rewrites N/shown.json (never for a released format)

Each folder N has store.sql, which a library of that format wrote (see make.py), and shown.json, the
output of the command then. Later commands may print more, never less.
"""
import json
import logging
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import make  # noqa: E402
import sql  # noqa: E402
import wfsm  # noqa: E402
from wfsm import Outcome  # noqa: E402

WFSM = sys.argv.pop(1)
FORMATS = sorted(path.parent for path in HERE.glob("[0-9]*/store.sql"))
LATER = 10_000


def command(*words):
    done = subprocess.run([WFSM, *map(str, words)], capture_output=True, text=True,
                          encoding="utf-8", timeout=600, check=False)
    return done.returncode, done.stdout + done.stderr


def told(*words):
    code, text = command(*words)
    assert code == 0, text
    return json.loads(text)


def shown(path):
    """All that the command tells of a store, but what depends on the present time."""
    heads = told("list", "--json", path)
    instances = {}
    for head in heads:
        one = told("show", "--json", path, head["id"])
        one["budgets"].pop("clock", None)
        instances[head["id"]] = {"show": one,
                                 "journal": told("journal", "--json", path, head["id"])}
    return {"list": heads, "instances": instances}


def missing(expected, answer, place=""):
    """The places at which `answer` does not say what was `expected`; more is no fault."""
    if isinstance(expected, dict) and isinstance(answer, dict):
        for key, value in expected.items():
            if key not in answer:
                yield f"{place}/{key}"
            else:
                yield from missing(value, answer[key], f"{place}/{key}")
    elif isinstance(expected, list) and isinstance(answer, list) and \
            len(expected) == len(answer):
        for number, (one, other) in enumerate(zip(expected, answer)):
            yield from missing(one, other, f"{place}/{number}")
    elif expected != answer:
        yield f"{place}: {expected!r}, not {answer!r}"


# How each continues: one input by hand, and its outcome.
STEPS = {
    "forked": lambda one: one.result(make.work(one), "fine", now=LATER),
    "hosted": lambda one: one.send("go", True, now=LATER),
    "kept": lambda one: one.restore("second", now=LATER),
    "long": lambda one: one.send("go", True, id="turn-150", now=LATER),
    "many": lambda one: one.result(make.first_work(one), {"pages": 1}, now=LATER),
    "migrated": lambda one: one.send("again", now=LATER),
    "parent": lambda one: one.checkpoint("later", now=LATER),
    "parent/child": lambda one: one.result(make.work(one), "late", now=LATER),
    "passed": lambda one: one.send("again", now=LATER),
    "pending": lambda one: one.claim(make.work(one), "me", now=LATER),
    "plant": lambda one: one.send("resume", now=LATER),
    "release": lambda one: one.advance(now=LATER + 86_400_000)[0],
    "retried": lambda one: one.claim(make.work(one), "me", now=LATER),
    "running": lambda one: one.fail(make.work(one), "network", "again", now=LATER),
    "stopped": lambda one: one.send("again", now=LATER),
    "stuck": lambda one: one.send("again", now=LATER),
    "tested": lambda one: one.fail(make.work(one), "exit", "test 9 failed after 8 ms",
                                   now=LATER),
    "worn": lambda one: one.send("again", now=LATER),
}
OUTCOMES = {"forked": Outcome.ENDED, "release": Outcome.ENDED, "running": Outcome.RETRY, "passed": Outcome.ENDED,
            "stopped": Outcome.ENDED, "worn": Outcome.ENDED}
ENDED = {"passed", "stopped", "worn"}
AFTER = {
    "forked": ["passed"], "hosted": ["a"], "kept": ["test"], "migrated": ["build"],
    "plant": ["runs.pump.on.fast", "runs.lamp.bright"], "release": ["dropped"],
    "stuck": ["build"], "tested": ["stuck"],
}


class Golden(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "golden.db"

    def each(self):
        """Each format that there is, its store unpacked; a failure names the format."""
        self.assertTrue(FORMATS)
        for folder in FORMATS:
            self.path.unlink(missing_ok=True)
            sql.load((folder / "store.sql").read_text(encoding="utf-8"), self.path)
            yield folder

    def audited(self):
        code, text = command("audit", self.path)
        self.assertEqual((code, text.rsplit(": ", 1)[-1]), (0, "0 diagnostics\n"), text)

    def test_it_is_audited_and_says_what_it_said(self):
        for folder in self.each():
            self.audited()
            expected = json.loads((folder / "shown.json").read_text(encoding="utf-8"))
            self.assertEqual(list(missing(expected, shown(self.path))), [])

    def step(self, store, id):
        with wfsm.Instance.load(store, id, functions=make.functions()) as one:
            revision, effects = one.revision, store.head(id)
            first = one.next_effect()
            self.assertEqual(first and first.number,
                             effects.acknowledged + 1 if effects.effects >
                             effects.acknowledged else None)
            self.assertEqual(STEPS[make.name_of(id)](one), OUTCOMES.get(id, Outcome.TAKEN), one.error)
            self.assertEqual(one.revision, revision + (id not in ENDED))
            self.assertEqual(one.configuration, AFTER.get(id, one.configuration))

    def test_each_goes_on_by_hand(self):
        for _folder in self.each():
            with wfsm.sqlite(self.path) as store:
                heads = store.list()
                self.assertEqual({make.name_of(head.instance) for head in heads}, set(STEPS))
                for head in heads:
                    with self.subTest(head.instance):
                        self.step(store, head.instance)
            self.audited()

    def test_an_event_id_is_known_for_ever(self):
        for _folder in self.each():
            with wfsm.sqlite(self.path) as store:
                for id, event in (("plant", "click-3"), ("long", "turn-149")):
                    one = wfsm.Instance.load(store, id, functions=make.functions())
                    self.assertEqual(one.send("go", True, id=event, now=LATER),
                                     Outcome.DUPLICATE)

    def test_an_engine_takes_over_what_its_owner_left(self):
        for _folder in self.each():
            with wfsm.sqlite(self.path) as store, wfsm.Engine(store, session="next") as engine:
                engine.guard("may")(lambda call: True)
                engine.action("count")(lambda call: None)
                engine.action("broken")(lambda call: None)
                for name in ("coder", "tester", "reader"):
                    engine.agent(name)(lambda call: {"by": "next"})
                delivered = []
                engine.on_effect(lambda effect, call: delivered.append(effect.event))
                for machine in make.MACHINES.values():
                    engine.add_machine(machine)
                # With the one that was stopped: an effect of it is owed.
                self.assertEqual(engine.adopt_all(now=LATER), len(STEPS) - len(ENDED) + 1)
                for now in range(LATER, LATER + 3000, 100):
                    engine.run(now=now)
                for id, state in (("parent", "end"), ("many", "end"), ("tested", "passed"),
                                  ("retried", "passed"), ("pending", "passed"),
                                  ("stuck", "stuck"), ("release", "ask")):
                    self.assertEqual(told("show", "--json", self.path, id)["configuration"],
                                     [state], id)
                self.assertIn("building", delivered)
                self.assertEqual(store.inbox(), [])
                self.assertEqual(len(engine.instance("release").invocations[0]["votes"]), 1)
            self.audited()

    def change(self, text):
        connection = sqlite3.connect(self.path)
        connection.executescript(text)
        connection.close()

    def refused(self, action):
        with self.assertRaises(wfsm.StoreError) as caught:
            action()
        self.assertEqual(caught.exception.name, "VERSION")

    def test_a_newer_number_is_refused(self):
        for folder in self.each():
            newer = int(folder.name) + 1
            self.change(f"PRAGMA user_version = {newer};")
            self.refused(lambda: wfsm.sqlite(self.path))
            self.assertNotEqual(command("list", self.path)[0], 0)

    def test_newer_records_and_snapshots_are_refused(self):
        for folder in self.each():
            old, new = (f'\'"format":{int(folder.name) + more}\'' for more in (0, 1))
            self.change(f"UPDATE journal SET record = replace(record, {old}, {new}), "
                        f"snapshot = replace(snapshot, {old}, {new});")
            with wfsm.sqlite(self.path) as store:
                for head in store.list():
                    with self.subTest(head.instance):
                        self.refused(lambda id=head.instance: wfsm.Instance.load(
                            store, id, functions=make.functions()))

    def test_this_library_writes_the_newest_of_them(self):
        """The same schema, and records to the byte; snapshots come when they come."""
        made = self.path.with_name("made.sql")
        make.main(made)
        newest = (FORMATS[-1] / "store.sql").read_text(encoding="utf-8")
        self.assertEqual(self.written(made.read_text(encoding="utf-8")), self.written(newest))

    def written(self, text):
        self.path.unlink(missing_ok=True)
        sql.load(text, self.path)
        schema = [line for line in text.splitlines() if not line.startswith("INSERT ")]
        connection = sqlite3.connect(self.path)
        records = connection.execute(
            "SELECT id, j.revision, record FROM journal AS j "
            "JOIN instance AS i ON i.key = j.instance ORDER BY 1, 2").fetchall()
        connection.close()
        return schema, records


def update():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "golden.db"
        sql.load((FORMATS[-1] / "store.sql").read_text(encoding="utf-8"), path)
        text = json.dumps(shown(path), ensure_ascii=False, indent=1, sort_keys=True)
        (FORMATS[-1] / "shown.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    logging.disable()  # what fails here fails on purpose
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
