"""Schedules from Python: wfsm.schedule."""
import unittest

from support import Case, wfsm
from wfsm import schedule

BEGIN, MINUTE = 1767225600000, 60000  # 2026-01-01T00:00:00Z
JOB = {"id": "job", "initial": "a", "states": {"a": {"on": {"go": "b"}}, "b": {"type": "final"}}}
DOCUMENT = {"machine": "job", "cron": "* * * * *", "overlap": "allowAll"}


class Schedule(Case):
    def setUp(self):
        super().setUp()
        self.store = self.memory()
        self.engine = wfsm.Engine(self.store, now=BEGIN)
        self.addCleanup(self.engine.close)
        self.engine.add_machine(wfsm.Machine.load(JOB))
        self.schedules = schedule.Schedules(self.engine, self.store)
        self.addCleanup(self.schedules.close)

    def at(self, now):
        for _ in range(2):
            self.engine.adopt_all(now=now)
            self.engine.run(now)
            self.schedules.run(now)
            self.engine.run(now)

    def jobs(self):
        return [head.instance for head in self.store.list(machine="job")]

    def test_times(self):
        self.assertEqual(schedule.times(DOCUMENT, 3, after=BEGIN), [BEGIN + MINUTE * n for n in (1, 2, 3)])
        self.assertEqual(schedule.times({**DOCUMENT, "end": "2026-01-01T00:01:00"}, 3, after=BEGIN), [BEGIN + MINUTE])
        with self.assertRaisesRegex(wfsm.BadDocument, "five fields"):
            schedule.times({"machine": "job", "cron": "* *"})

    def test_what_is_due_is_started(self):
        schedule.create(self.store, "s", DOCUMENT, now=BEGIN)
        with self.assertRaises(wfsm.AlreadyExists):
            schedule.create(self.store, "s", DOCUMENT, now=BEGIN)
        self.at(BEGIN)
        self.at(BEGIN + 2 * MINUTE)
        self.assertEqual(self.jobs(), ["s-2026-01-01T00:01:00Z", "s-2026-01-01T00:02:00Z"])
        [listed] = schedule.schedules(self.store)
        self.assertEqual((listed["id"], listed["state"], listed["next"], listed["started"]),
                         ("s", "waiting", BEGIN + 3 * MINUTE, 2))
        self.assertEqual(listed["schedule"], DOCUMENT)

    def test_pause_trigger_resume_update(self):
        schedule.create(self.store, "s", DOCUMENT, now=BEGIN)
        self.at(BEGIN)
        schedule.pause(self.store, "s", sender="ada", now=BEGIN)
        self.at(BEGIN + 5 * MINUTE)
        self.assertEqual(schedule.schedules(self.store)[0]["state"], "paused")
        schedule.trigger(self.store, "s", now=BEGIN)
        self.at(BEGIN + 6 * MINUTE)
        self.assertEqual(self.jobs(), ["s-trigger-1-%d" % (BEGIN + 6 * MINUTE)])
        schedule.resume(self.store, "s", now=BEGIN)
        self.at(BEGIN + 6 * MINUTE + 2000)
        self.at(BEGIN + 7 * MINUTE)
        self.assertEqual(len(self.jobs()), 2)
        with self.assertRaises(wfsm.BadDocument):
            schedule.update(self.store, "s", {"machine": "job"}, now=BEGIN)
        schedule.update(self.store, "s", {**DOCUMENT, "cron": "@yearly"}, now=BEGIN)
        self.at(BEGIN + 9 * MINUTE)
        self.at(BEGIN + 19 * MINUTE)
        self.assertEqual(len(self.jobs()), 2)

    def test_the_machine_is_missing(self):
        schedule.create(self.store, "s", {**DOCUMENT, "machine": "absent"}, now=BEGIN)
        self.at(BEGIN)
        with self.assertRaisesRegex(wfsm.NotFound, "schedule s: "):
            self.at(BEGIN + MINUTE)

    def test_an_engine_that_is_closed(self):
        self.engine.close()
        self.assertTrue(self.schedules.closed)
        with self.assertRaises(TypeError):
            schedule.Schedules(self.store, self.store)


if __name__ == "__main__":
    unittest.main()
