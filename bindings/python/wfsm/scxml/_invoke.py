"""<invoke> and <finalize>: sessions of a chart as child workflows."""
from . import _content as content, _mailbox as mailbox, _rules as rules, _sending as sending
from ._document import parse as parse_document
from ._ecmascript import parse
from ._errors import ScxmlError
from ._mailbox import INVOKED, PARENT, TICKETS, choose
from ._rules import ANY, STRING, Typed
from ._schema import check
from ._variables import SESSION

TYPES = ("http://www.w3.org/TR/scxml/", "http://www.w3.org/TR/scxml", "scxml")


class Child:
    """A chart to be imported: its root, the folder of its files, the names of the data that its
    parent gives, and the files that lead to it."""

    def __init__(self, machine, root, folder, files=(), invoked=True):
        self.machine, self.root, self.folder, self.files = machine, root, folder, files
        self.given, self.invoked = frozenset(), invoked


class Invoke:
    """One <invoke>. `key` is the invocation's id in the document; `state` is where it stands."""

    def __init__(self, element, state, key):
        self.element, self.state, self.key = element, state, key
        self.finalize, self.location = [], None
        self.forwards = False

    # ---- what the context knows of it ----

    def entry(self, name):
        return {"get": [{"get": [{"var": "context." + INVOKED}, self.key]}, name]}

    def _store(self, value):
        return {"type": "assign", "params": {
            INVOKED: {"with": [{"var": "context." + INVOKED}, self.key, value]}}}

    def ticket(self):
        """The actions with which its state is entered. It begins at the end of the macrostep,
        so it is not live yet."""
        number = {"var": "context." + TICKETS}
        name = self.element.get("id") or {"cat": [self.key, ".", number]}
        return [{"type": "assign", "params": {TICKETS: {"+": [number, 1]}}},
                self._store({"ticket": number, "id": name, "live": False})]

    def has_ticket(self, ticket):
        return {"and": [{"in_state": self.state}, {"===": [self.entry("ticket"), ticket]}]}

    def is_live(self):
        return {"and": [{"in_state": self.state}, {"===": [self.entry("live"), True]}]}

    def address(self):
        """Where the router finds the child."""
        return {"child": self.key, "of": self.entry("ticket")}

    def is_target(self, target):
        name = {"cat": ["#_", self.entry("id")]}
        return {"and": [*self.is_live()["and"], {"===": [target, name]}]}

    # ---- what is done before transitions are selected for an event ----

    def before_event(self):
        """Blocks of actions."""
        started = {"and": [{"in_state": self.state}, {"===": [self.entry("live"), False]}]}
        live = {"with": [{"get": [{"var": "context." + INVOKED}, self.key]}, "live", True]}
        begin = [self._store(live)] + ([self.location] if self.location else [])
        blocks = [[choose(started, begin)]]
        if self.finalize:
            blocks.append([choose(self._is_sender(), self.finalize)])
        ended = {"in": [{"var": "event.type"},
                        [mailbox.DONE + self.key, mailbox.FAILED + self.key]]}
        blocks.append([choose(ended, [self._store(None)])])
        if self.forwards:
            blocks.append([choose(self.is_live(), [mailbox.emit(self._copy())])])
        return blocks

    def _is_sender(self):
        message = {"and": [mailbox.IS_MESSAGE, self.has_ticket({"var": "event.data.ticket"})]}
        return {"or": [{"===": [{"var": "event.type"}, mailbox.DONE + self.key]}, message]}

    def _copy(self):
        stored = {name: {"var": f"context.{mailbox.RECEIVED}.{name}"}
                  for name in ("data", "sendid", "origin", "invokeid")}
        return {"target": {"cat": ["#_", self.entry("id")]}, **self.address(),
                "event": {"var": f"context.{mailbox.RECEIVED}.name"}, **stored}


def collect(names):
    """All of a chart's, in document order."""
    found, taken = [], {}
    for state in names.path:
        for number, element in enumerate(state.all("invoke"), 1):
            own = state.get("id") or names.path[state]
            key = element.get("id") or f"{own}.{number}"
            if key in taken:
                raise element.error(f"the id {key} is taken (line {taken[key]})")
            taken[key] = element.line
            found.append(Invoke(element, "#" + own, key))
    return found


# ---- the element ----

def convert(chart, one):
    """The invocation of a machine document. The child is added to the chart's children."""
    element = one.element
    check(element)
    child = _child(chart, one)
    given, unused = _given(chart, element, child.root)
    child.given = frozenset(given)
    parent = {"ticket": one.entry("ticket"), "id": one.entry("id"), "origin": SESSION}
    if unused:
        parent["unused"] = unused
    found = {**_source(chart, element, "machine:" + child.machine), "id": one.key,
             "input": {PARENT: parent, **given}}
    chart.children_found.append(child)
    return found


def prepare(chart, one):
    """What the root and the state's entry need. It is known before the states are converted."""
    element = one.element
    check(element)
    one.forwards = _is_true(element, "autoforward")
    if element.get("idlocation") is not None:
        if element.get("id") is not None:
            raise element.error("either id or idlocation")
        one.location = chart.assign(element, "idlocation", Typed(one.entry("id"), STRING))
    if element.all("finalize"):
        usual, chart.logic.event = chart.logic.event, mailbox.finalize_members()
        one.finalize = _finalize(chart, element, element.all("finalize")[0])
        chart.logic.event = usual


def _is_true(element, name):
    value = element.get(name) or "false"
    if value not in ("true", "false"):
        raise element.error(f"{name}=\"{value}\": expected true or false")
    return value == "true"


def _source(chart, element, machine):
    kind = sending.given(chart, element, "type")
    if kind is None or kind.rule in TYPES:
        return {"src": machine}
    if rules.is_constant(kind.rule):
        raise element.error(f"type=\"{kind.rule}\" is not supported: wfsm invokes SCXML")
    known = {"in": [kind.rule, list(TYPES)]}
    return {"src": {"if": [known, machine, {"throw": "the type is not supported"}]},
            "srcs": [machine]}


def _child(chart, one):
    element = one.element
    inner, source = element.all("content"), element.get("src")
    if len(inner) + sum(element.get(name) is not None for name in ("src", "srcexpr")) != 1:
        raise element.error("expected src or <content>")
    if element.get("srcexpr") is not None:
        raise element.error("srcexpr is not supported: a chart is known when it is imported")
    machine = f"{chart.identity}.{one.key}"
    if source is not None:
        return _file(chart, element, machine)
    check(inner[0])
    if inner[0].get("expr") is not None or len(inner[0].children) != 1:
        raise inner[0].error("expected <scxml>: XML as data is not supported")
    return Child(machine, inner[0].children[0], chart.folder, chart.files)


def _file(chart, element, machine):
    path = chart.path(element)
    if path in chart.files:
        raise element.error("a chart that invokes itself is not supported")
    try:
        root = parse_document(chart.read(element), ignore_foreign=chart.ignore_foreign)
    except ScxmlError as problem:
        raise element.error(f"src=\"{element.get('src')}\": {problem}") from None
    return Child(machine, root, path.parent, chart.files + (path,))


def _given(chart, element, root):
    """The input's members, and values that are computed for nothing: the child has no data of
    that name."""
    names = sending.name_list(chart, element) if element.get("namelist") is not None else {}
    values = sending.values(chart, element.all("param"), names)
    known = {one.get("id") for model in root.all("datamodel") for one in model.all("data")}
    return ({name: rule for name, rule in values.items() if name in known},
            [rule for name, rule in values.items() if name not in known])


# ---- <finalize> ----

def _finalize(chart, element, finalize):
    check(finalize)
    if finalize.children:
        return content.block(chart, finalize, nested=True)
    places = {name: (element, "namelist", name) for name in (element.get("namelist") or "").split()}
    for param in element.all("param"):
        if param.get("location") is not None:
            places[param.get("name")] = (param, "location", param.get("location"))
    return [_returned(chart, name, *place) for name, place in places.items()]


def _returned(chart, name, element, attribute, location):
    """An empty <finalize> takes what the event has of the same name."""
    data = {"var": f"context.{mailbox.RECEIVED}.data"}
    value = Typed({"get": [data, name]}, ANY)
    stored = chart.compiled(element, attribute, lambda _: chart.logic.assign(parse(location), value),
                            content.fails)
    return choose(rules.has(data, name), [stored])
