"""Stores that are written in Python: an object with the methods of `StoreBase`."""
from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple

from . import _boundary, _ffi, _fork, _text
from ._entrance import entrance
from ._run import note, plain, run, shield
from .enums import InstanceStatus, Status
from .errors import NotFound, WfsmError
from .store import Head, Store


@dataclass(frozen=True)
class Commit:
    """One input of one instance, to be written whole or not at all. JSON is opaque text; a member
    that is missing is None. `base` is the revision of `instance` that it was made from, 0 for a new
    one, and the new one is `base` + 1. `owner` must be the head's owner, and `previous`, unless it
    is None, the head's token. `token` is the new one. `event_id` may be in no other record of the
    instance, and `inbox` is the number of the post that is consumed, or 0. `record` goes into the
    journal, and `snapshot` is the full one after this commit. `checkpoint` is the id under which
    `checkpoint_snapshot` and the JSON list `artifacts` are kept, and `checkpoint_deleted` the id of
    one that goes. `document` is None if the store has it under this `fingerprint`. `machine`,
    `tags`, `status`, `deadline`, `attributes`, `now` (as `updated`) and `effects` go into the head
    row. `gives_up`: nobody owns the instance afterwards, unless other posts wait for it. `by_hand`:
    it was made in the owner's name, whose `changes` differ afterwards."""

    instance: str
    base: int
    owner: str
    token: str
    event_id: Optional[str]
    inbox: int
    record: str
    snapshot: Optional[str]
    checkpoint: Optional[str]
    checkpoint_snapshot: Optional[str]
    artifacts: str
    checkpoint_deleted: Optional[str]
    machine: str
    fingerprint: str
    document: Optional[str]
    tags: Tuple[str, ...]
    status: InstanceStatus
    deadline: Optional[int]
    now: int
    effects: int
    previous: Optional[str]
    gives_up: bool
    by_hand: bool
    attributes: Dict[str, Any]


@dataclass(frozen=True)
class Row:
    """A row that a method returns: JSON text, and the values that belong to it. `text` is JSON.
    `revision` is that of a record, a snapshot or a checkpoint, `now` the time of a record, a
    checkpoint or a post, and `id` that of a checkpoint or an event. `instance`, `name`, `number`,
    `kind`, `interface` and `sender` are those of a post."""

    text: str
    revision: int = 0
    now: int = 0
    id: Optional[str] = None
    instance: Optional[str] = None
    name: Optional[str] = None
    number: int = 0
    kind: int = 0
    interface: int = 2
    sender: Optional[str] = None


@dataclass(frozen=True)
class Query:
    """Which heads are listed; None and 0 do not filter. `after` is the id before the page.
    `machine`, `tag`, `owner` and `status` are equal, `due` is the latest deadline, the id begins
    with `prefix`, and no more than `limit` are given."""

    after: Optional[str]
    machine: Optional[str]
    tag: Optional[str]
    owner: Optional[str]
    status: int
    due: int
    limit: int
    prefix: Optional[str]


class StoreBase:
    """The methods of a store. doc/store.md explains them, and wfsm/store.h is the contract.

    A method refuses by raising: ``wfsm.NotFound``, ``wfsm.AlreadyExists``, ``wfsm.Denied``,
    ``wfsm.Conflict``. Any other exception of a method that only reads or changes one thing
    counts as "nothing was written"; of ``commit`` it counts as "nobody knows".

    What parameters mean in all methods: `instance` is the id of an instance, `owner` and `session`
    are names of engines, and `now` and `until` are times in milliseconds.
    """

    def commit(self, commits: Sequence[Commit]) -> List[Status]:
        """Writes all, with one sync. Returns for each: OK, CONFLICT, EXISTS, NOT_FOUND.

        Consecutive commits of one instance are a chain: it is written whole, or, if one of them is
        refused, not at all, and that is the answer to all of them.

        `commits` are these.
        """
        raise NotImplementedError

    def head(self, instance: str) -> Head:
        """The head row of an instance. Raises NotFound."""
        raise NotImplementedError

    def records(self, instance: str, first: int, last: int) -> Iterable[Row]:
        """Rows with revision, now and id (of the event), oldest first. They are those from revision
        `first` to `last`."""
        raise NotImplementedError

    def snapshot(self, instance: str, checkpoint: Optional[str]) -> Row:
        """The last full snapshot (checkpoint None), or a checkpoint's; with its revision.
        `checkpoint` is its id."""
        raise NotImplementedError

    def checkpoints(self, instance: str) -> Iterable[Row]:
        """Oldest first: id, revision, now; the text is the artifacts."""
        raise NotImplementedError

    def list(self, query: Query) -> Iterable[Head]:
        """The heads that the query asks for. `query` is a ``Query``."""
        raise NotImplementedError

    def document(self, fingerprint: str) -> str:
        """The text of the document with this fingerprint. Raises NotFound. `fingerprint` is this
        digest."""
        raise NotImplementedError

    def seen(self, instance: str, event_id: str) -> bool:
        """True if there is a record or a waiting post with this event id. `event_id` is this id."""
        raise NotImplementedError

    def post(self, instance: str, id: Optional[str], name: str, data: str, now: int, *,
             kind: int, interface: int, sender: Optional[str]) -> None:
        """Keeps an input for the owner of an instance. `kind`, `interface` and `sender` are kept as
        they are, and given back by `inbox`. `id` is the event's id, `name` its name, and `data`
        JSON."""
        raise NotImplementedError

    def inbox(self, instance: Optional[str], limit: int) -> Iterable[Row]:
        """Waiting posts, oldest first: number, instance, id, name, now, kind, interface, sender;
        the text is the data. `instance` None means those of all, and `limit` 0 no limit."""
        raise NotImplementedError

    def acknowledge(self, instance: str, effect: int) -> None:
        """Raises the mark of acknowledged effects to `effect`; a lower number changes nothing. Raises
        NotFound beyond the last effect made."""
        raise NotImplementedError

    def owner_alive(self, owner: str, until: int) -> None:
        """Writes until when an owner counts as alive; 0 deletes its row."""
        raise NotImplementedError

    def claim(self, session: str, mine: int, now: int, until: int) -> None:
        """Writes `until` (0: deletes the row) unless the row of the session is alive at `now` and
        does not say `mine`; then raises Denied. One compare-and-set."""
        raise NotImplementedError

    def own(self, instance: str, owner: str, now: int) -> None:
        """Makes `owner` the owner of an instance. Raises Denied if another one has it that is alive at
        `now`."""
        raise NotImplementedError

    def disown(self, instance: str, owner: str) -> None:
        """`owner` gives the instance up. Raises Denied if it is somebody else's."""
        raise NotImplementedError

    def remove(self, instance: str) -> None:
        """Forgets the instance with all that belongs to it; an unknown one is fine."""
        raise NotImplementedError

    def close(self) -> None:
        """Called once, when nothing uses the store any more."""

    # Optional: a class that does not define them has one transaction for each call, and its
    # engine reads the posts of all in every round.

    if TYPE_CHECKING:

        def transaction(self, step: int) -> None:
            pass

        def changes(self, session: str, after: int) -> Tuple[int, Iterable[Row]]:
            raise NotImplementedError

    else:
        #: ``transaction(step)``: from BEGIN (1) to COMMIT (2) all that is written is one transaction with
        #: one sync; ROLLBACK (3) comes instead of COMMIT after a call that has failed.
        transaction = None
        #: ``changes(session, after)``: a number that differs if an instance of the session was taken over,
        #: removed or driven by hand; and the posts that wait for instances of the session, and those for
        #: instances that nobody owns whose numbers are higher than ``after``.
        changes = None


def _json(pointer: Optional[int], length: int) -> Optional[str]:
    return None if not pointer else ctypes.string_at(pointer, length).decode()


def _commit(raw: _ffi.Commit) -> Commit:
    return Commit(
        raw.instance.decode(), raw.base, raw.owner.decode(), raw.token.decode(),
        _text.plain(raw.event_id), raw.inbox, _json(raw.record, raw.record_length) or "",
        _json(raw.snapshot, raw.snapshot_length), _text.plain(raw.checkpoint),
        _json(raw.checkpoint_snapshot, raw.checkpoint_length),
        _json(raw.artifacts, raw.artifacts_length) or "[]", _text.plain(raw.checkpoint_deleted),
        raw.machine.decode(), raw.fingerprint.decode(), _json(raw.document, raw.document_length),
        tuple(raw.tags.decode().split()), InstanceStatus(raw.status),
        _text.deadline(raw.deadline), raw.now, raw.effects, _text.plain(raw.previous),
        bool(raw.gives_up), bool(raw.by_hand), json.loads(raw.attributes or b"{}"))


class _Hosted:
    """The vtable of an object. Memory that C borrows is kept until the next call."""

    def __init__(self, store: StoreBase):
        self._store, self._depth = store, 0
        self._lent: List[bytes] = []
        kinds = dict(_ffi.STORE_CALLS)
        kinds.update((name, _ffi.OPTIONAL_CALLS[name]) for name in ("transaction", "changes")
                     if getattr(store, name, None) is not None)
        self.calls = {name: self._guarded(name, kind) for name, kind in kinds.items()}
        self.vtable = _ffi.StoreVtable(**self.calls)

    def _guarded(self, name: str, kind: Any) -> Any:
        if name == "close":
            return shield(kind, "close of a store", lambda _self: self._store.close())
        function = getattr(self, "_" + name)
        unsure = name in ("commit", "transaction")
        unknown = Status.STORE_UNKNOWN if unsure else Status.STORE_FAILED

        def trampoline(_self: Any, *arguments: Any) -> int:
            begun = _fork.generation()
            problem: Optional[BaseException] = None
            if self._depth == 0:  # what an outer call has lent is still in use
                self._lent = []
            self._depth += 1
            try:
                if name == "commit":
                    return self._commit(*arguments)
                return int(function(*arguments[:-1]) or 0)
            except WfsmError as refusal:
                return self._say(arguments[-1], refusal.status, str(refusal))
            except BaseException as exception:  # pylint: disable=broad-except
                problem = exception
                note(f"{name} of a store", exception)
                return self._say(arguments[-1], unknown, f"{type(exception).__name__}: {exception}")
            finally:
                self._depth -= 1
                _fork.end_child(begun, problem)

        return entrance(kind, trampoline)

    @staticmethod
    def _say(error: Any, status: int, message: str) -> int:
        text = message.replace("\0", " ").encode("utf-8", "replace")
        return int(_ffi.lib.wfsm_error_set(error, status, text)) if error else status

    def _text(self, value: Optional[str]) -> Optional[bytes]:
        if value is None:
            return None
        data = value.encode()
        self._lent.append(data)
        return data

    def _raw_row(self, row: Row) -> _ffi.Row:
        data = self._text(row.text) or b""
        raw = _ffi.Row(
            revision=row.revision, now=row.now, number=row.number, id=self._text(row.id),
            instance=self._text(row.instance), name=self._text(row.name), length=len(data),
            kind=row.kind, interface=row.interface, sender=self._text(row.sender))
        raw.text = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p)
        return raw

    def _fill_head(self, raw: _ffi.Head, head: Head) -> None:
        """Writes no member beyond the caller's size."""
        values = {
            "instance": self._text(head.instance), "machine": self._text(head.machine),
            "fingerprint": self._text(head.fingerprint), "owner": self._text(head.owner),
            "token": self._text(head.token), "tags": self._text(" ".join(head.tags)),
            "revision": head.revision, "snapshot_revision": head.snapshot_revision,
            "effects": head.effects, "acknowledged": head.acknowledged,
            "status": int(head.status),
            "deadline": _ffi.NEVER if head.deadline is None else head.deadline,
            "created": head.created, "updated": head.updated, "first": head.first,
            "attributes": self._text(_text.encode(
                dict(sorted(head.attributes.items()))).decode())}
        for name, value in values.items():
            member = getattr(_ffi.Head, name)
            if member.offset + member.size <= raw.size:
                setattr(raw, name, value)

    def _give(self, sink: Any, user: Any, rows: Iterable[Row]) -> int:
        for row in rows:
            status = int(sink(user, ctypes.byref(self._raw_row(row))))
            if status != 0:
                return status
        return 0

    # The calls, without `self` and, but for commit, the error.

    def _commit(self, commits: Any, count: Any, answers: Any, error: Any) -> int:
        """Sets the error for the first commit that was refused."""
        wanted = [_commit(commits[i].contents) for i in range(count)]
        given = list(self._store.commit(wanted))
        for i in range(count):
            answers[i] = int(given[i]) if i < len(given) else Status.STORE_UNKNOWN
        refused = next((i for i in range(count) if answers[i]), None)
        if refused is not None:
            self._say(error, answers[refused], f"instance '{wanted[refused].instance}': the store"
                                               f" answers {Status(answers[refused]).name}")
        return 0

    def _head(self, instance: Any, head: Any) -> None:
        self._fill_head(head.contents, self._store.head(instance.decode()))

    def _records(self, instance: Any, first: Any, last: Any, sink: Any, user: Any) -> int:
        return self._give(sink, user, self._store.records(instance.decode(), first, last))

    def _snapshot(self, instance: Any, checkpoint: Any, sink: Any, user: Any) -> int:
        row = self._store.snapshot(instance.decode(), _text.plain(checkpoint))
        return self._give(sink, user, [row])

    def _checkpoints(self, instance: Any, sink: Any, user: Any) -> int:
        return self._give(sink, user, self._store.checkpoints(instance.decode()))

    def _list(self, query: Any, sink: Any, user: Any) -> int:
        asked = query.contents
        wanted = Query(_text.plain(asked.after), _text.plain(asked.machine),
                       _text.plain(asked.tag), _text.plain(asked.owner), asked.status, asked.due,
                       asked.limit, _text.plain(asked.prefix))
        for head in self._store.list(wanted):
            raw = _ffi.Head()
            self._fill_head(raw, head)
            row = _ffi.Row(head=ctypes.pointer(raw))
            status = int(sink(user, ctypes.byref(row)))
            if status != 0:
                return status
        return 0

    def _document(self, fingerprint: Any, sink: Any, user: Any) -> int:
        return self._give(sink, user, [Row(self._store.document(fingerprint.decode()))])

    def _seen(self, instance: Any, event_id: Any, seen: Any) -> None:
        seen[0] = 1 if self._store.seen(instance.decode(), event_id.decode()) else 0

    def _post(self, post: Any) -> None:
        raw = post.contents
        self._store.post(raw.instance.decode(), _text.plain(raw.id), raw.name.decode(),
                         _json(raw.data, raw.length) or "null", raw.now, kind=raw.kind,
                         interface=raw.interface, sender=_text.plain(raw.sender))

    def _inbox(self, instance: Any, limit: Any, sink: Any, user: Any) -> int:
        return self._give(sink, user, self._store.inbox(_text.plain(instance), limit))

    def _acknowledge(self, instance: Any, effect: Any) -> None:
        self._store.acknowledge(instance.decode(), effect)

    def _owner_alive(self, owner: Any, until: Any) -> None:
        self._store.owner_alive(owner.decode(), until)

    def _claim(self, session: Any, mine: Any, now: Any, until: Any) -> None:
        self._store.claim(session.decode(), mine, now, until)

    def _own(self, instance: Any, owner: Any, now: Any) -> None:
        self._store.own(instance.decode(), owner.decode(), now)

    def _disown(self, instance: Any, owner: Any) -> None:
        self._store.disown(instance.decode(), owner.decode())

    def _remove(self, instance: Any) -> None:
        try:
            self._store.remove(instance.decode())
        except NotFound:  # that is as good
            pass

    def _transaction(self, step: Any) -> None:
        self._store.transaction(step)

    def _changes(self, asked: Any, sink: Any, user: Any) -> int:
        session, after = asked.contents.session.decode(), asked.contents.after
        asked.contents.changes, posts = self._store.changes(session, after)
        return self._give(sink, user, posts)


def store(hosted: StoreBase) -> Store:
    """A store that is written in Python. `hosted` is an object with the methods of
    ``StoreBase``."""
    for name in _ffi.STORE_CALLS:
        method = getattr(hosted, name, None)
        if not callable(method):
            raise TypeError(f"a store has the methods of StoreBase, and {type(hosted).__name__} "
                            f"has no {name}()")
        plain(method, f"method {name}")
    host, pointer = _Hosted(hosted), _ffi.ptr()
    run(_ffi.lib.wfsm_store_new, ctypes.byref(pointer), ctypes.byref(host.vtable), None, None)
    return Store(pointer, [host])


__all__ = ["Commit", "Query", "Row", "StoreBase", "store"]


_boundary.around(globals())
