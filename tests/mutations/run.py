"""Each invariant can fail: for each there is a change of the code that makes it fail.

usage: run.py list ROOT                       every WF_INVARIANT of lib/ has such a change
       run.py try ROOT FOLDER [OPTION…]       makes each change in a copy of the tree below
                                              FOLDER, and runs the test that the table names

options of try: --part PART (again for more), --jobs N, --unity FOLDER, --keep

tests/mutations/PART.json is a list of
    {"invariant": "lib/PART/FILE.c: the condition",
     "file": "lib/PART/FILE.c",            what is changed
     "from": "text that occurs once", "to": "other text",
     "test": "instance_laws"}              must end at this assertion
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from queue import Empty, Queue

CALL = re.compile(r"\bWF_INVARIANT\(")
# What changes something: assignments and steps. Comparisons are no assignments.
SIDE_EFFECT = re.compile(r"\+\+|--(?!>)|(?<![=!<>])=(?!=)")
FOLDERS = ("lib", "include", "bench", "bindings", "cmd", "doc", "examples", "packaging",
           "scripts", "tests")
SECONDS = 120


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


class Copy:
    """A tree of its own with a build of its own, in which one change at a time is made."""

    def __init__(self, root, folder, unity):
        self.root, self.source, self.build = root, folder / "source", folder / "build"
        shutil.rmtree(folder, ignore_errors=True)
        self.source.mkdir(parents=True)
        for path in root.iterdir():
            if path.name in FOLDERS:
                shutil.copytree(path, self.source / path.name, symlinks=True)
            elif path.is_file():
                shutil.copy2(path, self.source)
        options = ["-Dbuildtype=debug", "-Doptimization=0", "-Db_ndebug=false", "-Dtests=enabled",
                   "-Dpython=disabled", "-Dc_args=-g1", "-Dwerror=false"]
        options += [f"-Dunity_dir={unity}"] if unity else []
        self.run("meson", "setup", str(self.build), str(self.source), *options)
        listed = self.run("meson", "introspect", "--tests", str(self.build))
        self.tests = {test["name"]: test for test in json.loads(listed)}

    def run(self, *command):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        if done.returncode:
            raise RuntimeError(done.stdout[-3000:] + f"\n{command[0]} failed")
        return done.stdout

    def compile(self, names):
        targets = [str(Path(self.tests[name]["cmd"][0]).relative_to(self.build)) for name in names]
        self.run("ninja", "-C", str(self.build), *targets)

    def attempt(self, entry):
        """None, or why the change does not end at the assertion."""
        if entry["test"] not in self.tests:
            return f"no such test: {entry['test']}"
        path = self.source / entry["file"]
        text = path.read_text(encoding="utf-8")
        if text.count(entry["from"]) != 1:
            return f"occurs {text.count(entry['from'])} times: {entry['from']!r}"
        path.write_text(text.replace(entry["from"], entry["to"]), encoding="utf-8")
        try:
            self.compile([entry["test"]])
            return self.outcome(entry)
        except RuntimeError as error:
            return f"does not compile: {error}"
        finally:
            path.write_text(text, encoding="utf-8")

    def outcome(self, entry):
        test = self.tests[entry["test"]]
        try:
            done = subprocess.run(test["cmd"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  cwd=test["workdir"] or self.build, timeout=SECONDS, check=False,
                                  errors="replace", text=True)
        except subprocess.TimeoutExpired:
            return f"no end within {SECONDS} s"
        file, condition = entry["invariant"].split(":", 1)
        lines = [range(first, last + 1) for found, first, last in invariants(self.source / file)
                 if squeezed(found) == squeezed(condition)]
        ended = re.search(r"(\S+\.[ch]):(\d+): \w+: Assertion `.*' failed", done.stdout)
        if not ended:
            return f"survives: exit code {done.returncode}: {done.stdout[-300:]}"
        there = ended.group(1).endswith(file) and any(int(ended.group(2)) in span for span in lines)
        return None if there else f"ends at another assertion: {ended.group(0)}"


def try_all(arguments):
    root = Path(arguments.root).resolve()
    entries = [(part, entry) for part, entry in tables(root)
               if not arguments.part or part in arguments.part]
    work, lock, failures = Queue(), threading.Lock(), []
    for pair in entries:
        work.put(pair)

    def one_copy(number):
        folder = Path(arguments.folder).resolve() / f"copy-{number}"
        try:
            copy = Copy(root, folder, arguments.unity)
            copy.compile(sorted({entry["test"] for _, entry in entries} & set(copy.tests)))
            while True:
                part, entry = work.get_nowait()
                why = copy.attempt(entry)
                with lock:
                    print(("ok       " if why is None else "SURVIVES ") + entry["invariant"],
                          flush=True)
                    if why is not None:
                        failures.append(f"{part}: {entry['invariant']}\n    {why}")
        except Empty:
            pass
        except (RuntimeError, OSError) as error:
            with lock:
                failures.append(str(error))
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)

    threads = [threading.Thread(target=one_copy, args=(number,)) for number in range(arguments.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("\n".join(failures))
    print(f"{len(entries)} changes tried, {len(failures)} failures")
    return 1 if failures or not entries else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("what", choices=["list", "try"])
    parser.add_argument("root")
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--part", action="append")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--unity")
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    if arguments.what == "list":
        return check_list(Path(arguments.root).resolve())
    return try_all(arguments)


if __name__ == "__main__":
    sys.exit(main())
