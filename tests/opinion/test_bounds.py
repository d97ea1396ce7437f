"""A search with few states does not contradict one with many.

With few states, `wfsm verify` proves each property alone, and that loops come to an end (doc/verification.md, "One
property at a time"). With many it visits all states.

usage: test_bounds.py WFSM FIRST COUNT [--fairness weak|strong|none] [--show]
"""
import argparse
import json
import sys
from collections import Counter

from command import verify
from counted_charts import counted_document_of

MANY, FEW = "20000", ("2", "6")


def verdicts_of(wfsm, document, states, fairness):
    report = verify(wfsm, document, "--max-states", states, "--bound", "6", "--fairness", fairness)
    return {"as a whole": report["verdict"], **{each["name"]: each["verdict"] for each in report["properties"]}}


def main(arguments):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("wfsm")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--fairness", choices=("weak", "strong", "none"), default="weak")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args(arguments)
    counts = Counter()
    for seed in range(given.first, given.first + given.count):
        document = counted_document_of(seed)
        many = verdicts_of(given.wfsm, document, MANY, given.fairness)
        for states in FEW:
            few = verdicts_of(given.wfsm, document, states, given.fairness)
            for name, verdict in many.items():
                counts[f"{verdict} of many, {few[name]} of few"] += 1
                if {verdict, few[name]} == {"holds", "violated"}:
                    counts["wrong"] += 1
                    print(f"chart {seed}, {given.fairness} fairness: {name}: {verdict} with {MANY} states, "
                          f"{few[name]} with {states}")
                    if given.show:
                        print(json.dumps(document))
    print(dict(counts))
    if counts["holds of many, holds of few"] == 0 or counts["violated of many, undecided of few"] == 0:
        print("nothing was compared")
        return 1
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
