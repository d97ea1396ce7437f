"""Writes texts as C: embed.py WHAT OUT FILE…

WHAT is `machine` or `starter`: machines.h or shared/starters.h declares the type WHAT_text and the list
WHAT_texts. A machine has its name without the ending.
"""

import sys
from pathlib import Path


def rows(data):
    """The bytes with a NUL behind them: a string literal may not be so long."""
    data += b"\0"
    for start in range(0, len(data), 20):
        yield "    " + "".join(f"'\\x{byte:02x}'," for byte in data[start:start + 20])


def main(what, out, *files):
    paths = [Path(name) for name in files]
    header = "machines.h" if what == "machine" else "shared/starters.h"
    lines = [f'#include "{header}"', ""]
    for path in paths:
        lines += [f"static const char {path.stem}_text[] = {{", *rows(path.read_bytes()), "};"]
    lines += ["", f"const {what}_text {what}_texts[] = {{"]
    for path in paths:
        name = path.stem if what == "machine" else path.name
        lines.append(f'    {{"{name}", {path.stem}_text}},')
    lines += ["    {0, 0},", "};"]
    Path(out).write_text("\n".join(lines) + "\n", encoding="utf-8")


main(*sys.argv[1:])
