#!/usr/bin/python3
"""The documents of a feature and of the older flow at work: what they do by themselves when agents
answer (seed 004).

usage: test_feature.py WFSM SRCDIR

Everything runs through `wfsm simulate`; the answers of agents are the test's.
"""

import json
import sys
import tempfile
import unittest

from simulated import GOOD, Sim, analysis, documents, hinted

WFSM = sys.argv[1]
DOCUMENT = documents(sys.argv[2])
FAILED = hinted(hasFailures=True)


class Linear(unittest.TestCase):
    """The older flow drives itself, too."""

    def setUp(self):
        self.sim = Sim(WFSM, DOCUMENT["linear"])
        self.addCleanup(self.sim.close)
        self.said = []

    def note(self):
        self.said += [one["value"] for one in self.sim.answer["log"]]
        return self.sim

    def go(self, *steps):
        for state, src in steps:
            self.assertEqual((self.sim.state, self.sim.src), (state, src))
            self.sim.done(analysis() if src == "task_analyzer" else GOOD)
            self.note()

    TO_APPROVAL = (("ANALYZING", "task_analyzer"), ("PLANNING", "project_manager"),
                   ("ARCHITECTING", "architect"), ("DESIGNING", "ui_designer"))

    def test_from_the_prompt_to_the_end(self):
        # 004-309, 004-318, 004-319, 004-320, 004-321, 004-322, 004-323, 004-347
        self.sim.event("START", {"prompt": "Add login page"})
        self.note()
        self.go(*self.TO_APPROVAL)
        self.assertEqual(self.sim.state, "AWAITING_APPROVAL")
        self.assertEqual([(one["event"], one["data"]) for one in self.sim.effects],
                         [("checkpoint", {"artifacts": ["designs/mockups"]})])
        self.sim.event("APPROVE")
        self.note()
        self.go(("BUILDING", "backend_developer"), ("TESTING", "tester"),
                ("REVIEWING", "reviewer"))
        self.assertEqual(self.sim.state, "COMPLETED")
        self.assertEqual(self.said, [
            "Analyzing prompt...", "Creating plan...", "Creating architecture...",
            "Creating designs...", "Building...", "Running tests...", "Reviewing...",
            "Completing..."])

    def test_the_loop_of_fixes(self):
        # 004-314, 004-316, 004-317, 004-346
        self.sim.event("START")
        self.go(*self.TO_APPROVAL)
        self.sim.event("APPROVE")
        self.go(("BUILDING", "backend_developer"))
        for _ in range(3):
            self.assertEqual((self.sim.state, self.sim.src), ("TESTING", "tester"))
            self.sim.done(FAILED)
            self.go(("FIXING", "bug_fixer"))
        self.sim.done(FAILED)
        self.assertEqual((self.sim.state, self.sim.context["retryCount"]), ("ESCALATED", 3))

    def test_a_rejection_is_designed_again(self):
        # 004-341
        self.sim.event("START")
        self.go(*self.TO_APPROVAL)
        self.sim.event("REJECT", {"reason": "too blue"})
        self.assertEqual((self.sim.state, self.sim.src), ("DESIGNING", "ui_designer"))


class Feature(unittest.TestCase):
    """feature.json: 004-89, 004-90, 004-91, 004-92, 004-93, 004-94."""

    def start(self, **context):
        sim = Sim(WFSM, DOCUMENT["feature"], context=context)
        self.addCleanup(sim.close)
        return sim

    def status(self, sim):
        return sim.path.split(".")[1] if sim.path.startswith("working.") else sim.path

    def test_the_whole_way(self):
        # 004-91, 004-92, 004-190, 004-201
        sim = self.start(needsDesign=True)
        self.assertEqual((self.status(sim), sim.src), ("pending", "git_agent"))
        sim.done({"success": True, "output": {"worktreePath": "/w/f", "branch": "f"}})
        self.assertEqual((self.status(sim), sim.src), ("planning", "project_manager"))
        sim.done(GOOD)
        self.assertEqual((self.status(sim), sim.src), ("designing", "ui_designer"))
        sim.done(GOOD)
        self.assertEqual((self.status(sim), [one["src"] for one in sim.work]),
                         ("developing", ["frontend_developer", "backend_developer"]))
        sim.done(GOOD).done(GOOD)
        self.assertEqual((self.status(sim), sim.src), ("testing", "tester"))
        sim.done(GOOD)
        self.assertEqual((self.status(sim), sim.src), ("reviewing", "reviewer"))
        sim.done(GOOD)
        self.assertEqual((sim.path, sim.result), ("completed", "ended"))
        self.assertEqual((sim.context["worktreePath"], sim.context["branch"]), ("/w/f", "f"))

    def waiting(self):
        # A patch comes too late: the state has been entered.
        machine = json.loads(DOCUMENT["feature"].read_text())
        machine["context"]["dependsOn"] = ["a", "b"]
        file = tempfile.NamedTemporaryFile("w", suffix=".json")
        self.addCleanup(file.close)
        json.dump(machine, file)
        file.flush()
        sim = Sim(WFSM, file.name)
        self.addCleanup(sim.close)
        self.assertEqual((self.status(sim), sim.work), ("waiting", []))
        return sim

    def test_one_that_depends_on_others_waits(self):
        sim = self.waiting().event("DEPENDENCIES_COMPLETED")
        self.assertEqual((self.status(sim), sim.src), ("pending", "git_agent"))
        self.assertEqual(sim.event("DEPENDENCIES_COMPLETED").result, "no_transition")
        sim = self.waiting().event("RESUME", {"advice": "without them"})
        self.assertEqual((self.status(sim), sim.context["dependsOn"]), ("pending", []))
        self.assertEqual(self.waiting().event("ABORT").path, "aborted")

    def at_tests(self, **context):
        sim = self.start(**context).done(GOOD).done(GOOD)
        while self.status(sim) == "developing":
            sim.done(GOOD)
        return sim

    def test_only_who_is_needed_develops(self):
        # 004-10
        sim = self.start(needsFrontend=False).done(GOOD).done(GOOD)
        self.assertEqual([one["src"] for one in sim.work], ["backend_developer"])
        sim = self.start(needsFrontend=False, needsBackend=False).done(GOOD).done(GOOD)
        self.assertEqual(self.status(sim), "testing")

    def test_escalated_after_the_retries_and_on_again(self):
        sim = self.at_tests(maxRetries=2).done(FAILED)
        for count in (1, 2):
            self.assertEqual((self.status(sim), sim.src), ("fixing", "bug_fixer"))
            sim.done(GOOD)
            self.assertEqual(sim.context["retryCount"], count)
            sim.done(FAILED)
        self.assertEqual((sim.path, sim.work), ("escalated", []))
        sim.event("RESUME", {"advice": "x"})
        self.assertEqual((self.status(sim), sim.context["retryCount"]), ("testing", 0))
        sim.done(GOOD).done(GOOD)
        self.assertEqual(sim.path, "completed")

    def test_a_review_that_wants_more(self):
        sim = self.at_tests().done(GOOD).done(FAILED)
        self.assertEqual(self.status(sim), "fixing")
        sim.done(GOOD).done(GOOD).done(GOOD)
        self.assertEqual(sim.path, "completed")

    def rework(self, sim):
        """What the bug fixer is told, by whom, and why."""
        self.assertEqual((self.status(sim), sim.src), ("fixing", "bug_fixer"))
        return sim.context["rework"]

    def failed(self, sim, reason):
        return sim.done({**FAILED, "output": reason})

    def test_failed_tests_and_failed_reviews_are_counted_apart(self):
        sim = self.at_tests(maxRetries=2)
        for review in (1, 2):
            for test in (1, 2):  # tests that pass begin their count again
                self.failed(sim, f"test {test}")
                self.assertEqual(self.rework(sim), {"by": "tester", "reason": f"test {test}"})
                sim.done(GOOD)
            self.failed(sim.done(GOOD), f"review {review}")
            self.assertEqual(self.rework(sim), {"by": "reviewer", "reason": f"review {review}"})
            self.assertEqual((sim.context["retryCount"], sim.context["reworks"]), (0, review))
            sim.done(GOOD)
        sim.done(GOOD).done(GOOD)
        self.assertEqual((sim.path, sim.context["reworks"], sim.context["rework"],
                          sim.context["fixes"]), ("completed", 0, None, 6))

    def test_beyond_the_limit_a_person_is_told_why(self):
        sim = self.failed(self.at_tests(maxRetries=1), "red").done(GOOD)
        self.failed(sim, "still red")
        self.assertEqual((sim.path, sim.context["error"]), ("escalated", {
            "agent": "tester", "class": "other", "message": "the retries are used up",
            "output": "still red"}))
        sim.event("RESUME").done(GOOD)
        self.failed(sim, "ugly").done(GOOD).done(GOOD)
        self.failed(sim, "still ugly")
        self.assertEqual((sim.path, sim.context["error"]), ("escalated", {
            "agent": "reviewer", "class": "other", "message": "the reviewer still objects",
            "output": "still ugly"}))
        # A person may have changed the work: it is tested again, and then reviewed.
        sim.event("RESUME", {"advice": "fixed by hand"})
        self.assertEqual((self.status(sim), sim.context["reworks"]), ("testing", 0))
        self.assertEqual(sim.done(GOOD).src, "reviewer")
        self.assertEqual(sim.done(GOOD).path, "completed")

    def test_an_agent_that_fails_for_good_waits_for_a_person_where_it_was(self):
        sim = self.start().done(GOOD).done(GOOD).done(GOOD)  # frontend is done
        sim.failed("auth", "no key")
        self.assertEqual((sim.path, sim.context["error"]["message"]), ("escalated", "no key"))
        sim.event("RESUME")
        self.assertEqual([one["src"] for one in sim.work], ["backend_developer"])

    def at(self, agent, **context):
        """A feature with a backend only, whose agent is at work."""
        sim = self.start(needsDesign=True, needsFrontend=False, **context)
        while sim.src != agent:
            sim.done(FAILED if agent == "bug_fixer" and sim.src == "tester" else GOOD)
        return sim

    ORDER = ["git_agent", "project_manager", "ui_designer", "backend_developer", "tester", "reviewer"]

    def test_an_agent_asks_and_works_again_with_the_answer(self):
        # 004-109, 004-385, in a feature
        for agent in [*self.ORDER, "bug_fixer"]:
            with self.subTest(agent=agent):
                sim = self.at(agent).done({**hinted(needsUserInput=True), "output": "which?"})
                question = sim.context["question"]
                self.assertEqual((sim.path.split(".")[0], sim.work), ("asking", []))
                self.assertEqual([question[key] for key in ("number", "agent", "why", "input", "output")],
                                 [1, agent, "the agent asks", True, "which?"])
                sim.event("APPROVE", {"answer": "blue"})
                self.assertEqual((sim.src, sim.context["question"]), (agent, None))
                self.assertEqual((sim.context["answer"]["question"]["output"],
                                  sim.context["answer"]["answer"]), ("which?", "blue"))

    def test_work_that_is_to_be_approved(self):
        # 004-108, 004-133, in a feature
        for agent, after in zip([*self.ORDER, "bug_fixer"], [*self.ORDER[1:], None, "tester"]):
            with self.subTest(agent=agent):
                sim = self.at(agent).done({**hinted(needsApproval=True), "output": "look"})
                self.assertEqual((sim.context["question"]["why"], sim.context["question"]["input"]),
                                 ("the agent's work is to be approved", False))
                sim.event("APPROVE")
                self.assertEqual((sim.src, sim.path == "completed"), (after, after is None))

    def test_rejected_work_is_done_again_then_tested_and_reviewed(self):
        # 004-31, 004-386, in a feature
        for hints in ({"needsApproval": True}, {"needsUserInput": True}):
            for agent in [*self.ORDER, "bug_fixer"]:
                with self.subTest(agent=agent, hints=hints):
                    sim = self.at(agent).done(hinted(**hints))
                    sim.event("REJECT", {"reason": "too loud"})
                    self.assertEqual(sim.context["rework"], {"by": "a person", "reason": "too loud"})
                    self.assertEqual(sim.src, "bug_fixer" if agent in ("tester", "reviewer") else agent)
                    worked = []
                    while sim.work:
                        worked.append(sim.src)
                        sim.done(GOOD)
                    self.assertEqual((worked[-2:], sim.path), (["tester", "reviewer"], "completed"))

    def test_a_failure_comes_before_a_question(self):
        for agent in ("tester", "reviewer"):
            for hints in ({"needsApproval": True}, {"needsUserInput": True}):
                sim = self.at(agent).done(hinted(hasFailures=True, **hints))
                self.assertEqual(self.status(sim), "fixing")

    def developed(self, frontend, backend):
        sim = self.start().done(GOOD).done(GOOD)
        return sim.done({**hinted(**frontend), "output": "f"}).done(hinted(**backend))

    def working(self, sim):
        return [one["src"] for one in sim.work]

    def test_two_developers_ask_at_once(self):
        both = ["frontend_developer", "backend_developer"]
        asks, approval = {"needsUserInput": True}, {"needsApproval": True}
        for frontend, backend, again, rejected in (
                (asks, asks, both, both), (asks, {}, both[:1], both[:1]),
                ({}, asks, both[1:], both[1:]), (asks, approval, both[:1], both),
                (approval, {}, ["tester"], both[:1]), (approval, approval, ["tester"], both)):
            sim = self.developed(frontend, backend)
            self.assertEqual(sim.path, "asking.developing")
            self.assertEqual(len(sim.context["question"]["asks"]), bool(frontend) + bool(backend))
            self.assertEqual(self.working(sim.event("APPROVE", {"answer": "x"})), again)
            while self.status(sim) == "developing":
                sim.done(GOOD)
            self.assertEqual((self.status(sim), sim.context["developers"]), ("testing", "both"))
            sim = self.developed(frontend, backend).event("REJECT", {"reason": "no"})
            self.assertEqual(self.working(sim), rejected)

    def test_who_asks_is_dropped(self):
        sim = self.at("tester").done(hinted(needsUserInput=True))
        self.assertEqual(sim.event("ABORT").path, "aborted")

    def test_a_feature_is_dropped(self):
        for go in (lambda: self.start(), lambda: self.at_tests(maxRetries=0).done(FAILED)):
            sim = go().event("ABORT")
            self.assertEqual((sim.path, sim.result, sim.work), ("aborted", "ended", []))

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
