/* machine/load_limits.c: `limits`, what a step of this document may spend. A document can
 * lower the bounds on rules and not raise them: they protect the host from the document. */
#include "machine/load.h"

enum { SELECTIONS = 1000, MOST_SELECTIONS = 100000 };

static void load_limit(wf_load *load, const wf_node *limits, const char *key, double most,
                       uint32_t *limit)
{
    wf_node node;
    double number;

    if (wf_node_get(&node, limits, key) && wf_expect_integer(load, &node, 1, most, &number))
        *limit = (uint32_t)number;
}

void wf_load_limits(wf_load *load, const wf_node *root)
{
    wf_limits *out = &load->machine->limits;
    wf_node limits;

    *out = (wf_limits){SELECTIONS, WF_EVAL_STEPS, WF_MAX_DEPTH, WF_MAX_WEIGHT};
    if (!wf_node_get(&limits, root, "limits") ||
        !wf_expect(load, &limits, WF_OBJECT, "an object of limits by name"))
        return;
    wf_check_keys(load, &limits, WF_LIMITS_KEYS, 0);
    load_limit(load, &limits, "selections", MOST_SELECTIONS, &out->selections);
    load_limit(load, &limits, "ruleSteps", WF_EVAL_STEPS, &out->rule_steps);
    load_limit(load, &limits, "ruleDepth", WF_MAX_DEPTH, &out->rule_depth);
    load_limit(load, &limits, "ruleBytes", WF_MAX_WEIGHT, &out->rule_bytes);
}
