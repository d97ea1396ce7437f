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
        return {operator: [moved(part) if i != BODIES[operator] else part
                           for i, part in enumerate(parts)]}
    return {operator: moved(parts)}


def moved_path(parts):
    if isinstance(parts, list):
        return [moved_path(parts[0]), *(moved(part) for part in parts[1:])]
    if isinstance(parts, dict):
        return {"cat": ["event.data.", moved(parts)]}
    return f"event.data.{parts}"


def parts_of(kind, claim):
    if kind == "absent":
        return [claim[key] for key in ("of", "from", "to") if key in claim]
    if kind == "precedes":
        return [claim[key] for key in ("of", "needs", "since") if key in claim]
    return [claim["of"]] if kind == "atMost" else [claim]


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
        if kind == "leadsTo": # what must come is not violated by a run
            continue
        parts = parts_of(kind, property_[kind])
        properties.append({"name": name, "kind": kind, "event": looks_at_event(parts),
                           "rules": list(range(len(rules), len(rules) + len(parts))),
                           "times": property_[kind]["times"] if kind == "atMost" else 0})
        rules += parts
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
        if isinstance(actions, list) and actions and isinstance(actions[0], dict) \
                and actions[0].get("type") == "log":
            found[pointer] = int(actions[0]["params"]["label"])
        for key, each in place.items():
            found.update(labels(each, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"))
    return found


def task(seed, document, shapes, runs, script=None):
    properties, rules = observed(document)
    made = {"seed": seed, "document": document, "observer": observer(rules), "rules": len(rules),
            "properties": properties, "shapes": shapes, "labels": labels(document), "runs": runs}
    return {**made, "script": script} if script else made
