"""The schemas of Python types, put into a document."""
from __future__ import annotations

import json
from typing import Any, Dict, Mapping, Optional

from . import _text, _values, types
from ._typed import _NOTHING, invocations, names_of, read


def _defaults(context: Any) -> Dict[str, Any]:
    """The members that have a default; all members of an object."""
    if not isinstance(context, type):
        return _values.mapping(context)
    if _values.is_model(context):
        return {name: field.get_default(call_default_factory=True)
                for name, field in getattr(context, "model_fields").items() if not field.is_required()}
    if hasattr(context, "__dataclass_fields__"):
        probe = {name: None for name in types.required(context)}
        made = _values.plain(context(**probe))
        return {name: value for name, value in made.items() if name not in probe}
    return {}


def _put_context(document: Dict[str, Any], context: Any) -> None:
    kind = context if isinstance(context, type) else type(context)
    if not _values.is_object(kind):
        raise TypeError(f"a context is a dataclass, a TypedDict or a pydantic model, not {types.show(kind)}")
    schema, schemas = types.schema(kind), document.setdefault("schemas", {})
    if "context" in schemas:
        raise TypeError("the document has schemas.context already: give the context in one place")
    schemas["context"] = schema
    initial = json.loads(_text.encode({**_defaults(context), **document.get("context", {})}))
    missing = [name for name in schema.get("required", ()) if name not in initial]
    if missing:
        raise TypeError(f"{types.show(kind)}.{missing[0]} has no default, and the document's context has "
                        f"no {missing[0]!r}")
    document["context"] = initial


def _put_events(document: Dict[str, Any], events: Mapping[str, Any]) -> None:
    assume = document.setdefault("assume", {})
    for name, kind in events.items():
        if name in assume:
            raise TypeError(f"the document assumes something about the event {name!r} already")
        assume[name] = types.schema(kind, f"the event {name!r}")


def _output_of(name: str, agent: Any) -> Any:
    """The schema of what an agent returns, given as the function or as the type."""
    if isinstance(agent, type) or not callable(agent):
        return types.schema(agent, f'the agent "{name}": its result')
    signature = read(agent, "agent", name)
    if signature is None or signature.output is _NOTHING:
        raise TypeError(f'the agent "{name}" has no annotation of its result')
    return types.schema(signature.output)


def _put_agents(document: Dict[str, Any], agents: Mapping[str, Any]) -> None:
    unused = dict(agents)
    for _, invoke in invocations(document):
        for name in names_of(invoke):
            unused.pop(name, None)
            if name in agents and "output" not in invoke:
                invoke["output"] = _output_of(name, agents[name])
    if unused:
        raise TypeError(f"the document invokes no agent {next(iter(unused))!r}")


def typed(text: bytes, context: Any, events: Optional[Mapping[str, Any]],
          agents: Optional[Mapping[str, Any]]) -> bytes:
    """The document with the schemas of these types in it. One that is no JSON object stays as it is:
    loading it says what is wrong."""
    if context is None and not events and not agents:
        return text
    try:
        document = json.loads(text)
    except ValueError:
        return text
    if not isinstance(document, dict):
        return text
    if context is not None:
        _put_context(document, context)
    if events:
        _put_events(document, events)
    _put_agents(document, agents or {})
    return _text.encode(document)
