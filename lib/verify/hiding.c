#include "verify/hiding.h"

#include <string.h>
#include "base/memory.h"
#include "verify/assigned.h"
#include "verify/explorer.h"

/* So many amounts of a hidden budget are tried. */
enum { AMOUNTS_MOST = 100 };

/* ---- what may be hidden ---- */

const wf_schema *wf_key_schema(const wfsm_machine *machine, uint32_t slot)
{
    const wf_name *key = &machine->keys.list[slot];
    bool forbidden = false;
    return machine->context_schema
               ? wf_schema_key(machine->context_schema, key->text, key->length, &forbidden)
               : NULL;
}

typedef struct finder {
    const wfsm_machine *machine;
    uint8_t *parts;
} finder;

/* A key that is not there at first can be told from one that is. */
static void note_assigned(void *user, const wf_target *target, const wf_expr *value,
                          wf_span before)
{
    const finder *self = user;
    const wf_value *first = &self->machine->initial[target->slot];
    const wf_schema *schema = wf_key_schema(self->machine, target->slot);
    (void)value, (void)before;
    self->parts[target->slot] = first->type != WF_ABSENT &&
                                (!schema || wf_schema_check(schema, first, NULL) == WFSM_OK);
}

void wf_find_hideable(const wfsm_machine *machine, uint8_t *parts)
{
    finder self = {machine, parts};
    memset(parts, 0, machine->keys.count + machine->budget_count);
    wf_assigned_each(machine, note_assigned, &self);
    for (uint32_t i = 0; i < machine->budget_count; i++)
        parts[machine->keys.count + i] =
            machine->budgets[i].counts == WF_COUNT_ROUNDS && !machine->budgets[i].refuses;
}

static wf_hiding *hiding_of(const wf_explorer *explorer)
{
    return explorer->symbolic ? explorer->symbolic->hiding : NULL;
}

bool wf_hides(const wf_explorer *explorer, uint32_t part)
{
    const wf_hiding *self = hiding_of(explorer);
    return self && self->hidden[part] == WF_NOT_READ;
}

/* ---- values ---- */

const wf_schema *wf_hiding_schema(const wf_explorer *explorer, uint32_t slot)
{
    const wf_hiding *self = hiding_of(explorer);
    return self ? self->schemas[slot] : NULL;
}

/* ---- a search ---- */

void wf_hiding_run(wf_symbolic *self)
{
    wf_hiding *hiding = self->hiding;
    if (!hiding)
        return;
    hiding->made = 0;
    hiding->met_rule_count = 0;
    memset(hiding->met, 0, hiding->part_count);
}

void wf_hiding_key(wf_explorer *explorer)
{
    wf_hiding *self = hiding_of(explorer);
    if (self)
        self->known_count = self->kept_count = 0;
}

void wf_hiding_restore(wf_explorer *explorer)
{
    const wf_hiding *self = hiding_of(explorer);
    for (uint32_t i = 0; self && i < self->keys; i++)
        if (self->hidden[i] == WF_NOT_READ)
            explorer->snapshot.slots[i] = self->values[i];
}

void wf_hiding_meet(wf_symbolic *self, wf_term term)
{
    const wf_term_node *node = wf_term_at(&self->terms, term);
    wf_hiding *hiding = self->hiding;
    if (!hiding)
        return;
    if (node->kind == WF_TERM_SYMBOL && node->index >= WF_HIDDEN && node->index < WF_FRESH)
        hiding->met[(node->index - WF_HIDDEN) % hiding->part_count] = WF_MET_READ;
    for (uint32_t i = 0; i < node->count; i++)
        wf_hiding_meet(self, node->operands[i]);
}

/* ---- literals ---- */

static bool has_term(const wf_terms *terms, wf_term term, wf_term part)
{
    const wf_term_node *node = wf_term_at(terms, term);
    if (term == part)
        return true;
    for (uint32_t i = 0; i < node->count; i++)
        if (has_term(terms, node->operands[i], part))
            return true;
    return false;
}

bool wf_hiding_lasts(const wf_symbolic *self, uint32_t number)
{
    const wf_hiding *hiding = self->hiding;
    const wf_term term = self->path[number].term;
    if (!hiding)
        return true;
    for (uint32_t i = 0; i < hiding->kept_count; i++)
        if (hiding->kept[i] == term)
            return true;
    for (uint32_t i = 0; i < hiding->known_count; i++)
        if (has_term(&self->terms, term, hiding->known[i]))
            return false;
    return true;
}

/* ---- budgets ---- */

/* More than the limit is no longer any amount. */
bool wf_hiding_is_any(const wf_explorer *explorer, const wf_spent *spent)
{
    return wf_hides(explorer, explorer->machine->keys.count + spent->budget) &&
           spent->limit < AMOUNTS_MOST && spent->used <= spent->limit;
}

void wf_hiding_used(const wf_explorer *explorer, wf_spent *spent)
{
    if (wf_hiding_is_any(explorer, spent))
        spent->used = 0;
}
