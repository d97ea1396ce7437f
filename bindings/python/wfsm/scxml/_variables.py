"""The names in a chart's expressions: its data, and SCXML's system variables."""
from ._rules import ANY, NULL, NUMBER, OBJECT, STRING, Typed, literal, template

SESSION = {"cat": ["#_scxml_", {"var": "instance.id"}]}
PROCESSOR = "http://www.w3.org/TR/scxml/#SCXMLEventProcessor"
PROCESSORS = (PROCESSOR, "scxml")
HTTP = ("http://www.w3.org/TR/scxml/#BasicHTTPEventProcessor", "basichttp")
SYSTEM = ("_event", "_name", "_sessionid", "_ioprocessors", "_x")

KIND, TYPE = {"var": "event.kind"}, {"var": "event.type"}
# What `send` delivers comes as a timer; everything else has no origin.
SENT = {"===": [KIND, "timer"]}


def _members_of_event():
    return {
        "name": Typed(TYPE, STRING | NULL),
        "type": Typed({"if": [
            {"in": [TYPE, ["error.execution", "error.communication"]]}, "platform",
            SENT, "external", KIND]}, STRING | NULL),
        "sendid": Typed({"var": "event.id"}, STRING | NULL),
        "origin": Typed({"if": [SENT, SESSION, None]}, STRING | NULL),
        "origintype": Typed({"if": [SENT, PROCESSOR, None]}, STRING | NULL),
        "invokeid": Typed(None, NULL),
        "data": Typed({"var": "event.data"}, ANY),
    }


EVENT = _members_of_event()
IO_PROCESSORS = {name: {"location": SESSION} for name in PROCESSORS}


def system(name, event=None):
    """A system variable as a whole."""
    if name == "_event":
        event = event or EVENT
        whole = template(list(event), [value.rule for value in event.values()])
        return Typed({"if": [{"===": [{"var": "event"}, None]}, None, whole]}, OBJECT | NULL)
    return {
        "_name": Typed({"var": "instance.machine"}, STRING),
        "_sessionid": Typed({"var": "instance.id"}, STRING),
        "_ioprocessors": Typed(IO_PROCESSORS, OBJECT),
        "_x": literal({}),
    }[name]


class Variables:
    """The data of a chart and its possible types, found by processing the whole chart again
    until nothing new is assigned."""

    def __init__(self):
        self.types = {}
        self.changed = False

    def declare(self, name, types=NULL):
        self.note(name, types)

    def note(self, name, types):
        """Values of these types are assigned."""
        before = self.types.get(name)
        if before is None or not types <= before:
            self.types[name] = (before or frozenset()) | types
            self.changed = True

    def __contains__(self, name):
        return name in self.types

    def get(self, name):
        return Typed({"var": "context." + name}, self.types[name])


INDEX = NUMBER
