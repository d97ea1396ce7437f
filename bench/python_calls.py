#!/usr/bin/env python3
"""How much longer a call of the Python package takes than the same call of the C library.

usage: python_calls.py [--help]

A line is the name of a call, its microseconds from Python, those of the C function with arguments that are
ready, and the difference. Each figure is the least of 40 rounds of 400 calls. PYTHONPATH names the package,
and WFSM_LIBRARY the library.

Exit codes: 0 fine; 1 a call takes 10 microseconds more, or longer; 2 wrong arguments.
"""
import ctypes
import sys
import time

ROUNDS, CALLS, MOST = 40, 400, 10
SWITCH = {"id": "switch", "initial": "off", "states": {"off": {"on": {"go": "on"}},
                                                       "on": {"on": {"go": "off"}}}}


def least(call):
    found = float("inf")
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        for _ in range(CALLS):
            call()
        found = min(found, time.perf_counter() - begun)
    return found / CALLS * 1e6


def pairs(wfsm):
    """(name, call of Python, the same call of C)."""
    from wfsm import _ffi, _text
    lib, engine = _ffi.lib, wfsm.Engine(wfsm.memory())
    engine.add_machine(wfsm.Machine.load(SWITCH))
    task = wfsm.Instance.start(wfsm.Machine.load(SWITCH), wfsm.memory(), "task")
    driven = engine.start("switch", "task")
    event, outcome = _text.event("go", None), ctypes.byref(_ffi.i32())
    error, length = lib.wfsm_error_new(None), ctypes.byref(_ffi.size())
    sent, pointer, drives = ctypes.byref(event), task._pointer(), engine._pointer()
    time_of = wfsm.now() + 1000
    yield ("Instance.send", lambda: task.send("go"),
           lambda: lib.wfsm_instance_send(pointer, sent, time_of, outcome, error))
    yield ("EngineInstance.send", lambda: driven.send("go"),
           lambda: lib.wfsm_engine_send_event(drives, b"task", sent, time_of, outcome, error))
    yield ("Instance.revision", lambda: task.revision, lambda: lib.wfsm_instance_revision(pointer))
    yield ("Instance.in_state", lambda: task.in_state("on"),
           lambda: lib.wfsm_instance_in(pointer, b"on"))
    yield ("Instance.configuration", lambda: task.configuration,
           lambda: lib.wfsm_instance_configuration(pointer, length))
    yield ("Instance.context", lambda: task.context,
           lambda: lib.wfsm_instance_context(pointer, length))


def main():
    if sys.argv[1:] in (["--help"], ["-h"]):
        print(__doc__)
        return 0
    if sys.argv[1:]:
        print("python_calls.py takes no arguments: see --help", file=sys.stderr)
        return 2
    import wfsm
    nothing = least(lambda: wfsm._ffi.lib.wfsm_instance_revision(None))  # ctypes' own part
    slow = 0
    print(f"CPython {sys.version.split()[0]}; a call by ctypes alone takes {nothing:.2f}")
    print(f"{'call':24}{'Python':>8}{'C':>8}{'more':>8}")
    for name, call, plain in pairs(wfsm):
        whole, c = least(call), max(least(plain) - nothing, 0)
        slow += whole - c >= MOST
        print(f"{name:24}{whole:8.2f}{c:8.2f}{whole - c:8.2f}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
