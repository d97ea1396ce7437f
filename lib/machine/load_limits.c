/* machine/load_limits.c: `limits`, what a step of this document may cost. */
#include "machine/load.h"

static void load_limit(wf_load *load, const wf_node *limits, const char *key, uint32_t least,
                       uint32_t most, uint32_t *limit)
{
    wf_node node;
    double number;

    if (wf_node_get(&node, limits, key) && wf_expect_integer(load, &node, least, most, &number))
        *limit = (uint32_t)number;
}

void wf_load_limits(wf_load *load, const wf_node *root)
{
    wfsm_machine *machine = load->machine;
    wf_node limits;

    machine->rule_depth = WF_MAX_DEPTH;
    for (uint32_t i = 0; i < WF_LIMITS; i++)
        *wf_limit_in(&machine->limits, wf_limit_at(i)) = wf_limit_at(i)->initial;
    if (!wf_node_get(&limits, root, "limits") ||
        !wf_expect(load, &limits, WF_OBJECT, "an object of limits by name"))
        return;
    wf_check_keys(load, &limits, WF_LIMITS_KEYS, 0);
    load_limit(load, &limits, "ruleDepth", 1, WF_MAX_DEPTH, &machine->rule_depth);
    for (uint32_t i = 0; i < WF_LIMITS; i++) {
        const wf_limit *self = wf_limit_at(i);

        load_limit(load, &limits, self->name, self->least, self->document,
                   wf_limit_in(&machine->limits, self));
    }
}
