"""Makes a design; in a competition each variant is another one.

usage: ui_designer.py   (the invocation comes on standard input)
"""

import sys

from work import run

COLOURS = ["darkred", "seagreen", "navy", "indigo", "teal", "sienna", "olive", "maroon",
           "purple", "gray", "crimson", "orange", "gold", "coral", "black"]


def work(asked):
    variant = asked.get("designVariant", 1)
    return {"colour": COLOURS[(variant - 1) % len(COLOURS)], "variant": variant}


if __name__ == "__main__":
    sys.exit(run(work))
