"""help() is complete: the documentation of each public callable names its parameters."""
import enum
import importlib
import inspect
import re
import unittest

from support import Case

MODULES = ("wfsm", "wfsm.agents", "wfsm.flow", "wfsm.hosted", "wfsm.langgraph", "wfsm.schedule", "wfsm.scxml", "wfsm.sign",
           "wfsm.testing", "wfsm.types")
# The package makes their objects, so nobody reads how.
MADE_BY_THE_PACKAGE = {"Call", "CompiledGraph", "EngineInstance", "Instance", "Machine", "Monitor", "Round", "Store", "Stream",
                       "Transition", "Work", "FlowError"}


def own(thing):
    return (getattr(thing, "__module__", "") or "").startswith("wfsm")


def parameters(function):
    try:
        names = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return []
    return [name for name in names if name not in ("self", "cls") and name[0] != "_"]


def functions(kind):
    """The public methods of a class and of those that it is made of."""
    for base in kind.__mro__:
        for name, member in vars(base).items():
            function = getattr(member, "__func__", member)
            if name[0] != "_" and inspect.isfunction(function) and own(function):
                yield name, function


def public():
    """Names of callables, their parameters, and the text that must name them."""
    for module in map(importlib.import_module, MODULES):
        for name in module.__all__:
            one = getattr(module, name)
            if inspect.isclass(one) and own(one) and not issubclass(one, enum.Enum):
                about = " ".join(vars(base).get("__doc__") or "" for base in one.__mro__ if own(base))
                if name not in MADE_BY_THE_PACKAGE:
                    yield f"{module.__name__}.{name}", parameters(one), about
                for method, function in functions(one):
                    yield f"{module.__name__}.{name}.{method}", parameters(function), about + (function.__doc__ or "")
            elif inspect.isfunction(one) and own(one):
                yield f"{module.__name__}.{name}", parameters(one), one.__doc__ or ""


class Help(Case):
    def test_each_parameter_is_named(self):
        missing, seen = [], 0
        for name, wanted, text in public():
            quoted = " ".join(re.findall(r"`+[^`]*`+", text))
            seen += len(wanted)
            missing += [f"{name}: {one}" for one in wanted if not re.search(rf"\b{one}\b", quoted)]
        self.assertEqual(sorted(set(missing)), [])
        self.assertGreater(seen, 500)


if __name__ == "__main__":
    unittest.main()
