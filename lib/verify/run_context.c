/* verify/run_context.c: the context that a run has somewhere on its way. */
#include "verify/trace.h"

wf_value *wf_context_copy(const wf_snapshot *snapshot, wf_arena *arena)
{
    wf_value *context = wf_arena_take(arena, (snapshot->slot_count + 1u) * sizeof *context);
    for (uint32_t i = 0; context && i < snapshot->slot_count; i++)
        context[i] = wf_value_clone(arena, &snapshot->slots[i]);
    return arena->failed ? NULL : context;
}

bool wf_context_is(const wf_snapshot *snapshot, const wf_value *context)
{
    for (uint32_t i = 0; i < snapshot->slot_count; i++)
        if (!wf_value_equal(&snapshot->slots[i], &context[i]))
            return false;
    return true;
}

bool wf_context_fits(const wf_snapshot *snapshot, const wf_value *context)
{
    for (uint32_t i = 0; i < snapshot->slot_count; i++)
        if (context[i].type != WF_ABSENT && !wf_value_equal(&snapshot->slots[i], &context[i]))
            return false;
    return true;
}
