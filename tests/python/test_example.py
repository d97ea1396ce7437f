"""examples/approval.py: killed at work, taken over, rejected, approved."""
import getpass
import os
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

from support import ROOT, Case, wfsm

EXAMPLE = ROOT / "bindings" / "python" / "examples" / "approval.py"


class Approval(Case):
    def command(self, *words):
        return [sys.executable, str(EXAMPLE), words[0], str(self.path), *words[1:]]

    def run_task(self):
        process = subprocess.Popen(self.command("run", "state machines"), text=True,
                                   stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def post(self, *words):
        subprocess.run(self.command(*words), check=True)

    def wait_for_person(self):
        end = time.monotonic() + 600
        with wfsm.sqlite(self.path) as store:
            while not store.list(tag="awaiting_input"):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.02)

    def test_a_killed_task_continues(self):
        self.path = self.folder() / "tasks.db"
        first = self.run_task()
        begun = first.stdout.readline()
        self.assertRegex(begun, "^writing, attempt 1 of text-1/1/1-[0-9]+\n$")
        first.send_signal(signal.SIGKILL)
        first.wait()
        second = self.run_task()
        self.assertEqual(second.stdout.readline(), begun.replace("attempt 1", "attempt 2"))
        self.assertEqual(second.stdout.readline(),
                         "waiting for approval of: On state machines.\n")
        self.post("approve", "mallory")  # no editor
        self.post("reject", "ada", "shorter")
        self.assertIn("writing, attempt 1 of", second.stdout.readline())
        self.wait_for_person()
        self.post("approve", "ada")
        self.assertEqual(second.stdout.readline(), "published: On state machines, shorter.\n")
        self.assertEqual(second.stdout.readline(), "the end: published\n")
        self.assertEqual(second.wait(timeout=10), 0)
        with wfsm.sqlite(self.path) as store:
            self.assertEqual(store.head("text-1").status, wfsm.InstanceStatus.DONE)
            origins = [record.data["origin"] for record in store.records("text-1")
                       if record.data["input"].get("event") == "approve"]
        self.assertEqual([origin["interface"] for origin in origins], ["command"] * 2)
        self.assertEqual([origin["sender"] for origin in origins], [getpass.getuser()] * 2)


class Owners(unittest.TestCase):
    def test_only_a_process_that_has_certainly_ended_is_dead(self):
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        mine = wfsm.session_name()
        host = mine.rsplit(":", 2)[0]
        self.assertFalse(wfsm.owner_is_dead(mine))
        self.assertTrue(wfsm.owner_is_dead(f"{host}:{gone.pid}:1"))
        for owner in ("", "engine", f"elsewhere:{gone.pid}:1", f"{host}:x:1", f"{host}:1:1",
                      f"{host}:{os.getpid()}:1", f"{host}:{10**30}:1"):
            self.assertFalse(wfsm.owner_is_dead(owner), owner)

    def test_names_differ_also_when_the_clock_stands_still(self):
        with unittest.mock.patch("time.time_ns", return_value=7):
            self.assertEqual(len({wfsm.session_name() for _ in range(100)}), 100)


if __name__ == "__main__":
    unittest.main()
