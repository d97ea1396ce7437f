/* verify/symbolic_ids.c: ids of timers that are terms. Which of the timers have the same id is decided, and what is
 * the same is then written alike: the step compares ids by their values. */
#include "verify/symbolic_eval.h"

#include "verify/explorer.h"

/* Parts of the decisions; there are not more timers than that. */
enum { NOTHING = 60, PLAIN, SAME, TIMERS_MOST = 40 };

static bool is_scalar(const wf_value *value)
{
    return value->type < WF_ARRAY;
}

static int32_t is_same(wf_symbolic *self, const wf_expr *expr, uint32_t part,
                       const wf_value *one, const wf_value *other, bool *yes)
{
    const wf_literal literal = {.kind = WF_IS_TRUE,
                                .term = wf_symbolic_compared(self, "===", one, other)};
    *yes = wf_value_equal(one, other);
    if (*yes || (!wf_symbolic_within(one) && !wf_symbolic_within(other)))
        return WFSM_OK;
    return wf_decide(self, expr, part, &literal, yes);
}

/* The id of the first timer that has the same. Timers that have the same id have the same value. */
static int32_t find_same(wf_symbolic *self, const wf_expr *expr, wf_value *value)
{
    const wf_list *timers = &self->explorer->asking->snapshot->extras->timers;
    bool found = false;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < timers->count && !found && status == WFSM_OK; i++) {
        const wf_value *id = wf_value_get_z(&wf_timer_at(timers, i)->raised, "id");
        if (i >= TIMERS_MOST)
            wf_symbolic_give_up(self, "ids of many timers that come from data", expr);
        if (!id || id->type == WF_NULL || !is_scalar(id) || i >= TIMERS_MOST)
            continue;
        status = is_same(self, expr, SAME + i, id, value, &found);
        if (found)
            *value = *id;
    }
    return status;
}

/* Containers are compared in another way than `===` does it. */
int32_t wf_symbolic_id(wf_symbolic *self, const wf_expr *expr, wf_value *value)
{
    const uint8_t plain = 1u << WF_BOOLEAN | 1u << WF_NUMBER | 1u << WF_STRING;
    bool nothing = false, fine = is_scalar(value);
    int32_t status = wf_decide_type(self, expr, NOTHING, value, 1u << WF_NULL, &nothing);
    if (nothing)
        *value = wf_null();
    if (status == WFSM_OK && !nothing)
        status = wf_decide_type(self, expr, PLAIN, value, plain, &fine);
    if (status != WFSM_OK || nothing)
        return status;
    if (fine)
        return find_same(self, expr, value);
    if (wf_symbolic_within(value)) {
        wf_symbolic_give_up(self, "an id that is a list or an object, and comes from data",
                            expr);
        *value = wf_null();
    }
    return WFSM_OK;
}
