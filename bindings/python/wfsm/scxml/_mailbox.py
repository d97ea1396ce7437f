"""How events come into a chart that invokes sessions, or is invoked as one.

SCXML runs <finalize>, and forwards an event, before it selects transitions for it. So the root
takes every event of the external queue first, does that, and raises the event again, marked by
its id. No other transition is enabled for an event that is still raw. All of this is one step.
"""
from . import _rules as rules
from ._rules import ANY, NULL, STRING, Typed
from ._variables import EVENT, KIND, PROCESSOR, SESSION, TYPE

PREFIX = "_scxml."
# From the router; from this chart's own <send> with a delay; to the router.
MESSAGE, DELAYED, SEND = PREFIX + "message", PREFIX + "delayed", PREFIX + "send"
MARK = "_received"
RECEIVED, INVOKED, TICKETS, PARENT = "_received", "_invoked", "_tickets", "_parent"
DONE, FAILED = "done.invoke.", "error.invoke."


def starts(rule, text):
    return {"===": [{"slice": [rule, 0, len(text)]}, text]}


IS_MARKED = {"===": [{"var": "event.id"}, MARK]}
IS_MESSAGE = {"===": [TYPE, MESSAGE]}
OF_CHILD = {"or": [starts(TYPE, DONE), starts(TYPE, FAILED)]}
RAW = {"or": [{"in": [KIND, ["external", "timer"]]}, *OF_CHILD["or"]]}
READY = {"!": [RAW]}


def parent(name):
    """What the input says of the session that has invoked this one."""
    return {"var": f"context.{PARENT}.{name}"}


def guarded(guard):
    return READY if guard is None else rules.joined("and", [READY, guard])


def aliases(descriptors):
    """With the names under which the events of children are raised again."""
    found = []
    for each in descriptors:
        found.append(each)
        words = each.split(".")
        if words[0] in ("done", "error") and words[1] in ("*", "invoke"):
            found.append(PREFIX + each)
    return found


# ---- _event ----

def _stored(name):
    return {"var": f"context.{RECEIVED}.{name}"}


def _plain_name(rule):
    return {"if": [starts(rule, PREFIX), {"slice": [rule, len(PREFIX)]}, rule]}


def _origin_type(origin):
    return Typed({"if": [{"===": [origin, None]}, None, PROCESSOR]}, STRING | NULL)


def members():
    """_event of a chart with sessions."""
    def marked(name, other=None):
        return {"if": [IS_MARKED, _stored(name), other]}
    outside = {"if": [starts(TYPE, PREFIX), "platform", "external"]}
    inside = {"if": [{"in": [TYPE, ["error.execution", "error.communication"]]}, "platform", KIND]}
    return {
        "name": Typed(_plain_name(TYPE), STRING | NULL),
        "type": Typed({"if": [IS_MARKED, outside, inside]}, STRING | NULL),
        "sendid": Typed(marked("sendid", {"var": "event.id"}), ANY),
        "origin": Typed(marked("origin"), ANY),
        "origintype": _origin_type(marked("origin")),
        "invokeid": Typed(marked("invokeid"), ANY),
        "data": EVENT["data"],
    }


def finalize_members():
    """_event in <finalize>, which runs while the event is raw."""
    return {
        "name": Typed(_plain_name(_stored("name")), STRING | NULL),
        "type": Typed({"if": [OF_CHILD, "platform", "external"]}, STRING),
        "sendid": Typed(_stored("sendid"), ANY),
        "origin": Typed(_stored("origin"), ANY),
        "origintype": _origin_type(_stored("origin")),
        "invokeid": Typed(_stored("invokeid"), ANY),
        "data": Typed(_stored("data"), ANY),
    }


# ---- the root's transitions ----

def _data(name):
    return {"var": "event.data." + name}


def _id_of_child():
    """The invokeid of the child that has ended. Its key is the rest of the event's name."""
    key = {"slice": [TYPE, {"if": [starts(TYPE, DONE), len(DONE), len(FAILED)]}]}
    entry = {"get": [{"var": "context." + INVOKED}, key]}
    return {"get": [entry, "id"]}


def _envelope():
    """What is known of a raw event."""
    prefix = {"if": [starts(TYPE, DONE), PREFIX + DONE, PREFIX + FAILED]}
    again = {"cat": [prefix, _id_of_child()]}
    sent = {"===": [KIND, "timer"]}
    return {
        "name": {"if": [IS_MESSAGE, _data("event"), OF_CHILD, again, TYPE]},
        "data": {"if": [IS_MESSAGE, _data("data"), {"var": "event.data"}]},
        "sendid": {"if": [IS_MESSAGE, _data("sendid"), {"var": "event.id"}]},
        "origin": {"if": [IS_MESSAGE, _data("origin"), sent, SESSION, None]},
        "invokeid": {"if": [IS_MESSAGE, _data("invokeid"), OF_CHILD, _id_of_child(), None]},
    }


def choose(guard, actions):
    return {"type": "choose", "params": {"branches": [{"guard": guard, "actions": actions}]}}


def context(invokes, invoked):
    """The initial values of what this needs."""
    found = {RECEIVED: None}
    if invokes:
        found.update({INVOKED: {}, TICKETS: 0})
    if invoked:
        found[PARENT] = None
    return found


def emit(envelope):
    return {"type": "emit", "params": {"event": SEND, "data": envelope}}


def transitions(invokes):
    """The root takes these first. `invokes` are the chart's invocations."""
    lost = {"type": "raise", "params": {"event": "error.communication", "id": _data("sendid")}}
    known = [one.has_ticket(_data("ticket")) for one in invokes]
    stale = {"and": [{"!==": [_data("ticket"), None]}, {"!": [{"or": known}]}]} if known else \
        {"!==": [_data("ticket"), None]}
    return [
        {"event": MESSAGE, "guard": stale},
        {"event": MESSAGE, "guard": {"===": [_data("error"), True]}, "actions": lost},
        {"event": DELAYED, "guard": {"===": [KIND, "timer"]},
         "actions": emit({"var": "event.data"})},
        {"event": "*", "guard": RAW, "actions": _receive(invokes)},
    ]


def _receive(invokes):
    again = {"event": _stored("name"), "data": _stored("data"), "id": MARK}
    blocks = [[{"type": "assign", "params": {RECEIVED: _envelope()}},
               {"type": "raise", "params": again}]]
    for one in invokes:
        blocks += one.before_event()
    return blocks
