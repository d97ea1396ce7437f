"""python3 -m wfsm.scxml: an SCXML chart as a machine document, or as several."""
import argparse
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, NoReturn, Optional, Sequence

import wfsm

from . import ScxmlError, documents
from ._layout import text

BAD_CHART: int = 1
USAGE: int = 64


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {wfsm.escape_text(message)}\n")


def arguments(words: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = Parser(
        prog="python3 -m wfsm.scxml",
        description="Prints the machine document (JSON) of an SCXML chart.",
        epilog="Exit codes: 0 success; 1 the chart cannot be read or imported, standard error "
               "says where; 64 the command line is wrong. doc/scxml.md describes what is "
               "supported.")
    parser.add_argument("chart", metavar="CHART.scxml", help="the chart; - is standard input")
    parser.add_argument("--id", metavar="NAME",
                        help="the machine's id, if the chart has no name (else the file's)")
    parser.add_argument("--output", metavar="FOLDER",
                        help="write one file for each document into this folder: for a chart "
                             "that invokes sessions")
    parser.add_argument("--strict", action="store_true",
                        help="an expression that cannot be legal is an error, instead of one "
                             "that fails at run time")
    parser.add_argument("--ignore-foreign", action="store_true",
                        help="leave out elements of other namespaces")
    return parser.parse_args(words)


def imported(options: argparse.Namespace, warn: Callable[[ScxmlError], None]) -> List[Dict[str, Any]]:
    if options.chart == "-":
        data, folder, name = sys.stdin.buffer.read(), None, "chart"
    else:
        path = Path(options.chart)
        data, folder, name = path.read_bytes(), path.parent, path.stem
    found = documents(data, name=options.id or name, folder=folder, warn=warn,
                      ignore_foreign=options.ignore_foreign)
    if len(found) > 1 and options.output is None:
        raise ScxmlError(f"the chart invokes sessions, which makes {len(found)} documents: "
                         "--output writes them into a folder", 1)
    for document in found:
        wfsm.Machine.load(document).close()
    return found


def written(document: Dict[str, Any]) -> bytes:
    # JSON of the same value: what would act on a terminal is in its strings.
    return wfsm.escape_text(text(document), "text").encode() + b"\n"


def deliver(options: argparse.Namespace, found: List[Dict[str, Any]]) -> None:
    if options.output is None:
        sys.stdout.buffer.write(written(found[0]))
        return
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    for document in found:
        (folder / (document["id"].replace("/", "_") + ".json")).write_bytes(written(document))


def complain(options: argparse.Namespace, problem: Exception) -> None:
    print(wfsm.escape_text(f"{options.chart}: {problem}"), file=sys.stderr)


def main(words: Optional[Sequence[str]] = None) -> int:
    options, warnings = arguments(words), []
    try:
        found = imported(options, warnings.append)
    except ScxmlError as problem:
        warnings.append(problem)
        found = None
    except (OSError, wfsm.WfsmError) as problem:
        complain(options, problem)
        return BAD_CHART
    for warning in warnings:
        complain(options, warning)
    if found is None or (options.strict and warnings):
        return BAD_CHART
    try:
        deliver(options, found)
    except OSError as problem:
        complain(options, problem)
        return BAD_CHART
    return 0


if __name__ == "__main__":
    sys.exit(main())
