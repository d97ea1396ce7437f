/* Cron lines: five fields as crontab(5) has them, or @hourly, @daily, … */
#ifndef WFA_SCHEDULE_CRON_H
#define WFA_SCHEDULE_CRON_H

#include <stdint.h>

#include "agent_error.h"
#include "schedule_zone.h"

typedef struct wfa_cron {
    uint64_t minutes; /* a bit for each value */
    uint32_t hours, days, months, week_days; /* bit 0 of week_days is Sunday */
    int every_hour; /* the field of the hours begins with '*' */
    int every_day, every_week_day; /* likewise */
} wfa_cron;

/* -1 and an error that says what was expected. */
int wfa_cron_parse(wfa_cron *cron, const char *line, wfa_error *error);
/*
 * The first time after `after`, in seconds. -1: there is none.
 *
 * A line with a fixed hour is due once a day, whatever clocks do: a time that they leave out is taken by
 * the offset before, and of one that they show twice the first counts. A line for every hour is due
 * whenever clocks show the minute.
 */
int wfa_cron_next(const wfa_cron *cron, const wfa_zone *zone, int64_t after, int64_t *next);

#endif
