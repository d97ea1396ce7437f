/* Budgets: counting what an instance uses, and raising the events of those that are used up. Only
 * the action `reset` of the machine gives anything back. A step that fails keeps what its input
 * has cost. */
#include "step/step.h"

#include <string.h>
#include "base/error.h"
#include "base/invariant.h"

/* Cut at the greatest number that is stored exactly. */
static void spend(wf_step *step, uint32_t budget, int64_t amount)
{
    int64_t *used = &wf_spent_at(&step->snapshot->extras->budgets, budget)->used;
    WF_INVARIANT(amount >= 0 && *used <= WF_NUMBER_MOST);
    *used = amount < WF_NUMBER_MOST - *used ? *used + amount : WF_NUMBER_MOST;
    step->budgets = wf_absent();
}

/* ---- counting ---- */

void wf_budgets_claimed(wf_step *step)
{
    const wfsm_machine *machine = step->machine;
    for (uint32_t i = 0; i < machine->budget_count; i++)
        if (machine->budgets[i].counts == WF_COUNT_CLAIMS)
            spend(step, i, 1);
}

static bool lists(const wfsm_machine *machine, wf_span span, uint32_t number)
{
    for (uint32_t i = span.first; i < span.first + span.count; i++)
        if (machine->lists[i] == number)
            return true;
    return false;
}

int32_t wf_budgets_entered(wf_step *step, uint32_t state)
{
    const wfsm_machine *machine = step->machine;
    size_t work = 0;
    for (uint32_t i = 0; i < machine->budget_count; i++) {
        work += 1 + machine->budgets[i].states.count / 16;
        if (lists(machine, machine->budgets[i].states, state))
            spend(step, i, 1);
    }
    return wf_fuel_work(step, work);
}

int32_t wf_budgets_heard(wf_step *step, uint32_t event)
{
    const wfsm_machine *machine = step->machine;
    size_t work = 0;
    for (uint32_t i = 0; event != WF_NONE && i < machine->budget_count; i++) {
        work += 1 + machine->budgets[i].heard.count / 16;
        if (lists(machine, machine->budgets[i].heard, event))
            spend(step, i, 1);
    }
    return wf_fuel_work(step, work);
}

void wf_budgets_spend(wf_step *step)
{
    const wfsm_machine *machine = step->machine;
    if (step->reported)
        return;
    step->reported = true;
    if (step->unclaimed)
        wf_budgets_claimed(step);
    if (!step->report.usage)
        return;
    for (uint32_t i = 0; i < machine->budget_count; i++) {
        const wf_name *name = &machine->budgets[i].name;
        const wf_value *amount =
            wf_value_find(step->report.usage, name->text, name->length, name->hash);
        if (machine->budgets[i].counts == WF_COUNT_USAGE && amount)
            spend(step, i, (int64_t)amount->as.number);
    }
}

/* ---- what is left ---- */

int64_t wf_budget_used(const wf_snapshot *snapshot, uint32_t budget, int64_t now)
{
    const wf_spent *spent = wf_spent_at(&snapshot->extras->budgets, budget);
    if (snapshot->machine->budgets[budget].counts != WF_COUNT_TIME)
        return spent->used;
    return now > spent->since ? now - spent->since : 0;
}

int64_t wf_budget_left(const wf_snapshot *snapshot, uint32_t budget, int64_t now)
{
    int64_t left = wf_spent_at(&snapshot->extras->budgets, budget)->limit -
                   wf_budget_used(snapshot, budget, now);
    return left > 0 ? left : 0;
}

uint32_t wf_budget_refusing(const wf_snapshot *snapshot, int64_t now)
{
    const wfsm_machine *machine = snapshot->machine;
    for (uint32_t i = 0; i < machine->budget_count; i++)
        if (machine->budgets[i].refuses && wf_budget_left(snapshot, i, now) == 0)
            return i;
    return WF_NONE;
}

/* Attempts that are still to be claimed. Nobody claims what a person is asked. */
static int64_t pending(const wf_snapshot *snapshot)
{
    const wf_list *ledger = &snapshot->extras->ledger;
    int64_t count = 0;
    for (size_t i = 0; i < ledger->count; i++)
        count +=
            wf_invocation_at(ledger, i)->status == WF_PENDING &&
            !wf_is_person(&snapshot->machine->agents.list[wf_invocation_at(ledger, i)->agent]);
    return count;
}

/* Whether a budget is enough for so many attempts. A budget of claims covers as many as it has
 * left. One that refuses claims covers none when nothing is left. None may be overdrawn. */
static bool covers(const wf_snapshot *snapshot, uint32_t budget, int64_t attempts)
{
    const wf_budget *self = &snapshot->machine->budgets[budget];
    int64_t left = wf_budget_left(snapshot, budget, snapshot->now);
    if (self->counts == WF_COUNT_CLAIMS)
        return attempts <= left;
    if (self->refuses && left == 0 && attempts > 0)
        return false;
    return self->counts == WF_COUNT_TIME ||
           wf_spent_at(&snapshot->extras->budgets, budget)->used <=
               wf_spent_at(&snapshot->extras->budgets, budget)->limit;
}

bool wf_budgets_allow(const wf_step *step)
{
    const wf_snapshot *snapshot = step->snapshot;
    for (uint32_t i = 0; i < step->machine->budget_count; i++)
        if (!covers(snapshot, i, pending(snapshot) + 1))
            return false;
    return true;
}

uint32_t wf_budget_over(const wf_snapshot *snapshot, int64_t *due)
{
    const wfsm_machine *machine = snapshot->machine;
    uint32_t first = WF_NONE;
    for (uint32_t i = 0; i < machine->budget_count; i++) {
        const wf_spent *spent = wf_spent_at(&snapshot->extras->budgets, i);
        int64_t end = wf_time_after(spent->since, spent->limit);
        if (machine->budgets[i].counts != WF_COUNT_TIME || spent->raised ||
            end > snapshot->now || (first != WF_NONE && end >= *due))
            continue;
        first = i;
        *due = end;
    }
    return first;
}

/* ---- events and values ---- */

static wf_value describe(wf_step *step, uint32_t budget, const char *name, wf_member *members)
{
    const wf_snapshot *snapshot = step->snapshot;
    size_t count = 0;
    double used = (double)wf_budget_used(snapshot, budget, snapshot->now);
    double left = (double)wf_budget_left(snapshot, budget, snapshot->now);
    if (name)
        wf_member_set(&members[count++], "budget", 6, wf_string_z(name));
    wf_member_set(&members[count++], "used", 4, wf_number(used));
    wf_member_set(&members[count++], "limit", 5,
                  wf_number((double)wf_spent_at(&snapshot->extras->budgets, budget)->limit));
    wf_member_set(&members[count++], "left", 4, wf_number(left));
    return wf_object(members, count);
}

wf_event wf_budget_event(wf_step *step, uint32_t budget)
{
    const wf_budget *self = &step->machine->budgets[budget];
    const wf_value none = wf_null();
    wf_event event = wf_platform_event(step, self->event, &none);
    wf_member *members = wf_arena_take(&step->arena, 4 * sizeof *members);
    WF_INVARIANT(!wf_spent_at(&step->snapshot->extras->budgets, budget)->raised);
    wf_spent_at(&step->snapshot->extras->budgets, budget)->raised = true;
    if (members)
        event.data = describe(step, budget, self->name.text, members);
    return event;
}

int32_t wf_budgets_raise(wf_step *step)
{
    const wf_snapshot *snapshot = step->snapshot;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < step->machine->budget_count && status == WFSM_OK; i++) {
        if (wf_spent_at(&snapshot->extras->budgets, i)->raised ||
            covers(snapshot, i, pending(snapshot)))
            continue;
        wf_event event = wf_budget_event(step, i);
        status = wf_raise(step, &event);
    }
    return status;
}

int32_t wf_budgets_raise_later(wf_step *step)
{
    const wf_snapshot *snapshot = step->snapshot;
    const wf_value none = wf_null();
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < step->machine->budget_count && status == WFSM_OK; i++) {
        if (wf_spent_at(&snapshot->extras->budgets, i)->raised ||
            covers(snapshot, i, pending(snapshot)))
            continue;
        wf_event event = wf_budget_event(step, i);
        status = wf_timer_raise(step, &event.name, &event.data, &none, 0);
    }
    return status;
}

static wf_value budgets_value(wf_step *step)
{
    const wfsm_machine *machine = step->machine;
    uint32_t count = machine->budget_count;
    wf_member *members = wf_arena_take(&step->arena, (4 * count + 1) * sizeof *members);
    wf_member *whole = wf_arena_take(&step->arena, (count + 1) * sizeof *whole);
    if (!members || !whole)
        return wf_null();
    for (uint32_t i = 0; i < count; i++) {
        const wf_name *name = &machine->budgets[i].name;
        wf_member_set(&whole[i], name->text, name->length,
                      describe(step, i, NULL, &members[4 * i]));
    }
    return wf_object(whole, count);
}

const wf_value *wf_step_budgets_seen(wf_step *step)
{
    if (step->budgets.type == WF_ABSENT)
        step->budgets = budgets_value(step);
    return &step->budgets;
}
