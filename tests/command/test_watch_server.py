"""What watches and drives a store, on a PostgreSQL server: wfsm serve with its pages and actions, gate, trace, mcp,
attributes and sweeps. Skipped where there is no server.

usage: test_watch_server.py WFSM
"""
import json
import os
import subprocess
import sys
import unittest

import postgres_server
import test_command
import test_serve
from test_command import Folder, run


class OnServer:
    """All tests of a class have one server, and a database each."""

    @classmethod
    def setUpClass(cls):
        cls.server = postgres_server.Server(cls.addClassCleanup)

    def setUp(self):
        Folder.setUp(self)
        self.database = "d" + str(abs(hash(self.id())))
        self.server.sql(f"CREATE DATABASE {self.database}")
        self.store = self.server.address(database=self.database)
        self.fine("store", "init", self.store)
        self.ship = self.file(test_serve.SHIP, "ship.json")


class Pages(OnServer, test_serve.Pages):
    pass


class Actions(OnServer, test_serve.Actions):
    pass


class Others(OnServer, test_serve.Serve):
    def test_find_and_stop_by_attribute(self):
        self.start("a", "b", n=5)
        self.start("c", n=2000)
        where = ("--where", "n<1000")
        found = [one["id"] for one in json.loads(self.fine("list", "--json", *where, self.store))]
        self.assertEqual(found, ["a", "b"])
        self.assertIn("2 would be posted", self.fine("stop", *where, "--dry-run", self.store))
        self.assertIn("2 posted", self.fine("stop", *where, self.store))
        self.assertEqual([self.inbox(one) for one in "abc"], [["stop"], ["stop"], []])

    def test_a_list_without_statistics(self):
        """Each page is read in the order of an index, and nothing behind it. The server knows nothing of the table yet."""
        self.start("a")
        columns = "revision, epoch, token, owner, tags, effects, acknowledged, status, created, updated, first, snapshot, " \
                  "machine, fingerprint, shard, attributes"
        self.sql(f"INSERT INTO wfsm.head (namespace, instance, {columns}) SELECT namespace, 'b' || lpad(n::text, 5, '0'), "
                 f"{columns} FROM wfsm.head, generate_series(1, 9999) AS n")
        running = subprocess.Popen([test_command.WFSM, "tail", self.store], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        for last in (running.stderr.close, running.wait, running.kill):
            self.addCleanup(last)
        self.assertIn("it has 10000 instances", running.stderr.readline())
        running.kill()
        running.wait()
        postgres_server.until(lambda: self.read_rows() >= 10000, "the server counts what it has read")
        self.assertLess(self.read_rows(), 40000)

    def read_rows(self):
        return int(self.sql("SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'head'")[0])

    def sql(self, text):
        return self.server.sql(text, database=self.database)

    def test_gate(self):
        self.ship = self.file({**test_serve.SHIP, "version": "1"}, "old.json")
        self.start("a", "b")
        new = self.file({**test_serve.SHIP, "version": "2", "migrate": [{"from": "1"}]}, "new.json")
        self.assertTrue(json.loads(self.fine("gate", "--json", new, self.store))["deploy"])
        text = self.fine("gate", new, self.store)
        self.assertIn("2 can be migrated, 0 cannot", text)
        self.assertIn("journals replayed: 2", text)
        bad = self.file({**test_serve.SHIP, "version": "2"}, "bad.json")
        done = run("gate", bad, self.store)
        self.assertEqual(done.returncode, 1)
        self.assertIn("2 cannot", done.stdout.decode())

    def test_trace(self):
        self.start("a")
        self.fine("send", self.store, "a", "HOLD")
        message = json.loads(self.fine("trace", self.store, "a"))
        names = [span["name"] for span in message["resourceSpans"][0]["scopeSpans"][0]["spans"]]
        self.assertIn("ask", names)
        self.assertEqual(self.fine("trace", self.store, "a"), self.fine("trace", self.store, "a"))

    def test_mcp(self):
        server = subprocess.Popen([test_command.WFSM, "mcp", "--machines", self.ship, self.store], text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for last in (server.communicate, server.kill):
            self.addCleanup(last)

        def call(number, method, **params):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
            server.stdin.flush()
            return json.loads(server.stdout.readline())["result"]
        call(1, "initialize", protocolVersion="2025-11-25", capabilities={})
        self.assertFalse(call(2, "tools/call", name="start_ship", arguments={"id": "a"}).get("isError"))
        self.assertFalse(call(3, "tools/call", name="send", arguments={"id": "a", "event": "HOLD"}).get("isError"))
        shown = call(4, "tools/call", name="state", arguments={"id": "a"})
        self.assertEqual(shown["structuredContent"]["configuration"], ["held"], shown)

    def test_sweep(self):
        short = self.file({"id": "short", "initial": "a", "retention": {"afterMs": 0, "then": "remove"},
                           "states": {"a": {"type": "final"}}}, "short.json")
        self.fine("start", self.store, short, "gone")
        self.start("kept")
        self.fine("sweep", self.store)
        self.assertEqual([one["id"] for one in json.loads(self.fine("list", "--json", self.store))], ["kept"])


if __name__ == "__main__":
    if not postgres_server.programs():
        print("there is no PostgreSQL server")
        sys.exit(77)
    test_command.WFSM = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
