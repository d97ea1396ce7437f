"""What the parts of the importer share while they process a chart."""
import json
from pathlib import Path

from . import _rules as rules
from ._ecmascript import parse
from ._errors import Illegal, ScxmlError, Unsupported
from ._logic import Logic
from ._tokens import exact
from ._variables import Variables


MAX_DATA_DEPTH = 200


class Import:
    """One chart: its variables and states, the folder of its files, and its warnings."""

    def __init__(self, states, variables, folder, warn):
        self.states, self.folder, self.warn = states, folder, warn
        self.variables: Variables = variables
        self.logic = Logic(variables, states)
        self.context = {}
        self.counts_sends = False

    def illegal(self, element, what, problem):
        """A rule or an action that fails at run time, as SCXML says."""
        message = f"{what}: {problem}"
        self.warn(ScxmlError(f"{message}; this will fail at run time", element.line,
                             element.name))
        return message

    def compiled(self, element, attribute, function, failed):
        """function(text of the attribute), or failed(message) if that raises."""
        try:
            return function(element.get(attribute))
        except Illegal as problem:
            what = f"{attribute}=\"{shortened(element.get(attribute))}\""
            return failed(self.illegal(element, what, problem))
        except Unsupported as problem:
            raise element.error(f"{attribute}: {problem}") from None

    def expression(self, element, attribute):
        """The value of an attribute with an expression."""
        return self.compiled(element, attribute, self.logic.expression, rules.fail)

    def assign(self, element, attribute, value):
        """The action that stores a value where an attribute says."""
        return self.compiled(element, attribute,
                             lambda text: self.logic.assign(parse(text), value), fails)

    def guard(self, element):
        """The rule of `cond`, or None if there is no condition."""
        if element.get("cond") is None:
            return None
        return self.compiled(element, "cond", self.logic.guard,
                             lambda message: rules.fail(message).rule)

    def path(self, element):
        """The path of a file that `src` names, in the folder of the chart or below."""
        source = element.get("src")
        name = source[5:] if source.startswith("file:") else source
        if self.folder is None or ":" in name or name.startswith(("/", "\\")):
            raise element.error(f"src=\"{source}\": expected a file beside the chart")
        folder = Path(self.folder).resolve()
        try:
            path = (folder / name).resolve()
            path.relative_to(folder)
            return path
        except ValueError:
            raise element.error(f"src=\"{source}\": expected a file beside the chart") from None

    def read(self, element):
        """The text of that file."""
        source = element.get("src")
        try:
            return self.path(element).read_text(encoding="utf-8")
        except ValueError:
            raise element.error(f"src=\"{source}\": expected a text file beside the chart"
                                ) from None
        except OSError as problem:
            raise element.error(f"src=\"{source}\": {problem.strerror}") from None


def fails(message):
    """An action that fails, which ends its block and raises error.execution."""
    return {"type": "log", "params": {"label": "error", "value": {"throw": message}}}


def shortened(text):
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "…"


def _number(text):
    digits = text.lstrip("-")
    return exact(int(text) if digits.isdigit() and len(text) < 400 else float(text), text)


def _refuse_constant(text):
    raise ValueError(text)


def _check_depth(value, left):
    if left == 0:
        raise Unsupported("data is nested too deeply")
    if isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            _check_depth(item, left - 1)


def inline(text):
    """Data that is written as content: JSON, or else text whose white space is one blank."""
    try:
        value = json.loads(text, parse_int=_number, parse_float=_number,
                           parse_constant=_refuse_constant)
        _check_depth(value, MAX_DATA_DEPTH)
        return value
    except ValueError:
        return " ".join(text.split())
    except RecursionError:
        raise Unsupported("data is nested too deeply") from None


def content(element):
    """The inline data of an element. Unsupported elements are an error."""
    for child in element.children:
        raise child.error("XML as data is not supported")
    try:
        return inline(element.text)
    except Unsupported as problem:
        raise element.error(str(problem)) from None
