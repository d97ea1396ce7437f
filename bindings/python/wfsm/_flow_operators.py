"""Operators in expressions of a flow."""
from __future__ import annotations

import ast
from typing import Any, List

from . import _flow_kinds as kinds
from ._flow_kinds import ANY, BOOL, FLOAT, INT, NONE, NUMBERS, STR, Kind, Kinds
from ._flow_values import Rule, Value, Values, inside, present, what

_COMPARE = {ast.Eq: "===", ast.NotEq: "!==", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%"}


class Operators(Values):
    """Logic, comparisons, arithmetic and texts."""

    # Logic.

    def on_boolop(self, node: ast.BoolOp) -> Value:
        found, is_and = [], isinstance(node.op, ast.And)
        with self.knowing([]):
            for one in node.values:
                found.append(self.value(one))
                self.know(present(one, is_and))
        if not is_and:
            found = [*(one._replace(kinds=one.kinds - {NONE}) for one in found[:-1]), found[-1]]
        for one, value in zip(node.values[:-1], found):
            if any(kind.name in ("object", "enum") for kind in value.kinds):
                self.truth(one)
        return Value({"and" if is_and else "or": [one.rule for one in found]},
                     kinds.union(one.kinds for one in found))

    def on_unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Value({"!": [self.truth(node.operand)]}, kinds.one(BOOL))
        if isinstance(node.op, ast.Invert):
            self.fail(node, "~ is not supported in a flow")
        found = self._of(node.operand, NUMBERS, "a sign")
        if isinstance(node.op, ast.UAdd):
            return found._replace(keys=None)
        is_number = isinstance(found.rule, (int, float))
        return Value(-found.rule if is_number else {"-": [found.rule]}, found.kinds)

    def on_ifexp(self, node: ast.IfExp) -> Value:
        test = self.truth(node.test)
        with self.knowing(present(node.test, True)):
            then = self.value(node.body)
        with self.knowing(present(node.test, False)):
            other = self.value(node.orelse)
        return Value({"if": [test, then.rule, other.rule]}, then.kinds | other.kinds)

    # Comparisons.

    def on_compare(self, node: ast.Compare) -> Value:
        operands = [node.left, *node.comparators]
        pairs = [self._pair(op, left, right) for op, left, right in zip(node.ops, operands, operands[1:])]
        rule = pairs[0] if len(pairs) == 1 else {"and": pairs}
        return Value(rule, kinds.one(BOOL))

    def _pair(self, op: ast.cmpop, left: ast.expr, right: ast.expr) -> Rule:
        if isinstance(op, (ast.Is, ast.IsNot)):
            return self._is(op, left, right)
        if isinstance(op, (ast.In, ast.NotIn)):
            found = self._contains(left, right)
            return found if isinstance(op, ast.In) else {"!": [found]}
        first, second = self.value(left), self.value(right)
        if isinstance(op, (ast.Eq, ast.NotEq)):
            self._comparable(left, first.kinds, second.kinds)
        else:
            allowed = kinds.one(STR) if first.kinds == kinds.one(STR) else NUMBERS
            self._of(left, allowed, "a comparison")
            self._of(right, allowed, "this comparison")
        return {_COMPARE[type(op)]: [first.rule, second.rule]}

    def _is(self, op: ast.cmpop, left: ast.expr, right: ast.expr) -> Rule:
        if not (isinstance(right, ast.Constant) and right.value is None):
            self.fail(right, "'is' is only for None in a flow: use ==")
        found = self.value(left)
        if any(kind.name == "enum" and None in [one.value for one in kind.of] for kind in found.kinds):
            self.fail(left, f"{kinds.show(found.kinds)} has a member whose value is None: compare it with ==")
        return {"===" if isinstance(op, ast.Is) else "!==": [found.rule, None]}

    def _comparable(self, node: ast.expr, left: Kinds, right: Kinds) -> None:
        if not kinds.comparable(left, right):
            self.fail(node, f"{kinds.show(left)} and {kinds.show(right)} cannot be compared in a flow: Python and "
                            f"a rule may differ")

    def _contains(self, left: ast.expr, right: ast.expr) -> Rule:
        item, of = self.value(left), self._in_what(right)
        names = {kind.name for kind in of.kinds}
        if names == {"str"}:
            return _text_in(self._of(left, kinds.one(STR), "'in' of a text").rule, of.rule)
        if names == {"dict"} and of.keys is not None:
            away = self.depth - of.depth
            scope: List[Any] = [[2 * away]] if away else []
            return {"exists": [*scope, *of.keys, self._of(left, kinds.one(STR), "'in' of a dict").rule]}
        if names == {"dict"} and not inside(of.kinds) & {NONE, ANY}:
            key = self._of(left, kinds.one(STR), "'in' of a dict").rule
            return {"!==": [{"get": [of.rule, key, None]}, None]}
        if not names <= {"list", "tuple", "set"}:
            self.fail(right, f"{ast.unparse(right)} is {kinds.show(of.kinds)}, and 'in' needs a list, a text, or a "
                             f"dict whose values are never None")
        if names == {"set"} and any(kind.name in ("list", "dict") for kind in item.kinds):
            self.fail(left, f"{ast.unparse(left)} may be {kinds.show(item.kinds)}, which is in no set")
        self._comparable(left, item.kinds, inside(of.kinds))
        return {"in": [item.rule, of.rule]}

    def _in_what(self, node: ast.expr) -> Value:
        """Sets, and the keys of dicts from outside, are lists behind 'in'. Nowhere else, because they are equal to
        others, and have another order."""
        if isinstance(node, ast.Set):
            of = [self.value(one) for one in node.elts]
            return Value([one.rule for one in of], kinds.one(Kind("set", kinds.union(one.kinds for one in of))))
        known = self._look_up(node) if self._is_outside(node) else None
        if not isinstance(known, (set, frozenset, dict)):
            return self.value(node)
        found = self._outside(node, sorted(known, key=repr))
        return found._replace(kinds=kinds.one(Kind("set", inside(found.kinds))))

    # Arithmetic and texts.

    def on_binop(self, node: ast.BinOp) -> Value:
        operator = _ARITHMETIC.get(type(node.op))
        if operator is None:
            self.fail(node, f"{what(node.op)} is not supported in a flow")
        left = self.value(node.left)
        if operator == "+" and left.kinds == kinds.one(STR):
            right = self._of(node.right, left.kinds, "+ of a text")
            return Value({"cat": [left.rule, right.rule]}, left.kinds)
        if operator == "+" and {kind.name for kind in left.kinds} == {"list"}:
            return self._join(node, left)
        if operator == "%":
            return self._modulo(node)
        left, right = (self._of(one, NUMBERS, f"{operator}") for one in (node.left, node.right))
        whole = left.kinds | right.kinds <= kinds.one(INT) and operator != "/"
        return Value({operator: [left.rule, right.rule]}, kinds.one(INT if whole else FLOAT))

    def _join(self, node: ast.BinOp, left: Value) -> Value:
        right = self.value(node.right)
        if {kind.name for kind in right.kinds} != {"list"}:
            self.fail(node.right, f"{ast.unparse(node.right)} is {kinds.show(right.kinds)}, and + of a list needs one")
        elements = inside(left.kinds) | inside(right.kinds)
        return Value({"merge": [left.rule, right.rule]}, kinds.one(Kind("list", elements)))

    def _modulo(self, node: ast.BinOp) -> Value:
        """With the sign of the divisor, as Python has it."""
        left, right = (self._of(one, kinds.one(INT), "%").rule for one in (node.left, node.right))
        return Value({"%": [{"+": [{"%": [left, right]}, right]}, right]}, kinds.one(INT))

    def on_joinedstr(self, node: ast.JoinedStr) -> Value:
        parts: List[Rule] = []
        for one in node.values:
            if isinstance(one, ast.FormattedValue):
                if one.format_spec is not None or one.conversion != -1:
                    self.fail(node, "a format or a conversion in an f-string is not supported in a flow")
                parts.append(self._text(one.value))
            else:
                parts.append(self.value(one).rule)
        return Value({"cat": parts} if parts else "", kinds.one(STR))

    def _text(self, node: ast.expr) -> Rule:
        return self._of(node, frozenset({STR, INT}), "a text").rule


def _text_in(part: Rule, text: Rule) -> Rule:
    """Nothing is in an empty text, by a rule; in Python the empty text is."""
    found = {"in": [part, text]}
    return found if isinstance(part, str) and part else {"or": [{"===": [part, ""]}, found]}
