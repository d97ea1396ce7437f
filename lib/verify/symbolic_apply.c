/* verify/symbolic_apply.c: strict operators over values that may be terms. What is known is evaluated by
 * the operators of production. Over terms the result is a term, after a decision on whether the
 * operator fails. */
#include "verify/symbolic_eval.h"

#include <string.h>
#include "verify/cone_find.h"

enum { FEW = 8, SIZE_MOST = 20000 };

int32_t wf_symbolic_fails(wf_run *run)
{
    run->scope->failure = "an operand has a wrong value";
    run->scope->error_type = NULL; /* which one is not known */
    run->scope->thrown = wf_absent();
    return WFSM_SEMANTIC;
}

int32_t wf_symbolic_anything(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                             wf_value *result)
{
    bool fails = false;
    wf_symbolic_opaque(self);
    if (wf_op_may_fail(rule))
        wf_decide_freely(self, rule, 9, &fails);
    if (fails)
        return wf_symbolic_fails(run);
    *result = wf_symbolic_fresh(self, NULL);
    return result->type == WF_ABSENT ? WFSM_NO_MEMORY : WFSM_OK;
}

static bool is_named(const wf_expr *rule, const char *const *names)
{
    return wf_expr_is_op(rule, names);
}

/* Operators that look at the first so many operands from outside only: what is in a container stays
 * as it is. 0: it looks inside. */
static uint32_t looks_at(const wf_expr *rule)
{
    static const char *const all[] = {"merge", "length", "!", "!!", "slice", NULL},
                             *const two[] = {"with", NULL};
    if (is_named(rule, all))
        return UINT32_MAX;
    return is_named(rule, two) ? 2 : 0;
}

static bool can_run(const wf_expr *rule, const wf_value *operands, uint32_t count)
{
    uint32_t outside = looks_at(rule);
    wf_term term;
    for (uint32_t i = 0; i < count; i++)
        if (outside == 0 ? wf_symbolic_within(&operands[i])
                         : i < outside && wf_symbolic_term(&operands[i], &term))
            return false;
    return true;
}

static int32_t run_known(const wf_expr *rule, const wf_value *operands, uint32_t count,
                         wf_run *run, wf_value *result)
{
    wf_expr few[FEW], known = *rule;
    wf_expr *list = few;
    known.mode = WF_MODE_LISTED;
    known.count = count;
    if (count > FEW)
        list = wf_arena_take(run->scope->arena, count * sizeof *list);
    if (!list)
        return WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (wf_expr){.node = WF_NODE_CONSTANT, .as.constant = operands[i]};
    known.as.list = list;
    return rule->op->run(&known, run, result);
}

int32_t wf_symbolic_result(wf_symbolic *self, const wf_expr *rule, wf_term term, wf_run *run,
                           wf_value *result)
{
    const wf_literal succeeds = {.kind = WF_SUCCEEDS, .term = term};
    bool yes = true;
    int32_t status = WFSM_OK;
    if (wf_op_may_fail(rule))
        status = wf_decide(self, rule, 8, &succeeds, &yes);
    if (status != WFSM_OK)
        return status;
    if (!yes)
        return wf_symbolic_fails(run);
    *result = wf_symbolic_value(self, term);
    return result->type == WF_ABSENT ? WFSM_NO_MEMORY : WFSM_OK;
}

static int32_t apply_term(wf_symbolic *self, const wf_expr *rule, const wf_value *operands,
                          uint32_t count, wf_run *run, wf_value *result)
{
    wf_term *terms = wf_arena_take(run->scope->arena, (count + 1u) * sizeof *terms);
    if (!terms)
        return WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        terms[i] = wf_symbolic_of(self, &operands[i]);
    const wf_term made = wf_term_apply(&self->terms, rule->op, terms, count);
    /* A loop in one step can double a term each time. A term of this size is not followed. */
    if (made != WF_NONE && wf_term_at(&self->terms, made)->size > SIZE_MOST)
        return wf_symbolic_anything(self, rule, run, result);
    return wf_symbolic_result(self, rule, made, run, result);
}

int32_t wf_symbolic_apply(wf_symbolic *self, const wf_expr *rule, const wf_value *operands,
                          uint32_t count, wf_run *run, wf_value *result)
{
    if (!wf_operator_takes(rule->op, count))
        return wf_symbolic_fails(run);
    return can_run(rule, operands, count)
               ? run_known(rule, operands, count, run, result)
               : apply_term(self, rule, operands, count, run, result);
}

int32_t wf_symbolic_same(wf_symbolic *self, const wf_expr *rule, const wf_value *a,
                         const wf_value *b, wf_run *run, wf_value *result)
{
    const wf_value both[] = {*a, *b};
    wf_expr same = {.node = WF_NODE_RULE, .mode = WF_MODE_LISTED, .count = 2};
    (void)rule;
    same.op = wf_operator_find("===", 3);
    return wf_symbolic_apply(self, &same, both, 2, run, result);
}
