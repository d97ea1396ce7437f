/* The place of an invocation in the pool of slots: priority, phase and group. It is evaluated when
 * the invocation is made and stands in the ledger, so that another engine knows it after a
 * restart. */
#include "step/step.h"

#include <string.h>
#include "base/utf8.h"

static bool read_priority(const wf_value *value, int8_t *priority)
{
    static const char *const words[] = {"low", "normal", "high"};
    for (int i = 0; value->type == WF_STRING && i < 3; i++)
        if (strcmp(value->as.text, words[i]) == 0) {
            *priority = (int8_t)(i - 1);
            return true;
        }
    return false;
}

static bool is_name(const wf_value *value)
{
    return value->type == WF_STRING && strlen(value->as.text) == value->length &&
           wf_id_valid(value->as.text);
}

/* An expression that gives null leaves its part out. */
static int32_t add_part(wf_step *step, const wf_expr *expr, const char *key, wf_member *members,
                        size_t *count)
{
    wf_value value;
    int8_t priority;
    bool ranks = key[0] == 'p' && key[1] == 'r';
    int32_t status =
        wf_step_eval_known(step, expr, ranks ? WF_NEED_PRIORITY : WF_NEED_PLACE, &value);
    if (status != WFSM_OK || value.type == WF_NULL)
        return status;
    bool fits = ranks ? read_priority(&value, &priority) : is_name(&value);
    step->message =
        "`pool` gave a priority that is not \"high\", \"normal\" or \"low\", or a phase or "
        "group that is not a name";
    if (!fits)
        return WFSM_SEMANTIC;
    wf_member_set(&members[(*count)++], key, strlen(key), value);
    return WFSM_OK;
}

static int32_t eval_parts(wf_step *step, const wf_invoke *invoke, wf_value *pool)
{
    size_t count = 0;
    *pool = wf_null();
    if (!invoke->priority && !invoke->phase && !invoke->group)
        return WFSM_OK;
    wf_member *members = wf_arena_take(&step->arena, 3 * sizeof *members);
    if (!members)
        return wf_step_arena(step);
    int32_t status = add_part(step, invoke->priority, "priority", members, &count);
    if (status == WFSM_OK)
        status = add_part(step, invoke->phase, "phase", members, &count);
    if (status == WFSM_OK)
        status = add_part(step, invoke->group, "group", members, &count);
    if (status == WFSM_OK && count > 0)
        *pool = wf_object(members, count);
    return status;
}

int32_t wf_placement_eval(wf_step *step, const wf_invoke *invoke, wf_invocation *made)
{
    int32_t status = eval_parts(step, invoke, &made->pool);
    if (status == WFSM_OK)
        wf_placement_read(&made->pool, &made->priority);
    return status;
}

bool wf_placement_read(const wf_value *pool, int8_t *priority)
{
    *priority = 0;
    if (pool->type == WF_NULL)
        return true;
    if (pool->type != WF_OBJECT || pool->length == 0)
        return false;
    for (uint32_t i = 0; i < pool->length; i++) {
        const wf_member *part = &pool->as.members[i];
        bool named = strcmp(part->key, "phase") == 0 || strcmp(part->key, "group") == 0;
        if (named
                ? !is_name(&part->value)
                : strcmp(part->key, "priority") != 0 || !read_priority(&part->value, priority))
            return false;
    }
    return true;
}
