"""The public headers, the version scripts and the exported symbols agree.

usage: symbols.py ROOT LIBRARY SHARED-OBJECT   compare all three
       symbols.py ROOT --update                write the version scripts anew
"""
import re
import subprocess
import sys
from pathlib import Path

MAPS = {
    "wfsm": "lib/wfsm.map",
    "wfsm-sqlite": "lib/sqlite/wfsm-sqlite.map",
    "wfsm-testkit": "lib/testkit/wfsm-testkit.map",
}
COMPANIONS = {"sqlite.h": "wfsm-sqlite", "testkit.h": "wfsm-testkit"}


def headers_of(root, library):
    return [
        path
        for path in sorted((root / "include/wfsm").glob("*.h"))
        if COMPANIONS.get(path.name, "wfsm") == library
    ]


def declarations(text):
    """Every top-level declaration of a header, as one line each."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    text = re.sub(r'extern\s+"C"\s*\{', "", text)
    # From the inside out. The body of an inline function ends a declaration, that of
    # a struct or an enum does not.
    body, count = re.compile(r"(\)\s*)?\{[^{}]*\}"), 1
    while count:
        text, count = body.subn(lambda m: ") inline_body;" if m.group(1) else " ", text)
    return [" ".join(part.split()) for part in text.split(";")]


def functions(text):
    """Names of the functions that a header declares; (exported, bare) ones."""
    exported, bare = set(), set()
    for line in declarations(text):
        if "(" not in line or line.startswith("typedef") or "inline_body" in line:
            continue
        name = re.search(r"(\w+)\s*\(", line.replace("WFSM_API", "", 1))
        (exported if "WFSM_API" in line else bare).add(name.group(1))
    return exported, bare


def declared(root, library):
    exported, bare = set(), set()
    for path in headers_of(root, library):
        more = functions(path.read_text(encoding="utf-8"))
        exported |= more[0]
        bare |= more[1]
    return exported, bare


def listed(map_text):
    """Names in all global sections of a version script."""
    sections = re.findall(r"global:(.*?)(?:local:|\})", map_text, flags=re.S)
    return {name.strip() for section in sections for name in section.split(";")} - {""}


def defined(shared_object):
    command = ["nm", "-D", "--defined-only", "--format=posix", str(shared_object)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in lines.splitlines()]
    # The version itself is an absolute symbol.
    return {row[0].split("@")[0] for row in rows if row[1] != "A"}


def differences(declared_names, bare, listed_names, defined_names):
    found = [f"{name}: declared without WFSM_API" for name in sorted(bare)]
    places = {
        "declared in a public header": declared_names,
        "in the version script": listed_names,
        "exported by the library": defined_names,
    }
    for name in sorted(set().union(*places.values())):
        missing = [place for place, names in places.items() if name not in names]
        if missing:
            found.append(f"{name}: not " + ", not ".join(missing))
        if not name.startswith("wfsm_"):
            found.append(f"{name}: a public name that does not begin with wfsm_")
    return found


def abi(root):
    header = (root / "include/wfsm/base.h").read_text(encoding="utf-8")
    return re.search(r"#define WFSM_ABI_VERSION (\d+)", header)[1]


def update(root):
    for library, place in MAPS.items():
        path = root / place
        tag = library.replace("-", "_").upper() + "_" + abi(root)
        names = "".join(f"    {name};\n" for name in sorted(declared(root, library)[0]))
        path.write_text(f"{tag} {{\nglobal:\n{names}local:\n    *;\n}};\n", encoding="utf-8")


def main(arguments):
    root = Path(arguments[0])
    if arguments[1] == "--update":
        update(root)
        return 0
    library, shared_object = arguments[1:]
    exported, bare = declared(root, library)
    found = differences(
        exported,
        bare,
        listed((root / MAPS[library]).read_text(encoding="utf-8")),
        defined(shared_object),
    )
    print(f"{library}: {len(exported)} functions, {len(found)} differences")
    print("\n".join(found))
    return 1 if found or not exported else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
