#include "verdict.h"

#include <stdlib.h>
#include <string.h>

#include "hostkit/files.h"

static const char *const names[VERDICTS] = {"",         "APPROVED",      "NEEDS_REVISION",
                                            "REJECTED", "NEEDS_CHANGES", "MAJOR_ISSUES"};

const char *verdict_name(verdict which)
{
    return names[which];
}

int verdict_named(const char *name, verdict *which)
{
    int index;

    for (index = 0; index < VERDICTS; index++)
        if (strcmp(names[index], name) == 0) {
            *which = (verdict)index;
            return 0;
        }
    return -1;
}
