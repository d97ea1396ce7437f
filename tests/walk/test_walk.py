"""Random walks of millions of inputs never contradict `wfsm verify`. A property that holds is not
violated, and a state that is never entered or reached stays so. No walk violates a property in
fewer steps than the trace of `wfsm verify`.

usage: test_walk.py WFSM WALK INPUTS DOCUMENT…      (of a DOCUMENT:START, START is an input)
"""
import json
import subprocess
import sys


def said(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise RuntimeError(f"{command}: {done.returncode} {done.stderr}") from None


def contradictions(found, seen):
    verdicts = {each["name"]: each for each in found["properties"]}
    ways = {each["property"]: each for each in found["diagnostics"] if each["property"]}
    for name, walked in seen["violated"].items():
        if verdicts[name]["verdict"] == "holds":
            yield f"{name} holds, says verify; not after\n{walked['trace']}"
        elif not found["bound"] and name in ways and ways[name]["steps"] > walked["steps"]:
            yield (f"{name} needs {ways[name]['steps']} steps, says verify; it took "
                   f"{walked['steps']}\n{walked['trace']}")
    for name in seen["reached"]:
        if verdicts[name]["verdict"] == "violated":
            yield f"{name} cannot be reached, says verify; it was"
    dead = {each["state"] for each in found["diagnostics"] if each["rule"] == "never-entered"}
    for leaf in sorted({leaf for leaves in seen["configurations"] for leaf in leaves} & dead):
        yield f"{leaf} is never entered, says verify; it was"


def main(wfsm, walk, inputs, *documents):
    wrong = 0
    for word in documents:
        path, *starts = word.split(":", 1)
        starts = ["{}", *starts]
        options = [word for start in starts for word in ("--input", start)]
        found = said([wfsm, "verify", "--json", path, *options])
        seen = said([walk, path, "1", inputs, *starts])
        print(f"{path}: {found['states']} states, {found['moves']} moves; a walk of "
              f"{seen['inputs']} inputs, {seen['steps']} steps, {seen['runs']} runs")
        for each in contradictions(found, seen):
            wrong += 1
            print(f"{path}: {each}")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
