"""wfsm verify --watch: a report after each save of the document.

usage: test_verify_watch.py WFSM
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

WFSM = None


def document(**properties):
    return json.dumps({"id": "m", "initial": "a", "properties": properties,
                       "states": {"a": {"on": {"GO": "b"}}, "b": {"type": "final"}}})


HOLDS = document(fine={"reachable": {"in_state": "b"}})
VIOLATED = document(wrong={"never": {"in_state": "b"}})


class Watch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "m.json"

    def begin(self, *arguments):
        self.file.write_text(HOLDS, encoding="utf-8")
        self.running = subprocess.Popen([WFSM, "verify", "--watch", *arguments, "m.json"],
                                        cwd=self.file.parent, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        self.addCleanup(self.running.communicate)
        self.addCleanup(self.running.kill)

    def round(self):
        """What is printed until it waits."""
        lines = []
        for line in self.running.stdout:
            lines.append(line)
            if line.endswith(": waiting until m.json is saved\n"):
                self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z: ")
                return "".join(lines[:-1])
        self.fail("it has ended: " + "".join(lines))

    def replace(self, text):
        other = self.file.with_name("m.json.new")
        other.write_text(text, encoding="utf-8")
        os.replace(other, self.file)

    def test_a_report_after_each_save(self):
        self.begin()
        self.assertTrue(self.round().endswith("m.json: holds\n"))
        self.file.write_text(VIOLATED, encoding="utf-8")
        self.assertTrue(self.round().endswith("m.json: violated\n"))
        self.replace(HOLDS)
        self.assertTrue(self.round().endswith("m.json: holds\n"))

    def test_a_broken_document_is_told_and_the_next_save_awaited(self):
        self.begin()
        self.round()
        self.file.write_text("{", encoding="utf-8")
        self.assertIn("m.json:1:2: error: ", self.round())
        self.file.unlink()
        self.replace(VIOLATED)
        self.assertTrue(self.round().endswith("m.json: violated\n"))

    def test_other_files_of_the_folder_are_not_awaited(self):
        self.begin()
        self.round()
        self.file.with_name("m.json~").write_text("{", encoding="utf-8")
        self.file.write_text(VIOLATED, encoding="utf-8")
        self.assertTrue(self.round().endswith("m.json: violated\n"))

    def test_the_page_is_written_again(self):
        page = self.file.with_name("m.html")
        self.begin("--html", "--output", "m.html", "--input", "{}", "--input", '{"n": 1}')
        self.round()
        self.assertIn('<span class="badge holds">', page.read_text("utf-8"))
        self.file.write_text(VIOLATED, encoding="utf-8")
        self.assertTrue(self.round().endswith("m.json: violated\n"))
        self.assertIn('<span class="badge violated">', page.read_text("utf-8"))

    def test_an_interrupt_ends_it(self):
        self.begin()
        self.round()
        self.running.send_signal(signal.SIGINT)
        self.assertEqual((self.running.wait(), self.running.stdout.read()), (-signal.SIGINT, ""))

    def test_what_cannot_be_watched(self):
        for arguments, code, why in (
                (["none/m.json"], 2, "none/m.json: cannot be watched: No such file"),
                (["-"], 64, "--watch needs a file"),
                (["--json", "m.json"], 64, "--watch needs --output")):
            done = subprocess.run([WFSM, "verify", "--watch", *arguments], capture_output=True,
                                  text=True, cwd=self.file.parent, timeout=600)
            self.assertEqual((done.returncode, done.stdout), (code, ""))
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    WFSM = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1], verbosity=1)
