"""The API reference, made from the headers by doxygen. A warning is an error.

usage: api.py ROOT FOLDER     writes FOLDER/html, and checks that a gap would be reported
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def doxygen(root, include, out):
    settings = (root / "doc/api/Doxyfile").read_text(encoding="utf-8")
    settings += f'INPUT = "{include}"\nOUTPUT_DIRECTORY = "{out}"\nSTRIP_FROM_PATH = "{include}"\n'
    return subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=root,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def main(root, out):
    root, out = Path(root).resolve(), Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    done = doxygen(root, root / "include", out)
    print(done.stdout, end="")
    pages = len(list((out / "html").glob("*.html")))
    print(f"{pages} pages")
    with tempfile.TemporaryDirectory() as folder:
        include = Path(folder) / "include"
        shutil.copytree(root / "include", include)
        with open(include / "wfsm/base.h", "a", encoding="utf-8") as header:
            header.write("int32_t wfsm_without_a_word(void);\n")
        gap = doxygen(root, include, folder)
    found = gap.returncode != 0 and "wfsm_without_a_word" in gap.stdout
    print("a function without a word is found" if found else "a gap is not found")
    return 1 if done.returncode or pages < 20 or not found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
