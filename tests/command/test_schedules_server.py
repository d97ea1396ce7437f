"""The command wfsm from outside: schedules in a store on a PostgreSQL server; skipped where there is none.

usage: test_schedules_server.py WFSM
"""
import sys
import unittest
from pathlib import Path

import postgres_server
import test_command
import test_schedules


class OnAServer(test_schedules.Schedules):
    """The same tests. All have one server, and a database each."""

    @classmethod
    def setUpClass(cls):
        cls.server = postgres_server.Server(cls.addClassCleanup)

    def make_store(self):
        database = self.id().rsplit(".", 1)[1][:60]
        self.server.sql(f"CREATE DATABASE {database}")
        return self.server.address("wfsm", database, "")


if __name__ == "__main__":
    if not postgres_server.programs():
        print("there is no PostgreSQL server")
        sys.exit(77)
    test_command.WFSM = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1])
