#include "time_text.h"

#include <stdio.h>
#include <string.h>

static const int64_t day_ms = 86400000, last_ms = INT64_C(253402300799999);

/* Days since 1970-01-01 of a day of the Gregorian calendar, whose year begins in March. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    int64_t shifted = month <= 2 ? year - 1 : year;
    int64_t from_march = (month + 9) % 12;

    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 +
           (from_march * 153 + 2) / 5 + day - 1 - 719468;
}

static int64_t within(int64_t ms)
{
    return ms < 0 ? 0 : ms > last_ms ? last_ms : ms;
}

static void split(int64_t days, int *year, int *month, int *day)
{
    int64_t y = 1970 + days / 366, m = 1;

    while (days_of(y + 1, 1, 1) <= days)
        y++;
    while (m < 12 && days_of(y, m + 1, 1) <= days)
        m++;
    *year = (int)y;
    *month = (int)m;
    *day = (int)(days - days_of(y, m, 1) + 1);
}

void date_text(int64_t ms, char text[TIME_TEXT_SIZE])
{
    int year, month, day;

    split(within(ms) / day_ms, &year, &month, &day);
    (void)snprintf(text, TIME_TEXT_SIZE, "%04d-%02d-%02d", year % 10000, month % 100,
                   day % 100);
}

void time_text(int64_t ms, char text[TIME_TEXT_SIZE])
{
    int rest = (int)(within(ms) % day_ms);
    size_t length;

    date_text(ms, text);
    length = strlen(text);
    (void)snprintf(text + length, TIME_TEXT_SIZE - length, "T%02d:%02d:%02d.%03dZ",
                   rest / 3600000, rest / 60000 % 60, rest / 1000 % 60, rest % 1000);
}

int time_of_text(const char *text, int64_t *ms)
{
    int year, month, day, hour, minute, second, rest;
    char again[TIME_TEXT_SIZE];

    if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ", &year, &month, &day, &hour, &minute,
               &second, &rest) != 7)
        return -1;
    *ms = days_of(year, month, day) * day_ms + hour * INT64_C(3600000) +
          minute * INT64_C(60000) + second * INT64_C(1000) + rest;
    /* The 30th of February would become another day. */
    time_text(*ms, again);
    return strcmp(text, again) == 0 ? 0 : -1;
}
