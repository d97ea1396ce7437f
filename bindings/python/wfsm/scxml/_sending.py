"""<send> and <cancel>: events for oneself, now or later."""
import re

from . import _mailbox as mailbox, _rules as rules
from ._context import content, fails
from ._ecmascript import parse
from ._errors import Illegal
from ._rules import OBJECT, STRING, Typed, bind
from ._variables import HTTP, PROCESSORS, SESSION

_DELAY = re.compile(r"\s*\+?(\d+\.?\d*|\.\d+)(ms|s|m|h|d)\s*")
_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
COUNTER = "_sends"


# ---- what is sent ----

def content_value(chart, element):
    if element.get("expr") is not None:
        return chart.expression(element, "expr")
    return rules.literal(content(element))


def values(chart, elements, names):
    """The values of <param>s, by name, after those of the variables that a namelist names."""
    found = dict(names)
    for element in elements:
        if element.get("name") is None or (
                (element.get("expr") is None) == (element.get("location") is None)):
            raise element.error("expected a name, and either expr or location")
        attribute = "expr" if element.get("expr") is not None else "location"
        if element.get("name") in found:
            raise element.error(f"{element.get('name')} a second time: data is JSON")
        found[element.get("name")] = chart.expression(element, attribute).rule
    return found


def parameters(chart, elements, names=None):
    """`values` as an object."""
    found = values(chart, elements, names or {})
    return Typed(rules.template(list(found), list(found.values())), OBJECT)


def name_list(chart, element):
    def variables(text):
        return {name: chart.logic.value(parse(name)).rule for name in text.split()}
    return chart.compiled(element, "namelist", variables, lambda message: {
        "namelist": rules.fail(message).rule})


def _data(chart, element):
    """The data of the event as a rule, or None."""
    inner = element.all("content")
    if inner and (len(element.children) > 1 or element.get("namelist") is not None):
        raise element.error("<content> stands alone")
    if inner:
        return content_value(chart, inner[0]).rule
    names = name_list(chart, element) if element.get("namelist") is not None else {}
    if not names and not element.children:
        return None
    return parameters(chart, element.all("param"), names).rule


# ---- attributes that can also be expressions ----

def _either(element, name):
    """The name of the attribute that is there: NAME, NAMEexpr or None."""
    computed = name + "expr"
    if element.get(name) is not None and element.get(computed) is not None:
        raise element.error(f"either {name} or {computed}")
    return name if element.get(name) is not None else (
        computed if element.get(computed) is not None else None)


def given(chart, element, name):
    attribute = _either(element, name)
    if attribute is None:
        return None
    if attribute == name:
        return Typed(element.get(name), STRING)
    return chart.expression(element, attribute)


def milliseconds(text):
    found = _DELAY.fullmatch(text)
    if not found:
        if text.strip() == "0":
            return 0
        raise Illegal(f"\"{text}\" is no time like 500ms or 1.5s")
    value = float(found[1]) * _UNITS[found[2]]
    return int(value) if value == int(value) else value


def _computed_delay(rule):
    """Text like "1.5s" at run time. A number counts milliseconds."""
    def body(delay):
        return {"if": [
            rules.is_number(delay), delay,
            {"===": [{"slice": [delay, -2]}, "ms"]}, {"-": [{"slice": [delay, 0, -2]}, 0]},
            {"===": [{"slice": [delay, -1]}, "s"]},
            {"*": [{"-": [{"slice": [delay, 0, -1]}, 0]}, 1000]},
            {"throw": "the delay is no time like 500ms or 1.5s"}]}
    return bind([rule], body)


def _delay(chart, element):
    """Milliseconds as a rule; None without a delay."""
    attribute = _either(element, "delay")
    if attribute == "delay":
        return chart.compiled(element, "delay", milliseconds,
                              lambda message: rules.fail(message).rule)
    if attribute is None:
        return None
    value = chart.expression(element, "delayexpr")
    if rules.is_constant(value.rule):
        return _constant_delay(chart, element, value.rule)
    return value.rule if value.types <= rules.COMPUTED else _computed_delay(value.rule)


def _constant_delay(chart, element, value):
    if value is None or isinstance(value, bool) or (not isinstance(value, str) and value < 0):
        value = str(value)
    try:
        return milliseconds(value) if isinstance(value, str) else value
    except Illegal as problem:
        return rules.fail(chart.illegal(element, "delayexpr", problem)).rule


# ---- <send> ----

def send(chart, element, nested):
    """(actions, whether they certainly fail)."""
    if mailbox.MARK in (element.get("id"), element.get("event")):
        raise element.error(f"{mailbox.MARK} is a name of the importer's own")
    if element.get("type") in HTTP:
        raise element.error("the basic HTTP event processor is not supported")
    before, identity = _identity(chart, element)
    event = given(chart, element, "event")
    if event is None:
        raise element.error("expected an event")
    if rules.is_constant(event.rule) and not (isinstance(event.rule, str) and event.rule):
        event = rules.fail(chart.illegal(element, "event", "not a name"))
    params = {"event": event.rule}
    data = _data(chart, element)
    if data is not None:
        params["data"] = data
    if identity is not None:
        params["id"] = identity
    actions, ends = _checked(chart, element, params, nested)
    return before + actions, ends


def _identity(chart, element):
    """(actions before, the id as a rule or None)."""
    if element.get("id") is not None:
        if element.get("idlocation") is not None:
            raise element.error("either id or idlocation")
        return [], element.get("id")
    if element.get("idlocation") is None:
        return [], None
    chart.counts_sends = True
    count = {"var": "context." + COUNTER}
    identity = {"cat": ["send-", count]}
    counted = {"type": "assign", "params": {COUNTER: {"+": [count, 1]}}}
    stored = chart.assign(element, "idlocation", Typed(identity, STRING))
    return [counted, stored], identity


def _checked(chart, element, params, nested):
    """First the type, then the target. Each is known now or checked at run time."""
    kind = given(chart, element, "type")
    if kind is None or kind.rule in PROCESSORS:
        return _targeted(chart, element, params, nested)
    if rules.is_constant(kind.rule):
        return _refused(element, params, nested, f"type=\"{kind.rule}\" is not supported")
    actions, _ = _targeted(chart, element, params, True)
    known = {"in": [kind.rule, list(PROCESSORS) + [None]]}
    return [_choose((known, actions), (None, [fails("the type is not supported")]))], False


def _targeted(chart, element, params, nested):
    target = given(chart, element, "target")
    external = _external(chart, element, params)
    if target is None:
        return external, False
    if target.rule == "#_internal":
        return _internal(element, params), False
    lost = [_error("error.communication", params)]
    others = _others(chart, element, params, target.rule)
    own = {"===": [target.rule, SESSION]}
    if isinstance(target.rule, str) and not target.rule.startswith("#_"):
        return _refused(element, params, nested, f"target=\"{target.rule}\" is not supported")
    if isinstance(target.rule, str):
        own = [(own, external)] if target.rule.startswith("#_scxml_") else []
        return _first(*own, *others, (None, lost)), False
    return [_choose(
        (own, external),
        ({"===": [target.rule, "#_internal"]}, [{"type": "raise", "params": params}]),
        *others,
        ({"===": [{"slice": [target.rule, 0, 2]}, "#_"]}, lost),
        (None, [fails("the target is not supported")]))], False


# ---- other sessions ----

def _others(chart, element, params, target):
    """Branches that send to the sessions that this one can know: its parent, its children, and
    those whose location it was told. Without sessions there are none."""
    if not chart.has_sessions:
        return []
    def remote(**more):
        return _remote(chart, element, params, {"target": target, **more})
    parent = {"target": mailbox.parent("origin"), "ticket": mailbox.parent("ticket"),
              "invokeid": mailbox.parent("id")}
    if target == "#_parent":
        return [(None, remote(**parent))] if chart.invoked else []
    if isinstance(target, str) and target.startswith("#_scxml_"):
        return [(None, remote())]
    found = [(one.is_target(target), remote(**one.address())) for one in chart.invokes]
    if not isinstance(target, str):
        found.append(({"===": [{"slice": [target, 0, 8]}, "#_scxml_"]}, remote()))
        if chart.invoked:
            found.append(({"===": [target, "#_parent"]}, remote(**parent)))
    return found


def _remote(chart, element, params, address):
    """Hands an event to the router, now or after a delay."""
    event = params["event"]
    if rules.is_constant(event) and event.split(".")[0] in ("done", "after", "wfsm"):
        raise element.error(f"{event} comes from the processor only")
    name = event if rules.is_constant(event) else bind([event], lambda rule: {
        "if": [{"and": [rules.is_string(rule), rule]}, rule, {"throw": "the event has no name"}]})
    envelope = {**address, "event": name, "data": params.get("data"),
                "sendid": params.get("id"), "origin": SESSION}
    delay = _delay(chart, element)
    if delay is None:
        return [mailbox.emit(envelope)]
    timer = {"event": mailbox.DELAYED, "data": envelope, "delay": delay}
    return [{"type": "raise", "params": {**timer, "id": params["id"]} if "id" in params else timer}]


def _external(chart, element, params):
    delay = _delay(chart, element)
    return [{"type": "raise", "params": {**params, "delay": 0 if delay is None else delay}}]


def _internal(element, params):
    if _either(element, "delay"):
        raise element.error("an event for #_internal cannot be delayed")
    return [{"type": "raise", "params": params}]


def _error(name, params):
    found = {"event": name}
    if "id" in params:
        found["id"] = params["id"]
    return {"type": "raise", "params": found}


def _refused(element, params, nested, message):
    """error.execution with the id of what was sent, and the end of the block; inside of
    others a block can only be ended by failing, which knows no id."""
    if nested:
        return [fails(message)], True
    return [_error("error.execution", params)], True


def _first(*branches):
    """The actions of the first branch that applies. Those behind one without a guard never do."""
    certain = [guard for guard, _ in branches].index(None)
    return branches[0][1] if certain == 0 else [_choose(*branches[:certain + 1])]


def _choose(*branches):
    return {"type": "choose", "params": {"branches": [
        {"actions": actions} if guard is None else {"guard": guard, "actions": actions}
        for guard, actions in branches]}}


def cancel(chart, element):
    identity = given(chart, element, "sendid")
    if identity is None:
        raise element.error("expected a sendid")
    return [{"type": "cancel", "params": {"id": identity.rule}}]
