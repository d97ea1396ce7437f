"""Random legal charts and event sequences; the same seed gives the same."""

import random

EVENTS = ["a", "b", "c", "a.x", "a.y"]
DESCRIPTORS = EVENTS + ["a.*", "*"]


class Chart:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0
        self.states = []  # (path, config, kind, parent path)
        self.document = {"wfsm": 1, "id": "random",
                         "context": {"n": 0, "m": 1, "o": {"p": 0}, "l": [1, 2]}}
        self.grow(self.document, "", 0)
        self.connect()

    def chance(self, odds):
        return self.random.random() < odds

    def pick(self, options):
        return self.random.choice(options)

    # ---- structure ----

    def grow(self, config, path, depth):
        parallel = self.chance(0.3) and depth < 3
        if parallel:
            config["type"] = "parallel"
        config["states"] = {}
        keys = [self.new_key() for _ in range(self.random.randint(2, 3))]
        kinds = [self.add_child(config, path, key, depth, parallel) for key in keys]
        normal = [k for k, kind in zip(keys, kinds) if kind != "final"] or keys
        if not parallel:
            config["initial"] = self.pick(normal)
        if depth > 0 and self.chance(0.4):
            self.add_history(config, path, normal)

    def new_key(self):
        self.count += 1
        return f"s{self.count}"

    def add_child(self, config, path, key, depth, parallel):
        child = {}
        config["states"][key] = child
        here = f"{path}.{key}" if path else key
        kind = "atomic"
        if depth < 3 and self.chance(0.45 if not parallel else 0.7):
            kind = "branch"
        elif not parallel and self.chance(0.2):
            kind = child["type"] = "final"
        self.states.append((here, child, kind, path))
        if kind == "branch":
            self.grow(child, here, depth + 1)
        return kind

    def add_history(self, config, path, keys):
        key = self.new_key()
        history = {"type": "history", "history": self.pick(["shallow", "deep"])}
        if config.get("type") == "parallel":
            target = list(keys)
        else:
            target = self.pick(keys)
        if self.chance(0.4):
            target = {"target": target, "actions": self.actions()}
        history["target"] = target
        config["states"][key] = history
        self.states.append((f"{path}.{key}", history, "history", path))

    # ---- behaviour ----

    def connect(self):
        for path, config, kind, _ in self.states:
            if kind == "history":
                continue
            if self.chance(0.5):
                config["entry"] = self.actions()
            if self.chance(0.4):
                config["exit"] = self.actions()
            if kind == "final":
                if self.chance(0.5):
                    config["output"] = self.value()
                continue
            self.add_transitions(path, config, kind)
        self.add_transitions("", self.document, "branch")
        if self.chance(0.3):
            self.document["entry"] = self.actions()

    def add_transitions(self, path, config, kind):
        on = {}
        for _ in range(self.random.randint(0, 3)):
            on.setdefault(self.pick(DESCRIPTORS), []).append(self.transition(path))
        if self.chance(0.1):
            on["error.execution"] = [self.transition(path)]
        if on and self.chance(0.2):
            config["on"] = [dict(t, event=d) for d, ts in on.items() for t in ts]
        elif on:
            config["on"] = on
        if self.chance(0.15):
            config["always"] = [dict(self.transition(path), guard=self.guard())]
        if self.chance(0.15) and path:
            config["after"] = {str(self.random.randint(0, 3) * 10): [self.transition(path)]}
        if kind == "branch" and path and self.chance(0.5):
            config["onDone"] = self.transition(path)
        if kind == "branch" and config.get("initial") and self.chance(0.3):
            config["initial"] = {"target": config["initial"], "actions": self.actions()}

    def transition(self, path):
        made = {}
        if self.chance(0.8):
            made["target"] = self.target()
        if self.chance(0.35):
            made["guard"] = self.guard()
        if self.chance(0.5):
            made["actions"] = self.actions()
        if self.chance(0.2):
            made["reenter"] = True
        return made

    def target(self):
        first = self.pick(self.states)
        second = self.pick(self.states)
        if self.chance(0.3) and self.in_different_regions(first[0], second[0]):
            return ["#" + first[0], "#" + second[0]]
        return "#" + first[0]

    def in_different_regions(self, a, b):
        left, right = a.split("."), b.split(".")
        common = []
        for x, y in zip(left, right):
            if x != y:
                break
            common.append(x)
        if len(common) in (len(left), len(right)):
            return False
        names = {path: config for path, config, _, _ in self.states}
        parent = names[".".join(common)] if common else self.document
        direct = [names[".".join(common + [side[len(common)]])] for side in (left, right)]
        return parent.get("type") == "parallel" and all(
            d.get("type") != "history" for d in direct)

    def guard(self):
        return self.pick([
            {"<": [{"var": "context.n"}, self.random.randint(1, 6)]},
            {"==": [{"%": [{"var": "context.n"}, 2]}, self.random.randint(0, 1)]},
            {"==": [{"var": "event.type"}, self.pick(EVENTS)]},
            {"in_state": self.pick(self.states)[0]} if not self.has_history_last() else
            {"!": [{"var": "context.m"}]},
            {"throw": []},
            {"and": [{"var": "event.data"}, {"<": [{"var": "context.n"}, 9]}]},
            {"<": [0, {"var": "context.n"}, {"var": "event.data"}]},
            {"===": [{"%": [{"var": "context.n"}, 5, 3]}, self.random.randint(0, 2)]},
            {"exists": ["context", self.pick(["new", "o", "none"])]},
            {"??": [{"var": "context.new"}, {"val": ["event", "data"]}]},
            {"try": [{"<": [{"/": [6, {"var": "context.n"}]}, {"var": "event.data"}]},
                     {"===": [{"val": "type"}, "NaN"]}]},
            {"some": [[1, 2, 3], {">=": [{"val": [[2], "context", "n"]}, {"val": []}, 2]}]},
        ])

    def has_history_last(self):
        return True

    def value(self):
        return self.pick([1, "text", {"var": "context.n"}, {"var": "event.data"},
                          {"k": {"var": "event.type"}}, {"throw": []},
                          {"+": [{"var": "context.n"}, 1]}, [1, {"var": "context.n"}],
                          {"/": [6, {"var": "context.n"}]},
                          {"-": [{"var": "context.n"}, 1, {"var": "event.data"}]},
                          {"try": [{"*": [{"var": "event.data"}, 2]}, {"val": []}]},
                          {"try": [{"throw": {"var": "event.type"}},
                                   {"val": [[2], "context", "n"]}]},
                          {"map": [[4, 5], {"+": [{"val": []}, {"val": [[-1], "index"]},
                                                  {"val": [[2], "context", "n"]}]}]}])

    def actions(self):
        made = [self.action(0) for _ in range(self.random.randint(1, 3))]
        if self.chance(0.15):
            return [made, [self.action(0)]]
        return made if len(made) > 1 or self.chance(0.5) else made[0]

    def action(self, depth):
        kind = self.pick(["log", "log", "assign", "assign", "raise", "delay", "cancel", "emit",
                          "bad", "choose", "each"])
        if kind in ("choose", "each") and depth > 1:
            kind = "log"
        return getattr(self, "make_" + kind)(depth)

    def make_log(self, _):
        return {"type": "log", "params": {"label": self.new_label(), "value": self.value()}}

    def new_label(self):
        self.count += 1
        return f"l{self.count}"

    def make_assign(self, _):
        key = self.pick(["n", "m", "o.p", "new", "o.q.r", "n.x"])
        value = {"+": [{"var": "context.n"}, 1]} if key == "n" else self.value()
        return {"type": "assign", "params": {key: value, "m": self.value()}}

    def make_raise(self, _):
        params = {"event": self.pick(EVENTS)}
        if self.chance(0.3):
            params["data"] = self.value()
        return {"type": "raise", "params": params}

    def make_delay(self, _):
        return {"type": "raise", "params": {
            "event": self.pick(EVENTS), "delay": self.random.randint(0, 3) * 10,
            "id": self.pick(["t", "u"]), "data": 1}}

    def make_cancel(self, _):
        return {"type": "cancel", "params": {"id": self.pick(["t", "u"])}}

    def make_emit(self, _):
        return {"type": "emit", "params": {"event": "out", "data": self.value()}}

    def make_bad(self, _):
        return {"type": "raise", "params": {"event": {"var": "context.nothing"}}}

    def make_choose(self, depth):
        branches = [{"guard": self.guard(), "actions": [self.action(depth + 1)]},
                    {"actions": [self.action(depth + 1), self.action(depth + 1)]}]
        return {"type": "choose", "params": {"branches": branches}}

    def make_each(self, depth):
        return {"type": "each", "params": {
            "in": self.pick([{"var": "context.l"}, [3, 4], {"var": "context.n"}]),
            "as": "item", "index": "at", "actions": [self.action(depth + 1)]}}

    # ---- what happens to it ----

    def lines(self, count):
        made = []
        for _ in range(count):
            if self.chance(0.2):
                made.append({"advance": self.random.randint(0, 3) * 10})
            else:
                line = {"event": self.pick(EVENTS)}
                if self.chance(0.3):
                    line["data"] = self.pick([1, 0, "x", {"k": [1]}])
                made.append(line)
        return made
