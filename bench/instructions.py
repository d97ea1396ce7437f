"""Instructions of one transition of bench/cycle.json, as callgrind counts them, against those
that were recorded: what a change adds by accident shows here, on any machine, however busy.

instructions.py BENCH_COUNT CYCLE_JSON MARGIN. The counts are of gcc 12 at -O2; others are given a
larger margin. Skipped (77) without valgrind."""
import shutil
import subprocess
import sys
import tempfile

RECORDED = {"number": 306, "name": 473, "store": 15975}
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


def main():
    if not shutil.which("valgrind"):
        sys.exit(77)
    program, machine, margin = sys.argv[1:3] + [float(sys.argv[3])]
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
