"""For the tests of hosts: whether processes are alive, and what they show at a terminal."""
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
    """What a command shows at a terminal, and its exit code. When it asks, the answer is typed; a
    number is sent as a signal."""
    here, there = pty.openpty()
    inherited = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment = {**inherited, "LC_ALL": "C.UTF-8", "TERM": "xterm", **environment}
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=there, stdout=there, stderr=there) as process:
        os.close(there)
        out = b""
        try:
            while chunk := os.read(here, 4096):
                out += chunk
                if b"[y/N]" in out and answer:
                    if isinstance(answer, bytes):
                        os.write(here, answer)
                    else:
                        process.send_signal(answer)
                    answer = b""
        except OSError:
            pass
        code = process.wait()
    os.close(here)
    return out.decode(), code
