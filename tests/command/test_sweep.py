"""The command wfsm from outside: wfsm sweep, and the retention of documents.

usage: test_sweep.py WFSM COMMAND-STORE
"""
import json
import sys
import unittest

import test_command
from test_command import Folder, run

HOUR = 3600000
START = 1000000


def document(name, retention):
    made = {"wfsm": 1, "id": name, "initial": "a", "context": {"n": 0},
            "states": {"a": {"on": {"MORE": {"actions": {"type": "assign", "params": {"n": {"+": [{"var": "context.n"}, 1]}}}},
                                    "END": "z"}}, "z": {"type": "final"}}}
    return {**made, "retention": retention} if retention is not None else made


class Sweep(Folder):
    def setUp(self):
        super().setUp()
        self.store, self.archive = self.folder / "s.db", self.folder / "a.db"
        self.fine("store", "init", self.store)

    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def start(self, name, retention, *events):
        """An instance of a document with this retention, which has taken the events a second apart."""
        path = self.file(document(name.split("-")[0], retention), name.split("-")[0] + ".json")
        self.fine("start", self.store, path, name, "--now", START)
        for number, event in enumerate(events, 1):
            self.fine("send", self.store, name, event, "--now", START + 1000 * number)

    def sweep(self, *options, now=START + HOUR):
        return self.fine("sweep", "--now", now, *options, self.store)

    def ids(self, store=None):
        return [one["id"] for one in json.loads(self.fine("list", "--json", store or self.store))]

    def test_what_has_ended_goes_after_its_time(self):
        self.start("gone", {"afterMs": HOUR - 1000, "then": "remove"}, "END")
        self.start("kept", {"afterMs": HOUR, "then": "remove"}, "END")
        self.start("runs", {"afterMs": 0, "then": "remove"}, "MORE")
        self.start("none", None, "END")
        self.assertEqual(self.sweep("--dry-run"), "gone: would be removed, 2 records\n"
                         "0 archived, 1 removed, 0 compacted, 2 records if this were no dry run; 0 stay\n")
        self.assertEqual(self.ids(), ["gone", "kept", "none", "runs"])
        self.assertEqual(self.sweep(), "gone: removed, 2 records\n0 archived, 1 removed, 0 compacted, 2 records; 0 stay\n")
        self.assertEqual(self.ids(), ["kept", "none", "runs"])
        self.assertEqual(self.sweep(now=START + HOUR + 1000)[:5], "kept:")
        self.assertEqual(self.sweep(now=START + 1000 * HOUR), "0 archived, 0 removed, 0 compacted, 0 records; 0 stay\n")

    def test_the_archive(self):
        self.start("old", {"afterMs": HOUR // 2, "then": "archive"}, "MORE", "END")
        self.assertIn("old: stays: it goes to an archive, and none is given", self.sweep())
        # A dry run says what the same command would do.
        self.assertIn("old: stays: it goes to an archive, and none is given", self.sweep("--dry-run"))
        self.assertIn("old: would be archived, 3 records", self.sweep("--dry-run", "--archive", self.archive))
        self.assertFalse(self.archive.exists())
        self.assertIn("old: archived, 3 records", self.sweep("--archive", self.archive))
        self.assertEqual((self.ids(), self.ids(self.archive)), ([], ["old"]))
        self.fine("audit", self.archive)

    def test_long_journals_are_compacted(self):
        self.start("long", {"records": 10}, *["MORE"] * 200)
        shown = self.sweep()
        self.assertRegex(shown, r"^long: compacted, \d+ records\n0 archived, 0 removed, 1 compacted")
        self.assertIn("0 compacted, 0 records; 0 stay", self.sweep())
        self.fine("audit", self.store)

    def test_a_journal_that_was_compacted_goes_whole_to_its_archive(self):
        self.start("long", {"records": 10, "afterMs": HOUR, "then": "archive"}, *["MORE"] * 200)
        self.assertIn("long: stays: it goes to an archive", self.sweep())
        self.assertRegex(self.sweep("--archive", self.archive), r"^long: compacted, \d+ records\n")
        self.fine("send", self.store, "long", "END", "--now", START + HOUR)
        self.assertIn("long: archived", self.sweep("--archive", self.archive, now=START + 2 * HOUR))
        self.assertEqual(len(self.fine("journal", "--json", self.archive, "long").splitlines()), 202)
        self.fine("audit", self.archive)

    def test_many_pages(self):
        for number in range(70):
            self.start(f"many-{number}", {"afterMs": 0, "then": "remove"}, *(["END"] if number % 10 == 0 else []))
        self.assertIn("7 removed", self.sweep())
        self.assertEqual(len(self.ids()), 63)

    def test_wrong_documents(self):
        for retention, why in (
                ({"afterMs": 1}, 'expected "then" as well'), ({"then": "remove"}, 'expected "afterMs" as well'),
                ({"afterMs": -1, "then": "remove"}, "/retention/afterMs"), ({"afterMs": 1, "then": "burn"}, '"archive"'),
                ({"records": 0}, "/retention/records"), ([], "an object"), ({"record": 3}, 'did you mean "records"')):
            done = run("check", "--json", self.file(document("m", retention), "m.json"))
            self.assertEqual(done.returncode, 1, retention)
            self.assertIn(why, done.stdout.decode().replace('\\"', '"'), retention)

    def test_wrong_arguments(self):
        for arguments, why in (([], "sweep needs a store"), ([self.store, self.store], "takes one store"),
                               (["--now", "x", self.store], "--now")):
            done = run("sweep", *arguments)
            self.assertEqual((done.returncode, done.stdout), (64, b""))
            self.assertIn(why, done.stderr.decode())
        self.assertEqual(run("sweep", self.folder / "none.db").returncode, 1)


if __name__ == "__main__":
    test_command.WFSM, test_command.STORE_MAKER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=1)
