"""Converts between Python's values and the library's text."""
from __future__ import annotations

import ctypes
import json
import os
import time
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, Union

from . import _ffi, _values
from .enums import Decision

# The clock of ``wfsm.testing.Clock`` while one is in use.
simulated: Optional[Callable[[], int]] = None

# json.dumps makes a new one at each call.
_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_values.plain)


def encode(value: Any) -> bytes:
    """JSON text. Raises TypeError or ValueError for a value that JSON does not have."""
    return _encoder.encode(value).encode("utf-8")


def decode(pointer: Optional[int], length: int,
           hook: Optional[Callable[[Dict[str, Any]], Any]] = None) -> Any:
    """The value of JSON text in the library's memory; None when there is none. `hook` makes
    objects."""
    if not pointer:
        return None
    return json.loads(ctypes.string_at(pointer, length), object_hook=hook)


def name(value: str, what: str = "name") -> bytes:
    """Checks a name or id. C would silently cut it at a NUL."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be str, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"{what} must not contain a NUL")
    return value.encode("utf-8")


def optional(value: Optional[str], what: str = "name") -> Optional[bytes]:
    return None if value is None else name(value, what)


def origin(checkpoint: Optional[str], latest: bool, revision: Optional[int], interface: int = 0,
           sender: Optional[str] = None) -> Any:
    """Where a restore or a fork begins, and who asks for it; None: nothing is given."""
    if (checkpoint is not None) + bool(latest) + (revision is not None) > 1:
        raise ValueError("either a checkpoint, or the latest, or a revision")
    if checkpoint == "":
        raise ValueError("a checkpoint's id is not empty")
    point = _ffi.RestorePoint(checkpoint=b"" if latest else optional(checkpoint), interface=interface,
                              sender=optional(sender, "sender"))
    if revision is not None:
        point.revision = number(revision, "revision")
        if revision == 0 and (interface or sender is not None):
            raise ValueError("a revision is from 1")
    elif checkpoint is None and not latest and not interface and sender is None:
        return None
    return ctypes.byref(point)


def count(value: int) -> int:
    """Checks a whole number. ctypes would silently cut a larger one."""
    if not isinstance(value, int):
        raise TypeError(f"expected a whole number, not {type(value).__name__}")
    if not 0 <= value <= 2**53:
        raise ValueError("expected a whole number from 0 to 2**53")
    return value


def report(usage: Optional[Mapping[str, int]], signature: Optional[str],
           retry_after: int) -> "_ffi.Report":
    """The details of an answer, as a wfsm_report."""
    json = None if usage is None else encode(dict(usage))
    return _ffi.Report(usage=json, usage_length=len(json or b""),
                       signature=optional(signature), retry_after=count(retry_after))


def event(name_: str, data: Any, id: Optional[str] = None, interface: int = 0,
          sender: Optional[str] = None) -> "_ffi.Event":
    json = encode(data)
    return _ffi.Event(name=name(name_), id=optional(id), data=json, length=len(json),
                      interface=interface, sender=optional(sender, "sender"))


# The first field is the structure's size.
LIMITS: Tuple[str, ...] = tuple(field[0] for field in _ffi.StepLimits._fields_[1:])


def limits(given: Optional[Mapping[str, int]]) -> Any:
    """Limits of a step, by name; None when there are none."""
    if given is None:
        return None
    for key, value in given.items():
        if key not in LIMITS:
            raise ValueError(f"there is no limit {key!r}")
        if not 1 <= value < 2**32:
            raise ValueError(f"{key} must be from 1 to 2**32 - 1, not {value}")
    return ctypes.pointer(_ffi.StepLimits(**given))


def plain(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode("utf-8", "replace")


def answer(function: Any, pointer: Any,
           hook: Optional[Callable[[Dict[str, Any]], Any]] = None) -> Any:
    """The value of a function that returns JSON text with a length. None: the text is empty."""
    length = _ffi.size()
    text = function(pointer, ctypes.byref(length))
    return decode(text, length.value, hook) if length.value else None


def now() -> int:
    """The time in milliseconds, as the library counts it."""
    if simulated is not None:
        return simulated()
    return time.time_ns() // 1_000_000


def path(value: Union[str, "os.PathLike[str]"]) -> bytes:
    """The name of a file. C would silently cut it at a NUL."""
    made = os.fsencode(value)
    if b"\0" in made:
        raise ValueError("path must not contain a NUL")
    return made


def time_or_now(value: Optional[int]) -> int:
    return now() if value is None else number(value, "now")


def number(value: int, what: str) -> int:
    """Checks a time. ctypes would silently wrap a larger one."""
    if not isinstance(value, int):
        raise TypeError(f"{what} must be int, not {type(value).__name__}")
    if not 0 <= value <= _ffi.NEVER:
        raise ValueError(f"{what} must be between 0 and 2**63 - 1, not {value}")
    return value


def deadline(value: int) -> Optional[int]:
    return None if value == _ffi.NEVER else value


def approval(instance: Optional[str], invocation: str, by: str, digest: str, approve: bool,
             reason: Optional[str], id: Optional[str] = None, interface: int = 0,
             sender: Optional[str] = None, signed: Any = None) -> "_ffi.Approval":
    """The vote of a person, as a wfsm_approval; `signed` is a wfsm.Signed."""
    at, key, signature = signed or (0, None, None)
    return _ffi.Approval(
        instance=optional(instance), invocation=name(invocation, "invocation"),
        by=name(by, "by"), digest=name(digest, "digest"),
        decision=Decision.APPROVE if approve else Decision.REJECT,
        reason=optional(reason, "reason"), id=optional(id, "id"), interface=interface,
        sender=optional(sender, "sender"), signed_at=number(at, "signed.at"),
        key=optional(key, "signed.key"), signature=optional(signature, "signed.signature"))
