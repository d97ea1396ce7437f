"""What must come: verify's answers are those of a second search, which shares nothing with it.

The states of a chart are found by playing `wfsm simulate`. A fair cycle among them is looked for by the
algorithm of Emerson and Lei: of a strongly connected part, what fairness forbids is taken out until nothing changes.

usage: test_fair.py WFSM FIRST COUNT [--fairness weak|strong|none] [--show]
"""
import hashlib
import json
import sys
from dataclasses import dataclass, field

from command import arguments_of, run, verify
from fair_charts import DELAY, EVENTS, document_of

DIGEST = hashlib.blake2b(b"null", digest_size=32).hexdigest() # of what people are asked
MOST = 120 # states; larger charts are left out


# ---- the chart ----

class Chart:
    """States by their path, without the document's id."""

    def __init__(self, document):
        self.document, self.states, self.parent, self.named = document, {}, {}, {}
        for name, state in document["states"].items():
            self.add(name, state, None)

    def add(self, path, state, parent):
        self.states[path], self.parent[path] = state, parent
        self.named[path.rsplit(".", 1)[-1]] = path
        for name, child in state.get("states", {}).items():
            self.add(f"{path}.{name}", child, path)

    def above(self, path):
        while path is not None:
            yield path
            path = self.parent[path]

    def active(self, leaves):
        return {each for leaf in leaves for each in self.above(leaf)}

    def handlers(self, leaves, event):
        """The states that handle it: for each leaf the innermost one. If two leave the same state, the inner one."""
        found = set()
        for leaf in leaves:
            found.update([s for s in self.above(leaf) if event in self.states[s].get("on", {})][:1])
        leaving = {s for s in found if self.leaves(s, event)}
        return {s for s in found if s not in leaving
                or not any(s != inner and s in self.above(inner) for inner in leaving)}

    def leaves(self, state, event):
        transition = self.states[state]["on"][event]
        return isinstance(transition, str) or "target" in transition

    def is_true(self, rule, leaves):
        name = rule["in_state"]
        return (self.named[name[1:]] if name[0] == "#" else name) in self.active(leaves)


# ---- its states ----

@dataclass
class State:
    leaves: tuple
    works: tuple  # (state, its invocation's id)
    timers: tuple # states, in the order in which their timers were set
    done: bool
    waits: bool   # the property is pending
    path: list = field(default_factory=list)
    edges: list = field(default_factory=list) # (actors, gone, key)

    def key(self):
        return self.leaves, tuple(sorted(s for s, _ in self.works)), self.timers, self.done, self.waits


class Space:
    def __init__(self, wfsm, document):
        self.wfsm, self.document, self.chart = wfsm, document, Chart(document)
        self.claim = document["properties"]["it comes"]["leadsTo"]
        self.found = {}
        self.too_many = False
        self.explore()

    def play(self, path):
        """The answers."""
        lines = "".join(json.dumps(line) + "\n" for line in [{"start": None}, *path])
        return [json.loads(line) for line in
                run(self.wfsm, self.document, lines, "simulate", "--by-hand").stdout.splitlines()]

    def state_after(self, answer, before, path, fired=None):
        entered = entered_in(self.chart, answer)
        active = self.chart.active(answer["configuration"])
        kept = [s for s in (before.timers if before else ()) if s in active and s not in entered and s != fired]
        timers = kept + [s for s in entered if "after" in self.chart.states[s] and s in active]
        works = tuple((work["state"], work["id"]) for work in answer["invocations"])
        waits = before.waits if before else False
        leaves = answer["configuration"]
        if "from" not in self.claim or self.chart.is_true(self.claim["from"], leaves):
            waits = True
        if self.chart.is_true(self.claim["to"], leaves):
            waits = False
        return State(tuple(leaves), works, tuple(timers), answer["done"], waits, path)

    def moves(self, state):
        """(line, actors)"""
        for event in EVENTS:
            handlers = self.chart.handlers(state.leaves, event)
            if handlers:
                yield {"event": event}, people_of(self.asked(state, handlers))
        for place, id_ in state.works:
            if self.chart.states[place]["invoke"]["src"] == "person":
                people = people_of(self.asked(state, {place})) | {("work", place)}
                for decision in ("approve", "reject"):
                    yield {"approve": {"invocation": id_, "by": "ann", "decision": decision,
                                       "digest": DIGEST}}, people
            else:
                yield {"done": id_}, {("work", place)}
                yield {"failed": id_}, {("work", place)}
        if state.timers:
            yield {"fire": True}, {("timer", state.timers[0])}

    def asked(self, state, places):
        """Active states with the tag that are one of these places, above one or below one."""
        active = self.chart.active(state.leaves)
        return {s for s in active if "awaiting_input" in self.chart.states[s].get("tags", [])
                and any(p in self.chart.above(s) or s in self.chart.above(p) for p in places)}

    def explore(self):
        start = self.state_after(self.play([])[-1], None, [])
        self.first = start.key()
        self.found[self.first] = start
        queue = [start]
        while queue:
            state = queue.pop(0)
            for line, actors in () if state.done else self.moves(state):
                path = state.path + ([{"advance": DELAY}] if "fire" in line else []) + [line]
                answer = self.play(path)[-1]
                if "event" not in line and answer["result"] not in ("taken", "ended"):
                    raise ValueError(f"{line} is {answer['result']}")
                fired = state.timers[0] if "fire" in line else None
                after = self.state_after(answer, state, path, fired)
                ids = {id_ for _, id_ in after.works}
                gone = {("work", s) for s, id_ in state.works if id_ not in ids}
                entered = entered_in(self.chart, answer)
                active = self.chart.active(after.leaves)
                gone |= {("timer", s) for s in state.timers if s in entered or s not in active or s == fired}
                state.edges.append((actors, gone, after.key()))
                if after.key() not in self.found:
                    self.found[after.key()] = after
                    queue.append(after)
            if len(self.found) > MOST:
                self.too_many = True
                return

    # ---- fairness ----

    def outstanding(self, state):
        people = {actor for line, actors in self.moves(state) if "event" in line for actor in actors}
        return people | {("work", s) for s, _ in state.works} | {("timer", s) for s in state.timers}

    def ready(self, state):
        return {actor for _, actors in self.moves(state) for actor in actors}


def people_of(asked):
    """Who answers there, and somebody at all."""
    return {("person", s) for s in asked} | ({("people",)} if asked else set())


def entered_in(chart, answer):
    labels = [line["label"].split() for line in answer["log"]]
    return [chart.named[words[1]] for words in labels if words[0] == "enter"]


# ---- fair cycles ----

def components(states, edges):
    """Strongly connected (Tarjan), of this part only; those with an edge inside."""
    index, low, on, stack, found = {}, {}, set(), [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        on.add(v)
        for w in edges(v):
            if w not in states:
                continue
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in on:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            part = set()
            while True:
                w = stack.pop()
                on.discard(w)
                part.add(w)
                if w == v:
                    break
            if len(part) > 1 or v in edges(v):
                found.append(part)
    for v in states:
        if v not in index:
            visit(v)
    return found


def has_fair_cycle(space, states, fairness):
    def edges(key):
        return [to for _, _, to in space.found[key].edges]
    for part in components(states, edges):
        inside = [(actors, gone) for key in part for actors, gone, to in space.found[key].edges if to in part]
        acted = set().union(*(actors for actors, _ in inside))
        served = acted.union(*(gone for _, gone in inside))
        always = set.intersection(*(space.outstanding(space.found[key]) for key in part))
        if fairness != "none" and always - served:
            continue
        if fairness == "strong":
            less = {key for key in part if space.ready(space.found[key]) <= acted}
            if less != part:
                if has_fair_cycle(space, less, fairness):
                    return True
                continue
        return True
    return False


def is_violated(space, fairness):
    waiting = {key for key, state in space.found.items() if state.waits}
    for key in waiting:
        state = space.found[key]
        if state.done or fairness == "none" or not space.outstanding(state):
            return True
    return has_fair_cycle(space, waiting, fairness)


def main(arguments):
    parser = arguments_of(__doc__)
    parser.add_argument("--fairness", choices=("weak", "strong", "none"), default="weak")
    given = parser.parse_args(arguments)
    counts = {"holds": 0, "violated": 0, "too large": 0, "wrong": 0}
    for seed in range(given.first, given.first + given.count):
        document = document_of(seed)
        space = Space(given.wfsm, document)
        if space.too_many:
            counts["too large"] += 1
            continue
        expected = "violated" if is_violated(space, given.fairness) else "holds"
        said = {each["name"]: each["verdict"] for each in
                verify(given.wfsm, document, "--fairness", given.fairness)["properties"]}["it comes"]
        counts[expected] += 1
        if said != expected:
            counts["wrong"] += 1
            print(f"chart {seed}, {given.fairness} fairness: verify says {said}, the second search {expected}")
            if given.show:
                print(json.dumps(document))
    print(counts)
    if counts["holds"] == 0 or counts["violated"] == 0:
        print("nothing was compared")
        return 1
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
