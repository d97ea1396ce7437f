"""Values that are put together, or come from elsewhere, and are stored under a schema: each in a document that is
violated once one fits, and in one that is violated once one does not."""
import random

from expressions import var
from places import Place, assign, caught, context_of, never, to_hit
from schemas import Schemas, values_of

Y = var("context.y")
DONE = assign("n", 6)
FIRST = [{"const": 1}, {"const": 0}, {"type": "object", "required": ["error"]}] # other elements of the sources


# ---- how it is put together: the parts of the result that are a value, and the result ----

def all_of_it(of):
    """What the value came with: the data of the event, say."""
    keys = of.get("var", "").split(".")
    return (keys[2:], var(".".join(keys[:2]))) if len(keys) > 2 else ([], of)


MAKES = {
    "itself": lambda of: ([], of),
    "all of it": all_of_it,
    "an object": lambda of: (["k"], {"k": of, "b": 5}),
    "an object in one": lambda of: (["a", "k"], {"a": {"k": of}}),
    "with": lambda of: (["k"], {"with": [{"literal": {"b": 5}}, "k", of]}),
    "a list": lambda of: (["0"], [of, 5]),
    "objects in a list": lambda of: (["0", "k"], [{"k": of}, {"k": 5}]),
    "merge": lambda of: (["1"], {"merge": [[5], [of]]}),
    "slice": lambda of: (["0"], {"slice": [[of, 5, 7], 0, 2]}),
    "map": lambda of: (["0", "k"], {"map": [[of, 5], {"k": var("")}]}),
    "filter": lambda of: (["0"], {"filter": [[of, 5], True]}),
    "get": lambda of: ([], {"get": [{"k": of}, "k"]}),
    "if": lambda of: (["k"], {"if": [{"===": [of, 5]}, {"k": 5}, {"k": of}]}),
    "another": lambda of: ([], {"??": [of, 5]}),
    "or": lambda of: ([], {"or": [of, var("context.t")]}),
    "and": lambda of: ([], {"and": [of, of]}),
    "try": lambda of: (["k"], {"try": [{"k": of}, 5]}),
    "from a table": lambda of: ([], {"get": [{"literal": {"a": 5}}, of, of]}),
    "a text of it": lambda of: ([], {"cat": [of]}),
}


# ---- on what way it gets there ----

def directly(made, _):
    return to_hit(assign("x", made), DONE), {}


def raised(**more):
    return {"type": "raise", "params": {"event": "passed", **more}}


def later(value, *actions):
    """A raised event stores it."""
    return to_hit(*actions), {"on": {"passed": {"actions": [assign("x", value), DONE]}}}


def by_key(made, _):
    return later(Y, assign("y", made), raised())


def by_part(made, _):
    return later(var("context.y.z"), assign("y", {"z": made}), raised())


def by_data(made, _):
    return later(var("event.data"), raised(data=made))


def by_output(made, _):
    return to_hit(), {"initial": "ends", "states": {"ends": {"type": "final", "output": made}},
                      "onDone": {"actions": [assign("x", var("event.data")), DONE]}}


def by_each(made, _):
    every = {"in": [made], "as": "x", "actions": assign("t", "z")}
    return to_hit({"type": "each", "params": every}, DONE), {}


def by_dots(_, of):
    return to_hit(assign("x", {"b": 5}), assign("x.k", of), DONE), {}


def by_dots_later(_, of):
    return later(Y, assign("y", {"b": 5}), assign("y.k", of), raised())


def by_dots_within(_, of):
    return to_hit(assign("x", {"a": {}}), assign("x.a.k", of), DONE), {}


ROUTES = [directly, by_key, by_part, by_data, by_output, by_each]
DOTTED = {by_dots: ["k"], by_dots_later: ["k"], by_dots_within: ["a", "k"]}


# ---- what its schema says ----

def around(keys, schema, chosen):
    """A schema of what has the value at the end of the keys."""
    if not keys:
        return schema
    inner = around(keys[1:], schema, chosen)
    if keys[0].isdigit():
        made = chosen.choice([
            {"items": {"anyOf": [inner, *FIRST, {"const": 5}, {"properties": {"k": {"const": 5}}}]}},
            {"type": "array", "items": inner}, {"prefixItems": [{}] * int(keys[0]) + [inner]},
            {"type": "array", "uniqueItems": True, "items": {"anyOf": [inner, {"type": ["number", "object"]}]}},
            {"type": "array", "minItems": 2, "maxItems": 2}])
    else:
        made = chosen.choice([
            {"properties": {keys[0]: inner}}, {"type": "object", "properties": {keys[0]: inner}},
            {"additionalProperties": {"anyOf": [inner, {"const": 5}]}}, {"additionalProperties": inner},
            {"required": [keys[0]], "properties": {keys[0]: inner}, "additionalProperties": {"type": "number"}},
            {"properties": {keys[0]: inner}, "maxProperties": 1}])
    return chosen.choice([
        made, made, {"anyOf": [{"type": "null"}, made]}, {"oneOf": [{"type": "string"}, made]}, {"allOf": [made]},
        {"not": made}, {"not": {"not": made}}])


def options(keys, values, chosen):
    """A few values that are made so."""
    some = chosen.sample(values, 4)
    for key in reversed(keys):
        some = [{"k": one, "b": 5} if key == "k" else {key: one} if not key.isdigit() else
                [one, 5] if key == "0" else [5, one] for one in some]
    return chosen.choice([{"enum": some}, {"const": some[0]}])


def place(route, make, seed, fits):
    chosen = random.Random(seed)
    part = Schemas(seed).make(1)
    values = values_of(part, seed, 20)

    def build(of, _):
        keys, made = ([*DOTTED[route]], None) if route in DOTTED else make(of)
        schema = options(keys, values, chosen) if chosen.random() < 0.15 else around(keys, part, chosen)
        accept, hit = route(made, of)
        rest = context_of(schema)
        if fits:
            return accept, {"hit": {"on": {"end": "over"}, **hit}}, never({"===": [var("context.n"), 6]}), rest
        return caught(accept, {"hit": {"on": {"end": "over"}, **hit}}, **rest)
    return Place(build, lambda of: [True], values=tuple(values))


def stored(first, count):
    """By their names: each way to put it together, and each to get there, with COUNT schemas."""
    pairs = [(route, name, make) for route in ROUTES for name, make in MAKES.items()]
    pairs += [(route, "dots", None) for route in DOTTED]
    return {f"{route.__name__}, {name}, {'fits' if fits else 'does not'} {seed}": place(route, make, seed, fits)
            for seed in range(first, first + count) for route, name, make in pairs for fits in (True, False)}
