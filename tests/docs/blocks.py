"""Fenced code blocks of a page, with the marks before them.

A mark is an HTML comment, which readers do not see:

    <!-- test: file NAME -->         the block is written to NAME in the page's folder
    <!-- test: same as PATH -->      it is the text of that file of the repository
    <!-- test: output of COMMAND --> it is what the command prints
    <!-- test: prints -->            it is what the Python blocks before it printed
    <!-- test: skip REASON -->       it is not run
"""
import re
from dataclasses import dataclass, field

MARK = re.compile(r"<!-- test: (file|same as|output of|prints|skip)\s*(.*?) -->")
FENCE = re.compile(r"(`{3,})(\w*)\s*$")


@dataclass
class Block:
    language: str
    line: int
    text: str = ""
    marks: dict = field(default_factory=dict)


def blocks(page):
    """The blocks in order. ValueError for a fence that is not closed, or a lost mark."""
    block, fence, marks = None, None, {}
    for number, line in enumerate(page.splitlines(), 1):
        found = FENCE.match(line)
        if block is not None:
            if line.strip() == fence:
                yield block
                block = None
            else:
                block.text += line + "\n"
        elif found:
            fence, block = found[1], Block(found[2], number, marks=marks)
            marks = {}
        elif MARK.match(line):
            marks[MARK.match(line)[1]] = MARK.match(line)[2]
        elif "<!-- test" in line:
            raise ValueError(f"line {number}: no such mark: {line}")
        elif line.strip() and marks:
            raise ValueError(f"line {number}: a mark belongs right before its block")
    if block is not None:
        raise ValueError(f"line {block.line}: the fence is not closed")


def commands(text):
    """[(command, expected output)] of a console block."""
    found = []
    for line in text.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append([line[2:], ""])
        elif found and not found[-1][1] and found[-1][0].endswith("\\\n"):
            found[-1][0] += line
        elif found:
            found[-1][1] += line
        else:
            raise ValueError("a console block begins with a command: $ …")
    return found


def fits(expected, output):
    """Is this the output? `…` stands for anything in a line, alone for any lines."""
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(map(re.escape, line.split("…"))) + r"\n"
    return re.fullmatch(pattern, output if output.endswith("\n") or not output
                        else output + "\n") is not None
