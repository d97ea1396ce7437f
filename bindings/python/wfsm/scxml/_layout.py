"""JSON that people can read: a value that fits is on one line."""
import json

WIDTH = 96


def text(value, indent=0, room=WIDTH):
    """The JSON of a value whose first line begins with `WIDTH - room` used columns."""
    one = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(one) <= room:
        return one
    inner, blanks = indent + 2, "\n" + " " * (indent + 2)
    if isinstance(value, list):
        parts = [text(item, inner, WIDTH - inner - 1) for item in value]
        return f"[{blanks}" + f",{blanks}".join(parts) + f"\n{' ' * indent}]"
    parts = []
    for key, item in value.items():
        name = json.dumps(key, ensure_ascii=False) + ": "
        parts.append(name + text(item, inner, WIDTH - inner - len(name) - 1))
    return f"{{{blanks}" + f",{blanks}".join(parts) + f"\n{' ' * indent}}}"
