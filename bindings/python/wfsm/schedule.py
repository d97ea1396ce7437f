"""Schedules: instances that are started at times (doc/schedules.md).

    import wfsm
    from wfsm import schedule

    with wfsm.sqlite("tasks.db") as store:
        schedule.create(store, "nightly", {"machine": "backup", "cron": "30 2 * * *"})
        with wfsm.Engine(store) as engine, schedule.Schedules(engine, store) as schedules:
            engine.add_machine(backup)
            while True:
                engine.adopt_all()
                engine.run()
                schedules.run()
                time.sleep(1)

A worker (``wfsm work``) does that, too. A schedule is an instance of the machine ``wfsm.schedule``. This
module loads libwfsm-agents with the first call. Times are milliseconds.
"""
from __future__ import annotations

import ctypes
from typing import Any, Dict, List, Mapping, Optional

from . import _ffi, _text
from ._handle import Resource
from ._run import run
from .engine import Engine
from .instance import Instance
from .store import Store

#: The id of the machine of schedules.
MACHINE = "wfsm.schedule"
_KEPT = ("schedule", "next", "starts", "running", "pending", "started", "skipped", "missed", "failed",
         "error")


def create(store: Store, id: str, document: Mapping[str, Any], *, now: Optional[int] = None) -> None:
    """Creates the schedule `id`; its first time is after `now`. Nobody owns it yet. AlreadyExists,
    BadDocument: it is no schedule document. `store` gets it, and `document` says what is started
    and when (doc/schedules.md)."""
    text = _text.encode(document)
    with Store._of(store, "store")._lending() as stored:
        run(_ffi.agents().wfsm_schedule_create, stored, _text.name(id), text, len(text),
            _text.time_or_now(now))


def times(document: Mapping[str, Any], count: int = 1, *, after: Optional[int] = None) -> List[int]:
    """The next `count` times of a schedule document behind `after`; fewer if it ends. `document` is
    one. `after` is a time in milliseconds (None: now)."""
    text, found = _text.encode(document), ctypes.c_int64(_text.time_or_now(after))
    listed: List[int] = []
    while len(listed) < count:
        run(_ffi.agents().wfsm_schedule_next, text, len(text), found.value, ctypes.byref(found))
        if found.value == _ffi.NEVER:
            break
        listed.append(found.value)
    return listed


def schedules(store: Store) -> List[Dict[str, Any]]:
    """All schedules of a store: "id", "state" ("waiting", "deciding", "buffered", "paused",
    "broken" or "ended"), "schedule" (the document), "next" (the next time, or None), "starts" (the
    last instances that it has started), "running", "pending", and the counts "started", "skipped",
    "missed" and "failed". `store` is that store."""
    listed = []
    for head in store.list(machine=MACHINE):
        with Instance.load(store, head.instance) as instance:
            about: Dict[str, Any] = {"id": head.instance, "state": instance.configuration[0]}
            about.update({key: instance.context.get(key) for key in _KEPT})
            listed.append(about)
    return listed


def pause(store: Store, id: str, *, sender: Optional[str] = None, now: Optional[int] = None) -> None:
    """Nothing is started until ``resume``. This and the functions below post an event for the
    engine that has the schedule. `store` is where the schedule `id` is, `sender` says who asks, and
    `now` is the time (None: the clock)."""
    store.post(id, "pause", sender=sender, now=now)


def resume(store: Store, id: str, *, sender: Optional[str] = None, now: Optional[int] = None) -> None:
    """The schedule continues. Times that passed during the pause are skipped. `store`, `id`, `sender` and `now`
    are those of ``pause``."""
    store.post(id, "resume", sender=sender, now=now)


def trigger(store: Store, id: str, *, sender: Optional[str] = None, now: Optional[int] = None) -> None:
    """It starts an instance now, also while it is paused. `store`, `id`, `sender` and `now` are
    those of ``pause``."""
    store.post(id, "trigger", sender=sender, now=now)


def update(store: Store, id: str, document: Mapping[str, Any], *, sender: Optional[str] = None,
           now: Optional[int] = None) -> None:
    """Gives it another document. BadDocument: it is none. `document` is as for ``create``; `store`,
    `id`, `sender` and `now` are those of ``pause``."""
    times(document, after=now)
    store.post(id, "update", document, sender=sender, now=now)


class Schedules(Resource):
    """The schedules of an engine, which can then adopt them. Call ``run`` after each round of the
    engine, and at least once a second. `engine` starts the instances, and `store` is its store."""

    _kind = "schedules"
    _pointers = _ffi.SCHEDULES

    def __init__(self, engine: Engine, store: Store) -> None:
        Engine._of(engine, "engine"), Store._of(store, "store")
        self._once()
        pointer = _ffi.ptr()
        self._lib = _ffi.agents()
        self._engine, self._store = engine, store
        with engine._changing() as driven, store._lending() as stored:
            run(self._lib.wfsm_schedules_new, ctypes.byref(pointer), driven, stored)
            super().__init__(pointer, self._lib.wfsm_schedules_free, engine._own_handle().family,
                             [engine, store])

    def run(self, now: Optional[int] = None) -> None:
        """Starts what is due. A start that fails is tried again in the next call. NotFound: the
        engine does not have the machine that a schedule starts. `now` is the time (None: the
        clock)."""
        with self._engine._changing(), self._store._lending(), self._using() as pointer:
            run(self._lib.wfsm_schedules_run, pointer, _text.time_or_now(now))


__all__ = ["MACHINE", "Schedules", "create", "pause", "resume", "schedules", "times", "trigger", "update"]
