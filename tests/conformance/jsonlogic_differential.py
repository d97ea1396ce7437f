"""Generated JsonLogic rules, here and in npm's json-logic-engine, must give the same.

usage: jsonlogic_differential.py FOLDER PROGRAM REFERENCE.mjs [RULES [SEED]]

FOLDER is where the packages are unpacked, once. outside.py tells what happens without node, npm
or a registry. What wfsm decides otherwise is in jsonlogic_differences.json, each with its reason
and an example. The examples are tried here, in json-logic-engine and in json-logic-js, and the
generated rules are compared with json-logic-engine as REFERENCE.mjs changes it at exactly these
places. A difference that is not listed fails, and so does one that is listed and is none.

WFSM_JSONLOGIC_SUITES names a folder with the community's suites, such as `suites` of
github.com/json-logic/compat-tables; they are in no package. What json-logic-engine passes of
them has to pass here.
"""
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import outside

PACKAGE, CLASSIC = "json-logic-engine@5.0.7", "json-logic-js@2.0.5"
DIFFERENCES = Path(__file__).with_name("jsonlogic_differences.json")
CLASSIC_LINES = """
const logic = require(process.argv[1]); console.log = () => {};
require('readline').createInterface({input: process.stdin}).on('line', (line) => {
    let text;
    try {
        const value = logic.apply(...JSON.parse(line));
        text = JSON.stringify(value === undefined ? null : value);
    } catch (error) { text = '!'; }
    process.stdout.write(text + '\\n');
});"""
SCALARS = [None, True, False, 0, 1, -1, 2, 3, 10, 0.5, -2.5, 1e21, 1e-7, 123456789, "", "0",
           "1", "a", "b", "ab", "abc", "10", "9", " 7 ", "3x", "x3", "-1", "1e3", "0x10",
           "true", "null", "1,2", ".5", "A", "\u00e9", 1e200]
NUMBERS = [0, 1, 2, 3, -1, 10, 0.5, -1.5, "7", " 2 ", True, None, "1e2"]
PATHS = ["", "a", "b", "c", "a.b", "a.0", "l", "l.0", "l.1", "l.2.a", "n", "s", "t", "z", "m",
         "l.length", "s.0", "current", "accumulator", "accumulator.0", "type", 0, 1, None]
KEYS = [["a"], ["a", "b"], ["l", 0], ["l", 2, "a"], ["n"], ["z"], ["x"], [], ["current"], ["type"],
        ["accumulator"], ["a", "0"], ["l", "length"], ["k36"], ["k37", "a"], ["k39", "", "", "/"],
        ["k40", "../"], ["k38", "type"], ["code"], [""], ["."]]
# Values that a rule finds by `var`, so that they are not known when it is loaded.
CONTAINERS = [{}, {"a": 1}, {"type": "t", "code": 7}, {"": {"": {"/": 7}}}, {"../": 3, "": 0}, [], [1],
              [[1], {"a": 2}], {"a": [3, {"type": "deep"}], "b": {}}]
TEXTS = ["0x3 7", " 0b11 ", "0x", "0O17", "0x200000000000011", "1e400", "-0", "+5", "Infinity", "1_0",
         "\u00a07\ufeff", "5.", "--1", "1e", "0x1g", "-0x1", "length"]
HELD = {f"k{number}": value for number, value in enumerate(SCALARS + CONTAINERS + TEXTS)}
DATA = [None, 5, "text", [1, 2, 3], ["a", ["b", "c"], {"a": 1}], {},
        {"a": {"b": 1, "0": "zero"}, "b": "", "l": [3, 1, {"a": 2}, "x", None, []], "n": 4,
         "s": "abc", "t": True, "z": None, "m": [3, 1, 2], **HELD},
        {"a": [1, [2, 3]], "b": 0, "l": ["a", "b", "", 0, "10"], "n": "12", "s": "3x",
         "m": [2, 5, "4"], **HELD}]
COMPARISONS = ["==", "===", "!=", "!==", ">", ">=", "<", "<="]
ARITHMETIC = ["+", "-", "*", "/", "%", "max", "min"]
OTHERS = ["!", "!!", "or", "and", "if", "?:", "??", "try", "merge", "in", "cat", "substr", "log",
          "missing", "missing_some", "length", "throw"]
LITERALS = [*CONTAINERS, 0, "a", None, {"+": [1, 2]}, {"var": "a"}, [{"val": "b"}, 2], [1, 2, 3],
            [7, 8], [7]]
BODIES = ["map", "filter", "all", "some", "none"]


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def scalar(self, numbers=False):
        if self.rng.random() < 0.6 and not numbers:
            return {"var": self.rng.choice(list(HELD))}
        if numbers and self.rng.random() < 0.5:
            return self.rng.choice([{"var": "n"}, {"var": "l.0"}, {"val": "current"}])
        return self.rng.choice(NUMBERS if numbers else SCALARS)

    def operand(self, depth, numbers=False):
        kind = self.rng.random()
        if depth <= 0 or kind < 0.3:
            return self.scalar(numbers and kind < 0.9)
        if kind < 0.33:
            return {"preserve": self.rng.choice(LITERALS)}
        if kind < 0.4 and not numbers:
            return [self.operand(depth - 1) for _ in range(self.rng.randrange(4))]
        return self.rule(depth - 1)

    def operands(self, count, depth, numbers=False):
        return [self.operand(depth, numbers) for _ in range(count)]

    def path(self, depth):
        kind = self.rng.random()
        if kind < 0.4:
            path = self.rng.choice(PATHS)
            return {"var": path if self.rng.random() < 0.7 else [path, self.operand(depth - 1)]}
        if kind < 0.45:
            return {"var": [self.operand(depth - 1)]}
        keys = list(self.rng.choice(KEYS))
        if self.rng.random() < 0.35:
            keys.insert(0, [self.rng.choice([0, 1, -1, 2, 2, -2, 3, 4])])
            if abs(keys[0][0]) % 2 and self.rng.random() < 0.9:
                keys = [keys[0], self.rng.choice(["index", "index", "iterator"])]
        elif self.rng.random() < 0.15:
            keys.append(self.operand(depth - 1))
        name = "val" if self.rng.random() < 0.7 else "exists"
        return {name: keys[0] if len(keys) == 1 and self.rng.random() < 0.5 and
                not isinstance(keys[0], list) else keys}

    def listed(self, depth):
        kind = self.rng.random()
        if kind < 0.6:
            return {"var": self.rng.choice(["l", "m", "a", "l", "m", "s", "z", ""])}
        if kind < 0.8:
            return self.operands(self.rng.randrange(4), depth - 1)
        return self.operand(depth)

    def handler(self, depth):
        """What follows a part of `try` that failed, where it sees the error."""
        kind = self.rng.random()
        if kind < 0.3:
            return {"val": self.rng.choice(["type", "code", []])}
        if kind < 0.5:
            return {"val": [[self.rng.choice([2, -2, 4])], *self.rng.choice(KEYS)]}
        if kind < 0.7:
            return {"if": [{"===": [{"val": "type"}, self.rng.choice(["NaN", "a", "t"])]},
                           self.operand(depth - 1), {"throw": {"val": []}}]}
        return self.operand(depth - 1)

    def tried(self, depth):
        failing = [{"throw": self.operand(0)}, {"/": [1, {"val": "z"}]},
                   {"if": [self.operand(0), {"throw": self.operand(0)}, self.operand(0)]},
                   {"map": [self.listed(0), {"throw": {"val": self.rng.choice(["a", []])}}]},
                   self.rule(depth - 1)]
        return {"try": [self.rng.choice(failing),
                        *(self.handler(depth - 1) for _ in range(self.rng.randrange(3)))]}

    def chained(self, depth):
        """A rule as the path, as the keys, or as the list of operands."""
        path = self.rng.choice([{"cat": [self.rng.choice(["a", "k3", "k"]),
                                         self.rng.choice(["", "6", "7"])]},
                                {"val": self.rng.choice(KEYS)},
                                {"merge": [self.rng.choice(KEYS), self.operand(0)]}])
        many = self.rng.choice([{"map": [self.listed(depth - 1), {"val": self.rng.choice(KEYS)}]},
                                {"filter": [self.listed(depth - 1), self.operand(depth - 1)]},
                                {"merge": self.operands(3, 0)}, {"val": self.rng.choice(KEYS)},
                                {"preserve": self.rng.choice(LITERALS)}])
        return self.rng.choice([{"val": path}, {"exists": path}, {"val": ["k37", path]},
                                {self.rng.choice(ARITHMETIC + ["cat", "merge", "in"]): many}])

    def wrong(self, depth):
        """Mostly a wrong number of operands, or operands without a list."""
        name = self.rng.choice(COMPARISONS + ARITHMETIC + OTHERS + BODIES + ["reduce"])
        if self.rng.random() < 0.4:
            return {name: self.rng.choice([self.scalar(), {"preserve": self.rng.choice(LITERALS)}])}
        return {name: self.operands(self.rng.randrange(5), depth - 1)}

    def single(self, name, depth):
        """An operand that is not in a list."""
        kind = self.rng.random()
        if kind < 0.5:
            return {name: {"var": self.rng.choice(["m", "l", "n", "s", "a"])}}
        if kind < 0.75:
            return {name: self.rule(depth - 1)}
        return {name: self.scalar()}

    def other(self, name, depth):
        if name == "missing_some":
            return {name: [self.rng.randrange(3), self.rng.sample(["a", "b", "z", "a.b", "l.0"], 2)]}
        count = self.rng.choice({
            "!": [1], "!!": [1], "log": [1], "length": [1], "throw": [0, 1, 1], "in": [2],
            "substr": [2, 3], "try": [1, 2, 2, 3]}.get(name, [0, 1, 2, 2, 3, 3]))
        if name == "length" and self.rng.random() < 0.7:
            return {name: [self.listed(depth - 1)]}
        if name == "substr":
            return {name: [{"var": self.rng.choice(["s", "k19", "k20"])},
                           *self.operands(count - 1, depth - 1, True)]}
        return {name: self.operands(count, depth - 1)}

    def whole(self):
        """Now and then with the type of its error, which is not compared otherwise."""
        rule = self.rule(4)
        return rule if self.rng.random() < 0.7 else {"try": [rule, {"val": "type"}]}

    def rule(self, depth):
        special = self.rng.random()
        if special < 0.12:
            return self.rng.choice([self.tried, self.tried, self.chained, self.chained])(depth)
        if special < 0.14:
            return self.wrong(depth)
        return self.ordinary(depth)

    def ordinary(self, depth):
        kind = self.rng.random()
        if kind < 0.3:
            return self.path(depth)
        if kind < 0.42:
            return {self.rng.choice(BODIES): [self.listed(depth - 1), self.operand(depth - 1)]}
        if kind < 0.46:
            return {"reduce": [self.listed(depth - 1),
                               *self.operands(self.rng.randrange(1, 3), depth - 1)]}
        numbers = self.rng.random() < 0.7
        if kind < 0.6:
            return {self.rng.choice(COMPARISONS):
                    self.operands(self.rng.choice([2, 2, 2, 3, 4]), depth - 1, numbers)}
        if kind < 0.78:
            name = self.rng.choice(ARITHMETIC)
            if self.rng.random() < 0.2:
                return self.single(name, depth)
            return {name: self.operands(self.rng.choice([1, 2, 2, 3, 4]), depth - 1, numbers)}
        name = self.rng.choice(OTHERS)
        if self.rng.random() < 0.12:
            return self.single(name, depth)
        if self.rng.random() < 0.02:
            return {name: self.operands(self.rng.randrange(5), depth - 1)}
        return self.other(name, depth)


def answers(command, lines):
    text = "".join(line + "\n" for line in lines)
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return run.stdout.split("\n")[:-1]


def plain(value):
    """Numbers without int or float, -0 without its sign."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return float(value) + 0.0


def written(answer):
    """An answer to compare: all errors are alike, whose types only `try` shows."""
    if answer.startswith("!"):
        return "!"
    return json.dumps(plain(json.loads(answer)), sort_keys=True)


def compare(lines, ours, theirs):
    wrong, failed = [], 0
    for line, mine, other in zip(lines, ours, theirs, strict=True):
        failed += other.startswith("!")
        if written(mine) != written(other):
            wrong.append(f"{line}\n  here  {mine}\n  there {other}")
    return failed, wrong


def check_examples(listed, program, engine, classic):
    """Each listed difference is one, and is as it is told."""
    lines = [json.dumps([one["rule"], one.get("data")]) for one in listed]
    found = [answers(command, lines) for command in (program, engine, classic)]
    wrong = []
    for one, *values in zip(listed, *found, strict=True):
        told = [json.dumps(one[key]) if one[key] != "!" else "!"
                for key in ("here", "engine", "classic")]
        values = [written(value) for value in values]
        told = [written(value) for value in told]
        if values != told or values[0] == values[1] == values[2]:
            wrong.append(f"{one['name']}: here, json-logic-engine, json-logic-js\n"
                         f"  told  {told}\n  found {values}")
    return wrong


def suite_cases(folder):
    found = [case for path in sorted(Path(folder).rglob("*.json"))
             for case in json.loads(path.read_text(encoding="utf-8"))]
    return [case for case in found if isinstance(case, dict) and "rule" in case]


def passes(case, answer):
    if "error" in case:
        return answer.startswith("!")
    return written(answer) == written(json.dumps(case["result"]))


def is_template(case):
    """An object that is no rule is a template here: a listed difference."""
    return "error" in case and case["error"] == {"type": "Unknown Operator"}


def check_suites(folder, program, engine):
    cases = suite_cases(folder)
    lines = [json.dumps([case["rule"], case.get("data", {})]) for case in cases]
    ours, theirs = answers([program], lines), answers([*engine, "raw"], lines)
    here = [passes(*pair) for pair in zip(cases, ours, strict=True)]
    there = [passes(*pair) for pair in zip(cases, theirs, strict=True)]
    print(f"{f'the suites in {folder}':44} {len(cases):8} cases {sum(here):8} pass here "
          f"{sum(there):8} in {PACKAGE}")
    return [f"in the suites: {line}\n  here  {answer}"
            for case, line, answer, mine, other in zip(cases, lines, ours, here, there, strict=True)
            if other and not mine and not is_template(case)]


def unlisted(listed, changes):
    """Changes of the reference without a reason, and the other way round."""
    told = {one["changes"] for one in listed if "changes" in one}
    return [f"only in {place}: {sorted(names)}" for place, names in (
        ("jsonlogic_reference.mjs", changes - told), (DIFFERENCES.name, told - changes)) if names]


def main(folder, program, reference, count=20000, seed=1):
    try:
        node = outside.tool("node")
        engine = [node, reference, str(outside.fetch(PACKAGE, Path(folder)))]
        classic = [node, "-e", CLASSIC_LINES,
                   str(outside.fetch(CLASSIC, Path(folder) / "classic"))]
    except outside.Missing as problem:
        return outside.without(problem)
    listed = json.loads(DIFFERENCES.read_text(encoding="utf-8"))
    changes = set(json.loads(answers([*engine, "names"], [])[0]))
    wrong = unlisted(listed, changes)
    wrong += check_examples(listed, [program], [*engine, "raw"], classic)
    suites = os.environ.get("WFSM_JSONLOGIC_SUITES")
    if suites:
        wrong += check_suites(suites, program, engine)
    generator = Generator(int(seed))
    lines = [json.dumps([generator.whole(), generator.rng.choice(DATA)])
             for _ in range(int(count))]
    failed, differ = compare(lines, answers([program], lines), answers(engine, lines))
    print("\n".join((wrong + differ)[:20]))
    print(f"\n{f'JsonLogic rules, here and in {PACKAGE}':44} "
          f"{len(lines) - len(differ):8} agree {len(differ):8} differ "
          f"{failed:8} errors in both, {len(listed)} listed differences")
    return 1 if wrong or differ else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
