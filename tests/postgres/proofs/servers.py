"""PostgreSQL servers in folders of their own, and a pool before one, for the proofs."""
import contextlib
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PATIENCE = 600  # seconds that one thing may take, however busy the machine is
SETTINGS = """
listen_addresses = '{listen}'
unix_socket_directories = '{folder}'
port = {port}
shared_buffers = 32MB
max_connections = {connections}
max_wal_size = 64MB
wal_keep_size = 64MB
logging_collector = off
dynamic_shared_memory_type = mmap
deadlock_timeout = 100ms
wal_retrieve_retry_interval = 100ms
wal_log_hints = on
autovacuum_naptime = 5s
tcp_keepalives_idle = 1
tcp_keepalives_interval = 1
tcp_keepalives_count = 3
tcp_user_timeout = 3000
client_connection_check_interval = 500
wal_receiver_timeout = 3s
wal_sender_timeout = 3s
wal_receiver_status_interval = 1s
cluster_name = '{name}'
{more}
"""


class Wrong(Exception):
    """What is not as it should be."""


def check(is_right, sentence):
    if not is_right:
        raise Wrong(sentence)


def until(condition, what, pause=0.01, patience=None):
    """Waits for something to happen."""
    patience = patience or PATIENCE
    end = time.monotonic() + patience
    while not condition():
        check(time.monotonic() < end, f"waited {patience} seconds for this: {what}")
        time.sleep(pause)


def programs():
    """The folder of the newest server that is installed; None: there is none."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"), key=lambda path: int(path.split("/")[4]))
    return Path(found[-1]).parent if found else None


def user():
    """The server refuses to run as root."""
    if os.getuid() != 0:
        return {}
    one = pwd.getpwnam("postgres")
    return {"user": one.pw_uid, "group": one.pw_gid, "extra_groups": []}


def give_to_user(path):
    if os.getuid() == 0:
        one = pwd.getpwnam("postgres")
        os.chown(path, one.pw_uid, one.pw_gid)


def make_folder(stack):
    """In memory, where a sync costs nothing, if there is room."""
    base = os.environ.get("WFSM_TEST_FOLDER")
    if not base:
        room = os.statvfs("/dev/shm")
        base = "/dev/shm" if room.f_bavail * room.f_frsize > 2 << 30 else "/tmp"
    folder = Path(tempfile.mkdtemp(prefix="wfsm-proof-", dir=base))
    if not os.environ.get("WFSM_TEST_KEEP"):
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    give_to_user(folder)
    return folder


def children(pid):
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        with contextlib.suppress(OSError):
            found += map(int, Path(path).read_text().split())
    return found


def title(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    return ""


def kill(pid, number=signal.SIGKILL):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
        return True
    return False


def address(servers):
    """For clients, who try one server after the other."""
    return (f"postgresql://wfsm@/postgres?host={','.join(one.place() for one in servers)}"
            f"&port={','.join(str(one.port) for one in servers)}")


class Server:
    """One server. `prefix` are words before each command that talks to it, for another network."""

    def __init__(self, stack, folder, name, port=5432, listen="", prefix=(), more="", connections=60):
        self.name, self.port, self.prefix = name, port, list(prefix)
        self.folder, self.data = folder, folder / name
        self.listen, self.connections, self.more = listen, connections, more
        self.log = folder / f"{name}.log"
        self.process = None
        self.programs = programs()
        stack.callback(self.end)

    def run(self, program, *words):
        with open(self.log, "a", encoding="utf-8") as log:
            done = subprocess.run([*self.prefix, *as_words(), self.programs / program, *map(str, words)], cwd=self.folder, stdout=log,
                                  stderr=log, stdin=subprocess.DEVNULL, check=False, start_new_session=True)
        check(done.returncode == 0, f"{program} of {self.name} failed: {self.said()}")

    def said(self):
        return self.log.read_text(errors="replace")[-1500:]

    def make(self, *words):
        self.run("initdb", "-D", self.data, "-U", "wfsm", "-A", "trust", "-E", "UTF8", "--locale=C", "-N",
                 "--no-instructions", *words)
        (self.data / "pg_hba.conf").write_text(
            "local all all trust\nlocal replication all trust\n"
            "host all all 0.0.0.0/0 trust\nhost replication all 0.0.0.0/0 trust\n")
        self.configure()

    def configure(self, extra=""):
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as out:
            out.write(SETTINGS.format(listen=self.listen, folder=self.folder, port=self.port, name=self.name,
                                      connections=self.connections, more=self.more) + extra)

    def copy_of(self, source):
        """A standby of another server. What was here is gone."""
        shutil.rmtree(self.data, ignore_errors=True)
        with open(self.log, "a", encoding="utf-8") as log:
            done = subprocess.run([*self.prefix, *as_words(), self.programs / "pg_basebackup", *source.words(),
                                   "-D", str(self.data), "-R", "-X", "stream", "-c", "fast"], stdout=log,
                                  stderr=log, stdin=subprocess.DEVNULL, check=False, cwd=self.folder,
                                  start_new_session=True)
        check(done.returncode == 0, f"pg_basebackup failed: {self.said()}")
        self.configure()
        self.follow(source)

    def plain_address(self):
        return f"host={self.place()} port={self.port} user=wfsm dbname=postgres"

    def follow(self, source):
        with open(self.data / "postgresql.auto.conf", "a", encoding="utf-8") as out:
            out.write(f"primary_conninfo = '{source.plain_address()} application_name={self.name}'\n")

    def launch(self):
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([*self.prefix, *as_words(), self.programs / "postgres", "-D", self.data],
                                            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True)

    def start(self):
        self.launch()
        self.await_start()

    def await_start(self):
        def is_there():
            if self.process.poll() is not None:
                self.launch()  # an earlier server may still hold its memory for a moment
            return self.answers()
        until(is_there, f"the server {self.name} starts", 0.02)

    def answers(self):
        return self.ask("SELECT 1", check_it=False) == [("1",)]

    def pid(self):
        with contextlib.suppress(OSError, ValueError, IndexError):
            return int((self.data / "postmaster.pid").read_text().split()[0])
        return None

    def backends(self):
        """The sessions of clients. psql's are short."""
        main = self.pid()
        return [pid for pid in children(main) if "wfsm" in title(pid)] if main else []

    def kill(self):
        """As when all of its processes are killed at once."""
        main = self.pid()
        for pid in ([main, *children(main)] if main else []):
            kill(pid)
        if self.process:
            self.process.wait()
        self.process = None

    def end(self):
        if self.process and self.process.poll() is None and self.pid():
            kill(self.pid(), signal.SIGQUIT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(20)
        if self.process and self.process.poll() is None:
            self.process.kill()

    def place(self):
        return self.listen or str(self.folder)

    def words(self):
        return ["-h", self.place(), "-p", str(self.port), "-U", "wfsm"]

    def address(self):
        return address([self])

    def ask(self, sql, check_it=True, patience=120):
        """Rows of texts. None: the server does not answer, which is an error unless check_it is False."""
        command = [*self.prefix, self.programs / "psql", *self.words(), "-X", "-q", "-At", "-F", "\x1f", "-d", "postgres",
                   *[word for one in sql.split("; ") for word in ("-c", one)]]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=patience,
                                  env=dict(os.environ, PGCONNECT_TIMEOUT="5"))
        except subprocess.TimeoutExpired:
            check(not check_it, f"{self.name} does not answer: {sql}")
            return None
        check(done.returncode == 0 or not check_it, f"{self.name}: {sql}: {done.stderr}")
        if done.returncode != 0:
            return None
        return [tuple(line.split("\x1f")) for line in done.stdout.split("\n")[:-1]]

    def number(self, sql):
        return int(self.ask(sql)[0][0])

    # ---- replication ----

    def want_standby(self, names="*"):
        """Commits wait for a standby from now on, also after a failover; "": they do not."""
        self.ask(f"SET synchronous_commit = local; ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        self.ask("SELECT pg_reload_conf()")

    def await_standby(self):
        until(lambda: self.ask("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'",
                               check_it=False) == [("1",)], f"{self.name} has its standby", 0.05)

    def promote(self):
        """A standby that replays what conflicts with a query cancels it, so this one is asked again."""
        ask = "SELECT CASE WHEN pg_is_in_recovery() THEN pg_promote(false) END; SELECT pg_is_in_recovery()"
        until(lambda: (self.ask(ask, check_it=False) or [None])[-1] == ("f",), "the promotion")


def as_words():
    """Runs a program as the server's user, behind `ip netns exec`, which needs root."""
    if os.getuid() != 0:
        return []
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


class Pool:
    """pgbouncer in transaction mode."""

    def __init__(self, stack, server, port=6432):
        self.server, self.port, self.process = server, port, None
        self.program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")
        check(self.program, "pgbouncer is not installed")
        (server.folder / "pool.ini").write_text(
            f"[databases]\n* = host={server.folder} port={server.port}\n[pgbouncer]\nlisten_port = {port}\n"
            f"listen_addr =\nunix_socket_dir = {server.folder}\nauth_type = trust\nauth_file = users\n"
            "pool_mode = transaction\ndefault_pool_size = 6\nserver_login_retry = 0.1\n")
        (server.folder / "users").write_text('"wfsm" ""\n')
        stack.callback(self.kill)

    def start(self):
        with open(self.server.folder / "pool.log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([self.program, "pool.ini"], cwd=self.server.folder,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True, **user())
        until(lambda: self.process.poll() is not None or self.answers(), "the pool starts")
        check(self.process.poll() is None, (self.server.folder / "pool.log").read_text()[-600:])

    def answers(self):
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as one:
            one.connect(f"{self.server.folder}/.s.PGSQL.{self.port}")
            return True
        return False

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def address(self):
        return address([self])

    def place(self):
        return str(self.server.folder)
