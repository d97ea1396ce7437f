"""Makes the worktree of a feature, and merges the branches of features.

usage: git_agent.py   (the invocation comes on standard input; works in the project)
"""

import sys
from pathlib import Path

from work import Failure, folder_of, git, locked, run


def branch_of(asked):
    return f"feature/{asked['epicId']}/{asked['featureId']}"


def worktree(asked):
    """Each feature has its own worktree. An existing one must be that of the feature."""
    path, branch = Path(asked["worktreePath"]).resolve(), branch_of(asked)
    with locked("."):
        if path.exists():
            check_worktree(path, branch)
        else:
            git(".", "worktree", "prune")
            known = git(".", "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}",
                        may_fail=True).returncode == 0
            git(".", "worktree", "add", "--quiet", str(path),
                *([branch] if known else ["-b", branch]))
    return {"worktreePath": str(path), "branch": branch}


def check_worktree(path, branch):
    here = git(".", "rev-parse", "--path-format=absolute", "--git-common-dir").stdout
    there = git(path, "rev-parse", "--path-format=absolute", "--git-common-dir",
                may_fail=True) if path.is_dir() else None
    if there is None or there.returncode != 0 or there.stdout != here:
        raise Failure(f"{path} exists, and is no worktree of this project")
    head = git(path, "branch", "--show-current").stdout.strip()
    if head != branch:
        raise Failure(f"{path} exists, and is the worktree of {head}, not of {branch}")


def merge(asked):
    """In the order of the features; those that are in already are passed over."""
    folder = folder_of(asked)
    merged = []
    with locked(folder):
        git(folder, "merge", "--abort", may_fail=True)  # of a merge that somebody left behind
        for branch in asked["branches"]:
            if git(folder, "merge-base", "--is-ancestor", branch, "HEAD",
                   may_fail=True).returncode != 0:
                done = git(folder, "merge", "--no-ff", "--no-edit", "--quiet", branch,
                           may_fail=True)
                files = git(folder, "diff", "--name-only", "--diff-filter=U").stdout.split("\n")
                files = [name for name in files if name]
                if files:
                    return {"merged": merged, "conflicts": [{"branch": branch, "files": files}]}
                if done.returncode != 0:
                    raise Failure(f"git merge {branch}: {done.stderr.strip()}")
            merged.append(branch)
    return {"merged": merged, "conflicts": []}


def other(asked):
    return {"branch": git(folder_of(asked), "branch", "--show-current").stdout.strip()}


def work(asked):
    return {"worktree": worktree, "merge": merge}.get(asked.get("action"), other)(asked)


if __name__ == "__main__":
    sys.exit(run(work))
