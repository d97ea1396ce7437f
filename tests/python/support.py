"""Shared by the tests of the Python package."""
import hashlib
import logging
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python"))

import wfsm  # noqa: E402


def bare(id):
    """The id of an invocation or effect without its incarnation."""
    return re.sub(r"-[0-9]+$", "", id)


def named(source, name):
    """The outstanding invocation INSTANCE/REVISION/ORDINAL of an instance, or an engine's."""
    instance = source
    if isinstance(source, wfsm.Engine):
        instance = source.instance(name.rsplit("/", 2)[0])
    return next((one["id"] for one in instance.invocations if bare(one["id"]) == name), name)


def child(invocation, attempt=1):
    """The id of the child workflow of a root's invocation."""
    digest = hashlib.blake2b(f"{invocation}/{attempt}".encode(), digest_size=32).hexdigest()
    return f"{invocation.rsplit('/', 2)[0]}/{digest[:16]}"


DOOR = {
    "wfsm": 1,
    "id": "door",
    "initial": "closed",
    "context": {"opened": 0, "keys": ["brass"]},
    "states": {
        "closed": {
            "tags": ["terminal"],
            "on": {
                "open": {
                    "target": "open",
                    "actions": {"type": "assign", "params": {
                        "opened": {"+": [{"var": "context.opened"}, 1]}}},
                },
                "unlock": {"target": "open", "guard": "has-key"},
                "paint": {"actions": {"type": "paint", "params": {"coats": 2}}},
            },
        },
        "open": {
            "entry": [
                {"type": "emit", "params": {"event": "rang", "data": {"var": "context.opened"}}},
                {"type": "log", "params": {"label": "door", "value": "open"}},
            ],
            "after": {"500": "closed"},
            "on": {"close": "closed", "break": "broken"},
        },
        "broken": {"type": "final"},
    },
}

REVIEW = {
    "wfsm": 1,
    "id": "review",
    "initial": "asked",
    "context": {"change": "", "verdict": None, "failure": None},
    "states": {
        "asked": {
            "invoke": {
                "id": "review",
                "src": "reviewer",
                "input": {"change": {"var": "context.change"}},
                "output": {"type": "object", "required": ["decision"]},
                "retry": [{"errors": ["network"], "maxAttempts": 2, "intervalMs": 10}],
                "onDone": {
                    "target": "judged",
                    "actions": {"type": "assign", "params": {
                        "verdict": {"var": "event.data.decision"}}},
                },
                "onError": {
                    "target": "judged",
                    "actions": {"type": "assign", "params": {"failure": {"var": "event.data"}}},
                },
            },
        },
        "judged": {"type": "final"},
    },
}


class Case(unittest.TestCase):
    """Cleans up, and keeps what the package logs."""

    def setUp(self):
        self.logged = []
        handler = logging.Handler()
        handler.emit = self.logged.append
        logger = logging.getLogger("wfsm")
        logger.addHandler(handler)
        logger.propagate = False
        self.addCleanup(logger.removeHandler, handler)

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    def memory(self):
        store = wfsm.memory()
        self.addCleanup(store.close)
        return store

    def door_functions(self, has_key=lambda call: False, paint=lambda call: None):
        functions = wfsm.Functions()
        functions.guard("has-key")(has_key)
        functions.action("paint")(paint)
        return functions

    def door(self, store=None, id="front", **functions):
        return wfsm.Instance.start(
            wfsm.Machine.load(DOOR), store or self.memory(), id,
            functions=self.door_functions(**functions), now=0)

    def assertLogged(self, text):
        shown = [record.getMessage() + " " + repr(record.exc_info and record.exc_info[1])
                 for record in self.logged]
        self.assertTrue(any(text in line for line in shown), f"{text!r} not in {shown}")
