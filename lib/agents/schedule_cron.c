#include "schedule_cron.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "schedule_calendar.h"

enum { MOST_LINE = 1000, WORD = 256 };
/* 29 February is each day of the week once in 28 years, or 40 over a year like 2100. */
enum { MOST_DAYS = 41 * 366 };

/* ---- reading ---- */

typedef struct wfa_cron_field {
    const char *name;
    int least, most;
    const char *words; /* three letters each, for the values from `least` on; or NULL */
} wfa_cron_field;

enum { MINUTE, HOUR, DAY, MONTH, WEEK_DAY, FIELDS };
static const wfa_cron_field fields[FIELDS] = {
    {"minute", 0, 59, NULL},
    {"hour", 0, 23, NULL},
    {"day of the month", 1, 31, NULL},
    {"month", 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
    {"day of the week", 0, 7, "sunmontuewedthufrisat"},
};

static const struct {
    const char *name, *line;
} names[] = {
    {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"},
};

static int is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* A name of three letters; -1: there is none. */
static int take_word(const wfa_cron_field *field, const char **at)
{
    size_t index, count = field->words ? strlen(field->words) / 3 : 0;

    for (index = 0; index < count; index++)
        if (strncasecmp(*at, field->words + index * 3, 3) == 0 && !is_letter((*at)[3])) {
            *at += 3;
            return field->least + (int)index;
        }
    return -1;
}

static int take_value(const wfa_cron_field *field, const char **at)
{
    int value = is_letter(**at) ? take_word(field, at) : wfa_take_number(at, field->most);

    return value < field->least ? -1 : value;
}

static int take_step(const wfa_cron_field *field, const char **at)
{
    int step;

    if (**at != '/')
        return 1;
    (*at)++;
    step = wfa_take_number(at, field->most);
    return step > 0 ? step : -1;
}

/* "*", "3", "3-7", each with a step or without. A step counts only behind a range. */
static int take_range(const wfa_cron_field *field, const char **at, uint64_t *bits)
{
    int first = field->least, last = field->most, step, is_range = 1;

    if (**at == '*')
        (*at)++;
    else {
        first = last = take_value(field, at);
        is_range = first >= 0 && **at == '-';
        if (is_range) {
            (*at)++;
            last = take_value(field, at);
        }
    }
    if (first < 0 || last < first || (!is_range && **at == '/'))
        return -1;
    step = take_step(field, at);
    if (step < 0)
        return -1;
    for (; first <= last; first += step)
        *bits |= UINT64_C(1) << first;
    return 0;
}

static int take_field(const wfa_cron_field *field, const char *text, uint64_t *bits,
                      wfa_error *error)
{
    const char *at = text;

    *bits = 0;
    while (take_range(field, &at, bits) == 0) {
        if (*at == '\0')
            return 0;
        if (*at++ != ',')
            break;
    }
    return wfa_fail(
        error, "%s: expected *, numbers from %d to %d, ranges or lists of them, found %.40s",
        field->name, field->least, field->most, text);
}

/* Puts a NUL behind each word of the line. -1: they are not five. */
static int split(char *line, char *words[FIELDS])
{
    char *rest = NULL, *word = strtok_r(line, " \t", &rest);
    int count = 0;

    for (; word; word = strtok_r(NULL, " \t", &rest)) {
        if (count == FIELDS)
            return -1;
        words[count++] = word;
    }
    return count == FIELDS ? 0 : -1;
}

static const char *without_name(const char *line)
{
    size_t index;

    for (index = 0; index < sizeof names / sizeof names[0]; index++)
        if (strcmp(line, names[index].name) == 0)
            return names[index].line;
    return line;
}

int wfa_cron_parse(wfa_cron *cron, const char *line, wfa_error *error)
{
    char text[MOST_LINE + 1], *words[FIELDS];
    uint64_t bits[FIELDS];
    int index;

    if (strlen(line) > MOST_LINE)
        return wfa_fail(error, "expected at most %d bytes", MOST_LINE);
    (void)snprintf(text, sizeof text, "%s", without_name(line));
    if (split(text, words) != 0)
        return wfa_fail(error,
                        "expected five fields (minute, hour, day of the month, month, "
                        "day of the week), or @hourly, @daily, @weekly, @monthly, @yearly");
    for (index = 0; index < FIELDS; index++)
        if (take_field(&fields[index], words[index], &bits[index], error) != 0)
            return -1;
    *cron = (wfa_cron){.minutes = bits[MINUTE],
                       .hours = (uint32_t)bits[HOUR],
                       .days = (uint32_t)bits[DAY],
                       .months = (uint32_t)bits[MONTH],
                       .week_days = (uint32_t)(bits[WEEK_DAY] | bits[WEEK_DAY] >> 7),
                       .every_hour = words[HOUR][0] == '*',
                       .every_day = words[DAY][0] == '*',
                       .every_week_day = words[WEEK_DAY][0] == '*'};
    return 0;
}

/* ---- asking ---- */

/* As cron does: if both fields name days, either is enough. */
static int is_day(const wfa_cron *cron, int64_t day)
{
    wfa_date date = wfa_day_date(day);
    int by_month = cron->days >> date.day & 1;
    int by_week = cron->week_days >> wfa_week_day(day) & 1;

    if (!(cron->months >> date.month & 1))
        return 0;
    if (cron->every_day || cron->every_week_day)
        return by_month && by_week;
    return by_month || by_week;
}

static void take_earlier(int64_t instant, int64_t after, int64_t *best)
{
    if (instant > after && instant < *best)
        *best = instant;
}

static void try_minute(const wfa_cron *cron, const wfa_zone *zone, int64_t local, int64_t after,
                       int64_t *best)
{
    int64_t instants[2];
    int count = wfa_zone_instants(zone, local, instants);

    if (count > 0 || !cron->every_hour)
        take_earlier(instants[0], after, best);
    if (count == 2 && cron->every_hour)
        take_earlier(instants[1], after, best);
}

/* The earliest of a day. */
static int64_t first_of(const wfa_cron *cron, const wfa_zone *zone, int64_t day, int64_t after)
{
    int64_t best = INT64_MAX, local;
    int hour, minute;

    for (hour = 0; hour < 24; hour++) {
        local = day * WFA_DAY_SECONDS + hour * 3600;
        if (!(cron->hours >> hour & 1))
            continue;
        for (minute = 0; minute < 60; minute++)
            if (cron->minutes >> minute & 1)
                try_minute(cron, zone, local + (int64_t)minute * 60, after, &best);
    }
    return best;
}

/* A time of the next day may come before one that was moved over midnight. */
int wfa_cron_next(const wfa_cron *cron, const wfa_zone *zone, int64_t after, int64_t *next)
{
    int64_t day = wfa_day_of(after) - 2, end = day + MOST_DAYS, best = INT64_MAX, other;

    for (; day < end && best == INT64_MAX; day++)
        if (is_day(cron, day))
            best = first_of(cron, zone, day, after);
    if (best != INT64_MAX && is_day(cron, day)) {
        other = first_of(cron, zone, day, after);
        best = other < best ? other : best;
    }
    *next = best;
    return best <= WFA_LAST_SECOND ? 0 : -1;
}
