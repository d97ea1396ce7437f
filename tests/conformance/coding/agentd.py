"""agentd with claude, codex and gemini, each of which asks a scripted model.

usage: agentd.py FOLDER AGENTD
"""
import sys
from pathlib import Path

from model import Rule
from world import World, main

AGENTD = str(Path(sys.argv[2]).resolve())
PROPOSER, CHALLENGER, IMPLEMENTER, REVIEWER = ("You write proposals", "You challenge a proposal", "You implement an approved change",
                                               "You review an implementation")
# gemini without a model asks another one which of them it takes.
MODELS = {"gemini": 'model = "gemini-2.5-flash"\n'}
CHECK = 'test "$(sh greet.sh)" != ""'


def step(name):
    return f'"step":"{name}"'


def proposal(words):
    return f"# A greeting\n\n## Why\n\nNobody is greeted.\n\n## What Changes\n\n{words}\n\n## Impact\n\nOne program.\n"


def report(words, verdict):
    return {"report": f"# Report\n\n{words}\n\nVerdict: {verdict}\n", "summary": words}


def files(**texts):
    return {"files": [{"path": path, "text": text} for path, text in texts.items()], "summary": "written"}


SCRIPT = [
    Rule([PROPOSER, step("proposal")], ("answer", files(**{"proposal.md": proposal("A program greets.")}))),
    Rule([PROPOSER, step("specs")], ("answer", files(**{"specs/greeting.md": "# Greeting\n\nThe program greet.sh greets.\n"}))),
    Rule([PROPOSER, step("tasks")], ("answer", files(**{"tasks.md": "# Tasks\n\n- [ ] Write greet.sh\n"}))),
    Rule([PROPOSER, step("reproposal"), "Which words?"], ("answer", files(**{"proposal.md": proposal("A program says hello.")}))),
    Rule([CHALLENGER, "says hello"], ("answer", report("All is said.", "APPROVED"))),
    Rule([CHALLENGER], ("answer", report("Which words?", "NEEDS_REVISION"))),
    Rule([IMPLEMENTER, step("resolve"), "whom it greets"], ("replace", "greet.sh", "echo hello", "echo hello, world"), ("answer", {"summary": "the world"})),
    Rule([IMPLEMENTER, step("resolve"), "helo is misspelt"], ("replace", "greet.sh", "echo helo", "echo hello"), ("answer", {"summary": "spelt right"})),
    Rule([IMPLEMENTER, step("implement")], ("write", "greet.sh", "echo helo\n"), ("answer", {"summary": "greets"})),
]


def reviews():
    return [Rule([REVIEWER], ("answer", report("helo is misspelt in greet.sh.", "NEEDS_CHANGES")), times=1),
            Rule([REVIEWER], ("answer", report("Good.", "APPROVED")))]


class Agentd(World):
    def configure(self, **kinds):
        self.call(AGENTD, "init")
        config = self.project / "agentd/config.toml"
        text = config.read_text().replace("# test = [\"make\", \"test\"]", f"test = [\"sh\", \"-c\", '{CHECK}']")
        self.assertIn(CHECK, text)
        for role, kind in kinds.items():
            access = "write" if role == "implementer" else "read"
            text += (f'\n[agents.{role}]\nkind = "{kind}"\naccess = "{access}"\nprompt = "{{dir}}/prompts/{role}.md"\n'
                     f'timeout_ms = 120000\n{MODELS.get(kind, "")}')
        config.write_text(text, encoding="utf-8")

    def begin(self, proposer, challenger, implementer, reviewer):
        self.new_project()
        self.configure(proposer=proposer, challenger=challenger, implementer=implementer, reviewer=reviewer)
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", "agentd")
        self.teach(*SCRIPT, *reviews())

    def phase(self):
        (state,) = self.objects(AGENTD, "status", "greeting", "--json")
        return state["phase"]

    def plan_and_implement(self, *kinds):
        """The proposal is written twice, and the implementation is resolved once."""
        self.begin(*kinds)
        self.call(AGENTD, "plan", "greeting", "A program that greets")
        self.assertEqual(self.phase(), "Challenged")
        (change,) = self.objects(AGENTD, "impl", "greeting", "--json")
        self.assertEqual(change["phase"], "Complete", change)
        self.assertEqual(self.model.lost, [], self.questions())
        for folder in self.folders(""):
            self.assertTrue(Path(folder).is_relative_to(self.project), folder)
        return change

    def archive(self):
        self.call(AGENTD, "archive", "greeting")
        self.assertEqual(self.phase(), "Archived")
        self.assertIn("greets", self.text("agentd/specs/greeting.md"))

    def test_a_person_rejects_what_was_approved(self):
        change = self.plan_and_implement("gemini", "codex", "claude", "codex")
        asked = len(self.model.asked)
        self.assertEqual((change["usage"]["input_tokens"], change["usage"]["output_tokens"]), (1000 * asked, 20 * asked))
        self.assertGreater(change["usage"]["micros"], 0)  # of claude
        self.call(AGENTD, "reject", "greeting", "It must say whom it greets", "--yes")
        self.call(AGENTD, "archive", "greeting", code=4)
        self.call(AGENTD, "impl", "greeting")
        self.archive()
        self.assertEqual(self.text("greet.sh"), "echo hello, world\n")
        self.assertEqual(self.model.lost, [], self.questions())

    def test_codex_implements(self):
        self.plan_and_implement("claude", "gemini", "codex", "gemini")
        self.archive()
        self.assertEqual(self.text("greet.sh"), "echo hello\n")

    def test_gemini_implements(self):
        self.plan_and_implement("codex", "claude", "gemini", "claude")
        self.archive()
        self.assertEqual(self.text("greet.sh"), "echo hello\n")


if __name__ == "__main__":
    main(sys.argv[1], World, "agentd")
