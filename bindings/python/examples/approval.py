"""A text is written by an agent and approved by a person.

    approval.py run tasks.db TOPIC        write, wait for a person, publish
    approval.py approve tasks.db NAME     from another terminal
    approval.py reject tasks.db NAME REMARK

Kill `run` whenever you like and start it again: it continues where it was.
"""
import getpass
import sys
import time
from pathlib import Path

import wfsm

TASK = "text-1"


def engine_on(store):
    engine = wfsm.Engine(store)
    engine.add_machine(wfsm.Machine.load(Path(__file__).with_name("approval.json")))

    @engine.guard("is-editor")
    def is_editor(call):
        return call.event["data"]["by"] in call.context["editors"]

    @engine.agent("writer")
    def write(call):
        say(f"writing, attempt {call.attempt} of {call.id}")
        time.sleep(1)  # a model would think here
        remarks = "".join(f", {remark}" for remark in call.input["remarks"])
        return {"text": f"On {call.input['topic']}{remarks}."}

    @engine.on_diagnostic
    def complain(diagnostic, call):
        print(wfsm.escape_text(diagnostic["message"]), file=sys.stderr, flush=True)

    @engine.on_effect
    def publish(effect, call):
        say(f"published: {effect.data['text']}")

    return engine


def say(text):
    print(wfsm.escape_text(text), flush=True)  # it has what an agent or a person wrote


def task_of(engine, store, topic):
    """The stored task, taken over from a process that has ended; or a new one."""
    try:
        owner = store.head(TASK).owner
    except wfsm.NotFound:
        return engine.start("approval", TASK, {"topic": topic})
    if wfsm.owner_is_dead(owner):
        store.remove_owner(owner)
    return engine.adopt(TASK)


def run(store, topic):
    with engine_on(store) as engine:
        task = task_of(engine, store, topic)
        engine.run_until(lambda: task.done or task.has_tag("awaiting_input"))
        if not task.done:
            say(f"waiting for approval of: {task.context['text']}")
        engine.run_until(lambda: task.done)
        say(f"the end: {task.configuration[0]}")


def main(command, path, *words):
    with wfsm.sqlite(path) as store:
        if command == "run":
            run(store, words[0] if words else "nothing")
        else:
            store.post(TASK, command, dict(zip(("by", "remark"), words)),
                       interface=wfsm.Interface.INTERFACE_COMMAND, sender=getpass.getuser())


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("run", "approve", "reject"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
