"""``python -m wfsm`` is the command ``wfsm``: the one in this package, or the one that is installed."""
from __future__ import annotations

import os
import shutil
import sys
from typing import Optional


def program() -> Optional[str]:
    """The command's file; None if there is none."""
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "wfsm")
    return inside if os.path.exists(inside) else shutil.which("wfsm")


def main() -> None:
    """Becomes the command, with the arguments of this program."""
    path = program()
    if path is None:
        sys.exit("python -m wfsm: the command wfsm is neither in this package nor on PATH. "
                 "Install it, or a wheel that holds it")
    os.execv(path, ["wfsm", *sys.argv[1:]])


if __name__ == "__main__":
    main()
