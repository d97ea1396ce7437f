"""The data model: initial values, at once or when their state is first entered."""
from . import _rules as rules
from ._context import content, inline
from ._ecmascript import parse
from ._errors import Illegal, Unsupported
from ._schema import check
from ._variables import SYSTEM

BOUND = "_bound"


def declare(chart, elements):
    """All <data> of the document."""
    seen = set()
    for element in elements:
        check(element)
        name = element.get("id")
        try:
            tree = parse(name or "")
        except (Illegal, Unsupported):
            tree = None
        if tree is None or tree.kind != "name" or tree.value in SYSTEM or name.startswith("_"):
            raise element.error("expected an id that can name a variable")
        if name in seen:
            raise element.error(f"{name} is declared twice")
        seen.add(name)
        chart.variables.declare(name)
        chart.context[name] = None


def initial_blocks(chart, elements):
    """Constants go into the context. For the rest, returns blocks of actions."""
    blocks = []
    for element in elements:
        name = element.get("id")
        if name in chart.given:
            chart.variables.note(name, rules.ANY)  # the start's input has it
            continue
        value = _value(chart, element)
        chart.variables.note(name, value.types)
        if not rules.holds_rule(value.rule):
            chart.context[name] = value.rule
        elif isinstance(value.rule, dict) and list(value.rule) == ["literal"]:
            chart.context[name] = value.rule["literal"]
        else:
            blocks.append([{"type": "assign", "params": {name: value.rule}}])
    return blocks


def late_block(chart, element, key):
    """One block that binds the data of a state when it is entered for the first time."""
    data = [one for model in element.all("datamodel") for one in model.all("data")]
    if not data:
        return []
    chart.context.setdefault(BOUND, {})
    actions = [{"type": "assign", "params": {f"{BOUND}.{key}": True}}]
    for one in data:
        value = _value(chart, one)
        chart.variables.note(one.get("id"), value.types)
        actions.append({"type": "assign", "params": {one.get("id"): value.rule}})
    guard = {"!": [{"var": f"context.{BOUND}.{key}"}]}
    return [[{"type": "choose", "params": {"branches": [
        {"guard": guard, "actions": [[one] for one in actions]}]}}]]


def _value(chart, element):
    given = [name for name in ("expr", "src") if element.get(name) is not None]
    if len(given) + bool(element.text.strip() or element.children) > 1:
        raise element.error("either expr, src or content")
    if given == ["expr"]:
        return chart.expression(element, "expr")
    if given == ["src"]:
        return _file(chart, element)
    if not element.text.strip() and not element.children:
        return rules.Typed(None, rules.NULL)
    return rules.literal(content(element))


def _file(chart, element):
    text = chart.read(element)
    if text.lstrip().startswith("<"):
        raise element.error("XML as data is not supported")
    try:
        return rules.literal(inline(text))
    except Unsupported as problem:
        raise element.error(str(problem)) from None
