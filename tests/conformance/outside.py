"""What the tests of this folder get from outside, and what becomes of them without it.

Where WFSM_FETCH is "required", as under scripts/test --all, what cannot be had is a failure;
anywhere else the test is skipped.
"""
import os
import shutil
import subprocess
import tarfile
import time

FAILED, SKIPPED = 1, 77
PAUSE, PATIENCE = 5, 90


class Missing(Exception):
    """What it is, and why it is not there."""


def tool(name):
    found = shutil.which(name)
    if found is None:
        raise Missing(f"{name} is not installed")
    return found


def is_required():
    return os.environ.get("WFSM_FETCH") == "required"


def without(problem):
    """The exit status of a test that misses something, which it has told."""
    print(f"\n{'FAILED' if is_required() else 'skipped'}: {problem}")
    return FAILED if is_required() else SKIPPED


def environment():
    """What is preloaded is for this process, whose library has sanitizers."""
    return {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}


def pack(npm, name, folder):
    """The packed file, or why there is none."""
    try:
        done = subprocess.run([npm, "pack", "--loglevel=error", "--fetch-retries=1", name],
                              cwd=folder, env=environment(), check=False,
                              capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return None, f"no answer within {PATIENCE} s"
    if done.returncode == 0 and done.stdout.split():
        return folder / done.stdout.split()[-1], None
    why = done.stderr.strip().split("\n")[0] or f"npm pack ends with {done.returncode}"
    return None, why


def fetch(name, folder):
    """The unpacked npm package; what was fetched once is not fetched again."""
    unpacked = folder / "package"
    if unpacked.is_dir():
        return unpacked
    folder.mkdir(parents=True, exist_ok=True)
    npm = tool("npm")
    for pause in [PAUSE, PAUSE, 0] if is_required() else [0]:
        archive, why = pack(npm, name, folder)
        if archive is not None:
            return unpack(archive, folder)
        time.sleep(pause)
    raise Missing(f"{name} cannot be fetched by npm: {why}")


def unpack(path, folder):
    """Through a folder of its own: a run that is cut short leaves no half of a package."""
    half = folder / f"half-{os.getpid()}"
    with tarfile.open(path) as archive:
        for member in archive.getmembers():
            target = (half / member.name).resolve()
            if member.isfile() and half.resolve() in target.parents:
                archive.extract(member, half)
    os.rename(half / "package", folder / "package")
    shutil.rmtree(half)
    return folder / "package"


def install(folder, packages):
    """The node_modules with these packages and what they need, in the build folder."""
    done = folder / "installed"
    if done.is_file() and done.read_text(encoding="utf-8").split() == packages:
        return folder / "node_modules"
    folder.mkdir(parents=True, exist_ok=True)
    why = "nothing was tried"
    for pause in [PAUSE, PAUSE, 0] if is_required() else [0]:
        why = try_to_install(folder, packages)
        if why is None:
            done.write_text(" ".join(packages), encoding="utf-8")
            return folder / "node_modules"
        time.sleep(pause)
    raise Missing(f"{' and '.join(packages)} cannot be installed by npm: {why}")


def try_to_install(folder, packages):
    """None, or why not."""
    try:
        done = subprocess.run([tool("npm"), "install", "--prefix", folder, "--no-audit", "--no-fund",
                               "--loglevel=error", "--fetch-retries=1", *packages], env=environment(),
                              check=False, capture_output=True, text=True, timeout=2 * PATIENCE)
    except subprocess.TimeoutExpired:
        return f"no answer within {2 * PATIENCE} s"
    return None if done.returncode == 0 else done.stderr.strip().split("\n")[0]
