"""agentd for scripts, and what it says at the end: log, clean, --json, the summary.

usage: test_look.py AGENTD WFSM
"""

import json
import re
import subprocess
import sys
import time
import unittest

from case import AGENTD, ID, Case

NOTHING = "nothing to remove: no change was archived long enough ago\n"

class Look(Case):
    def runs(self, project):
        return sorted(path.name for path in (project.agentd / ".state/runs").glob("*"))

    def test_every_command_prints_the_change(self):
        # 003: --json; what is for people goes to standard error
        project = self.project()
        planned = json.loads(project.run("plan", ID, "add a login", "--json"))
        self.assertEqual((planned["change"], planned["phase"], planned["resting"]), (ID, "Challenged", True))
        self.assertIn("phase=Challenged", project.errors)
        done = json.loads(project.run("impl", ID, "--json"))
        self.assertEqual((done["phase"], done["verdict"]), ("Complete", "APPROVED"))
        self.assertGreaterEqual(done["took"], 0)
        self.assertEqual(json.loads(project.run("status", ID, "--json")), done)
        refused = json.loads(project.run("plan", ID, "--json", code=4))
        self.assertEqual(refused["phase"], "Complete")
        again = json.loads(project.run("reject", ID, "not like this", "--yes", "--json"))
        self.assertEqual(again["phase"], "Implementing")
        self.assertEqual(project.run("resume", "none", "--json", code=4), "")

    def test_the_step_of_the_workflow_at_work(self):
        project = self.project({"hold": "challenge"})
        process = project.start("plan", ID, "add a login")
        while "challenge" not in project.steps():
            time.sleep(0.02)
        seen = json.loads(project.run("status", ID, "--json"))
        self.assertEqual((seen["step"], seen["phase"]), ("challenging", "Proposed"))
        self.assertRegex(project.run("status", ID), r"at work .*, at challenging")
        project.release()
        process.communicate(timeout=600)
        self.assertIsNone(json.loads(project.run("status", ID, "--json"))["step"])

    def test_each_piece_of_work_has_its_line(self):
        project = self.project({"challenge": ["NEEDS_REVISION", "NEEDS_REVISION", "APPROVED"]})
        out = project.run("plan", ID, "add a login")
        pieces = re.findall(r"proposer is at work \((\w+)\)", out)
        self.assertEqual(pieces, ["proposal", "specs", "tasks", "reproposal", "reproposal"])
        self.assertEqual(re.findall("verdict: (.*)", out), ["NEEDS_REVISION", "NEEDS_REVISION", "APPROVED"])
        out = project.run("impl", ID)
        self.assertIn("implementer is at work (implement specs/login.md)\n", out)
        self.assertIn("tests and scan are run\n", out)

    def test_a_second_attempt_has_its_line(self):
        project = self.project({"fail": {"proposal": 7}})
        out = project.run("plan", ID, "add a login", code=1)
        self.assertRegex(out, r"proposer is at work \(proposal\)\n(?s:.*)proposer is at work, attempt 2\n")

    def test_the_diff_has_the_code(self):
        project = self.project()
        project.run("plan", ID, "add a login")
        self.assertNotIn("src", project.run("diff", ID))
        project.run("impl", ID)
        out = project.run("diff", ID)
        parts = [json.loads(line) for line in project.run("diff", ID, "--json").splitlines()]
        self.assertEqual([part["part"] for part in parts], ["specs/login.md", "code"])
        self.assertEqual("".join(part["diff"] for part in parts), out)
        self.assertRegex(parts[1]["diff"], r"(?m)^\+made from ")

    def test_what_is_no_text_is_json_all_the_same(self):
        project = self.project()
        project.run("plan", ID, "add a login")
        (project.change() / "specs/login.md").write_bytes(b"a\xff\x1b[2J\n")
        (part,) = [json.loads(line) for line in project.run("diff", ID, "--json").splitlines()]
        self.assertIn("\n+a?\x1b[2J\n", part["diff"])

    def test_the_diagram(self):
        project = self.planned()
        drawn = json.loads(project.run("graph", ID, "--json"))
        self.assertEqual((drawn["workflow"], drawn["state"]), ("lifecycle", "challenged"))
        self.assertEqual(drawn["diagram"], project.run("graph", ID))
        self.assertIsNone(json.loads(project.run("graph", "impl", "--json"))["state"])
        self.assertEqual(project.run("graph", "nobody", "--json", code=4), "")

    def test_no_change_yet(self):
        project = self.project()
        for command in "status", "list":
            self.assertEqual(project.run(command), "no change yet\n")
            self.assertEqual(project.run(command, "--json"), "")

    def test_a_summary_at_the_end(self):
        project = self.project()
        self.assertRegex(project.run("plan", ID, "add a login"),
                         rf"took .* since it was planned, \d iterations?\n.*look +agentd status {ID}, agentd log {ID}, agentd diff {ID}\n")
        out = project.run("impl", ID)
        self.assertRegex(out, r"changed +\d+ files?: ")

    def test_what_agents_have_written(self):
        project = self.planned()
        names = self.runs(project)
        self.assertTrue(names)
        out = project.run("log", ID)
        self.assertRegex(out, r"==> .*\.(log|out) <==\n")
        lines = [json.loads(line) for line in project.run("log", ID, "--json").splitlines()]
        self.assertEqual({line["file"] for line in lines} - set(names), set())
        self.assertTrue(all(line["text"] for line in lines))
        project.run("log", "none", code=4)
        self.assertIn("there is no such change", project.errors)
        project.run("log", "a/b", code=2)

    def test_outside_of_a_project_one_line_says_so(self):
        for words in (["plan", ID, "x"], ["impl", ID], ["archive", ID], ["resume", ID], ["list"]):
            done = subprocess.run([AGENTD, *words, "--json"], cwd="/", capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, r"^agentd: there is no folder agentd in .*; `agentd init` makes one\n$")

    def test_logs_go_when_they_are_not_kept(self):
        project = self.planned()
        project.run("impl", ID)
        self.assertEqual(project.run("clean"), NOTHING)  # it is not archived
        project.run("archive", ID)
        self.assertEqual(project.run("clean"), NOTHING)  # not long enough ago
        before = self.runs(project)
        config = project.agentd / "config.toml"
        config.write_text("keep_days = 0\n" + config.read_text().replace("keep_days", "# keep_days"))
        project.run("plan", "other", "another change")
        self.assertRegex(project.run("clean"), rf"^{ID}: \d+ log files are removed\n$")
        left = self.runs(project)
        self.assertTrue(left and not any(name.startswith(ID + "+") for name in left), left)
        self.assertTrue(any(name.startswith(ID + "+") for name in before))
        cleaned = json.loads(project.run("clean", "other", "--json"))
        self.assertEqual((cleaned["change"], cleaned["removed"]), ("other", len(left)))
        self.assertEqual(self.runs(project), [])
        self.assertIn("phase=Challenged", project.run("status", "other"))
        config.write_text("keep_days = -1\n")
        project.run("clean", code=2)
        self.assertIn("config.toml:1:13", project.errors)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
