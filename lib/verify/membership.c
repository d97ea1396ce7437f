/* verify/membership.c: whether a text is in a list that an operator has made. What is in the lists that it
 * was made of decides it. */
#include <string.h>
#include "verify/cone_find.h"
#include "verify/explorer.h"
#include "verify/symbolic_eval.h"

enum { SLICED_MOST = 4, PARTS_MOST = 16 };

/* The question: a rule that asks whether the text is in the list. */
typedef struct question {
    const wf_expr *rule;
    wf_value text;
    wf_run *run;
} question;

static int32_t is_in(wf_symbolic *self, const question *asked, wf_term list, bool *yes);

/* That of `in` itself. */
static int32_t is_in_term(wf_symbolic *self, const question *asked, wf_term list, bool *yes)
{
    const wf_term text = wf_symbolic_of(self, &asked->text);
    const wf_literal literal = {.kind = WF_IS_TRUE,
                                .term = wf_symbolic_applied(self, "in", text, list)};
    return wf_decide(self, asked->rule, 50, &literal, yes);
}

static int32_t is_same(wf_symbolic *self, const question *asked, wf_term term, bool *yes)
{
    const wf_value other = wf_symbolic_value(self, term);
    wf_value same;
    int32_t status =
        wf_symbolic_same(self, asked->rule, &asked->text, &other, asked->run, &same);
    return status == WFSM_OK ? wf_decide_truth(self, asked->rule, 51, &same, yes) : status;
}

static int32_t is_list(wf_symbolic *self, const question *asked, wf_term term, bool *yes)
{
    const wf_value value = wf_symbolic_value(self, term);
    return wf_decide_type(self, asked->rule, 52, &value, 1u << WF_ARRAY, yes);
}

/* `merge` takes the elements of lists, and what is no list as it is. */
static int32_t is_in_merged(wf_symbolic *self, const question *asked, const wf_term *parts,
                            uint32_t count, bool *yes)
{
    int32_t status = WFSM_OK;
    *yes = false;
    for (uint32_t i = 0; i < count && !*yes && status == WFSM_OK; i++) {
        bool list = false;
        status = is_list(self, asked, parts[i], &list);
        if (status == WFSM_OK)
            status =
                list ? is_in(self, asked, parts[i], yes) : is_same(self, asked, parts[i], yes);
    }
    return status;
}

static int32_t is_in_built(wf_symbolic *self, const question *asked, const wf_term *parts,
                           uint32_t count, bool *yes)
{
    int32_t status = WFSM_OK;
    *yes = false;
    for (uint32_t i = 0; i < count && !*yes && status == WFSM_OK; i++)
        status = is_same(self, asked, parts[i], yes);
    return status;
}

/* It is in the list that is filtered, and the body takes it. The body reads nothing else. */
static int32_t is_in_filtered(wf_symbolic *self, const question *asked, wf_term list,
                              const wf_expr *body, bool *yes)
{
    wf_run inside = {.scope = asked->run->scope, .data = &asked->text, .outer = asked->run};
    wf_value taken;
    int32_t status = is_in(self, asked, list, yes);
    if (status != WFSM_OK || !*yes)
        return status;
    status = self->recurse(self, body, &inside, &taken);
    return status == WFSM_OK ? wf_decide_truth(self, asked->rule, 53, &taken, yes) : status;
}

/* What is in the list, and not among the elements that are cut off, is in the rest. */
static int32_t is_in_sliced(wf_symbolic *self, const question *asked, wf_term slice,
                            wf_term list, uint32_t cut, bool *yes)
{
    bool among = false;
    int32_t status = is_in(self, asked, list, yes);
    if (status != WFSM_OK || !*yes)
        return status;
    for (uint32_t i = 0; i < cut && !among && status == WFSM_OK; i++)
        status = is_same(self, asked, wf_term_element(&self->terms, list, i), &among);
    return status == WFSM_OK && among ? is_in_term(self, asked, slice, yes) : status;
}

/* The number of elements that a slice without an end cuts off; 0: it is another slice. */
static uint32_t cut_by(const wf_symbolic *self, const wf_term_node *node)
{
    if (node->count != 2)
        return 0;
    const wf_term_node *from = wf_term_at(&self->terms, node->operands[1]);
    bool number = from->kind == WF_TERM_KNOWN && from->value.type == WF_NUMBER;
    double cut = number ? from->value.as.number : 0;
    return cut >= 1 && cut <= SLICED_MOST && cut == (uint32_t)cut ? (uint32_t)cut : 0;
}

static bool is_op(const wf_term_node *node, const char *name)
{
    return strcmp(node->op->name, name) == 0;
}

static int32_t is_in(wf_symbolic *self, const question *asked, wf_term list, bool *yes)
{
    const wf_term_node node = *wf_term_at(&self->terms, list);
    wf_term parts[PARTS_MOST];
    if (node.count > PARTS_MOST)
        return is_in_term(self, asked, list, yes);
    if (node.count > 0)
        memcpy(parts, node.operands, node.count * sizeof *parts);
    if (node.kind == WF_TERM_ARRAY)
        return is_in_built(self, asked, parts, node.count, yes);
    if (node.kind == WF_TERM_APPLY && is_op(&node, "merge"))
        return is_in_merged(self, asked, parts, node.count, yes);
    if (node.kind == WF_TERM_OVER && is_op(&node, "filter"))
        return is_in_filtered(self, asked, parts[0], node.body, yes);
    if (node.kind == WF_TERM_APPLY && is_op(&node, "slice") && cut_by(self, &node) > 0)
        return is_in_sliced(self, asked, list, parts[0], cut_by(self, &node), yes);
    return is_in_term(self, asked, list, yes);
}

static bool is_made(const wf_symbolic *self, wf_term list)
{
    const wf_term_node *node = wf_term_at(&self->terms, list);
    return (node->kind == WF_TERM_APPLY &&
            (is_op(node, "merge") || (is_op(node, "slice") && cut_by(self, node) > 0))) ||
           (node->kind == WF_TERM_OVER && is_op(node, "filter")) || node->kind == WF_TERM_ARRAY;
}

bool wf_symbolic_is_member(wf_symbolic *self, const wf_expr *rule, const wf_value *operands,
                           wf_run *run, wf_value *result, int32_t *status)
{
    const question asked = {rule, operands[0], run};
    wf_term list;
    bool yes = false;
    if (operands[0].type != WF_STRING || wf_symbolic_within(&operands[0]) ||
        !wf_symbolic_term(&operands[1], &list) || !is_made(self, list))
        return false;
    *status = is_in(self, &asked, list, &yes);
    *result = wf_boolean(yes);
    return true;
}
