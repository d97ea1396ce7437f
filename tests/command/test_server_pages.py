"""What the pages tell people to run against a PostgreSQL server works; skipped where there is none.

usage: test_server_pages.py WFSM
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import postgres_server

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
import blocks  # noqa: E402

PAGES = Path(__file__).resolve().parents[2] / "doc"
WFSM = None


class Pages(unittest.TestCase):
    """The pages call the owner of the tables wfsm. Here that is the administrator, so the owner is `keeper`."""

    def setUp(self):
        self.server = postgres_server.Server(self.addCleanup)
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        (self.folder / "wfsm").symlink_to(Path(WFSM).resolve())
        self.env = {**os.environ, "PATH": f"{self.folder}:{self.server.programs}:/usr/bin:/bin",
                    "PGHOST": str(self.server.folder), "PGUSER": "wfsm", "PGDATABASE": "postgres"}

    def blocks(self, page, languages):
        """Those for a server, and the files."""
        for block in blocks.blocks((PAGES / page).read_text(encoding="utf-8")):
            if "file" in block.marks:
                (self.folder / block.marks["file"]).write_text(block.text, encoding="utf-8")
            elif block.language in languages and "systemctl" not in block.text:
                yield self.here(block.text)

    def here(self, text):
        text = re.sub(r"\b(ROLE|OWNER) wfsm\b", r"\1 keeper", text.replace("//wfsm@", "//keeper@"))
        return text.replace("db.example.org/tasks", f"/tasks?host={self.server.folder}")

    def run_line(self, line):
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}")
        return done.stdout

    def work(self, line):
        """A worker says what it serves when it has opened the store."""
        with subprocess.Popen(["bash", "-c", f"exec {line}"], cwd=self.folder, env=self.env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as worker:
            first = worker.stdout.readline()
            worker.terminate()
            rest = worker.communicate(timeout=600)[0]
        self.assertEqual((first, worker.returncode), ("serves job\n", 0), f"{line}\n{first}{rest}")

    def run_block(self, text):
        lines = text.replace("\\\n", " ").splitlines()
        for line in lines:
            (self.work if line.startswith("wfsm work") else self.run_line)(line)
        return len(lines)

    def deploy(self):
        texts = list(self.blocks("deploy.md", {"sh"}))
        (self.folder / "machines").mkdir()
        (self.folder / "job.json").rename(self.folder / "machines/job.json")
        self.run_line("wfsm store init tasks.db && wfsm start tasks.db machines/job.json task-1")
        self.assertGreater(sum(map(self.run_block, texts)), 6)
        self.assertIn("task-1", self.run_line(self.here("wfsm list postgresql://wfsm@db.example.org/tasks")))
        self.assertNotIn("task-1", self.run_line(self.here("wfsm list postgresql://acme@db.example.org/tasks")))

    def test_what_the_pages_say(self):
        self.deploy()
        for text in self.blocks("postgres.md", {"sql"}):
            self.server.sql(text, user="keeper", database="tasks")
        self.server.sql("DROP ROLE acme", database="tasks")
        self.assertGreater(sum(map(self.run_block, self.blocks("postgres.md", {"sh"}))), 2)

    @unittest.skipUnless("WFSM_POSTGRES_LIBRARY" in os.environ, "the Python package is not tested here")
    def test_the_worker_in_python(self):
        self.server.sql("CREATE ROLE keeper LOGIN")
        self.server.sql("CREATE DATABASE tasks OWNER keeper")
        [text] = self.blocks("python-deploy.md", {"sh"})
        start, work = text.splitlines()
        self.run_line(start)
        with subprocess.Popen(["bash", "-c", f"exec {work}"], cwd=self.folder, env=self.env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as worker:
            try:
                for number in range(10):
                    self.run_line(self.here(f"wfsm wait postgresql://wfsm@db.example.org/tasks job-{number}"))
            finally:
                worker.terminate()
                said = worker.communicate(timeout=600)[0]
        self.assertEqual((said, worker.returncode), ("works\nended\n", 0))


if __name__ == "__main__":
    if not postgres_server.programs():
        sys.exit(77)
    WFSM = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
