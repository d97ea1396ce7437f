#include "verify/refine.h"

#include <string.h>
#include "base/memory.h"
#include "logic/expr_tree.h"
#include "logic/schema_tree.h"
#include "verify/assigned.h"
#include "verify/cone_find.h"
#include "verify/measures.h"
#include "verify/trace.h"

/* ---- what a rule reads ---- */

static const wf_cone whole = {.whole = true};

/* Marks the keys. */
static bool note_read(const wf_refinement *self, const wf_expr *rule)
{
    wf_cones all = {.machine = self->machine, .arena = self->arena};
    const wf_cone_env env = {.event = &all.any};
    all.slots = wf_arena_zero(self->arena, (self->hiding->keys + 1u) * sizeof *all.slots);
    if (!all.slots)
        return false;
    wf_cone_of_expr(&all, rule, &whole, &env);
    for (uint32_t i = 0; i < self->hiding->keys; i++)
        self->parts[i] |= all.everything || all.slots[i];
    return !all.failed;
}

static bool read_by(const wf_refinement *self, const wf_expr *rule)
{
    memset(self->parts, 0, self->hiding->part_count);
    return note_read(self, rule);
}

/* ---- how much is followed ---- */

static const wf_schema *schema_of(const wf_refinement *self, uint32_t part)
{
    return part < self->hiding->keys ? wf_key_schema(self->machine, part) : NULL;
}

/* Parts with few values that make a difference come first. Of others not the value is followed, but what
 * rules say of it. */
enum {
    BOOLEAN = 1,
    FEW = 4,
    NUMBER = 30,
    WIDE = 35, /* the value of a number that has many */
    VALUE = 40,
    OTHER = 50,
    OBJECT = 60,
    LIST,
    BUDGET,
    ANY,
    ASSIGNED, /* a value that is assigned to what is hidden */
    EXACT /* a number of which facts are known */
};

static uint32_t cost_of(const wf_refinement *self, uint32_t part)
{
    const uint32_t numbers = 1u << WF_NUMBER | 1u << WF_INTEGER_TYPE;
    const wf_schema *schema = schema_of(self, part);
    if (part >= self->hiding->keys)
        return BUDGET;
    if (!schema)
        return ANY;
    if (schema->options)
        return schema->options->length <= FEW ? schema->options->length : OTHER;
    if (schema->types == 0)
        return ANY;
    if (schema->types == 1u << WF_BOOLEAN)
        return BOOLEAN;
    if ((schema->types & ~numbers) == 0)
        return NUMBER;
    return schema->types & 1u << WF_ARRAY    ? LIST
           : schema->types & 1u << WF_OBJECT ? OBJECT
                                             : OTHER;
}

/* The same of its value: a number that has many values costs more than one that has few. */
static uint32_t cost_of_value(const wf_refinement *self, uint32_t part)
{
    enum { FEW_NUMBERS = 256 };
    const wf_schema *schema = schema_of(self, part);
    const uint32_t cost = cost_of(self, part);
    const bool few = schema && schema->minimum.set && schema->maximum.set &&
                     schema->maximum.value - schema->minimum.value <= FEW_NUMBERS;
    return cost == NUMBER && !few ? WIDE : cost;
}

/* If its value costs `most` or more, facts are followed instead of it. */
static void follow(const wf_refinement *self, uint32_t part, uint32_t most)
{
    uint8_t *hidden = &self->hiding->hidden[part];
    bool followed = part >= self->hiding->keys || cost_of_value(self, part) < most;
    if (*hidden)
        *hidden = followed ? WF_FOLLOWED : WF_KNOWN_BY_FACTS;
    self->hiding->evaluated[part] = 1;
}

/* Follows what the rule reads, or what it says of that. */
static bool follow_rule(const wf_refinement *self, const wf_expr *rule, uint32_t most)
{
    wf_hiding *hiding = self->hiding;
    if (!read_by(self, rule))
        return false;
    for (uint32_t i = 0; i < hiding->keys; i++)
        if (self->parts[i])
            follow(self, i, most);
    if (wf_hiding_reads(hiding, rule) && !wf_hiding_is_fact(hiding, rule) &&
        hiding->fact_count < WF_FACTS_MOST)
        hiding->facts[hiding->fact_count++] = rule;
    return true;
}

static bool follow_truth(const wf_refinement *self, const wf_expr *rule)
{
    bool fine = true;
    if (!rule)
        return true;
    if (!wf_hiding_is_truth(rule))
        return follow_rule(self, rule, self->coarse ? WIDE : VALUE);
    for (uint32_t i = 0; i < rule->count && fine; i++)
        fine = follow_truth(self, &rule->as.list[i]);
    return fine;
}

static bool follow_property(const wf_refinement *self, const wf_property *property)
{
    return follow_truth(self, property->of.rule) && follow_truth(self, property->before.rule) &&
           follow_truth(self, property->since.rule) && follow_truth(self, property->to.rule) &&
           follow_truth(self, property->times);
}

/* What must come comes if what is measured cannot rise for ever. */
static void evaluate_measures(const wf_refinement *self)
{
    for (uint32_t i = 0; i < self->hiding->keys; i++)
        self->hiding->evaluated[i] = wf_is_measure(self->machine, i);
}

bool wf_refine_begin(const wf_refinement *self, uint32_t property)
{
    wf_hiding *hiding = self->hiding;
    wf_find_hideable(self->machine, hiding->hidden);
    memset(hiding->evaluated, 0, hiding->part_count);
    if (property == WF_NONE || wf_property_must_come(&self->machine->properties[property]))
        evaluate_measures(self);
    hiding->fact_count = 0;
    for (uint32_t i = 0; i < hiding->part_count; i++)
        hiding->hidden[i] = hiding->hidden[i] ? WF_NOT_READ : WF_FOLLOWED;
    return property == WF_NONE || follow_property(self, &self->machine->properties[property]);
}

/* ---- what comes next ---- */

/* A part, or a rule. */
typedef struct next {
    uint32_t cost; /* 0: there is none */
    uint32_t part;
    const wf_expr *rule;
} next;

static void offer(next *best, uint32_t cost, uint32_t part, const wf_expr *rule)
{
    if (cost > 0 && (best->cost == 0 || cost < best->cost))
        *best = (next){cost, part, rule};
}

static uint32_t cost_of_part(const wf_refinement *self, uint32_t part, uint8_t met)
{
    const wf_hiding *hiding = self->hiding;
    if (met == WF_MET_READ && hiding->hidden[part] == WF_NOT_READ)
        return cost_of(self, part);
    if (met == WF_MET_READ && hiding->hidden[part] && cost_of(self, part) == NUMBER)
        return EXACT;
    return met && hiding->hidden[part] && part < hiding->keys && !hiding->evaluated[part]
               ? ASSIGNED
               : 0;
}

static bool offer_rule(const wf_refinement *self, next *best, const wf_expr *rule)
{
    uint32_t cost = 0;
    if (!read_by(self, rule))
        return false;
    for (uint32_t i = 0; i < self->hiding->keys; i++)
        if (self->parts[i] && self->hiding->hidden[i])
            cost += self->hiding->hidden[i] == WF_NOT_READ ? cost_of(self, i) : VALUE;
    if (self->hiding->fact_count < WF_FACTS_MOST)
        offer(best, cost, WF_NONE, rule);
    return true;
}

static bool offer_met(const wf_refinement *self, next *best)
{
    const wf_hiding *hiding = self->hiding;
    bool fine = true;
    for (uint32_t i = 0; i < hiding->part_count; i++)
        offer(best, cost_of_part(self, i, hiding->met[i]), i, NULL);
    for (uint32_t i = 0; i < hiding->met_rule_count && fine; i++)
        fine = offer_rule(self, best, hiding->met_rules[i]);
    return fine;
}

static bool take(const wf_refinement *self, const next *best)
{
    wf_hiding *hiding = self->hiding;
    const uint32_t most = self->coarse && best->cost != EXACT ? NUMBER : VALUE;
    if (best->rule)
        return follow_rule(self, best->rule, most);
    if (best->cost == ASSIGNED)
        hiding->evaluated[best->part] = 1;
    else
        follow(self, best->part, most);
    return true;
}

/* ---- what a violation depends on ---- */

typedef struct search_back {
    const wf_refinement *refinement;
    wf_search *search;
    const wf_search_diagnostic *found;
    next best; /* of the last step that depends on something hidden that costs little */
    next costly; /* of the last one that depends on something else */
    next failed; /* an assignment that failed, in the last step that has one */
    next here; /* of the step at hand */
    bool no_memory;
} search_back;

static void offer_failed(search_back *self)
{
    const wf_hiding *hiding = self->refinement->hiding;
    for (uint32_t i = 0; i < hiding->keys; i++)
        if (hiding->met[i] == WF_MET_ASSIGNED && hiding->hidden[i] && !hiding->evaluated[i])
            offer(&self->failed, ASSIGNED, i, NULL);
}

/* True at the first of several steps between the same states that depends on something hidden. */
static bool depends(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    search_back *self = user;
    (void)explorer, (void)successor;
    self->no_memory |= !offer_met(self->refinement, &self->here);
    if (self->failed.cost == 0)
        offer_failed(self);
    return self->no_memory || self->here.cost > 0;
}

static int32_t met_by(search_back *self, uint32_t from, uint32_t to)
{
    const wf_trace_wish wish = {self->found, depends, self};
    self->here = (next){0};
    int32_t status = wf_trace_look(self->search, from, to, &wish, self->refinement->arena);
    if (self->no_memory)
        return WFSM_NO_MEMORY;
    if (self->here.cost < OBJECT)
        self->best = self->here;
    else if (self->costly.cost == 0)
        self->costly = self->here;
    return status == WFSM_NOT_FOUND ? WFSM_OK : status;
}

static bool goes_on(const search_back *self)
{
    return self->best.cost == 0;
}

/* What costs more has to wait for assignments that failed. */
static next choice_of(const search_back *self)
{
    if (self->best.cost > 0)
        return self->best;
    return self->failed.cost > 0 ? self->failed : self->costly;
}

static int32_t find_met(const wf_refinement *self, wf_search *search,
                        const wf_search_diagnostic *found, next *best)
{
    search_back back = {.refinement = self, .search = search, .found = found};
    const uint32_t *parents = search->space.parents;
    int32_t status = WFSM_OK;
    for (uint32_t i = found->cycle_count; i-- > 0 && status == WFSM_OK && goes_on(&back);)
        status = met_by(&back, i > 0 ? found->cycle[i - 1] : found->state, found->cycle[i]);
    if (!found->at_state && status == WFSM_OK)
        status = met_by(&back, found->state, WF_NONE);
    for (uint32_t at = found->state; at != WF_NONE && status == WFSM_OK && goes_on(&back);
         at = parents[at])
        status = met_by(&back, parents[at], at);
    *best = choice_of(&back);
    return status;
}

/* ---- what keys depend on ---- */

typedef struct source_finder {
    const wf_refinement *refinement;
    bool failed;
} source_finder;

static void note_source(void *user, const wf_target *target, const wf_expr *value,
                        wf_span before)
{
    source_finder *self = user;
    (void)before;
    if (value && self->refinement->hiding->hidden[target->slot] == WF_FOLLOWED)
        self->failed |= !note_read(self->refinement, value);
}

static int32_t find_source(const wf_refinement *self, next *best)
{
    source_finder finder = {.refinement = self};
    memset(self->parts, 0, self->hiding->part_count);
    wf_assigned_each(self->machine, note_source, &finder);
    for (uint32_t i = 0; i < self->hiding->keys; i++) {
        bool known = self->hiding->hidden[i] == WF_KNOWN_BY_FACTS;
        if (self->parts[i] || known)
            offer(best, cost_of_part(self, i, WF_MET_READ), i, NULL);
    }
    return finder.failed ? WFSM_NO_MEMORY : WFSM_OK;
}

int32_t wf_refine(const wf_refinement *self, wf_search *search,
                  const wf_search_diagnostic *found, bool *more)
{
    next best = {0};
    int32_t status = find_met(self, search, found, &best);
    if (status == WFSM_OK && best.cost == 0)
        status = find_source(self, &best);
    *more = best.cost > 0;
    if (status == WFSM_OK && *more && !take(self, &best))
        status = WFSM_NO_MEMORY;
    return status;
}
