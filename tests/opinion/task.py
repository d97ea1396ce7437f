"""What the program `opinion` is asked: a document, and a second one, the observer, whose only
action evaluates all rules of the properties."""

BODIES = {"map": 1, "filter": 1, "all": 1, "some": 1, "none": 1, "reduce": 1}


def moved(rule):
    """The rule over what the observer sees, which is the data of an event."""
    if isinstance(rule, list):
        return [moved(part) for part in rule]
    if not isinstance(rule, dict) or "literal" in rule:
        return rule
    if len(rule) != 1:
        return {key: moved(part) for key, part in rule.items()}
    (operator, parts), = rule.items()
    if operator == "in_state":
        return {"!!": [{"val": ["event", "data", "in", parts.replace(".", "/")]}]}
    if operator in ("val", "exists"):
        return {operator: ["event", "data", *(parts if isinstance(parts, list) else [parts])]}
    if operator == "var":
        return {"var": moved_path(parts)}
    if operator in BODIES:
        return {operator: [moved(part) if i != BODIES[operator] else moved_body(part)
                           for i, part in enumerate(parts)]}
    return {operator: moved(parts)}


def moved_body(rule):
    """What it reads from around it."""
    if isinstance(rule, list):
        return [moved_body(part) for part in rule]
    if not isinstance(rule, dict) or "literal" in rule:
        return rule
    if "val" in rule and isinstance(rule["val"], list) and rule["val"][0] == [2]:
        return {"val": [[2], "event", "data", *rule["val"][1:]]}
    return {key: moved_body(part) for key, part in rule.items()}


def moved_path(parts):
    if isinstance(parts, list):
        return [moved_path(parts[0]), *(moved(part) for part in parts[1:])]
    if isinstance(parts, dict):
        return {"cat": ["event.data.", moved(parts)]}
    return f"event.data.{parts}"


PARTS = {"absent": ("of", "from", "to"), "until": ("of", "from", "to"), "leadsTo": ("to", "from"),
         "precedes": ("of", "needs", "since"), "atMost": ("of",), "exactly": ("of",)}


def parts_of(kind, claim):
    """The rules; None for one that is not there."""
    return [claim.get(key) for key in PARTS[kind]] if kind in PARTS else [claim]


def is_watched(kind, claim):
    """What must come is not violated by a run, unless there is a time for it."""
    return kind not in ("leadsTo", "atLeast", "instances") or (kind == "leadsTo" and "within" in claim)


def looks_at_event(rule):
    if isinstance(rule, list):
        return any(map(looks_at_event, rule))
    if isinstance(rule, dict):
        return any(map(looks_at_event, rule.values()))
    return isinstance(rule, str) and rule.startswith("event")


def observed(document):
    """The properties with numbers for their rules, and the rules."""
    properties, rules = [], []
    for name, property_ in document.get("properties", {}).items():
        kind = next(key for key in property_ if key != "description")
        claim = property_[kind]
        if not is_watched(kind, claim):
            continue
        parts = parts_of(kind, claim)
        numbers = []
        for part in parts:
            numbers.append(-1 if part is None else len(rules))
            rules += [] if part is None else [part]
        properties.append({"name": name, "kind": kind, "event": looks_at_event(parts), "rules": numbers,
                           "times": claim.get("times", 0) if kind in ("atMost", "exactly") else 0,
                           "within": claim["within"]["ms"] if kind == "leadsTo" else 0})
    return properties, rules


def observer(rules):
    answers = [{"try": [{"if": [moved(rule), 1, 0]}, 2]} for rule in rules]
    look = {"actions": {"type": "assign", "params": {"r": answers}}}
    return {"id": "observer", "initial": "s", "context": {"r": []},
            "states": {"s": {"on": {"look": look}}}}


def labels(place, pointer=""):
    """The number that each transition logs, by its JSON pointer."""
    found = {}
    if isinstance(place, list):
        for i, each in enumerate(place):
            found.update(labels(each, f"{pointer}/{i}"))
    elif isinstance(place, dict):
        actions = place.get("actions")
        first = actions[0] if isinstance(actions, list) and actions else None
        if isinstance(first, dict) and first.get("type") == "log" \
                and first["params"]["label"].isdigit(): # documents written by hand log words
            found[pointer] = int(first["params"]["label"])
        for key, each in place.items():
            found.update(labels(each, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"))
    return found


def task(seed, document, shapes, runs, script=None, punctual=False):
    properties, rules = observed(document)
    made = {"seed": seed, "document": document, "observer": observer(rules), "rules": len(rules),
            "properties": properties, "shapes": shapes, "labels": labels(document), "runs": runs,
            "punctual": punctual}
    return {**made, "script": script} if script else made
