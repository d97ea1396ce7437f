"""A checkpoint saver for LangGraph, for those who only want the store.

Each thread, with its namespace, is an instance. A checkpoint is one event, and so are the writes of a task:
the journal has them all, and the context the newest.
"""
from __future__ import annotations

import sys
import threading
from dataclasses import dataclass, field
from functools import partial
from typing import (
    Any, AsyncIterator, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar)
from urllib.parse import quote, unquote

from . import _boundary
from ._langgraph_codec import Codec
from ._langgraph_types import Config
from ._turn import in_thread
from .errors import AlreadyExists, Conflict, NotFound
from .instance import Instance
from .machine import Machine
from .store import Store

R = TypeVar("R")
S = TypeVar("S", bound="Saver")
#: Writes of which the last one counts, by LangGraph's WRITES_IDX_MAP.
_SPECIAL = {"__error__": -1, "__scheduled__": -2, "__interrupt__": -3, "__resume__": -4}
# After each conflict somebody else has got on.
_ATTEMPTS = 100


_DOCUMENT: Dict[str, Any] = {
    "wfsm": 1, "id": "langgraph.saver", "initial": "kept",
    "context": {"checkpoint": None, "writes": []},
    "states": {"kept": {"on": {
        "put": {"actions": {"type": "assign", "params": {"checkpoint": {"var": "event.data"}, "writes": []}}},
        "write": {"actions": {"type": "assign", "params": {
            "writes": {"merge": [{"var": "context.writes"}, [{"var": "event.data"}]]}}}}}}}}


class CheckpointTuple(NamedTuple):
    """A checkpoint with what belongs to it, as LangGraph's class of this name. `config` names the `checkpoint`, and
    `parent_config` the one before it, if there is one. `metadata` came with it, and `pending_writes` are (task, channel,
    value) of the step after it."""

    config: Config
    checkpoint: Dict[str, Any]
    metadata: Dict[str, Any]
    parent_config: Optional[Config] = None
    pending_writes: Optional[List[Tuple[str, str, Any]]] = None


@dataclass
class _Entry:
    thread: str
    namespace: str
    put: Mapping[str, Any]
    writes: List[Mapping[str, Any]] = field(default_factory=list)

    @property
    def id(self) -> str:
        return str(self.put["id"])


class _Place(NamedTuple):
    """What a config names."""

    thread: str
    namespace: str
    checkpoint: Optional[str]

    def config(self, checkpoint: str) -> Config:
        return {"configurable": {"thread_id": self.thread, "checkpoint_ns": self.namespace,
                                 "checkpoint_id": checkpoint}}


def _place(config: Mapping[str, Any]) -> _Place:
    given = config["configurable"]
    checkpoint = given.get("checkpoint_id")
    return _Place(str(given["thread_id"]), given.get("checkpoint_ns") or "",
                  None if checkpoint is None else str(checkpoint))


def _metadata(config: Mapping[str, Any], metadata: Mapping[str, Any]) -> Dict[str, Any]:
    """With that of the run, so that checkpoints can be found by it."""
    plain = {key: value for key, value in config.get("metadata", {}).items()
             if isinstance(value, (str, int, float, bool)) and not key.startswith("__")}
    return {**plain, **metadata}


def _base() -> Any:
    """LangGraph's class, of which it wants its savers to be; None, if the program has not imported it."""
    return getattr(sys.modules.get("langgraph.checkpoint.base"), "BaseCheckpointSaver", None)


class Saver:
    """A checkpointer for ``StateGraph.compile`` of LangGraph itself, which then runs the graph:

        graph = builder.compile(checkpointer=wfsm.langgraph.Saver(wfsm.sqlite("threads.db")))

    Import LangGraph first: the saver is then an instance of its BaseCheckpointSaver. `serde` is a serializer
    of LangGraph (None: its JsonPlusSerializer). The instances' ids begin with `prefix`. `store` is where they are. Any
    thread may use it.

    What parameters mean in all methods: `config` names a thread, and perhaps a checkpoint:
    ``{"configurable": {"thread_id", "checkpoint_ns", "checkpoint_id"}}``. `checkpoint` is one of LangGraph, `metadata`
    what can be asked for by `filter`, and `new_versions` is not needed. `writes` are pairs of channel and value, which
    the task `task_id` has made; `task_path` says where it is in the graph. `before` is a config: only checkpoints
    before its one are given out, and at most `limit` of them. `thread_id` is that of a thread. `current` is the version
    of a `channel`, or None.
    """

    serde: Any = None

    def __new__(cls: "type[S]", *_: Any, **__: Any) -> S:
        base = _base()
        if base is not None and not issubclass(cls, base):
            return object.__new__(type(cls.__name__, (cls, base), {"__doc__": cls.__doc__}))
        return object.__new__(cls)

    def __init__(self, store: Store, *, serde: Any = None, prefix: str = "checkpoints/"):
        self._store: Store = Store._of(store, "store")
        super().__init__(**({} if _base() is None else {"serde": serde}))
        if serde is not None:
            self.serde = serde
        self._codec, self._prefix = Codec(self.serde), prefix
        self._machine, self._lock = Machine.load(_DOCUMENT), threading.Lock()

    # The instances.

    def _id(self, place: _Place) -> str:
        return f"{self._folder(place.thread)}{quote(place.namespace, safe=':|')}"

    def _folder(self, thread: str) -> str:
        return f"{self._prefix}{quote(thread, safe=' :|')}/"

    def _send(self, place: _Place, event: str, data: Any) -> None:
        """Another process may write to the same thread: then it is loaded again."""
        for left in reversed(range(_ATTEMPTS)):
            try:
                with self._lock, self._instance(place) as instance:
                    instance.send(event, data)
                    return
            except (AlreadyExists, Conflict):
                if left == 0:
                    raise

    def _instance(self, place: _Place) -> Instance:
        id = self._id(place)
        try:
            return Instance.load(self._store, id, machine=self._machine)
        except NotFound:
            return Instance.start(self._machine, self._store, id)

    def _entries(self, place: _Place) -> List[_Entry]:
        """From the journal, oldest first. A checkpoint that was put again replaces the old one."""
        found: Dict[str, _Entry] = {}
        try:
            records = self._store.records(self._id(place))
        except NotFound:
            return []
        for record in records:
            given = record.data["input"]
            if given.get("event") == "put":
                data = given["data"]
                old = found.pop(data["id"], None)
                found[data["id"]] = _Entry(place.thread, place.namespace, data, old.writes if old else [])
            elif given.get("event") == "write" and given["data"]["id"] in found:
                found[given["data"]["id"]].writes.append(given["data"])
        return [*found.values()]

    def _newest(self, place: _Place) -> Optional[_Entry]:
        """Without reading the journal."""
        try:
            with Instance.load(self._store, self._id(place), machine=self._machine) as instance:
                context = instance.context
        except NotFound:
            return None
        if context["checkpoint"] is None:
            return None
        put = context["checkpoint"]
        return _Entry(place.thread, place.namespace, put,
                      [one for one in context["writes"] if one["id"] == put["id"]])

    def _tuple(self, entry: _Entry) -> CheckpointTuple:
        decode, place = self._codec.decode, _Place(entry.thread, entry.namespace, None)
        parent = entry.put["parent"]
        return CheckpointTuple(
            place.config(entry.id), decode(entry.put["checkpoint"]), decode(entry.put["metadata"]),
            None if parent is None else place.config(parent), self._writes(entry))

    def _writes(self, entry: _Entry) -> List[Tuple[str, str, Any]]:
        """The first writes of a task count, of the special ones the last."""
        found: Dict[Tuple[str, int], Tuple[str, str, Any]] = {}
        for one in entry.writes:
            for number, (channel, value) in enumerate(one["writes"]):
                place = (one["task"], _SPECIAL.get(channel, number))
                if place[1] < 0 or place not in found:
                    found[place] = (one["task"], channel, self._codec.decode(value))
        return [*found.values()]

    # LangGraph's interface.

    def get_tuple(self, config: Config) -> Optional[CheckpointTuple]:
        """The checkpoint of the config, or the newest of its thread; None if there is none."""
        place = _place(config)
        if place.checkpoint is None:
            entry = self._newest(place)
        else:
            entry = next((one for one in self._entries(place) if one.id == place.checkpoint), None)
        return None if entry is None else self._tuple(entry)

    def list(self, config: Optional[Config], *, filter: Optional[Dict[str, Any]] = None,
             before: Optional[Config] = None, limit: Optional[int] = None) -> Iterator[CheckpointTuple]:
        """Checkpoints, the newest of each thread first: of a thread, or of all (None). `filter` are members
        of their metadata."""
        end = None if before is None else _place(before).checkpoint
        for place in self._places(config):
            for entry in reversed(self._before(place, end)):
                found = self._tuple(entry)
                if place.checkpoint not in (None, entry.id):
                    continue
                if any(found.metadata.get(key) != value for key, value in (filter or {}).items()):
                    continue
                if limit is not None and limit <= 0:
                    return
                limit = None if limit is None else limit - 1
                yield found

    def _before(self, place: _Place, end: Optional[str]) -> "List[_Entry]":
        entries = self._entries(place)
        ids = [one.id for one in entries]
        return entries[:ids.index(end)] if end in ids else entries

    def _places(self, config: Optional[Config]) -> "List[_Place]":
        checkpoint = None
        if config is None:
            prefix = self._prefix
        elif "checkpoint_ns" in config["configurable"]:
            return [_place(config)]
        else:
            prefix, checkpoint = self._folder(_place(config).thread), _place(config).checkpoint
        found = []
        for head in self._store.list(prefix=prefix, machine=self._machine.id):
            thread, _, namespace = head.instance[len(self._prefix):].rpartition("/")
            found.append(_Place(unquote(thread), unquote(namespace), checkpoint))
        return found

    def put(self, config: Config, checkpoint: Mapping[str, Any], metadata: Mapping[str, Any],
            new_versions: Mapping[str, Any]) -> Config:
        """Stores a checkpoint. Its parent is that of the config."""
        place = _place(config)
        self._send(place, "put", {
            "id": checkpoint["id"], "parent": place.checkpoint,
            "checkpoint": self._codec.encode(dict(checkpoint)),
            "metadata": self._codec.encode(_metadata(config, metadata))})
        return place.config(checkpoint["id"])

    def put_writes(self, config: Config, writes: Sequence[Tuple[str, Any]], task_id: str,
                   task_path: str = "") -> None:
        """Stores what a task has written in the step after the checkpoint of the config."""
        place = _place(config)
        self._send(place, "write", {
            "id": place.checkpoint, "task": task_id, "path": task_path,
            "writes": [[channel, self._codec.encode(value)] for channel, value in writes]})

    def delete_thread(self, thread_id: str) -> None:
        """Deletes all checkpoints of a thread."""
        for head in self._store.list(prefix=self._folder(str(thread_id)), machine=self._machine.id):
            self._store.remove(head.instance)

    def get_next_version(self, current: Optional[int], channel: Any = None) -> int:
        """The version of a channel after this one."""
        return 1 if current is None else current + 1

    async def _beside(self, function: Callable[..., R], *arguments: Any) -> R:
        return await in_thread(partial(function, *arguments), self._store._own_handle().family)

    async def aget_tuple(self, config: Config) -> Optional[CheckpointTuple]:
        """As ``get_tuple``."""
        return await self._beside(self.get_tuple, config)

    async def alist(self, config: Optional[Config], *, filter: Optional[Dict[str, Any]] = None,
                    before: Optional[Config] = None,
                    limit: Optional[int] = None) -> AsyncIterator[CheckpointTuple]:
        """As ``list``."""
        def read() -> Any:
            return [*self.list(config, filter=filter, before=before, limit=limit)]

        for one in await self._beside(read):
            yield one

    async def aput(self, config: Config, checkpoint: Mapping[str, Any], metadata: Mapping[str, Any],
                   new_versions: Mapping[str, Any]) -> Config:
        """As ``put``."""
        return await self._beside(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: Config, writes: Sequence[Tuple[str, Any]], task_id: str,
                          task_path: str = "") -> None:
        """As ``put_writes``."""
        await self._beside(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """As ``delete_thread``."""
        await self._beside(self.delete_thread, thread_id)


_boundary.around(globals())
