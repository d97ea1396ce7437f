/* verify/cone_numbers.c: what sums and divisions want of their operands. */
#include "verify/cone_expr.h"

#include <string.h>

/* The constants that a sum is compared with, minus its other operands, are those of an operand. */
static void add_shifted(wf_cones *all, const wf_expr *rule, const wf_cone *wanted,
                        wf_cone *operand)
{
    bool minus = strcmp(rule->op->name, "-") == 0;
    double others = 0;
    for (uint32_t i = 0; i < rule->count; i++)
        if (wf_expr_is_number(&rule->as.list[i]))
            others += rule->as.list[i].as.constant.as.number;
    for (uint32_t i = 0; i < wanted->constant_count; i++) {
        wf_value value = wanted->constants[i];
        if (value.type == WF_NUMBER)
            value = wf_number(value.as.number + (minus ? others : -others));
        wf_cone_constant(all, operand, &value);
    }
}

wf_cone *wf_want_summed(wf_cones *all, const wf_expr *rule, uint32_t place,
                        const wf_cone *wanted)
{
    const wf_expr *operand = &rule->as.list[place];
    wf_cone *made = wf_want_operand(all, rule);
    if (operand->node == WF_NODE_VAR && operand->as.var->origin == WF_FROM_EVENT)
        add_shifted(all, rule, wanted, made);
    return made;
}

/* A divisor may be 0. */
wf_cone *wf_want_divided(wf_cones *all, const wf_expr *rule, uint32_t place,
                         const wf_cone *wanted)
{
    const wf_value zero = wf_number(0);
    wf_cone *made = wf_want_operand(all, rule);
    (void)wanted;
    if (place > 0 || rule->count == 1)
        wf_cone_constant(all, made, &zero);
    return made;
}
