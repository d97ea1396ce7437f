"""Instructions of one transition of bench/cycle.json, as callgrind counts them, compared with the
recorded ones. This shows the cost of a change on any machine, no matter how busy it is.

instructions.py SOURCE-ROOT FOLDER MARGIN. Makes a release build below FOLDER. The counts are of
gcc 12 at -O2; others are given a larger margin. Skipped (77) without valgrind."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RECORDED = {"number": 308, "name": 497, "store": 15441}
FEW, MANY, CYCLE = 20, 220, 12


def count(program, machine, kind, cycles):
    with tempfile.NamedTemporaryFile() as out:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", program, machine,
             kind, str(cycles)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False, timeout=600)
    if done.returncode:
        sys.exit(done.stdout)
    line = [line for line in done.stdout.splitlines() if "Collected" in line]
    return int(line[0].split()[-1])


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode:
        sys.exit(done.stdout)


def release_build(root, folder):
    """bench_count without assertions."""
    if not (folder / "build.ninja").exists():
        run("meson", "setup", str(folder), root, "-Dbuildtype=release", "-Doptimization=2",
            *(f"-D{name}=disabled" for name in ("tests", "python", "sqlite", "examples", "verify")))
    run("ninja", "-C", str(folder), "bench/bench_count")
    return str(folder / "bench/bench_count")


def main():
    if not shutil.which("valgrind"):
        sys.exit(77)
    root, margin = sys.argv[1], float(sys.argv[3])
    program = release_build(root, Path(sys.argv[2]))
    machine = str(Path(root) / "bench/cycle.json")
    worse = []
    for kind, recorded in RECORDED.items():
        per = (count(program, machine, kind, MANY) - count(program, machine, kind, FEW)) / (
            (MANY - FEW) * CYCLE)
        print(f"{kind}: {per:.0f} instructions a transition, {recorded} recorded")
        if per > recorded * margin:
            worse.append(kind)
    if worse:
        sys.exit(f"more than {margin} times what was recorded: {', '.join(worse)}; see "
                 "doc/performance.md")


main()
