"""Generated charts without data: what SPIN reaches, from the Promela that wfsm writes, is what
the exploration of `wfsm verify` reaches, and what random walks reach; and they agree on where
nothing leads on.

usage: test_spin.py WFSM WALK REACH FIRST COUNT
Exit 77 (skipped) without spin.
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import charts
import spin

INPUTS = "100000"


def parents_of(document, path=""):
    found = set()
    for key, child in document.get("states", {}).items():
        here = f"{path}.{key}" if path else key
        if "states" in child:
            found |= {here} | parents_of(child, here)
    return found


def said(*command):
    """None where nothing can start."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return None if done.returncode else json.loads(done.stdout)


def as_set(configurations):
    return {tuple(sorted(each)) for each in configurations}


class BySpin:
    def __init__(self, wfsm, document, path, folder):
        graph, model = spin.graph_of(wfsm, path, folder)
        if graph is None:
            raise RuntimeError(model)
        names, parents = spin.leaves(model), parents_of(document)
        real = [state for state in graph if "1" in state[1]]
        self.reached = {spin.configuration(state, names, parents) for state in real}
        self.rests = {spin.configuration(state, names, parents) for state in real
                      if state[0] == "0" and not graph[state] - {state}}


def differences(what, one, other):
    if one != other:
        yield f"{what}: only SPIN: {sorted(one - other)}, only wfsm: {sorted(other - one)}"


def compare(programs, seed):
    """None: it cannot start. Else what is wrong, or ''."""
    wfsm, walk, reach = programs
    document = charts.Chart(seed).document
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chart.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        walked, explored = said(walk, path, "1", INPUTS), said(reach, path)
        by_spin = BySpin(wfsm, document, path, folder)
    if walked is None:
        return f"SPIN starts it: {by_spin.reached}" if by_spin.reached else None
    wrong = [*differences("explored", by_spin.reached, as_set(explored["configurations"])),
             *differences("rests", by_spin.rests, as_set(explored["rests"])),
             *differences("walked", by_spin.reached, as_set(walked["configurations"]))]
    return "\n".join([*wrong, json.dumps(document)]) if wrong else ""


def main(wfsm, walk, reach, first, count):
    if not shutil.which("spin"):
        sys.exit(77)
    seed, compared, wrong = int(first), 0, 0
    while compared < int(count):
        problem = compare((wfsm, walk, reach), seed)
        if problem:
            print(f"chart {seed}: {problem}")
            wrong += 1
        compared += problem is not None
        seed += 1
    print(f"{compared} charts compared, {seed - int(first) - compared} cannot start, {wrong} differ")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
