/* verify/attempt_ends.c: until when an agent's attempt ends. A punctual host begins it as soon as it is
 * outstanding, or when the pause before it is over, and ends it after `timeoutMs`. In the bounds these ends
 * are in the order of the machine's invocations, of which each has one at most. */
#include <math.h>
#include "verify/explorer.h"

bool wf_ends_are_kept(const wf_explorer *explorer)
{
    const wfsm_machine *machine = explorer->machine;
    bool any = false;
    for (uint32_t i = 0; i < machine->invoke_count; i++)
        any |= machine->invokes[i].timeout > 0 && !machine->invokes[i].items;
    /* Nobody knows when a budget that refuses claims allows the next attempt. */
    return any && explorer->times.punctual && !explorer->restores && !explorer->claims;
}

/* The rule that gave the attempt: the first one for the class of the failure. NULL: none did. */
static const wf_retry *retry_of(const wfsm_machine *machine, const wf_invocation *work)
{
    const wf_span retries = machine->invokes[work->invoke].retries;
    for (uint32_t i = 0; work->reason < WF_CLASSES && i < retries.count; i++)
        if (machine->retries[retries.first + i].classes >> work->reason & 1)
            return &machine->retries[retries.first + i];
    return NULL;
}

/* The longest pause before the attempt, in whole milliseconds as the step has it (lib/step/retries.c). Jitter
 * makes it shorter. */
static int64_t pause_before(const wfsm_machine *machine, const wf_invocation *work)
{
    const wf_retry *rule = work->attempt > 0 ? retry_of(machine, work) : NULL;
    double pause = rule ? wf_retry_pause(rule, work->attempt) : 0;
    return (int64_t)(rule && rule->jitter ? fmax(ceil(pause) - 1, 0) : pause);
}

int64_t wf_end_of(const wf_explorer *explorer, const wf_invocation *work)
{
    const wfsm_machine *machine = explorer->machine;
    const wf_invoke *invoke = &machine->invokes[work->invoke];
    if (!explorer->ends || invoke->timeout <= 0 || invoke->items || wf_invocation_ended(work) ||
        wf_is_person(&machine->agents.list[work->agent]))
        return 0;
    return pause_before(machine, work) + invoke->timeout;
}

static const wf_invocation *outstanding(const wf_explorer *explorer, const wf_list *ledger,
                                        uint32_t invoke)
{
    for (size_t i = 0; i < ledger->count; i++) {
        const wf_invocation *work = wf_invocation_at(ledger, i);
        if (work->invoke == invoke && wf_end_of(explorer, work) > 0)
            return work;
    }
    return NULL;
}

uint32_t wf_ends_count(const wf_explorer *explorer, const wf_list *ledger)
{
    uint32_t count = 0;
    for (size_t i = 0; explorer->ends && i < ledger->count; i++)
        count += wf_end_of(explorer, wf_invocation_at(ledger, i)) > 0;
    return count;
}

/* The attempt was outstanding before the step, too. */
static bool is_same(const wf_invocation *before, const wf_invocation *after)
{
    return before && after && after->revision == before->revision &&
           after->ordinal == before->ordinal && after->attempt == before->attempt;
}

static bool add(wf_explorer *explorer, wf_timer_bounds *times, uint32_t place, int64_t end)
{
    explorer->grain = wf_common_divisor(explorer->grain, end);
    return wf_timer_bounds_add_end(times, place, end);
}

bool wf_ends_follow(wf_explorer *explorer, bool start, wf_timer_bounds *times)
{
    const wf_list none = {0}, *now = &explorer->snapshot.extras->ledger;
    const wf_list before =
        explorer->ends && !start ? wf_draft_before(&explorer->step, WF_LEDGER) : none;
    uint32_t place = 0;
    for (uint32_t i = 0; explorer->ends && i < explorer->machine->invoke_count; i++) {
        const wf_invocation *old = outstanding(explorer, &before, i),
                            *new = outstanding(explorer, now, i);
        bool kept = is_same(old, new);
        if (old && !kept)
            wf_timer_bounds_remove_end(times, place);
        if (new && !kept && !add(explorer, times, place, wf_end_of(explorer, new)))
            return false;
        place += new != NULL;
    }
    return true;
}
