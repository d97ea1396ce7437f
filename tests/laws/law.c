#include "law.h"

#include <stdio.h>
#include <string.h>
#include <unity.h>

checked at;
counted counts;

void broken(const char *law, const char *left, const char *right)
{
    fprintf(stderr, "seed %llu, input %d (%s): %s\n", (unsigned long long)at.seed, at.index,
            at.input, law);
    if (left)
        fprintf(stderr, "%s\n%s\n", left, right);
    fprintf(stderr, "%s\n", at.document);
    TEST_FAIL_MESSAGE(law);
}

void holds(bool yes, const char *law)
{
    counts.checks++;
    if (!yes)
        broken(law, NULL, NULL);
}

void same(const char *left, const char *right, const char *law)
{
    counts.checks++;
    if (strcmp(left, right) != 0)
        broken(law, left, right);
}
