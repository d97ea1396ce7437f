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

/* What it says of the value is said of the symbol; nothing, if that is not known. */
static int32_t note_fact(const asking *self, const wf_value *value, const wf_value *symbol)
{
    wf_symbolic *symbolic = self->explorer->symbolic;
    wf_value of_value, of_symbol;
    wf_term term;
    bool yes = false;
    int32_t status = ask(self, symbol, &of_symbol);
    if (status != WFSM_OK || !wf_symbolic_term(&of_symbol, &term))
        return status;
    status = ask(self, value, &of_value);
    if (status == WFSM_OK)
        status = wf_decide_truth(symbolic, self->rule, 41, &of_value, &yes);
    if (status == WFSM_OK)
        wf_decide_known(symbolic,
                        &(wf_literal){.kind = yes ? WF_IS_TRUE : WF_IS_FALSE, .term = term});
    return status;
}

/* True if the rule reads this key. */
static bool is_about(const wf_hiding *self, const wf_expr *rule, uint32_t slot)
{
    uint8_t *only = self->only;
    memset(only, 0, self->keys);
    only[slot] = WF_NOT_READ;
    return wf_hiding_reads(&(wf_hiding){.hidden = only, .keys = self->keys}, rule);
}

static void note_facts(asking *self, const wf_value *value, const wf_value *symbol)
{
    wf_hiding *hiding = hiding_of(self->explorer);
    hiding->lasts = true;
    for (uint32_t i = 0; i < hiding->fact_count; i++) {
        self->rule = hiding->facts[i];
        if (is_about(hiding, self->rule, self->slot) && !wf_hiding_reads_event(self->rule) &&
            note_fact(self, value, symbol) == WFSM_NO_MEMORY)
            self->explorer->symbolic->failed = true;
    }
    hiding->lasts = false;
}

/* Its value is known, or parts of it are: a symbol takes its place. */
static wf_value symbol_for(wf_explorer *explorer, uint32_t slot, const wf_value *value)
{
    wf_symbolic *symbolic = explorer->symbolic;
    const wf_value symbol = wf_hiding_value(symbolic, slot, ++symbolic->hiding->made);
    size_t size = explorer->snapshot.slot_count * sizeof(wf_value);
    asking self = {.explorer = explorer, .slot = slot};
    self.slots = wf_arena_take(&symbolic->scratch, size + 1);
    symbolic->failed |= !self.slots;
    if (!self.slots)
        return symbol;
    memcpy(self.slots, explorer->snapshot.slots, size);
    note_facts(&self, value, &symbol);
    return symbol;
}

/* Of an object with another member the others are known. */
static bool is_with(const wf_symbolic *self, wf_term term)
{
    const wf_term_node *node = wf_term_at(&self->terms, term);
    return node->kind == WF_TERM_APPLY && strcmp(node->op->name, "with") == 0;
}

wf_value wf_hiding_facts(wf_explorer *explorer, uint32_t slot, const wf_value *value)
{
    wf_hiding *self = hiding_of(explorer);
    wf_term term;
    if (!self || self->hidden[slot] != WF_KNOWN_BY_FACTS || value->type == WF_ABSENT)
        return *value;
    bool open = wf_symbolic_term(value, &term) && !is_with(explorer->symbolic, term);
    const wf_value symbol = open ? *value : symbol_for(explorer, slot, value);
    if (wf_symbolic_term(&symbol, &term))
        self->known[self->known_count++] = term;
    return symbol;
}
