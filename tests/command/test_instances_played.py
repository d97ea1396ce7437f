"""Properties of an instance and its children, against the engine: no run contradicts a `holds`.

usage: test_instances_played.py WFSM FIRST COUNT

Each seed from FIRST on makes a parent, a child and rules at random. `wfsm verify` decides the rules,
and an engine plays both documents. The commits of parent and children are then put in several orders
that their causes allow: a child starts after its claim, a result comes after the end of its child, and
a child is stopped after it was withdrawn. After each commit each rule that holds is asked.
Uses the Python package (WFSM_LIBRARY).
"""
import collections
import json
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python"))
import wfsm  # noqa: E402

WFSM = None
FIRST, COUNT = 1, 60
RUNS, ORDERS, INPUTS = 6, 4, 30
OUTPUTS = [True, False, 0, 1, 2, 3, "x", "", None, [1], {"var": "context.n"}]


# ---- documents ----

def invocation(draw, number, targets):
    made = {"id": f"job{number}", "src": "machine:kid", "onDone": draw.choice(targets),
            "onError": draw.choice(targets)}
    if draw.random() < 0.3:
        data = {"var": "event.data"}
        guard = draw.choice([{"!!": data}, {"===": [data, 1]}, {"in": [data, ["x", 2]]},
                             {">": [{"if": [data, data, 0]}, 1]}])
        made["onDone"] = [{"guard": guard, "target": draw.choice(targets)},
                          {"target": draw.choice(targets)}]
    if draw.random() < 0.2:
        made["timeoutMs"] = 1000
    if draw.random() < 0.25:
        made["retry"] = [{"errors": draw.sample(["timeout", "other", "canceled", "network"], 2),
                          "maxAttempts": 2}]
    if draw.random() < 0.3:
        made["items"] = list(range(draw.randint(1, 3)))
        made["input"] = {}
        if draw.random() < 0.5:
            made["maxConcurrency"] = draw.randint(1, 2)
        if draw.random() < 0.4:
            made["complete"] = draw.choice([1, "settled"])
    return made


def flat(draw, prefix, count, job=None):
    """States PREFIX0 …, of which the last is final."""
    names = [f"{prefix}{i}" for i in range(count)]
    states = {}
    for name in names[:-1]:
        state = states[name] = {"on": {}}
        for event in "abc":
            if draw.random() < 0.3:
                state["on"][event] = {"target": draw.choice(names), "reenter": draw.random() < 0.5}
        if draw.random() < 0.2:
            state["after"] = {str(draw.choice([500, 2000])): draw.choice(names)}
        if job and draw.random() < 0.7:
            state["invoke"] = job(names)
    states[names[-1]] = {"type": "final"}
    return states


def parent_of(draw):
    number = iter(range(10))
    job = lambda targets: invocation(draw, next(number), targets)  # noqa: E731
    if draw.random() < 0.3:
        return {"id": "parent", "initial": "both", "states": {
            "both": {"type": "parallel", "onDone": "end", "states": {
                side: {"initial": side + "0", "states": flat(draw, side, 3, job)} for side in "lr"}},
            "end": {"type": "final"}}}
    return {"id": "parent", "initial": "p0", "states": flat(draw, "p", draw.randint(2, 4), job)}


def kid_of(draw):
    agent = lambda targets: {"src": "agent", "onDone": draw.choice(targets),  # noqa: E731
                             "onError": draw.choice(targets)}
    states = flat(draw, "k", draw.randint(2, 4), agent)
    last = next(name for name, state in states.items() if state.get("type") == "final")
    states[last]["output"] = draw.choice(OUTPUTS)
    if draw.random() < 0.5:
        states["other"] = {"type": "final", "output": draw.choice(OUTPUTS)}
        states["k0"].setdefault("on", {})["a"] = "other"
    if draw.random() < 0.3:
        states[last]["tags"] = "error"
    if draw.random() < 0.5:
        states["bad"] = {"type": "final", "tags": "error", "output": {"class": "network"}}
        states["k0"].setdefault("on", {})["b"] = "bad"
    return {"id": "kid", "initial": "k0", "context": {"n": 1}, "states": states}


def paths(states, above=""):
    for name, state in states.items():
        yield above + name
        yield from paths(state.get("states", {}), above + name + ".")


def jobs(states):
    for state in states.values():
        if "invoke" in state:
            yield state["invoke"]["id"]
        yield from jobs(state.get("states", {}))


def rule(draw, parent, kid):
    count = lambda: {"children_in": [draw.choice(list(jobs(parent["states"]))),  # noqa: E731
                                     draw.choice(list(kid["states"]))]}
    shape = draw.randrange(5)
    if shape == 0:
        return {"never": {"and": [{"in_state": draw.choice(list(paths(parent["states"])))}, count()]}}
    if shape == 1:
        return {"always": {"<=": [count(), draw.randint(1, 2)]}}
    if shape == 2:
        return {"always": {"<": [{"+": [count(), count()]}, draw.randint(2, 3)]}}
    if shape == 3:
        return {"never": {"and": [{"in_state": draw.choice(list(paths(parent["states"])))},
                                  {"<": [1, count()]}]}}
    return {"never": {"and": [count(), count()]}}


# ---- what a rule says ----

def active(configuration, state):
    return any(leaf == state or leaf.startswith(state + ".") for leaf in configuration)


def value(what, view):
    if not isinstance(what, dict):
        return what
    (name, operand), = what.items()
    if name == "in_state":
        return active(view.parent, operand)
    if name == "children_in":
        return sum(active(child.configuration, operand[1]) for child in view.children.values()
                   if child.job == operand[0] and view.counts(child))
    values = [value(one, view) for one in operand]
    return {"and": all, "+": sum, "<=": lambda v: v[0] <= v[1], "<": lambda v: v[0] < v[1]}[name](values)


def is_violated(claim, view):
    (word, what), = claim.items()
    return bool(value(what, view)) == (word == "never")


class Child:
    def __init__(self, key, attempt):
        self.key, self.attempt, self.job = key, attempt, None
        self.configuration, self.ended = [], None


class View:
    """What is stored of the parent and its children at some time."""

    def __init__(self):
        self.parent, self.outstanding, self.children = [], {}, {}
        self.names = {}

    def counts(self, child):
        """Until it is stopped; and after its own end, until its parent has taken the result."""
        if child.ended is None:
            return True
        return child.ended == "done" and self.outstanding.get(child.key) == child.attempt

    def take_parent(self, record):
        self.parent = record.get("configuration", self.parent)
        for one in record.get("invocations", ()):
            key = (one["revision"], one["ordinal"])
            self.names.setdefault(key, one.get("invoke"))
            if one["status"] == "running":
                self.outstanding[key] = one["attempt"]
            else:
                self.outstanding.pop(key, None)
        for key in record.get("invocations_cleared", ()):
            self.outstanding.pop(tuple(key), None)

    def take_child(self, name, record):
        if name not in self.children:
            above = record["input"]["parent"]
            key = tuple(int(part) for part in re.fullmatch(r"p/(\d+)/(\d+)-\d+", above["invocation"]).groups())
            self.children[name] = Child(key, above["attempt"])
            self.children[name].job = self.names[key]
        child = self.children[name]
        child.configuration = record.get("configuration", child.configuration)
        child.ended = record.get("status") if record.get("status") in ("done", "stopped") else child.ended


# ---- runs ----

def play(draw, parent, kid):
    """The records of all instances, by name, from one run."""
    store = wfsm.memory()
    engine = wfsm.Engine(store, session="host")
    engine.add_machine(wfsm.Machine.load(parent))
    engine.add_machine(wfsm.Machine.load(kid))
    engine.agent("agent")(lambda call: wfsm.LATER)
    now = 1000
    engine.start("parent", "p", now=now)
    engine.run(now=now)
    for _ in range(INPUTS):
        now += draw.choice([1, 1, 1, 600, 2500])
        heads = [head for head in store.list() if head.status is wfsm.InstanceStatus.RUNNING]
        if not heads:
            break
        for _ in range(draw.randint(1, 2)):
            act(draw, engine, draw.choice(heads).instance, now)
        for _ in range(draw.randint(1, 3)):
            turn = engine.prepare(now=now)
            turn.exchange()
            turn.finish(now)
    records = {head.instance: [record.data for record in store.records(head.instance)]
               for head in store.list()}
    engine.close()
    store.close()
    return records


def act(draw, engine, name, now):
    chance = draw.random()
    try:
        if chance < 0.4:
            engine.send(name, draw.choice("abc"), now=now)
            return
        if chance < 0.45 and name != "p":
            engine.stop(name, now=now)
            return
        work = engine.instance(name).invocations
        if not work:
            return
        one = draw.choice(work)
        if chance < 0.5:
            engine.cancel(one["id"], now=now)
        elif one["src"] == "agent" and chance < 0.9:
            engine.result(one["id"], draw.choice([True, False]), now=now)
        elif one["src"] == "agent":
            engine.fail(one["id"], draw.choice(["network", "other"]), now=now)
    except wfsm.WfsmError:  # it has ended, or been released
        pass


def causes(records):
    """For each record of an instance the records of others that come before it."""
    before = collections.defaultdict(list)
    ends, known = {}, {}
    for name, list_ in records.items():
        if name == "p":
            continue
        above = list_[0]["input"]["parent"]
        known[name] = (above["invocation"], above["attempt"])
        if list_[-1].get("status") in ("done", "stopped"):
            ends[known[name]] = (name, len(list_) - 1)
    for name, (invocation_, attempt) in known.items():
        claim = withdrawal = None
        for number, record in enumerate(records["p"]):
            mine = [one for one in record.get("invocations", ())
                    if invocation_.startswith(f"p/{one['revision']}/{one['ordinal']}-")]
            if any(one["status"] == "running" and one["attempt"] == attempt for one in mine):
                claim = number if claim is None else claim
            elif claim is not None and withdrawal is None and (mine or any(
                    invocation_.startswith(f"p/{key[0]}/{key[1]}-")
                    for key in record.get("invocations_cleared", ()))):
                withdrawal = number
        before[name, 0].append(("p", claim))
        last = records[name][-1]
        if last["input"]["kind"] == "stop" and withdrawal is not None and not answers(
                records["p"][withdrawal], invocation_):
            before[name, len(records[name]) - 1].append(("p", withdrawal))
        elif withdrawal is not None and known[name] in ends and answers(
                records["p"][withdrawal], invocation_):
            before["p", withdrawal].append(ends[known[name]])
    return before


def answers(record, invocation_):
    """A result or failure that is the child's own end."""
    given = record["input"]
    return given["kind"] in ("result", "failure", "done", "failed") and \
        given.get("invocation") == invocation_ and given.get("class") != "timeout"


def order(draw, records):
    """The records in an order that their causes allow."""
    before, done = causes(records), set()
    at = {name: 0 for name in records}
    while True:
        ready = [name for name, number in at.items() if number < len(records[name]) and
                 all(one in done for one in before[name, number])]
        if not ready:
            return
        name = draw.choice(ready)
        yield name, records[name][at[name]]
        done.add((name, at[name]))
        at[name] += 1


class Played(unittest.TestCase):
    def verify(self, parent, kid):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / "parent.json", Path(folder) / "kid.json"]
            for file, document in zip(files, (parent, kid)):
                file.write_text(json.dumps(document), encoding="utf-8")
            done = subprocess.run(
                [WFSM, "verify", "--json", "--max-states", "3000", "--machines", files[1], files[0]],
                capture_output=True, text=True, timeout=600)
        self.assertEqual(done.stderr, "", parent)
        return {one["name"]: one["verdict"] for one in json.loads(done.stdout)["properties"]}

    def check_run(self, draw, parent, kid, holding):
        records = play(draw, parent, kid)
        for _ in range(ORDERS):
            view, taken = View(), 0
            for name, record in order(draw, records):
                if name == "p":
                    view.take_parent(record)
                else:
                    view.take_child(name, record)
                taken += 1
                for title in holding:
                    self.assertFalse(is_violated(parent["properties"][title]["instances"], view),
                                     (title, json.dumps(parent), json.dumps(kid), json.dumps(records)))
                self.asked += len(holding)
            self.assertEqual(taken, sum(map(len, records.values())), records)
        self.children += len(records) - 1

    def test_no_run_contradicts_what_holds(self):
        verdicts = collections.Counter()
        self.asked = self.children = 0
        for seed in range(FIRST, FIRST + COUNT):
            draw = random.Random(seed)
            parent, kid = parent_of(draw), kid_of(draw)
            if not any(True for _ in jobs(parent["states"])):
                continue
            parent["properties"] = {str(i): {"instances": rule(draw, parent, kid)} for i in range(4)}
            with self.subTest(seed=seed):
                found = self.verify(parent, kid)
                verdicts.update(found.values())
                holding = [title for title, verdict in found.items() if verdict == "holds"]
                for _ in range(RUNS if holding else 0):
                    self.check_run(draw, parent, kid, holding)
        print(dict(verdicts), self.children, "children,", self.asked, "questions")
        self.assertGreater(verdicts["holds"], COUNT // 3)
        self.assertGreater(verdicts["violated"], COUNT // 3)
        self.assertGreater(self.asked, 100 * COUNT)


if __name__ == "__main__":
    WFSM = Path(sys.argv.pop(1)).resolve()
    FIRST, COUNT = int(sys.argv.pop(1)), int(sys.argv.pop(1))
    unittest.main()
