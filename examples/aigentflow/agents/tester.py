"""Runs the tests of the worktree, or of the project, and tells what failed.

usage: tester.py   (the invocation comes on standard input)
"""

import os
import subprocess
import sys

from work import folder_of, log, run


def work(asked):
    done = subprocess.run(
        [sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests", "-t", "."],
        cwd=folder_of(asked), capture_output=True, text=True, stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    log(done.stderr)
    failed = [line.split()[1] for line in done.stderr.splitlines()
              if line.startswith(("FAIL: ", "ERROR: "))]
    passed = done.returncode == 0
    return {"whole": {
        "success": True,
        "output": {"passed": passed, "failed": failed,
                   "tail": "" if passed else done.stderr[-800:]},
        "routingHints": {"hasFailures": not passed}}}


if __name__ == "__main__":
    sys.exit(run(work))
