/* Budgets in a migration: what was used of a budget counts on under the same name, with the
 * limit of the new document. */
#include "step/migrate.h"

#include <string.h>
#include "base/error.h"
#include "base/memory.h"

static bool is_time(const wf_budget *budget)
{
    return budget->counts == WF_COUNT_TIME;
}

static void carry(const wf_migrator *self, uint32_t budget)
{
    const wfsm_machine *machine = self->step->machine, *old = self->old->machine;
    const wf_budget *mine = &machine->budgets[budget];
    wf_spent *spent = wf_spent_at(&self->step->snapshot->extras->budgets, budget);
    uint32_t before = wf_names_find(&old->budget_names, mine->name.text, mine->name.length);
    if (before == WF_NONE || is_time(mine) != is_time(&old->budgets[before]))
        return;
    const wf_spent *was = wf_spent_at(&self->old->extras->budgets, before);
    spent->used = was->used;
    spent->since = was->since;
    spent->raised = was->raised && wf_budget_left(self->step->snapshot, budget,
                                                  self->step->snapshot->now) == 0;
}

static uint32_t invoke_of(const wfsm_machine *machine, const wf_name *id)
{
    uint32_t i = 0;
    while (i < machine->invoke_count &&
           (machine->invokes[i].id.length != id->length ||
            memcmp(machine->invokes[i].id.text, id->text, id->length) != 0))
        i++;
    return i < machine->invoke_count ? i : WF_NONE;
}

/* Repeated failures are carried over for invocations whose id the new document has. */
static int32_t carry_failures(const wf_migrator *self)
{
    const wf_list *from = &self->old->extras->repeats;
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < from->count && status == WFSM_OK; i++) {
        wf_repeat repeat = *wf_repeat_at(from, i);
        repeat.invoke =
            invoke_of(self->step->machine, &self->old->machine->invokes[repeat.invoke].id);
        if (repeat.invoke != WF_NONE)
            status = wf_draft_add(self->step, WF_REPEATS, &repeat);
    }
    return status;
}

int32_t wf_migrate_budgets(const wf_migrator *self)
{
    int32_t status = wf_budgets_open(self->step);
    for (uint32_t i = 0; i < self->step->machine->budget_count && status == WFSM_OK; i++)
        carry(self, i);
    return status == WFSM_OK ? carry_failures(self) : status;
}
