"""Generated JsonLogic rules, here and in npm's json-logic-js, must give the same.

usage: jsonlogic_differential.py FOLDER PROGRAM REFERENCE.js [RULES [SEED]]

FOLDER is where the package is unpacked, once. outside.py tells what happens without node, npm
or a registry.
"""
import json
import random
import subprocess
import sys
from pathlib import Path

import outside

PACKAGE = "json-logic-js@2.0.5"
SCALARS = [None, True, False, 0, 1, -1, 2, 3, 10, 0.5, -2.5, 1e21, 1e-7, 123456789, "", "0",
           "1", "a", "b", "ab", "abc", "10", "9", " 7 ", "3x", "x3", "-1", "1e3", "0x10",
           "true", "null", "1,2", ".5", "a.b", "A", "é"]
PATHS = ["", "a", "b", "c", "a.b", "a.0", "l", "l.0", "l.1", "l.2.a", "n", "s", "t", "z",
         "l.length", "s.0", "current", "accumulator", "accumulator.0", "0", "1", 0, 1, None]
DATA = [None, 5, "text", [1, 2, 3], ["a", ["b", "c"], {"a": 1}], {},
        {"a": {"b": 1, "0": "zero"}, "b": "", "l": [3, 1, {"a": 2}, "x", None, []], "n": 4,
         "s": "abc", "t": True, "z": None},
        {"a": [1, [2, 3]], "b": 0, "l": ["a", "b", "", 0, "10"], "n": "12", "s": "3x"}]
ANY = ["==", "===", "!=", "!==", "!", "!!", "or", "and", "if", "?:", ">", ">=", "<", "<=",
       "max", "min", "+", "-", "*", "/", "%", "merge", "in", "cat", "substr", "log",
       "missing", "missing_some"]
BODIES = ["map", "filter", "all", "some", "none"]


def scalar(rng):
    return rng.choice(SCALARS)


def operand(rng, depth):
    kind = rng.random()
    if depth <= 0 or kind < 0.3:
        return scalar(rng)
    if kind < 0.4:
        return [operand(rng, depth - 1) for _ in range(rng.randrange(4))]
    return rule(rng, depth - 1)


def rule(rng, depth):
    kind = rng.random()
    if kind < 0.25:
        path = rng.choice(PATHS)
        return {"var": path if rng.random() < 0.7 else [path, operand(rng, depth - 1)]}
    if kind < 0.28:
        return {"var": [operand(rng, depth - 1)]}
    if kind < 0.45:
        return {rng.choice(BODIES): [operand(rng, depth - 1), operand(rng, depth - 1)]}
    if kind < 0.5:
        return {"reduce": [operand(rng, depth - 1) for _ in range(rng.randrange(2, 4))]}
    name = rng.choice(ANY)
    if name == "missing_some":
        return {name: [rng.randrange(3), rng.sample(["a", "b", "z", "a.b", "l.0"], 2)]}
    # Without operands `and` and `or` are undefined there, and null here.
    always = name in ("and", "or")
    if rng.random() < 0.1 and not always:
        return {name: operand(rng, depth - 1)}
    counts = [1, 2, 3] if always else [0, 1, 2, 2, 2, 3]
    return {name: [operand(rng, depth - 1) for _ in range(rng.choice(counts))]}


def answers(command, text):
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


def same(ours, theirs):
    if ours.startswith("!"):
        return False
    mine, other = plain(json.loads(ours)), plain(json.loads(theirs))
    return json.dumps(mine, sort_keys=True) == json.dumps(other, sort_keys=True)


def compare(lines, ours, theirs):
    thrown, wrong = 0, []
    for line, mine, other in zip(lines, ours, theirs, strict=True):
        if other.startswith("!"):
            thrown += 1
        elif not same(mine, other):
            wrong.append(f"{line}\n  here  {mine}\n  there {other}")
    return thrown, wrong


def main(folder, program, reference, count=20000, seed=1):
    try:
        command = [outside.tool("node"), reference, outside.fetch(PACKAGE, Path(folder))]
    except outside.Missing as problem:
        return outside.without(problem)
    rng = random.Random(int(seed))
    lines = [json.dumps([rule(rng, 4), rng.choice(DATA)]) for _ in range(int(count))]
    text = "".join(line + "\n" for line in lines)
    thrown, wrong = compare(lines, answers([program], text), answers(command, text))
    print("\n".join(wrong[:20]))
    print(f"\n{f'JsonLogic rules, here and in {PACKAGE}':44} "
          f"{len(lines) - thrown - len(wrong):8} agree {len(wrong):8} differ "
          f"{thrown:8} thrown there")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
