"""Generated charts without data: what SPIN reaches, from the Promela that wfsm writes, is what
random walks of the library reach.

usage: test_spin.py WFSM WALK FIRST COUNT
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

INPUTS = "300000"


def parents_of(document, path=""):
    found = set()
    for key, child in document.get("states", {}).items():
        here = f"{path}.{key}" if path else key
        if "states" in child:
            found |= {here} | parents_of(child, here)
    return found


def walked(walk, path):
    """Configurations that a walk has seen; None where nothing can start."""
    done = subprocess.run([walk, path, "1", INPUTS], capture_output=True, text=True)
    if done.returncode:
        return None
    return {tuple(sorted(each)) for each in json.loads(done.stdout)["configurations"]}


def reached(wfsm, document, path, folder):
    graph, model = spin.graph_of(wfsm, path, folder)
    if graph is None:
        raise RuntimeError(model)
    names, parents = spin.leaves(model), parents_of(document)
    return {spin.configuration(state, names, parents) for state in graph if "1" in state[1]}


def compare(wfsm, walk, seed):
    """None: it cannot start. Else what is wrong, or ''."""
    document = charts.Chart(seed).document
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chart.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        by_walk, by_spin = walked(walk, path), reached(wfsm, document, path, folder)
    if by_walk is None:
        return None if not by_spin else f"SPIN reaches {sorted(by_spin)}, it cannot start"
    if by_walk == by_spin:
        return ""
    return (f"only SPIN: {sorted(by_spin - by_walk)}, only the walk: {sorted(by_walk - by_spin)}"
            f"\n{json.dumps(document)}")


def main(wfsm, walk, first, count):
    if not shutil.which("spin"):
        sys.exit(77)
    seed, compared, wrong = int(first), 0, 0
    while compared < int(count):
        said = compare(wfsm, walk, seed)
        if said:
            print(f"chart {seed}: {said}")
            wrong += 1
        compared += said is not None
        seed += 1
    print(f"{compared} charts compared, {seed - int(first) - compared} cannot start, {wrong} differ")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
