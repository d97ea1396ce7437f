"""The command wfsm from outside: list, post, stop and retry on all that a selection finds.

usage: test_bulk.py WFSM COMMAND-STORE
"""
import json
import os
import sqlite3
import subprocess
import sys
import unittest

import test_command
from test_command import Folder, run

DOOR = {"wfsm": 1, "id": "door", "initial": "shut", "context": {},
        "states": {"shut": {"tags": "closed", "on": {"OPEN": "open"}},
                   "open": {"on": {"SHUT": "shut", "BREAK": "broken"}}, "broken": {"type": "final"}}}
LAMP = {**DOOR, "id": "lamp"}
WORK = {"wfsm": 1, "id": "work", "initial": "a", "context": {},
        "states": {"a": {"invoke": [
            {"id": name, "src": name, "onDone": "b",
             "retry": [{"maxAttempts": 5, "intervalMs": 100000000}]} for name in ("one", "two")]},
            "b": {"type": "final"}}}


class Bulk(Folder):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "s.db"
        self.fine("store", "init", self.store)
        door, lamp = self.file(DOOR, "door.json"), self.file(LAMP, "lamp.json")
        for name in ("shop/a", "shop/b", "c"):
            self.fine("start", self.store, door, name)
        self.fine("start", self.store, lamp, "shop/lamp")
        self.fine("send", self.store, "shop/b", "OPEN")

    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def found(self, *options):
        return [one["id"] for one in json.loads(self.fine("list", "--json", self.store, *options))]

    def posts(self):
        with sqlite3.connect(self.store) as store:
            return store.execute("select i.id, b.event_id, b.name from inbox b join instance i on i.key = b.instance order by b.number").fetchall()

    def test_list_selects(self):
        for options, ids in (([], ["c", "shop/a", "shop/b", "shop/lamp"]),
                             (["--machine", "lamp"], ["shop/lamp"]), (["--tag", "closed"], ["c", "shop/a", "shop/lamp"]),
                             (["--project", "shop", "--machine", "door"], ["shop/a", "shop/b"]),
                             (["--owner", ""], ["c", "shop/a", "shop/b", "shop/lamp"]), (["--owner", "x"], []),
                             (["--status", "done"], []), (["--status=running", "--tag=closed", "--machine=door"], ["c", "shop/a"])):
            self.assertEqual(self.found(*options), ids, options)

    def test_conditions_on_attributes(self):
        order = self.file({**DOOR, "id": "order", "context": {"customer": "", "amount": 0}, "attributes": {
            "customer": {"var": "context.customer"}, "amount": {"var": "context.amount"},
            "shut": {"in_state": "shut"}}}, "order.json")
        for name, customer, amount in (("o1", "acme", 1500), ("o2", "acme", 20), ("o3", "über", 999.5)):
            self.fine("start", self.store, order, name, "--input", json.dumps({"customer": customer, "amount": amount}))
        self.fine("send", self.store, "o2", "OPEN")
        for where, ids in ((["customer=acme"], ["o1", "o2"]), (["customer=acme", "amount>1000"], ["o1"]),
                           (["amount<=999.5"], ["o2", "o3"]), (["customer!=acme"], ["o3"]), (["customer=über"], ["o3"]),
                           (["shut=true"], ["o1", "o3"]), (["none!=1"], []), (["amount=1.5e3"], ["o1"]), (["customer>b"], ["o3"])):
            self.assertEqual(self.found(*[word for one in where for word in ("--where", one)]), ids, where)
        self.assertEqual(json.loads(self.fine("list", "--json", self.store, "--where", "amount>1000"))[0]["attributes"],
                         {"amount": 1500, "customer": "acme", "shut": True})
        self.assertIn("attributes    {\"amount\":20", self.fine("show", self.store, "o2"))
        self.assertEqual(self.fine("stop", "--where", "amount<1000", "--dry-run", self.store), "o2\no3\n2 would be posted\n")
        self.assertEqual(self.fine("audit", self.store).splitlines()[-1][-13:], "0 diagnostics")
        for wrong in ("customer", "=x", "customer~x", ""):
            done = run("list", self.store, "--where", wrong)
            self.assertEqual(done.returncode, 64, done.stderr)
            self.assertIn(b"expected NAME=VALUE", done.stderr)
        # No document can have these, so they would find nothing.
        for wrong in ("customer = acme", "1a=x", "über=x", "a" * 64 + "=x"):
            for command in (["list", self.store], ["stop", "--dry-run", self.store]):
                done = run(*command, "--where", wrong)
                self.assertEqual(done.returncode, 1, wrong)
                self.assertIn("is not the name of an attribute", done.stderr.decode())
        with sqlite3.connect(self.store) as store:
            store.execute("update attribute set value = 'other' where name = 'customer'")
            store.execute("update instance set attributes = '{}' where id = 'o2'")
        done = run("audit", self.store)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.count(b"is not indexed by its attributes"), 3, done.stdout)
        self.assertIn(b"the head's attributes are not those of the state", done.stdout)

    def test_an_event_for_all_that_are_found(self):
        self.assertEqual(self.fine("post", "--machine", "door", "--dry-run", self.store, "OPEN"),
                         "c\nshop/a\nshop/b\n3 would be posted\n")
        self.assertEqual(self.posts(), [])
        self.assertEqual(self.fine("post", "--tag", "closed", "--id", "night", self.store, "OPEN", '{"n": 1}'), "3 posted\n")
        self.assertEqual(self.posts(), [(name, "night", "OPEN") for name in ("c", "shop/a", "shop/lamp")])

    def test_an_event_is_sent_to_all_that_are_found(self):
        self.assertEqual(self.fine("send", "--machine", "door", "--dry-run", self.store, "OPEN"), "c\nshop/a\nshop/b\n3 would be sent to\n")
        done = run("send", "--machine", "door", "--id", "night", self.store, "OPEN")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout.decode().splitlines(),
                         ["c: revision 2: OPEN taken at open", "shop/a: revision 2: OPEN taken at open",
                          "shop/b: revision 2: OPEN no_transition at open", "2 sent, 1 not taken"])
        self.assertEqual(self.fine("send", "--machine", "door", "--tag", "closed", self.store, "OPEN"), "0 sent, 0 not taken\n")
        again = run("send", "--all", "--id", "night", self.store, "OPEN").stdout.decode().splitlines()
        self.assertEqual(again[0], "c: revision 2: OPEN duplicate at open")
        self.assertEqual(again[3:], ["shop/lamp: revision 2: OPEN taken at open", "3 sent, 1 not taken"])

    def test_a_selection_is_migrated(self):
        gate = {**DOOR, "id": "gate", "version": "1"}
        for name in ("shop/g1", "shop/g2", "g3"):
            self.fine("start", self.store, self.file(gate, "gate.json"), name)
        self.fine("send", self.store, "shop/g2", "OPEN")
        new = self.file({**gate, "version": "2", "migrate": [{"from": "1"}]}, "new.json")
        self.assertEqual(self.fine("migrate", "--project", "shop", "--machine", "gate", "--dry-run", self.store, new),
                         "shop/g1 would move\nshop/g2 would move\n2 would move, 0 there already, 0 stay\n")
        self.assertEqual(self.fine("migrate", "--tag", "closed", "--machine", "gate", self.store, new).splitlines()[-1],
                         "2 moved, 0 there already, 0 stay")
        self.assertEqual(self.fine("migrate", "--project", "shop", "--machine", "gate", self.store, new).splitlines()[-1],
                         "1 moved, 1 there already, 0 stay")
        self.assertEqual(run("migrate", "--tag", "closed", self.store, new, "g3").returncode, 64)

    def many_doors(self, count):
        """Started by one worker, which has ended; the document of version 2 that they can be migrated to."""
        door = {**DOOR, "version": "1"}
        starts = self.file(door, "many.json")
        for number in range(count):
            self.fine("start", self.store, starts, f"many/{number:02}")
        return self.file({**door, "version": "2", "migrate": [{"from": "1"}]}, "new.json")

    def test_a_migration_and_a_send_continue_after_a_kill(self):
        new, pids = self.many_doors(40), []
        for command, word in ((["migrate", "--project", "many", self.store, new], "moved"),
                              (["send", "--project", "many", "--id", "x", self.store, "OPEN"], "taken")):
            killed = subprocess.Popen([test_command.WFSM, *map(str, command)], stdout=subprocess.PIPE, text=True)
            self.assertIn(word, killed.stdout.readline())
            killed.kill()
            pids.append(str(killed.pid))
            before = 1 + sum(word in line for line in killed.stdout.read().splitlines())
            killed.wait()
            killed.stdout.close()
            self.assertLess(before, 40)
            lines = self.fine(*command).splitlines()
            self.assertEqual(len(lines), 41)
            self.assertGreaterEqual(sum(f" {word}" in line for line in lines[:-1]) + before, 39)
        self.assertEqual([one for one in json.loads(self.fine("list", "--json", self.store, "--project", "many"))
                          if (one["revision"], one["configuration"], one["owner"]) != (3, ["open"], "")], [])
        with sqlite3.connect(self.store) as store:
            sessions = [name.split("/")[-1].split(":")[0] for name, in store.execute("select name from owner")]
        self.assertLessEqual(set(sessions), set(pids))
        self.assertIn("0 diagnostics", self.fine("audit", self.store))

    def test_a_dry_run_needs_no_right_to_write(self):
        new = self.many_doors(1)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        self.folder.chmod(0o755)
        os.chmod(new, 0o644)
        os.chmod(self.store, 0o444)
        try:
            subprocess.run([test_command.WFSM, "--version"], check=True, capture_output=True, **nobody)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("another user cannot run the command")
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        for command in (["migrate", "--project", "many", "--dry-run", self.store, new],
                        ["send", "--all", "--dry-run", self.store, "OPEN"], ["stop", "--all", "--dry-run", self.store]):
            done = subprocess.run([test_command.WFSM, *map(str, command)], capture_output=True, text=True, **nobody)
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)

    def test_the_same_command_goes_on_after_an_interruption(self):
        self.fine("post", self.store, "shop/a", "OPEN", "--id", "night")
        self.assertEqual(self.fine("post", "--all", "--id", "night", self.store, "OPEN"), "3 posted, 1 were already\n")
        self.assertEqual(self.fine("post", "--all", "--id", "night", self.store, "OPEN"), "0 posted, 4 were already\n")
        self.assertEqual(len(self.posts()), 4)

    def test_a_command_without_an_id_says_one(self):
        done = run("stop", "--project", "shop", self.store)
        self.assertEqual((done.returncode, done.stdout), (0, b"3 posted\n"))
        name = done.stderr.decode().split("--id ")[1].strip()
        self.assertEqual(self.posts(), [(one, name, "stop") for one in ("shop/a", "shop/b", "shop/lamp")])
        self.assertEqual(self.fine("stop", "--project", "shop", "--id", name, self.store), "0 posted, 3 were already\n")

    def test_an_audit_accepts_the_ids_of_posts_that_were_taken(self):
        """The record of a stop has no event id, and the row has that of the post."""
        self.fine("stop", "--all", "--id", "night", self.store)
        self.fine("stop", self.store, "c", "--id", "again")
        worker = subprocess.Popen([test_command.WFSM, "work", self.store, self.folder / "door.json", "--machines", self.folder / "lamp.json",
                                   "--agents", self.file("", "agents.toml"), "--runs", self.folder / "runs"],
                                  stdout=subprocess.DEVNULL)
        while self.found("--status", "running"):
            self.assertIsNone(worker.poll())
        worker.terminate()
        worker.wait()
        self.assertEqual(self.posts(), [])
        self.assertIn("0 diagnostics", self.fine("audit", self.store))
        with sqlite3.connect(self.store) as store:
            self.assertEqual(len(store.execute("select 1 from journal where event_id = 'night'").fetchall()), 4)

    def test_what_has_ended_is_left_alone(self):
        self.fine("send", self.store, "shop/b", "BREAK")
        self.assertEqual(self.fine("stop", "--all", "--id", "x", self.store), "3 posted\n")
        done = run("stop", "--status", "done", self.store)
        self.assertEqual((done.returncode, done.stderr), (1, b"wfsm: --status done: an instance that has ended takes no posts\n"))

    def test_more_than_one_transaction(self):
        door = self.folder / "door.json"
        for number in range(260):
            self.fine("start", self.store, door, f"many/{number}")
        self.assertEqual(self.fine("post", "--project", "many", "--id", "x", self.store, "OPEN"), "260 posted\n")
        self.assertEqual(len(self.posts()), 260)

    def test_retry(self):
        work = self.file(WORK, "work.json")
        agents = self.file('[agents.one]\ncommand = ["false"]\n[agents.two]\ncommand = ["false"]\n', "agents.toml")
        for name in ("w1", "w2"):
            self.fine("start", self.store, work, name)
        worker = subprocess.Popen([test_command.WFSM, "work", "--machines", work, "--agents", agents, "--runs",
                                   self.folder / "runs", self.store], stdout=subprocess.PIPE, text=True)
        self.addCleanup(worker.stdout.close)
        while self.waiting() < 4:
            self.assertIsNone(worker.poll())
        worker.terminate()
        worker.wait()
        shown = self.fine("retry", "--machine", "work", "--dry-run", self.store, "two")
        self.assertRegex(shown, r"^w1 \S+\nw2 \S+\n2 would be posted\n$")
        done = run("retry", "--machine", "work", "--id", "x" * 255, self.store)
        self.assertEqual((done.returncode, done.stdout), (1, b"0 posted\n"))
        self.assertIn("the id of a post has at most 255 bytes", done.stderr.decode())
        self.assertEqual(self.posts(), [])
        self.assertEqual(self.fine("retry", "--machine", "work", "--id", "x", self.store), "4 posted\n")
        self.assertEqual(self.fine("retry", "--machine", "work", "--id", "x", self.store), "0 posted, 4 were already\n")

    def waiting(self):
        count = 0
        for name in ("w1", "w2"):
            shown = json.loads(self.fine("show", "--json", self.store, name))
            count += sum(1 for one in shown["invocations"] if one["status"] == "pending" and one["attempt"] > 0)
        return count

    def test_wrong_arguments(self):
        for arguments, why in (
                (["stop", "--machine", "door"], "stop needs a store"), (["post", "--all", self.store], "needs a store and an event"),
                (["stop", "--all", self.store, "c"], "stop does not take c"), (["stop", "--dry-run", self.store, "c"], "needs a selection"),
                (["stop", "--status", "odd", self.store], "expected running or done, not odd"),
                (["stop", "--project", "", self.store], "--project: expected a name"),
                (["cancel", "--all", self.store, "c", "x"], "takes no selection"),
                (["post", self.store, "c", "OPEN", "1", "--all"], "post does not take 1"), (["list", "--tag"], "--tag")):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (64, b""), arguments)
            self.assertIn(why, done.stderr.decode())
        done = run("post", "--all", "--id", "x", self.store, "OPEN", "{")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.posts(), [])


if __name__ == "__main__":
    test_command.WFSM, test_command.STORE_MAKER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=1)
