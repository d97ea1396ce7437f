"""The same question about each of many documents, several at once, and one answer from all.

    map_documents.py FOLDER STORE [--slots N] [--seconds S]

FOLDER has the documents, *.txt. The context has their names and what was found, not their texts. A document that a
model cannot read does not end the run: it is tried three times and then listed. Kill the program whenever you
like and start it again: a document whose answer is stored is not asked about again.

S is how long the model that stands in for a real one takes for each document.
"""
import argparse
import asyncio
import json
import sys
from pathlib import Path

import wfsm

SURVEY = wfsm.Machine.load({
    "id": "survey", "initial": "reading", "context": {"names": [], "found": []},
    "states": {
        "reading": {"invoke": {
            "src": "read", "items": {"var": "context.names"},
            "complete": "settled",              # all have ended, with an answer or a failure
            "timeoutMs": 60_000,
            "retry": [{"errors": ["network", "timeout"], "maxAttempts": 3, "intervalMs": 20, "backoffRate": 2}],
            "onDone": {"target": "adding", "actions": {
                "type": "assign", "params": {"found": {"var": "event.data"}}}}}},
        "adding": {"invoke": {
            "src": "add", "input": {"names": {"var": "context.names"}, "found": {"var": "context.found"}},
            "onDone": "done"}},
        "done": {"type": "final"}}})


async def ask_a_model(text, seconds):
    """Stands in for the client of a model: how many words are there?"""
    await asyncio.sleep(seconds)
    if "unreadable" in text:
        raise wfsm.AgentFailed("network", "no answer")
    return {"words": len(text.split())}


def add_agents(engine, folder, seconds):
    @engine.agent
    async def read(work):
        text = await asyncio.to_thread((folder / work.input).read_text, encoding="utf-8")
        return await ask_a_model(text, seconds)

    @engine.agent
    def add(call):
        pairs = list(zip(call.input["names"], call.input["found"]))
        failed = [name for name, one in pairs if "error" in one]
        words = sum(one["output"]["words"] for _, one in pairs if "output" in one)
        part = folder / "survey.part"
        part.write_text(json.dumps({"documents": len(pairs), "words": words, "failed": failed}), encoding="utf-8")
        part.replace(folder / "survey.json")  # whole or not at all, because the program may be killed


def task_of(engine, store, names):
    """The stored survey, taken over from a process that has ended; or a new one."""
    try:
        owner = store.head("survey-1").owner
    except wfsm.NotFound:
        return engine.start("survey", "survey-1", {"names": names})
    if wfsm.owner_is_dead(owner):
        store.remove_owner(owner)
    return engine.adopt("survey-1")


async def show(task):
    """A line for each hundred that has ended."""
    def left():
        return sum(one["status"] in ("pending", "running") for one in task.invocations)

    while not task.done:
        before = left()
        print(f"{before} left", file=sys.stderr)
        await task.wait(lambda: task.done or left() <= before - 100)


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("store")
    parser.add_argument("--slots", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=0.05)
    given = parser.parse_args()
    names = sorted(path.name for path in given.folder.glob("*.txt"))
    with wfsm.sqlite(given.store) as store:
        async with wfsm.engine(store, [SURVEY], slots=given.slots) as engine:
            add_agents(engine, given.folder, given.seconds)
            task = task_of(engine, store, names)
            if not task.done:
                await show(task)
    print((given.folder / "survey.json").read_text(encoding="utf-8"))


if __name__ == "__main__":
    asyncio.run(main())
