/* logic/expr_compile.c: values to expressions. */
#include "logic/expr_compile.h"

#include <string.h>

#include "base/invariant.h"

static int32_t constant(wf_compiler *c, const wf_value *source, wf_expr *out)
{
    out->node = WF_NODE_CONSTANT;
    out->flags = 0;
    out->as.constant = wf_value_clone(c->to->arena, source);
    return out->as.constant.type == source->type ? WFSM_OK : wf_compile_full(c);
}

static bool all_constant(const wf_expr *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i].node != WF_NODE_CONSTANT)
            return false;
    return true;
}

static int32_t fold_failed(const wf_compiler *c, const wf_expr *expr, const char *why,
                           const wf_place *place)
{
    if (c->trying || expr->node != WF_NODE_RULE)
        return WFSM_OK;
    return wf_fail_at(c->error, place, WFSM_SEMANTIC, "\"%s\" can only fail: %s",
                      expr->op->name, why);
}

/* Evaluates an expression of constants when it is compiled. It stays as it is if that takes too long,
 * or if it fails inside a `try`. */
static int32_t fold(wf_compiler *c, wf_expr *expr, const wf_place *place)
{
    wf_scope scope = {.arena = c->to->arena, .steps = c->fold_steps};
    wf_value value;
    int32_t status;

    if (expr->flags || expr->node == WF_NODE_CONSTANT || c->fold_steps <= 1)
        return WFSM_OK;
    status = wf_expr_eval(expr, &scope, &value);
    c->fold_steps = scope.steps;
    if (c->to->arena->failed || c->to->arena->exceeded)
        return wf_compile_full(c);
    if (status == WFSM_SEMANTIC)
        return fold_failed(c, expr, scope.failure, place);
    if (!status) {
        expr->node = WF_NODE_CONSTANT;
        expr->as.constant = value;
    }
    return WFSM_OK;
}

static wf_expr *take_list(wf_compiler *c, size_t count)
{
    return wf_arena_zero(c->to->arena, count * sizeof(wf_expr));
}

static int32_t compile_array(wf_compiler *c, enum wf_env env, const wf_value *source,
                             const wf_place *place, wf_expr *out)
{
    wf_expr *list = take_list(c, source->length);

    if (!list)
        return wf_compile_full(c);
    out->node = WF_NODE_ARRAY;
    out->count = source->length;
    out->as.list = list;
    for (uint32_t i = 0; i < source->length; i++) {
        wf_place at = {place, NULL, 0, i};
        int32_t status = wf_compile_part(c, env, &source->as.items[i], &at, &list[i]);

        if (status)
            return status;
        out->flags |= list[i].flags;
    }
    return all_constant(list, out->count) ? fold(c, out, place) : WFSM_OK;
}

static int32_t take_object(wf_compiler *c, const wf_value *source, wf_expr *out, wf_expr **list,
                           wf_member **keys)
{
    *list = take_list(c, source->length);
    *keys = wf_arena_take(c->to->arena, source->length * sizeof **keys);
    if (!*list || !*keys)
        return wf_compile_full(c);
    out->node = WF_NODE_OBJECT;
    out->count = source->length;
    out->as.object.list = *list;
    out->as.object.keys = *keys;
    return WFSM_OK;
}

static int32_t compile_object(wf_compiler *c, enum wf_env env, const wf_value *source,
                              const wf_place *place, wf_expr *out)
{
    wf_member *keys;
    wf_expr *list;
    int32_t status = take_object(c, source, out, &list, &keys);

    wf_suspect_object(c, source, place);
    for (uint32_t i = 0; i < source->length && !status; i++) {
        const wf_member *member = &source->as.members[i];
        wf_place at = {place, member->key, member->length, 0};

        keys[i] = *member;
        keys[i].key = wf_arena_text(c->to->arena, member->key, member->length);
        if (!keys[i].key)
            return wf_compile_full(c);
        status = wf_compile_part(c, env, &member->value, &at, &list[i]);
        out->flags |= list[i].flags;
    }
    if (status)
        return status;
    if (all_constant(list, out->count))
        return fold(c, out, place);
    wf_differs_template(c, out, place);
    return WFSM_OK;
}

static int32_t compile_val(wf_compiler *c, enum wf_env env, const wf_value *operand,
                           const wf_place *place, wf_expr *out)
{
    wf_val_scope scope;
    int32_t status = wf_compile_scope(c, env, operand, place, &scope);

    if (!status && scope.visit)
        wf_differs_visit(c, scope.climb, place);
    if (!status)
        status = wf_compile_operands(c, env, &scope.keys, scope.first, place, out);
    return status ? status : wf_compile_val(c, &scope, place, out);
}

static int32_t compile_rule(wf_compiler *c, enum wf_env env, const wf_operator *op,
                            const wf_value *operand, const wf_place *place, wf_expr *out)
{
    int32_t status;

    if (op->shape == WF_SHAPE_LITERAL)
        return constant(c, operand, out);
    if (op->shape == WF_SHAPE_STATE)
        return wf_compile_state(c, operand, place, out);
    if (op->shape == WF_SHAPE_CHILDREN)
        return wf_compile_children(c, operand, place, out);
    WF_INVARIANT(op->run); /* the shapes above are never evaluated as rules */
    out->node = WF_NODE_RULE;
    out->env = (uint8_t)env;
    out->op = op;
    if (op->shape == WF_SHAPE_VAL)
        return compile_val(c, env, operand, place, out);
    status = wf_compile_operands(c, env, operand, 0, place, out);
    if (status)
        return status;
    wf_differs_rule(c, out, place);
    if (op->shape == WF_SHAPE_VAR)
        return wf_compile_var(c, env, place, out);
    if (op->shape == WF_SHAPE_KEYS)
        return wf_compile_keys(c, env, place, out);
    if (op->shape == WF_SHAPE_LIVE)
        out->flags |= WF_LIVE;
    wf_suspect_rule(c, out, place);
    return fold(c, out, place);
}

/* in_state is no operator where there are no states, nor children_in where there are no children. */
static const wf_operator *operator_of(const wf_compiler *c, const wf_value *source)
{
    const wf_operator *op = wf_rule_operator(source);

    if (op && op->shape == WF_SHAPE_CHILDREN)
        return c->to->children ? op : NULL;
    return op && op->shape == WF_SHAPE_STATE && !c->to->state ? NULL : op;
}

int32_t wf_compile_part(wf_compiler *c, enum wf_env env, const wf_value *source,
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

static int32_t expected_rule(const wf_compiler *c, const wf_value *source,
                             const wf_place *place)
{
    const char *key =
        source->type == WF_OBJECT && source->length == 1 ? source->as.members[0].key : NULL;
    const char *word = key ? wf_foreign_word(key) : NULL;

    if (word)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "unknown operator \"%s\"; wfsm has \"%s\"", key, word);
    if (key)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC, "unknown operator \"%.200s\"", key);
    return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                      "expected a rule, an object whose only key is an operator");
}

int32_t wf_expr_compile(const wf_expr **out, const wf_value *source, bool guard,
                        const wf_resolver *resolver, const wf_place *place, wfsm_error *error)
{
    static const wf_place root;
    wf_compiler c = {
        .to = resolver, .error = error, .fold_steps = WF_FOLD_STEPS, .guard = guard};
    wf_expr *expr;
    int32_t status;

    if (!place)
        place = &root;
    if (guard && !operator_of(&c, source))
        return expected_rule(&c, source, place);
    expr = wf_arena_zero(resolver->arena, sizeof *expr);
    if (!expr)
        return wf_compile_full(&c);
    status =
        wf_compile_part(&c, resolver->keys ? WF_ENV_ROOT : WF_ENV_DATA, source, place, expr);
    if (!status)
        *out = expr;
    return status;
}
