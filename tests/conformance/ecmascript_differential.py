"""Generated expressions, imported from SCXML here and run by node, must give the same.

usage: ecmascript_differential.py [EXPRESSIONS [SEED]]

Left out is what doc/scxml.md says differs: undefined and NaN among numbers, members of
nothing, and whether two arrays or objects are one. outside.py tells what happens without node.
"""
import json
import random
import subprocess
import sys
from xml.sax.saxutils import quoteattr

import outside
import wfsm
from wfsm import scxml

BATCH = 200
DATA = {
    "n": "3", "m": "-2.5", "z": "0", "s": "'abc'", "d": "'12'", "e": "''", "t": "true",
    "f": "false", "nothing": "null", "list": "[1, 'b', 3]", "empty": "[]",
    "o": "{a: 1, b: {c: 'x'}, k: [4, 5]}", "none": "{}",
    # What these hold cannot be known before they are run.
    "mixed": "t ? 7 : 'seven'", "digits": "f ? 7 : '7'", "maybe": "t ? [] : 0",
}
NUMBERS = ["0", "1", "2", "10", "0.5", "n", "m", "z", "list.length", "s.length", "o.a",
           "list[0]", "o.k[1]", "mixed", "o.k.length"]
TEXTS = ["'x'", "''", "'5'", "'abc'", "s", "d", "e", "list[1]", "o.b.c", "digits"]
BOOLEANS = ["true", "false", "t", "f"]
OTHERS = ["list", "empty", "o", "none", "maybe", "o.k", "[]", "{}", "[n, s]", "nothing",
          "{a: n}", "o.b"]


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def number(self, depth):
        if depth <= 0 or self.rng.random() < 0.2:
            return self.rng.choice(NUMBERS)
        kind = self.rng.randrange(8)
        if kind < 4:
            return f"({self.number(depth - 1)} {self.rng.choice('+-*')} {self.number(depth - 1)})"
        if kind == 4:
            return f"({self.number(depth - 1)} {self.rng.choice('/%')} {self.rng.choice('234')})"
        if kind == 5:
            return f"-{self.number(depth - 1)}".replace("--", "- -")
        if kind == 6:
            name = self.rng.choice(["Math.min", "Math.max"])
            return f"{name}({self.number(depth - 1)}, {self.number(depth - 1)})"
        return f"({self.any(depth - 1)} ? {self.number(depth - 1)} : {self.number(depth - 1)})"

    def text(self, depth):
        if depth <= 0 or self.rng.random() < 0.2:
            return self.rng.choice(TEXTS)
        kind = self.rng.randrange(6)
        if kind < 2:
            return f"({self.text(depth - 1)} + {self.scalar(depth - 1)})"
        if kind == 2:
            return f"({self.scalar(depth - 1)} + {self.text(depth - 1)})"
        if kind == 3:
            return f"{self.text(0)}.slice({self.rng.randrange(-2, 3)})"
        if kind == 4:
            return f"(typeof {self.rng.choice([self.scalar(depth - 1), 'list', 'o', 'maybe'])})"
        return f"String({self.scalar(depth - 1)})"

    def boolean(self, depth):
        if depth <= 0 or self.rng.random() < 0.2:
            return self.rng.choice(BOOLEANS)
        kind = self.rng.randrange(6)
        if kind == 0:
            return f"!{self.any(depth - 1)}"
        if kind == 1:
            return f"({self.any(depth - 1)} === {self.scalar(depth - 1)})"
        if kind == 2:
            sign = self.rng.choice(["==", "!=", "<", ">", "<=", ">=", "!=="])
            return f"({self.scalar(depth - 1)} {sign} {self.scalar(depth - 1)})"
        if kind == 3:
            return f"({self.rng.choice(TEXTS)} in {self.rng.choice(['o', 'none', 'o.b'])})"
        if kind == 4:
            return f"Array.isArray({self.any(depth - 1)})"
        return f"Boolean({self.any(depth - 1)})"

    def scalar(self, depth):
        return self.rng.choice([self.number, self.text, self.boolean])(depth)

    def any(self, depth):
        if depth <= 0 or self.rng.random() < 0.2:
            return self.rng.choice(OTHERS)
        kind = self.rng.randrange(7)
        if kind < 3:
            sign = self.rng.choice(["&&", "||", "??"])
            return f"({self.any(depth - 1)} {sign} {self.any(depth - 1)})"
        if kind == 3:
            return f"({self.any(depth - 1)} ? {self.any(depth - 1)} : {self.any(depth - 1)})"
        if kind == 4:
            return f"{self.rng.choice(['list', '[]', 'o.k'])}.concat({self.any(depth - 1)})"
        if kind == 5:
            return f"[{self.scalar(depth - 1)}, {self.any(depth - 1)}]"
        return self.scalar(depth)

    def expression(self):
        while True:
            text = self.any(4)
            if text[0] != "{":
                return text


def here(expressions):
    data = "".join(f"<data id='{name}' expr={quoteattr(text)}/>" for name, text in DATA.items())
    logs = "".join(f"<onentry><log expr={quoteattr(text)}/></onentry>" for text in expressions)
    guards = "".join(
        f"<onentry><if cond={quoteattr(text)}><log expr='true'/><else/><log expr='false'/></if>"
        "</onentry>" for text in expressions)
    document = scxml.convert(
        f"<scxml><datamodel>{data}</datamodel><state>{logs}{guards}</state></scxml>")
    with wfsm.memory() as store:
        one = wfsm.Instance.start(wfsm.Machine.load(document), store, "one", now=0)
        values = [entry["value"] for entry in one.log]
    if len(values) != 2 * len(expressions):
        raise RuntimeError(f"{len(values)} values for {len(expressions)} expressions")
    return list(zip(values, values[len(expressions):]))


PROGRAM = """
for (const text of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
    const value = eval('(' + text + ')');
    console.log(JSON.stringify([value === undefined ? null : value, !!value],
                               (key, part) => Object.is(part, -0) ? 0 : part));
}
"""


def there(node, expressions):
    declared = "".join(f"var {name} = {text};\n" for name, text in DATA.items())
    run = subprocess.run([node, "-e", declared + PROGRAM], input=json.dumps(expressions),
                         capture_output=True, text=True, check=True, env=outside.environment())
    return [tuple(json.loads(line)) for line in run.stdout.splitlines()]


def plain(value):
    """As text in which 1 and true differ, and 1 and 1.0 do not."""
    return json.dumps(numbers(value), sort_keys=True)


def numbers(value):
    if isinstance(value, (list, tuple)):
        return [numbers(item) for item in value]
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items()}
    return int(value) if isinstance(value, float) and value == int(value) else value


def main(words):
    count = int(words[0]) if words else 4000
    seed = int(words[1]) if len(words) > 1 else 1
    try:
        node = outside.tool("node")
    except outside.Missing as problem:
        return outside.without(problem)
    generator, wrong = Generator(seed), 0
    for _ in range(0, count, BATCH):
        expressions = [generator.expression() for _ in range(BATCH)]
        for text, ours, theirs in zip(expressions, here(expressions),
                                      there(node, expressions)):
            if plain(ours) != plain(theirs):
                wrong += 1
                print(f"{text}\n    here {plain(ours)}\n    node {plain(theirs)}")
    print(f"\n{'SCXML expressions, imported, and in node':44} "
          f"{count - wrong:8} agree {wrong:8} differ")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
