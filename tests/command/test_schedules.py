"""The command wfsm from outside: schedules, with workers that are killed.

usage: test_schedules.py WFSM [EMBED-SCHEDULE]
"""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

import test_command
from test_command import Folder, run

MINUTE = 60000
BEGIN = 1767225600000  # 2026-01-01T00:00:00Z
JOB = {"wfsm": 1, "id": "job", "initial": "a", "states": {"a": {"always": "b"}, "b": {"type": "final"}}}
EXAMPLE = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)
SCHEDULE = {"machine": "job", "cron": "*/10 * * * *", "overlap": "allowAll", "catchupWindow": 3153600000000}


class Schedules(Folder):
    def setUp(self):
        super().setUp()
        self.store = self.make_store()
        self.fine("store", "init", self.store)
        self.job = self.file(JOB, "job.json")
        self.agents = self.file("", "a.toml")
        self.schedule = self.file(SCHEDULE, "s.json")

    def make_store(self):
        return self.folder / "s.db"

    def fine(self, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, b""), arguments)
        return done.stdout.decode()

    def failed(self, pattern, *arguments, code=1):
        done = run(*arguments)
        self.assertEqual(done.returncode, code, arguments)
        self.assertRegex((done.stdout + done.stderr).decode(), pattern)

    def worker(self, *more, env=None):
        process = subprocess.Popen([test_command.WFSM, "work", "--machines", self.job, "--agents", self.agents,
                                    "--lapse", "1000", *more, self.store], cwd=self.folder, env=env,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        return process

    def until(self, process, pattern):
        said = []
        for line in process.stdout:
            said.append(line)
            if re.search(pattern, line):
                return line
        raise AssertionError(f"{pattern} was not printed: {said}")

    def end(self, process):
        process.send_signal(signal.SIGTERM)
        said = process.stdout.read()
        self.assertEqual(process.wait(), 0, said)

    def listed(self):
        return {one["id"]: one for one in json.loads(self.fine("schedules", "--json", self.store))}

    def jobs(self):
        return [one["id"] for one in json.loads(self.fine("list", "--machine", "job", "--json", self.store))]

    def wait_for(self, check):
        """Until the store has it; a failure is a timeout of the test."""
        while not check():
            time.sleep(0.05)

    def test_commands(self):
        self.assertEqual(self.fine("schedules", self.store), "there are no schedules\n")
        self.assertEqual(self.fine("schedule", "add", "--now", BEGIN, self.store, "s", self.schedule), "s was added\n")
        self.failed("already", "schedule", "add", self.store, "s", self.schedule)
        listed = self.fine("schedules", "--now", BEGIN, "--next", 2, self.store)
        self.assertRegex(listed, r"s +deciding +job +2026-01-01T00:10:00.000Z 2026-01-01T00:20:00.000Z")
        self.assertEqual(self.fine("schedule", "next", "--next", 1, "--now", BEGIN, self.schedule),
                         "2026-01-01T00:10:00.000Z\n")
        bad = self.file({"machine": "job", "cron": "61 * * * *"}, "bad.json")
        self.failed("minute: expected", "schedule", "add", self.store, "t", bad)
        self.failed("minute: expected", "schedule", "update", self.store, "s", bad)
        self.failed("minute: expected", "schedule", "next", bad)
        never = self.file({"machine": "job", "cron": "0 0 31 2 *"}, "never.json")
        self.assertEqual(self.fine("schedule", "add", self.store, "n", never), "n was added, and is never due\n")
        self.failed("none", "schedule", "pause", self.store, "none")
        self.fine("start", self.store, self.job, "other")
        self.failed("other is not a schedule", "schedule", "pause", self.store, "other")
        for arguments in [(), ("add",), ("add", self.store), ("pause", self.store), ("fly", self.store, "s"),
                          ("next",), ("next", "--next", "101", self.schedule)]:
            self.failed("--help", "schedule", *arguments, code=64)
        self.failed("--help", "schedules", code=64)
        self.failed("--help", "schedules", "--by", "x", self.store, code=64)

    def test_pause_trigger_resume(self):
        self.fine("schedule", "add", self.store, "s", self.file({**SCHEDULE, "cron": "@yearly"}, "y.json"))
        worker = self.worker()
        self.until(worker, "s  deciding → waiting")
        self.fine("schedule", "trigger", "--by", "ada", self.store, "s")
        self.until(worker, r"s-trigger-1-\d+ ")
        self.fine("schedule", "pause", "--id", "p1", self.store, "s")
        self.until(worker, "→ paused")
        self.failed("already", "schedule", "pause", "--id", "p1", self.store, "s")
        self.assertEqual(self.listed()["s"]["state"], "paused")
        self.fine("schedule", "trigger", self.store, "s")
        self.until(worker, r"s-trigger-2-\d+ ")
        self.fine("schedule", "resume", self.store, "s")
        self.wait_for(lambda: self.listed()["s"]["state"] == "waiting")
        self.end(worker)
        self.assertEqual(len(self.jobs()), 2)
        self.assertIn('"sender":"ada"', self.fine("journal", "--json", self.store, "s").replace(" ", ""))
        self.assertIn("0 diagnostics", self.fine("audit", self.store))

    def test_a_document_names_its_schedules(self):
        def job(cron):
            self.file({**JOB, "meta": {"schedules": {"nightly": {"cron": cron}}}}, "job.json")
        job("0 2 * * *")
        worker = self.worker()
        self.until(worker, "adds the schedule job.nightly")
        self.until(worker, "job.nightly  deciding → waiting")
        self.end(worker)
        job("0 3 * * *")
        worker = self.worker()
        self.until(worker, "updates the schedule job.nightly")
        self.wait_for(lambda: self.listed()["job.nightly"]["schedule"]["cron"] == "0 3 * * *")
        self.end(worker)
        worker = self.worker()
        self.until(worker, "takes job.nightly")
        self.end(worker)
        job("0 3 * *")
        process = self.worker()
        self.until(process, "expected five fields")
        self.assertEqual(process.wait(), 1)

    def expected(self, since, until):
        return {time.strftime("s-%Y-%m-%dT%H:%M:%SZ", time.gmtime(at // 1000))
                for at in range(since + 10 * MINUTE, until + 1, 10 * MINUTE)}

    def test_kills_neither_lose_nor_double_a_start(self):
        """A schedule that is behind by months of times; two workers, one of which is killed again and again."""
        since = int(time.time() * 1000) // (10 * MINUTE) * 10 * MINUTE - 1500 * 10 * MINUTE
        self.fine("schedule", "add", "--now", since, self.store, "s", self.schedule)
        kills = 0
        steady = self.worker()
        drain = threading.Thread(target=lambda: [None for _ in steady.stdout])
        drain.start()
        while kills < 6:
            victim = self.worker()
            self.until(victim, "serves job")
            count = len(self.jobs())
            if kills % 2 == 1:
                self.wait_for(lambda: len(self.jobs()) > count or self.is_done(since))
            victim.kill()
            victim.wait()
            kills += 1
            if kills == 3:  # the other one, too: the next victim has to take over
                steady.kill()
                steady.wait()
                drain.join()
                steady = self.worker()
                drain = threading.Thread(target=lambda process=steady: [None for _ in process.stdout])
                drain.start()
        self.wait_for(lambda: self.is_done(since))
        steady.send_signal(signal.SIGTERM)
        drain.join()
        steady.wait()
        found, least = self.jobs(), self.expected(since, since + 1500 * 10 * MINUTE)
        self.assertEqual(len(found), len(set(found)))
        self.assertEqual(least - set(found), set())
        self.assertEqual(set(found) - self.expected(since, int(time.time() * 1000)), set())
        self.assertEqual(self.listed()["s"]["started"], len(found))
        self.assertIn("0 diagnostics", self.fine("audit", self.store))

    def is_done(self, since):
        return self.expected(since, since + 1500 * 10 * MINUTE) <= set(self.jobs())

    @unittest.skipUnless(FAKETIME, "needs libfaketime")
    def test_a_clock_that_is_set_back(self):
        """Nothing is started twice, and what comes later is started in its time."""
        clock = self.folder / "clock"

        def set_clock(word):  # In one piece: the worker reads it all the time.
            new = self.file(f"@2026-01-01 {word}", "new-clock")
            os.replace(new, clock)
        set_clock("00:00:30")
        self.fine("schedule", "add", "--now", BEGIN, self.store, "s", self.schedule)
        # The time of day is set, and continues from there, as seen from the start of the worker. Other clocks stay.
        worker = self.worker(env={**os.environ, "LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(clock),
                                  "FAKETIME_NO_CACHE": "1", "DONT_FAKE_MONOTONIC": "1", "TZ": "UTC",
                                  "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"})
        self.until(worker, "s  deciding → waiting")
        set_clock("00:10:05")
        self.until(worker, "s-2026-01-01T00:10:00Z")
        for number, word in enumerate(("00:03:00", "00:10:30"), 1):
            set_clock(word)
            self.fine("schedule", "trigger", "--now", BEGIN, self.store, "s")
            self.until(worker, rf"s-trigger-{number}-\d+ ")
        set_clock("00:20:01")
        self.until(worker, "s-2026-01-01T00:20:00Z")
        self.end(worker)
        self.assertEqual([one for one in self.jobs() if "trigger" not in one],
                         ["s-2026-01-01T00:10:00Z", "s-2026-01-01T00:20:00Z"])
        self.assertEqual(self.listed()["s"]["started"], 4)
        self.assertIn("0 diagnostics", self.fine("audit", self.store))

    def test_a_machine_of_another_worker(self):
        """A worker that has a schedule, and not the machine that it starts, continues, and says so once."""
        self.fine("schedule", "add", "--now", BEGIN, self.store, "s",
                  self.file({**SCHEDULE, "machine": "absent", "cron": "@monthly"}, "y.json"))
        self.fine("schedule", "add", self.store, "t", self.file({**SCHEDULE, "cron": "@yearly"}, "z.json"))
        worker = self.worker()
        self.until(worker, "schedule s: .*absent")
        self.fine("schedule", "trigger", self.store, "t")
        self.until(worker, r"t-trigger-1-\d+ ")
        self.file({**JOB, "id": "absent"}, "absent.json")
        self.end(worker)
        worker = self.worker("--machines", self.folder / "absent.json")
        self.until(worker, "s-2026-02-01T00:00:00Z")
        self.end(worker)

    @unittest.skipUnless(len(sys.argv) > 2, "without the example")
    def test_the_example(self):
        def example():
            process = subprocess.Popen([str(EXAMPLE), self.job, self.store, "s", self.schedule], cwd=self.folder,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.addCleanup(process.wait)
            self.addCleanup(process.stdout.close)
            self.addCleanup(process.kill)
            return process
        process = example()
        self.until(process, "s  deciding → waiting")
        self.fine("schedule", "trigger", self.store, "s")
        self.until(process, r"s-trigger-1-\d+ ")
        self.end(process)
        process = example()
        self.fine("schedule", "trigger", self.store, "s")
        self.until(process, r"s-trigger-2-\d+ ")
        self.end(process)

    def test_hostile_posts(self):
        """Whatever is posted to a schedule, the worker continues, and the schedule can be repaired."""
        self.fine("schedule", "add", self.store, "s", self.file({**SCHEDULE, "cron": "@yearly"}, "y.json"))
        worker = self.worker()
        self.until(worker, "s  deciding → waiting")
        hostile = [("decided", "5"), ("decided", "null"), ("free", "null"), ("due", "null"), ("update", "null"),
                   ("update", '"\\u001b[31m"'), ("update", '{"machine":"job","cron":"\\u001b[2J"}'),
                   ("update", '{"machine":"job","cron":"* * * * *","timezone":"../../etc/passwd"}'),
                   ("update", '{"machine":"job","rrule":"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30","start":"2026-01-01T00:00:00"}'),
                   ("update", json.dumps({"machine": "x" * 100000, "cron": "@daily"})),
                   ("decided", '{"last":"x","next":-5,"running":[5,{}],"pending":[],"started":1e300}')]
        for event, data in hostile:
            self.fine("post", self.store, "s", event, data)
        self.fine("schedule", "update", self.store, "s", self.schedule)

        def repaired():  # Until then it may be one that cannot be read.
            rows = json.loads(run("schedules", "--json", self.store).stdout)
            return [(one["state"], one["schedule"]) for one in rows] == [("waiting", SCHEDULE)]
        self.wait_for(repaired)
        self.end(worker)


if __name__ == "__main__":
    test_command.WFSM = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1])
