#!/usr/bin/python3
"""agentd from outside: plan, impl, archive, and every way to continue them.

usage: test_agentd.py AGENTD WFSM
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from processes import at_terminal, ends  # noqa: E402

import case  # noqa: E402
from case import AGENTD, ID  # noqa: E402

REVISE = ["NEEDS_REVISION", "APPROVED"]
CHANGE = ["NEEDS_CHANGES", "APPROVED"]


class Case(case.Case):
    def complete(self, script=None, **more):
        made = self.planned(script, **more)
        made.run("impl", ID)
        made.forget_calls()
        return made


class Plan(Case):
    def test_approved(self):
        # 003-01, 003-04, 003-30, 003-32, 003-36, 003-57, 003-61, 003-66, 003-69, 003-70,
        # 003-73, 003-78, 003-140, 003-141, 003-143, 003-144, 003-145, 003-146, 003-159
        project = self.project({"specs": ["login", "logout"]})
        out = project.run("plan", ID, "add a login")
        self.phase(project, "Challenged", "APPROVED")
        self.assertEqual(project.steps(), ["proposal", "specs", "tasks", "challenge"])
        self.assertEqual([call["role"] for call in project.calls()],
                         ["proposer"] * 3 + ["challenger"])
        for name in ("proposal.md", "specs/login.md", "specs/logout.md", "tasks.md",
                     "CHALLENGE.md", "STATE.yaml"):
            self.assertTrue((project.change() / name).exists(), name)
        for line in ("Current state: phase=none", "Starting planning workflow...",
                     "Current state: phase=Proposed", "Current state: phase=Challenged",
                     "Success: phase=Challenged, proposal approved", f"agentd impl {ID}"):
            self.assertIn(line, out)
        self.assertIn("proposed → validating", out)

    def test_what_the_agents_are_given(self):
        # 003-60, 003-67, 003-68, 003-107, 003-142
        project = self.project()
        project.change().mkdir(parents=True)
        (project.change() / "clarifications.md").write_text("With a password?\nYes.\n")
        project.run("plan", ID)
        calls = project.calls()
        self.assertEqual(calls[0]["input"]["documents"],
                         {"clarifications.md": "With a password?\nYes.\n"})
        self.assertEqual(list(calls[1]["input"]["documents"]),
                         ["clarifications.md", "proposal.md"])
        self.assertEqual(sorted(calls[3]["input"]["documents"]),
                         ["clarifications.md", "proposal.md", "specs/login.md", "tasks.md"])
        project.run("impl", ID)
        given = [call for call in project.calls() if call["step"] == "implement"][0]["input"]
        self.assertEqual(given["specs"], ["specs/login.md"])
        self.assertLessEqual({"proposal.md", "specs/login.md", "tasks.md"},
                             set(given["documents"]))

    def test_reproposed(self):
        # 003-20, 003-34, 003-71, 003-74, 003-75, 003-178
        project = self.project({"challenge": REVISE})
        out = project.run("plan", ID, "add a login")
        self.assertEqual(project.steps(), ["proposal", "specs", "tasks", "challenge",
                                           "reproposal", "challenge"])
        self.assertIn("Verdict: NEEDS_REVISION",
                      project.calls()[4]["input"]["documents"]["CHALLENGE.md"])
        self.assertIn("asked for, 1", (project.change() / "proposal.md").read_text())
        self.assertEqual(project.state()["iteration"], "1")
        self.assertIn("reproposing → challenging", out)

    def test_so_often_and_no_more(self):
        # 003-76, 003-77, 003-79, 003-151, 003-167, 003-172, 003-179
        for most in (0, 2):
            with self.subTest(most=most):
                project = self.project({"challenge": ["NEEDS_REVISION"]}, planning=most)
                out = project.run("plan", ID, "x", code=1)
                self.assertEqual(project.steps().count("reproposal"), most)
                self.assertEqual(project.steps().count("challenge"), most + 1)
                self.phase(project, "Proposed", "NEEDS_REVISION")
                self.assertIn("Needs work: phase=Proposed, manual fixes needed", out)
                project.forget_calls()
                project.run("plan", ID, code=1)  # by the user: a fresh budget
                self.assertEqual(project.steps(), ["reproposal", "challenge"] * most)

    def test_rejected(self):
        # 003-11, 003-58, 003-72, 003-80, 003-133, 003-174
        project = self.project({"challenge": ["REJECTED", "APPROVED"]})
        out = project.run("plan", ID, "x", code=5)
        self.phase(project, "Rejected", "REJECTED")
        self.assertIn("Rejected: phase=Rejected, fundamental issues", out)
        project.forget_calls()
        self.assertIn("Manual fix needed", project.run("plan", ID, code=5))
        self.assertEqual(project.steps(), [])
        project.script()
        project.run("plan", ID, "--again")
        self.assertEqual(project.steps(), ["challenge"])
        self.phase(project, "Challenged", "APPROVED")

    def test_an_invalid_proposal(self):
        # 003-31, 003-38, 003-63, 003-64, 003-168, 003-175
        project = self.project({"files": {"proposal": {"proposal.md": "# X\n\n## Why\n\nso\n"}}})
        out = project.run("plan", ID, "x", code=1)
        self.assertEqual(project.steps(), ["proposal", "specs", "tasks"])
        self.phase(project, "Proposed")
        self.assertIn("What Changes", out)
        path = project.change() / "proposal.md"
        path.write_text("# X\n\n## Why\n\nso\n\n## What Changes\n\nit\n\n## Impact\n\nnone\n")
        project.forget_calls()
        project.run("plan", ID)  # a person has fixed it: validated and challenged
        self.assertEqual(project.steps(), ["challenge"])

    def test_small_repairs(self):
        # 003-65, 003-168
        text = "# X\n\n## why:\n\nso\n\n##What Changes\n\nit\n\n## IMPACT\n\nnone"
        project = self.project({"files": {"proposal": {"proposal.md": text}}})
        project.run("plan", ID, "x")
        self.assertIn("## Why\n", (project.change() / "proposal.md").read_text())

    def test_a_reproposal_that_is_invalid(self):
        # 003-178
        project = self.project({"challenge": REVISE,
                                "files": {"reproposal": {"proposal.md": "nothing\n"}}})
        project.run("plan", ID, "x", code=1)
        self.assertEqual(project.steps().count("challenge"), 1)
        self.phase(project, "Proposed")

    def test_verdicts_that_are_none(self):
        # 003-180
        for text in ("# Report\n", "Verdict: approved\n", "Verdict: NEEDS_CHANGES\n",
                     "Verdict: APPROVED\n\nVerdict: REJECTED\n"):
            with self.subTest(text=text):
                project = self.project({"report": {"challenge": text}})
                out = project.run("plan", ID, "x", code=1)
                self.assertIn(f"agentd/changes/{ID}/CHALLENGE.md", out)
                self.phase(project, "Proposed")
                self.assertEqual(project.state()["verdict"], "~")
                project.script()
                project.forget_calls()
                project.run("plan", ID)  # the step that failed, and no other
                self.assertEqual(project.steps(), ["challenge"])

    def test_a_new_change_needs_a_description(self):
        project = self.project()
        project.run("plan", ID, code=2)
        self.assertIn("description", project.errors)
        self.assertFalse(project.change().exists())

    def test_a_proposal_of_a_person_is_not_written_over(self):
        project = self.project()
        (project.change() / "specs").mkdir(parents=True)
        text = "# Mine\n\n## Why\n\na\n\n## What Changes\n\nb\n\n## Impact\n\nc\n"
        (project.change() / "proposal.md").write_text(text)
        project.run("plan", ID)
        self.assertEqual(project.steps(), ["challenge"])
        self.assertEqual((project.change() / "proposal.md").read_text(), text)

    def test_what_a_proposer_may_not_write(self):
        for path in ("../../x.md", "/tmp/x.md", "proposal.md/../../x.md", "specs/../x.md",
                     "STATE.yaml", "CHALLENGE.md", "specs/.md", "specs/a/b.md"):
            with self.subTest(path=path):
                project = self.project({"files": {"specs": {path: "x"}}})
                project.run("plan", ID, "x", code=1)
                self.assertIn("expected specs/NAME.md", project.out)
                self.assertEqual(project.steps(), ["proposal", "specs"])

    def test_a_link_does_not_lead_outside(self):
        project = self.project()
        outside = project.root / "outside"
        outside.mkdir()
        project.change().mkdir(parents=True)
        (project.change() / "specs").symlink_to(project.root.parent)
        project.run("plan", ID, "x", code=None)
        self.assertIn(project.code, (1, 3))
        self.assertFalse((project.root.parent / "login.md").exists())

    def test_an_agent_that_fails(self):
        # what is done is not done again
        project = self.project({"fail": {"specs": 3}})
        out = project.run("plan", ID, "x", code=1)
        self.assertIn("propose failed (exit)", out)
        self.assertEqual(project.steps(), ["proposal", "specs", "specs"])  # one more attempt
        project.script()
        project.forget_calls()
        project.run("plan", ID)
        self.assertEqual(project.steps(), ["specs", "tasks", "challenge"])

    def test_planned_already(self):
        # 003-133
        project = self.planned()
        out = project.run("plan", ID)
        self.assertEqual(project.steps(), [])
        self.assertIn(f"Ready for implementation: agentd impl {ID}", out)
        project.run("impl", ID)
        project.forget_calls()
        project.run("plan", ID, code=4)
        self.assertEqual(project.steps(), [])
        self.phase(project, "Complete")


class Impl(Case):
    def test_complete(self):
        # 003-02, 003-12, 003-13, 003-83, 003-84, 003-85, 003-103, 003-104, 003-105,
        # 003-108, 003-109, 003-113, 003-114, 003-115, 003-122, 003-123, 003-126, 003-147
        project = self.planned({"specs": ["a", "b"]})
        out = project.run("impl", ID)
        self.assertEqual(project.steps(), ["implement", "implement", "review"])
        self.assertEqual([call["role"] for call in project.calls()],
                         ["implementer", "implementer", "reviewer"])
        self.phase(project, "Complete", "APPROVED")
        self.assertTrue((project.workspace() / "src/a.txt").exists())
        self.assertIn("Verdict: APPROVED", (project.change() / "REVIEW.md").read_text())
        for line in ("Starting implementation workflow...",
                     "Current state: phase=Implementing", "Current state: phase=Complete",
                     "Success: phase=Complete, ready to archive", f"agentd archive {ID}"):
            self.assertIn(line, out)

    def test_all_at_once(self):
        # 003-153
        project = self.planned({"specs": ["a", "b"]}, sequential=False)
        project.run("impl", ID)
        self.assertEqual(project.steps(), ["implement", "review"])
        self.assertEqual(project.calls()[0]["input"]["specs"], ["specs/a.md", "specs/b.md"])

    def test_resolved(self):
        # 003-23, 003-87, 003-116, 003-118, 003-119
        project = self.planned({"review": CHANGE})
        out = project.run("impl", ID)
        self.assertEqual(project.steps(), ["implement", "review", "resolve", "review"])
        self.assertIn("Verdict: NEEDS_CHANGES",
                      project.calls()[2]["input"]["documents"]["REVIEW.md"])
        self.assertEqual(project.state()["iteration"], "1")
        self.assertIn("resolving → reviewing", out)

    def test_so_often_and_no_more(self):
        # 003-88, 003-120, 003-121, 003-124, 003-129, 003-152, 003-172, 003-179
        project = self.planned({"review": ["NEEDS_CHANGES"]}, implementation=1)
        out = project.run("impl", ID, code=1)
        self.assertEqual(project.steps(), ["implement", "review", "resolve", "review"])
        self.phase(project, "Implementing", "NEEDS_CHANGES")
        self.assertIn("Needs work: phase=Implementing, manual fixes needed", out)
        project.forget_calls()
        project.run("impl", ID, code=1)
        self.assertEqual(project.steps(), ["resolve", "review"])

    def test_major_issues(self):
        # 003-117, 003-125, 003-130, 003-169
        project = self.planned({"review": ["MAJOR_ISSUES", "APPROVED"]})
        out = project.run("impl", ID, code=1)
        self.assertEqual(project.steps(), ["implement", "review"])
        self.phase(project, "Implementing", "MAJOR_ISSUES")
        self.assertIn("Major issues: phase=Implementing, significant problems found", out)
        project.forget_calls()
        project.run("impl", ID)
        self.assertEqual(project.steps(), ["resolve", "review"])

    def test_no_review(self):
        # 003-127
        project = self.planned({"review": ["NEEDS_CHANGES"]}, implementation=0)
        project.run("impl", ID, code=1)
        (project.change() / "REVIEW.md").unlink()
        project.script()
        project.forget_calls()
        project.run("impl", ID)
        self.assertEqual(project.steps(), ["review"])

    def test_complete_already(self):
        # 003-28, 003-131, 003-170
        project = self.complete()
        before = self.journal(project)
        out = project.run("impl", ID)
        self.assertIn(f"agentd archive {ID}", out)
        self.assertEqual((project.steps(), self.journal(project)), ([], before))
        project.script(review=["NEEDS_CHANGES"])
        (project.agentd / "config.toml").write_text(
            (project.agentd / "config.toml").read_text().replace(
                "implementation_iterations = 2", "implementation_iterations = 0"))
        project.run("impl", ID, "--review", code=1)
        self.assertEqual(project.steps(), ["review"])
        self.phase(project, "Implementing", "NEEDS_CHANGES")

    def test_not_in_this_phase(self):
        # 003-132
        project = self.project({"challenge": ["NEEDS_REVISION"]}, planning=0)
        project.run("impl", ID, code=4)
        self.assertIn(f"agentd plan {ID}", project.errors)
        project.run("plan", ID, "x", code=1)
        project.run("impl", ID, code=4)
        self.assertIn("the phase is Proposed", project.errors)
        self.phase(project, "Proposed")
        project.script(challenge=["REJECTED"])
        project.run("plan", ID, "--again", code=5)
        project.run("impl", ID, code=4)
        self.assertIn("the phase is Rejected", project.errors)
        self.phase(project, "Rejected")

    def test_an_implementer_that_fails_goes_on(self):
        # 003-171
        project = self.planned({"specs": ["a", "b"], "fail": {"implement": 3}})
        project.run("impl", ID, code=1)
        self.phase(project, "Implementing")
        project.script(specs=["a", "b"])
        project.forget_calls()
        project.run("impl", ID)
        self.assertEqual(project.steps(), ["implement", "implement", "review"])

    def test_only_what_was_approved(self):
        project = self.planned()
        with (project.change() / "proposal.md").open("a") as out:
            out.write("And a thing that nobody has seen.\n")
        project.run("impl", ID, code=4)
        self.assertIn("proposal.md", project.errors)
        self.phase(project, "Challenged")
        self.assertIn("edited", project.run("status", ID))
        project.run("impl", ID, "--accept")
        self.phase(project, "Complete")

    def test_or_what_is_challenged_again(self):
        project = self.planned()
        with (project.change() / "proposal.md").open("a") as out:
            out.write("And another thing.\n")
        project.run("plan", ID, "--again")
        self.assertEqual(project.steps(), ["challenge"])
        self.assertIn("another thing", project.calls()[0]["input"]["documents"]["proposal.md"])
        project.run("impl", ID)
        self.phase(project, "Complete")


class Checks(Case):
    """The project's own tests and security scan are run for real, by the review."""

    def test_they_are_run_and_told(self):
        # 003-111, 003-112
        project = self.planned(test=["sh", "-c", f"echo tested >> {self.ran()}"],
                               scan=["sh", "-c", f"echo scanned >> {self.ran()}"])
        out = project.run("impl", ID)
        self.assertEqual(self.ran().read_text(), "tested\nscanned\n")
        self.assertIn("exit status 0", out)
        given = project.calls()[-1]["input"]["checks"]
        self.assertEqual([one["kind"] for one in given["results"]], ["test", "scan"])
        self.assertTrue(given["passed"])
        self.assertIn("## Checks", (project.change() / "REVIEW.md").read_text())

    def test_what_fails_is_resolved_and_nobody_is_asked(self):
        # 003-84, 003-111
        project = self.planned(test=["sh", "-c", "cat src/resolved.txt || { echo 'Verdict: "
                                     "APPROVED'; exit 3; }"])
        project.run("impl", ID)
        self.assertEqual(project.steps(), ["implement", "resolve", "review"])
        given = project.calls()[1]["input"]
        self.assertEqual(given["checks"]["results"][0]["exit_code"], 3)
        self.assertIn("Verdict: NEEDS_CHANGES", given["documents"]["REVIEW.md"])

    def test_a_scan_that_finds_something(self):
        # 003-112
        project = self.planned(scan=["sh", "-c", "echo 'CVE-1'; exit 1"], implementation=0)
        project.run("impl", ID, code=1)
        self.phase(project, "Implementing", "NEEDS_CHANGES")
        self.assertIn("CVE-1", (project.change() / "REVIEW.md").read_text())

    def test_a_command_that_is_not_there(self):
        project = self.planned(test=["no-such-command-here"], implementation=0)
        project.run("impl", ID, code=1)
        self.assertIn("no-such-command-here", project.out)
        self.phase(project, "Implementing", "NEEDS_CHANGES")


class People(Case):
    """What a person has edited is noticed, and never written over unasked."""

    def revised(self):
        project = self.project({"challenge": ["NEEDS_REVISION"]}, planning=0)
        project.run("plan", ID, "x", code=1)
        project.script(challenge=REVISE)
        config = project.agentd / "config.toml"
        config.write_text(config.read_text().replace("planning_iterations = 0",
                                                     "planning_iterations = 2"))
        project.forget_calls()
        return project

    def test_a_proposal_that_a_person_has_fixed(self):
        project = self.revised()
        path = project.change() / "proposal.md"
        path.write_text(path.read_text() + "\nMended by hand.\n")
        mine = path.read_text()
        project.run("plan", ID, code=1)
        # Challenged as it is; the next revision would write over it.
        self.assertEqual(project.steps(), ["challenge"])
        self.assertEqual(path.read_text(), mine)
        self.assertIn("proposal.md", project.out)
        self.assertIn("edited", project.out)
        project.forget_calls()
        project.run("plan", ID, "--overwrite")
        self.assertEqual(project.steps(), ["reproposal", "challenge"])
        self.assertNotEqual(path.read_text(), mine)

    def test_an_edit_while_the_agent_writes(self):
        project = self.revised()
        project.script(challenge=REVISE, hold=True)
        running = project.start("plan", ID)
        path = project.change() / "specs/login.md"
        while "reproposal" not in project.steps():
            time.sleep(0.05)
        path.write_text("# mine\n")
        project.release()
        running.communicate(timeout=600)
        self.assertEqual((running.returncode, path.read_text()), (1, "# mine\n"))

    def test_a_folder_that_was_taken_away(self):
        project = self.revised()
        shutil.rmtree(project.change())
        project.script()
        project.run("plan", ID)
        self.assertEqual(project.steps(), ["proposal", "specs", "tasks", "challenge"])
        self.phase(project, "Challenged")

    def test_a_store_that_is_lost(self):
        # Without STATE.yaml, too: what people can see is there, and is challenged again.
        project = self.planned()
        before = (project.change() / "proposal.md").read_text()
        shutil.rmtree(project.agentd / ".state")
        (project.change() / "STATE.yaml").unlink()
        project.run("impl", ID, code=4)
        project.run("plan", ID)
        self.assertEqual(project.steps(), ["challenge"])
        self.assertEqual((project.change() / "proposal.md").read_text(), before)
        self.phase(project, "Challenged", "APPROVED")

    def test_a_huge_report(self):
        project = self.revised()
        with (project.change() / "CHALLENGE.md").open("w") as out:
            out.write("Verdict: APPROVED\n" + "x" * (50 << 20))
        project.run("plan", ID, code=7)
        self.assertIn("CHALLENGE.md", project.errors)
        self.assertEqual(project.steps(), [])

    def test_state_is_written_from_the_store(self):
        # 003-56, 003-62, 003-141, 003-181
        project = self.planned()
        path = project.change() / "STATE.yaml"
        right = path.read_text()
        self.assertEqual([line.split(":")[0] for line in right.splitlines()
                          if not line.startswith("#")],
                         ["change_id", "phase", "verdict", "iteration", "revision",
                          "created_at", "updated_at", "digest"])
        for wrong in (right.replace("Challenged", "Complete"), "phase: [", ""):
            path.write_text(wrong)
            project.run("archive", ID, code=4)
            self.assertIn("rewritten from the store", project.errors)
            self.assertEqual(path.read_text(), right)
        path.unlink()
        self.assertIn("STATE.yaml", project.run("status", ID))
        self.assertFalse(path.exists())  # status only reads
        project.run("plan", ID)
        self.assertEqual(path.read_text(), right)


class Archive(Case):
    def test_archived(self):
        # 003-03, 003-14, 003-24, 003-134, 003-136, 003-137, 003-138, 003-139, 003-148,
        # 003-149, 003-173, 003-176
        project = self.complete({"specs": ["a", "b"]})
        out = project.run("archive", ID)
        self.assertIn("phase=Archived", out)
        self.assertFalse(project.change().exists())
        self.assertTrue((project.archived() / "proposal.md").exists())
        for name in ("a", "b"):
            text = (project.agentd / f"specs/{name}.md").read_text()
            self.assertRegex(text, r"^---\narchived: \d{4}-\d\d-\d\d\n---\n")
        self.phase(project, "Archived")
        before = self.journal(project)
        project.run("archive", ID)  # again: it is so
        self.assertEqual(self.journal(project), before)
        project.run("impl", ID, code=4)
        self.assertIn("Archived", project.errors)
        project.run("plan", ID, "x", code=4)

    def test_only_what_is_complete(self):
        # 003-135
        project = self.project()
        project.run("archive", ID, code=4)
        project.run("plan", ID, "x")
        project.run("archive", ID, code=4)
        self.assertIn("the phase is Challenged", project.errors)
        self.assertTrue(project.change().exists())

    def test_a_spec_of_the_same_name(self):
        # 003-177
        project = self.complete({"specs": ["a", "b"]})
        other = project.agentd / "specs/b.md"
        other.write_text("# another b\n")
        out = project.run("archive", ID, code=4)
        self.assertIn("specs/b.md", out)
        self.assertEqual(other.read_text(), "# another b\n")
        self.assertFalse((project.agentd / "specs/a.md").exists())
        self.phase(project, "Complete")
        project.run("archive", ID, "--overwrite")
        self.assertIn("# b", other.read_text())
        self.phase(project, "Archived")

    def test_edited_since(self):
        project = self.complete()
        (project.change() / "specs/login.md").write_text("# something else\n")
        project.run("archive", ID, code=4)
        self.assertIn("specs/login.md", project.errors)
        self.phase(project, "Complete")
        project.run("archive", ID, "--accept")
        self.phase(project, "Archived")

    def test_an_id_of_the_archive(self):
        project = self.project()
        (project.archived("old")).mkdir(parents=True)
        project.run("plan", "old", "x", code=4)
        self.assertIn("archived already", project.errors)


class Commands(Case):
    def test_removed_ones(self):
        # 003-06, 003-07, 003-154, 003-155, 003-156, 003-157, 003-158
        project = self.project()
        for name, instead in (("proposal", "plan"), ("challenge", "plan"),
                              ("reproposal", "plan"), ("review", "impl"),
                              ("resolve-reviews", "impl"), ("plan-change", "plan"),
                              ("merge-change", "archive")):
            project.run(name, ID, code=2)
            self.assertIn(f"`agentd {instead}`", project.errors)

    def test_help(self):
        # 003-08
        out = self.project().run("--help")
        for word in ("plan", "impl", "archive", "status", "list", "diff", "graph", "init",
                     "Exit codes"):
            self.assertIn(word, out)

    def test_init_with_agents(self):
        project = self.project()
        shutil.rmtree(project.agentd)
        programs = project.root / "programs"
        programs.mkdir()
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = f"{programs}:/usr/bin:/bin"
        out = project.run("init", "--agent", "codex", code=1)
        text = (project.agentd / "config.toml").read_text()
        self.assertEqual(len(re.findall('(?m)^kind = "codex"$', text)), 4)
        self.assertEqual(len(re.findall('(?m)^access = "write"$', text)), 1)
        for role in ("proposer", "challenger", "implementer", "reviewer"):
            self.assertRegex(out, rf"(?m)^{role}: missing \(codex\)")
        # What is there stays.
        (project.agentd / "config.toml").write_text(text.replace("codex", "gemini"))
        self.assertRegex(project.run("init", "--yes", code=1), "proposer: missing .gemini")
        self.assertIn("--agent claude changes nothing", project.run("init", "--agent", "claude", code=1))
        (project.agentd / "config.toml").write_text('version = "1"\n')
        project.run("plan", ID, "x", code=2)
        self.assertRegex(project.errors, r"config.toml:1:11: version: expected an integer\n")
        # Without --agent and --yes, and no terminal: the examples only, as before.
        shutil.rmtree(project.agentd)
        self.assertIn("Next: name the agents", project.run("init"))
        self.assertNotRegex((project.agentd / "config.toml").read_text(), r"(?m)^\[agents")
        # Those that are named later; nothing was edited.
        out = project.run("init", "--agent", "codex", code=1)
        self.assertRegex((project.agentd / "config.toml").read_text(), r'(?m)^kind = "codex"$')
        self.assertNotIn("Next:", out)
        self.assertIn("When that is done", out)
        for line in (["init", "--agent", "emacs"], ["list", "--agent", "codex"]):
            project.run(*line, code=2)

    def test_json_for_programs(self):
        project = self.project()
        self.assertEqual(project.run("list", "--json"), "")
        project.run("plan", ID, "Users log in")
        (seen,) = [json.loads(line) for line in project.run("status", "--json").splitlines()]
        self.assertEqual((seen["change"], seen["phase"], seen["verdict"], seen["description"]),
                         (ID, "Challenged", "APPROVED", "Users log in"))
        self.assertEqual((seen["owner"], seen["resting"], seen["step"]), (None, True, None))
        for line in (["status", ID], ["list"]):
            found = json.loads(project.run(*line, "--json"))
            self.assertEqual({key: found[key] for key in seen}, seen)
        shutil.rmtree(project.agentd / ".state")  # as in a clone
        from_file = json.loads(project.run("status", ID, "--json"))
        self.assertEqual((from_file["phase"], from_file["source"]), ("Challenged", "STATE.yaml"))
        (spec,) = [json.loads(line) for line in project.run("diff", ID, "--json").splitlines()]
        self.assertEqual(spec["part"], "specs/login.md")

    def test_version(self):
        self.assertRegex(self.project().run("--version"), r"^agentd \d+\.\d+\.\d+")

    def test_no_configuration(self):
        project = self.project()
        (project.agentd / "config.toml").unlink()
        project.run("plan", ID, "x", code=2)
        self.assertRegex(project.errors, r"agentd/config\.toml: No such file; `agentd init`")

    def test_ids(self):
        project = self.project()
        for name in ("a/b", "..", ".", "../x", "a b", "a\nb", "-x", "x" * 300, "", "ä", "a.b"):
            for command in ("plan", "impl", "archive", "status", "diff"):
                arguments = (command, "--", name) + (("x",) if command == "plan" else ())
                project.run(*arguments, code=2)
        self.assertEqual(list((project.agentd / "changes").iterdir()), [])

    def test_command_lines(self):
        project = self.project()
        for line in ((), ("plan",), ("impl",), ("nonsense",), ("list", "x"),
                     ("impl", ID, "--again"), ("archive", ID, "--review"),
                     ("plan", ID, "x", "y"), ("status", "--what")):
            project.run(*line, code=2)

    def test_a_folder_without_agentd(self):
        done = subprocess.run([AGENTD, "status"], cwd="/", capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("agentd", done.stderr)

    def test_from_a_folder_inside(self):
        project = self.project()
        inside = project.root / "src/deep"
        inside.mkdir(parents=True)
        done = subprocess.run([AGENTD, "plan", ID, "x"], cwd=inside, check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((project.change() / "proposal.md").exists())

    def test_a_bad_configuration(self):
        # 003-150
        project = self.project()
        config = project.agentd / "config.toml"
        good = config.read_text()
        for bad in (good.replace("planning_iterations", "planing_iterations"),
                    good.replace("version = 1", "version = 2"),
                    good.replace("planning_iterations = 2", "planning_iterations = -1")):
            config.write_text(bad)
            project.run("plan", ID, "x", code=2)
            self.assertRegex(project.errors, r"config\.toml:\d+")
            self.assertFalse(project.change().exists())
        config.write_text(good.split("[agents.challenger]")[0])
        project.run("plan", ID, "x", code=2)
        self.assertIn("challenger", project.errors)

    def test_init_keeps_what_is_there(self):
        project = self.project()
        before = (project.agentd / "config.toml").read_text()
        self.assertIn("exists already", project.run("init"))
        self.assertEqual((project.agentd / "config.toml").read_text(), before)

    def test_status_and_list(self):
        # 003-04, 003-05
        project = self.complete()
        project.run("archive", ID)
        project.run("plan", "second", "and another")
        self.assertNotIn(ID, project.run("status"))
        self.assertIn("second", project.out)
        self.assertIn(ID, project.run("list"))
        self.assertIn("Archived", project.out)
        project.run("status", "nobody", code=4)
        project.run("graph", "nobody", code=4)

    def test_diff(self):
        project = self.planned()
        (project.agentd / "specs/login.md").write_text("# login\n\nAs before.\n")
        out = project.run("diff", ID)
        self.assertIn("-As before.", out)
        self.assertIn("+It works, specs.", out)
        self.assertIn(f"+++ agentd/changes/{ID}/specs/login.md\n", out)
        project.run("diff", "nobody", code=4)

    def test_graph_draws_the_arrows_of_the_diagrams(self):
        from diagrams import DIAGRAMS
        project = self.project()
        for name, arrows in DIAGRAMS.items():
            out = project.run("graph", name)
            drawn = re.findall(r"^ *(\S+) --> (\S+?)(?::|$)", out, re.MULTILINE)
            wanted = [("[*]" if a == "*" else a, "[*]" if b == "*" else b)
                      for _, a, b in arrows]
            self.assertEqual(sorted(drawn), sorted(wanted), name)
            self.assertTrue(out.startswith("stateDiagram-v2\n"))
        project.run("plan", ID, "x")
        self.assertIn("class challenged here", project.run("graph", ID))


class Terminal(Case):
    def test_symbols_at_a_terminal_only(self):
        # 003-160, 003-161, 003-162
        project = self.project()
        self.assertNotRegex(project.run("plan", ID, "x"), "[📊✅]")
        text, code = at_terminal(project.root, [AGENTD, "impl", ID], b"", NO_COLOR="1")
        self.assertEqual(code, 0, text)
        self.assertIn("📊 Current state: phase=Challenged", text)
        self.assertIn("▶️  Starting implementation workflow...", text)
        self.assertIn("✅ Success: phase=Complete", text)
        self.assertIn("challenged → implementing", text)


class Twice(Case):
    def test_a_run_started_twice_at_once(self):
        project = self.project({"hold": True})
        first = project.start("plan", ID, "x")
        while not project.calls():
            time.sleep(0.05)
        project.run("plan", ID, "x", code=6)
        self.assertIn("is at work on it", project.errors)
        self.assertIn("at work", project.run("status", ID))
        project.release()
        first.communicate(timeout=600)
        self.assertEqual(first.returncode, 0)
        self.assertEqual(project.steps(), ["proposal", "specs", "tasks", "challenge"])

    def test_several_at_the_very_same_time(self):
        project = self.project()
        running = [project.start("plan", ID, "x") for _ in range(4)]
        codes = []
        for process in running:
            process.communicate(timeout=600)
            codes.append(process.returncode)
        self.assertLessEqual(set(codes), {0, 6})
        project.run("plan", ID)
        self.assertEqual(project.steps(), ["proposal", "specs", "tasks", "challenge"])

    def test_two_changes_at_once(self):
        project = self.project()
        running = [project.start("plan", name, "x") for name in ("one", "two")]
        for process in running:
            self.assertEqual(process.communicate(timeout=600)[1], "")
            self.assertEqual(process.returncode, 0)

    def test_a_signal(self):
        project = self.project({"hold": True})
        running = project.start("plan", ID, "x")
        while not project.calls():
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=600)
        self.assertEqual(running.returncode, 130)
        self.assertIn(f"`agentd resume {ID}`, or the same command again", errors)
        project.script()
        project.run("plan", ID)
        self.phase(project, "Challenged")
        self.assertEqual(project.steps()[-3:], ["specs", "tasks", "challenge"])

    def test_every_signal_pauses_and_resume_continues(self):
        project = self.project({"hold": True})
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            before = len(project.calls())
            words = ("plan", ID, "x") if before == 0 else ("resume", ID)
            running = project.start(*words)
            while len(project.calls()) == before:
                time.sleep(0.05)
            running.send_signal(number)
            running.communicate(timeout=600)
            self.assertEqual(running.returncode, 130)
            for agent in project.calls():
                self.assertTrue(ends(agent["process"]), "an agent is left")
        project.script()
        project.run("resume", ID)
        self.phase(project, "Challenged")
        project.run("resume", ID, code=4)
        self.assertIn("nothing of it was interrupted", project.errors)
        project.run("resume", "nobody", code=4)

    def test_resume_continues_an_implementation(self):
        project = self.planned()
        project.script(hold=True)
        running = project.start("impl", ID)
        while not project.calls():
            time.sleep(0.05)
        running.kill()
        running.communicate()
        project.script()
        project.release()
        project.run("resume", ID)
        self.phase(project, "Complete")

    def test_killed_at_each_step(self):
        # what is done is not done again; the agent that was at work is found again
        project = self.project({"seconds": 0.4, "challenge": REVISE, "review": CHANGE})
        for command, last in (("plan", "challenge"), ("impl", "review")):
            project.forget_calls()
            for _ in range(3):
                before = len(project.calls())
                running = project.start(command, ID, *(["x"] if command == "plan" else []))
                while len(project.calls()) == before and running.poll() is None:
                    time.sleep(0.02)
                running.kill()
                running.communicate()
            project.run(command, ID)
            self.assertEqual(project.steps()[-1], last)
        ids = [(call["id"], call["attempt"]) for call in project.calls()]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual(project.steps(), ["implement", "review", "resolve", "review"])


if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and programs inherit that
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
