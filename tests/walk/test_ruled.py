"""Generated documents with data: no random walk contradicts `wfsm verify`, and an instance can
follow each of its traces.

usage: test_ruled.py WFSM WALK FIRST COUNT INPUTS
"""
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ruled import Ruled
from test_walk import contradictions

BOUNDS = ["--max-states", "5000", "--time", "20"]


def said(*command):
    """None where it is no document, or nothing can start."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode < 0 or done.returncode > 3:
        raise RuntimeError(f"{command}: {done.returncode} {done.stderr}")
    return json.loads(done.stdout) if done.stdout.startswith("{") else None


def problems_of(found, seen):
    yield from contradictions(found, seen)
    for each in found["diagnostics"]:
        if each["severity"] == "error" and each["steps"] >= 0 and not each["replayed"]:
            yield f"not so when it is run again: {each['message']}"


def compare(programs, seed, inputs):
    """The verdict, and what is wrong."""
    wfsm, walk = programs
    document = Ruled(seed).document
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ruled.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        found = said(wfsm, "verify", "--json", *BOUNDS, str(path))
        seen = said(walk, str(path), str(seed), inputs) if found else None
    if found is None or seen is None:
        return "refused", ""
    problems = list(problems_of(found, seen))
    return found["verdict"], "\n".join([*problems, json.dumps(document)]) if problems else ""


def main(wfsm, walk, first, count, inputs):
    verdicts, wrong = Counter(), 0
    seeds = range(int(first), int(first) + int(count))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for seed, (verdict, problem) in zip(
                seeds, pool.map(lambda s: compare((wfsm, walk), s, inputs), seeds)):
            verdicts[verdict] += 1
            wrong += bool(problem)
            if problem:
                print(f"document {seed}: {problem}")
    print(f"{len(seeds)} documents: {dict(verdicts)}; {wrong} contradicted")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
