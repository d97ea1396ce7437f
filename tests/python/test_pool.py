"""The pool of an engine: limits, batches, items, cancel."""
import unittest

from support import Case, bare, named, wfsm
from wfsm import LATER, Outcome

MAP = {
    "wfsm": 1, "id": "map", "initial": "work", "context": {"files": ["a", "b", "c"], "out": None},
    "states": {
        "work": {"invoke": {
            "src": "coder", "items": {"var": "context.files"}, "maxConcurrency": 2,
            "pool": {"phase": "dev", "group": {"var": "item"}},
            "onDone": {"target": "done", "actions": {
                "type": "assign", "params": {"out": {"var": "event.data"}}}},
            "onError": "failed"}},
        "done": {"type": "final"}, "failed": {"type": "final"}},
}


class Pool(Case):
    def engine(self, agent=lambda call: LATER, **options):
        engine = wfsm.Engine(self.memory(), **options)
        self.addCleanup(engine.close)
        engine.add_machine(wfsm.Machine.load(MAP))
        engine.agent("coder")(agent)
        return engine

    def test_items_and_their_results(self):
        engine = self.engine(lambda call: call.input.upper())
        one = engine.start("map", "m")
        self.assertTrue(engine.run_until_idle(timeout=10))
        self.assertEqual(one.context["out"], ["A", "B", "C"])

    def test_a_limit_that_engines_share(self):
        engine = self.engine()
        engine.limit_shared("phase", "dev", 1)
        engine.start("map", "m", now=5)
        for _ in range(4):
            engine.run(5)
        self.assertEqual(engine.pool["phases"], {
            "dev": {"working": 1, "waiting": 2, "shared": 1, "permits": 1}})
        with self.assertRaises(ValueError):
            engine.limit_shared("phase", "", 1)

    def test_a_rate(self):
        for shared in (False, True):
            with self.subTest(shared=shared):
                engine = self.engine(session="s%d" % shared)
                engine.rate("phase", "dev", 1, 500, shared=shared)
                engine.start("map", "m", now=5)
                for _ in range(4):
                    engine.run(5)
                self.assertEqual(engine.pool["phases"], {
                    "dev": {"working": 1, "waiting": 2, "rate": 1, "perMs": 500}})
                self.assertEqual(engine.deadline, 505)
                for _ in range(4):
                    engine.run(505)
                self.assertEqual(engine.pool["phases"]["dev"]["working"], 2)
                with self.assertRaises(ValueError):
                    engine.rate("phase", "dev", 1, 0)

    def test_what_the_engine_counts(self):
        engine = self.engine()
        engine.limit("slots", 1)
        engine.start("map", "m", now=5)
        engine.run(5)
        counts = engine.counts
        self.assertEqual({key: counts[key] for key in ("commits", "instances", "slots", "working", "waiting", "attempts")},
                         {"commits": 1, "instances": 1, "slots": 1, "working": 1, "waiting": 2, "attempts": 1})
        self.assertEqual(sum(value for key, value in counts.items() if key.startswith("failed_")), 0)
        self.assertIn("\nwfsm_queue_length 2\n", engine.metrics)

    def test_counts_limits_and_what_is_at_work(self):
        engine = self.engine()
        engine.limit("phase", 1, "dev")
        engine.start("map", "m", now=5)
        engine.run(5)
        pool = engine.pool
        self.assertEqual((pool["slots"], pool["working"], pool["waiting"]), (15, 1, 2))
        self.assertEqual(pool["phases"], {"dev": {"working": 1, "waiting": 2, "most": 1}})
        self.assertEqual([bare(w["id"]) for w in engine.work("group", "b")], ["m/1/2"])
        self.assertEqual(len(engine.work()), 3)
        self.assertEqual(engine.waiting, 2)
        self.assertTrue(engine.can_spawn(14))
        self.assertFalse(engine.can_spawn(15))
        engine.limit("slots", 1)
        self.assertFalse(engine.can_spawn())
        with self.assertRaises(ValueError):
            engine.limit("colour", 1)
        with self.assertRaises(ValueError):
            engine.work("phase")

    def test_cancel(self):
        engine = self.engine()
        engine.start("map", "m")
        self.assertEqual(engine.cancel(named(engine, "m/1/3"), "not needed"), Outcome.ENDED)
        self.assertEqual(engine.instance("m").configuration, ["failed"])

    def test_a_batch_in_request_order(self):
        engine = self.engine(lambda call: call.input + 1)
        batch = engine.spawn("b", ({"agent": "coder", "input": n, "priority": "high"}
                                   for n in range(3)))
        self.assertTrue(engine.run_until_idle(timeout=10))
        self.assertEqual(batch.output, [{"output": n + 1} for n in range(3)])
        with self.assertRaises(wfsm.WfsmError):
            engine.spawn("c", [{"agent": "nobody"}])

    def test_an_empty_phase_is_an_event(self):
        engine = self.engine()
        engine.add_machine(wfsm.Machine.load({
            "wfsm": 1, "id": "w", "initial": "wait",
            "states": {"wait": {"on": {"empty": "on"}}, "on": {}}}))
        waiter = engine.start("w", "w")
        engine.start("map", "m")
        engine.await_empty("phase", "dev", "w", "empty", "e1")
        engine.run()
        self.assertEqual(waiter.configuration, ["wait"])
        self.assertEqual(engine.retry(named(engine, "m/1/1")), Outcome.TAKEN)
        engine.cancel(named(engine, "m/1/1"))
        engine.run()
        self.assertEqual(waiter.configuration, ["on"])


if __name__ == "__main__":
    unittest.main()
