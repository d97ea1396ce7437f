"""Executable content as actions."""
from . import _rules as rules, _sending as sending
from ._context import content, fails
from ._ecmascript import parse
from ._errors import Illegal, Unsupported
from ._rules import ANY, NUMBER, Typed
from ._schema import check
from ._variables import SYSTEM


def block(chart, element, nested=False):
    """The actions of an element's children. Nothing follows one that certainly fails."""
    actions = []
    for child in element.children:
        added, ends = _action(chart, child, nested)
        actions += added
        if ends:
            break
    return actions


def _action(chart, element, nested):
    check(element)
    if element.name == "send":
        return sending.send(chart, element, nested)
    return CONTENT[element.name](chart, element), False


def _raise(_chart, element):
    name = element.get("event")
    if not name:
        raise element.error("expected an event")
    return [{"type": "raise", "params": {"event": name}}]


def _log(chart, element):
    params = {}
    if element.get("label") is not None:
        params["label"] = element.get("label")
    if (element.get("expr") or "").strip():
        params["value"] = chart.compiled(element, "expr", chart.logic.logged, rules.fail).rule
    return [{"type": "log", "params": params}]


def _assign(chart, element):
    if element.get("location") is None:
        raise element.error("expected a location")
    if element.get("expr") is not None:
        value = chart.expression(element, "expr")
    else:
        value = rules.literal(content(element))
    return [chart.assign(element, "location", value)]


def script_actions(chart, element):
    text = chart.read(element) if element.get("src") is not None else element.text
    try:
        return chart.logic.script(text)
    except Illegal as problem:
        return [fails(chart.illegal(element, "script", problem))]
    except Unsupported as problem:
        raise element.error(str(problem)) from None


def _if(chart, element):
    """The actions of a branch are its following siblings."""
    branches = [_branch(chart, element)]
    current = branches[0]["actions"]
    otherwise = False
    for child in element.children:
        if child.name in ("elseif", "else"):
            check(child)
            if otherwise:
                raise child.error("nothing can follow <else>")
            otherwise = child.name == "else"
            branches.append(_branch(chart, child))
            current = branches[-1]["actions"]
        else:
            current += _action(chart, child, True)[0]
    return [{"type": "choose", "params": {"branches": branches}}]


def _branch(chart, element):
    if element.name != "else" and element.get("cond") is None:
        raise element.error("expected a cond")
    guard = chart.guard(element)
    return {"actions": []} if guard is None else {"guard": guard, "actions": []}


def _foreach(chart, element):
    problem = None
    for attribute, types in (("item", ANY), ("index", NUMBER)):
        if element.get(attribute) is not None:
            problem = problem or _loop_variable(chart, element, attribute, types)
    if element.get("array") is None or element.get("item") is None:
        raise element.error("expected an array and an item")
    if problem:
        return [problem]
    params = {"in": chart.expression(element, "array").rule, "as": element.get("item").strip()}
    if element.get("index") is not None:
        params["index"] = element.get("index").strip()
    params["actions"] = block(chart, element, nested=True)
    return [{"type": "each", "params": params}]


def _loop_variable(chart, element, attribute, types):
    """Declares a variable. Returns an action that fails if the name is not possible."""
    def declare(text):
        tree = parse(text)
        if tree.kind != "name" or tree.value in SYSTEM:
            raise Illegal("not the name of a variable")
        chart.variables.declare(tree.value, types | rules.NULL)
    return chart.compiled(element, attribute, declare, fails)


def done_data(chart, element):
    """The output of a final state."""
    children = element.children
    for child in children:
        check(child)
    if not children:
        return Typed(None, rules.NULL)
    if children[0].name == "content":
        if len(children) > 1:
            raise children[1].error("nothing can stand beside <content>")
        return sending.content_value(chart, children[0])
    return sending.parameters(chart, children)


CONTENT = {
    "raise": _raise,
    "log": _log,
    "assign": _assign,
    "script": script_actions,
    "if": _if,
    "foreach": _foreach,
    "cancel": sending.cancel,
}
