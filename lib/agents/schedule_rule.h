/* The times of recurrence rules of RFC 5545.
 *
 * They are found here, and not with libical: its version 3 finds wrong times for lists that do not rise,
 * BYSETPOS in rules of days, negative days of months and numbers of weeks. */
#ifndef WFA_SCHEDULE_RULE_H
#define WFA_SCHEDULE_RULE_H

#include <stdint.h>

#include "agent_error.h"
#include "schedule_zone.h"

/*
 * The first time after `after` of a rule that begins at `start`, a local time; both in seconds. *next is
 * INT64_MAX: there is none. -1 and an error: it is not a rule, or one that takes too long.
 */
int wfa_rule_next(const char *rule, const wfa_zone *zone, int64_t start, int64_t after,
                  int64_t *next, wfa_error *error);

#endif
