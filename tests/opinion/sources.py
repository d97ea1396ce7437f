"""Where data comes from that a document does not determine, each with the way it gets there."""
from dataclasses import dataclass, field
from typing import Callable

from jsonschema import Draft7Validator

from questions import VALUES
from schemas import NUMBER, SCHEMAS, TEXT
from ways import WAYS

AGENT = {"src": "a"}
ASKED = {"quorum": 1}
DIGEST = "7c34ca4fee54b3d07f39ef7708e0f58aa1348e6e95ef5118a487023165e476c8" # of ASKED


@dataclass(frozen=True)
class Source:
    name: str
    path: str # where a guard finds the value
    states: Callable # of the transitions with that guard: the states of the document
    steps: Callable # of a value: the lines of a script after its start; None: it is no value here
    document: dict = field(default_factory=dict) # what else stands in the document
    with_other: Callable = None # the same of two values; the path of the second is event.data.m
    values: tuple = tuple(VALUES)

    @property
    def is_of_event(self):
        return self.path.startswith("event.")

    def read(self, way):
        return WAYS[way](self.path.split("."))


def event(name):
    return lambda accept: {"first": {"on": {name: accept}}}


def listed(*names):
    return lambda accept: {"first": {"on": [{"event": list(names), **each} for each in accept]}}


def invoke(key, **more):
    return lambda accept: {"first": {"invoke": {**AGENT, **more, key: accept}}}


PERSON = invoke("onDone", src="person", input=ASKED)


def sent(wrap):
    return lambda value: [{"event": "go", "data": wrap(value)}]


def done(wrap):
    return lambda value: [{"done": "sim/1/1", "output": wrap(value)}]


def itself(value):
    return value


def member(value):
    return {"k": value}


def both(value, other):
    return {"k": value, "m": other}


def if_both(fit, steps):
    return lambda value, other: steps(both(value, other)) if fit(value) and fit(other) else None


def fits(schema):
    return Draft7Validator(schema).is_valid


def object_of(schema):
    return {"type": "object", "required": ["k"], "properties": {"k": schema, "m": schema}}


def promised(name, values=VALUES, **schema):
    return Source(f"data, promised to be {name}", "event.data.k", event("go"),
                  lambda value: sent(member)(value) if fits(schema)(value) else None,
                  {"assume": {"go": object_of(schema)}}, if_both(fits(schema), sent(itself)), tuple(values))


def output(name, values=VALUES, **schema):
    return Source(f"output, {name} by its schema", "event.data.k", invoke("onDone", output=object_of(schema)),
                  lambda value: done(member)(value) if fits(schema)(value) else None,
                  with_other=if_both(fits(schema), done(itself)), values=tuple(values))


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_whole(value):
    return is_number(value) and value == int(value) and 0 <= value < 1e15


def is_text(value):
    return isinstance(value, str)


RESERVED = ("done", "error", "after", "xstate", "wfsm")


def is_name(value):
    return is_text(value) and value != "" and value.split(".")[0] not in RESERVED


def is_name_or_null(value):
    return value is None or is_name(value)


def is_text_or_null(value):
    return value is None or is_text(value)


def named(prefix):
    return lambda value: [{"event": value}] if is_name(value) and value.startswith(prefix) else None


def items(path, complete=None, first=None, wrap=itself):
    """Two items: `first` ends the first one, and the second one has the value."""
    before = [first] if first else []
    return {"path": path, "states": invoke("onDone", **said({"items": [1, 2], "complete": complete})),
            "steps": lambda value: [*before, {"done": "sim/1/2", "output": wrap(value)}]}


def said(parts):
    """A null stands for a key that is left out."""
    return {key: value for key, value in parts.items() if value is not None}


def failed(key, fits, *after):
    return lambda value: [said({"failed": "sim/1/1", "class": "network", key: value}), *after] if fits(value) else None


def is_class(value):
    return is_text(value) and value in ("network", "timeout", "auth", "exit", "other")


def vote(key):
    def fits(value):
        return (value is None and key == "reason") or (is_name(value) and len(value) < 64)

    base = {"invocation": "sim/1/1", "by": "eve", "decision": "reject", "digest": DIGEST, "reason": "x"}
    return lambda value: [{"approve": said({**base, key: value})}] if fits(value) else None


def raising(**more):
    def states(accept):
        action = {"type": "raise", "params": {"event": "inner", "data": {"k": {"var": "event.data"}}, **more}}
        return {"first": {"on": {"go": {"actions": action}, "inner": accept}}}
    return states


def patched(accept):
    return {"first": {"on": {"go": {"actions": "count", "target": "counted"}}}, "counted": {"always": accept}}


def patch(name, before=None, **schema):
    made = {"schemas": {"context": {"type": "object", "properties": {"y": schema}}}} if schema else {}
    return Source(f"patch, {name}", "context.y", patched,
                  lambda value: [{"event": "go", "host": [{"y": value}]}] if fits(schema)(value) else None,
                  {**made, "context": {"y": before}})


def stored(accept):
    """The output of an agent is kept, and a later state asks."""
    keep = {"type": "assign", "params": {"y": {"var": "event.data"}}}
    return {"first": {"invoke": {**AGENT, "onDone": {"actions": keep, "target": "then"}}},
            "then": {"on": {"go": accept}}}


def refused(accept):
    return {"first": {"invoke": {**AGENT, "onDone": "second"}, "on": {"error.budget.t": accept}},
            "second": {"invoke": AGENT, "on": {"error.budget.t": accept}}}


def used(value):
    return [{"done": "sim/1/1", "output": None, "usage": {"t": value}}] if is_whole(value) else None


def origin(key):
    def steps(value):
        made = {"interface": "post", "sender": "eve", key: value}
        fits = is_name_or_null(value) if key == "sender" else value in ("engine", "post", "command", "page", "api")
        return [{"event": "go", "origin": said(made)}] if fits else None
    return steps


def with_id(value):
    return [said({"event": "go", "id": value})] if is_name_or_null(value) else None


def at(value):
    return [{"advance": value}, {"event": "go"}] if is_whole(value) and value > 0 else None


def once(steps):
    """The value is always the same, so one run is enough."""
    return lambda value: steps if value == "" else None


RETRY = [{"errors": ["network"], "maxAttempts": 4, "intervalMs": 1}]


def attempts(value):
    """The class "network" is tried again, and "auth" is not."""
    if not is_whole(value) or not 0 < value < 5:
        return None
    return [*[{"failed": "sim/1/1", "class": "network"}] * int(value - 1), {"failed": "sim/1/1", "class": "auth"}]


def failing(accept):
    wrong = {"type": "assign", "params": {"x": {"+": ["a", {"var": "context.n"}]}}}
    return {"first": {"on": {"go": {"actions": wrong}, "error.execution": accept}}}


SOURCES = [
    Source("data", "event.data", event("go"), sent(itself)),
    Source("data, a member", "event.data.k", event("go"), sent(member),
           with_other=if_both(fits({}), sent(itself))),
    Source("data, of a list of events", "event.data.k", listed("go", "other"), sent(member)),
    Source("data, of a list with a prefix", "event.data.k", listed("other", "g.*", "go.*"),
           lambda value: [{"event": "go.on", "data": member(value)}]),
    Source("data, an element", "event.data.1", event("go"), sent(lambda value: [0, value])),
    *(promised(name, **schema) for name, schema in SCHEMAS.items()),
    Source("type under *", "event.type", event("*"), named("")),
    Source("type under job.*", "event.type", event("job.*"), named("job.")),
    Source("type under job.*, the prefix", "event.type", event("job.*"),
           lambda value: [{"event": "job"}] if value == "job" else None),
    Source("id", "event.id", event("go"), with_id),
    Source("sender", "event.origin.sender", event("go"), origin("sender")),
    Source("interface", "event.origin.interface", event("go"), origin("interface")),
    Source("output", "event.data", invoke("onDone"), done(itself)),
    Source("output, a member", "event.data.k", invoke("onDone"), done(member),
           with_other=if_both(fits({}), done(itself))),
    *(output(name, **schema) for name, schema in SCHEMAS.items()),
    Source("output, kept", "context.y", stored, lambda value: [*done(itself)(value), {"event": "go"}]),
    Source("item", **items("event.data.1", first={"done": "sim/1/1", "output": 1})),
    Source("item, the first of two", **items("event.data.1", complete=1)),
    Source("item, settled", **items("event.data.1.output", complete="settled",
                                    first={"failed": "sim/1/1", "class": "network"})),
    Source("item, a member", **items("event.data.1.k", first={"done": "sim/1/1", "output": 1}, wrap=member)),
    Source("item, its failure", "event.data.0.error.message",
           invoke("onDone", items=[1, 2], complete="settled"),
           failed("message", is_text, {"done": "sim/1/2", "output": 1})),
    Source("message", "event.data.message", invoke("onError"), failed("message", is_text_or_null)),
    Source("class", "event.data.class", invoke("onError"), failed("class", is_class)),
    Source("attempts", "event.data.attempts", invoke("onError", retry=RETRY), attempts),
    Source("item that failed", "event.data.item", invoke("onError", items=[1, 2]),
           lambda value: [{"failed": f"sim/1/{value + 1}"}] if value in (0, 1) and is_whole(value) else None),
    Source("kind", "event.kind", event("go"), once([{"event": "go"}])),
    Source("machine", "instance.machine", event("go"), once([{"event": "go"}])),
    Source("why it failed", "event.data.message", failing, once([{"event": "go"}])),
    Source("signature", "failure.signature", invoke("onError"), failed("signature", is_name_or_null)),
    Source("raised", "event.data.k", raising(), sent(itself)),
    Source("raised, later", "event.data.k", raising(delay=5),
           lambda value: [*sent(itself)(value), {"advance": 5}, {"fire": True}]),
    Source("now", "instance.now", event("go"), at),
    Source("instance", "instance.id", event("go"), once([{"event": "go"}])),
    Source("used", "budgets.t.used", invoke("onDone"), used, {"budgets": {"t": {"limit": 7}}}),
    Source("left", "budgets.t.left", invoke("onDone"), used, {"budgets": {"t": {"limit": 7}}}),
    Source("refused", "event.data.used", refused, used, {"budgets": {"t": {"limit": 3, "refuse": True}}}),
    patch("anything"),
    patch("a number", 0, **NUMBER),
    patch("a text", "", **TEXT),
    patch("one of a few", **SCHEMAS["one of a few"]),
    Source("voter", "event.data.votes.0.by", PERSON, vote("by")),
    Source("reason", "event.data.reason", PERSON, vote("reason")),
]
