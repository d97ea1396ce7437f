/* Time zones, cron lines, rules and schedule documents. The first byte says what the rest is. What is
 * found is after what was asked, and asking again from just before it finds it again. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "agents/schedule_cron.h"
#include "agents/schedule_document.h"

/* 2026-03-01 and the end of times. */
static const int64_t afters[] = {0, INT64_C(1772323200), INT64_C(253402300700)};
enum { AFTERS = sizeof afters / sizeof *afters };

static void zone(const char *data, size_t size)
{
    wfa_zone zone;
    wfa_error error;
    int64_t instants[2], time;

    if (wfa_zone_parse(&zone, data, size, &error) != 0)
        return;
    for (time = -5000000000; time < 300000000000; time += 7777777777) {
        int32_t offset = wfa_zone_offset(&zone, time);
        int count = wfa_zone_instants(&zone, time, instants);
        fuzz_expect(offset >= -26 * 3600 && offset <= 26 * 3600, "an offset is a day at most");
        fuzz_expect(count < 2 || instants[0] != instants[1], "two instants are two");
    }
    wfa_zone_free(&zone);
}

static void cron(const char *line)
{
    const wfa_zone utc = {.count = 0};
    wfa_cron parsed;
    wfa_error error;
    int64_t next, again;

    if (wfa_cron_parse(&parsed, line, &error) != 0)
        return;
    for (int i = 0; i < AFTERS; i++) {
        if (wfa_cron_next(&parsed, &utc, afters[i], &next) != 0)
            continue;
        fuzz_expect(next > afters[i] && next % 60 == 0, "a time is a later minute");
        fuzz_expect(wfa_cron_next(&parsed, &utc, next - 1, &again) == 0 && again == next,
                    "the next time is found again");
    }
}

static void ask(json_t *document)
{
    wfa_schedule schedule;
    wfa_error error;
    int64_t next, again;

    if (document && wfa_schedule_read(&schedule, document, &error) == 0)
        for (int i = 0; i < AFTERS; i++) {
            if (wfa_schedule_next_time(&schedule, afters[i] * 1000, &next, &error) != 0 ||
                next == INT64_MAX)
                continue;
            fuzz_expect(next > afters[i] * 1000, "a time is later");
            if (wfa_schedule_next_time(&schedule, next - 1, &again, &error) == 0)
                fuzz_expect(again == next, "the next time is found again");
        }
    if (document)
        wfa_schedule_free(&schedule);
    json_decref(document);
}

static void document(const char *data, size_t size)
{
    ask(json_loadb(data, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL));
}

static void rule(const char *text)
{
    ask(json_pack("{s:s, s:s, s:s, s:s}", "machine", "m", "rrule", text, "start",
                  "2025-03-01T01:30:00", "timezone", "Europe/Berlin"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = size > 0 ? strndup((const char *)data + 1, size - 1) : NULL;

    if (!text)
        return 0;
    if (data[0] == 'T')
        zone((const char *)data, size); /* a TZif file begins with it */
    else if (data[0] == '{')
        document((const char *)data, size);
    else if (data[0] == 'R')
        rule(text);
    else
        cron(text);
    free(text);
    return 0;
}
