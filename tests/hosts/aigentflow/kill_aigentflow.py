#!/usr/bin/python3
"""aigentflow, killed with -9 at random times until it has been killed often enough.

usage: kill_aigentflow.py AIGENTFLOW WFSM [KILLS [SEED]]

One epic after the other, the demo's: five features in git worktrees, a competition, a repaired
test, an escalated feature, an approval, a merge with a conflict; for up to 20 kills only two
features, of which one is repaired, and the approval. Each must end with the same
merged files as one that nobody disturbed, by the same transitions, with every feature merged
once, and an audit that finds nothing. Prints its counts.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AIGENTFLOW, WFSM = (str(Path(name).resolve()) for name in sys.argv[1:3])
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 15
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else random.randrange(1 << 32)
SPANS = [0.1, 0.5, 1.5]  # seconds between kills
SMALL = KILLS <= 20
FEATURES = ["count", "slug"] if SMALL else ["count", "shout", "slug", "wrap", "mirror"]
HERE = Path(__file__).resolve().parents[3] / "examples/aigentflow"
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"]


class Violation(Exception):
    pass


def hold(holds, what):
    if not holds:
        raise Violation(what)


class Epic:
    """One folder, one epic."""

    def __init__(self, path):
        self.path = path
        path.mkdir()
        subprocess.run(["cp", "-R", HERE / "sample/project", path / "project"], check=True)
        (path / "aigentflow.toml").symlink_to(HERE / "aigentflow.toml")
        epic = json.loads((HERE / "sample/epic.json").read_text())
        epic["features"] = [f for f in epic["features"] if f["featureId"] in FEATURES]
        (path / "epic.json").write_text(json.dumps(epic))
        self.git("init", "--quiet")
        self.git("symbolic-ref", "HEAD", "refs/heads/main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "base")

    def git(self, *arguments):
        return subprocess.run([*GIT, *arguments], cwd=self.path / "project", check=True,
                              capture_output=True, text=True, env=ENVIRONMENT).stdout

    def tell(self, *arguments):
        done = subprocess.run([AIGENTFLOW, *arguments], cwd=self.path, capture_output=True,
                              text=True, timeout=600, env=ENVIRONMENT)
        return done.stdout if done.returncode == 0 else None

    def next_word(self):
        """What a person would say now; None when it is over."""
        status = self.tell("status", "--json", "e")
        if status is None:
            return ["run", "Functions with pages", "--id", "e", "--epic", "epic.json",
                    *([] if SMALL else ["--compete"])]
        status = json.loads(status)
        if status["state"] == "COMPLETED":
            return None if status["isInProject"] else ["resume", "e"]
        hold(status["state"] not in ("ERROR", "ABORTED", "ESCALATED"), json.dumps(status))
        if status["state"] == "AWAITING_APPROVAL":
            designs = ["--design", "2"] if status["context"]["designs"] else []
            return ["approve", "e", *designs]
        if "escalated" in self.tell("status", "e"):
            return ["resume", "e", "--feature", "wrap", "--answer", "use textwrap"]
        return ["resume", "e"]

    def begin(self):
        word = self.next_word()
        return word and subprocess.Popen([AIGENTFLOW, *word], cwd=self.path, env=ENVIRONMENT,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def outcome(self):
        """What must be the same each time."""
        history = self.tell("history", "e").splitlines()
        return {"files": self.git("rev-parse", "HEAD^{tree}"),
                "merges": self.git("log", "--merges", "--format=%s", "--reverse"),
                "left": self.git("status", "--porcelain"),
                "moves": [line.split("  ")[1] for line in history]}

    def check(self, expected):
        found = self.outcome()
        for key, value in expected.items():
            hold(found[key] == value, f"{key}: {found[key]!r} instead of {value!r}")
        audit = subprocess.run([WFSM, "audit", "aigentflow.db"], cwd=self.path,
                               capture_output=True, text=True)
        hold(audit.returncode == 0, audit.stdout + audit.stderr)
        features = json.loads(self.tell("status", "--json", "e"))["context"]["merge"]["features"]
        hold([one["output"]["status"] for one in features] == ["completed"] * len(FEATURES),
             str(features))


def undisturbed(epic):
    process = epic.begin()
    while process:
        hold(process.wait(timeout=600) in (0, 1, 7), process.stderr.read())
        process = epic.begin()


def disturbed(epic, rng, left):
    """Kills at random until `left` kills are used up; returns how many there were."""
    kills = 0
    process = epic.begin()
    while process:
        try:
            code = process.wait(timeout=rng.uniform(0, rng.choice(SPANS)) if kills < left else None)
            hold(code in (0, 1, 7), f"exit code {code}: {process.stderr.read()}")
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
        process.stderr.close()
        process = epic.begin()
    return kills


def main():
    rng, kills, epics, begin = random.Random(SEED), 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="wfsm-kills-") as scratch:
        try:
            reference = Epic(Path(scratch) / "reference")
            undisturbed(reference)
            expected = reference.outcome()
            hold(expected["merges"].count("\n") == len(FEATURES) and not expected["left"], str(expected))
            while kills < KILLS:
                epic = Epic(Path(scratch) / f"epic-{epics}")
                kills += disturbed(epic, rng, KILLS - kills)
                epic.check(expected)
                epics += 1
        except Violation as found:
            print(f"seed {SEED}, epic {epics}, {kills} kills before it: {found}")
            if os.environ.get("KEEP"):
                subprocess.run(["cp", "-R", scratch, os.environ["KEEP"]], check=False)
            return 1
    print(f"{kills} kills in {time.monotonic() - begin:.0f} s, seed {SEED}: {epics} epics, "
          f"each with the same merged files, 0 violations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
