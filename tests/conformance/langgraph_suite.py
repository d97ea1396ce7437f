"""Graphs on wfsm.langgraph, and the same graphs on npm's @langchain/langgraph.

usage: langgraph_suite.py FOLDER REFERENCE.mjs CASES.json

FOLDER is where the packages are installed, once. The graphs are data, from which both sides build
theirs: here with the stand-in of the Python package (tests/python/langgraph_standin). After each call
of a case, what was streamed, the state, what runs next and what is asked must be the same; and in the
end the history, step by step. What a case declares to differ, with a reason, must differ. outside.py tells what happens without node, npm or a registry.
"""
import json
import operator
import subprocess
import sys
from pathlib import Path
from typing import Annotated, TypedDict

PYTHON = Path(__file__).parents[1] / "python"
sys.path.insert(0, str(PYTHON / "langgraph_standin"))

import outside  # noqa: E402
import wfsm  # noqa: E402
import wfsm.langgraph  # noqa: E402
from langgraph.errors import InvalidUpdateError  # noqa: E402
from langgraph.graph import END, START, StateGraph  # noqa: E402
from langgraph.types import Command, Send, interrupt  # noqa: E402

PACKAGES = ["@langchain/langgraph@1.7.3", "@langchain/core@1.3.4", "zod@4.2.0"]
OPTIONS = {"interruptBefore": "interrupt_before", "interruptAfter": "interrupt_after"}
CONFIG = {"configurable": {"thread_id": "t"}}


class State(TypedDict):
    log: Annotated[list, operator.add]
    n: int


def named(name):
    return {"START": START, "END": END}.get(name, name)


def packet(one):
    return named(one) if isinstance(one, str) else Send(one["node"], one["arg"])


def work(spec):
    def node(state):
        update = {key: spec[key] for key in ["log"] if key in spec}
        if "plus" in spec:
            update["n"] = state.get("n", 0) + spec["plus"]
        if "set" in spec:
            update["n"] = spec["set"]
        if "tell" in spec:
            update["log"] = [f"{state['n']}"]
        for question in spec.get("ask", ()):
            update["log"] = update.get("log", []) + [interrupt(question)]
        if "goto" not in spec:
            return update
        return Command(update=update, goto=[packet(one) for one in spec["goto"]],
                       graph=Command.PARENT if "parent" in spec else None)
    return node


def choose(spec):
    def path(state):
        if "each" in spec:
            return [Send(spec["each"], {"n": n}) for n in range(state["n"])]
        return [packet(one) for one in spec["then" if state.get("n", 0) < spec["below"] else "else"]]
    return path


def build(graph):
    builder = StateGraph(State)
    for name, spec in graph["nodes"].items():
        node = build(spec["graph"]).compile() if "graph" in spec else work(spec)
        builder.add_node(name, node, defer=spec.get("defer", False))
    for start, end in graph["edges"]:
        builder.add_edge(start if isinstance(start, list) else named(start), named(end))
    for spec in graph.get("branches", ()):
        builder.add_conditional_edges(named(spec["from"]), choose(spec))
    return builder


def past(made, wanted):
    return next(one.config for one in made.get_state_history(CONFIG) if one.metadata["step"] == wanted)


def answers(made, resume):
    if not isinstance(resume, dict):
        return resume
    return {one.id: resume["by"][one.value] for one in made.get_state(CONFIG).interrupts
            if one.value in resume["by"]}


def given(made, call):
    if "resume" in call:
        return Command(resume=answers(made, call["resume"]))
    if "command" in call:
        goto = [packet(one) for one in call["command"].get("goto", ())]
        return Command(update=call["command"].get("update"), goto=goto)
    return call.get("input")


def clean(chunk):
    if "__interrupt__" in chunk:
        return {"asked": [one.value for one in chunk["__interrupt__"]]}
    return chunk


def play(made, call):
    config = past(made, call["at"]) if "at" in call else CONFIG
    if "update" in call:
        made.update_state(config, call["update"], call.get("as"))
        return None
    if "limit" in call:
        config = {**config, "recursion_limit": call["limit"]}
    chunks = [clean(one) for one in made.stream(given(made, call), config)]
    return [json.loads(one) for one in sorted(json.dumps(one, separators=(",", ":")) for one in chunks)]


def shown(state):
    return {"values": state.values, "next": sorted(state.next), "asked": [one.value for one in state.interrupts]}


def state(made):
    """None: writes that cannot be applied, with which there is no state to show."""
    try:
        return shown(made.get_state(CONFIG))
    except InvalidUpdateError:
        return None


def report(spec):
    options = {OPTIONS[key]: value for key, value in spec["graph"].get("options", {}).items()}
    found = []
    with wfsm.memory() as store, wfsm.langgraph.compile(build(spec["graph"]), store=store, **options) as made:
        for call in spec["calls"]:
            chunks, error = None, None
            try:
                chunks = play(made, call)
            except Exception as problem:  # pylint: disable=broad-except
                error = type(problem).__name__
            found.append({"chunks": chunks, "error": error, "state": state(made)})
        history = [{"step": one.metadata["step"], "source": one.metadata["source"], "next": sorted(one.next),
                    "values": one.values} for one in made.get_state_history(CONFIG)]
        unsound = store.audit()
    return {"calls": found, "history": history}, unsound


def compared(where, one, other, differs):
    """What is declared to differ must differ."""
    for key in one:
        if key != "calls" and other[key] is not None and (one[key] != other[key]) != (key in differs):
            yield f"{where}, {key}:\n  wfsm      {one[key]}\n  reference {other[key]}"


def differences(name, spec, ours, theirs):
    calls = zip(spec["calls"], ours["calls"], theirs["calls"])
    for number, (call, one, other) in enumerate(calls, 1):
        yield from compared(f"{name}, call {number}", one, other, call.get("differs", ()))
    yield from compared(name, ours, theirs, spec.get("differs", ()))


def main(folder, program, path):
    cases = json.loads(Path(path).read_text(encoding="utf-8"))
    outside.install(Path(folder), PACKAGES)
    told = subprocess.run([outside.tool("node"), program, Path(folder).resolve(), path], capture_output=True,
                          text=True, check=True, env=outside.environment(), timeout=120)
    reference, failed = json.loads(told.stdout), 0
    for name, spec in cases.items():
        ours, unsound = report(spec)
        found = [*differences(name, spec, ours, reference[name]), *map(str, unsound)]
        failed += bool(found)
        print(*found, sep="\n", end="\n" if found else "")
    print(f"\nLangGraph: {len(cases) - failed} of {len(cases)} graphs as {PACKAGES[0]}")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except outside.Missing as missing:
        sys.exit(outside.without(missing))
