"""Conditions on attributes, for Store.list."""
from __future__ import annotations

import ctypes
import json
import re
from typing import Any, Iterable, Iterator, List, Mapping, Tuple, Union

from . import _ffi, _text

Where = Union[str, Iterable[str], Mapping[str, Union[str, bool, int, float]]]

_WORDS = {"=": 1, "!=": 2, "<": 3, "<=": 4, ">": 5, ">=": 6}
_CONDITION = re.compile(r"([^=<>!]+)(!=|<=|>=|=|<|>)(.*)", re.DOTALL)


def _parts(where: Where) -> Iterator[Tuple[str, str, str]]:
    if isinstance(where, Mapping):
        for name, value in where.items():
            yield name, "=", value if isinstance(value, str) else json.dumps(value)
        return
    for text in [where] if isinstance(where, str) else where:
        found = _CONDITION.fullmatch(_text.name(text, "a condition").decode())
        if not found:
            raise ValueError(f"expected a condition such as \"customer=acme\", not {text!r}")
        yield found[1], found[2], found[3]


def conditions(where: Where) -> List[_ffi.Condition]:
    return [_ffi.Condition(name=_text.name(name), comparison=_WORDS[word],
                           value=_text.name(value, "a value")) for name, word, value in _parts(where)]


def pointers(made: List[_ffi.Condition]) -> Any:
    """The array that C wants. It borrows the conditions."""
    return (_ffi.ptr * len(made))(*[ctypes.addressof(one) for one in made])
