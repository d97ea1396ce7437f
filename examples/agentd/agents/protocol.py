"""What every agent of the demo does: read one invocation, answer once.

agentd writes the invocation to standard input as one JSON object, whose `input` has the
step, the change and the documents, and reads one JSON object from standard output. It works
in the project's folder. AGENT_SECONDS (default 0) is how long an agent takes to think.
"""

import contextlib
import json
import os
import sys
import time


def run(works):
    """Runs an agent: works[step](input) returns the answer. Returns the exit status."""
    given = json.load(sys.stdin)["input"]
    step = given.get("step")
    if step not in works:
        print(f"input.step: expected one of {', '.join(works)}, got {step!r}", file=sys.stderr)
        return 2
    time.sleep(float(os.environ.get("AGENT_SECONDS", "0")))
    json.dump(works[step](given), sys.stdout)
    print(flush=True)
    return 0


def replace(path, text):
    """The file has its old text or its new one, also when the agent is killed."""
    new = f"{path}.new"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(new)
    with open(new, "x", encoding="utf-8") as out:  # never through a link
        out.write(text)
    os.replace(new, path)


def points(report):
    """The list items of a report. Each one names something to fix."""
    return [line[2:] for line in report.splitlines() if line.startswith("- ")]


def words_of_a_person(report):
    """The reason of `agentd reject`, which the report quotes."""
    return [line[2:] for line in report.splitlines() if line.startswith("> ")]
