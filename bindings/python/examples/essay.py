"""Two agents and a file: essay.py MACHINE.json STORE.db. You may kill it at any moment. When it
is started again, it continues where it was."""
import sys

import wfsm

times = 0


def main(document, path):
    with wfsm.sqlite(path) as store, wfsm.Engine(store) as engine:
        engine.add_machine(wfsm.Machine.load(open(document, encoding="utf-8").read()))

        @engine.agent("writer")
        def write(call):
            print("writing:", call.input)
            return {"text": f"On {call.input['topic']}."}

        @engine.agent("reader")
        def read(call):
            global times
            times += 1
            print("reading:", call.input)
            if times == 1:
                return {"verdict": "bad", "remark": "why?"}
            return {"verdict": "good"}

        try:
            essay = engine.adopt("essay-1")
        except wfsm.NotFound:
            essay = engine.start("essay", "essay-1", {"topic": "state machines"})
        engine.run_until(lambda: essay.done)
        print(essay.configuration)


main(*sys.argv[1:])
