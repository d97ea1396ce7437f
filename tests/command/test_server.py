"""The command wfsm from outside: stores on a PostgreSQL server; skipped where there is none.

usage: test_server.py WFSM COMMAND-STORE
"""
import json
import os
import shutil
import socket
import subprocess
import sys
import unittest
from pathlib import Path
from urllib.parse import quote

import postgres_server
import test_command
import test_store
from test_command import GOOD, Folder, run


class Servers(Folder):
    """All tests have one server, and a database each."""

    @classmethod
    def setUpClass(cls):
        cls.server = postgres_server.Server(cls.addClassCleanup)

    def setUp(self):
        super().setUp()
        self.database = self.id().rsplit(".", 1)[1][:60]
        self.server.sql(f"CREATE DATABASE {self.database}")

    def address(self, user="wfsm", more=""):
        return self.server.address(user, self.database, more)

    def sql(self, text):
        return self.server.sql(text, database=self.database)

    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def failed(self, pattern, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 1, arguments)
        self.assertRegex(done.stderr.decode(), pattern)

    def ids(self, address):
        return [head["id"] for head in json.loads(self.fine("list", "--json", address))]


class Addresses(Servers):
    def test_an_address_names_schema_and_namespace(self):
        machine = self.file(GOOD)
        plain, other = self.address(), self.address(more="&wfsm_schema=o%2Ft%20her")
        self.fine("store", "init", other)
        self.failed('the schema "wfsm" has no tables', "list", plain)
        self.fine("start", other, machine, "one")
        self.fine("start", other + "&wfsm_namespace=n%C3%A4me", machine, "two")
        self.assertEqual(self.ids(other), ["one"])
        self.assertEqual(self.ids(other + "&wfsm_namespace=n%C3%A4me"), ["two"])
        self.assertEqual(self.sql('SELECT namespace, instance FROM "o/t her".head ORDER BY 2'),
                         ["default|one", "näme|two"])
        self.failed('the schema "third" has no tables', "work", self.address(more="&wfsm_schema=third"),
                    "--machines", machine, "--agents", self.file("", "agents.toml"))

    def test_printed_sql_is_for_the_schema_of_the_address(self):
        other = self.address(more="&wfsm_schema=other")
        self.sql(self.fine("store", "init", "--print-sql", other))
        self.sql("CREATE ROLE zeta LOGIN")
        self.sql(self.fine("store", "tenant", "--print-sql", other, "zeta", "theirs"))
        self.assertEqual(self.ids(self.address("zeta", more="&wfsm_schema=other")), [])
        self.assertEqual(self.sql("SELECT * FROM other.tenant"), ["zeta|theirs"])

    def test_versions_of_the_tables(self):
        """There is one version so far. Tables of a newer one are refused by every command, and stay as they are."""
        address, machine = self.address(), self.file(GOOD)
        agents = self.file("", "agents.toml")
        self.failed('the schema "wfsm" has no tables', "store", "migrate", address)
        self.assertEqual(self.fine("store", "init", address), f"{address}: made\n")
        self.assertEqual(self.fine("store", "init", address), f"{address}: it exists already; nothing was changed\n")
        self.fine("start", address, machine, "one")
        self.assertIn("is up to date; there is nothing to do", self.fine("store", "migrate", address))
        self.assertEqual(self.fine("store", "migrate", "--print-sql", address), "-- the schema is up to date\n")
        self.sql("UPDATE wfsm.version SET number = 2")
        for line in (["store", "migrate", address], ["store", "migrate", "--print-sql", address],
                     ["store", "check", address], ["store", "init", address], ["list", address],
                     ["start", address, machine, "two"],
                     ["work", address, "--machines", machine, "--agents", agents]):
            self.failed('the tables in the schema "wfsm" have version 2, which a newer', *line)
        self.sql("UPDATE wfsm.version SET number = 1")
        self.assertEqual(self.ids(address), ["one"])

    def test_wrong_parameters(self):
        for words in ("wfsm_tenant=x", "wfsm_schema=", "wfsm_namespace=", "wfsm_schema=%", "wfsm_schema=%4",
                      "wfsm_schema=%00", "wfsm_schema=%zz", "wfsm_schema", "wfsm_schema=" + "x" * 64,
                      "wfsm_namespace=" + "x" * 256, "wfsm_schema=a&wfsm_schema=b", "wfsm_listen=2"):
            self.failed("wfsm_schema, with 1 to 63 bytes", "list", self.address(more="&" + words))
        self.failed("none that libpq understands", "list", self.address(more="&schema=x"))

    def test_a_worker_that_listens_takes_what_is_started(self):
        address, machine = self.address(more="&wfsm_listen=1"), self.file(GOOD)
        agents = self.file('[agents.coder]\ncommand = ["true"]\n', "agents.toml")
        self.fine("store", "init", address)
        worker = subprocess.Popen([test_command.WFSM, "work", "--machines", machine, "--agents", agents,
                                   "--lapse", "86400000", "--share", "agent:coder=2",
                                   "--runs", self.folder / "runs", address],
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        self.addCleanup(worker.stdout.close)
        self.addCleanup(worker.wait, 600)
        self.addCleanup(worker.kill)
        said = [worker.stdout.readline()]
        self.fine("start", address, machine, "one")
        while said[-1] and not said[-1].startswith("takes one"):
            said.append(worker.stdout.readline())
        self.assertEqual(said[-1].strip(), "takes one", said)

    def test_a_follower_reads_what_is_committed(self):
        """Also what a transaction commits that began before others that are seen already."""
        machine, address = self.file(GOOD), self.address()
        self.fine("store", "init", address)
        for name in ("a", "c"):
            self.fine("start", address, machine, name)
        running = subprocess.Popen([test_command.WFSM, "tail", "--json", address], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        for last in (running.communicate, running.kill):
            self.addCleanup(last)
        self.assertIn("it has 2 instances", running.stderr.readline())
        early = self.server.session(self.database)
        self.addCleanup(early.communicate)
        early.stdin.write("BEGIN; UPDATE wfsm.head SET revision = 2 WHERE instance = 'a';"
                          " INSERT INTO wfsm.record SELECT namespace, instance, 2, now, NULL, text"
                          " FROM wfsm.record WHERE instance = 'a'; SELECT 'begun';\n")
        early.stdin.flush()
        self.assertEqual(early.stdout.readline(), "begun\n")
        self.fine("start", address, machine, "b")
        self.assertEqual(json.loads(running.stdout.readline())["instance"], "b")
        early.stdin.write("COMMIT;\n")
        early.stdin.flush()
        late = json.loads(running.stdout.readline())
        self.assertEqual((late["instance"], late["revision"]), ("a", 2))

    def test_tenants(self):
        machine = self.file(GOOD)
        owner = self.address()
        self.fine("store", "init", owner)
        self.failed('there is no role "acme"', "store", "tenant", owner, "acme", "theirs")
        self.sql("CREATE ROLE acme LOGIN; CREATE ROLE beta LOGIN")
        self.assertIn("the role acme has the namespace theirs",
                      self.fine("store", "tenant", owner, "acme", "theirs"))
        self.fine("store", "tenant", owner, "beta", "ours")
        self.failed('the role "beta" has the namespace "ours" already', "store", "tenant", owner, "beta", "x")
        self.fine("start", self.address("acme"), machine, "one")
        self.assertIn("nothing was changed", self.fine("store", "init", self.address("acme")))
        self.failed("the role lacks a right: permission denied for table tenant",
                    "store", "tenant", self.address("acme"), "acme", "theirs")
        self.assertEqual(self.ids(self.address("acme")), ["one"])
        self.assertEqual(self.ids(self.address("beta")), [])
        self.assertEqual(self.ids(owner + "&wfsm_namespace=theirs"), ["one"])
        self.failed('may not use "theirs"', "list", self.address("beta", more="&wfsm_namespace=theirs"))


class Copies(Servers, test_store.Stores):
    """SQLite to PostgreSQL and back, byte for byte: journals, one of them compacted, checkpoints and posts."""

    def there_and_back(self, count):
        there = self.address()
        self.fine("store", "init", there)
        self.assertIn(f"{count} instances copied", self.fine("store", "copy", self.store, there))
        self.assertIn(f"0 instances copied, {count} there before", self.fine("store", "copy", self.store, there))
        self.assertRegex(self.fine("audit", there), r": 0 diagnostics\n$")
        self.assertIn(f"{count} instances copied", self.fine("store", "copy", there, self.copy))
        self.same(self.store, self.copy)

    def test_journals_checkpoints_and_posts(self):
        self.make("acknowledged")
        self.fine("checkpoint", self.store, "one", "point")
        for number in range(3):
            self.fine("post", "--id", f"e{number}", self.store, "one", "go", f'{{"n": {number}}}')
        self.there_and_back(len(self.ids(self.store)))

    def test_a_compacted_journal(self):
        self.make(60)
        self.fine("compact", self.store)
        self.assertNotEqual(self.rows(self.store, "SELECT max(first) FROM instance"), [(1,)])
        self.there_and_back(3)

    def test_odd_texts(self):
        self.make("odd")
        self.there_and_back(len(self.ids(self.store)))

    def committed(self):
        """Transactions of the database so far, when nobody is connected to it."""
        self.alone()
        return int(self.server.sql("SELECT xact_commit FROM pg_stat_database "
                                   f"WHERE datname = '{self.database}'")[0])

    def alone(self):
        postgres_server.until(lambda: self.server.sql(
            f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{self.database}'") == ["0"], "nobody is connected")

    def written(self):
        """The number of a transaction that writes; each has the next."""
        return int(self.server.sql("SELECT pg_current_xact_id()")[0])

    def test_many_take_few_transactions(self):
        """At most a hundred for a thousand instances: neither direction writes for each instance."""
        self.make("many", 1000)
        there = self.address()
        self.fine("store", "init", there)
        before = self.committed()
        self.assertIn("1003 instances copied", self.fine("store", "copy", self.store, there))
        self.assertLess(self.committed() - before, 100)
        before = self.committed()
        self.assertIn("1003 there before", self.fine("store", "copy", self.store, there))
        self.assertLess(self.committed() - before, 100)
        before = self.written()
        self.assertIn("1003 instances copied", self.fine("store", "copy", there, self.copy))
        self.assertLess(self.written() - before, 100)
        self.same_rows(self.store, self.copy)

    def test_killed_in_the_middle_and_run_again(self):
        """The server stops at one instance, so that the command is killed there."""
        self.make("many", 1000)
        there = self.address()
        self.fine("store", "init", there)
        self.sql("CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(3600); END';"
                 "CREATE TRIGGER stop BEFORE INSERT ON wfsm.head FOR EACH ROW "
                 "WHEN (NEW.instance = 'many-00700') EXECUTE FUNCTION stop()")
        with subprocess.Popen([test_command.WFSM, "store", "copy", self.store, there]) as command:
            postgres_server.until(lambda: self.server.sql(
                f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{self.database}' "
                "AND wait_event = 'PgSleep'") == ["1"], "the command is at the instance")
            command.kill()
        self.server.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self.database}'")
        self.alone()
        self.sql("DROP TRIGGER stop ON wfsm.head; DROP FUNCTION stop")
        self.assertEqual(self.sql("SELECT DISTINCT owner FROM wfsm.head"), ["(copying)"])
        self.assertTrue(100 < int(self.sql("SELECT count(*) FROM wfsm.head")[0]) < 701)
        self.free(self.store)
        self.assertIn("1003 instances copied, 0 there before, 0 refused", self.fine("store", "copy", self.store, there))
        self.assertEqual(self.sql("SELECT DISTINCT owner FROM wfsm.head"), [""])
        self.fine("store", "copy", there, self.copy)
        self.same_rows(self.store, self.copy)


class Passwords(Servers):
    """A role with a password, which is given in every way; no output and no command line has it."""
    SECRET = "geheim/?@ x"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rules = cls.server.folder / "data/pg_hba.conf"
        rules.write_text("local all guarded scram-sha-256\n" + rules.read_text())
        cls.server.sql("SELECT pg_reload_conf()")
        cls.server.sql(f"CREATE ROLE guarded LOGIN SUPERUSER PASSWORD '{cls.SECRET}'")

    def setUp(self):
        super().setUp()
        self.guarded = self.address("guarded")

    def written(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o600)
        return path

    def ways(self, secret):
        """Pairs: an address, and variables."""
        line = "*:*:*:guarded:" + secret.replace("\\", "\\\\").replace(":", "\\:") + "\n"
        passes = self.written("passes", line)
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        self.written("home/.pgpass", line)
        full = self.written("address", self.guarded + "&password=" + quote(secret, safe="") + "\n")
        yield self.guarded, {"PGPASSWORD": secret}
        yield self.guarded, {"PGPASSFILE": str(passes)}
        yield self.guarded + f"&passfile={passes}", {}
        yield self.guarded, {"HOME": str(home)}
        yield f"@{full}", {}
        yield self.guarded + "&password=" + quote(secret, safe=""), {}

    def run_with(self, variables, *arguments):
        done = subprocess.run([test_command.WFSM, *map(str, arguments)], env={**os.environ, **variables},
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=600, check=False)
        for word in (b"geheim", b"falsch", b"geheim".hex().encode()):
            self.assertNotIn(word, done.stdout + done.stderr, arguments)
        return done

    def test_every_way_to_give_it(self):
        machine = self.file(GOOD)
        self.fine("store", "init", self.address())
        for i, (address, variables) in enumerate(self.ways(self.SECRET)):
            with self.subTest(address=address, variables=variables):
                for line in (["start", address, machine, f"i{i}"], ["list", "--json", address],
                             ["journal", "--json", address, f"i{i}"], ["store", "check", address],
                             ["audit", address]):
                    done = self.run_with(variables, *line)
                    self.assertEqual((done.returncode, done.stderr), (0, b""), line)
        self.assertEqual(self.sql("SELECT count(*) FROM wfsm.record WHERE text ~ 'geheim'"), ["0"])

    def test_what_is_wrong_does_not_show_it(self):
        self.fine("store", "init", self.address())
        machine, agents = self.file(GOOD), self.file("", "agents.toml")
        wrong = [(address + more, variables)
                 for more in ("&wfsm_schema=none", "&wfsm_namespace=", "&sslmode=nonsense", "&nonsense=x",
                              "&target_session_attrs=standby", "&host=/nowhere", "&dbname=none", "&user=nobody")
                 for address, variables in self.ways(self.SECRET)
                 if "PGPASSWORD" in variables or "password" in address]
        for address, variables in [*self.ways("falsch"), *wrong]:
            for line in (["list", "--json", address],
                         ["work", address, "--machines", machine, "--agents", agents]):
                self.assertEqual(self.run_with(variables, *line).returncode, 1, line)

    def test_a_worker_shows_it_nowhere(self):
        self.fine("store", "init", self.address())
        machine, agents = self.file(GOOD), self.file("", "agents.toml")
        for address, variables in self.ways(self.SECRET):
            with self.subTest(address=address, variables=variables), subprocess.Popen(
                    [Path(test_command.WFSM).resolve(), "work", address, "--machines", machine, "--agents", agents],
                    env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    cwd=self.folder) as worker:
                said = worker.stdout.readline()
                shown = Path(f"/proc/{worker.pid}/cmdline").read_bytes()
                worker.terminate()
                said += worker.communicate(timeout=600)[0]
                self.assertIn(b"serves", said)
                for word in (self.SECRET.encode(), b"geheim"):
                    self.assertNotIn(word, said + shown)


class OtherServers(Servers):
    """Each has a server of its own, and changes how it runs."""

    @classmethod
    def setUpClass(cls):
        pass

    def setUp(self):
        self.server = postgres_server.Server(self.addCleanup)
        super().setUp()

    def test_a_server_in_recovery(self):
        self.fine("store", "init", self.address())
        self.server.stop()
        (self.server.folder / "data/standby.signal").touch()
        self.server.start()
        self.failed("read-only", "list", self.address())
        self.failed("in recovery, and one that can be written", "list",
                    self.address(more="&target_session_attrs=any"))

    @unittest.skipUnless(shutil.which("openssl"), "there is no openssl")
    def test_a_wrong_certificate(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        for name in ("server", "other"):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "9", "-subj",
                            "/CN=localhost", "-keyout", f"{name}.key", "-out", f"{name}.crt"], check=True,
                           cwd=self.server.folder, capture_output=True, **self.server.as_user)
        self.server.stop()
        self.server.start("-c", "listen_addresses=127.0.0.1", "-c", "ssl=on", "-c",
                          f"ssl_cert_file={self.server.folder}/server.crt", "-c",
                          f"ssl_key_file={self.server.folder}/server.key", port=port)
        where = f"postgresql://wfsm:hunter2@localhost:{port}/postgres?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert="
        self.failed("has no tables", "list", where + f"{self.server.folder}/server.crt")
        for root in (f"{self.server.folder}/other.crt", "/nowhere"):
            self.failed("certificate", "list", where + root)
            self.assertNotIn(b"hunter2", run("list", where + root).stderr)


if __name__ == "__main__":
    if not postgres_server.programs():
        sys.exit(77)
    test_command.WFSM, test_command.STORE_MAKER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
