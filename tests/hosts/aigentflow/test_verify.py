#!/usr/bin/python3
"""aigentflow's documents proved: every property, over every run of a smaller problem.

usage: test_verify.py WFSM SRCDIR [long]

Thirteen agents in every order are too many runs. No rule tells those agents apart that
nothing names, so a copy of the document has one of them in place of all; and limits are
small. Nothing else of the document is changed.
"""

import itertools
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from simulated import AGENTS, documents

WFSM = sys.argv[1]
DOCUMENT = documents(sys.argv[2])
LONG = sys.argv[3:] == ["long"]
FEW = ["bug_fixer", "ui_designer", "backend_developer", "tester", "reviewer"]
THREE = ["bug_fixer", "tester", "reviewer"]
CHOSEN = ["tester", "reviewer"] if LONG else ["tester"]  # by the router, beside the queue
EPIC = {"epicId": "e", "parallelFeatures": 2,
        "features": [{"featureId": "a", "name": "A"}]}
CLEAN = ("deadlock", "livelock", "no-end", "start-fails", "step-fails", "unhandled-error",
         "dropped-result", "dropped-timer", "dropped-event", "conflict")
# What does not fit the context is left out, and the run continues. Only the host sends START, and its prompt is
# a text; the host's git agent answers with texts for worktree and branch when it succeeds.
ACCEPTED = tuple(f'an expression fails in "{state}", and nothing reacts to error.execution'
                 for state in ("IDLE", "working.pending"))


def fewer(value, agents):
    """The same with only these agents wherever all thirteen are listed."""
    if isinstance(value, list):
        if [one for one in value if one in AGENTS] == AGENTS:
            return [one for one in value if one not in AGENTS or one in agents]
        return [fewer(one, agents) for one in value]
    if isinstance(value, dict):
        return {key: fewer(one, agents) for key, one in value.items()}
    return value


def smaller(machine, *queues, agents=FEW):
    """Only these agents, an analysis that suggests one of these queues, and an epic of one branch."""
    machine = fewer(machine, agents)
    given = machine["states"]["ANALYZING"]["invoke"]["output"]["properties"]
    given["suggestedAgents"] = {"enum": list(queues)}
    given["taskType"] = {"enum": ["feature"]}
    given["complexity"] = {"enum": ["simple"]}
    for key in ("requiresUI", "requiresBackend", "requiresArchitecture"):
        given[key] = {"const": False}
    merge = machine["states"]["AGENT_WORKING"]["states"]["merging"]["invoke"]["output"]
    merge["properties"]["output"]["properties"] = {
        "merged": {"enum": [[], ["b/a"]]}, "conflicts": {"enum": [[], ["a.c"]]}}
    return machine


def unaccepted():
    """Mistakes with which the work is completed as if everything had been accepted."""
    def rejection(states):
        for key in ("testOwed", "reviewOwed", "agentQueue"):
            del states["AWAITING_APPROVAL"]["on"]["REJECT"]["actions"]["params"][key]

    def failed_review(states):
        states["AGENT_WORKING"]["on"]["AGENT_DONE"]["actions"][0].pop(1)

    def failed_review_untested(states):
        choice = states["AGENT_WORKING"]["on"]["AGENT_DONE"]["actions"][0][1]["params"]["branches"]
        for key in ("testOwed", "agentQueue"):
            del choice[1]["actions"][0]["params"][key]

    def failed_test(states):
        states["TESTS_FAIL"]["entry"][0]["params"].update(reviewOwed=False)

    start = "a rejection, a failed review or a failed test is followed by a passing "
    for mistake in (rejection, failed_review_untested):
        yield start + "test before COMPLETED", mistake
    for mistake in (rejection, failed_review, failed_test):
        yield start + "review before COMPLETED", mistake


class Proved(unittest.TestCase):
    def verify(self, machine, *options):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(machine, file)
            file.flush()
            result = subprocess.run([WFSM, "verify", "--json", *options, file.name],
                                    capture_output=True, text=True, check=False)
        return json.loads(result.stdout)

    def properties(self, machine, *options, unreachable=()):
        report = self.verify(machine, *options)
        self.assertEqual(len(report["properties"]), len(machine["properties"]))
        for one in report["properties"]:
            with self.subTest(one["name"], options=options):
                self.assertEqual(one["verdict"],
                                 "violated" if one["name"] in unreachable else "holds")
        rules = {one["rule"] for one in report["diagnostics"]
                 if one["severity"] != "note" and one["message"] not in ACCEPTED}
        self.assertEqual(rules & set(CLEAN), set())

    def hub(self):
        return json.loads(DOCUMENT["aigentflow"].read_text())

    def test_one_agent_after_the_other(self):
        # 004-21, 004-100, 004-147, 004-148, 004-306, 004-324, 004-373
        self.properties(smaller(self.hub(), ["tester", "reviewer"], agents=THREE), "--input",
                        '{"maxAgentRuns": 2, "maxRetries": 1}')

    def test_a_competition(self):
        # 004-225
        self.properties(smaller(self.hub(), ["ui_designer", "tester"],
                                agents=["ui_designer", *THREE]), "--input", json.dumps(
            {"maxAgentRuns": 2, "maxRetries": 1, "competition": True,
             "competitiveDesignCount": 2}))

    def test_rework(self):
        # 004-110, 004-386: with so many agents, what was rejected or has failed comes to COMPLETED.
        # The router may not choose the bug fixer, so only rework puts it to work.
        machine = smaller(self.hub(), ["reviewer"], agents=THREE)
        machine["properties"]["rework can come to COMPLETED"] = {"reachable": {"and": [
            {"in_state": "COMPLETED"}, {"in": ["bug_fixer", {"var": "context.completedAgents"}]}]}}
        self.properties(machine, "--input", json.dumps(
            {"maxAgentRuns": 4, "maxRetries": 1, "allowedAgents": CHOSEN}))

    def epic(self):
        machine = smaller(self.hub(), ["backend_developer", "tester"],
                          agents=["backend_developer", *THREE])
        return machine, "--input", json.dumps(
            {"maxAgentRuns": 2, "maxRetries": 1, "epicContext": EPIC, "allowedAgents": CHOSEN})

    @unittest.skipUnless(LONG, "long")
    def test_an_epic(self):
        # 004-238: the same properties as of the whole document, which test_proved.py proves
        self.properties(*self.epic())

    def test_mistakes_in_an_epic_are_found(self):
        mistakes = {
            "at most maxRetries resolutions in a row without progress":
                lambda done: done[1]["guard"]["and"].pop(2),
            "features that cannot be merged lead to a person":
                lambda done: done[2]["actions"][0]["params"].update(lastOutput={}),
        }
        for name, mistake in mistakes.items():
            machine, *options = self.epic()
            mistake(machine["states"]["AGENT_WORKING"]["states"]["merging"]["invoke"]["onDone"])
            report = self.verify(machine, "--first", *options)
            verdicts = {one["name"]: one["verdict"] for one in report["properties"]}
            self.assertEqual(verdicts[name], "violated", name)

    @unittest.skipUnless(LONG, "long")
    def test_events_from_anybody(self):
        # 004-147, 004-148: also where the document raises neither
        machine = smaller(self.hub(), ["tester"], agents=THREE)
        del machine["properties"]["every run ends"]  # who sends events for ever
        del machine["properties"]["retries used up lead to a person"]
        self.properties(machine, "--open", "--input",
                        '{"maxAgentRuns": 1, "maxRetries": 1}')

    def test_the_linear_flow(self):
        # 004-332, 004-350
        machine = json.loads(DOCUMENT["linear"].read_text())
        self.properties(machine)
        self.properties(machine, "--open")

    def test_a_feature(self):
        machine = json.loads(DOCUMENT["feature"].read_text())
        for given in ({}, {"dependsOn": ["other"]}, {"needsDesign": True, "maxRetries": 1},
                      {"needsFrontend": False, "maxRetries": 2}):
            self.properties(machine, "--input", json.dumps(given))

    def test_mistakes_in_a_feature_are_found(self):
        def judges(states, state):
            return states["working"]["states"][state]["invoke"]["onDone"]

        rework = "a failed test or review "
        mistakes = {
            "nobody works before the features that it depends on are completed":
                lambda s: s["working"]["states"]["waiting"]["always"].pop("guard"),
            "at most maxRetries fixes of failed tests": lambda s: judges(s, "testing")[4]
            ["actions"][1]["params"].pop("retryCount"),
            "at most maxRetries failed reviews in a row are worked on": lambda s: judges(
                s, "testing")[3]["actions"][1]["params"].update(reworks=0),
            rework + "leads to rework or to a person, with the reason": lambda s: judges(
                s, "reviewing")[4]["actions"][1]["params"].pop("rework"),
            "completed only after passed tests": lambda s: s["escalated"]["on"]["RESUME"]
            .pop(0),
            "a rejection, a failed test or review is followed by a passing test before completed":
                lambda s: s["asking"]["states"]["judging"]["on"]["REJECT"]
                .update(target="#feature.working.last"),
            "a rejection, a failed test or review is followed by a passing review before completed":
                lambda s: s["asking"]["states"]["reviewing"]["on"]["REJECT"]
                .update(target="#completed"),
            "who asks gets an answer first": lambda s: s["asking"]["states"]["planning"]
            .update(after={"1000": "#feature.working.planning"}),
            "nothing is completed while rework is owed": lambda s: judges(
                s, "reviewing")[3]["actions"][1]["params"].pop("rework"),
        }
        for name, mistake in mistakes.items():
            machine = json.loads(DOCUMENT["feature"].read_text())
            mistake(machine["states"])
            report = self.verify(machine, "--first", "--input",
                                 '{"maxRetries": 1, "dependsOn": ["other"]}')
            verdicts = {one["name"]: one["verdict"] for one in report["properties"]}
            self.assertEqual(verdicts[name], "violated", name)

    @unittest.skipUnless(LONG, "long")
    def test_longer_queues_and_more_retries(self):
        queues = [list(one) for one in itertools.product(FEW, FEW)]
        # Who is put before such a queue: test_one_agent_after_the_other.
        self.properties(smaller(self.hub(), *queues), "--input", json.dumps(
            {"maxAgentRuns": 2, "maxRetries": 1, "allowedAgents": ["tester"]}))
        self.properties(smaller(self.hub(), ["tester", "bug_fixer", "reviewer"], agents=THREE),
                        "--input", '{"maxAgentRuns": 3, "maxRetries": 3}')

    def test_mistakes_are_found(self):
        """What is proved can fail: one mistake each, and the property that must be violated."""
        mistakes = {
            "at most maxRetries fixes": lambda s: s["FIXING"]["on"]["FIX_COMPLETE"]
            ["actions"][0]["params"].pop("retryCount"),
            "no completion while a review is queued": lambda s: (
                s["AGENT_COMPLETE"]["on"]["ALL_COMPLETE"].pop("guard"),
                s["AGENT_COMPLETE"]["entry"]["params"].update(event="ALL_COMPLETE")),
            "who asks for approval gets an answer first": lambda s: (
                s["AGENT_COMPLETE"]["on"]["ROUTE_NEXT"].pop("guard"),
                s["ORCHESTRATING"]["on"]["SPAWN_AGENT"].pop("guard"),
                s["ORCHESTRATING"]["invoke"]["onDone"].pop(0),
                s["AGENT_COMPLETE"]["entry"]["params"].update(event="ROUTE_NEXT")),
            "never escalated before the retries are used up": lambda s: (
                s["TESTS_FAIL"]["on"]["MAX_RETRIES_EXCEEDED"].pop("guard"),
                s["TESTS_FAIL"]["entry"][1]["params"].update(event="MAX_RETRIES_EXCEEDED")),
            "a review that was queued is finished first": lambda s: (
                s["ORCHESTRATING"]["invoke"]["onDone"][2]["guard"]["and"][3]["or"][1]["and"].pop(3)),
            "nothing is completed that was not accepted": lambda s: (
                s["ORCHESTRATING"]["invoke"]["onDone"].pop(1),
                s["ORCHESTRATING"]["invoke"]["onDone"][1]["guard"]["and"].pop(0),
                s["ORCHESTRATING"]["invoke"]["onDone"][1]["guard"]["and"].pop(0),
                s["AWAITING_APPROVAL"]["on"]["REJECT"]["actions"]["params"].pop("agentQueue"),
                s["ORCHESTRATING"]["on"]["WORKFLOW_COMPLETE"].pop("guard")),
        }
        for name, mistake in (*mistakes.items(), *unaccepted()):
            machine = smaller(self.hub(), ["tester"], ["reviewer"], ["bug_fixer", "reviewer"],
                              agents=THREE)
            mistake(machine["states"])
            machine["properties"] = {name: machine["properties"][name]}
            report = self.verify(machine, "--first", "--input",
                                 '{"maxAgentRuns": 2, "maxRetries": 1}')
            verdicts = {one["name"]: one["verdict"] for one in report["properties"]}
            self.assertEqual(verdicts[name], "violated", name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
