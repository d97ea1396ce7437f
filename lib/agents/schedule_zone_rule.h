/* The rule for the times behind the last change of a TZif file: a TZ string of POSIX, with the
 * extension of RFC 9636 that the hours of a change go from -167 to 167. */
#ifndef WFA_SCHEDULE_ZONE_RULE_H
#define WFA_SCHEDULE_ZONE_RULE_H

#include <stdint.h>

/* A day of a year, and the local time at which clocks change. */
typedef struct wfa_zone_day {
    char form; /* 'M', 'J', or 'n': the count from 0, with leap days */
    int month, week, day;
    int32_t time;
} wfa_zone_day;

typedef struct wfa_zone_rule {
    int is_there;
    int has_summer;
    int32_t standard, summer; /* seconds east of UTC */
    wfa_zone_day begin, end; /* of summer time */
} wfa_zone_rule;

/* The text ends with a NUL; "" is no rule. -1: it is not such a text. */
int wfa_zone_rule_parse(wfa_zone_rule *rule, const char *text);
/* The offset at a time, in seconds since 1970. */
int32_t wfa_zone_rule_offset(const wfa_zone_rule *rule, int64_t seconds);

#endif
