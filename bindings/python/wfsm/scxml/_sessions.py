"""The router: plays the documents of a chart and of the sessions that it invokes."""
from typing import Any, Callable, Iterable, Mapping, Optional

from .. import _ffi, _text
from .._run import callback
from ..call import Call
from ..engine import Engine
from ..enums import Outcome, Status
from ..errors import NotFound
from ..machine import Machine
from ..store import Store
from ..task import EngineInstance

from ._mailbox import MESSAGE, PARENT, SEND

_LOCATION = "#_scxml_"
_FIELDS = ("event", "data", "sendid", "origin", "invokeid", "ticket")


class Sessions:
    """An engine whose instances are sessions of SCXML, which send events to each other.

        sessions = Sessions(store, load_documents("chart.scxml"))
        sessions.start("one", now=0)
        sessions.run(0)
        sessions.send("one", "event", {"some": "data"}, now=10)
        sessions.run(10)

    What a session sends is an effect of its step. The router hands it to the other session under
    the effect's id, before the engine's next round: it is taken once, also after a crash, and
    before the end of the session that has sent it. `engine` is the Engine, whose observer and
    effects the router needs for itself; `observer` is called as an observer of the engine is.
    `options` are the engine's options.

    `store` is where the sessions are, and `documents` come from `documents` or `load_documents`.
    `id` is that of a session, and `now` the time in milliseconds (None: the clock).
    """

    def __init__(self, store: Store, documents: Iterable[Mapping[str, Any]], *,
                 observer: Optional[Callable[[Call], None]] = None, **options: Any) -> None:
        machines = [Machine.load(document) for document in documents]
        self._store, self._machine, self._observer = store, machines[0].id, observer
        self._children, self._sought, self._waiting = {}, {}, []
        self.engine: Engine = Engine(store, **options)
        for machine in machines:
            self.engine.add_machine(machine)
        self.engine.observer(self._note)
        self.engine._register(_ffi.lib.wfsm_engine_on_effect, None,
                              callback("effect", self._take))

    # ---- inputs ----

    def start(self, id: str, input: Optional[Mapping[str, Any]] = None, *,
              now: Optional[int] = None) -> EngineInstance:
        """Starts a session of the chart. The next `run` starts those that it invokes. `input`
        replaces keys of the initial context."""
        return self.engine.start(self._machine, id, input, now=now)

    def send(self, id: str, event: str, data: Any = None, **options: Any) -> Outcome:
        """`Engine.send`. `event`, `data` and `options` are those of the engine."""
        return self.engine.send(id, event, data, **options)

    def run(self, now: Optional[int] = None) -> None:
        """Rounds, until nothing is due."""
        now = _text.time_or_now(now)
        while True:
            self.round(now)
            due = self.engine.deadline
            if not self._waiting and (due is None or due > now):
                return

    def round(self, now: Optional[int] = None) -> None:
        """Hands over what was sent, and makes one round of the engine."""
        now = _text.time_or_now(now)
        self._deliver(now)
        one = self.engine.prepare(now)
        one.exchange()
        one.finish(now)
        self._give_up()

    @property
    def deadline(self) -> Optional[int]:
        """When `run` must be called again."""
        return self.engine.deadline

    def adopt(self, *, now: Optional[int] = None) -> None:
        """Takes over the sessions that another engine has left. `run` continues them."""
        self.engine.adopt_all(now=now)
        for head in self._store.list():
            self._know(head.instance, self._store.records(head.instance, 1, 1)[0].data)

    def close(self) -> None:
        """Frees the engine. The store stays open."""
        self.engine.close()

    def __enter__(self) -> "Sessions":
        return self

    def __exit__(self, *_exception: Any) -> None:
        self.close()

    # ---- what sessions send ----

    def _note(self, call):
        self._know(call.instance, call.record)
        if self._observer:
            self._observer(call)

    def _know(self, id, record):
        """Children are found by the ticket in the input of their start."""
        start = record["input"]
        if "parent" in start:
            ticket = start["input"][PARENT]["ticket"]
            self._children[start["parent"]["invocation"].rsplit("/", 2)[0], ticket] = id

    def _take(self, call):
        """An effect. The engine acknowledges it in its next round, after `_deliver`."""
        if call.name != SEND:
            return Status.OK
        sent, to = call.input, None
        if "child" in sent:
            place = call.instance, sent["of"]
            if place not in self._children:
                self._sought[place] = sent["child"]
                return Status.BUSY  # it has not started yet: this comes again
            to = self._children[place]
        elif sent["target"].startswith(_LOCATION):
            to = sent["target"][len(_LOCATION):]
        self._waiting.append((call.id, call.instance, to, sent))
        return Status.OK

    def _deliver(self, now):
        while self._waiting:
            id, sender, to, sent = self._waiting[0]
            message = {key: sent.get(key) for key in _FIELDS}
            if not self._reaches(to, message, id, now) and message["ticket"] is None:
                lost = {"error": True, "sendid": sent["sendid"]}
                self._reaches(sender, lost, id + "/lost", now)
            del self._waiting[0]

    def _reaches(self, to, message, id, now):
        if to is None:
            return False
        try:
            if self.engine.instance(to).done:
                return False
            self.engine.send(to, MESSAGE, message, event_id=id, now=now)
            return True
        except NotFound:
            return False

    def _give_up(self):
        """A child that is not asked for any more does not start."""
        for place, key in list(self._sought.items()):
            if place in self._children or key not in self._invoked_by(place[0]):
                self._children.setdefault(place, None)
                del self._sought[place]

    def _invoked_by(self, id):
        try:
            return [work["invoke"] for work in self.engine.instance(id).invocations]
        except NotFound:
            return []
