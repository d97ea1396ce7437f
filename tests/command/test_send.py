"""The command wfsm from outside: wfsm send.

usage: test_send.py WFSM COMMAND-STORE
"""
import json
import subprocess
import sys
import unittest

import test_command
from test_command import Folder, run

DOCUMENT = {"wfsm": 1, "id": "m", "initial": "a", "context": {"n": 0},
            "states": {"a": {"on": {"GO": "b", "BIG": {"target": "b", "guard": {
                                ">": [{"var": "event.data.n"}, 5]}},
                            "BAD": {"target": "b", "guard": {"/": [1, {"var": "event.data"}]}}}},
                       "b": {"on": {"END": "c"}}, "c": {"type": "final"}}}
OF_A_PROGRAM = {**DOCUMENT, "id": "p", "states": {
    **DOCUMENT["states"], "b": {"on": {"END": {"target": "c", "guard": "allowed"}}}}}


class Send(Folder):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "s.db"
        self.machine = self.file(DOCUMENT)
        self.fine("store", "init", self.store)
        self.fine("start", self.store, self.machine, "one")

    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def refused(self, *arguments):
        done = run("send", *arguments)
        self.assertEqual(done.returncode, 1, arguments)
        return done.stdout.decode() + done.stderr.decode()

    def head(self, name="one"):
        heads = {one["id"]: one for one in json.loads(self.fine("list", "--json", self.store))}
        return heads[name]["revision"], heads[name]["configuration"], heads[name]["owner"]

    def test_an_instance_without_an_owner_takes_it_now(self):
        self.assertEqual(self.fine("send", self.store, "one", "BIG", '{"n": 6}', "--by", "ada", "--id", "e1"),
                         "revision 2: BIG taken at b\n")
        self.assertEqual(self.head(), (2, ["b"], ""))
        last = [json.loads(line) for line in self.fine("journal", "--json", self.store, "one").splitlines()
                if line.startswith("{")] or json.loads(self.fine("journal", "--json", self.store, "one"))
        text = json.dumps(last[-1])
        for part in ('"ada"', '"command"', '"e1"'):
            self.assertIn(part, text)
        self.assertEqual(self.fine("send", self.store, "one", "END"), "revision 3: END ended at c\n")
        self.fine("audit", self.store)

    def test_nobody_takes_a_post_for_what_has_ended(self):
        self.fine("send", self.store, "one", "GO")
        self.fine("send", self.store, "one", "END")
        for arguments in (["post", self.store, "one", "GO"], ["stop", self.store, "one"], ["answer", self.store, "one", "one/1/1", "1"],
                          ["cancel", self.store, "one", "one/1/1"], ["retry", self.store, "one", "one/1/1"],
                          ["approve", "--by", "ada", self.store, "one/1/1-1", "0" * 64]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (1, b""), arguments)
            self.assertIn("one: it has ended", done.stderr.decode(), arguments)
        self.assertEqual(json.loads(self.fine("show", "--json", self.store, "one"))["inbox"], [])

    def test_a_vote_on_what_is_no_invocation(self):
        done = run("reject", "--by", "ada", self.store, "one", "0" * 64)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn("one: expected the id of an invocation", done.stderr.decode())

    def test_a_class_of_failures_that_there_is_not(self):
        done = run("answer", "--failed", "bogus", self.store, "one", "one/1/1")
        self.assertEqual((done.returncode, done.stdout), (64, b""))
        self.assertIn("--failed: expected network, timeout, auth, schema, exit, canceled or other, not bogus", done.stderr.decode())

    def test_what_is_not_taken_changes_nothing(self):
        for arguments, said in ((["END"], "END no_transition at a"), (["BIG", '{"n": 1}'], "BIG blocked at a")):
            self.assertIn(said, self.refused(self.store, "one", *arguments))
            self.assertEqual(self.head(), (1, ["a"], ""))
        self.fine("send", self.store, "one", "GO", "--id", "e1")
        self.assertIn("END duplicate at b", self.refused(self.store, "one", "END", "--id", "e1"))
        self.fine("send", self.store, "one", "END")
        self.assertIn("GO ended at c", self.refused(self.store, "one", "GO"))

    def test_an_event_that_makes_an_error(self):
        said = self.refused(self.store, "one", "BAD", "0")
        self.assertRegex(said, r"BAD (failed|no_transition|blocked)")

    def test_wrong_arguments(self):
        for arguments, code, why in (
                ([], 64, "send needs a store, an id and an event"), ([self.store, "one"], 64, "needs a store"),
                ([self.store, "one", "GO", "1", "2"], 64, "send does not take 2"),
                ([self.store, "none", "GO"], 1, "none"), ([self.store, "one", "GO", "{"], 1, "expected a key"),
                ([self.store, "one", "done.x"], 1, "done."), ([self.folder / "none.db", "one", "GO"], 1, "none.db")):
            done = run("send", *arguments)
            self.assertEqual((done.returncode, done.stdout), (code, b""), arguments)
            self.assertIn(why, done.stderr.decode())
        self.assertEqual(self.head(), (1, ["a"], ""))

    def test_a_document_of_a_program_is_posted_to(self):
        machine = self.file(OF_A_PROGRAM, "p.json")
        self.fine("start", self.store, machine, "two")
        self.assertIn("posted for two: only its own program", self.fine("send", self.store, "two", "GO"))
        self.assertEqual(self.head("two"), (1, ["a"], ""))
        self.assertIn("GO", self.fine("show", self.store, "two"))

    def worker(self):
        """It owns the instance."""
        agents = self.file('[agents.nobody]\ncommand = ["true"]\n', "agents.toml")
        worker = subprocess.Popen([test_command.WFSM, "work", "--machines", self.machine, "--agents", agents,
                                   "--runs", self.folder / "runs", self.store],
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(worker.communicate)
        self.addCleanup(worker.terminate)
        while "takes one" not in worker.stdout.readline():
            pass
        return worker

    def test_an_owner_that_was_killed_need_not_lapse(self):
        worker = self.worker()
        worker.kill()
        worker.wait()
        self.assertIn("GO taken at b", self.fine("send", self.store, "one", "GO"))
        self.assertEqual(self.head(), (2, ["b"], ""))

    def test_a_living_owner_takes_it(self):
        self.worker()
        tail = subprocess.Popen([test_command.WFSM, "tail", str(self.store), "one"],
                                stdout=subprocess.PIPE, text=True)
        self.addCleanup(tail.communicate)
        self.addCleanup(tail.kill)
        self.assertRegex(self.fine("send", self.store, "one", "GO"), r"^posted: one belongs to \S+, which is alive")
        self.fine("send", self.store, "one", "END")
        self.assertEqual([line.split()[4] for line in tail.stdout if line.split()[3] == "event"],
                         ["GO", "END"])


if __name__ == "__main__":
    test_command.WFSM, test_command.STORE_MAKER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=1)
