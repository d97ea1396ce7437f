"""How a rule may read a path."""


def got(keys):
    """From all that there is, key by key."""
    return {"get": [got(keys[:-1]), int(keys[-1]) if keys[-1].isdigit() else keys[-1]]} if keys else {"var": ""}


def known(text):
    """A text that is known only when it runs."""
    return {"if": [{"===": [{"var": "context.n"}, 5]}, text, "no"]}


def path_of(keys):
    return ".".join(keys)


WAYS = {
    "var": lambda keys: {"var": path_of(keys)},
    "val": lambda keys: {"val": [int(key) if key.isdigit() else key for key in keys]},
    "get": lambda keys: {"get": [{"var": path_of(keys[:-1])}, got(keys)["get"][1]]},
    "get from all": got,
    "computed": lambda keys: {"var": {"cat": [known(f"{keys[0]}."), path_of(keys[1:])]}},
    "by a key": lambda keys: {"val": [*keys[:-1], known(keys[-1])]},
    "default": lambda keys: {"var": [path_of(keys), 5]},
    "if": lambda keys: {"if": [{"!==": [{"var": "context.n"}, 4]}, {"var": path_of(keys)}, "b"]}}
