"""What `wfsm verify` says of each question that a rule may ask, of data from each source, at each
place where a rule may stand: what it says to hold is not violated by any value that is played.

Random documents seldom ask a given question of a given source. Here all of them meet.

usage: test_questions.py WFSM [--every N | --pairs FIRST COUNT] [--schemas FIRST COUNT] [--kept FIRST COUNT]
                         [--source TEXT] [--place TEXT] [--show]
  --every N            each N-th question of a source and a place
  --pairs FIRST COUNT  instead, COUNT pairs of questions of each, by their seeds
  --schemas FIRST COUNT  instead of the sources, data and outputs as COUNT random schemas promise them
  --kept FIRST COUNT     instead of the places, a key of the context with each of COUNT random schemas
  --source TEXT        sources whose name begins so; --place likewise
  --show               also what is undecided, although a value decides it
"""
import argparse
import json
import os
import random
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice, product

from command import run, verify
from expressions import var
from questions import VALUES, computed, pair, questions, relations
from schemas import Schemas, values_of
from sources import SOURCES, output, promised

CONTEXT = {"x": None, "y": None, "t": "job.b", "n": 5, "l": ["b", 5.5], "r": {"a": 1, "b": 2, "5": 3}}
MOST_UNDECIDED = 0.1 # of what a value violates
OTHERS = 5 # second values for each value


# ---- places: the transitions of a source, more states, what never is, more of the document ----

def keep(value):
    return [{"target": "hit", "actions": {"type": "assign", "params": {"x": value}}}]


def guard(of, ask):
    return [{"guard": ask(of), "target": "hit"}], {}, {"in_state": "hit"}, {}


def rule(of, ask):
    """Of a property, in the step that sees the event."""
    return [{"target": "hit"}], {}, {"and": [{"in_state": "hit"}, ask(of)]}, {}


def kept(of, ask):
    return keep(of), {}, {"and": [{"in_state": "hit"}, ask(var("context.x"))]}, {}


def context_of(schema):
    return {"schemas": {"context": {"type": "object", "properties": {"x": schema}}}}


def kept_as(schema):
    return lambda of, ask: (*kept(of, ask)[:3], context_of(schema))


def misfit(schema):
    """Whether it does not fit, and the rule asks the same of it."""
    caught = {"on": {"error.execution": {"target": ".bad"}}}
    return lambda of, ask: (
        [{"guard": ask(of), **keep(of)[0]}], {"bad": {"type": "final"}}, {"in_state": "bad"}, {**context_of(schema), **caught})


def later(actions, question):
    """A guard of the next event asks."""
    states = {"hit": {"on": {"next": {"guard": question, "target": "found"}}}, "found": {"type": "final"}}
    return actions, states, {"in_state": "found"}, {}


def kept_later(of, ask):
    return later(keep(of), ask(var("context.x")))


def made(of, ask):
    """Of what an assignment makes of it, one thing for each question."""
    makes = list(computed(of))
    return later(keep(makes[hash_of(ask(var("x"))) % len(makes)]), ask(var("context.x")))


def against(of, ask):
    return later(keep(of), ask(var("context.x"), var("event.data.k")))


def beside(of, ask):
    return guard(of, lambda one: ask(one, var("event.data.m")))


def hash_of(what):
    return sum(json.dumps(what).encode())


PLACES = {"guard": guard, "rule": rule, "kept": kept, "kept later": kept_later, "made": made, "against": against,
          "beside": beside,
          "as number": kept_as({"type": ["number", "null"]}),
          "as text": kept_as({"type": ["string", "null"], "maxLength": 12})}

OF_TWO = ("against", "beside")


# ---- documents ----

def nth(kind, number, *of):
    return next(islice(kind(*of), number, None))


def asks(arguments, place, number):
    """Functions that ask something of what they are given."""
    kind, of = (relations, [var("a.b"), var("a.c")]) if place in OF_TWO else (questions, [var("a.b")])
    if arguments.pairs:
        first, count = arguments.pairs
        return [partial(pair, kind, seed) for seed in range(first, first + count)]
    count = sum(1 for _ in kind(*of))
    return [partial(nth, kind, one) for one in range(number % arguments.every, count, arguments.every)]


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


def document(source, place, ask):
    accept, states, violated, rest = place(var(source.path), ask)
    return {"id": "question", "initial": "first", **source.document, **rest,
            "context": context(source, rest), **schemas(source.document, rest),
            "states": {**source.states(accept), "hit": {"on": {"end": "over"}}, "over": {"type": "final"}, **states},
            "properties": {"p": {"never": violated}}}


# ---- what values do ----

def others(source, value):
    return [value, *random.Random(hash_of(value)).sample(source.values, OTHERS)]


def runs(source, place, value):
    if place == "beside":
        return [source.with_other(value, other) for other in others(source, value)]
    steps = source.steps(value)
    if not steps or place not in ("kept later", "made", "against"):
        return [steps]
    if place == "against":
        return [[*steps, {"event": "next", "data": {"k": other}}] for other in others(source, value)]
    return [[*steps, {"event": "next"}]]


def script(source, place):
    """One that tries all values, each from the start."""
    lines = [{"start": None}, {"checkpoint": "start"}]
    for value in source.values:
        for steps in runs(source, place, value):
            lines += [*steps, {"restore": "start"}] if steps else []
    return "".join(json.dumps(line) + "\n" for line in lines)


def is_violated(wfsm, made_of, lines):
    ran = run(wfsm, made_of, lines, "simulate", "--by-hand", "--properties")
    if ran.returncode not in (0, 3):
        raise ValueError(f"simulate: {ran.stderr}")
    return ran.returncode == 3


def judge(wfsm, made_of, lines):
    """violated, holds, undecided; wrong: it does not hold; missed: it is undecided, and violated."""
    verdict = verify(wfsm, made_of, "--max-states", "2000")["properties"][0]["verdict"]
    if verdict == "violated" or not is_violated(wfsm, made_of, lines):
        return verdict
    return {"holds": "wrong", "undecided": "missed"}[verdict]


# ---- all of them ----

def is_there(source, place):
    return {"rule": source.is_of_event, "beside": source.with_other}.get(place, True)


def of_place(arguments, source, name, place, number):
    lines = script(source, name)
    for ask in asks(arguments, name, number):
        yield source, name, document(source, place, ask), lines


def places(arguments):
    if not arguments.kept:
        return PLACES
    first, count = arguments.kept
    return {f"{kind.__name__} {seed}": kind(Schemas(seed).make()) for seed in range(first, first + count)
            for kind in (kept_as, misfit)}


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
        if chosen and is_there(source, name):
            yield from of_place(arguments, source, name, place, number)


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
    parser.add_argument("--source", default="")
    parser.add_argument("--place", default="")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args(arguments)
    counts, failed = Counter(), False
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = pool.map(lambda each: (each, judge(arguments.wfsm, *each[2:])), asked(arguments))
        for (source, place, made_of, _), what in judged:
            counts[source.name, what] += 1
            failed |= what == "wrong"
            if what == "wrong" or (what == "missed" and arguments.show):
                print(f"{what}: {source.name}: {place}: {json.dumps(made_of)}", flush=True)
    return report(counts) or failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
