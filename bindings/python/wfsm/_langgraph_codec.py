"""Values of a graph's state as JSON, in which the store keeps them."""
from __future__ import annotations

import base64
import math
import sys
from typing import Any, Mapping

_TUPLE, _TYPED = "__tuple__", "__serde__"
_MARKS = (_TUPLE, _TYPED)
_LARGEST = 2 ** 53


def _is_json(value: Any) -> bool:
    kind = type(value)
    if kind is str:
        return "\0" not in value and not any("\ud800" <= one <= "\udfff" for one in value)
    if kind is int:
        return bool(-_LARGEST <= value <= _LARGEST)
    return value is None or kind is bool or kind is float and math.isfinite(value)


class Codec:
    """JSON stays JSON, and tuples stay tuples. All else goes through `serde`, LangGraph's
    serializer: an object with ``dumps_typed`` and ``loads_typed``."""

    def __init__(self, serde: Any = None):
        self._serde = serde

    def encode(self, value: Any) -> Any:
        if _is_json(value):
            return value
        if type(value) is list:
            return [self.encode(one) for one in value]
        if type(value) is tuple:
            return {_TUPLE: [self.encode(one) for one in value]}
        if type(value) is dict and all(map(self._is_key, value)):
            return {key: self.encode(one) for key, one in value.items()}
        kind, content = self._serializer(value).dumps_typed(value)
        return {_TYPED: [kind, base64.b64encode(content).decode("ascii")]}

    @staticmethod
    def _is_key(key: Any) -> bool:
        return _is_json(key) and type(key) is str and key not in _MARKS

    def decode(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.decode(one) for one in value]
        if not isinstance(value, Mapping):
            return value
        if _TUPLE in value:
            return tuple(self.decode(one) for one in value[_TUPLE])
        if _TYPED in value:
            kind, content = value[_TYPED]
            return self._serializer(value).loads_typed((kind, base64.b64decode(content)))
        return {key: self.decode(one) for key, one in value.items()}

    def _serializer(self, value: Any) -> Any:
        """Made late, because a program may import LangGraph's after ``compile``."""
        if self._serde is None:
            module = sys.modules.get("langgraph.checkpoint.serde.jsonplus")
            if module is None:
                raise TypeError(f"a value of type {type(value).__name__} is no JSON: give "
                                "wfsm.langgraph.compile() a serde with dumps_typed() and loads_typed()")
            self._serde = module.JsonPlusSerializer()
        return self._serde
