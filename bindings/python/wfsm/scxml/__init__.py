"""SCXML charts as machine documents of wfsm; see doc/scxml.md.

    document = wfsm.scxml.convert(open("chart.scxml", "rb").read(), name="chart")
    machine = wfsm.Machine.load(document)

The command: python3 -m wfsm.scxml chart.scxml > chart.json
"""
from pathlib import Path
from typing import Callable, Optional, Union

from . import chart as _chart
from .document import parse as _parse
from .errors import ScxmlError

__all__ = ["ScxmlError", "convert", "load"]


def convert(text: Union[str, bytes], *, name: str = "chart",
            folder: Union[str, Path, None] = None, ignore_foreign: bool = False,
            warn: Optional[Callable[[ScxmlError], None]] = None) -> dict:
    """The machine document of a chart. ScxmlError says where a chart cannot be converted.

    `name` is the machine's id if the chart has no name. `folder` holds the files that `src`
    may name. `ignore_foreign` leaves out elements of other namespaces. `warn` is called with
    expressions that cannot be legal. They fail when they are evaluated, as SCXML says.
    """
    root = _parse(text, ignore_foreign=ignore_foreign)
    return _chart.convert(root, name, folder, warn or (lambda problem: None))


def load(path: Union[str, Path], **options) -> dict:
    """`convert` for a file, named after it."""
    path = Path(path)
    options.setdefault("name", path.stem)
    options.setdefault("folder", path.parent)
    return convert(path.read_bytes(), **options)
