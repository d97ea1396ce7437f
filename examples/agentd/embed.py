"""Writes the machine documents as C: embed.py OUT FILE…"""

import sys
from pathlib import Path


def rows(data):
    """The bytes with a NUL behind them: a string literal may not be so long."""
    data += b"\0"
    for start in range(0, len(data), 20):
        yield "    " + "".join(f"'\\x{byte:02x}'," for byte in data[start:start + 20])


def main(out, *files):
    lines = ['#include "machines.h"', ""]
    for name in files:
        path = Path(name)
        lines += [f"static const char {path.stem}_text[] = {{", *rows(path.read_bytes()), "};"]
    lines += ["", "const machine_text machine_texts[] = {"]
    lines += [f'    {{"{Path(name).stem}", {Path(name).stem}_text}},' for name in files]
    lines += ["    {0, 0},", "};"]
    Path(out).write_text("\n".join(lines) + "\n", encoding="utf-8")


main(*sys.argv[1:])
