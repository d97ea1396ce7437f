#include "schedule_zone_rule.h"

#include <string.h>

#include "schedule_calendar.h"

enum { MOST_OFFSET_HOURS = 24, MOST_TIME_HOURS = 167, TWO = 2 * 3600 };

/* ---- reading ---- */

static int is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static int is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* Three letters or more, or anything but '>' in <>. */
static int skip_name(const char **at)
{
    const char *from = *at;

    if (*from == '<') {
        *at = strchr(from, '>');
        return *at ? ++*at, 0 : -1;
    }
    while (is_letter(**at))
        (*at)++;
    return *at - from >= 3 ? 0 : -1;
}

/* [+-]hh[:mm[:ss]] */
static int take_time(const char **at, int most_hours, int32_t *seconds)
{
    int sign = **at == '-' ? -1 : 1, unit = 3600, part, value = 0;

    if (**at == '-' || **at == '+')
        (*at)++;
    part = wfa_take_number(at, most_hours);
    while (part >= 0) {
        value += part * unit;
        unit /= 60;
        if (unit == 0 || **at != ':')
            break;
        (*at)++;
        part = wfa_take_number(at, 59);
    }
    *seconds = sign * value;
    return part < 0 ? -1 : 0;
}

static int take_part(const char **at, char before, int least, int most, int *part)
{
    if (before && *(*at)++ != before)
        return -1;
    *part = wfa_take_number(at, most);
    return *part < least ? -1 : 0;
}

static int take_day(const char **at, wfa_zone_day *day)
{
    day->form = is_digit(**at) ? 'n' : *(*at)++;
    day->time = TWO;
    if (day->form == 'n' || day->form == 'J') {
        if (take_part(at, 0, day->form == 'J', 365, &day->day) != 0)
            return -1;
    } else if (day->form != 'M' || take_part(at, 0, 1, 12, &day->month) != 0 ||
               take_part(at, '.', 1, 5, &day->week) != 0 ||
               take_part(at, '.', 0, 6, &day->day) != 0)
        return -1;
    if (**at != '/')
        return 0;
    (*at)++;
    return take_time(at, MOST_TIME_HOURS, &day->time);
}

static int take_summer(const char **at, wfa_zone_rule *rule)
{
    rule->has_summer = 1;
    rule->summer = rule->standard + 3600;
    if (skip_name(at) != 0)
        return -1;
    if (**at != ',' && take_time(at, MOST_OFFSET_HOURS, &rule->summer) != 0)
        return -1;
    else if ((*at)[-1] != '>' && !is_letter((*at)[-1]))
        rule->summer = -rule->summer;
    if (*(*at)++ != ',' || take_day(at, &rule->begin) != 0)
        return -1;
    return *(*at)++ != ',' ? -1 : take_day(at, &rule->end);
}

int wfa_zone_rule_parse(wfa_zone_rule *rule, const char *text)
{
    *rule = (wfa_zone_rule){.is_there = *text != '\0'};
    if (!rule->is_there)
        return 0;
    if (skip_name(&text) != 0 || take_time(&text, MOST_OFFSET_HOURS, &rule->standard) != 0)
        return -1;
    rule->standard = -rule->standard; /* POSIX counts west of UTC */
    if (*text && take_summer(&text, rule) != 0)
        return -1;
    return *text ? -1 : 0;
}

/* ---- asking ---- */

static int64_t month_day(const wfa_zone_day *day, int64_t year)
{
    wfa_date date = {.year = year, .month = day->month, .day = 1};
    int64_t first = wfa_day_number(&date);
    int of_month = 1 + (day->day - wfa_week_day(first) + 7) % 7 + (day->week - 1) * 7;

    while (of_month > wfa_month_days(year, day->month))
        of_month -= 7;
    return first + of_month - 1;
}

static int64_t year_day(const wfa_zone_day *day, int64_t year)
{
    wfa_date date = {.year = year, .month = 1, .day = 1};
    int64_t first = wfa_day_number(&date);

    if (day->form == 'n')
        return first + day->day;
    return first + day->day - 1 + (day->day >= 60 && wfa_is_leap_year(year));
}

/* Of a change in this year, by clocks that are at `offset` before it. */
static int64_t change(const wfa_zone_day *day, int64_t year, int32_t offset)
{
    int64_t number = day->form == 'M' ? month_day(day, year) : year_day(day, year);

    return number * WFA_DAY_SECONDS + day->time - offset;
}

int32_t wfa_zone_rule_offset(const wfa_zone_rule *rule, int64_t seconds)
{
    int64_t begin, end, year;
    int is_summer;

    if (!rule->has_summer)
        return rule->standard;
    year = wfa_day_date(wfa_day_of(seconds + rule->standard)).year;
    begin = change(&rule->begin, year, rule->standard);
    end = change(&rule->end, year, rule->summer);
    is_summer = begin < end ? seconds >= begin && seconds < end
                            : seconds >= begin || seconds < end; /* over the new year */
    return is_summer ? rule->summer : rule->standard;
}
