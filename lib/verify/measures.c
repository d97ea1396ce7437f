#include "verify/measures.h"

#include "base/memory.h"
#include "logic/schema_tree.h"
#include "verify/hiding.h"
#include "verify/search.h"
#include "verify/symbolic_eval.h"

/* ---- measures ---- */

/* Integers beyond it are not exact. */
#define BOUND_MOST 9007199254740992.0 /* 2^53 */

static const wf_schema *integer_schema(const wfsm_machine *machine, uint32_t slot)
{
    const wf_schema *schema = wf_key_schema(machine, slot);
    return schema && schema->types == 1u << WF_INTEGER_TYPE ? schema : NULL;
}

static bool is_bound(const wf_bound *bound)
{
    return bound->set && bound->value >= -BOUND_MOST && bound->value <= BOUND_MOST;
}

bool wf_is_measure(const wfsm_machine *machine, uint32_t slot)
{
    const wf_schema *schema = integer_schema(machine, slot);
    return schema && (is_bound(&schema->maximum) || is_bound(&schema->minimum));
}

static void add_measure(wf_measures *self, uint32_t part, bool rises)
{
    if (self->measure_count < WF_MEASURES_MOST)
        self->measures[self->measure_count++] = (wf_measure){.part = part, .rises = rises};
}

static void find_measures(wf_measures *self, const wfsm_machine *machine)
{
    self->measure_count = 0;
    for (uint32_t i = 0; i < machine->budget_count; i++)
        if (machine->budgets[i].counts == WF_COUNT_ROUNDS)
            add_measure(self, machine->keys.count + i, true);
    for (uint32_t i = 0; i < machine->keys.count; i++) {
        const wf_schema *schema = integer_schema(machine, i);
        if (schema && is_bound(&schema->maximum))
            add_measure(self, i, true);
        if (schema && is_bound(&schema->minimum))
            add_measure(self, i, false);
    }
}

/* ---- how a step changes a measure ---- */

typedef struct change {
    bool rises, falls;         /* certainly */
    bool may_rise, may_fall;
} change;

static const change unchanged = {0};

static bool is_less(wf_symbolic *self, const wf_value *a, const wf_value *b, bool *known)
{
    const wf_literal literal = {.kind = WF_IS_TRUE,
                                .term = wf_symbolic_compared(self, "<", a, b)};
    bool yes = false;
    *known = literal.term != WF_NONE && wf_decide_follows(self, &literal, &yes);
    return *known && yes;
}

static change change_of(wf_symbolic *self, const wf_value *before, const wf_value *after)
{
    change made = {0};
    bool known;
    made.rises = is_less(self, before, after, &known);
    made.may_rise = made.rises || !known;
    made.falls = is_less(self, after, before, &known);
    made.may_fall = made.falls || !known;
    return made;
}

static bool is_same(const wf_value *a, const wf_value *b)
{
    wf_term one, other;
    if (wf_symbolic_term(a, &one) && wf_symbolic_term(b, &other))
        return one == other;
    return a->type == WF_NUMBER && b->type == WF_NUMBER && a->as.number == b->as.number;
}

static change change_of_key(const wf_search *search, const wf_measure *measure)
{
    const wf_value *after = &search->explorer.snapshot.slots[measure->part];
    return is_same(&measure->value, after)
               ? unchanged
               : change_of(search->symbolic, &measure->value, after);
}

/* Rounds beyond the limit are counted, too, and nothing ends them: the event comes only once. */
static change change_of_budget(const wf_explorer *explorer, uint32_t budget)
{
    const wf_list list = wf_draft_before(&explorer->step, WF_BUDGETS);
    const wf_spent *before = wf_spent_at(&list, budget);
    const wf_spent *after = wf_spent_at(&explorer->snapshot.extras->budgets, budget);
    bool rises = after->used > before->used && after->limit == before->limit;
    bool same = after->used == before->used && after->limit == before->limit;
    return (change){.rises = rises && before->used <= before->limit,
                    .may_rise = !same,
                    .may_fall = !rises && !same};
}

static wf_measured effect_of(const wf_search *search)
{
    const uint32_t keys = search->explorer.machine->keys.count;
    const wf_measures *self = &search->measures;
    wf_measured made = {.state = search->at};
    for (uint32_t i = 0; i < self->measure_count; i++) {
        const wf_measure *measure = &self->measures[i];
        change one = measure->part < keys
                         ? change_of_key(search, measure)
                         : change_of_budget(&search->explorer, measure->part - keys);
        made.nearer |= (uint64_t)(measure->rises ? one.rises : one.falls) << i;
        made.away |= (uint64_t)(measure->rises ? one.may_fall : one.may_rise) << i;
    }
    return made;
}

/* ---- a search ---- */

static bool is_about_what_comes(const wf_search *search)
{
    const wf_hiding *hiding = wf_search_hides(search) ? search->symbolic->hiding : NULL;
    const wfsm_machine *machine = search->explorer.machine;
    bool comes = hiding && hiding->errors;
    for (uint32_t i = 0; hiding && i < machine->property_count; i++)
        comes |= hiding->asked[i] && wf_property_must_come(&machine->properties[i]);
    return comes;
}

void wf_measures_begin(wf_search *search)
{
    wf_measures *self = &search->measures;
    self->count = self->first = 0;
    self->noted = is_about_what_comes(search);
    find_measures(self, search->explorer.machine);
}

void wf_measures_enter(wf_search *search)
{
    const uint32_t keys = search->explorer.machine->keys.count;
    wf_measures *self = &search->measures;
    self->first = self->count;
    for (uint32_t i = 0; self->noted && i < self->measure_count; i++)
        if (self->measures[i].part < keys)
            self->measures[i].value = search->explorer.snapshot.slots[self->measures[i].part];
}

static bool add(wf_search *search, const wf_measured *made)
{
    wf_measures *self = &search->measures;
    for (size_t i = self->first; i < self->count; i++)
        if (self->list[i].edge == made->edge && self->list[i].nearer == made->nearer &&
            self->list[i].away == made->away)
            return true;
    wf_measured *list = wf_grow(search->explorer.allocator, self->list, &self->capacity,
                                self->count + 1, sizeof *list);
    if (!list)
        return false;
    self->list = list;
    list[self->count++] = *made;
    return true;
}

bool wf_measures_note(wf_search *search, const wf_successor *successor)
{
    const wf_explorer *explorer = &search->explorer;
    if (!search->measures.noted || !successor->changed)
        return true;
    uint32_t to = wf_state_space_find(&search->space, explorer->key, explorer->key_length);
    uint32_t outside = successor->input.kind >= WF_INPUT_EVENT ? (uint32_t)WF_EDGE_OUTSIDE : 0;
    if (to == WF_NONE)
        return true;
    wf_measured made = effect_of(search);
    made.edge = to | outside;
    return add(search, &made) && !wf_symbolic_failed(search->symbolic);
}
