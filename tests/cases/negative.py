"""The negative cases: tables of the seeds as they were published, and mutations of shipped
documents. `wfsm verify` must report each, with a trace that replays (see negative/README.md).

usage: negative.py WFSM ROOT CASES.json… [--part K/N]
"""
import copy
import json
import subprocess
import sys
import tempfile
from pathlib import Path

# Enough for everything but runs without end, which are found long before.
STATES = 60000


def tokens(pointer):
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def place(document, pointer):
    """What holds the place, and the place in it."""
    *way, last = tokens(pointer)
    for key in way:
        document = document[int(key)] if isinstance(document, list) else document[key]
    return document, int(last) if isinstance(document, list) else last


def remove(document, pointer):
    holder, key = place(document, pointer)
    return holder.pop(key)


def add(document, pointer, value):
    holder, key = place(document, pointer)
    if isinstance(holder, list):
        holder.insert(key, value)
    else:
        holder[key] = value


def patched(document, patch):
    """As JSON Patch, as far as it is needed here."""
    document = copy.deepcopy(document)
    for step in patch:
        if step["op"] == "remove":
            remove(document, step["path"])
        elif step["op"] == "replace":
            holder, key = place(document, step["path"])
            holder[key]  # it must be there
            holder[key] = step["value"]
        elif step["op"] == "move":
            add(document, step["path"], remove(document, step["from"]))
        else:
            add(document, step["path"], step["value"])
    return document


def said(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    try:
        return json.loads(done.stdout), done.returncode
    except ValueError:
        raise RuntimeError(f"{command}: {done.returncode} {done.stderr}") from None


def verify(wfsm, path, case):
    command = [wfsm, "verify", "--json", "--max-states",
               str(case.get("states", STATES)), str(path)]
    for start in case.get("start", []):
        command += ["--input", json.dumps(start)]
    return said(command + (["--open"] if case.get("open") else []))


def property_problems(name, found, wfsm, path):
    verdict = next(each for each in found["properties"] if each["name"] == name)
    if verdict["verdict"] != "violated":
        return [f"{name}: {verdict['verdict']}"]
    if verdict["kind"] == "reachable":
        return []
    ways = [each for each in found["diagnostics"] if each["property"] == name]
    if not any(each["replayed"] and each["steps"] >= 0 for each in ways):
        return [f"{name}: no way that replays, {[each['trace'] for each in ways]}"]
    return replay_problems(name, verdict["kind"], ways[0], wfsm, path)


def replay_problems(name, kind, way, wfsm, path):
    """`wfsm simulate` comes to the same end, and says what is violated, or waits for ever."""
    done = subprocess.run([wfsm, "simulate", "--by-hand", "--properties", str(path)],
                          input=way["script"], capture_output=True, text=True, timeout=600)
    if done.returncode not in (0, 3):
        return [f"{name}: simulate: {done.stderr}"]
    last = json.loads(done.stdout.splitlines()[-1])["properties"]
    key = "pending" if kind == "leadsTo" else "violated"
    return [] if name in last[key] else [f"{name}: simulate ends with {last}"]


def check_problems(wfsm, path, case):
    if "check" not in case:
        return []
    found, _ = said([wfsm, "check", "--json", str(path)])
    rules = {each["rule"] for each in found}
    return [] if case["check"] in rules else [f"check finds {rules}, not {case['check']}"]


def problems(wfsm, root, case):
    document = json.loads((root / case["document"]).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "document.json"
        path.write_text(json.dumps(patched(document, case.get("patch", []))), encoding="utf-8")
        found, code = verify(wfsm, path, case)
        wrong = check_problems(wfsm, path, case)
        for name in case.get("properties", [case.get("property")]):
            wrong += property_problems(name, found, wfsm, path)
    if code != 1:
        wrong.append(f"exit code {code}")
    for rule in case.get("rules", []):
        if rule not in {each["rule"] for each in found["diagnostics"]}:
            wrong.append(f"{rule} is not found")
    return wrong


def main(wfsm, root, *files):
    part, of = 0, 1
    if files[-2] == "--part":
        part, of = (int(word) for word in files[-1].split("/"))
        files = files[:-2]
    cases = [case for name in files for case in json.loads(Path(name).read_text("utf-8"))]
    failed = 0
    for case in cases[part::of]:
        try:
            found = problems(wfsm, Path(root), case)
        except (KeyError, IndexError) as missing:
            found = [f"its document has changed: there is no {missing} any more"]
        for wrong in found:
            failed += 1
            print(f"{case['name']}: {wrong}")
    print(f"{len(cases[part::of])} cases, {failed} problems")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
