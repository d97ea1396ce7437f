"""The documents of tests/cases/verify and tests/cases/opinion, played: the traces of `wfsm verify`
violate what they are said to violate, and no run contradicts it.

usage: test_played.py OPINION KNOWN FOLDER…
  KNOWN  {"cases": [NAME…]}: cases whose runs contradict verify today
"""
import json
import os
import sys
from pathlib import Path

from players import Players
from task import task

RUNS = 200
STATES = 5000
MOST = 120 # seconds for one document: sanitizers are slow
ANY = {"k": "any"}
DATA = {"k": "obj", "f": {name: ANY for name in ("n", "s", "ok", "word", "id")}}


def parts(place):
    """Each object of a document."""
    if isinstance(place, dict):
        yield place
    for each in place.values() if isinstance(place, dict) else place:
        if isinstance(each, (dict, list)):
            yield from parts(each)


def shapes(document):
    """Events that come from outside, which the document does not raise itself."""
    raised = {str(part["params"].get("event")) for part in parts(document)
              if part.get("type") == "raise" and isinstance(part.get("params"), dict)}
    events = {}
    for part in parts(document):
        handled = part.get("on")
        for name in handled if isinstance(handled, dict) else ():
            if not name.startswith("error.") and "*" not in name and name not in raised:
                events[name] = DATA if len(events) % 2 else ANY
    return {"events": events or {"nothing": ANY}, "results": {}}


def is_watched(document):
    """Whether the observer can ask all of its properties, and senders promise nothing."""
    text = json.dumps(document.get("properties", {}))
    return "assume" not in document and '{"in_state": "#' not in text and all(
        isinstance(each.get("times", 0), int) for each in parts(document.get("properties", {})))


def main(opinion, known, *folders):
    known = set(json.loads(Path(known).read_text(encoding="utf-8"))["cases"])
    players = Players(opinion, os.cpu_count(), STATES, 2, MOST)
    asked = []
    for path in sorted(path for folder in folders for path in Path(folder).glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        if not case.get("arguments") and is_watched(case["document"]):
            asked.append((path.stem, task(1, case["document"], shapes(case["document"]), RUNS)))
    failed, found, runs = False, set(), 0
    answers = players.all(made for _, made in asked)
    for (name, _), (_, answer) in zip(asked, answers):
        runs += answer.get("runs", 0)
        for each in answer["contradictions"]:
            found.add(name)
            if name not in known:
                failed = True
                print(f"{name}: {each['what']}: {each['name']}: {json.dumps(each.get('script'))}")
        if "runs" not in answer:
            failed = True
            print(f"{name}: {answer}")
    players.close()
    print(f"{len(asked)} documents, {runs} runs; {len(found)} contradict verify, "
          f"{len(found & known)} of them known")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
