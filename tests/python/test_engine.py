"""Engines: agents and guards as functions, time, ownership."""
import threading
import unittest

from support import DOOR, REVIEW, Case, bare, child, named, wfsm
from wfsm import AgentFailed, LATER, Outcome


class EngineCase(Case):
    def engine(self, store=None, machine=REVIEW, **options):
        engine = wfsm.Engine(store or self.memory(), **options)
        self.addCleanup(engine.close)
        engine.add_machine(wfsm.Machine.load(machine))
        return engine

    def reviewed(self, agent, **more):
        """The context after one review by this agent."""
        engine = self.engine()
        engine.agent("reviewer")(agent)
        review = engine.start("review", "r", {"change": "fix", **more})
        self.assertTrue(engine.run_until_idle(timeout=10))
        return review.context


class Agents(EngineCase):
    def test_what_an_agent_sees_and_answers(self):
        seen = []

        def review(call):
            seen.append((call.name, call.instance, bare(call.id), call.attempt, call.state,
                         call.input, call.schema["required"], call.timeout))
            return {"decision": "approve"}

        self.assertEqual(self.reviewed(review)["verdict"], "approve")
        self.assertEqual(seen, [("reviewer", "r", "r/1/1", 1, "asked", {"change": "fix"},
                                 ["decision"], 0)])

    def test_an_exception_is_a_failure_of_class_other(self):
        context = self.reviewed(lambda call: {}["missing"])
        self.assertEqual(context["failure"]["class"], "other")
        self.assertIn("KeyError", context["failure"]["message"])
        self.assertLogged("KeyError")

    def test_agent_failed_gives_the_class_and_is_not_logged(self):
        def review(call):
            raise AgentFailed("auth", "who are you?")

        context = self.reviewed(review)
        self.assertEqual((context["failure"]["class"], context["failure"]["message"]),
                         ("auth", "who are you?"))
        self.assertEqual(self.logged, [])

    def test_a_failure_that_may_be_retried_is(self):
        attempts = []

        def review(call):
            attempts.append(call.attempt)
            if call.attempt == 1:
                raise AgentFailed("network")
            return {"decision": "reject"}

        self.assertEqual(self.reviewed(review)["verdict"], "reject")
        self.assertEqual(attempts, [1, 2])

    def test_outputs_that_do_not_fit(self):
        self.assertEqual(self.reviewed(lambda call: {"no": 1})["failure"]["class"], "schema")
        self.assertEqual(self.reviewed(lambda call: None)["failure"]["class"], "schema")
        for output in (object(), {"decision": float("nan")}, {"decision": "\ud800"}):
            with self.subTest(repr(output)):
                context = self.reviewed(lambda call, output=output: output)
                self.assertEqual(context["failure"]["class"], "other")

    def test_an_unknown_class_is_a_failure_all_the_same(self):
        def review(call):
            raise AgentFailed("bad mood")

        self.assertIsNotNone(self.reviewed(review)["failure"])

    def test_an_answer_from_another_thread(self):
        engine, threads = self.engine(), []

        @engine.agent("reviewer")
        def review(call):
            answer = threading.Timer(0.02, engine.result, (call.id, {"decision": "approve"}))
            threads.append(answer)
            answer.start()
            return LATER

        task = engine.start("review", "r")
        self.assertTrue(engine.run_until_idle(timeout=10))
        threads[0].join()
        self.assertEqual(task.context["verdict"], "approve")
        self.assertEqual(engine.result("r/1/1", {}), Outcome.STALE)

    def test_a_failure_given_later(self):
        engine = self.engine()
        engine.agent("reviewer")(lambda call: LATER)
        task = engine.start("review", "r", now=0)
        engine.run(now=0)
        self.assertEqual((engine.working, engine.idle), (1, False))
        self.assertEqual(engine.fail(named(engine, "r/1/1"), "exit", "code 3", now=1), Outcome.ENDED)
        self.assertEqual(task.context["failure"]["class"], "exit")
        engine.run(now=2)
        self.assertEqual((engine.working, engine.idle), (0, True))

    LIMITED = {"id": "l", "initial": "a", "budgets": {"tokens": {"limit": 10}}, "states": {
        "a": {"invoke": {"src": "worker", "heartbeatMs": 1000,
                         "retry": [{"errors": ["network"], "intervalMs": 10}], "onError": "b"}},
        "b": {}}}

    def test_what_is_said_beside_an_answer(self):
        def work(call):
            call.usage(tokens=3, seconds=1)
            call.retry_after(500)
            call.signature("no route")
            for bad in (lambda: call.usage(tokens=-1), lambda: call.usage(tokens=2**60),
                        lambda: call.retry_after(-1)):
                with self.assertRaises(ValueError):
                    bad()
            with self.assertRaises(wfsm.WfsmError):
                call.signature("")
            raise AgentFailed("network" if call.attempt == 1 else "auth")

        engine = self.engine(machine=self.LIMITED)
        engine.agent("worker")(work)
        task = engine.start("l", "t", now=0)
        engine.run(now=0)
        engine.run(now=499)
        self.assertEqual(task.budgets(now=499), {"tokens": {"used": 3, "limit": 10, "left": 7}})
        engine.run(now=500)
        self.assertEqual(task.configuration, ["b"])
        self.assertEqual(task.budgets(now=500)["tokens"]["used"], 6)
        self.assertEqual(task.failures, [{"invoke": "a", "signature": "no route", "count": 1}])

    def test_the_same_for_answers_by_id(self):
        engine = self.engine(machine=self.LIMITED)
        engine.agent("worker")(lambda call: LATER)
        task = engine.start("l", "t", now=0)
        engine.run(now=0)
        work = named(engine, "t/1/1")
        engine.heartbeat(work, now=900)
        with self.assertRaises(wfsm.NotFound):
            engine.heartbeat("t/9/9", now=900)
        engine.run(now=1899)
        self.assertEqual(task.configuration, ["a"])
        self.assertEqual(engine.fail(work, "network", usage={"tokens": 4}, retry_after=100, now=1899), Outcome.RETRY)
        engine.run(now=1999)
        self.assertEqual(engine.result(work, 1, usage={"tokens": 1}, signature="s", now=2000),
                         Outcome.NO_TRANSITION)
        self.assertEqual(task.budgets(now=2000)["tokens"]["used"], 5)
        self.assertEqual(task.failures[0]["signature"], "s")

    def test_children_and_stops(self):
        parent = {"id": "p", "initial": "a", "states": {
            "a": {"invoke": {"src": "machine:l", "onError": "b"}}, "b": {}}}
        engine = self.engine(machine=self.LIMITED)
        engine.add_machine(wfsm.Machine.load(parent))
        engine.agent("worker")(lambda call: LATER)
        task = engine.start("p", "t", now=0)
        engine.run(now=0)
        work = named(engine, "t/1/1")
        below = engine.instance(child(work))
        self.assertEqual((below.parent, task.parent, below.stopped), (work, None, False))
        self.assertEqual(engine.stop(child(work), now=1), Outcome.ENDED)
        self.assertTrue(below.stopped)
        engine.run(now=1)
        self.assertEqual(task.configuration, ["b"])
        self.assertEqual(task.failures[0]["signature"], "canceled: the child workflow was stopped")

    def test_an_agent_with_all_four_callbacks(self):
        class Polled:
            def __init__(self):
                self.polls, self.canceled = [], []

            def start(self, call):
                return LATER

            def poll(self, call):
                self.polls.append(call.instance)
                if call.instance == "r" and self.polls.count("r") == 2:
                    return {"decision": "approve"}
                return LATER

            def cancel(self, call):
                self.canceled.append(call.id)

        engine, agent = self.engine(), Polled()
        engine.add_agent("reviewer", agent)
        task = engine.start("review", "r")
        engine.start("review", "s")
        self.assertTrue(engine.run_until(lambda: task.done, timeout=10, interval=0.01))
        self.assertEqual(task.context["verdict"], "approve")
        engine.close()
        self.assertEqual([bare(id) for id in agent.canceled], ["s/1/1"])

    def test_patch_checkpoint_restore(self):
        engine = self.engine()
        engine.agent("reviewer")(lambda call: LATER)
        task = engine.start("review", "r", now=0)
        self.assertEqual(engine.patch("r", {"change": "fix"}, now=1), Outcome.TAKEN)
        self.assertEqual(engine.checkpoint("r", "before", now=2), Outcome.TAKEN)
        engine.checkpoint("r", "later", ["file1.ts"], now=2)
        self.assertEqual(engine.delete_checkpoint("r", "later", now=2), Outcome.TAKEN)
        engine.patch("r", {"change": "break"}, now=3)
        self.assertEqual(engine.restore("r", now=4), Outcome.TAKEN)
        self.assertEqual(task.context["change"], "fix")
        self.assertEqual(bare(task.invocations[0]["id"]), "r/7/1")

    def test_agents_stay_at_work_under_another_document(self):
        engine = self.engine()
        starts = []
        engine.agent("reviewer")(lambda call: starts.append(call.id) or LATER)
        task = engine.start("review", "r", now=0)
        engine.run(now=1)
        newer = wfsm.Machine.load(dict(REVIEW, version="2", migrate=[{}]))
        self.assertEqual(engine.migrate("r", newer, now=2), Outcome.TAKEN)
        engine.run(now=3)
        self.assertEqual(starts, [named(engine, "r/1/1")])
        engine.result(starts[0], {"decision": "approve"}, now=4)
        self.assertEqual(task.context["verdict"], "approve")
        engine.start("review", "s", now=5)
        with self.assertRaises(wfsm.Denied):
            engine.migrate("s", wfsm.Machine.load(dict(REVIEW, version="3")), now=6)

    def test_a_fork_works_for_itself(self):
        engine = self.engine()
        engine.agent("reviewer")(lambda call: LATER)
        engine.start("review", "r", {"change": "fix"}, now=0)
        engine.checkpoint("r", "asked", now=1)
        fork = engine.fork("r", "s", "asked", now=2)
        self.assertEqual(bare(fork.invocations[0]["id"]), "s/1/1")
        self.assertEqual(engine.fork("r", "t", latest=True, now=2).context["change"], "fix")
        engine.result(fork.invocations[0]["id"], {"decision": "approve"}, now=3)
        self.assertEqual(fork.context["verdict"], "approve")
        self.assertEqual(engine.fork("r", "u", now=4).configuration, ["asked"])
        with self.assertRaises(wfsm.AlreadyExists):
            engine.fork("r", "s", now=4)
        with self.assertRaises(wfsm.NotFound):
            engine.fork("never", "v", now=4)

    def test_an_agent_s_name_is_taken_once(self):
        engine = self.engine()
        engine.agent("reviewer")(lambda call: LATER)
        with self.assertRaises(wfsm.AlreadyExists):
            engine.agent("reviewer")(lambda call: LATER)


class Functions(EngineCase):
    def test_guards_actions_observers_and_effects(self):
        engine, seen, rang = self.engine(machine=DOOR), [], []
        engine.guard("has-key")(lambda call: "brass" in call.context["keys"])
        engine.action("paint")(lambda call: {"opened": 100})
        engine.observer(lambda call: seen.append(
            (call.name, call.instance, call.record["revision"])))
        engine.on_effect(lambda effect, call: rang.append(
            (bare(effect.id), effect.event, effect.data, call.instance)))
        door = engine.start("door", "front", now=0)
        self.assertEqual(engine.send("front", "paint", now=1), Outcome.TAKEN)
        self.assertEqual(engine.send("front", "unlock", event_id="e", now=2), Outcome.TAKEN)
        self.assertEqual(engine.send("front", "unlock", event_id="e", now=2),
                         Outcome.DUPLICATE)
        engine.run(now=3)
        self.assertEqual(rang, [("front/3/1", "rang", 100, "front")])
        self.assertEqual(engine.deadline is not None and not engine.idle, True)
        engine.run(now=600)  # the timer
        self.assertEqual(door.configuration, ["closed"])
        self.assertEqual(seen[:3], [("door", "front", n) for n in (1, 2, 3)])
        engine.run(now=601)
        self.assertEqual(len(rang), 1)

    def test_an_effect_whose_delivery_fails_comes_again(self):
        engine, tries = self.engine(machine=DOOR), []
        engine.guard("has-key")(lambda call: True)
        engine.action("paint")(lambda call: None)

        @engine.on_effect
        def ring(effect, call):
            tries.append(effect.id)
            if len(tries) == 1:
                raise ConnectionError("the bell is far away")

        engine.start("door", "front", now=0)
        engine.send("front", "open", now=1)
        for now in range(2, 100_000, 10_000):
            engine.run(now=now)
        self.assertEqual([bare(id) for id in tries], ["front/2/1"] * 2)
        self.assertEqual(tries[0], tries[1])
        self.assertLogged("the bell is far away")

    def test_an_action_that_raises(self):
        engine = self.engine(machine=DOOR)
        engine.guard("has-key")(lambda call: 1 / 0)
        engine.action("paint")(lambda call: 1 / 0)
        engine.start("door", "front", now=0)
        self.assertEqual(engine.send("front", "paint", now=1), Outcome.FAILED)
        self.assertIsInstance(engine.error.__cause__, ZeroDivisionError)

    def test_a_callback_may_not_use_its_engine(self):
        engine, problems = self.engine(), []

        @engine.agent("reviewer")
        def review(call):
            for use in (engine.run, engine.close, lambda: engine.result(call.id, {})):
                try:
                    use()
                except wfsm.Busy as busy:
                    problems.append(busy)
            return {"decision": "approve"}

        engine.start("review", "r")
        engine.run()  # which works in this thread
        self.assertTrue(engine.idle)
        self.assertEqual(len(problems), 3)

    def test_keyboard_interrupt_leaves_run(self):
        engine = self.engine()

        @engine.agent("reviewer")
        def review(call):
            raise KeyboardInterrupt

        engine.start("review", "r")
        with self.assertRaises(KeyboardInterrupt):
            engine.run_until_idle(timeout=10)


class Ownership(EngineCase):
    def test_posts_reach_the_owner(self):
        path = self.folder() / "tasks.db"
        with wfsm.sqlite(path) as mine, wfsm.sqlite(path) as other:
            engine = self.engine(mine, DOOR)
            engine.guard("has-key")(lambda call: False)
            engine.action("paint")(lambda call: None)
            door = engine.start("door", "front")
            other.post("front", "open", id="p1")
            self.assertTrue(engine.run_until(lambda: door.in_state("open"), timeout=10))
            self.assertEqual(other.inbox("front"), [])

    def test_work_goes_on_under_the_next_owner(self):
        path = self.folder() / "tasks.db"
        with wfsm.sqlite(path) as store:
            first = self.engine(store, session="first")
            first.agent("reviewer")(lambda call: LATER)
            first.start("review", "r", {"change": "fix"}, now=0)
            first.run(now=1)
            self.assertEqual(store.head("r").owner, "first")
            second = self.engine(store, session="second")
            second.agent("reviewer")(lambda call: {"decision": "approve"})
            with self.assertRaises(wfsm.Denied):
                second.adopt("r", now=2)
            self.assertEqual(second.adopt_all(now=2), 0)
            first.close()
            self.assertEqual(second.adopt_all(now=3), 1)
            task = second.instance("r")
            for now in range(4, 60_000, 1_000):
                second.run(now=now)
            self.assertEqual(task.context["verdict"], "approve")

    def test_a_dead_owner_can_be_reported(self):
        store = self.memory()
        first = self.engine(store, session="first")
        first.agent("reviewer")(lambda call: LATER)
        first.start("review", "r", now=0)
        second = self.engine(store, session="second")
        second.agent("reviewer")(lambda call: {"decision": "approve"})
        store.remove_owner("first")
        self.assertTrue(second.adopt("r", now=1).in_state("asked"))

    def test_what_an_engine_does_not_have(self):
        engine = self.engine()
        for use in (lambda: engine.instance("r"), lambda: engine.send("r", "go"),
                    lambda: engine.adopt("r"), lambda: engine.start("nothing", "r")):
            with self.assertRaises(wfsm.NotFound):
                use()
        engine.agent("reviewer")(lambda call: LATER)
        task = engine.start("review", "r")
        engine.release("r")
        with self.assertRaises(wfsm.NotFound):
            task.context

    def test_the_deadline_includes_a_look(self):
        engine = self.engine(look_ms=70)
        engine.agent("reviewer")(lambda call: LATER)
        engine.start("review", "r", {"change": "fix"}, now=0)
        engine.run(now=5)
        self.assertEqual(engine.deadline, 75)
        self.assertIsNone(engine.fd)

    def test_looks_become_rare_until_one_is_asked_for(self):
        engine = self.engine(look_ms=70, look_most_ms=3000)
        engine.agent("reviewer")(lambda call: LATER)
        engine.start("review", "r", {"change": "fix"}, now=0)
        for _ in range(20):
            engine.run(now=engine.deadline)
        last = engine.deadline
        engine.look()
        self.assertLess(engine.deadline, last)
        engine.run(now=last - 1)
        self.assertGreaterEqual(engine.deadline, last - 1 + 2250)

    def test_those_that_only_wait_leave_memory(self):
        engine = self.engine(machine=DOOR, cached_instances=2)
        engine.guard("has-key")(lambda call: True)
        engine.action("paint")(lambda call: {})
        doors = [engine.start("door", f"d{i}") for i in range(5)]
        engine.run()
        self.assertEqual(engine.send("d0", "unlock"), Outcome.TAKEN)
        self.assertEqual(doors[0].configuration, ["open"])
        self.assertEqual(doors[4].configuration, ["closed"])

    def test_slow_agents_end_a_round(self):
        seconds = [0.0]
        engine = self.engine(round_ms=100, clock=lambda: seconds[0])
        starts = []

        @engine.agent("reviewer")
        def review(call):
            seconds[0] += 0.06
            starts.append(call.now)
            return LATER

        for i in range(4):
            engine.start("review", f"r{i}", {"change": "fix"}, now=0)
        for now in (1, 2, 3):
            begun = engine.prepare(now=now)
            begun.exchange()
            begun.finish(now=now)
        self.assertEqual(starts, [1, 1, 2, 2])

    def test_a_clock_that_fails_bounds_nothing(self):
        def fail():
            raise OSError("no clock")

        engine = self.engine(clock=fail)
        engine.agent("reviewer")(lambda call: LATER)
        with self.assertLogs("wfsm", "ERROR"):
            engine.start("review", "r", {"change": "fix"}, now=0)
            engine.run(now=1)
        self.assertEqual(engine.instance("r").configuration, ["asked"])

    def test_many_starts_at_once(self):
        engine = self.engine()
        engine.agent("reviewer")(lambda call: {"decision": "approve"})
        tasks = engine.start_all([("review", "a", {"change": "fix"}), ["review", "b"]])
        self.assertEqual([task.id for task in tasks], ["a", "b"])
        self.assertEqual(tasks[0].context["change"], "fix")
        with self.assertRaises(wfsm.AlreadyExists) as raised:
            engine.start_all((machine, id) for machine, id in
                             (("review", "c"), ("review", "a"), ("nothing", "d"), ("review", "e")))
        self.assertIn('start 1, "a"', raised.exception.message)
        self.assertEqual(raised.exception.answers,
                         [None, wfsm.Status.EXISTS, wfsm.Status.NOT_FOUND, None])
        self.assertTrue(engine.instance("e").in_state("asked"))
        self.assertEqual(engine.start_all([]), [])
        for bad in ([("review",)], [("review", "x", 5)], [("review", "x", {}, 1)], [(1, "x")]):
            with self.assertRaises((TypeError, ValueError)):
                engine.start_all(bad)

    def test_run_until_gives_up(self):
        engine = self.engine()
        engine.agent("reviewer")(lambda call: LATER)
        engine.start("review", "r")
        self.assertFalse(engine.run_until_idle(timeout=0.05))


class Rounds(EngineCase):
    """One round in three parts, with the exchange on another thread."""

    def test_in_three_parts(self):
        store = self.memory()
        engine = self.engine(store)
        engine.agent("reviewer")(lambda call: {"decision": "approve"})
        review = engine.start("review", "r", {"change": "fix"}, now=0)
        for now in range(1, 10):
            before = review.configuration
            round = engine.prepare(now)
            thread = threading.Thread(target=round.exchange)
            thread.start()
            thread.join()
            self.assertEqual(review.configuration, before)
            round.finish(now)
        self.assertEqual(review.configuration, ["judged"])
        for use in (round.exchange, round.finish):
            with self.assertRaises(wfsm.InvalidArgument):
                use()

    def test_nothing_else_happens_meanwhile(self):
        store = self.memory()
        engine = self.engine(store)
        engine.agent("reviewer")(lambda call: LATER)
        review = engine.start("review", "r", now=0)
        round = engine.prepare(0)
        for use in (engine.close, store.close, lambda: engine.run(1), lambda: engine.prepare(1),
                    lambda: engine.start("review", "s"), lambda: store.head("r")):
            with self.assertRaises(wfsm.Busy):
                use()
        self.assertEqual(engine.send("r", "go"), Outcome.QUEUED)
        self.assertEqual(review.configuration, ["asked"])
        with self.assertRaises(wfsm.StoreError):
            round.finish()  # without an exchange
        engine.run(1)

    def test_a_round_that_is_forgotten_is_taken_back(self):
        store = self.memory()
        engine = self.engine(store)
        engine.agent("reviewer")(lambda call: LATER)
        engine.start("review", "r", now=0)
        engine.prepare(0)
        engine.run(1)
        self.assertEqual(engine.working, 1)


if __name__ == "__main__":
    unittest.main()
