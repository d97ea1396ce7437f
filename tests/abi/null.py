"""Every public function with an opaque handle accepts NULL: a call that returns a status answers
INVALID, and a query answers NULL, 0 or what is said here. The length of no text is 0.

usage: null.py INCLUDE LIBRARY...    the libraries in the order in which they need each other
"""
import ctypes
import os
import re
import sys
from pathlib import Path

from parameters import CALL, COMMENT, count

INVALID, NEVER = 2, 2**63 - 1
# What an int32_t that is no status, or a text that is not NULL, is answered with.
ANSWERS = {
    "wfsm_agents_wait": 0,
    "wfsm_call_attempt": 0,
    "wfsm_call_lost": 0,
    "wfsm_engine_can_spawn": 0,
    "wfsm_engine_deadline": NEVER,
    "wfsm_engine_fd": -1,
    "wfsm_engine_free": 0,  # as free()
    "wfsm_engine_idle": 1,
    "wfsm_error_column": 0,
    "wfsm_error_line": 0,
    "wfsm_error_message": b"",
    "wfsm_error_pointer": b"",
    "wfsm_error_set": 0,  # the status that it is given
    "wfsm_error_status": 0,
    "wfsm_instance_blocked": b"",
    "wfsm_instance_deadline": NEVER,
    "wfsm_instance_has_tag": 0,
    "wfsm_instance_in": 0,
    "wfsm_instance_parent": b"",
    "wfsm_instance_status": 0,
    "wfsm_instance_stopped": 0,
    "wfsm_machine_event": -1,
    "wfsm_loop_signal": 0,
    "wfsm_progress_is_terminal": 0,
    "wfsm_progress_is_unicode": 0,
    "wfsm_settings_folder": b"",
    "wfsm_table_has": 0,
    "wfsm_verification_bound": b"",
    "wfsm_verification_verdict": 0,
}
# Their first argument is no handle.
NO_HANDLE = {"wfsm_error_new"}
HANDLE = re.compile(r"(const )?wfsm_\w+ \*\w+")


def functions(headers):
    """(name, result type, number of parameters, index of the length) of every function whose first
    parameter is a handle; the index is that of a query's `size_t *length`, or None."""
    for header in headers:
        text = COMMENT.sub("", header.read_text(encoding="utf-8"))
        for match in CALL.finditer(text):
            name, parameters = match.groups()
            first = " ".join(parameters.split(",")[0].split())
            result = match[0].split(name)[0].removeprefix("WFSM_API").strip()
            if match[0].startswith("WFSM_API") and HANDLE.fullmatch(first):
                total = count(parameters)
                query = "char" in result and parameters.endswith("size_t *length")
                yield name, result, total, total - 1 if query else None


def ctype(result):
    if result == "void":
        return None
    if "*" in result:
        return ctypes.c_char_p if "char" in result else ctypes.c_void_p
    return {"int32_t": ctypes.c_int32, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
            "size_t": ctypes.c_size_t}[result]


def call(function, parameters, length):
    """What it answers to nothing but zeros, and what it writes to the length, as text."""
    arguments = [ctypes.c_void_p(0)] * parameters
    written = ctypes.c_size_t(99)
    if length is not None:
        arguments[length] = ctypes.byref(written)
    told = repr(function(*arguments))
    return told if length is None or written.value == 0 else f"{told} of {written.value} bytes"


def answer(*arguments):
    """What call() returns; None: it crashes, which a process of its own finds out."""
    child = os.fork()
    if not child:
        call(*arguments)
        os._exit(0)
    return call(*arguments) if os.waitpid(child, 0)[1] == 0 else None


def expected(name, result):
    if name in ANSWERS:
        return ANSWERS[name]
    return {"int32_t": INVALID, "int64_t": 0, "uint64_t": 0, "size_t": 0}.get(result)


def main(include, *libraries):
    loaded = [ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL) for path in libraries]
    seen, wrong = set(), []
    for name, result, parameters, length in functions(sorted(Path(include).glob("wfsm/*.h"))):
        function = next((getattr(one, name) for one in loaded if hasattr(one, name)), None)
        if function is None or name in NO_HANDLE:
            continue
        seen.add(name)
        function.restype = ctype(result)
        told = answer(function, parameters, length)
        if told != repr(expected(name, result)):
            wrong.append(f"{name}(NULL): {told or 'crashed'}, not {expected(name, result)!r}")
    print("\n".join(wrong) or f"{len(seen)} functions")
    return 1 if wrong or not seen else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
