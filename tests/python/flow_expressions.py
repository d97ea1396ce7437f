"""Random Python expressions over a typed context, for test_flow_rules.py. Each is a text of a certain type."""
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import Dict, List, Optional


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Item:
    price: int
    name: str = "?"
    tags: List[str] = field(default_factory=list)


@dataclass
class Group:
    points: Dict[str, int] = field(default_factory=dict)
    best: Optional[Item] = None


WORDS = frozenset(("a", "b", "wörd"))
NUMBERS = {"a": 1, "0": 2}


@dataclass
class Context:
    a: int = 0
    b: int = 3
    x: float = 1.5
    ok: bool = False
    s: str = ""
    t: str = "wörd"
    numbers: List[int] = field(default_factory=list)
    words: List[str] = field(default_factory=list)
    items: List[Item] = field(default_factory=list)
    scores: Dict[str, int] = field(default_factory=dict)
    maybe: Optional[int] = None
    text: Optional[str] = None
    best: Optional[Item] = None
    color: Color = Color.RED
    maybes: List[Optional[int]] = field(default_factory=list)
    groups: List[Group] = field(default_factory=list)


def context(random: Random):
    """A random context, as JSON."""
    def word():
        return random.choice(["", "a", "ab", "wörd", "b", "0", "𝄞x", "\uffff", "a.b", "price"])

    def item():
        made = {"price": random.randint(-3, 9), "name": word(), "tags": [word() for _ in range(random.randint(0, 2))]}
        for name in ("name", "tags"):
            if random.random() < 0.3:
                del made[name]
        return made

    def group():
        made = {"points": {word(): random.randint(0, 3) for _ in range(random.randint(0, 2))},
                "best": random.choice([None, item()])}
        return {key: value for key, value in made.items() if random.random() < 0.8}

    return {
        "a": random.randint(-9, 9), "b": random.randint(-2, 4), "x": random.choice([0.0, -1.5, 2.0, 0.25]),
        "ok": random.random() < 0.5, "s": word(), "t": word(),
        "numbers": [random.randint(-5, 5) for _ in range(random.randint(0, 4))],
        "words": [word() for _ in range(random.randint(0, 3))], "items": [item() for _ in range(random.randint(0, 3))],
        "scores": {word(): random.randint(0, 5) for _ in range(random.randint(0, 3))},
        "maybe": random.choice([None, 0, 5]), "text": random.choice([None, "", "a"]),
        "best": random.choice([None, item()]), "color": random.choice(["red", "blue"]),
        "maybes": [random.choice([None, 0, -2, 7]) for _ in range(random.randint(0, 3))],
        "groups": [group() for _ in range(random.randint(0, 2))]}


class Generator:
    """Writes expressions. `names` has the loops' variables by type."""

    def __init__(self, random: Random):
        self.random = random
        self.names = {"int": [], "str": [], "item": []}
        self.count = 0

    def pick(self, *texts):
        return self.random.choice([one for one in texts if one is not None])

    def any(self, depth):
        return getattr(self, self.pick("bool", "int", "number", "str", "ints", "strs"))(depth)

    def loop(self, kind, depth, body):
        """`for NAME in LIST`, with what the body makes of the name."""
        self.count += 1
        name, lists = f"v{self.count}", {"int": self.ints, "str": self.strs, "item": lambda _: "c.items"}
        of = lists[kind](depth - 1)
        self.names[kind].append(name)
        made, test = body(), self.bool(depth - 1) if self.random.random() < 0.3 else None
        self.names[kind].remove(name)
        return f"{made} for {name} in {of}" + (f" if {test}" if test else "")

    def leaf(self, kind, *more):
        return self.pick(*more, *self.names[kind])

    def int(self, depth):
        item = self.names["item"] and f"{self.random.choice(self.names['item'])}.price"
        if depth <= 0:
            return self.leaf("int", "c.a", "c.b", str(self.random.randint(0, 9)), item or None)
        one = depth - 1
        choice = self.random.randrange(13)
        if choice < 3:
            return f"({self.int(one)} {self.pick('+', '-', '*', '%')} {self.int(one)})"
        if choice == 12:
            return self.pick(
                f"Item({self.int(0)}, name={self.str(0)}).price", f"len(Item(1).tags + Item(2, {self.str(0)}).tags)",
                f"{self.pick('min', 'max')}({self.ints(one)})",
                f"sum(m for m in c.maybes if m is not None{self.pick('', ' if m != c.a')})",
                f"max({self.loop('int', depth, lambda: self.int(one))})")
        if choice == 3:
            return f"len({self.pick(self.str, self.ints, self.strs)(one)})"
        if choice == 4:
            return f"(-{self.int(one)})"
        if choice == 5:
            return f"{self.pick('min', 'max')}({self.int(one)}, {self.int(one)})"
        if choice == 6:
            return f"({self.int(one)} if {self.bool(one)} else {self.int(one)})"
        if choice == 7:
            return f"sum({self.pick(self.ints(one), self.loop('int', depth, lambda: self.int(one)))})"
        if choice == 8:
            return f"c.scores.get({self.str(one)}, {self.int(0)})"
        if choice == 9:
            return self.pick(f"c.numbers[{self.random.randint(-2, 2)}]", f"c.scores[{self.str(one)}]")
        if choice == 10:
            return self.pick("(c.maybe or 7)", "(c.maybe if c.maybe is not None else c.b)",
                             "(c.best.price if c.best is not None else -1)")
        return f"({self.int(one)} {self.pick('and', 'or')} {self.int(one)})"

    def number(self, depth):
        if depth <= 0:
            return self.pick("c.x", "c.a", "0.5")
        left, right = self.pick(self.int, self.number)(depth - 1), self.number(depth - 1)
        return f"({left} {self.pick('+', '-', '*', '/')} {right})"

    def str(self, depth):
        item = self.names["item"] and f"{self.random.choice(self.names['item'])}.name"
        if depth <= 0:
            return self.leaf("str", "c.s", "c.t", "'a'", "'wörd'", "''", item or None)
        one = depth - 1
        choice = self.random.randrange(8)
        if choice == 0:
            return f"({self.str(one)} + {self.str(one)})"
        if choice == 1:
            return "f'" + "{" + self.pick("c.a", "c.t", "c.s", "len(c.words)", "c.b - c.a") + "}, {" + self.pick(
                "c.t", "c.a") + "}!'"
        if choice == 2:
            return f"({self.str(one)} if {self.bool(one)} else {self.str(one)})"
        if choice == 3:
            return f"{self.str(one)}[{self.random.randint(-2, 2)}:{self.pick('', '1', '-1', 'c.b')}]"
        if choice == 4:
            return self.pick("(c.text or 'none')", "(c.text if c.text else c.s)")
        if choice == 5:
            return f"str({self.int(one)})"
        return f"({self.str(one)} {self.pick('and', 'or')} {self.str(one)})"

    def ints(self, depth):
        if depth <= 0:
            return self.pick("c.numbers", f"[{self.int(0)}, {self.int(0)}]", "[]")
        one = depth - 1
        return self.pick(
            f"[{self.loop(self.pick('int', 'str', 'item'), depth, lambda: self.int(one))}]",
            f"({self.ints(one)} + {self.ints(one)})", f"{self.ints(one)}[1:]", "c.numbers")

    def strs(self, depth):
        if depth <= 0:
            return self.pick("c.words", f"[{self.str(0)}]", "['b', 'a']", *(f"{one}.tags" for one in self.names["item"]))
        one = depth - 1
        return self.pick(f"[{self.loop(self.pick('str', 'item'), depth, lambda: self.str(one))}]", "c.words",
                         f"({self.strs(one)} + {self.strs(one)})", f"{self.strs(one)}[:-1]")

    def bool(self, depth):
        if depth <= 0:
            return self.pick("c.ok", "True", "c.maybe is None", "c.color == Color.RED", "c.best is not None")
        one = depth - 1
        choice = self.random.randrange(17)
        if choice == 14:
            return self.pick(f"({self.int(one)} {self.pick('in', 'not in')} {{1, 0, {self.int(0)}}})",
                             f"({self.str(one)} in {{'a', {self.str(0)}}})", f"({self.str(one)} in WORDS)",
                             f"({self.str(one)} in NUMBERS)", "c.color in {Color.RED}")
        if choice == 15:
            return self.pick(f"{self.pick('any', 'all')}({self.pick(self.ints, self.strs)(one)})",
                             f"any({self.str(0)} in g.points for g in c.groups)",
                             "all(m > c.a for m in c.maybes if m is not None)",
                             "any(g.best.price > c.b for g in c.groups if g.best is not None)")
        if choice == 16:
            return f"{self.str(one)}.{self.pick('startswith', 'endswith')}({self.str(one)})"
        if choice < 3:
            kind = self.pick(self.int, self.str)
            return f"({kind(one)} {self.pick('<', '<=', '>', '>=', '==', '!=')} {kind(one)})"
        if choice == 3:
            return f"({self.int(one)} {self.pick('<', '<=', '==')} {self.number(one)} {self.pick('<', '>=', '!=')} {self.int(one)})"
        if choice == 4:
            return f"(not {self.any(one)})"
        if choice == 5:
            return f"bool({self.any(one)} {self.pick('and', 'or')} {self.any(one)})"
        if choice == 6:
            return f"({self.str(one)} {self.pick('in', 'not in')} {self.pick(self.str, self.strs)(one)})"
        if choice == 7:
            return f"({self.int(one)} {self.pick('in', 'not in')} {self.pick(self.ints(one), '(1, 2, 3)')})"
        if choice == 8:
            return f"({self.str(one)} in c.scores)"
        if choice < 11:
            kind = self.pick("int", "str", "item")
            return f"{self.pick('any', 'all')}({self.loop(kind, depth, lambda: self.pick(self.bool, self.any)(one))})"
        if choice == 11:
            return self.pick("(c.maybe is not None and c.maybe > 3)", "(c.maybe is None or c.maybe < c.a)",
                             "bool(c.text and c.text < c.t)", "(not (c.best is None or c.best.price < 2))",
                             "(c.maybe in c.numbers)", "(c.maybe == c.a)", "c.color in (Color.BLUE, Color.RED)")
        if choice == 12:
            return f"({self.ints(one)} == {self.ints(one)})"
        return f"{self.str(one)}.startswith({self.str(one)})"


class Statements(Generator):
    """Writes the bodies of actions and of states that decide."""

    def block(self, depth, indent, narrowed=()):
        """Statements; `narrowed` are members that are not None here."""
        lines = []
        for _ in range(self.random.randint(1, 3)):
            lines.extend(self.statement(depth, indent, narrowed))
        return lines

    def statement(self, depth, indent, narrowed):
        if depth > 0 and self.random.random() < 0.35:
            return self.choice(depth, indent, narrowed)
        return [indent + self.pick(
            f"c.a = {self.int(2)}", f"c.b += {self.int(1)}", f"c.x = {self.number(2)}", f"c.t = {self.str(2)}",
            f"c.s += {self.str(1)}", f"c.ok = {self.bool(2)}", f"c.numbers = {self.ints(2)}", f"c.a -= {self.int(1)}",
            f"c.numbers.append({self.int(1)})", f"c.words += [{self.str(1)}]", f"c.words.append({self.str(1)})",
            f"c.maybe = {self.pick('None', self.int(1))}", f"c.text = {self.pick('None', self.str(1))}",
            "c.color = Color.BLUE", "c.best = None", "c.items = c.items[1:]", "pass",
            f"c.items.append(Item({self.int(1)}, {self.str(1)}))", f"c.best = Item({self.int(1)}, tags={self.strs(1)} + [])", f"c.maybes.append({self.pick('None', 'c.a')})",
            *(f"c.{name} += 1" for name in narrowed))]

    def test(self):
        """A condition, and what is not None behind it."""
        return self.pick(("c.maybe is not None", ("maybe",)), (f"c.best is not None and {self.bool(1)}", ("best.price",)),
                         (self.bool(2), ()))

    def choice(self, depth, indent, narrowed):
        lines, word = [], "if"
        for _ in range(self.random.randint(1, 2)):
            test, more = self.test()
            lines += [f"{indent}{word} {test}:", *self.branch(depth, indent, more or narrowed)]
            word = "elif"
        return lines + ([f"{indent}else:", *self.block(depth - 1, indent + "    ")] if self.random.random() < 0.4 else [])

    def branch(self, depth, indent, narrowed):
        """What is known holds until the first assignment."""
        lines = self.block(depth - 1, indent + "    ")
        return [f"{indent}    c.{self.random.choice(narrowed)} += 1", *lines] if narrowed else lines

    def deciding(self, depth, indent):
        """The part of a state that returns the next one."""
        lines = []
        for _ in range(self.random.randint(0, 2)):
            lines += [f"{indent}if {self.test()[0]}:", *self.ending(depth - 1, indent + "    ")]
        return [*lines, *self.ending(0, indent)]

    def ending(self, depth, indent):
        if depth > 0 and self.random.random() < 0.4:
            return self.deciding(depth, indent)
        target = self.pick("'one'", "'two'", "'three'", "None")
        return [*(self.block(1, indent) if target != "None" and self.random.random() < 0.4 else []), f"{indent}return {target}"]
