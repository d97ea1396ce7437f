"""Builds JsonLogic: rules that mean the same as an expression of ECMAScript.

A rule is JSON of a machine document. A rule that is used more than once is bound to a name
first, unless it is a mere look-up.
"""
from typing import Any, FrozenSet, NamedTuple

OPERATORS = frozenset((
    "var", "missing", "missing_some", "if", "?:", "and", "or", "!", "!!", "==", "!=", "===",
    "!==", "<", "<=", ">", ">=", "+", "*", "-", "/", "%", "min", "max", "map", "filter",
    "reduce", "all", "some", "none", "merge", "in", "cat", "substr", "log", "in_state",
    "literal", "throw", "length", "slice", "get", "with"))

NUMBER, STRING = frozenset(["number"]), frozenset(["string"])
BOOLEAN, NULL = frozenset(["boolean"]), frozenset(["null"])
ARRAY, OBJECT = frozenset(["array"]), frozenset(["object"])
ANY = NUMBER | STRING | BOOLEAN | NULL | ARRAY | OBJECT
# What is not finite is null.
COMPUTED = NUMBER | NULL
NEVER = frozenset()


class Typed(NamedTuple):
    """A rule and what its value can be."""

    rule: Any
    types: FrozenSet[str] = ANY


def types_of(value):
    if value is None:
        return NULL
    for kind, types in ((bool, BOOLEAN), ((int, float), NUMBER), (str, STRING), (list, ARRAY)):
        if isinstance(value, kind):
            return types
    return OBJECT


def is_rule(rule):
    return isinstance(rule, dict) and len(rule) == 1 and next(iter(rule)) in OPERATORS


def holds_rule(value):
    if isinstance(value, dict):
        return is_rule(value) or any(map(holds_rule, value.values()))
    return isinstance(value, list) and any(map(holds_rule, value))


def literal(value):
    """Data as a rule that gives it."""
    return Typed({"literal": value} if holds_rule(value) else value, types_of(value))


def template(keys, values):
    """An object with computed members."""
    rule = dict(zip(keys, values))
    if len(rule) == 1 and set(rule) <= OPERATORS:
        return {"with": [{"literal": {}}, keys[0], values[0]]}
    return rule


def fail(message):
    return Typed({"throw": message}, NEVER)


def is_constant(rule):
    return not isinstance(rule, (dict, list))


def is_small(rule):
    return is_constant(rule) or (isinstance(rule, dict) and set(rule) == {"var"})


def bind(rules, body):
    """body(*rules), each of them computed once."""
    if all(map(is_small, rules)):
        return body(*rules)
    names = [{"var": str(number)} for number in range(len(rules))]
    return {"get": [{"map": [[list(rules)], body(*names)]}, 0]}


def joined(operator, rules):
    """An operator that takes any number of operands, without useless nesting."""
    operands = []
    for rule in rules:
        same = isinstance(rule, dict) and list(rule) == [operator]
        operands += rule[operator] if same else [rule]
    return {operator: operands}


# ---- what a value is ----

def is_string(rule):
    return {"===": [rule, {"cat": [rule]}]}


def is_number(rule):
    return {"===": [rule, {"-": [rule, 0]}]}


def is_boolean(rule):
    return {"or": [{"===": [rule, True]}, {"===": [rule, False]}]}


def is_null(rule):
    return {"===": [rule, None]}


def is_array(rule):
    return {"and": [{"!==": [{"slice": [rule, 0]}, None]}, {"!": [is_string(rule)]}]}


def is_object(rule):
    """Not an array, and not null."""
    return {"and": [{"===": [{"slice": [rule, 0]}, None]},
                    {"!==": [{"length": [rule]}, None]}]}


def _is_container(rule):
    return {"and": [{"!==": [{"length": [rule]}, None]}, {"!": [is_string(rule)]}]}


def is_a(kind, value):
    """Whether typeof gives this word."""
    checks = {"undefined": is_null, "string": is_string, "number": is_number,
              "boolean": is_boolean, "object": _is_container}
    return bind([value.rule], checks[kind]) if kind in checks else False


def type_name(value):
    return bind([value.rule], lambda rule: {"if": [
        is_null(rule), "undefined", is_string(rule), "string", is_number(rule), "number",
        is_boolean(rule), "boolean", "object"]})


# ---- conversions ----

def truth(value):
    """A rule that is true for JsonLogic where the value is true for ECMAScript: [] is."""
    if value.types == ARRAY or value.types == OBJECT:
        return True
    if not value.types & ARRAY:
        return value.rule
    return bind([value.rule], lambda rule: {"or": [rule, {"===": [rule, []]}]})


def to_number(value):
    if value.types <= COMPUTED:
        return value.rule
    return {"-": [value.rule, 0]}


def arithmetic(operator, left, right):
    operands = [to_number(left), to_number(right)]
    rule = joined("*", operands) if operator == "*" else {operator: operands}
    return Typed(rule, COMPUTED)


def plus(left, right):
    """A sum, or if one is a string, both as text."""
    if STRING in (left.types, right.types):
        return Typed(joined("cat", [left.rule, right.rule]), STRING)
    texts = [number for number, value in enumerate((left, right)) if value.types & STRING]
    if not texts:
        return Typed(joined("+", [to_number(left), to_number(right)]), COMPUTED)

    def body(*pair):
        asked = [is_string(pair[number]) for number in texts]
        return {"if": [asked[0] if len(asked) == 1 else {"or": asked},
                       {"cat": list(pair)}, {"+": list(pair)}]}
    return Typed(bind([left.rule, right.rule], body), COMPUTED | STRING)


def has(container, key):
    """Whether a member is there, whatever its value."""
    return bind([container, key], lambda one, name: {
        "===": [{"get": [one, name, 1]}, {"get": [one, name, 2]}]})
