"""The command and the hosts print with shown.h, which escapes what comes from outside.

usage: prints.py ROOT
"""
import re
import sys
from pathlib import Path

FOLDERS = ("cmd/wfsm", "cmd/playground", "examples/shared", "examples/agentd", "examples/aigentflow",
           "examples/coordinator")
CALL = re.compile(r"(?<!\w)(v?f?printf|f?puts|fwrite|f?putchar|fputc|putc|json_dumpf|json_dumpfd|dprintf"
                  r"|perror)\(([^;]*)")
# What prints one character of its own: fputc('}', stdout).
CONSTANT = re.compile(r"'[^']+',")
ALLOWED = {
    "cmd/wfsm/shown.c": "the printing itself",
    "cmd/wfsm/print_pretty.c": "escapes the whole text first",
    "cmd/wfsm/print.c: fputs(cells[i], out)": "cells are escaped when they are added",
    "cmd/wfsm/cmd_graph.c: fwrite(text, 1, length, file)": "a file; libwfsm-tools has escaped it",
    "examples/shared/page.c: fputs(code, to->out)": "a colour, which is a constant of page.c",
    "examples/shared/page.c: fwrite(line, 1, length, to->out)": "a text in memory, which becomes a JSON string",
    "cmd/playground/playground.c: fwrite(page.data, 1, page.length, stdout)": "the page's own reading; html.c has escaped it",
    "cmd/wfsm/crash_store.c: fwrite(block, 1, bytes, out)": "the copy of a store",
}


def calls(text):
    """The calls of a source that print something else than one constant character."""
    for match in CALL.finditer(re.sub(r"/\*.*?\*/|format\(printf", "", text, flags=re.S)):
        if not (match[1].startswith(("fputc", "putc")) and CONSTANT.match(match[2])):
            yield match[0]


def complaints(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).glob("*.c")):
            name = path.relative_to(root).as_posix()
            for call in [] if name in ALLOWED else calls(path.read_text(encoding="utf-8")):
                if not any(f"{name}: {call}".startswith(one) for one in ALLOWED):
                    yield f"{name}: {call.split(chr(10))[0]}: use shown.h"


def main():
    found = list(complaints(Path(sys.argv[1])))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
