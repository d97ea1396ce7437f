"""Random graphs on wfsm.langgraph and on npm's @langchain/langgraph.

usage: langgraph_fuzz.py FOLDER REFERENCE.mjs [--cases N] [--first N]

A case follows from its number alone: nodes, edges, edges that wait, conditional edges, Send, Command,
questions, interrupt_before and interrupt_after, subgraphs, deferred nodes, and the calls. What is
compared is what langgraph_suite.py compares, except for what doc/python-langgraph.md declares: see
`unlike`.
"""
import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import outside
from langgraph_suite import PACKAGES, report

AT_ONCE = 100
LIMIT = 6  # supersteps of a call: each may double the tasks


def questions(graph):
    inner = [one for spec in graph["nodes"].values() if "graph" in spec for one in questions(spec["graph"])]
    return [one for spec in graph["nodes"].values() for one in spec.get("ask", ())] + inner


class Made:
    """One case."""

    def __init__(self, number):
        self.random = random.Random(number)

    def chance(self, share):
        return self.random.random() < share

    def some(self, names, most=2):
        return self.random.sample(names, self.random.randint(1, min(most, len(names))))

    def ends(self, names, most=2):
        return ["END"] if self.chance(0.3) else self.some(names, most)

    def packets(self, names):
        return [{"node": name, "arg": {"n": self.random.randrange(4), "log": []}}
                if self.chance(0.4) else name for name in self.some(names)]

    def work(self, name, names, is_inner):
        spec = {}
        if self.chance(0.8):
            spec["log"] = [name]
        if self.chance(0.25):
            spec["plus"] = self.random.randrange(1, 3)
        elif self.chance(0.1):
            spec["set"] = self.random.randrange(4)
        if self.chance(0.15):
            spec["ask"] = [f"{name}{number}?" for number in range(self.random.randint(1, 2))]
        if self.chance(0.2):
            spec.update(goto=self.packets(names), ends=names)
        elif is_inner and name == "i" and self.chance(0.3):  # there the first of several to end wins
            spec.update(goto=["a"], parent=True, ends=[])
        if not is_inner and self.chance(0.1):
            spec["defer"] = True
        return spec

    def branch(self, start, names):
        if start == "START" and self.chance(0.3):
            return {"from": start, "each": self.random.choice(names)}
        return {"from": start, "below": self.random.randrange(5), "then": self.packets(names),
                "else": self.ends(names)}

    def graph(self, names, is_inner=False):
        nodes = {name: self.work(name, names, is_inner) for name in names}
        if not is_inner and self.chance(0.2):
            nodes[names[-1]] = {"graph": self.graph(["i", "j", "k"][:self.random.randint(1, 3)], True),
                                "ends": names}
        edges, branches = [], []
        for start in ["START", *names]:
            kind = self.random.random()
            if kind < 0.25:
                branches.append(self.branch(start, names))
            elif kind < 0.8 or start == "START":
                edges += [[start, end] for end in
                          (self.ends(names) if start != "START" else self.some(names))]
        if len(names) > 2 and self.chance(0.25):
            nodes["z"] = {"log": ["z"]}  # no other edge leads to it: see the page
            edges.append([self.random.sample(names, 2), "z"])
        ends = {end for _, end in edges}
        edges += [["START", name] for name in names if name not in ends]  # all can be reached
        found = {"nodes": nodes, "edges": edges, "branches": branches}
        if is_inner:
            return {"inner": True, **found}
        options = {key: self.some(names) for key in ("interruptBefore", "interruptAfter") if self.chance(0.12)}
        return {**found, "options": options}

    def call(self, names, graph):
        kind = self.random.random()
        if kind < 0.2:
            return {"resume": self.random.choice("xyz")}
        if kind < 0.4:
            return {"resume": {"by": {question: self.random.choice("xyz") for question in questions(graph)}}}
        if kind < 0.6:
            return {"input": {"log": ["in"], "n": self.random.randrange(3)}}
        if kind < 0.8:
            return {}
        return {"update": {"log": ["up"]}, "as": self.random.choice(names)}

    def case(self):
        names = ["a", "b", "c", "d", "e"][:self.random.randint(1, 5)]
        graph = self.graph(names)
        calls = [{"input": {"log": [], "n": self.random.randrange(4)}}]
        calls += [self.call(names, graph) for _ in range(self.random.randrange(4))]
        return {"graph": graph, "calls": [{**call, "limit": LIMIT} for call in calls]}


def played(node, program, folder, cases):
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "cases.json"
        path.write_text(json.dumps(cases), encoding="utf-8")
        told = subprocess.run([node, program, folder, path], capture_output=True, text=True,
                              check=True, env=outside.environment(), timeout=300)
    return json.loads(told.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("program")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--first", type=int, default=1)
    given = parser.parse_args()
    outside.install(given.folder, PACKAGES)
    node, bad = outside.tool("node"), 0
    for first in range(given.first, given.first + given.cases, AT_ONCE):
        last = min(first + AT_ONCE, given.first + given.cases)
        cases = {str(number): Made(number).case() for number in range(first, last)}
        theirs = played(node, given.program, given.folder.resolve(), cases)
        for number, spec in cases.items():
            ours, unsound = report(spec)
            found = [*unlike(spec, ours, theirs[number]), *map(str, unsound)]
            bad += bool(found)
            for line in found:
                print(f"case {number}, {line}", flush=True)
    print(f"{given.cases} graphs, {bad} problems")
    return 1 if bad else 0


def plain(chunks):
    """Of a node that has written nothing, the Python package shows None, and the reference {} after a Command."""
    return chunks and [{key: None if value == {} else value for key, value in one.items()} for one in chunks]


def is_refused(ours, theirs):
    """Several nodes have failed; or the reference has stored writes that it refuses, and shows no state
    from then on."""
    if theirs["error"] == "AggregateError":  # of several nodes: here it is the first one's
        return ours["error"] is not None
    return theirs["state"] is None and (ours["state"] is None or ours["error"] == theirs["error"])


def shown(one, has_resumed):
    """While questions are being answered, `next` and `asked` differ as the page says."""
    state = one["state"]
    if state is not None and has_resumed:
        state = {"values": state["values"]}
    return {"chunks": plain(one["chunks"]), "error": one["error"], "state": state}


def is_declared(spec, call, has_resumed, asked):
    """What doc/python-langgraph.md says is different."""
    if "resume" in call:  # to no question, or one answer to several
        return not asked or len(asked) > 1 and not isinstance(call["resume"], dict)
    if "update" in call:
        nodes = spec["graph"]["nodes"]
        return "z" in nodes or any(one.get("defer") for one in nodes.values())
    return "input" not in call and has_resumed and bool(asked)


def unlike(spec, ours, theirs):
    """The first difference. What follows one that is declared is not compared."""
    has_resumed, asked = False, []
    for number, (call, one, other) in enumerate(zip(spec["calls"], ours["calls"], theirs["calls"]), 1):
        if is_declared(spec, call, has_resumed, asked) or is_refused(one, other):
            return
        has_resumed = has_resumed or "resume" in call
        asked = one["state"]["asked"] if one["state"] else []
        one, other = shown(one, has_resumed), shown(other, has_resumed)
        for key in one:
            if one[key] != other[key]:
                yield f"call {number} {json.dumps(call)}, {key}:\n  wfsm      {one[key]}\n  reference {other[key]}"
                return


if __name__ == "__main__":
    try:
        sys.exit(main())
    except outside.Missing as missing:
        sys.exit(outside.without(missing))
