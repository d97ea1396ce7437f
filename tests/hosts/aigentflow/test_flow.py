#!/usr/bin/python3
"""aigentflow's document at work: what it does by itself when agents answer (seed 004).

usage: test_flow.py WFSM SRCDIR

Everything runs through `wfsm simulate`; the answers of agents are the test's.
"""

import itertools
import sys
import unittest

from simulated import AGENTS, GOOD, Sim, analysis, documents, hinted

WFSM = sys.argv[1]
DOCUMENT = documents(sys.argv[2])
FAILED = hinted(hasFailures=True)

# The routing table, with the readings of 004-161: 004-156, 004-157, 004-158, 004-159, 004-160.
TABLE = {
    "Add login page": ["project_manager", "architect", "ui_designer", "frontend_developer",
                       "backend_developer", "tester", "reviewer"],
    "Fix null pointer bug": ["project_analyzer", "bug_fixer", "tester"],
    "Add API endpoint": ["project_manager", "backend_developer", "tester", "reviewer"],
    "Refactor utils": ["project_analyzer", "backend_developer", "tester", "reviewer"],
    "Update button color": ["ui_designer", "frontend_developer", "tester"],
}


def rules_queue(given):
    """buildAgentQueue of the seed, with 004-185: at least one developer."""
    if given["taskType"] == "bugfix":
        return ["bug_fixer", "tester", "reviewer"]
    queue = []
    if given["complexity"] in ("moderate", "complex"):
        queue.append("project_manager")
    if given["requiresArchitecture"]:
        queue.append("architect")
    if given["requiresUI"]:
        queue += ["ui_designer", "frontend_developer"]
    if given["requiresBackend"] or not given["requiresUI"]:
        queue.append("backend_developer")
    return queue + ["tester", "reviewer"]


class Flow(unittest.TestCase):
    def start(self, prompt="Add login page", **context):
        sim = Sim(WFSM, DOCUMENT["aigentflow"], context=context)
        self.addCleanup(sim.close)
        sim.event("START", {"prompt": prompt})
        self.assertEqual((sim.state, sim.src), ("ANALYZING", "task_analyzer"))
        return sim

    def route(self, sim, choice="first", reason="the rules say so"):
        """Answers the router: the queue's first, or nobody; or the choice."""
        self.assertEqual((sim.state, sim.src), ("ORCHESTRATING", "router"))
        if choice == "first":
            choice = (sim.context["agentQueue"] or [None])[0]
        return sim.done({"next": choice, "reason": reason})

    def routed(self, *queue, **context):
        """At the first agent of the queue."""
        sim = self.start(**context).done(analysis(suggestedAgents=list(queue)))
        return self.route(sim)

    def finish(self, sim):
        """All goes well from here; which agents have worked."""
        worked = []
        for _ in range(100):
            if sim.state == "ORCHESTRATING":
                self.route(sim)
            elif sim.state == "AGENT_WORKING":
                worked.append(sim.context["currentAgent"])
                sim.done(GOOD)
            else:
                break
        return worked


class Routing(Flow):
    def test_the_five_rows_of_the_routing_table(self):
        # 004-07, 004-08, 004-09, 004-10, 004-101, 004-308, 004-156, 004-157, 004-158, 004-159,
        # 004-160, 004-161, 004-162
        for task, agents in TABLE.items():
            with self.subTest(task=task):
                sim = self.start(task).done(analysis(suggestedAgents=agents))
                self.assertEqual(sim.context["prompt"], task)
                self.assertEqual(self.finish(sim), agents)
                self.assertEqual(sim.state, "COMPLETED")
                self.assertEqual(sim.context["completedAgents"], agents)

    def test_without_suggestions_the_rules_make_the_queue(self):
        # 004-95, 004-96, 004-97, 004-98, 004-99, 004-100, 004-162, 004-178, 004-179,
        # 004-180, 004-181, 004-182, 004-183,
        # 004-184, 004-185, 004-186
        kinds = ("feature", "bugfix", "refactor", "docs", "config", "test")
        sizes = ("trivial", "simple", "moderate", "complex")
        flags = (False, True)
        for kind, size, ui, backend, plan in itertools.product(kinds, sizes, flags, flags,
                                                               flags):
            given = analysis(taskType=kind, complexity=size, requiresUI=ui,
                             requiresBackend=backend, requiresArchitecture=plan)
            with self.subTest(**given):
                sim = self.start().done(given)
                self.assertEqual(sim.context["agentQueue"], rules_queue(given))
                self.assertEqual(sim.context["taskAnalysis"], given)
                sim.close()
                self.doCleanups()

    def test_the_rules_give_two_rows_of_the_table_exactly(self):
        # 004-156, 004-158, 004-162
        self.assertEqual(rules_queue(analysis(complexity="complex", requiresUI=True,
                                              requiresBackend=True,
                                              requiresArchitecture=True)),
                         TABLE["Add login page"])
        self.assertEqual(rules_queue(analysis(complexity="moderate", requiresBackend=True)),
                         TABLE["Add API endpoint"])

    def test_an_analysis_that_is_none_fails_and_is_asked_again_once(self):
        # 004-169
        for answer in ("here you are: {}", None, analysis(taskType="poem"),
                       analysis(suggestedAgents=["developer"]), analysis(complexity=3),
                       {**analysis(), "extra": 1}, {}, []):
            with self.subTest(answer=str(answer)[:40]):
                sim = self.start().done(answer)
                self.assertEqual((sim.result, sim.state), ("retry", "ANALYZING"))
                sim.say(advance=1000)
                sim.done(answer)
                self.assertEqual((sim.state, sim.context["error"]["class"]),
                                 ("ERROR", "schema"))

    def test_after_each_agent_it_is_asked_who_is_next(self):
        # 004-11, 004-12
        sim = self.routed("architect", "tester")
        sim.done(hinted(suggestNext=["ui_designer"]))
        self.assertEqual((sim.state, sim.src), ("ORCHESTRATING", "router"))
        self.assertEqual(sim.context["lastOutput"]["routingHints"]["suggestNext"],
                         ["ui_designer"])

    def test_a_choice_beyond_the_queue_is_queued_and_taken(self):
        # 004-172, 004-177
        sim = self.routed("architect").done(GOOD)
        self.route(sim, "ui_designer", "the architect says so")
        self.assertEqual((sim.src, sim.context["agentQueue"]), ("ui_designer", []))
        self.assertEqual(sim.context["route"],
                         {"next": "ui_designer", "candidates": [], "by": "router",
                          "reason": "the architect says so"})

    def test_nobody_left_completes(self):
        # 004-145, 004-174, 004-310
        sim = self.routed("architect").done(GOOD)
        self.assertEqual(self.route(sim, None).state, "COMPLETED")

    def test_nothing_is_completed_while_somebody_works(self):
        # 004-153
        for sim in (self.routed("architect"), self.routed("ui_designer", competition=True)):
            sim.event("WORKFLOW_COMPLETE")
            self.assertEqual((sim.result, sim.state), ("no_transition", "AGENT_WORKING"))
        sim = self.routed("architect").done(GOOD)
        self.assertEqual([one["src"] for one in sim.work], ["router"])
        self.assertEqual(self.route(sim, None).work, [])

    def test_a_router_that_chooses_what_is_not_allowed(self):
        # 004-177; bad input: an agent that is not allowed
        for queue, allowed, choice in ((["architect"], ["architect"], "tester"),
                                       (["architect"], AGENTS, None),
                                       ([], ["architect"], "tester")):
            with self.subTest(queue=queue, choice=choice):
                sim = self.start(allowedAgents=allowed)
                sim.done(analysis(suggestedAgents=["architect"]))
                if not queue:
                    self.route(sim).done(GOOD)
                for refusals in (1, 2):
                    self.route(sim, choice)
                    self.assertEqual((sim.state, sim.context["refusals"]),
                                     ("ORCHESTRATING", refusals))
                    self.assertIn("not allowed", sim.context["refusal"])
                self.route(sim, choice)
                self.assertEqual((sim.state, sim.context["error"]["agent"]),
                                 ("ERROR", "router"))
                self.assertIn("not allowed", sim.context["error"]["message"])

    def test_a_router_that_is_told_and_chooses_well(self):
        sim = self.start(allowedAgents=["architect"])
        sim.done(analysis(suggestedAgents=["architect"]))
        self.route(sim, "tester")
        self.route(sim, "architect")
        self.assertEqual((sim.state, sim.src, sim.context["refusal"], sim.context["refusals"]),
                         ("AGENT_WORKING", "architect", None, 0))

    def skip(self, sim, choice):
        self.assertEqual((sim.state, sim.src), ("ORCHESTRATING", "router"))
        return sim.done({"next": choice, "reason": "no need", "skip": True})

    def test_an_agent_is_inserted_or_works_once_more(self):
        # 004-07, 004-09, 004-11
        sim = self.routed("architect", "tester").done(GOOD)
        for choice in ("ui_designer", "architect"):
            self.route(sim, choice)
            self.assertEqual((sim.src, sim.context["agentQueue"]), (choice, ["tester"]))
            sim.done(GOOD)
        self.assertEqual(self.finish(sim), ["tester"])
        self.assertEqual(sim.state, "COMPLETED")

    def test_agents_are_skipped(self):
        # 004-07, 004-10
        sim = self.routed("architect", "analyst", "ui_designer", "architect", "tester").done(GOOD)
        self.skip(sim, "architect")
        self.assertEqual((sim.src, sim.context["agentQueue"]), ("architect", ["tester"]))
        sim = self.routed("architect", "analyst", "ui_designer").done(GOOD)
        self.assertEqual(self.skip(sim, None).state, "COMPLETED")
        sim = self.routed("architect", "analyst", approvals=0).done(GOOD)
        sim.patch(taskAnalysis={**sim.context["taskAnalysis"], "requiresApproval": True})
        self.assertEqual(self.skip(sim, None).state, "AWAITING_APPROVAL")

    def refused(self, sim, choice):
        before = sim.context["agentQueue"]
        self.skip(sim, choice)
        self.assertEqual((sim.state, sim.context["refusals"], sim.context["agentQueue"]),
                         ("ORCHESTRATING", 1, before))
        self.assertIn("are not skipped", sim.context["refusal"])

    def test_what_is_not_skipped(self):
        for kept in ("tester", "reviewer", "compliance_agent"):
            for choice in ("analyst", None):
                self.refused(self.routed("architect", kept, "analyst").done(GOOD), choice)
        self.refused(self.routed("architect", "tester").done(GOOD), "analyst")  # not queued
        sim = self.routed("architect", "analyst").done(hinted(needsApproval=True))
        self.refused(sim.event("REJECT", {"reason": "no"}), "analyst")
        sim = self.start(epicContext={"epicId": "e", "parallelFeatures": 1, "features": [
            {"featureId": "a", "name": "A"}]})
        sim.done(analysis(suggestedAgents=["backend_developer", "analyst"]))
        self.refused(sim, "analyst")

    def test_a_router_that_answers_nothing(self):
        for answer in (None, {}, "architect", {"next": "architect"}, {"next": "developer",
                       "reason": "x"}, {"next": "architect", "reason": ""}):
            with self.subTest(answer=answer):
                sim = self.start().done(analysis(suggestedAgents=["architect"]))
                sim.done(answer)
                self.assertEqual((sim.result, sim.state), ("retry", "ORCHESTRATING"))
                sim.say(advance=1000)
                sim.done(answer)
                self.assertEqual((sim.state, sim.context["error"]["class"]),
                                 ("ERROR", "schema"))

    def test_a_router_that_never_answers_is_out_of_time(self):
        sim = self.start().done(analysis(suggestedAgents=["architect"]))
        for _ in range(3):
            self.assertEqual(sim.src, "router")
            sim.failed("timeout")
            sim.say(advance=600000)
        self.assertEqual((sim.state, sim.context["error"]["class"]), ("ERROR", "timeout"))

    def test_a_router_that_loops_comes_to_an_end(self):
        sim = self.routed("architect", maxAgentRuns=5)
        runs = 1
        while sim.state != "ERROR" and runs < 100:
            sim.done(GOOD)
            self.route(sim, "analyst")
            runs += 1
        self.assertEqual(runs, 31)  # a patch comes too late: limits are read at the start
        self.assertIn("has not come to an end", sim.context["error"]["message"])

    def test_nobody_puts_more_agents_to_work_than_that(self):
        sim = self.routed("architect")
        for _ in range(29):
            sim.done(GOOD)
            self.route(sim, "analyst")
        sim.done(GOOD).event("SPAWN_AGENT")
        self.assertEqual((sim.state, sim.work), ("ERROR", []))
        self.assertEqual(sim.context["error"],
                         {"class": "other", "agent": "architect", "state": "AGENT_WORKING",
                          "message": "agents were put to work 30 times and the work has not come to an end"})
        sim.event("START_RECOVERY")
        self.assertEqual(sim.state, "RECOVERING")


class Answers(Flow):
    def test_no_success_is_tried_once_more_and_then_an_error(self):
        # 004-103, 004-311, 004-384
        sim = self.routed("architect").done({"success": False, "output": "cannot"})
        self.assertEqual((sim.state, sim.src, sim.context["completedAgents"]),
                         ("AGENT_WORKING", "architect", []))
        sim.done({"success": False, "output": "really cannot"})
        self.assertEqual((sim.state, sim.context["completedAgents"]), ("ERROR", []))
        self.assertEqual(sim.context["error"]["output"], "really cannot")

    def test_a_failure_is_retried_by_class_and_then_an_error(self):
        # 004-68, 004-311, 004-384
        for failure, tries in (("network", 3), ("timeout", 3), ("exit", 2), ("auth", 1)):
            with self.subTest(failure=failure):
                sim = self.routed("architect")
                for _ in range(tries):
                    self.assertEqual((sim.state, sim.src), ("AGENT_WORKING", "architect"))
                    sim.failed(failure, "it broke").say(advance=60000)
                self.assertEqual(sim.state, "ERROR")
                self.assertEqual(sim.context["error"],
                                 {"class": failure, "message": "it broke",
                                  "agent": "architect", "state": "AGENT_WORKING"})

    def test_a_schema_holds_every_answer(self):
        # 004-13, 004-107, 004-108, 004-109, 004-110, 004-111
        for answer in ("done", {}, {"success": "yes"}, hinted(suggestNext=["developer"]),
                       hinted(suggestNext="tester"), hinted(needsApproval="yes"),
                       hinted(ready=True), {"success": True, "agent": "planner"}):
            with self.subTest(answer=answer):
                sim = self.routed("architect").done(answer)
                self.assertEqual((sim.result, sim.state), ("retry", "AGENT_WORKING"))

    def test_complete_ends_the_work(self):
        # 004-19, 004-111, 004-134, 004-312
        sim = self.routed("architect", "analyst").done(hinted(isComplete=True))
        self.assertEqual(sim.state, "COMPLETED")

    def test_a_queued_review_is_never_skipped(self):
        sim = self.routed("architect", "analyst", "reviewer").done(hinted(isComplete=True))
        self.assertEqual(sim.state, "ORCHESTRATING")
        self.assertEqual(self.finish(sim), ["analyst", "reviewer"])

    def test_the_preference_of_what_comes_after_an_agent(self):
        # 004-16, 004-152, 004-312
        for hints, state in (({}, "ORCHESTRATING"), ({"needsApproval": True}, "AWAITING_APPROVAL"),
                             ({"isComplete": True}, "COMPLETED"),
                             ({"isComplete": True, "needsApproval": True}, "AWAITING_APPROVAL")):
            self.assertEqual(self.routed("architect").done(hinted(**hints)).state, state)
        sim = self.routed("tester", "analyst").done(hinted(needsApproval=True, isComplete=True))
        self.assertEqual(sim.state, "ORCHESTRATING")  # through TESTING and TESTS_PASS
        sim = self.route(sim)
        self.assertEqual(sim.state, "AWAITING_APPROVAL")


class Approval(Flow):
    def test_needs_approval_and_user_input(self):
        # 004-18, 004-29, 004-108, 004-109, 004-133, 004-385
        for hints, why in (({"needsApproval": True}, "the agent's work is to be approved"),
                           ({"needsUserInput": True}, "the agent asks")):
            sim = self.routed("architect", "analyst").done(
                {**hinted(**hints), "output": "which colour?"})
            self.assertEqual(sim.state, "AWAITING_APPROVAL")
            question = sim.context["question"]
            self.assertEqual((question["number"], question["agent"], question["why"],
                              question["output"]), (1, "architect", why, "which colour?"))
            sim.event("APPROVE", {"answer": "blue"})
            self.assertEqual((sim.state, sim.context["metadata"]["answer"]),
                             ("ORCHESTRATING", "blue"))
            self.assertEqual(self.finish(sim), ["analyst"])
            self.assertEqual(sim.state, "COMPLETED")

    def test_a_task_that_requires_approval_is_not_completed_without(self):
        # 004-100, 004-385
        for queue, answer in ((["architect"], GOOD), (["architect"], hinted(isComplete=True)),
                              (["tester"], GOOD), (["tester", "reviewer"], GOOD)):
            with self.subTest(queue=queue):
                sim = self.start().done(analysis(suggestedAgents=queue,
                                                 requiresApproval=True))
                while sim.state != "AWAITING_APPROVAL":
                    self.route(sim)
                    if sim.state == "AGENT_WORKING":
                        sim.done(answer)
                self.assertEqual(sim.context["agentQueue"], [])
                sim.event("APPROVE")
                self.route(sim)
                self.assertEqual(sim.state, "COMPLETED")

    def test_a_rejection_goes_to_the_router_with_its_reason(self):
        # 004-313, 004-328, 004-386
        sim = self.routed("architect").done(hinted(needsApproval=True))
        sim.event("REJECT", {"reason": "too large"})
        self.assertEqual((sim.state, sim.src), ("ORCHESTRATING", "router"))
        self.assertEqual(sim.context["metadata"]["rejectionReason"], "too large")
        self.assertEqual(sim.context["agentQueue"], ["architect", "tester", "reviewer"])
        self.route(sim)  # 004-175: through the queue a completed agent may be chosen again
        self.assertEqual((sim.state, sim.src), ("AGENT_WORKING", "architect"))
        self.assertEqual(sim.context["rework"]["reason"], "too large")
        self.assertEqual(self.finish(sim), ["architect", "tester", "reviewer"])
        self.assertEqual(sim.state, "COMPLETED")


class NoIsNo(Flow):
    """What was not accepted is worked on, tested and reviewed again before COMPLETED."""

    def worked(self, sim):
        """Like finish, after the state that was reached has been looked at."""
        return self.finish(sim), sim.state

    def test_a_rejection_leads_to_rework_test_and_review(self):
        # 004-386
        for queue, again in ((["architect"], ["architect", "tester", "reviewer"]),
                             (["architect", "reviewer"], ["architect", "tester", "reviewer"]),
                             (["architect", "tester", "analyst"],
                              ["architect", "analyst", "tester", "reviewer"]),
                             (["reviewer"], ["bug_fixer", "tester", "reviewer"])):
            with self.subTest(queue=queue):
                sim = self.routed(*queue).done(hinted(needsApproval=True)).event("REJECT")
                self.assertEqual(self.worked(sim), (again, "COMPLETED"))

    def test_a_rejection_that_was_worked_on_is_forgotten(self):
        sim = self.routed("architect").done(hinted(needsApproval=True))
        sim.event("REJECT", {"reason": "too large"})
        for agent in ("architect", "tester", "reviewer"):
            self.assertEqual(sim.context["metadata"]["rejectionReason"], "too large")
            self.assertEqual(self.route(sim).src, agent)
            sim.done(GOOD)
        self.assertEqual((sim.src, sim.context["metadata"]["rejectionReason"]), ("router", None))

    def test_a_person_who_accepts_forgets_the_rejection(self):
        sim = self.routed("architect", maxRetries=0).done(hinted(needsApproval=True))
        sim.event("REJECT", {"reason": "too large"})
        for answer in (GOOD, GOOD, FAILED):
            self.route(sim).done(answer)
        self.assertEqual(sim.context["metadata"]["rejectionReason"], "too large")
        sim.event("APPROVE")
        self.assertEqual((sim.src, sim.context["metadata"]["rejectionReason"]), ("router", None))

    def test_a_rejection_before_completion_is_fixed(self):
        # 004-100, 004-386
        sim = self.start().done(analysis(suggestedAgents=["tester", "reviewer"],
                                         requiresApproval=True))
        self.assertEqual(self.worked(sim), (["tester", "reviewer"], "AWAITING_APPROVAL"))
        sim.event("REJECT", {"reason": "no"})
        self.assertEqual(self.worked(sim),
                         (["bug_fixer", "tester", "reviewer"], "AWAITING_APPROVAL"))
        sim.event("APPROVE")
        self.assertEqual(self.worked(sim), ([], "COMPLETED"))

    def test_nobody_completes_what_was_rejected(self):
        # 004-134, 004-145
        sim = self.routed("architect").done(hinted(needsApproval=True)).event("REJECT")
        self.route(sim).done(hinted(isComplete=True))
        self.assertEqual(sim.state, "ORCHESTRATING")
        self.assertEqual(sim.event("WORKFLOW_COMPLETE").result, "blocked")
        sim.patch(agentQueue=[])
        self.assertEqual(sim.event("WORKFLOW_COMPLETE").result, "blocked")
        self.assertEqual(self.worked(sim), (["tester", "reviewer"], "COMPLETED"))

    def test_a_rejected_competition_is_held_again(self):
        # 004-225
        sim = self.routed("ui_designer", "frontend_developer", competition=True,
                          competitiveDesignCount=2)
        for _ in range(2):
            sim.done({"success": True, "output": "dull"})
        self.route(sim.event("REJECT", {"reason": "all dull"}))
        self.assertEqual(sim.path, "AGENT_WORKING.competing")
        self.assertEqual(sim.context["rework"]["reason"], "all dull")
        for _ in range(2):
            sim.done({"success": True, "output": "bright"})
        sim.event("APPROVE", {"design": 1})
        self.assertEqual(self.worked(sim),
                         (["frontend_developer", "tester", "reviewer"], "COMPLETED"))

    def test_a_rejected_design_does_not_reach_the_front_end(self):
        sim = self.routed("ui_designer", "frontend_developer").done(hinted(needsApproval=True))
        sim.event("REJECT", {"reason": "too blue"})
        self.assertEqual(self.worked(sim), (["ui_designer", "frontend_developer", "tester",
                                             "reviewer"], "COMPLETED"))

    def test_a_failed_review_is_fixed_tested_and_reviewed(self):
        # 004-110
        for reviewer in ("reviewer", "compliance_agent"):
            for hints in ({"hasFailures": True}, {"hasFailures": True, "isComplete": True}):
                sim = self.routed(reviewer).done({**hinted(**hints), "output": "no tests"})
                self.route(sim)
                self.assertEqual((sim.src, sim.context["rework"]["reason"]),
                                 ("bug_fixer", "no tests"))
                sim.done(GOOD)
                self.assertEqual(self.finish(sim)[:2], ["tester", reviewer])
                self.assertEqual(sim.state, "COMPLETED")

    def test_reviews_that_fail_for_ever_go_to_a_person(self):
        for decision, again in (("APPROVE", []), ("REJECT", ["bug_fixer", "tester", "reviewer"])):
            sim = self.routed("reviewer")
            for _ in range(3):
                sim.done(FAILED)
                for _ in range(2):
                    self.route(sim).done(GOOD)
                self.route(sim)
            sim.done(FAILED)
            self.assertEqual((sim.state, sim.context["question"]["why"]),
                             ("AWAITING_APPROVAL", "the reviewer still objects"))
            sim.event(decision)
            self.assertEqual(self.worked(sim), (again, "COMPLETED"))

    def test_a_person_accepts_a_review_that_failed_and_not_tests_that_are_owed(self):
        sim = self.routed("architect", "compliance_agent", maxRetries=0)
        sim.done(hinted(needsApproval=True)).event("REJECT")
        self.route(sim).done(GOOD)
        self.route(sim).done(FAILED)
        self.assertEqual((sim.state, sim.context["question"]["why"]),
                         ("AWAITING_APPROVAL", "the reviewer still objects"))
        sim.event("APPROVE")
        sim.patch(agentQueue=[])
        self.assertEqual(sim.event("WORKFLOW_COMPLETE").result, "blocked")
        self.assertEqual(self.worked(sim), (["tester"], "COMPLETED"))

    def test_a_review_that_passes_begins_the_count_again(self):
        sim = self.routed("reviewer", "analyst").done(FAILED)
        self.assertEqual(sim.context["reworks"], 1)
        for _ in range(3):
            self.route(sim).done(GOOD)
        self.assertEqual((sim.context["reworks"], sim.context["rework"]), (0, None))

    def test_what_the_tests_found_is_reviewed_after_the_fix(self):
        for queue, again in ((["tester"], ["reviewer"]), (["reviewer", "tester"], ["reviewer"]),
                             (["tester", "reviewer"], ["reviewer"])):
            sim = self.routed(*queue)
            if queue[0] == "reviewer":
                self.route(sim.done(GOOD))
            sim.done(FAILED).done(GOOD).done(GOOD)
            self.assertEqual(self.worked(sim), (again, "COMPLETED"))


class Tests(Flow):
    """The loop of tests and fixes: 004-21, 004-32, 004-33, 004-34, 004-35, 004-36."""

    def at_tests(self, **context):
        sim = self.routed("tester", "reviewer", **context)
        self.assertEqual(sim.src, "tester")
        return sim

    def fix(self, sim, answer):
        self.assertEqual((sim.state, sim.src), ("FIXING", "bug_fixer"))
        sim.done(GOOD)
        self.assertEqual((sim.path, sim.src), ("TESTING.running", "tester"))
        return sim.done(answer)

    def test_passed(self):
        # 004-110, 004-138, 004-139, 004-141, 004-314, 004-315
        sim = self.at_tests().done(GOOD)
        self.assertEqual((sim.state, sim.context["retryCount"]), ("ORCHESTRATING", 0))

    def test_failed_fixed_passed(self):
        # 004-110, 004-140, 004-142, 004-144, 004-155, 004-314, 004-316, 004-317
        sim = self.at_tests().done(FAILED)
        self.fix(sim, GOOD)
        self.assertEqual((sim.state, sim.context["retryCount"]), ("ORCHESTRATING", 0))
        self.assertEqual(sim.context["agentOutputs"]["bug_fixer"], GOOD)
        self.assertEqual(self.finish(sim), ["reviewer"])

    def test_exactly_max_retries_then_escalated(self):
        # 004-21, 004-143, 004-155, 004-316, 004-373
        for most in (0, 1, 3):
            sim = self.at_tests(maxRetries=most).done(FAILED)
            for count in range(most):
                self.assertEqual(sim.context["retryCount"], count)
                self.fix(sim, FAILED)
            self.assertEqual((sim.state, sim.context["retryCount"], sim.work),
                             ("ESCALATED", most, []))

    def test_a_person_goes_on(self):
        # 004-281
        sim = self.at_tests(maxRetries=1).done(FAILED)
        self.fix(sim, FAILED)
        sim.event("RESUME", {"advice": "the clock is wrong"})
        self.assertEqual((sim.path, sim.src), ("TESTING.running", "tester"))
        sim.done(FAILED)
        self.fix(sim, GOOD)
        self.assertEqual(sim.state, "ORCHESTRATING")

    def test_the_retries_of_one_test_phase_are_not_those_of_the_next(self):
        # 004-155, 004-274
        sim = self.routed("tester", "tester")
        for _ in range(2):
            self.fix(sim.done(FAILED), FAILED)
            self.fix(sim, GOOD)
            self.assertEqual(sim.context["retryCount"], 0)
            self.route(sim)

    def test_who_fails_to_fix_or_to_test_is_an_error(self):
        # 004-384
        sim = self.at_tests().done(FAILED).failed("auth")
        self.assertEqual((sim.state, sim.context["error"]["agent"]), ("ERROR", "bug_fixer"))
        sim = self.at_tests().done(FAILED).done(GOOD).failed("auth")
        self.assertEqual((sim.state, sim.context["error"]["state"]), ("ERROR", "TESTING"))
        sim = self.at_tests().done(FAILED)
        for _ in range(2):
            self.assertEqual(sim.state, "FIXING")
            sim.done({"success": False})
        self.assertEqual(sim.state, "ERROR")


class Competition(Flow):
    """004-200, 004-220, 004-221, 004-222, 004-224, 004-225."""

    def compete(self, count):
        return self.routed("ui_designer", "analyst", competition=True,
                           competitiveDesignCount=count)

    def test_as_many_designers_as_are_asked_for(self):
        # 004-189, 004-200, 004-220, 004-221
        for count in (1, 3, 15):
            sim = self.compete(count)
            self.assertEqual([one["src"] for one in sim.work], ["ui_designer"] * count)

    def test_never_more_than_the_pool_has(self):
        # 004-66, 004-220
        sim = self.routed("ui_designer", competition=True, maxConcurrentAgents=4)
        self.assertEqual(len(sim.work), 4)

    def test_a_person_chooses_and_the_others_are_dropped(self):
        # 004-224, 004-225
        sim = self.compete(3)
        for design in ("round", "square"):
            sim.done({"success": True, "output": design})
        sim.failed("auth")
        self.assertEqual((sim.state, sim.context["designs"]),
                         ("AWAITING_APPROVAL", ["round", "square"]))
        for data in (None, {}, {"design": 0}, {"design": 3}, {"design": "2"}, {"design": 1.5}):
            self.assertEqual(sim.event("APPROVE", data).result, "blocked", data)
        sim.event("APPROVE", {"design": 2})
        self.assertEqual((sim.state, sim.context["designs"], sim.context["design"]),
                         ("ORCHESTRATING", [], {"number": 2, "design": "square"}))
        self.assertEqual(sim.context["agentOutputs"]["ui_designer"]["output"],
                         {"number": 2, "design": "square"})

    def test_none_is_good_enough(self):
        sim = self.compete(2)
        for _ in range(2):
            sim.done({"success": True, "output": "dull"})
        sim.event("REJECT", {"reason": "all dull"})
        self.assertEqual((sim.state, sim.context["designs"], sim.context["design"]),
                         ("ORCHESTRATING", [], None))

    def test_no_design_at_all_is_an_error(self):
        sim = self.compete(2).failed("auth").failed("auth")
        self.assertEqual((sim.state, sim.context["error"]["agent"]), ("ERROR", "ui_designer"))


class Epic(Flow):
    """004-67, 004-86, 004-87, 004-88, 004-89, 004-90, 004-238: features are workflows of their own."""

    def epic(self, count, queue=("frontend_developer", "backend_developer", "tester"), **more):
        return self.routed(*queue, **more, epicContext={
            "epicId": "shop", "parallelFeatures": 2,
            "features": [{"featureId": f"f{i}", "name": f"Feature {i}"} for i in range(count)]})

    def feature(self, name):
        return {"featureId": name, "name": name, "status": "completed", "branch": name,
                "worktreePath": "", "fixes": 0}

    def test_features_merge_and_continue(self):
        # 004-86, 004-87, 004-88, 004-201, 004-238
        sim = self.epic(3)
        self.assertEqual([one["src"] for one in sim.work], ["machine:feature"] * 3)
        sim.done(self.feature("f0")).done(self.feature("f1")).failed("canceled", "dropped")
        self.assertEqual((sim.path, sim.src), ("AGENT_WORKING.merging", "git_agent"))
        sim.done({"success": True, "output": {"merged": ["f0", "f1"]}})
        self.assertEqual((sim.state, sim.context["epicDone"], sim.context["agentQueue"]),
                         ("ORCHESTRATING", True, ["tester"]))
        output = sim.context["agentOutputs"]["frontend_developer"]
        self.assertEqual(output["output"]["merged"], ["f0", "f1"])
        self.assertTrue(output["routingHints"]["hasFailures"])
        self.assertEqual(self.finish(sim), ["tester"])
        self.assertEqual(sim.state, "COMPLETED")

    def conflict(self, sim, *merged):
        return sim.done({"success": True, "output": {"merged": list(merged), "conflicts": ["a.c"]}})

    def test_conflicts_are_resolved_and_merged_again(self):
        # 004-52
        sim = self.epic(3)
        for name in ("f0", "f1", "f2"):
            sim.done(self.feature(name))
        merged = []
        for name in ("f0", "f1", "f2"):  # a branch that is merged begins the count again
            for _ in range(3):
                self.conflict(sim, *merged)
                self.assertEqual(sim.src, "merge_resolver")
                sim.done(GOOD)
                self.assertEqual(sim.src, "git_agent")
            merged.append(name)
        sim.done({"success": True, "output": {"merged": merged, "conflicts": []}})
        self.assertEqual((sim.state, sim.context["epicDone"]), ("ORCHESTRATING", True))

    def test_a_branch_that_is_merged_twice_is_no_progress(self):
        # Two branches, then one, then two again: what counts is more than ever before.
        sim = self.epic(3)
        for name in ("f0", "f1", "f2"):
            sim.done(self.feature(name))
        for merged in (["f0", "f1"], ["f0"], ["f0", "f1"]):
            self.conflict(sim, *merged)
            self.assertEqual(sim.src, "merge_resolver")
            sim.done(GOOD)
        self.conflict(sim, "f0")
        self.assertEqual((sim.state, sim.context["question"]["why"]),
                         ("AWAITING_APPROVAL", "the features cannot be merged"))

    def test_conflicts_that_nobody_resolves_are_for_a_person_who_continues(self):
        for answer in ({"success": True, "output": {"merged": [], "conflicts": ["a.c"]}},
                       {"success": False, "output": "the project has changes"},
                       {"success": True, "output": "nothing"}):
            sim = self.epic(1, queue=["backend_developer", "tester"], maxRetries=1)
            sim.done(self.feature("f0"))
            sim.done(answer)
            if sim.src == "merge_resolver":
                sim.done(GOOD).done(answer)
            question = sim.context["question"]
            self.assertEqual((sim.state, question["why"], question["output"]),
                             ("AWAITING_APPROVAL", "the features cannot be merged",
                              answer["output"]))
            self.route(sim.event("APPROVE", {"answer": "it is resolved"}))
            self.assertEqual((sim.path, sim.src), ("AGENT_WORKING.merging", "git_agent"))
            self.conflict(sim)  # with new retries
            self.assertEqual(sim.src, "merge_resolver")
            sim.done(GOOD).done({"success": True, "output": {"merged": ["f0"]}})
            self.assertEqual(self.finish(sim), ["tester"])
            self.assertEqual(sim.state, "COMPLETED")

    def test_an_epic_is_developed_even_if_nobody_suggests_it(self):
        sim = self.epic(1, queue=["analyst"])
        self.assertEqual((sim.path, sim.src), ("AGENT_WORKING.features", "machine:feature"))

    def test_an_abort_withdraws_the_features(self):
        sim = self.epic(3).event("ABORT")
        self.assertEqual((sim.state, sim.work), ("ABORTED", []))

    def test_five_hundred_features(self):
        sim = self.epic(500)
        self.assertEqual(len(sim.work), 500)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
