/* The text of a recurrence rule of RFC 5545, 3.3.10. */
#ifndef WFA_SCHEDULE_RULE_TEXT_H
#define WFA_SCHEDULE_RULE_TEXT_H

#include <stdint.h>

#include "agent_error.h"

typedef enum wfa_frequency {
    WFA_MINUTELY,
    WFA_HOURLY,
    WFA_DAILY,
    WFA_WEEKLY,
    WFA_MONTHLY,
    WFA_YEARLY
} wfa_frequency;

enum { WFA_MOST_NUMBER = 366, WFA_NUMBER_WORDS = (2 * WFA_MOST_NUMBER + 1 + 63) / 64 };

/* A set of numbers from -366 to 366. */
typedef struct wfa_numbers {
    int is_given; /* it has a number */
    uint64_t bits[WFA_NUMBER_WORDS];
} wfa_numbers;

typedef struct wfa_rule {
    wfa_frequency frequency;
    int64_t interval; /* at least 1 */
    int64_t count; /* 0: no end by count */
    int64_t until; /* seconds; WFA_LAST_SECOND: no end by time */
    int until_is_utc; /* and not a local time */
    int week_start; /* 0 is Sunday */
    wfa_numbers seconds, minutes, hours, month_days, year_days, weeks, months, positions;
    wfa_numbers week_days; /* each of these days */
    wfa_numbers numbered[7]; /* BYDAY=2MO: numbered[1] has 2 */
    int has_numbered;
} wfa_rule;

void wfa_numbers_add(wfa_numbers *set, int number);
int wfa_numbers_have(const wfa_numbers *set, int number);

/* -1 and an error: it is not a rule, or one with parts that are not supported. */
int wfa_rule_parse(wfa_rule *rule, const char *text, wfa_error *error);

#endif
