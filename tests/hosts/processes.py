"""Whether processes are alive, for the tests of hosts."""
import time
from pathlib import Path


def is_alive(pid):
    """A zombie, which has ended and waits for its parent, is not alive."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def ends(pid):
    """True if the process has ended or soon will."""
    for _ in range(3000):
        if not is_alive(pid):
            return True
        time.sleep(0.02)
    return False
