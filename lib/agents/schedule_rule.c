#include "schedule_rule.h"

#include "schedule_calendar.h"
#include "schedule_rule_text.h"

enum { MOST_BEFORE = 100000, MOST_DAY_TIMES = 1440, YEAR_DAYS = 366 };

/* A rule that is walked: its periods, each with its days and the times of each of these. */
typedef struct rule_walk {
    wfa_rule rule;
    const wfa_zone *zone;
    int64_t start, after;
    int64_t counted; /* times since the start */
    int before; /* those of a rule with COUNT that were passed on the way to `near` */
    int64_t near; /* local times before it are not after `after`, whatever clocks do */
    int times[MOST_DAY_TIMES], time_count; /* seconds of the day */
    int64_t days[YEAR_DAYS];
    int day_count;
} rule_walk;

/* ---- periods ---- */

/* Day 0 is a Thursday. */
static int64_t first_week_begin(const wfa_rule *rule)
{
    return (rule->week_start + 3) % 7;
}

static int64_t week_begin(const wfa_rule *rule, int64_t day)
{
    return day - (wfa_week_day(day) - rule->week_start + 7) % 7;
}

static int64_t month_begin(int64_t month)
{
    wfa_date date = {month / 12, (int)(month % 12) + 1, 1};

    return wfa_day_number(&date);
}

/* The number of the day, week, month or year that a day is in. */
static int64_t period_of(const wfa_rule *rule, int64_t day)
{
    wfa_date date = wfa_day_date(day);

    if (rule->frequency == WFA_YEARLY)
        return date.year;
    if (rule->frequency == WFA_MONTHLY)
        return date.year * 12 + date.month - 1;
    if (rule->frequency == WFA_WEEKLY)
        return (week_begin(rule, day) - first_week_begin(rule)) / 7;
    return day;
}

/* Its first day. */
static int64_t period_begin(const wfa_rule *rule, int64_t period)
{
    if (rule->frequency == WFA_YEARLY)
        return month_begin(period * 12);
    if (rule->frequency == WFA_MONTHLY)
        return month_begin(period);
    if (rule->frequency == WFA_WEEKLY)
        return period * 7 + first_week_begin(rule);
    return period;
}

/* ---- the days of a period ---- */

/* The index-th of `count`, from 0, is also known by its number from the end. */
static int has_index(const wfa_numbers *set, int64_t index, int64_t count)
{
    return wfa_numbers_have(set, (int)(index + 1)) ||
           wfa_numbers_have(set, (int)(index - count));
}

static int64_t year_day(int64_t day)
{
    return day - month_begin(wfa_day_date(day).year * 12);
}

/* Weeks belong to the year that has four of their days (ISO 8601, with any first day). */
static int is_in_weeks(const wfa_rule *rule, int64_t day)
{
    int64_t fourth = week_begin(rule, day) + 3;
    int64_t of_year = year_day(fourth);
    int64_t days = 365 + wfa_is_leap_year(wfa_day_date(fourth).year);

    return has_index(&rule->weeks, of_year / 7, (days - 1 - of_year % 7) / 7 + 1);
}

static int is_in_week_days(const wfa_rule *rule, int64_t day, const wfa_date *date)
{
    int week_day = wfa_week_day(day);
    int in_month = rule->frequency == WFA_MONTHLY || rule->months.is_given;
    int64_t index = in_month ? date->day - 1 : year_day(day);
    int64_t days =
        in_month ? wfa_month_days(date->year, date->month) : 365 + wfa_is_leap_year(date->year);

    return wfa_numbers_have(&rule->week_days, week_day) ||
           has_index(&rule->numbered[week_day], index / 7,
                     index / 7 + 1 + (days - 1 - index) / 7);
}

static int is_day(const wfa_rule *rule, int64_t day)
{
    wfa_date date = wfa_day_date(day);

    if (rule->months.is_given && !wfa_numbers_have(&rule->months, date.month))
        return 0;
    if (rule->month_days.is_given &&
        !has_index(&rule->month_days, date.day - 1, wfa_month_days(date.year, date.month)))
        return 0;
    if (rule->year_days.is_given &&
        !has_index(&rule->year_days, year_day(day), 365 + wfa_is_leap_year(date.year)))
        return 0;
    if (rule->weeks.is_given && !is_in_weeks(rule, day))
        return 0;
    return (!rule->week_days.is_given && !rule->has_numbered) ||
           is_in_week_days(rule, day, &date);
}

static void find_days(rule_walk *walk, int64_t period)
{
    int64_t day = period_begin(&walk->rule, period);
    int64_t end = period_begin(&walk->rule, period + 1);

    walk->day_count = 0;
    for (; day < end; day++)
        if (is_day(&walk->rule, day))
            walk->days[walk->day_count++] = day;
}

/* ---- what the rule takes from its start ---- */

static void add_if_missing(wfa_numbers *set, int64_t number)
{
    if (!set->is_given)
        wfa_numbers_add(set, (int)number);
}

static void complete_days(wfa_rule *rule, int64_t day)
{
    wfa_date date = wfa_day_date(day);
    int has_days = rule->week_days.is_given || rule->has_numbered ||
                   rule->month_days.is_given || rule->year_days.is_given;

    if (has_days || rule->frequency < WFA_WEEKLY)
        return;
    if (rule->frequency == WFA_WEEKLY || rule->weeks.is_given) {
        wfa_numbers_add(&rule->week_days, wfa_week_day(day));
        return;
    }
    wfa_numbers_add(&rule->month_days, date.day);
    if (rule->frequency == WFA_YEARLY)
        add_if_missing(&rule->months, date.month);
}

static int complete_times(rule_walk *walk, int rest, wfa_error *error)
{
    wfa_rule *rule = &walk->rule;
    int minute, second;

    add_if_missing(&rule->hours, rest / 3600);
    add_if_missing(&rule->minutes, rest / 60 % 60);
    add_if_missing(&rule->seconds, rest % 60);
    for (minute = 0; minute < 24 * 60; minute++)
        for (second = 0; second < 60; second++) {
            if (!wfa_numbers_have(&rule->hours, minute / 60) ||
                !wfa_numbers_have(&rule->minutes, minute % 60) ||
                !wfa_numbers_have(&rule->seconds, second))
                continue;
            if (walk->time_count == MOST_DAY_TIMES)
                return wfa_fail_as(error, WFSM_LIMIT, "expected at most %d times a day",
                                   MOST_DAY_TIMES);
            walk->times[walk->time_count++] = minute * 60 + second;
        }
    return 0;
}

/* ---- the walk ---- */

enum { GO_ON, FOUND, ENDED, FAILED };

static int pass(rule_walk *walk, wfa_error *error)
{
    if (walk->rule.count == 0 || ++walk->before <= MOST_BEFORE)
        return GO_ON;
    (void)wfa_fail_as(error, WFSM_LIMIT,
                      "the rule has %d times before the next one: begin later, or write it "
                      "without COUNT",
                      MOST_BEFORE);
    return FAILED;
}

/* What a local time of the rule is to the search. */
static int try_time(rule_walk *walk, int64_t local, int64_t *next, wfa_error *error)
{
    const wfa_rule *rule = &walk->rule;
    int64_t instants[2];

    if (local < walk->start)
        return GO_ON;
    if (local > WFA_LAST_SECOND || (rule->count > 0 && walk->counted == rule->count))
        return ENDED;
    walk->counted++;
    if (local < walk->near)
        return pass(walk, error);
    (void)wfa_zone_instants(walk->zone, local, instants);
    if ((rule->until_is_utc ? instants[0] : local) > rule->until)
        return ENDED;
    *next = instants[0];
    return instants[0] > walk->after ? FOUND : GO_ON;
}

static int has_position(const wfa_numbers *positions, int64_t index, int64_t count)
{
    return !positions->is_given ||
           (index < WFA_MOST_NUMBER && wfa_numbers_have(positions, (int)index + 1)) ||
           (count - index <= WFA_MOST_NUMBER &&
            wfa_numbers_have(positions, (int)(index - count)));
}

static int try_period(rule_walk *walk, int64_t period, int64_t *next, wfa_error *error)
{
    int64_t index, count, day;
    int answer = GO_ON;

    find_days(walk, period);
    count = (int64_t)walk->day_count * walk->time_count;
    for (index = 0; index < count && answer == GO_ON; index++) {
        day = walk->days[index / walk->time_count];
        if (has_position(&walk->rule.positions, index, count))
            answer =
                try_time(walk, day * WFA_DAY_SECONDS + walk->times[index % walk->time_count],
                         next, error);
    }
    return answer;
}

static int walk_periods(rule_walk *walk, int64_t *next, wfa_error *error)
{
    const wfa_rule *rule = &walk->rule;
    int64_t period = period_of(rule, wfa_day_of(walk->start));
    int64_t near = period_of(rule, wfa_day_of(walk->near));
    int64_t last = period_of(rule, wfa_day_of(rule->until) + 1);
    int answer = GO_ON;

    if (rule->count == 0 && near > period)
        period += (near - period) / rule->interval * rule->interval;
    for (; period <= last && answer == GO_ON; period += rule->interval)
        answer = try_period(walk, period, next, error);
    if (answer != FOUND)
        *next = INT64_MAX;
    return answer == FAILED ? -1 : 0;
}

/* The same for rules of hours and minutes, whose periods are counted in local time. */
static void walk_clock(rule_walk *walk, int64_t *next, wfa_error *error)
{
    int64_t step = walk->rule.interval * (walk->rule.frequency == WFA_HOURLY ? 3600 : 60);
    int64_t local = walk->start;
    int answer = GO_ON;

    if (walk->near > local) {
        walk->counted = (walk->near - local) / step;
        local += walk->counted * step;
    }
    if (walk->rule.count > 0 && walk->counted >= walk->rule.count)
        answer = ENDED;
    for (; answer == GO_ON; local += step)
        answer = try_time(walk, local, next, error);
    if (answer != FOUND)
        *next = INT64_MAX;
}

int wfa_rule_next(const char *rule, const wfa_zone *zone, int64_t start, int64_t after,
                  int64_t *next, wfa_error *error)
{
    rule_walk walk = {.zone = zone,
                      .start = start,
                      .after = after,
                      .near = after - 2 * (int64_t)WFA_DAY_SECONDS};
    int64_t day = wfa_day_of(start);

    *next = INT64_MAX;
    if (wfa_rule_parse(&walk.rule, rule, error) != 0)
        return -1;
    if (walk.rule.frequency < WFA_DAILY) {
        walk_clock(&walk, next, error);
        return 0;
    }
    complete_days(&walk.rule, day);
    if (complete_times(&walk, (int)(start - day * WFA_DAY_SECONDS), error) != 0)
        return -1;
    return walk_periods(&walk, next, error);
}
