"""What a traceback shows of this package: one line that names the call, and nothing else."""
import asyncio
import io
import logging
import os
import subprocess
import sys
import traceback
import unittest

from support import Case, wfsm
from wfsm import _boundary

HERE = os.path.dirname(os.path.abspath(wfsm.__file__))
ACTING = {"id": "m", "initial": "a", "states": {"a": {"on": {"go": {"actions": "g"}}}}}
WORKING = {"id": "w", "initial": "a", "states": {
    "a": {"invoke": {"src": "worker", "onDone": "b", "onError": "b"}}, "b": {"type": "final"}}}


def broken(*_anything):
    return {}["missing"]


async def broken_coroutine(_work):
    return broken()


class Tracebacks(Case):
    def frames(self, problem):
        """[(file, function)] of the package that the interpreter would print, causes included."""
        shown = "".join(traceback.format_exception(type(problem), problem, problem.__traceback__))
        self.assertNotIn(HERE, shown)
        return [frame.name for frame in traceback.extract_tb(problem.__traceback__)
                if frame.filename == "<wfsm>"]

    def caught(self, call):
        try:
            call()
        except BaseException as problem:  # pylint: disable=broad-except
            return problem
        return self.fail("nothing was raised")

    def log(self):
        said = io.StringIO()
        handler = logging.StreamHandler(said)
        logger = logging.getLogger("wfsm")
        logger.addHandler(handler)
        self.addCleanup(logger.removeHandler, handler)
        propagates, logger.propagate = logger.propagate, False
        self.addCleanup(setattr, logger, "propagate", propagates)
        return said

    def acting(self):
        functions = wfsm.Functions()
        functions.action("g")(broken)
        return wfsm.Instance.start(wfsm.Machine.load(ACTING), self.memory(), "t",
                                   functions=functions)

    def test_a_failed_call_is_one_line(self):
        store, machine = self.memory(), wfsm.Machine.load(WORKING)
        task = wfsm.Instance.start(machine, store, "t")
        engine = wfsm.Engine(store)
        self.addCleanup(engine.close)
        for call, name in (
                (lambda: wfsm.Machine.load("{"), "Machine.load"),
                (lambda: wfsm.Instance.start(machine, store, "t"), "Instance.start"),
                (lambda: task.send("go", {1, 2}), "Instance.send"),
                (lambda: task.in_state(5), "Questions.in_state"),
                (lambda: engine.start("none", "x"), "Engine.start"),
                (lambda: wfsm.EngineInstance(engine, "x").configuration, "Questions.configuration"),
                (lambda: wfsm.Engine("x"), "Engine.__init__"),
                (lambda: wfsm.digest("x"), "digest"),
                (lambda: store.records("none"), "Store.records")):
            with self.subTest(name):
                self.assertEqual(self.frames(self.caught(call)), [name])

    def test_a_function_of_the_caller_is_shown(self):
        engine = wfsm.Engine(self.memory())
        self.addCleanup(engine.close)
        problem = self.caught(lambda: engine.run_until(broken))
        self.assertEqual(self.frames(problem), ["Engine.run_until"])
        self.assertEqual(traceback.extract_tb(problem.__traceback__)[-1].name, "broken")

        async def main():
            async with wfsm.engine(self.memory()) as driven:
                await driven.arun_until(broken)

        problem = self.caught(lambda: asyncio.run(main()))
        self.assertEqual(self.frames(problem), ["Engine.arun_until"])
        self.assertEqual(traceback.extract_tb(problem.__traceback__)[-1].name, "broken")

    def test_what_a_callback_raised_begins_with_the_callback(self):
        said, task = self.log(), self.acting()
        self.assertEqual(task.send("go"), wfsm.Outcome.FAILED)
        self.assertEqual(self.frames(task.error.__cause__), [])
        self.assertEqual([frame.name for frame in traceback.extract_tb(
            task.error.__cause__.__traceback__)], ["broken"])
        self.assertNotIn(HERE, said.getvalue())
        self.assertIn("in broken", said.getvalue())

    def test_what_an_agent_raised_likewise(self):
        for agent in (broken, broken_coroutine):
            said = self.log()
            engine = wfsm.Engine(self.memory())
            self.addCleanup(engine.close)
            engine.add_machine(wfsm.Machine.load(WORKING))
            engine.agent("worker")(agent)
            task = engine.start("w", "t")
            engine.run_until(lambda: task.done)
            self.assertNotIn(HERE, said.getvalue())
            self.assertIn("in broken", said.getvalue())

    def test_an_effect_is_shown_as_long_as_it_is_handled(self):
        document = {"id": "e", "initial": "a", "states": {"a": {
            "type": "final", "entry": {"type": "emit", "params": {"event": "x"}}}}}
        task = wfsm.Instance.start(wfsm.Machine.load(document), self.memory(), "t")
        task.close()
        problem = self.caught(lambda: list(task.effects()))
        self.assertEqual(self.frames(problem), ["Instance.effects"])

    def test_the_interpreter_prints_no_file_of_the_package_unless_asked(self):
        for asked, expected in (("", False), ("full", True)):
            ended = subprocess.run(
                [sys.executable, "-c", "import wfsm; wfsm.Machine.load('{')"], text=True,
                capture_output=True, env={**os.environ, "WFSM_TRACEBACK": asked})
            self.assertEqual(ended.returncode, 1)
            self.assertIn("BadDocument", ended.stderr)
            self.assertEqual(HERE in ended.stderr, expected, ended.stderr)
            self.assertEqual('File "<wfsm>"' in ended.stderr, not expected, ended.stderr)

    def test_pytest_hides_the_line_too(self):
        self.assertTrue(_boundary.bounded(broken).__globals__["__tracebackhide__"])


if __name__ == "__main__":
    unittest.main()
