/* dur: `dur 1h30m` prints 5400; `dur 5400` prints 1h30m. */
#include "duration.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print_text(const char *argument)
{
    char text[DURATION_TEXT_MAX];
    unsigned long long seconds;

    errno = 0;
    seconds = strtoull(argument, NULL, 10);
    if (errno != 0 || seconds > DURATION_MAX ||
        !duration_format((uint32_t)seconds, text, sizeof text)) {
        fprintf(stderr, "dur: too long: %s\n", argument);
        return 1;
    }
    puts(text);
    return 0;
}

static int print_seconds(const char *argument)
{
    uint32_t seconds;

    if (!duration_parse(argument, &seconds)) {
        fprintf(stderr, "dur: not a duration, or too long: %s\n", argument);
        return 1;
    }
    printf("%lu\n", (unsigned long)seconds);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2 || argv[1][0] == '\0') {
        fprintf(stderr, "usage: dur DURATION|SECONDS\n");
        return 2;
    }
    if (strspn(argv[1], "0123456789") == strlen(argv[1]))
        return print_text(argv[1]);
    return print_seconds(argv[1]);
}
