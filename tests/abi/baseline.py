"""The ABI is unchanged: the headers are compared with the baseline in tests/abi/baseline.

usage: baseline.py check INCLUDE CC     fails on any incompatible change, and names it
       baseline.py try INCLUDE CC       changes a copy of the headers, to see that it fails
       baseline.py update INCLUDE CC    makes the baseline of the headers as they are

abidiff compares a library that has only the functions of the headers, so private structs are not
part of it. symbols.py checks that the real libraries have these functions and no others. Functions may be added, and members at the end of a
struct that begins with its size. doc/abi.md has the policy.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from symbols import MAPS, headers_of

HOME = Path(__file__).parent / "baseline"
ENUM = re.compile(r"^enum (wfsm_\w+) \{", re.M)
MOVED = re.compile(r"data member (deletion|change)|offset changed|type of '")
DECLARED = re.compile(r"^/\* \S*/(\w+\.h):\S+ \*/ extern (.*\bwfsm_\w+ \(.*\));", re.M)


def bare(library, include, cc, folder):
    """A library with the functions of its headers, and the values of their enums."""
    source, declared = folder / f"{library}.c", folder / "declared"
    headers = headers_of(include.parent, library)
    start = "".join(f"#include <wfsm/{path.name}>\n" for path in headers)
    source.write_text(start)
    options = ["-I", str(include.resolve()), "-std=c2x", "-g"]
    subprocess.run([*cc, *options, "-aux-info", str(declared), "-c", str(source), "-o",
                    str(folder / "none.o")], check=True)
    own = {path.name for path in headers}
    functions = [text for header, text in DECLARED.findall(declared.read_text()) if header in own]
    enums = [name for path in headers for name in ENUM.findall(path.read_text(encoding="utf-8"))]
    source.write_text(start + "".join(
        f"{text} {{ __builtin_trap(); }}\n" for text in functions) + "".join(
        f"enum {name} enum_{name}(void) {{ __builtin_trap(); }}\n" for name in enums))
    made = folder / f"lib{library}.so"
    # from there, so that the baseline does not name the folder
    subprocess.run([*cc, *options, "-w", "-shared", "-fPIC", f"-Wl,-soname,lib{library}",
                    source.name, "-o", str(made)], cwd=folder, check=True)
    return made, len(functions)


def abidiff(library, made, *options):
    done = subprocess.run(["abidiff", *options, "--no-added-syms", str(HOME / f"{library}.abi"),
                           str(made)], capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


def differences(library, include, cc):
    """What has changed since the baseline, in abidiff's words, and how many functions.

    A struct that has no new member at its end, and one that has lost or moved another, are
    the same to the rule in allowed.ini: the second look is for those.
    """
    with tempfile.TemporaryDirectory(prefix="wfsm-abi-") as folder:
        made, count = bare(library, include, cc, Path(folder))
        found = abidiff(library, made, "--suppressions", str(HOME / "allowed.ini"))
        full = abidiff(library, made)
        if not found and MOVED.search(full):
            found = full
    return found, count


def check(include, cc):
    found = 0
    for library in MAPS:
        changes, count = differences(library, include, cc)
        print(f"lib{library}: {count} functions")
        if changes:
            found += 1
            print(changes)
    return found


def update(include, cc):
    for library in MAPS:
        with tempfile.TemporaryDirectory(prefix="wfsm-abi-") as folder:
            made, _ = bare(library, include, cc, Path(folder))
            subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs",
                            "--out-file", str(HOME / f"{library}.abi"), str(made)], check=True)
    return 0


# (what, header, pattern, instead, whether it is compatible)
CHANGES = [
    ("a function goes", "machine.h", r"WFSM_API const char \*wfsm_machine_id\([^;]*;", "", False),
    ("a function comes", "base.h", r"WFSM_API const char \*wfsm_version\(void\);",
     r"\g<0>\nWFSM_API int32_t wfsm_new_call(void);", True),
    ("an argument changes", "machine.h", r"int32_t wfsm_machine_event\((.*?), const char \*name\)",
     r"int32_t wfsm_machine_event(\1, int64_t name)", False),
    ("a result changes", "instance.h", r"uint64_t wfsm_instance_revision\(",
     "uint32_t wfsm_instance_revision(", False),
    ("a member comes in the middle", "store.h", r"    const char \*tag;[^\n]*\n    const char \*owner;",
     "    const char *tag;\n    const char *label;\n    const char *owner;", False),
    ("a member comes at the end", "audit.h", r"    uint64_t diagnostics;",
     r"\g<0>\n    uint64_t more;", True),
    ("two members change places", "engine.h", r"    uint32_t slots;([^\n]*)\n(    const wfsm_allocator[^\n]*)",
     r"\2\n    uint32_t slots;\1", False),
    ("a member changes its type", "call.h", r"    int64_t retry_after;", "    double retry_after;",
     False),
    ("the last member goes", "compact.h", r"    uint64_t archived;[^\n]*\n", "", False),
    ("a status gets another number", "base.h", r"WFSM_LIMIT = 14", "WFSM_LIMIT = 41", False),
    ("a call of the vtable goes", "store.h", r"    int32_t \(\*seen\)\([^;]*;\n", "", False),
]


def try_out(include, cc):
    wrong = 0
    for what, header, pattern, instead, compatible in CHANGES:
        with tempfile.TemporaryDirectory(prefix="wfsm-abi-") as folder:
            copy = Path(folder) / "include"
            shutil.copytree(include, copy)
            path = copy / "wfsm" / header
            text, count = re.subn(pattern, instead, path.read_text(encoding="utf-8"), count=1)
            path.write_text(text, encoding="utf-8")
            changes = any(differences(library, copy, cc)[0] for library in MAPS)
        fine = count == 1 and changes != compatible
        wrong += not fine
        print(f"{'fine ' if fine else 'WRONG'}  {what}{'' if count else ': no such place'}")
    return wrong


def main(how, include, *cc):
    return {"check": check, "try": try_out, "update": update}[how](Path(include), cc)


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
