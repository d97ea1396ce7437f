"""The public callables of the package, found by looking."""
import enum
import inspect

import wfsm
from wfsm import agents, hosted, langgraph, sign

# They talk to a server, or run for as long as they are told to.
LEFT_OUT = {"postgres", "postgres_init", "postgres_tenant"}


def _members(owner):
    """(name, kind) of the public members of a class; kind is "method" or "property"."""
    for name in sorted(dir(owner)):
        if name.startswith("_") and name not in ("__enter__", "__exit__", "__repr__", "__init__",
                                                 "__del__", "__bool__"):
            continue
        member = inspect.getattr_static(owner, name)
        if isinstance(member, property):
            yield name, "property", member.fget
        elif isinstance(member, (classmethod, staticmethod)):
            yield name, "class method", getattr(owner, name)
        elif inspect.isfunction(member):
            yield name, "method", member


def callables():
    """All of them, as (name, kind, class or None, function)."""
    found = []
    modules = ((wfsm, wfsm.__all__), (agents, agents.__all__), (sign, sign.__all__),
               (langgraph, langgraph.__all__),
               (hosted, ("store", "Row", "Query", "Commit", "StoreBase")))
    for module, names in modules:
        for name in names:
            thing = getattr(module, name)
            if name in LEFT_OUT or not callable(thing):
                continue
            found.append((name, "function", None, thing))
            if inspect.isclass(thing) and not issubclass(thing, (enum.Enum, Exception)):
                found += [(f"{name}.{member}", kind, thing, function)
                          for member, kind, function in _members(thing)]
    return found


def parameters(function):
    """The parameters, or None if they are not known."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
