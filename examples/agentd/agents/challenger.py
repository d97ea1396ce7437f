"""The challenger of the demo: holds the spec against the code, and asks for its edges."""

import ast
import sys
from pathlib import Path

import protocol
import spec


def functions():
    tree = ast.parse(Path("titles.py").read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def gaps(examples):
    titles = [title for title, _ in examples]
    if "" not in titles:
        yield "The spec has no example of an empty title."
    if not any(title and not any(c.isalnum() for c in title) for title in titles):
        yield "The spec has no example of a title that is punctuation only."


def challenge(given):
    examples = spec.read(given["documents"]["specs/slug.md"])
    if "slug" in functions():
        found, verdict = ["titles.py has a function slug() already."], "REJECTED"
    else:
        found = list(gaps(examples))
        verdict = "NEEDS_REVISION" if found else "APPROVED"
    text = "".join(f"- {point}\n" for point in found) or "Nothing is missing.\n"
    return {"report": f"# Challenge of {given['change']}\n\n{text}\n## Verdict\n\n{verdict}\n",
            "summary": f"{len(examples)} examples read, {len(found)} gap(s) found"}


sys.exit(protocol.run({"challenge": challenge}))
