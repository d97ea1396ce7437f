"""Instances stepped by hand."""
import gc
import unittest

from support import DOOR, REVIEW, Case, bare, named, wfsm
from wfsm import Outcome


class Stepping(Case):
    def test_events_move_it(self):
        door = self.door()
        self.assertEqual((door.id, door.revision, door.configuration), ("front", 1, ["closed"]))
        self.assertEqual(door.send("open", now=10), Outcome.TAKEN)
        self.assertEqual(door.context, {"opened": 1, "keys": ["brass"]})
        self.assertEqual((door.revision, door.now, door.deadline), (2, 10, 510))
        self.assertEqual(door.log, [{"label": "door", "value": "open"}])
        self.assertEqual(door.record["input"]["event"], "open")
        self.assertEqual([timer["due"] for timer in door.timers], [510])
        self.assertEqual(door.advance(now=509), [])
        self.assertEqual(door.advance(now=600), [Outcome.TAKEN])
        self.assertEqual(door.configuration, ["closed"])
        self.assertIsNone(door.deadline)

    def test_every_outcome_of_an_event(self):
        door = self.door()
        self.assertEqual(door.send("unheard"), Outcome.NO_TRANSITION)
        self.assertEqual(door.send("unlock"), Outcome.BLOCKED)
        self.assertEqual(door.blocked, "has-key")
        self.assertEqual(door.send("open", id="e1"), Outcome.TAKEN)
        self.assertEqual(door.send("open", id="e1"), Outcome.DUPLICATE)
        self.assertEqual(door.send("break"), Outcome.ENDED)
        self.assertEqual(door.send("open"), Outcome.ENDED)
        self.assertTrue(door.done)
        self.assertEqual(door.status, wfsm.InstanceStatus.DONE)

    def test_questions_change_nothing(self):
        door = self.door()
        self.assertEqual(door.enabled_events, ["open", "paint"])
        self.assertTrue(door.can("open"))
        self.assertFalse(door.can("close"))
        self.assertFalse(door.can("unlock"))
        self.assertEqual(door.dry_run("open")["configuration"], ["open"])
        self.assertIsNone(door.dry_run("close"))
        self.assertTrue(door.in_state("closed") and not door.in_state("nowhere"))
        self.assertTrue(door.has_tag("terminal") and not door.has_tag("error"))
        self.assertIsNone(door.output)
        self.assertEqual(door.revision, 1)
        door.send("open")
        self.assertTrue(door.can("break"))
        door.send("break")
        self.assertFalse(door.can("break"))

    def test_what_it_gives_out_is_a_copy(self):
        door = self.door()
        door.context["keys"].append("iron")
        self.assertEqual(door.context["keys"], ["brass"])

    def test_input_patch_checkpoint_restore(self):
        store = self.memory()
        door = wfsm.Instance.start(wfsm.Machine.load(DOOR), store, "front", {"opened": 7},
                                   functions=self.door_functions(), now=0)
        self.assertEqual(door.checkpoint("before"), Outcome.TAKEN)
        door.send("open")
        self.assertEqual(door.patch({"keys": {"é": [1.5, None]}}), Outcome.TAKEN)
        self.assertEqual(door.context, {"opened": 8, "keys": {"é": [1.5, None]}})
        self.assertEqual(door.restore("before", interface=wfsm.Interface.INTERFACE_PAGE, sender="ada"), Outcome.TAKEN)
        self.assertEqual(door.record["origin"], {"interface": "page", "sender": "ada"})
        here = door.fork("by ada", sender="ada")
        self.assertEqual(here.record["origin"], {"interface": "engine", "sender": "ada"})
        self.assertEqual(door.context["opened"], 7)
        self.assertEqual([one.id for one in store.checkpoints("front")], ["before"])
        with self.assertRaises(wfsm.NotFound):
            door.restore("never")

    def test_artifacts_latest_delete(self):  # 004-116, 004-271, 004-361
        store = self.memory()
        door = self.door(store)
        with self.assertRaises(wfsm.NotFound):
            store.latest_checkpoint("front")
        with self.assertRaises(wfsm.NotFound):
            door.restore()
        self.assertEqual(door.checkpoint("first", ["file1.ts", "é/è"]), Outcome.TAKEN)
        door.send("open")
        door.checkpoint("second")
        self.assertEqual([(one.id, one.artifacts) for one in store.checkpoints("front")],
                         [("first", ("file1.ts", "é/è")), ("second", ())])
        self.assertEqual(store.latest_checkpoint("front").id, "second")
        self.assertEqual(door.delete_checkpoint("second"), Outcome.TAKEN)
        with self.assertRaises(wfsm.NotFound):
            door.delete_checkpoint("second")
        self.assertEqual(door.restore(), Outcome.TAKEN)
        self.assertEqual(door.configuration, ["closed"])
        with self.assertRaises(wfsm.WfsmError):
            door.checkpoint("third", [7])
        self.assertEqual(store.audit(), [])

    def test_limits(self):
        store = self.memory()
        machine = wfsm.Machine.load(DOOR)
        functions = self.door_functions()
        door = wfsm.Instance.start(machine, store, "one", functions=functions, now=0,
                                   limits={"selections": 20})
        self.assertEqual(door.limits, {
            "selections": 20, "rule_steps": 1000000, "rule_bytes": 1 << 26,
            "step_work": 10_000_000, "step_bytes": 24 << 20,
            "descendants": 1000, "descendants_in_all": 100_000})
        loaded = wfsm.Instance.load(store, "one", machine=machine, functions=functions,
                                    limits={"step_work": 20000})
        self.assertEqual(loaded.limits["step_work"], 10_000_000)
        loaded.send("open", now=1)
        self.assertEqual(loaded.record["limits"]["stepWork"], 20000)
        self.assertEqual((loaded.limits["selections"], loaded.limits["step_work"]), (20, 20000))
        engine = wfsm.Engine(store, limits={"selections": 30})
        engine.add_machine(wfsm.Machine.load(REVIEW))
        with self.assertRaises(wfsm.WfsmError):
            wfsm.Engine(store, limits={"step_work": 1})
        for wrong in ({"fuel": 1}, {"selections": 0}, {"selections": 1 << 32}):
            with self.assertRaises(ValueError):
                wfsm.Instance.start(machine, store, "two", functions=functions, limits=wrong)

    def test_forks(self):
        for store in self.memory(), wfsm.sqlite(self.folder() / "forks.db"):
            with store:
                door = self.door(store)
                door.checkpoint("shut", ["file1.ts"], now=10)
                door.send("open", now=20)
                copy = door.fork("side", "shut", now=30)
                self.assertEqual((copy.id, copy.configuration, copy.revision),
                                 ("side", ["closed"], 1))
                self.assertEqual(door.fork("back", latest=True).configuration, ["closed"])
                here = door.fork("cellar", now=40)
                self.assertEqual((here.configuration, here.next_effect()), (["open"], None))
                self.assertEqual(door.next_effect().event, "rang")
                self.assertEqual(copy.send("open", now=50), Outcome.TAKEN)
                self.assertEqual(door.revision, 3)
                origin = store.records("side", 1, 1)[0].data["input"]
                self.assertEqual((origin["kind"], origin["source"], origin["revision"],
                                  origin["checkpoint"]), ("fork", "front", 2, "shut"))
                with self.assertRaises(wfsm.AlreadyExists):
                    door.fork("side")
                with self.assertRaises(wfsm.NotFound):
                    door.fork("attic", "never")
                with self.assertRaises(ValueError):
                    door.fork("attic", "shut", latest=True)
                with self.assertRaises(ValueError):
                    door.fork("attic", "")
                store.remove("front")
                self.assertEqual(store.audit(), [])
                self.assertEqual([one.instance for one in store.list()],
                                 ["back", "cellar", "side"])

    def test_revisions(self):
        for store in self.memory(), wfsm.sqlite(self.folder() / "revisions.db"):
            with store:
                door = self.door(store)
                door.send("open", now=20)
                self.assertEqual(door.fork("side", revision=1, now=30).configuration, ["closed"])
                self.assertEqual(door.restore(revision=1, now=40), Outcome.TAKEN)
                self.assertEqual((door.configuration, door.revision), (["closed"], 3))
                door.restore(revision=2)
                self.assertEqual(door.configuration, ["open"])
                made = store.records("front", 4, 4)[0].data["input"]
                self.assertEqual((made["kind"], made["revision"]), ("restore", 2))
                past = wfsm.Instance.load_at(store, "front", 2)
                self.assertEqual((past.configuration, past.revision, past.now), (["open"], 2, 20))
                self.assertEqual((past.head.revision, past.head.updated, past.head.token),
                                 (2, 20, store.records("front", 3, 3)[0].data["prev"]))
                with self.assertRaisesRegex(wfsm.Denied, "only answers questions"):
                    past.send("open")
                self.assertEqual(store.diff("front", 1, 2)["configuration"],
                                 {"left": ["closed"], "entered": ["open"]})
                self.assertEqual(set(store.diff("front", 2, 2)), {"instance", "from", "to"})
                with self.assertRaises(wfsm.NotFound):
                    wfsm.Instance.load_at(store, "front", 9)
                with self.assertRaises(wfsm.WfsmError):
                    store.diff("front", 2, 1)
                with self.assertRaisesRegex(wfsm.NotFound, "it has 1 to 4"):
                    door.restore(revision=5)
                for wrong in -1, "2", 1.5:
                    with self.assertRaises((ValueError, TypeError)):
                        door.fork("attic", revision=wrong)
                with self.assertRaises(wfsm.WfsmError):
                    door.fork("attic", revision=0)
                with self.assertRaises(ValueError):
                    door.fork("attic", revision=0, sender="ada")
                with self.assertRaises(ValueError):
                    door.restore("shut", revision=1)
                self.assertEqual(store.audit(), [])

    def test_it_goes_on_under_another_document(self):
        store = self.memory()
        door = self.door(store)
        door.send("open", now=10)
        gate = wfsm.Machine.load({
            "wfsm": 1, "id": "door", "version": "2", "initial": "shut",
            "migrate": [{"states": {"closed": "shut", "open": "wide"}}],
            "states": {"shut": {"on": {"unlock": {"target": "wide", "guard": "has-card"}}},
                       "wide": {"on": {"close": "shut"}}}})
        with self.assertRaises(wfsm.NotFound):  # nobody has a card here
            door.migrate(gate, now=20)
        functions = wfsm.Functions()
        functions.guard("has-card")(lambda call: True)
        door.check_migration(gate, functions=functions, now=20)
        self.assertEqual((door.configuration, door.revision), (["open"], 2))
        self.assertEqual(door.migrate(gate, functions=functions, now=20), Outcome.TAKEN)
        del functions, gate
        gc.collect()
        self.assertEqual((door.configuration, door.revision), (["wide"], 3))
        door.send("close", now=30)
        self.assertEqual(door.send("unlock", now=40), Outcome.TAKEN)
        with self.assertRaisesRegex(wfsm.Denied, "migrate"):
            door.check_migration(wfsm.Machine.load(DOOR), functions=self.door_functions(),
                                 now=50)
        self.assertEqual(door.configuration, ["wide"])
        self.assertEqual(store.audit(), [])

    def test_invocations_are_answered_by_id(self):
        review = wfsm.Instance.start(wfsm.Machine.load(REVIEW), self.memory(), "r",
                                     {"change": "fix"}, now=0)
        (asked,) = review.invocations
        self.assertEqual((bare(asked["id"]), asked["src"], asked["input"]),
                         ("r/1/1", "reviewer", {"change": "fix"}))
        self.assertEqual(review.claim(asked["id"], "me", now=1), Outcome.TAKEN)
        self.assertEqual(review.fail(asked["id"], "network", "unplugged", now=2), Outcome.RETRY)
        self.assertEqual(review.result("r/9/9", {}), Outcome.STALE)
        self.assertEqual(review.result(asked["id"], {"decision": "approve"}), Outcome.ENDED)
        self.assertEqual(review.context["verdict"], "approve")

    def test_a_failing_invocation_without_retry(self):
        review = wfsm.Instance.start(wfsm.Machine.load(REVIEW), self.memory(), "r", now=0)
        review.fail(named(review, "r/1/1"), "auth", "who are you")
        self.assertEqual(review.context["failure"]["class"], "auth")


class Effects(Case):
    def test_they_come_in_order_and_once_when_acknowledged(self):
        door = self.door()
        for _ in range(3):
            door.send("open")
            door.send("close")
        effects = list(door.effects())
        self.assertEqual([(one.number, one.event, one.data) for one in effects],
                         [(1, "rang", 1), (2, "rang", 2), (3, "rang", 3)])
        self.assertIsNone(door.next_effect())

    def test_one_whose_handling_failed_comes_again(self):
        door = self.door()
        door.send("open")
        with self.assertRaises(RuntimeError):
            for effect in door.effects():
                raise RuntimeError("the bell is broken")
        again = door.next_effect()
        self.assertEqual(bare(again.id), "front/2/1")
        door.ack(again)
        self.assertIsNone(door.next_effect())


class WrongArguments(Case):
    def test_wrong_types(self):
        door = self.door()
        for call in (lambda: door.send(7), lambda: door.send("open", {1, 2}),
                     lambda: door.send(None), lambda: door.send("open", id=3),
                     lambda: door.patch(["opened"]), lambda: door.send("open", now="soon"),
                     lambda: door.send("open", now=-1), lambda: door.advance(now=2**63),
                     lambda: door.in_state(None)):
            with self.assertRaises((TypeError, ValueError)):
                call()
        self.assertEqual(door.revision, 1)

    def test_a_nul_is_not_cut_off_in_silence(self):
        with self.assertRaises(ValueError):
            self.door().send("open\0ed")

    def test_names_are_bounded(self):
        for name in ("", "x" * 256):
            with self.assertRaises(wfsm.InvalidArgument):
                self.door().send(name)

    def test_numbers_that_json_cannot_say(self):
        door = self.door()
        with self.assertRaises(ValueError):
            door.send("open", float("inf"))
        with self.assertRaises(wfsm.WfsmError):
            door.send("open", 2**60)
        with self.assertRaises(wfsm.BadDocument):
            door.send("open", "a NUL: \0")
        with self.assertRaises(UnicodeEncodeError):
            door.send("open", "\ud800")

    def test_text_of_any_kind_comes_back(self):
        door = self.door()
        for value in ("", "é\u0001\U0001f600\n\"", [], {}, [[1, -0.5, 1e300]], True, 2**53 - 1):
            door.patch({"keys": value})
            self.assertEqual(door.context["keys"], value)

    def test_a_start_that_cannot_be(self):
        store, machine = self.memory(), wfsm.Machine.load(DOOR)
        with self.assertRaisesRegex(wfsm.NotFound, "has-key|paint"):
            wfsm.Instance.start(machine, store, "front")
        self.assertEqual(store.list(), [])
        self.door(store)
        with self.assertRaises(wfsm.AlreadyExists):
            self.door(store)
        with self.assertRaises(wfsm.NotFound):
            wfsm.Instance.load(store, "back", functions=self.door_functions())
        with self.assertRaises(wfsm.Denied):
            wfsm.Instance.load(store, "front", machine=wfsm.Machine.load(REVIEW))


class Observing(Case):
    def test_each_commit_is_told_with_its_log(self):
        door, seen = self.door(), []
        door.observe(lambda call: seen.append((call.instance, call.record["revision"], call.log)))
        door.send("open")
        door.send("unheard")
        self.assertEqual(seen, [("front", 2, [{"label": "door", "value": "open"}])])
        door.observe(None)
        door.send("close")
        self.assertEqual(len(seen), 1)

    def test_an_observer_that_raises_changes_nothing(self):
        door = self.door()
        door.observe(lambda call: 1 / 0)
        self.assertEqual(door.send("open"), Outcome.TAKEN)
        self.assertEqual(door.revision, 2)
        self.assertLogged("ZeroDivisionError")


if __name__ == "__main__":
    unittest.main()
