"""The errors of a chart."""
from typing import Optional


class ScxmlError(ValueError):
    """The chart cannot be imported: `message`, and where: `line` and `element`."""

    def __init__(self, message: str, line: Optional[int] = None, element: Optional[str] = None) -> None:
        self.message: str = message
        self.line: Optional[int] = line
        self.element: Optional[str] = element
        place = f"line {line}, <{element}>: " if element else f"line {line}: " if line else ""
        super().__init__(place + message)


class Unsupported(Exception):
    """Legal in a chart, but without a counterpart in wfsm."""


class Illegal(Exception):
    """Not a legal expression, location or value. SCXML reports this at run time."""
