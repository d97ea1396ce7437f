"""The state space of a chart according to SPIN, from the Promela that wfsm writes."""
import re
import shutil
import subprocess
from pathlib import Path

# Most of the time goes into compiling what SPIN writes, and clang takes half of gcc's.
COMPILER = shutil.which("clang") or "cc"
FLAGS = ["-O0", "-w", "-DPRINTF", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DNOFAIR"]


class TooLarge(Exception):
    pass


def graph_of(wfsm, document, folder):
    """{state: set of states that follow}, where a state is (over, bits); the first is the start.
    None for a chart that has no Promela."""
    folder = Path(folder)
    model = subprocess.run([wfsm, "graph", "--format", "promela", str(document)],
                           capture_output=True, text=True)
    if model.returncode:
        return None, model.stderr
    (folder / "chart.pml").write_text(model.stdout, encoding="utf-8")
    run(["spin", "-DTRACE", "-a", "chart.pml"], folder)
    run([COMPILER, *FLAGS, "-o", "pan", "pan.c"], folder)
    said = run(["./pan", "-n", "-m1000000", "-w20"], folder)
    if "errors: 0" not in said or "max search depth too small" in said:
        raise TooLarge(said[-2000:])
    return edges(said), model.stdout


def count_of(wfsm, document, folder):
    """The number of states that SPIN stores."""
    folder = Path(folder)
    model = run([wfsm, "graph", "--format", "promela", str(document)], ".")
    (folder / "chart.pml").write_text(model, encoding="utf-8")
    run(["spin", "-a", "chart.pml"], folder)
    run([COMPILER, "-O0", "-w", "-DSAFETY", "-o", "pan", "pan.c"], folder)
    said = run(["./pan", "-m1000000"], folder)
    if "errors: 0" not in said or "max search depth too small" in said:
        raise TooLarge(said[-2000:])
    return int(re.search(r"(\d+) states, stored", said)[1])


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


def edges(said):
    graph, before = {}, None
    for line in said.splitlines():
        words = line.split()
        if len(words) != 3 or words[0] not in ("0", "1") or words[1] not in ("0", "1"):
            continue
        state = (words[1], words[2])
        if words[0] == "0":
            before = state
        else:
            graph.setdefault(before, set()).add(state)
            graph.setdefault(state, set())
    return graph


def leaves(model):
    """Numbers and paths of all states, as the model's comments say."""
    found = {}
    for line in model.splitlines():
        if line.startswith("/* in["):
            number, path = line[6:-3].split("]: ")
            found[int(number)] = path
    return found


def configuration(state, names, parents):
    bits = state[1]
    active = [path for number, path in names.items() if bits[number] == "1"]
    return tuple(sorted(path for path in active if path not in parents))
