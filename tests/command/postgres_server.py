"""A PostgreSQL server for a test, in a folder of its own and with a Unix socket only."""
import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PATIENCE = 120  # seconds that one thing may take


def programs():
    """The folder of the newest server that is installed; None: there is none."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
    plain = shutil.which("postgres")
    return Path(found[-1]) if found else Path(plain).resolve().parent if plain else None


def until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited {PATIENCE} seconds for this: {what}"
        time.sleep(0.02)


class Server:
    """Ends and is removed by what is given to clean_up(). It refuses to run as root."""

    def __init__(self, clean_up):
        self.programs = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="wfsm-pg-", dir="/tmp"))
        clean_up(shutil.rmtree, self.folder, ignore_errors=True)
        self.as_user = {}
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        self.process, self.port = None, None
        clean_up(self.stop)
        self.run("initdb", "-D", "data", "-U", "wfsm", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        self.start()

    def run(self, program, *arguments):
        done = subprocess.run([self.programs / program, *arguments], check=False, cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, **self.as_user)
        assert done.returncode == 0, done.stdout.decode()

    def start(self, *more, port=5432):
        """With more settings: -c NAME=VALUE."""
        self.port = port
        with open(self.folder / "log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", "data", "-k", self.folder, "-p", str(port), "-c", "listen_addresses=",
                 "-c", "dynamic_shared_memory_type=mmap", "-c", "shared_buffers=16MB", *more],
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                **self.as_user)
        until(self.answers, "the server starts")

    def stop(self, number=signal.SIGINT):
        if self.process:
            self.process.send_signal(number)
            self.process.wait(PATIENCE)
        self.process = None

    def answers(self):
        assert self.process.poll() is None, (self.folder / "log").read_text()
        return subprocess.run([self.programs / "pg_isready", "-q", "-h", self.folder, "-p", str(self.port)],
                              check=False).returncode == 0

    def address(self, user="wfsm", database="postgres", more=""):
        return f"postgresql://{user}@/{database}?host={self.folder}{more}"

    def session(self, database):
        """psql, for a transaction that stays open."""
        return subprocess.Popen([self.programs / "psql", "-XAtq", "-h", self.folder, "-p", str(self.port), "-U", "wfsm",
                                 database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def sql(self, text, user="wfsm", database="postgres"):
        """The rows, as lines with | between the columns."""
        done = subprocess.run([self.programs / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.folder,
                               "-U", user, "-d", database], input=text.encode(), check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout.decode()
        return done.stdout.decode().splitlines()
