"""Stores: where commits go."""
from __future__ import annotations

import contextlib
import ctypes
import json
import os
from dataclasses import dataclass, field
from typing import (
    Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple, TypeVar, Union, cast)

from . import _boundary, _ffi, _text, _where
from ._handle import Resource, both
from ._run import run, shield
from ._turn import Turn, to_its_end
from .enums import InstanceStatus, Interface, PostKind, Status, Sync
from .errors import Busy
from .machine import Machine

R = TypeVar("R")


@dataclass(frozen=True)
class Head:
    """The head row of an instance. Times are milliseconds; no deadline is None; `first` is the
    oldest record that is kept. `instance`, `machine` and `fingerprint` are ids of the instance and
    of its machine, and the digest of its document. `owner` is the session that drives it, or "",
    and `tags` are those of the active states. `revision` is the number of the last record, `token`
    its digest, and `snapshot_revision` that of the last record with a full snapshot. `effects` and
    `acknowledged` are the numbers of the last effect made and acknowledged. `status` is RUNNING or
    DONE, `deadline` when it must be called again, `created` and `updated` the times of the first
    and the last commit, and `attributes` what it can be found by."""

    instance: str
    machine: str
    fingerprint: str
    owner: str
    token: str
    tags: Tuple[str, ...]
    revision: int
    snapshot_revision: int
    effects: int
    acknowledged: int
    status: InstanceStatus
    deadline: Optional[int]
    created: int
    updated: int
    first: int = 1
    attributes: Dict[str, Any] = field(default_factory=dict)


class Signed(NamedTuple):
    """The signature of a vote, as ``wfsm.sign.sign_vote`` makes it. A record has it in the member
    `signed` of its vote: ``Signed(**vote["signed"])``. `at` is the time in milliseconds; `key`, the
    public key, and `signature` are hexadecimal digits."""

    at: int
    key: str
    signature: str


@dataclass(frozen=True)
class Record:
    """An entry of the journal. ``data`` is described in doc/records.md. `revision` is its number
    from 1, `now` the time in milliseconds, and `event_id` the id that its event came with."""

    revision: int
    now: int
    event_id: Optional[str]
    data: Any

    def context(self, before: Dict[str, Any]) -> Dict[str, Any]:
        """The context after this record, from the one before it, which stays as it is. `before` is
        that one."""
        return cast(Dict[str, Any], _changed(before, self.data))


def _changed(value: Any, change: Dict[str, Any]) -> Any:
    if isinstance(value, list):
        at = change["at"]
        if "changed" in change:
            return [*value[:at], _changed(value[at], change["changed"]), *value[at + 1:]]
        return [*value[:at], *change["inserted"], *value[at + change["removed"]:]]
    made = {key: old for key, old in value.items() if key not in change.get("unset", {})}
    made.update(change.get("set", {}))
    made.update((key, _changed(made[key], part))
                for key, part in change.get("changed", {}).items())
    return made


@dataclass(frozen=True)
class Checkpoint:
    """A state that is kept under an id. `artifacts` are names of things that belong to it. `id` is
    its name, `revision` that of the state, and `now` when it was made, in milliseconds."""

    id: str
    revision: int
    now: int
    artifacts: Tuple[str, ...] = ()


@dataclass(frozen=True)
class AuditDiagnostic:
    """An error in what is stored. `revision` 0 is the head. `instance` is the id, "" if its head
    cannot be read, and `message` one sentence."""

    instance: str
    revision: int
    message: str


@dataclass(frozen=True)
class Replayed:
    """How far a journal could be replayed under another document.

    `records` gave the same. `revision` is the record that ended the replay, and `message` says why;
    0 and "" if it went on to the end. `diverged`: its input gives something else under that document.
    Otherwise, it cannot be replayed under another one.
    """

    records: int
    revision: int
    diverged: bool
    message: str


@dataclass(frozen=True)
class Compacted:
    """What a compaction did: `first` is the oldest record that stays, the anchor. `dropped` and
    `archived` count records."""

    first: int
    dropped: int
    archived: int


# In the order of enum wfsm_swept_kind, from 1.
_SWEPT = ("", "archived", "removed", "compacted", "stays", "failed")


@dataclass(frozen=True)
class Swept:
    """What a sweep did with an instance. `what` is "archived", "removed", "compacted", "stays" or
    "failed"; `why` is the reason of the last two. `instance` is its id, and `records` counts those
    that left this store, or would in a dry run."""

    instance: str
    what: str
    records: int
    why: str


@dataclass(frozen=True)
class Post:
    """An input that waits in the inbox. `name` is that of the event; for other kinds it is a word
    for the kind. `number` rises within the store, `instance` is the id of the instance that it is
    for, and `id` that of the event, or None. `data` came with it, at the time `now`, in
    milliseconds. `kind`, `interface` and `sender` say what it is and where it comes from."""

    number: int
    instance: str
    id: Optional[str]
    name: str
    data: Any
    now: int
    kind: PostKind = PostKind.POST_EVENT
    interface: Interface = Interface.INTERFACE_POST
    sender: Optional[str] = None


def _head(raw: _ffi.Head) -> Head:
    return Head(
        raw.instance.decode(), raw.machine.decode(), raw.fingerprint.decode(),
        raw.owner.decode(), raw.token.decode(), tuple(raw.tags.decode().split()), raw.revision,
        raw.snapshot_revision, raw.effects, raw.acknowledged, InstanceStatus(raw.status),
        _text.deadline(raw.deadline), raw.created, raw.updated, raw.first,
        json.loads(raw.attributes or b"{}"))


def _record(row: _ffi.Row) -> Record:
    return Record(row.revision, row.now, _text.plain(row.id),
                  _text.decode(row.text, row.length))


def _checkpoint(row: _ffi.Row) -> Checkpoint:
    return Checkpoint(row.id.decode(), row.revision, row.now,
                      tuple(_text.decode(row.text, row.length)))


def _post(row: _ffi.Row) -> Post:
    return Post(row.number, row.instance.decode(), _text.plain(row.id), row.name.decode(),
                _text.decode(row.text, row.length), row.now, PostKind(row.kind),
                Interface(row.interface or Interface.INTERFACE_POST), _text.plain(row.sender))


def _rows(pointer: Any, function: Any, make: Callable[[Any], Any], *arguments: Any) -> List[Any]:
    rows: List[Any] = []

    def sink(_user: Any, row: Any) -> int:
        rows.append(make(row.contents))
        return 0

    run(function, pointer, *arguments,
        shield(_ffi.SINK, "a row", sink, lambda problem: Status.HOST), None)
    return rows


class Store(Resource):
    """A store, from ``memory()`` or ``sqlite(path)``.

    It belongs to one thread at a time, together with the instances and engines on it; calls
    from several threads wait for one another. Closing it closes them.

    What parameters mean in all methods: `instance` is the id of an instance, `now` the time in
    milliseconds since 1970 (None: the clock). `interface` (``Interface``) and `sender` say where an
    input comes from. `archive` is another store.
    """

    _kind = "store"
    _made_by = "wfsm.memory(), wfsm.sqlite() and wfsm.hosted.store()"
    _instead = "open it again"
    _pointers = _ffi.STORE

    def __init__(self, pointer: Any, callbacks: Iterable[Any] = ()):
        super().__init__(pointer, _ffi.lib.wfsm_store_free, callbacks=callbacks)

    @contextlib.contextmanager
    def _changing(self) -> Iterator[Any]:
        family = self._own_handle().family
        turn = family.turn
        if turn is not None:
            with turn.taken(family.is_mine()) as apart:
                if apart and family.turn is turn:
                    with turn.apart(), self._alone() as pointer:
                        yield pointer
                    return
        with super()._changing() as pointer:
            yield pointer

    @contextlib.contextmanager
    def _alone(self) -> Iterator[Any]:
        """Without the lock of the family, so that questions about instances are answered meanwhile."""
        if self._active:
            raise Busy(Status.BUSY, "a callback may not use the store that called it")
        with self._sharing() as pointer:
            self._active = True
            try:
                yield pointer
            finally:
                self._active = False

    def _read(self, function: Any, make: Callable[[Any], Any], *arguments: Any) -> List[Any]:
        with self._changing() as pointer:
            return _rows(pointer, function, make, *arguments)

    async def _read_aside(self, read: Callable[[Any], R]) -> R:
        """``read(pointer)``, while the running loop continues and questions are answered."""
        found: List[R] = []

        def use() -> None:
            with self._alone() as pointer:
                found.append(read(pointer))

        await to_its_end(Turn.of(self._own_handle().family).use(use))
        return found[0]

    def head(self, instance: str) -> Head:
        """The head row. Raises NotFound."""
        raw = _ffi.Head()
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_store_head, pointer, _text.name(instance), ctypes.byref(raw))
            return _head(raw)

    def list(self, *, machine: Optional[str] = None, tag: Optional[str] = None,
             owner: Optional[str] = None, status: Optional[InstanceStatus] = None,
             due: int = 0, after: Optional[str] = None, limit: int = 0,
             prefix: Optional[str] = None, where: _where.Where = ()) -> List[Head]:
        """Heads, ordered by instance id. Arguments that are given filter. `limit` 0 means all; the
        `prefix` "shop/" means all of the project shop. `where` has conditions on the attributes
        that the document names: texts such as ``"amount>=1000"``, with =, !=, <, <=, > or >=, or a
        mapping of names to the values they equal. An instance meets all of them. `machine` is the
        id of one, `tag` one of the active states, `owner` the name of a session, `status` RUNNING
        or DONE, and `due` a time by which they must be called again. `after` is the id before the
        first one of a page."""
        conditions = _where.conditions(where)
        query = _ffi.Query(
            after=_text.optional(after), machine=_text.optional(machine),
            tag=_text.optional(tag), owner=_text.optional(owner),
            status=int(status or 0), due=_text.number(due, "due"),
            limit=_text.number(limit, "limit"), prefix=_text.optional(prefix),
            where=_where.pointers(conditions), where_count=len(conditions))
        return self._read(_ffi.lib.wfsm_store_list, lambda row: _head(row.head.contents),
                          ctypes.byref(query))

    def records(self, instance: str, first: int = 1, last: int = _ffi.NEVER) -> List[Record]:
        """The journal from revision `first` to `last`, oldest first."""
        with self._changing() as pointer:
            return self._records(pointer, instance, first, last)

    def _records(self, pointer: Any, instance: str, first: int, last: int) -> List[Record]:
        return _rows(pointer, _ffi.lib.wfsm_store_records, _record, _text.name(instance),
                     _text.number(first, "first"), _text.number(last, "last"))

    def checkpoints(self, instance: str) -> List[Checkpoint]:
        """Oldest first."""
        return self._read(_ffi.lib.wfsm_store_checkpoints, _checkpoint, _text.name(instance))

    def latest_checkpoint(self, instance: str) -> Checkpoint:
        """The newest one. Raises NotFound if there is none."""
        found: Checkpoint = self._read(_ffi.lib.wfsm_store_latest_checkpoint, _checkpoint,
                                       _text.name(instance))[0]
        return found

    def inbox(self, instance: Optional[str] = None, limit: int = 0) -> List[Post]:
        """Posts that nobody consumed yet, of one instance or of all, oldest first. `limit` 0 means
        all."""
        return self._read(_ffi.lib.wfsm_store_inbox, _post, _text.optional(instance),
                          _text.number(limit, "limit"))

    def document(self, fingerprint: str) -> Any:
        """The machine document of a fingerprint. Raises NotFound. `fingerprint` is that of ``Head``
        or ``Machine``."""
        return self._read(_ffi.lib.wfsm_store_document,
                          lambda row: _text.decode(row.text, row.length),
                          _text.name(fingerprint))[0]

    def diff(self, instance: str, first: int, last: int) -> Dict[str, Any]:
        """What changed in an instance from revision `first` to `last`.

        {"instance", "from", "to", "configuration": {"left", "entered"}, "context": [{"path",
        "from", "to"}], …}; a key that is missing means that nothing changed.
        wfsm/revisions.h describes all keys. Raises NotFound if the journal does not have one of
        them; the message says what it has.
        """
        wanted = _ffi.RevisionRange(first=_text.number(first, "first"),
                                    last=_text.number(last, "last"))
        found: Dict[str, Any] = self._read(
            _ffi.lib.wfsm_store_diff, lambda row: _text.decode(row.text, row.length),
            _text.name(instance), ctypes.byref(wanted))[0]
        return found

    def post(self, instance: str, event: str, data: Any = None, *, id: Optional[str] = None,
             interface: int = 0, sender: Optional[str] = None,
             now: Optional[int] = None) -> None:
        """Leaves an event for an instance, no matter which engine owns it.

        It is durable when this returns. `interface` (``Interface``) and `sender` say where it
        comes from; rules see them as ``event.origin``, and the record has them.

        An `id` makes it idempotent: AlreadyExists if it is known.

        `data` is any JSON value, or an object that has a form in JSON.
        """
        self._submit(instance, PostKind.POST_EVENT, event, data, id, interface, sender, now)

    def submit(self, instance: str, kind: PostKind, data: Any = None, *,
               id: Optional[str] = None, interface: int = 0, sender: Optional[str] = None,
               now: Optional[int] = None) -> None:
        """Leaves another input than an event: an answer, or a request to stop, cancel, retry,
        restore, make a checkpoint or migrate. The owner takes it in its next run.

        ``wfsm/store.h`` has the data of each kind: ``submit("t", PostKind.POST_RESTORE,
        {"checkpoint": "reviewed"})``. A post that cannot be taken is consumed by a record that
        says why.

        `kind` is a ``PostKind``, and `data` is what belongs to it. An `id` makes it idempotent, as
        in ``post``.
        """
        self._submit(instance, kind, None, data, id, interface, sender, now)

    def _submit(self, instance: str, kind: int, event: Optional[str], data: Any,
                id: Optional[str], interface: int, sender: Optional[str],
                now: Optional[int]) -> None:
        json = ctypes.create_string_buffer(_text.encode(data))
        given = _ffi.Post(
            instance=_text.name(instance), id=_text.optional(id), name=_text.optional(event),
            data=ctypes.addressof(json), length=len(json) - 1, now=_text.time_or_now(now),
            kind=kind, interface=interface, sender=_text.optional(sender))
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_store_submit, pointer, ctypes.byref(given))

    def approve(self, instance: str, invocation: str, *, by: str, digest: str,
                approve: bool = True, reason: Optional[str] = None, id: Optional[str] = None,
                interface: int = 0, sender: Optional[str] = None,
                signed: Optional[Signed] = None, now: Optional[int] = None) -> None:
        """Leaves the vote of a person for an invocation that asks people.

        `approve` False rejects. `digest` says what the person has looked at. The owner of the
        instance takes the vote, and its record says whether it counts. Nothing here knows who
        `by` is: the caller must. `signed` is kept with the vote, and not checked.

        An `id` makes it idempotent: AlreadyExists if it is known.

        `invocation` is the id of the one that asks, and `reason` is kept with the vote.
        """
        given = _text.approval(instance, invocation, by, digest, approve, reason, id, interface,
                               sender, signed)
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_approve, pointer, ctypes.byref(given), _text.time_or_now(now))

    def audit(self, instance: Optional[str] = None) -> List[AuditDiagnostic]:
        """Replays journals, of one instance or of all, and returns what does not fit."""
        with self._changing() as pointer:
            return _diagnostics(lambda sink: run(_ffi.lib.wfsm_store_audit, pointer,
                                           _text.optional(instance), sink, None, None))

    def replay(self, instance: str, machine: Machine) -> Replayed:
        """Replays a journal under another document, up to the first record that gives something else.

        Compares what others see: outcome, active states, status, output, invocations and effects.

        `machine` is that document, compiled.
        """
        asked = _ffi.Replay()

        def replay(sink: Any) -> None:
            asked.sink = sink
            run(_ffi.lib.wfsm_store_replay, pointer, _text.name(instance), ctypes.byref(asked))

        with self._changing() as pointer, Machine._of(machine, "machine")._sharing() as other:
            asked.machine = other
            why = _diagnostics(replay)
        return Replayed(asked.records, asked.revision, bool(asked.diverged), why[0].message if why else "")

    def compact(self, instance: str, *, keep: int = 0, before: int = 0,
                archive: Optional["Store"] = None, dry_run: bool = False) -> Compacted:
        """Drops the oldest records of a journal that nothing needs any more.

        At least the last `keep` stay, and those of steps at `before` or later. Records are
        written to the `archive`, another store, before they are dropped. Raises Corrupt, and
        drops nothing, if a record fails its check.

        `dry_run` only says what it would do.
        """
        wanted = _ffi.Compaction(keep=_text.number(keep, "keep"),
                                 before=_text.number(before, "before"), dry_run=dry_run)
        done = _ffi.Compacted()
        with self._with_archive(archive) as (pointer, target):
            wanted.archive = target
            run(_ffi.lib.wfsm_store_compact, pointer, _text.name(instance),
                ctypes.byref(wanted), ctypes.byref(done))
        return Compacted(done.first, done.dropped, done.archived)

    def archive(self, instance: str, archive: "Store", *,
                now: Optional[int] = None) -> Compacted:
        """Moves an instance that has ended to another store, with its whole journal.

        Raises Denied while it runs, or while effects of it are not acknowledged.
        """
        done = _ffi.Compacted()
        with self._with_archive(Store._of(archive, "archive")) as (pointer, target):
            run(_ffi.lib.wfsm_store_archive, pointer, _text.name(instance), target,
                _text.time_or_now(now), ctypes.byref(done))
        return Compacted(done.first, done.dropped, done.archived)

    def sweep(self, archive: Optional["Store"] = None, *, now: Optional[int] = None,
              dry_run: bool = False) -> List[Swept]:
        """Archives, removes and compacts as the documents of the store say (their "retention").
        `dry_run` only says what it would do."""
        swept: List[Swept] = []

        def tell(_user: Any, raw: Any) -> None:
            one = raw.contents
            swept.append(Swept(one.instance.decode(errors="replace"), _SWEPT[one.kind], one.records,
                               one.why.decode(errors="replace")))

        wanted = _ffi.Sweep(now=_text.time_or_now(now), dry_run=dry_run,
                            tell=shield(_ffi.SWEPT, "sweep", tell))
        with self._with_archive(archive) as (pointer, target):
            wanted.archive = target
            run(_ffi.lib.wfsm_store_sweep, pointer, ctypes.byref(wanted), None)
        return swept

    @contextlib.contextmanager
    def _with_archive(self, archive: Optional["Store"]) -> Iterator[Tuple[Any, Any]]:
        """The pointers of both stores."""
        if archive is None:
            with self._changing() as pointer:
                yield pointer, None
            return
        if Store._of(archive, "archive") is self:
            raise ValueError("the archive is another store")
        with both(self, archive) as pointers:
            yield pointers

    def remove_owner(self, owner: str) -> None:
        """Removes an owner that is dead, so that another may take over at once. `owner` is the name
        of a session, as ``Head.owner`` has it."""
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_store_remove_owner, pointer, _text.name(owner))

    def remove(self, instance: str) -> None:
        """Deletes an instance and everything that belongs to it."""
        with self._changing() as pointer:
            run(_ffi.lib.wfsm_store_remove, pointer, _text.name(instance))


def _diagnostics(audit: Callable[[Any], Any]) -> List[AuditDiagnostic]:
    diagnostics: List[AuditDiagnostic] = []

    def sink(_user: Any, raw: Any) -> int:
        diagnostic = raw.contents
        diagnostics.append(AuditDiagnostic(diagnostic.instance.decode(errors="replace"), diagnostic.revision,
                          diagnostic.message.decode(errors="replace")))
        return 0

    audit(shield(_ffi.AUDIT_SINK, "a diagnostic", sink, lambda problem: Status.HOST))
    return diagnostics


def memory() -> Store:
    """A store in memory, which ends with the process."""
    pointer = _ffi.ptr()
    run(_ffi.lib.wfsm_memory_open, ctypes.byref(pointer), None)
    return Store(pointer)


def sqlite(path: Union[str, "os.PathLike[str]"], *, synchronous: str = "full",
           busy_ms: int = 0, read_only: bool = False, must_exist: bool = False,
           mode: int = 0o600) -> Store:
    """The store in an SQLite file, which is created if it does not exist.

    `synchronous` "full" survives a power loss, "normal" a crash of the process only.
    `busy_ms` is how long to wait for another process; 0 means the default, 10 seconds.
    `mode` has the permissions of a new file, whatever the umask is. Raises Conflict if the
    store went back in time (``sqlite_check_age``), unless it is opened `read_only`.

    `path` is that of the file. With `must_exist`, it is not created: NotFound.
    """
    if synchronous not in ("full", "normal"):
        raise ValueError(f'synchronous is "full" or "normal", not {synchronous!r}')
    options = _ffi.SqliteOptions(
        synchronous=Sync["SQLITE_" + synchronous.upper()], busy_ms=busy_ms,
        read_only=read_only, must_exist=must_exist, mode=mode)
    pointer, name = _ffi.ptr(), _text.path(path)
    run(_ffi.sqlite().wfsm_sqlite_open, ctypes.byref(pointer), name, ctypes.byref(options),
        None)
    return Store(pointer)


def sqlite_check(path: Union[str, "os.PathLike[str]"]) -> List[AuditDiagnostic]:
    """Checks the file, which ``Store.audit`` does not: pages, indexes, and checksums of rows.

    The diagnostics' ``instance`` is "".

    `path` is that of the file.
    """
    name = _text.path(path)
    return _diagnostics(lambda sink: run(_ffi.sqlite().wfsm_sqlite_check, name, sink, None, None))


def sqlite_check_age(path: Union[str, "os.PathLike[str]"]) -> None:
    """Raises Conflict if the store is older than what was last seen of it here: a backup was put in
    its place. The message names the file to delete if the backup is to be used all the same. `path`
    is that of the file."""
    run(_ffi.sqlite().wfsm_sqlite_check_age, _text.path(path), None)


_boundary.around(globals())
