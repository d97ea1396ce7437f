/* verify/hiding_budgets.c: the amounts that a hidden budget may have used before a step. */
#include "verify/hiding.h"
#include "verify/successors.h"

enum { UNTOUCHED = 1 };

static wf_hiding *hiding_of(const wf_explorer *explorer)
{
    return explorer->symbolic ? explorer->symbolic->hiding : NULL;
}

static wf_spent *spent_on(const wf_explorer *explorer, uint32_t budget)
{
    return wf_spent_at(&explorer->snapshot.extras->budgets, budget);
}

/* The amounts with which one of the first steps beyond the limit is the step at hand; and one with which
 * none is. */
static int64_t amount_of(const wf_spent *spent, uint32_t choice)
{
    return choice == 0 ? 0 : spent->limit + 1 - choice;
}

void wf_hiding_choose(wf_explorer *explorer)
{
    wf_hiding *self = hiding_of(explorer);
    for (uint32_t i = 0; self && i < explorer->machine->budget_count; i++) {
        wf_spent *spent = spent_on(explorer, i);
        if (!wf_hiding_is_any(explorer, spent))
            continue;
        explorer->symbolic->splits = explorer->symbolic->guesses = true;
        spent->used = amount_of(spent, wf_choose(explorer, (uint32_t)spent->limit + 1));
        spent->stamp.changed = UNTOUCHED;
    }
}

/* How much the step has spent; after a reset that is not known, and as much as there is. */
static int64_t spent_by_step(const wf_spent *before, const wf_spent *after)
{
    if (after->stamp.changed != UNTOUCHED || after->used < before->used)
        return before->limit;
    return after->used - before->used;
}

void wf_hiding_chosen(wf_explorer *explorer, bool first)
{
    wf_hiding *self = hiding_of(explorer);
    const wf_list before = wf_draft_before(&explorer->step, WF_BUDGETS);
    uint32_t place = 0;
    for (uint32_t i = 0; self && i < explorer->machine->budget_count; i++) {
        const wf_spent *then = wf_spent_at(&before, i);
        if (!wf_hiding_is_any(explorer, then))
            continue;
        int64_t spent = spent_by_step(then, spent_on(explorer, i));
        if (spent > 0)
            self->met[self->keys + i] = WF_MET_READ;
        if (first || spent > self->spent[i])
            self->spent[i] = spent;
        if (self->spent[i] < then->limit)
            explorer->choices.most[place] = (uint16_t)(self->spent[i] + 1);
        place++;
    }
}
