"""Channels: the values of a graph's state."""
from langgraph.errors import EmptyChannelError, InvalidUpdateError
from langgraph.types import Overwrite

MISSING = object()


class BaseChannel:
    def __init__(self, typ, key=""):
        self.typ, self.key, self.value = typ, key, MISSING

    def copy(self):
        return self.from_checkpoint(self.value)

    def from_checkpoint(self, checkpoint):
        made = type(self)(self.typ, self.key)
        made.value = checkpoint
        return made

    def checkpoint(self):
        return self.value

    def get(self):
        if self.value is MISSING:
            raise EmptyChannelError()
        return self.value

    def is_available(self):
        return self.value is not MISSING

    def update(self, values):
        raise NotImplementedError

    def consume(self):
        return False

    def finish(self):
        return False


class LastValue(BaseChannel):
    def update(self, values):
        if not values:
            return False
        if len(values) != 1:
            raise InvalidUpdateError(f"At key '{self.key}': Can receive only one value per step.")
        self.value = values[0]
        return True


class EphemeralValue(BaseChannel):
    """The value of the step before."""

    def update(self, values):
        had, self.value = self.is_available(), values[-1] if values else MISSING
        return had or bool(values)


class BinaryOperatorAggregate(BaseChannel):
    def __init__(self, typ, operator, key=""):
        super().__init__(typ, key)
        self.operator = operator
        try:
            self.value = typ()
        except TypeError:
            pass

    def from_checkpoint(self, checkpoint):
        made = BinaryOperatorAggregate(self.typ, self.operator, self.key)
        if checkpoint is not MISSING:
            made.value = checkpoint
        return made

    def update(self, values):
        for value in values:
            if isinstance(value, Overwrite):
                self.value = value.value
            elif self.value is MISSING:
                self.value = value
            else:
                self.value = self.operator(self.value, value)
        return bool(values)
