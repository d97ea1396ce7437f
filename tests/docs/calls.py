"""doc/internals.md names code that exists, and each function that it shows calls the next one.

usage: calls.py ROOT            checks the page
       calls.py ROOT --update   writes the file behind each function of its trees

A block of the language `calls` is a tree, one function a line:

    wfsm_engine_send          lib/engine/sends.c
      wfsm_instance_send      lib/instance/inputs.c
        wf_memory_commit      lib/store/memory_commit.c  (vtable.commit)

The function is defined in the file, and the function above it that is indented less calls it:
directly, or through static functions and tables of its own file. A name in parentheses is the member
through which it is called. Every `wf…()` and every `lib/…` on the page must exist.
"""
import re
import sys
from pathlib import Path

import blocks

DEFINITION = re.compile(r"^(static )?[a-z][\w ]*?[ *](\w+)\(([^;{}]*?)\)\n\{\n(.*?)^\}", re.M | re.S)
TABLE = re.compile(r"^static const [\w ]+?[ *](\w+)(?:\[\w*\])? = \{(.*?)\};$", re.M | re.S)
LINE = re.compile(r"( *)(\w+)(?: +(\S+\.c))?(?: +\(([\w.>-]+)\))?\s*$")
HINT = "after a rename, correct the name in doc/internals.md, then run: " \
       "python3 tests/docs/calls.py . --update"


class Code:
    """The functions and constant tables of the library: {file: {name: (is static, body)}}."""

    def __init__(self, root):
        self.files = {}
        for path in sorted((root / "lib").rglob("*.c")):
            text = path.read_text(encoding="utf-8")
            tables = {name: (True, body) for name, body in TABLE.findall(text)}
            self.files[str(path.relative_to(root))] = tables | {
                name: (bool(static), body) for static, name, _, body in DEFINITION.findall(text)}

    def file_of(self, name, near=None):
        """The file that defines it, `near` first, because names of static functions repeat."""
        homes = [file for file, functions in self.files.items() if name in functions]
        public = [file for file in homes if not self.files[file][name][0]]
        return near if near in homes else (public or homes or [None])[0]

    def calls(self, file, name, what):
        """Does it call `what`, itself or by static functions and tables of its file?"""
        seen, todo = set(), [name]
        while todo:
            here = todo.pop()
            seen.add(here)
            body = self.files[file][here][1]
            if re.search(rf"\b{re.escape(what)}\b", body):
                return True
            todo += [other for other, (static, _) in self.files[file].items()
                     if static and other not in seen and re.search(rf"\b{other}\b", body)]
        return False


def tree(text):
    """[(indentation, function, file, member, index of the parent)] of a block."""
    lines, above = [], []
    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            raise ValueError(f"not a function and its file: {line}")
        depth = len(match[1])
        while above and lines[above[-1]][0] >= depth:
            above.pop()
        lines.append((depth, match[2], match[3], match[4], above[-1] if above else None))
        above.append(len(lines) - 1)
    return lines


def located(code, lines):
    """The file of each function of a tree, as the sources have it."""
    files = []
    for _, name, _, _, parent in lines:
        files.append(code.file_of(name, files[parent] if parent is not None else None))
    return files


def tree_problems(code, block):
    lines = tree(block.text)
    homes = located(code, lines)
    for (_, name, file, member, parent), home in zip(lines, homes):
        if home is None:
            yield f"lib has no function {name}; {HINT}"
        elif file != home:
            yield f"{name} is in {home}, not in {file}; {HINT}"
        elif parent is not None and homes[parent] is not None:
            caller = lines[parent][1]
            if not code.calls(homes[parent], caller, member or name):
                yield f"{caller} no longer calls {member or name}; show what it calls now. {HINT}"


def text_problems(root, code, page):
    names = {name for functions in code.files.values() for name in functions}
    for number, line in enumerate(page.splitlines(), 1):
        for name in re.findall(r"`(wf\w+)\(\)`", line):
            if name not in names:
                yield f"line {number}: lib has no function {name}; {HINT}"
        for path in re.findall(r"`((?:lib|include|tests)/[\w./-]+)`", line):
            if not (root / path).exists():
                yield f"line {number}: there is no {path}; {HINT}"


def problems(root, page):
    code = Code(root)
    for block in blocks.blocks(page):
        if block.language == "calls":
            for problem in tree_problems(code, block):
                yield f"line {block.line}: {problem}"
    yield from text_problems(root, code, page)


def updated(root, page):
    """The page, with the current file of each function of its trees."""
    code = Code(root)

    def write(match):
        lines = tree(match[2])
        width = 2 + max(depth + len(name) for depth, name, *_ in lines)
        out = []
        for (depth, name, file, member, _), home in zip(lines, located(code, lines)):
            line = (" " * depth + name).ljust(width) + str(home or file)
            out.append(line + (f"  ({member})" if member else ""))
        return match[1] + "\n".join(out) + "\n```\n"

    return re.sub(r"(```calls\n)(.*?)```\n", write, page, flags=re.S)


def main(arguments):
    root = Path(arguments[0])
    path = root / "doc" / "internals.md"
    page = path.read_text(encoding="utf-8")
    if arguments[1:] == ["--update"]:
        page = updated(root, page)
        path.write_text(page, encoding="utf-8")
    found = list(problems(root, page))
    print(*(f"doc/internals.md: {problem}" for problem in found), f"{len(found)} problems",
          sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
