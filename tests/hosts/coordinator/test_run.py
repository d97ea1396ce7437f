#!/usr/bin/python3
"""The coordinator's document at work, row by row of its table (seed 001).

usage: test_run.py WFSM SRCDIR
"""

import sys
import unittest

from simulated import APPROVE, CHANGES, CODED, COMMANDS, FAILED, KILLED, PASSED, Run
from test_table import EVENTS


class Refused(Run):
    """001-39, 001-40: what no row allows changes nothing, no matter who posts it."""

    def test_every_event_in_every_state_at_rest(self):
        everywhere = {
            "build.coding": self.in_build, "review": self.in_review, "asking": self.in_asking,
            "running": self.in_running, "plan, proposal": self.drafting,
            "review, proposal": self.reviewing, "test, proposal": self.discussing,
            "awaiting": self.awaiting, "approved": self.approved,
            "exhausted": self.exhausted, "canceled": self.canceled, "failed": self.broken,
        }
        for name, go in everywhere.items():
            sim = go()
            for event in EVENTS + ["unheard_of"]:
                if event == "aborted_by_operator" and not (
                        sim.state.startswith("finalize") and name != "awaiting"):
                    continue  # row 17
                with self.subTest(state=name, event=event):
                    self.unchanged(sim, event, None)
                    self.unchanged(sim, event, {"decision": "approve", "valid": True,
                                                "results": [1], "completed": True})

    def test_what_a_round_left_behind_opens_nothing_in_the_next(self):
        sim = self.in_running().done(FAILED)
        context = sim.context
        self.assertEqual((context["coder"], context["review"], context["tests"]),
                         (None, None, None))
        for event in EVENTS:
            if event != "aborted_by_operator":
                self.unchanged(sim, event, None)

    def unchanged(self, sim, event, data=None):
        before = (sim.revision, sim.state, sim.context, sim.work)
        sim.event(event, data)
        self.assertIn(sim.result, ("no_transition", "blocked"))
        self.assertEqual((sim.revision, sim.state, sim.context, sim.work), before)

    def test_a_followup_that_is_none(self):
        # Row 2's guard.
        sim = self.approved()
        for data in (None, {}, {"message": ""}, {"message": 7}, {"message": ["a"]},
                     {"message": "x", "mode": "new"},
                     {"message": "x", "executionMode": "poetry"},
                     {"message": "x", "confirmed": True},  # nothing waits for it
                     {"message": "x", "confirmed": "yes"}):
            with self.subTest(data=data):
                self.unchanged(sim, "task_followup_received", data)

    def test_an_answer_of_an_invocation_that_is_over_is_stale(self):
        sim = self.in_build()
        old = sim.work[0]["id"]
        sim.done(CODED)
        before = sim.revision
        sim.say(done=old, output=CODED)
        self.assertEqual((sim.result, sim.revision, sim.state),
                         ("stale", before, "review.implementation"))


class Loop(Run):
    """The implementation loop: rows 1, 7 to 9, 11 to 16, 18."""

    def test_a_new_task_goes_to_the_first_round_by_itself(self):
        # 001-11, 001-21 (row 1), 001-27 (row 7), 001-28 (row 8), 001-71
        sim = self.start()
        self.assertEqual((sim.result, sim.revision), ("started", 3))
        self.assertEqual([e["event"] for e in sim.effects], ["task_received"])
        self.assertEqual((sim.state, sim.context["round"]), ("build.preparing", 1))

    def test_row_9_the_coders_end_starts_the_reviewer(self):
        # 001-20, 001-29
        sim = self.in_build().done(CODED)
        self.assertEqual((sim.state, sim.src), ("review.implementation", "reviewer"))
        self.assertEqual(sim.context["coder"]["summary"], "did it")

    def test_row_10_an_invalid_verdict_ends_the_run(self):
        # 001-16, 001-30, 001-46, 001-62
        bad = [None, {}, "approve", {"decision": "maybe"}, {"decision": "approve", "x": 1},
               {"decision": "changes_requested", "must_fix": []},
               {"decision": "changes_requested"},
               {"decision": "changes_requested", "must_fix": [{"message": ""}]}]
        for output in bad:
            with self.subTest(output=output):
                sim = self.in_review().done(output)
                self.outcome(sim, "finalize.failed", "review_schema_invalid")
                self.assertEqual(sim.context["failure"]["agent"], "reviewer")
                self.assertEqual(sim.context["rounds"][-1]["outcome"],
                                 "review_schema_invalid")

    def test_row_11_and_16_changes_are_what_the_next_round_must_fix(self):
        # 001-18, 001-31, 001-36
        sim = self.in_review().done(CHANGES)
        self.assertEqual((sim.state, sim.context["round"]), ("build.coding", 2))
        self.assertEqual(sim.context["mustFix"],
                         [{"source": "review", "file": "a.c", "line": 3,
                           "message": "overflow"}])
        self.assertEqual(sim.context["rounds"],
                         [{"round": 1, "outcome": "review_changes_requested",
                           "summary": "did it", "mustFix": 1}])

    def test_row_12_an_approval_starts_the_tester(self):
        # 001-32
        sim = self.in_review().done(APPROVE)
        self.assertEqual((sim.state, sim.src), ("test.implementation.asking", "tester"))

    def test_row_13_an_invalid_answer_of_the_tester_iterates(self):
        # 001-33, 001-58, 001-62, 001-69
        for output in (None, {}, {"commands": []}, {"commands": [{"argv": []}]},
                       {"commands": [{"argv": ["make", 7]}]}):
            with self.subTest(output=output):
                sim = self.in_asking().done(output)
                self.assertEqual((sim.state, sim.context["round"]), ("build.coding", 2))
                self.assertEqual(sim.context["mustFix"][0]["source"], "schema")
                self.assertIn("no valid answer", sim.context["mustFix"][0]["message"])
                self.assertEqual(sim.context["rounds"][0]["outcome"],
                                 "tester_schema_invalid")

    def test_row_14_failed_commands_are_named_in_the_must_fix_list(self):
        # 001-17, 001-34, 001-48
        sim = self.in_running().done(FAILED)
        self.assertEqual((sim.state, sim.context["round"]), ("build.coding", 2))
        self.assertEqual(sim.context["mustFix"],
                         [{"source": "test", "command": ["make", "check"],
                           "message": "make check: exit status 2\n1 failed"}])
        self.assertEqual(sim.context["rounds"][0]["outcome"], "test_failed")

    def test_row_14_a_command_without_an_exit_code_has_failed(self):
        # 001-70
        sim = self.in_running().done(KILLED)
        self.assertEqual((sim.state, sim.context["mustFix"][0]["message"]),
                         ("build.coding", "make check: ran out of time"))

    def test_row_14_commands_that_could_not_be_run_have_failed(self):
        # 001-70
        for failure in ("other", "exit", "timeout", "network"):
            with self.subTest(failure=failure):
                sim = self.in_running().failed(failure)
                self.assertEqual(sim.state, "build.coding")
                self.assertEqual(sim.context["mustFix"][0]["source"], "test")
                self.assertIn("make check", sim.context["mustFix"][0]["message"])
        for nothing in ({"results": []}, {}, None):
            with self.subTest(nothing=nothing):
                self.assertEqual(self.in_running().done(nothing).state, "build.coding")

    def test_row_15_tests_that_pass_end_it_approved(self):
        # 001-35, 001-42, 001-45
        sim = self.in_review().done(CHANGES)
        for answer in (CODED, APPROVE, COMMANDS, PASSED):
            sim.done(answer)
        self.outcome(sim, "finalize.approved", "approved")
        self.assertEqual((sim.context["mustFix"], sim.context["cause"]), ([], None))
        self.assertEqual([r["outcome"] for r in sim.context["rounds"]],
                         ["review_changes_requested", "approved"])

    def test_row_18_the_rounds_are_used_up(self):
        # 001-38, 001-49, 001-58, 001-61, 001-63, 001-64
        sim = self.in_running(rounds=2).done(FAILED)
        for answer in (CODED, CHANGES):
            self.assertEqual(sim.context["outcome"], None)
            sim.done(answer)
        self.outcome(sim, "finalize.exhausted", "max_iterations_reached")
        context = sim.context
        self.assertEqual((context["round"], context["cause"]),
                         (2, "review_changes_requested"))
        self.assertEqual([r["outcome"] for r in context["rounds"]],
                         ["test_failed", "review_changes_requested"])
        self.assertEqual(context["coder"]["summary"], "did it")
        self.assertEqual(context["review"]["decision"], "changes_requested")
        self.assertEqual(context["mustFix"][0]["message"], "overflow")

    def landing(self, answer):
        sim = self.in_running()
        sim.workspace["landing"] = answer
        return sim.done(PASSED)

    def test_verdicts_are_about_the_recorded_change(self):
        sim = self.landing({"status": "left", "message": "it is dirty", "command": "git merge x"})
        context = sim.context
        self.assertEqual((context["review"]["commit"], context["tests"]["commit"]), ("c1", "c1"))
        self.assertEqual((context["outcome"], context["landed"]["command"]),
                         ("approved", "git merge x"))

    def test_what_was_merged_is_reviewed_and_tested_again(self):
        sim = self.landing({"status": "moved", "message": "merged with it",
                            "change": {"commit": "c2"}})
        self.assertEqual((sim.state, sim.context["round"], sim.context["change"]["commit"]),
                         ("build.coding", 2, "c1"))  # c2, and then what is recorded
        self.assertEqual(sim.context["rounds"][-1]["outcome"], "base_moved")
        self.assertEqual(sim.context["mustFix"],
                         [{"source": "merge", "message": "merged with it"}])
        sim.workspace["landing"] = {"status": "landed"}
        for answer in (CODED, APPROVE, COMMANDS, PASSED):
            self.assertEqual(sim.context["outcome"], None)
            sim.done(answer)
        self.outcome(sim, "finalize.approved", "approved")

    def test_a_project_that_always_moves_uses_up_the_rounds(self):
        sim = self.in_running(rounds=1)
        sim.workspace["landing"] = {"status": "moved", "message": "again",
                                    "change": {"commit": "c2"}}
        self.outcome(sim.done(PASSED), "finalize.exhausted", "max_iterations_reached")
        self.assertEqual(sim.context["cause"], "base_moved")

    def test_only_what_did_not_land_is_continued(self):
        for answer, kept in (({"status": "landed"}, None),
                             ({"status": "left", "message": "", "command": ""}, "c1")):
            sim = self.landing(answer)
            sim.workspace = None
            sim.tell(event="task_followup_received", data={"message": "more"})
            change = sim.context["change"]
            self.assertEqual((sim.state, change and change["commit"], sim.context["landed"]),
                             ("build.preparing", kept, None))

    def test_a_workspace_that_fails_ends_the_run(self):
        sim = self.start()
        sim.workspace = None
        sim.tell(patch={"maxRounds": 1})
        sim.tell(failed=sim.work[0]["id"], **{"class": "other"})
        self.outcome(sim, "finalize.failed", "agent_failed")
        self.assertEqual(sim.context["failure"]["agent"], "prepare")

    def test_nobody_else_says_that_it_landed(self):
        sim = self.in_running()
        sim.tell(done=sim.work[0]["id"], output=PASSED)
        self.assertEqual(sim.state, "test.implementation.landing")
        for event in EVENTS + ["base_moved"]:
            if event != "aborted_by_operator":
                sim.tell(event=event)
                self.assertIn(sim.result, ("no_transition", "blocked"))

    def test_the_number_of_rounds_is_at_least_one(self):
        # 001-19, 001-63
        sim = self.start()
        for rounds in (0, -1, 1.5, "3", None):
            with self.subTest(rounds=rounds):
                sim.say(patch={"maxRounds": rounds})
                self.assertNotEqual(sim.result, "taken")
                self.assertEqual(sim.context["maxRounds"], 5)

    def test_a_coder_that_says_nothing_of_files_has_changed_none(self):
        sim = self.in_build()
        sim.workspace["recording"] = {"change": None}
        sim.done({"summary": "nothing to do"})
        self.assertEqual((sim.state, sim.context["coder"]["changed_files"]),
                         ("review.implementation", []))


class Proposal(Run):
    """The roundtable: rows 3 to 6, and from it to the loop: rows 2 and 7."""

    def test_rows_3_to_6_each_speaks_once_and_the_operator_is_asked(self):
        # 001-10, 001-23, 001-24, 001-25, 001-26, 001-43, 001-51, 001-59
        sim = self.awaiting()
        self.outcome(sim, "finalize.awaiting", "await_operator_confirm")
        self.assertEqual([said["agent"] for said in sim.context["discussion"]],
                         ["coder", "reviewer", "tester"])
        self.assertEqual(sim.context["rounds"],
                         [{"round": 1, "outcome": "canceled", "summary": None,
                           "mustFix": 0},
                          {"round": 0, "outcome": "discussion_complete",
                           "summary": {"proposal": "so and so"}, "mustFix": 0}])
        self.assertEqual(sim.context["round"], 0)

    def test_row_6_the_summary_is_the_text_of_the_proposal(self):
        # 001-26
        sim = self.drafting()
        for said in ({"text": "in two steps"}, {"text": "no"}, {"text": "yes"}):
            sim.done(said)
        self.assertEqual(sim.context["rounds"][-1]["summary"], "in two steps")

    def test_a_discussion_needs_no_strict_answers(self):
        # 001-14
        sim = self.reviewing()
        for said in ("just words", ["a", "list"]):
            sim.done(said)
        self.assertEqual(sim.state, "finalize.awaiting")

    def test_confirmation_is_row_2_then_row_7(self):
        # 001-12, 001-22, 001-27, 001-57
        sim = self.awaiting().event("task_followup_received",
                                    {"message": "do it", "confirmed": True})
        self.assertEqual((sim.result, sim.state, sim.context["round"]), ("taken", "build.coding", 1))
        self.assertEqual(sim.context["messages"][-1]["text"], "do it")
        self.assertEqual(len(sim.context["discussion"]), 3)
        self.assertEqual(sim.context["executionMode"], "proposal")
        for answer in (CODED, APPROVE, COMMANDS, PASSED):
            sim.done(answer)
        self.outcome(sim, "finalize.approved", "approved")

    def test_a_followup_that_does_not_confirm_is_discussed_again(self):
        # 001-65
        sim = self.awaiting().event("task_followup_received", {"message": "not like this"})
        self.assertEqual((sim.state, sim.context["discussion"]), ("plan.proposal", []))
        self.assertEqual([[said["agent"] for said in table] for table in sim.context["earlier"]],
                         [["coder", "reviewer", "tester"]])
        for said in ({"text": "another way"}, {"text": "hm"}, {"text": "well"}):
            sim.done(said)
        sim.event("task_followup_received", {"message": "neither"})
        self.assertEqual([table[0]["says"] for table in sim.context["earlier"]],
                         [{"proposal": "so and so"}, {"text": "another way"}])

    def test_of_many_roundtables_the_last_twenty_are_kept(self):
        sim = self.drafting()
        for number in range(22):
            for said in range(3):
                sim.done({"text": f"{number}.{said}"})
            sim.event("task_followup_received", {"message": "again"})
        self.assertEqual([table[0]["says"]["text"] for table in sim.context["earlier"]],
                         [f"{number}.0" for number in range(2, 22)])

    def test_a_decision_is_recorded_with_who_made_it(self):
        sim = self.awaiting().event("task_followup_received",
                                    {"message": "do it", "confirmed": True, "by": "ada"})
        said = sim.context["messages"][-1]
        self.assertEqual((said["by"], said["confirms"]), ("ada", True))

    def test_abort_while_the_operator_is_asked(self):
        # 001-60
        sim = self.awaiting().event("aborted_by_operator")
        self.outcome(sim, "finalize.canceled", "canceled")


class Followup(Run):
    def test_what_must_be_fixed_is_kept_until_the_tests_pass(self):
        # 001-18, 001-64, 001-65
        sim = self.exhausted()
        item = [{"source": "review", "file": "a.c", "line": 3, "message": "overflow"}]
        for message in ("continue", "once more"):
            sim.event("task_followup_received", {"message": message})
            self.assertEqual((sim.state, sim.context["mustFix"]), ("build.coding", item))
            sim.event("aborted_by_operator")
        sim.event("task_followup_received", {"message": "the last time"})
        for answer in (CODED, APPROVE, COMMANDS, PASSED):
            sim.done(answer)
        self.assertEqual((sim.state, sim.context["mustFix"]), ("finalize.approved", []))

    def test_row_2_starts_afresh_and_keeps_the_history(self):
        # 001-22, 001-65
        for go in (self.exhausted, self.broken, self.spent):
            sim = go()
            for mode, state in (("proposal", "plan.proposal"), ("implementation", "build.coding")):
                with self.subTest(state=go.__name__, mode=mode):
                    before, open_items = sim.context["rounds"], sim.context["mustFix"]
                    sim.event("task_followup_received",
                              {"message": mode, "executionMode": mode})
                    self.assertEqual(sim.state, state)
                    self.afresh(sim.context, 1 if state == "build.coding" else 0)
                    self.assertEqual(sim.context["mustFix"], open_items)
                    self.assertEqual(sim.context["rounds"], before)
                    self.assertEqual(sim.context["messages"][-1]["text"], mode)
                    sim.event("aborted_by_operator")
            self.assertEqual(len(sim.context["messages"]), 2)

    def spent(self):
        sim = self.in_running(rounds=1).done(FAILED)
        self.assertEqual(sim.state, "finalize.exhausted")
        return sim

    def afresh(self, context, rounds):
        self.assertEqual(context["round"], rounds)
        for key in ("outcome", "cause", "failure", "coder", "review", "tests"):
            self.assertEqual(context[key], None, key)

    def test_the_mode_comes_with_it_or_stays(self):
        # 001-65
        sim = self.drafting().event("aborted_by_operator")
        sim.event("task_followup_received", {"message": "a"})
        self.assertEqual((sim.state, sim.context["executionMode"]),
                         ("plan.proposal", "proposal"))
        sim.event("aborted_by_operator")
        sim.event("task_followup_received", {"message": "b",
                                             "executionMode": "implementation"})
        self.assertEqual((sim.state, sim.context["executionMode"]),
                         ("build.coding", "implementation"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
