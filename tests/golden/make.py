"""Makes a store that holds everything a store can hold, as SQL text.

usage: make.py OUTPUT.sql      (with WFSM_LIBRARY, WFSM_SQLITE_LIBRARY and PYTHONPATH set)

The text of a released format is read forever and never made again. This program documents what is
in it, and makes the text of the next format. Times and names are fixed, so the text is always the
same.
"""
import logging
import re
import sys
import tempfile
from pathlib import Path

import sql
import wfsm

DEAD = "gone-host/1/1/1"  # an owner of another machine: nobody can ask whether it lives


def assign(**values):
    return {"type": "assign", "params": values}


EVENT = {"var": "event.data"}

TASK = {
    "wfsm": 1, "id": "task", "version": "1", "initial": "build",
    "context": {"brief": "", "answer": None, "rounds": 0, "größe": 1.5},
    "schemas": {"context": {"type": "object", "required": ["brief"]}},
    "restore": {"from": ["build", "test", "stuck"], "event": "was.restored"},
    "budgets": {
        "rounds": {"limit": 9, "counts": {"states": "build"}},
        "attempts": {"limit": 50, "counts": "claims"},
        "tokens": {"limit": 1000},
        "clock": {"limit": 86400000, "counts": "time"},
    },
    "on": {"error.budget.*": ".stuck", "was.restored": {"actions": {
        "type": "log", "params": {"label": "restored"}}}},
    "states": {
        "build": {
            "tags": ["busy"],
            "entry": [assign(rounds={"+": [{"var": "context.rounds"}, 1]}),
                      {"type": "emit", "params": {"event": "building",
                                                  "data": {"var": "context.brief"}}}],
            "invoke": {
                "src": "coder", "input": {"brief": {"var": "context.brief"}},
                "timeoutMs": 60000, "pool": {"priority": "high", "phase": "code"},
                "retry": [{"errors": ["network"], "maxAttempts": 3, "intervalMs": 100}],
                "onDone": {"target": "test", "actions": assign(answer=EVENT)},
                "onError": "stuck",
            },
        },
        "test": {
            "entry": {"type": "raise", "params": {"event": "remind", "delay": 5000,
                                                  "id": "r", "data": [1, "two"]}},
            "exit": {"type": "cancel", "params": {"id": "r"}},
            "invoke": {"src": "tester", "onDone": "passed", "onError": [
                {"guard": {">=": [{"var": "failure.count"}, 3]}, "target": "stuck"},
                {"target": "build"}]},
            "after": {"600000": "stuck"},
            "on": {"remind": {"actions": {"type": "log", "params": {"label": "late"}}}},
        },
        "passed": {"type": "final", "output": {"answer": {"var": "context.answer"}}},
        "stuck": {"tags": ["awaiting_input"], "exit": {"type": "emit",
                                                       "params": {"event": "left"}},
                  "on": {"again": {"target": "build", "actions": {
                      "type": "reset", "params": {"budgets": "tokens", "failures": True}}}}},
    },
}

TASK_2 = {**TASK, "version": "2", "migrate": [
    {"from": "1", "states": {"stuck": "waits"}, "assign": {"migrated": True}}],
    "restore": {"from": ["build", "test", "waits"], "event": "was.restored"},
    "context": {**TASK["context"], "migrated": False},
    "on": {"error.budget.*": ".waits"},
    "states": {**{key: value for key, value in TASK["states"].items() if key != "stuck"},
               "build": {**TASK["states"]["build"], "invoke": {
                   **TASK["states"]["build"]["invoke"], "onError": "waits"}},
               "test": {"after": {"600000": "waits"}},
               "waits": TASK["states"]["stuck"]}}

MANY = {
    "wfsm": 1, "id": "many", "initial": "all", "states": {
        "all": {"invoke": {
            "src": "reader", "items": ["a", "b", "c", "d"], "complete": "settled",
            "maxConcurrency": 3, "onDone": {"target": "end", "actions": {
                "type": "emit", "params": {"event": "read", "data": EVENT}}}}},
        "end": {"type": "final"}},
}

PLANT = {
    "wfsm": 1, "id": "plant", "initial": "runs", "states": {
        "runs": {
            "type": "parallel", "on": {"halt": "halted"}, "onDone": "over",
            "states": {
                "pump": {"initial": "off", "states": {
                    "off": {"on": {"pump": "on"}, "after": {"90000": "on"}},
                    "on": {"initial": "slow", "on": {"stop": "off", "wear": "worn"}, "states": {
                        "slow": {"on": {"faster": "fast"}}, "fast": {}}},
                    "worn": {"type": "final"}}},
                "lamp": {"initial": "dark", "states": {
                    "dark": {"on": {"light": "bright"}},
                    "bright": {"on": {"light": "dark", "wear": "worn"}},
                    "worn": {"type": "final"}}},
                "back": {"type": "history", "history": "deep"},
            }},
        "halted": {"on": {"resume": "runs.back"}},
        "over": {"type": "final", "output": "worn out"}},
}

RELEASE = {
    "wfsm": 1, "id": "release", "initial": "ask", "states": {
        "ask": {"tags": ["awaiting_input"], "after": {"86400000": "dropped"},
                "invoke": {"src": "person", "input": {"what": "Ship it?", "quorum": 2,
                                                      "people": ["ada", "bob", "eve"]},
                           "onDone": "shipped"}},
        "shipped": {"type": "final"}, "dropped": {"type": "final"}},
}

PARENT = {
    "wfsm": 1, "id": "parent", "initial": "waits", "context": {"got": None}, "states": {
        "waits": {"invoke": {"src": "machine:task", "input": {"brief": "of the parent"},
                             "onDone": {"target": "end", "actions": assign(got=EVENT)}}},
        "end": {"type": "final"}},
}

HOSTED = {
    "wfsm": 1, "id": "hosted", "initial": "a", "context": {"n": 0}, "states": {
        "a": {"on": {"go": {"target": "b", "guard": "may", "actions": "count"}}},
        "b": {"on": {"go": {"target": "a", "guard": "may"}, "break": {"actions": "broken"}}}},
}


def functions():
    found = wfsm.Functions()
    found.guard("may")(lambda call: bool(call.event["data"]))
    found.action("count")(lambda call: {"n": call.context["n"] + 1})

    @found.action("broken")
    def broken(call):
        raise RuntimeError("broken on purpose")

    return found


MACHINES = {document["id"]: wfsm.Machine.load(document)
            for document in (TASK, MANY, PLANT, RELEASE, PARENT, HOSTED)}


def start(store, machine, id, input=None, now=1000, **more):
    return wfsm.Instance.start(MACHINES[machine], store, id, input, now=now, **more)


def work(instance):
    """The id of the only work that is owed to it."""
    (found,) = (each["id"] for each in instance.invocations)
    return found


def first_work(instance):
    return instance.invocations[0]["id"]


def name_of(id):
    """A child's id ends in a digest."""
    return re.sub("/[0-9a-f]{16}$", "/child", id)


def tasks(store):
    """One in each stage of its work."""
    start(store, "task", "pending", {"brief": "not begun"})
    running = start(store, "task", "running", {"brief": "at work"})
    running.claim(work(running), DEAD, now=1100)
    retried = start(store, "task", "retried", {"brief": "to be tried again"})
    retried.claim(work(retried), DEAD, now=1100)
    retried.fail(work(retried), "network", "unplugged at 10.0.0.1", usage={"tokens": 7},
                 now=1200)
    tested = start(store, "task", "tested", {"brief": "tests fail 💥"})
    for now in (2000, 3000):
        tested.result(work(tested), {"file": "a.c"}, usage={"tokens": 100}, now=now)
        tested.fail(work(tested), "exit", f"test 7 failed after {now} ms", now=now + 100)
    tested.result(work(tested), {"file": "b.c"}, now=4000)
    stuck = start(store, "task", "stuck")
    stuck.result(work(stuck), "dear", usage={"tokens": 5000}, now=1100)
    passed = start(store, "task", "passed", {"brief": "easy"})
    passed.result(work(passed), "done", now=1100)
    passed.result(work(passed), None, now=1200)
    list(passed.effects())
    stopped = start(store, "task", "stopped")
    stopped.stop(now=1300)


def kept(store):
    """Checkpoints, a restore, a fork of one, and a document of later."""
    one = start(store, "task", "kept", {"brief": "keep me"})
    one.checkpoint("first", ["a.diff", "b/c d.diff"], now=1100)
    one.result(work(one), 1, now=1200)
    one.checkpoint("second", now=1300)
    one.patch({"brief": "changed", "more": {"deep": [None, True]}}, now=1400)
    one.restore("first", now=1500)
    one.checkpoint("gone", now=1600)
    one.delete_checkpoint("gone", now=1700)
    one.fork("forked", "second", now=1800)
    moved = start(store, "task", "migrated")
    moved.fail(work(moved), "auth", "no key", now=1100)
    moved.migrate(wfsm.Machine.load(TASK_2), now=1200)


def shapes(store):
    """Parallel states, a history, items, votes, functions of the host."""
    plant = start(store, "plant", "plant")
    for number, event in enumerate(("pump", "faster", "light", "halt")):
        plant.send(event, {"n": number}, id=f"click-{number}", now=1100 + number)
    ended = start(store, "plant", "worn")
    for event in ("pump", "light", "wear"):
        ended.send(event, now=1200)
    many = start(store, "many", "many")
    first, second, third = [one["id"] for one in many.invocations][:3]
    for item in (first, second, third):
        many.claim(item, DEAD, now=1100)
    many.result(second, {"pages": 3}, now=1200)
    many.fail(third, "exit", "no such file", now=1300)
    start(store, "release", "release")
    hosted = start(store, "hosted", "hosted", functions=functions())
    hosted.send("go", True, now=1100)
    hosted.send("go", False, now=1200)
    hosted.send("break", now=1300)


def long(store):
    """A journal of many records: snapshots, an anchor, and nothing before it."""
    one = start(store, "hosted", "long", functions=functions())
    for number in range(150):
        one.send("go", True, id=f"turn-{number}", now=2000 + number)
    one.close()
    done = store.compact("long", keep=20)
    assert done.dropped > 50, done


def owned(store):
    """What an engine leaves behind that is killed: a parent, its child, and an owner."""
    engine = wfsm.Engine(store, session=DEAD, lapse_ms=1000)
    for name in ("parent", "task"):
        engine.add_machine(MACHINES[name])
    engine.agent("coder")(lambda call: wfsm.LATER)
    engine.start("parent", "parent", now=5000)
    engine.run(now=5000)
    engine.run(now=5001)
    return engine


def posts(store):
    store.post("plant", "resume", {"by": "ada"}, id="post-1", now=6000)
    store.post("pending", "nothing", now=6001)
    asked = wfsm.Instance.load(store, "release").invocations[0]
    store.approve("release", asked["id"], by="ada", digest=asked["digest"], id="vote-1", now=6002)


def main(output):
    logging.disable()  # what fails here fails on purpose
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "golden.db"
        store = wfsm.sqlite(path)
        for part in (tasks, kept, shapes, long, posts):
            part(store)
        engine = owned(store)
        text = sql.dump(path)  # as it is while its owner still has it
        engine.close()
        store.close()
    Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
