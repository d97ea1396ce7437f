#include "phase.h"

#include <string.h>

static const char *const names[PHASES] = {"Proposed",     "Challenged", "Rejected",
                                          "Implementing", "Complete",   "Archived"};

const char *phase_name(phase which)
{
    return names[which];
}

int phase_named(const char *name, phase *which)
{
    int index;

    for (index = 0; index < PHASES; index++)
        if (strcmp(names[index], name) == 0) {
            *which = (phase)index;
            return 0;
        }
    return -1;
}
