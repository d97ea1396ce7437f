"""Agents that are coroutines."""
import asyncio
import logging
import unittest

from support import Case, wfsm

PAIR = {
    "id": "pair", "initial": "both", "context": {"seen": []},
    "states": {
        "both": {
            "type": "parallel", "onDone": "done", "on": {"stop": "stopped"},
            "states": {name: {
                "initial": "working",
                "states": {
                    "working": {"invoke": {
                        "src": name, "input": {"name": name}, "onDone": "ready",
                        "onError": "ready", "heartbeatMs": 60000,
                        "retry": [{"errors": ["network"], "intervalMs": 1}]}},
                    "ready": {"type": "final"}}} for name in ("left", "right")}},
        "done": {"type": "final"},
        "stopped": {"type": "final"}}}


class Coroutines(Case):
    def engine(self, document=PAIR):
        store = wfsm.memory()
        self.addCleanup(store.close)
        engine = wfsm.Engine(store)
        engine.add_machine(wfsm.Machine.load(document))
        return store, engine

    def both(self, engine, function):
        for name in ("left", "right"):
            engine.agent(name)(function)

    def records(self, store, kind):
        return [r.data for r in store.records("t") if r.data["input"]["kind"] == kind]

    def test_they_work_at_the_same_time_while_the_engine_waits(self):
        store, engine = self.engine()
        inside, most = [], []

        async def work(work):
            inside.append(work.input["name"])
            most.append(len(inside))
            while max(most) < 2:  # the other one comes, or nothing of this ever ends
                await asyncio.sleep(0.001)
            inside.remove(work.input["name"])
            work.usage(tokens=3)
            work.usage(tokens=4)
            return {"by": work.name, "attempt": work.attempt}

        self.both(engine, work)
        task = engine.start("pair", "t")
        self.assertTrue(engine.run_until(lambda: task.done, timeout=600))
        self.assertEqual(["done"], task.configuration)
        self.assertEqual(2, max(most))
        results = self.records(store, "result")
        self.assertEqual([{"tokens": 7}] * 2, [r["input"]["usage"] for r in results])
        self.assertEqual({"left", "right"}, {r["input"]["output"]["by"] for r in results})

    def test_within_a_loop_that_has_other_things_to_do(self):
        store, engine = self.engine()
        ticks = []

        async def work(work):
            while len(ticks) < 6:
                await asyncio.sleep(0.001)
            work.heartbeat()
            return None

        async def tick():
            while True:
                ticks.append(1)
                await asyncio.sleep(0.001)

        async def main():
            self.both(engine, work)
            task = engine.start("pair", "t")
            ticker = asyncio.get_running_loop().create_task(tick())
            self.assertTrue(await engine.arun_until(lambda: task.done, timeout=600))
            ticker.cancel()
            self.assertTrue(await engine.arun_until_idle(timeout=600))
            return task.configuration

        self.assertEqual(["done"], asyncio.run(main()))
        self.assertGreaterEqual(len(ticks), 6)

    def test_failures_have_their_class_and_are_tried_again(self):
        store, engine = self.engine()
        seen = []

        async def work(work):
            seen.append((work.name, work.attempt))
            await asyncio.sleep(0)
            if work.name == "left" and work.attempt == 1:
                work.retry_after(5)
                raise wfsm.AgentFailed("network", "unplugged")
            if work.name == "right":
                raise KeyError("lost")
            return 1

        self.both(engine, work)
        task = engine.start("pair", "t")
        with self.assertLogs("wfsm", logging.ERROR):
            engine.run_until(lambda: task.done, timeout=600)
        failures = self.records(store, "failure")
        self.assertEqual({("network", "unplugged"), ("other", "KeyError: 'lost'")},
                         {(f["input"]["class"], f["input"]["message"]) for f in failures})
        self.assertIn(("left", 2), seen)
        self.assertEqual(["done"], task.configuration)

    def test_what_is_no_json_is_a_failure(self):
        store, engine = self.engine()

        async def work(_work):
            return {1, 2}

        self.both(engine, work)
        task = engine.start("pair", "t")
        with self.assertLogs("wfsm", logging.ERROR):
            engine.run_until(lambda: task.done, timeout=600)
        self.assertEqual(2, len(self.records(store, "failure")))

    def test_who_is_not_wanted_any_more_is_cancelled(self):
        _, engine = self.engine()
        begun, ends = [], []

        async def work(work):
            begun.append(work.name)
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                ends.append(work.name)
                raise

        self.both(engine, work)
        task = engine.start("pair", "t")
        engine.run_until(lambda: len(begun) == 2, timeout=600)
        engine.send("t", "stop")
        engine.run_until(lambda: len(ends) == 2, timeout=600)
        self.assertEqual({"left", "right"}, set(ends))
        self.assertEqual(["stopped"], task.configuration)
        self.assertTrue(engine.idle)

    def test_closing_the_engine_stops_them(self):
        _, engine = self.engine()
        begun, ends = [], []

        async def work(work):
            begun.append(work.name)
            try:
                await asyncio.sleep(60)
            finally:
                ends.append(work.name)

        self.both(engine, work)
        engine.start("pair", "t")
        engine.run_until(lambda: len(begun) == 2, timeout=600)
        engine.close()
        self.assertEqual(2, len(ends))

    def test_one_that_cancels_itself_has_failed(self):
        store, engine = self.engine()

        async def work(_work):
            raise asyncio.CancelledError()

        self.both(engine, work)
        task = engine.start("pair", "t")
        engine.run_until(lambda: task.done, timeout=600)
        self.assertEqual({"canceled"}, {f["input"]["class"] for f in self.records(store, "failure")})


if __name__ == "__main__":
    unittest.main()
