/* logic/expr_operands.c: how many operands there are, and what each of them sees. */
#include "logic/expr_compile.h"

/* A body is evaluated with a scope of its own. */
static bool is_body(const wf_operator *op, uint32_t index)
{
    if (op->shape == WF_SHAPE_TRY)
        return index > 0;
    return index == 1 && (op->shape == WF_SHAPE_BODY || op->shape == WF_SHAPE_REDUCE);
}

static int32_t compile_body(wf_compiler *c, enum wf_env env, const wf_operator *op,
                            const wf_value *source, const wf_place *place, wf_expr *out)
{
    wf_nest here = {env, c->nest, op};
    enum wf_env inside = op->shape == WF_SHAPE_REDUCE ? WF_ENV_PAIR : WF_ENV_DATA;
    int32_t status;

    c->nest = &here;
    status = wf_compile_part(c, inside, source, place, out);
    c->nest = here.outer;
    /* What a body reads of its own scope, the operator itself gives it. */
    out->flags &= WF_LIVE | WF_CLIMBS;
    return status;
}

static int32_t wrong_count(const wf_compiler *c, const wf_operator *op, uint32_t count,
                           const wf_place *place)
{
    if (op->most == WF_ANY_NUMBER)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "expected %d or more operands of \"%s\", found %u", op->least,
                          op->name, (unsigned)count);
    if (op->least == op->most)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "expected %d operand%s of \"%s\", found %u", op->least,
                          op->least == 1 ? "" : "s", op->name, (unsigned)count);
    return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                      "expected %d to %d operands of \"%s\", found %u", op->least, op->most,
                      op->name, (unsigned)count);
}

/* How many elements a rule gives is not known yet. */
static int32_t check_count(const wf_compiler *c, const wf_expr *rule, const wf_value *operand,
                           const wf_place *place)
{
    bool spreads = rule->op->single == WF_SINGLE_SPREADS && operand->type == WF_OBJECT;

    if (rule->mode == WF_MODE_SPREAD && rule->op->single == WF_SINGLE_IS_NONE)
        return wf_fail_at(c->error, place, WFSM_SEMANTIC,
                          "expected a list of operands of \"%s\"", rule->op->name);
    if (spreads || wf_operator_takes(rule->op, rule->count))
        return WFSM_OK;
    return wrong_count(c, rule->op, rule->count, place);
}

static int32_t compile_each(wf_compiler *c, enum wf_env env, const wf_value *sources,
                            uint32_t first, const wf_place *place, wf_expr *out)
{
    wf_expr *list = wf_arena_zero(c->to->arena, out->count * sizeof *list);
    int32_t status = list ? WFSM_OK : wf_compile_full(c);

    out->as.list = list;
    for (uint32_t i = 0; i < out->count && !status; i++) {
        wf_place at = {place, NULL, 0, first + i};
        const wf_place *here = out->mode == WF_MODE_SPREAD ? place : &at;

        status = is_body(out->op, i)
                     ? compile_body(c, env, out->op, &sources[i], here, &list[i])
                     : wf_compile_part(c, env, &sources[i], here, &list[i]);
        out->flags |= list[i].flags;
    }
    return status;
}

int32_t wf_compile_operands(wf_compiler *c, enum wf_env env, const wf_value *operand,
                            uint32_t first, const wf_place *place, wf_expr *out)
{
    bool listed = operand->type == WF_ARRAY, tries = out->op->shape == WF_SHAPE_TRY;
    int32_t status;

    out->mode = listed ? WF_MODE_LISTED : WF_MODE_SPREAD;
    out->count = listed ? operand->length : 1;
    status = check_count(c, out, operand, place);
    if (status)
        return status;
    c->trying += tries;
    c->rules++;
    status = compile_each(c, env, listed ? operand->as.items : operand, first, place, out);
    c->rules--;
    c->trying -= tries;
    return status;
}
