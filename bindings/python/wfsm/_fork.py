"""Children of os.fork().

Files, connections and the ownership of instances belong to the process that opened them. A child
may use machines and functions, which are only memory; what belongs to a store is left to the
parent, and is neither used nor freed in the child.
"""
from __future__ import annotations

import logging
import os
from typing import Callable, Optional

SENTENCE = ("it belongs to the process that made it, and this is a child of os.fork(): "
            "open what is needed again here")

_forks = 0


def generation() -> int:
    """A number that differs in a child."""
    return _forks


def in_child(function: Callable[[], None]) -> None:
    """Calls the function in every child, before the child continues."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=function)


def end_child(begun: int, exception: Optional[BaseException]) -> None:
    """Ends a child that was forked in a callback, at the end of the callback. If it continued, it
    would continue the parent's call, and write what the parent writes."""
    if begun == _forks:
        return
    if not isinstance(exception, SystemExit):
        logging.getLogger("wfsm").error("a child of os.fork() ends with the callback in which it "
                                        "was forked")
    code = exception.code if isinstance(exception, SystemExit) else 1
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def _count() -> None:
    global _forks  # pylint: disable=global-statement
    _forks += 1


in_child(_count)
