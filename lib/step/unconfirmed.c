/* Steps whose commits are not confirmed yet: each is applied to the snapshot, and keeps what is
 * needed to take it back. */
#include "step/step.h"

#include "base/invariant.h"
#include "base/memory.h"

static wf_before *make(const wf_step *step)
{
    wf_before *made = wf_new(step->allocator, sizeof *made);
    if (made && !wf_before_init(made, step->allocator, step->machine)) {
        wf_before_free(step->allocator, made);
        return NULL;
    }
    return made;
}

bool wf_step_reserve(wf_step *step)
{
    if (!step->spare)
        step->spare = make(step);
    return step->spare;
}

bool wf_step_apply(wf_step *step, wf_before **newest)
{
    wf_before *kept = step->spare;
    if (!wf_context_is_settled(step)) {
        wf_step_commit(step);
        return false;
    }
    WF_INVARIANT(step->open && kept && step->queue_count == 0 && step->arena.limit == 0);
    step->spare = NULL;
    wf_before empty = *kept;
    *kept = step->before;
    step->before = empty;
    kept->older = *newest;
    *newest = kept;
    step->snapshot->revision++;
    step->open = false;
    return true;
}

static wf_before *take(wf_before **newest)
{
    wf_before *taken = *newest;
    *newest = taken->older;
    return taken;
}

void wf_steps_confirm(const wf_snapshot *snapshot, wf_before **newest)
{
    while (*newest) {
        wf_before *kept = take(newest);
        wf_context_keep(snapshot, kept);
        wf_entries_keep(snapshot, kept);
        wf_before_free(snapshot->allocator, kept);
    }
}

void wf_steps_take_back(wf_snapshot *snapshot, wf_before **newest)
{
    while (*newest) {
        wf_before *kept = take(newest);
        wf_before_swap(snapshot, kept);
        wf_before_discard(snapshot, kept);
        snapshot->revision--;
        wf_before_free(snapshot->allocator, kept);
    }
}

/* Swaps each, in the order of the list, and turns the list round. */
static size_t turn(wf_snapshot *snapshot, wf_before **list)
{
    wf_before *turned = NULL;
    size_t count = 0;
    while (*list) {
        wf_before *kept = take(list);
        wf_before_swap(snapshot, kept);
        kept->older = turned;
        turned = kept;
        count++;
    }
    *list = turned;
    return count;
}

void wf_steps_hide(wf_snapshot *snapshot, wf_before **list)
{
    snapshot->revision -= turn(snapshot, list);
}

void wf_steps_show(wf_snapshot *snapshot, wf_before **list)
{
    snapshot->revision += turn(snapshot, list);
}
