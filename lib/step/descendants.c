/* The instances that descend from this one: child workflows, their child workflows, and so on. An
 * instance has an allowance of them. A child gets a share of it when it is claimed, and its start
 * record says how much. So all of them together keep to the allowance of the first, and nobody has
 * to count over engines. */
#include "step/step.h"

#include "base/invariant.h"

/* How many are allowed, or left. */
typedef struct allowance {
    uint64_t at_once, in_all;
} allowance;

static uint64_t lower(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t from_parent(const wf_value *parent, const char *key)
{
    return (uint64_t)wf_value_get_z(parent, key)->as.number;
}

/* The limits of a child's document and host can only lower what its parent has left to it. */
static allowance allowed(const wf_snapshot *snapshot)
{
    const wf_value *parent = &snapshot->extras->singles.parent;
    wf_limits limits = wf_snapshot_limits(snapshot);
    allowance all = {limits.descendants, limits.descendants_in_all};
    if (parent->type != WF_OBJECT)
        return all;
    all.at_once = lower(all.at_once, from_parent(parent, "descendants"));
    all.in_all = lower(all.in_all, from_parent(parent, "descendants_in_all"));
    return all;
}

static uint64_t at_work(const wf_list *ledger)
{
    uint64_t count = 0;
    for (size_t i = 0; i < ledger->count; i++)
        if (wf_invocation_at(ledger, i)->status == WF_RUNNING)
            count += wf_invocation_at(ledger, i)->descendants;
    return count;
}

/* A limit may have been lowered since the shares were given. */
static allowance left(const wf_snapshot *snapshot)
{
    allowance all = allowed(snapshot);
    uint64_t now = at_work(&snapshot->extras->ledger);
    uint64_t ever = snapshot->extras->singles.descendants;
    all.in_all -= lower(all.in_all, ever);
    all.at_once = lower(all.at_once - lower(all.at_once, now), all.in_all);
    return all;
}

static bool is_child(const wfsm_machine *machine, uint32_t agent)
{
    return wf_child_machine(machine->agents.list[agent].text) != NULL;
}

static bool may_be_child(const wfsm_machine *machine, const wf_invoke *invoke)
{
    for (uint32_t i = 0; i < invoke->srcs.count; i++)
        if (is_child(machine, machine->lists[invoke->srcs.first + i]))
            return true;
    return false;
}

/* True if one is in the other, or both are in different regions of a parallel state. */
static bool active_together(const wfsm_machine *machine, uint32_t a, uint32_t b)
{
    uint32_t top = a;
    while (top != b && !wf_is_descendant(machine, b, top))
        top = machine->states[top].parent;
    return top == a || top == b || machine->states[top].type == WF_PARALLEL;
}

static bool is_outstanding(const wf_list *ledger, uint32_t invoke)
{
    for (size_t i = 0; i < ledger->count; i++)
        if (wf_invocation_at(ledger, i)->invoke == invoke)
            return true;
    return false;
}

/* The children that may be claimed while this one is at work: those that wait, and one for each
 * other `invoke` that may become active. */
static uint64_t others(const wf_step *step, const wf_invocation *self)
{
    const wfsm_machine *machine = step->machine;
    const wf_list *ledger = &step->snapshot->extras->ledger;
    uint64_t count = 0;
    for (size_t i = 0; i < ledger->count; i++) {
        const wf_invocation *other = wf_invocation_at(ledger, i);
        count += other->status == WF_PENDING && is_child(machine, other->agent);
    }
    for (uint32_t i = 0; i < machine->invoke_count; i++)
        count += may_be_child(machine, &machine->invokes[i]) && !is_outstanding(ledger, i) &&
                 active_together(machine, machine->invokes[i].state, self->state);
    return count > 0 ? count - 1 : 0; /* `self` waits, too */
}

/* All children that there may be get the same. */
static uint64_t share_of(uint64_t left, uint64_t others)
{
    if (left <= others + 1)
        return left > 0;
    return left / (others + 1);
}

/* What a child takes of all descendants comes back when it ends, but not when it is withdrawn. So
 * most of it stays here, if that leaves the child as many as may work at once. A child whose
 * machine invokes none takes one (report.descendants). */
void wf_descendants_share(wf_step *step, size_t invocation, wf_invocation *claimed)
{
    wf_singles *singles = &wf_own_extras(step->snapshot)->singles;
    const wf_invocation *self = wf_invocation_at(&step->snapshot->extras->ledger, invocation);
    if (!is_child(step->machine, claimed->agent))
        return;
    allowance rest = left(step->snapshot);
    uint64_t among = others(step, self);
    uint64_t now = share_of(rest.at_once, among);
    uint64_t ever = share_of(rest.in_all, among) / 4;
    if (step->report.descendants > 0) {
        now = lower(now, step->report.descendants);
        ever = now;
    }
    WF_INVARIANT(self->status == WF_PENDING && now <= rest.in_all);
    claimed->descendants = (uint32_t)now;
    claimed->descendants_in_all = (uint32_t)(ever > now ? ever : now);
    singles->descendants += claimed->descendants_in_all;
}

void wf_descendants_return(wf_step *step, const wf_invocation *ended, uint64_t used)
{
    wf_singles *singles = &wf_own_extras(step->snapshot)->singles;
    if (ended->status != WF_RUNNING || used == 0 || used >= ended->descendants_in_all)
        return;
    WF_INVARIANT(singles->descendants >= ended->descendants_in_all);
    singles->descendants -= ended->descendants_in_all - used;
}
