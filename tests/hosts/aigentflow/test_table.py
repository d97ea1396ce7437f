#!/usr/bin/python3
"""aigentflow's documents compared with the rules of seed 004, one by one.

usage: test_table.py WFSM SRCDIR

Half of it reads the documents; the other half drives them through `wfsm simulate`.
"""

import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

from simulated import AGENTS, GOOD, Sim, analysis, documents, hinted, transitions

WFSM = sys.argv[1]
DOCUMENT = documents(sys.argv[2])
MACHINE = {name: json.loads(path.read_text()) for name, path in DOCUMENT.items()}
ADDITIONS = (DOCUMENT["aigentflow"].parent / "ADDITIONS.md").read_text()

HUB = [  # 004-42; each is named where all are compared
    "IDLE", "ANALYZING", "ORCHESTRATING", "AGENT_WORKING", "AGENT_COMPLETE",
    "AWAITING_APPROVAL", "APPROVED", "REJECTED", "TESTING", "TESTS_PASS", "TESTS_FAIL",
    "FIXING", "ESCALATED", "COMPLETING", "COMPLETED", "ERROR", "ABORTED", "RECOVERING",
]
LINEAR = [  # 004-333
    "IDLE", "ANALYZING", "PLANNING", "ARCHITECTING", "DESIGNING", "AWAITING_APPROVAL",
    "APPROVED", "REJECTED", "BUILDING", "TESTING", "TESTS_PASS", "TESTS_FAIL", "FIXING",
    "ESCALATED", "REVIEWING", "COMPLETING", "COMPLETED", "ERROR", "ABORTED", "RECOVERING",
]


def but(states, *without):
    return [state for state in states if state not in without]


# Rule, from, event, to: 004-128, 004-129, 004-130, 004-131, 004-132, 004-133, 004-134,
# 004-135, 004-136, 004-137, 004-138, 004-139, 004-140, 004-141, 004-142, 004-143,
# 004-144, 004-145, 004-146, 004-147, 004-148, 004-149 in their order; 004-150 is
# `restore`.
RULES = [
    (1, ["IDLE"], "START", "ANALYZING"),  # 004-14, 004-128
    (2, ["ANALYZING"], "ANALYSIS_COMPLETE", "ORCHESTRATING"),  # 004-14, 004-129
    (3, ["ORCHESTRATING"], "SPAWN_AGENT", "AGENT_WORKING"),  # 004-15, 004-130
    (4, ["AGENT_WORKING"], "AGENT_DONE", "AGENT_COMPLETE"),  # 004-16, 004-131
    (5, ["AGENT_COMPLETE"], "ROUTE_NEXT", "ORCHESTRATING"),  # 004-11, 004-17, 004-132
    (6, ["AGENT_COMPLETE"], "NEEDS_APPROVAL", "AWAITING_APPROVAL"),  # 004-18, 004-133
    (7, ["AGENT_COMPLETE"], "ALL_COMPLETE", "COMPLETING"),  # 004-19, 004-134
    (8, ["AWAITING_APPROVAL"], "APPROVE", "APPROVED"),  # 004-18, 004-135
    (9, ["AWAITING_APPROVAL"], "REJECT", "REJECTED"),  # 004-18, 004-136
    (10, ["APPROVED", "REJECTED"], "CONTINUE", "ORCHESTRATING"),  # 004-18, 004-137
    (11, ["AGENT_COMPLETE"], "ENTER_TEST_PHASE", "TESTING"),  # 004-138
    (12, ["TESTING"], "ALL_TESTS_PASS", "TESTS_PASS"),  # 004-139
    (13, ["TESTING"], "TESTS_FAILED", "TESTS_FAIL"),  # 004-140
    (14, ["TESTS_PASS"], "TESTS_PASSED_CONTINUE", "ORCHESTRATING"),  # 004-141
    (15, ["TESTS_FAIL"], "START_FIX", "FIXING"),  # 004-21, 004-142
    (16, ["TESTS_FAIL"], "MAX_RETRIES_EXCEEDED", "ESCALATED"),  # 004-21, 004-143
    (17, ["FIXING"], "FIX_COMPLETE", "TESTING"),  # 004-21, 004-144
    (18, ["ORCHESTRATING"], "WORKFLOW_COMPLETE", "COMPLETING"),  # 004-145
    (19, ["COMPLETING"], "FINALIZE", "COMPLETED"),  # 004-20, 004-146
    (20, but(HUB, "ERROR", "ABORTED"), "ERROR", "ERROR"),  # 004-22, 004-147
    (21, but(HUB, "ABORTED", "COMPLETED"), "ABORT", "ABORTED"),  # 004-23, 004-148
    (22, ["ERROR"], "START_RECOVERY", "RECOVERING"),  # 004-149
]
# Requirement, from, event, to of the linear flow: 004-334, 004-335, 004-336, 004-337,
# 004-338, 004-339, 004-340, 004-341, 004-342, 004-343, 004-344, 004-345, 004-346, 004-347,
# 004-348, 004-349, 004-350.
ROWS = [
    (334, ["IDLE"], "START", "ANALYZING"),
    (335, ["ANALYZING"], "ANALYSIS_COMPLETE", "PLANNING"),
    (336, ["PLANNING"], "PLAN_COMPLETE", "ARCHITECTING"),
    (337, ["ARCHITECTING"], "ARCHITECTURE_COMPLETE", "DESIGNING"),
    (338, ["DESIGNING"], "DESIGN_COMPLETE", "AWAITING_APPROVAL"),
    (339, ["AWAITING_APPROVAL"], "APPROVE", "APPROVED"),
    (340, ["AWAITING_APPROVAL"], "REJECT", "REJECTED"),
    (341, ["REJECTED"], "REDESIGN", "DESIGNING"),
    (342, ["APPROVED"], "START_BUILD", "BUILDING"),
    (343, ["BUILDING"], "BUILD_COMPLETE", "TESTING"),
    (344, ["TESTING"], "ALL_TESTS_PASS", "TESTS_PASS"),
    (345, ["TESTING"], "TESTS_FAILED", "TESTS_FAIL"),
    (346, ["TESTS_FAIL"], "START_FIX", "FIXING"),
    (346, ["TESTS_FAIL"], "MAX_RETRIES_EXCEEDED", "ESCALATED"),
    (346, ["FIXING"], "FIX_COMPLETE", "TESTING"),
    (347, ["TESTS_PASS"], "TESTS_PASSED_CONTINUE", "REVIEWING"),
    (348, ["REVIEWING"], "REVIEW_COMPLETE", "COMPLETING"),
    (349, ["COMPLETING"], "COMPLETE", "COMPLETED"),
    (350, but(LINEAR, "ERROR", "ABORTED"), "ERROR", "ERROR"),
    (350, but(LINEAR, "ABORTED", "COMPLETED"), "ABORT", "ABORTED"),
    (350, ["ERROR"], "START_RECOVERY", "RECOVERING"),
]
# What ADDITIONS.md allows: state, event, target.
ADDED = {
    "approval before completion": [("ORCHESTRATING", "NEEDS_APPROVAL", "AWAITING_APPROVAL")],
    "what cannot be stored": [("", "error.execution", "ERROR")],
    "round in circles": [("", "error.budget.agents", "ERROR")],
    "going on": [("ESCALATED", "RESUME", "TESTING")],
    "asked again": [("ORCHESTRATING", "onDone router", "ORCHESTRATING")],
    "tried again": [("AGENT_WORKING.agent", "onDone agent", "AGENT_WORKING"),
                    ("TESTING.running", "onDone retest", "TESTING"),
                    ("FIXING", "onDone fix", "FIXING")],
    "merging": [("AGENT_WORKING.features", "onDone features", "AGENT_WORKING"),
                ("AGENT_WORKING.merging", "onDone merge", "AGENT_WORKING"),
                ("AGENT_WORKING.resolving", "onDone resolve", "AGENT_WORKING")],
}


def top(path, target):
    """The state of the enumeration that a target is, or is inside."""
    whole = target.lstrip("#").lstrip(".").split(".")[0]
    return path.split(".")[0] if "." in path and not target.startswith("#") else whole


class Documents(unittest.TestCase):
    def test_the_states_are_exactly_those_of_the_enumeration(self):
        # 004-01, 004-24, 004-25, 004-26, 004-27, 004-28, 004-29, 004-30, 004-31, 004-32,
        # 004-33, 004-34, 004-35, 004-36, 004-37, 004-38, 004-39, 004-40, 004-41, 004-42,
        # 004-332, 004-333, 004-370
        self.assertEqual(list(MACHINE["aigentflow"]["states"]), HUB)
        self.assertEqual(list(MACHINE["linear"]["states"]), LINEAR)
        for name in ("aigentflow", "linear"):
            self.assertEqual(MACHINE[name]["initial"], "IDLE")

    def test_every_rule_is_there_once_in_each_of_its_states(self):
        # 004-122, 004-123, 004-124, 004-128, 004-129, 004-130, 004-131, 004-132, 004-133,
        # 004-134, 004-135, 004-136, 004-137, 004-138, 004-139, 004-140, 004-141, 004-142,
        # 004-143, 004-144, 004-145, 004-146, 004-147, 004-148, 004-149, 004-151, 004-334,
        # 004-335, 004-336, 004-337, 004-338, 004-339, 004-340, 004-341, 004-342, 004-343,
        # 004-344, 004-345, 004-346, 004-347, 004-348, 004-349, 004-350
        for name, key, table in (("aigentflow", "rule", RULES), ("linear", "row", ROWS)):
            wanted = [(number, state, event, target) for number, states, event, target
                      in table for state in states]
            found = [(one["meta"][key], path, event, top(path, one["target"]))
                     for path, event, one in transitions(MACHINE[name])
                     if key in one.get("meta", {})]
            self.assertEqual(sorted(found), sorted(wanted))

    def test_no_two_rules_share_state_and_event(self):
        # 004-151, 004-122
        for name in ("aigentflow", "linear"):
            for state, body in MACHINE[name]["states"].items():
                for event, one in body.get("on", {}).items():
                    self.assertIsInstance(one, dict, f"{state} {event}")

    def test_the_order_of_events_in_a_state_is_that_of_the_rules(self):
        # 004-151
        for name, key, table in (("aigentflow", "rule", RULES), ("linear", "row", ROWS)):
            order = {(state, event): place for place, (_, states, event, _)
                     in enumerate(table) for state in states}
            for state, body in MACHINE[name]["states"].items():
                places = [order[state, event] for event, one in body.get("on", {}).items()
                          if key in one["meta"]]
                self.assertEqual(places, sorted(places), state)

    def test_what_is_no_rule_is_an_addition_with_its_reason(self):
        seen = set()
        for name, key in (("aigentflow", "rule"), ("linear", "row")):
            for path, event, one in transitions(MACHINE[name]):
                meta = one.get("meta", {})
                if "target" not in one or key in meta or event == "always":
                    continue
                with self.subTest(document=name, state=path, event=event):
                    self.assertIn("addition", meta)
                    self.assertIn(f"**{meta['addition']}**", ADDITIONS)
                    self.assertIn((path, event, top(path, one["target"])),
                                  ADDED[meta["addition"]])
                    seen.add(meta["addition"])
        self.assertEqual(seen, set(ADDED))

    def test_each_difference_from_a_reading_is_listed_and_made(self):
        # 004-386; that it is so after every rejection is a property, which is verified
        part = ADDITIONS.split("## Differences from the seed's readings")[1].split("\n## ")[0]
        self.assertEqual(re.findall(r"^- \*\*(.+?)\*\*:", part, re.M), ["004-386"])
        rejected = MACHINE["aigentflow"]["states"]["AWAITING_APPROVAL"]["on"]["REJECT"]
        self.assertIn('"reviewOwed": true', json.dumps(rejected))
        self.assertIn('"testOwed": true', json.dumps(rejected))

    def test_the_states_of_a_feature_beyond_the_seed_have_their_reason(self):
        # 004-94: the values of a feature's status
        seed = ["pending", "planning", "designing", "developing", "testing", "reviewing", "completed"]
        states = MACHINE["feature"]["states"]
        found = [state for state in (*states, *states["working"]["states"])
                 if state not in ("working", "last")]
        listed = re.findall(r"^- `(\w+)`: ", ADDITIONS.split("## The states of a feature")[1]
                            .split("\n## ")[0], re.M)
        self.assertEqual(sorted(found), sorted(seed + listed))

    def test_a_choice_without_an_event_stays_inside_its_state(self):
        for path, event, one in transitions(MACHINE["aigentflow"]):
            if event == "always":
                self.assertEqual(path, "AGENT_WORKING.starting")
                self.assertNotIn("#", one["target"])

    def test_restoring_is_the_rule_about_checkpoints(self):
        # 004-150, 004-270, 004-350
        for name in ("aigentflow", "linear"):
            self.assertEqual(MACHINE[name]["restore"],
                             {"event": "RESTORE_CHECKPOINT"})

    def test_tags(self):
        # 004-278, 004-279, 004-280, 004-281, 004-380, 004-381, 004-383
        for name in ("aigentflow", "linear"):
            tags = {state: sorted(body.get("tags", []))
                    for state, body in MACHINE[name]["states"].items()}
            self.assertEqual({state: has for state, has in tags.items() if has}, {
                "AWAITING_APPROVAL": ["awaiting_input"],
                "ESCALATED": ["awaiting_input", "terminal"],
                "COMPLETED": ["terminal"], "ABORTED": ["terminal"], "ERROR": ["error"]})

    def test_the_agents_are_exactly_thirteen(self):
        # 004-43, 004-44, 004-45, 004-46, 004-47, 004-48, 004-49, 004-50, 004-51, 004-52,
        # 004-53, 004-54, 004-55, 004-56
        invoke = MACHINE["aigentflow"]["states"]["AGENT_WORKING"]["states"]["agent"]["invoke"]
        self.assertEqual(invoke["srcs"], AGENTS)
        enums = [invoke["output"]["properties"]["agent"]["enum"],
                 invoke["output"]["properties"]["routingHints"]["properties"]["suggestNext"]
                 ["items"]["enum"]]
        context = MACHINE["aigentflow"]["schemas"]["context"]["properties"]
        enums.append(context["agentQueue"]["items"]["enum"])
        enums.append(context["currentAgent"]["enum"][1:])
        for enum in enums:
            self.assertEqual(enum, AGENTS)
        self.assertEqual(MACHINE["aigentflow"]["context"]["allowedAgents"], AGENTS)

    def test_the_phases_are_exactly_six(self):
        # 004-79, 004-80, 004-81, 004-82, 004-83, 004-84, 004-85
        found = set()

        def walk(value):
            if isinstance(value, dict):
                phase = value.get("phase")
                if isinstance(phase, str):
                    found.add(phase)
                elif phase is not None:
                    by_agent = phase["get"][0]["literal"]
                    self.assertEqual(sorted(by_agent), sorted(AGENTS))
                    found.update(by_agent.values())
                for inner in value.values():
                    walk(inner)
            elif isinstance(value, list):
                for inner in value:
                    walk(inner)

        for name in DOCUMENT:
            walk(MACHINE[name]["states"])
        self.assertEqual(found, {"planning", "design_competition", "development", "testing",
                                 "fixing", "review"})

    def test_every_line_of_scenarios_and_checklist_has_its_test(self):
        # 004-382: the next step only when the list is complete
        folder = Path(__file__).resolve().parents[2]
        named = set()
        for path in [*folder.glob("hosts/**/*"), *folder.glob("python/*.py")]:
            if path.suffix in (".py", ".c"):
                named.update(re.findall(r"004-\d+", path.read_text()))
        self.assertEqual([f"004-{number}" for number in range(351, 382)
                          if f"004-{number}" not in named], [])

    def test_they_have_no_diagnostics(self):
        for name, path in DOCUMENT.items():
            result = subprocess.run([WFSM, "check", str(path)], capture_output=True,
                                    text=True, check=False)
            self.assertEqual((result.returncode, result.stdout), (0, ""), name)


# ---- each state, each event ----

HUB_WAYS = {
    "IDLE": [], "ANALYZING": ["START"], "ORCHESTRATING": ["START", "ANALYSIS_COMPLETE"],
}
HUB_WAYS["AGENT_WORKING"] = HUB_WAYS["ORCHESTRATING"] + [
    {"agentQueue": ["architect"]}, "SPAWN_AGENT"]
HUB_WAYS["AGENT_COMPLETE"] = HUB_WAYS["AGENT_WORKING"] + ["AGENT_DONE"]
HUB_WAYS["AWAITING_APPROVAL"] = HUB_WAYS["AGENT_WORKING"] + [
    ("AGENT_DONE", hinted(needsApproval=True)), "NEEDS_APPROVAL"]
HUB_WAYS["APPROVED"] = HUB_WAYS["AWAITING_APPROVAL"] + ["APPROVE"]
HUB_WAYS["REJECTED"] = HUB_WAYS["AWAITING_APPROVAL"] + ["REJECT"]
HUB_WAYS["TESTING"] = HUB_WAYS["ORCHESTRATING"] + [
    {"agentQueue": ["tester"]}, "SPAWN_AGENT", "AGENT_DONE", "ENTER_TEST_PHASE"]
HUB_WAYS["TESTS_PASS"] = HUB_WAYS["TESTING"] + ["ALL_TESTS_PASS"]
HUB_WAYS["TESTS_FAIL"] = HUB_WAYS["TESTING"] + ["TESTS_FAILED"]
HUB_WAYS["FIXING"] = HUB_WAYS["TESTS_FAIL"] + ["START_FIX"]
HUB_WAYS["ESCALATED"] = HUB_WAYS["TESTS_FAIL"] + [{"retryCount": 3}, "MAX_RETRIES_EXCEEDED"]
HUB_WAYS["COMPLETING"] = HUB_WAYS["ORCHESTRATING"] + ["WORKFLOW_COMPLETE"]
HUB_WAYS["COMPLETED"] = HUB_WAYS["COMPLETING"] + ["FINALIZE"]
HUB_WAYS["ERROR"] = ["ERROR"]
HUB_WAYS["ABORTED"] = ["ABORT"]
HUB_WAYS["RECOVERING"] = ["ERROR", "START_RECOVERY"]

LINEAR_WAYS = {
    "IDLE": [], "ANALYZING": ["START"], "PLANNING": ["START", "ANALYSIS_COMPLETE"],
}
LINEAR_WAYS["ARCHITECTING"] = LINEAR_WAYS["PLANNING"] + ["PLAN_COMPLETE"]
LINEAR_WAYS["DESIGNING"] = LINEAR_WAYS["ARCHITECTING"] + ["ARCHITECTURE_COMPLETE"]
LINEAR_WAYS["AWAITING_APPROVAL"] = LINEAR_WAYS["DESIGNING"] + ["DESIGN_COMPLETE"]
LINEAR_WAYS["APPROVED"] = LINEAR_WAYS["AWAITING_APPROVAL"] + ["APPROVE"]
LINEAR_WAYS["REJECTED"] = LINEAR_WAYS["AWAITING_APPROVAL"] + ["REJECT"]
LINEAR_WAYS["BUILDING"] = LINEAR_WAYS["APPROVED"] + ["START_BUILD"]
LINEAR_WAYS["TESTING"] = LINEAR_WAYS["BUILDING"] + ["BUILD_COMPLETE"]
LINEAR_WAYS["TESTS_PASS"] = LINEAR_WAYS["TESTING"] + ["ALL_TESTS_PASS"]
LINEAR_WAYS["TESTS_FAIL"] = LINEAR_WAYS["TESTING"] + ["TESTS_FAILED"]
LINEAR_WAYS["FIXING"] = LINEAR_WAYS["TESTS_FAIL"] + ["START_FIX"]
LINEAR_WAYS["ESCALATED"] = LINEAR_WAYS["TESTS_FAIL"] + [
    {"retryCount": 3}, "MAX_RETRIES_EXCEEDED"]
LINEAR_WAYS["REVIEWING"] = LINEAR_WAYS["TESTS_PASS"] + ["TESTS_PASSED_CONTINUE"]
LINEAR_WAYS["COMPLETING"] = LINEAR_WAYS["REVIEWING"] + ["REVIEW_COMPLETE"]
LINEAR_WAYS["COMPLETED"] = LINEAR_WAYS["COMPLETING"] + ["COMPLETE"]
for state in ("ERROR", "ABORTED", "RECOVERING"):
    LINEAR_WAYS[state] = HUB_WAYS[state]

# What opens every guard of a state at once, or as many as can be open together.
OPEN = {
    "ORCHESTRATING": [({"agentQueue": ["reviewer"]}, {"SPAWN_AGENT"}),
                      ({}, {"WORKFLOW_COMPLETE"})],
    "AGENT_COMPLETE": [
        ({"currentAgent": "tester"}, {"ROUTE_NEXT", "ENTER_TEST_PHASE"}),
        ({"lastOutput": hinted(needsApproval=True)}, {"NEEDS_APPROVAL"}),
        ({"lastOutput": hinted(isComplete=True)}, {"ALL_COMPLETE"}),
        ({"lastOutput": hinted(isComplete=True, needsApproval=True), "asked": True},
         {"ALL_COMPLETE", "NEEDS_APPROVAL"})],
    "TESTS_FAIL": [({}, {"START_FIX"}), ({"retryCount": 3}, {"MAX_RETRIES_EXCEEDED"})],
}


class Stepped(unittest.TestCase):
    """By hand: nothing happens but what is sent, as in a StateGraph."""

    def go(self, document, way):
        sim = Sim(WFSM, DOCUMENT[document], by_hand=True)
        self.addCleanup(sim.close)
        for one in way:
            if isinstance(one, dict):
                sim.patch(**one)
            elif isinstance(one, tuple):
                sim.event(*one)
            else:
                sim.event(one)
            self.assertIn(sim.result, ("taken", "ended"), one)
        return sim


class EveryEvent(Stepped):
    def test_every_event_in_every_state(self):
        # 004-02, 004-05, 004-22, 004-23, 004-39, 004-40, 004-147, 004-148, 004-350,
        # 004-356, 004-357, 004-363, 004-364, 004-371, 004-372, 004-376, 004-377, 004-383
        for document, ways, table, extra in (
                ("aigentflow", HUB_WAYS, RULES, {("ESCALATED", "RESUME"): "TESTING"}),
                ("linear", LINEAR_WAYS, ROWS, {("ESCALATED", "RESUME"): "TESTING"})):
            self.assertEqual(set(ways), set(MACHINE[document]["states"]))
            leads = {(state, event): target for _, states, event, target in table
                     for state in states}
            leads.update(extra)
            events = sorted({event for _, event in leads} | {"RESTORE_CHECKPOINT", "FLY"})
            for state, way in ways.items():
                for patch, opened in OPEN.get(state, [({}, None)]):
                    for event in events:
                        wanted = leads.get((state, event))
                        if opened is not None and event not in opened | {"ERROR", "ABORT"}:
                            wanted = None
                        with self.subTest(document=document, state=state, event=event,
                                          patch=patch):
                            self.one(document, way, patch, event, wanted)

    def one(self, document, way, patch, event, wanted):
        sim = self.go(document, way + ([patch] if patch else []))
        before = (sim.revision, sim.path, sim.context, sim.work)
        sim.event(event)
        if wanted is None:
            self.assertIn(sim.result, ("no_transition", "blocked", "ended"))
            self.assertEqual((sim.revision, sim.path, sim.context, sim.work), before)
        else:
            self.assertEqual(sim.state, wanted)
            self.assertEqual(sim.revision, before[0] + 1)
        sim.close()
        self.doCleanups()


class Guards(Stepped):
    """004-125, and what the rules' guards say about what is not there."""

    def test_spawn_agent_needs_a_queue_or_suggestions(self):
        # 004-130: without either: false, no failure
        sim = self.go("aigentflow", HUB_WAYS["ORCHESTRATING"])
        sim.event("SPAWN_AGENT")
        self.assertEqual((sim.result, sim.state), ("blocked", "ORCHESTRATING"))
        sim.patch(taskAnalysis=analysis(suggestedAgents=["architect"]))
        sim.event("SPAWN_AGENT")
        self.assertEqual((sim.state, sim.context["currentAgent"]),
                         ("AGENT_WORKING", "architect"))

    def test_nothing_goes_on_while_an_answer_is_owed(self):
        # 004-100, 004-385: no matter who sends the event
        sim = self.go("aigentflow", HUB_WAYS["ORCHESTRATING"])
        sim.patch(taskAnalysis=analysis(requiresApproval=True))
        self.assertEqual(sim.event("WORKFLOW_COMPLETE").result, "blocked")
        sim.patch(agentQueue=["architect"], lastOutput=hinted(needsApproval=True))
        self.assertEqual(sim.event("SPAWN_AGENT").result, "blocked")
        sim.event("NEEDS_APPROVAL").event("REJECT").event("CONTINUE")
        self.assertEqual(sim.event("SPAWN_AGENT").result, "taken")
        sim = self.go("aigentflow", HUB_WAYS["AGENT_COMPLETE"])
        sim.patch(lastOutput=hinted(isComplete=True), agentQueue=["reviewer"])
        self.assertEqual(sim.event("ALL_COMPLETE").result, "blocked")

    def test_the_first_of_the_queue_is_taken_off_with_the_event(self):
        # 004-62, 004-154, 004-171
        sim = self.go("aigentflow", HUB_WAYS["ORCHESTRATING"])
        sim.patch(agentQueue=["architect", "tester"]).event("SPAWN_AGENT")
        self.assertEqual((sim.context["currentAgent"], sim.context["agentQueue"]),
                         ("architect", ["tester"]))

    def test_agent_done_keeps_the_output_and_counts_the_agent(self):
        # 004-63, 004-64, 004-154, 004-102, 004-104, 004-105
        sim = self.go("aigentflow", HUB_WAYS["AGENT_WORKING"])
        sim.event("AGENT_DONE", {"success": True, "output": {"plan": [1]},
                                 "routingHints": {"suggestNext": ["tester"]}})
        self.assertEqual(sim.context["completedAgents"], ["architect"])
        output = sim.context["agentOutputs"]["architect"]
        self.assertEqual((output["agent"], output["success"], output["output"]),
                         ("architect", True, {"plan": [1]}))
        self.assertEqual(output["routingHints"]["suggestNext"], ["tester"])
        self.assertEqual(sim.context["outputs"], [output])

    def test_the_newest_output_of_an_agent_counts_and_all_are_kept(self):
        # 004-64
        sim = self.go("aigentflow", HUB_WAYS["AGENT_WORKING"])
        sim.event("AGENT_DONE", {"success": True, "output": 1}).event("ROUTE_NEXT")
        sim.patch(agentQueue=["architect"]).event("SPAWN_AGENT")
        sim.event("AGENT_DONE", {"success": True, "output": 2})
        self.assertEqual(sim.context["agentOutputs"]["architect"]["output"], 2)
        self.assertEqual([one["output"] for one in sim.context["outputs"]], [1, 2])
        self.assertEqual(sim.context["completedAgents"], ["architect"])

    def test_a_missing_output_is_one_without_hints(self):
        # 004-127, 004-132
        sim = self.go("aigentflow", HUB_WAYS["AGENT_COMPLETE"])
        self.assertEqual(sim.context["lastOutput"], None)
        for event in ("NEEDS_APPROVAL", "ALL_COMPLETE", "ENTER_TEST_PHASE"):
            self.assertEqual(sim.event(event).result, "blocked")
        self.assertEqual(sim.event("ROUTE_NEXT").result, "taken")

    def test_retries(self):
        # 004-142, 004-143, 004-360, 004-373
        for document, ways in (("aigentflow", HUB_WAYS), ("linear", LINEAR_WAYS)):
            for count, most in ((0, 3), (2, 3), (3, 3), (4, 3), (0, 0), (1, 1), (5, 9)):
                for event, open_ in (("START_FIX", count < most),
                                     ("MAX_RETRIES_EXCEEDED", count >= most)):
                    with self.subTest(document=document, count=count, event=event):
                        sim = self.go(document, ways["TESTS_FAIL"] + [
                            {"retryCount": count, "maxRetries": most}])
                        self.assertEqual(sim.event(event).result == "taken", open_)
                        sim.close()
                        self.doCleanups()

    def test_a_fix_counts_and_passed_tests_reset(self):
        # 004-69, 004-70, 004-155
        for document, ways in (("aigentflow", HUB_WAYS), ("linear", LINEAR_WAYS)):
            sim = self.go(document, ways["FIXING"])
            sim.event("FIX_COMPLETE")
            self.assertEqual(sim.context["retryCount"], 1)
            sim.event("ALL_TESTS_PASS")
            self.assertEqual(sim.context["retryCount"], 0)

    def test_an_error_is_told(self):
        # 004-68, 004-253
        for data, message in ((None, "no reason was given"), ({"error": "disk full"}, "disk full"),
                              ({"error": {"class": "network", "message": "gone"}}, "gone")):
            sim = self.go("aigentflow", HUB_WAYS["ANALYZING"]).event("ERROR", data)
            self.assertEqual((sim.state, sim.context["error"]["message"]), ("ERROR", message))

    def test_a_rejection_has_its_reason_and_keeps_the_rest(self):
        # 004-328, 004-72
        for document, ways in (("aigentflow", HUB_WAYS), ("linear", LINEAR_WAYS)):
            sim = self.go(document, ways["AWAITING_APPROVAL"] + [{"metadata": {"a": 1}}])
            sim.event("REJECT", {"reason": "too blue"})
            self.assertEqual(sim.context["metadata"], {"a": 1, "rejectionReason": "too blue"})

    def test_a_person_goes_on_after_an_escalation(self):
        # 004-281
        for document, ways in (("aigentflow", HUB_WAYS), ("linear", LINEAR_WAYS)):
            sim = self.go(document, ways["ESCALATED"]).event("RESUME", {"advice": "use UTC"})
            self.assertEqual((sim.state, sim.src, sim.context["retryCount"]),
                             ("TESTING", "tester", 0))
            self.assertEqual(sim.context["metadata"]["advice"], "use UTC")

    def test_a_checkpoint_is_restored_from_any_state_and_whole(self):
        # 004-149, 004-150, 004-263, 004-266, 004-269, 004-270, 004-387, 004-388, 004-04
        sim = self.go("aigentflow", HUB_WAYS["ORCHESTRATING"] + [
            {"agentQueue": ["tester"], "retryCount": 1, "completedAgents": ["architect"]}])
        before = sim.context
        sim.say(checkpoint="c1")
        sim.event("SPAWN_AGENT").event("AGENT_DONE", GOOD)
        sim.say(restore="c1")
        self.assertEqual((sim.state, sim.context), ("ORCHESTRATING", before))
        sim.event("ERROR")
        for _ in range(2):
            sim.event("START_RECOVERY")
            self.assertEqual(sim.event("RESTORE_CHECKPOINT").result, "no_transition")
            sim.say(restore="c1")
            self.assertEqual((sim.state, sim.context), ("ORCHESTRATING", before))
            sim.event("ERROR")

    def test_recovering_without_a_checkpoint(self):
        # 004-387
        sim = self.go("aigentflow", HUB_WAYS["RECOVERING"])
        self.assertEqual(sim.say(restore="none").result, "failed")
        self.assertEqual(sim.state, "RECOVERING")
        self.assertEqual(sim.event("ERROR").state, "ERROR")

    def test_the_context_refuses_what_it_does_not_know(self):
        # 004-272, 004-57, 004-58, 004-59, 004-60, 004-61, 004-62, 004-63, 004-64, 004-65,
        # 004-66, 004-67, 004-68, 004-69, 004-70, 004-71, 004-72: types
        sim = self.go("aigentflow", [])
        for patch in ({"unknown": 1}, {"retryCount": "3"}, {"agentQueue": ["developer"]},
                      {"agentQueue": "tester"}, {"prompt": 7}, {"maxRetries": -1},
                      {"prompt": "x" * 1000001}, {"currentAgent": "planner"},
                      {"epicContext": {"epicId": "e"}}, {"metadata": []},
                      {"taskAnalysis": {"taskType": "poem"}},
                      {"maxConcurrentAgents": 0}):
            with self.subTest(patch=str(patch)[:60]):
                before = sim.revision
                sim.patch(**patch)
                self.assertEqual((sim.result, sim.revision), ("failed", before))

    def test_the_context_begins_as_the_seed_says(self):
        # 004-57, 004-58, 004-59, 004-60, 004-61, 004-62, 004-63, 004-66, 004-67, 004-69,
        # 004-70, 004-72, 004-241, 004-242, 004-244, 004-245
        sim = self.go("aigentflow", [])
        for key, value in {"projectId": "", "taskId": "", "prompt": "", "taskAnalysis": None,
                           "currentAgent": None, "agentQueue": [], "completedAgents": [],
                           "agentOutputs": {}, "maxConcurrentAgents": 15, "epicContext": None,
                           "error": None, "retryCount": 0, "maxRetries": 3,
                           "metadata": {}}.items():
            self.assertEqual(sim.context[key], value, key)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
