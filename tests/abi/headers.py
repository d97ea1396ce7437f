"""Each public header compiles alone. jansson.h needs jansson's own header.

usage: headers.py INCLUDE-FOLDER LANGUAGE STANDARD COMPILER…
"""
import subprocess
import sys
import tempfile
from pathlib import Path


def complaint(folder, name, language, standard, compiler):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as source:
        source.write(f"#include <wfsm/{name}>\nint main(void) {{ return 0; }}\n")
        source.flush()
        command = [*compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
                   "-Werror", "-fsyntax-only", "-I", str(folder), "-x", language, source.name]
        run = subprocess.run(command, capture_output=True, text=True)
    return run.stderr if run.returncode else ""


def has_jansson(language, compiler):
    command = [*compiler, "-E", "-x", language, "-"]
    return subprocess.run(command, input="#include <jansson.h>\n", capture_output=True,
                          text=True).returncode == 0


def main(arguments):
    folder, language, standard, *compiler = arguments
    without = set() if has_jansson(language, compiler) else {"jansson.h"}
    names = sorted({path.name for path in (Path(folder) / "wfsm").glob("*.h")} - without)
    complaints = [complaint(folder, name, language, standard, compiler) for name in names]
    print(f"{len(names)} headers as {standard}\n" + "".join(complaints))
    return 1 if any(complaints) or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
