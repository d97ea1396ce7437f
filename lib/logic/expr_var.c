/* logic/expr_var.c: what `var` reads, and the path to it. */
#include "logic/expr_tree.h"

#include <string.h>

#include "base/invariant.h"

/* As JavaScript takes it: digits without a leading zero. */
static uint32_t array_index(const char *text, size_t length)
{
    uint64_t index = 0;

    if (length == 0 || length > 10 || (length > 1 && text[0] == '0'))
        return WF_NONE;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return WF_NONE;
        index = index * 10 + (uint64_t)(text[i] - '0');
    }
    return index < WF_NONE ? (uint32_t)index : WF_NONE;
}

static void fill_part(wf_path_part *part, const char *key, size_t length)
{
    part->key = key;
    part->length = (uint32_t)length;
    part->hash = wf_hash(key, length);
    part->index = array_index(key, length);
}

bool wf_path_parse(wf_arena *arena, const char *text, size_t length, wf_path_part **parts,
                   uint32_t *count)
{
    char *copy = wf_arena_text(arena, text, length), *end;
    uint32_t dots = 0;

    for (size_t i = 0; i < length; i++)
        dots += text[i] == '.';
    *parts = copy ? wf_arena_take(arena, (dots + 1u) * sizeof **parts) : NULL;
    if (!*parts)
        return false;
    *count = dots + 1;
    end = copy + length;
    for (uint32_t i = 0; i <= dots; i++) {
        char *dot = memchr(copy, '.', (size_t)(end - copy));
        char *stop = dot ? dot : end;

        fill_part(&(*parts)[i], copy, (size_t)(stop - copy));
        *stop = '\0';
        copy = stop + 1;
    }
    WF_INVARIANT(copy == end + 1); /* the parts are the whole text */
    return true;
}

static bool is_key(const wf_path_part *part, const char *key)
{
    return part->length == strlen(key) && memcmp(part->key, key, part->length) == 0;
}

static enum wf_origin root_origin(const wf_path_part *parts, uint32_t count, uint32_t *used)
{
    if (is_key(parts, "event"))
        return WF_FROM_EVENT;
    if (is_key(parts, "instance"))
        return WF_FROM_INSTANCE;
    if (is_key(parts, "budgets"))
        return WF_FROM_BUDGETS;
    if (is_key(parts, "failure"))
        return WF_FROM_FAILURE;
    if (is_key(parts, "item"))
        return WF_FROM_ITEM;
    if (is_key(parts, "index"))
        return WF_FROM_INDEX;
    if (!is_key(parts, "context"))
        return WF_FROM_NOTHING;
    if (count == 1)
        return WF_FROM_CONTEXT;
    *used = 2;
    return WF_FROM_SLOT;
}

enum wf_origin wf_path_origin(enum wf_env env, const wf_path_part *parts, uint32_t count,
                              uint32_t *used)
{
    *used = 1;
    if (env == WF_ENV_ROOT)
        return root_origin(parts, count, used);
    if (env == WF_ENV_PAIR)
        return is_key(parts, "current")       ? WF_FROM_CURRENT
               : is_key(parts, "accumulator") ? WF_FROM_ACCUMULATOR
                                              : WF_FROM_NOTHING;
    *used = 0;
    return WF_FROM_DATA;
}

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

int32_t wf_var_read(const wf_var *var, wf_run *run, wf_value *result)
{
    int32_t status;

    if (var->origin == WF_FROM_ROOT)
        return build_root(run, result);
    if (var->origin == WF_FROM_CONTEXT)
        return build_context(run, result);
    if (var->origin == WF_FROM_PAIR)
        return build_pair(run, result);
    status = walk(var, run, result);
    /* No event is a null that is there, so that a default does not replace it. */
    if (!status && result->type == WF_ABSENT && is_known_null(var))
        *result = wf_null();
    return status;
}

enum wf_origin wf_env_whole(enum wf_env env)
{
    return env == WF_ENV_ROOT ? WF_FROM_ROOT : env == WF_ENV_DATA ? WF_FROM_DATA : WF_FROM_PAIR;
}

bool wf_path_is_whole(const wf_value *path)
{
    return path->type <= WF_NULL || (path->type == WF_STRING && path->length == 0);
}

int32_t wf_var_lookup(enum wf_env env, wf_run *run, const wf_value *path, wf_value *result)
{
    wf_var var = {.origin = wf_env_whole(env)};
    wf_path_part *parts;
    uint32_t count, used;
    wf_text text;
    int32_t status;

    if (wf_path_is_whole(path))
        return wf_var_read(&var, run, result);
    status = wf_to_text(run, path, &text);
    if (!status)
        status = wf_spend(run, text.length / 8);
    if (status)
        return status;
    if (!wf_path_parse(run->scope->arena, text.text, text.length, &parts, &count))
        return wf_eval_full(run);
    var.origin = wf_path_origin(env, parts, count, &used);
    if (var.origin == WF_FROM_SLOT)
        var.slot = wf_names_find(run->scope->keys, parts[1].key, parts[1].length);
    var.parts = parts + used;
    var.count = count - used;
    return wf_var_read(&var, run, result);
}
