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
