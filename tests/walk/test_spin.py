"""Generated charts without data: SPIN (with the Promela that wfsm writes), `wfsm verify` and random
walks reach the same states, and agree on those without a successor.

usage: test_spin.py WFSM WALK REACH FIRST COUNT
Exit 77 (skipped) without spin.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import charts
import spin

STARTLESS = 5  # of the charts that wfsm cannot start one in so many is tried by SPIN
WALKS = 10000, 300000  # the longer one where the shorter has missed something


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


def walks(walk, path, wanted):
    found = set()
    for inputs in WALKS:
        if found != wanted:
            found = as_set((said(walk, path, "1", str(inputs)) or {"configurations": []})
                           ["configurations"])
    return found


def compare(programs, seed):
    """None: it cannot start. Else what is wrong, or ''."""
    wfsm, walk, reach = programs
    document = charts.Chart(seed).document
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chart.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        explored = said(reach, path) or {"configurations": [], "rests": []}
        if not explored["configurations"] and seed % STARTLESS:
            return None
        by_spin = BySpin(wfsm, document, path, folder)
        walked = walks(walk, path, by_spin.reached)
    if not (by_spin.reached or walked or explored["configurations"]):
        return None
    wrong = [*differences("explored", by_spin.reached, as_set(explored["configurations"])),
             *differences("rests", by_spin.rests, as_set(explored["rests"])),
             *differences("walked", by_spin.reached, walked)]
    return "\n".join([*wrong, json.dumps(document)]) if wrong else ""


def problems(programs, first, wanted):
    """(seed, what is wrong) of each chart from `first` on, until `wanted` were compared."""
    seeds = count(first)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        while wanted > 0:
            some = [next(seeds) for _ in range(min(wanted, 20))]
            for seed, problem in zip(some, pool.map(lambda s: compare(programs, s), some)):
                wanted -= problem is not None
                yield seed, problem


def main(wfsm, walk, reach, first, wanted):
    if not shutil.which("spin"):
        sys.exit(77)
    none, compared, wrong = 0, 0, 0
    for seed, problem in problems((wfsm, walk, reach), int(first), int(wanted)):
        none += problem is None
        compared += problem is not None
        wrong += bool(problem)
        if problem:
            print(f"chart {seed}: {problem}")
    print(f"{compared} charts compared, {none} cannot start, {wrong} differ")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
