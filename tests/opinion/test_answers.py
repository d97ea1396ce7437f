"""Whether somebody can always answer: what `wfsm verify` says, and what trying all values says.

One event says what the context keeps, and another one leads on, if a guard lets its data through, which may compare
it with what was kept. All are integers of a few dozen values, so that every combination can be tried here. The
promise holds if for all values that are kept there is data that leads on.

usage: test_answers.py WFSM FIRST COUNT [--show]
"""
import itertools
import json
import random
import sys
from collections import Counter

from command import arguments_of, verify

VALUES = {"===": lambda a, b: a == b, "==": lambda a, b: a == b, "!==": lambda a, b: a != b,
          "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
          "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "max": max, "min": min}
COMPARISONS = [name for name in VALUES if name[0] in "=!<>"]


def number(draw, keys, depth=1):
    kind = draw.random()
    if kind < 0.6 or depth == 0:
        return {"var": draw.choice(keys)}
    if kind < 0.75:
        return draw.randint(0, 22)
    name = draw.choice(["+", "-", "max", "min", "*"])
    other = draw.randint(0, 3) if name == "*" else number(draw, keys, depth - 1)
    return {name: [number(draw, keys, depth - 1), other]}


def rule(draw, keys, depth=2):
    kind = draw.random()
    if depth == 0 or kind < 0.5:
        return {draw.choice(COMPARISONS): [number(draw, keys), number(draw, keys)]}
    if kind < 0.6:
        return {"in": [number(draw, keys, 0), [number(draw, keys, 0) for _ in range(draw.randint(1, 3))]]}
    if kind < 0.7:
        return {"!": rule(draw, keys, depth - 1)}
    return {draw.choice(["and", "or"]): [rule(draw, keys, depth - 1), rule(draw, keys, depth - 1)]}


def value(expression, of):
    if not isinstance(expression, dict):
        return expression
    (name, operands), = expression.items()
    if name == "var":
        return of[operands]
    if name in ("and", "or"):
        return (all if name == "and" else any)(value(each, of) for each in operands)
    if name == "!":
        return not value(operands, of)
    if name == "in":
        return value(operands[0], of) in [value(each, of) for each in operands[1]]
    return VALUES[name](*(value(each, of) for each in operands))


class Question:
    def __init__(self, seed):
        draw = random.Random(seed)
        self.kept = ["context.a", "context.b"][:draw.choice([1, 1, 2])]
        self.said = ["event.data.x", "event.data.y"][:draw.choice([1, 2])]
        self.of_kept = range(draw.randint(0, 3), draw.randint(19, 24) + 1)
        self.of_said = range(draw.randint(0, 3), draw.randint(18, 26) + 1)
        self.asked = draw.random() < 0.7
        self.guards = [rule(draw, self.kept + self.said)]
        if draw.random() < 0.4:
            self.guards.append(rule(draw, self.kept + self.said[:1]))

    def leads_on(self, kept):
        return any(value(guard, kept | dict(zip(self.said, said)))
                   for guard in self.guards for said in itertools.product(self.of_said, repeat=len(self.said)))

    def answer(self):
        """Whether the promise holds. Without a promise, whether the state is no deadlock for any values."""
        return all(self.leads_on(dict(zip(self.kept, kept)))
                   for kept in itertools.product(self.of_kept, repeat=len(self.kept)))

    def document(self):
        keys = [each.split(".")[-1] for each in self.kept]
        schema = {"type": "object", "required": [each.split(".")[-1] for each in self.said],
                  "properties": {each.split(".")[-1]: integers(self.of_said) for each in self.said}}
        keep = {"type": "assign", "params": {key: {"var": f"event.data.{key}"} for key in keys}}
        asked = {"on": {f"go{i}": {"guard": guard, "target": "done"} for i, guard in enumerate(self.guards)}}
        document = {
            "wfsm": 1, "id": "m", "initial": "empty", "context": {key: 0 for key in keys},
            "assume": {f"go{i}": schema for i in range(len(self.guards))},
            "states": {"empty": {"tags": "awaiting_input", "on": {"set": {"target": "asked", "actions": keep}}},
                       "asked": asked, "done": {"type": "final"}}}
        document["assume"]["set"] = {"type": "object", "required": keys,
                                     "properties": {key: integers(self.of_kept) for key in keys}}
        if self.asked:
            asked["tags"] = "awaiting_input"
            document["properties"] = {
                "comes": {"leadsTo": {"from": {"in_state": "asked"}, "to": {"in_state": "done"}}}}
        return document


def integers(values):
    return {"type": "integer", "minimum": values.start, "maximum": values.stop - 1}


def is_blamed(report):
    return any(each["rule"] in ("property", "deadlock") for each in report["diagnostics"])


def main(arguments):
    options = arguments_of(__doc__).parse_args(arguments)
    said, wrong = Counter(), 0
    for seed in range(options.first, options.first + options.count):
        question = Question(seed)
        document, holds = question.document(), question.answer()
        report = verify(options.wfsm, document)
        said[("holds" if holds else "does not hold") + ", " + report["verdict"]] += 1
        if is_blamed(report) if holds else report["verdict"] == "holds":
            wrong += 1
            print(f"document {seed}: verify says {report['verdict']}, and it {'holds' if holds else 'does not hold'}")
            if options.show:
                print(json.dumps(document))
    decided = said["holds, holds"] + said["does not hold, violated"]
    print(dict(said), f"{decided} of {options.count} decided, {wrong} wrong")
    return 1 if wrong or decided < 0.9 * options.count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
