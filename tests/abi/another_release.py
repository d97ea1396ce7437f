"""Loading libwfsm-tools beside the libwfsm of another release is an error that names the release.

usage: another_release.py LIBWFSM LIBWFSM-TOOLS

The other release is a copy of LIBWFSM whose private version has another name.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LOAD = "import ctypes, sys; ctypes.CDLL(sys.argv[1]); ctypes.CDLL(sys.argv[2])"
NODE = re.compile(rb"WFSM_PRIVATE_[0-9_]+")


def load(libwfsm, tools):
    done = subprocess.run([sys.executable, "-c", LOAD, str(libwfsm), str(tools)], text=True,
                          stderr=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"})
    return done.returncode, done.stderr


def main(libwfsm, tools):
    node = NODE.search(Path(libwfsm).read_bytes())[0]
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder, Path(libwfsm).name)
        text = Path(libwfsm).read_bytes()
        other.write_bytes(text.replace(node, re.sub(rb"\d", b"9", node)))
        fine, _ = load(libwfsm, tools)
        code, said = load(other, tools)
    expected = f"version `{node.decode()}' not found (required by"
    print(f"its own release: {fine}; another one: {code}\n{said}")
    return 0 if fine == 0 and code != 0 and expected in said else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
