/* verify/pending.c: properties that stay pending: what must come does not, because a run ends, waits for
 * ever, or goes round for ever without it. */
#include "verify/fairness.h"
#include "verify/hiding.h"
#include "verify/liveness.h"
#include "verify/ranking.h"

typedef struct pending {
    wf_search *self;
    const wf_property *property;
    uint32_t subject;
    wf_subgraph graph;
} pending;

static size_t memory_at(const wf_search *self, const uint8_t *key)
{
    uint64_t number;
    size_t at =
        1 + (size_t)self->explorer.state_bytes * (1 + self->explorer.machine->history_count);
    for (uint32_t i = 0; i < self->explorer.tracked_count; i++)
        at += wf_number_read(key + at, &number);
    return at;
}

static bool is_pending(void *user, uint32_t state)
{
    const pending *all = user;
    size_t length;
    const uint8_t *key = wf_state_space_key(&all->self->space, state, &length);
    return wf_property_pending(all->property,
                               key[memory_at(all->self, key) + all->property->byte]);
}

/* Events may come as often as anybody likes. */
static bool may_come(void *user, uint32_t state, uint32_t edge)
{
    (void)user, (void)state, (void)edge;
    return true;
}

/* Somebody acts: an agent or a timer, or a person who is asked. */
static bool has_promise(const pending *all, uint32_t state)
{
    wf_edges edges = wf_state_space_edges(&all->self->space, state);
    while (wf_edges_next(&all->self->space, &edges))
        if ((edges.edge & (uint32_t)WF_EDGE_OUTSIDE) == 0)
            return true;
    return (all->self->space.flags[state] & WF_FLAG_ASKED) != 0;
}

/* The run ends, or waits for ever, whatever budgets refuse. */
static bool rests_anyway(const pending *all, uint32_t state)
{
    const uint16_t flags = all->self->space.flags[state];
    if (flags & (WF_FLAG_DONE | WF_FLAG_STUCK))
        return true;
    return (flags & (WF_FLAG_CUT | WF_FLAG_UNTRIED)) == 0 &&
           (all->self->options.fairness == WFSM_FAIRNESS_NONE || !has_promise(all, state));
}

/* The run ends, or waits for ever, while the property is pending. False when out of memory. */
static bool rests(const pending *all, wf_fairness *fairness, uint32_t state, bool *rest)
{
    *rest = rests_anyway(all, state);
    if (*rest || all->self->space.flags[state] & (WF_FLAG_CUT | WF_FLAG_UNTRIED) ||
        !all->self->explorer.claims)
        return true;
    if (!wf_fairness_enter(fairness, state))
        return false;
    *rest = wf_fairness_idle(fairness);
    return true;
}

static bool note_rest(const pending *all, wf_fairness *fairness, uint32_t state)
{
    const wf_value *rest = wf_search_rest(all->self, state);
    wf_search_diagnostic found = {.rule = WF_RULE_PROPERTY,
                                  .at_state = true,
                                  .subject = all->subject,
                                  .state = state,
                                  .rest = rest,
                                  .unsure = all->self->options.fairness != WFSM_FAIRNESS_NONE &&
                                            !rest && has_promise(all, state)};
    if (!wf_fairness_enter(fairness, state))
        return false;
    wf_fairness_rest_cause(fairness, &found);
    return wf_search_report(all->self, found);
}

static bool note_cycle(const pending *all, wf_fairness *fairness)
{
    wf_search_diagnostic found = {
        .rule = WF_RULE_PROPERTY, .at_state = true, .subject = all->subject, .round = true};
    size_t before = all->self->found_count;
    bool fine = wf_fair_cycle(fairness, &found);
    if (fine && found.cycle_count > 0)
        fine = wf_search_report(all->self, found);
    if (all->self->found_count == before)
        wf_free(all->self->explorer.allocator, found.cycle);
    return fine;
}

/* Where values are hidden, a cycle may be one that comes to an end. */
static bool note_lasting_cycle(const pending *all, wf_fairness *fairness)
{
    wf_ranking ranking;
    bool fine = wf_ranking_begin(&ranking, all->self, &all->graph);
    fairness->graph = &ranking.rest;
    fine = fine && note_cycle(all, fairness);
    fairness->graph = &all->graph;
    wf_ranking_fini(&ranking);
    return fine;
}

/* Over symbols the first state may turn out to be impossible: the next ones are kept, too. */
static bool find(const pending *all, wf_fairness *fairness)
{
    uint32_t found = 0, most = all->self->symbolic ? WF_CANDIDATES_MOST : 1;
    bool rest = false;
    for (uint32_t s = 0; s < all->self->at && found < most; s++) {
        if (!is_pending((void *)all, s))
            continue;
        if (!rests(all, fairness, s, &rest) || (rest && !note_rest(all, fairness, s)))
            return false;
        found += rest;
    }
    if (found == most)
        return true;
    return wf_search_hides(all->self) ? note_lasting_cycle(all, fairness)
                                      : note_cycle(all, fairness);
}

static bool find_property(wf_search *self, uint32_t subject)
{
    pending all = {.self = self, .subject = subject};
    wf_fairness fairness;
    all.property = &self->explorer.machine->properties[subject];
    all.graph = (wf_subgraph){
        .states = &self->space, .user = &all, .has_state = is_pending, .has_edge = may_come};
    bool fine = wf_fairness_init(&fairness, self, &all.graph) && find(&all, &fairness);
    wf_fairness_fini(&fairness);
    return fine;
}

static bool is_asked(const wf_search *self, uint32_t property)
{
    return !wf_search_hides(self) || self->symbolic->hiding->asked[property];
}

static bool find_rest(wf_search *self, uint32_t state, uint32_t subject)
{
    pending all = {.self = self, .property = &self->explorer.machine->properties[subject]};
    if (!is_pending(&all, state) || !rests_anyway(&all, state))
        return true;
    return wf_search_report(self, (wf_search_diagnostic){.rule = WF_RULE_PROPERTY,
                                                         .at_state = true,
                                                         .subject = subject,
                                                         .state = state});
}

bool wf_find_rest(wf_search *self, uint32_t state)
{
    const wfsm_machine *machine = self->explorer.machine;
    if (!wf_search_hides(self))
        return true;
    for (uint32_t i = 0; i < machine->property_count; i++)
        if (wf_property_must_come(&machine->properties[i]) && is_asked(self, i) &&
            !find_rest(self, state, i))
            return false;
    return true;
}

bool wf_find_pending(wf_search *self)
{
    const wfsm_machine *machine = self->explorer.machine;
    for (uint32_t i = 0; i < machine->property_count; i++)
        if (wf_property_must_come(&machine->properties[i]) && is_asked(self, i) &&
            !find_property(self, i))
            return false;
    return true;
}
