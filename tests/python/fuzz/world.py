"""What a case of the fuzzer works on: one object of each class, and values that do not fit."""
import math
import os
import sys
from pathlib import Path

STANDIN = Path(__file__).resolve().parents[1] / "langgraph_standin"
sys.path.insert(0, str(STANDIN))

import wfsm  # noqa: E402
from langgraph.graph import START, StateGraph  # noqa: E402
from langgraph.types import Command, Send, interrupt  # noqa: E402
from wfsm import agents, hosted, langgraph  # noqa: E402
from shelf import Shelf  # noqa: E402

CHART = {
    "id": "chart", "initial": "a", "context": {"n": 0},
    "states": {
        "a": {"on": {"go": {"target": "b", "guard": "may"}, "act": {"actions": "act"}},
              "after": {"5": "b"}},
        "b": {"entry": {"type": "emit", "params": {"event": "rang"}},
              "invoke": {"src": "worker", "input": {"x": 1}, "onDone": "c", "onError": "a"},
              "on": {"back": "a"}},
        "c": {"type": "final"}},
}

JUNK = (
    None, True, 0, 1, -1, 7, 2**31, 2**32, 2**63, 2**64, -2**63, 1.5, math.nan, math.inf, 1e308,
    "", "one", "a\0b", "\ud800", "ä\u202e", "x" * 5000, b"", b"\0\xff", bytearray(b"{}"), (), [], {},
    {"n": 1}, {1: 2}, [None], ["one", 2], {"n": math.nan}, set(), object(), int, len, print,
    lambda *_: None, range(3), Exception("e"), Ellipsis, wfsm.LATER, wfsm.GONE,
)


async def coroutine_function(*_):
    return None


class World:
    """The objects. Callbacks do what `inside` does: the fuzzer's next operations."""

    def __init__(self, random, folder, inside):
        self.random, self.folder, self.inside = random, Path(folder), inside
        self.store = self._store()
        self.machine = wfsm.Machine.load(CHART)
        self.functions = wfsm.Functions()
        self.functions.guard("may")(self._callback("guard", True))
        self.functions.action("act")(self._callback("action", {"n": 1}))
        self.instance = wfsm.Instance.start(self.machine, self.store, "one",
                                            functions=self.functions, now=1)
        self.engine = wfsm.Engine(self.store, now=1, clock=self._callback("clock", 1.0))
        self.engine.add_machine(self.machine)
        self.engine.guard("may")(self._callback("guard", True))
        self.engine.action("act")(self._callback("action", {"n": 2}))
        self.engine.agent("worker")(self._callback("agent", wfsm.LATER))
        self.engine.observer(self._callback("observer", None))
        self.engine.on_effect(self._callback("effect", None))
        self.running = self.engine.start("chart", "two", now=1)
        self.pool = [self.store, self.machine, self.functions, self.instance, self.engine,
                     self.running, self.machine.monitor(), wfsm.memory(), coroutine_function,
                     langgraph.compile(self._graph(), store=self.store), langgraph.Saver(self.store),
                     *self._companions()]

    def _store(self):
        kind = self.random.randrange(8)
        if kind == 0:
            return wfsm.sqlite(self.folder / "tasks.db")
        if kind == 1:
            return hosted.store(Shelf(self.folder / "shelf.json"))
        return wfsm.memory()

    def _graph(self):
        """A graph whose nodes call back, ask, and continue with whatever there is."""
        builder = StateGraph(dict)
        builder.add_node("a", lambda state: self._callback("node", {"x": 1})(state))
        builder.add_node("b", lambda state: {"x": interrupt("x?")})
        builder.add_edge(START, "a")
        builder.add_conditional_edges("a", lambda state: [Send("b", {}), self.random.choice(JUNK)])
        return builder

    @staticmethod
    def _companions():
        if not os.environ.get("WFSM_AGENTS_LIBRARY"):
            return []
        return [agents.Agents(), agents.Progress(lambda line: None)]

    def _callback(self, what, answer):
        def call(*arguments):
            self.pool.extend(arguments)
            del self.pool[60:]
            self.inside(what)
            return answer
        return call

    # Values for the parameters by their names: often what is expected, so that the calls get far.

    def value(self, name):
        if name in BOUNDED:
            return self.random.choice(BOUNDED[name])
        if self.random.random() < 0.35:
            return self.random.choice(self.pool if self.random.random() < 0.5 else JUNK)
        made = GOOD.get(name)
        return made(self) if made else self.random.choice(JUNK)

    def end(self):
        """Closes everything, in any order."""
        objects = [one for one in self.pool if hasattr(one, "close")]
        self.random.shuffle(objects)
        for one in objects:
            try:
                one.close()
            except Exception:  # in use, or of another kind
                pass


# Waits and searches: a case must end.
BOUNDED = {"timeout": (0, 0.001), "interval": (0, 0.001), "milliseconds": (0, 1), "busy_ms": (0, 1)}

GOOD = {
    "machine": lambda w: w.machine, "store": lambda w: w.store, "archive": lambda w: w.pool[7],
    "functions": lambda w: w.functions, "engine": lambda w: w.engine,
    "instance": lambda w: w.random.choice(("one", "two", w.instance)),
    "id": lambda w: w.random.choice(("one", "two", "three", None)),
    "source": lambda w: w.random.choice((CHART, "two", "{")),
    "event": lambda w: w.random.choice(("go", "back", "act")), "data": lambda w: {"n": [1]},
    "name": lambda w: w.random.choice(("may", "worker", w._callback("added", True))),
    "now": lambda w: w.random.choice((None, 1, 10, 1000)),
    "input": lambda w: w.random.choice(({"n": 2}, None, Command(resume=1), Command(goto="b"))), "context": lambda w: {"n": 3},
    "requests": lambda w: [{"agent": "worker", "input": 1}],
    "starts": lambda w: [("chart", "four"), ("chart", "five", {"n": 1})],
    "kind": lambda w: w.random.choice(("slots", "agent", "phase", wfsm.PostKind.POST_STOP)),
    "invocation": lambda w: w.random.choice(("two/2/1", "one/2/1")),
    "function": lambda w: w._callback("given", None), "observer": lambda w: w._callback("o", None),
    "condition": lambda w: w._callback("condition", True),
    "progress": lambda w: w._callback("progress", True), "max_states": lambda w: 50,
    "path": lambda w: w.folder / "file", "self": lambda w: w.random.choice(w.pool),
    "hosted": lambda w: Shelf(w.folder / "other.json"), "revision": lambda w: 1,
    "first": lambda w: 1, "last": lambda w: 2, "checkpoint": lambda w: w.random.choice(("kept", {"id": "1"})),
    "tell": lambda w: w._callback("tell", None), "write": lambda w: w._callback("write", None),
    "agent": lambda w: Worker(w), "limit": lambda w: 3, "most": lambda w: 2,
    "command": lambda w: ["true"], "text": lambda w: "text", "line": lambda w: "line",
    "by": lambda w: "ada", "digest": lambda w: "d" * 64, "effect": lambda w: wfsm.Effect(
        1, "one/2/1", "rang", None), "session": lambda w: None, "clock": lambda w: lambda: 1.0,
    "graph": lambda w: w._graph(), "config": lambda w: {"configurable": {
        "thread_id": w.random.choice(("one", "g")), **w.random.choice(({}, {"checkpoint_id": "3"}))}},
    "values": lambda w: {"x": 3}, "as_node": lambda w: w.random.choice(("a", "b", "__end__")),
    "stream_mode": lambda w: w.random.choice(("values", "updates", ["custom", "values"])),
    "interrupt_before": lambda w: ["b"], "interrupt_after": lambda w: "*", "thread_id": lambda w: "g",
    "writes": lambda w: [("x", w.random.choice(JUNK))], "task_id": lambda w: "task", "metadata": lambda w: {"step": 1},
    "new_versions": lambda w: {}, "serde": lambda w: None, "slots": lambda w: 5, "prefix": lambda w: "c/",
    "round": lambda w: w.engine.prepare(),
}


class Worker:
    """An agent that is an object."""

    def __init__(self, world):
        for part, answer in (("start", wfsm.LATER), ("poll", wfsm.LATER), ("probe", wfsm.GONE),
                             ("cancel", None)):
            setattr(self, part, world._callback(part, answer))
