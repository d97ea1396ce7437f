"""A ring of regions with an agent each, which starts the agent of the next one: `wfsm verify` has a
state for each set of agents at work, and at most three times as many states as SPIN.

usage: test_spin_size.py WFSM
Exit 77 (skipped) without spin.
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import spin


def ring(size):
    def region(i):
        following = {"type": "raise", "params": {"event": f"go{(i + 1) % size}"}}
        return {"initial": "work", "states": {
            "work": {"invoke": {"src": "agent", "onError": "rest",
                                "onDone": {"target": "rest", "actions": following}}},
            "rest": {"on": {f"go{i}": "work"}}}}
    return {"id": "ring", "type": "parallel",
            "states": {f"r{i}": region(i) for i in range(size)}}


def main(wfsm):
    if not shutil.which("spin"):
        sys.exit(77)
    wrong = 0
    for size in (2, 4, 8):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "ring.json"
            path.write_text(json.dumps(ring(size)), encoding="utf-8")
            done = subprocess.run([wfsm, "verify", "--json", path], capture_output=True)
            states, stored = json.loads(done.stdout)["states"], spin.count_of(wfsm, path, folder)
        print(f"{size} regions: {states} states, {stored} of SPIN")
        wrong += states != 2 ** size or states > 3 * stored
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
