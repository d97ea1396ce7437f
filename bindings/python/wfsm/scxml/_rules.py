"""Builds JsonLogic: rules that mean the same as an expression of ECMAScript.

A rule is JSON of a machine document. A rule that is used more than once is bound to a name
first, unless it is a mere look-up.
"""
from typing import Any, FrozenSet, NamedTuple

OPERATORS = frozenset((
    "var", "missing", "missing_some", "if", "?:", "and", "or", "!", "!!", "==", "!=", "===",
    "!==", "<", "<=", ">", ">=", "+", "*", "-", "/", "%", "min", "max", "map", "filter",
    "reduce", "all", "some", "none", "merge", "in", "cat", "substr", "log", "in_state",
    "literal", "preserve", "throw", "length", "slice", "get", "with", "val", "exists", "??", "try",
    "children_in"))

NUMBER, STRING = frozenset(["number"]), frozenset(["string"])
BOOLEAN, NULL = frozenset(["boolean"]), frozenset(["null"])
ARRAY, OBJECT = frozenset(["array"]), frozenset(["object"])
ANY = NUMBER | STRING | BOOLEAN | NULL | ARRAY | OBJECT
# NaN is null.
COMPUTED = NUMBER | NULL
# What arithmetic takes without failing: null counts as 0.
COUNTED = NUMBER | BOOLEAN | NULL
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


def otherwise(rule, value):
    """The value of a rule, or this constant where the rule fails and ECMAScript does not."""
    return {"try": [rule, value]}


# ---- what a value is ----

def is_string(rule):
    return {"===": [rule, {"cat": [rule]}]}


def is_number(rule):
    return otherwise({"===": [rule, {"-": [rule, 0]}]}, False)


def is_boolean(rule):
    return {"or": [{"===": [rule, True]}, {"===": [rule, False]}]}


def is_null(rule):
    return {"===": [rule, None]}


def is_array(rule):
    return {"and": [{"!==": [{"slice": [rule, 0]}, None]}, {"!": [is_string(rule)]}]}


def is_object(rule):
    """Not an array, and not null."""
    return {"and": [{"===": [{"slice": [rule, 0]}, None]}, has_length(rule)]}


def has_length(rule):
    return otherwise({">=": [{"length": [rule]}, 0]}, False)


def _is_container(rule):
    return {"and": [has_length(rule), {"!": [is_string(rule)]}]}


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
    """A rule that is true for JsonLogic where the value is true for ECMAScript: [] and {} are."""
    if value.types == ARRAY or value.types == OBJECT:
        return True
    empty = [none for kind, none in ((ARRAY, []), (OBJECT, {})) if value.types & kind]
    if not empty:
        return value.rule
    return bind([value.rule], lambda rule: {
        "or": [rule] + [{"===": [rule, none]} for none in empty]})


def to_number(value):
    """NaN is null."""
    if value.types <= COMPUTED:
        return value.rule
    rule = {"-": [value.rule, 0]}
    return rule if value.types <= COUNTED else otherwise(rule, None)


def operand(value):
    """As an operand of `min` and `max`, which take nothing but numbers."""
    if value.types <= NUMBER:
        return value.rule
    return {"+": [to_number(value)]}


def arithmetic(operator, left, right):
    """NaN and Infinity are null."""
    operands = [left.rule, right.rule]
    rule = joined("*", operands) if operator == "*" else {operator: operands}
    divides = operator in "/%" and not (is_constant(right.rule) and right.rule)
    if divides or not left.types | right.types <= COUNTED:
        return Typed(otherwise(rule, None), COMPUTED)
    return Typed(rule, NUMBER)


def plus(left, right):
    """A sum, or if one is a string, both as text."""
    if STRING in (left.types, right.types):
        return Typed(joined("cat", [left.rule, right.rule]), STRING)
    texts = [number for number, value in enumerate((left, right)) if value.types & STRING]
    counted = left.types | right.types <= COUNTED | STRING
    if not texts and counted:
        return Typed(joined("+", [left.rule, right.rule]), NUMBER)

    def body(*pair):
        total = {"+": list(pair)} if counted else otherwise({"+": list(pair)}, None)
        asked = [is_string(pair[number]) for number in texts]
        if not asked:
            return total
        return {"if": [asked[0] if len(asked) == 1 else {"or": asked},
                       {"cat": list(pair)}, total]}
    return Typed(bind([left.rule, right.rule], body), COMPUTED | STRING if texts else COMPUTED)


def compare(operator, left, right):
    """A comparison. It is false if an operand is not a number, as in ECMAScript."""
    rule = {operator: [left.rule, right.rule]}
    types = left.types | right.types
    return rule if types <= COUNTED or types <= STRING | NULL else otherwise(rule, False)


def equal(left, right):
    """==. Null equals null only, and containers what says the same."""
    types = left.types | right.types
    if types <= STRING | NULL or types <= NUMBER | BOOLEAN:
        return {"==": [left.rule, right.rule]}

    def body(one, other):
        null = {"or": [is_null(one), is_null(other)]}
        same = {"===": [one, other]}
        if not types & (ARRAY | OBJECT):
            return {"if": [null, same, otherwise({"==": [one, other]}, False)]}
        both = {"and": [_is_container(one), _is_container(other)]}
        texts = {"==": [_primitive(one), _primitive(other)]}
        return {"if": [{"or": [null, both]}, same, otherwise(texts, False)]}
    return bind([left.rule, right.rule], body)


def _primitive(rule):
    """A container as text."""
    return {"if": [_is_container(rule), {"cat": [rule]}, rule]}


def has(container, key):
    """Whether a member is there, whatever its value."""
    return bind([container, key], lambda one, name: {
        "===": [{"get": [one, name, 1]}, {"get": [one, name, 2]}]})
