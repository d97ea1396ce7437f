"""Random documents with data: rules over context, events, results and lists of results. The same
seed gives the same document."""
import random

EVENTS = ["a", "b", "c"]
WORDS = ["x", "y", "z"]
COUNT_MOST = 3
LIST_MOST = 2

CONTEXT = {"type": "object", "properties": {
    "flag": {"type": "boolean"},
    "count": {"type": "integer", "minimum": 0, "maximum": COUNT_MOST},
    "word": {"enum": WORDS},
    "list": {"type": "array", "maxItems": LIST_MOST, "items": {"enum": WORDS}}}}
RESULT = {"type": "object", "required": ["ok"], "properties": {
    "ok": {"type": "boolean"}, "word": {"enum": WORDS}, "n": {"type": "integer"}}}


def var(path):
    return {"var": path}


class Ruled:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = [f"s{i}" for i in range(self.random.randint(3, 6))]
        self.invoked = 0
        self.document = {
            "id": f"ruled-{seed}", "initial": self.names[0],
            "context": {"flag": False, "count": 0, "word": "x",
                        "list": self.some(WORDS, LIST_MOST), "seen": None},
            "states": {name: self.state(name) for name in self.names}}
        if self.chance(60):
            self.document["schemas"] = {"context": CONTEXT}
        self.document["properties"] = {
            f"p{i}": self.property() for i in range(self.random.randint(2, 5))}

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def some(self, of, most):
        return [self.random.choice(of) for _ in range(self.random.randint(0, most))]

    def one(self, *of):
        return self.random.choice(of)

    # ---- states ----

    def state(self, name):
        if name != self.names[0] and self.chance(15):
            return {"type": "final"}
        config = {}
        if self.chance(20):
            config["entry"] = self.assign("nothing")
        if self.chance(90):
            config["on"] = {event: self.transitions("event")
                            for event in self.random.sample(EVENTS, self.random.randint(1, 3))}
        if self.chance(45):
            config["invoke"] = self.invoke()
        if self.chance(15):
            config["after"] = {"10": self.transitions("nothing")}
        if self.chance(15): # one that cannot go round and round
            config["always"] = {"guard": {"and": [var("context.flag"), self.rule("nothing")]},
                                "target": self.one(*self.names),
                                "actions": {"type": "assign", "params": {"flag": False}}}
        return config

    def transitions(self, source):
        return [self.transition(source, last) for last in
                [False] * self.random.randint(0, 2) + [True]]

    def transition(self, source, last):
        made = {}
        if not last or self.chance(50):
            made["guard"] = self.rule(source)
        if self.chance(85):
            made["target"] = self.one(*self.names)
        if self.chance(50) or "target" not in made:
            made["actions"] = self.assign(source)
        return made

    def invoke(self):
        self.invoked += 1
        made = {"src": "agent", "id": f"i{self.invoked}"}
        source = "result"
        if self.chance(60):
            made["output"] = RESULT
        if self.chance(50):
            made["items"] = self.one(["x", "y"], ["x"], var("context.list"))
            source = "results"
            complete = self.one(None, 1, "settled", "settled",
                                {"if": [var("context.flag"), "settled", 1]})
            if complete:
                made["complete"] = complete
                source = "results" if complete == 1 else "places"
        made["onDone"] = self.transitions(source)
        if self.chance(70):
            made["onError"] = self.transitions("error")
        return made

    # ---- what changes ----

    def assign(self, source):
        return {"type": "assign", "params": dict(
            self.change(source) for _ in range(self.random.randint(1, 2)))}

    def change(self, source):
        data = self.data(source)
        return self.one(
            ("flag", self.one(True, False, {"!": var("context.flag")}, self.rule(source))),
            ("count", self.one(0, {"min": [COUNT_MOST, {"+": [var("context.count"), 1]}]})),
            ("word", self.one(*WORDS, {"if": [self.rule(source), "y", "z"]})),
            ("list", self.one([], ["x"], ["y", "z"], {"filter": [
                var("context.list"), {"!==": [var(""), self.one(*WORDS)]}]})),
            ("seen", self.one(None, data, self.word(source))),
            (self.one("flag", "word", "list"), data or self.word(source)),
            ("count", self.one({"+": [var("context.count"), 1]},
                               {"-": [var("context.count"), 1]})))

    def data(self, source):
        return None if source == "nothing" else var("event.data")

    def word(self, source):
        """Something that is often one of the words."""
        paths = {"event": ["event.data.word", "event.data"], "error": ["event.data.class"],
                 "result": ["event.data.word"], "results": ["event.data.0.word"],
                 "places": ["event.data.0.output.word", "event.data.0.error.class"]}
        return var(self.one("context.word", "context.seen.word", "context.seen",
                            *paths.get(source, [])))

    # ---- rules ----

    def rule(self, source, depth=0):
        if depth < 2 and self.chance(30):
            parts = [self.rule(source, depth + 1) for _ in range(2)]
            return self.one({"and": parts}, {"or": parts}, {"!": parts[0]},
                            {"if": [parts[0], parts[1], False]})
        return self.about_data(source) if source != "nothing" and self.chance(60) \
            else self.about_context()

    def about_context(self):
        count = self.random.randint(0, COUNT_MOST)
        return self.one(
            var("context.flag"), {"in_state": self.one(*self.names)},
            {self.one("<", ">=", "===", "!="): [var("context.count"), count]},
            {"===": [var("context.word"), self.one(*WORDS)]},
            {"in": [self.one(*WORDS, var("context.word")), var("context.list")]},
            {">": [{"reduce": [var("context.list"), {"+": [var("accumulator"), 1]}, 0]},
                   self.random.randint(0, 1)]},
            self.of_list(var("context.list"), {"===": [var(""), self.one(*WORDS)]}),
            {"===": [var("context.seen.word"), self.one(*WORDS)]},
            {"!": [var("context.seen")]}, var("context.seen.ok"),
            self.of_list(var("context.seen"), self.of_place()))

    def of_list(self, items, rule):
        return {self.one("all", "some", "none"): [items, rule]}

    def of_result(self, path=""):
        return self.one(var(path + "ok"), {"===": [var(path + "word"), self.one(*WORDS)]},
                        {">": [var(path + "n"), self.random.randint(0, 2)]})

    def of_place(self):
        return self.one(self.of_result("output."), var("output"), var("error"),
                        {"===": [var("error.class"), self.one("exit", "timeout")]},
                        self.of_result())

    def about_data(self, source):
        words = self.random.sample(WORDS, 2)
        rules = {
            "event": [{"===": [var("event.data"), self.one(*WORDS)]},
                      {"in": [var("event.data"), self.one(var("context.list"), words)]},
                      {"===": [var("event.data"), var("context.word")]},
                      {">": [var("event.data.n"), var("context.count")]},
                      var("event.data"), self.of_result("event.data."),
                      self.of_list(var("event.data"), {"===": [var(""), words[0]]})],
            "error": [{"===": [var("event.data.class"), self.one("exit", "timeout", "schema")]}],
            "result": [self.of_result("event.data."),
                       {"===": [var("event.data.word"), var("context.word")]}],
            "results": [self.of_list(var("event.data"), self.of_result()),
                        self.of_result("event.data.0."), self.of_result("event.data.1."),
                        {"===": [{"reduce": [{"filter": [var("event.data"), var("ok")]},
                                             {"+": [var("accumulator"), 1]}, 0]},
                                 self.random.randint(0, 2)]}],
            "places": [self.of_list(var("event.data"), self.of_place()),
                       self.of_result("event.data.0.output."), var("event.data.1.error"),
                       {"===": [{"reduce": [{"filter": [var("event.data"), var("output.ok")]},
                                            {"+": [var("accumulator"), 1]}, 0]},
                                self.random.randint(0, 2)]}]}
        return self.one(*rules[source])

    # ---- what is claimed ----

    def claim(self):
        return self.one(self.about_context(), {"in_state": self.one(*self.names)},
                        {"and": [{"in_state": self.one(*self.names)}, self.about_context()]},
                        {"===": [var("event.type"), self.one(*EVENTS)]})

    def property(self):
        kind = self.one("never", "never", "always", "reachable", "precedes", "atMost")
        if kind == "precedes":
            return {kind: {"of": self.claim(), "needs": self.claim()}}
        if kind == "atMost":
            return {kind: {"of": self.claim(), "times": self.random.randint(1, 3)}}
        return {kind: self.claim()}
