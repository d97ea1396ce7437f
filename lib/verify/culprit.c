/* verify/culprit.c: why no run with values follows a way over symbols. Either the solver finds no values,
 * from a certain question on; or the run goes another way, because something was not followed, or is not
 * what an input says. */
#include "verify/symbolic.h"

enum { EFFORT = 1 };

/* Whether there are values for the first so many literals. */
static bool has_values(wf_symbolic *self, uint32_t count, wf_arena *arena)
{
    return wf_solve(&self->terms, self->path, count, EFFORT, arena, NULL) == WF_SAT;
}

/* The first literal from which on no values are found. */
static uint32_t first_without(wf_symbolic *self, wf_arena *arena)
{
    uint32_t good = 0, bad = self->path_count;
    while (good + 1 < bad) {
        uint32_t middle = good + (bad - good) / 2;
        if (has_values(self, middle, arena))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

/* The rule of the literal, or of the next one that has one. */
static const wf_expr *rule_from(const wf_symbolic *self, uint32_t place)
{
    for (uint32_t i = place; i < self->path_count; i++)
        if (self->asked_by[i])
            return self->asked_by[i];
    return NULL;
}

const wf_expr *wf_culprit(wf_symbolic *self, wf_arena *arena)
{
    if (self->path_count == 0 || self->opaque_rule)
        return self->opaque_rule;
    if (!has_values(self, self->path_count, arena))
        return rule_from(self, first_without(self, arena));
    for (uint32_t i = 0; i < self->path_count; i++)
        if (self->asked_by[i] && wf_decide_is_made(self, self->path[i].term))
            return self->asked_by[i];
    return rule_from(self, 0);
}
