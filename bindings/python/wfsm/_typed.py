"""Functions of the host whose parameters and results have types."""
from __future__ import annotations

import inspect
import json
import typing
from functools import partial
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional

from . import _text, _values, types
from ._clash import clash, of_template
from ._run import is_coroutine_function
from .errors import AgentFailed

# What a function may ask for by the name of a parameter, behind the call.
_READ: Dict[str, Dict[str, Callable[[Any], Any]]] = {
    "agent": {"input": lambda call: call.input},
    "guard": {"context": lambda call: call.context,
              "event": lambda call: (call.event or {}).get("data"),
              "params": lambda call: call.params}}
_READ["action"] = _READ["guard"]
_NOTHING = object()


class Signature(NamedTuple):
    """What a function expects, and what it returns (`_NOTHING`: it does not say)."""

    role: str
    name: str
    parameters: Dict[str, Any]
    output: Any

    def __str__(self) -> str:
        return f'{self.role} "{self.name}"'

    def arguments(self, call: Any) -> Dict[str, Any]:
        try:
            return {name: types.convert(_READ[self.role][name](call), kind, name)
                    for name, kind in self.parameters.items()}
        except ValueError as wrong:
            if self.role == "agent":
                raise AgentFailed("schema", str(wrong)) from None
            raise


def _hints(function: Any) -> Dict[str, Any]:
    while isinstance(function, partial):
        function = function.func
    if not inspect.isroutine(function) and not inspect.isclass(function):
        function = type(function).__call__
    return typing.get_type_hints(function)


def _wanted(what: str, role: str, function: Any) -> Optional[List[inspect.Parameter]]:
    """The parameters behind the call that are filled; None if the function does not say."""
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # a function of C, for instance
        return None
    if not found:
        raise TypeError(f"the {what} has no parameter: it gets a call")
    wanted = []
    for one in found[1:]:
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            continue
        asked = one.default is one.empty or one.annotation is not one.empty
        if asked and one.name in _READ[role] and one.kind is not one.POSITIONAL_ONLY:
            wanted.append(one)
        elif one.default is one.empty:
            raise TypeError(f"the {what} has the parameter {one.name!r}: beside the call it may have "
                            f"{', '.join(_READ[role])}")
    return wanted


def read(function: Any, role: str, name: str) -> Optional[Signature]:
    """The signature of a function. TypeError for one that does not fit its role."""
    what = f'{role} "{name}"'
    wanted = _wanted(what, role, function)
    if wanted is None:
        return None
    try:
        hints = _hints(function)
    except (NameError, TypeError, AttributeError) as unknown:
        if any(one.annotation is not one.empty for one in wanted):
            raise TypeError(f"the annotations of the {what} cannot be evaluated: {unknown}") from None
        hints = {}
    output = hints.get("return", _NOTHING)
    if output is typing.NoReturn:
        output = _NOTHING
    made = Signature(role, name, {one.name: hints.get(one.name, Any) for one in wanted}, output)
    for parameter, kind in made.parameters.items():
        types.schema(kind, f"the {what}: {parameter}")
    _check_output(made)
    return made


def _check_output(signature: Signature) -> None:
    if signature.output is _NOTHING:
        return
    if signature.role == "guard":
        if signature.output not in (bool, Any):
            raise TypeError(f"the {signature} returns {types.show(signature.output)}, not bool")
        return
    schema = types.schema(signature.output, f"the {signature}: its result")
    if signature.role == "action":
        found = clash(schema, {"type": ["object", "null"]}, "its result")
        if found:
            raise TypeError(f"the {signature}: {found}")


def adapt(function: Callable[..., Any], signature: Optional[Signature]) -> Callable[..., Any]:
    """The function as one of the call alone."""
    if signature is None or not signature.parameters:
        return function
    arguments = signature.arguments
    if is_coroutine_function(function):
        async def awaited(work: Any) -> Any:
            return await function(work, **arguments(work))
        return awaited
    return lambda call: function(call, **arguments(call))


def patch_of(answer: Any, call: Any) -> Any:
    """What an action changes: of an object, the members that differ from the context."""
    if answer is None or isinstance(answer, dict) or not _values.is_object(type(answer)):
        return answer
    before, after = call.context, json.loads(_text.encode(answer))
    return {name: value for name, value in after.items()
            if name not in before or before[name] != value}


class _Invoke(NamedTuple):
    machine: str
    state: str
    names: List[str]
    input: Any
    output: Any


def _listed(value: Any) -> List[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def invocations(state: Dict[str, Any], path: str = "") -> Iterator[Any]:
    """Each object under `invoke` of a document, with the path of its state."""
    for one in _listed(state.get("invoke")):
        yield path, one
    for name, child in (state.get("states") or {}).items():
        yield from invocations(child, f"{path}.{name}" if path else name)


def names_of(invoke: Dict[str, Any]) -> List[str]:
    """The agents that an invocation may call."""
    src = invoke.get("src")
    return [src] if isinstance(src, str) else _listed(invoke.get("srcs"))


class Shapes:
    """The types of functions, compared with the machines that use them."""

    def __init__(self) -> None:
        self._signatures: Dict[Any, Signature] = {}
        self._invokes: List[_Invoke] = []
        self._contexts: Dict[str, Any] = {}
        self._checked = ""

    def adapt(self, function: Callable[..., Any], role: str, name: Any) -> Callable[..., Any]:
        """Knows a function from now on. TypeError if it does not fit."""
        signature = read(function, role, name)
        if signature is not None and (signature.parameters or signature.output is not _NOTHING):
            self._compare(signature, self._invokes, self._contexts)
            self._signatures[role, name] = signature
        else:
            self._signatures.pop((role, name), None)
        self._checked = ""
        return adapt(function, signature)

    def machine(self, machine: Any) -> None:
        """Knows a machine from now on. TypeError if a function does not fit."""
        document, name = machine.document, machine.id
        invokes = [_Invoke(name, state, names_of(one), one.get("input"), one.get("output"))
                   for state, one in invocations(document)]
        contexts = {name: (document.get("schemas") or {}).get("context")}
        for signature in self._signatures.values():
            self._compare(signature, invokes, contexts)
        self._invokes = [one for one in self._invokes if one.machine != name] + invokes
        self._contexts.update(contexts)

    def check(self, machine: Any) -> None:
        """As ``machine``, for one that is only used once; quick if it was checked before."""
        if self._signatures and machine.fingerprint != self._checked:
            self.machine(machine)
            self._checked = machine.fingerprint

    def _compare(self, signature: Signature, invokes: List[_Invoke], contexts: Dict[str, Any]) -> None:
        if signature.role == "agent":
            for one in invokes:
                if signature.name in one.names:
                    self._compare_agent(signature, one)
            return
        for machine, schema in contexts.items():
            if schema is not None and "context" in signature.parameters:
                self._report(signature, machine, clash(
                    schema, types.schema(signature.parameters["context"]), "its context"))

    def _compare_agent(self, signature: Signature, invoke: _Invoke) -> None:
        where = f'{invoke.machine}", state "{invoke.state}'
        if "input" in signature.parameters:
            self._report(signature, where, clash(
                of_template(invoke.input), types.schema(signature.parameters["input"]), "its input"))
        if signature.output is not _NOTHING and isinstance(invoke.output, dict):
            self._report(signature, where, clash(
                types.schema(signature.output), invoke.output, "its result"))

    def _report(self, signature: Signature, where: str, found: Optional[str]) -> None:
        if found:
            raise TypeError(f'the {signature} does not fit machine "{where}": {found}')
