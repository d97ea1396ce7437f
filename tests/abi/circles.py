"""No circles: the files of a part neither call nor include each other in a circle.

usage: circles.py ROOT ARCHIVE…        the sources, and the inner builds of all parts

A circle of two files is allowed if RECURSIONS lists it: a recursion that is written in two
files. A longer circle is never allowed.
"""
import sys
from pathlib import Path

import ladder

# Each recursion inside a pair of files, and why it is one.
RECURSIONS = {
    ("logic/expr_compile", "logic/expr_operands"):
        "The operands of a rule are values, which are compiled in turn.",
    ("logic/schema_check", "logic/schema_rules"):
        "A rule about the parts of a value checks each part against a schema.",
    ("machine/load_actions", "machine/load_builtins"):
        "The actions `choose` and `each` hold actions.",
    ("verify/data_classes", "verify/data_containers"):
        "The classes of an object or of a list are made of those of its parts.",
}


def components(graph):
    """The sets of nodes that reach each other, of more than one node (Tarjan)."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for goal in sorted(graph[node]):
            if goal not in order:
                visit(goal)
                low[node] = min(low[node], low[goal])
            elif goal in stack:
                low[node] = min(low[node], order[goal])
        if low[node] == order[node]:
            place = stack.index(node)
            if len(stack) - place > 1:
                found.append(sorted(stack[place:]))
            del stack[place:]

    for node in sorted(graph):
        if node not in order:
            visit(node)
    return found


def calls(rows):
    """{file: {file that it calls: symbols}}; a file is "part/name" without its ending."""
    def file_of(part, thing):
        name = thing.split(".")[0]
        return f"{part}/{name.removeprefix(part + '_')}"

    home = {name: file_of(part, thing) for part, thing, kind, name in rows if kind in "TDRBVWC"}
    graph = {file_of(part, thing): {} for part, thing, _, _ in rows}
    for part, thing, kind, name in rows:
        if kind == "U" and name in home and home[name] != file_of(part, thing):
            graph[file_of(part, thing)].setdefault(home[name], set()).add(name)
    return graph


def includes(root):
    """{file: {file that it includes: nothing}} of lib/ and include/."""
    graph = {}
    for folder in (root / "lib", root / "include"):
        for path in folder.rglob("*.[ch]"):
            text = path.read_text(encoding="utf-8")
            places = (path.parent, root / "lib", root / "include")
            goals = {(place / name).resolve() for _, name in ladder.INCLUDE.findall(text)
                     for place in places if (place / name).is_file()}
            graph[path] = {goal: () for goal in goals}
    for goals in list(graph.values()):
        for goal in goals:
            graph.setdefault(goal, {})
    return graph


def show(graph, files):
    """One line for each edge of a circle."""
    return [f"    {file} -> {goal}: {' '.join(sorted(names))}".rstrip(": ")
            for file in files for goal, names in sorted(graph[file].items()) if goal in files]


def circles_of_calls(graph, recursions):
    found = []
    circles = [tuple(files) for files in components(graph)]
    for files in circles:
        if files not in recursions:
            found += [f"{' '.join(files)}: call each other in a circle", *show(graph, files)]
    built = {file.split("/")[0] for file in graph}
    for files in recursions:
        if files[0].split("/")[0] in built and files not in circles:
            found.append(f"{' '.join(files)}: listed, but no circle any more")
    return found


def circles_of_includes(graph):
    return [f"{' '.join(map(str, files))}: include each other in a circle"
            for files in components(graph)]


def main(arguments):
    root, *archives = arguments
    rows = [row for archive in archives for row in ladder.symbols(archive)]
    found = circles_of_calls(calls(rows), RECURSIONS)
    found += circles_of_includes(includes(Path(root).resolve()))
    if not rows:
        found.append("no symbols")
    print(f"{len(calls(rows))} files, {len(found)} diagnostics")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
