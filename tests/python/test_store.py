"""Stores: their queries, and SQLite files that are opened again."""
import json
import os
import sqlite3
import subprocess
import sys
import textwrap
import unittest

from support import DOOR, Case, wfsm
from wfsm import Outcome


class Reading(Case):
    def test_head_records_and_list(self):
        store = self.memory()
        door = self.door(store)
        door.send("open", id="e1", now=7)
        self.door(store, id="back")
        head = store.head("front")
        self.assertEqual((head.instance, head.machine, head.owner), ("front", "door", ""))
        self.assertEqual((head.revision, head.updated, head.deadline), (2, 7, 507))
        self.assertEqual(head.status, wfsm.InstanceStatus.RUNNING)
        first, second = store.records("front")
        self.assertEqual((first.revision, first.event_id), (1, None))
        self.assertEqual((second.revision, second.event_id, second.now), (2, "e1", 7))
        self.assertEqual(second.data["set"], {"opened": 1})
        self.assertEqual([one.revision for one in store.records("front", 2)], [2])
        self.assertEqual([one.instance for one in store.list()], ["back", "front"])
        self.assertEqual([one.instance for one in store.list(tag="terminal")], ["back"])
        self.assertEqual([one.instance for one in store.list(due=507)], ["front"])
        self.assertEqual([one.instance for one in store.list(after="back")], ["front"])
        self.assertEqual([one.instance for one in store.list(limit=1)], ["back"])
        self.assertEqual(store.list(machine="window"), [])
        self.assertEqual([one.instance for one in store.list(prefix="fro")], ["front"])
        self.assertEqual(store.document(head.fingerprint), DOOR)
        self.assertIsNone(store.list(machine="door")[0].deadline)

    def test_a_record_has_what_changed_in_the_context(self):
        lines = [f"a line that is long enough to be left out, {n}" for n in range(9)]
        store = self.memory()
        machine = wfsm.Machine.load({
            "id": "m", "initial": "a", "states": {"a": {}},
            "context": {"lines": lines, "by": {"ada": lines, "bob": {"n": 1}}, "x": 1}})
        with wfsm.Instance.start(machine, store, "i", now=0) as one:
            one.patch({"lines": [*lines, "new"], "x": 2}, now=1)
            one.patch({"lines": [*lines[3:], "new"]}, now=2)
            one.patch({"by": {"ada": [*lines[:4], {"s": lines}, *lines[4:]], "eve": 1}}, now=3)
            one.patch({"by": {"ada": [*lines[:4], {"s": lines, "n": 1}, *lines[4:]],
                              "eve": 1}}, now=4)
            context, found = {}, []
            for record in store.records("i"):
                context = record.context(context)
                found.append(record.data.get("changed"))
            self.assertEqual(context, one.context)
            self.assertEqual(list(context["by"]), list(one.context["by"]))
        self.assertEqual(found[0], None)
        self.assertEqual(found[1], {"lines": {"at": 9, "removed": 0, "inserted": ["new"]}})
        self.assertEqual(found[2], {"lines": {"at": 0, "removed": 3, "inserted": []}})
        self.assertEqual(found[3], {"by": {
            "set": {"eve": 1}, "unset": {"bob": None},
            "changed": {"ada": {"at": 4, "removed": 0, "inserted": [{"s": lines}]}}}})
        self.assertEqual(found[4], {"by": {"changed": {"ada": {
            "at": 4, "changed": {"set": {"n": 1}}}}}})

    def test_posts_wait_in_the_inbox(self):
        store = self.memory()
        self.door(store)
        store.post("front", "open", {"by": "me"}, id="p1", now=3)
        store.post("front", "close")
        first, second = store.inbox("front")
        self.assertEqual((first.id, first.name, first.data, first.now),
                         ("p1", "open", {"by": "me"}, 3))
        self.assertEqual((second.id, second.data), (None, None))
        self.assertEqual(len(store.inbox(limit=1)), 1)
        with self.assertRaises(wfsm.AlreadyExists):
            store.post("front", "open", id="p1")
        with self.assertRaises(wfsm.NotFound):
            store.post("nobody", "open")

    def test_what_is_not_there(self):
        store = self.memory()
        for read in (lambda: store.head("front"), lambda: store.records("front"),
                     lambda: store.checkpoints("front"), lambda: store.document("0" * 64)):
            with self.assertRaises(wfsm.NotFound):
                read()

    def test_removing(self):
        store = self.memory()
        self.door(store).close()
        store.remove("front")
        self.assertEqual(store.list(), [])

    def test_wrong_arguments(self):
        store = self.memory()
        with self.assertRaises(ValueError):
            store.records("front", first=-1)
        with self.assertRaises(TypeError):
            store.head(None)
        with self.assertRaises(ValueError):
            wfsm.sqlite(self.folder() / "x.db", synchronous="off")


@unittest.skipUnless("WFSM_POSTGRES_LIBRARY" in os.environ, "there is no libwfsm-postgres")
class Postgres(Case):
    """tests/postgres has a server."""

    def test_what_cannot_be_opened(self):
        with self.assertRaisesRegex(wfsm.StoreError, "/nowhere"):
            wfsm.postgres("host=/nowhere password=hunter2", connect_ms=1000)
        with self.assertRaisesRegex(wfsm.StoreError, "/nowhere"):
            wfsm.postgres_init("host=/nowhere")
        with self.assertRaisesRegex(ValueError, "libpq understands"):
            wfsm.postgres("host=/nowhere nonsense=hunter2")
        with self.assertRaises(ValueError):
            wfsm.postgres("host=/nowhere", clock="sundial")
        with self.assertRaises(ValueError):
            wfsm.postgres("host=/nowhere", tenant="")

    def test_the_address_has_parameters_of_wfsm(self):
        address = "postgres:///x?host=/nowhere&wfsm_schema=other"
        with self.assertRaisesRegex(wfsm.StoreError, "/nowhere"):
            wfsm.postgres(address)
        with self.assertRaisesRegex(ValueError, "names another schema"):
            wfsm.postgres(address, schema="third")
        with self.assertRaisesRegex(ValueError, "wfsm_namespace"):
            wfsm.postgres(address + "&wfsm_tenant=x")

    def test_the_sql_of_the_tables(self):
        self.assertIn('CREATE TABLE "other".head', wfsm.postgres_sql("other"))
        with self.assertRaises(ValueError):
            wfsm.postgres_sql("")

    def test_the_sql_of_a_tenant(self):
        text = wfsm.postgres_tenant_sql("o'brien", "ns", schema="other")
        self.assertIn('GRANT USAGE ON SCHEMA "other" TO "o\'brien";', text)
        self.assertIn("VALUES ('o''brien', 'ns')", text)
        with self.assertRaises(ValueError):
            wfsm.postgres_tenant_sql("", "ns")
        with self.assertRaisesRegex(wfsm.StoreError, "/nowhere"):
            wfsm.postgres_tenant("host=/nowhere", "ada", "ns")


class Sqlite(Case):
    def setUp(self):
        super().setUp()
        self.path = self.folder() / "tasks.db"

    def test_it_goes_on_after_reopening(self):
        with wfsm.sqlite(self.path) as store:
            self.door(store).send("open", id="e1", now=7)
        with wfsm.sqlite(self.path, must_exist=True) as store:
            door = wfsm.Instance.load(store, "front", functions=self.door_functions())
            self.assertEqual((door.configuration, door.revision), (["open"], 2))
            self.assertEqual(door.send("open", id="e1"), Outcome.DUPLICATE)
            self.assertEqual(door.next_effect().event, "rang")
            self.assertEqual(door.advance(now=507), [Outcome.TAKEN])

    def test_a_killed_process_loses_nothing_that_it_was_told(self):
        script = textwrap.dedent("""
            import os, signal, sys, wfsm
            machine = wfsm.Machine.load(sys.argv[2])
            store = wfsm.sqlite(sys.argv[1])
            counter = wfsm.Instance.start(machine, store, "c", now=0)
            for _ in range(5):
                counter.send("tick")
            print(counter.revision, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        """)
        machine = json.dumps({"wfsm": 1, "id": "m", "initial": "a", "context": {"n": 0},
                              "states": {"a": {"on": {"tick": {"actions": {
                                  "type": "assign",
                                  "params": {"n": {"+": [{"var": "context.n"}, 1]}}}}}}}})
        killed = subprocess.run([sys.executable, "-c", script, self.path, machine],
                                stdout=subprocess.PIPE, text=True)
        self.assertEqual((killed.stdout.strip(), killed.returncode), ("6", -9))
        with wfsm.sqlite(self.path) as store:
            counter = wfsm.Instance.load(store, "c")
            self.assertEqual((counter.revision, counter.context), (6, {"n": 5}))

    def test_a_second_writer_conflicts_and_loads_again(self):
        with wfsm.sqlite(self.path) as one, wfsm.sqlite(self.path) as two:
            first = self.door(one)
            second = wfsm.Instance.load(two, "front", functions=self.door_functions())
            first.send("open")
            for _ in range(2):  # CONFLICT, and then SEALED
                with self.assertRaises(wfsm.Conflict):
                    second.send("open")
            again = wfsm.Instance.load(two, "front", functions=self.door_functions())
            self.assertEqual(again.send("close"), Outcome.TAKEN)

    def test_a_journal_under_another_document(self):
        document = {"id": "m", "initial": "a", "states": {"a": {"on": {"GO": "b"}}, "b": {"type": "final"}}}
        with wfsm.memory() as store:
            wfsm.Instance.start(wfsm.Machine.load(document), store, "i", now=1).send("GO", now=2)
            other = {**document, "states": {"a": {"on": {"GO": "a"}}, "b": {}}}
            self.assertEqual(store.replay("i", wfsm.Machine.load(document)), wfsm.Replayed(2, 0, False, ""))
            self.assertEqual(store.replay("i", wfsm.Machine.load(other)), wfsm.Replayed(
                1, 2, True, 'outcome is "taken"; in the journal "ended"'))
            with self.assertRaises(TypeError):
                store.replay("i", document)
            with self.assertRaises(wfsm.NotFound):
                store.replay("none", wfsm.Machine.load(document))

    def test_compaction_and_the_archive(self):
        counter_document = {"id": "m", "initial": "a", "context": {"n": 0}, "states": {
            "a": {"on": {"stop": "end", "tick": {"actions": {"type": "assign", "params": {
                "n": {"+": [{"var": "context.n"}, 1]}}}}}}, "end": {"type": "final"}}}
        with wfsm.sqlite(self.path) as store, wfsm.memory() as archive:
            counter = wfsm.Instance.start(wfsm.Machine.load(counter_document), store, "c", now=0)
            for now in range(100):
                counter.send("tick", "x" * 200, now=now)
            told = store.compact("c", keep=40, archive=archive, dry_run=True)
            self.assertEqual(store.head("c").first, 1)
            done = store.compact("c", keep=40, archive=archive)
            self.assertEqual((told, done.dropped), (done, done.first - 1))
            self.assertGreater(done.dropped, 20)
            self.assertEqual(store.head("c").first, done.first)
            self.assertEqual(store.records("c")[0].revision, done.first)
            self.assertEqual(archive.records("c")[-1].revision, done.first - 1)
            self.assertEqual(store.compact("c", before=1).dropped, 0)
            with self.assertRaises(wfsm.Denied):
                store.archive("c", archive, now=200)
            counter.send("stop", now=200)
            self.assertEqual(store.archive("c", archive, now=200).archived,
                             102 - done.dropped)
            self.assertEqual((store.list(), archive.audit()), ([], []))
            self.assertEqual(archive.head("c").revision, 102)
            with self.assertRaises(wfsm.NotFound):
                store.compact("c")

    def test_files_that_are_no_stores(self):
        with self.assertRaises(wfsm.NotFound):
            wfsm.sqlite(self.path, must_exist=True)
        self.assertFalse(self.path.exists())
        self.path.write_bytes(b"no database at all" * 100)
        with self.assertRaises(wfsm.StoreError) as caught:
            wfsm.sqlite(self.path)
        self.assertEqual(caught.exception.name, "CORRUPT")
        with self.assertRaises(wfsm.StoreError):
            wfsm.sqlite(self.path.parent)
        with self.assertRaises(ValueError):
            wfsm.sqlite("tasks\0.db")

    def test_read_only(self):
        with wfsm.sqlite(self.path) as store:
            self.door(store)
        with wfsm.sqlite(self.path, read_only=True) as store:
            self.assertEqual(store.head("front").revision, 1)
            with self.assertRaises(wfsm.Denied):
                store.post("front", "open")

    def test_the_file_beneath_is_checked(self):
        path = self.folder() / "sound.db"
        with wfsm.sqlite(path) as store:
            self.door(store)
            store.post("front", "open", {"by": "me"})
        self.assertEqual(wfsm.sqlite_check(path), [])
        with sqlite3.connect(path) as other:
            other.execute("UPDATE inbox SET name = 'break'")
        other.close()
        (diagnostic,) = wfsm.sqlite_check(path)
        self.assertEqual((diagnostic.instance, diagnostic.revision), ("", 0))
        self.assertIn("table inbox", diagnostic.message)
        with self.assertRaises(wfsm.NotFound):
            wfsm.sqlite_check(path.with_name("none.db"))

    def test_nothing_forges_an_approval(self):
        store = wfsm.sqlite(self.path)
        one = wfsm.Instance.start(wfsm.Machine.load({
            "id": "ship", "initial": "ask", "states": {
                "ask": {"invoke": {"id": "ask", "src": "person", "input": {"quorum": 2},
                                   "onDone": {"target": "shipped"}}},
                "shipped": {}}}), store, "t", now=0)
        for name in ("done.invoke.ask", "error.invoke.ask", "done.state.ask", "after.5.ask",
                     "wfsm.approval", "error.approval"):
            with self.assertRaisesRegex(wfsm.InvalidArgument, "from outside"):
                store.post("t", name, {"approved": True})
            with self.assertRaisesRegex(wfsm.InvalidArgument, "from outside"):
                one.send(name, {"approved": True})
        with self.assertRaisesRegex(wfsm.Denied, "wfsm_approve"):
            one.result(one.invocations[0]["id"], {"approved": True})
        self.assertEqual(store.inbox("t"), [])
        asked, digest = one.invocations[0]["id"], one.invocations[0]["digest"]
        store.approve("t", asked, by="ada", digest=digest, id="vote-1")
        with self.assertRaises(wfsm.AlreadyExists):
            store.approve("t", asked, by="ada", digest=digest, id="vote-1")
        self.assertEqual([vote.id for vote in store.inbox("t")], ["vote-1"])
        one.approve(asked, by="bob", digest=digest, reason="fine", now=1)
        self.assertEqual(one.record["input"]["verdict"], "counted")
        one.approve(asked, by="eve", digest=digest, approve=True, now=2)
        self.assertEqual(one.configuration, ["shipped"])

    def test_kinds_of_posts_and_their_origin(self):
        store = wfsm.memory()
        engine = wfsm.Engine(store)
        engine.add_machine(wfsm.Machine.load({"id": "m", "initial": "a", "states": {
            "a": {"on": {"go": {"target": "b", "guard": {
                "===": [{"var": "event.origin.sender"}, "ada"]}}}}, "b": {}}}))
        one = engine.start("m", "x", now=0)
        store.submit("x", wfsm.PostKind.POST_CHECKPOINT, {"id": "c"}, sender="bob",
                     interface=wfsm.Interface.INTERFACE_PAGE)
        store.post("x", "go", sender="eve")
        (kept, event) = store.inbox("x")
        self.assertEqual((kept.kind, kept.interface, kept.sender, kept.name), (
            wfsm.PostKind.POST_CHECKPOINT, wfsm.Interface.INTERFACE_PAGE, "bob", "checkpoint"))
        self.assertEqual((event.kind, event.interface, event.sender), (
            wfsm.PostKind.POST_EVENT, wfsm.Interface.INTERFACE_POST, "eve"))
        engine.run(now=1)
        self.assertEqual(one.configuration, ["a"])
        self.assertEqual([record.data.get("origin") for record in store.records("x")], [
            None, {"interface": "page", "sender": "bob"}, {"interface": "post", "sender": "eve"}])
        engine.send("x", "go", sender="ada", interface=wfsm.Interface.INTERFACE_API, now=2)
        self.assertEqual(one.configuration, ["b"])
        self.assertEqual(store.records("x")[-1].data["origin"],
                         {"interface": "api", "sender": "ada"})
        store.submit("x", wfsm.PostKind.POST_STOP)
        engine.run(now=3)
        self.assertTrue(one.stopped)

    def test_records_are_json_that_sqlite_reads(self):
        with wfsm.sqlite(self.path, synchronous="normal") as store:
            self.door(store).send("open")
            expected = [one.data for one in store.records("front")]
        database = sqlite3.connect(self.path)
        self.addCleanup(database.close)
        rows = database.execute("select record from journal order by revision").fetchall()
        self.assertEqual([json.loads(row[0]) for row in rows], expected)


if __name__ == "__main__":
    unittest.main()
