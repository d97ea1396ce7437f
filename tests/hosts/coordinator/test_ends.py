#!/usr/bin/python3
"""The coordinator's document: abort, failures, what it refuses at rest, and going back (seed 001).

usage: test_ends.py WFSM SRCDIR
"""

import json
import sys
import tempfile
import unittest
from pathlib import Path

from simulated import CHANGES, CODED, MACHINE, Run, Sim
from test_table import EVENTS


class Abort(Run):
    def test_row_17_from_every_state_with_an_agent_at_work(self):
        # 001-37, 001-50, 001-60
        for go in (self.in_build, self.in_review, self.in_asking, self.in_running,
                   self.drafting, self.reviewing, self.discussing):
            with self.subTest(state=go.__name__):
                sim = go()
                before, round_number = len(sim.context["rounds"]), sim.context["round"]
                sim.event("aborted_by_operator", {"why": ["whatever"]})
                self.assertEqual(sim.result, "taken")
                self.outcome(sim, "finalize.canceled", "canceled")
                last = sim.context["rounds"][-1]
                self.assertEqual((len(sim.context["rounds"]), last["round"], last["outcome"]),
                                 (before + 1, round_number, "canceled"))

    def test_what_is_decided_is_never_overwritten(self):
        # 001-60
        for go in (self.approved, self.exhausted, self.canceled, self.broken):
            with self.subTest(state=go.__name__):
                sim = go()
                before = sim.context["outcome"]
                sim.event("aborted_by_operator")
                self.assertEqual((sim.result, sim.context["outcome"]), ("blocked", before))


class Failures(Run):
    """The additions: 001-52 to 001-56, 001-66 to 001-68."""

    PROVIDER = {"network": "provider_network_error", "timeout": "provider_timeout",
                "auth": "provider_auth_error"}

    def test_a_provider_that_fails_ends_the_run_after_all_retries(self):
        # 001-52, 001-53, 001-54, 001-66
        for go, agent in ((self.in_build, "coder"), (self.in_review, "reviewer"),
                          (self.in_asking, "tester"), (self.drafting, "proposal.coder"),
                          (self.reviewing, "proposal.reviewer"),
                          (self.discussing, "proposal.tester")):
            for failure, outcome in self.PROVIDER.items():
                with self.subTest(state=go.__name__, failure=failure):
                    sim = go()
                    state = sim.state
                    for _ in range(2 if failure != "auth" else 0):
                        sim.failed(failure)
                        self.assertEqual((sim.result, sim.state), ("retry", state))
                        sim.say(advance=60000)
                    sim.failed(failure)
                    self.outcome(sim, "finalize.failed", outcome)
                    self.assertEqual(sim.context["failure"]["agent"], agent)
                    self.assertEqual(sim.context["failure"]["class"], failure)

    def test_a_coder_that_fails_otherwise_ends_the_run_after_a_retry(self):
        # 001-67
        for go in (self.in_build, self.drafting):
            for failure in ("exit", "other", "schema"):
                with self.subTest(state=go.__name__, failure=failure):
                    sim = go().failed(failure)
                    self.assertEqual(sim.result, "retry")
                    sim.say(advance=1000)
                    sim.failed(failure)
                    self.outcome(sim, "finalize.failed", "agent_failed")
                    self.assertEqual(sim.context["failure"]["class"], failure)

    def test_a_coder_that_gives_no_answer_ends_the_run(self):
        # 001-67
        sim = self.in_build()
        for _ in range(2):
            sim.done({"summary": ""})
            sim.say(advance=1000)
        self.outcome(sim, "finalize.failed", "agent_failed")

    def tried_three_times(self, sim, failure):
        for wait in (2000, 4000):
            state = sim.state
            sim.failed(failure)
            self.assertEqual((sim.result, sim.state), ("retry", state))
            sim.say(advance=wait)
        return sim.failed(failure)

    def test_an_invalid_answer_is_judged_at_once(self):
        # 001-68
        self.outcome(self.in_review().failed("schema"), "finalize.failed",
                     "review_schema_invalid")
        sim = self.in_asking().failed("schema")
        self.assertEqual((sim.state, sim.context["rounds"][0]["outcome"]),
                         ("build.coding", "tester_schema_invalid"))

    def test_a_reviewer_or_tester_that_could_not_work_has_not_answered(self):
        # 001-66, 001-68: no verdict and no failed test, but a failure of the agent
        for go, agent in ((self.in_review, "reviewer"), (self.in_asking, "tester"),
                          (self.reviewing, "proposal.reviewer"),
                          (self.discussing, "proposal.tester")):
            for failure in ("exit", "other"):
                with self.subTest(state=go.__name__, failure=failure):
                    sim = self.tried_three_times(go(), failure)
                    self.outcome(sim, "finalize.failed", "agent_failed")
                    self.assertEqual((sim.context["failure"]["agent"],
                                      sim.context["failure"]["class"]), (agent, failure))

    def test_an_agent_that_was_canceled_is_not_asked_again(self):
        for go in (self.in_review, self.in_asking, self.reviewing, self.discussing):
            with self.subTest(state=go.__name__):
                self.outcome(go().failed("canceled"), "finalize.failed", "agent_failed")


class AtRest(Run):
    """A copy of the document whose events of rows come a minute late, so that the states
    without an agent can be looked at."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wfsm-table-")
        self.addCleanup(scratch.cleanup)
        self.slow = Path(scratch.name) / "slow.json"
        text = json.dumps(MACHINE)
        self.assertEqual(text.count('"delay": 0'), text.count('"type": "raise"'))
        self.slow.write_text(text.replace('"delay": 0', '"delay": 60000'))

    def begin(self, **context):
        sim = Sim(self.slow)
        self.addCleanup(sim.close)
        self.assertEqual(sim.state, "intake")
        return sim.say(patch=context)

    def later(self, sim, *answers):
        for answer in answers:
            sim.done(answer).say(advance=60000)
        return sim

    def taken(self, sim, state, *events):
        """Of all events exactly these are taken here, with nothing said."""
        self.assertEqual(sim.state, state)
        for event in EVENTS:
            if event not in events:
                before = (sim.revision, sim.state)
                sim.event(event)
                self.assertIn(sim.result, ("no_transition", "blocked"), event)
                self.assertEqual((sim.revision, sim.state), before, event)
        sim.event(events[0])
        self.assertEqual(sim.result, "taken", events[0])
        return sim

    def test_intake(self):
        # 001-02, 001-10, 001-11, 001-27, 001-40: rows 3 and 7
        self.taken(self.begin(), "intake", "implementation_confirmed", "aborted_by_operator")
        self.taken(self.begin(executionMode="proposal"), "intake", "draft_proposal",
                   "aborted_by_operator")
        sim = self.begin(executionMode="proposal", confirmed=True, round=3, mustFix=[1])
        self.taken(sim, "intake", "implementation_confirmed", "aborted_by_operator")
        self.assertEqual((sim.state, sim.context["round"], sim.context["mustFix"]),
                         ("plan.implementation", 0, [1]))

    def test_plan(self):
        # 001-03, 001-28, 001-40
        sim = self.begin().say(advance=60000)
        self.assertEqual(sim.work, [])
        self.taken(sim, "plan.implementation", "start_coder", "aborted_by_operator")
        self.assertEqual(sim.state, "build.coding")

    def in_iterate(self, rounds):
        sim = self.begin(maxRounds=rounds).say(advance=60000).say(advance=60000)
        return self.later(sim, CODED, CHANGES)

    def test_iterate(self):
        # 001-07, 001-36, 001-38, 001-61, 001-63
        self.taken(self.in_iterate(2), "iterate", "start_coder", "aborted_by_operator")
        sim = self.in_iterate(1)
        self.assertEqual((sim.work, sim.context["outcome"]), ([], None))
        self.taken(sim, "iterate", "max_iterations_reached", "aborted_by_operator")
        self.assertEqual(sim.state, "finalize.exhausted")

    def test_an_abort_takes_the_waiting_row_with_it(self):
        # 001-37, 001-60
        for go in (self.begin, lambda: self.in_iterate(2), lambda: self.in_iterate(1)):
            sim = go().event("aborted_by_operator")
            self.assertEqual((sim.state, sim.answer["deadline"]), ("finalize.canceled", None))
            self.outcome(sim, "finalize.canceled", "canceled")

    def test_a_row_that_is_posted_before_it_comes_is_taken_once(self):
        sim = self.begin().say(advance=60000).say(advance=60000)
        sim.done(CODED).event("start_reviewer")
        self.assertEqual(sim.state, "review.implementation")
        before = sim.context
        sim.say(advance=60000)
        self.assertEqual((sim.state, sim.context), ("review.implementation", before))


class Restore(Run):
    def test_only_a_run_that_is_over_goes_back_to_a_checkpoint(self):
        sim = self.in_review()
        sim.say(checkpoint="reviewed")
        sim.say(restore="reviewed")
        self.assertEqual((sim.result, sim.state), ("failed", "review.implementation"))
        sim.done(CHANGES).event("aborted_by_operator")
        sim.say(restore="reviewed")
        self.assertEqual((sim.state, sim.src, sim.context["outcome"]),
                         ("review.implementation", "reviewer", None))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
