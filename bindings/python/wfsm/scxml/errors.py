"""What can be wrong with a chart."""


class ScxmlError(ValueError):
    """The chart cannot be imported: `message`, and where: `line` and `element`."""

    def __init__(self, message, line=None, element=None):
        self.message, self.line, self.element = message, line, element
        place = f"line {line}, <{element}>: " if element else f"line {line}: " if line else ""
        super().__init__(place + message)


class Unsupported(Exception):
    """Legal in a chart, but there is nothing in wfsm that would mean the same."""


class Illegal(Exception):
    """No legal expression, location or value: SCXML wants that to be found at run time."""
