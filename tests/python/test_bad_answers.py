"""An answer that no workflow can take is a failure of its agent. Other workflows continue."""
import asyncio
import unittest

from support import Case, wfsm

FOREVER = 600  # seconds; no test waits so long unless it fails


class Odd(Exception):
    def __str__(self):
        raise RuntimeError("it has no text")


def raises(problem):
    raise problem


def deep():
    found = []
    for _ in range(20000):
        found = [found]
    return found


#: Answers, and the classes of their failures.
ANSWERS = {
    "fine": (lambda: 1, None), "large": (lambda: "x" * 20_000_000, "limit"), "many": (lambda: [0] * 1_500_000, "limit"),
    "deep": (deep, "other"), "object": (object, "other"), "odd": (lambda: raises(Odd()), "other"),
    "word": (lambda: raises(wfsm.AgentFailed("bad mood")), "other"), "number": (lambda: raises(wfsm.AgentFailed(5)), "other")}


def machine(name):
    return wfsm.Machine.load({
        "id": name, "initial": "at_work", "context": {"failed": None}, "states": {
            "at_work": {"invoke": {"src": name, "onDone": "done", "onError": {
                "target": "done", "actions": {"type": "assign", "params": {"failed": {"var": "event.data.class"}}}}}},
            "done": {"type": "final"}}})


def coroutine(answer):
    async def work(_work):
        return answer()

    return work


def function(answer):
    return lambda call: answer()


class BadAnswers(Case):
    def ended(self, drive, made, **options):
        """What has failed, by the names of the answers."""
        with wfsm.Engine(self.memory(), **options) as engine, self.assertLogs("wfsm"):
            for name, (answer, _) in ANSWERS.items():
                engine.agent(name)(made(answer))
                engine.add_machine(machine(name))
            tasks = {name: engine.start(name, name) for name in ANSWERS}
            drive(engine, tasks.values())
            return {name: task.context["failed"] for name, task in tasks.items()}

    @staticmethod
    def wait(engine, tasks):
        engine.run_until(lambda: all(task.done for task in tasks), FOREVER)

    @staticmethod
    def wait_in_a_loop(_engine, tasks):
        async def main():
            await asyncio.gather(*(task.wait(timeout=FOREVER) for task in tasks))

        asyncio.run(main())

    def test_under_a_loop_and_without_one(self):
        expected = {name: failed for name, (_, failed) in ANSWERS.items()}
        for drive in self.wait, self.wait_in_a_loop:
            for made in coroutine, function:
                with self.subTest(drive=drive.__name__, agents=made.__name__):
                    self.assertEqual(self.ended(drive, made), expected)

    def test_in_the_thread_of_the_engine(self):
        found = self.ended(self.wait, function, threads=False)
        self.assertEqual({name for name, failed in found.items() if failed is None}, {"fine"})


if __name__ == "__main__":
    unittest.main()
