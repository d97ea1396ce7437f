"""Schemas of what `wfsm` reads of JSON Schema: some with names, random ones, and values that fit."""
import random

CHOICES = ["a", "b", "c", "job.a", "job.b", "éa", 5.5, 7, None, True]
NUMBER = {"type": "number", "minimum": -1, "maximum": 6}
TEXT = {"type": "string", "maxLength": 5}
SCHEMAS = {
    "a number": NUMBER,
    "a text": TEXT,
    "a whole number": {"type": "integer", "minimum": 0, "maximum": 12},
    "a half number": {"type": "number", "minimum": -4, "multipleOf": 0.5, "exclusiveMaximum": 11},
    "one of a few": {"enum": CHOICES},
    "a number or a text": {"anyOf": [NUMBER, TEXT]},
    "not what others are": {"type": ["string", "number", "null"], "not": {"enum": ["b", 5, ""]}},
    "a list of a few": {"type": "array", "items": {"enum": CHOICES}, "maxItems": 3},
    "a list of numbers": {"type": "array", "items": NUMBER, "maxItems": 3, "uniqueItems": True},
    "a list of objects": {"type": "array", "maxItems": 3, "items": {
        "type": "object", "properties": {"k": NUMBER, "b": {"enum": CHOICES}}}},
    "an object": {"type": "object", "properties": {"k": NUMBER, "b": {"enum": CHOICES}}, "additionalProperties": False},
}

CONSTANTS = [0, 1, 2, 5, 5.5, -4, 7, 10, "a", "b", "job.a", "job.b", "5", "", "éa", None, True, False]


class Schemas:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.one = self.random.choice

    def make(self, depth=0):
        kinds = [self.number] * 3 + [self.text] * 3 + [self.options] * 2 + [self.types]
        if depth < 2:
            kinds += [self.list, self.object, self.object, self.either, self.negated, self.both]
        return self.one(kinds)(depth)

    def some(self, **parts):
        return {key: part for key, part in parts.items() if self.random.random() < 0.4}

    def number(self, _):
        low = self.one([-4, -1, 0, 0.5, 1, 5])
        made = {"type": self.one(["number", "number", "integer"]),
                **self.some(multipleOf=self.one([0.5, 2, 2.5, 7])),
                **self.some(**{self.one(["minimum", "exclusiveMinimum"]): low}),
                **self.some(**{self.one(["maximum", "exclusiveMaximum"]): low + self.one([1, 5, 6, 11])})}
        return made

    def text(self, _):
        low = self.random.randint(0, 3)
        return {"type": "string", **self.some(minLength=low, maxLength=low + self.random.randint(0, 4))}

    def options(self, _):
        chosen = self.random.sample(CONSTANTS, self.random.randint(1, 5))
        return {"enum": chosen} if len(chosen) > 1 else {"const": chosen[0]}

    def types(self, _):
        return {"type": self.random.sample(["string", "number", "boolean", "null"], 2)}

    def list(self, depth):
        low = self.random.randint(0, 2)
        return {"type": "array", **self.some(items=self.make(depth + 1), minItems=low, uniqueItems=True,
                                             maxItems=low + self.random.randint(0, 2))}

    def object(self, depth):
        keys = self.random.sample(["k", "b", "a", "c"], 2)
        return {"type": "object", "properties": {key: self.make(depth + 1) for key in keys},
                **self.some(required=keys[:1], additionalProperties=self.one([False, {"type": "number"}]),
                            minProperties=1)}

    def either(self, depth):
        return {self.one(["anyOf", "anyOf", "oneOf"]): [self.make(depth + 1), self.make(depth + 1)]}

    def both(self, depth):
        return {"allOf": [self.make(depth + 1), self.make(depth + 1)]}

    def negated(self, depth):
        return {**self.types(depth), "not": self.make(depth + 1)}


class Samples:
    """Values that may fit a schema: many do."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.one = self.random.choice

    def of(self, schema):
        for key in ("enum", "anyOf", "oneOf", "allOf"):
            if key in schema:
                picked = self.one(schema[key])
                return picked if key == "enum" else self.of(picked)
        if "const" in schema:
            return schema["const"]
        types = schema.get("type", ["string", "number", "boolean", "null", "array", "object"])
        kind = self.one(types) if isinstance(types, list) else types
        return getattr(self, kind, self.number)(schema)

    def number(self, schema):
        low = schema.get("minimum", schema.get("exclusiveMinimum", schema.get("maximum", 5) - 8))
        high = schema.get("maximum", schema.get("exclusiveMaximum", low + 14))
        step = schema.get("multipleOf", 1 if schema["type"] == "integer" else self.one([0.25, 0.5, 1, 0.01, 0.75]))
        value = self.one([low, high, self.random.uniform(low, high), self.random.uniform(low, high)])
        return round(round(value / step) * step, 6)

    def string(self, schema):
        pieces = self.one(["ab5.", "job.b", "a", "5", "éo"])
        low = schema.get("minLength", 0)
        length = self.random.randint(low, max(low, schema.get("maxLength", low + 5)))
        begin = self.one(["", "", "b", "job.b", "5", "job"])
        return (begin + "".join(self.one(pieces) for _ in range(length)))[:length]

    def boolean(self, _):
        return self.one([True, False])

    def null(self, _):
        return None

    def array(self, schema):
        low = schema.get("minItems", 0)
        count = self.random.randint(low, max(low, schema.get("maxItems", low + 2)))
        return [self.of(schema.get("items", {"type": "number"})) for _ in range(count)]

    def object(self, schema):
        made = {key: self.of(each) for key, each in schema.get("properties", {}).items()
                if key in schema.get("required", []) or self.random.random() < 0.6}
        return {**made, "z": 1} if self.random.random() < 0.2 else made


def values_of(schema, seed, count=80):
    samples = Samples(seed)
    return [samples.of(schema) for _ in range(count)]
