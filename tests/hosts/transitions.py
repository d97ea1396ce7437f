"""The transitions of a machine document, for the tests that compare one with its seed."""


def transitions(machine):
    """(state's path, event, transition) of every transition of the document."""
    found = []

    def add(path, event, given):
        for one in given if isinstance(given, list) else [given]:
            found.append((path, event, one if isinstance(one, dict) else {"target": one}))

    def walk(path, state):
        if isinstance(state.get("initial"), dict):
            add(path, "", state["initial"])
        for event, given in state.get("on", {}).items():
            add(path, event, given)
        for key in ("always", "onDone"):
            if key in state:
                add(path, key, state[key])
        for delay, given in state.get("after", {}).items():
            add(path, f"after {delay}", given)
        invokes = state.get("invoke", [])
        for invoke in invokes if isinstance(invokes, list) else [invokes]:
            for key in ("onDone", "onError"):
                if key in invoke:
                    add(path, f"{key} {invoke['id']}", invoke[key])
        for key, child in state.get("states", {}).items():
            walk(f"{path}.{key}".strip("."), child)

    walk("", machine)
    return found
