"""The documentation is correct: its blocks run, and its links lead somewhere.

usage: test_docs.py ROOT WFSM LIBWFSM LIBWFSM-SQLITE LIBWFSM-TOOLS CC [PAGE…]

The language of a block decides what is done with it; see blocks.py for the marks:
  json     is JSON; a machine is checked with `wfsm check`; {"machine", "steps"} is a case of
           `wfsm simulate`, in the form of tests/step/cases
  c        with a main() is compiled and run
  console  `$ command` and what it prints; run by bash in a folder of the page
  python   the blocks of a page are one program
"""
import contextlib
import io
import json
import linecache
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import blocks
import links

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "step"))
import simulate  # noqa: E402


def without_cache(program):
    """The compiler itself. A link to ccache would look for `cc` on PATH, find the script of
    `Tools`, which calls the link again, and so on without end."""
    folders = [folder for folder in os.environ["PATH"].split(os.pathsep)
               if Path(folder, program).resolve().name != "ccache"]
    return shutil.which(program, path=os.pathsep.join(folders))


def python_path(root):
    """The package, and the stand-in of one that cannot be installed here."""
    return [root / "bindings" / "python", root / "tests" / "python" / "langgraph_standin"]


class Tools:
    """The programs and libraries that were built, as an installed copy would look."""

    def __init__(self, root, wfsm, library, sqlite_library, tools_library, agents_library,
                 compiler, folder):
        self.root, self.wfsm = Path(root).resolve(), str(Path(wfsm).resolve())
        program, *options = [w for w in compiler.split() if Path(w).name != "ccache"]
        self.compiler = [without_cache(program), *options]
        libraries = [Path(path).resolve() for path in (library, sqlite_library, tools_library,
                                                        agents_library)]
        self.flags = [f"-I{self.root / 'include'}"]
        for path in libraries:
            self.flags += [f"-L{path.parent}", f"-Wl,-rpath,{path.parent}"]
        self.flags += ["-lwfsm-agents", "-lwfsm-sqlite", "-lwfsm-tools", "-lwfsm"]
        self.folder = Path(folder)
        self.script("wfsm", f'exec "{self.wfsm}" "$@"')
        # The hosts among the examples, where they were built.
        self.agentd = Path(self.wfsm).parents[1] / "agentd" / "agentd"
        self.script("agentd", f'exec "{self.agentd}" "$@"')
        self.script("cc", f'exec {" ".join(self.compiler)} "$@"')
        self.script("pkg-config", f'echo "{" ".join(self.flags)}"')
        self.env = {**os.environ, "PATH": f"{self.folder}:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                    "PYTHONPATH": os.pathsep.join(map(str, python_path(self.root))),
                    "WFSM_LIBRARY": str(libraries[0]), "PYTHONDONTWRITEBYTECODE": "1",
                    "WFSM_SQLITE_LIBRARY": str(libraries[1]),
                    "WFSM_TOOLS_LIBRARY": str(libraries[2])}
        os.environ.update(self.env)

    def script(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)

    def run(self, command, folder):
        return subprocess.run(
            command, cwd=folder, env=self.env, stdin=subprocess.DEVNULL, text=True,
            encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)


class Page:
    """One page, run from top to bottom in a folder of its own."""

    def __init__(self, tools, path, folder):
        self.tools, self.path, self.folder = tools, path, Path(folder)
        self.names, self.printed, self.count = {"__name__": "__main__"}, "", 0
        (self.folder / "examples").symlink_to(tools.root / "examples")

    def problems(self):
        text = self.path.read_text(encoding="utf-8")
        for target in links.broken(self.path):
            yield f"{self.path}: the link {target} leads nowhere"
        for name in links.missing(self.path, self.tools.root):
            yield f"{self.path}: there is no {name}; write where it is now"
        for block in blocks.blocks(text):
            for problem in self.check(block):
                yield f"{self.path}:{block.line}: {problem}"

    def check(self, block):
        marks = block.marks
        if "file" in marks:
            (self.folder / marks["file"]).write_text(block.text, encoding="utf-8")
        if "skip" in marks:
            return
        if "same as" in marks:
            if block.text != (self.tools.root / marks["same as"]).read_text(encoding="utf-8"):
                yield f"not the text of {marks['same as']}"
        if "output of" in marks:
            output = self.tools.run(["bash", "-c", marks["output of"]], self.folder).stdout
            yield from self.compare(marks["output of"], block.text, output)
        if "prints" in marks:
            yield from self.compare("the Python blocks", block.text, self.printed)
            self.printed = ""
        run = getattr(self, "check_" + (block.language or "nothing"), None)
        if run:
            self.count += 1
            yield from run(block)

    def compare(self, what, expected, output):
        if not blocks.fits(expected, output):
            yield f"{what} printed\n{output}\nand not\n{expected}"

    def check_json(self, block):
        try:
            value = json.loads(block.text, object_pairs_hook=simulate.reject_duplicates)
        except ValueError as problem:
            yield f"not JSON: {problem}"
            return
        if isinstance(value, dict) and "steps" in value:
            yield from simulate.check([self.tools.wfsm], value, self.folder)
        elif isinstance(value, dict) and "states" in value:
            path = self.folder / "block.json"
            path.write_text(block.text, encoding="utf-8")
            done = self.tools.run([self.tools.wfsm, "check", str(path)], self.folder)
            if done.returncode != 0:
                yield done.stdout

    def check_c(self, block):
        if "main(" not in block.text or {"file", "same as"} & set(block.marks):
            return  # a fragment, or compiled elsewhere
        (self.folder / "block.c").write_text(block.text, encoding="utf-8")
        command = [*self.tools.compiler, "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall",
                   "-Wextra", "-Werror", "block.c", "-o", "block", *self.tools.flags]
        done = self.tools.run(command, self.folder)
        if done.returncode == 0:
            done = self.tools.run(["./block"], self.folder)
        if done.returncode != 0:
            yield done.stdout

    def check_console(self, block):
        for command, expected in blocks.commands(block.text):
            output = self.tools.run(["bash", "-c", command], self.folder).stdout
            yield from self.compare(f"$ {command.rstrip()}", expected, output)

    def check_python(self, block):
        out, here = io.StringIO(), os.getcwd()
        text, name = "\n" * block.line + block.text, f"{self.path}, block at line {block.line}"
        linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name  # as a notebook does
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(text, name, "exec"), self.names)
        except Exception:  # pylint: disable=broad-except
            yield traceback.format_exc()
        finally:
            os.chdir(here)
        self.printed += out.getvalue()


def main(arguments):
    logging.disable()  # what callbacks of the pages raise, they raise on purpose
    root, tool_paths, names = Path(arguments[0]).resolve(), arguments[1:7], arguments[7:]
    pages = [Path(name) for name in names] or [
        root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "doc").glob("*.md"))]
    wrong = total = 0
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(root, *tool_paths, folder)
        sys.path[:0] = map(str, python_path(root))
        for path in pages:
            if path.name == "agentd.md" and not tools.agentd.exists():
                continue
            with tempfile.TemporaryDirectory() as place:
                page = Page(tools, path, place)
                try:
                    problems = list(page.problems())
                except (ValueError, subprocess.TimeoutExpired) as problem:
                    problems = [f"{path}: {problem}"]
            total += page.count
            wrong += len(problems)
            print(f"{path.name}: {page.count} blocks", *problems, sep="\n  ")
    print(f"{total} blocks, {wrong} problems")
    return 1 if wrong or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
