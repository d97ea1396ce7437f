/* verify/symbolic_names.c: names of events that are terms, and whether a text that is a term can be one. */
#include "verify/symbolic_eval.h"

#include <string.h>
#include "base/utf8.h"
#include "verify/explorer.h"

static void assume_begin(wf_symbolic *self, wf_term name, const wf_value *begin)
{
    const wf_value from = wf_number(0),
                   most = wf_number((double)wf_utf8_count(begin->as.text, begin->length));
    const wf_term operands[] = {name, wf_term_known(&self->terms, &from),
                                wf_term_known(&self->terms, &most)};
    const wf_term cut = wf_term_apply(&self->terms, wf_operator_find("substr", 6), operands, 3);
    const wf_literal known = {
        .kind = WF_IS_TRUE,
        .term = wf_symbolic_applied(self, "===", cut, wf_term_known(&self->terms, begin))};
    self->failed |= known.term == WF_NONE;
    if (!self->failed)
        wf_decide_known(self, &known);
}

wf_value wf_symbolic_name(wf_symbolic *self, const wf_external_event *event)
{
    const wf_value name = wf_symbolic_input(self, WF_SYMBOL_NAME);
    wf_term term;
    if (event->begin.length > 0 && wf_symbolic_term(&name, &term))
        assume_begin(self, term, &event->begin);
    return name;
}

/* It is tried first that it is. */
static int32_t is_longer(wf_symbolic *self, const void *origin, uint32_t part,
                         const wf_value *text, uint32_t most, bool *yes)
{
    const wf_value limit = wf_number(most);
    const wf_term whole = wf_symbolic_of(self, text);
    const wf_term length =
        wf_term_apply(&self->terms, wf_operator_find("length", 6), &whole, 1);
    const wf_term bound = wf_term_known(&self->terms, &limit);
    const wf_literal literal = {.kind = WF_IS_FALSE,
                                .term = wf_symbolic_applied(self, "<=", length, bound)};
    return wf_decide(self, origin, part, &literal, yes);
}

/* A name has 1 to 255 bytes. Of a length between, a character may have up to four bytes. */
int32_t wf_symbolic_is_name(wf_symbolic *self, const void *origin, uint32_t part,
                            const wf_value *text, bool *yes)
{
    bool longer = false;
    int32_t status = is_longer(self, origin, part, text, 255, &longer);
    *yes = !longer;
    if (status == WFSM_OK && *yes)
        status = is_longer(self, origin, part + 1, text, 0, yes);
    if (status == WFSM_OK && *yes)
        status = is_longer(self, origin, part + 2, text, 63, &longer);
    return status == WFSM_OK && *yes && longer ? wf_decide_freely(self, origin, part + 3, yes)
                                               : status;
}
