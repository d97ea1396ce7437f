"""JsonLogic once more, the part that random charts use, as doc/jsonlogic.md has it.

A scope is a list of frames, the outermost first. A frame is what the rule sees there, and the
index and the list if it is a body.
"""
import copy
import math
import re

NUMERAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
MISSING = object()


class Failed(Exception):
    """An expression that cannot be evaluated, or an action that fails. It has the error's value."""

    def __init__(self, error=None):
        super().__init__(error)
        self.error = error


def not_a_number():
    return Failed({"type": "NaN"})


def number(value):
    if value is None or isinstance(value, bool):
        return int(value or 0)
    if isinstance(value, (int, float)):
        return value
    text = value.strip() if isinstance(value, str) else "no"
    if text and not NUMERAL.fullmatch(text):
        raise not_a_number()
    return float(text or 0)


def descend(at, keys):
    for key in map(str, keys):
        if isinstance(at, dict) and key in at:
            at = at[key]
        elif isinstance(at, list) and key.isdigit() and int(key) < len(at):
            at = at[int(key)]
        else:
            return MISSING
    return copy.deepcopy(at)


class Evaluation:
    def __init__(self, is_active, frames):
        self.is_active, self.frames = is_active, frames

    def inside(self, data, visit=None):
        return Evaluation(self.is_active, self.frames + [(data, visit)])

    def value(self, rule):
        if isinstance(rule, list):
            return [self.value(part) for part in rule]
        if not isinstance(rule, dict):
            return rule
        if len(rule) != 1 or next(iter(rule)) not in OPERATORS:
            return {key: self.value(part) for key, part in rule.items()}
        (name, operands), = rule.items()
        return OPERATORS[name](self, operands if isinstance(operands, list) else [operands])

    def values(self, rules):
        return [self.value(rule) for rule in rules]

    def keyed(self, operands):
        keys, level = list(operands), 0
        if keys and isinstance(keys[0], list):
            level = abs(keys.pop(0)[0])
        data, visit = self.frames[-1 - level // 2]
        return descend(visit if level % 2 else data, self.values(keys))


def op_var(run, operands):
    found = descend(run.frames[-1][0], operands[0].split("."))
    return None if found is MISSING else found


def op_val(run, operands):
    found = run.keyed(operands)
    return None if found is MISSING else found


def op_throw(run, operands):
    value = run.value(operands[0]) if operands else None
    raise Failed(value if isinstance(value, dict) else {"type": value})


def op_try(run, operands):
    last = run
    for rule in operands:
        try:
            return last.value(rule)
        except Failed as failed:
            caught, last = failed, run.inside(failed.error)
    raise caught


def op_and(run, operands):
    value = None
    for rule in operands:
        value = run.value(rule)
        if not value:
            break
    return value


def op_coalesce(run, operands):
    value = None
    for rule in operands:
        value = run.value(rule)
        if value is not None:
            break
    return value


def is_text(value):
    return value is None or isinstance(value, str)


def pair(a, b, order):
    if isinstance(a, str) and isinstance(b, str):
        return order(a, b)
    if is_text(a) and is_text(b) and order(1, 1) and not order(0, 1) and not order(1, 0):
        return a == b
    return order(number(a), number(b))


def comparison(order, compare=pair):
    def run_all(run, operands):
        before = run.value(operands[0])
        for rule in operands[1:]:
            following = run.value(rule)
            if not compare(before, following, order):
                return False
            before = following
        return True
    return run_all


def same(a, b, _):
    kinds = [float if isinstance(value, (int, float)) and not isinstance(value, bool)
             else type(value) for value in (a, b)]
    return kinds[0] is kinds[1] and a == b


def arithmetic(join):
    def run_all(run, operands):
        numbers = [number(value) for value in run.values(operands)]
        total = numbers[0]
        for operand in numbers[1:]:
            if join in (divide, math.fmod) and operand == 0:
                raise not_a_number()
            total = join(total, operand)
        return total
    return run_all


def divide(a, b):
    return a / b


def bodies(run, operands):
    elements = run.value(operands[0]) or []
    for index, element in enumerate(elements):
        yield run.inside(element, {"index": index, "iterator": elements}).value(operands[1])


OPERATORS = {
    "var": op_var,
    "val": op_val,
    "exists": lambda run, operands: run.keyed(operands) is not MISSING,
    "literal": lambda run, operands: operands[0],
    "throw": op_throw,
    "try": op_try,
    "and": op_and,
    "??": op_coalesce,
    "!": lambda run, operands: not run.value(operands[0]),
    "==": comparison(lambda a, b: a == b),
    "===": comparison(None, same),
    "<": comparison(lambda a, b: a < b),
    ">=": comparison(lambda a, b: a >= b),
    "+": arithmetic(lambda a, b: a + b),
    "-": arithmetic(lambda a, b: a - b),
    "*": arithmetic(lambda a, b: a * b),
    "/": arithmetic(divide),
    "%": arithmetic(math.fmod),
    "map": lambda run, operands: list(bodies(run, operands)),
    "some": lambda run, operands: any(bodies(run, operands)),
    "in_state": lambda run, operands: run.is_active(operands[0]),
}
