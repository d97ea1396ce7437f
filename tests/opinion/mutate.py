"""Documents that differ a little from others: something in them is changed, or comes from another document."""
import copy

OPERATORS = [("<", "<=", ">", ">=", "===", "!=="), ("and", "or"), ("+", "-", "*", "/", "%", "min", "max"),
             ("some", "all", "none"), ("!", "!!"), ("==", "!=", "in")]
OTHER = {one: [other for other in group if other != one] for group in OPERATORS for one in group}
KEYS = {"invoke", "schemas", "budgets", "on", "after", "guard", "actions", "context", "output", "input", "retry",
        "tags", "always", "params", "properties", "never", "onDone", "onError", "items"}
TARGETS = {"target", "initial", "onDone", "onError"}
WORDS = {"type", "src", "id", "description", "label", "in_state"} # a change makes another kind of document
WHOLE = {"ms", "limit", "times", "quorum", "rejections"}


def parts(place, path=()):
    """Each part with its path."""
    if path:
        yield path, place
    if isinstance(place, (dict, list)):
        for key, part in list(place.items() if isinstance(place, dict) else enumerate(place)):
            yield from parts(part, (*path, key))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def put(document, path, part):
    at(document, path[:-1])[path[-1]] = copy.deepcopy(part)


def names_of_states(document):
    return [path[-1] for path, _ in parts(document) if len(path) > 1 and path[-2] == "states"]


class Mutation:
    def __init__(self, documents):
        self.by_key = {}
        for document in documents:
            for path, part in parts(document):
                if path[-1] in KEYS:
                    self.by_key.setdefault(path[-1], []).append(part)

    def of(self, document, random):
        """A copy with one to three changes."""
        document = copy.deepcopy(document)
        for _ in range(random.choice([1, 1, 2, 2, 3])):
            (self.splice if random.random() < 0.5 else self.change)(document, random)
        return document

    def change(self, document, random):
        all_parts = list(parts(document))
        for _ in range(40):
            path, part = random.choice(all_parts)
            changed = self.changed(document, path, part, random)
            if changed is not None:
                put(document, path, changed)
                return

    def changed(self, document, path, part, random):
        """None: it stays."""
        if isinstance(part, bool):
            return not part
        if isinstance(part, (int, float)):
            near = [part + 1, part - 1, 2 * part, part // 2]
            return max(1, int(random.choice(near))) if path[-1] in WHOLE else random.choice([*near, -part, 0.5])
        if isinstance(part, str):
            return self.other_text(document, path, part, random)
        if isinstance(part, list) and len(part) > 1:
            return part[::-1] if random.random() < 0.5 else part[:-1]
        if isinstance(part, dict) and len(part) == 1:
            (operator, operands), = part.items()
            return {random.choice(OTHER[operator]): operands} if operator in OTHER else None
        if isinstance(part, dict) and random.random() < 0.5:
            return {key: each for key, each in part.items() if key not in ("guard", "actions", "required")}
        return None

    def other_text(self, document, path, text, random):
        key = path[-1]
        if key in TARGETS or path[-2:-1] in (("on",), ("after",)):
            return random.choice(names_of_states(document) or [text])
        if key in WORDS or WORDS & set(path):
            return None
        alike = [part for other, part in parts(document) if isinstance(part, str)
                 and (other[-1] == "var") == (key == "var") and other[-1] not in WORDS | TARGETS]
        return random.choice(alike)

    def splice(self, document, random):
        """A part of another document in the place of one with the same key, or in a state that has none."""
        places = [path for path, _ in parts(document) if path[-1] in KEYS]
        states = [path for path, part in parts(document) if path[-2:-1] == ("states",) and isinstance(part, dict)]
        if states and (not places or random.random() < 0.4):
            key = random.choice(["invoke", "after", "always", "on", "tags"])
            path = (*random.choice(states), key)
        else:
            path = random.choice(places)
        if path[-1] not in self.by_key:
            return
        put(document, path, random.choice(self.by_key[path[-1]]))
        self.aim(document, path, random)

    def aim(self, document, top, random):
        """What was put there leads to states of this document."""
        names = names_of_states(document)
        for path, part in list(parts(document)):
            aims = path[-1] in TARGETS or path[-2:-1] in (("on",), ("after",))
            if names and path[:len(top)] == top and isinstance(part, str) and aims:
                put(document, path, random.choice(names))
