"""The pytest plugin: fixtures that pytest finds by itself once the package is installed.

    def test_release(wfsm_verify):
        wfsm_verify("release.json")

    def test_reminder(wfsm_clock):
        ...

It is described in doc/python-testing.md.
"""
from __future__ import annotations

import importlib
import sys
from typing import Any, Callable, Iterator

from . import testing
from .verify import Verification

_pytest: Any = importlib.import_module("pytest")


def pytest_exception_interact() -> None:
    """Exceptions are shown without the frames of this package, unless pytest is called with --full-trace."""
    _hide()


def _hide() -> None:
    package = __name__.split(".", maxsplit=1)[0]
    for name, module in list(sys.modules.items()):
        if name == package or name.startswith(package + "."):
            setattr(module, "__tracebackhide__", True)


def _verify() -> Callable[..., Verification]:
    """Verifies a machine (a Machine, a Flow, a document, or the path of one), and fails the test with the
    counterexample as its message. The options are those of ``Machine.verify``, and `undecided`: whether
    a machine that is too large to be explored passes."""
    def verify(machine: Any, *, undecided: bool = False, **options: Any) -> Verification:
        __tracebackhide__ = True  # pylint: disable=unused-variable
        try:
            return testing.verify(machine, undecided=undecided, **options)
        except AssertionError as failed:
            message = str(failed)
        _pytest.fail(message, pytrace=False)
        raise AssertionError(message)

    return verify


def _clock() -> Iterator["testing.Clock"]:
    """A ``wfsm.testing.Clock`` that the package uses during the test."""
    with testing.Clock() as clock:
        yield clock


wfsm_verify: Any = _pytest.fixture(_verify, name="wfsm_verify")
wfsm_clock: Any = _pytest.fixture(_clock, name="wfsm_clock")
