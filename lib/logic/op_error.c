/* logic/op_error.c: throw and try. Limits are not caught: what costs too much fails as a
 * whole. */
#include "logic/expr_tree.h"

static const char *text_of(const wf_value *object, const char *key)
{
    const wf_value *text = wf_value_get_z(object, key);

    return text && text->type == WF_STRING ? text->as.text : NULL;
}

/* What a person is told of an error that nobody catches. */
static const char *told(const wf_value *thrown)
{
    const char *text = NULL;

    if (thrown->type == WF_STRING)
        return thrown->as.text;
    if (thrown->type == WF_OBJECT)
        text = text_of(thrown, "message");
    if (!text && thrown->type == WF_OBJECT)
        text = text_of(thrown, "type");
    return text ? text : "throw";
}

int32_t wf_op_throw(const wf_expr *rule, wf_run *run, wf_value *result)
{
    int32_t status = wf_eval_operand(rule, 0, run, result);

    if (status)
        return status;
    wf_eval_fail(run, told(result));
    run->scope->thrown = result->type == WF_ABSENT ? wf_null() : *result;
    return WFSM_SEMANTIC;
}

/* {"type": …}, unless an object was thrown. */
static int32_t error_value(wf_run *run, wf_value *error)
{
    wf_value type = run->scope->thrown;
    wf_member *member;

    *error = type;
    if (type.type == WF_OBJECT)
        return WFSM_OK;
    if (type.type == WF_ABSENT)
        type = wf_string_z(run->scope->error_type);
    member = wf_arena_take(run->scope->arena, sizeof *member);
    if (!member)
        return wf_eval_full(run);
    wf_member_set(member, "type", 4, type);
    return wf_eval_built(run, wf_object(member, 1), error);
}

/* A constant does not look at the error, which then is not made. */
int32_t wf_op_try(const wf_expr *rule, wf_run *run, wf_value *result)
{
    wf_value error = wf_null();
    wf_run inside = {.scope = run->scope, .data = &error, .outer = run};
    int32_t status = wf_eval_operand(rule, 0, run, result);

    for (uint32_t i = 1; i < rule->count && status == WFSM_SEMANTIC; i++) {
        status = rule->as.list[i].node == WF_NODE_CONSTANT ? WFSM_OK : error_value(run, &error);
        if (!status)
            status = wf_eval(&rule->as.list[i], &inside, result);
    }
    return status;
}
