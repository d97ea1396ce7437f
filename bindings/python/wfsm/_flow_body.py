"""The statements of a function as actions, and as the transitions of a state that decides."""
from __future__ import annotations

import ast
from typing import Any, Callable, Dict, List, Optional, Sequence

from ._flow_kinds import NONE, Kinds
from ._flow_rules import Rules
from ._flow_source import Source
from ._flow_values import Outer, Rule, Value, present

Action = Dict[str, Any]
Transition = Dict[str, Any]
# Where the first and the second parameter of a function lie.
_PLACES = (("context",), ("event", "data"))


def open_rules(function: Callable[..., Any], given: Sequence[Kinds]) -> Rules:
    """For a function whose parameters have these kinds: the context, and the data of the event."""
    source = Source(function)
    names = source.parameters
    if len(names) > len(given):
        wanted = ("the context", "the context and the data of the event")[len(given) - 1]
        source.fail(source.node, f"this function gets {wanted}, so it has no parameter {names[len(given)]!r}")
    places = zip(names, given, _PLACES)
    return Rules(source, {name: Outer(known, keys) for name, known, keys in places}, given[0])


def _one_expression(rules: Rules) -> ast.expr:
    """What a lambda gives, or a function of one return."""
    node = rules.source.node
    if isinstance(node, ast.Lambda):
        return node.body
    body = _without_text(node.body)
    if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None:
        return body[0].value
    return rules.fail(node, "a condition or a value is one expression: a lambda, or a function of one return")


def value_of(function: Callable[..., Any], given: Sequence[Kinds]) -> Rule:
    """The rule of a function's value."""
    rules = open_rules(function, given)
    return rules.value(_one_expression(rules)).rule


def guard_of(function: Callable[..., Any], given: Sequence[Kinds]) -> Rule:
    """The rule of a function's truth."""
    rules = open_rules(function, given)
    return rules.guard(_one_expression(rules))


def actions_of(function: Callable[..., Any], given: Sequence[Kinds]) -> List[Action]:
    """What a function assigns: by statements, or as a dict that it returns."""
    rules = open_rules(function, given)
    node, body = rules.source.node, _Body(rules)
    if isinstance(node, ast.Lambda):
        return body.patch(node.body)
    statements = _without_text(node.body)
    last = statements[-1] if statements else None
    if isinstance(last, ast.Return) and last.value is not None:
        return [*body.actions(statements[:-1]), *body.patch(last.value)]
    return body.actions(statements)


def state_of(function: Callable[..., Any], given: Sequence[Kinds]) -> Dict[str, Any]:
    """A state that a function is: what it assigns at first is done on entry, then it returns the name of the
    next state."""
    rules = open_rules(function, given)
    node, body = rules.source.node, _Body(rules)
    if isinstance(node, ast.Lambda):
        return rules.fail(node, "a state is a class or a function with a name")
    statements = _without_text(node.body)
    count = next((at for at, one in enumerate(statements) if _has_return(one)), len(statements))
    entry, always = body.actions(statements[:count]), _leaving(body.decide(statements[count:]))
    return {**({"entry": entry} if entry else {}), **({"always": always} if always else {})}


def _without_text(statements: List[ast.stmt]) -> List[ast.stmt]:
    """Without the text that documents the function."""
    first = statements[0]
    is_constant = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return statements[1:] if is_constant else statements


def _has_return(statement: ast.stmt) -> bool:
    return any(isinstance(one, ast.Return) for one in ast.walk(statement))


class _Body:
    def __init__(self, rules: Rules):
        self.rules = rules

    def actions(self, statements: Sequence[ast.stmt]) -> List[Action]:
        """Each statement is an action that sees what those before it have assigned."""
        return [action for one in statements for action in self._action(one)]

    def _action(self, node: ast.stmt) -> List[Action]:
        if isinstance(node, ast.Pass):
            return []
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            return [self._assign(node.targets[0], node.value)]
        if isinstance(node, ast.AugAssign):
            value = ast.BinOp(_loaded(node.target), node.op, node.value)
            return [self._assign(node.target, ast.copy_location(value, node))]
        if isinstance(node, ast.If):
            return [self._choose(node)]
        if isinstance(node, ast.Expr) and _is_append(node.value):
            return [self._append(node.value)]
        return self.rules.fail(
            node, f"{ast.unparse(node).splitlines()[0]!r}: an action assigns to members of the context, or appends "
                  f"to lists in it, with 'if' where it is wanted")

    def _assign(self, target: ast.expr, value: ast.expr) -> Action:
        found = self.rules.value(value)
        place = self._place(target)
        self.rules.fits(value, found.kinds, place.kinds, "the context")
        self.rules.forget(None if NONE in found.kinds else _loaded(target))
        return _assigned(".".join((place.keys or ())[1:]), found.rule)

    def _place(self, target: ast.expr) -> Value:
        """The member that is assigned to."""
        found = self.rules.value(_loaded(target)) if isinstance(target, (ast.Attribute, ast.Subscript)) else None
        if found is None or found.keys is None or found.keys[0] != "context" or len(found.keys) < 2:
            return self.rules.fail(target, f"{ast.unparse(target)} is no member of the context that is always "
                                           f"there, and nothing else can be assigned to")
        return found._replace(kinds=self.rules.declared(_loaded(target)))

    def _append(self, node: Any) -> Action:
        of, [item] = node.func.value, node.args
        return self._assign(of, ast.copy_location(
            ast.BinOp(_loaded(of), ast.Add(), ast.copy_location(ast.List([item], ast.Load()), node)), node))

    def _choose(self, node: ast.If) -> Action:
        branches: List[Dict[str, Any]] = []
        self._branches(node, branches)
        return {"type": "choose", "params": {"branches": branches}}

    def _branches(self, node: ast.If, branches: List[Dict[str, Any]]) -> None:
        guard = self.rules.guard(node.test)
        with self.rules.knowing(present(node.test, True)):
            branches.append({"guard": guard, "actions": self.actions(node.body)})
        with self.rules.knowing(present(node.test, False)):
            if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
                self._branches(node.orelse[0], branches)
            elif node.orelse:
                branches.append({"actions": self.actions(node.orelse)})
        self.rules.forget(None)

    def patch(self, node: ast.expr) -> List[Action]:
        """The keys that a dict has are assigned, all at once."""
        if not isinstance(node, ast.Dict) or not all(isinstance(key, ast.Constant) for key in node.keys):
            self.rules.fail(node, "what is assigned is a dict with members of the context as its keys")
        assert isinstance(node, ast.Dict)
        params: Dict[str, Rule] = {}
        for key, value in zip(node.keys, node.values):
            assert isinstance(key, ast.Constant)
            found, wanted = self.rules.value(value), self.rules.context_member(node, key.value)
            self.rules.fits(value, found.kinds, wanted, "the context")
            params[key.value] = found.rule
        return [{"type": "assign", "params": params}] if params else []

    def decide(self, statements: Sequence[ast.stmt]) -> List[Transition]:
        """The first transition whose guard is true is taken, as the first return that is reached ends the
        function."""
        found: List[Transition] = []
        with self.rules.knowing([]):
            for at, node in enumerate(statements):
                if isinstance(node, ast.If) and _has_return(node):
                    found.extend(self._decided(node))
                    self.rules.know(present(node.test, False))
                    if _always_returns(node):
                        self._nothing_after(statements[at + 1:])
                    continue
                return [*found, self._ending(statements[at:])]
        return found

    def _decided(self, node: ast.If) -> List[Transition]:
        if not _ends(node.body):
            self.rules.fail(node, "in a state, an 'if' that returns somewhere returns in the end of its block")
        guard = self.rules.guard(node.test)
        with self.rules.knowing(present(node.test, True)):
            found = [_guarded(guard, one) for one in self.decide(node.body)]
        with self.rules.knowing(present(node.test, False)):
            return [*found, *self.decide(node.orelse)]

    def _ending(self, statements: Sequence[ast.stmt]) -> Transition:
        """Assignments, and the return behind them; without a target, if it stays in the state."""
        *before, last = statements
        if not isinstance(last, ast.Return) or any(map(_has_return, before)):
            self.rules.fail(statements[0], "in a state, assignments stand at its beginning, or right before a return")
        assert isinstance(last, ast.Return)
        actions, target = self.actions(before), self._target(last)
        if target is None and actions:
            self.rules.fail(last, "a return without a state has no assignments before it")
        again = {"reenter": True} if target == self.rules.source.function.__name__ else {}
        return {"target": target, **({"actions": actions} if actions else {}), **again}

    def _target(self, node: ast.Return) -> Optional[str]:
        value = node.value
        if value is None or isinstance(value, ast.Constant) and value.value is None:
            return None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return value.value
        if isinstance(value, ast.Name):
            known = self.rules.source.outside(value.id, value)
            if isinstance(known, str):
                return known
        return self.rules.fail(node, "a state returns the name of the next one, a constant text")

    def _nothing_after(self, statements: Sequence[ast.stmt]) -> None:
        if statements:
            self.rules.fail(statements[0], "this is never reached")


def _assigned(path: str, rule: Rule) -> Action:
    return {"type": "assign", "params": {path: rule}}


def _guarded(guard: Rule, transition: Transition) -> Transition:
    inner = transition.get("guard")
    return {**transition, "guard": {"and": [guard, inner]} if inner else guard}


def _leaving(decided: List[Transition]) -> List[Transition]:
    """Without those that stay: those behind them are taken only if their guards are false."""
    found: List[Transition] = []
    staying: List[Rule] = []
    for one in decided:
        if one["target"] is None:
            staying.append({"!": [one.get("guard", True)]})
            continue
        tests = [*staying, *([one["guard"]] if "guard" in one else [])]
        found.append({**one, "guard": tests[0] if len(tests) == 1 else {"and": tests}} if tests else one)
    return found


def _ends(block: Sequence[ast.stmt]) -> bool:
    last = block[-1] if block else None
    return isinstance(last, ast.Return) or isinstance(last, ast.If) and _always_returns(last)


def _always_returns(node: ast.If) -> bool:
    return _ends(node.body) and _ends(node.orelse)


def _loaded(target: ast.expr) -> ast.expr:
    """The target of an assignment, to be read."""
    made = ast.parse(ast.unparse(target), mode="eval").body
    for one in ast.walk(made):
        ast.copy_location(one, target)
    return made


def _is_append(node: ast.expr) -> bool:
    return (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append"
            and len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred))
