"""Python expressions as rules (doc/jsonlogic.md). What compiles means the same in both; the rest is a
FlowError with its place."""
from __future__ import annotations

import ast
import dataclasses
import inspect
from typing import Any, Callable, Dict, List, Optional

from . import _flow_kinds as kinds
from . import types
from ._flow_kinds import ANY, BOOL, FLOAT, INT, NONE, NUMBERS, STR, Kind, Kinds
from ._flow_operators import Operators
from ._flow_values import OPERATORS, Outer, Rule, Value, inside, is_constant, literal, present


def in_state(state: str) -> bool:
    """In a flow: whether this state is active, a dotted path. It is no function to be called from
    Python. `state` is that path."""
    raise RuntimeError(f"in_state({state!r}) has a value only in a flow")


class Rules(Operators):
    """Compiles expressions of one function."""

    # Lists and objects.

    def on_list(self, node: ast.List) -> Value:
        return self._sequence("list", node.elts)

    def on_tuple(self, node: ast.Tuple) -> Value:
        return self._sequence("tuple", node.elts)

    def _sequence(self, name: str, nodes: List[ast.expr]) -> Value:
        found = [self.value(one) for one in nodes]
        return Value([one.rule for one in found], kinds.one(Kind(name, kinds.union(one.kinds for one in found))))

    def on_dict(self, node: ast.Dict) -> Value:
        made: Dict[str, Value] = {}
        for name, value in zip(node.keys, node.values):
            if not (isinstance(name, ast.Constant) and isinstance(name.value, str)):
                self.fail(node, "the keys of a dict in a flow are constant texts")
            made[name.value] = self.value(value)
        rules = {name: one.rule for name, one in made.items()}
        known = kinds.one(Kind("dict", kinds.union(one.kinds for one in made.values())))
        return Value(_object_of(rules), known)

    def on_listcomp(self, node: ast.ListComp) -> Value:
        return self._each(node, node.elt, node.generators)

    def _each(self, node: ast.expr, body: ast.expr, loops: List[ast.comprehension]) -> Value:
        """The list of what the body gives for each element."""
        of, [loop] = self._loop(node, loops), loops
        rule, found = of.rule, self._body(of, loop, lambda _: self.value(body))
        if loop.ifs:
            tests = self._body(of, loop, lambda tests: tests[0] if len(tests) == 1 else {"and": tests})
            rule = {"filter": [rule, tests]}
        if not (isinstance(body, ast.Name) and body.id == _target(loop)):
            rule = {"map": [rule, found.rule]}
        return Value(rule, kinds.one(Kind("list", found.kinds)))

    def _filters(self, loop: ast.comprehension) -> List[Rule]:
        """The tests behind 'if'. What they have found is known behind them."""
        tests = []
        for one in loop.ifs:
            tests.append(self.truth(one))
            self.know(present(one, True))
        return tests

    def _loop(self, node: ast.expr, loops: List[ast.comprehension]) -> Value:
        if len(loops) != 1 or loops[0].is_async or _target(loops[0]) is None:
            self.fail(node, "only 'for NAME in LIST' is supported in a flow, once")
        of = self.value(loops[0].iter)
        if not {kind.name for kind in of.kinds} <= {"list", "tuple"}:
            self.fail(loops[0].iter, f"{ast.unparse(loops[0].iter)} is {kinds.show(of.kinds)}, and 'for' needs a list")
        return of

    def _body(self, of: Value, loop: ast.comprehension, compile_body: Callable[[List[Rule]], Any]) -> Any:
        """What is evaluated for each element, which lies one body further in: it gets the tests behind 'if'."""
        name, before, known = _target(loop), dict(self.names), list(self._present)
        assert name is not None
        self.depth += 1
        self._present = [one for one in known if f"Name(id='{name}'" not in one]
        self.names[name] = Outer(inside(of.kinds), (), self.depth)
        try:
            return compile_body(self._filters(loop))
        finally:
            self.depth -= 1
            self.names, self._present = before, known

    # Calls.

    def on_call(self, node: ast.Call) -> Value:
        called = self._look_up(node.func) if self._is_outside(node.func) else None
        if dataclasses.is_dataclass(called) and isinstance(called, type):
            return self._object(node, called)
        if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            self.fail(node, "keywords and * in a call are not supported in a flow")
        if isinstance(node.func, ast.Attribute) and self._is_method(node.func):
            method: Optional[Callable[..., Value]] = getattr(self, f"_method_{node.func.attr}", None)
            if method is None:
                self.fail(node, f".{node.func.attr}() is not supported in a flow")
            return method(node, self.value(node.func.value), node.args)
        known: Dict[Any, Callable[[ast.Call], Value]] = {
            len: self._len, any: self._any, all: self._all, sum: self._sum, bool: self._bool, str: self._str,
            in_state: self._in_state, min: self._min_max, max: self._min_max}
        if not inspect.isroutine(called) and called not in (bool, str) or called not in known:
            self.fail(node, f"{ast.unparse(node.func)}() is not supported in a flow")
        function = known[called]
        if len(node.args) != 1 and (function != self._min_max or not node.args):
            self.fail(node, f"{ast.unparse(node.func)}() needs 1 argument in a flow")
        return function(node)

    def _object(self, node: ast.Call, kind: type) -> Value:
        """A new object of a dataclass, with its defaults."""
        fields = dataclasses.fields(kind)
        if not all(field.init for field in fields) or _makes_itself(kind):
            self.fail(node, f"{kind.__name__} makes its objects in a way of its own, which is not supported in a flow")
        try:
            given = inspect.signature(kind).bind(*node.args, **{one.arg or "**": one.value for one in node.keywords})
        except TypeError as problem:
            self.fail(node, f"{ast.unparse(node)}: {problem}")
        rules, members = {}, types.members(kind)
        for field in fields:
            if field.name not in given.arguments:
                rules[field.name] = literal(self._default(node, kind, field.name))
                continue
            found = self.value(given.arguments[field.name])
            self.fits(given.arguments[field.name], found.kinds, kinds.of(members[field.name]), kind.__name__)
            rules[field.name] = found.rule
        return Value(_object_of(rules), kinds.one(Kind("object", kind)))

    def fits(self, node: ast.expr, found: Kinds, wanted: Kinds, where: str) -> None:
        """Fails for what the schema of the context would refuse when it comes."""
        names = {kind.name for kind in wanted} | ({"dict"} if any(one.name == "object" for one in wanted) else set())
        rest = {kind for kind in found if kind.name not in names
                or kind.name in ("object", "enum") and kind not in wanted}
        if FLOAT in wanted:
            rest.discard(INT)
        if rest and ANY not in wanted:
            self.fail(node, f"{ast.unparse(node)} may be {kinds.show(frozenset(rest))}, and {where} has "
                            f"{kinds.show(wanted)} there")

    def _is_method(self, node: ast.Attribute) -> bool:
        """Of a value, which may be a text or a dict from outside."""
        return not self._is_outside(node) or isinstance(self._look_up(node.value), (str, dict))

    def _len(self, node: ast.Call) -> Value:
        of = self.value(node.args[0])
        if not {kind.name for kind in of.kinds} <= {"list", "tuple", "dict", "str"}:
            self.fail(node, f"{ast.unparse(node.args[0])} may be {kinds.show(of.kinds)}, which has no len()")
        return Value({"length": [of.rule]}, kinds.one(INT))

    def _some(self, node: ast.Call, operator: str, wanted: Callable[[Rule], Rule]) -> Value:
        one = node.args[0]
        if not isinstance(one, (ast.GeneratorExp, ast.ListComp)):
            name = ast.copy_location(ast.Name("one of them", ast.Load()), one)
            one = ast.GeneratorExp(name, [ast.comprehension(name, one, [], 0)])
        of, loop, test = self._loop(one, one.generators), one.generators[0], one.elt

        def conditions(tests: List[Rule]) -> Rule:
            last = wanted(self.truth(test))
            return {"and": [*tests, last]} if tests else last

        return Value({operator: [of.rule, self._body(of, loop, conditions)]}, kinds.one(BOOL))

    def _any(self, node: ast.Call) -> Value:
        return self._some(node, "some", lambda test: test)

    def _all(self, node: ast.Call) -> Value:
        """A rule's "all" of nothing is false. So none of them fails."""
        return self._some(node, "none", lambda test: {"!": [test]})

    def _numbers(self, node: ast.expr) -> Value:
        """A list or a generator of numbers, as the operands of an operator."""
        found = self._each(node, node.elt, node.generators) if isinstance(node, ast.GeneratorExp) else self.value(node)
        if not {kind.name for kind in found.kinds} <= {"list", "tuple"} or not inside(found.kinds) <= NUMBERS:
            of = inside(found.kinds) if {kind.name for kind in found.kinds} <= {"list", "tuple"} else found.kinds
            self.fail(node, f"{ast.unparse(node)}: a list of numbers is needed here, not of {kinds.show(of)}")
        return Value(found.rule if isinstance(found.rule, dict) else {"merge": [found.rule]}, inside(found.kinds))

    def _sum(self, node: ast.Call) -> Value:
        found = self._numbers(node.args[0])
        if FLOAT in found.kinds:
            self.fail(node, "sum() is only for lists of int in a flow")
        return Value({"+": found.rule}, kinds.one(INT))

    def _bool(self, node: ast.Call) -> Value:
        return Value({"!!": [self.truth(node.args[0])]}, kinds.one(BOOL))

    def _str(self, node: ast.Call) -> Value:
        return Value({"cat": [self._text(node.args[0])]}, kinds.one(STR))

    def _min_max(self, node: ast.Call) -> Value:
        name = "max" if self._look_up(node.func) is max else "min"
        if len(node.args) == 1:
            of = self._numbers(node.args[0])
            return Value({name: of.rule}, of.kinds)
        found = [self._of(one, NUMBERS, f"{name}()") for one in node.args]
        return Value({name: [one.rule for one in found]}, kinds.union(one.kinds for one in found))

    def _in_state(self, node: ast.Call) -> Value:
        name = node.args[0]
        if not is_constant(name, str):
            self.fail(node, "in_state() needs a constant name")
        assert isinstance(name, ast.Constant)
        return Value({"in_state": name.value}, kinds.one(BOOL))

    def _method_get(self, node: ast.Call, of: Value, arguments: List[ast.expr]) -> Value:
        if {kind.name for kind in of.kinds} != {"dict"} or len(arguments) not in (1, 2):
            self.fail(node, f".get(KEY, DEFAULT) is for a dict, and this is {kinds.show(of.kinds)}")
        key = self._of(arguments[0], kinds.one(STR), "a key of a dict").rule
        if len(arguments) == 2 and not isinstance(arguments[1], (ast.Constant, ast.Name, ast.Attribute, ast.UnaryOp)):
            self.fail(arguments[1], "the default of .get() is a constant or a member: a rule evaluates it only if it "
                                    "is needed")
        other = self.value(arguments[1]) if len(arguments) == 2 else Value(None, kinds.one(NONE))
        return self._noted(node, {"get": [of.rule, key, other.rule]}, inside(of.kinds) | other.kinds)

    def _method_endswith(self, node: ast.Call, of: Value, arguments: List[ast.expr]) -> Value:
        if of.kinds != kinds.one(STR) or len(arguments) != 1:
            self.fail(node, f".endswith(TEXT) is for a text, and this is {kinds.show(of.kinds)}")
        end = self._of(arguments[0], kinds.one(STR), "endswith()").rule
        start = {"-": [{"length": [of.rule]}, {"length": [end]}]}
        return Value({"===": [{"slice": [of.rule, start]}, end]}, kinds.one(BOOL))

    def _method_startswith(self, node: ast.Call, of: Value, arguments: List[ast.expr]) -> Value:
        if of.kinds != kinds.one(STR) or len(arguments) != 1:
            self.fail(node, f".startswith(TEXT) is for a text, and this is {kinds.show(of.kinds)}")
        start = self._of(arguments[0], kinds.one(STR), "startswith()").rule
        return Value({"===": [{"slice": [of.rule, 0, {"length": [start]}]}, start]}, kinds.one(BOOL))


def _target(loop: ast.comprehension) -> Optional[str]:
    return loop.target.id if isinstance(loop.target, ast.Name) else None


def _object_of(rules: Dict[str, Rule]) -> Rule:
    """The rule of an object with these members, whatever they are called."""
    if len(rules) == 1 and OPERATORS & rules.keys():
        [(key, rule)] = rules.items()
        return {"with": [{"literal": {}}, key, rule]}
    return rules


def _makes_itself(kind: type) -> bool:
    """True if objects may differ from what their fields were given."""
    params = vars(kind).get("__dataclass_params__")
    made = any("__new__" in vars(base) for base in kind.__mro__[:-1])
    return made or hasattr(kind, "__post_init__") or params is None or not params.init
