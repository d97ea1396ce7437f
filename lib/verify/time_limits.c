/* verify/time_limits.c: the time limits of properties. One that is waited for is a limit in the bounds of
 * the timers, in the order of the properties. Each step is tried in time, and too late, as far as the
 * timers allow it. */
#include "verify/successors.h"

static bool is_waited_for(const wf_explorer *explorer, uint32_t property, const uint8_t *memory)
{
    const wf_property *self = &explorer->machine->properties[property];
    return self->limited && wf_property_pending(self, memory[self->byte]);
}

uint32_t wf_limits_waited_for(const wf_explorer *explorer, const uint8_t *memory)
{
    uint32_t count = 0;
    for (uint32_t i = 0; explorer->limits && i < explorer->machine->property_count; i++)
        count += is_waited_for(explorer, i, memory);
    return count;
}

bool wf_limit_may_pass(const wf_explorer *explorer, uint32_t property)
{
    wf_timer_bounds times = explorer->times;
    uint32_t limit = 0;
    if (!explorer->limits || !is_waited_for(explorer, property, explorer->memory))
        return false;
    /* After the end no timer fires, and no budget of time runs out. */
    if (explorer->snapshot.status == WFSM_DONE)
        return true;
    for (uint32_t i = 0; i < property; i++)
        limit += is_waited_for(explorer, i, explorer->memory);
    return wf_timer_bounds_exceed(&times, limit);
}

/* Whether the step at hand comes after the limit. If both are possible, both are tried. */
static bool is_exceeded(wf_explorer *explorer, wf_timer_bounds *times, uint32_t limit)
{
    wf_timer_bounds late = *times, early = *times;
    bool may_be_late = wf_timer_bounds_exceed(&late, limit);
    bool may_be_early = wf_timer_bounds_respect(&early, limit);
    bool is_late = may_be_late && (!may_be_early || wf_choose(explorer, 2) == 1);
    *times = is_late ? late : early;
    return is_late;
}

void wf_limits_decide(wf_explorer *explorer, wf_timer_bounds *times)
{
    uint32_t limit = 0;
    for (uint32_t i = 0; explorer->limits && i < explorer->machine->property_count; i++)
        explorer->late[i] = is_waited_for(explorer, i, explorer->memory) &&
                            is_exceeded(explorer, times, limit++);
}

/* The limit stays in the bounds: the property waits before and after the step, and was not late. */
static bool is_kept(const wf_explorer *explorer, uint32_t property)
{
    return !explorer->late[property] && is_waited_for(explorer, property, explorer->memory) &&
           is_waited_for(explorer, property, explorer->memory_next);
}

static void remove_limits(const wf_explorer *explorer, wf_timer_bounds *times)
{
    uint32_t limit = times->limits - times->ends;
    for (uint32_t i = explorer->machine->property_count; i-- > 0;) {
        if (!is_waited_for(explorer, i, explorer->memory))
            continue;
        limit--;
        if (!is_kept(explorer, i))
            wf_timer_bounds_remove_limit(times, limit);
    }
}

/* Among those that are kept, in the order of the properties. */
static bool add_limits(wf_explorer *explorer, wf_timer_bounds *times)
{
    uint32_t limit = 0;
    for (uint32_t i = 0; i < explorer->machine->property_count; i++) {
        int64_t within = explorer->machine->properties[i].within;
        if (!is_waited_for(explorer, i, explorer->memory_next))
            continue;
        if (!is_kept(explorer, i)) {
            explorer->grain = wf_common_divisor(explorer->grain, within);
            if (!wf_timer_bounds_add_limit(times, limit, within))
                return false;
        }
        limit++;
    }
    return true;
}

bool wf_limits_follow(wf_explorer *explorer, wf_timer_bounds *times)
{
    if (!explorer->limits)
        return true;
    remove_limits(explorer, times);
    return add_limits(explorer, times);
}
