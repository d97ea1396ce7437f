"""The XML of a chart as a tree that knows its lines."""
from xml.parsers import expat

from ._errors import ScxmlError

NAMESPACE = "http://www.w3.org/2005/07/scxml"
MAX_DEPTH = 200


class Element:
    """An element: local name, attributes without namespace, children, its own text."""

    def __init__(self, name, foreign, attributes, line):
        self.name, self.foreign = name, foreign
        self.attributes, self.line = attributes, line
        self.children, self.text = [], ""

    def get(self, attribute):
        return self.attributes.get(attribute)

    def all(self, *names):
        return [child for child in self.children if child.name in names]

    def error(self, message):
        return ScxmlError(message, self.line, self.name)


class _Builder:
    def __init__(self, ignore_foreign):
        self.ignore_foreign = ignore_foreign
        self.root, self.open, self.skipping = None, [], 0
        self.parser = parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.EntityDeclHandler = self.entity

    def start(self, name, attributes):
        namespace, _, local = name.rpartition(" ")
        foreign = namespace not in (NAMESPACE, "")
        if self.skipping or (foreign and self.ignore_foreign):
            self.skipping += 1
            return
        # Attributes of other namespaces belong to editors and the like.
        own = {key: value for key, value in attributes.items() if " " not in key}
        element = Element(local, foreign, own, self.parser.CurrentLineNumber)
        if len(self.open) >= MAX_DEPTH:
            raise element.error(f"more than {MAX_DEPTH} nested elements")
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _name):
        if self.skipping:
            self.skipping -= 1
        else:
            self.open.pop()

    def characters(self, text):
        if self.open and not self.skipping:
            self.open[-1].text += text

    def entity(self, name, *_rest):
        raise ScxmlError(f"the entity {name} is declared: entities are not supported",
                         self.parser.CurrentLineNumber)


def parse(data, *, ignore_foreign=False):
    """The root element of XML in bytes or a string."""
    builder = _Builder(ignore_foreign)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as problem:
        raise ScxmlError(f"not XML: {expat.errors.messages[problem.code]}",
                         problem.lineno) from None
    if builder.root is None:
        raise ScxmlError("no element <scxml>", 1)
    return builder.root
