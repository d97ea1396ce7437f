"""Random charts without data, for test_fair.py: agents, people, timers of one delay, events, one or two regions.

Every state logs its name when it is entered, so that a run tells which timers are set again.
"""
import random

DELAY = 1000
EVENTS = ("a", "b", "c")


def state_of(rng, names, tagged):
    """One state that is no end; `names` are what its transitions may lead to."""
    def way():
        made = {"target": rng.choice(names)}
        if rng.random() < 0.3:
            made["reenter"] = True
        return made
    made = {"on": {}}
    for event in EVENTS:
        kind = rng.random()
        if kind < 0.3:
            made["on"][event] = way()
        elif kind < 0.4:
            made["on"][event] = {"actions": {"type": "log", "params": {"label": "noted"}}}
    if rng.random() < tagged:
        made["tags"] = ["awaiting_input"]
    work = rng.random()
    if work < 0.4:
        made["invoke"] = {"src": "agent", "onDone": way(), "onError": way()}
    elif work < 0.55:
        made["invoke"] = {"src": "person",
                          "onDone": [{"guard": {"var": "event.data.approved"}, **way()}, way()]}
    if rng.random() < 0.35:
        made["after"] = {str(DELAY): way()}
    return made


def region_of(rng, name, above):
    names = [f"{name}{i}" for i in range(rng.randint(1, 3))]
    targets = names + above
    states = {each: state_of(rng, targets, 0.4) for each in names}
    for each in names:
        states[each]["entry"] = {"type": "log", "params": {"label": f"enter {each}"}}
    return {"initial": names[0], "states": states}


def document_of(seed):
    rng = random.Random(seed)
    regions = [region_of(rng, "p", ["#end"])]
    if rng.random() < 0.6:
        regions.append(region_of(rng, "q", ["#end"]))
    if len(regions) == 1:
        all_ = regions[0]
    else:
        all_ = {"type": "parallel", "states": dict(zip("xy", regions))}
    if rng.random() < 0.3:
        all_["on"] = {"a": "#end"}
    if rng.random() < 0.2:
        all_["tags"] = ["awaiting_input"]
    names = [name for region in regions for name in region["states"]]
    prefix = {name: "all." if len(regions) == 1 else f"all.{'x' if name[0] == 'p' else 'y'}." for name in names}
    to = {"in_state": rng.choice(["#end"] + [prefix[n] + n for n in names])}
    property_ = {"to": to}
    if rng.random() < 0.5:
        name = rng.choice(names)
        property_["from"] = {"in_state": prefix[name] + name}
    return {"id": "fair", "initial": "all", "properties": {"it comes": {"leadsTo": property_}},
            "states": {"all": all_, "end": {"id": "end", "type": "final"}}}
