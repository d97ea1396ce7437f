/* verify/symbolic_time.c: the time of a step, as a symbol. */
#include "logic/expr_tree.h"
#include "verify/symbolic.h"

static bool is_time(const wf_symbolic *self, wf_term term)
{
    const wf_term_node *node = wf_term_at(&self->terms, term);
    return node->kind == WF_TERM_SYMBOL && node->schema_count == 1 &&
           node->schemas[0] == self->shapes[WF_SYMBOL_NOW];
}

/* Time does not go back: that of each step before, as far as it is known of, is not later. */
static void assume_later(wf_symbolic *self, wf_term now)
{
    const struct wf_operator *at_most = wf_operator_find("<=", 2);
    const uint32_t count = self->terms.count, number = wf_term_at(&self->terms, now)->index;
    for (wf_term before = 0; before < count && !self->failed; before++) {
        const wf_term both[] = {before, now};
        if (!is_time(self, before) || wf_term_at(&self->terms, before)->index >= number)
            continue;
        const wf_literal known = {.kind = WF_IS_TRUE,
                                  .term = wf_term_apply(&self->terms, at_most, both, 2)};
        self->failed |= known.term == WF_NONE;
        if (!self->failed)
            wf_decide_known(self, &known);
    }
}

wf_value wf_symbolic_now(wf_symbolic *self)
{
    const wf_value value = wf_symbolic_input(self, WF_SYMBOL_NOW);
    wf_term now;
    if (wf_symbolic_term(&value, &now) && !self->looked_at_time)
        assume_later(self, now);
    self->looked_at_time = true;
    return value;
}
