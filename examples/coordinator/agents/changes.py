"""The changes that a coder can make: patches, and what each of them answers."""

import json
import re
from pathlib import Path

from protocol import Failure


class Change:
    """One patch: for each file the blocks of text it replaces."""

    def __init__(self, folder, entry):
        self.name = entry["name"]
        self.summary = entry["summary"]
        self.answers = {source: re.compile(about)
                        for source, about in entry["answers"].items()}
        self.files = _read_patch(folder / entry["patch"])

    def score(self, must_fix):
        """How many must-fix items it answers; an empty list is the task itself."""
        items = must_fix or [{"source": "task", "message": ""}]
        return sum(self._answers_item(item) for item in items)

    def _answers_item(self, item):
        about = self.answers.get(item["source"])
        return about is not None and about.search(item["message"]) is not None

    def apply(self, path, text):
        """The file's text with the change; None when the change does not fit."""
        return _replace(text, self.files.get(path, []))

    def revert(self, path, text):
        """The file's text without the change; None when the change is not in it."""
        return _replace(text, [(new, old) for old, new in self.files.get(path, [])])


def load(folder):
    folder = Path(folder)
    try:
        index = json.loads((folder / "changes.json").read_text(encoding="utf-8"))
        return [Change(folder, entry) for entry in index["changes"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, re.error) as problem:
        raise Failure(f"cannot read the changes in {folder}: {problem!r}") from None


def _replace(text, blocks):
    for old, new in blocks:
        if text.count(old) != 1:
            return None
        text = text.replace(old, new)
    return text


def _read_patch(path):
    """Reads a unified diff of existing files. A block is found by its text, which has to
    occur exactly once, not by its line number."""
    files = {}
    blocks = old = new = None
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.startswith("--- "):
            continue
        if line.startswith("+++ "):
            blocks = files.setdefault(_target(line, path), [])
        elif line.startswith("@@ "):
            old, new = [], []
            blocks.append((old, new))
        elif line[0] in " -+\n":
            text = line[1:] or line
            if line[0] != "+":
                old.append(text)
            if line[0] != "-":
                new.append(text)
        else:
            raise ValueError(f"{path}: not a line of a unified diff: {line.rstrip()}")
    return {name: [("".join(a), "".join(b)) for a, b in blocks]
            for name, blocks in files.items()}


def _target(line, path):
    name = line[4:].split("\t")[0].strip().partition("/")[2]
    if not name or name.startswith("/") or ".." in name.split("/"):
        raise ValueError(f"{path}: not a file inside the workspace: {line.rstrip()}")
    return name
