"""The public headers, the version scripts and the exported symbols agree.

usage: symbols.py ROOT LIBRARY SHARED-OBJECT   compare all three
       symbols.py ROOT private LIBWFSM LIBWFSM-TOOLS
                                               the private symbols: declared, exported, used
       symbols.py ROOT --update                rewrite the version scripts

libwfsm also exports, under a version that names the release, the inner functions that
libwfsm-tools uses: those that a header of lib/ declares with WF_PRIVATE_API.
"""
import re
import subprocess
import sys
from pathlib import Path

MAPS = {
    "wfsm": "lib/wfsm.map",
    "wfsm-agents": "lib/agents/wfsm-agents.map",
    "wfsm-postgres": "lib/postgres/wfsm-postgres.map",
    "wfsm-sqlite": "lib/sqlite/wfsm-sqlite.map",
    "wfsm-testkit": "lib/testkit/wfsm-testkit.map",
    "wfsm-tools": "lib/wfsm-tools.map",
}
COMPANIONS = {"agents.h": "wfsm-agents", "loop.h": "wfsm-agents", "progress.h": "wfsm-agents",
              "schedule.h": "wfsm-agents", "settings.h": "wfsm-agents", "sign.h": "wfsm-agents", "sqlite.h": "wfsm-sqlite",
              "postgres.h": "wfsm-postgres",
              "testkit.h": "wfsm-testkit", "monitor.h": "wfsm-tools", "tools.h": "wfsm-tools",
              "verify.h": "wfsm-tools"}
PRIVATE = re.compile(r"^WF_PRIVATE_API\b[^;(]*?(\w+)\(", re.M)


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


def private(root):
    """The inner functions that the headers of libwfsm declare for libwfsm-tools."""
    return {name for path in sorted((root / "lib").rglob("*.h"))
            for name in PRIVATE.findall(path.read_text(encoding="utf-8"))}


def private_node(root):
    """The version of the private symbols: it names the release that meson.build names."""
    text = (root / "meson.build").read_text(encoding="utf-8")
    return "WFSM_PRIVATE_" + re.search(r"version: '([\d.]+)'", text)[1].replace(".", "_")


def listed(map_text, node=r"WFSM_(?!PRIVATE)\w+"):
    """Names in the global sections of those nodes of a version script."""
    sections = re.findall(rf"^{node} \{{\s*global:(.*?)(?:local:|\}})", map_text, flags=re.S | re.M)
    return {name.strip() for section in sections for name in section.split(";")} - {""}


def dynamic(shared_object, option):
    """(name, version) of the dynamic symbols, without the versions themselves."""
    command = ["nm", "-D", option, "--format=posix", str(shared_object)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in lines.splitlines()]
    return [(row[0].split("@")[0], row[0].rsplit("@", 1)[-1] if "@" in row[0] else "")
            for row in rows if row[1] != "A"]


def defined(shared_object):
    return {name for name, version in dynamic(shared_object, "--defined-only")
            if not version.startswith("WFSM_PRIVATE")}


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


def private_differences(declared_names, listed_names, exported, used, node):
    """All four are the same names; what is exported and used carries the release's version."""
    found = [f"{name}: has the version {version}, not {node}"
             for name, version in sorted(exported | used) if version != node]
    places = {
        "declared with WF_PRIVATE_API": declared_names,
        "in the version script": listed_names,
        "exported by libwfsm": {name for name, _ in exported},
        "used by libwfsm-tools": {name for name, _ in used},
    }
    for name in sorted(set().union(*places.values())):
        missing = [place for place, names in places.items() if name not in names]
        if missing:
            found.append(f"{name}: not " + ", not ".join(missing))
    return found


def check_private(root, libwfsm, tools):
    node = private_node(root)
    inner = re.compile(r"wf_\w+$").match
    found = private_differences(
        private(root),
        listed((root / MAPS["wfsm"]).read_text(encoding="utf-8"), node),
        {row for row in dynamic(libwfsm, "--defined-only") if inner(row[0])},
        {row for row in dynamic(tools, "--undefined-only") if inner(row[0])},
        node)
    packaged = root / "packaging/debian/libwfsm1.symbols"
    if f"(symver){node} " not in packaged.read_text(encoding="utf-8"):
        found.append(f"{packaged.name} does not name {node}")
    print(f"{node}: {len(found)} differences")
    print("\n".join(found))
    return 1 if found else 0


def abi(root):
    header = (root / "include/wfsm/base.h").read_text(encoding="utf-8")
    return re.search(r"#define WFSM_ABI_VERSION (\d+)", header)[1]


def node_text(tag, names, rest=""):
    lines = "".join(f"    {name};\n" for name in sorted(names))
    return f"{tag} {{\nglobal:\n{lines}{rest}}};\n"


def update(root):
    for library, place in MAPS.items():
        path = root / place
        tag = library.replace("-", "_").upper() + "_" + abi(root)
        nodes = node_text(tag, declared(root, library)[0], "local:\n    *;\n")
        if library == "wfsm":
            nodes += node_text(private_node(root), private(root))
        path.write_text(nodes, encoding="utf-8")


def main(arguments):
    root = Path(arguments[0])
    if arguments[1] == "--update":
        update(root)
        return 0
    if arguments[1] == "private":
        return check_private(root, *arguments[2:])
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
