/* logic/expr_var.c: what `var` and `val` read. */
#include "logic/expr_tree.h"

#include <string.h>

#include "base/invariant.h"

static int32_t build_context(wf_run *run, wf_value *result)
{
    const wf_scope *scope = run->scope;
    wf_member *members = wf_arena_take(scope->arena, scope->slot_count * sizeof *members);
    size_t count = 0;

    if (!members)
        return wf_eval_full(run);
    for (uint32_t i = 0; i < scope->slot_count; i++) {
        const wf_name *name = &scope->keys->list[i];

        if (scope->slots[i].type != WF_ABSENT)
            members[count++] =
                (wf_member){name->text, name->length, name->hash, scope->slots[i]};
    }
    if (wf_spend(run, scope->slot_count / 16))
        return WFSM_LIMIT;
    return wf_eval_built(run, wf_object(members, count), result);
}

static wf_value or_null(const wf_value *value)
{
    return value ? *value : wf_null();
}

static int32_t build_root(wf_run *run, wf_value *result)
{
    wf_member *members = wf_arena_take(run->scope->arena, 5 * sizeof *members);
    wf_value context;
    size_t count = 3;
    int32_t status;

    if (!members)
        return wf_eval_full(run);
    status = build_context(run, &context);
    if (status)
        return status;
    wf_member_set(&members[0], "context", 7, context);
    wf_member_set(&members[1], "event", 5, or_null(run->scope->event));
    wf_member_set(&members[2], "instance", 8, or_null(run->scope->instance));
    if (run->scope->item) {
        wf_member_set(&members[count++], "item", 4, *run->scope->item);
        wf_member_set(&members[count++], "index", 5, or_null(run->scope->index));
    }
    return wf_eval_built(run, wf_object(members, count), result);
}

static int32_t build_pair(wf_run *run, wf_value *result)
{
    wf_member *members = wf_arena_take(run->scope->arena, 2 * sizeof *members);

    if (!members)
        return wf_eval_full(run);
    memcpy(members, run->pair, 2 * sizeof *members);
    return wf_eval_built(run, wf_object(members, 2), result);
}

static int32_t build_visit(wf_run *run, wf_value *result)
{
    wf_member *members = wf_arena_take(run->scope->arena, 2 * sizeof *members);

    *result = wf_null();
    if (!run->list)
        return WFSM_OK;
    if (!members)
        return wf_eval_full(run);
    wf_member_set(&members[0], "index", 5, wf_number(run->index));
    wf_member_set(&members[1], "iterator", 8, *run->list);
    return wf_eval_built(run, wf_object(members, 2), result);
}

static const wf_value *base_value(const wf_var *var, const wf_run *run)
{
    const wf_scope *scope = run->scope;

    switch (var->origin) {
    case WF_FROM_SLOT:
        return var->slot < scope->slot_count ? &scope->slots[var->slot] : NULL;
    case WF_FROM_EVENT:
        return scope->event;
    case WF_FROM_INSTANCE:
        return scope->instance;
    case WF_FROM_BUDGETS:
        return scope->budgets;
    case WF_FROM_FAILURE:
        return scope->repeated;
    case WF_FROM_ITEM:
        return scope->item;
    case WF_FROM_INDEX:
        return scope->index;
    case WF_FROM_DATA:
        return run->data;
    case WF_FROM_CURRENT:
        return &run->pair[0].value;
    case WF_FROM_ACCUMULATOR:
        return &run->pair[1].value;
    case WF_FROM_ITERATED:
        return run->list;
    default:
        WF_INVARIANT(var->origin == WF_FROM_NOTHING); /* a built value has no base */
        return NULL;
    }
}

/* One step down; NULL when there is nothing. */
static const wf_value *descend(const wf_value *at, const wf_path_part *part)
{
    if (at->type == WF_ARRAY)
        return part->index < at->length ? &at->as.items[part->index] : NULL;
    return wf_value_find(at, part->key, part->length, part->hash);
}

static int32_t walk(const wf_var *var, wf_run *run, wf_value *result)
{
    const wf_value *at = base_value(var, run);

    for (uint32_t i = 0; at && i < var->count; i++) {
        if (at->type == WF_OBJECT && at->length >= 16 && wf_spend(run, at->length / 16))
            return WFSM_LIMIT;
        at = descend(at, &var->parts[i]);
    }
    *result = at ? *at : wf_absent();
    return WFSM_OK;
}

static bool is_known_null(const wf_var *var)
{
    return var->count == 0 &&
           (var->origin == WF_FROM_EVENT || var->origin == WF_FROM_INSTANCE ||
            var->origin == WF_FROM_FAILURE || var->origin == WF_FROM_DATA);
}

wf_run *wf_run_outer(wf_run *run, uint32_t climb)
{
    for (; climb > 0; climb--) {
        WF_INVARIANT(run->outer); /* as it was compiled */
        run = run->outer;
    }
    return run;
}

/* Makes the value of a variable that is not stored as one value, such as the whole context. */
static int32_t build(const wf_var *var, wf_run *run, wf_value *result)
{
    if (var->origin == WF_FROM_ROOT)
        return build_root(run, result);
    if (var->origin == WF_FROM_CONTEXT)
        return build_context(run, result);
    if (var->origin == WF_FROM_PAIR)
        return build_pair(run, result);
    if (var->origin == WF_FROM_VISIT)
        return build_visit(run, result);
    *result = run->list && !var->count ? wf_number(run->index) : wf_absent();
    return WFSM_OK;
}

static bool is_built(const wf_var *var)
{
    return var->origin == WF_FROM_ROOT || var->origin == WF_FROM_CONTEXT ||
           var->origin == WF_FROM_PAIR || var->origin == WF_FROM_VISIT ||
           var->origin == WF_FROM_POSITION;
}

int32_t wf_var_read(const wf_var *var, wf_run *run, wf_value *result)
{
    int32_t status;

    run = wf_run_outer(run, var->climb);
    if (is_built(var))
        return build(var, run, result);
    status = walk(var, run, result);
    /* No event is a null that is there, so that a default does not replace it. */
    if (!status && result->type == WF_ABSENT && is_known_null(var))
        *result = wf_null();
    return status;
}

static int32_t read_parts(enum wf_env env, wf_run *run, const wf_path_part *parts,
                          uint32_t count, wf_value *result)
{
    wf_var var = {0};
    uint32_t used;

    var.origin = wf_path_origin(env, parts, count, &used);
    if (var.origin == WF_FROM_SLOT)
        var.slot = wf_names_find(run->scope->keys, parts[1].key, parts[1].length);
    var.parts = parts + used;
    var.count = count - used;
    return wf_var_read(&var, run, result);
}

int32_t wf_var_lookup(enum wf_env env, wf_run *run, const wf_value *path, wf_value *result)
{
    wf_var whole = {.origin = wf_env_whole(env)};
    wf_path_part *parts;
    uint32_t count;
    wf_text text;
    int32_t status;

    if (wf_path_is_whole(path))
        return wf_var_read(&whole, run, result);
    status = wf_to_text(run, path, &text);
    if (!status)
        status = wf_spend(run, text.length / 8);
    if (status)
        return status;
    if (!wf_path_parse(run->scope->arena, text.text, text.length, &parts, &count))
        return wf_eval_full(run);
    return read_parts(env, run, parts, count, result);
}

/* A key that is neither text nor a number leads to nothing. */
int32_t wf_var_keys(enum wf_env env, wf_run *run, const wf_value *keys, uint32_t count,
                    wf_value *result)
{
    wf_var whole = {.origin = wf_env_whole(env)};
    wf_path_part *parts = wf_arena_take(run->scope->arena, count * sizeof *parts);

    if (count == 0)
        return wf_var_read(&whole, run, result);
    if (!parts)
        return wf_eval_full(run);
    for (uint32_t i = 0; i < count; i++) {
        wf_text text;
        int32_t status = wf_to_text(run, &keys[i], &text);

        *result = wf_absent();
        if (!status)
            status = wf_spend(run, 1 + text.length / 16);
        if (status || (keys[i].type != WF_STRING && keys[i].type != WF_NUMBER))
            return status;
        wf_path_part_fill(&parts[i], text.text, text.length);
    }
    return read_parts(env, run, parts, count, result);
}
