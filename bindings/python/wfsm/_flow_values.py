"""Names and members in expressions of a flow: where their values lie, and of which types they are."""
from __future__ import annotations

import ast
import dataclasses
import enum
import sys
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, NoReturn, Optional, Tuple

from . import _flow_kinds as kinds
from . import types
from ._flow_kinds import ANY, INT, NONE, STR, Kinds
from ._flow_source import Source
from ._values import is_model, plain

Rule = Any
# An int is exact up to the first; the second is the largest float.
_LARGEST = (2**53, sys.float_info.max)
OPERATORS = frozenset((
    "var val exists missing missing_some if ?: and or ?? ! !! try throw == != === !== < <= > >= + * - / % min max "
    "map filter reduce all some none merge in cat substr log length in_state literal preserve "
    "slice get with").split())


class Value(NamedTuple):
    """An expression. `keys` is set for what lies at a path, from `depth` bodies outside."""

    rule: Rule
    kinds: Kinds
    keys: Optional[Tuple[str, ...]] = None
    depth: int = 0


class Outer:
    """A name of the function's own: where its value lies."""

    def __init__(self, value: Kinds, keys: Tuple[str, ...], depth: int = 0):
        self.kinds, self.keys, self.depth = value, keys, depth


def is_literal(rule: Rule) -> bool:
    """True for a scalar, which stands for itself."""
    return not isinstance(rule, (dict, list))


def literal(value: Any) -> Rule:
    """A constant as a rule."""
    return value if is_literal(value) else {"literal": value}


def json_value(value: Any) -> Any:
    """Python's constant as JSON has it. TypeError if it has not."""
    if isinstance(value, (int, float)) and not abs(value) <= _LARGEST[type(value) is float]:
        raise TypeError(f"{value!r} is no number of JSON, or not exact there")
    if isinstance(value, str) and any(one == "\0" or "\ud800" <= one <= "\udfff" for one in value):
        raise TypeError("U+0000 and halves of surrogate pairs are in no text of a document")
    if value is None or isinstance(value, (bool, int, float, str)) and not isinstance(value, enum.Enum):
        return value
    if isinstance(value, (list, tuple)):
        return [json_value(one) for one in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {json_value(key): json_value(one) for key, one in value.items()}
    if isinstance(value, enum.Enum):
        return json_value(value.value)
    raise TypeError(f"a value of the type {type(value).__name__} has no form in JSON")


class Values:
    """Compiles expressions of one function, whose parameters are `names`; ``Rules`` has the rest."""

    def __init__(self, source: Source, names: Dict[str, Outer], context: Kinds):
        self.source, self.names, self.context = source, dict(names), context
        self.depth = 0
        self._present: List[str] = []  # expressions that cannot be None here

    # Expressions that cannot be None.

    @contextmanager
    def knowing(self, present: List[str]) -> Iterator[None]:
        """These are not None meanwhile."""
        before = list(self._present)
        self._present.extend(present)
        try:
            yield
        finally:
            self._present = before

    def know(self, present: List[str]) -> None:
        """These are not None from here on."""
        self._present.extend(present)

    def forget(self, but: Optional[ast.expr]) -> None:
        """An assignment may make any expression None again, except for its own target."""
        self._present = [] if but is None else [ast.dump(but)]

    # Values.

    def declared(self, node: ast.expr) -> Kinds:
        """What the annotation says, whatever is known of the value."""
        before, self._present = self._present, [one for one in self._present if one != ast.dump(node)]
        try:
            return self.value(node).kinds
        finally:
            self._present = before

    def context_member(self, node: ast.expr, name: Any) -> Kinds:
        """The kinds of a member of the context."""
        [owner] = self.context
        members = members_of(owner.of)
        if name not in members:
            self.fail(node, f"{types.show(owner.of)} has no member {name!r}")
        return kinds.of(members[name])

    def value(self, node: ast.expr) -> Value:
        """The expression."""
        method: Optional[Callable[[Any], Value]] = getattr(self, f"on_{type(node).__name__.lower()}", None)
        if method is None:
            self.fail(node, f"{what(node)} is not supported in a flow")
        return method(node)

    def fail(self, node: ast.AST, message: str) -> NoReturn:
        """Raises FlowError with the place of this part."""
        self.source.fail(node, message)

    def truth(self, node: ast.expr) -> Rule:
        """The expression, where only its truth matters."""
        found = self.value(node)
        wrong = [kind for kind in found.kinds if kind.name in ("object", "enum")]
        if wrong:
            self.fail(node, f"{ast.unparse(node)} may be {kinds.show(frozenset(wrong))}, "
                            f"which is always true in Python: compare it with None")
        return found.rule

    def guard(self, node: ast.expr) -> Rule:
        """As ``truth``; a guard is an object whatever it is."""
        rule = self.truth(node)
        return rule if isinstance(rule, dict) and len(rule) == 1 and next(iter(rule)) in OPERATORS else {"!!": [rule]}

    def _of(self, node: ast.expr, allowed: Kinds, what: str) -> Value:
        """The expression, whose kinds must all be among these."""
        found = self.value(node)
        rest = found.kinds - allowed
        if NONE in rest:
            self.fail(node, f"{ast.unparse(node)} may be None here, and {what} needs "
                            f"{kinds.show(allowed)}: test it with 'is not None' first")
        if rest:
            self.fail(node, f"{ast.unparse(node)} may be {kinds.show(rest)}, and {what} needs {kinds.show(allowed)}")
        return found

    def on_constant(self, node: ast.Constant) -> Value:
        return self._outside(node, node.value)

    def _outside(self, node: ast.expr, value: Any) -> Value:
        try:
            return Value(literal(json_value(value)), kinds.of_value(value))
        except TypeError as problem:
            return self.fail(node, f"{ast.unparse(node)}: {problem}")

    def on_name(self, node: ast.Name) -> Value:
        own = self.names.get(node.id)
        if own is None:
            return self._outside(node, self.source.outside(node.id, node))
        return self._at(node, own.keys, own.depth, own.kinds)

    def _at(self, node: ast.expr, keys: Tuple[str, ...], depth: int, known: Kinds) -> Value:
        if ast.dump(node) in self._present:
            known = known - {NONE}
        away = self.depth - depth
        if self.depth == 0 and not any("." in key or not key for key in keys):
            return Value({"var": ".".join(keys)}, known, keys, depth)
        scope: List[Any] = [[2 * away]] if away else []
        return Value({"val": [*scope, *keys]}, known, keys, depth)

    # Members.

    def on_attribute(self, node: ast.Attribute) -> Value:
        if self._is_outside(node.value):
            return self._outside(node, self._look_up(node))
        of = self.value(node.value)
        return self._member(node, of, node.attr, False)

    def _is_outside(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id not in self.names

    def _look_up(self, node: ast.expr) -> Any:
        """The value of a.b.c, of names outside."""
        if isinstance(node, ast.Name):
            return self.source.outside(node.id, node)
        assert isinstance(node, ast.Attribute)
        of = self._look_up(node.value)
        if not hasattr(of, node.attr):
            self.fail(node, f"there is no {ast.unparse(node)}")
        return getattr(of, node.attr)

    def _member(self, node: ast.expr, of: Value, name: str, item: bool) -> Value:
        parent = node.value if isinstance(node, (ast.Attribute, ast.Subscript)) else node
        found = [kind for kind in of.kinds if kind.name == "object"]
        if len(of.kinds) != 1 or not found:
            rest = kinds.show(of.kinds)
            self.fail(node, f"{ast.unparse(parent)} is {rest} here, which has no member {name!r} for certain")
        owner = found[0].of
        is_dict = hasattr(owner, "__required_keys__")
        members = members_of(owner)
        if name not in members or is_dict != item:
            self.fail(node, f"{types.show(owner)} has no member {name!r}" + (
                "" if name not in members else ": write " + (f"[{name!r}]" if is_dict else f".{name}")))
        known = kinds.of(members[name])
        if of.keys == ("context",) or name in required_of(owner):
            if of.keys is not None:
                return self._at(node, (*of.keys, name), of.depth, known)
            return self._noted(node, {"get": [of.rule, name]}, known)
        missing = {"throw": "KeyError"} if is_dict else literal(self._default(node, owner, name))
        return self._noted(node, {"get": [of.rule, name, missing]}, known)

    def _noted(self, node: ast.expr, rule: Rule, known: Kinds) -> Value:
        return Value(rule, known - {NONE} if ast.dump(node) in self._present else known)

    def _default(self, node: ast.expr, owner: Any, name: str) -> Any:
        try:
            return json_value(default_of(owner, name))
        except TypeError as problem:
            return self.fail(node, f"the default of {types.show(owner)}.{name}: {problem}")

    def on_subscript(self, node: ast.Subscript) -> Value:
        of = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            return self._slice(node, of, node.slice)
        if all(kind.name == "object" for kind in of.kinds) and isinstance(node.slice, ast.Constant):
            return self._member(node, of, str(node.slice.value), True)
        names = {kind.name for kind in of.kinds}
        if names == {"dict"} or names == {"any type"} and is_constant(node.slice, str):
            key = self._of(node.slice, kinds.one(STR), "a key of a dict").rule
            return self._noted(node, {"get": [of.rule, key, {"throw": "KeyError"}]}, inside(of.kinds))
        index = integer(node.slice)
        if names <= {"list", "tuple"} and index is not None:
            place: Rule = index if index >= 0 else {"-": [{"length": [of.rule]}, -index]}
            return self._noted(node, {"get": [of.rule, place, {"throw": "IndexError"}]}, inside(of.kinds))
        return self.fail(node, f"{ast.unparse(node)}: only a dict with a key, and a list with a constant "
                               f"index or slice, have [ ] in a flow; this is {kinds.show(of.kinds)}")

    def _slice(self, node: ast.Subscript, of: Value, place: ast.Slice) -> Value:
        if not {kind.name for kind in of.kinds} <= {"list", "tuple", "str"}:
            self.fail(node, f"{ast.unparse(node.value)} may be {kinds.show(of.kinds)}, which has no slices in a flow")
        if place.step is not None:
            self.fail(node, "a slice with a step is not supported in a flow")
        start = self._of(place.lower, kinds.one(INT), "a slice").rule if place.lower else 0
        end = [self._of(place.upper, kinds.one(INT), "a slice").rule] if place.upper else []
        return Value({"slice": [of.rule, start, *end]}, of.kinds)


def what(node: ast.AST) -> str:
    known = {"FloorDiv": "//", "Pow": "**", "Lambda": "a lambda", "Await": "await", "NamedExpr": ":=",
             "GeneratorExp": "a generator outside of any(), all() and sum()"}
    return known.get(type(node).__name__, type(node).__name__)


def members_of(owner: Any) -> Dict[str, Any]:
    if is_model(owner):
        return {name: field.annotation for name, field in owner.model_fields.items()}
    return types.members(owner)


def required_of(owner: Any) -> List[str]:
    if is_model(owner):
        return [name for name, field in owner.model_fields.items() if field.is_required()]
    return types.required(owner)


def default_of(owner: Any, name: str) -> Any:
    if is_model(owner):
        return owner.model_fields[name].get_default(call_default_factory=True)
    [field] = [one for one in dataclasses.fields(owner) if one.name == name]
    value = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
    return plain(value) if dataclasses.is_dataclass(value) else value


def inside(found: Kinds) -> Kinds:
    """What is in these lists and dicts."""
    return kinds.union(kind.of if isinstance(kind.of, frozenset) else kinds.one(ANY) for kind in found)


def is_constant(node: ast.AST, kind: type) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, kind)


def integer(node: ast.AST) -> Optional[int]:
    """The value of a constant index, also a negative one."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        found = integer(node.operand)
        return None if found is None else -found
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def present(node: ast.expr, truth: bool) -> List[str]:
    """What is not None if the test has this truth."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return present(node.operand, not truth)
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) == truth:
        return [one for value in node.values for one in present(value, truth)]
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        other = node.comparators[0]
        wanted = ast.IsNot if truth else ast.Is
        none = isinstance(other, ast.Constant) and other.value is None
        return [ast.dump(node.left)] if none and isinstance(node.ops[0], wanted) else []
    return [ast.dump(node)] if truth and isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) else []
