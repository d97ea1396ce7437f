"""The implementer of the demo: code and tests for the spec, and what a review asks for."""

import sys
from pathlib import Path

import protocol
import spec

FIRST = '''

def slug(title):
    """The name of an article's file."""
    return "-".join(title.lower().replace(".", "").split()) or "untitled"
'''
FIXED = '''

def slug(title):
    """The name of an article's file: a to z, digits, and single dashes between them."""
    return "-".join(re.findall("[a-z0-9]+", title.lower())) or "untitled"
'''


def write_code(body, needs):
    path = Path("titles.py")
    text = path.read_text(encoding="utf-8").split("\n\ndef slug(")[0].rstrip("\n") + "\n"
    if needs and f"import {needs}\n" not in text:
        head, rest = text.split('"""\n', 1)
        text = f'{head}"""\n\nimport {needs}\n{rest}'
    protocol.replace(path, text + body)


def write_tests(examples):
    tests = "".join(f"        self.assertEqual(titles.slug({title!r}), {name!r})\n"
                    for title, name in examples)
    protocol.replace("test_slug.py", "import unittest\n\nimport titles\n\n\n"
                     "class Slug(unittest.TestCase):\n"
                     f"    def test_the_examples_of_the_spec(self):\n{tests}")


def implement(given):
    examples = [example for path in given["specs"]
                for example in spec.read(given["documents"][path])]
    write_code(FIRST, None)
    write_tests(examples)
    return {"summary": f"slug() and {len(examples)} tests for {' '.join(given['specs'])}"}


def resolve(given):
    open_points = protocol.points(given["documents"]["REVIEW.md"])
    if any("slug(" in point for point in open_points):
        write_code(FIXED, "re")
        return {"summary": "slug() now keeps letters and digits only"}
    return {"summary": "nothing that I know how to fix"}


sys.exit(protocol.run({"implement": implement, "resolve": resolve}))
