"""The documents of tests/cases/opinion: small ones, each with a property that a run violates.

A case has the `document`, the `script` of the run (for `wfsm simulate --by-hand`), the properties
that are `violated`, and `fixed`: the parts, by JSON pointer, that close the hole. `item` is what
it is about. `wfsm verify` must find the violation, by a run that can be replayed, and
must find none in the fixed document. What it does not find yet stands in the case:

  known        what verify says instead of "violated"; "not replayed" stands for a violation whose
               run is not a real one
  knownFixed  what it says, of properties of the fixed document that it cannot decide

Such a mark must be true: once the verifier is better, the test fails until the mark is gone.

usage: test_cases.py WFSM FOLDER [--update | --few]
  --update  takes away the marks that are not true any more; it never adds one
  --few     every fifth document
"""
import copy
import json
import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from command import verify, violated_by

BOUNDS = ["--max-states", "20000"]

# Each has a case whose `item` begins so.
ITEMS = [
    "numbers: +", "numbers: -", "numbers: *", "numbers: /", "numbers: %", "numbers: min",
    "numbers: max", "bands of floats", "comparison of two fields: event",
    "comparison of two fields: context", "comparison of two fields: two results",
    "sums over lists", "counts over lists", "some", "all", "none", "filter", "map", "reduce",
    "equality with conversion", "string length", "string containment", "prefix", "substr", "cat",
    "ordering of texts", "any number of constants", "computed keys", "event.id",
    "event.id in properties", "event.type under prefix.*", "event.type under *",
    "event.type under prefix.* in properties", "event.type under * in properties",
    "failure messages", "failure attempts", "a person's votes: who",
    "a person's votes: how many", "a person's votes: three of them", "answers of host guards",
    "patches of host actions", "instance.now", "delays", "pool keys", "exhausted retries",
    "refused budgets: usage", "refused budgets: time", "refused budgets: rounds", "claims",
    "lists longer than two", "objects in lists", "values a schema lets through",
    "a stored value fits its schema",
    *(f"an expression fails: {place}" for place in
      ["assign", "input", "emit", "raise", "pool", "with", "output", "items", "guard"])]


def fix(case):
    document = copy.deepcopy(case["document"])
    for pointer, part in case["fixed"].items():
        *path, last = pointer[1:].split("/")
        place = document
        for key in path:
            place = place[int(key)] if isinstance(place, list) else place[key]
        place[int(last) if isinstance(place, list) else last] = part
    return document


def verdicts(report):
    made_up = {each["property"] for each in report["diagnostics"]
               if each["rule"] == "property" and not each["replayed"]}
    return {each["name"]: "not replayed" if each["name"] in made_up else each["verdict"]
            for each in report["properties"]}


def traces(wfsm, document, report):
    """What is wrong with the runs that the report shows."""
    for number, each in enumerate(report["diagnostics"], 1):
        if each["rule"] != "property" or not each["replayed"] or not each["script"]:
            continue
        if each["property"] not in violated_by(wfsm, document, each["script"]):
            yield f"verify: {each['property']}: the script of diagnostic {number} does not violate it"


def of_document(wfsm, case, marks):
    ran = violated_by(wfsm, case["document"], case["script"])
    if not set(case["violated"]) <= ran:
        yield f"the script violates {sorted(ran)}"
    report = verify(wfsm, case["document"], *BOUNDS)
    yield from traces(wfsm, case["document"], report)
    expected = case.get("known", "violated")
    for name in case["violated"]:
        verdict = verdicts(report)[name]
        if verdict == "violated" and "known" in case:
            marks.append("known")
        if verdict != expected:
            yield f"{name}: verify says {verdict}, expected {expected}"


def of_fixed(wfsm, case, marks):
    document = fix(case)
    ran = violated_by(wfsm, document, case["script"])
    if ran:
        yield f"fixed: the script violates {sorted(ran)}"
    known = case.get("knownFixed", {})
    for name, verdict in verdicts(verify(wfsm, document, *BOUNDS)).items():
        if verdict == "holds" and name in known:
            marks.append("knownFixed")
        if verdict != known.get(name, "holds"):
            yield f"fixed: {name}: verify says {verdict}, expected {known.get(name, 'holds')}"


def check(wfsm, path):
    """What is wrong, and the marks that are not true any more."""
    case = json.loads(path.read_text(encoding="utf-8"))
    marks = []
    try:
        wrong = [*of_document(wfsm, case, marks), *of_fixed(wfsm, case, marks)]
    except ValueError as error:
        wrong = [str(error)]
    return case, wrong, marks


def take_away(path, marks):
    """Leaves the other lines of the file as they are."""
    lines = path.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if not any(line.startswith(f'  "{m}":') for m in marks)]
    lines[-2] = lines[-2].rstrip(",")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(wfsm, folder, *options):
    few = "--few" in options
    paths = sorted(Path(folder).glob("*.json"))[::5 if few else 1]
    counts, items, failed = Counter(), set(), False
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (case, wrong, marks) in zip(paths, pool.map(lambda p: check(wfsm, p), paths)):
            items.add(case["item"])
            counts[f"{case.get('known', 'violated')} instead of violated"
                   if "known" in case else "violated"] += 1
            counts["fixed: undecided" if "knownFixed" in case else "fixed: holds"] += 1
            failed = failed or bool(wrong)
            for each in wrong:
                print(f"{path.name}: {each}")
            for mark in marks:
                print(f"{path.name}: \"{mark}\" is not true any more: take it away, or --update")
            if marks and "--update" in options:
                take_away(path, marks)
    for item in [] if few else ITEMS:
        if not any(each.startswith(item) for each in items):
            failed = True
            print(f"no case is about {item}")
    print(f"{len(paths)} cases; " + "; ".join(f"{k}: {n}" for k, n in sorted(counts.items())))
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
