"""Where a rule may ask something of data: a place makes of what reads the data, and of a question,
the transitions of a source, more states, a property that is to be violated, and what else stands in
the document."""
import json

from expressions import var
from questions import computed

CAUGHT = {"on": {"error.execution": {"target": ".bad"}}}


def never(what):
    return {"never": what}


def assign(key, value):
    return {"type": "assign", "params": {key: value}}


def keep(value):
    return [{"target": "hit", "actions": assign("x", value)}]


def guard(of, ask):
    return [{"guard": ask(of), "target": "hit"}], {}, never({"in_state": "hit"}), {}


def rule(of, ask):
    """Of a property, in the step that sees the event."""
    return [{"target": "hit"}], {}, never({"and": [{"in_state": "hit"}, ask(of)]}), {}


def needs(of, ask):
    """Of a property that looks back: nothing begins at "hit" that the rule was not true for."""
    return [{"target": "hit"}], {}, {"precedes": {"of": {"in_state": "hit"}, "needs": ask(of)}}, {}


def until(of, ask):
    return [{"target": "hit"}], {}, {"until": {"of": {"!": {"in_state": "hit"}}, "to": ask(of)}}, {}


def kept(of, ask):
    return keep(of), {}, never({"and": [{"in_state": "hit"}, ask(var("context.x"))]}), {}


def context_of(schema):
    return {"schemas": {"context": {"type": "object", "properties": {"x": schema}}}}


def kept_as(schema):
    return lambda of, ask: (*kept(of, ask)[:3], context_of(schema))


def mismatch(schema):
    """Whether it does not fit, and the rule asks the same of it."""
    return lambda of, ask: (
        [{"guard": ask(of), **keep(of)[0]}], {"bad": {"type": "final"}}, never({"in_state": "bad"}),
        {**context_of(schema), **CAUGHT})


def later(actions, question):
    """A guard of the next event asks."""
    states = {"hit": {"on": {"next": {"guard": question, "target": "found"}}}, "found": {"type": "final"}}
    return actions, states, never({"in_state": "found"}), {}


def kept_later(of, ask):
    return later(keep(of), ask(var("context.x")))


def made(of, ask):
    """Of what an assignment makes of it, one thing for each question."""
    makes = list(computed(of))
    return later(keep(makes[hash_of(ask(var("x"))) % len(makes)]), ask(var("context.x")))


def found(accept, actions=(), **hit):
    """A state that is left at once, or by an event that was raised, where its guard is true."""
    states = {"hit": {"entry": list(actions), **hit}, "found": {"type": "final"}}
    return accept, states, never({"in_state": "found"}), {}


def asked_at(ask, what):
    return [{"guard": ask(what), "target": "found"}]


def always(of, ask):
    return found(keep(of), always=asked_at(ask, var("context.x")))


def entry(of, ask):
    return found([{"target": "hit"}], [assign("x", of)], on={"next": asked_at(ask, var("context.x"))})


def part(of, ask):
    actions = [assign("x", {"k": 1}), assign("x.k", of)]
    return found([{"target": "hit", "actions": actions}], always=asked_at(ask, var("context.x.k")))


def choose(of, ask):
    branch = {"guard": ask(of), "actions": assign("x", 1)}
    return found([{"target": "hit"}], [{"type": "choose", "params": {"branches": [branch]}}],
                 always=asked_at(lambda x: {"===": [x, 1]}, var("context.x")))


def each(of, ask):
    every = {"in": [5, of], "as": "y", "actions": assign("x", var("context.y"))}
    return found([{"target": "hit"}], [{"type": "each", "params": every}],
                 on={"next": asked_at(ask, var("context.x"))})


def passed_on(of, ask):
    raised = {"event": "passed", "data": {"k": of}}
    return found([{"target": "hit", "actions": {"type": "raise", "params": raised}}],
                 on={"passed": asked_at(ask, var("event.data.k"))})


def delayed(of, ask):
    """Of a delay that is over before another one."""
    actions = [assign("x", of), {"type": "raise", "params": {"event": "passed", "delay": of}}]
    states = {"hit": {"on": {"passed": {"target": "early"}}, "after": {"6": "over"}}, "early": {"type": "final"}}
    return ([{"target": "hit", "actions": actions}], states,
            never({"and": [{"in_state": "early"}, ask(var("context.x"))]}), {})


def against(of, ask):
    return later(keep(of), ask(var("context.x"), var("event.data.k")))


def beside(of, ask):
    return guard(of, lambda one: ask(one, var("event.data.m")))


def fails(actions=None, **hit):
    """Whether an expression cannot be evaluated, or is none that can be used there."""
    def place(of, ask):
        what = ask(of)
        accept = [{"target": "hit", "actions": actions(what) if actions else []}]
        states = {"hit": {"on": {"end": "over"}, **{key: make(what) for key, make in hit.items()}},
                  "bad": {"type": "final"}}
        return accept, states, never({"in_state": "bad"}), CAUGHT
    return place


def guard_fails(of, ask):
    return [{"guard": ask(of), "target": "hit"}], {"bad": {"type": "final"}}, never({"in_state": "bad"}), CAUGHT


def action(kind, **params):
    return lambda what: {"type": kind, "params": {
        key: make(what) if callable(make) else make for key, make in params.items()}}


def itself(what):
    return what


def hash_of(what):
    return sum(json.dumps(what).encode())


PLACES = {
    "guard": guard, "rule": rule, "needs": needs, "until": until,
    "kept": kept, "kept later": kept_later, "made": made, "against": against, "beside": beside,
    "always": always, "entry": entry, "part": part, "choose": choose, "each": each, "passed on": passed_on, "delayed": delayed,
    "as number": kept_as({"type": ["number", "null"]}),
    "as text": kept_as({"type": ["string", "null"], "maxLength": 12}),
    "guard fails": guard_fails,
    "assign fails": fails(action("assign", x=itself)),
    "emit fails": fails(action("emit", event="told", data=itself)),
    "raise fails": fails(action("raise", event="later", data=itself)),
    "delay fails": fails(action("raise", event="later", delay=itself)),
    "each fails": fails(lambda what: {"type": "each", "params": {"in": what, "as": "x", "actions": []}}),
    "input fails": fails(invoke=lambda what: {"src": "w", "input": {"v": what}}),
    "items fail": fails(invoke=lambda what: {"src": "w", "items": what}),
    "pool fails": fails(invoke=lambda what: {"src": "w", "pool": {"group": what}})}
WITH_NEXT = ("kept later", "made", "entry", "each") # the event "next" is sent, too
OF_EVENT = ("rule", "needs", "until")
OF_TWO = ("against", "beside")
OF_COMPUTED = ("delay fails", "each fails", "items fail", "pool fails")
