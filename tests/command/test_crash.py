"""wfsm crash-test from outside: every fault at every call, and kill -9 with --resume.

usage: test_crash.py WFSM [KILLS]
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

WFSM = None
KILLS = 25

MACHINE = {
    "id": "m", "initial": "on", "context": {"n": 0},
    "states": {
        "on": {
            "after": {"100": {"actions": [{"type": "emit", "params": {"event": "tick"}},
                                          {"type": "raise", "params": {"event": "x"}}]}},
            "on": {
                "ADD": {"actions": {"type": "assign", "params": {
                    "n": {"+": [{"var": "context.n"}, 1]}}}},
                "END": {"guard": "may", "target": "off"},
            },
        },
        "off": {"type": "final"},
    },
}
LINES = [{"event": "ADD"}, {"advance": 150}, {"event": "ADD", "id": "e"},
         {"checkpoint": "c"}, {"patch": {"n": 7}}, {"restore": 3}, {"event": "END"}]


class Folder(unittest.TestCase):
    def setUp(self):
        memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
        folder = tempfile.TemporaryDirectory(dir=memory)
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.machine = self.file("m.json", json.dumps(MACHINE))
        self.script = self.script_of(LINES)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def script_of(self, lines):
        return self.file("script", "".join(json.dumps(line) + "\n" for line in lines))

    def command(self, *arguments):
        return [WFSM, "crash-test", *map(str, arguments), self.machine, self.script,
                "--guard", "may=true"]

    def run_it(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True,
                              timeout=600, env={"TMPDIR": str(self.folder)})


class Faults(Folder):
    def test_every_fault_is_survived_on_both_stores(self):
        for store in ("memory", "sqlite"):
            with self.subTest(store):
                done = self.run_it("--store", store, "--pairs", 20 + KILLS // 2)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                self.assertRegex(done.stdout, r"\d+ invariants checked, violations: 0\n$")
                print(store, done.stdout)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["m.json", "script"])

    def test_json_has_the_counts(self):
        done = self.run_it("--json", "--pairs", 0)
        counts = json.loads(done.stdout)
        self.assertEqual(counts["violations"], 0)
        self.assertEqual(counts["found"], [])
        self.assertEqual(counts["faults"]["fail"], counts["calls"])
        self.assertGreater(counts["faults"]["delay"], 10)
        self.assertGreater(counts["invariants"], 1000)

    def test_a_seed_gives_the_same_again(self):
        runs = [self.run_it("--pairs", 30, "--seed", seed).stdout for seed in (5, 5, 6)]
        self.assertEqual(runs[0], runs[1])
        self.assertNotEqual(runs[0], runs[2])

    def test_most_tries_fewer_calls(self):
        counts = json.loads(self.run_it("--json", "--pairs", 0, "--most", 4).stdout)
        self.assertLessEqual(counts["faults"]["fail"], 4)
        self.assertGreater(counts["faults"]["fail"], 1)

    def test_a_wrong_store_is_found_out(self):
        for store in ("memory", "sqlite"):
            with self.subTest(store):
                done = self.run_it("--store", store, "--wrong", "--json")
                counts = json.loads(done.stdout)
                self.assertEqual(done.returncode, 1)
                self.assertGreater(counts["violations"], 0)
                self.assertIn("was acknowledged", counts["found"][0]["message"])


class Input(Folder):
    def test_a_bad_line_is_named(self):
        self.script = self.file("script", '{"event": "ADD"}\n\n{"event": 1}\n')
        done = self.run_it()
        self.assertEqual(done.returncode, 2)
        self.assertIn('line 3: "event": expected a name', done.stderr)

    def test_a_clock_that_runs_over_is_a_bad_line(self):
        self.script = self.script_of([{"advance": 2**52}, {"advance": 2**52},
                                      {"advance": 2**52}])
        done = self.run_it()
        self.assertEqual(done.returncode, 2)
        self.assertIn("line 3", done.stderr)

    def test_bad_arguments(self):
        for arguments in (["--store", "disk"], ["--seed", "-1"], ["--pairs", "x"],
                          ["--most", "1e3"], ["--unknown"]):
            self.assertEqual(self.run_it(*arguments).returncode, 64, arguments)
        for arguments in ([], ["a"], ["a", "b", "c"]):
            done = subprocess.run([WFSM, "crash-test", *arguments], capture_output=True)
            self.assertEqual(done.returncode, 64, arguments)

    def test_a_missing_script_or_machine(self):
        self.script = self.folder / "none"
        self.assertEqual(self.run_it().returncode, 1)
        self.script, self.machine = self.script_of(LINES), self.folder / "none"
        self.assertEqual(self.run_it().returncode, 1)

    def test_a_machine_that_cannot_start(self):
        self.machine = self.file("bad.json", json.dumps({
            "id": "m", "initial": "a",
            "states": {"a": {"always": {"target": "b"}}, "b": {"always": {"target": "a"}}}}))
        done = subprocess.run([WFSM, "crash-test", self.machine, self.script],
                              capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr)


class Kills(Folder):
    """The process is killed at random times and started again on the same file."""

    def setUp(self):
        super().setUp()
        lines = [[{"event": "ADD"}, {"advance": 30}, {"patch": {"n": i}}] for i in range(300)]
        self.script = self.script_of(sum(lines, []) + [{"event": "END"}])
        self.random = random.Random(11)
        self.rounds = 0

    def forget(self):
        for path in self.folder.glob("s.db*"):
            path.unlink()

    def play(self, *arguments):
        """Plays to the end; (exit code, output, kills)."""
        self.rounds += 1
        self.forget()
        kills = 0
        while True:
            process = subprocess.Popen(
                self.command("--resume", self.folder / "s.db", *arguments),
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            try:
                # Longer each time, so that a slow machine comes to the end too.
                longest = 0.05 * 1.1 ** kills
                output, _ = process.communicate(timeout=self.random.uniform(0.002, longest))
                return process.returncode, output, kills
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                kills += 1

    def test_its_files_are_its_owner_s(self):
        """Also where the umask would let others read them."""
        before = os.umask(0)
        self.addCleanup(os.umask, before)
        self.assertEqual(self.run_it("--resume", self.folder / "s.db").returncode, 0)
        modes = {file.name: oct(file.stat().st_mode & 0o777) for file in self.folder.glob("s.db*")}
        self.assertEqual(set(modes.values()), {"0o600"}, modes)
        self.assertIn("s.db.witness", modes)

    def test_kills_lose_nothing(self):
        kills, until = 0, time.monotonic() + 300 + KILLS
        while kills < KILLS and time.monotonic() < until:
            code, output, more = self.play()
            kills += more
            self.assertEqual(code, 0, output)
            self.assertIn("the script has ended", output)
            self.assertIn("violations: 0", output)
        print(f"{kills} kills in {self.rounds} plays, violations: 0")
        self.assertGreaterEqual(kills, KILLS)

    def test_a_wrong_store_is_found_out(self):
        kills, until = 0, time.monotonic() + 600
        while time.monotonic() < until:
            code, output, more = self.play("--wrong")
            kills += more
            if code == 1:
                print(f"found out after {kills} kills: {output}")
                return
        self.fail(f"{kills} kills, and nothing was found")

    def test_what_is_at_its_end_stays_there(self):
        self.assertEqual(self.play()[0], 0)
        done = self.run_it("--resume", self.folder / "s.db")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_another_machine_is_refused(self):
        self.assertEqual(self.play()[0], 0)
        other = json.loads(json.dumps(MACHINE))
        other["context"]["n"] = 1
        self.machine = self.file("m.json", json.dumps(other))
        done = self.run_it("--resume", self.folder / "s.db")
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    WFSM = sys.argv.pop(1)
    KILLS = int(sys.argv.pop(1)) if len(sys.argv) > 1 else KILLS
    unittest.main()
