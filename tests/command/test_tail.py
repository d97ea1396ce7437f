"""The command wfsm from outside: wfsm tail and wfsm list --watch.

usage: test_tail.py WFSM COMMAND-STORE
"""
import json
import signal
import subprocess
import sys
import unittest

import test_command
from test_command import Folder, run

DOCUMENT = {"wfsm": 1, "id": "m", "initial": "a", "context": {"n": 0},
            "states": {"a": {"on": {"GO": "b"}}, "b": {"on": {"END": "c"}}, "c": {"type": "final"}}}


class Tail(Folder):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "s.db"
        self.machine = self.file(DOCUMENT)
        agents = self.file('[agents.nobody]\ncommand = ["true"]\n', "agents.toml")
        self.fine("store", "init", self.store)
        worker = subprocess.Popen([test_command.WFSM, "work", "--machines", self.machine, "--agents", agents,
                                   "--runs", self.folder / "runs", self.store],
                                  stdout=subprocess.DEVNULL)
        self.addCleanup(worker.wait)
        self.addCleanup(worker.terminate)

    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def start(self, name):
        self.fine("start", self.store, self.machine, name)

    def go(self, name, event):
        self.fine("post", self.store, name, event)

    def begin(self, *arguments, command="tail"):
        running = subprocess.Popen([test_command.WFSM, command, *map(str, arguments)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.communicate)
        self.addCleanup(running.kill)
        return running

    def test_one_instance_until_it_has_ended(self):
        self.start("one")
        running = self.begin(self.store, "one")
        self.assertRegex(running.stdout.readline(),
                         r"^\d{4}-\d\d-\d\dT\S+Z  one  1  start\S*  started  → a")
        self.go("one", "GO")
        self.assertRegex(running.stdout.readline(), r"  one  2  event GO  taken  a → b")
        self.go("one", "END")
        rest = running.stdout.read()
        self.assertRegex(rest, r"  one  3  event END  ended  b → c")
        self.assertEqual((running.wait(), running.stderr.read(), rest.count("\n")), (0, "", 1))

    def test_all_instances_from_now_on(self):
        self.start("old")
        running = self.begin("--json", self.store)
        self.assertIn("waiting for commits; it has 1 instances", running.stderr.readline())
        self.start("new")
        first = json.loads(running.stdout.readline())
        self.assertEqual((first["instance"], first["revision"]), ("new", 1))
        self.go("old", "GO")
        second = json.loads(running.stdout.readline())
        self.assertEqual((second["instance"], second["revision"]), ("old", 2))
        self.assertEqual(second["record"]["configuration"], ["b"])
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(), -signal.SIGINT)

    def test_the_last_commits_of_what_has_ended(self):
        self.start("one")
        self.go("one", "GO")
        self.go("one", "END")
        self.fine("tail", self.store, "one")
        for arguments, revisions in ((["one"], [1, 2, 3]), (["--last", "1", "one"], [3]),
                                     (["--last=0", "one"], [])):
            lines = self.fine("tail", "--json", *arguments[:-1], self.store, "one").splitlines()
            self.assertEqual([json.loads(line)["revision"] for line in lines], revisions)

    def test_what_is_wrong_is_told(self):
        self.start("one")
        for arguments, code, why in (
                ([], 64, "tail needs a store"), ([self.store, "one", "two"], 64, "does not take two"),
                (["--last", "x", self.store], 64, "--last: expected a number from 0, not x"),
                ([self.store, "none"], 1, "there is no instance none"),
                ([self.folder / "none.db"], 1, "none.db")):
            done = run("tail", *arguments)
            self.assertEqual((done.returncode, done.stdout), (code, b""), arguments)
            self.assertIn(why, done.stderr.decode())

    def watched(self, running):
        """One list of --watch: id, state and status of each instance."""
        lines = []
        while (line := running.stdout.readline()) not in ("\n", ""):
            lines.append(line.split())
        self.assertEqual(lines[0][:4], ["ID", "MACHINE", "STATE", "STATUS"])
        return [(words[0], words[2], words[3]) for words in lines[1:]]

    def until(self, running, wanted):
        seen = []
        while not seen or seen[-1] != wanted:
            seen.append(self.watched(running))
        return seen

    def test_a_list_that_is_shown_again_after_each_change(self):
        running = self.begin("--watch", self.store, command="list")
        self.assertEqual(self.watched(running), [])
        self.start("one")
        self.until(running, [("one", "a", "running")])
        self.start("two")
        self.until(running, [("one", "a", "running"), ("two", "a", "running")])
        self.go("one", "GO")
        self.go("one", "END")
        seen = self.until(running, [("one", "c", "done"), ("two", "a", "running")])
        self.assertLessEqual(len(seen), 8, "lists without a change")
        running.send_signal(signal.SIGINT)
        self.assertEqual(running.wait(), -signal.SIGINT)

    def test_a_watched_list_as_json(self):
        self.start("one")
        running = self.begin("--watch", "--json", "--project=", self.store, command="list")
        self.assertEqual((running.wait(), running.stdout.read()), (64, ""))
        running = self.begin("--watch", "--json", self.store, command="list")
        first = json.loads(running.stdout.readline())
        self.assertEqual([(one["id"], one["configuration"]) for one in first], [("one", ["a"])])
        self.start("two")
        self.go("two", "GO")
        lists = iter(running.stdout.readline, "")
        self.assertTrue(any([one["configuration"] for one in json.loads(line)] == [["a"], ["b"]] for line in lists))

    def test_another_file_in_its_place(self):
        for other in (True, False):
            store = self.folder / f"{other}.db"
            self.fine("store", "init", store)
            self.fine("start", store, self.machine, "one")
            running = [self.begin("--json", store), self.begin("--watch", "--json", store, command="list"), self.begin("--json", store, "one")]
            self.assertIn("waiting", running[0].stderr.readline())
            for one in running[1:]:
                one.stdout.readline()
            if other:
                self.fine("store", "init", self.folder / "new.db")
                (self.folder / "new.db").replace(store)
            else:
                store.unlink()
            for one in running:
                self.assertEqual(one.wait(), 1)
                self.assertIn("another file is in its place" if other else "the file is gone", one.stderr.read())

    def test_a_reader_that_goes(self):
        self.start("one")
        running = self.begin("--json", self.store)
        self.assertIn("waiting", running.stderr.readline())
        running.stdout.close()
        while running.poll() is None:
            self.start(f"n{len(self.fine('list', self.store))}")
        self.assertEqual(running.returncode, -signal.SIGPIPE)


if __name__ == "__main__":
    test_command.WFSM, test_command.STORE_MAKER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=1)
