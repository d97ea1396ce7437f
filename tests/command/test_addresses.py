"""The command wfsm from outside: addresses of stores, and their passwords.

usage: test_addresses.py WFSM COMMAND-STORE
"""
import sys
import unittest
from pathlib import Path

import test_command
from test_command import GOOD, Folder, run

ADDRESS = "postgres://ada:{}@127.0.0.1:1/db?sslmode=disable&password={}&connect_timeout=1"
SHOWN = "postgres://ada:***@127.0.0.1:1/db?sslmode=disable&password=***&connect_timeout=1"
SECRETS = ("geheim", "ge/he?im@ge:heim", "x", "geheim" * 40)


class Addresses(Folder):
    def lines(self, address):
        path = self.file(GOOD)
        old = self.folder / "old.db"
        return [["list", address], ["show", address, "one"], ["diff", address, "one", "1", "2"],
                ["journal", address, "one"], ["audit", address], ["checkpoint", address, "one", "c"],
                ["checkpoints", address, "one"], ["restore", address, "one"],
                ["fork", address, "one", "two"], ["migrate", address, path, "one"],
                ["compact", address], ["archive", address, old], ["archive", "--dry-run", address, old],
                ["report", address, "one"], ["approvals", address], ["evidence", address, "one"],
                ["approve", "--by", "ada", address, "i/1/1", "0" * 64], ["post", address, "one", "go"],
                ["answer", address, "one", "i/1/1"], ["stop", address, "one"],
                ["cancel", address, "one", "i/1/1"], ["retry", address, "one", "i/1/1"]]

    def test_every_command_takes_an_address_and_shows_no_password(self):
        for secret in SECRETS:
            address = ADDRESS.format(secret, secret.replace("@", ""))
            for arguments in self.lines(address):
                done = run(*arguments)
                self.assertEqual(done.returncode, 1, arguments)
                told = done.stderr.decode() + done.stdout.decode()
                self.assertIn(SHOWN, told, arguments)
                if len(secret) > 1:
                    self.assertNotIn("geheim", told)
                    self.assertNotIn("heim", told)

    def test_a_build_without_postgresql_says_so(self):
        told = run("list", ADDRESS.format("p", "p")).stderr.decode()
        if "without PostgreSQL" in told:
            self.assertEqual(told, f"wfsm: {SHOWN}: this wfsm was built without PostgreSQL\n")

    def test_the_other_scheme_and_an_option(self):
        store = self.folder / "s.db"
        test_command.subprocess.run([test_command.STORE_MAKER, store], check=True, timeout=600)
        address = "postgresql://ada:geheim@127.0.0.1:1/db?connect_timeout=1"
        for arguments in (["audit", f"--archive={address}", store],
                          ["compact", "--archive", address, store]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn("postgresql://ada:***@127.0.0.1:1/db", done.stderr.decode())
            self.assertNotIn("geheim", done.stderr.decode())

    def test_an_address_without_a_password_is_shown_as_it_is(self):
        for address in ("postgres://127.0.0.1:1/db", "postgres://ada@127.0.0.1:1/db"):
            self.assertIn(f"wfsm: {address}: ", run("list", address).stderr.decode())

    def test_what_looks_like_an_address_and_is_none_is_a_file(self):
        for path in ("postgres:/x", "http://127.0.0.1/x", "postgres"):
            self.assertRegex(run("list", path).stderr.decode(), f"{path}.*no such file|{path}.*not exist|"
                             f"{path}: .*")
            self.assertNotIn("PostgreSQL", run("list", path).stderr.decode())

    def test_a_file_with_an_address(self):
        """Its name stands in messages, and what it holds nowhere."""
        secret = ADDRESS.format("geheim", "geheim")
        for text in (secret, secret + "\n", secret + "\r\nmore\n"):
            address = "@" + str(self.file(text, "address"))
            for arguments in self.lines(address):
                done = run(*arguments)
                self.assertEqual(done.returncode, 1, arguments)
                self.assertIn(f"wfsm: {address}: ", done.stderr.decode(), arguments)
                self.assertNotIn(b"geheim", done.stderr + done.stdout)

    def test_a_file_without_an_address(self):
        for text, why in (("", "it is empty"), ("tasks.db\n", "its first line is not the address of a server"),
                          ("\n" + ADDRESS, "its first line is not the address of a server")):
            address = "@" + str(self.file(text, "address"))
            for line in (["list", address], ["store", "init", address], ["store", "init", "--print-sql", address],
                         ["store", "tenant", address, "a", "b"], ["store", "check", address]):
                done = run(*line)
                self.assertEqual((done.returncode, done.stdout), (1, b""), line)
                if b"without PostgreSQL" not in done.stderr:
                    self.assertIn(f"wfsm: {address}: {why}", done.stderr.decode())
        done = run("list", f"@{self.folder}/nowhere")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn("No such file", done.stderr.decode())
        self.assertIn("Is a directory", run("list", f"@{self.folder}").stderr.decode())

    def test_other_processes_do_not_see_the_password(self):
        """wfsm waits for its standard input; the address is one of its arguments."""
        with test_command.subprocess.Popen(
                [test_command.WFSM, "check", "-", "postgres://ada:geheim@h/db"],
                stdin=test_command.subprocess.PIPE, stdout=test_command.subprocess.PIPE,
                stderr=test_command.subprocess.PIPE) as process:
            line = Path(f"/proc/{process.pid}/cmdline")
            while b"***" not in line.read_bytes():
                self.assertIsNone(process.poll())
            self.assertNotIn(b"geheim", line.read_bytes())
            said, told = process.communicate(b"{}", timeout=600)
            self.assertNotIn(b"geheim", said + told)


if __name__ == "__main__":
    test_command.WFSM, test_command.STORE_MAKER = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
