#include "duration.h"

#include <stdio.h>

static const struct {
    char name;
    uint32_t seconds;
} units[] = {
    {'w', 7 * 24 * 60 * 60}, {'d', 24 * 60 * 60}, {'h', 60 * 60}, {'m', 60}, {'s', 1},
};

#define UNIT_COUNT (sizeof units / sizeof units[0])

/* The length of a unit in seconds; 0 when there is no such unit. */
static uint32_t unit_seconds(char name)
{
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (units[i].name == name)
            return units[i].seconds;
    }
    return 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads the digits at *text and moves *text behind them; false when there are none. */
static bool read_number(const char **text, uint32_t *number)
{
    const char *at = *text;
    uint32_t value = 0;

    for (; is_digit(*at); at++) {
        uint32_t digit = (uint32_t)(*at - '0');

        value = value * 10 + digit;
    }
    if (at == *text)
        return false;
    *text = at;
    *number = value;
    return true;
}

bool duration_parse(const char *text, uint32_t *seconds)
{
    uint32_t total = 0;

    do {
        uint32_t number;
        uint32_t unit;

        if (!read_number(&text, &number))
            return false;
        unit = unit_seconds(*text);
        if (unit == 0)
            return false;
        total += number * unit;
        text++;
    } while (*text != '\0');
    *seconds = total;
    return true;
}

bool duration_format(uint32_t seconds, char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < UNIT_COUNT; i++) {
        uint32_t count = seconds / units[i].seconds;
        bool last = i + 1 == UNIT_COUNT;
        int length;

        seconds %= units[i].seconds;
        if (count == 0 && !(last && used == 0))
            continue;
        length =
            snprintf(text + used, size - used, "%u%c", (unsigned)count, units[i].name);
        if (length < 0 || (size_t)length >= size - used)
            return false;
        used += (size_t)length;
    }
    return true;
}
