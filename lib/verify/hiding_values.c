/* verify/hiding_values.c: the symbols that stand for what is hidden. */
#include "verify/explorer.h"
#include "verify/hiding.h"

wf_value wf_hiding_value(wf_symbolic *self, uint32_t slot, uint32_t number)
{
    const wf_hiding *hiding = self->hiding;
    const wf_schema *schema = hiding->schemas[slot];
    uint32_t most = (WF_FRESH - WF_HIDDEN) / hiding->part_count;
    if (number >= most)
        wf_symbolic_give_up(self, "a step that assigns very often", NULL);
    uint32_t symbol = WF_HIDDEN + number % most * hiding->part_count + slot;
    return wf_symbolic_value(self,
                             wf_term_symbol(&self->terms, &schema, schema ? 1 : 0, symbol));
}

/* A symbol without a schema: all other symbols of the key have one. */
wf_value wf_hiding_mismatch(wf_symbolic *self, uint32_t slot)
{
    return wf_symbolic_value(self, wf_term_symbol(&self->terms, NULL, 0, WF_HIDDEN + slot));
}

bool wf_hiding_is_mismatch(const wf_symbolic *self, wf_term term)
{
    const wf_term_node *node = wf_term_at(&self->terms, term);
    const wf_hiding *hiding = self->hiding;
    return hiding && node->kind == WF_TERM_SYMBOL && node->schema_count == 0 &&
           node->index >= WF_HIDDEN && node->index < WF_HIDDEN + hiding->keys &&
           hiding->schemas[node->index - WF_HIDDEN];
}

/* It changes with each round. */
bool wf_hiding_tells(wf_symbolic *self, uint32_t budget, wf_value *used)
{
    const wf_spent *spent = wf_spent_at(&self->explorer->snapshot.extras->budgets, budget);
    if (!self->hiding || !wf_hiding_is_any(self->explorer, spent))
        return false;
    uint32_t part = self->hiding->keys + budget;
    *used = wf_hiding_value(self, part, (uint32_t)spent->used + 1);
    return true;
}
