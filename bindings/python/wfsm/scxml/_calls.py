"""The functions of ECMAScript that have a counterpart, and SCXML's In()."""
from . import _rules as rules
from ._errors import Illegal, Unsupported
from ._rules import ANY, ARRAY, BOOLEAN, COMPUTED, NUMBER, STRING, Typed, bind, truth


def active(logic, arguments):
    tree = arguments[0]
    if tree.kind != "constant" or not isinstance(tree.value, str):
        raise Unsupported("In() needs the id of a state as a constant")
    if tree.value not in logic.states:
        return Typed(False, BOOLEAN)
    return Typed({"in_state": "#" + tree.value}, BOOLEAN)


def _of_values(function):
    return lambda logic, arguments: function(logic, *logic.values(arguments))


def _number(_logic, value):
    return Typed(rules.to_number(value), COMPUTED)


def _string(_logic, value):
    return Typed({"cat": [value.rule]}, STRING)


def _boolean(_logic, value):
    return Typed({"!!": [truth(value)]}, BOOLEAN)


def _parse_float(_logic, value):
    """Text that is not a number as a whole is an error: it would be read up to there."""
    problem = {"throw": "parseFloat() is known for text that is a number as a whole"}
    return Typed({"try": [{"+": [value.rule]}, problem]}, NUMBER)


def _is_nan(_logic, value):
    return Typed(rules.is_null(rules.to_number(value)), BOOLEAN)


def _is_array(_logic, value):
    return Typed(bind([value.rule], rules.is_array), BOOLEAN)


def _least(_logic, *values):
    return Typed({"min": [rules.operand(value) for value in values]}, NUMBER)


def _greatest(_logic, *values):
    return Typed({"max": [rules.operand(value) for value in values]}, NUMBER)


def _absolute(_logic, value):
    return Typed(bind([rules.operand(value)],
                      lambda rule: {"max": [rule, {"-": [rule]}]}), NUMBER)


def _power(logic, base, exponent):
    return logic.power(base, exponent)


# name: (function, least arguments, most)
FUNCTIONS = {
    "In": (active, 1, 1),
    "Number": (_of_values(_number), 1, 1),
    "String": (_of_values(_string), 1, 1),
    "Boolean": (_of_values(_boolean), 1, 1),
    "parseFloat": (_of_values(_parse_float), 1, 1),
    "isNaN": (_of_values(_is_nan), 1, 1),
    "Array.isArray": (_of_values(_is_array), 1, 1),
    "Math.min": (_of_values(_least), 1, 99),
    "Math.max": (_of_values(_greatest), 1, 99),
    "Math.abs": (_of_values(_absolute), 1, 1),
    "Math.pow": (_of_values(_power), 2, 2),
}


def _concat(owner, *values):
    if owner.types == STRING:
        return Typed({"cat": [owner.rule] + [value.rule for value in values]}, STRING)
    rule = {"merge": [owner.rule] + [value.rule for value in values]}
    if owner.types & STRING:
        text = {"cat": rule["merge"]}
        return Typed({"if": [rules.is_string(owner.rule), text, rule]}, STRING | ARRAY)
    return Typed(rule, ARRAY)


def _slice(owner, *values):
    return Typed({"slice": [owner.rule] + [value.rule for value in values]}, ANY)


def _substr(owner, *values):
    return Typed({"substr": [owner.rule] + [value.rule for value in values]}, STRING)


def _includes(owner, value):
    return Typed({"in": [value.rule, owner.rule]}, BOOLEAN)


def _to_string(owner):
    return Typed({"cat": [owner.rule]}, STRING)


METHODS = {
    "concat": (_concat, 0, 99),
    "slice": (_slice, 1, 2),
    "substr": (_substr, 1, 2),
    "includes": (_includes, 1, 1),
    "toString": (_to_string, 0, 0),
}


def path_of(tree):
    """"Math.pow" for a callee that is only names."""
    if tree.kind == "name":
        return tree.value
    if tree.kind == "member" and tree.parts[1].kind == "constant":
        owner = path_of(tree.parts[0])
        return owner and f"{owner}.{tree.parts[1].value}"
    return None


def _counted(entry, name, arguments):
    function, least, most = entry
    if not least <= len(arguments) <= most:
        raise Unsupported(f"{name}() with {len(arguments)} arguments")
    return function


def call(logic, tree):
    callee, arguments = tree.parts[0], tree.parts[1:]
    path = path_of(callee)
    if path in FUNCTIONS:
        return _counted(FUNCTIONS[path], path, arguments)(logic, arguments)
    if callee.kind == "member" and callee.parts[1].kind == "constant":
        name = callee.parts[1].value
        if name in METHODS:
            function = _counted(METHODS[name], name, arguments)
            return function(logic.value(callee.parts[0]), *logic.values(arguments))
        raise Unsupported(f"the function {path or name}() is not supported")
    if callee.kind == "name" and callee.value not in logic.variables:
        raise Unsupported(f"the function {callee.value}() is not supported")
    raise Illegal("not a function")
