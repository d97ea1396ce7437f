"""Specs as the demo's agents write and read them: a function and examples of it."""

import re

EXAMPLE = re.compile(r"^- `slug\((?P<title>\"[^\"]*\")\)` is `(?P<slug>\"[^\"]*\")`$", re.M)


def write(examples):
    lines = "".join(f'- `slug("{title}")` is `"{slug}"`\n' for title, slug in examples)
    return ("# slug\n\n`slug(title)` makes the name of an article's file of its title.\n\n"
            f"## Examples\n\n{lines}")


def read(text):
    return [(found["title"][1:-1], found["slug"][1:-1]) for found in EXAMPLE.finditer(text)]
