"""Makes the worktree of a feature, and merges the branches of features.

usage: git_agent.py   (the invocation comes on standard input; works in the project)
"""

import json
import os
import sys
from pathlib import Path

from work import Failure, folder_of, git, locked, log, run, write


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
            git(".", "worktree", "add", "--quiet", str(path),
                *([branch] if exists(".", branch) else ["-b", branch]))
        for feature in asked.get("dependsOn", []):
            needed = f"feature/{asked['epicId']}/{feature}"
            take_in(path, needed, work_of(needed))
    return {"worktreePath": str(path), "branch": branch}


def take_in(path, branch, commit):
    """What a feature depends on is in its worktree from the beginning."""
    if contains(path, "HEAD", commit):
        return
    git(path, "merge", "--abort", may_fail=True)  # of one that was killed
    files = merge_one(path, branch, commit, "--no-ff")
    if files:
        git(path, "merge", "--abort")
        raise Failure(f"{branch} cannot be merged into {path}, there are conflicts in "
                      f"{', '.join(files)}: merge it there, and resume the feature")


def worktree_of(branch):
    """Where the branch is checked out, or None."""
    listed = git(".", "worktree", "list", "--porcelain", "-z").stdout.split("\0")
    at = listed.index(f"branch refs/heads/{branch}") if f"branch refs/heads/{branch}" in listed else 0
    paths = [line.removeprefix("worktree ") for line in listed[:at] if line.startswith("worktree ")]
    return paths[-1] if paths else None


def work_of(branch):
    """What is merged of a feature: aigentflow has given a name to what its reviewer was given. Somebody
    else's host has not: then it is what is in the worktree, for coding agents edit and do not commit."""
    accepted = git(".", "rev-parse", "--verify", "--quiet", f"refs/wfsm/accepted/{branch}^{{commit}}",
                   may_fail=True)
    tree = worktree_of(branch)
    if accepted.returncode != 0:
        commit_left(tree, branch)
        return branch
    commit = accepted.stdout.strip()
    if tree is not None and Path(tree).is_dir() and is_changed(tree, commit):
        log(f"{tree} was changed after its review: that is not merged")
    return commit


def is_changed(tree, commit):
    return head_of(tree) != commit or git(tree, "status", "--porcelain").stdout != ""


def commit_left(tree, branch):
    if tree is None or not Path(tree).is_dir():
        return
    if git(tree, "ls-files", "--unmerged").stdout:
        raise Failure(f"{tree} is in the middle of a merge: end it there")
    git(tree, "add", "--all")
    if git(tree, "diff", "--cached", "--quiet", may_fail=True).returncode != 0:
        git(tree, "commit", "--quiet", "-m", f"{branch}: the work of its agents")


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
    """In the order of the features, in a worktree of its own. Then the project is moved to the result:
    it is never in the middle of a merge. What a killed one has left behind is finished first."""
    folder, scratch = top_of("."), Path(asked["worktreePath"]).resolve()
    with locked(folder):
        finish_killed_move(folder)
        work = {branch: work_of(branch) for branch in asked["branches"]}
        target = branch_at(folder)
        make_scratch(folder, scratch, f"aigentflow-merge/{asked['epicId']}")
        moved = False
        while not moved:  # somebody may commit to the project meanwhile
            merged, conflicts = merge_all(scratch, target, work)
            if conflicts:
                return {"merged": merged, "conflicts": conflicts, "worktreePath": str(scratch)}
            moved = move(folder, target, head_of(scratch))
        remove_scratch(folder, scratch)
        git(folder, "branch", "--quiet", "-D", f"aigentflow-merge/{asked['epicId']}")
    return {"merged": merged, "conflicts": []}


def top_of(folder):
    return Path(git(folder, "rev-parse", "--show-toplevel").stdout.strip())


def head_of(folder):
    return git(folder, "rev-parse", "HEAD").stdout.strip()


def branch_at(folder):
    name = git(folder, "branch", "--show-current").stdout.strip()
    if not name:
        raise Failure("the project is on no branch: check out the one that gets the features")
    return name


def exists(folder, branch):
    return git(folder, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}",
               may_fail=True).returncode == 0


def contains(folder, commit, one):
    return git(folder, "merge-base", "--is-ancestor", one, commit, may_fail=True).returncode == 0


def remove_scratch(folder, scratch):
    git(folder, "worktree", "remove", "--force", "--force", str(scratch), may_fail=True)
    git(folder, "worktree", "prune")


def make_scratch(folder, scratch, branch):
    """What was merged and resolved is on its branch; a merge that nobody has finished is dropped."""
    if scratch.exists():
        check_worktree(scratch, branch)
        commit_resolved(scratch)
        remove_scratch(folder, scratch)
    git(folder, "worktree", "prune")
    git(folder, "worktree", "add", "--quiet", str(scratch),
        *([branch] if exists(folder, branch) else ["-b", branch]))


def commit_resolved(scratch):
    """A resolver may have edited the files and committed nothing."""
    if git(scratch, "rev-parse", "--verify", "--quiet", "MERGE_HEAD", may_fail=True).returncode != 0:
        return
    left = names(git(scratch, "diff", "--name-only", "--diff-filter=U", "-z"))
    if all(is_resolved(scratch, name) for name in left):
        git(scratch, "add", "--update", "--", ".")
        git(scratch, "commit", "--quiet", "--no-edit")


def is_resolved(scratch, name):
    """Whether the marks that git has written are gone. It writes none into what is binary, or where
    one side has removed the file: there, the resolver has to say so with git add."""
    stages = git(scratch, "ls-files", "--unmerged", "-z", "--", name)
    both = {entry.split("\t")[0].split(" ")[2] for entry in names(stages)} >= {"2", "3"}
    path = scratch / name
    if not both or path.is_symlink() or not path.is_file():
        return False
    data = path.read_bytes()
    marked = any(line.startswith((b"<<<<<<< ", b">>>>>>> ")) for line in data.splitlines())
    return not marked and b"\0" not in data


def merge_all(scratch, target, work):
    """What is merged, and the conflicts of the first that cannot be. The resolver finds them there."""
    merged = []
    for branch, commit in [(target, target), *work.items()]:
        files = merge_one(scratch, branch, commit, "--ff" if branch == target else "--no-ff")
        if files:
            return merged, [{"branch": branch, "files": files}]
        merged += [branch] if branch != target else []
    return merged, []


def merge_one(scratch, branch, commit, how):
    if contains(scratch, "HEAD", commit):
        return []
    done = git(scratch, "merge", how, "--quiet", "-m", f"Merge branch '{branch}'", commit,
               may_fail=True)
    files = names(git(scratch, "diff", "--name-only", "--diff-filter=U", "-z"))
    if done.returncode != 0 and not files:
        raise Failure(f"git merge {branch}: {done.stderr.strip()}")
    return files


def names(done):
    return [name for name in done.stdout.split("\0") if name]


# ---- the project is moved to what was merged ----

def intent_of(folder):
    return git_path(folder, "aigentflow-move.json")


def git_path(folder, name):
    return Path(git(folder, "rev-parse", "--path-format=absolute", "--git-path",
                    name).stdout.rstrip("\n"))


def move(folder, branch, new):
    """Not if somebody has committed to the branch since. The intent is stored first: a move that is
    killed half-way is finished by the next merge."""
    old = head_of(folder)
    if not contains(folder, new, old):
        return False
    refuse_to_overwrite(folder, old, new)
    if git_path(folder, "index.lock").exists():
        raise Failure("somebody else's git is at work in the project: it has an index.lock")
    write(intent_of(folder), json.dumps({"branch": branch, "old": old, "new": new}))
    finish_move(folder)
    return True


def finish_killed_move(folder):
    """The git that was killed may have left its lock. None of ours is at work: it would hold the lock of
    this agent."""
    if intent_of(folder).exists():
        git_path(folder, "index.lock").unlink(missing_ok=True)
        finish_move(folder)


def changed(folder, old, new, kinds):
    return names(git(folder, "diff", "--name-only", "--no-renames", f"--diff-filter={kinds}", "-z",
                     old, new))


def refuse_to_overwrite(folder, old, new):
    local = set(names(git(folder, "diff", "--name-only", "--no-renames", "-z", "HEAD")))
    precious = [name for name in changed(folder, old, new, "d") if name in local]
    precious += [name for name in changed(folder, old, new, "A") if os.path.lexists(folder / name)]
    if precious:
        raise Failure("the project has changes that are not committed in files that the features "
                      "change: " + ", ".join(sorted(set(precious))[:20]))


def finish_move(folder):
    """Files first, then the branch."""
    intent = intent_of(folder)
    if not intent.exists():
        return
    asked = json.loads(intent.read_text())
    if branch_at(folder) == asked["branch"] and head_of(folder) in (asked["old"], asked["new"]):
        take_files(folder, asked["old"], asked["new"])
        git(folder, "update-ref", "-m", "aigentflow: the features are merged",
            f"refs/heads/{asked['branch']}", asked["new"])
    intent.unlink()


def take_files(folder, old, new):
    listed = ("--pathspec-from-file=-", "--pathspec-file-nul")
    gone, there = changed(folder, old, new, "D"), changed(folder, old, new, "d")
    if gone:
        git(folder, "rm", "--quiet", "--force", "--ignore-unmatch", *listed, given="\0".join(gone))
    if there:
        git(folder, "checkout", "--quiet", new, *listed, given="\0".join(there))


def other(asked):
    return {"branch": git(folder_of(asked), "branch", "--show-current").stdout.strip()}


def work(asked):
    return {"worktree": worktree, "merge": merge}.get(asked.get("action"), other)(asked)


if __name__ == "__main__":
    sys.exit(run(work))
