/* logic/expr_val.c: compiles val and exists. Their operands are keys, each of them one part of
 * the path; a list of one number before them is the scope to begin at. Scopes are counted
 * outwards: for each body there are two, that of its element (0, 2, 4, …) and that of the visit
 * (1, 3, …), which has the element's index and the list. */
#include "logic/expr_compile.h"

#include <math.h>
#include <string.h>

static uint32_t depth_of(const wf_nest *nest)
{
    uint32_t depth = 0;

    for (; nest; nest = nest->outer)
        depth++;
    return depth;
}

static int32_t no_scope(const wf_compiler *c, double found, const wf_place *place)
{
    unsigned most = 2 * depth_of(c->nest);

    if (most == 0)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "expected a scope of \"val\" that exists: 0 here, found %.0f", found);
    return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                      "expected a scope of \"val\" that exists: 0 to %u here, found %.0f", most,
                      found);
}

static int32_t read_scope(const wf_compiler *c, const wf_value *source, const wf_place *place,
                          wf_val_scope *out)
{
    const wf_value *number = source->length == 1 ? &source->as.items[0] : NULL;
    const wf_nest *nest = c->nest;
    double level;

    if (!number || number->type != WF_NUMBER || number->as.number != floor(number->as.number))
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "expected a scope of \"val\", a list of one whole number");
    level = fabs(number->as.number);
    if (level > 2.0 * depth_of(nest) || level / 2 > WF_MOST_CLIMB)
        return no_scope(c, level, place);
    out->climb = (uint32_t)level / 2;
    out->visit = (uint32_t)level % 2 == 1;
    for (uint32_t i = 0; i < out->climb; i++, nest = nest->outer)
        out->env = nest->env;
    return WFSM_OK;
}

/* The keys as values, if all of them are known. */
static bool known_keys(const wf_expr *rule, const wf_value **keys, uint32_t *count,
                       wf_arena *arena)
{
    wf_value *list;

    for (uint32_t i = 0; i < rule->count; i++)
        if (rule->as.list[i].node != WF_NODE_CONSTANT)
            return false;
    *count = rule->count;
    if (rule->mode == WF_MODE_SPREAD && rule->as.list[0].as.constant.type == WF_ARRAY) {
        *count = rule->as.list[0].as.constant.length;
        *keys = rule->as.list[0].as.constant.as.items;
        return true;
    }
    *keys = list = wf_arena_take(arena, rule->count * sizeof *list);
    for (uint32_t i = 0; list && i < rule->count; i++)
        list[i] = rule->as.list[i].as.constant;
    return true;
}

static int32_t split_keys(wf_compiler *c, const wf_value *keys, uint32_t count,
                          const wf_place *place, wf_path_part **parts)
{
    wf_scope scope_ = {.arena = c->to->arena, .steps = WF_FOLD_STEPS};
    wf_run run = {.scope = &scope_};

    *parts = wf_arena_take(c->to->arena, count * sizeof **parts);
    for (uint32_t i = 0; *parts && keys && i < count; i++) {
        wf_text text;

        if (keys[i].type != WF_STRING && keys[i].type != WF_NUMBER)
            return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                              "expected keys of \"val\": strings or numbers");
        if (wf_to_text(&run, &keys[i], &text))
            return wf_compile_full(c);
        wf_path_part_fill(&(*parts)[i], text.text, text.length);
    }
    return *parts && keys ? WFSM_OK : wf_compile_full(c);
}

static int32_t resolve_visit(const wf_compiler *c, const wf_path_part *parts, uint32_t count,
                             const wf_place *place, wf_var *var)
{
    if (count == 0) {
        var->origin = WF_FROM_VISIT;
        return WFSM_OK;
    }
    var->origin = strcmp(parts[0].key, "index") == 0      ? WF_FROM_POSITION
                  : strcmp(parts[0].key, "iterator") == 0 ? WF_FROM_ITERATED
                                                          : WF_FROM_NOTHING;
    var->parts = parts + 1;
    var->count = count - 1;
    if (var->origin != WF_FROM_NOTHING)
        return WFSM_OK;
    return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                      "expected \"index\" or \"iterator\" in this scope of \"val\"");
}

static int32_t resolve(wf_compiler *c, const wf_val_scope *from, const wf_value *keys,
                       uint32_t count, const wf_place *place, wf_expr *out)
{
    wf_var *var = wf_arena_zero(c->to->arena, sizeof *var);
    wf_path_part *parts = NULL;
    int32_t status = var ? split_keys(c, keys, count, place, &parts) : wf_compile_full(c);

    if (status)
        return status;
    var->climb = from->climb;
    status = from->visit ? resolve_visit(c, parts, count, place, var)
                         : wf_compile_parts(c, from->env, parts, count,
                                            count ? parts[0].key : "", place, var);
    out->node = WF_NODE_VAR;
    out->as.var = var;
    out->flags |= wf_origin_flags(var->origin);
    return status;
}

/* `exists` asks of a variable whether it is there. */
static int32_t finish_known(wf_compiler *c, const wf_val_scope *from, const wf_value *keys,
                            uint32_t count, const wf_place *place, wf_expr *out)
{
    wf_expr *inner = wf_arena_zero(c->to->arena, sizeof *inner);
    int32_t status = inner ? resolve(c, from, keys, count, place, inner) : wf_compile_full(c);

    if (status)
        return status;
    out->flags |= inner->flags;
    if (out->op->run == wf_op_exists) {
        out->mode = WF_MODE_LISTED;
        out->count = 1;
        out->as.list = inner;
        return WFSM_OK;
    }
    out->node = WF_NODE_VAR;
    out->as.var = inner->as.var;
    if (inner->as.var->origin == WF_FROM_SLOT && !inner->as.var->count && !from->climb) {
        out->node = WF_NODE_SLOT;
        out->count = inner->as.var->slot;
    }
    return WFSM_OK;
}

static int32_t finish_computed(wf_compiler *c, const wf_val_scope *from, const wf_place *place,
                               wf_expr *out)
{
    if (from->visit)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "expected \"index\" or \"iterator\" in this scope of \"val\"");
    out->flags |= WF_MORE | WF_BEYOND;
    out->env = (uint8_t)from->env;
    if (out->mode == WF_MODE_LISTED)
        out->mode = (uint8_t)(WF_MODE_SCOPED + from->climb);
    if (from->env == WF_ENV_ROOT && c->to->reads)
        c->to->reads(c->to->user, WF_NONE, true);
    return WFSM_OK;
}

int32_t wf_compile_scope(const wf_compiler *c, enum wf_env env, const wf_value *operand,
                         const wf_place *place, wf_val_scope *scope)
{
    *scope = (wf_val_scope){.keys = *operand, .env = env};
    if (operand->type != WF_ARRAY || operand->length == 0 ||
        operand->as.items[0].type != WF_ARRAY)
        return WFSM_OK;
    scope->first = 1;
    scope->keys = wf_array(operand->as.items + 1, operand->length - 1);
    return read_scope(c, &operand->as.items[0], place, scope);
}

int32_t wf_compile_val(wf_compiler *c, const wf_val_scope *scope, const wf_place *place,
                       wf_expr *out)
{
    const wf_value *keys;
    uint32_t count;

    out->flags |= WF_READS | (scope->climb || scope->visit ? WF_CLIMBS : 0);
    if (known_keys(out, &keys, &count, c->to->arena))
        return finish_known(c, scope, keys, count, place, out);
    return finish_computed(c, scope, place, out);
}
