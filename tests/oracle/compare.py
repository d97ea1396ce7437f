"""Random charts: `wfsm simulate` against the reference.

usage: compare.py WFSM FIRST_SEED COUNT
"""

import json
import subprocess
import sys
import tempfile

import charts
import reference

LINES = 25


def expected(document, lines):
    instance = reference.Instance(document)
    result = instance.start()
    instance.settle()
    yield dict(instance.observe(), result=result)
    for line in lines:
        if "advance" in line:
            instance.advance(line["advance"])
            yield dict(instance.observe(), result=None)
        else:
            result = instance.send(line["event"], line.get("data"))
            instance.settle()
            yield dict(instance.observe(), result=result)


def actual(wfsm, path, lines):
    text = "".join(json.dumps(line) + "\n" for line in lines)
    run = subprocess.run([wfsm, "simulate", path], input=text, capture_output=True, text=True,
                         timeout=600)
    return run.returncode, [json.loads(line) for line in run.stdout.splitlines()], run.stderr


def difference(want, have):
    effects = [{"event": e["event"], "data": e["data"]} for e in have["effects"]]
    have = dict(have, effects=effects)
    for key, value in want.items():
        if key == "result" and value is None:
            continue
        if have[key] != value:
            return f"{key}: expected {json.dumps(value)}, found {json.dumps(have[key])}"
    return None


def check(wfsm, seed):
    chart = charts.Chart(seed)
    lines = chart.lines(LINES)
    try:
        wanted = list(expected(chart.document, lines))
    except reference.Restless:
        return None
    except reference.Endless:
        wanted = None
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(chart.document, file)
        file.flush()
        code, outputs, errors = actual(wfsm, file.name, lines)
    if wanted is None:
        return None if code != 0 else "the start should have failed"
    if code != 0:
        return f"exit {code}: {errors.strip()}"
    for number, (want, have) in enumerate(zip(wanted, outputs)):
        found = difference(want, have)
        if found:
            return f"line {number} {json.dumps(lines[number - 1]) if number else 'start'}: {found}"
    return None if len(wanted) == len(outputs) else "another number of lines"


def main(wfsm, first, count):
    wrong = 0
    for seed in range(first, first + count):
        found = check(wfsm, seed)
        if found:
            wrong += 1
            print(f"seed {seed}: {found}")
    print(f"{count} charts, {wrong} differ")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
