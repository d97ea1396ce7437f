/* machine/limit_table.c: the limits of a step and of the descendants of an instance, and how far
 * documents and hosts may change them.
 *
 * The defaults bound a step to about a second and 64 MiB. A document can come from a stranger, so it
 * may lower them; only the host may raise them. A document may also raise `selections`, because
 * selections cost work, which is limited, and the number of its descendants, within bounds. */
#include "machine/model.h"

#include <stddef.h>

#define LIMIT(member) offsetof(wf_limits, member)

const wf_limit *wf_limit_at(uint32_t index)
{
    static const wf_limit list[WF_LIMITS] = {
        {"selections", LIMIT(selections), 1, 1000, 100000, UINT32_MAX},
        {"ruleSteps", LIMIT(rule_steps), 1, 1000000, 1000000, UINT32_MAX},
        {"ruleBytes", LIMIT(rule_bytes), 1, WF_MAX_WEIGHT, WF_MAX_WEIGHT, WF_MAX_WEIGHT},
        {"stepWork", LIMIT(step_work), 10000, 10000000, 10000000, UINT32_MAX},
        {"stepBytes", LIMIT(step_bytes), 65536, 24 << 20, 24 << 20, UINT32_MAX},
        {"descendants", LIMIT(descendants), 1, 1000, 10000, UINT32_MAX},
        {"descendantsInAll", LIMIT(descendants_in_all), 1, 100000, 1000000, UINT32_MAX}};
    return &list[index];
}
