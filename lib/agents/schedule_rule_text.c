#include "schedule_rule_text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "schedule_calendar.h"

enum { MOST_RULE = 1000, MOST_INTERVAL = 1000000, MOST_COUNT = 1000000000 };

void wfa_numbers_add(wfa_numbers *set, int number)
{
    int index = number + WFA_MOST_NUMBER;

    set->bits[index / 64] |= UINT64_C(1) << index % 64;
    set->is_given = 1;
}

int wfa_numbers_have(const wfa_numbers *set, int number)
{
    int index = number + WFA_MOST_NUMBER;

    return (int)(set->bits[index / 64] >> index % 64 & 1);
}

/* ---- parts ---- */

typedef struct rule_part {
    const char *name;
    int (*take)(wfa_rule *rule, const struct rule_part *part, const char *text,
                wfa_error *error);
    size_t offset; /* of the set, for lists of numbers */
    int least, most;
} rule_part;

/* -1 or 1; a sign is optional. */
static int take_sign(const char **at)
{
    int sign = **at == '-' ? -1 : 1;

    *at += **at == '-' || **at == '+';
    return sign;
}

static int fail_number(const rule_part *part, const char *text, wfa_error *error)
{
    if (part->least < 0)
        return wfa_fail(error, "%s: expected numbers from 1 to %d or -%d to -1, found %.40s",
                        part->name, part->most, part->most, text);
    return wfa_fail(error, "%s: expected numbers from %d to %d, found %.40s", part->name,
                    part->least, part->most, text);
}

static int take_numbers(wfa_rule *rule, const rule_part *part, const char *text,
                        wfa_error *error)
{
    wfa_numbers *set = (wfa_numbers *)((char *)rule + part->offset);
    const char *at = text;

    do {
        int sign = part->least < 0 ? take_sign(&at) : 1,
            number = wfa_take_number(&at, part->most);
        if (number < 0 || number < part->least || (part->least < 0 && number == 0))
            return fail_number(part, text, error);
        wfa_numbers_add(set, sign * number);
    } while (*at++ == ',');
    return at[-1] == '\0' ? 0 : fail_number(part, text, error);
}

/* 0 is Sunday. -1: it is no day. */
static int take_week_day(const char **at)
{
    static const char days[] = "SUMOTUWETHFRSA";

    for (int day = 0; day < 7; day++)
        if (strncmp(*at, days + day * 2, 2) == 0) {
            *at += 2;
            return day;
        }
    return -1;
}

static int take_day(wfa_rule *rule, const char **at)
{
    int is_numbered = **at == '-' || **at == '+' || (**at >= '0' && **at <= '9');
    int sign = take_sign(at), number = is_numbered ? wfa_take_number(at, 53) : 0;
    int day = take_week_day(at);

    if (day < 0 || (is_numbered && number < 1))
        return -1;
    wfa_numbers_add(is_numbered ? &rule->numbered[day] : &rule->week_days,
                    is_numbered ? sign * number : day);
    rule->has_numbered |= is_numbered;
    return 0;
}

static int take_days(wfa_rule *rule, const rule_part *part, const char *text, wfa_error *error)
{
    const char *at = text;
    int failed;

    do
        failed = take_day(rule, &at) != 0;
    while (!failed && *at++ == ',');
    if (!failed && at[-1] == '\0')
        return 0;
    return wfa_fail(error, "%s: expected days such as MO, 2MO or -1FR, found %.40s", part->name,
                    text);
}

static int take_week_start(wfa_rule *rule, const rule_part *part, const char *text,
                           wfa_error *error)
{
    const char *at = text;

    rule->week_start = take_week_day(&at);
    if (rule->week_start >= 0 && *at == '\0')
        return 0;
    return wfa_fail(error, "%s: expected a day such as MO, found %.40s", part->name, text);
}

static int take_frequency(wfa_rule *rule, const rule_part *part, const char *text,
                          wfa_error *error)
{
    static const char *const names[] = {"MINUTELY", "HOURLY",  "DAILY",
                                        "WEEKLY",   "MONTHLY", "YEARLY"};

    for (size_t index = 0; index < sizeof names / sizeof *names; index++)
        if (strcmp(text, names[index]) == 0) {
            rule->frequency = (wfa_frequency)index;
            return 0;
        }
    return wfa_fail(error,
                    "%s: expected MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY or YEARLY, found "
                    "%.40s",
                    part->name, text);
}

static int take_positive(int64_t *value, const rule_part *part, const char *text,
                         wfa_error *error)
{
    const char *at = text;
    int number = wfa_take_number(&at, part->most);

    if (number < 1 || *at != '\0')
        return wfa_fail(error, "%s: expected a number from 1 to %d, found %.40s", part->name,
                        part->most, text);
    *value = number;
    return 0;
}

static int take_interval(wfa_rule *rule, const rule_part *part, const char *text,
                         wfa_error *error)
{
    return take_positive(&rule->interval, part, text, error);
}

static int take_count(wfa_rule *rule, const rule_part *part, const char *text, wfa_error *error)
{
    return take_positive(&rule->count, part, text, error);
}

/* 20301231T235959 as 2030-12-31T23:59:59, and 20301231 as its first second. */
static int parse_compact(const char *text, size_t length, int64_t *seconds)
{
    const char *clock = length == 8 ? "T000000" : text + 8;
    char time[WFA_TIME_TEXT];

    (void)snprintf(time, sizeof time, "%.4s-%.2s-%.2s%.3s:%.2s:%.2s", text, text + 4, text + 6,
                   clock, clock + 3, clock + 5);
    return wfa_time_parse(time, seconds);
}

static int take_until(wfa_rule *rule, const rule_part *part, const char *text, wfa_error *error)
{
    size_t length = strlen(text);

    rule->until_is_utc = length == 16 && text[15] == 'Z';
    if ((length == 8 || length == 15 || rule->until_is_utc) &&
        parse_compact(text, length, &rule->until) == 0)
        return 0;
    return wfa_fail(error,
                    "%s: expected a time such as 20301231T235959 or 20301231T235959Z, found "
                    "%.40s",
                    part->name, text);
}

enum {
    FREQ,
    INTERVAL,
    COUNT,
    UNTIL,
    WKST,
    BYSECOND,
    BYMINUTE,
    BYHOUR,
    BYDAY,
    BYMONTHDAY,
    BYYEARDAY,
    BYWEEKNO,
    BYMONTH,
    BYSETPOS,
    PARTS
};

#define SET(member) offsetof(wfa_rule, member)

static const rule_part parts[PARTS] = {
    [FREQ] = {"FREQ", take_frequency, 0, 0, 0},
    [INTERVAL] = {"INTERVAL", take_interval, 0, 1, MOST_INTERVAL},
    [COUNT] = {"COUNT", take_count, 0, 1, MOST_COUNT},
    [UNTIL] = {"UNTIL", take_until, 0, 0, 0},
    [WKST] = {"WKST", take_week_start, 0, 0, 0},
    [BYSECOND] = {"BYSECOND", take_numbers, SET(seconds), 0, 59},
    [BYMINUTE] = {"BYMINUTE", take_numbers, SET(minutes), 0, 59},
    [BYHOUR] = {"BYHOUR", take_numbers, SET(hours), 0, 23},
    [BYDAY] = {"BYDAY", take_days, 0, 0, 0},
    [BYMONTHDAY] = {"BYMONTHDAY", take_numbers, SET(month_days), -31, 31},
    [BYYEARDAY] = {"BYYEARDAY", take_numbers, SET(year_days), -366, 366},
    [BYWEEKNO] = {"BYWEEKNO", take_numbers, SET(weeks), -53, 53},
    [BYMONTH] = {"BYMONTH", take_numbers, SET(months), 1, 12},
    [BYSETPOS] = {"BYSETPOS", take_numbers, SET(positions), -366, 366},
};

static int take_part(wfa_rule *rule, char *text, char given[PARTS], wfa_error *error)
{
    char *value = strchr(text, '=');

    for (int index = 0; value && index < PARTS; index++) {
        if (strlen(parts[index].name) != (size_t)(value - text) ||
            strncmp(parts[index].name, text, (size_t)(value - text)) != 0)
            continue;
        if (given[index])
            return wfa_fail(error, "expected %s once", parts[index].name);
        given[index] = 1;
        return parts[index].take(rule, &parts[index], value + 1, error);
    }
    return wfa_fail(error, "expected parts such as FREQ=WEEKLY or BYDAY=MO, found %.40s", text);
}

/* ---- a whole rule ---- */

static int has_by(const char given[PARTS])
{
    return memchr(given + BYSECOND, 1, BYSETPOS - BYSECOND) != NULL;
}

/* What RFC 5545 forbids, and the parts that rules of hours and minutes do not have here. */
static int check(const wfa_rule *rule, const char given[PARTS], wfa_error *error)
{
    wfa_frequency frequency = rule->frequency;

    if (!given[FREQ])
        return wfa_fail(error, "expected a rule with FREQ, such as FREQ=WEEKLY;BYDAY=MO");
    if (given[COUNT] && given[UNTIL])
        return wfa_fail(error, "expected COUNT or UNTIL, not both");
    if (given[BYSETPOS] && !has_by(given))
        return wfa_fail(error, "expected another part that begins with BY beside BYSETPOS");
    if (has_by(given) && frequency < WFA_DAILY)
        return wfa_fail(error,
                        "expected FREQ=DAILY or a slower one for a rule with parts that begin "
                        "with BY");
    if (rule->has_numbered && (frequency < WFA_MONTHLY || given[BYWEEKNO]))
        return wfa_fail(error,
                        "expected FREQ=MONTHLY or YEARLY, without BYWEEKNO, for numbered days "
                        "in BYDAY");
    if ((given[BYWEEKNO] || given[BYYEARDAY]) && frequency != WFA_YEARLY)
        return wfa_fail(error, "expected FREQ=YEARLY for BYWEEKNO and BYYEARDAY");
    if (given[BYMONTHDAY] && frequency == WFA_WEEKLY)
        return wfa_fail(error, "expected FREQ=DAILY, MONTHLY or YEARLY for BYMONTHDAY");
    return 0;
}

int wfa_rule_parse(wfa_rule *rule, const char *text, wfa_error *error)
{
    char copy[MOST_RULE + 1], given[PARTS] = {0}, *rest = copy, *one;
    size_t length = strlen(text);

    *rule = (wfa_rule){.interval = 1, .until = WFA_LAST_SECOND, .week_start = 1};
    if (length > MOST_RULE)
        return wfa_fail(error, "expected a rule of at most %d bytes", MOST_RULE);
    memcpy(copy, text, length + 1);
    while ((one = strsep(&rest, ";")))
        if (take_part(rule, one, given, error) != 0)
            return -1;
    return check(rule, given, error);
}
