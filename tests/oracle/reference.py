"""The rules of the machine document once more, as plainly as possible.

An interpreter for the part of the format that random charts use. It follows W3C SCXML's
appendix D line by line, with wfsm's decisions, and is written for reading, not for speed.
The library is compared with it; neither is made from the other.
"""

import copy

from expressions import Evaluation, Failed

ATOMIC, COMPOUND, PARALLEL, FINAL, HISTORY = "atomic", "compound", "parallel", "final", "history"
SELECTIONS = 1000
SETTLING = 200


class Endless(Exception):
    """More selections in one step than allowed."""


class Restless(Exception):
    """Timers that are due at once set others that are, without an end."""


class State:
    def __init__(self, key, config, parent, order):
        self.key, self.config, self.parent = key, config, parent
        self.order = len(order)
        order.append(self)
        self.path = key if parent is None or parent.parent is None else f"{parent.path}.{key}"
        self.id = config.get("id", self.path) if parent is not None else config["id"]
        self.children = [State(k, c, self, order) for k, c in config.get("states", {}).items()]
        self.type = config.get("type") or (COMPOUND if self.children else ATOMIC)

    def ancestors(self, until=None):
        state = self.parent
        while state is not None and state is not until:
            yield state
            state = state.parent

    def inside(self, other):
        return other in list(self.ancestors())

    @property
    def leaf(self):
        return self.type in (ATOMIC, FINAL)

    def blocks(self, name):
        return blocks(self.config.get(name))


def blocks(actions):
    if actions is None:
        return []
    if not isinstance(actions, list):
        return [[actions]]
    if actions and all(isinstance(a, list) for a in actions):
        return actions
    return [actions]


class Transition:
    def __init__(self, source, config):
        if isinstance(config, (str, list)):
            config = {"target": config}
        self.source, self.config = source, config
        targets = config.get("target", [])
        self.targets = [targets] if isinstance(targets, str) else list(targets)
        self.reenter = config.get("reenter", False)
        self.actions = blocks(config.get("actions"))


def several(value):
    return value if isinstance(value, list) else [value]


def specificity(descriptor):
    if descriptor == "*":
        return -1
    return len(descriptor) if descriptor.endswith(".*") else 1 << 20


def matches(descriptor, name):
    if descriptor == "*":
        return True
    if descriptor.endswith(".*"):
        prefix = descriptor[:-2]
        return name == prefix or name.startswith(prefix + ".")
    return descriptor == name


class Machine:
    def __init__(self, document):
        self.order = []
        self.root = State(document["id"], document, None, self.order)
        self.root.path = ""
        self.by_id = {s.id: s for s in self.order[1:]}
        self.cache = {}

    def resolve(self, target, base):
        """`base` is the state whose children a plain key names."""
        if target.startswith("#"):
            return self.by_id[target[1:]]
        for key in target.split("."):
            base = next(c for c in base.children if c.key == key)
        return base

    def targets(self, transition):
        source = transition.source
        outer = source.parent or source
        return [self.resolve(t[1:], source) if t.startswith(".") else self.resolve(t, outer)
                for t in transition.targets]

    def once(self, key, make):
        if key not in self.cache:
            self.cache[key] = make()
        return self.cache[key]

    def handlers(self, state):
        """(descriptor, transition) in the order in which they are asked."""
        return self.once(("on", state), lambda: self._handlers(state))

    def _handlers(self, state):
        on = state.config.get("on", {})
        found = []
        if isinstance(on, list):
            for entry in on:
                for descriptor in several(entry["event"]):
                    found.append((descriptor, Transition(state, entry)))
        else:
            for descriptor, configs in on.items():
                for config in several(configs):
                    found.append((descriptor, Transition(state, config)))
        for config in several(state.config.get("onDone", [])):
            found.append((f"done.state.{state.id}", Transition(state, config)))
        for delay, configs in state.config.get("after", {}).items():
            for config in several(configs):
                found.append((f"after.{delay}.{state.id}", Transition(state, config)))
        if not isinstance(on, list):
            found.sort(key=lambda pair: -specificity(pair[0]))
        return found

    def always(self, state):
        return self.once(("always", state), lambda: [
            Transition(state, c) for c in several(state.config.get("always", []))])

    def initial(self, state):
        return self.once(("initial", state), lambda: self._initial(state))

    def _initial(self, state):
        config = state.config.get("initial")
        if config is None:
            config = next(c.key for c in state.children if c.type != HISTORY)
        transition = Transition(state, config)
        transition.resolved = [self.resolve(t.lstrip("."), state) for t in transition.targets]
        return transition

    def default(self, history):
        return self.once(("default", history), lambda: self._default(history))

    def _default(self, history):
        config = history.config["target"]
        transition = Transition(history, config)
        transition.resolved = [self.resolve(t, history.parent) for t in transition.targets]
        return transition


class Instance:
    def __init__(self, document):
        self.machine = Machine(document)
        self.context = copy.deepcopy(document.get("context", {}))
        self.active, self.history, self.timers = set(), {}, []
        self.now = self.revision = self.timer_number = 0
        self.done = False
        self.log, self.effects = [], []
        self.event, self.queue = None, []
        self.taken = self.blocked = False

    # ---- expressions ----

    def evaluate(self, rule):
        seen = {"context": self.context, "event": self.event}
        return Evaluation(self.is_active, [(seen, None)]).value(rule)

    def is_active(self, path):
        return any(state.path == path or (path.startswith("#") and state.id == path[1:])
                   for state in self.active)

    # ---- actions ----

    def run_blocks(self, several_blocks):
        for block in several_blocks:
            try:
                for action in block:
                    self.run_action(action)
            except Failed:
                self.raise_error()

    def raise_error(self):
        self.queue.append({"type": "error.execution", "data": None, "id": None,
                           "kind": "platform"})

    def run_action(self, action):
        params = action.get("params", {})
        getattr(self, "do_" + action["type"])(params)

    def do_assign(self, params):
        values = [(key, self.evaluate(value)) for key, value in params.items()]
        for key, value in values:
            self.assign(key, value)

    def assign(self, key, value):
        *parents, last = key.split(".")
        place = self.context
        for parent in parents:
            if not isinstance(place, dict) or parent not in place:
                raise Failed
            place = place[parent]
        if not isinstance(place, dict):
            raise Failed
        place[last] = copy.deepcopy(value)

    def name_of(self, params):
        name = self.evaluate(params["event"])
        if not isinstance(name, str) or name == "":
            raise Failed
        return name

    def do_raise(self, params):
        event = {"type": self.name_of(params), "data": self.evaluate(params.get("data")),
                 "id": self.evaluate(params.get("id")), "kind": "internal"}
        if "delay" not in params:
            self.queue.append(event)
            return
        delay = self.evaluate(params["delay"])
        if isinstance(delay, bool) or not isinstance(delay, (int, float)) or delay < 0:
            raise Failed
        self.add_timer(int(delay), dict(event, kind="timer"), None)

    def add_timer(self, delay, event, state):
        self.timer_number += 1
        self.timers.append((self.now + delay, self.timer_number, event, state))

    def do_cancel(self, params):
        name = self.evaluate(params["id"])
        self.timers = [t for t in self.timers if name is None or t[2]["id"] != name]

    def do_log(self, params):
        self.log.append({"label": self.evaluate(params.get("label")),
                         "value": self.evaluate(params.get("value"))})

    def do_emit(self, params):
        self.effects.append({"event": self.name_of(params),
                             "data": self.evaluate(params.get("data"))})

    def do_choose(self, params):
        for branch in params["branches"]:
            if "guard" in branch:
                try:
                    if not bool(self.evaluate(branch["guard"])):
                        continue
                except Failed:
                    self.raise_error()
                    continue
            self.run_nested(branch["actions"])
            return

    def run_nested(self, actions):
        inner = blocks(actions)
        if len(inner) == 1:
            for action in inner[0]:
                self.run_action(action)
        else:
            self.run_blocks(inner)

    def do_each(self, params):
        items = self.evaluate(params["in"])
        if not isinstance(items, list):
            raise Failed
        for index, item in enumerate(copy.deepcopy(items)):
            self.assign(params["as"], item)
            if "index" in params:
                self.assign(params["index"], index)
            self.run_nested(params["actions"])

    # ---- selection ----

    def count(self):
        self.selections += 1
        if self.selections > SELECTIONS:
            raise Endless

    def enabled(self, transition):
        guard = transition.config.get("guard")
        if guard is None:
            return True
        try:
            if bool(self.evaluate(guard)):
                return True
        except Failed:
            if transition not in self.failed_guards:
                self.failed_guards.append(transition)
                self.raise_error()
        self.blocked = True
        return False

    def candidates(self, state, event):
        if event is None:
            return self.machine.always(state)
        return [t for d, t in self.machine.handlers(state) if matches(d, event["type"])]

    def select(self, event):
        self.count()
        chosen = []
        for leaf in sorted((s for s in self.active if s.leaf), key=lambda s: s.order):
            found = next((t for s in [leaf, *leaf.ancestors()]
                          for t in self.candidates(s, event) if self.enabled(t)), None)
            if found is not None and found not in chosen:
                chosen.append(found)
        return self.without_conflicts(chosen)

    def without_conflicts(self, chosen):
        kept = []
        for first in chosen:
            rivals = [t for t in kept if self.exits(first) & self.exits(t)]
            if all(first.source.inside(t.source) for t in rivals):
                kept = [t for t in kept if t not in rivals] + [first]
        return kept

    # ---- where transitions lead ----

    def effective(self, states):
        found = set()
        for state in states:
            if state.type != HISTORY:
                found.add(state)
            elif state in self.history:
                found |= self.history[state]
            else:
                found |= self.effective(self.machine.default(state).resolved)
        return found

    def domain(self, transition):
        if not transition.targets:
            return None
        source, root = transition.source, self.machine.root
        targets = self.effective(self.machine.targets(transition))
        if source is root:
            return root
        if not transition.reenter and all(t is source or t.inside(source) for t in targets):
            return source
        for ancestor in source.ancestors():
            if ancestor is root:
                return root
            if ancestor.type == COMPOUND and all(t.inside(ancestor) for t in targets):
                return ancestor
        return root

    def exits(self, transition):
        domain = self.domain(transition)
        if domain is None:
            return set()
        return {s for s in self.active if s.inside(domain)}

    # ---- a microstep ----

    def microstep(self, transitions):
        self.taken = True
        domains = [self.domain(t) for t in transitions]
        leaving = set().union(*(self.exits(t) for t in transitions))
        self.remember(leaving)
        self.leave(leaving)
        for transition in transitions:
            self.run_blocks(transition.actions)
        entry = Entry(self)
        for transition, domain in zip(transitions, domains):
            if domain is not None:
                entry.add_transition(self.machine.targets(transition), domain)
        self.enter(entry)

    def remember(self, leaving):
        for state in leaving:
            for history in (c for c in state.children if c.type == HISTORY):
                deep = history.config.get("history") == "deep"
                self.history[history] = {
                    s for s in self.active
                    if (s.leaf and s.inside(state) if deep else s.parent is state)}

    def leave(self, states):
        for state in sorted(states, key=lambda s: -s.order):
            self.run_blocks(state.blocks("exit"))
            self.timers = [t for t in self.timers if t[3] is not state]
            self.active.discard(state)

    def enter(self, entry):
        for state in sorted(entry.states, key=lambda s: s.order):
            self.active.add(state)
            self.run_blocks(state.blocks("entry"))
            for delay in state.config.get("after", {}):
                self.add_timer(int(delay), {"type": f"after.{delay}.{state.id}", "data": None,
                                            "id": None, "kind": "timer"}, state)
            if state in entry.by_default:
                self.run_blocks(self.machine.initial(state).actions)
            for history in entry.by_history:
                if history.parent is state:
                    self.run_blocks(self.machine.default(history).actions)
            if state.type == FINAL:
                self.completed(state)

    def complete(self, state):
        if state not in self.active:
            return False
        if state.type == FINAL:
            return True
        if state.type == COMPOUND:
            return any(c.type == FINAL and c in self.active for c in state.children)
        if state.type == PARALLEL:
            return all(self.complete(c) for c in state.children if c.type != HISTORY)
        return False

    def completed(self, final):
        data = None
        if "output" in final.config:
            try:
                data = self.evaluate(final.config["output"])
            except Failed:
                self.raise_error()
        state = final.parent
        while self.complete(state):
            if state is self.machine.root:
                self.ended = True
                return
            self.queue.append({"type": f"done.state.{state.id}", "data": data, "id": None,
                               "kind": "platform"})
            data, state = None, state.parent

    # ---- a step ----

    def macrostep(self, transitions):
        if transitions:
            self.microstep(transitions)
        while not self.ended:
            transitions = self.select(None)
            if not transitions:
                if not self.queue:
                    break
                self.event = self.queue.pop(0)
                transitions = self.select(self.event)
            if transitions:
                self.microstep(transitions)
        if self.ended:
            kept = set(self.active)
            self.leave(self.active.copy())
            self.active, self.queue, self.timers, self.done = kept, [], [], True

    def begin(self):
        self.queue, self.failed_guards, self.selections = [], [], 0
        self.ended = self.taken = self.blocked = False

    def start(self):
        self.begin()
        self.event = None
        entry = Entry(self)
        entry.add_down(self.machine.root)
        self.enter(entry)
        self.macrostep([])
        self.revision += 1
        return "started"

    def step(self, event, timer=False):
        """The reaction to one event; what changed nothing is taken back whole."""
        before = {k: copy.copy(v) for k, v in vars(self).items()}
        before["context"] = copy.deepcopy(self.context)
        self.begin()
        self.event = event
        try:
            transitions = self.select(event)
            if transitions or self.queue:
                self.macrostep(transitions)
        except Endless:
            vars(self).update(before)
            self.revision += 1
            return "failed"
        if not self.taken and not self.done:
            blocked = self.blocked
            vars(self).update(before)
            self.revision += timer
            return "blocked" if blocked else "no_transition"
        self.revision += 1
        return "ended" if self.done else "taken"

    # ---- the lines of `wfsm simulate` ----

    def fire_next(self, until):
        due = [t for t in self.timers if t[0] <= until]
        if not due or self.done:
            return False
        timer = min(due, key=lambda t: t[:2])
        self.timers.remove(timer)
        self.now = max(self.now, timer[0])
        self.step(timer[2], timer=True)
        return True

    def send(self, name, data):
        if self.done:
            return "ended"
        return self.step({"type": name, "data": data, "id": None, "kind": "external"})

    def settle(self):
        """Steps that follow at once; charts in which they never end prove nothing."""
        for _ in range(SETTLING):
            if not self.fire_next(self.now):
                return
        raise Restless

    def advance(self, ms):
        until = self.now + ms
        for _ in range(SETTLING):
            if not self.fire_next(until):
                break
        else:
            raise Restless
        if not self.done:
            self.now = until

    def observe(self):
        leaves = sorted((s for s in self.active if s.leaf), key=lambda s: s.order)
        seen = {"revision": self.revision, "configuration": [s.path for s in leaves],
                "context": copy.deepcopy(self.context), "log": self.log,
                "effects": self.effects, "done": self.done,
                "deadline": min((t[0] for t in self.timers), default=None)}
        self.log, self.effects = [], []
        return seen


class Entry:
    """Appendix D's computeEntrySet; everything entered lies strictly inside the domain."""

    def __init__(self, instance):
        self.instance, self.machine = instance, instance.machine
        self.states, self.by_default, self.by_history = set(), set(), []
        self.domain = None

    def add_transition(self, targets, domain):
        self.domain = domain
        for target in targets:
            self.add_down(target)
        for target in self.instance.effective(targets) | set(targets):
            self.add_up(target, domain)
        if domain.type == PARALLEL:
            self.add_regions(domain)

    def inside(self, state):
        return self.domain is None or state.inside(self.domain)

    def add_down(self, state):
        if state.type == HISTORY:
            self.add_history(state)
            return
        if self.inside(state):
            self.states.add(state)
        elif state is not self.domain:
            return
        if state.type == COMPOUND:
            self.by_default.add(state)
            targets = self.machine.initial(state).resolved
            for target in targets:
                self.add_down(target)
            for target in targets:
                self.add_up(target, state)
        elif state.type == PARALLEL:
            self.add_regions(state)

    def add_history(self, history):
        remembered = self.instance.history.get(history)
        if remembered is None:
            self.by_history.append(history)
            remembered = self.machine.default(history).resolved
        remembered = sorted(remembered, key=lambda s: s.order)
        for state in remembered:
            self.add_down(state)
        for state in remembered:
            self.add_up(state, history.parent)

    def add_up(self, state, top):
        for ancestor in state.ancestors(until=top):
            if not self.inside(ancestor):
                return
            self.states.add(ancestor)
            if ancestor.type == PARALLEL:
                self.add_regions(ancestor)

    def add_regions(self, parallel):
        for child in parallel.children:
            if child.type != HISTORY and not any(
                    s is child or s.inside(child) for s in self.states):
                self.add_down(child)
