"""What the tests of wfsm.langgraph share: graphs of the stand-in, see langgraph_standin/README.md."""
import operator
import sys
from pathlib import Path
from typing import Annotated, TypedDict

sys.path.insert(0, str(Path(__file__).with_name("langgraph_standin")))

from support import Case, wfsm  # noqa: E402
import wfsm.langgraph  # noqa: E402
from langgraph.graph import END, START, StateGraph  # noqa: E402


class Log(TypedDict):
    log: Annotated[list, operator.add]
    n: int


def config(thread="t", **more):
    return {"configurable": {"thread_id": thread, **more}}


def says(word):
    """A node that notes its name."""
    return lambda state: {"log": [word]}


def graph(*edges, state=Log, **nodes):
    """Nodes by name; nodes that only the edges have note their names."""
    builder = StateGraph(state)
    names = [name for edge in edges for end in edge for name in ([end] if isinstance(end, str) else end)]
    for name in dict.fromkeys([*nodes, *names]):
        if name not in (START, END):
            builder.add_node(name, nodes.get(name, says(name)))
    for start, end in edges:
        builder.add_edge(list(start) if isinstance(start, tuple) else start, end)
    return builder


class GraphCase(Case):
    def compiled(self, builder, **options):
        made = wfsm.langgraph.compile(builder, store=options.pop("store", None) or self.memory(), **options)
        self.addCleanup(made.close)
        return made
