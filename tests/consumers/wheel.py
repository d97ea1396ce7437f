"""Installs the wheel in empty environments, and does there what the pages say.

usage: wheel.py ROOT WHEEL SDIST

Every CPython from 3.9 to 3.13 that is found is used: on PATH, or in the folder of pyenv.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT, WHEEL, SDIST = (Path(name).resolve() for name in sys.argv[1:])
sys.path.insert(0, str(ROOT / "tests" / "docs"))
import blocks  # noqa: E402

SHOW = """import sqlite3, wfsm
wfsm.sqlite("seen.db").close()
print(*sorted({line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}), sep="\\n")
"""

# What the wheel cannot hold is said in a sentence.
LEFT_OUT = """import wfsm
from wfsm.agents import Agents
store = wfsm.memory()
agents, engine = Agents(), wfsm.Engine(store)
agents.add_http("model", "openai", "any", key_env="KEY", base_url="http://127.0.0.1:9")
for use in (lambda: agents.register(engine, store, runs="runs"), lambda: wfsm.postgres("postgresql:///x")):
    try:
        use()
    except (ImportError, wfsm.WfsmError) as problem:
        print(problem)
"""

# But for python-agents.md, whose model needs HTTP, and python-langgraph.md, which needs LangGraph.
PAGES = ("bindings/python/README.md", *(f"doc/python{name}.md" for name in (
    "-start", "", "-coming", "-deploy", "-flow", "-streaming", "-testing", "-types")))


def run(command, folder, path, **more):
    return subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=1200,  # the source distribution is compiled
                          env={"PATH": f"{path}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, **more)


def check(done, expected=None):
    if done.returncode or expected is not None and not blocks.fits(expected, done.stdout):
        sys.exit(f"{done.args}\nexit code {done.returncode}\n{done.stdout}\nexpected:\n{expected}")


def pythons():
    """{version: program}, of those that start."""
    found = {}
    for minor in range(9, 14):
        name = f"python3.{minor}"
        pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
        for program in [shutil.which(name), *sorted(pyenv.glob(f"3.{minor}.*/bin/{name}"))]:
            if program and subprocess.run([program, "-c", "import ensurepip, venv"],
                                          capture_output=True).returncode == 0:
                found.setdefault(f"3.{minor}", str(program))
    return found


def newest_glibc(folder):
    """By objdump; the package reads it with readelf."""
    files = [path for path in folder.rglob("*") if path.is_file() and
             path.read_bytes()[:4] == b"\x7fELF"]
    table = subprocess.run(["objdump", "-T", *map(str, files)], check=True, text=True,
                           capture_output=True).stdout
    return max(tuple(map(int, found)) for found in re.findall(r"GLIBC_(\d+)\.(\d+)", table))


def check_tag():
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(WHEEL) as archive:
            archive.extractall(folder)
        major, minor = newest_glibc(Path(folder))
    if f"manylinux_{major}_{minor}_" not in WHEEL.name:
        sys.exit(f"{WHEEL.name} asks for glibc {major}.{minor}")


def run_page(page, folder, path):
    """Files are written, commands run; the blocks of Python are one program."""
    program = ""
    for block in blocks.blocks(page.read_text(encoding="utf-8")):
        if "file" in block.marks:
            (folder / block.marks["file"]).write_text(block.text, encoding="utf-8")
        if "skip" in block.marks:
            continue
        if block.language == "console":
            for command, expected in blocks.commands(block.text):
                check(run(["bash", "-c", command], folder, path), expected)
        elif block.language == "python":
            program += block.text
    if program:
        (folder / "page.py").write_text(program, encoding="utf-8")
        check(run([path / "python", "page.py"], folder, path))


def use(python, folder):
    check(run([python, "-m", "venv", "venv"], folder, ""))
    path = folder / "venv" / "bin"
    check(run([path / "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
               WHEEL], folder, path))
    for page in PAGES:
        place = folder / Path(page).name
        place.mkdir()
        run_page(ROOT / page, place, path)
    check(run([path / "wfsm", "--version"], folder, path), "wfsm …")
    check(run([path / "python", "-c", LEFT_OUT], folder, path),
          "HTTP agents are not in the wheel, because they need libcurl: install Debian's package …\n"
          "the wheel has no libwfsm-postgres, because it needs libpq: install Debian's package …\n")
    loaded = run([path / "python", "-c", SHOW], folder, path)
    check(loaded)
    own = [line for line in loaded.stdout.splitlines() if "libwfsm" in line]
    if not own or any(str(folder) not in line for line in own):
        sys.exit(f"libraries from elsewhere:\n{loaded.stdout}")
    if loaded.stdout.count("libsqlite3.so") != 1:
        sys.exit(f"not one SQLite in the process:\n{loaded.stdout}")


def use_editable(python, folder):
    """A link to the sources, with the libraries of the wheel that is installed in the folder."""
    check(run([python, "-m", "venv", "editable"], folder, ""))
    path = folder / "editable" / "bin"
    check(run([path / "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
               "-e", ROOT / "bindings" / "python"], folder, path))
    library = next((folder / "venv").rglob("libwfsm.so.1"))
    check(run(["env", f"WFSM_LIBRARY={library}", path / "python", "-B", "-c",
               "import wfsm; print(wfsm.__file__, wfsm.memory().list())"], folder, path),
          f"{ROOT}/bindings/python/wfsm/__init__.py []")


def use_sdist(python, folder):
    """Compiled by pip, with the compiler and meson of the system."""
    check(run([python, "-m", "venv", "compiled"], folder, ""))
    path = folder / "compiled" / "bin"
    check(run([path / "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index",
               SDIST], folder, path))
    place = folder / "compiled" / "page"
    place.mkdir()
    run_page(ROOT / "doc" / "python-start.md", place, path)


def main():
    check_tag()
    found = pythons()
    if not found:
        sys.exit("no CPython from 3.9 to 3.13 has the modules venv and ensurepip")
    for version, python in found.items():
        with tempfile.TemporaryDirectory() as folder:
            use(python, Path(folder))
            if python == list(found.values())[-1]:
                use_editable(python, Path(folder))
                use_sdist(python, Path(folder))
    print(f"{SDIST.name} works with CPython {version}")
    print(f"{WHEEL.name} works with CPython {', '.join(found)}")


main()
