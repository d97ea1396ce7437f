"""SCXML charts as machine documents of wfsm; see doc/scxml.md.

    document = wfsm.scxml.convert(open("chart.scxml", "rb").read(), name="chart")
    machine = wfsm.Machine.load(document)

The command: python3 -m wfsm.scxml chart.scxml > chart.json
"""
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Union

from . import _chart
from . import _invoke
from ._document import parse as _parse
from ._errors import ScxmlError
from ._sessions import Sessions

__all__ = ["ScxmlError", "Sessions", "convert", "documents", "load", "load_documents"]


def convert(text: Union[str, bytes], *, name: str = "chart",
            folder: Union[str, Path, None] = None, ignore_foreign: bool = False,
            warn: Optional[Callable[[ScxmlError], None]] = None) -> Dict[str, Any]:
    """The machine document of a chart. ScxmlError says where a chart cannot be converted.

    `name` is the machine's id if the chart has no name. `folder` holds the files that `src`
    may name. `ignore_foreign` leaves out elements of other namespaces. `warn` is called with
    expressions that cannot be legal. They fail when they are evaluated, as SCXML says.

    `text` is the chart.
    """
    found = documents(text, name=name, folder=folder, ignore_foreign=ignore_foreign, warn=warn)
    if len(found) > 1:
        raise ScxmlError("the chart invokes sessions of its own, which are documents, too: "
                         "call documents()", 1)
    return found[0]


def documents(text: Union[str, bytes], *, name: str = "chart",
              folder: Union[str, Path, None] = None, ignore_foreign: bool = False,
              warn: Optional[Callable[[ScxmlError], None]] = None) -> List[Dict[str, Any]]:
    """`convert` for a chart that invokes sessions: its document, and one for each <invoke>. The
    parameters are those of `convert`. `Sessions` plays them together. `text` is the chart, and
    `name`, `folder`, `ignore_foreign` and `warn` are these."""
    root = _parse(text, ignore_foreign=ignore_foreign)
    chart = _invoke.Child(root.get("name") or name, root, folder, invoked=False)
    return _chart.convert(chart, _chart.Settings(warn or (lambda problem: None), ignore_foreign))


def load_documents(path: Union[str, Path], **options: Any) -> List[Dict[str, Any]]:
    """`documents` for a file, named after it. `path` is that of the file, and `options` are those
    of `documents`."""
    return documents(Path(path).read_bytes(), **_named(path, options))


def load(path: Union[str, Path], **options: Any) -> Dict[str, Any]:
    """`convert` for a file, named after it. `path` is that of the file, and `options` are those of
    `convert`."""
    return convert(Path(path).read_bytes(), **_named(path, options))


def _named(path, options):
    return {"name": Path(path).stem, "folder": Path(path).parent, **options}
