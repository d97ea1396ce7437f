"""Runs the cases of cases/*.json through `wfsm simulate` (see README.md).

usage: simulate.py WFSM CASES.json…
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

KEYS = {
    "revision": int, "result": str, "configuration": list, "context": dict, "effects": list,
    "log": list, "invocations": list, "deadline": (int, type(None)), "done": bool, "error": dict,
    "properties": dict,
    "budgets": dict,
}
MAY = ("error", "budgets", "properties")  # the others are always there
RESULTS = {
    "started", "taken", "no_transition", "blocked", "failed", "ended", "duplicate", "stale", "retry",
}


def shape(answer):
    """What is wrong with the form of an answer, whatever it says."""
    wrong = [f"unexpected key {key}" for key in answer if key not in KEYS]
    wrong += [f"missing key {key}" for key in KEYS if key not in answer and key not in MAY]
    wrong += [f"{key} is {answer[key]!r}" for key, kind in KEYS.items()
              if key in answer and not isinstance(answer[key], kind)]
    if answer.get("result") not in RESULTS:
        wrong.append(f"result {answer.get('result')!r}")
    if answer.get("result") == "failed" and "error" not in answer:
        wrong.append("failed without an error")
    for entry in answer.get("log", []):
        if set(entry) != {"label", "value"}:
            wrong.append(f"log entry {entry}")
    for entry in answer.get("invocations", []):
        if list(entry) != ["id", "src", "state", "status"]:
            wrong.append(f"invocation {entry}")
    return wrong


def view(answer, key):
    if key == "logged":
        return [[entry["label"], entry["value"]] for entry in answer["log"]]
    if key == "labels":
        return [entry["label"] for entry in answer["log"]]
    return answer.get(key)


def differences(expected, answer):
    return [f"{key}: expected {json.dumps(value)}, got {json.dumps(view(answer, key))}"
            for key, value in expected.items() if view(answer, key) != value]


def reject_duplicates(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError(f"duplicate keys in {pairs}")
    return dict(pairs)


def run(command, case, folder):
    machine = Path(folder) / "machine.json"
    machine.write_text(json.dumps(case["machine"]), encoding="utf-8")
    lines = "".join(json.dumps(line) + "\n" for line, _ in case["steps"] if line is not None)
    return subprocess.run(
        [*command, "simulate", str(machine), *case.get("options", [])],
        input=lines, capture_output=True, text=True, encoding="utf-8", timeout=60)


def check(command, case, folder):
    done = run(command, case, folder)
    answers = [json.loads(line, object_pairs_hook=reject_duplicates)
               for line in done.stdout.splitlines()]
    wrong = []
    if done.returncode != case.get("exit", 0):
        wrong.append(f"exit code {done.returncode}: {done.stderr}")
    if not re.search(case.get("stderr", ""), done.stderr, re.M):
        wrong.append(f"stderr is {done.stderr!r}")
    if len(answers) != len(case["steps"]):
        wrong.append(f"{len(answers)} answers to {len(case['steps'])} steps")
    for number, (answer, (line, expected)) in enumerate(zip(answers, case["steps"])):
        for what in shape(answer) + differences(expected, answer):
            wrong.append(f"step {number} {json.dumps(line)}: {what}")
    return wrong


def main(arguments):
    command, files = [arguments[0]], arguments[1:]
    count = failed = 0
    for name in files:
        for case in json.loads(Path(name).read_text(encoding="utf-8")):
            with tempfile.TemporaryDirectory() as folder:
                wrong = check(command, case, folder)
            count += 1
            failed += bool(wrong)
            if wrong:
                print(f"FAILED {Path(name).name}: {case['name']}")
                print("".join(f"    {what}\n" for what in wrong), end="")
    print(f"{count - failed} of {count} cases passed")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
