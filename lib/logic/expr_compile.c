/* logic/expr_compile.c: values to expressions. */
#include "logic/expr_tree.h"

#include <string.h>

/* Steps that all folding of one expression may take together; beyond, rules stay rules.
 */
enum { FOLD_STEPS = 100000 };

typedef struct compiler {
    const wf_resolver *to;
    wfsm_error *error;
    uint32_t fold_steps;
} compiler;

static int32_t compile(compiler *c, enum wf_env env, const wf_value *source,
                       const wf_place *place, wf_expr *out);

static int32_t full(const compiler *c)
{
    return wf_arena_error(c->to->arena, c->error);
}

static int32_t constant(compiler *c, const wf_value *source, wf_expr *out)
{
    out->node = WF_NODE_CONSTANT;
    out->flags = 0;
    out->as.constant = wf_value_clone(c->to->arena, source);
    return out->as.constant.type == source->type ? WFSM_OK : full(c);
}

static bool all_constant(const wf_expr *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i].node != WF_NODE_CONSTANT)
            return false;
    return true;
}

/* Evaluates what does not depend on anything. What fails, or takes too long, stays as
 * it is and does so again when it is evaluated. */
static int32_t fold(compiler *c, wf_expr *expr)
{
    wf_scope scope = {.arena = c->to->arena, .steps = c->fold_steps};
    wf_value value;
    int32_t status;

    if (expr->flags || expr->node == WF_NODE_CONSTANT || c->fold_steps <= 1)
        return WFSM_OK;
    status = wf_expr_eval(expr, &scope, &value);
    c->fold_steps = scope.steps;
    if (c->to->arena->failed || c->to->arena->exceeded)
        return full(c);
    if (!status) {
        expr->node = WF_NODE_CONSTANT;
        expr->as.constant = value;
    }
    return WFSM_OK;
}

static wf_expr *take_list(compiler *c, size_t count)
{
    return wf_arena_zero(c->to->arena, count * sizeof(wf_expr));
}

static int32_t compile_array(compiler *c, enum wf_env env, const wf_value *source,
                             const wf_place *place, wf_expr *out)
{
    wf_expr *list = take_list(c, source->length);

    if (!list)
        return full(c);
    out->node = WF_NODE_ARRAY;
    out->count = source->length;
    out->as.list = list;
    for (uint32_t i = 0; i < source->length; i++) {
        wf_place at = {place, NULL, 0, i};
        int32_t status = compile(c, env, &source->as.items[i], &at, &list[i]);

        if (status)
            return status;
        out->flags |= list[i].flags;
    }
    return all_constant(list, out->count) ? fold(c, out) : WFSM_OK;
}

static int32_t take_object(compiler *c, const wf_value *source, wf_expr *out,
                           wf_expr **list, wf_member **keys)
{
    *list = take_list(c, source->length);
    *keys = wf_arena_take(c->to->arena, source->length * sizeof **keys);
    if (!*list || !*keys)
        return full(c);
    out->node = WF_NODE_OBJECT;
    out->count = source->length;
    out->as.object.list = *list;
    out->as.object.keys = *keys;
    return WFSM_OK;
}

static int32_t compile_object(compiler *c, enum wf_env env, const wf_value *source,
                              const wf_place *place, wf_expr *out)
{
    wf_member *keys;
    wf_expr *list;
    int32_t status = take_object(c, source, out, &list, &keys);

    for (uint32_t i = 0; i < source->length && !status; i++) {
        const wf_member *member = &source->as.members[i];
        wf_place at = {place, member->key, member->length, 0};

        keys[i] = *member;
        keys[i].key = wf_arena_text(c->to->arena, member->key, member->length);
        if (!keys[i].key)
            return full(c);
        status = compile(c, env, &member->value, &at, &list[i]);
        out->flags |= list[i].flags;
    }
    if (status)
        return status;
    return all_constant(list, out->count) ? fold(c, out) : WFSM_OK;
}

static bool is_body(const wf_operator *op, uint32_t index)
{
    return index == 1 && (op->shape == WF_SHAPE_BODY || op->shape == WF_SHAPE_REDUCE);
}

static enum wf_env body_env(const wf_operator *op)
{
    return op->shape == WF_SHAPE_REDUCE ? WF_ENV_PAIR : WF_ENV_DATA;
}

static int32_t check_count(const compiler *c, const wf_operator *op, uint32_t count,
                           const wf_place *place)
{
    if (count >= op->least && (!op->most || count <= op->most))
        return WFSM_OK;
    if (op->least == op->most)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "expected %d operand%s of \"%s\", found %u", op->least,
                          op->least == 1 ? "" : "s", op->name, (unsigned)count);
    return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                      "expected %d to %d operands of \"%s\", found %u", op->least,
                      op->most, op->name, (unsigned)count);
}

/* One operand needs no list. */
static int32_t compile_operands(compiler *c, enum wf_env env, const wf_operator *op,
                                const wf_value *operand, const wf_place *place,
                                wf_expr *out)
{
    bool listed = operand->type == WF_ARRAY;
    const wf_value *sources = listed ? operand->as.items : operand;
    uint32_t count = listed ? operand->length : 1;
    wf_expr *list = take_list(c, count);
    int32_t status = list ? check_count(c, op, count, place) : full(c);

    out->count = count;
    out->as.list = list;
    for (uint32_t i = 0; i < count && !status; i++) {
        bool body = is_body(op, i);
        wf_place at = {place, NULL, 0, i};

        status = compile(c, body ? body_env(op) : env, &sources[i],
                         listed ? &at : place, &list[i]);
        /* What a body reads, the operator itself gives it. */
        out->flags |= body ? list[i].flags & WF_LIVE : list[i].flags;
    }
    return status;
}

/* Context keys get their slots here, and lint hears of them. */
static int32_t note_read(compiler *c, const wf_var *var, const wf_path_part *key,
                         uint32_t *slot)
{
    const wf_resolver *to = c->to;

    if (var->origin == WF_FROM_SLOT) {
        *slot = wf_names_add(to->keys, key->key, key->length);
        if (*slot == WF_NONE)
            return wf_no_memory(c->error);
        if (to->reads)
            to->reads(to->user, *slot, false);
    } else if (to->reads &&
               (var->origin == WF_FROM_ROOT || var->origin == WF_FROM_CONTEXT)) {
        to->reads(to->user, WF_NONE, true);
    }
    return WFSM_OK;
}

/* A path that is known: what it leads to. */
static int32_t resolve_path(compiler *c, enum wf_env env, const wf_value *path,
                            wf_var *var)
{
    wf_scope scope = {.arena = c->to->arena, .steps = FOLD_STEPS};
    wf_run run = {&scope, NULL, NULL};
    wf_path_part *parts;
    uint32_t count, used;
    wf_text text;

    var->origin = wf_env_whole(env);
    if (wf_path_is_whole(path))
        return note_read(c, var, NULL, NULL);
    if (wf_to_text(&run, path, &text))
        return wf_fail(c->error, WFSM_LIMIT, "expected a shorter path of \"var\"");
    if (!wf_path_parse(c->to->arena, text.text, text.length, &parts, &count))
        return full(c);
    var->origin = wf_path_origin(env, parts, count, &used);
    var->parts = parts + used;
    var->count = count - used;
    return note_read(c, var, parts + 1, &var->slot);
}

static int32_t finish_var(compiler *c, enum wf_env env, wf_expr *out)
{
    static const wf_value nothing = {.type = WF_NULL};
    wf_var *var = wf_arena_zero(c->to->arena, sizeof *var);
    const wf_value *path = out->count ? &out->as.list[0].as.constant : &nothing;
    int32_t status = var ? resolve_path(c, env, path, var) : full(c);

    if (status)
        return status;
    if (out->count > 1)
        var->fallback = &out->as.list[1];
    out->node = WF_NODE_VAR;
    out->as.var = var;
    if (var->origin == WF_FROM_SLOT && var->count == 0 && !var->fallback) {
        out->node = WF_NODE_SLOT;
        out->count = var->slot;
    }
    return WFSM_OK;
}

static int32_t compile_var(compiler *c, enum wf_env env, wf_expr *out)
{
    out->flags |= WF_READS;
    if (out->count == 0 || out->as.list[0].node == WF_NODE_CONSTANT)
        return finish_var(c, env, out);
    if (env == WF_ENV_ROOT && c->to->reads)
        c->to->reads(c->to->user, WF_NONE, true);
    return WFSM_OK;
}

/* The paths of `missing`, as far as they are known. */
static int32_t note_keys(compiler *c, enum wf_env env, const wf_expr *expr)
{
    wf_var var = {0};
    wf_value list;
    int32_t status = WFSM_OK;

    if (env != WF_ENV_ROOT)
        return WFSM_OK;
    if (!wf_expr_constant(expr, &list)) {
        if (c->to->reads)
            c->to->reads(c->to->user, WF_NONE, true);
        return WFSM_OK;
    }
    if (list.type != WF_ARRAY)
        return resolve_path(c, env, &list, &var);
    for (uint32_t i = 0; i < list.length && !status; i++)
        status = resolve_path(c, env, &list.as.items[i], &var);
    return status;
}

static int32_t compile_keys(compiler *c, enum wf_env env, wf_expr *out)
{
    out->flags |= WF_READS;
    for (uint32_t i = 0; i < out->count; i++) {
        int32_t status = note_keys(c, env, &out->as.list[i]);

        if (status)
            return status;
    }
    return WFSM_OK;
}

static int32_t compile_state(compiler *c, const wf_value *operand,
                             const wf_place *place, wf_expr *out)
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

static int32_t compile_rule(compiler *c, enum wf_env env, const wf_operator *op,
                            const wf_value *operand, const wf_place *place,
                            wf_expr *out)
{
    int32_t status;

    if (op->shape == WF_SHAPE_LITERAL)
        return constant(c, operand, out);
    if (op->shape == WF_SHAPE_STATE)
        return compile_state(c, operand, place, out);
    out->node = WF_NODE_RULE;
    out->env = (uint8_t)env;
    out->op = op;
    status = compile_operands(c, env, op, operand, place, out);
    if (status)
        return status;
    if (op->shape == WF_SHAPE_VAR)
        return compile_var(c, env, out);
    if (op->shape == WF_SHAPE_KEYS)
        return compile_keys(c, env, out);
    if (op->shape == WF_SHAPE_LIVE)
        out->flags |= WF_LIVE;
    return fold(c, out);
}

/* in_state is no operator where there are no states. */
static const wf_operator *operator_of(const compiler *c, const wf_value *source)
{
    const wf_operator *op = wf_rule_operator(source);

    return op && op->shape == WF_SHAPE_STATE && !c->to->state ? NULL : op;
}

static int32_t compile(compiler *c, enum wf_env env, const wf_value *source,
                       const wf_place *place, wf_expr *out)
{
    const wf_operator *op = operator_of(c, source);

    memset(out, 0, sizeof *out);
    if (op) {
        const wf_member *member = &source->as.members[0];
        wf_place at = {place, member->key, member->length, 0};

        return compile_rule(c, env, op, &member->value, &at, out);
    }
    if (source->type == WF_ARRAY)
        return compile_array(c, env, source, place, out);
    if (source->type == WF_OBJECT)
        return compile_object(c, env, source, place, out);
    return constant(c, source, out);
}

static int32_t expected_rule(const compiler *c, const wf_value *source,
                             const wf_place *place)
{
    if (source->type == WF_OBJECT && source->length == 1)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC, "unknown operator \"%.200s\"",
                          source->as.members[0].key);
    return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                      "expected a rule, an object whose only key is an operator");
}

int32_t wf_expr_compile(const wf_expr **out, const wf_value *source, bool guard,
                        const wf_resolver *resolver, const wf_place *place,
                        wfsm_error *error)
{
    static const wf_place root;
    compiler c = {resolver, error, FOLD_STEPS};
    wf_expr *expr;
    int32_t status;

    if (!place)
        place = &root;
    if (guard && !operator_of(&c, source))
        return expected_rule(&c, source, place);
    expr = wf_arena_zero(resolver->arena, sizeof *expr);
    if (!expr)
        return full(&c);
    status =
        compile(&c, resolver->keys ? WF_ENV_ROOT : WF_ENV_DATA, source, place, expr);
    if (!status)
        *out = expr;
    return status;
}
