"""The smallest embedding programs do what they say.

usage: run_embed.py stopped NAME PROGRAM
       run_embed.py step|embed|prove|raii|own_host|loop_poll|loop_uv|task PROGRAM MACHINE
"""
import functools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def run(*command, cwd=None):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def step(program, _machine):
    code, out, errors = run(program)
    assert (code, errors) == (0, ""), (code, errors)
    effect = '{"id":"front/2/1","number":1,"type":"emit","event":"ring","data":null}'
    out, cut = re.subn(r"(front/2/1)-[0-9]+", r"\1", out)
    assert cut == 1 and out == f'taken, effect {effect}\nthe door is ["opened"]\n', out


def prove(program, _machine):
    code, out, errors = run(program)
    assert (code, errors) == (0, ""), (code, errors)
    assert out == "0 cases failed, 0 invariants violated\n", out


def raii(program, _machine):
    assert run(program) == (0, 'taken, the door is ["opened"]\n', "")


def essay(program, machine):
    machine = Path(machine).with_name("essay.json")
    with tempfile.TemporaryDirectory() as folder:
        code, out, errors = run(program, machine, Path(folder) / "essays.db")
        assert (code, errors) == (0, ""), (code, errors)
        assert out.count("writing: ") == 2 and out.endswith('\n["published"]\n'), out
        assert run(program, machine, Path(folder) / "essays.db") == (0, '["published"]\n', "")


def embed(program, machine, name="embed"):
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "tasks.db")
        code, out, errors = run(program, machine, store)
        assert (code, errors) == (0, ""), (code, errors)
        assert out == 'reviewing {"change":"fix the overflow"}\n["approved"]\n', out
        # Started again, it finds that everything is done.
        assert run(program, machine, store) == (0, '["approved"]\n', "")
        code, out, errors = run(program, store, store)
        assert code == 1 and errors.startswith(f"{name}: "), (code, out, errors)


def task(program, _machine):
    """The program of doc/start.md, whose page has the rest of its test."""
    with tempfile.TemporaryDirectory() as folder:
        code, out, errors = run(Path(program).resolve(), cwd=folder)
        assert code == 1 and errors, (code, out, errors)


def own_host(program, machine):
    """Killed while its writer is at work, it continues; killed at other times, too."""
    machine = Path(machine).with_name("essay.json")
    topic = '{"topic":"state machines","remarks":[]}'
    end = ('{"topic":"state machines","text":"On state machines.","remarks":[],"rounds":1}\n')
    with tempfile.TemporaryDirectory() as folder:
        host = subprocess.Popen([program, machine, folder], stdout=subprocess.PIPE, text=True)
        assert host.stdout.readline() == f"writing: {topic}\n"
        host.kill()
        host.communicate()
        code, out, errors = run(program, machine, folder)
        assert (code, errors) == (0, ""), (code, errors)
        lines = (f"writing: {topic}\n", 'reading: {"text":"On state machines."}\n', end)
        assert out == "".join(lines), out
        assert run(program, machine, folder) == (0, end, "")
        assert Path(folder, "log").stat().st_mode & 0o777 == 0o600
        Path(folder, "log").write_text("something else")
        code, out, errors = run(program, machine, folder)
        assert code == 1 and "not a log of this store" in errors, (code, out, errors)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "log").symlink_to("elsewhere")
        code, out, errors = run(program, machine, folder)
        assert code == 1 and "the log cannot be opened" in errors, (code, out, errors)
        assert not Path(folder, "elsewhere").exists()
    with tempfile.TemporaryDirectory() as folder:
        for tenth in range(1, 10):
            host = subprocess.Popen([program, machine, folder], stdout=subprocess.DEVNULL)
            time.sleep(tenth / 100)
            host.kill()
            host.wait()
        code, out, errors = run(program, machine, folder)
        assert (code, errors) == (0, "") and out.endswith(end), (code, out, errors)


# A machine that only waits, under the names that each program uses.
WAITING = """{"wfsm": 1, "id": "%s", "initial": "waiting", "states": {
    "waiting": {"after": {"600000": "done"}}, "done": {"type": "final"}}}"""
MACHINES = {"essay": "essay", "task": "task", "agents": "note"}
LAPSE = 10


def stopped(name, program):
    """SIGSTOP beyond the lease: another process takes over, and the first one says that it has
    lost the instance, and ends."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "task.json").write_text(WAITING % MACHINES.get(name, "review"))
        command = [Path(program).resolve()] + ([] if name == "task" else ["task.json", "tasks.db"])
        command += ["http://127.0.0.1:9", "true"] if name == "agents" else []
        start = functools.partial(subprocess.Popen, command, cwd=folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = start()
        time.sleep(2)
        assert first.poll() is None, first.communicate()
        os.kill(first.pid, signal.SIGSTOP)
        time.sleep(LAPSE + 1)
        second = start()
        time.sleep(3)
        try:
            assert second.poll() is None, second.communicate()
            os.kill(first.pid, signal.SIGCONT)
            out, errors = first.communicate(timeout=60)
            assert first.returncode == 1, (first.returncode, out, errors)
            assert "another engine has taken it over" in errors, (out, errors)
            assert second.poll() is None, second.communicate()
        finally:
            first.kill()
            second.kill()
            second.communicate()


if __name__ == "__main__":
    {"step": step, "stopped": stopped, "task": task, "embed": embed, "prove": prove, "raii": raii, "essay": essay,
     "own_host": own_host,
     "loop_poll": functools.partial(embed, name="loop-poll"),
     "loop_uv": functools.partial(embed, name="loop-uv")}[sys.argv[1]](*sys.argv[2:])
