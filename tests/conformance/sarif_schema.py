"""SARIF of `wfsm verify` and `wfsm gate` against the schema of SARIF 2.1.0, as an npm package has it.

usage: sarif_schema.py FOLDER WFSM ROOT

FOLDER is where the package is unpacked, once. The documents are cases of tests/cases/verify: with and
without diagnostics, traces and what was not tried; and one with an error. For the gate an instance of an
older document is in the store. outside.py tells what happens without npm or a registry.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import outside

PACKAGE = "@microsoft/jest-sarif@1.0.0-beta.0"
SCHEMA = "lib/schemas/sarif-2.1.0-rtm.5.json"
EVERY = 5
OLD = {"id": "m", "initial": "old", "budgets": {"tokens": {"limit": 1}}, "states": {"old": {"on": {"go": "end"}}, "end": {}}}
BROKEN = '{"id": "m", "initial": "nowhere", "states": {"a": {"on": {"go": "b"}}}}'


def validator(folder):
    try:
        import jsonschema
    except ImportError as problem:
        raise outside.Missing("the Python module jsonschema is not installed") from problem
    schema = json.loads((outside.fetch(PACKAGE, folder) / SCHEMA).read_text(encoding="utf-8"))
    return jsonschema.Draft7Validator(schema)


def documents(root, folder):
    """Their files, and an odd name for one of them."""
    for path in sorted((root / "tests/cases/verify").glob("*.json"))[::EVERY]:
        case = json.loads(path.read_text(encoding="utf-8"))
        file = folder / path.name
        file.write_text(json.dumps(case["document"]), encoding="utf-8")
        yield file
    odd = folder / "a b\"<é>%20#.json"
    odd.write_bytes(file.read_bytes())
    yield odd
    broken = folder / "broken.json"
    broken.write_text(BROKEN, encoding="utf-8")
    yield broken


def store(wfsm, folder):
    made, old = folder / "s.db", folder / "old.json"
    old.write_text(json.dumps(OLD), encoding="utf-8")
    for words in (["store", "init", made], ["start", made, old, "one"], ["send", made, "one", "go"]):
        subprocess.run([wfsm, *map(str, words)], check=True, capture_output=True, timeout=60)
    return made


def problems(check, wfsm, *words):
    """What the schema says of the output, or that there is none."""
    done = subprocess.run([wfsm, *map(str, words)], capture_output=True, text=True, timeout=300)
    if not done.stdout:
        return [] if done.returncode == 2 else [f"exit code {done.returncode}, and nothing printed"]
    return [f"{one.json_path}: {one.message[:200]}" for one in check.iter_errors(json.loads(done.stdout))]


def main(words):
    folder, wfsm, root = Path(words[0]), words[1], Path(words[2])
    try:
        check = validator(folder)
    except outside.Missing as problem:
        return outside.without(problem)
    if not list(check.iter_errors({"version": "2.1.0", "runs": [{"results": []}]})):
        print("FAILED: the schema lets a run without a tool through")
        return 1
    count = failed = 0
    with tempfile.TemporaryDirectory() as place:
        older = store(wfsm, Path(place))
        for file in documents(root, Path(place)):
            for words in (["verify", "--sarif", "--max-states", 2000, file],
                          ["gate", "--sarif", "--time", 5, file, older]):
                found = problems(check, wfsm, *words)
                count += 1
                failed += bool(found)
                for one in found:
                    print(f"FAILED {words[0]} of {file.name}: {one}")
    print(f"\n{PACKAGE}: {count} outputs, {failed} that are not SARIF 2.1.0")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
