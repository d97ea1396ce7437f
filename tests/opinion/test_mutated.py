"""The documents of tests/cases, changed at random, and played: no run contradicts `wfsm verify`.

The documents were written by hand, each for one thing that is hard to verify. Their changes have things together
that no generator puts together.

usage: test_mutated.py WFSM OPINION FIRST COUNT FOLDER… [--write FOLDER]
"""
import argparse
import json
import os
import random
import sys
from collections import Counter
from pathlib import Path

from command import violated_by
from mutate import Mutation, parts
from players import Players
from task import task
from test_played import is_watched, shapes

RUNS = 200
STATES = 2000
SECONDS = 0.3 # of processor time for one verification
MOST = 8 # for one document
NUMBERS = {"k": "int", "lo": 0, "hi": 12}


def read(folders):
    for path in sorted(path for folder in folders for path in Path(folder).glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        if not case.get("arguments"):
            yield path.stem, case["document"]


def raises(document):
    """Verify takes it that what the document raises comes from itself only. The runs may send it."""
    return any(part == "raise" for path, part in parts(document) if path[-1] == "type")


def shapes_of(document):
    """Members that rules read, with values of any kind for one event, and small numbers for the next one."""
    made = shapes(document)
    members = {part.split(".")[2] for _, part in parts(document)
             if isinstance(part, str) and part.startswith("event.data.") and len(part) < 40}
    for number, name in enumerate(made["events"]):
        if members and number % 3 < 2:
            value = NUMBERS if number % 3 else {"k": "any"}
            made["events"][name] = {"k": "obj", "f": {member: value for member in members}}
    return made


def tasks(first, count, documents):
    mutation = Mutation([document for _, document in documents])
    for seed in range(first, first + count):
        chance = random.Random(seed)
        name, document = chance.choice(documents)
        document = mutation.of(document, chance)
        try:
            if is_watched(document):
                yield {**task(seed, document, shapes_of(document), RUNS), "case": name}
        except (AttributeError, KeyError, StopIteration, TypeError): # half of a property, or of an action
            continue


def is_real(wfsm, done, contradiction):
    """The program of the runs evaluates properties by a second machine. `wfsm simulate` must say the same."""
    if raises(done["document"]):
        return False
    if not contradiction.get("script"):
        return True
    violated = contradiction["name"] in violated_by(wfsm, done["document"], contradiction["script"])
    return violated == (contradiction["what"] == "holds")


def main(arguments):
    parser = argparse.ArgumentParser(usage=__doc__)
    for name, kind in (("wfsm", str), ("opinion", str), ("first", int), ("count", int)):
        parser.add_argument(name, type=kind)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--write")
    given = parser.parse_args(arguments)
    documents = list(read(given.folders))
    players = Players(given.opinion, os.cpu_count(), STATES, SECONDS, MOST)
    verdicts, properties, failed = Counter(), Counter(), False
    for done, answer in players.all(tasks(given.first, given.count, documents)):
        verdicts[next((key for key in ("died", "slow", "refused") if key in answer), answer.get("verdict"))] += 1
        properties.update(answer.get("properties", {}).values())
        wrong = [each for each in answer["contradictions"] if is_real(given.wfsm, done, each)]
        for each in wrong + [answer] * ("died" in answer):
            failed = True
            print(f"document {done['seed']} ({done['case']}): {json.dumps(each, ensure_ascii=False)}")
        if wrong and given.write:
            Path(given.write, f"{done['seed']}.json").write_text(json.dumps(done["document"]), encoding="utf-8")
    players.close()
    print(f"{dict(verdicts)}; properties {dict(properties)}")
    return failed or verdicts["holds"] < sum(verdicts.values()) / 20


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
