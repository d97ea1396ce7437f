/* Retries: whether a failed attempt is followed by another, and when. */
#include "step/step.h"

#include <string.h>
#include "base/invariant.h"
#include "base/memory.h"

/* A number from 0 to 1, derived from the invocation and its attempt, so that a replay gets the
 * same one. */
static double jitter_of(const wf_step *step, const wf_invocation *self)
{
    uint64_t x = self->revision * 0x9E3779B97F4A7C15u + self->ordinal * 0xBF58476D1CE4E5B9u +
                 self->attempt;
    x ^= wf_hash_kept(step->instance_id, strlen(step->instance_id));
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return (double)((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

int64_t wf_retry_delay(const wf_step *step, const wf_retry *retry, const wf_invocation *self)
{
    double delay = wf_retry_pause(retry, self->attempt);
    if (retry->jitter)
        delay *= jitter_of(step, self);
    if ((double)step->report.retry_after > delay)
        return step->report.retry_after;
    return (int64_t)delay;
}

/* What no budget covers is not tried again. */
const wf_retry *wf_retry_rule(const wf_step *step, const wf_invocation *self,
                              uint32_t failure_class)
{
    const wfsm_machine *machine = step->machine;
    wf_span retries = machine->invokes[self->invoke].retries;
    WF_INVARIANT(self->attempt > 0 && failure_class < WF_CLASSES);
    for (uint32_t i = retries.first; i < retries.first + retries.count; i++) {
        const wf_retry *retry = &machine->retries[i];
        if ((retry->classes >> failure_class & 1) != 0)
            return self->attempt < retry->max_attempts && wf_budgets_allow(step) ? retry : NULL;
    }
    return NULL;
}
