"""Scripts of ``wfsm verify``, played with the host's own guards and actions."""
from __future__ import annotations

import json
import re
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple, Union

from . import _boundary
from .enums import Interface
from .functions import Functions
from .instance import Instance
from .machine import Machine
from .store import Store, memory

Line = Dict[str, Any]


def _full_id(instance: Instance, name: str) -> str:
    """The id of the invocation that a script calls so: without the part behind the last dash."""
    ids: List[str] = [one["id"] for one in instance.invocations]
    found = [one for one in ids if re.sub(r"-[0-9]+$", "", one) == name]
    return found[0] if found else name


def _vote(instance: Instance, line: Line, now: int) -> None:
    given = line["approve"]
    instance.approve(_full_id(instance, given["invocation"]), by=given["by"],
                     digest=given["digest"], approve=given["decision"] == "approve",
                     reason=given.get("reason"), id=line.get("id"), now=now)


def _answer(instance: Instance, line: Line, now: int) -> None:
    report = {key: line[key] for key in ("usage", "signature") if key in line}
    if "done" in line:
        instance.result(_full_id(instance, line["done"]), line.get("output"), now=now, **report)
    else:
        instance.fail(_full_id(instance, line["failed"]), line.get("class", "other"),
                      line.get("message"), now=now, **report)


def _send(instance: Instance, line: Line, now: int) -> None:
    origin = line.get("origin") or {}
    interface = Interface[f"INTERFACE_{origin.get('interface', 'engine').upper()}"]
    instance.send(line["event"], line.get("data"), id=line.get("id"), interface=interface,
                  sender=origin.get("sender"), now=now)


def _step(instance: Instance, line: Line, now: int) -> None:
    if "event" in line:
        _send(instance, line, now)
    elif "done" in line or "failed" in line:
        _answer(instance, line, now)
    elif "approve" in line:
        _vote(instance, line, now)
    elif "fire" in line:
        instance._fire(now)  # pylint: disable=protected-access
    elif "claim" in line:
        instance.claim(_full_id(instance, line["claim"]), "play", now=now)
    elif "checkpoint" in line:
        instance.checkpoint(line["checkpoint"], now=now)
    elif "restore" in line:
        instance.restore(line["restore"], now=now)
    elif "advance" not in line:
        raise ValueError(f"play does not know the line {json.dumps(line)}")


def play(script: Union[str, Iterable[str]], machine: Machine, *,
         functions: Optional[Functions] = None,
         store: Optional[Store] = None) -> Iterator[Tuple[Line, Instance]]:
    """Plays a case of ``wfsm verify --tests`` or the script of a violation, from virtual time 0, and
    gives each line with the instance as it is after it.

    The answers of guards and actions are those of `functions`: what a line says about them under
    "host" is not used. `store` is one in memory, if none is given.

    `script` is the text of the script, or its lines, and `machine` the one that it was made for.
    """
    instance, now = None, 0
    kept = store if store is not None else memory()
    try:
        for text in script.splitlines() if isinstance(script, str) else script:
            line = json.loads(text)
            now += line.get("advance", 0)
            if instance is None:
                instance = Instance.start(machine, kept, "sim", line["start"], now=now,
                                          functions=functions)
            else:
                _step(instance, line, now)
            yield line, instance
    finally:
        if instance is not None:
            instance.close()
        if store is None:
            kept.close()


_boundary.around(globals())
