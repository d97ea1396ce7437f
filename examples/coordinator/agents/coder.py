"""The coder of the demo: makes the next change that answers the must-fix list.

usage: coder.py --changes FOLDER   (the invocation comes on standard input)

It may be killed at any instant and started again for the same invocation: what it
chose is written down before a file is touched, a file is replaced in one go, and
making the same change twice is the same as making it once. CODER_SECONDS (default 2)
is how long it pretends to think, so that there is time to kill it.
"""

import argparse
import contextlib
import fcntl
import json
import os
import sys
import time
from pathlib import Path

import changes
import protocol
from protocol import Failure, log


class Notes:
    """What the coder remembers in the workspace: its last choice, and what it tried."""

    def __init__(self, workspace):
        self.folder = workspace / ".coder"
        self.folder.mkdir(exist_ok=True)
        self.path = self.folder / "notes.json"

    @contextlib.contextmanager
    def locked(self):
        """Keeps out another coder: a killed host may have left one at work."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(self.folder / "lock", flags, 0o600)) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def read(self):
        if not self.path.exists():
            return {"invocation": None, "chosen": None, "files": [], "tried": []}
        try:
            return json.loads(read_text(self.path))
        except ValueError as problem:
            raise Failure(f"{self.path} is damaged: {problem}") from None

    def write(self, notes):
        self.replace(self.path, json.dumps(notes, indent=2) + "\n")

    def replace(self, path, text):
        """The file has its old text or its new text, never something between."""
        new = self.folder / "new"
        new.unlink(missing_ok=True)
        with open(new, "x", encoding="utf-8", newline="") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        if path.exists():
            os.chmod(new, path.stat().st_mode & 0o777)
        os.replace(new, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--changes", required=True, metavar="FOLDER")
    folder = parser.parse_args().changes
    return protocol.run({"implementation": lambda invocation: code(invocation, folder),
                         "proposal": lambda invocation: propose(folder)})


def propose(folder):
    """Touches nothing: in a proposal the coder only says what would be tried."""
    names = [change.name for change in changes.load(folder)]
    return {"text": "I would try, one after the other: " + ", ".join(names) + "."}


def code(invocation, folder):
    workspace = Path(invocation["input"]["workspace"])
    must_fix = read_must_fix(invocation["input"])
    known = changes.load(folder)
    notes = Notes(workspace)
    asked_for = read_messages(invocation["input"])
    with notes.locked():
        mine = choose(invocation, must_fix, asked_for, known, notes, workspace)
    chosen = next((c for c in known if c.name == mine["chosen"]), None)
    if chosen is None:
        return {"summary": "Nothing to change: no must-fix item is about the code.",
                "changed_files": []}
    log(f"chose {chosen.name}: {chosen.summary}")
    seconds = thinking_time()
    think(seconds / 2, f"working out {chosen.name}")
    with notes.locked():
        make(chosen, known, mine, notes, workspace)
    think(seconds / 2, "reading it through once more")
    return {"summary": chosen.summary, "changed_files": mine["files"]}


def read_must_fix(given):
    items = given.get("must_fix", [])
    if not isinstance(items, list):
        raise protocol.BadInvocation("input.must_fix: expected a list")
    for item in items:
        if not isinstance(item, dict):
            raise protocol.BadInvocation("input.must_fix: expected a list of objects")
        protocol.require(item, "source", str)
        protocol.require(item, "message", str)
    log(f"round {given.get('round')}: {len(items)} must-fix item(s)")
    for item in items:
        log(f"  {item['source']}: {item['message'].splitlines()[0]}")
    return items


def read_messages(given):
    """What the operator has said, in one text."""
    messages = given.get("messages", [])
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        raise protocol.BadInvocation("input.messages: expected a list of objects")
    return "\n".join(protocol.require(one, "text", str) for one in messages)


def choose(invocation, must_fix, asked_for, known, notes, workspace):
    """Decides once for an invocation and writes it down before anything is touched."""
    before = notes.read()
    if before["invocation"] == invocation["id"]:
        log(f"attempt {invocation.get('attempt')}: going on with what was begun before")
        return before
    present = [c for c in known if is_in(c, workspace)]
    log("in the workspace: " + (", ".join(c.name for c in present) or "no change yet"))
    tried = sorted(set(before["tried"]) | {c.name for c in present})
    mine = {"invocation": invocation["id"], "chosen": None, "files": [], "tried": tried}
    if not must_fix or any(item["source"] != "schema" for item in must_fix):
        chosen = best(known, tried, must_fix, asked_for)
        mine["chosen"] = chosen.name
        mine["files"] = sorted({name for c in present + [chosen] for name in c.files})
        mine["tried"] = sorted(tried + [chosen.name])
    notes.write(mine)
    return mine


def best(known, tried, must_fix, asked_for):
    """The untried change that the operator names; else the one that answers most items, the
    earlier one of equals."""
    for change in known:
        if change.name in asked_for and change.name not in tried:
            return change
    left = [c for c in known if c.name not in tried and c.score(must_fix) > 0]
    if not left:
        raise Failure("no further change answers the must-fix list (tried: "
                      + (", ".join(tried) or "none") + ")")
    return max(left, key=lambda c: c.score(must_fix))


def is_in(change, workspace):
    return all((workspace / name).is_file()
               and change.revert(name, read_text(workspace / name)) is not None
               for name in change.files)


def make(chosen, known, mine, notes, workspace):
    if notes.read()["invocation"] != mine["invocation"]:
        raise Failure("another invocation has taken over this workspace")
    for name in mine["files"]:
        path = workspace / name
        text = read_text(path)
        made = changed_text(name, text, chosen, known)
        if made == text:
            log(f"{name}: has the change already")
        else:
            notes.replace(path, made)
            log(f"{name}: changed")


def changed_text(name, text, chosen, known):
    """The text with the chosen change and without any other, from wherever it stands."""
    for change in known:
        if name in change.files:
            without = change.revert(name, text)
            text = text if without is None else without
    made = chosen.apply(name, text)
    if made is None:
        raise Failure(f"{name}: {chosen.name} does not fit; somebody else has changed it")
    return made


def read_text(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as problem:
        raise Failure(f"cannot read {path}: {problem}") from None


def thinking_time():
    text = os.environ.get("CODER_SECONDS", "2")
    try:
        return min(max(float(text), 0), 3600)
    except ValueError:
        raise Failure(f"CODER_SECONDS: expected a number, got {text}") from None


def think(seconds, about):
    ticks = max(1, round(seconds / 0.25))
    for tick in range(ticks):
        log(f"{about} ({tick + 1}/{ticks})")
        time.sleep(seconds / ticks)


if __name__ == "__main__":
    sys.exit(main())
