/*
 * verify/solve_search.c: local search for values. Each symbol, and each part of one that the
 * literals mention, has a choice among some candidates; the choice of one that a literal depends on is
 * changed until no literal is left that does not hold.
 */
#include "verify/constraints.h"

#include <math.h>
#include <string.h>

enum { FEW = 6, MOST_ELEMENTS = 256 };

/* Beyond the candidates: not there at all, or made of its parts. */
typedef struct choice {
    bool is_part; /* a symbol, or a part of one; the rest is not used otherwise */
    bool can_be_absent, has_parts;
    wf_candidates candidates;
    wf_value
        whole; /* an object to which parts are added: it has the members that a schema requires */
    uint32_t at;
} choice;

typedef struct search {
    const wf_constraints *all;
    choice *choices; /* by place */
    wf_value *values;
    int32_t *statuses;
    uint8_t *read; /* scratch: the places that a literal depends on */
    wf_arena scratch;
    uint32_t random;
    bool failed;
} search;

static uint32_t next_random(search *self)
{
    self->random = self->random * 1664525u + 1013904223u;
    return self->random >> 8;
}

static const wf_term_node *node_at(const search *self, uint32_t place)
{
    return wf_term_at(self->all->terms, self->all->list[place]);
}

static uint32_t ways_of(const choice *self)
{
    return self->candidates.count + self->can_be_absent + self->has_parts;
}

static bool is_absent(const choice *self)
{
    return self->can_be_absent && self->at == self->candidates.count;
}

/* ---- what can be chosen ---- */

static bool is_part_of(const search *self, const wf_term_node *node)
{
    if (node->kind == WF_TERM_SYMBOL)
        return true;
    return (node->kind == WF_TERM_MEMBER || node->kind == WF_TERM_ELEMENT) &&
           self->choices[wf_constraints_place(self->all, node->operands[0])].is_part;
}

static wf_value whole_of(const wf_constraints *all, wf_term term)
{
    wf_schema_group group = {.count = 0};
    wf_chain_schemas(all->terms, term, &group);
    for (uint32_t i = 0; i < group.count; i++) {
        wf_value value = wf_value_of_schema(group.list[i], all->arena, 0);
        if (value.type == WF_OBJECT)
            return value;
    }
    return wf_object(NULL, 0);
}

static bool prepare_one(search *self, uint32_t place)
{
    const wf_constraints *all = self->all;
    const wf_term_node *node = node_at(self, place);
    const uint8_t containers = WF_TYPE_ARRAY | WF_TYPE_OBJECT;
    choice *own = &self->choices[place];
    if (node->kind == WF_TERM_HAS || node->kind == WF_TERM_MEMBER ||
        node->kind == WF_TERM_ELEMENT) {
        uint32_t whole = wf_constraints_place(all, node->operands[0]);
        self->choices[whole].has_parts |= (all->domains[whole].types & containers) != 0;
    }
    own->is_part = is_part_of(self, node);
    if (!own->is_part)
        return true;
    own->candidates.arena = all->arena;
    own->whole = whole_of(all, all->list[place]);
    own->can_be_absent =
        node->kind != WF_TERM_SYMBOL && all->domains[place].types & WF_TYPE_NULL;
    wf_candidates_find(&own->candidates, all, all->list[place]);
    return !all->arena->failed;
}

static bool prepare(search *self)
{
    const wf_constraints *all = self->all;
    size_t count = all->count + 1u;
    self->choices = wf_arena_zero(all->arena, count * sizeof *self->choices);
    self->values = wf_arena_zero(all->arena, count * sizeof *self->values);
    self->statuses = wf_arena_zero(all->arena, count * sizeof *self->statuses);
    self->read = wf_arena_zero(all->arena, count);
    if (!self->choices || !self->values || !self->statuses || !self->read)
        return false;
    for (uint32_t i = 0; i < all->count; i++)
        if (!prepare_one(self, i))
            return false;
    for (uint32_t i = 0; i < all->count; i++) {
        choice *own = &self->choices[i];
        uint32_t ways = ways_of(own);
        if (own->is_part && ways == 0)
            return false; /* no value of it is known */
        own->at = !own->is_part ? 0 : own->has_parts ? ways - 1 : next_random(self) % ways;
    }
    return true;
}

/* ---- the values of a choice ---- */

static wf_value chosen(search *self, uint32_t place);

static bool set_member(search *self, wf_value *object, const wf_term_node *node, wf_value value)
{
    wf_member *members = wf_arena_take(&self->scratch, (object->length + 1u) * sizeof *members);
    uint32_t count = 0;
    if (!members)
        return false;
    for (uint32_t i = 0; i < object->length; i++)
        if (object->as.members[i].length != node->key_length ||
            memcmp(object->as.members[i].key, node->key, node->key_length) != 0)
            members[count++] = object->as.members[i];
    if (value.type != WF_ABSENT)
        wf_member_set(&members[count++], node->key, node->key_length, value);
    *object = wf_object(members, count);
    return true;
}

static wf_value object_of_parts(search *self, uint32_t place)
{
    wf_value object = self->choices[place].whole;
    for (uint32_t i = place + 1; i < self->all->count; i++) {
        const wf_term_node *node = node_at(self, i);
        if ((node->kind != WF_TERM_MEMBER && node->kind != WF_TERM_HAS) ||
            node->operands[0] != self->all->list[place])
            continue;
        if (node->kind == WF_TERM_HAS && (self->all->domains[i].truths == 1 ||
                                          wf_value_get(&object, node->key, node->key_length)))
            continue;
        wf_value value = node->kind == WF_TERM_MEMBER ? chosen(self, i) : wf_boolean(true);
        if (!set_member(self, &object, node, value))
            return wf_null();
    }
    return object;
}

/* The place of each element that is mentioned. */
static bool is_element(const search *self, uint32_t place, uint32_t whole, uint32_t *index)
{
    const wf_term_node *node = node_at(self, place);
    bool part = node->kind == WF_TERM_ELEMENT || node->kind == WF_TERM_MEMBER;
    if (!part || node->operands[0] != self->all->list[whole])
        return false;
    *index = wf_part_index(node);
    return *index < MOST_ELEMENTS;
}

static wf_value list_of_parts(search *self, uint32_t place)
{
    const wf_value_domain *domain = &self->all->domains[place];
    double least = fmin(domain->length_least, MOST_ELEMENTS);
    uint32_t length = (uint32_t)least, index;
    for (uint32_t i = place + 1; i < self->all->count; i++)
        if (is_element(self, i, place, &index) && !is_absent(&self->choices[i]) &&
            index >= length && index < domain->length_most)
            length = index + 1;
    wf_value *items = wf_arena_take(&self->scratch, (length + 1u) * sizeof *items);
    if (!items)
        return wf_null();
    for (uint32_t i = 0; i < length; i++)
        items[i] = wf_null();
    for (uint32_t i = place + 1; i < self->all->count; i++) {
        if (!is_element(self, i, place, &index) || index >= length)
            continue;
        wf_value value = chosen(self, i);
        items[index] = value.type == WF_ABSENT ? wf_null() : value;
    }
    return wf_array(items, length);
}

static wf_value chosen(search *self, uint32_t place)
{
    const choice *own = &self->choices[place];
    if (own->at < own->candidates.count)
        return own->candidates.list[own->at];
    if (is_absent(own))
        return wf_absent();
    return self->all->domains[place].types & WF_TYPE_OBJECT ? object_of_parts(self, place)
                                                            : list_of_parts(self, place);
}

static void evaluate_one(search *self, uint32_t place)
{
    const wf_term_node *node = node_at(self, place);
    wf_value few[FEW], *operands = few;
    if (node->kind == WF_TERM_SYMBOL) {
        self->values[place] = chosen(self, place);
        self->statuses[place] = WFSM_OK;
        return;
    }
    if (node->count > FEW)
        operands = wf_arena_take(&self->scratch, node->count * sizeof *operands);
    self->statuses[place] = operands ? WFSM_OK : WFSM_NO_MEMORY;
    for (uint32_t i = 0; i < node->count && self->statuses[place] == WFSM_OK; i++) {
        uint32_t operand = wf_constraints_place(self->all, node->operands[i]);
        operands[i] = self->values[operand];
        self->statuses[place] = self->statuses[operand];
    }
    if (self->statuses[place] == WFSM_OK)
        self->statuses[place] = wf_term_compute(self->all->terms, self->all->list[place],
                                                operands, &self->scratch, &self->values[place]);
}

static void evaluate(search *self)
{
    self->all->arena->failed |= self->scratch.failed; /* which it forgets */
    wf_arena_reset(&self->scratch);
    for (uint32_t i = 0; i < self->all->count; i++)
        evaluate_one(self, i);
}

/* ---- what does not hold ---- */

static bool holds(const search *self, const wf_literal *literal)
{
    uint32_t place = wf_constraints_place(self->all, literal->term);
    return wf_literal_holds(literal, self->statuses[place], &self->values[place]);
}

static bool fits(const search *self, uint32_t place)
{
    const wf_term_node *node = node_at(self, place);
    for (uint32_t i = 0; node->kind == WF_TERM_SYMBOL && i < node->schema_count; i++)
        if (wf_schema_check(node->schemas[i], &self->values[place], NULL) != WFSM_OK)
            return false;
    return true;
}

/* How many literals and symbols are wrong; *one is the place of one of them, taken at random. */
static uint32_t count_wrong(search *self, uint32_t *one)
{
    uint32_t wrong = 0;
    evaluate(self);
    for (uint32_t i = 0; i < self->all->literal_count; i++)
        if (!holds(self, &self->all->literals[i]) && next_random(self) % ++wrong == 0)
            *one = wf_constraints_place(self->all, self->all->literals[i].term);
    for (uint32_t i = 0; i < self->all->count; i++)
        if (!fits(self, i) && next_random(self) % ++wrong == 0)
            *one = i;
    return wrong;
}

static void mark(search *self, uint32_t place)
{
    const wf_term_node *node = node_at(self, place);
    if (self->read[place])
        return;
    self->read[place] = 1;
    for (uint32_t i = 0; i < node->count; i++)
        mark(self, wf_constraints_place(self->all, node->operands[i]));
}

/* A symbol is wrong because of its parts, too. */
static void mark_parts(search *self)
{
    for (uint32_t i = 0; i < self->all->count; i++)
        if (self->choices[i].is_part && node_at(self, i)->count > 0 &&
            self->read[wf_constraints_place(self->all, node_at(self, i)->operands[0])])
            self->read[i] = 1;
}

static uint32_t pick(search *self, uint32_t wrong)
{
    uint32_t found = 0, picked = wrong;
    memset(self->read, 0, self->all->count);
    mark(self, wrong);
    if (self->choices[wrong].is_part)
        mark_parts(self);
    for (uint32_t i = 0; i < self->all->count; i++)
        if (self->read[i] && self->choices[i].is_part && ways_of(&self->choices[i]) > 1 &&
            next_random(self) % ++found == 0)
            picked = i;
    return picked;
}

/* The best of a few other choices; once in a while any. */
static uint32_t improve(search *self, uint32_t place, uint32_t wrong, uint32_t *one)
{
    choice *own = &self->choices[place];
    uint32_t best = own->at, least = UINT32_MAX, tries = next_random(self) % 8 == 0 ? 1 : FEW;
    if (!own->is_part || ways_of(own) < 2)
        return wrong;
    for (uint32_t i = 0; i < tries; i++) {
        own->at = next_random(self) % ways_of(own);
        uint32_t now = count_wrong(self, one);
        if (now == 0)
            return 0;
        if (now < least) {
            least = now;
            best = own->at;
        }
    }
    own->at = best;
    return count_wrong(self, one);
}

static bool keep_model(search *self, wf_model *model)
{
    const wf_constraints *all = self->all;
    if (!model)
        return true;
    model->symbols = wf_arena_take(all->arena, (all->count + 1u) * sizeof *model->symbols);
    model->values = wf_arena_take(all->arena, (all->count + 1u) * sizeof *model->values);
    model->count = 0;
    if (!model->symbols || !model->values)
        return false;
    for (uint32_t i = 0; i < all->count; i++) {
        if (node_at(self, i)->kind != WF_TERM_SYMBOL)
            continue;
        model->symbols[model->count] = all->list[i];
        model->values[model->count] = wf_value_clone(all->arena, &self->values[i]);
        if (model->values[model->count++].type == WF_ABSENT)
            return false;
    }
    return true;
}

bool wf_search_model(const wf_constraints *all, uint32_t steps, uint32_t seed, wf_model *model)
{
    search self = {.all = all, .random = seed};
    uint32_t one = 0, wrong;
    bool found = false;
    wf_arena_init(&self.scratch, all->arena->allocator, 0);
    if (prepare(&self)) {
        wrong = count_wrong(&self, &one);
        for (uint32_t i = 0; i < steps && wrong > 0; i++)
            wrong = improve(&self, pick(&self, one), wrong, &one);
        found = wrong == 0 && keep_model(&self, model);
    }
    all->arena->failed |= self.scratch.failed;
    wf_arena_fini(&self.scratch);
    return found;
}
