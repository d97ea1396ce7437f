/* The tests of duration.c: each line of a table is one case. */
#include "duration.h"

#include <stdio.h>
#include <string.h>

static int passed;
static int failed;

static void check(bool ok, const char *text, const char *expected, const char *got)
{
    if (ok) {
        passed++;
        return;
    }
    failed++;
    printf("FAIL \"%s\": expected %s, got %s\n", text, expected, got);
}

static void test_accepted(void)
{
    static const struct {
        const char *text;
        uint32_t seconds;
        const char *formatted;
    } cases[] = {
        {"0s", 0, "0s"},
        {"90s", 90, "1m30s"},
        {"1h30m", 5400, "1h30m"},
        {"30m1h", 5400, "1h30m"},
        {"1w2d3h4m5s", 788645, "1w2d3h4m5s"},
        {"24h", 86400, "1d"},
        {"007d", 604800, "1w"},
        {"7101w", 4294684800, "7101w"},
        {"4294967295s", DURATION_MAX, "7101w3d6h28m15s"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t seconds = 12345;
        char text[DURATION_TEXT_MAX] = "";
        char expected[32];
        char got[32];

        duration_parse(cases[i].text, &seconds);
        snprintf(expected, sizeof expected, "%lu s", (unsigned long)cases[i].seconds);
        snprintf(got, sizeof got, "%lu s", (unsigned long)seconds);
        check(seconds == cases[i].seconds, cases[i].text, expected, got);

        duration_format(cases[i].seconds, text, sizeof text);
        check(strcmp(text, cases[i].formatted) == 0, expected, cases[i].formatted,
              text);
    }
}

static void test_refused(void)
{
    static const char *const cases[] = {
        "",              /* nothing */
        "h",             /* no number */
        "90",            /* no unit */
        "1x",            /* no such unit */
        "1h 30m",        /* a space */
        "-1s",           /* a sign */
        "4294967296s",   /* one second above the longest */
        "4294967295s1s", /* the same, in two parts */
        "7102w",         /* weeks that are too many seconds */
        "9999999999s",   /* more digits than fit */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t seconds = 12345;
        bool accepted = duration_parse(cases[i], &seconds);
        char got[32];

        snprintf(got, sizeof got, "%lu s", (unsigned long)seconds);
        check(!accepted && seconds == 12345, cases[i], "a refusal", got);
    }
}

static void test_short_buffer(void)
{
    char text[5];

    check(!duration_format(5400, text, sizeof text), "5 bytes", "a refusal", text);
}

int main(void)
{
    test_accepted();
    test_refused();
    test_short_buffer();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
