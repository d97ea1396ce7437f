"""Finds JSON Schemas that no value can match both of. Where this is not certain, they do not clash."""
from __future__ import annotations

from typing import Any, Dict, FrozenSet, Iterator, Optional

Schema = Dict[str, Any]
_EVERY = frozenset(("null", "boolean", "integer", "number", "string", "array", "object"))
_DEEPEST = 20
# An object with one of them as its only key is a rule, whose value nobody knows (doc/jsonlogic.md).
_OPERATORS = frozenset(
    "var val exists missing missing_some if ?: and or ?? ! !! try throw == != === !== < <= > >= + * - "
    "/ % min max map filter reduce all some none merge in cat substr log length in_state literal preserve "
    "slice get with children_in".split())


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    names = {type(None): "null", int: "integer", float: "number", str: "string", list: "array"}
    return names.get(type(value), "object")


def _types(schema: Schema) -> FrozenSet[str]:
    if "enum" in schema or "const" in schema:
        return frozenset(map(_type_of, schema.get("enum", [schema.get("const")])))
    given = schema.get("type", _EVERY)
    return frozenset([given] if isinstance(given, str) else given)


def _resolve(schema: Any, root: Schema) -> Schema:
    """What a $ref refers to; {} for what is not known."""
    for _ in range(_DEEPEST):
        if not isinstance(schema, dict):
            return {}
        if "$ref" not in schema:
            return schema
        place: Any = root
        for key in schema["$ref"].split("/")[1:]:
            place = place.get(key) if isinstance(place, dict) else None
        schema = place
    return {}


class _Pair:
    """`have` is what there is, `want` what is expected; both with what their $ref lead into."""

    def __init__(self, have: Schema, want: Schema):
        self.have, self.want = have, want

    def clash(self, have: Any, want: Any, place: str, depth: int = 0) -> Optional[str]:
        have, want = _resolve(have, self.have), _resolve(want, self.want)
        if depth > _DEEPEST:
            return None
        for one, parts in ((have, have.get("anyOf")), (want, want.get("anyOf"))):
            if parts:
                found = [self.clash(part if one is have else have, part if one is want else want,
                                    place, depth + 1) for part in parts]
                return None if None in found else found[0]
        return self.types(have, want, place) or next(self.objects(have, want, place, depth), None)

    def types(self, have: Schema, want: Schema, place: str) -> Optional[str]:
        there, expected = _types(have), _types(want)
        both = there & expected or {"integer", "number"} & there and {"integer", "number"} & expected
        if both:
            return None
        return f"{place} is {' or '.join(sorted(there))}, not {' or '.join(sorted(expected))}"

    def objects(self, have: Schema, want: Schema, place: str, depth: int) -> Iterator[str]:
        if not _types(have) == _types(want) == {"object"}:
            return
        there, expected = have.get("properties", {}), want.get("properties", {})
        for name in want.get("required", ()):
            if name not in there and have.get("additionalProperties") is False:
                yield f"{place} has no {name!r}"
        for name in have.get("required", ()):
            if name not in expected and want.get("additionalProperties") is False:
                yield f"{place} has {name!r}, which is not expected"
        for name in expected:
            if name in there and name in [*have.get("required", ()), *want.get("required", ())]:
                found = self.clash(there[name], expected[name], f"{place}.{name}", depth + 1)
                if found:
                    yield found


def clash(have: Schema, want: Schema, place: str) -> Optional[str]:
    """Why no value matches both; None if one may."""
    return _Pair(have, want).clash(have, want, place)


def of_template(template: Any) -> Schema:
    """A schema of what a template of a document gives."""
    if isinstance(template, dict):
        if len(template) == 1 and _OPERATORS.issuperset(template):
            return {}
        return {"type": "object", "required": list(template), "additionalProperties": False,
                "properties": {name: of_template(part) for name, part in template.items()}}
    return {"type": "array"} if isinstance(template, list) else {"const": template}
