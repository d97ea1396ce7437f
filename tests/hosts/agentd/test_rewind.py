"""agentd restore and fork: a change goes back to a revision, or another one begins there.

usage: test_rewind.py AGENTD WFSM
"""

import json
import signal
import sys
import unittest

from case import ID, Case


class Restore(Case):
    def test_from_complete_to_before_the_implementation(self):
        project = self.planned()
        project.run("impl", ID)
        out = project.run("restore", ID, "--before", "impl")
        self.assertIn("phase=Challenged", out)
        self.phase(project, "Challenged", "APPROVED")
        restored = self.journal(project)[-1]
        self.assertEqual((restored["input"]["kind"], restored["origin"]["interface"]), ("restore", "command"))
        project.run("impl", ID)
        self.phase(project, "Complete", "APPROVED")
        project.run("archive", ID)
        project.run("restore", ID, "--before", "impl", code=4)
        self.assertIn("Archived", project.errors)

    def test_a_workflow_that_was_at_work_begins_again(self):
        project = self.planned()
        project.run("impl", ID)
        project.forget_calls()
        self.assertIn(f"agentd resume {ID}", project.run("restore", ID, "--before", "done.invoke.impl"))
        self.phase(project, "Implementing")
        project.run("resume", ID)
        self.assertEqual(project.steps()[0], "implement")
        self.phase(project, "Complete", "APPROVED")

    def test_within_a_workflow_that_was_paused(self):
        project = self.planned({"hold": "review"})
        process = project.start("impl", ID)
        while "review" not in project.steps():
            pass
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        project.script()
        project.forget_calls()
        project.run("restore", ID, "--before", "reviewer")
        project.run("resume", ID)
        self.assertEqual(project.steps(), ["review"])
        self.phase(project, "Complete", "APPROVED")

    def test_what_was_edited_since_does_not_count_as_approved(self):
        project = self.planned()
        project.run("impl", ID)
        with (project.change() / "proposal.md").open("a") as out:
            out.write("\nAnd more.\n")
        project.run("restore", ID, "--before", "impl")
        project.run("impl", ID, code=4)
        self.assertIn("edited since it was approved", project.errors)

    def test_what_is_refused_changes_nothing(self):
        project = self.planned()
        project.run("impl", ID)
        before = self.journal(project)
        for code, words, why in (
                (2, (), "--before NAME or --at REVISION"),
                (2, ("--at", "0"), "a number from 1"), (2, ("--at", "1x"), "a number from 1"),
                (4, ("--at", "500"), "500"), (4, ("--before", "nobody"), "no agent, event or state nobody"),
                (4, ("--before", "reviewer"), f"agentd impl {ID} --review")):
            with self.subTest(words=words):
                project.run("restore", ID, *words, code=code)
                self.assertIn(why, project.errors)
        self.assertEqual(self.journal(project), before)
        project.run("restore", "none", "--at", "1", code=4)
        project.run("plan", ID, "--before", "x", code=2)

    def test_json(self):
        project = self.planned()
        made = json.loads(project.run("restore", ID, "--at", "1", "--json"))
        self.assertEqual((made["change"], made["phase"]), (ID, None))


class Files(Case):
    """What agentd has written goes back with the change."""

    def texts(self, project):
        names = ("proposal.md", "specs/login.md", "CHALLENGE.md", "REVIEW.md")
        paths = [project.change() / name for name in names]
        return [path.read_text() if path.exists() else None for path in paths]

    def test_a_report_goes_back_with_its_verdict(self):
        project = self.planned()
        project.run("impl", ID)
        project.run("reject", ID, "it must greet the world")
        before = self.texts(project)
        project.run("impl", ID)
        project.run("restore", ID, "--before", "impl")
        self.phase(project, "Implementing", "NEEDS_CHANGES")
        self.assertEqual(self.texts(project), before)
        self.assertNotIn("edited", project.run("status", ID))
        project.forget_calls()
        project.run("impl", ID)
        self.assertEqual(project.steps(), ["resolve", "review"])
        self.assertIn("greet the world", project.calls()[0]["input"]["documents"]["REVIEW.md"])
        self.phase(project, "Complete", "APPROVED")

    def test_to_each_revision(self):
        """No revision has a report of a later decision, and no text of agentd's counts as edited."""
        project = self.planned({"challenge": ["NEEDS_REVISION", "APPROVED"]})
        after = {self.journal(project)[-1]["revision"]: self.texts(project)}
        for words in (["reject", ID, "no"], ["plan", ID], ["impl", ID], ["reject", ID, "not so"], ["impl", ID]):
            project.run(*words)
            after[self.journal(project)[-1]["revision"]] = self.texts(project)
        for revision, texts in reversed(after.items()):
            with self.subTest(revision=revision):
                project.run("restore", ID, "--at", str(revision))
                self.assertEqual(self.texts(project), texts)
                self.assertNotIn("edited", project.run("status", ID))
        for revision, texts in after.items():  # and forth
            project.run("restore", ID, "--at", str(revision))
            self.assertEqual(self.texts(project), texts)
        project.run("archive", ID)

    def test_what_a_person_has_edited_stays(self):
        project = self.planned()
        project.run("impl", ID)
        project.run("reject", ID, "not so")
        project.run("impl", ID)
        report = project.change() / "REVIEW.md"
        report.write_text("Mine.\n\nVerdict: APPROVED\n")
        project.run("restore", ID, "--before", "impl")
        self.assertEqual(report.read_text(), "Mine.\n\nVerdict: APPROVED\n")
        self.assertRegex(project.run("status", ID), "edited +REVIEW.md")
        project.run("impl", ID, code=7)


class Fork(Case):
    def test_a_change_of_its_own(self):
        project = self.planned()
        project.run("impl", ID)
        before = self.journal(project)
        self.assertIn("phase=Challenged", project.run("fork", ID, "other", "--before", "impl"))
        self.assertEqual(self.journal(project), before)
        self.assertEqual(project.state("other")["phase"], "Challenged")
        self.assertEqual((project.change("other") / "proposal.md").read_text(),
                         (project.change() / "proposal.md").read_text())
        project.run("impl", "other")
        self.assertEqual(project.calls()[-1]["input"]["change"], "other")
        self.assertEqual((project.state("other")["phase"], project.state()["phase"]), ("Complete", "Complete"))
        self.assertEqual(json.loads(project.run("fork", ID, "third", "--before", "impl", "--json"))["change"], "third")

    def test_with_the_documents_of_then(self):
        project = self.planned()
        before = (project.change() / "proposal.md").read_text()
        project.run("reject", ID, "not so")
        project.run("plan", ID)
        self.assertNotEqual((project.change() / "proposal.md").read_text(), before)
        project.run("fork", ID, "other", "--before", "challenge_decided")
        self.assertEqual((project.change("other") / "proposal.md").read_text(), before)
        self.assertNotIn("edited", project.run("status", "other"))
        project.run("impl", "other")

    def test_what_is_refused(self):
        project = self.planned()
        project.run("impl", ID)
        complete = [r["revision"] for r in self.journal(project)][-1]
        for code, words, why in (
                (4, ("other", "--at", str(complete)), "--before impl"),
                (4, ("other", "--before", "done.invoke.impl"), "a workflow is at work"),
                (4, (ID, "--before", "impl"), "already"), (2, ("a/b", "--before", "impl"), "change id"),
                (4, ("other", "--before", "nobody"), "no agent"), (2, ("--before", "impl"), "new change")):
            with self.subTest(words=words):
                project.run("fork", ID, *words, code=code)
                self.assertIn(why, project.errors)
        self.assertFalse(project.change("other").exists())
        project.run("status", "other", code=4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
