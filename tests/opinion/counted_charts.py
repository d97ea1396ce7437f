"""The charts of fair_charts.py with what may end a loop: budgets of rounds, and counters that have bounds.

A step may count, or take back what was counted, or ask for it; and a budget's event may lead out of the loop or not.
A key keeps what an event or an agent says, and guards ask for it. Timers and agents have limits of their own. The
properties are of every kind.
"""
import random

from fair_charts import EVENTS, document_of


def leaves_of(document):
    def below(path, state):
        if "states" not in state:
            yield path, state
        for name, child in state.get("states", {}).items():
            yield from below(f"{path}.{name}" if path else name, child)
    return [(path, state) for path, state in below("", document) if state.get("type") != "final"]


def transitions_of(state):
    for event in state.get("on", {}):
        yield state["on"][event]
    for key in ("onDone", "onError"):
        made = state.get("invoke", {}).get(key, [])
        yield from made if isinstance(made, list) else [made]
    yield from state.get("after", {}).values()


def budget_of(rng, leaves):
    if rng.random() < 0.7:
        counts = {"states": [path for path, _ in rng.sample(leaves, rng.randint(1, min(2, len(leaves))))]}
    else:
        counts = {"events": [rng.choice(EVENTS)]}
    return {"limit": rng.randint(0, 4), "counts": counts}


def step_of(rng, names):
    """One more or less, none, or as much as is allowed; what is said; the budgets again."""
    count = {"var": "context.n"}
    kind = rng.random()
    if kind < 0.15 and names:
        return {"type": "reset", "params": {"budgets": [rng.choice(names)]}}
    if kind < 0.4:
        return {"type": "assign", "params": {"x": rng.choice(({"var": "event.data"}, "a", None))}}
    to = rng.choice([{"+": [count, 1]}, {"+": [count, 1]}, {"-": [count, 1]}, {"min": [{"+": [count, 1]}, 3]}, 0, 3])
    return {"type": "assign", "params": {"n": to}}


def guard_of(rng, names):
    count = {"var": "context.n"}
    said = rng.choice(({"var": "event.data"}, {"var": "context.x"}))
    asked = [{"<": [count, 3]}, {">": [count, 0]}, {"===": [said, "a"]}, {"===": [said, {"var": "context.x"}]}]
    asked += [{rng.choice((">", ">=")): [{"var": f"budgets.{name}.left"}, 0]} for name in names]
    return rng.choice(asked)


def reaction_of(rng):
    """To the event of a budget."""
    log = {"type": "log", "params": {"label": "noted"}}
    return rng.choice([None, None, "#end", "#end", {}, {"actions": log}, {"target": "#end", "guard": {"<": [{"var": "context.n"}, 2]}}])


def set_times(rng, leaves):
    for _, state in leaves:
        if "after" in state and rng.random() < 0.5:
            (way,) = state["after"].values()
            state["after"] = {str(rng.choice((0, 500, 1000, 1500))): way}
        if state.get("invoke", {}).get("src") == "agent" and rng.random() < 0.5:
            state["invoke"]["timeoutMs"] = rng.choice((400, 1000, 1500))
        if state.get("invoke", {}).get("src") == "agent" and rng.random() < 0.3:
            state["invoke"]["retry"] = [{"maxAttempts": rng.choice((2, 3)), "intervalMs": rng.choice((0, 500, 1000))}]


def limit_of(rng, states):
    from_ = {"from": {"in_state": rng.choice(states)}} if rng.random() < 0.5 else {}
    return {"leadsTo": {**from_, "to": {"in_state": rng.choice(states)},
                        "within": {"ms": rng.choice((0, 500, 1000, 1500, 2000, 3000))}}}


def claim_of(rng, states):
    """A property of any kind, about states, the counter, what was said, and events."""
    def rule():
        return rng.choice(({"in_state": rng.choice(states)}, {"in_state": rng.choice(states)},
                           {"===": [{"var": "context.n"}, rng.randint(0, 3)]},
                           {"===": [{"var": "context.x"}, "a"]},
                           {"===": [{"var": "event.type"}, rng.choice(EVENTS)]}))
    both = {"and": [rule(), rule()]}
    return rng.choice((
        {"never": both}, {"always": {"!": both}}, {"reachable": both},
        {"precedes": {"of": rule(), "needs": rule(), "since": rule()}},
        {"leadsTo": {"from": rule(), "to": rule()}}, {"atMost": {"of": rule(), "times": rng.randint(0, 3)}},
        {"atLeast": {"of": rule(), "times": 2}}, {"exactly": {"of": rule(), "times": 1}},
        {"until": {"of": {"!": rule()}, "from": rule(), "to": rule()}},
        {"absent": {"of": rule(), "from": rule(), "to": rule()}}))


def counted_document_of(seed):
    document = document_of(seed)
    rng = random.Random(-seed - 1)
    leaves = leaves_of(document)
    names = ["r", "s"][:rng.choice((0, 1, 1, 1, 2))]
    document["context"] = {"n": rng.choice((0, 1, 3)), "x": None}
    bounds = rng.choice(({"minimum": 0, "maximum": 3}, {"minimum": 0}, {"maximum": 3}))
    document["schemas"] = {"context": {"type": "object", "properties": {"n": {"type": "integer", **bounds}}}}
    document["budgets"] = {name: budget_of(rng, leaves) for name in names}
    for name in names:
        reaction = reaction_of(rng)
        if reaction is not None:
            document["states"]["all"].setdefault("on", {})[f"error.budget.{name}"] = reaction
    if rng.random() < 0.7: # agents and timers only: what anybody may send goes round for ever
        for _, state in leaves:
            state["on"] = {}
    for _, state in leaves:
        for transition in transitions_of(state):
            if rng.random() < 0.5 and "actions" not in transition:
                transition["actions"] = step_of(rng, names)
            if rng.random() < 0.2 and "guard" not in transition:
                transition["guard"] = guard_of(rng, names)
    if rng.random() < 0.3:
        document["budgets"]["clock"] = {"limit": rng.choice((500, 1000, 2500)), "counts": "time"}
    if rng.random() < 0.4:
        document["restore"] = {}
    states = [path for path, _ in leaves] + ["#end"]
    if rng.random() < 0.5:
        set_times(rng, leaves)
        document["properties"]["in time"] = limit_of(rng, states)
    for number in range(3):
        document["properties"][f"p{number}"] = claim_of(rng, states)
    return document
