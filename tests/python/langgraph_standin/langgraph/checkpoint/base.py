"""What a checkpoint saver is."""
from typing import Generic, TypeVar

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

V = TypeVar("V")


class BaseCheckpointSaver(Generic[V]):
    serde = JsonPlusSerializer()

    def __init__(self, *, serde=None):
        self.serde = serde or self.serde

    def get(self, config):
        found = self.get_tuple(config)
        return found and found.checkpoint
