"""wfsm.testing: a clock that stands still, proofs and journals as tests; and the pytest plugin."""
import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import unittest

from support import DOOR, REVIEW, ROOT, Case, wfsm

from wfsm import testing

REMIND = {
    "id": "remind", "initial": "asking", "context": {"asked": 0}, "states": {
        "asking": {
            "entry": {"type": "assign", "params": {"asked": {"+": [{"var": "context.asked"}, 1]}}},
            "invoke": {"src": "mail", "timeoutMs": 60_000, "onDone": "waiting", "onError": "failed"}},
        "waiting": {
            "after": {"86400000": [{"guard": {"<": [{"var": "context.asked"}, 3]}, "target": "asking"},
                                   {"target": "failed"}]},
            "on": {"answer": "answered"}},
        "answered": {"type": "final", "output": {"var": "context.asked"}},
        "failed": {"type": "final", "output": {"var": "instance.now"}}}}
DAY = 86_400_000
BAD = {
    "id": "release", "initial": "draft", "context": {"approved": False},
    "properties": {"approved": {"never": {"and": [{"in_state": "out"}, {"!": {"var": "context.approved"}}]}}},
    "states": {"draft": {"on": {"hurry": "ready"}}, "ready": {"on": {"release": "out"}}, "out": {"type": "final"}}}


class Clock(Case):
    def setUp(self):
        super().setUp()
        self.clock = testing.Clock(1000).__enter__()
        self.addCleanup(self.clock.__exit__)

    def engine(self, store=None):
        made = wfsm.Engine(store or self.memory(), look_ms=DAY, lapse_ms=DAY)
        made.add_machine(wfsm.Machine.load(REMIND))
        return made

    def test_it_stands_still_until_it_is_advanced(self):
        self.assertEqual((wfsm.now(), self.clock.now), (1000, 1000))
        engine, sent = self.engine(), []
        engine.agent("mail")(lambda call: sent.append(call.now))
        task = engine.start("remind", "one")
        self.clock.advance(0, engine)
        self.assertEqual((sent, wfsm.now(), task.configuration), ([1000], 1000, ["waiting"]))
        self.clock.advance(2 * DAY + 5, engine)
        self.assertEqual((sent, wfsm.now()), ([1000, 1000 + DAY, 1000 + 2 * DAY], 1000 + 2 * DAY + 5))
        self.clock.advance(DAY, engine)
        self.assertEqual(task.output, 1000 + 3 * DAY)

    def test_instances_by_hand(self):
        functions = self.door_functions(has_key=lambda call: True)
        door = wfsm.Instance.start(wfsm.Machine.load(DOOR), self.memory(), "front", functions=functions)
        door.send("open")
        self.clock.advance(499, door)
        self.assertEqual(door.configuration, ["open"])
        self.clock.advance(1, door)
        self.assertEqual((door.configuration, door.now), (["closed"], 1500))

    def test_coroutine_agents_sleep_in_simulated_time(self):
        async def main():
            async with self.engine() as engine:
                slept = []

                @engine.agent("mail")
                async def mail(work):
                    await asyncio.sleep(30)
                    slept.append(wfsm.now())

                task = engine.start("remind", "one")
                await self.clock.pass_time(29_999)
                self.assertEqual((task.configuration, slept), (["asking"], []))
                await self.clock.pass_time(1)
                self.assertEqual((task.configuration, slept), (["waiting"], [31_000]))
                await self.clock.pass_time(DAY + 30_000)
                self.assertEqual(slept, [31_000, 61_000 + DAY])
                task.send("answer")
                self.assertEqual((await task.wait(), wfsm.now()), (2, 61_000 + DAY))

        self.clock.run(main())

    def test_time_limits_of_agents(self):
        async def main():
            async with self.engine() as engine:
                ended = []

                @engine.agent("mail")
                async def mail(work):
                    try:
                        await asyncio.sleep(3600)
                    finally:
                        ended.append(wfsm.now())

                task = engine.start("remind", "one")
                await self.clock.pass_time(60_000)
                self.assertEqual((task.configuration, task.output, ended), (["failed"], 61_000, [61_000]))

        self.clock.run(main())

    def test_the_await_forms_take_no_time(self):
        async def main():
            async with self.engine() as engine:
                engine.agent("mail")(lambda call: call.input)
                one, other = await asyncio.gather(engine.astart("remind", "one"), engine.astart("remind", "other"))
                await self.clock.pass_time(0)
                self.assertTrue(await one.asend("answer", id="e"))
                self.assertEqual(await one.asend("answer", id="e"), wfsm.Outcome.ENDED)
                self.assertEqual(await other.astop(), wfsm.Outcome.ENDED)
                self.assertEqual((await one.wait(), other.stopped, wfsm.now(), one.now), (1, True, 1000, 1000))
                self.assertEqual((await one.stream(after=0).__anext__()).revision, 1)

        self.clock.run(main())

    def test_functions_and_threads(self):
        async def main():
            async with self.engine() as engine:
                engine.agent("mail")(lambda call: call.input)
                task = engine.start("remind", "one")
                self.assertEqual(await asyncio.to_thread(lambda: 7), 7)
                await self.clock.pass_time(0)
                self.assertEqual(task.configuration, ["waiting"])
                return await asyncio.wait_for(self.sleeper(), 60)

        self.assertEqual(self.clock.run(main()), 1)

    async def sleeper(self):
        await self.clock.pass_time(59_000)
        return 1

    def test_what_waits_for_ever_is_told(self):
        async def main():
            await asyncio.sleep(1)
        with self.assertRaisesRegex(testing.Stalled, "everything waits for a later time"):
            self.clock.run(main())
        self.assertEqual(self.clock.now, 1000)

    def test_wrong_uses(self):
        async def main():
            with self.assertRaisesRegex(RuntimeError, "pass_time"):
                self.clock.advance(1)
        self.clock.run(main())
        with self.assertRaisesRegex(RuntimeError, "in use already"):
            testing.Clock().__enter__()
        with self.assertRaisesRegex(RuntimeError, "for coroutines in run"):
            asyncio.run(self.clock.pass_time(1))
        with self.assertRaises(ValueError):
            self.clock.advance(-1)
        self.clock.__exit__()
        with self.assertRaisesRegex(RuntimeError, "use the clock by 'with' first"):
            self.clock.run(main())
        self.assertGreater(wfsm.now(), 1_700_000_000_000)


class Checks(Case):
    def test_verify_has_the_counterexample_as_its_message(self):
        with self.assertRaises(AssertionError) as caught:
            testing.verify(BAD)
        self.assertIn('machine \'release\': the property "approved" is violated (/properties/approved, line 1)\n'
                      "  0. start → draft; approved = false\n  1. event hurry → ready\n  2. event release → out",
                      str(caught.exception))
        path = self.folder() / "door.json"
        path.write_text(json.dumps({**BAD, "properties": {}}), encoding="utf-8")
        for machine in (path, str(path), wfsm.Machine.load(path)):
            self.assertTrue(testing.verify(machine))

    def test_a_machine_that_is_too_large(self):
        large = {"id": "large", "initial": "a", "context": {"n": 0}, "states": {"a": {"on": {"more": {"actions": {
            "type": "assign", "params": {"n": {"+": [{"var": "context.n"}, 1]}}}}}}},
            "properties": {"small": {"always": {"<": [{"var": "context.n"}, 1000]}}}}
        with self.assertRaisesRegex(AssertionError, "machine 'large': undecided: small"):
            testing.verify(large, max_states=10)
        self.assertFalse(testing.verify(large, max_states=10, undecided=True))

    def test_a_journal_is_replayed(self):
        path, machine = self.folder() / "tasks.db", wfsm.Machine.load(REVIEW)
        with wfsm.sqlite(path) as store:
            task = wfsm.Instance.start(machine, store, "one", now=0)
            task.result(task.invocations[0]["id"], {"decision": "yes"}, now=1)
            self.assertEqual(testing.replay(store, "one", REVIEW).records, 2)
        self.assertEqual(testing.replay(path, "one", machine).records, 2)
        other = json.loads(json.dumps(REVIEW))
        other["states"]["judged"]["output"] = 7
        with self.assertRaisesRegex(AssertionError, "instance 'one': under machine 'review', revision 2 gives something"):
            testing.replay(str(path), "one", other)
        with self.assertRaises(wfsm.NotFound):
            testing.replay(path, "two", machine)
        with self.assertRaises(FileNotFoundError):
            testing.replay(path.with_name("none.db"), "one", machine)


TESTS = """
import wfsm

def test_holds(wfsm_verify):
    assert wfsm_verify({"id": "m", "initial": "a", "states": {"a": {"type": "final"}}}).states

def test_fails(wfsm_verify):
    wfsm_verify("release.json")

def test_time(wfsm_clock):
    wfsm_clock.advance(5)
    assert wfsm.now() == 5

def test_frames():
    wfsm.Machine.load({"id": "m"})

def test_no_time():
    assert wfsm.now() > 1_700_000_000_000
"""


@unittest.skipIf(importlib.util.find_spec("pytest") is None, "pytest is not installed")
class Plugin(Case):
    def test_the_fixtures(self):
        folder = self.folder()
        (folder / "release.json").write_text(json.dumps(BAD), encoding="utf-8")
        (folder / "test_release.py").write_text(TESTS, encoding="utf-8")
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "wfsm.pytest_plugin", "-p", "no:cacheprovider", "-q"],
            cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
        self.assertIn("2 failed, 3 passed", ended.stdout)
        self.assertIn("  1. event hurry → ready\n  2. event release → out", ended.stdout)
        self.assertNotIn("Traceback", ended.stdout)
        self.assertIn('>       wfsm.Machine.load({"id": "m"})', ended.stdout)
        self.assertNotRegex(ended.stdout, "wfsm/[a-z_]+\\.py")

    def test_the_wheel_tells_pytest(self):
        sys.path.insert(0, str(ROOT / "bindings" / "python"))
        import build_wheel  # pylint: disable=import-outside-toplevel
        files = dict(build_wheel.files())
        [points] = [text for name, text in files.items() if name.endswith("/entry_points.txt")]
        self.assertEqual(points, b"[pytest11]\nwfsm = wfsm.pytest_plugin\n")


if __name__ == "__main__":
    unittest.main()
