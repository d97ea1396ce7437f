"""All of tests/cases in the WebAssembly build, under node. Runs of the command there are repeated with the native
build, and both must print the same bytes and end with the same code: all of them, but of the cases in tests/cases/negative
every third, because they take minutes.

usage: cases.py FOLDER NATIVE

  FOLDER  what scripts/playground --test builds
  NATIVE  wfsm-playground of this machine

What the runners of tests/cases expect is expected here, too: the unit tests that read them are compiled for
WebAssembly, and the Python runners are called as they are, with another way to start the command.
"""
import contextlib
import importlib.util
import io
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CASES = ROOT / "tests/cases"
# Numbers of a verification that are bytes of this machine's pointers.
MACHINE = re.compile(rb'^  "(memory|keyBytes)": \d+,\n', re.M)
# What the command does not do in a page, and why.
DECLINED = {"--tests": "writes files", "--output": "writes a file", "--watch": "waits for a file"}
# Not the machine: what tests/cases has for others than the library and these commands.
ELSEWHERE = {"verify --tests (test_verify, test_verify_agrees)": "writes files",
             "verify --watch (test_verify_watch)": "waits for a file",
             "the opinion program (opinion_played, opinion_random)": "a program of its own",
             "random walks and SPIN (walk)": "other programs judge there"}


class Wasm:
    """Stands in for the module subprocess: runs the command in WebAssembly, and natively."""

    def __init__(self, folder, native):
        self.native, self.runs, self.differences = native, 0, []
        self.idle, self.processes = queue.Queue(), []
        wasi = folder / "wasi.mjs"
        shutil.copy(ROOT / "cmd/playground/wasi.js", wasi)
        for _ in range(os.cpu_count() or 1):
            one = subprocess.Popen(["node", HERE / "serve.mjs", folder / "wfsm.wasm", wasi],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.processes.append(one)
            self.idle.put(one)

    def close(self):
        for one in self.processes:
            one.stdin.close()
            one.wait(600)
            one.stdout.close()

    def ask(self, args, text):
        one = self.idle.get()
        try:
            one.stdin.write(json.dumps({"args": args, "input": text}).encode() + b"\n")
            one.stdin.flush()
            answer = json.loads(one.stdout.readline())
        finally:
            self.idle.put(one)
        return answer

    def alone(self, command, input=None, text=False, **_):
        return self.run(command, input, text, compare=False)

    def run(self, command, input=None, text=False, compare=True, **_):
        args = [str(one) for one in command[1:]]
        assert not DECLINED.keys() & set(args), args
        given = input or ""
        answer = self.ask(args, given if isinstance(given, str) else given.decode())
        out, err = answer["out"].encode(), answer["err"].encode()
        if compare:
            self.compare(args, given, out, err, answer["code"])
        out, err = (out.decode(), err.decode()) if text else (out, err)
        return subprocess.CompletedProcess(command, answer["code"], out, err)

    def compare(self, args, given, out, err, code):
        done = subprocess.run([self.native, *args], input=given.encode() if isinstance(given, str) else given,
                              capture_output=True, timeout=600)
        self.runs += 1
        if (MACHINE.sub(b"", out), err, code) != (MACHINE.sub(b"", done.stdout), done.stderr, done.returncode):
            self.differences.append(f"{args}: natively {done.returncode}, here {code}: {err.decode()[:300]}")


def load(path):
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def unit_tests(folder):
    """The C programs: name to (fine, what it printed)."""
    sys.path.insert(0, str(ROOT / "cmd/playground"))
    from build import TESTS

    def run(name):
        arguments = ["/tests/cases/hostile"] if name == "instance_hostile_steps" else []
        done = subprocess.run(["node", HERE / "unit.mjs", folder / f"{name}.wasm", folder / "wasi.mjs", ROOT, *arguments],
                              capture_output=True, text=True, timeout=900)
        found = re.search(r"^(\d+) Tests (\d+) Failures (\d+) Ignored", done.stdout, re.M)
        return done.returncode == 0 and found and found[2] == found[3] == "0", done.stdout + done.stderr
    # The longest first.
    names = sorted(TESTS, key=lambda name: (name not in ("verify_cases", "instance_hostile_steps"), name))
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return dict(zip(names, pool.map(run, names)))


def negative(wasm):
    compared, others = load(CASES / "negative.py"), load(CASES / "negative.py")
    compared.subprocess, others.subprocess = wasm, SimpleNamespace(run=wasm.alone)
    files = [CASES / "negative" / f"{name}.json" for name in ("tables", "mutations", "hosts", "agentd")]
    cases = [case for name in files for case in json.loads(name.read_text("utf-8"))]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        found = list(pool.map(lambda one: (others if one[0] % 3 else compared).problems("wfsm", ROOT, one[1]), enumerate(cases)))
    return len(cases), [f"{case['name']}: {one}" for case, wrong in zip(cases, found) for one in wrong]


def opinion(wasm):
    module = load(ROOT / "tests/opinion/test_cases.py")
    sys.modules["command"].subprocess = wasm
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        failed = module.main("wfsm", CASES / "opinion")
    return len(list((CASES / "opinion").glob("*.json"))), [printed.getvalue()] if failed else []


def verified(wasm):
    module = load(ROOT / "tests/command/test_verify.py")
    module.subprocess, module.WFSM, module.ROOT = wasm, "wfsm", ROOT
    suite = unittest.TestSuite([module.Verify("test_cases"), module.Verify("test_a_time_limit_is_exceeded_in_the_simulation")])
    printed = io.StringIO()
    result = unittest.TextTestRunner(stream=printed).run(suite)
    return len(list((CASES / "verify").glob("*.json"))), [] if result.wasSuccessful() else [printed.getvalue()]


def documents():
    """Every machine document of tests/cases."""
    for path in sorted(CASES.rglob("*.json")):
        text = path.read_text(encoding="utf-8")
        if path.parent.name in ("machine", "negative"):  # some are no JSON
            yield path.stem, text
            continue
        value = json.loads(text)
        if isinstance(value, dict):
            for key in {"document", "machine"} & value.keys():
                yield path.stem, json.dumps(value[key], ensure_ascii=False)


def drawn(wasm, folder):
    """check, chart and graph of every document: that both builds say the same, whatever it is."""
    named = list(documents())
    with tempfile.TemporaryDirectory() as place:
        def run(item):
            number, (name, text) = item
            path = Path(place) / f"{number}-{name}.json"
            path.write_text(text, encoding="utf-8")
            for args in (["check", "--json"], ["chart"], ["graph", "--format", "dot"]):
                wasm.run(["wfsm", *args, path])
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(run, enumerate(named)))
    return len(named), []


def count(path):
    return sum(isinstance(one, dict) for one in json.loads(path.read_text(encoding="utf-8")))


def main(folder, native):
    folder, failed, wrong, sums = Path(folder).resolve(), 0, [], {}
    wasm = Wasm(folder, Path(native).resolve())
    units = unit_tests(folder)
    print(f"unit tests: {', '.join(units)}", flush=True)
    for name, (fine, printed) in units.items():
        if not fine:
            wrong.append(f"{name}: {printed[-2000:]}")
    sums["logic"] = sum(count(path) for path in (CASES / "logic").glob("*.json"))
    sums["machine"] = len(list((CASES / "machine").glob("*.json")))
    sums["hostile"] = len(list((CASES / "hostile").glob("*.json")))
    sums["solve"] = count(CASES / "solve/solve.json")
    for name, run in {"negative": negative, "opinion": opinion, "verify": verified}.items():
        sums[name], found = run(wasm)
        wrong += found
        print(f"{name}: {sums[name]} cases", flush=True)
    pages, _ = drawn(wasm, folder)
    wasm.close()
    for one in wrong + wasm.differences:
        failed += 1
        print(one)
    print(f"{len(units)} programs of unit tests; {wasm.runs} runs of the command compared with the native build, {len(wasm.differences)} differ; "
          f"{pages} documents checked and drawn")
    for what, why in ELSEWHERE.items():
        print(f"not here: {what}: {why}")
    print(f"{sum(sums.values())} cases in WebAssembly ({', '.join(f'{name} {number}' for name, number in sums.items())}), "
          f"{failed} problems, {len(ELSEWHERE)} runners not here")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
