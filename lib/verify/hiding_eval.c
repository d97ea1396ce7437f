/* verify/hiding_eval.c: expressions over values of which some are hidden. What a rule asks of those is not
 * evaluated: each answer is possible. */
#include <string.h>
#include "verify/cone_find.h"
#include "verify/explorer.h"
#include "verify/expr_alike.h"
#include "verify/hiding.h"
#include "verify/symbolic_eval.h"

/* ---- what is read ---- */

static bool reads_any_key(const wf_hiding *self)
{
    for (uint32_t i = 0; i < self->keys; i++)
        if (self->hidden[i])
            return true;
    return false;
}

static bool reads_var(const wf_hiding *self, const wf_var *var)
{
    bool all = var->origin == WF_FROM_ROOT || var->origin == WF_FROM_CONTEXT;
    if (var->origin == WF_FROM_SLOT && self->hidden[var->slot])
        return true;
    return (all && reads_any_key(self)) ||
           (var->fallback && wf_hiding_reads(self, var->fallback));
}

static bool any_reads(const wf_hiding *self, const wf_expr *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (wf_hiding_reads(self, &list[i]))
            return true;
    return false;
}

/* A path that is computed may lead there, too: then what it finds is a symbol, and as unknown. */
bool wf_hiding_reads(const wf_hiding *self, const wf_expr *expr)
{
    switch (expr->node) {
    case WF_NODE_SLOT:
        return self->hidden[expr->count] != WF_FOLLOWED;
    case WF_NODE_VAR:
        return reads_var(self, expr->as.var);
    case WF_NODE_RULE:
    case WF_NODE_ARRAY:
        return any_reads(self, expr->as.list, expr->count);
    case WF_NODE_OBJECT:
        return any_reads(self, expr->as.object.list, expr->count);
    default:
        return false;
    }
}

static bool any_reads_event(const wf_expr *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (wf_hiding_reads_event(&list[i]))
            return true;
    return false;
}

bool wf_hiding_reads_event(const wf_expr *expr)
{
    switch (expr->node) {
    case WF_NODE_VAR:
        return expr->as.var->origin == WF_FROM_EVENT || expr->as.var->origin == WF_FROM_ROOT ||
               expr->as.var->climb > 0 ||
               (expr->as.var->fallback && wf_hiding_reads_event(expr->as.var->fallback));
    case WF_NODE_RULE:
        return expr->mode >= WF_MODE_SCOPED || any_reads_event(expr->as.list, expr->count);
    case WF_NODE_ARRAY:
        return any_reads_event(expr->as.list, expr->count);
    case WF_NODE_OBJECT:
        return any_reads_event(expr->as.object.list, expr->count);
    default:
        return false;
    }
}

/* A negated comparison as the one that it negates. */
static wf_expr positive(const wf_expr *rule)
{
    wf_expr copy = *rule;
    if (rule->node == WF_NODE_RULE && strcmp(rule->op->name, "!==") == 0 && rule->count == 2)
        copy.op = wf_operator_find("===", 3);
    return copy;
}

uint32_t wf_hiding_facts_like(const wf_hiding *self, const wf_expr *rule)
{
    const wf_expr asked = positive(rule);
    uint32_t facts = 0;
    for (uint32_t i = 0; i < self->fact_count; i++) {
        const wf_expr fact = positive(self->facts[i]);
        if (self->facts[i] == rule || wf_expr_alike(&fact, &asked))
            facts |= 1u << i;
    }
    return facts;
}

bool wf_hiding_is_fact(const wf_hiding *self, const wf_expr *rule)
{
    return wf_hiding_facts_like(self, rule) != 0;
}

bool wf_hiding_reads_key(const wf_hiding *self, const wf_expr *rule, uint32_t slot)
{
    memset(self->only, WF_FOLLOWED, self->keys);
    self->only[slot] = WF_NOT_READ;
    return wf_hiding_reads(&(wf_hiding){.hidden = self->only, .keys = self->keys}, rule);
}

static void meet_rule(wf_hiding *self, const wf_expr *rule)
{
    if (self->met_rule_count < WF_MET_RULES_MOST)
        self->met_rules[self->met_rule_count++] = rule;
}

/* ---- guards ---- */

/* Answers that are possible. */
enum { YES = 1, NO = 2, FAILS = 4 };

static int32_t answers_of(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                          uint8_t *answers);

static int32_t answers_of_value(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                                uint8_t *answers)
{
    wf_value value;
    bool yes = false;
    if (wf_hiding_reads(self->hiding, rule) && !wf_hiding_is_fact(self->hiding, rule)) {
        meet_rule(self->hiding, rule);
        *answers = (uint8_t)(YES | NO |
                             (wf_typed_may_fail(self->explorer->machine, rule) ? FAILS : 0));
        return WFSM_OK;
    }
    int32_t status = wf_symbolic_eval(self, rule, run, &value);
    self->hiding->lasts = wf_hiding_reads(self->hiding, rule) && !wf_hiding_reads_event(rule);
    if (status == WFSM_OK)
        status = wf_decide_truth(self, rule, 32, &value, &yes);
    self->hiding->lasts = false;
    *answers = status == WFSM_SEMANTIC ? FAILS : yes ? YES : NO;
    return status == WFSM_SEMANTIC ? WFSM_OK : status;
}

/* The operands are asked in turn until one has the answer `until`. */
static int32_t answers_of_first(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                                uint8_t until, uint8_t *answers)
{
    const uint8_t goes_on = until == YES ? NO : YES;
    int32_t status = WFSM_OK;
    *answers = goes_on;
    for (uint32_t i = 0; i < rule->count && (*answers & goes_on) && status == WFSM_OK; i++) {
        uint8_t one = 0;
        status = answers_of(self, &rule->as.list[i], run, &one);
        *answers = (uint8_t)((*answers & ~goes_on) | one);
    }
    return status;
}

static int32_t answers_of_not(wf_symbolic *self, const wf_expr *rule, wf_run *run,
                              uint8_t *answers)
{
    uint8_t one = 0;
    int32_t status = answers_of(self, &rule->as.list[0], run, &one);
    *answers = (uint8_t)((one & FAILS) | (one & YES ? NO : 0) | (one & NO ? YES : 0));
    return status;
}

static bool is_op(const wf_expr *rule, const char *name)
{
    return rule->node == WF_NODE_RULE && wf_operator_is(rule->op, name) &&
           rule->mode == WF_MODE_LISTED && rule->count > 0;
}

/* Its one operand may stand there without a list. */
static bool is_unary(const wf_expr *rule, const char *name)
{
    return rule->node == WF_NODE_RULE && wf_operator_is(rule->op, name) &&
           rule->mode <= WF_MODE_SPREAD && rule->count == 1;
}

bool wf_hiding_is_truth(const wf_expr *rule)
{
    return is_op(rule, "and") || is_op(rule, "or") || is_unary(rule, "!") ||
           is_unary(rule, "!!");
}

static int32_t answers_of(wf_symbolic *self, const wf_expr *rule, wf_run *run, uint8_t *answers)
{
    if (is_op(rule, "and"))
        return answers_of_first(self, rule, run, NO, answers);
    if (is_op(rule, "or"))
        return answers_of_first(self, rule, run, YES, answers);
    if (is_unary(rule, "!"))
        return answers_of_not(self, rule, run, answers);
    if (is_unary(rule, "!!"))
        return answers_of(self, &rule->as.list[0], run, answers);
    return answers_of_value(self, rule, run, answers);
}

/* One of the answers; they are choices of the run. */
static uint8_t pick(wf_symbolic *self, uint8_t answers)
{
    bool first = true;
    for (uint8_t one = YES; one < FAILS; one = (uint8_t)(one << 1)) {
        if (answers == one)
            return one;
        if ((answers & one) == 0)
            continue;
        wf_decide_freely(self, NULL, 0, &first);
        if (first)
            return one;
        answers &= (uint8_t)~one;
    }
    return answers;
}

int32_t wf_hiding_test(wf_symbolic *self, const wf_expr *rule, wf_run *run, bool *yes)
{
    uint8_t answers = 0;
    int32_t status = answers_of(self, rule, run, &answers);
    if (status != WFSM_OK)
        return status;
    uint8_t one = pick(self, answers);
    *yes = one == YES;
    if (one != FAILS)
        return WFSM_OK;
    wf_symbolic_fails(run);
    return WFSM_SEMANTIC;
}

int32_t wf_hiding_eval(wf_symbolic *self, const wf_expr *expr, wf_run *run, wf_value *value)
{
    uint32_t i = 0;
    if (!self->hiding || !is_op(expr, "if"))
        return wf_symbolic_eval(self, expr, run, value);
    for (; i + 1 < expr->count; i += 2) {
        bool yes = false;
        int32_t status = wf_hiding_test(self, &expr->as.list[i], run, &yes);
        if (status != WFSM_OK)
            return status;
        if (yes)
            return wf_hiding_eval(self, &expr->as.list[i + 1], run, value);
    }
    *value = wf_null();
    return i < expr->count ? wf_hiding_eval(self, &expr->as.list[i], run, value) : WFSM_OK;
}
