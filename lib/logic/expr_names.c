/* logic/expr_names.c: what the names in an expression mean: paths, context keys,
 * states. */
#include "logic/expr_compile.h"

#include <string.h>

#include "base/invariant.h"

/* Context keys get their slots here, and lint hears of them. */
static int32_t note_read(wf_compiler *c, const wf_var *var, const wf_path_part *key,
                         uint32_t *slot)
{
    const wf_resolver *to = c->to;

    if (var->origin == WF_FROM_SLOT) {
        *slot = wf_names_add(to->keys, key->key, key->length);
        if (*slot == WF_NONE)
            return wf_no_memory(c->error);
        if (to->reads)
            to->reads(to->user, *slot, false);
    } else if (to->reads && (var->origin == WF_FROM_ROOT || var->origin == WF_FROM_CONTEXT)) {
        to->reads(to->user, WF_NONE, true);
    }
    return WFSM_OK;
}

/* In plain JsonLogic an unknown variable is null. In a machine it is a mistake. */
static int32_t unknown_variable(const wf_compiler *c, enum wf_env env, const char *path,
                                const wf_place *place)
{
    if (env == WF_ENV_PAIR)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "unknown variable \"%.200s\": \"reduce\" shows \"current\" "
                          "and \"accumulator\"",
                          path);
    return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                      "unknown variable \"%.200s\": expected \"context\", \"event\", "
                      "\"instance\", \"budgets\" or \"failure\" at its beginning",
                      path);
}

/* A misspelled name would read null, and a guard would never block anything. */
static int32_t check_budget(const wf_compiler *c, const wf_var *var, const wf_place *place)
{
    static const char *const members[] = {"used", "limit", "left"};
    const wf_path_part *parts = var->parts;

    if (var->origin != WF_FROM_BUDGETS || var->count == 0 || !c->to->budgets)
        return WFSM_OK;
    if (wf_names_find(c->to->budgets, parts[0].key, parts[0].length) == WF_NONE)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "unknown variable \"budgets.%.200s\": expected a key of the "
                          "root's \"budgets\"",
                          parts[0].key);
    for (size_t i = 0; var->count > 1 && i < 3; i++)
        if (strcmp(parts[1].key, members[i]) == 0)
            return WFSM_OK;
    if (var->count == 1)
        return WFSM_OK;
    return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                      "unknown variable \"budgets.%.100s.%.100s\": a budget has \"used\", "
                      "\"limit\" and \"left\"",
                      parts[0].key, parts[1].key);
}

/* An event has these members only; the sender's are members of its data. Two members of XState have
 * a message of their own. */
static int32_t check_event(const wf_compiler *c, const wf_var *var, const wf_place *place)
{
    static const char *const members[] = {"type", "data", "id", "kind", "origin"};
    const char *key = var->count ? var->parts[0].key : members[0];

    if (var->origin != WF_FROM_EVENT || !c->to->keys)
        return WFSM_OK;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strcmp(key, members[i]) == 0)
            return WFSM_OK;
    if (strcmp(key, "output") == 0 || strcmp(key, "error") == 0)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "unknown variable \"event.%s\": it is \"event.data\" here", key);
    return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                      "unknown variable \"event.%.100s\": a member of the event's data is "
                      "\"event.data.%.100s\"",
                      key, key);
}

int32_t wf_compile_parts(wf_compiler *c, enum wf_env env, const wf_path_part *parts,
                         uint32_t count, const char *shown, const wf_place *place, wf_var *var)
{
    uint32_t used;

    var->origin = wf_env_whole(env);
    if (count == 0)
        return note_read(c, var, NULL, NULL);
    wf_suspect_path(c, parts, count, place);
    var->origin = wf_path_origin(env, parts, count, &used);
    var->parts = parts + used;
    var->count = count - used;
    if (var->origin == WF_FROM_NOTHING && c->to->keys)
        return unknown_variable(c, env, shown, place);
    if (check_budget(c, var, place) != WFSM_OK || check_event(c, var, place) != WFSM_OK)
        return WFSM_SEMANTIC;
    return note_read(c, var, parts + 1, &var->slot);
}

/* Other implementations leave a scope with "../", and take a dot after a backslash for part of
 * the key. Here both would silently be other keys. */
static int32_t check_path(const wf_compiler *c, const char *path, const wf_place *place)
{
    if (strncmp(path, "../", 3) == 0)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "unknown variable \"%.200s\": \"var\" does not leave its scope, use "
                          "\"val\" with a scope",
                          path);
    if (strchr(path, '\\'))
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "\"var\" has no escapes: use \"val\" for the key in \"%.200s\"",
                          path);
    return WFSM_OK;
}

/* A path that is known: what it leads to. */
static int32_t resolve_path(wf_compiler *c, enum wf_env env, const wf_value *path,
                            const wf_place *place, wf_var *var)
{
    wf_scope scope = {.arena = c->to->arena, .steps = WF_FOLD_STEPS};
    wf_run run = {.scope = &scope};
    wf_path_part *parts;
    uint32_t count;
    wf_text text;

    if (wf_path_is_whole(path))
        return wf_compile_parts(c, env, NULL, 0, "", place, var);
    if (wf_to_text(&run, path, &text))
        return wf_fail(c->error, WFSM_LIMIT, "expected a shorter path of \"var\"");
    if (check_path(c, text.text, place) != WFSM_OK)
        return WFSM_SEMANTIC;
    if (!wf_path_parse(c->to->arena, text.text, text.length, &parts, &count))
        return wf_compile_full(c);
    return wf_compile_parts(c, env, parts, count, text.text, place, var);
}

static int32_t finish_var(wf_compiler *c, enum wf_env env, const wf_place *place, wf_expr *out)
{
    static const wf_value nothing = {.type = WF_NULL};
    wf_var *var = wf_arena_zero(c->to->arena, sizeof *var);
    const wf_value *path = out->count ? &out->as.list[0].as.constant : &nothing;
    int32_t status = var ? resolve_path(c, env, path, place, var) : wf_compile_full(c);

    WF_INVARIANT(out->count == 0 || out->as.list[0].node == WF_NODE_CONSTANT);
    if (status)
        return status;
    out->flags |= wf_origin_flags(var->origin);
    if (out->count > 1)
        var->fallback = &out->as.list[1];
    out->node = WF_NODE_VAR;
    out->as.var = var;
    if (var->origin == WF_FROM_SLOT && var->count == 0 && !var->fallback) {
        WF_INVARIANT(!(out->flags & WF_MORE)); /* the fast path evaluates it without an event */
        out->node = WF_NODE_SLOT;
        out->count = var->slot;
    }
    return WFSM_OK;
}

/* A constant list, as if its elements stood there: a path and a default. */
static int32_t spread_path(wf_compiler *c, const wf_place *place, wf_expr *out)
{
    wf_value list = out->as.list[0].as.constant;
    wf_expr *each = wf_arena_zero(c->to->arena, list.length * sizeof *each);

    if (list.length > 2)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "expected 0 to 2 operands of \"var\", found %u",
                          (unsigned)list.length);
    if (!each)
        return wf_compile_full(c);
    out->count = list.length;
    out->as.list = each;
    for (uint32_t i = 0; i < list.length; i++)
        each[i].as.constant = list.as.items[i];
    return WFSM_OK;
}

/* A path that is not known may lead to anything. */
static void note_any(wf_compiler *c, enum wf_env env, wf_expr *out)
{
    out->flags |= WF_MORE | WF_BEYOND;
    if (env == WF_ENV_ROOT && c->to->reads)
        c->to->reads(c->to->user, WF_NONE, true);
}

int32_t wf_compile_var(wf_compiler *c, enum wf_env env, const wf_place *place, wf_expr *out)
{
    int32_t status = WFSM_OK;

    out->flags |= WF_READS;
    if (out->mode == WF_MODE_SPREAD && out->as.list[0].node == WF_NODE_CONSTANT &&
        out->as.list[0].as.constant.type == WF_ARRAY)
        status = spread_path(c, place, out);
    if (status)
        return status;
    if (out->count == 0 || out->as.list[0].node == WF_NODE_CONSTANT)
        return finish_var(c, env, place, out);
    note_any(c, env, out);
    return WFSM_OK;
}

/* The keys of `missing` and `missing_some`, if they are known. ABSENT: they are not. */
static wf_value known_keys(wf_compiler *c, const wf_expr *rule, uint32_t first)
{
    wf_value *keys;

    if (rule->count <= first)
        return wf_array(NULL, 0);
    for (uint32_t i = first; i < rule->count; i++)
        if (rule->as.list[i].node != WF_NODE_CONSTANT)
            return wf_absent();
    if (rule->as.list[first].as.constant.type == WF_ARRAY)
        return rule->as.list[first].as.constant;
    keys = wf_arena_take(c->to->arena, (rule->count - first) * sizeof *keys);
    for (uint32_t i = first; keys && i < rule->count; i++)
        keys[i - first] = rule->as.list[i].as.constant;
    return keys ? wf_array(keys, rule->count - first) : wf_absent();
}

/* The key, and what it leads to. */
static int32_t compile_key(wf_compiler *c, enum wf_env env, const wf_value *key,
                           const wf_place *place, wf_expr *constant, wf_expr *var)
{
    *constant = (wf_expr){.node = WF_NODE_CONSTANT, .as.constant = *key};
    *var = (wf_expr){.node = WF_NODE_RULE, .env = (uint8_t)env, .count = 1};
    var->as.list = constant;
    return wf_compile_var(c, env, place, var);
}

static int32_t compile_known(wf_compiler *c, enum wf_env env, const wf_value *keys,
                             uint32_t first, const wf_place *place, wf_expr *out)
{
    const uint32_t count = keys->length;
    wf_expr *list = wf_arena_zero(c->to->arena, (first + 2 * count + 1) * sizeof *list);
    int32_t status = list ? WFSM_OK : wf_compile_full(c);

    for (uint32_t i = 0; i < first && !status; i++)
        list[i] = out->as.list[i];
    for (uint32_t i = 0; i < count && !status; i++) {
        wf_expr *var = &list[first + count + i];

        status = compile_key(c, env, &keys->as.items[i], place, &list[first + i], var);
        out->flags |= var->flags;
    }
    out->op = first > 0 ? &wf_known_missing_some : &wf_known_missing;
    out->mode = WF_MODE_LISTED;
    out->count = first + 2 * count;
    out->as.list = list;
    return status;
}

int32_t wf_compile_keys(wf_compiler *c, enum wf_env env, const wf_place *place, wf_expr *out)
{
    /* The first operand of missing_some is a number. */
    const uint32_t first = out->op->run == wf_op_missing_some;
    const wf_value keys = known_keys(c, out, first);

    if (c->to->arena->failed || c->to->arena->exceeded)
        return wf_compile_full(c);
    out->flags |= WF_READS;
    if (keys.type == WF_ARRAY)
        return compile_known(c, env, &keys, first, place, out);
    note_any(c, env, out);
    return WFSM_OK;
}

int32_t wf_compile_state(wf_compiler *c, const wf_value *operand, const wf_place *place,
                         wf_expr *out)
{
    const wf_value *path = operand;

    if (operand->type == WF_ARRAY && operand->length == 1)
        path = &operand->as.items[0];
    if (path->type != WF_STRING)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "expected the path of a state, as a string");
    out->node = WF_NODE_STATE;
    out->flags = WF_LIVE;
    out->count = c->to->state(c->to->user, path->as.text, path->length);
    if (out->count == WF_NONE)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "expected the path of a state or its #id, found \"%.200s\"",
                          path->as.text);
    return WFSM_OK;
}

int32_t wf_compile_children(wf_compiler *c, const wf_value *operand, const wf_place *place,
                            wf_expr *out)
{
    const wf_value *names = operand->type == WF_ARRAY ? operand->as.items : NULL;

    if (!names || operand->length != 2 || names[0].type != WF_STRING ||
        names[1].type != WF_STRING)
        return wf_fail_at(
            c->error, place, WFSM_SEMANTIC,
            "expected the id of an invocation and the path of a state of its child, "
            "as two strings");
    out->node = WF_NODE_CHILDREN;
    out->flags = WF_LIVE;
    out->count = c->to->children(c->to->user, &names[0], &names[1]);
    if (out->count == WF_NONE)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "expected the id of an invocation whose \"src\" is \"machine:ID\", "
                          "found \"%.200s\"",
                          names[0].as.text);
    return WFSM_OK;
}
