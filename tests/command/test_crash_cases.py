"""Every case of tests/step/cases with faults at the calls of its store.

usage: test_crash_cases.py WFSM FOLDER [PAIRS]
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def cases(folder):
    for path in sorted(Path(folder).glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8")):
            if case.get("exit", 0) == 0:
                yield f"{path.stem}: {case.get('name')}", case


def play(wfsm, case, folder, pairs):
    machine, script = folder / "machine.json", folder / "script"
    machine.write_text(json.dumps(case["machine"]), encoding="utf-8")
    script.write_text("".join(json.dumps(line) + "\n" for line, _ in case["steps"] if line),
                      encoding="utf-8")
    return subprocess.run(
        [wfsm, "crash-test", "--json", "--most", "25", "--pairs", str(pairs), str(machine),
         str(script), *case.get("options", [])],
        capture_output=True, text=True, timeout=300)


def main(arguments):
    wfsm, cases_folder, pairs = arguments[0], arguments[1], int((*arguments, 2)[2])
    sums = dict.fromkeys(("calls", "runs", "restarts", "invariants", "violations"), 0)
    wrong = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, case in cases(cases_folder):
            done = play(wfsm, case, Path(folder), pairs)
            count += 1
            if done.returncode != 0:
                wrong += 1
                print(name, done.returncode, done.stderr, done.stdout, sep="\n")
                continue
            counts = json.loads(done.stdout)
            sums = {key: sums[key] + counts[key] for key in sums}
    print(f"{count} machines, {wrong} with something wrong: {sums}")
    return 1 if wrong or count < 50 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
