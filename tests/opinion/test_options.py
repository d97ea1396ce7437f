"""What `wfsm verify` says of a document with one option does not contradict what it says with another.

With few states it proves each property alone, and that loops come to an end (doc/verification.md, "One property at a
time"); with many it visits all of them. With other options a document has more runs or fewer: what holds of all of
them is not violated by some of them.

usage: test_options.py WFSM FIRST COUNT [--show]
"""
import json
import sys
from collections import Counter

from command import arguments_of, verify
from counted_charts import counted_document_of

MANY, FEW = ("--max-states", "20000"), ("--max-states", "3")
OPTIONS = {
    "many states": MANY, "few states": FEW, "six states": ("--max-states", "6"),
    "strong fairness": (*MANY, "--fairness", "strong"), "no fairness": (*MANY, "--fairness", "none"),
    "a punctual host": (*MANY, "--punctual"), "a punctual host, few states": (*FEW, "--punctual"),
    "open": (*MANY, "--open"), "restores": (*MANY, "--restores")}
# The runs of the first are among those of the second.
SOME_OF = (("strong fairness", "many states"), ("many states", "no fairness"), ("many states", "restores"))
# Only without what must come: a punctual host and open events change who is waited for.
SOME_WITHOUT_FAIRNESS = (("a punctual host", "many states"), ("many states", "open"))
SAME = (("few states", "many states"), ("six states", "many states"),
        ("a punctual host, few states", "a punctual host"))


def must_come(claim):
    return "within" not in claim.get("leadsTo", {}) and \
        any(kind in claim for kind in ("leadsTo", "until", "atLeast", "exactly"))


def pairs_of(claim):
    """What must not be: the first says violated, and the second holds. Of what shall be reachable, one run is enough."""
    pairs = list(SOME_OF) + ([] if must_come(claim) else list(SOME_WITHOUT_FAIRNESS))
    if "reachable" in claim:
        pairs = [(more, some) for some, more in pairs]
    return pairs + [pair for one, other in SAME for pair in ((one, other), (other, one))]


def contradictions(document, verdicts):
    for name, claim in document["properties"].items():
        for violated, holds in pairs_of(claim):
            if verdicts[violated][name] == "violated" and verdicts[holds][name] == "holds":
                yield f"{name} is violated with {violated}, and holds with {holds}"


def verdicts_of(wfsm, document, options):
    report = verify(wfsm, document, "--bound", "6", *options)
    return {each["name"]: each["verdict"] for each in report["properties"]}


def main(arguments):
    given = arguments_of(__doc__).parse_args(arguments)
    counts = Counter()
    for seed in range(given.first, given.first + given.count):
        document = counted_document_of(seed)
        verdicts = {name: verdicts_of(given.wfsm, document, options) for name, options in OPTIONS.items()}
        for name, said in verdicts.items():
            counts.update(f"{name}: {verdict}" for verdict in said.values())
        for text in contradictions(document, verdicts):
            counts["wrong"] += 1
            print(f"chart {seed}: {text}")
            if given.show:
                print(json.dumps(document))
    print(dict(counts))
    if not all(counts[f"{name}: {verdict}"] for name in OPTIONS for verdict in ("holds", "violated")):
        print("nothing was compared")
        return 1
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
