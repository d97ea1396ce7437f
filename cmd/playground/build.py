"""Builds wfsm for WebAssembly, and the page around it.

usage: build.py FOLDER JANSSON [--tests UNITY]

  FOLDER   for what is built: playground.html, wfsm.wasm
  JANSSON  the sources of jansson
  --tests  also the unit tests that read tests/cases, with the sources of Unity

The library is the one file that scripts/amalgamate makes. Nothing in lib knows about WebAssembly:
what a page does not have is in playground.c.
"""
import argparse
import base64
import gzip
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGET = "--target=wasm32-wasi"
# The stack comes first in the memory, so that an overflow traps and does not overwrite data.
LINK = [TARGET, "-Wl,-z,stack-size=8388608", "-Wl,--stack-first", "-Wl,-s"]
OPTIONS = [TARGET, "-O2", "-std=c11", "-D_POSIX_C_SOURCE=200809L", f"-I{ROOT}/include", f"-I{ROOT}/cmd"]
# The unit tests that read tests/cases: the files below tests, the cases, and arguments.
TESTS = {
    "logic_cases": (["logic/test_cases.c"], "logic"),
    "logic_schema": (["logic/test_schema.c"], "logic"),
    "machine_documents": (["machine/test_documents.c", "machine/documents.c"], "machine"),
    "instance_hostile_steps": (["instance/test_hostile_steps.c"], "hostile"),
    "verify_cases": (["verify/test_cases.c"], "verify"),
    "verify_solve": (["verify/test_solve.c"], "solve/solve.json"),
}

# The page's script is one, in this order.
SCRIPTS = ["json", "complete", "page", "page_workers", "page_check", "page_steps", "page_verify", "page_complete",
           "page_share", "page_begin"]
EXAMPLES = ["examples/embed/review.json", "bindings/python/examples/approval.json", "examples/embed/essay.json"]


def write(path, text):
    """Only what differs: ninja looks at the time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def configure_jansson(source, folder):
    """As its ./configure would. It has no seed here, because a page asks for no randomness."""
    text = (source / "jansson_config.h.in").read_text(encoding="utf-8")
    for name, value in {"inline": "inline", "have_long_long": "1", "have_localeconv": "0",
                        "have_atomic_builtins": "1", "have_sync_builtins": "1"}.items():
        text = text.replace(f"@json_{name}@", value)
    write(folder / "jansson_config.h", text)
    write(folder / "jansson_private_config.h", "#define HAVE_STDINT_H 1\n")


class Plan:
    """A build.ninja."""

    def __init__(self, folder):
        self.folder = folder
        self.lines = ["builddir = .", "rule cc", "  command = clang $options -MD -MF $out.d -c $in -o $out",
                      "  depfile = $out.d", "  deps = gcc", "  description = $out",
                      "rule link", "  command = clang $options $in $libraries -o $out", "  description = $out",
                      "rule one", f"  command = {ROOT}/scripts/amalgamate --depfile wfsm.c.d .", "  depfile = wfsm.c.d",
                      "  deps = gcc", "  restat = 1",
                      f"build wfsm.c | wfsm.h: one | {ROOT}/scripts/amalgamate"]

    def compile(self, source, name, *options):
        self.lines += [f"build {name}.o: cc {source} | wfsm.h", f"  options = {' '.join(options)}"]
        return f"{name}.o"

    def link(self, name, objects, libraries=""):
        self.lines += [f"build {name}: link {' '.join(objects)}", f"  options = {' '.join(LINK)}",
                       f"  libraries = {libraries}"]

    def run(self):
        write(self.folder / "build.ninja", "\n".join(self.lines) + "\n")
        subprocess.run(["ninja", "-C", str(self.folder)], check=True)


def plan_command(plan, jansson):
    config = plan.folder / "jansson"
    configure_jansson(jansson, config)
    here = [f"-I{config}", f"-I{jansson}", "-DHAVE_CONFIG_H"]
    core = plan.compile("wfsm.c", "wfsm", *OPTIONS, "-DNDEBUG", "-Wno-unused-function")
    objects = [plan.compile(one, f"jansson_{one.stem}", *OPTIONS, *here) for one in sorted(jansson.glob("*.c"))]
    names = (HERE / "sources.txt").read_text(encoding="utf-8").split()
    sources = [HERE / "playground.c"] + [HERE.parent / "wfsm" / name for name in names]
    objects += [plan.compile(one, f"cmd_{one.stem}", *OPTIONS, "-Wall", "-Wextra", "-Werror", *here) for one in sources]
    plan.link("wfsm.wasm", [core, *objects])


def plan_tests(plan, unity):
    """With assertions. A test that fails returns, because WebAssembly has no setjmp."""
    options = [*OPTIONS, f"-I{unity}", f"-I{ROOT}/lib", f"-I{ROOT}/tests", "-DUNITY_EXCLUDE_SETJMP_H",
               "-D_WASI_EMULATED_PROCESS_CLOCKS", "-Wno-everything"]
    core = plan.compile("wfsm.c", "wfsm_checked", *OPTIONS, "-Wno-unused-function")
    frame = plan.compile(unity / "unity.c", "unity", *options)
    for name, (files, cases) in TESTS.items():
        given = f"'-DCASES=\"/tests/cases/{cases}\"'" if name != "instance_hostile_steps" else "-DNOTHING"
        objects = [plan.compile(ROOT / "tests" / one, f"{name}_{Path(one).stem}", *options, given, "'-DOFFICIAL=\"\"'")
                   for one in files]
        plan.link(f"{name}.wasm", [core, frame, *objects], "-lwasi-emulated-process-clocks")


def escape_script(text):
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def schema_for_page():
    schema = json.loads((ROOT / "doc/machine.schema.json").read_text(encoding="utf-8"))
    return json.dumps(schema, separators=(",", ":"), ensure_ascii=False)


def version():
    return re.search(r"^\s*version: '([^']*)'", (ROOT / "meson.build").read_text(encoding="utf-8"), re.M)[1]


def write_page(folder):
    def text(name):
        return (HERE / name).read_text(encoding="utf-8")
    wasm = base64.b64encode(gzip.compress((folder / "wfsm.wasm").read_bytes(), 9, mtime=0)).decode()
    style = text("page.css")
    worker = text("wasi.js").replace("export ", "") + text("worker.js")
    script = "\n".join(text(name + ".js") for name in SCRIPTS)
    script = script.replace("export ", "").replace("@VERSION@", version())
    # A worker of a blob has the page's policy; so its script needs no digest, and nothing else is allowed.
    policy = (f"default-src 'none'; script-src {digest(escape_script(script))} 'wasm-unsafe-eval'; style-src {digest(style)}; "
              "worker-src blob:; base-uri 'none'; form-action 'none'; img-src data:")
    page = text("page.html")
    examples = {path.stem: path.read_text(encoding="utf-8") for path in map(ROOT.joinpath, EXAMPLES)}
    for name, part in {"POLICY": policy, "STYLE": style, "SCHEMA": escape_script(schema_for_page()),
                       "EXAMPLES": escape_script(json.dumps(examples)), "WASM": wasm,
                       "WORKER": escape_script(worker), "SCRIPT": escape_script(script), "VERSION": version()}.items():
        page = page.replace(f"@{name}@", part, 1) if name != "VERSION" else page.replace("@VERSION@", part)
    write(folder / "playground.html", page)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("jansson", type=Path)
    parser.add_argument("--tests", type=Path)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    plan = Plan(given.folder.resolve())
    plan_command(plan, given.jansson.resolve())
    if given.tests:
        plan_tests(plan, given.tests.resolve())
    plan.run()
    if (HERE / "page.html").exists():
        write_page(given.folder)


if __name__ == "__main__":
    sys.exit(main())
