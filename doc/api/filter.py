#!/usr/bin/python3
"""Headers as doxygen wants them: plain C comments become documentation.

A comment right before a declaration is about it, one after a member or an enumerator on the
same line is about that, and the first of a header is about the header.
"""
import re
import sys
from pathlib import Path

COMMENT = re.compile(r"/\*(?![*<])(.*?)\*/", re.S)


def kind(text, found):
    """What a comment is about: "file", "before", "after", or nothing that doxygen knows."""
    line = text[text.rfind("\n", 0, found.start()) + 1:found.start()]
    if found.start() == 0:
        return "file"
    if line.strip():
        return "after"
    rest = text[found.end():]
    return "before" if re.match(r"\n[ \t]*[^\s#/}]", rest) or re.match(
        r"\n#define", rest) else None


def documented(text):
    opening = {"file": "/** @file\n", "before": "/** ", "after": "/**< "}

    def replace(found):
        about = kind(text, found)
        body = re.sub(r"\n[ \t]*\*[ \t]?", "\n", found[1])
        # Words in angle brackets and addresses are no commands.
        body = body.replace("\\", "\\\\").replace("@", "\\@").replace("<", "\\<").replace(
            ">", "\\>").replace("#", "\\#").replace("%", "\\%")
        return f"{opening[about]}{body}*/" if about else found[0]

    text = COMMENT.sub(replace, text)
    return text.replace("    size_t size;\n",
                        "    size_t size; /**< of the struct; set by the one who fills it in */\n")


if __name__ == "__main__":
    sys.stdout.write(documented(Path(sys.argv[1]).read_text(encoding="utf-8")))
