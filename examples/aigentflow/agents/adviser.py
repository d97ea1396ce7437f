"""The agents of the demo that only say something: planners, analysts, reviewers.

usage: adviser.py   (the invocation comes on standard input; works in the project)
"""

import sys

from work import folder_of, git, run


def plan(asked):
    return {"plan": [f"write {asked.get('name') or asked['prompt'][:60]}", "test it", "review it"]}


def review(asked):
    """A line that is only a reminder is not accepted."""
    folder = folder_of(asked)
    found = git(folder, "grep", "-n", "-I", "-e", "TODO", "--", "words", may_fail=True).stdout
    return {"whole": {"success": True, "output": {"remarks": found.splitlines()},
                      "routingHints": {"hasFailures": bool(found)}}}


def comment(asked):
    return {"said": f"{asked['agent']} has looked at it"}


def work(asked):
    return {"project_manager": plan, "reviewer": review}.get(asked["agent"], comment)(asked)


if __name__ == "__main__":
    sys.exit(run(work))
