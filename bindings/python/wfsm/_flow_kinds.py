"""What is known of the value of an expression, from annotations. Rules mean the same as Python only for
values of known types: for example true == 1 in Python, and not in a rule."""
from __future__ import annotations

import collections.abc
import enum
import typing
from typing import Any, FrozenSet, Iterable, NamedTuple, Tuple

from . import types
from ._values import is_model, is_object


class Kind(NamedTuple):
    """One of the types that a value may have. `of` is what is in it: the element of a list or a dict,
    the class of an object or an Enum."""

    name: str
    of: Any = None


Kinds = FrozenSet[Kind]

NONE, BOOL, INT, FLOAT, STR, ANY = map(Kind, ("None", "bool", "int", "float", "str", "any type"))
NUMBERS = frozenset({INT, FLOAT})
_SIMPLE = {type(None): NONE, None: NONE, bool: BOOL, int: INT, float: FLOAT, str: STR, Any: ANY, object: ANY}


def one(kind: Kind) -> Kinds:
    return frozenset({kind})


def union(parts: Iterable[Kinds]) -> Kinds:
    return frozenset().union(*parts)


def of_value(value: Any) -> Kinds:
    """Of a constant."""
    if isinstance(value, enum.Enum):
        return one(Kind("enum", type(value)))
    if isinstance(value, (list, tuple)):
        return one(Kind(type(value).__name__, union(map(of_value, value))))
    if isinstance(value, dict):
        return one(Kind("dict", union(map(of_value, value.values()))))
    return one(_SIMPLE[type(value)])


def _of_list(arguments: Tuple[Any, ...]) -> Kinds:
    return union(of(argument) for argument in arguments if argument is not Ellipsis)


def of(annotation: Any) -> Kinds:
    """Of the values that a type has."""
    kind = types._bare(annotation)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, collections.abc.Hashable) and kind in _SIMPLE:
        return one(_SIMPLE[kind])
    if origin in types._UNIONS:
        return union(map(of, arguments))
    if origin is typing.Literal:
        return union(map(of_value, arguments))
    if kind in (list, tuple, dict):
        return one(Kind(kind.__name__, one(ANY)))
    if origin in types._LISTS or origin is tuple:
        return one(Kind("tuple" if origin is tuple else "list", _of_list(arguments)))
    if origin in types._DICTS:
        return one(Kind("dict", of(arguments[1])))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return one(Kind("enum", kind))
    if is_model(kind) or is_object(kind):
        return one(Kind("object", kind))
    return one(ANY)


def show(kinds: Kinds) -> str:
    """For people."""
    names = sorted({kind.of.__name__ if isinstance(kind.of, type) else kind.name for kind in kinds})
    return " or ".join(names)


def _leaves(kinds: Kinds) -> Kinds:
    """The kinds, and those of what is within them."""
    inner = [_leaves(kind.of) for kind in kinds if isinstance(kind.of, frozenset)]
    return union([kinds, *inner])


def comparable(left: Kinds, right: Kinds) -> bool:
    """False if Python might call two values equal that a rule calls different, such as True and 1; or the
    other way round, such as (1, 2) and [1, 2]."""
    first, second = _leaves(left), _leaves(right)
    names = {kind.name for kind in first | second}
    enums = {kind for kind in first | second if kind.name == "enum"}
    if "object" in names or names >= {"list", "tuple"}:
        return False
    if enums and (len(enums) > 1 or names - {"enum", "None", "list", "tuple", "dict"}):
        return False
    return not _mixed(first, second) and not _mixed(second, first)


def _mixed(first: Kinds, second: Kinds) -> bool:
    """A number here and a truth value there. A value of any type may be either."""
    numbers = first & (NUMBERS | {ANY})
    truths = second & {BOOL, ANY}
    return bool(numbers and truths)
