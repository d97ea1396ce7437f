"""The times of schedules, against Python's zoneinfo and python-dateutil: two other readers of time zones and
rules. test_schedule_times.py LIBWFSM-AGENTS DATEUTIL, which is yes or no (then no times of rules are compared)"""

import ctypes
import datetime
import json
import random
import sys
import zoneinfo

NEVER = 2**63 - 1
ZONES = ["UTC", "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe",
         "Asia/Kolkata", "Africa/Casablanca", "Pacific/Apia", "Pacific/Chatham", "America/Havana",
         "Asia/Tehran", "Antarctica/Troll", "America/Nuuk", "Asia/Gaza"]
UTC = datetime.timezone.utc
failures = 0


class Library:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.next_of = self.library.wfsm_schedule_next
        self.next_of.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int64,
                                 ctypes.POINTER(ctypes.c_int64), ctypes.c_void_p]

    def next(self, document, after):
        """(status, seconds); None: never."""
        text = json.dumps({"machine": "m", **document}).encode()
        found = ctypes.c_int64()
        status = self.next_of(text, len(text), after * 1000, ctypes.byref(found), None)
        return status, None if found.value == NEVER else found.value // 1000


def check(condition, *what):
    global failures
    if not condition:
        failures += 1
        print("FAIL", *what)


def seconds(*parts, zone="UTC", fold=0):
    return int(datetime.datetime(*parts, tzinfo=zoneinfo.ZoneInfo(zone), fold=fold).timestamp())


def at(library, cron, zone, after, **more):
    status, found = library.next({"cron": cron, "timezone": zone, **more}, after)
    check(status == 0, cron, zone, status)
    return found


def test_known_changes(library):
    """What doc/schedules.md says about the hours that clocks leave out and show twice."""
    berlin = "Europe/Berlin"
    # 2026-03-29 02:00 to 03:00 does not exist: the time by the offset before it.
    check(at(library, "30 2 * * *", berlin, seconds(2026, 3, 28, 12)) == seconds(2026, 3, 29, 1, 30), "gap")
    check(at(library, "30 2 * * *", berlin, seconds(2026, 3, 29, 1, 30)) == seconds(2026, 3, 30, 0, 30), "after gap")
    # 2026-10-25 02:00 to 03:00 is there twice: once for a fixed hour.
    check(at(library, "30 2 * * *", berlin, seconds(2026, 10, 24, 12)) == seconds(2026, 10, 25, 0, 30), "first")
    check(at(library, "30 2 * * *", berlin, seconds(2026, 10, 25, 0, 30)) == seconds(2026, 10, 26, 1, 30), "once")
    # And each of them for every hour.
    check(at(library, "30 * * * *", berlin, seconds(2026, 10, 25, 0, 30)) == seconds(2026, 10, 25, 1, 30), "twice")
    # A whole day that does not exist.
    apia = at(library, "0 12 30 12 *", "Pacific/Apia", seconds(2011, 12, 29, 12))
    check(apia == seconds(2011, 12, 30, 22), "Apia", apia)
    # Half an hour.
    check(at(library, "15 2 * * *", "Australia/Lord_Howe", seconds(2026, 10, 3, 0)) == seconds(2026, 10, 3, 15, 45),
          "Lord Howe")


def brute_force(minutes, hours, zone, after):
    """The first minute after `after` that clocks show, by trying each; a line with a fixed hour."""
    local = zoneinfo.ZoneInfo(zone)
    day = datetime.datetime.fromtimestamp(after, local).date() - datetime.timedelta(days=1)
    best = None
    for _ in range(4):
        for hour in hours:
            for minute in minutes:
                time = datetime.datetime(day.year, day.month, day.day, hour, minute, tzinfo=local)
                instant = int(time.timestamp())  # fold=0: the offset before a gap, the first of two
                if instant > after and (best is None or instant < best):
                    best = instant
        day += datetime.timedelta(days=1)
    return best


def test_random_lines(library, rng, count):
    for _ in range(count):
        zone = rng.choice(ZONES)
        minutes = sorted(rng.sample(range(60), rng.randint(1, 3)))
        hours = sorted(rng.sample(range(24), rng.randint(1, 4)))
        after = rng.randint(seconds(1990, 1, 1), seconds(2090, 1, 1))
        if zone == "Pacific/Apia" and abs(after - seconds(2011, 12, 30)) < 5 * 86400:
            continue  # brute_force() looks at too few days
        line = "%s %s * * *" % (",".join(map(str, minutes)), ",".join(map(str, hours)))
        found = at(library, line, zone, after)
        check(found == brute_force(minutes, hours, zone, after), line, zone, after, found)


def test_every_change(library, zones, count, rng):
    """Around each change of a year, every minute that clocks show is found, as often as they show it."""
    for zone in zones:
        local = zoneinfo.ZoneInfo(zone)
        for year in sorted(rng.sample(range(1995, 2080), count)):
            start = seconds(year, 1, 1)
            offsets = [datetime.datetime.fromtimestamp(start + hour * 3600, local).utcoffset()
                       for hour in range(366 * 24)]
            for hour in range(1, len(offsets)):
                if offsets[hour] == offsets[hour - 1]:
                    continue
                time = start + (hour - 2) * 3600
                for _ in range(6):
                    expected = next(t for t in range(time // 60 * 60 + 60, time + 86400, 60)
                                    if datetime.datetime.fromtimestamp(t, local).minute % 20 == 0)
                    found = at(library, "*/20 * * * *", zone, time)
                    check(found == expected, zone, time, found, expected)
                    time = expected


def test_days(library, rng, count):
    """Days of months and weeks, by trying each day."""
    for _ in range(count):
        days = sorted(rng.sample(range(1, 32), rng.randint(1, 2)))
        months = sorted(rng.sample(range(1, 13), rng.randint(1, 3)))
        week = rng.choice([None, rng.randint(0, 7)])
        line = "0 0 %s %s %s" % (",".join(map(str, days)), ",".join(map(str, months)), "*" if week is None else week)
        after = rng.randint(0, seconds(2200, 1, 1))
        day = datetime.datetime.fromtimestamp(after, UTC).date() + datetime.timedelta(days=1)
        expected = None
        for _ in range(366 * 9):
            by_month, by_week = day.day in days, week is not None and day.isoweekday() % 7 == week % 7
            if day.month in months and (by_month or by_week):
                expected = seconds(day.year, day.month, day.day)
                break
            day += datetime.timedelta(days=1)
        found = at(library, line, "UTC", after)
        check(found == expected, line, after, found, expected)


def test_refused(library):
    for line in ["", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8",
                 "5-1 * * * *", "*/0 * * * *", "1/5 * * * *", "a * * * *", "1,,2 * * * *", "1, * * * *",
                 "-1 * * * *", "@reboot", "99999999999999 * * * *", "* * * jann *", "* " * 2000, "1-2-3 * * * *",
                 "* * * * mon-", "\u0000 * * * *"]:
        status, _ = library.next({"cron": line}, 0)
        check(status != 0, "taken:", line)
    for zone in ["", "/etc/passwd", "../../../etc/passwd", "Europe", "Europe/Nowhere", "Europe/../UTC", "a" * 5000,
                 "posixrules\u0000", "tzdata.zi", "zone.tab", "Europe//Berlin", 5, None]:
        status, _ = library.next({"cron": "@daily", "timezone": zone}, 0)
        check(status != 0, "taken:", zone)
    for more in [{"x": 1}, {"overlap": "all"}, {"catchupWindow": 9999}, {"catchupWindow": "1h"}, {"input": []},
                 {"machine": ""}, {"machine": 5}, {"cron": []}, {"cron": [1]}, {"cron": None}, {"cron": ["@daily"] * 65},
                 {"start": "2026-02-29T00:00:00"}, {"start": "2026-01-01"}, {"end": 5}, {"start": "1969-01-01T00:00:00"}]:
        status, _ = library.next({"cron": "@daily", **more}, 0)
        check(status != 0, "taken:", more)
    status, found = library.next({"cron": "0 0 30 2 *"}, 0)
    check(status == 0 and found is None, "30 February", status, found)
    status, found = library.next({"cron": "0 0 29 2 *"}, seconds(2096, 3, 1))
    check(found == seconds(2104, 2, 29), "2100 is no leap year", found)
    status, found = library.next({"cron": "@daily", "end": "2026-01-05T00:00:00"}, seconds(2026, 1, 4, 12))
    check(found == seconds(2026, 1, 5), "the end belongs to it", found)
    status, found = library.next({"cron": "@daily", "end": "2026-01-05T00:00:00"}, seconds(2026, 1, 5))
    check(found is None, "the end", found)
    status, found = library.next({"cron": "@daily", "start": "2030-01-05T12:00:00"}, 0)
    check(found == seconds(2030, 1, 6), "the start", found)


RULES = ["FREQ=DAILY", "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;BYDAY=MO,WE", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO",
         "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=MONTHLY;BYDAY=2TU", "FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=MONTHLY;BYMONTHDAY=31",
         "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
         "FREQ=YEARLY;BYMONTH=3,10;BYDAY=-1SU", "FREQ=DAILY;COUNT=10", "FREQ=WEEKLY;COUNT=5;BYDAY=TU,TH",
         "FREQ=HOURLY;INTERVAL=6", "FREQ=MINUTELY;INTERVAL=45", "FREQ=MINUTELY;INTERVAL=20000", "FREQ=HOURLY;COUNT=50",
         "FREQ=MINUTELY;UNTIL=20260301T101500", "FREQ=DAILY;INTERVAL=2;BYHOUR=1,23", "FREQ=DAILY;BYHOUR=2,14;BYMINUTE=30",
         "FREQ=DAILY;UNTIL=20260401T000000", "FREQ=DAILY;UNTIL=20260401T000000Z", "FREQ=MONTHLY;INTERVAL=5",
         "FREQ=YEARLY;INTERVAL=2", "FREQ=YEARLY;BYYEARDAY=100,-1", "FREQ=YEARLY;BYWEEKNO=1,-1;BYDAY=TU,SU",
         "FREQ=DAILY;BYHOUR=17,9", "FREQ=DAILY;BYMONTHDAY=-1;BYHOUR=9,17;BYSETPOS=2"]


def test_rules(library, rng, count):
    from dateutil import rrule
    for rule in RULES:
        for _ in range(count):
            zone = rng.choice(ZONES)
            local = zoneinfo.ZoneInfo(zone)
            begin = datetime.datetime(2025, 1, 1) + datetime.timedelta(minutes=rng.randrange(600000))
            text = rule
            if rule.endswith("Z"):  # dateutil wants an end in the form of the begin
                end = datetime.datetime(2026, 4, 1, tzinfo=UTC).astimezone(local)
                text = "FREQ=DAILY;UNTIL=" + end.strftime("%Y%m%dT%H%M%S")
            after = seconds(2024, 6, 1) + rng.randrange(3 * 366 * 86400)
            times = rrule.rrulestr(text, dtstart=begin)
            near = datetime.datetime.fromtimestamp(after, local).replace(tzinfo=None) - datetime.timedelta(days=2)
            expected = None
            for time in times.xafter(near, inc=True):
                instant = int(time.replace(tzinfo=local).timestamp())
                if instant > after:
                    expected = instant
                    break
            status, found = library.next({"rrule": rule, "start": begin.strftime("%Y-%m-%dT%H:%M:%S"),
                                          "timezone": zone}, after)
            check(status == 0 and found == expected, rule, zone, begin, after, status, found, expected)


def times_of(library, rule, start, zone, count):
    """The first times of a rule, as local times."""
    found, after = [], 0
    for _ in range(count):
        status, after = library.next({"rrule": rule, "start": start, "timezone": zone}, after)
        check(status == 0, rule, status)
        if after is None:
            return found + [None]
        found.append(datetime.datetime.fromtimestamp(after, zoneinfo.ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M"))
    return found


def test_rules_of_rfc(library):
    """Examples of RFC 5545, 3.8.5.3, with the times that it lists."""
    york, nine = "America/New_York", "1997-09-02T09:00:00"
    for rule, start, expected in [
            ("FREQ=DAILY;INTERVAL=10;COUNT=5", nine, ["09-02", "09-12", "09-22", "10-02", "10-12", None]),
            ("FREQ=WEEKLY;INTERVAL=2;WKST=SU", nine, ["09-02", "09-16", "09-30", "10-14", "10-28", "11-11"]),
            ("FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "1997-08-05T09:00:00", ["08-05", "08-10", "08-19", "08-24", None]),
            ("FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "1997-08-05T09:00:00", ["08-05", "08-17", "08-19", "08-31", None]),
            ("FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-04T09:00:00", ["09-04", "10-07", "11-06", None]),
            ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", "1997-09-29T09:00:00", ["09-29", "10-30", "11-27", "12-30"]),
            ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", nine, ["1998-02-13", "1998-03-13", "1998-11-13", "1999-08-13", "2000-10-13"]),
            ("FREQ=YEARLY;BYDAY=20MO", "1997-05-19T09:00:00", ["05-19", "1998-05-18", "1999-05-17"]),
            ("FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", "1997-05-12T09:00:00", ["05-12", "1998-05-11", "1999-05-17"]),
            ("FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "1996-11-05T09:00:00",
             ["1996-11-05", "2000-11-07", "2004-11-02"]),
            ("FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200", "1997-01-01T09:00:00",
             ["01-01", "04-10", "07-19", "2000-01-01", "2000-04-09", "2000-07-18", "2003-01-01", "2003-04-10", "2003-07-19",
              "2006-01-01", None])]:
        whole = [day and ("" if len(day) > 5 else "1997-") + day + " 09:00" for day in expected]
        check(times_of(library, rule, start, york, len(whole)) == whole, rule, times_of(library, rule, start, york, len(whole)))
    # What the RFC does not list: the day of the week of the start, and mixed days.
    check(times_of(library, "FREQ=YEARLY;BYWEEKNO=38", nine, york, 2) == ["1997-09-16 09:00", "1998-09-15 09:00"], "week 38")
    check(times_of(library, "FREQ=MONTHLY;BYDAY=1MO,FR;COUNT=6", nine, york, 7) ==
          [f"1997-{day} 09:00" for day in ("09-05", "09-12", "09-19", "09-26", "10-03", "10-06")] + [None], "mixed days")
    check(times_of(library, "FREQ=DAILY;UNTIL=19970904", "1997-09-02T00:00:00", york, 4)[2:] == ["1997-09-04 00:00", None], "a date")
    check(times_of(library, "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30", nine, york, 1) == [None], "30 February")


def random_list(rng, draw):
    return ",".join(str(draw()) for _ in range(rng.randint(1, 3)))


def random_rule(rng):
    """Without what dateutil reads otherwise: numbered days beside others, BYWEEKNO without BYDAY, and BYSETPOS in the week
    of the start, of which dateutil sees the rest. And without BYSETPOS in a day: for a position that is never there, it
    takes seconds."""
    frequency = rng.choice(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"])
    days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    def signed(most):
        return random_list(rng, lambda: rng.choice([-1, 1]) * rng.randint(1, most))

    by = []
    numbered = frequency in ("MONTHLY", "YEARLY") and rng.random() < .3
    week = frequency == "YEARLY" and not numbered and rng.random() < .3
    if numbered:
        by.append("BYDAY=" + random_list(rng, lambda: rng.choice(["1", "-1", "2", "+3", "5", "-5"]) + rng.choice(days)))
    elif week or rng.random() < .4:
        by.append("BYDAY=" + random_list(rng, lambda: rng.choice(days)))
    if week:
        by.append("BYWEEKNO=" + signed(53))
    if rng.random() < .3:
        by.append("BYMONTH=" + random_list(rng, lambda: rng.randint(1, 12)))
    if frequency in ("MONTHLY", "YEARLY") and rng.random() < .35:
        by.append("BYMONTHDAY=" + signed(31))
    if frequency == "YEARLY" and rng.random() < .15:
        by.append("BYYEARDAY=" + signed(366))
    if rng.random() < .2:
        by.append("BYHOUR=" + random_list(rng, lambda: rng.randint(0, 23)))
    if rng.random() < .2:
        by.append("BYMINUTE=" + random_list(rng, lambda: rng.randint(0, 59)))
    if by and frequency in ("MONTHLY", "YEARLY") and rng.random() < .3:
        by.append("BYSETPOS=" + signed(5))
    if rng.random() < .4:
        by.append(f"INTERVAL={rng.choice([1, 2, 3, 5, 7, 12, 13])}")
    if rng.random() < .2:
        by.append(f"COUNT={rng.choice([1, 2, 5, 100])}")
    if rng.random() < .2:
        by.append("WKST=" + rng.choice(days))
    rng.shuffle(by)
    return ";".join(["FREQ=" + frequency, *by])


def test_random_rules(library, rng, count):
    """Up to the year 2040: dateutil is slow with rules that have no times."""
    from dateutil import rrule
    for _ in range(count):
        rule = random_rule(rng)
        begin = datetime.datetime(2025, 1, 1) + datetime.timedelta(minutes=rng.randrange(600000))
        after = seconds(2024, 6, 1) + rng.randrange(3 * 366 * 86400)
        naive = datetime.datetime.fromtimestamp(after, UTC).replace(tzinfo=None)
        time = rrule.rrulestr(rule + ";UNTIL=20401231T235959", dtstart=begin).after(naive)
        expected = time and int(time.replace(tzinfo=UTC).timestamp())
        status, found = library.next({"rrule": rule, "start": begin.strftime("%Y-%m-%dT%H:%M:%S")}, after)
        if found is not None and found >= seconds(2041, 1, 1):
            found = None
        check(status == 0 and found == expected, rule, begin, after, status, found, expected)


def test_bad_rules(library):
    for rule in ["", "DAILY", "FREQ=", "FREQ=NEVER", "FREQ=SECONDLY", "FREQ=HOURLY;BYDAY=MO", "FREQ=HOURLY;BYHOUR=5", "FREQ=MINUTELY;BYMINUTE=5",
                 "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30",
                 "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;COUNT=-1", "FREQ=DAILY;COUNT=3333333333", "FREQ=DAILY;COUNT=42949672970", "FREQ=DAILY;BYDAY=XX", "FREQ=DAILY;FOO=1",
                 "freq=daily", "FREQ=DAILY\n", "FREQ=DAILY;" * 500, "RRULE:FREQ=DAILY", "FREQ=DAILY;BYHOUR=99",
                 "FREQ=WEEKLY;WKST=SU;BYDAY=2MO;UNTIL=20300101T000000Z", "FREQ=DAILY;BYDAY=-1FR", "FREQ=YEARLY;BYWEEKNO=5;BYDAY=1MO",
                 "FREQ=MONTHLY;BYWEEKNO=5", "FREQ=DAILY;", ";FREQ=DAILY", "FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY;BYHOUR=1,",
                 "FREQ=DAILY;BYHOUR=,1", "FREQ=DAILY;BYMONTHDAY=0", "FREQ=DAILY;BYMONTHDAY=-32", "FREQ=DAILY;BYMONTH=-1",
                 "FREQ=DAILY;BYMONTH=13", "FREQ=DAILY;BYSETPOS=1", "FREQ=MONTHLY;BYDAY=0MO", "FREQ=MONTHLY;BYDAY=54MO",
                 "FREQ=MONTHLY;BYDAY=1", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;INTERVAL=1x", "FREQ=DAILY;COUNT=0",
                 "FREQ=DAILY;COUNT=5;UNTIL=20300101", "FREQ=DAILY;UNTIL=2030", "FREQ=DAILY;UNTIL=20300230T000000",
                 "FREQ=DAILY;UNTIL=20300101T000000z", "FREQ=DAILY;UNTIL=20300101X000000", "FREQ=DAILY;WKST=XX", "FREQ=DAILY;WKST=MO,TU",
                 "INTERVAL=2", "FREQ=DAILY;BYHOUR=" + ",".join(map(str, range(24))) + ";BYMINUTE=" + ",".join(map(str, range(60))) +
                 ";BYSECOND=0,1", "FREQ=DAILY;BYHOUR=99999999999999999999", "FREQ=MONTHLY;BYYEARDAY=5", "FREQ=WEEKLY;BYMONTHDAY=5"]:
        status, found = library.next({"rrule": rule, "start": "2026-01-01T00:00:00"}, seconds(2026, 6, 1))
        check(status != 0, "taken:", rule, found)
    check(library.next({"rrule": "FREQ=DAILY"}, 0)[0] != 0, "a rule without a start")
    status, _ = library.next({"rrule": "FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7;BYMINUTE=1,2,3,4,5;COUNT=900000",
                              "start": "1970-01-01T00:00:00"}, seconds(2026, 1, 1))
    check(status != 0, "too many times before")


def main():
    library, rng = Library(sys.argv[1]), random.Random(24)
    counts = (300, 2, 300, 8, 250)
    test_known_changes(library)
    test_random_lines(library, rng, counts[0])
    test_every_change(library, ZONES, counts[1], rng)
    test_days(library, rng, counts[2])
    test_refused(library)
    test_rules_of_rfc(library)
    test_bad_rules(library)
    if sys.argv[2] == "yes":
        test_rules(library, rng, counts[3])
        test_random_rules(library, rng, counts[4])
    sys.exit(failures != 0)


main()
