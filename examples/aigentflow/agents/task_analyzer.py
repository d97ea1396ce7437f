"""Says what kind of task it is, by its words: where no model is configured.

usage: task_analyzer.py   (the invocation comes on standard input)
"""

import json
import sys

KINDS = [("bugfix", ("fix", "bug", "crash")), ("refactor", ("refactor", "clean up")),
         ("docs", ("document", "readme")), ("test", ("test",))]
UI = ("page", "button", "screen", "colour", "color", "ui")


def analyse(asked):
    words = asked["prompt"].lower()
    epic = asked.get("epicContext")
    kind = next((name for name, marks in KINDS if any(mark in words for mark in marks)),
                "feature")
    ui = any(mark in words for mark in UI)
    return {"taskType": "feature" if epic else kind,
            "complexity": "complex" if epic else "simple", "requiresUI": ui or bool(epic),
            "requiresBackend": not ui or bool(epic), "requiresArchitecture": False,
            "requiresApproval": bool(epic), "suggestedAgents": []}


if __name__ == "__main__":
    json.dump(analyse(json.load(sys.stdin)["input"]), sys.stdout)
