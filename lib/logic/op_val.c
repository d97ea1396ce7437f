/* logic/op_val.c: val and exists. Keys that are constant are resolved before, and only `exists`
 * comes here with them. */
#include "logic/expr_tree.h"

static int32_t look_up(const wf_expr *rule, wf_run *run, wf_value *result)
{
    const wf_value *keys;
    uint32_t count = rule->count;
    uint32_t climb = rule->mode > WF_MODE_SCOPED ? rule->mode - (uint32_t)WF_MODE_SCOPED : 0;
    int32_t status = wf_eval_operands(rule, run, &keys);

    if (status)
        return status;
    if (rule->mode == WF_MODE_SPREAD && keys->type == WF_ARRAY) {
        count = keys->length;
        keys = keys->as.items;
    }
    return wf_var_keys((enum wf_env)rule->env, wf_run_outer(run, climb), keys, count, result);
}

int32_t wf_op_val(const wf_expr *rule, wf_run *run, wf_value *result)
{
    int32_t status = look_up(rule, run, result);

    if (!status && result->type == WF_ABSENT)
        *result = wf_null();
    return status;
}

int32_t wf_op_exists(const wf_expr *rule, wf_run *run, wf_value *result)
{
    bool known = rule->mode == WF_MODE_LISTED;
    int32_t status =
        known ? wf_var_read(rule->as.list[0].as.var, run, result) : look_up(rule, run, result);

    if (!status)
        *result = wf_boolean(result->type != WF_ABSENT);
    return status;
}
