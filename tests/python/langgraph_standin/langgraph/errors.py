"""Exceptions."""


class EmptyChannelError(Exception):
    pass


class InvalidUpdateError(Exception):
    pass


class GraphRecursionError(RecursionError):
    pass


class EmptyInputError(Exception):
    pass


class GraphBubbleUp(Exception):
    pass


class GraphInterrupt(GraphBubbleUp):
    def __init__(self, interrupts=()):
        super().__init__(interrupts)


class ParentCommand(GraphBubbleUp):
    pass
