"""Expressions of ECMAScript as JsonLogic."""
from . import _rules as rules
from ._calls import call, path_of
from ._ecmascript import parse, parse_script
from ._errors import Illegal, Unsupported
from ._rules import ANY, ARRAY, BOOLEAN, COMPUTED, NULL, OBJECT, STRING, Typed, bind, truth
from ._variables import EVENT, SYSTEM, Variables, system

ORDERS = {"<", "<=", ">", ">="}


class Logic:
    """Compiles against the variables and states of one chart."""

    def __init__(self, variables: Variables, states):
        self.variables, self.states = variables, states
        self.null_model = False
        self.event, self.name = EVENT, None

    def expression(self, text):
        """Illegal, Unsupported."""
        if self.null_model:
            return self.predicate(parse(text))
        return self.value(parse(text))

    def predicate(self, tree):
        """The null data model has only In()."""
        if tree.kind in ("call", "constant"):
            return self.value(tree)
        if tree.kind == "unary" and tree.value == "!":
            return Typed({"!": [self.predicate(tree.parts[0]).rule]}, BOOLEAN)
        if tree.kind == "binary" and tree.value in ("&&", "||"):
            for part in tree.parts:
                self.predicate(part)
            return self.value(tree)
        raise Unsupported("the null data model has only In()")

    def logged(self, text):
        """In a log, JSON.stringify(x) is x, and text beside it becomes an element of a list:
        observers get JSON."""
        tree = parse(text)
        parts = _summands(tree)
        if not any(map(_is_stringified, parts)):
            return self.expression(text)
        values = [self.value(part.parts[1] if _is_stringified(part) else part).rule
                  for part in parts]
        return Typed(values[0] if len(values) == 1 else values)

    def guard(self, text):
        """A rule for a guard, or None: always true."""
        rule = truth(self.expression(text)) if self.null_model else self.test(parse(text))
        if rules.is_rule(rule):
            return rule
        false = rules.is_constant(rule) and not rule
        return {"!": [True]} if false else None

    def value(self, tree):
        return getattr(self, "value_" + tree.kind)(tree)

    def test(self, tree):
        """A rule that is true for JsonLogic where the value is true for ECMAScript."""
        if tree.kind == "binary" and tree.value in ("&&", "||"):
            name = "and" if tree.value == "&&" else "or"
            return rules.joined(name, [self.test(part) for part in tree.parts])
        if tree.kind == "unary" and tree.value == "!":
            return {"!": [self.test(tree.parts[0])]}
        return truth(self.value(tree))

    def values(self, trees):
        return [self.value(tree) for tree in trees]

    def value_constant(self, tree):
        return Typed(tree.value, rules.types_of(tree.value))

    def value_name(self, tree):
        name = tree.value
        if name in self.variables:
            return self.variables.get(name)
        if name == "_name" and self.name is not None:
            return Typed(self.name, STRING)
        if name in SYSTEM:
            return system(name, self.event)
        if name in ("NaN", "Infinity"):
            return Typed(None, NULL)
        raise Illegal(f"{name} is not declared")

    def value_array(self, tree):
        return Typed([value.rule for value in self.values(tree.parts)], ARRAY)

    def value_object(self, tree):
        values = [value.rule for value in self.values(tree.parts)]
        if not any(map(rules.holds_rule, values)):
            return rules.literal(dict(zip(tree.value, values)))
        return Typed(rules.template(list(tree.value), values), OBJECT)

    # ---- members ----

    def value_member(self, tree):
        container, key = tree.parts
        if key.kind == "constant" and container == ("name", "_event", (), 1):
            return self.event.get(key.value, Typed(None, NULL))
        inner = self.value(container)
        if key.kind == "constant" and key.value == "length":
            return self.length(inner)
        return self.member(inner, key)

    def length(self, inner):
        if inner.types == OBJECT:
            return Typed({"get": [inner.rule, "length"]})
        rule = {"length": [inner.rule]}
        if not inner.types <= STRING | ARRAY:
            rule = rules.otherwise(rule, None)
        return Typed(rule, COMPUTED)

    def member(self, inner, key):
        name = self.value(key)
        path = inner.rule.get("var") if isinstance(inner.rule, dict) else None
        if path and key.kind == "constant" and is_step(name.rule):
            return Typed({"var": f"{path}.{name.rule}"})
        return Typed({"get": [inner.rule, name.rule]})

    # ---- operators ----

    def value_unary(self, tree):
        inner = tree.parts[0]
        if tree.value == "typeof":
            return Typed(rules.type_name(self.maybe(inner)), STRING)
        if tree.value == "!":
            return Typed(self.test(tree), BOOLEAN)
        value = self.value(inner)
        if tree.value == "+":
            return Typed(rules.to_number(value), COMPUTED)
        if tree.value == "~":
            raise Unsupported("~: numbers are not read as bits")
        if inner.kind == "constant" and isinstance(value.rule, (int, float)):
            return Typed(-value.rule, value.types)
        return rules.arithmetic("-", Typed(0, rules.NUMBER), value)

    def maybe(self, tree):
        """The operand of typeof. A name that is not declared is undefined."""
        known = tree.kind != "name" or tree.value in self.variables or tree.value in SYSTEM
        return self.value(tree) if known else Typed(None, NULL)

    def value_binary(self, tree):
        operator, (left, right) = tree.value, tree.parts
        if operator in ("&&", "||", "??"):
            return self.choice(operator, self.value(left), self.value(right))
        if operator in ("==", "===", "!=", "!=="):
            asked = self.type_question(left, right) or self.type_question(right, left)
            if asked is not None:
                return Typed(asked if operator[0] == "=" else {"!": [asked]}, BOOLEAN)
        if operator == "instanceof":
            return self.instance(left, right)
        return self.combine(operator, self.value(left), self.value(right))

    def type_question(self, left, right):
        """typeof x == "…" needs no text."""
        if left.kind == "unary" and left.value == "typeof" and right.kind == "constant":
            return rules.is_a(right.value, self.maybe(left.parts[0]))
        return None

    def instance(self, left, right):
        checks = {"Array": rules.is_array,
                  "Object": lambda rule: {"or": [rules.is_array(rule), rules.is_object(rule)]}}
        if right.kind != "name" or right.value not in checks:
            raise Unsupported("instanceof is known for Array and Object only")
        return Typed(bind([self.value(left).rule], checks[right.value]), BOOLEAN)

    def combine(self, operator, left, right):
        if operator == "+":
            return rules.plus(left, right)
        if operator in ("-", "*", "/", "%"):
            return rules.arithmetic(operator, left, right)
        if operator in ORDERS:
            return Typed(rules.compare(operator, left, right), BOOLEAN)
        if operator in ("===", "!=="):
            return Typed({operator: [left.rule, right.rule]}, BOOLEAN)
        if operator in ("==", "!="):
            same = rules.equal(left, right)
            return Typed(same if operator == "==" else {"!": [same]}, BOOLEAN)
        if operator == "in":
            return Typed(self.contains(left, right), BOOLEAN)
        if operator in ("|", "&") and left.types == right.types == BOOLEAN:
            both = {"or" if operator == "|" else "and": [left.rule, right.rule]}
            return Typed({"if": [both, 1, 0]}, rules.NUMBER)
        if operator == "**":
            return self.power(left, right)
        raise Unsupported(f"{operator}: numbers are not read as bits")

    def contains(self, key, container):
        if container == system("_event", self.event):
            if key.rule in self.event:
                return {"!==": [{"var": "event"}, None]}
        return rules.has(container.rule, key.rule)

    @staticmethod
    def choice(operator, left, right):
        """One of two values. The left one is computed once."""
        types = left.types | right.types
        plain = not types & (ARRAY | OBJECT) and operator != "??"
        if plain:
            name = "and" if operator == "&&" else "or"
            return Typed(rules.joined(name, [left.rule, right.rule]), types)

        def stays(rule):
            if operator == "??":
                return {"!==": [rule, None]}
            true = truth(Typed(rule, left.types))
            return {"!": [true]} if operator == "&&" else true
        if rules.is_small(left.rule):
            return Typed({"if": [stays(left.rule), left.rule, right.rule]}, types)
        # A list of one is true, a list of none is not.
        kept = {"filter": [[left.rule], stays({"var": ""})]}
        return Typed({"get": [{"or": [kept, [right.rule]]}, 0]}, types)

    def value_conditional(self, tree):
        test = self.test(tree.parts[0])
        then, other = self.values(tree.parts[1:])
        rest = [other.rule]
        if isinstance(other.rule, dict) and list(other.rule) == ["if"]:
            rest = other.rule["if"]
        return Typed({"if": [test, then.rule] + rest}, then.types | other.types)

    def power(self, base, exponent):
        count = exponent.rule
        if not rules.is_constant(count) or not isinstance(count, int) or not 1 <= count <= 16:
            raise Unsupported("powers are known for constant exponents from 1 to 16")
        rule = bind([rules.operand(base)], lambda one: {"*": [one] * count})
        return Typed(rule if count > 1 else rules.to_number(base), COMPUTED)

    # ---- calls ----

    def value_call(self, tree):
        return call(self, tree)

    # ---- locations ----

    def location(self, tree):
        """(variable, keys): where an assignment goes. Illegal."""
        keys = []
        while tree.kind == "member":
            keys.insert(0, tree.parts[1])
            tree = tree.parts[0]
        if tree.kind != "name":
            raise Illegal("not a location")
        if tree.value in SYSTEM:
            raise Illegal(f"{tree.value} cannot be assigned")
        if tree.value not in self.variables:
            raise Illegal(f"{tree.value} is not declared")
        return tree.value, keys

    def assign(self, tree, value):
        """An action. Illegal, Unsupported."""
        name, keys = self.location(tree)
        names = [self.value(key).rule for key in keys]
        if keys and not all(isinstance(each, str) and is_step(each) for each in names):
            value = Typed(changed({"var": "context." + name}, names, value.rule), ANY)
            names = []
        self.variables.note(name, value.types if not names else OBJECT)
        return {"type": "assign", "params": {".".join([name] + names): value.rule}}

    def script(self, text):
        """Actions. Illegal, Unsupported."""
        statements = parse_script(text)
        for one in statements:
            name = one.location.value
            if one.location.kind == "name" and name not in SYSTEM and \
                    name not in self.variables and one.operator in ("=", "var"):
                self.variables.declare(name)
        return [self.assign(one.location, self.assigned(one))
                for one in statements if one.operator != "var"]

    def assigned(self, statement):
        if statement.operator == "=":
            return self.value(statement.value)
        old = self.value(statement.location)
        new = self.value(statement.value)
        if statement.operator == "push":
            return Typed({"merge": [old.rule, [new.rule]]}, ARRAY)
        operator = statement.operator[:-1]
        if operator in ("&&", "||", "??"):
            return self.choice(operator, old, new)
        return self.combine(operator, old, new)


def _summands(tree):
    if tree.kind == "binary" and tree.value == "+":
        return _summands(tree.parts[0]) + _summands(tree.parts[1])
    return [tree]


def _is_stringified(tree):
    return tree.kind == "call" and len(tree.parts) == 2 and \
        path_of(tree.parts[0]) == "JSON.stringify"


def is_step(key):
    """True if this can be part of a dotted path and mean the same."""
    if isinstance(key, str):
        return key != "" and "." not in key and not key.isdigit()
    return isinstance(key, int) and not isinstance(key, bool) and key >= 0


def changed(container, keys, value):
    """A copy with a changed element, however deep."""
    if not keys:
        return value
    inner = changed({"get": [container, keys[0]]}, keys[1:], value)
    return {"with": [container, keys[0], inner]}
