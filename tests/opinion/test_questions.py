"""What `wfsm verify` says of each question that a rule may ask, of data from each source, at each
place where a rule may stand: what it says to hold is not violated by any value that is played.

Random documents seldom ask a given question of a given source. Here all of them meet.

usage: test_questions.py WFSM [--every N | --pairs FIRST COUNT] [--schemas FIRST COUNT] [--kept FIRST COUNT]
                         [--stored FIRST COUNT] [--way NAME] [--states N] [--source TEXT] [--place TEXT] [--show]
  --every N              each N-th question of a source and a place; with --pairs, each N-th source and place
  --pairs FIRST COUNT    instead, COUNT pairs of questions of each, by their seeds
  --schemas FIRST COUNT  instead of the sources, data and outputs as COUNT random schemas promise them
  --kept FIRST COUNT     instead of the places, a key of the context with each of COUNT random schemas
  --stored FIRST COUNT   instead, values that are put together under each of COUNT random schemas
  --way NAME             how a rule reads the data: var (as usual), val, get and others
  --states N             the most states of a search; 2000. With few, each property is proved alone
  --source TEXT          sources whose name begins so; --place likewise
  --show                 also what is undecided, although a value decides it
"""
import argparse
import json
import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice, product

from command import run, verify
from expressions import var
from places import NEXT, PLACES, Place, evaluated_as, followed_by, kept_as, mismatch, with_another
from questions import VALUES, pair, relations
from schemas import Schemas, values_of
from sources import SOURCES, output, promised
from stored import stored
from ways import WAYS

CONTEXT = {"x": None, "y": None, "t": "job.b", "n": 5, "l": ["b", 5.5], "r": {"a": 1, "b": 2, "5": 3}}
MOST_UNDECIDED = 0.1 # of what a value violates


# ---- documents ----

def nth(kind, number, *of):
    return next(islice(kind(*of), number, None))


def asks(arguments, place, number):
    """Functions that ask something of what they are given."""
    if arguments.pairs:
        first, count = arguments.pairs
        if number % arguments.every:
            return []
        return [partial(pair, place.kind, seed) for seed in range(first, first + count)]
    of = [WAYS[arguments.way](["a", "b"]), var("a.c")][:1 + (place.kind is relations)]
    count = sum(1 for _ in place.kind(*of))
    return [partial(nth, place.kind, one) for one in range(number % arguments.every, count, arguments.every)]


def schemas(*parts):
    """Those of the context, of a source and a place."""
    properties = {}
    for part in parts:
        properties.update(part.get("schemas", {}).get("context", {}).get("properties", {}))
    return {"schemas": {"context": {"type": "object", "properties": properties}}} if properties else {}


def context(source, rest):
    """A key with a schema has no value at first."""
    made_of = {**CONTEXT, **source.document.get("context", {})}
    return {key: value for key, value in made_of.items() if not ("schemas" in rest and key == "x")}


def document(source, place, ask, way):
    accept, states, property_, rest = place.build(source.read(way), ask)
    return {"id": "question", "initial": "first", **source.document, **rest,
            "context": context(source, rest), **schemas(source.document, rest),
            "states": {**source.states(accept), "over": {"type": "final"}, "hit": {"on": {"end": "over"}}, **states},
            "properties": {"p": property_}}


# ---- what values do ----

def script(source, place):
    """One that tries all values, each from the start."""
    lines = [{"start": None}, {"checkpoint": "start"}]
    for value in [*source.values, *place.values]:
        for steps in place.runs(source, value):
            lines += [*steps, {"restore": "start"}]
    return "".join(json.dumps(line) + "\n" for line in lines)


def is_violated(wfsm, made_of, lines):
    ran = run(wfsm, made_of, lines, "simulate", "--by-hand", "--properties")
    if ran.returncode not in (0, 3):
        raise ValueError(f"simulate: {ran.stderr}")
    return ran.returncode == 3


def judge(wfsm, states, made_of, lines):
    """violated, holds, undecided; wrong: it does not hold; missed: it is undecided, and violated."""
    verdict = verify(wfsm, made_of, "--max-states", states)["properties"][0]["verdict"]
    if verdict == "violated" or not is_violated(wfsm, made_of, lines):
        return verdict
    return {"holds": "wrong", "undecided": "missed"}[verdict]


# ---- all of them ----

def is_there(source, place, way):
    """A property reads the event, and not all that there is."""
    return (not place.of_event or (source.is_of_event and way != "get from all")) and \
        (place.runs is not with_another or source.with_other)


def places(arguments):
    if arguments.stored:
        return stored(*arguments.stored)
    if not arguments.kept:
        return PLACES
    first, count = arguments.kept
    kinds = {kept_as: followed_by(), mismatch: followed_by(), evaluated_as: NEXT}
    return {f"{kind.__name__} {seed}": Place(kind(Schemas(seed).make()), runs=runs)
            for seed in range(first, first + count) for kind, runs in kinds.items()}


def sources(arguments):
    if not arguments.schemas:
        return SOURCES
    first, count = arguments.schemas
    return [source for seed in range(first, first + count) for source in promised_as(seed)]


def promised_as(seed):
    schema = Schemas(seed).make()
    values = [*VALUES, *values_of(schema, seed)]
    return [kind(f"as schema {seed}", values, **schema) for kind in (promised, output)]


def asked(arguments):
    for number, (source, (name, place)) in enumerate(product(sources(arguments), places(arguments).items())):
        chosen = source.name.startswith(arguments.source) and name.startswith(arguments.place)
        if not chosen or not is_there(source, place, arguments.way):
            continue
        asked_here = asks(arguments, place, number)
        lines = script(source, place) if asked_here else ""
        for ask in asked_here:
            yield source, name, document(source, place, ask, arguments.way), lines


def report(counts):
    violated = sum(count for (_, what), count in counts.items() if what in ("violated", "missed"))
    missed = sum(count for (_, what), count in counts.items() if what == "missed")
    for name in sorted({name for name, _ in counts}):
        print(f"{name}: " + ", ".join(f"{what} {counts[name, what]}" for what in
                                      ("violated", "holds", "undecided", "missed", "wrong") if counts[name, what]))
    print(f"{sum(counts.values())} documents; {missed} violations of {violated} are undecided")
    return missed > MOST_UNDECIDED * violated


def main(arguments):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("wfsm")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--pairs", type=int, nargs=2)
    parser.add_argument("--schemas", type=int, nargs=2)
    parser.add_argument("--kept", type=int, nargs=2)
    parser.add_argument("--stored", type=int, nargs=2)
    parser.add_argument("--way", choices=WAYS, default="var")
    parser.add_argument("--states", default="2000")
    parser.add_argument("--source", default="")
    parser.add_argument("--place", default="")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args(arguments)
    counts, failed = Counter(), False
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = pool.map(lambda each: (each, judge(arguments.wfsm, arguments.states, *each[2:])), asked(arguments))
        for (source, place, made_of, _), what in judged:
            counts[source.name, what] += 1
            failed |= what == "wrong"
            if what == "wrong" or (what == "missed" and arguments.show):
                print(f"{what}: {source.name}: {place}: {json.dumps(made_of)}", flush=True)
    return report(counts) or failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
