"""A long-running data pipeline: extract, transform in many pieces, load.

    pipeline.py FOLDER [--pieces N] [--seconds S]

FOLDER gets pipeline.db, the pieces, and result.json. Kill the program whenever you like and start it again:
what is stored is not done again. A piece whose agent was at work is done again, under the same name, so that
its file is written over and not added.

S is how long the transformation of a piece takes.
"""
import argparse
import json
import time
from pathlib import Path

import wfsm

PIPELINE = wfsm.Machine.load({
    "id": "pipeline", "initial": "extracting",
    "context": {"pieces": 20, "names": [], "sums": [], "total": None},
    "states": {
        "extracting": {"invoke": {
            "src": "extract", "input": {"pieces": {"var": "context.pieces"}},
            "onDone": {"target": "transforming", "actions": {
                "type": "assign", "params": {"names": {"var": "event.data"}}}},
            "onError": "failed"}},
        "transforming": {"invoke": {
            "src": "transform", "items": {"var": "context.names"},
            "input": {"name": {"var": "item"}},
            "retry": [{"maxAttempts": 3, "intervalMs": 100, "backoffRate": 2}],
            "onDone": {"target": "loading", "actions": {
                "type": "assign", "params": {"sums": {"var": "event.data"}}}},
            "onError": "failed"}},
        "loading": {"invoke": {
            "src": "load", "input": {"sums": {"var": "context.sums"}},
            "onDone": {"target": "done", "actions": {
                "type": "assign", "params": {"total": {"var": "event.data"}}}},
            "onError": "failed"}},
        "done": {"type": "final", "output": {"var": "context.total"}},
        "failed": {"type": "final", "tags": "error"}}})


def write(path, value):
    """Whole or not at all, because the program may be killed."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value), encoding="utf-8")
    part.replace(path)


def add_agents(engine, folder, seconds):
    @engine.agent
    def extract(call):
        names = [f"piece-{number:03}" for number in range(call.input["pieces"])]
        for number, name in enumerate(names):
            write(folder / f"{name}.json", list(range(number * 100, number * 100 + 100)))
        return names

    @engine.agent
    def transform(call):
        name = call.input["name"]
        print(f"transforming {name}\n", end="", flush=True)  # in one piece: threads print at once
        time.sleep(seconds)
        return sum(json.loads((folder / f"{name}.json").read_text(encoding="utf-8")))

    @engine.agent
    def load(call):
        total = sum(call.input["sums"])
        write(folder / "result.json", {"total": total})
        return total


def task_of(engine, store, pieces):
    """The stored pipeline, taken over from a process that has ended; or a new one."""
    try:
        owner = store.head("pipeline-1").owner
    except wfsm.NotFound:
        return engine.start("pipeline", "pipeline-1", {"pieces": pieces})
    if wfsm.owner_is_dead(owner):
        store.remove_owner(owner)
    return engine.adopt("pipeline-1")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pieces", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.1)
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    with wfsm.sqlite(given.folder / "pipeline.db") as store, wfsm.Engine(store, slots=4) as engine:
        engine.add_machine(PIPELINE)
        add_agents(engine, given.folder, given.seconds)
        task = task_of(engine, store, given.pieces)
        engine.run_until(lambda: task.done)
        print(*task.configuration, task.output, flush=True)


if __name__ == "__main__":
    main()
