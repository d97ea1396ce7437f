/* logic/expr_fuel.c: the cost of an evaluation, and its errors. */
#include "logic/expr_tree.h"

#include "base/invariant.h"

int32_t wf_spend(wf_run *run, size_t steps)
{
    if (run->scope->steps <= steps) {
        run->scope->steps = 0;
        run->scope->failure = "it takes too many steps";
        return WFSM_LIMIT;
    }
    run->scope->steps -= (uint32_t)steps;
    WF_INVARIANT(run->scope->steps > 0);
    return WFSM_OK;
}

static int32_t fail(wf_run *run, const char *type, const char *why)
{
    run->scope->failure = why;
    run->scope->error_type = type;
    run->scope->thrown = wf_absent();
    return WFSM_SEMANTIC;
}

int32_t wf_eval_fail(wf_run *run, const char *why)
{
    return fail(run, "Invalid Arguments", why);
}

int32_t wf_eval_not_number(wf_run *run, const char *why)
{
    return fail(run, "NaN", why);
}

int32_t wf_eval_wrong_count(wf_run *run)
{
    return wf_eval_fail(run, "wrong number of operands");
}

int32_t wf_eval_full(wf_run *run)
{
    if (run->scope->arena->failed)
        return WFSM_NO_MEMORY;
    run->scope->failure = "its values take too much memory";
    return WFSM_LIMIT;
}

int32_t wf_eval_built(wf_run *run, wf_value built, wf_value *result)
{
    *result = built;
    if (built.type != WF_ABSENT)
        return WFSM_OK;
    run->scope->failure = "a value is nested too deep or too large";
    return WFSM_LIMIT;
}
