"""Stores written in Python: the example passes the suite for stores, and a workflow runs on it."""
import ctypes
import os
import sys
import unittest
from unittest import mock

from support import DOOR, ROOT, Case, wfsm
from wfsm import _ffi, hosted

sys.path.insert(0, str(ROOT / "bindings" / "python" / "examples"))
import shelf  # noqa: E402

i32, ptr = ctypes.c_int32, ctypes.c_void_p
OPEN = ctypes.CFUNCTYPE(i32, ptr, i32, ctypes.POINTER(ptr), ptr)
WIPE = ctypes.CFUNCTYPE(None, ptr)


class Result(_ffi.Sized):
    _fields_ = [("size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("verdict", i32),
                ("message", ctypes.c_char_p)]


class Options(_ffi.Sized):
    _fields_ = [("size", ctypes.c_size_t), ("user", ptr), ("open", OPEN), ("wipe", WIPE),
                ("durable", i32), ("only", ctypes.c_char_p)]


class Counts(_ffi.Sized):
    _fields_ = [("size", ctypes.c_size_t), ("passed", ctypes.c_uint64),
                ("failed", ctypes.c_uint64), ("skipped", ctypes.c_uint64),
                ("checks", ctypes.c_uint64)]


SINK = ctypes.CFUNCTYPE(i32, ptr, ctypes.POINTER(Result))


class Suite(Case):
    maxDiff = None

    def setUp(self):
        super().setUp()
        patched = mock.patch.object(shelf.os, "fsync", lambda file: None)  # slow, and not asked
        patched.start()
        self.addCleanup(patched.stop)

    def run_suite(self, make):
        """wfsm_testkit_store over stores of Python; gives what failed, and the counts."""
        folder, hosts, failed = self.folder(), [], []

        def open_one(_user, which, out, error):
            host = hosted._Hosted(make(folder / f"shelf-{which}.json"))
            hosts.append(host)
            return _ffi.lib.wfsm_store_new(out, ctypes.byref(host.vtable), None, None, error)

        def wipe(_user):
            for path in folder.iterdir():
                path.unlink()

        def note(_user, result):
            if result.contents.verdict == 2:
                failed.append(f"{result.contents.name.decode()}: "
                              f"{result.contents.message.decode()}")
            return 0

        testkit = ctypes.CDLL(os.environ["WFSM_TESTKIT_LIBRARY"])
        testkit.wfsm_testkit_store.argtypes = [ctypes.POINTER(Options), SINK, ptr,
                                               ctypes.POINTER(Counts), ptr]
        options = Options(open=OPEN(open_one), wipe=WIPE(wipe), durable=0)
        counts = Counts()
        status = testkit.wfsm_testkit_store(ctypes.byref(options), SINK(note), None,
                                            ctypes.byref(counts), None)
        self.assertEqual(0, status)
        return failed, counts

    def test_the_shelf_passes(self):
        failed, counts = self.run_suite(shelf.Shelf)
        self.assertEqual("", "\n".join(failed))
        self.assertGreater(counts.passed, 40)

    def test_a_wrong_one_does_not(self):
        class Forgetful(shelf.Shelf):
            def acknowledge(self, instance, effect):
                self._find(instance)

        failed, _ = self.run_suite(Forgetful)
        self.assertTrue(failed)


class Workflow(Case):
    def test_a_door_that_is_closed_and_opened_again(self):
        path = self.folder() / "doors.json"
        functions = wfsm.Functions()
        functions.guard("has-key")(lambda call: True)
        functions.action("paint")(lambda call: {"colour": "blue"})
        machine = wfsm.Machine.load(DOOR)
        with shelf.open_shelf(path) as store:
            door = wfsm.Instance.start(machine, store, "front", functions=functions, now=1)
            door.send("open", now=2)
            door.checkpoint("opened", ["key.txt"], now=3)
        with shelf.open_shelf(path) as store:
            door = wfsm.Instance.load(store, "front", functions=functions)
            self.assertEqual(["open"], door.configuration)
            door.send("close", now=4, id="click")
            door.send("open", now=5)
            door.restore("opened", now=6)
            self.assertEqual(["opened"], [c.id for c in store.checkpoints("front")])
            self.assertEqual([], store.audit())

    def test_what_a_store_raises_is_a_status(self):
        class Broken(shelf.Shelf):
            def commit(self, commits):
                raise OSError("the disk is gone")

            def head(self, instance):
                raise KeyError(instance)

        store = hosted.store(Broken(self.folder() / "x.json"))
        self.addCleanup(store.close)
        with self.assertRaises(wfsm.Conflict) as caught:  # nobody knows whether it was written
            wfsm.Instance.start(wfsm.Machine.load(DOOR), store, "a",
                                functions=self.door_functions())
        self.assertIn("the disk is gone", str(caught.exception))
        with self.assertRaises(wfsm.StoreError):
            store.head("a")

    def door_functions(self):
        functions = wfsm.Functions()
        functions.guard("has-key")(lambda call: True)
        functions.action("paint")(lambda call: None)
        return functions

    def test_it_is_closed_once(self):
        closed = []

        class Counting(shelf.Shelf):
            def close(self):
                closed.append(1)

        store = hosted.store(Counting(self.folder() / "x.json"))
        store.close()
        store.close()
        self.assertEqual([1], closed)


if __name__ == "__main__":
    unittest.main()
