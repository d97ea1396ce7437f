"""Which elements and attributes a chart can have, and where."""

_STATES = ("state", "parallel", "final", "history")
_ACTIONS = ("raise", "if", "foreach", "log", "assign", "script", "send", "cancel")
_EXPRESSIONS = ("event", "eventexpr", "target", "targetexpr", "type", "typeexpr", "id",
                "idlocation", "delay", "delayexpr", "namelist")

# element: (children, attributes); no children: it can hold text.
ELEMENTS = {
    # A transition of the root is not SCXML, but other implementations and wfsm allow it.
    "scxml": (("state", "parallel", "final", "datamodel", "script", "transition"),
              ("initial", "name", "version", "datamodel", "binding")),
    "state": (_STATES + ("onentry", "onexit", "transition", "initial", "datamodel", "invoke"),
              ("id", "initial")),
    "parallel": (("state", "parallel", "history", "onentry", "onexit", "transition",
                  "datamodel", "invoke"), ("id",)),
    "final": (("onentry", "onexit", "donedata"), ("id",)),
    "history": (("transition",), ("id", "type")),
    "initial": (("transition",), ()),
    "transition": (_ACTIONS, ("event", "cond", "target", "type")),
    "onentry": (_ACTIONS, ()),
    "onexit": (_ACTIONS, ()),
    "donedata": (("content", "param"), ()),
    "datamodel": (("data",), ()),
    "data": ((), ("id", "expr", "src")),
    "raise": ((), ("event",)),
    "if": (_ACTIONS + ("elseif", "else"), ("cond",)),
    "elseif": ((), ("cond",)),
    "else": ((), ()),
    "foreach": (_ACTIONS, ("array", "item", "index")),
    "log": ((), ("label", "expr")),
    "assign": ((), ("location", "expr")),
    "script": ((), ("src",)),
    "send": (("content", "param"), _EXPRESSIONS),
    "cancel": ((), ("sendid", "sendidexpr")),
    "invoke": (("content", "param", "finalize"), ("type", "typeexpr", "src", "srcexpr", "id",
                                                  "idlocation", "namelist", "autoforward")),
    # What <finalize> does comes before the event, so it raises and sends nothing.
    "finalize": (("if", "foreach", "log", "assign", "script", "cancel"), ()),
    "content": ((), ("expr",)),
    "param": ((), ("name", "expr", "location")),
}
_HOLD_TEXT = ("data", "assign", "script", "content")


def check(element):
    """Raises ScxmlError if the element has something that it must not have."""
    if element.foreign or element.name not in ELEMENTS:
        raise element.error("not an element of SCXML")
    children, attributes = ELEMENTS[element.name]
    for name in element.attributes:
        if name not in attributes:
            raise element.error(f"the attribute {name} is not known here")
    if element.name not in _HOLD_TEXT and element.text.strip():
        raise element.error("text is not expected here")
    for child in element.children:
        if (child.foreign or child.name not in children) and \
                element.name not in ("data", "assign", "content"):
            raise child.error(f"not expected in <{element.name}>")
