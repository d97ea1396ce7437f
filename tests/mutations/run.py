"""Each invariant can fail: for each there is a change of the code that makes it fail.

usage: run.py list ROOT              every WF_INVARIANT of lib/ has such a change
       run.py try ROOT BUILD [OPTION…]
                                     makes each change in a copy of lib/, compiles it, links it
                                     in front of what the folder BUILD has built, and runs the
                                     test that the table names

options of try: --part PART and --only TEXT (again for more; TEXT is a part of the invariant),
--jobs N. BUILD has tests and assertions, and everything in it is built.

tests/mutations/PART.json is a list of
    {"invariant": "lib/PART/FILE.c: the condition",
     "file": "lib/PART/FILE.c",            what is changed; for a header, the files of its part
                                           that include it are compiled
     "from": "text that occurs once", "to": "other text",
     "test": "instance_laws"}              a unit test; must end at this assertion
"""
import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

CALL = re.compile(r"\bWF_INVARIANT\(")
# What changes something: assignments and steps. Comparisons are no assignments.
SIDE_EFFECT = re.compile(r"\+\+|--(?!>)|(?<![=!<>])=(?!=)")
SECONDS = 60
SKIPPED = 77


def squeezed(text):
    return re.sub(r"\s+", "", text)


def invariants(path):
    """(condition, first line, last line) of each use in a file."""
    text = path.read_text(encoding="utf-8")
    for match in CALL.finditer(text):
        depth, end = 1, match.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        if "\n#define" in text[:match.start()][-9:]:
            continue
        yield (text[match.end():end - 1], text.count("\n", 0, match.start()) + 1,
               text.count("\n", 0, end) + 1)


def tables(root):
    for path in sorted((root / "tests/mutations").glob("*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8")):
            yield path.stem, entry


def sources(root):
    return [path for path in sorted((root / "lib").rglob("*.[ch]"))
            if path.name != "invariant.h"]


def check_list(root):
    listed = {squeezed(entry["invariant"]) for _, entry in tables(root)}
    found, known = [], set()
    for path in sources(root):
        name = path.relative_to(root).as_posix()
        for condition, line, _ in invariants(path):
            key = squeezed(f"{name}:{condition}")
            known.add(key)
            if key not in listed:
                found.append(f"{name}:{line}: no change in tests/mutations makes it fail: {condition}")
            if SIDE_EFFECT.search(re.sub(r'"[^"]*"|\'[^\']*\'', "", condition)):
                found.append(f"{name}:{line}: an invariant has a side effect: {condition}")
    for part, entry in tables(root):
        if squeezed(entry["invariant"]) not in known:
            found.append(f"tests/mutations/{part}.json: no such invariant: {entry['invariant']}")
        text = (root / entry["file"]).read_text(encoding="utf-8")
        if text.count(entry["from"]) != 1:
            found.append(f"tests/mutations/{part}.json: occurs {text.count(entry['from'])} times in"
                         f" {entry['file']}: {entry['from']!r}")
    print("\n".join(found))
    print(f"{len(known)} invariants, {len(found)} diagnostics")
    print_density(root)
    return 1 if found else 0


def print_density(root):
    for part in sorted(path for path in (root / "lib").iterdir() if path.is_dir()):
        paths = [path for path in sources(root) if part in path.parents]
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)
        uses = sum(1 for path in paths for _ in invariants(path))
        print(f"{part.name:10} {uses:4} invariants in {lines:6} lines,"
              f" {1000 * uses / max(lines, 1):.1f} per thousand")


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, errors="replace", **options)
    if done.returncode:
        raise RuntimeError(f"{done.stdout[-3000:]}\n{command[0]} failed")
    return done.stdout


class Build:
    """How a build folder compiles the sources of lib/, and links its tests."""

    def __init__(self, root, folder, names):
        self.root, self.folder = root, folder
        commands = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
        self.compilers = {}
        for entry in commands:
            path = (Path(entry["directory"]) / entry["file"]).resolve()
            if path.is_relative_to(root / "lib"):
                self.compilers.setdefault(path.relative_to(root).as_posix(), entry["command"])
        listed = json.loads((folder / "meson-info/intro-tests.json").read_text(encoding="utf-8"))
        self.tests = {test["name"]: test for test in listed if test["name"] in names}
        self.linkers = self.link_commands()
        self.deps = None

    def target(self, name):
        return Path(self.tests[name]["cmd"][0]).relative_to(self.folder).as_posix()

    def link_commands(self):
        targets = {self.target(name): name for name in self.tests}
        linkers = {}
        for line in run("ninja", "-C", str(self.folder), "-t", "commands",
                        *targets).splitlines():
            output = re.search(r" -o (tests/\S+) ", line)
            if output and output.group(1) in targets:
                linkers[targets[output.group(1)]] = shlex.split(line)
        return linkers

    def dependents(self, header):
        """The sources of the header's part that include it."""
        found, target = [], None
        if self.deps is None:
            self.deps = run("ninja", "-C", str(self.folder), "-t", "deps").splitlines()
        for line in self.deps:
            if not line.startswith(" "):
                target = None
            elif target is None:
                path = (self.folder / line.strip()).resolve()
                target = path.relative_to(self.root).as_posix() \
                    if path.is_relative_to(self.root) else ""
            elif (self.folder / line.strip()).resolve() == self.root / header and \
                    Path(target).parent == Path(header).parent:
                found.append(target)
        return sorted(set(found) & set(self.compilers))


class Overlay:
    """A copy of lib/ in which one change at a time is made."""

    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        shutil.copytree(build.root / "lib", folder / "lib")

    def compile(self, source):
        """The object of a source in the copy. Everything else is found where it is."""
        made = self.folder / (source.replace("/", "_") + ".o")
        arguments = []
        words = iter(shlex.split(self.build.compilers[source]))
        for word in words:
            if word in ("-MF", "-MQ", "-o", "-c"):
                next(words)
            elif word not in ("-MD", "-Werror"):
                arguments.append(word)
        lib = os.path.relpath(self.build.root / "lib", self.build.folder)
        arguments = [f"-I{self.folder}/lib{word[len(lib) + 2:]}"
                     if word.startswith(f"-I{lib}") else word for word in arguments]
        run(*arguments, "-w", "-O0", "-g0", "-o", str(made), "-c", str(self.folder / source),
            cwd=self.build.folder)
        return str(made)

    def link(self, name, objects):
        words = self.build.linkers[name]
        at = words.index("-o") + 1
        made = f"{words[at]}.{self.folder.name}"  # beside the test: it may look for libraries
        run(*words[:at], made, *objects, *words[at + 1:], cwd=self.build.folder)
        return self.build.folder / made

    def attempt(self, entry):
        """None, or why the change does not end at the assertion."""
        if entry["test"] not in self.build.linkers:
            return f"no such test: {entry['test']}"
        path = self.folder / entry["file"]
        text = path.read_text(encoding="utf-8")
        if text.count(entry["from"]) != 1:
            return f"occurs {text.count(entry['from'])} times: {entry['from']!r}"
        path.write_text(text.replace(entry["from"], entry["to"]), encoding="utf-8")
        program = None
        try:
            sources = [entry["file"]] if path.suffix != ".h" else \
                self.build.dependents(entry["file"])
            program = self.link(entry["test"], [self.compile(source) for source in sources])
            return self.outcome(entry, program) and self.outcome(entry, program)
        except RuntimeError as error:
            return f"does not compile: {error}"
        finally:
            path.write_text(text, encoding="utf-8")
            if program:
                program.unlink()

    # A change may miss its assertion once, where processes or threads race: it is tried twice.
    def outcome(self, entry, program):
        test = self.build.tests[entry["test"]]
        try:
            done = subprocess.run([str(program), *test["cmd"][1:]], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, env={**os.environ, **test["env"]},
                                  cwd=test["workdir"] or self.build.folder, timeout=SECONDS,
                                  check=False, errors="replace", text=True,
                                  start_new_session=True)
        except subprocess.TimeoutExpired:
            return f"no end within {SECONDS} s"
        file, condition = entry["invariant"].split(":", 1)
        lines = [range(first, last + 1)
                 for found, first, last in invariants(self.folder / file)
                 if squeezed(found) == squeezed(condition)]
        ended = re.search(r"(\S+\.[ch]):(\d+): \w+: Assertion `.*' failed", done.stdout)
        if not ended:
            return f"survives: exit code {done.returncode}: {done.stdout[-300:]}"
        there = ended.group(1).endswith(file) and any(int(ended.group(2)) in span for span in lines)
        return None if there else f"ends at another assertion: {ended.group(0)}"


def try_all(arguments):
    root, folder = Path(arguments.root).resolve(), Path(arguments.build).resolve()
    options = json.loads((folder / "meson-info/intro-buildoptions.json").read_text(
        encoding="utf-8"))
    values = {option["name"]: option["value"] for option in options}
    if values["b_ndebug"] == "true":
        print("this build has no assertions")
        return SKIPPED
    entries = [(part, entry) for part, entry in tables(root)
               if (not arguments.part or part in arguments.part) and
               (not arguments.only or any(text in entry["invariant"] for text in arguments.only))]
    build = Build(root, folder, {entry["test"] for _, entry in entries})
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="wfsm-mutations-") as where:
        free = Queue()
        for number in range(arguments.jobs):
            free.put(Overlay(build, Path(where, f"copy-{number}")))

        def attempt(pair):
            overlay = free.get()
            start = time.monotonic()
            try:
                why = overlay.attempt(pair[1])
            finally:
                free.put(overlay)
            print(f"{'ok       ' if why is None else 'SURVIVES '}{pair[1]['invariant']}"
                  f" ({time.monotonic() - start:.1f} s)", flush=True)
            return None if why is None else f"{pair[0]}: {pair[1]['invariant']}\n    {why}"

        with ThreadPoolExecutor(arguments.jobs) as pool:
            failures = [why for why in pool.map(attempt, entries) if why]
    print("\n".join(failures))
    print(f"{len(entries)} changes tried, {len(failures)} failures,"
          f" {time.monotonic() - began:.0f} s")
    return 1 if failures or not entries else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("what", choices=["list", "try"])
    parser.add_argument("root")
    parser.add_argument("build", nargs="?")
    parser.add_argument("--part", action="append")
    parser.add_argument("--only", action="append")
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))
    arguments = parser.parse_args()
    if arguments.what == "list":
        return check_list(Path(arguments.root).resolve())
    return try_all(arguments)


if __name__ == "__main__":
    sys.exit(main())
