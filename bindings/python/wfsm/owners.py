"""Names of engines, and whether the process of a name still exists."""
from __future__ import annotations

import os
import secrets
import socket
import time

from . import _boundary


def session_name() -> str:
    """A name for an engine of this process. No other engine ever has the same name."""
    return f"{socket.gethostname()[:200]}:{os.getpid()}:{time.time_ns()}-{secrets.token_hex(8)}"


def owner_is_dead(owner: str) -> bool:
    """True if this is a name from ``session_name`` on this machine and its process has ended.

    Then ``Store.remove_owner`` lets others take over at once instead of after the lapse.
    A process number that is in use again counts as alive. Then only the lapse frees the owner.

    `owner` is the name, as ``Head.owner`` has it.
    """
    host, _, rest = owner.rpartition(":")[0].rpartition(":")
    if host != socket.gethostname()[:200] or not rest.isdigit():
        return False
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


_boundary.around(globals())
