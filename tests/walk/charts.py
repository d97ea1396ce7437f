"""Random charts without data: guards read only in_state. The same seed gives the same chart."""
import random

EVENTS = ["a", "b", "b.x", "c"]


class Chart:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.states = []   # (path, config, kind, path of the parent)
        self.timers = 1    # with several, their order would depend on time
        self.left = self.random.randint(4, 14)
        self.document = {"id": f"chart-{seed}"}
        self.grow(self.document, "", 0)
        for state in self.states:
            self.connect(*state)

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def grow(self, config, path, depth):
        if self.chance(30):
            config["type"] = "parallel"
        children = config["states"] = {}
        for _ in range(self.random.randint(2, 3)):
            self.add(children, path, depth, config.get("type") == "parallel")
        plain = [key for key, child in children.items() if child.get("type") != "final"]
        if config.get("type") != "parallel" and plain:
            config["initial"] = self.random.choice(plain)
        if depth and self.chance(35):
            self.add_history(children, path, list(children), config.get("type") == "parallel")

    def add(self, children, path, depth, region):
        self.left -= 1
        key = f"s{len(self.states)}"
        here = f"{path}.{key}" if path else key
        config = children[key] = {}
        kind = "atomic"
        self.states.append([here, config, kind, path])
        if depth < 3 and self.left > 0 and self.chance(70 if region else 35):
            self.states[-1][2] = "branch"
            self.grow(config, here, depth + 1)
        elif not region and self.chance(25):
            config["type"] = self.states[-1][2] = "final"

    def add_history(self, children, path, keys, parallel):
        key = f"s{len(self.states)}"
        config = children[key] = {
            "type": "history", "history": self.random.choice(["shallow", "deep"]),
            "target": keys if parallel else self.random.choice(keys)}
        self.states.append([f"{path}.{key}", config, "history", path])

    # ---- what it does ----

    def connect(self, path, config, kind, _):
        if kind == "history":
            return
        for block in ("entry", "exit"):
            if self.chance(15):
                config[block] = self.action()
        if kind == "final":
            return
        on = {}
        for event in self.random.sample(EVENTS, self.random.randint(0, 3)):
            on[event] = self.transitions(path)
        if self.chance(10):
            on[self.random.choice(["*", "b.*"])] = self.transitions(path)
        if on:
            config["on"] = on
        if self.chance(12):
            target = self.target(path)
            config["always"] = {"target": target, "guard": {
                "and": [{"!": {"in_state": target}}, self.guard()]}}
        if kind == "branch" and self.chance(60):
            config["onDone"] = self.transitions(path)
        if self.chance(15):
            config["invoke"] = {"src": "agent", "onDone": self.transitions(path)}
            if self.chance(70):
                config["invoke"]["onError"] = self.transitions(path)
        if self.timers and self.chance(15):
            self.timers -= 1
            config["after"] = {"10": self.transitions(path)}

    def action(self):
        return {"type": "raise", "params": {"event": self.random.choice(EVENTS)}}

    def target(self, path):
        return "#" + self.random.choice(self.states)[0]

    def guard(self):
        rule = {"in_state": self.random.choice(
            [path for path, _, kind, _ in self.states if kind != "history"])}
        if self.chance(40):
            rule = {"!": rule}
        if self.chance(30):
            rule = {self.random.choice(["and", "or"]): [rule, self.guard()]}
        return rule

    def transition(self, path):
        made = {}
        if self.chance(90):
            made["target"] = self.target(path)
        if self.chance(25):
            made["actions"] = self.action()
        if self.chance(20):
            made["guard"] = self.guard()
        if self.chance(15):
            made["reenter"] = True
        return made

    def transitions(self, path):
        if self.chance(20):
            return [self.transition(path) for _ in range(2)]
        return self.transition(path)
