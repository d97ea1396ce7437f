"""Python types as JSON Schema, and values as objects of these types.

    @dataclass
    class Review:
        change: str = ""
        verdict: Optional[str] = None

    machine = wfsm.Machine.load(document, context=Review)

A type is a dataclass, a TypedDict, a model of pydantic, an Enum, or what is made of such types and of
None, bool, int, float, str, Any, Literal, Optional, Union, List, Sequence, Tuple, Dict and Mapping.
"""
from __future__ import annotations

import collections.abc
import dataclasses
import enum
import sys
import typing
from typing import Any, Dict, List, Tuple, Type, TypeVar, Union

from . import _boundary
from ._values import Answer, is_model, is_object, plain

T = TypeVar("T")
Schema = Dict[str, Any]

_SIMPLE: Dict[Any, Schema] = {
    Any: {}, object: {}, Answer: {}, type(None): {"type": "null"}, None: {"type": "null"},
    bool: {"type": "boolean"}, int: {"type": "integer"}, float: {"type": "number"},
    str: {"type": "string"}, list: {"type": "array"}, dict: {"type": "object"}}
_LISTS = (list, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection)
_DICTS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_UNIONS = (Union, getattr(sys.modules["types"], "UnionType", Union))


def show(kind: Any) -> str:
    """A type as people write it."""
    return kind.__name__ if isinstance(kind, type) and not typing.get_args(kind) else str(
        kind).replace("typing.", "")


def _bare(kind: Any) -> Any:
    """Without Annotated, NewType, Required and NotRequired."""
    while True:
        if hasattr(kind, "__supertype__"):
            kind = kind.__supertype__
        elif hasattr(kind, "__metadata__"):
            kind = kind.__origin__
        elif str(typing.get_origin(kind)).endswith(("Required", "NotRequired", "ReadOnly")):
            kind = typing.get_args(kind)[0]
        else:
            return kind


def members(kind: Any) -> Dict[str, Any]:
    """The members of a dataclass or a TypedDict, with their types."""
    try:
        hints = typing.get_type_hints(kind)
    except NameError as unknown:
        raise TypeError(f"the annotations of {show(kind)} cannot be evaluated: {unknown}") from None
    if dataclasses.is_dataclass(kind):
        return {field.name: hints[field.name] for field in dataclasses.fields(kind) if field.init}
    return hints


def required(kind: Any) -> List[str]:
    """The members that every value has."""
    if not dataclasses.is_dataclass(kind):
        return sorted(kind.__required_keys__)
    return [field.name for field in dataclasses.fields(kind) if field.init
            and field.default is dataclasses.MISSING
            and field.default_factory is dataclasses.MISSING]


class _Writer:
    """Writes one schema. A type that contains itself is a definition, which it refers to."""

    def __init__(self) -> None:
        self.definitions: Dict[str, Schema] = {}
        self.open: List[Any] = []
        self.recursive: List[Any] = []

    def define(self, name: str, schema: Schema) -> None:
        if self.definitions.setdefault(name, schema) != schema:
            raise TypeError(f"two different types have the name {name}")

    def write(self, kind: Any, place: str) -> Schema:
        kind = _bare(kind)
        if isinstance(kind, collections.abc.Hashable) and kind in _SIMPLE:
            return dict(_SIMPLE[kind])
        if is_model(kind):
            return self.model(kind)
        if is_object(kind):
            return self.object(kind, place)
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            return {"enum": [self.constant(one.value, place) for one in kind]}
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if origin in _UNIONS:
            return {"anyOf": [self.write(one, place) for one in arguments]}
        if origin is typing.Literal:
            return {"enum": [self.constant(one, place) for one in arguments]}
        if origin in _LISTS:
            return {"type": "array", "items": self.write(arguments[0], f"{place}[]")}
        if origin is tuple:
            return self.tuple(arguments, place)
        if origin in _DICTS and arguments[0] is str:
            return {"type": "object", "additionalProperties": self.write(arguments[1], f"{place}{{}}")}
        raise TypeError(f"{place}: {show(kind)} has no JSON Schema")

    def constant(self, value: Any, place: str) -> Any:
        value = value.value if isinstance(value, enum.Enum) else value
        if value is not None and not isinstance(value, (bool, int, float, str)):
            raise TypeError(f"{place}: {value!r} is not a JSON value")
        return value

    def tuple(self, arguments: Tuple[Any, ...], place: str) -> Schema:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return {"type": "array", "items": self.write(arguments[0], f"{place}[]")}
        items = [self.write(one, f"{place}[{index}]") for index, one in enumerate(arguments)]
        return {"type": "array", "prefixItems": items, "minItems": len(items),
                "maxItems": len(items)}

    def model(self, kind: Any) -> Schema:
        schema: Schema = dict(kind.model_json_schema())
        for name, definition in schema.pop("$defs", {}).items():
            self.define(name, definition)
        return schema

    def object(self, kind: Any, place: str) -> Schema:
        if kind in self.open:
            self.recursive.append(kind)
            return {"$ref": f"#/$defs/{kind.__name__}"}
        self.open.append(kind)
        schema: Schema = {
            "type": "object",
            "properties": {name: self.write(member, f"{place}.{name}")
                           for name, member in members(kind).items()},
            "additionalProperties": False}
        if required(kind):
            schema["required"] = required(kind)
        self.open.pop()
        if kind not in self.recursive:
            return schema
        self.define(kind.__name__, schema)
        return {"$ref": f"#/$defs/{kind.__name__}"}


def schema(kind: Any, place: str = "") -> Schema:
    """The JSON Schema of a type. TypeError names the place of a type that has none; `place` is what
    it begins with. `kind` is the type."""
    writer = _Writer()
    made = writer.write(kind, place or show(kind))
    if writer.definitions:
        made["$defs"] = writer.definitions
    return made


def _wrong(kind: Any, value: Any, place: str) -> ValueError:
    return ValueError(f"{place}: expected {show(kind)}, not {value!r:.80}")


def _number(kind: Any, value: Any, place: str) -> Any:
    """JSON does not tell 1 and 1.0 apart."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if kind is float:
            return float(value)
        if value == int(value):
            return int(value)
    raise _wrong(kind, value, place)


def _is_one(value: Any, kind: Any) -> bool:
    """isinstance(), whose second parameter some releases of mypy do not take a dataclass for."""
    return isinstance(value, kind)


def _object(kind: Any, value: Any, place: str) -> Any:
    if dataclasses.is_dataclass(kind) and _is_one(value, kind):
        return value
    if not isinstance(value, collections.abc.Mapping):
        raise _wrong(kind, value, place)
    known = members(kind)
    for name in value:
        if name not in known:
            raise ValueError(f"{place}: {show(kind)} has no member {name!r}")
    for name in required(kind):
        if name not in value:
            raise ValueError(f"{place}: the member {name!r} of {show(kind)} is missing")
    return kind(**{name: convert(one, known[name], f"{place}.{name}") for name, one in value.items()})


def _union(kinds: Tuple[Any, ...], kind: Any, value: Any, place: str) -> Any:
    """The type that the value has already, or the first one that it can be."""
    for one in sorted(kinds, key=lambda one: type(value) is not one):
        try:
            return convert(value, one, place)
        except ValueError:
            pass
    raise _wrong(kind, value, place)


def _array(arguments: Tuple[Any, ...], kind: Any, value: Any, place: str) -> List[Any]:
    if not isinstance(value, (list, tuple)):
        raise _wrong(kind, value, place)
    if typing.get_origin(kind) is tuple and arguments[-1:] != (Ellipsis,):
        if len(arguments) != len(value):
            raise _wrong(kind, value, place)
        kinds = arguments
    else:
        kinds = arguments[:1] * len(value)
    return [convert(one, of, f"{place}[{index}]")
            for index, (one, of) in enumerate(zip(value, kinds))]


def _simple(kind: Any, value: Any, place: str) -> Any:
    if kind in (Any, object, Answer):
        return value
    if kind in (int, float):
        return _number(kind, value, place)
    if not isinstance(value, type(None) if kind is None else kind):
        raise _wrong(kind, value, place)
    return value


def convert(value: Any, kind: "Union[Type[T], Any]", place: str = "") -> Any:
    """A JSON value as an object of the type. ValueError names the place of what does not fit.
    `value` is JSON, `kind` the type, and `place` what messages call the value."""
    kind, place = _bare(kind), place or "value"
    if isinstance(kind, collections.abc.Hashable) and kind in _SIMPLE:
        return _simple(kind, value, place)
    if is_model(kind):
        return value if isinstance(value, kind) else kind.model_validate(value)
    if is_object(kind):
        return _object(kind, value, place)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, type) and issubclass(kind, enum.Enum) or origin is typing.Literal:
        return _one_of(kind, arguments, value, place)
    if origin in _UNIONS:
        return _union(arguments, kind, value, place)
    if origin in _LISTS:
        return _array(arguments, kind, value, place)
    if origin is tuple:
        return tuple(_array(arguments, kind, value, place))
    if origin in _DICTS and isinstance(value, collections.abc.Mapping):
        return {name: convert(one, arguments[1], f"{place}[{name!r}]") for name, one in value.items()}
    raise _wrong(kind, value, place)


def _one_of(kind: Any, constants: Tuple[Any, ...], value: Any, place: str) -> Any:
    for one in constants or kind:
        plain_one = one.value if isinstance(one, enum.Enum) else one
        if plain_one == value and isinstance(plain_one, bool) == isinstance(value, bool):
            return one
    raise _wrong(kind, value, place)


__all__ = ["convert", "plain", "schema"]


_boundary.around(globals())
