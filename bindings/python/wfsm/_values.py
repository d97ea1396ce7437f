"""Values that are not JSON's own, but have a form in JSON."""
from __future__ import annotations

import dataclasses
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Dict, Mapping, Union

if TYPE_CHECKING:
    from typing import Protocol

    class Dataclass(Protocol):
        """An object of a dataclass."""

        __dataclass_fields__: ClassVar[Dict[str, Any]]

    class Model(Protocol):
        """An object of a model of pydantic."""

        def model_dump(self) -> Dict[str, Any]: ...

    Members = Union[Mapping[str, Any], Dataclass, Model]


class Answer(Enum):
    """What an agent returns instead of an output."""

    LATER = "it is at work; poll or Engine.result gives the result later"
    GONE = "from probe: the work does not exist any more, and left no result"
    UNSURE = "from probe: unknown"


def is_model(kind: Any) -> bool:
    """True for a model of pydantic, which need not be installed."""
    return (isinstance(kind, type) and hasattr(kind, "model_json_schema")
            and hasattr(kind, "model_validate"))


def is_object(kind: Any) -> bool:
    """True for a type whose values are JSON objects with named members."""
    return isinstance(kind, type) and (
        dataclasses.is_dataclass(kind) or is_model(kind) or hasattr(kind, "__required_keys__"))


def plain(value: Any) -> Any:
    """What JSON has for an object of one of the types; for ``json.dumps(default=plain)``. `value`
    is that object."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)
                if field.init}
    if is_model(type(value)):
        return value.model_dump(mode="json")
    if isinstance(value, Enum) and not isinstance(value, Answer):
        return value.value
    raise TypeError(f"{type(value).__name__} is not a JSON value: {value!r:.80}")


def mapping(value: Any) -> Dict[str, Any]:
    """A dict, or an object whose members are one."""
    found = plain(value) if is_object(type(value)) else value
    if not isinstance(found, Mapping):
        raise TypeError(f"expected a dict, or an object of a dataclass or a model, whose members are keys of the "
                        f"context, not {type(value).__name__}")
    return dict(found)
