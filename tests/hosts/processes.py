"""Processes that are alive, and such that have a terminal, for the tests of hosts."""
import os
import pty
import subprocess
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


def at_terminal(folder, command, answer, **environment):
    """What is shown at a terminal where this is typed when it asks, and the exit code."""
    here, there = pty.openpty()
    environment = dict(os.environ, LC_ALL="C.UTF-8", TERM="xterm", **environment)
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=there, stdout=there, stderr=there) as process:
        os.close(there)
        out = b""
        try:
            while chunk := os.read(here, 4096):
                out += chunk
                if b"[y/N]" in out and answer:
                    os.write(here, answer)
                    answer = b""
        except OSError:
            pass
        code = process.wait()
    os.close(here)
    return out.decode(), code
