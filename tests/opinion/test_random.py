"""Generated documents: no run contradicts `wfsm verify`, and each violation that it shows is real.

A run must not violate what holds, enter a state that is never entered, or take a transition that is
never taken. A document is named by its seed, which makes the same document and the same runs again.

usage: test_random.py WFSM OPINION FIRST COUNT [--runs N] [--seconds S] [--known FILE] [--write FOLDER]
  --runs N        runs of each document at most; 300. There are none where verify claims nothing that a
                  run could contradict, and they end when none sees anything new
  --all           runs of all documents, to count the violations that verify leaves undecided
  --seconds S     processor time of each verification; what is not decided then is undecided
  --known FILE    {"seeds": […]}, documents that contradict verify today. They may, others must not
  --write FOLDER  writes each contradiction, shrunk, as a file in the form of tests/cases/opinion
  --update        writes the seeds of the contradictions to FILE, for the documents that are asked
"""
import argparse
import json
import os
import sys
from collections import Counter
from pathlib import Path

from command import violated_by
from documents import Document
from players import Players
from shrink import Shrink
from task import task

STATES = 500
MOST = 3 # seconds of processor time for one document


def tasks(first, count, runs, all_):
    for seed in range(first, first + count):
        made = Document(seed)
        yield {**task(seed, made.document, made.shapes, runs, punctual=made.punctual), "all": all_}


def confirmed(wfsm, document, contradiction):
    """`wfsm simulate` must see the same: otherwise it, or this test, is wrong about properties."""
    script = contradiction.get("script")
    if contradiction["what"] != "holds" or not script:
        return True
    try:
        return contradiction["name"] in violated_by(wfsm, document, script)
    except ValueError as error: # it does not read the script
        print(error)
        return False


def write(folder, wfsm, players, done, contradiction):
    document, left = Shrink(players, done, contradiction).run()
    name = f"{done['seed']}-{contradiction['what'].replace(' ', '-')}-{len(os.listdir(folder))}"
    made = {"item": "random", "about": f"document {done['seed']}: {left['what']}: {left['name']}",
            "document": document, "script": left.get("script"), "violated": [left["name"]],
            "simulate": "agrees" if confirmed(wfsm, document, left) else "does not agree"}
    Path(folder, name + ".json").write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n",
                                            encoding="utf-8")


class Tally:
    def __init__(self, arguments, players):
        self.arguments, self.players = arguments, players
        self.verdicts, self.properties, self.wrong = Counter(), Counter(), Counter()
        self.refuted = Counter() # what verify says of the properties that a run shows the truth of
        self.seeds, self.runs, self.failed = [], 0, False
        self.marks = {"seeds": []}
        if arguments.known:
            self.marks = json.loads(Path(arguments.known).read_text(encoding="utf-8"))
        self.known = set(self.marks["seeds"])

    def add(self, done, answer):
        self.runs += answer.get("runs", 0)
        other = next((key for key in ("died", "slow", "refused") if key in answer), "")
        self.verdicts[other or answer["verdict"]] += 1
        self.properties.update(answer.get("properties", {}).values())
        self.refuted.update(answer["properties"][name] for name in answer.get("seen", ()))
        if "died" in answer:
            self.failed = True
            print(f"document {done['seed']}: the program ends with {answer['died']}")
        for each in answer["contradictions"]:
            self.contradicted(done, each)
        if answer["contradictions"]:
            self.seeds.append(done["seed"])

    def contradicted(self, done, each):
        self.wrong[each["what"]] += 1
        new = done["seed"] not in self.known
        if not confirmed(self.arguments.wfsm, done["document"], each):
            self.wrong["simulate does not agree"] += 1
            new = True
            print(f"document {done['seed']}: {each['name']}: simulate does not agree")
        if new:
            self.failed = True
            print(f"document {done['seed']}: {each['what']}: {each['name']}: "
                  f"{json.dumps(each.get('script'), ensure_ascii=False)}")
        if self.arguments.write:
            write(self.arguments.write, self.arguments.wfsm, self.players, done, each)

    def report(self):
        print(f"{sum(self.verdicts.values())} documents, {dict(self.verdicts)}; {self.runs} runs; "
              f"properties {dict(self.properties)}, {dict(self.refuted)} of them seen in a run; "
              f"contradictions {dict(self.wrong)} in "
              f"{len(self.seeds)} documents, of which "
              f"{len(self.known & set(self.seeds))} were known")


def parse(arguments):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("wfsm")
    parser.add_argument("opinion")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--known")
    parser.add_argument("--write")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--update", action="store_true")
    return parser.parse_args(arguments)


def main(arguments):
    arguments = parse(arguments)
    players = Players(arguments.opinion, os.cpu_count(), STATES, arguments.seconds, MOST)
    writers = Players(arguments.opinion, 1, STATES, arguments.seconds, MOST) if arguments.write else None
    if arguments.write:
        os.makedirs(arguments.write, exist_ok=True)
    tally = Tally(arguments, writers)
    for number, (done, answer) in enumerate(
            players.all(tasks(arguments.first, arguments.count, arguments.runs, arguments.all)), 1):
        tally.add(done, answer)
        if number % 1000 == 0:
            tally.report()
            sys.stdout.flush()
    tally.report()
    players.close()
    if writers:
        writers.close()
    if arguments.update:
        asked = range(arguments.first, arguments.first + arguments.count)
        seeds = sorted({*tally.seeds, *(seed for seed in tally.known if seed not in asked)})
        Path(arguments.known).write_text(json.dumps({**tally.marks, "seeds": seeds}) + "\n", encoding="utf-8")
    return tally.failed and not arguments.update


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
