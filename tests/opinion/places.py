"""Where a rule may ask something of a value. What `build` returns are the transitions that the
source is given, more states, a property that is to be violated, and what else stands in the
document."""
import json
import random
from dataclasses import dataclass
from typing import Callable

from expressions import var
from questions import computed, questions, relations

CAUGHT = {"on": {"error.execution": {"target": ".bad"}}}
OTHERS = 5 # second values for each value
X = var("context.x")


# ---- what a script says of a value ----

def hash_of(what):
    return sum(json.dumps(what).encode())


def others(source, value):
    return [value, *random.Random(hash_of(value)).sample(source.values, OTHERS)]


def followed_by(*after):
    return lambda source, value: [[*source.steps(value), *after]] if source.steps(value) else []


def then_another(source, value):
    steps = source.steps(value)
    return [[*steps, {"event": "next", "data": {"k": other}}] for other in others(source, value)] if steps else []


def with_another(source, value):
    made_of = (source.with_other(value, other) for other in others(source, value))
    return [steps for steps in made_of if steps]


def allowed(source, value):
    """The host's guard is true in the last step."""
    steps = source.steps(value)
    return [[*steps[:-1], {**steps[-1], "host": [True]}]] if steps else []


NEXT = followed_by({"event": "next"})


@dataclass(frozen=True)
class Place:
    build: Callable
    kind: Callable = questions # the questions that may stand there
    runs: Callable = followed_by() # of a source and a value: lists of lines
    of_event: bool = False # only what stands in the event can be asked
    values: tuple = () # that are tried besides those of the source


# ---- documents ----

def never(what):
    return {"never": what}


def assign(key, value):
    return {"type": "assign", "params": {key: value}}


def to_hit(*actions):
    return [{"target": "hit", "actions": list(actions)}]


def keep(value):
    return to_hit(assign("x", value))


def guard(of, ask):
    return [{"guard": ask(of), "target": "hit"}], {}, never({"in_state": "hit"}), {}


def rule(of, ask):
    return to_hit(), {}, never({"and": [{"in_state": "hit"}, ask(of)]}), {}


def needs(of, ask):
    """The property looks back: the rule is true before "hit", or with it."""
    return to_hit(), {}, {"precedes": {"of": {"in_state": "hit"}, "needs": ask(of)}}, {}


def until(of, ask):
    return to_hit(), {}, {"until": {"of": {"!": {"in_state": "hit"}}, "to": ask(of)}}, {}


def kept(of, ask):
    return keep(of), {}, never({"and": [{"in_state": "hit"}, ask(X)]}), {}


def context_of(schema):
    return {"schemas": {"context": {"type": "object", "properties": {"x": schema}}}}


def kept_as(schema):
    return lambda of, ask: (*kept(of, ask)[:3], context_of(schema))


def log(value):
    return {"type": "log", "params": {"label": "x", "value": value}}


def asked_later(*actions):
    return {"hit": {"on": {"next": {"actions": list(actions)}, "end": "over"}}}


def evaluated(**rest):
    """The rule can be evaluated of the key. If the key has a schema, it is not there at first."""
    return lambda of, ask: (keep(of), asked_later(log(ask(X)), assign("n", 6)),
                            never({"===": [var("context.n"), 6]}), rest)


def evaluated_as(schema):
    return evaluated(**context_of(schema))


def fails_later(of, ask):
    return caught(keep(of), asked_later(log(ask(X))))


def mismatch(schema):
    """The value does not fit the schema of its key, and the rule is true of it."""
    return lambda of, ask: caught([{**keep(of)[0], "guard": ask(of)}], **context_of(schema))


def caught(accept, states=None, **rest):
    """Whether an expression fails."""
    return accept, {"bad": {"type": "final"}, **(states or {})}, never({"in_state": "bad"}), {**CAUGHT, **rest}


def found(accept, question, event=None, actions=()):
    """The state "hit" asks: with an event, or at once."""
    leave = [{"guard": question, "target": "found"}]
    hit = {"entry": list(actions), **({"on": {event: leave}} if event else {"always": leave})}
    return accept, {"hit": hit, "found": {"type": "final"}}, never({"in_state": "found"}), {}


def kept_later(of, ask):
    return found(keep(of), ask(X), "next")


def made(of, ask):
    """A value that is computed from it is kept; how it is computed differs from question to question."""
    makes = list(computed(of))
    return found(keep(makes[hash_of(ask(X)) % len(makes)]), ask(X), "next")


def against(of, ask):
    return found(keep(of), ask(X, var("event.data.k")), "next")


def beside(of, ask):
    return guard(of, lambda one: ask(one, var("event.data.m")))


def always(of, ask):
    return found(keep(of), ask(X))


def entry(of, ask):
    return found(to_hit(), ask(X), "next", [assign("x", of)])


def part(of, ask):
    return found(to_hit(assign("x", {"k": 1}), assign("x.k", of)), ask(var("context.x.k")))


def choose(of, ask):
    branch = {"guard": ask(of), "actions": assign("x", 1)}
    return found(to_hit(), {"===": [X, 1]}, actions=[{"type": "choose", "params": {"branches": [branch]}}])


def each(of, ask):
    every = {"in": [5, of], "as": "y", "actions": assign("x", var("context.y"))}
    return found(to_hit(), ask(X), "next", [{"type": "each", "params": every}])


def passed_on(of, ask):
    raised = {"type": "raise", "params": {"event": "passed", "data": {"k": of}}}
    return found(to_hit(raised), ask(var("event.data.k")), "passed")


def delayed(of, ask):
    """The value is a delay of less than 6 ms, and the rule is true of it."""
    raised = {"type": "raise", "params": {"event": "passed", "delay": of}}
    states = {"hit": {"on": {"passed": {"target": "early"}}, "after": {"6": "over"}}, "early": {"type": "final"}}
    return to_hit(assign("x", of), raised), states, never({"and": [{"in_state": "early"}, ask(X)]}), {}


# ---- where an expression may fail ----

def guard_fails(of, ask):
    return caught([{"guard": ask(of), "target": "hit"}])


def asking_host(of, ask):
    """The host is not asked where the params fail."""
    return [{"guard": {"type": "allowed", "params": {"v": ask(of)}}, "target": "hit"}]


def host_guard(of, ask):
    return asking_host(of, ask), {}, never({"in_state": "hit"}), {}


def host_guard_fails(of, ask):
    return caught(asking_host(of, ask))


def action_fails(kind, key, **params):
    return lambda of, ask: caught(to_hit({"type": kind, "params": {**params, key: ask(of)}}))


def invoke_fails(make):
    return lambda of, ask: caught(to_hit(), {"hit": {"on": {"end": "over"}, "invoke": {"src": "w", **make(ask(of))}}})


def item_fails(make):
    """The value is one of the items, and an expression of the item fails."""
    return lambda of, ask: caught(to_hit(), {"hit": {"on": {"end": "over"}, "invoke": {
        "src": "w", "items": [5, of], **make(ask(var("item")))}}})


PLACES = {
    "guard": Place(guard),
    "rule": Place(rule, of_event=True),
    "needs": Place(needs, of_event=True),
    "until": Place(until, of_event=True),
    "kept": Place(kept),
    "kept later": Place(kept_later, runs=NEXT),
    "evaluated": Place(evaluated(), runs=NEXT),
    "fails later": Place(fails_later, runs=NEXT),
    "made": Place(made, runs=NEXT),
    "against": Place(against, relations, then_another),
    "beside": Place(beside, relations, with_another),
    "always": Place(always),
    "entry": Place(entry, runs=NEXT),
    "part": Place(part),
    "choose": Place(choose),
    "each": Place(each, runs=NEXT),
    "passed on": Place(passed_on),
    "delayed": Place(delayed, runs=followed_by({"advance": 100}, {"fire": True})),
    "as number": Place(kept_as({"type": ["number", "null"]})),
    "as text": Place(kept_as({"type": ["string", "null"], "maxLength": 12})),
    "guard fails": Place(guard_fails),
    "host": Place(host_guard, runs=allowed),
    "params of the host fail": Place(host_guard_fails),
    "assign fails": Place(action_fails("assign", "x")),
    "emit fails": Place(action_fails("emit", "data", event="told")),
    "raise fails": Place(action_fails("raise", "data", event="later")),
    "delay fails": Place(action_fails("raise", "delay", event="later"), computed),
    "each fails": Place(action_fails("each", "in", **{"as": "x", "actions": []}), computed),
    "input fails": Place(invoke_fails(lambda what: {"input": {"v": what}})),
    "items fail": Place(invoke_fails(lambda what: {"items": what}), computed),
    "input of an item fails": Place(item_fails(lambda what: {"input": {"v": what}})),
    "pool of an item fails": Place(item_fails(lambda what: {"pool": {"group": what}}), computed),
    "pool fails": Place(invoke_fails(lambda what: {"pool": {"group": what}}), computed)}
