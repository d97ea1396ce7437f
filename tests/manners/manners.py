"""Runs the programs that show how the library behaves inside other programs.

usage: manners.py copies PROGRAM LIBRARY
       manners.py threads "COMPILER" WFSM.C THREADS.C
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def copies(folder, program, library):
    first, second = folder / "first.so", folder / "second.so"
    shutil.copy(library, first)
    shutil.copy(library, second)
    return subprocess.run([program, first, second], check=False).returncode


def threads(folder, compiler, source, program):
    """Under the thread sanitizer, whose diagnostics are the exit status."""
    source, made = Path(source).resolve(), folder / "threads"
    subprocess.run([*compiler.split(), "-std=c11", "-g", "-O1", "-fsanitize=thread",
                    "-DWFSM_SQLITE", f"-I{source.parent}", program, source, "-lsqlite3", "-lm",
                    "-lpthread", "-o", made], check=True)
    return subprocess.run([made, folder / "shared.db"], check=False).returncode


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(globals()[sys.argv[1]](Path(place), *sys.argv[2:]))
