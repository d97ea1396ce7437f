"""The channels of a graph, with the values of one checkpoint."""
from __future__ import annotations

import copy
from typing import Any, Dict, Iterable, List, Mapping, Sequence, Tuple

from ._langgraph_codec import Codec
from ._langgraph_plan import Plan, Schema
from ._langgraph_types import ROOT

Writes = Sequence[Tuple[str, Any]]
_EMPTY = {"__empty__": True}


class State:
    """Each channel is a key of the instance's context. LangGraph's own channel objects do the work,
    so that reducers and every kind of channel mean what they mean there."""

    def __init__(self, plan: Plan, codec: Codec, context: Mapping[str, Any]):
        self._plan, self._codec = plan, codec
        self._channels: Dict[str, Any] = {}
        for key, channel in plan.channels.items():
            stored = context.get(key, _EMPTY)
            if stored != _EMPTY:
                self._channels[key] = channel.from_checkpoint(codec.decode(stored))
            elif channel.is_available():  # a reducer may change the first value in place
                self._channels[key] = channel.from_checkpoint(copy.deepcopy(channel.checkpoint()))
            else:
                self._channels[key] = channel.copy()
        self._changed: Dict[str, None] = {}

    def apply(self, writes: Writes, is_step: bool = True) -> None:
        """The writes of one step together. `is_step`: channels that keep a value for one step only
        are told that it is over."""
        grouped: Dict[str, List[Any]] = {}
        for key, value in writes:
            grouped.setdefault(key, []).append(value)
        for key, values in grouped.items():
            if self._channels[key].update(values):
                self._changed[key] = None
        for key, channel in self._channels.items():
            if is_step and key not in grouped and channel.is_available() and channel.update([]):
                self._changed[key] = None

    def patch(self) -> Dict[str, Any]:
        """What has changed, for the context."""
        return {key: self._stored(key) for key in self._changed}

    def _stored(self, key: str) -> Any:
        channel = self._channels[key]
        return self._codec.encode(channel.checkpoint()) if channel.is_available() else dict(_EMPTY)

    def values(self, keys: Iterable[str], scratchpad: Any = None) -> Any:
        """A dict of what is there; or the value, of a state that is no dict."""
        wanted = tuple(keys)
        if wanted == (ROOT,):
            root = self._channels[ROOT]
            return root.get() if root.is_available() else None
        found = {}
        for key in wanted:
            if key in self._plan.managed:
                found[key] = self._plan.managed[key].get(scratchpad)
            elif self._channels[key].is_available():
                found[key] = self._channels[key].get()
        return found

    def seen(self, schema: Schema, scratchpad: Any = None) -> Any:
        """What a node or a conditional edge gets."""
        values = self.values(schema.keys, scratchpad)
        return values if schema.make is None else schema.make(**values)

    def everything(self) -> Any:
        return self.values(self._plan.channels)
