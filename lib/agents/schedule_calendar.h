/* Days and times of the proleptic Gregorian calendar, without a time zone. */
#ifndef WFA_SCHEDULE_CALENDAR_H
#define WFA_SCHEDULE_CALENDAR_H

#include <stddef.h>
#include <stdint.h>

enum { WFA_DAY_SECONDS = 86400 };

/* The last second that schedules know: the end of the year 9999. */
#define WFA_LAST_SECOND INT64_C(253402300799)

typedef struct wfa_date {
    int64_t year;
    int month; /* from 1 */
    int day; /* from 1 */
} wfa_date;

/* Days since 1970-01-01. */
int64_t wfa_day_number(const wfa_date *date);
wfa_date wfa_day_date(int64_t day);
int wfa_is_leap_year(int64_t year);
int wfa_month_days(int64_t year, int month);
/* 0 is Sunday. */
int wfa_week_day(int64_t day);
/* The day of a number of seconds, rounded down. */
int64_t wfa_day_of(int64_t seconds);

/* "2026-11-26T09:00:00" as seconds since 1970-01-01T00:00:00. -1: it is not such a text, or no such
 * time. */
int wfa_time_parse(const char *text, int64_t *seconds);
enum { WFA_TIME_TEXT = 32 };
/* The same as text. */
void wfa_time_text(int64_t seconds, char text[WFA_TIME_TEXT]);
/* Moves *at behind a number from 0 to `most`. -1: there is none. */
int wfa_take_number(const char **at, int most);

#endif
