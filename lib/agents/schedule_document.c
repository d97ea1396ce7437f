#include "schedule_document.h"

#include <string.h>

#include "schedule_calendar.h"
#include "schedule_cron.h"
#include "schedule_rule.h"

/* As in Temporal. */
#define YEAR_MS INT64_C(31536000000)
enum { LEAST_CATCHUP_MS = 10000, MOST_LINES = 64, MOST_NAME = 255 };

static int fail(wfa_error *error, const char *message)
{
    return wfa_fail_as(error, WFSM_SEMANTIC, "%s", message);
}

/* ---- the keys ---- */

static int take_machine(wfa_schedule *schedule, const json_t *value, wfa_error *error)
{
    schedule->machine = json_string_value(value);
    if (schedule->machine && *schedule->machine && strlen(schedule->machine) <= MOST_NAME)
        return 0;
    return fail(error, "machine: expected the id of a machine");
}

static int take_input(wfa_schedule *schedule, const json_t *value, wfa_error *error)
{
    schedule->input = value;
    return json_is_object(value) ? 0 : fail(error, "input: expected an object");
}

static int are_lines(const json_t *value)
{
    size_t index, count = json_array_size(value);

    if (json_is_string(value))
        return 1;
    for (index = 0; index < count; index++)
        if (!json_is_string(json_array_get(value, index)))
            return 0;
    return count > 0 && count <= MOST_LINES;
}

static int take_cron(wfa_schedule *schedule, const json_t *value, wfa_error *error)
{
    schedule->cron = value;
    return are_lines(value) ? 0
                            : fail(error, "cron: expected a cron line, or up to 64 of them");
}

static int take_rules(wfa_schedule *schedule, const json_t *value, wfa_error *error)
{
    schedule->rules = value;
    return are_lines(value) ? 0 : fail(error, "rrule: expected a rule, or up to 64 of them");
}

static int take_zone(wfa_schedule *schedule, const json_t *value, wfa_error *error)
{
    const char *name = json_string_value(value);
    wfa_error why;

    if (!name)
        return fail(error, "timezone: expected a name, such as Europe/Berlin");
    if (wfa_zone_read(&schedule->zone, name, &why) == 0)
        return 0;
    return why.status == WFSM_NO_MEMORY
               ? wfa_no_memory(error)
               : wfa_fail_as(error, WFSM_SEMANTIC, "timezone: %s", why.message);
}

static int take_overlap(wfa_schedule *schedule, const json_t *value, wfa_error *error)
{
    static const char *const words[] = {[WFA_OVERLAP_SKIP] = "skip",
                                        [WFA_OVERLAP_BUFFER_ONE] = "bufferOne",
                                        [WFA_OVERLAP_ALLOW_ALL] = "allowAll",
                                        [WFA_OVERLAP_CANCEL_OTHER] = "cancelOther",
                                        [WFA_OVERLAP_TERMINATE_OTHER] = "terminateOther"};
    const char *word = json_string_value(value);
    size_t index;

    for (index = 0; word && index < sizeof words / sizeof words[0]; index++)
        if (strcmp(word, words[index]) == 0) {
            schedule->overlap = (wfa_overlap)index;
            return 0;
        }
    return fail(error,
                "overlap: expected skip, bufferOne, allowAll, cancelOther or terminateOther");
}

static int take_catchup(wfa_schedule *schedule, const json_t *value, wfa_error *error)
{
    schedule->catchup_ms = json_integer_value(value);
    if (json_is_integer(value) && schedule->catchup_ms >= LEAST_CATCHUP_MS &&
        schedule->catchup_ms <= 100 * YEAR_MS)
        return 0;
    return fail(error, "catchupWindow: expected milliseconds from 10000 to 3153600000000");
}

static int take_time(const json_t *value, int64_t *time, const char *message, wfa_error *error)
{
    const char *text = json_string_value(value);

    return text && wfa_time_parse(text, time) == 0 ? 0 : fail(error, message);
}

static int take_start(wfa_schedule *schedule, const json_t *value, wfa_error *error)
{
    return take_time(value, &schedule->start,
                     "start: expected a local time such as 2026-11-26T09:00:00", error);
}

static int take_end(wfa_schedule *schedule, const json_t *value, wfa_error *error)
{
    return take_time(value, &schedule->end,
                     "end: expected a local time such as 2026-11-26T09:00:00", error);
}

/* For people and tools. */
static int take_any(wfa_schedule *schedule, const json_t *value, wfa_error *error)
{
    (void)schedule, (void)value, (void)error;
    return 0;
}

static const struct {
    const char *name;
    int (*take)(wfa_schedule *schedule, const json_t *value, wfa_error *error);
} keys[] = {
    {"machine", take_machine},       {"input", take_input},   {"cron", take_cron},
    {"rrule", take_rules},           {"timezone", take_zone}, {"overlap", take_overlap},
    {"catchupWindow", take_catchup}, {"start", take_start},   {"end", take_end},
    {"description", take_any},       {"meta", take_any},
};

static int take_key(wfa_schedule *schedule, const char *name, const json_t *value,
                    wfa_error *error)
{
    size_t index;

    for (index = 0; index < sizeof keys / sizeof keys[0]; index++)
        if (strcmp(name, keys[index].name) == 0)
            return keys[index].take(schedule, value, error);
    return wfa_fail_as(error, WFSM_SEMANTIC,
                       "a schedule has no key %.40s: expected machine, input, cron, rrule, "
                       "timezone, overlap, catchupWindow, start, end, description or meta",
                       name);
}

static int check(const wfa_schedule *schedule, wfa_error *error)
{
    int64_t next;

    if (!schedule->machine)
        return fail(error, "machine: expected the id of a machine");
    if (!schedule->cron && !schedule->rules)
        return fail(error, "expected cron or rrule, which say when");
    if (schedule->rules && schedule->start == INT64_MIN)
        return fail(error, "start: expected the local time at which the rules begin");
    return wfa_schedule_next_time(schedule, 0, &next, error);
}

int wfa_schedule_read(wfa_schedule *schedule, json_t *document, wfa_error *error)
{
    const char *name;
    json_t *value;

    *schedule = (wfa_schedule){.document = json_incref(document),
                               .catchup_ms = YEAR_MS,
                               .start = INT64_MIN,
                               .end = INT64_MAX};
    if (!json_is_object(document))
        return fail(error, "expected an object, a schedule document");
    json_object_foreach(document, name,
                        value) if (take_key(schedule, name, value, error) != 0) return -1;
    return check(schedule, error);
}

void wfa_schedule_free(wfa_schedule *schedule)
{
    wfa_zone_free(&schedule->zone);
    json_decref(schedule->document);
}

/* ---- the next time ---- */

/* The index-th line of a string or an array of them; NULL behind the last. */
static const char *line(const json_t *lines, size_t index)
{
    if (json_is_string(lines))
        return index == 0 ? json_string_value(lines) : NULL;
    return json_string_value(json_array_get(lines, index));
}

static void take_earlier(int64_t time, int64_t *best)
{
    if (time < *best)
        *best = time;
}

static int try_cron(const wfa_schedule *schedule, int64_t after, int64_t *best,
                    wfa_error *error)
{
    const char *text;
    wfa_cron cron;
    wfa_error why;
    size_t index;
    int64_t next;

    for (index = 0; (text = line(schedule->cron, index)); index++) {
        if (wfa_cron_parse(&cron, text, &why) != 0)
            return wfa_fail_as(error, WFSM_SEMANTIC, "cron: %s", why.message);
        if (wfa_cron_next(&cron, &schedule->zone, after, &next) == 0)
            take_earlier(next, best);
    }
    return 0;
}

static int try_rules(const wfa_schedule *schedule, int64_t after, int64_t *best,
                     wfa_error *error)
{
    const char *text;
    wfa_error why;
    size_t index;
    int64_t next;

    for (index = 0; (text = line(schedule->rules, index)); index++) {
        if (wfa_rule_next(text, &schedule->zone, schedule->start, after, &next, &why) != 0)
            return wfa_fail_as(error, why.status == WFSM_INVALID ? WFSM_SEMANTIC : why.status,
                               "rrule: %s", why.message);
        take_earlier(next, best);
    }
    return 0;
}

static int64_t instant(const wfa_schedule *schedule, int64_t local)
{
    int64_t instants[2];

    (void)wfa_zone_instants(&schedule->zone, local, instants);
    return instants[0];
}

int wfa_schedule_next_time(const wfa_schedule *schedule, int64_t after, int64_t *next,
                           wfa_error *error)
{
    int64_t from = after / 1000, best = INT64_MAX;

    *next = INT64_MAX;
    if (schedule->start != INT64_MIN && from < instant(schedule, schedule->start))
        from = instant(schedule, schedule->start) - 1;
    if (from >= WFA_LAST_SECOND)
        return 0;
    if (try_cron(schedule, from, &best, error) != 0 ||
        try_rules(schedule, from, &best, error) != 0)
        return -1;
    if (best > WFA_LAST_SECOND ||
        (schedule->end != INT64_MAX && best > instant(schedule, schedule->end)))
        return 0;
    *next = best * 1000;
    return 0;
}
