/* verify/symbolic_step.c: what the step and the monitor of properties call instead of the functions of
 * production, and what they must know of a value. */
#include "verify/symbolic_eval.h"

#include <string.h>
#include "verify/constraints.h"
#include "verify/explorer.h"
#include "verify/hiding.h"

/* ---- what must be known ---- */

/* The value becomes one of the names, "" if it is another text, or null if it is no text. No name is empty. */
static int32_t know_which(wf_symbolic *self, const wf_expr *expr, const wf_names *names,
                          wf_run *run, wf_value *value)
{
    bool text = false, found = false;
    int32_t status = wf_decide_type(self, expr, 30, value, 1u << WF_STRING, &text);
    for (uint32_t i = 0; i < names->count && text && !found && status == WFSM_OK; i++) {
        const wf_value name = wf_string(names->list[i].text, names->list[i].length);
        wf_value same;
        status = wf_symbolic_same(self, expr, value, &name, run, &same);
        if (status == WFSM_OK)
            status = wf_decide_truth(self, expr, 31, &same, &found);
        if (found)
            *value = name;
    }
    if (!found)
        *value = text ? wf_string_z("") : wf_null();
    return status;
}

/* An event whose name the document does not have is not followed. With a value that is no text, the action fails. */
static int32_t know_event(wf_symbolic *self, const wf_expr *expr, wf_run *run, wf_value *value)
{
    int32_t status = know_which(self, expr, &self->explorer->machine->events, run, value);
    if (status == WFSM_OK && value->type == WF_STRING && value->length == 0) {
        wf_symbolic_give_up(self, "the name of an event that comes from data", expr);
        *value = wf_null();
    }
    return status;
}

static int32_t know_length(wf_symbolic *self, const wf_expr *expr, wf_value *value)
{
    wf_value list = *value;
    bool array = false, seen = true;
    int32_t status = wf_decide_type(self, expr, 30, value, 1u << WF_ARRAY, &array);
    if (status == WFSM_OK && array)
        status = wf_symbolic_elements(self, expr, &list, value, &seen);
    if (!seen)
        wf_symbolic_give_up_at(
            self, "a list of more than three elements that `each` or `items` goes through",
            expr, "a `maxItems` of at most 3");
    if (!array || !seen)
        *value = wf_null();
    return status;
}

/* Whether one is not greater than the other; both may be terms. */
static int32_t is_at_most(wf_symbolic *self, const wf_expr *expr, uint32_t part,
                          const wf_value *one, const wf_value *other, bool *yes)
{
    const wf_literal literal = {.kind = WF_IS_TRUE,
                                .term = wf_symbolic_compared(self, "<=", one, other)};
    return wf_decide(self, expr, part, &literal, yes);
}

/* A delay that is not known becomes a number that stands for its bounds. */
static int32_t know_delay(wf_symbolic *self, const wf_expr *expr, wf_value *value)
{
    const wf_value least = wf_number(0), most = wf_number(WF_DELAY_MOST);
    bool fine = false;
    wf_term term;
    int32_t status = wf_decide_type(self, expr, 30, value, 1u << WF_NUMBER, &fine);
    if (status == WFSM_OK && fine)
        status = is_at_most(self, expr, 36, &least, value, &fine);
    if (status == WFSM_OK && fine)
        status = is_at_most(self, expr, 37, value, &most, &fine);
    if (status != WFSM_OK)
        return status;
    bool bounded = fine && wf_symbolic_term(value, &term) && wf_decide_bounds(self, term);
    if (fine && !bounded)
        wf_symbolic_give_up(self, "a step that sets many timers whose delays come from data",
                            expr);
    *value =
        bounded ? wf_number(WF_DELAY_UNKNOWN + (double)(self->delay_count - 1)) : wf_null();
    return WFSM_OK;
}

/* ---- places in a pool: nothing depends on them but whether they are valid ---- */

static int32_t is_in(wf_symbolic *self, const wf_expr *expr, uint32_t part, const wf_value *one,
                     const wf_value *of, bool *yes)
{
    const wf_literal literal = {.kind = WF_IS_TRUE,
                                .term = wf_symbolic_compared(self, "in", one, of)};
    return wf_decide(self, expr, part, &literal, yes);
}

static int32_t know_place(wf_symbolic *self, const wf_expr *expr, enum wf_need need,
                          wf_value *value)
{
    const wf_value words[] = {wf_string_z("low"), wf_string_z("normal"), wf_string_z("high")},
                   all = wf_array(words, 3);
    bool nothing = false, valid = false;
    int32_t status = wf_decide_type(self, expr, 43, value, 1u << WF_NULL, &nothing);
    if (status == WFSM_OK && !nothing)
        status = wf_decide_type(self, expr, 30, value, 1u << WF_STRING, &valid);
    if (status == WFSM_OK && valid)
        status = need == WF_NEED_PRIORITY ? is_in(self, expr, 44, value, &all, &valid)
                                          : wf_symbolic_is_name(self, expr, 38, value, &valid);
    *value = nothing ? wf_null() : valid ? words[1] : wf_boolean(false);
    return status;
}

static int32_t know(wf_symbolic *self, const wf_expr *expr, enum wf_need need, wf_run *run,
                    wf_value *value)
{
    wf_term term;
    bool is_term = wf_symbolic_term(value, &term);
    if (need == WF_NEED_DELAY && value->type == WF_NUMBER &&
        value->as.number >= WF_DELAY_UNKNOWN)
        wf_symbolic_give_up_at(self, "a delay of more than 100,000 years", expr, "a `maximum`");
    if (need == WF_NEED_ID)
        return wf_symbolic_id(self, expr, value);
    if (need == WF_NEED_NOTHING || !wf_symbolic_within(value))
        return WFSM_OK;
    if (need == WF_NEED_PRIORITY || need == WF_NEED_PLACE)
        return know_place(self, expr, need, value);
    if (need == WF_NEED_DELAY)
        return know_delay(self, expr, value);
    if (need == WF_NEED_LENGTH)
        return is_term ? know_length(self, expr, value) : WFSM_OK;
    if (need == WF_NEED_NAME)
        return know_event(self, expr, run, value);
    if (need == WF_NEED_AGENT)
        return know_which(self, expr, &self->explorer->machine->agents, run, value);
    wf_symbolic_give_up(self, "a limit or a number of items that comes from data", expr);
    *value = wf_null();
    return WFSM_OK;
}

/* ---- the evaluator ---- */

static int32_t eval(void *user, const wf_expr *expr, wf_scope *scope, enum wf_need need,
                    wf_value *value)
{
    wf_run run = {.scope = scope, .data = scope->data};
    int32_t status = WFSM_OK;
    ((wf_symbolic *)user)->asking = expr;
    bool hidden = wf_hiding_skips(user, expr, &run, value, &status);
    if (!hidden)
        status = wf_hiding_eval(user, expr, &run, value);
    if (status == WFSM_OK && !hidden)
        status = know(user, expr, need, &run, value);
    return status == WFSM_OK ? wf_symbolic_asked(user, expr, hidden, value) : status;
}

static int32_t test(void *user, const wf_expr *expr, wf_scope *scope, bool *yes)
{
    wf_run run = {.scope = scope, .data = scope->data};
    wf_value value;
    ((wf_symbolic *)user)->asking = expr;
    if (((const wf_symbolic *)user)->hiding)
        return wf_hiding_test(user, expr, &run, yes);
    int32_t status = wf_symbolic_eval(user, expr, &run, &value);
    return status == WFSM_OK ? wf_decide_truth(user, expr, 32, &value, yes) : status;
}

/* A term with a changed member is what the operator `with` makes of it. */
static int32_t with_member(wf_symbolic *self, const wf_value *object, const wf_name *key,
                           const wf_value *value, wf_value *copy)
{
    const wf_value name = wf_string(key->text, key->length);
    const wf_value operands[] = {*object, name, *value};
    wf_scope scope = {.arena = &self->scratch, .steps = WF_EVAL_STEPS};
    wf_run run = {.scope = &scope};
    const wf_expr with = {.node = WF_NODE_RULE,
                          .mode = WF_MODE_LISTED,
                          .count = 3,
                          .op = wf_operator_find("with", 4)};
    return wf_symbolic_apply(self, &with, operands, 3, &run, copy);
}

static int32_t member_of(wf_symbolic *self, const wf_value *object, const wf_name *key,
                         wf_value *member)
{
    wf_term term;
    bool there = true;
    if (!wf_symbolic_term(object, &term)) {
        const wf_value *found = wf_value_get(object, key->text, key->length);
        *member = found ? *found : wf_absent();
        return found ? WFSM_OK : WFSM_SEMANTIC;
    }
    const wf_literal has = {.kind = WF_IS_TRUE,
                            .term = wf_term_has(&self->terms, term, key->text, key->length)};
    int32_t status = wf_decide(self, key, 34, &has, &there);
    *member =
        wf_symbolic_value(self, wf_term_member(&self->terms, term, key->text, key->length));
    return status == WFSM_OK && !there ? WFSM_SEMANTIC : status;
}

static int32_t within(void *user, const wf_value *object, const wf_name *keys, uint32_t depth,
                      const wf_value *value, wf_value *copy)
{
    wf_symbolic *self = user;
    wf_value part = *value;
    bool fine = false;
    int32_t status = wf_decide_type(self, keys, 35, object, 1u << WF_OBJECT, &fine);
    if (status != WFSM_OK || !fine)
        return status != WFSM_OK ? status : WFSM_SEMANTIC;
    if (depth > 1) {
        wf_value member;
        status = member_of(self, object, &keys[0], &member);
        if (status == WFSM_OK)
            status = within(self, &member, keys + 1, depth - 1, value, &part);
    }
    return status == WFSM_OK ? with_member(self, object, &keys[0], &part, copy) : status;
}

void wf_symbolic_evaluator(wf_symbolic *self)
{
    self->recurse = wf_symbolic_eval;
    self->evaluator = (wf_evaluator){self, eval, test, wf_symbolic_fits, within};
}
