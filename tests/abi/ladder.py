"""Includes and calls go in one direction through the parts of the library.

usage: ladder.py includes ROOT        the #include lines of lib/ and examples/
       ladder.py calls ARCHIVE…       the symbols of the inner builds of libwfsm and -tools
"""
import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

LADDER = ["base", "logic", "machine", "step", "store", "instance", "engine"]
REACH = {part: set(LADDER[: rank + 1]) for rank, part in enumerate(LADDER)}
REACH["draw"] = {"base", "logic", "machine", "step", "draw", "verify"}
REACH["verify"] = REACH["draw"]

# Libraries of their own, which see the public headers only, the one checker of structs
# that begin with their size, and WF_INVARIANT(); these two have nothing to link.
COMPANIONS = ("agents", "postgres", "sqlite", "testkit")
SHARED = {"../base/sized.h", "../base/invariant.h"}

# The part that a public header speaks for. Calls are declared low, because guards
# need them, and wfsm.h is for programs only.
PUBLIC = {f"{part}.h": part for part in REACH}
PUBLIC["call.h"] = "base"
PUBLIC["audit.h"] = "instance"
PUBLIC["compact.h"] = "instance"
PUBLIC["monitor.h"] = "verify"
PUBLIC["pool.h"] = PUBLIC["metrics.h"] = "engine"
PUBLIC["revisions.h"] = "instance"
PUBLIC["tools.h"] = "draw"
PUBLIC["verify.h"] = "verify"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)


def part_of_include(source, quote, name, lib):
    """The part that an include leads to; None for the system's own headers."""
    if name.startswith("wfsm/"):
        return PUBLIC.get(name[5:], name)
    path = (source.parent / name).resolve()
    if quote == '"' and path.is_relative_to(lib) and path.exists():
        return path.relative_to(lib).parts[0]
    first = PurePosixPath(name).parts[0]
    return first if (lib / first).is_dir() and "/" in name else None


def climbing_includes(lib):
    found = []
    for source in sorted(lib.glob("*/**/*.[ch]")):
        part = source.relative_to(lib).parts[0]
        for quote, name in INCLUDE.findall(source.read_text(encoding="utf-8")):
            goal = part_of_include(source, quote, name, lib)
            if part in COMPANIONS:
                fine = goal in (None, part) or name.startswith("wfsm/") or name in SHARED
            else:
                fine = goal is None or goal in REACH.get(part, ())
            if not fine:
                found.append(f"{source}: {part} may not include {name}")
    return found


def inner_includes(folder, lib):
    """Outside lib/ only the public headers and a program's own may be included."""
    found = []
    for source in sorted(folder.rglob("*.[ch]")) + sorted(folder.rglob("*.cpp")):
        for quote, name in INCLUDE.findall(source.read_text(encoding="utf-8")):
            own = (source.parent / name).exists() or (folder / name).exists()
            leads_in = (source.parent / name).resolve().is_relative_to(lib)
            if leads_in or ((lib / name).exists() and not own):
                found.append(f"{source}: a host may not include {name}")
    return found


def symbols(archive):
    """(part, object, kind, symbol) of every symbol in the archive of one or several parts."""
    command = ["nm", "-A", "--format=posix", str(archive)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    folder = Path(archive).parent.name
    rows = []
    for line in text.splitlines():
        place, name, kind = line.split()[:3]
        thing = re.search(r"([^/\[\]:]+\.o)", place.rsplit("/", 1)[-1]).group(1)
        part = folder if folder in COMPANIONS else thing.split("_")[0]
        rows.append((part, thing, kind, name))
    return rows


def climbing_calls(rows):
    home = {name: part for part, _, kind, name in rows if kind in "TDRBVWC"}
    return [
        f"{thing}: {part} may not use {name} of {home[name]}"
        for part, thing, kind, name in rows
        if kind == "U" and name in home and home[name] not in REACH.get(part, ())
    ]


def main(arguments):
    kind, *places = arguments
    if kind == "includes":
        root = Path(places[0]).resolve()
        found = climbing_includes(root / "lib")
        for folder in ("cmd", "examples", "bindings"):
            found += inner_includes(root / folder, root / "lib")
    else:
        rows = [row for place in places for row in symbols(place)]
        found = climbing_calls(rows)
        if not rows:
            found = [f"{places}: no symbols"]
    print(f"{len(found)} diagnostics")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
