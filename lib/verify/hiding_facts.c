/* verify/hiding_facts.c: what is known of a hidden value by facts. Where the key of a state is written, a symbol
 * takes its place, of which the facts say what they said of the value. */
#include <string.h>
#include "base/memory.h"
#include "verify/explorer.h"
#include "verify/hiding.h"
#include "verify/symbolic_eval.h"

static wf_hiding *hiding_of(const wf_explorer *explorer)
{
    return explorer->symbolic ? explorer->symbolic->hiding : NULL;
}

typedef struct asking {
    wf_explorer *explorer;
    const wf_expr *rule;
    uint32_t slot;
    wf_value *slots;
    bool chooses; /* where the answer is not known, each one is tried */
} asking;

/* What the rule says if the key has this value. */
static int32_t ask(const asking *self, const wf_value *value, wf_value *answer)
{
    static const wf_value nothing = {.type = WF_NULL};
    const wf_snapshot *snapshot = &self->explorer->snapshot;
    wf_scope scope = {.arena = &self->explorer->symbolic->scratch,
                      .slots = self->slots,
                      .keys = wf_snapshot_keys(snapshot),
                      .slot_count = (uint32_t)snapshot->slot_count,
                      .event = &nothing,
                      .instance = &nothing,
                      .active = snapshot->active,
                      .steps = WF_EVAL_STEPS};
    wf_run run = {.scope = &scope};
    self->slots[self->slot] = *value;
    return wf_symbolic_eval(self->explorer->symbolic, self->rule, &run, answer);
}

/* What the rule says of the value. False if that is not known. */
static bool answer_of(const asking *self, const wf_value *answer, bool *yes, int32_t *status)
{
    wf_literal literal = {.kind = WF_IS_TRUE};
    bool known = !wf_symbolic_term(answer, &literal.term);
    *yes = wf_value_truth(answer);
    if (known || self->chooses)
        *status = wf_decide_truth(self->explorer->symbolic, self->rule, 41, answer, yes);
    else
        known = wf_decide_follows(self->explorer->symbolic, &literal, yes);
    return known || self->chooses;
}

static void keep(wf_hiding *self, wf_term term)
{
    if (self->kept_count < WF_KEPT_MOST)
        self->kept[self->kept_count++] = term;
}

/* What it says of the value is said of the symbol. `value` is NULL if that is the symbol. */
static int32_t note_fact(const asking *self, const wf_value *value, const wf_value *symbol)
{
    wf_symbolic *symbolic = self->explorer->symbolic;
    wf_value of_value, of_symbol;
    wf_literal literal = {.kind = WF_IS_TRUE};
    bool yes = false;
    int32_t status = ask(self, symbol, &of_symbol);
    if (status != WFSM_OK || !wf_symbolic_term(&of_symbol, &literal.term))
        return status;
    keep(symbolic->hiding, wf_decide_plain(symbolic, &literal).term);
    if (value)
        status = ask(self, value, &of_value);
    if (!value || status != WFSM_OK || !answer_of(self, &of_value, &yes, &status) ||
        status != WFSM_OK)
        return status;
    literal.kind = yes ? WF_IS_TRUE : WF_IS_FALSE;
    wf_decide_known(symbolic, &literal);
    return status;
}

static void note_facts(asking *self, const wf_value *value, const wf_value *symbol)
{
    wf_hiding *hiding = hiding_of(self->explorer);
    for (uint32_t i = 0; i < hiding->fact_count; i++) {
        self->rule = hiding->facts[i];
        if (wf_hiding_is_live(self->explorer, i) &&
            wf_hiding_reads_key(hiding, self->rule, self->slot) &&
            !wf_hiding_reads_event(self->rule) &&
            note_fact(self, value, symbol) == WFSM_NO_MEMORY)
            self->explorer->symbolic->failed = true;
    }
}

static bool begin_asking(asking *self, wf_explorer *explorer, uint32_t slot)
{
    size_t size = explorer->snapshot.slot_count * sizeof(wf_value);
    *self = (asking){.explorer = explorer, .slot = slot};
    self->slots = wf_arena_take(&explorer->symbolic->scratch, size + 1);
    explorer->symbolic->failed |= !self->slots;
    if (self->slots)
        memcpy(self->slots, explorer->snapshot.slots, size);
    return self->slots != NULL;
}

/* Of an object with another member the others are known. */
static bool is_with(const wf_term_node *node)
{
    return node->kind == WF_TERM_APPLY && strcmp(node->op->name, "with") == 0;
}

/* Nothing is known of it. */
static bool is_any(const wf_term_node *node)
{
    return node->kind == WF_TERM_SYMBOL || node->kind == WF_TERM_MEMBER ||
           node->kind == WF_TERM_ELEMENT;
}

wf_value wf_hiding_facts(wf_explorer *explorer, uint32_t slot, const wf_value *value)
{
    wf_hiding *self = hiding_of(explorer);
    wf_value symbol = *value;
    asking asked;
    wf_term term;
    if (!self || self->hidden[slot] != WF_KNOWN_BY_FACTS || value->type == WF_ABSENT ||
        !begin_asking(&asked, explorer, slot))
        return *value;
    const wf_term_node *node =
        wf_symbolic_term(value, &term) ? wf_term_at(&explorer->symbolic->terms, term) : NULL;
    const bool any = node && is_any(node);
    asked.chooses = !node || is_with(node);
    if (!any)
        symbol = wf_hiding_value(explorer->symbolic, slot, ++self->made);
    note_facts(&asked, any ? NULL : value, &symbol);
    if (wf_symbolic_term(&symbol, &term))
        self->known[self->known_count++] = term;
    return symbol;
}
