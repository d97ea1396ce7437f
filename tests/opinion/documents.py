"""Random documents with rules of every operator and data of every type, with properties. The same
seed gives the same document."""
import json
import random

from expressions import PEOPLE, Expressions, var

NUMBER, WHOLE = {"k": "num"}, {"k": "int", "lo": 0, "hi": 12}
TEXT, FLAG, ANY, NAME = {"k": "str"}, {"k": "bool"}, {"k": "any"}, {"k": "name"}
FIELDS = {"n": NUMBER, "m": NUMBER, "s": TEXT, "t": TEXT, "f": FLAG, "x": ANY,
          "l": {"k": "list", "of": NUMBER}, "p": {"k": "list", "of": NAME},
          "o": {"k": "list", "of": {"k": "obj", "f": {"n": NUMBER, "s": TEXT}}}}
TYPES = {"n": "number", "m": "number", "s": "string", "t": "string", "f": "boolean"}
CONTEXT = {"n": 0, "m": 1, "s": "", "t": "a", "f": False, "x": None, "l": [], "o": [],
           "p": ["ann", "bob"],
           "r": {"a": 1, "b": 2, "ab": 5}}
CLASSES = ["network", "timeout", "auth", "exit"]


def text_of(rule):
    return json.dumps(rule)


def to_context(rule):
    return json.loads(text_of(rule).replace('"event.data.', '"context.'))


class Document:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.make = Expressions(self.random)
        self.chance, self.one = self.make.chance, self.make.one
        self.names = [f"s{i}" for i in range(self.random.randint(2, 3))]
        self.make.states = self.names
        self.labels, self.invoked = 0, 0
        self.shapes = {"events": {}, "results": {}}
        self.events = {name: self.fields() for name in ("a", "b", "job.start")}
        self.document = {"id": f"opinion-{seed}", "initial": "s0", "context": dict(CONTEXT)}
        self.add_budgets()
        self.add_schema()
        self.document["states"] = {name: self.state(i, name) for i, name in enumerate(self.names)}
        self.gate = self.add_gate() if self.chance(70) else None
        if self.chance(20):
            self.document["on"] = {"error.execution": [self.transition("nothing", True, ".")]}
        self.add_properties()
        self.punctual = "within" in text_of(self.document) and self.chance(60)
        self.keep_what_is_used()
        if self.chance(25):
            self.list_events()

    # ---- data ----

    def fields(self):
        names = self.random.sample(sorted(FIELDS), self.random.randint(1, 2))
        shape = {name: FIELDS[name] for name in names}
        if "n" in shape and self.chance(40):
            shape["n"] = self.one(WHOLE, {"k": "num", "lo": 0, "hi": 1})
        return {"k": "obj", "f": shape}

    def schema_of(self, shape):
        kind = shape["k"]
        if kind == "obj":
            made = {"type": "object", "properties": {
                name: self.schema_of(each) for name, each in shape["f"].items()}}
            return {**made, "required": list(shape["f"])} if self.chance(70) else made
        if kind == "list":
            made = {"type": "array", "items": self.schema_of(shape["of"])}
            if self.chance(30):
                made.update(self.one({"uniqueItems": True}, {"minItems": 1}, {"maxItems": 4}))
            return made
        if kind == "name":
            return self.one({"enum": PEOPLE}, {"type": "string", "minLength": 1, "maxLength": 20})
        types = {"num": "number", "int": "integer", "str": "string", "bool": "boolean"}
        made = {"type": types[kind]} if kind in types else {}
        if "lo" in shape:
            made.update(minimum=shape["lo"], maximum=shape["hi"])
        if kind == "str" and self.chance(30):
            made["maxLength"] = self.random.randint(1, 8)
        return {"type": [made["type"], "null"]} if made and self.chance(10) else made

    def add_budgets(self):
        if self.chance(25):
            self.document["budgets"] = self.one(
                {"tokens": {"limit": self.random.randint(1, 60), "refuse": self.chance(50)}},
                {"rounds": {"limit": self.random.randint(1, 3), "counts": {"states": "s1"},
                            "refuse": self.chance(50)}},
                {"tries": {"limit": self.random.randint(1, 3), "counts": "claims"}},
                {"clock": {"limit": self.random.randint(1, 100), "counts": "time",
                           "refuse": self.chance(50)}})
            self.make.budgets = list(self.document["budgets"])

    def add_schema(self):
        self.host = self.chance(20)
        if self.host or self.chance(15):
            self.document["schemas"] = {"context": {"type": "object", "properties": {
                name: {"type": kind} for name, kind in TYPES.items()}}}
        if self.host:
            self.shapes["patch"] = {"k": "obj", "f": {"n": NUMBER, "s": TEXT}}

    # ---- states ----

    def state(self, index, name):
        if index and self.chance(18):
            return {"type": "final"}
        made = {}
        if self.chance(75):
            made["on"] = self.on()
        if self.chance(35):
            made["invoke"] = self.invoke(name)
        if self.chance(15):
            made["after"] = {str(self.random.randint(1, 50)): self.transitions("nothing")}
        if self.chance(15) and index + 1 < len(self.names):
            made["always"] = [self.transition("nothing", False, self.names[index + 1])]
        if self.chance(10):
            made["entry"] = self.action("nothing")
        return made

    def on(self):
        made = {}
        for event in self.random.sample(sorted(self.events), 1):
            made[event] = self.transitions("event")
            self.shapes["events"][event] = self.events[event]
        if self.chance(20):
            made[self.one("job.*", "*")] = self.transitions("event")
        if self.chance(15):
            made["error.execution"] = self.transitions("nothing")
        if self.chance(20):
            made["later"] = self.transitions("nothing")
        return made

    def transitions(self, scope):
        return [self.transition(scope, last) for last in
                [False] * self.random.randint(0, 1) + [self.chance(65)]]

    def transition(self, scope, last, target=None):
        self.labels += 1
        made = {"actions": [{"type": "log", "params": {"label": str(self.labels)}}]}
        if not last or self.chance(60):
            made["guard"] = self.asks(scope) if self.host and self.chance(12) else self.make.rule(scope)
        if target != ".":
            made["target"] = target or self.one(*self.names)
        for _ in range(self.random.randint(0, 1)):
            made["actions"].append(self.action(scope))
        return made

    def asks(self, scope):
        """A guard of the host."""
        value = self.make.number(scope) if self.chance(50) else self.make.leaf_text(scope)
        return self.one("allowed", {"type": "allowed", "params": {"v": value}})

    def invoke(self, name):
        self.invoked += 1
        made = {"src": "agent", "id": f"i{self.invoked}"}
        scope = "result"
        if self.chance(12):
            made.update(src="person", input=self.asked())
            if self.chance(40):
                made["output"] = self.decided()
            scope = "votes"
        else:
            shape = self.fields()
            self.shapes["results"][made["id"]] = shape
            if self.chance(75):
                made["output"] = self.schema_of(shape)
            scope = self.dress(made)
        made["onDone"] = self.transitions(scope)
        if self.chance(70):
            made["onError"] = self.transitions("error")
        return made

    def decided(self):
        """What a schema asks of a decision. One that does not fit is a failure."""
        reason = self.one({"type": "string"}, {"type": ["string", "null"]}, {"type": "null"}, {"const": "no"},
                          {"type": "string", "minLength": self.random.randint(1, 4)},
                          {"maxLength": self.random.randint(1, 4)})
        given = {"properties": {"reason": reason}}
        answer = {"properties": {"approved": {"const": self.chance(50)}}}
        votes = self.one({"minItems": 2}, {"maxItems": 1}, {"items": {"required": ["reason"]}},
                         {"items": given}, {"items": {"properties": {"by": {"enum": PEOPLE[:2]}}}})
        return self.one(given, given, answer, {"anyOf": [answer, given]}, {"allOf": [answer, given]},
                        {"not": given}, {"properties": {"votes": votes}},
                        {"properties": {"digest": {"minLength": self.one(64, 65)}}})

    def asked(self):
        """Who, and how many."""
        made = {"quorum": self.one(1, 2, 3, var("context.n"), var("context.m"), self.make.number("nothing"))}
        if self.chance(40):
            made["rejections"] = self.one(1, 2, var("context.m"))
        if self.chance(50):
            made["people"] = self.one(PEOPLE[:3], var("context.p"), var("context.p"),
                                      {"merge": [var("context.p"), "eve"]})
        return made

    def dress(self, made):
        """An input, a pool, attempts and items. Gives the scope of the answer."""
        if self.chance(20):
            made["input"] = {"v": self.make.number("nothing")}
        if self.chance(10):
            made["pool"] = self.one({"priority": self.make.leaf_text("nothing")},
                                    {"group": self.make.leaf_text("nothing")})
        if self.chance(25):
            made["retry"] = [{"errors": self.random.sample(CLASSES, 2), "intervalMs": 1,
                              "maxAttempts": self.random.randint(2, 4)}]
        if self.chance(85):
            return "result"
        made["items"] = self.one([1, 2], [1], var("context.l"), [var("context.n"), var("context.s")])
        if self.chance(50):
            made["input"] = {"v": self.one({"+": [var("item"), 1]}, {"/": [1, var("index")]}, var("item"))}
        if self.chance(50):
            made["complete"] = self.one(1, "settled")
        return "results" if made.get("complete") != "settled" else "nothing"

    # ---- what changes ----

    def action(self, scope):
        if self.host and self.chance(15):
            return "measure"
        if self.chance(12):
            made = {"event": "later", "delay": self.one(self.random.randint(0, 30), self.make.number(scope))}
            return {"type": "raise", "params": {**made, "id": self.id(scope)} if self.chance(50) else made}
        if self.chance(5):
            return {"type": "cancel", "params": {"id": self.id(scope)}}
        if self.chance(8):
            return {"type": "emit", "params": {"event": "told", "data": self.make.number(scope)}}
        if self.chance(8):
            each = {"in": self.make.numbers(scope), "as": "m", "actions": self.assign(scope)}
            return {"type": "each", "params": {**each, "index": "n"} if self.chance(30) else each}
        if self.chance(8):
            return {"type": "choose", "params": {"branches": [
                {"guard": self.make.rule(scope), "actions": self.assign(scope)}]}}
        return self.assign(scope)

    def id(self, scope):
        return self.one("a", "b", self.make.leaf_text(scope), self.make.leaf_text(scope),
                        self.make.source(scope, "n"), self.make.source(scope, "x"))

    def assign(self, scope):
        return {"type": "assign", "params": dict([self.change(scope)])}

    def change(self, scope):
        name = self.one("n", "n", "m", "s", "t", "f", "l", "o", "x", "p")
        value = {"n": self.make.number, "m": self.make.number, "s": self.make.text,
                 "t": self.make.text, "f": self.make.rule, "l": self.make.numbers,
                 "o": self.make.objects, "x": self.make.number,
                 "p": lambda scope: self.make.source(scope, "p")}[name](scope)
        if name in "nm" and self.chance(50):
            value = self.make.source(scope, name)
        elif name in "nm" and self.chance(60):
            value = {"max": [-3, {"min": [value, self.random.randint(3, 12)]}]}
        elif self.chance(6):
            value = self.make.source(scope, "x")
        return name, value

    # ---- a gate ----

    def add_gate(self):
        return self.add_vote_gate() if self.chance(12) else self.add_data_gate()

    def add_vote_gate(self):
        """People are asked. A property says of the context what a guard has asked of their votes."""
        count, who = self.make.vote("n"), var("event.data.votes.0.by")
        parts = [{self.one(">=", "<", "==="): [count, self.random.randint(0, 3)]}, self.make.by(who)]
        rule = self.one({"and": parts}, {"or": parts}, *parts)
        self.labels += 1
        through = {"guard": rule, "target": "in", "actions": [
            {"type": "log", "params": {"label": str(self.labels)}},
            {"type": "assign", "params": {"n": count, "s": who}}]}
        first = self.document["states"]["s0"]
        first["invoke"] = {"src": "person", "id": "gate", "input": self.asked(), "onDone": [through]}
        if self.chance(20):
            first["invoke"]["output"] = self.decided()
        self.document["states"]["in"] = {"type": "final"} if self.chance(60) else {"on": self.on()}
        kept = text_of(rule).replace(text_of(count), text_of(var("context.n")))
        claim = json.loads(kept.replace(text_of(who), text_of(var("context.s"))))
        claim = self.nearly(claim) if self.chance(40) else claim
        return {"never": {"and": [{"in_state": "in"}, {"!": [claim]}]}}

    def add_data_gate(self):
        """Data is asked for something, assigned, and leads to a state. A property says the same of
        the context there, or nearly the same."""
        shape = self.fields()
        rule = self.rule_of_fields(sorted(shape["f"]))
        self.labels += 1
        through = {"guard": rule, "target": "in", "actions": [
            {"type": "log", "params": {"label": str(self.labels)}},
            {"type": "assign", "params": {name: var(f"event.data.{name}") for name in shape["f"]}}]}
        first = self.document["states"]["s0"]
        if self.chance(50):
            first.setdefault("on", {})["enter"] = [through]
            self.shapes["events"]["enter"] = shape
        else:
            first["invoke"] = {"src": "agent", "id": "gate", "output": self.schema_of(shape),
                               "onDone": [through]}
            self.shapes["results"]["gate"] = shape
        self.document["states"]["in"] = {"type": "final"} if self.chance(60) else {"on": self.on()}
        claim = self.nearly(to_context(rule)) if self.chance(60) else to_context(rule)
        return {"never": {"and": [{"in_state": "in"}, {"!": [claim]}]}}

    def rule_of_fields(self, names):
        for _ in range(20):
            rule = self.make.rule("event")
            used = text_of(rule)
            others = any(word in used for word in ("context", "instance", "budgets", "failure"))
            if any(f'"event.data.{name}"' in used for name in names) and not others:
                return rule
        name = self.one(*names)
        return {"!!": [var(f"event.data.{name}")]}

    def nearly(self, rule):
        """The same with another constant or another comparison somewhere."""
        swaps = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "some": "all", "all": "some"}
        if isinstance(rule, list):
            return [self.nearly(part) for part in rule]
        if isinstance(rule, dict):
            return {swaps.get(key, key) if self.chance(15) else key: self.nearly(part)
                    for key, part in rule.items()}
        if isinstance(rule, (int, float)) and not isinstance(rule, bool) and self.chance(30):
            return rule + self.one(1, -1, 0.25, -0.5, 0.01)
        return rule

    # ---- what is claimed ----

    def claim(self):
        where = {"in_state": self.one(*self.names[1:])}
        return self.one({"and": [where, self.make.rule("property", 1)]},
                        {"and": [where, self.make.rule("property", 1)]},
                        {"and": [where, {"===": [var("event.type"), self.one(*self.events)]}]},
                        where)

    def property(self):
        kind = self.one("never", "never", "never", "never", "always", "reachable", "precedes", "atMost",
                        "absent", "exactly", "until", "leadsTo")
        if kind == "until":
            made = {"of": {"or": [self.claim(), {"in_state": self.one(*self.names)}]}, "to": self.claim()}
            return {kind: {**made, "from": self.claim()} if self.chance(70) else made}
        if kind == "leadsTo":
            made = {"to": self.one(self.claim(), {"!": [{"in_state": self.one(*self.names)}]}),
                    "within": {"ms": self.random.randint(1, 60)}}
            return {kind: {**made, "from": self.claim()}}
        if kind == "absent":
            made = {"of": self.claim(), "from": self.claim()}
            return {kind: {**made, "to": self.claim()} if self.chance(60) else made}
        if kind == "precedes":
            made = {"of": self.claim(), "needs": self.claim()}
            return {kind: {**made, "since": self.claim()} if self.chance(30) else made}
        if kind in ("atMost", "exactly"):
            return {kind: {"of": self.claim(), "times": self.random.randint(kind == "exactly", 2)}}
        if kind == "always":
            return {kind: {"or": [{"!": [{"in_state": self.one(*self.names)}]}, self.claim()]}}
        return {kind: self.claim()}

    def add_properties(self):
        self.document["properties"] = {
            f"p{i}": self.property() for i in range(self.random.randint(1, 3))}
        if self.gate:
            self.document["properties"]["gate"] = self.gate

    def keep_what_is_used(self):
        """A property reads only what the document uses, so each key is used at the start."""
        states = self.document["states"]
        used = [{"guard": {"===": [var(f"context.{key}"), "none of all"]}} for key in CONTEXT]
        states["s0"].setdefault("on", {})["use"] = used
        if not self.shapes["events"]:
            self.shapes["events"]["a"] = self.events["a"]

    def list_events(self):
        """The transitions of a state as one list, each for several events."""
        for state in self.document["states"].values():
            if "on" in state:
                state["on"] = [{"event": [event, "unheard"], **each}
                               for event, transitions in state["on"].items() for each in transitions]
