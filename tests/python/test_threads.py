"""Agents that are functions work in threads while the engine waits."""
import asyncio
import contextvars
import json
import sqlite3
import subprocess
import sys
import textwrap
import threading
import unittest

from support import Case, wfsm

ASKS = {"id": "asks", "initial": "asked", "context": {"out": None}, "states": {
    "asked": {"invoke": {"src": "worker", "timeoutMs": 3600000,
                         "onDone": {"target": "done", "actions": {
                             "type": "assign", "params": {"out": {"var": "event.data"}}}},
                         "onError": {"target": "done", "actions": {
                             "type": "assign", "params": {"out": {"var": "event.data.class"}}}}}},
    "done": {"type": "final"}}}


def soon(**members):
    made = json.loads(json.dumps(ASKS))
    made["states"]["asked"]["invoke"].update(members)
    return made


class Threads(Case):
    def engine(self, store=None, document=ASKS, **options):
        engine = wfsm.Engine(store or self.memory(), **options)
        engine.add_machine(wfsm.Machine.load(document))
        return engine

    def test_the_lease_is_renewed_while_an_agent_blocks(self):
        path = self.folder() / "tasks.db"
        store = wfsm.sqlite(path)
        self.addCleanup(store.close)
        engine = self.engine(store, lapse_ms=600)

        @engine.agent("worker")
        def worker(call):
            seen, patience = set(), threading.Event()
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as file:
                for _ in range(3000):
                    seen.update(file.execute("SELECT until FROM owner"))
                    if len(seen) > 3:
                        break
                    patience.wait(0.01)
            return len(seen)

        task = engine.start("asks", "one")
        self.assertTrue(engine.run_until(lambda: task.done, timeout=60))
        self.assertGreater(task.context["out"], 3)

    def test_agents_of_one_engine_work_at_the_same_time(self):
        engine, meeting = self.engine(), threading.Barrier(5)
        engine.agent("worker")(lambda call: meeting.wait(30) >= 0)
        tasks = [engine.start("asks", f"t{n}") for n in range(5)]
        self.assertTrue(engine.run_until_idle(timeout=60))
        self.assertEqual([task.context["out"] for task in tasks], [True] * 5)

    def test_a_time_limit_holds_and_a_late_answer_is_nothing(self):
        engine, release, answered = self.engine(document=soon(timeoutMs=50)), threading.Event(), []

        @engine.agent("worker")
        def worker(call):
            release.wait(60)
            answered.append(call.id)
            return "late"

        task = engine.start("asks", "one")
        self.assertTrue(engine.run_until(lambda: task.done, timeout=60))
        self.assertEqual(task.context["out"], "timeout")
        release.set()
        self.assertTrue(engine.run_until(lambda: answered, timeout=60))
        engine.run()
        self.assertEqual(task.context["out"], "timeout")

    def test_an_agent_may_use_its_engine_and_its_call(self):
        engine, place = self.engine(), contextvars.ContextVar("place")
        place.set("here")

        @engine.agent("worker")
        def worker(call):
            call.usage(tokens=3)
            call.heartbeat()
            other = engine.start("asks", call.instance + "-2") if call.instance == "one" else None
            self.assertIsInstance(call, wfsm.Call)
            self.assertEqual((call.name, call.attempt, call.params), ("worker", 1, None))
            return [place.get(), bool(other), threading.current_thread() is threading.main_thread()]

        task = engine.start("asks", "one")
        self.assertTrue(engine.run_until_idle(timeout=60))
        self.assertEqual(task.context["out"], ["here", True, False])
        self.assertEqual(engine.instance("one-2").context["out"], ["here", False, False])

    def test_without_threads_and_in_run_the_engine_waits(self):
        for options, drive in (({"threads": False}, lambda engine: engine.run_until_idle(timeout=60)),
                               ({}, lambda engine: engine.run())):
            engine, where = self.engine(**options), []
            engine.agent("worker")(lambda call: where.append(threading.current_thread()))
            task = engine.start("asks", "one")
            drive(engine)
            self.assertEqual((where, task.done), ([threading.current_thread()], True))

    def test_failures_are_what_they_are_without_threads(self):
        for problem, expected in ((ValueError("no"), "other"), (wfsm.AgentFailed("auth"), "auth"),
                                  (wfsm.AgentFailed("bad mood"), "other")):
            engine = self.engine()

            @engine.agent("worker")
            def worker(call, problem=problem):
                raise problem

            task = engine.start("asks", "one")
            self.assertTrue(engine.run_until_idle(timeout=60))
            self.assertEqual(task.context["out"], expected)

    def test_an_exit_of_an_agent_leaves_the_wait(self):
        engine = self.engine()
        engine.agent("worker")(lambda call: sys.exit(5))
        task = engine.start("asks", "one")
        with self.assertRaises(SystemExit):
            engine.run_until_idle(timeout=60)
        self.assertEqual((task.done, task.context["out"]), (True, "other"))

    def test_a_loop_of_asyncio_continues_meanwhile(self):
        engine, ticks = self.engine(), []

        async def main():
            loop, ticked = asyncio.get_running_loop(), threading.Event()

            @engine.agent("worker")
            def worker(call):
                for _ in range(3):  # the loop runs what is given to it, again and again
                    ticked.clear()
                    loop.call_soon_threadsafe(lambda: (ticks.append(1), ticked.set()))
                    self.assertTrue(ticked.wait(60))
                return len(ticks)

            task = engine.start("asks", "one")
            self.assertTrue(await engine.arun_until(lambda: task.done, timeout=60))
            return task.context["out"]

        self.assertEqual(asyncio.run(main()), 3)

    def test_an_answer_ends_the_wait_at_once(self):
        engine = self.engine()
        engine.agent("worker")(lambda call: "now")
        for drive in (engine.run_until, lambda *given, **named: asyncio.run(
                engine.arun_until(*given, **named))):
            task = engine.start("asks", f"t{drive}"[:20])
            # With the interval alone it would wait for an hour.
            self.assertTrue(drive(lambda: task.done, timeout=3600, interval=3600))

    def test_the_program_ends_while_an_agent_blocks(self):
        ended = subprocess.run([sys.executable, "-c", textwrap.dedent("""
            import json, sys, threading, wfsm
            engine = wfsm.Engine(wfsm.memory())
            engine.add_machine(wfsm.Machine.load(sys.argv[1]))
            begun = threading.Event()
            engine.agent("worker")(lambda call: (begun.set(), threading.Event().wait(3600)))
            engine.start("asks", "one")
            engine.run_until(begun.is_set)
        """), json.dumps(ASKS)], capture_output=True, text=True, timeout=60)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
