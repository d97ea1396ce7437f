"""wfsm.langgraph.Saver: the checkpoint saver, called as LangGraph calls it."""
import asyncio
import operator
import subprocess
import sys
import threading
import unittest

from langgraph_given import GraphCase, wfsm
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver


def config(thread="t", checkpoint=None, namespace=""):
    found = {"thread_id": thread, "checkpoint_ns": namespace}
    return {"configurable": {**found, "checkpoint_id": checkpoint} if checkpoint else found}


def checkpoint(id, **values):
    return {"v": 4, "id": id, "ts": "2026-01-01T00:00:00+00:00", "channel_values": values,
            "channel_versions": {key: 1 for key in values}, "versions_seen": {"a": {"x": 1}},
            "updated_channels": [*values]}


class Savers(GraphCase):
    def setUp(self):
        super().setUp()
        self.store = self.memory()
        self.saver = wfsm.langgraph.Saver(self.store)

    def put(self, id, at=None, step=0, **values):
        return self.saver.put(at or config(), checkpoint(id, **values), {"source": "loop", "step": step}, {})

    def ids(self, *arguments, **named):
        return [one.checkpoint["id"] for one in self.saver.list(*arguments, **named)]

    def test_it_is_one_of_langgraph(self):
        self.assertIsInstance(self.saver, BaseCheckpointSaver)
        self.assertIsInstance(self.saver, wfsm.langgraph.Saver)
        self.put("1", x=1)
        self.assertEqual(self.saver.get(config()), checkpoint("1", x=1))
        self.assertEqual([self.saver.get_next_version(None), self.saver.get_next_version(4)], [1, 5])
        with self.assertRaisesRegex(TypeError, "wfsm.Store"):
            wfsm.langgraph.Saver("threads.db")

    def test_without_langgraph_it_is_a_class_of_its_own(self):
        program = ("import wfsm, wfsm.langgraph\n"
                   "saver = wfsm.langgraph.Saver(wfsm.memory())\n"
                   "saver.put({'configurable': {'thread_id': 't'}}, {'id': '1'}, {}, {})\n"
                   "print(type(saver).__mro__[1:], saver.list(None).__next__().checkpoint)")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "(<class 'object'>,) {'id': '1'}\n", done.stderr)

    def test_the_newest_and_the_older_ones(self):
        self.assertIsNone(self.saver.get_tuple(config()))
        first = self.put("1", x=[HumanMessage("hi", "m1"), (1, 2)])
        second = self.put("2", first, step=1, x="two")
        newest = self.saver.get_tuple(config())
        self.assertEqual((newest.config, newest.parent_config, newest.checkpoint, newest.metadata),
                         (second, first, checkpoint("2", x="two"), {"source": "loop", "step": 1}))
        older = self.saver.get_tuple(first)
        self.assertEqual((older.parent_config, older.checkpoint["channel_values"]),
                         (None, {"x": [HumanMessage("hi", "m1"), (1, 2)]}))
        self.assertIsNone(self.saver.get_tuple(config(checkpoint="3")))
        self.assertEqual(first, config(checkpoint="1"))

    def test_a_fork_is_the_newest(self):
        first = self.put("1", x=1)
        self.put("2", first, x=2)
        self.put("3", first, x=3)
        self.assertEqual(self.saver.get_tuple(config()).parent_config, first)
        self.assertEqual(self.ids(config()), ["3", "2", "1"])

    def test_writes(self):
        first = self.put("1", x=1)
        self.saver.put_writes(first, [("x", 2), ("y", HumanMessage("hi", "m"))], "task", "~path")
        self.saver.put_writes(first, [("x", 9)], "task")
        self.saver.put_writes(first, [("__interrupt__", "one")], "other")
        self.saver.put_writes(first, [("__interrupt__", "two")], "other")
        wanted = [("task", "x", 2), ("task", "y", HumanMessage("hi", "m")), ("other", "__interrupt__", "two")]
        self.assertEqual(self.saver.get_tuple(config()).pending_writes, wanted)
        second = self.put("2", first, x=3)
        self.saver.put_writes(first, [("z", 1)], "late")
        self.assertEqual(self.saver.get_tuple(config()).pending_writes, [])
        self.assertEqual(self.saver.get_tuple(first).pending_writes, [*wanted, ("late", "z", 1)])
        self.assertEqual(self.saver.get_tuple(second).pending_writes, [])

    def test_list(self):
        first = self.put("1")
        second = self.put("2", first, step=1)
        self.put("3", second, step=2)
        self.put("n1", config(namespace="sub:5|in:6"))
        self.put("o1", config("a/b c"))
        self.assertEqual(self.ids(config()), ["3", "2", "1"])
        self.assertEqual(self.ids(config(), limit=2), ["3", "2"])
        self.assertEqual(self.ids(config(), before=config(checkpoint="3")), ["2", "1"])
        self.assertEqual(self.ids(config(), filter={"step": 1}), ["2"])
        self.assertEqual(self.ids(second), ["2"])
        self.assertEqual(self.ids({"configurable": {"thread_id": "t"}}), ["3", "2", "1", "n1"])
        self.assertEqual(sorted(self.ids(None)), ["1", "2", "3", "n1", "o1"])
        self.assertEqual({one.config["configurable"]["thread_id"] for one in self.saver.list(None)}, {"t", "a/b c"})
        self.assertEqual(self.saver.get_tuple(config(namespace="sub:5|in:6")).checkpoint["id"], "n1")

    def test_delete_thread(self):
        for thread in "t", "t2", "t/2":
            self.put("1", config(thread))
        self.put("1", config(namespace="sub"))
        self.saver.delete_thread("t")
        self.assertEqual({one.config["configurable"]["thread_id"] for one in self.saver.list(None)}, {"t2", "t/2"})
        self.saver.delete_thread("nobody")

    def test_metadata_of_the_run(self):
        self.saver.put({**config(), "metadata": {"user": "ada", "odd": object()}}, checkpoint("1"), {"step": 0}, {})
        self.assertEqual(self.saver.get_tuple(config()).metadata, {"user": "ada", "step": 0})

    def test_coroutines(self):
        async def main():
            first = await self.saver.aput(config(), checkpoint("1", x=1), {"step": 0}, {})
            await self.saver.aput_writes(first, [("x", 2)], "task")
            found = await self.saver.aget_tuple(config())
            self.assertEqual((found.config, found.pending_writes), (first, [("task", "x", 2)]))
            self.assertEqual([one async for one in self.saver.alist(config())], [found])
            await self.saver.adelete_thread("t")
            self.assertIsNone(await self.saver.aget_tuple(config()))

        asyncio.run(main())

    def test_threads_and_two_savers_on_one_file(self):
        path = self.folder() / "t.db"
        stores = [wfsm.sqlite(path), wfsm.sqlite(path)]
        savers = [wfsm.langgraph.Saver(store) for store in stores]
        first = savers[0].put(config(), checkpoint("1"), {}, {})

        def write(number):
            savers[number % 2].put_writes(first, [("x", number)], f"task{number}")

        threads = [threading.Thread(target=write, args=(number,)) for number in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = savers[1].get_tuple(config()).pending_writes
        self.assertEqual(sorted(found, key=operator.itemgetter(2)), [(f"task{n}", "x", n) for n in range(10)])
        self.assertEqual(stores[0].audit(), [])
        for store in stores:
            store.close()


if __name__ == "__main__":
    unittest.main()
