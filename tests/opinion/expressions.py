"""Random JsonLogic of every operator, by the type of its value."""

PEOPLE = ["ann", "bob", "cem", "dan"]
PIECES = ["a", "b", "ab", "ba", "x", "-", ".", "/", "0", "1", "7"]


def var(path, *default):
    return {"var": [path, *default] if default else path}


class Expressions:
    """`scope` says which data there is: event, result, results (of items), votes, error, property
    or nothing."""

    def __init__(self, random):
        self.random = random
        self.states = []
        self.budgets = []

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def one(self, *of):
        return self.random.choice(of)

    def pick(self, of, *arguments):
        return self.random.choice(of)(*arguments)

    # ---- constants ----

    def constant(self):
        return self.one(self.random.randint(-2, 12), self.random.randint(0, 40) / 4,
                        self.random.randint(0, 20) / 10, round(self.random.random(), 2),
                        round(self.random.uniform(-50, 500), 1), self.random.randint(0, 3))

    def word(self):
        if self.chance(12):
            return f"20{self.random.randint(20, 29)}-{self.random.randint(1, 12):02}-01"
        return "".join(self.one(*PIECES) for _ in range(self.random.randint(0, 3)))

    # ---- where data comes from ----

    def source(self, scope, name):
        if scope == "votes" and self.chance(70) and name in "nmstfx":
            return self.vote(name)
        paths = [f"context.{name}"] * 2
        if scope in ("event", "result", "property"):
            paths += [f"event.data.{name}"] * (1 if scope == "property" else 4)
        if scope == "results":
            paths += [f"event.data.{self.random.randint(0, 2)}.{name}"] * 3
        return self.read(self.one(*paths))

    def read(self, path):
        keys = [int(key) if key.isdigit() else key for key in path.split(".")]
        if self.chance(88):
            return var(path)
        return self.one({"val": keys}, {"get": [var(".".join(path.split(".")[:-1])), keys[-1]]})

    def around(self, name):
        """What a body reads from around it."""
        return {"val": [[2], *self.one(["context"], ["context"], ["event", "data"]), name]}

    # ---- votes ----

    def vote(self, name):
        """How many, who and why."""
        votes = var("event.data.votes")
        kind = {"===": [var("decision"), self.one("approve", "reject")]}
        if name in "nm":
            return {"length": [self.one(votes, {"filter": [votes, kind]})]}
        if name in "st":
            return self.one(var(f"event.data.votes.{self.random.randint(0, 2)}.by"),
                            var("event.data.reason"))
        return self.one(var("event.data.approved"), {"some": [votes, {"and": [kind, self.by(var("by"))]}]})

    def by(self, who):
        return self.one({"===": [who, self.one(*PEOPLE)]}, {"!==": [who, self.one(*PEOPLE)]},
                        {"in": [who, self.random.sample(PEOPLE, 2)]})

    def voted(self):
        return self.one({self.one(">=", "<", "===", ">"): [self.vote("n"), self.random.randint(0, 3)]},
                        self.by(self.vote("s")), self.vote("f"), var("event.data.approved"))

    # ---- numbers ----

    def number(self, scope, depth=0):
        if depth > 1 or self.chance(45):
            return self.pick([self.leaf_number] * 4 + [lambda s: self.constant()], scope)
        return self.pick([self.arithmetic, self.arithmetic, self.counted, self.summed,
                          self.looked_up, self.chosen_number, self.converted], scope, depth + 1)

    def leaf_number(self, scope):
        sources = [self.source(scope, self.one("n", "m"))] * 5
        sources.append(var(f"context.l.{self.random.randint(0, 3)}"))
        if scope == "error":
            sources += [var("event.data.attempts")] * 4 + [var("failure.count")]
        if scope != "property":
            sources += [var("instance.now")]
            sources += [var(f"budgets.{b}.{self.one('used', 'left', 'limit')}") for b in self.budgets]
        return self.one(*sources)

    def arithmetic(self, scope, depth):
        operator = self.one("+", "-", "*", "/", "%", "min", "max", "+", "-")
        count = 2 if operator in "%/" else self.random.randint(2, 3)
        if self.chance(6) and operator in "+-":
            count = 1
        parts = [self.number(scope, depth) for _ in range(count)]
        if operator in "%/" and self.chance(60):
            parts[1] = self.random.randint(1, 9)
        return {operator: parts}

    def counted(self, scope, depth):
        return {"length": [self.one(self.numbers(scope, depth), self.objects(scope, depth),
                                    self.text(scope, depth))]}

    def summed(self, scope, depth):
        return {"reduce": [self.one(self.numbers(scope, depth),
                                    {"map": [self.objects(scope, depth), var("n")]}),
                           {self.one("+", "+", "max", "min"): [var("accumulator"), var("current")]},
                           self.one(0, 0, 1)]}

    def looked_up(self, scope, depth):
        table = {self.word(): self.random.randint(0, 5) for _ in range(3)}
        return self.one({"get": [{"literal": table}, self.text(scope, depth), self.one(0, 1)]},
                        {"get": [self.numbers(scope, depth), self.number(scope, depth), 0]},
                        {"get": [var("context.r"), self.text(scope, depth), 0]},
                        var({"cat": ["context.r.", self.text(scope, depth)]}, 0))

    def chosen_number(self, scope, depth):
        return self.one({"if": [self.rule(scope, depth), self.number(scope, depth),
                                self.number(scope, depth)]},
                        {"??": [self.leaf_number(scope), self.constant()]},
                        {"try": [self.number(scope, depth), self.constant()]})

    def converted(self, scope, depth):
        return {"+": [self.leaf_text(scope)]} if self.chance(30) else self.leaf_number(scope)

    # ---- texts ----

    def text(self, scope, depth=0):
        if depth > 1 or self.chance(50):
            return self.word() if self.chance(25) else self.leaf_text(scope)
        return self.pick([self.joined, self.cut, self.cut, self.chosen_text], scope, depth + 1)

    def leaf_text(self, scope):
        sources = [self.source(scope, self.one("s", "t"))] * 4
        if scope in ("event", "property"):
            sources += [var("event.id"), var("event.type")]
        if scope == "error":
            sources += [var("event.data.message"), var("event.data.class")] * 2
        return self.one(*sources)

    def joined(self, scope, depth):
        return {"cat": [self.text(scope, depth), self.one(self.word(), self.text(scope, depth),
                                                          self.number(scope, depth))]}

    def cut(self, scope, depth):
        end = [self.random.randint(1, 4)] if self.chance(70) else []
        return {"substr": [self.text(scope, depth), self.random.randint(-3, 3), *end]}

    def chosen_text(self, scope, depth):
        return {"if": [self.rule(scope, depth), self.text(scope, depth), self.word()]}

    # ---- lists ----

    def numbers(self, scope, depth=0):
        if depth > 2 or self.chance(60):
            return self.source(scope, "l")
        inner = self.numbers(scope, depth + 1)
        return self.one({"filter": [inner, self.of_number()]},
                        {"map": [inner, {self.one("+", "*", "-"): [var(""), self.constant()]}]},
                        {"merge": [inner, self.number(scope, depth + 1)]},
                        {"slice": [inner, self.random.randint(-3, 2), self.random.randint(1, 5)]},
                        {"with": [inner, self.random.randint(0, 3), self.constant()]})

    def objects(self, scope, depth=0):
        inner = self.source(scope, "o")
        return {"filter": [inner, self.of_object()]} if self.chance(30) else inner

    def of_number(self):
        other = self.around(self.one("n", "m")) if self.chance(15) else self.constant()
        return {self.one("<", "<=", ">", ">=", "===", "!=="): [var(""), other]}

    def of_object(self):
        compare = {self.one("<", "<=", ">", ">="): [var("n"), self.constant()]}
        word = self.around(self.one("s", "t")) if self.chance(15) else self.word()
        return self.one(compare, {self.one("===", "!=="): [var("s"), word]},
                        {"and": [compare, {"!==": [var("s"), ""]}]},
                        {"in": [self.word(), {"cat": [var("s")]}]},
                        {">": [{"length": [{"cat": [var("s")]}]}, self.random.randint(0, 4)]})

    # ---- rules ----

    def rule(self, scope, depth=0):
        if scope == "votes" and self.chance(50):
            return self.voted()
        if depth < 1 and self.chance(40):
            parts = [self.rule(scope, depth + 1) for _ in range(2)]
            return self.one({"and": parts}, {"or": parts}, {"!": [parts[0]]}, {"and": parts},
                            {"if": [parts[0], parts[1], False]})
        return self.pick([self.compared] * 5 + [self.same, self.found, self.quantified,
                                                self.quantified, self.flag], scope, depth + 1)

    def compared(self, scope, depth):
        operator = self.one("<", "<=", ">", ">=", "===", "!==")
        if self.chance(25):
            return {operator: [self.text(scope, depth), self.text(scope, depth)]}
        if self.chance(12):
            return {self.one("<", "<="): [self.constant(), self.number(scope, depth),
                                          self.constant()]}
        return {operator: [self.number(scope, depth), self.number(scope, depth)]}

    def same(self, scope, depth):
        return {self.one("==", "!="): [self.one(self.leaf_number(scope), self.leaf_text(scope)),
                                       self.one(self.number(scope, depth), self.text(scope, depth))]}

    def found(self, scope, depth):
        return {"in": self.one([self.word(), self.text(scope, depth)],
                               [self.text(scope, depth), self.text(scope, depth)],
                               [self.text(scope, depth), [self.word() for _ in range(4)]],
                               [self.number(scope, depth), self.numbers(scope, depth)])}

    def quantified(self, scope, depth):
        return {self.one("some", "all", "none"):
                self.one([self.numbers(scope, depth), self.of_number()],
                         [self.objects(scope, depth), self.of_object()])}

    def flag(self, scope, depth):
        del depth
        return self.one(self.source(scope, "f"), {"in_state": self.one(*self.states)},
                        {"!!": [self.source(scope, "x")]}, {"===": [self.source(scope, "x"), None]},
                        {"exists": ["context", "x", "n"]})
