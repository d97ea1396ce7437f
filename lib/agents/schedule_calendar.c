/* Days are counted by H. Hinnant's method: years begin in March, so a leap day is the last. */
#include "schedule_calendar.h"

#include <stdio.h>
#include <string.h>

enum { ERA_YEARS = 400, ERA_DAYS = 146097, FROM_MARCH_0000 = 719468 };

static int64_t divide_down(int64_t value, int64_t by)
{
    return value / by - (value % by < 0);
}

int64_t wfa_day_number(const wfa_date *date)
{
    int64_t year = date->year - (date->month <= 2);
    int64_t era = divide_down(year, ERA_YEARS);
    int64_t of_era = year - era * ERA_YEARS;
    int64_t month = (date->month + 9) % 12;
    int64_t of_year = (153 * month + 2) / 5 + date->day - 1;

    return era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year -
           FROM_MARCH_0000;
}

wfa_date wfa_day_date(int64_t day)
{
    int64_t from = day + FROM_MARCH_0000;
    int64_t era = divide_down(from, ERA_DAYS);
    int64_t of_era = from - era * ERA_DAYS;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153;
    wfa_date date = {.day = (int)(of_year - (153 * month + 2) / 5 + 1)};

    date.month = (int)(month < 10 ? month + 3 : month - 9);
    date.year = year + era * ERA_YEARS + (date.month <= 2);
    return date;
}

int wfa_is_leap_year(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int wfa_month_days(int64_t year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return days[month - 1] + (month == 2 && wfa_is_leap_year(year));
}

int wfa_week_day(int64_t day)
{
    int64_t from_sunday = (day + 4) % 7; /* 1970-01-01 was a Thursday */

    return (int)(from_sunday < 0 ? from_sunday + 7 : from_sunday);
}

int64_t wfa_day_of(int64_t seconds)
{
    return divide_down(seconds, WFA_DAY_SECONDS);
}

static int has_form(const char *text)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd";
    size_t index;

    if (strlen(text) != sizeof form - 1)
        return 0;
    for (index = 0; form[index]; index++)
        if (form[index] == 'd' ? text[index] < '0' || text[index] > '9'
                               : text[index] != form[index])
            return 0;
    return 1;
}

int wfa_take_number(const char **at, int most)
{
    int64_t value = 0;

    if (**at < '0' || **at > '9')
        return -1;
    while (**at >= '0' && **at <= '9' && value <= most)
        value = value * 10 + (*(*at)++ - '0');
    return value <= most ? (int)value : -1;
}

static int digits(const char *text, int count)
{
    int value = 0;

    while (count-- > 0)
        value = value * 10 + (*text++ - '0');
    return value;
}

int wfa_time_parse(const char *text, int64_t *seconds)
{
    wfa_date date;
    int hour, minute, second;

    if (!has_form(text))
        return -1;
    date = (wfa_date){digits(text, 4), digits(text + 5, 2), digits(text + 8, 2)};
    hour = digits(text + 11, 2);
    minute = digits(text + 14, 2);
    second = digits(text + 17, 2);
    if (date.year < 1970 || date.month < 1 || date.month > 12 || date.day < 1 ||
        date.day > wfa_month_days(date.year, date.month) || hour > 23 || minute > 59 ||
        second > 59)
        return -1;
    *seconds =
        wfa_day_number(&date) * WFA_DAY_SECONDS + (int64_t)hour * 3600 + minute * 60 + second;
    return 0;
}

void wfa_time_text(int64_t seconds, char text[WFA_TIME_TEXT])
{
    int64_t day = wfa_day_of(seconds);
    int rest = (int)(seconds - day * WFA_DAY_SECONDS);
    wfa_date date = wfa_day_date(day);

    (void)snprintf(text, WFA_TIME_TEXT, "%04d-%02d-%02dT%02d:%02d:%02d", (int)date.year,
                   date.month, date.day, rest / 3600, rest / 60 % 60, rest % 60);
}
