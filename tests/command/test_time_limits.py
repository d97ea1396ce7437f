"""Time limits of properties: `wfsm verify --punctual` of random charts with timers, and runs of `wfsm
simulate --properties`, whose timers are punctual. What holds is violated by no run, and a
counterexample violates it there, too.

usage: test_time_limits.py WFSM FIRST COUNT [RUNS]
"""
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

DELAYS = (1000, 2000, 3000, 5000, 8000)
MOVES = 12


def region(draw, name, events):
    names = [f"{name}{i}" for i in range(draw.randint(2, 4))]
    states = {}
    for one in names:
        states[one] = {"on": {event: target(draw, names) for event in events if draw.random() < .4}}
        if draw.random() < .8:
            states[one]["after"] = {str(draw.choice(DELAYS)): target(draw, names)}
    return {"initial": names[0], "states": states}, names


def target(draw, names):
    return {"target": draw.choice(names), "reenter": draw.random() < .5}


def limit(draw, places):
    rule = {"to": {"in_state": draw.choice(places)},
            "within": {"ms": draw.choice(DELAYS) + draw.choice((0, *DELAYS))}}
    if draw.random() < .8:
        rule["from"] = {"in_state": draw.choice(places)}
    return {"leadsTo": rule}


def chart(seed):
    draw = random.Random(seed)
    regions, places = {}, []
    for name in "ab"[:draw.randint(1, 2)]:
        regions[name], names = region(draw, name, ("x", "y"))
        places += [f"all.{name}.{one}" for one in names]
    properties = {f"p{i}": limit(draw, places) for i in range(3)}
    return {"id": "m", "initial": "all", "properties": properties,
            "states": {"all": {"type": "parallel", "states": regions}}}


def wfsm(command, *arguments, text=None):
    return subprocess.run([command, *map(str, arguments)], input=text, capture_output=True,
                          text=True, timeout=120)


def violated(command, path, lines):
    done = wfsm(command, "simulate", "--properties", path, text="".join(
        json.dumps(line) + "\n" for line in lines))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode in (0, 3) and len(answers) == len(lines) + 1, done
    return {name for answer in answers for name in answer["properties"]["violated"]}


def random_run(draw):
    lines = []
    for _ in range(MOVES):
        lines.append({"advance": draw.choice((1, *DELAYS)) - draw.choice((0, 0, 1))})
        lines.append({"event": draw.choice("xy")})
    return lines[:-1]


def by_itself(script):
    """Without what begins and fires by itself."""
    lines = [json.loads(line) for line in script.splitlines()]
    return [line for line in lines if "start" not in line and "fire" not in line]


def check(command, path, seed, runs):
    path.write_text(json.dumps(chart(seed)), "utf-8")
    report = json.loads(wfsm(command, "verify", "--json", "--punctual", path).stdout)
    verdicts = {one["name"]: one["verdict"] for one in report["properties"]}
    assert "undecided" not in verdicts.values(), (seed, report["bound"])
    for found in report["diagnostics"]:
        if found["rule"] == "property":
            assert found["replayed"], seed
            assert found["property"] in violated(command, path, by_itself(found["script"])), \
                (seed, found)
    draw = random.Random(seed)
    for _ in range(runs):
        lines = random_run(draw)
        for name in violated(command, path, lines):
            assert verdicts[name] == "violated", (seed, name, lines)
    return list(verdicts.values())


def main(command, first, count, runs="3"):
    verdicts = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(first), int(first) + int(count)):
            verdicts += check(command, Path(folder) / "m.json", seed, int(runs))
    print({verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts))})
    assert verdicts.count("holds") > len(verdicts) / 10
    assert verdicts.count("violated") > len(verdicts) / 10


if __name__ == "__main__":
    main(*sys.argv[1:])
