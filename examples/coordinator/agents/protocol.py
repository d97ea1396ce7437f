"""What every process agent does: read one invocation, answer once.

The host writes the invocation to the agent's standard input as one JSON object
and reads one JSON object from its standard output. Standard error is the log.
Exit status 0 means that the answer counts, 1 that the agent could not do its
work, 2 that the invocation was not understood.
"""

import json
import os
import sys

MAX_BYTES = 4 * 1024 * 1024


class BadInvocation(Exception):
    """The invocation is not what this agent understands; the text says why."""


class Failure(Exception):
    """The agent understood, but could not do its work; the text says why."""


def log(text):
    print(text, file=sys.stderr, flush=True)


def run(works):
    """Runs an agent: works[mode](invocation) returns the answer. Returns the exit status."""
    try:
        invocation = read_invocation(sys.stdin.buffer, works)
        answer = works[invocation["input"]["mode"]](invocation)
    except BadInvocation as problem:
        log(f"bad invocation: {problem}")
        return 2
    except Failure as problem:
        log(f"failed: {problem}")
        return 1
    json.dump(answer, sys.stdout)
    print(flush=True)
    return 0


def read_invocation(stream, modes):
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise BadInvocation(f"more than {MAX_BYTES} bytes on standard input")
    try:
        invocation = json.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as problem:
        raise BadInvocation(f"standard input is not one JSON object: {problem}") from None
    if not isinstance(invocation, dict):
        raise BadInvocation("standard input is not a JSON object")
    invocation_id = require(invocation, "id", str)
    if os.environ.get("WFSM_INVOCATION_ID", invocation_id) != invocation_id:
        raise BadInvocation("id and WFSM_INVOCATION_ID differ")
    check_input(require(invocation, "input", dict), modes)
    return invocation


def check_input(given, modes):
    if require(given, "mode", str) not in modes:
        expected = " or ".join(f'"{mode}"' for mode in modes)
        raise BadInvocation(f"input.mode: expected {expected}, got \"{given['mode']}\"")
    workspace = require(given, "workspace", str)
    if not os.path.isabs(workspace) or not os.path.isdir(workspace):
        raise BadInvocation(
            f"input.workspace: expected a folder's absolute path, got {workspace}")


def require(holder, key, kind):
    value = holder.get(key)
    if not isinstance(value, kind) or value == "":
        raise BadInvocation(f"{key}: expected {_NAMES[kind]}, got {json.dumps(value)[:80]}")
    return value


_NAMES = {str: "a text that is not empty", dict: "an object", list: "a list"}
