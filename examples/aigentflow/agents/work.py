"""What every agent of the demo does: read one invocation, answer once.

An answer is an AgentOutput: success, output, routingHints. All of them may be started again
for the same invocation at any time, so doing a piece of work twice is doing it once.
"""

import contextlib
import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path

GIT = ["git", "-c", "user.name=aigentflow", "-c", "user.email=aigentflow@localhost",
       "-c", "gc.auto=0", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"]


class Failure(Exception):
    """The work cannot be done; the text says why."""


def log(text):
    print(text, file=sys.stderr, flush=True)


def run(work):
    """Runs an agent: work(input) returns its output, or an AgentOutput under "whole"."""
    asked = json.load(sys.stdin)
    time.sleep(float(os.environ.get("AGENT_SECONDS", "0")))
    try:
        answer = {"success": True, "output": work(asked["input"])}
    except Failure as problem:
        log(f"failed: {problem}")
        answer = {"success": False, "output": str(problem)}
    if isinstance(answer["output"], dict) and "whole" in answer["output"]:
        answer = answer["output"]["whole"]
    json.dump(answer, sys.stdout)
    print(flush=True)
    return 0


def git(folder, *arguments, may_fail=False, given=""):
    """Keeps what this process has open: a lock holds until the last git has ended, too."""
    done = subprocess.run([*GIT, "--literal-pathspecs", *arguments], cwd=folder, input=given,
                          capture_output=True, encoding="utf-8", errors="surrogateescape",
                          close_fds=False)
    if done.returncode != 0 and not may_fail:
        raise Failure(f"git {arguments[0]}: {done.stderr.strip() or done.stdout.strip()}")
    return done


@contextlib.contextmanager
def locked(folder):
    """One at a time in the repository of this folder: git's own locks do not wait."""
    common = Path(git(folder, "rev-parse", "--git-common-dir").stdout.strip())
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(Path(folder) / common / "aigentflow.lock", flags, 0o600)) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.set_inheritable(lock.fileno(), True)
        yield


def write(path, text):
    """The file has its old text or its new text, never something between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    with open(new, "x", encoding="utf-8") as out:  # never through a link
        out.write(text)
    os.replace(new, path)


def commit(folder, files, message):
    """Commits these files, if there is something to commit."""
    with locked(folder):
        git(folder, "add", "--", *files)
        if git(folder, "diff", "--cached", "--quiet", may_fail=True).returncode != 0:
            git(folder, "commit", "--quiet", "-m", message)


def folder_of(asked):
    """A feature's worktree; otherwise the project, in which agents are started."""
    return Path(asked.get("worktreePath") or ".").resolve()
