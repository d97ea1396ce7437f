"""A graph on a file, which kills its own process in a node: FILE MARKS ORDER.

MARKS gets a line for each node that begins. ORDER is a JSON of {"kill": node or null, "call": "input",
"none", "resume" or "update"}. Prints the output.
"""
import json
import os
import signal
import sys
import time

from langgraph_given import START, config, graph, wfsm
from langgraph.types import Command, Send, interrupt

FILE, MARKS, ORDER = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
CALLS = {"input": {"log": ["x"]}, "none": None, "update": None, "resume": Command(resume="yes")}


def mark(name):
    with open(MARKS, "a", encoding="utf-8") as marks:
        marks.write(name + "\n")


def marks():
    with open(MARKS, encoding="utf-8") as found:
        return found.read().split()


def is_stored(answers):
    """The results of the other nodes of the step are in the journal."""
    with wfsm.sqlite(FILE, read_only=True) as store:
        kinds = [one.data["input"]["kind"] for one in store.records("t")]
    return kinds.count("result") >= answers


def node(name, answers=0):
    def work(state):
        mark(name)
        if ORDER["kill"] == name:
            while not is_stored(answers):
                time.sleep(0.005)
            os.kill(os.getpid(), signal.SIGKILL)
        return {"log": [name]}
    return work


def asks(state):
    mark("ask")
    answer = interrupt("continue?")
    if ORDER["kill"] == "ask":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"log": [answer]}


def one(n):
    return node(f"one{n}")({})


inner = graph((START, "i"), ("i", "j"), ("j", "ask"), i=lambda state: (mark("i"), {})[1], j=node("j"),
              ask=asks)
builder = graph((START, "a"), (START, "b"), (("a", "b"), "sub"), a=node("a"), b=node("b", 2), one=one,
                sub=inner.compile())
builder.add_conditional_edges("sub", lambda state: [Send("one", n) for n in range(3)])
with wfsm.sqlite(FILE) as store, wfsm.langgraph.compile(builder, store=store) as made:
    if ORDER["call"] == "update":
        made.update_state(config(), {"log": ["u"]}, as_node="sub")
    found = made.invoke(CALLS[ORDER["call"]], config())
    asked = [each.value for each in found.pop("__interrupt__", ())]
    print(json.dumps([found["log"], asked]))
