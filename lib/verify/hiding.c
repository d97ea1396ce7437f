#include "verify/hiding.h"

#include <string.h>
#include "base/memory.h"
#include "verify/assigned.h"
#include "verify/successors.h"

/* So many amounts of a hidden budget are tried. */
enum { AMOUNTS_MOST = 100, UNTOUCHED = 1 };

/* ---- what may be hidden ---- */

static const wf_schema *schema_of(const wfsm_machine *machine, uint32_t slot)
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
static void note_assigned(void *user, const wf_target *target, const wf_expr *value)
{
    const finder *self = user;
    const wf_value *first = &self->machine->initial[target->slot];
    const wf_schema *schema = schema_of(self->machine, target->slot);
    (void)value;
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

const wf_schema *wf_hiding_schema(const wf_explorer *explorer, uint32_t slot)
{
    const wf_hiding *self = hiding_of(explorer);
    return self ? self->schemas[slot] : NULL;
}

/* ---- a search ---- */

bool wf_hiding_begin(wf_explorer *explorer)
{
    wf_hiding *self = hiding_of(explorer);
    wf_arena *arena = &explorer->arena;
    if (!self)
        return true;
    self->schemas = wf_arena_zero(arena, (self->part_count + 1u) * sizeof *self->schemas);
    self->values = wf_arena_zero(arena, (self->keys + 1u) * sizeof *self->values);
    for (uint32_t i = 0; self->schemas && self->values && i < self->keys; i++) {
        self->schemas[i] = schema_of(explorer->machine, i);
        self->values[i] = wf_hiding_value(explorer->symbolic, i, 0);
        if (self->values[i].type == WF_ABSENT)
            return false;
    }
    for (uint32_t i = self->keys; self->schemas && i < self->part_count; i++)
        self->schemas[i] = wf_symbolic_count(explorer->symbolic);
    return self->schemas && self->values && wf_hiding_find_unread(explorer);
}

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
        self->known_count = 0;
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

void wf_hiding_literal(wf_symbolic *self, uint32_t number)
{
    wf_hiding *hiding = self->hiding;
    if (hiding && (hiding->lasts || number >= self->path_count))
        hiding->lasting[number] = hiding->lasts;
}

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
    if (!hiding || hiding->lasting[number])
        return true;
    for (uint32_t i = 0; i < hiding->known_count; i++)
        if (has_term(&self->terms, self->path[number].term, hiding->known[i]))
            return false;
    return true;
}

/* ---- budgets ---- */

static bool hides_budget(const wf_explorer *explorer, uint32_t budget)
{
    return wf_hides(explorer, explorer->machine->keys.count + budget);
}

static wf_spent *spent_on(const wf_explorer *explorer, uint32_t budget)
{
    return wf_spent_at(&explorer->snapshot.extras->budgets, budget);
}

/* More than the limit is no longer any amount. */
static bool is_any(const wf_explorer *explorer, const wf_spent *spent)
{
    return hides_budget(explorer, spent->budget) && spent->limit < AMOUNTS_MOST &&
           spent->used <= spent->limit;
}

void wf_hiding_used(const wf_explorer *explorer, wf_spent *spent)
{
    if (is_any(explorer, spent))
        spent->used = 0;
}

/* The amounts with which one of the first steps beyond the limit is the step at hand; and one with which
 * none is. */
static int64_t amount_of(const wf_spent *spent, uint32_t choice)
{
    return choice == 0 ? 0 : spent->limit + 1 - choice;
}

void wf_hiding_choose(wf_explorer *explorer)
{
    wf_hiding *self = hiding_of(explorer);
    for (uint32_t i = 0; self && i < explorer->machine->budget_count; i++) {
        wf_spent *spent = spent_on(explorer, i);
        if (!is_any(explorer, spent))
            continue;
        spent->used = amount_of(spent, wf_choose(explorer, (uint32_t)spent->limit + 1));
        spent->stamp.changed = UNTOUCHED;
    }
}

/* How much the step has spent; after a reset that is not known, and as much as there is. */
static int64_t spent_by_step(const wf_spent *before, const wf_spent *after)
{
    if (after->stamp.changed != UNTOUCHED || after->used < before->used)
        return before->limit;
    return after->used - before->used;
}

void wf_hiding_chosen(wf_explorer *explorer, bool first)
{
    wf_hiding *self = hiding_of(explorer);
    const wf_list before = wf_draft_before(&explorer->step, WF_BUDGETS);
    uint32_t place = 0;
    for (uint32_t i = 0; self && i < explorer->machine->budget_count; i++) {
        const wf_spent *then = wf_spent_at(&before, i);
        if (!is_any(explorer, then))
            continue;
        int64_t spent = spent_by_step(then, spent_on(explorer, i));
        if (spent > 0)
            self->met[self->keys + i] = WF_MET_READ;
        if (first || spent > self->spent[i])
            self->spent[i] = spent;
        if (self->spent[i] < then->limit)
            explorer->choices.most[place] = (uint16_t)(self->spent[i] + 1);
        place++;
    }
}

/* It changes with each round. */
bool wf_hiding_tells(wf_symbolic *self, uint32_t budget, wf_value *used)
{
    const wf_spent *spent = spent_on(self->explorer, budget);
    if (!self->hiding || !is_any(self->explorer, spent))
        return false;
    uint32_t part = self->hiding->keys + budget;
    *used = wf_hiding_value(self, part, (uint32_t)spent->used + 1);
    return true;
}
