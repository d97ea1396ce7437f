#include "verify/guide.h"

#include "base/error.h"
#include "base/memory.h"

enum { PLACES_MOST = 4096, TELL_EVERY = 5000 };

/* States with the same configuration, which wait for the same. */
typedef struct place {
    uint64_t hash;
    uint32_t distance, visits;
    uint32_t *waiting; /* states that were not visited, the oldest first */
    size_t begin, end, capacity;
} place;

typedef struct guide {
    wf_search *search;
    const wf_expr *rule;
    uint32_t property;
    wf_guide_way way;
    wf_distances distances;
    place *places;
    size_t count, capacity;
} guide;

/* ---- places ---- */

static uint64_t mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * 0xBF58476D1CE4E5B9u;
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const wf_snapshot *snapshot)
{
    const wf_extras *extras = snapshot->extras;
    uint64_t hash = 0;
    for (uint32_t w = 0; w < snapshot->machine->words; w++)
        hash = mix(hash, snapshot->active[w]);
    for (size_t i = 0; i < extras->timers.count; i++) {
        const wf_value *event =
            wf_value_get_z(&wf_timer_at(&extras->timers, i)->raised, "event");
        hash = mix(hash, event ? wf_intern_hash(event) : 0);
    }
    for (size_t i = 0; i < extras->ledger.count; i++)
        if (!wf_invocation_ended(wf_invocation_at(&extras->ledger, i)))
            hash = mix(hash, wf_invocation_at(&extras->ledger, i)->invoke);
    return hash;
}

/* Of the step at hand; NULL when out of memory. Where there are too many, the last one takes the rest. */
static place *place_of(guide *self)
{
    const wf_snapshot *snapshot = &self->search->explorer.snapshot;
    const uint64_t hash = hash_of(snapshot);
    for (size_t i = 0; i < self->count; i++)
        if (self->places[i].hash == hash)
            return &self->places[i];
    if (self->count == PLACES_MOST)
        return &self->places[PLACES_MOST - 1];
    place *places = wf_grow(self->search->explorer.allocator, self->places, &self->capacity,
                            self->count + 1, sizeof *places);
    if (!places)
        return NULL;
    self->places = places;
    places[self->count] = (place){
        .hash = hash, .distance = wf_distance(&self->distances, self->rule, snapshot->active)};
    return &places[self->count++];
}

static bool wait_at(guide *self, uint32_t state)
{
    place *at = place_of(self);
    uint32_t *waiting = at ? wf_grow(self->search->explorer.allocator, at->waiting,
                                     &at->capacity, at->end + 1, sizeof *waiting)
                           : NULL;
    if (!waiting)
        return false;
    at->waiting = waiting;
    waiting[at->end++] = state;
    return true;
}

/* The nearest, but each visit counts as much as a transition. NULL: no state waits. */
static place *next_place(const guide *self)
{
    place *best = NULL;
    for (size_t i = 0; i < self->count; i++) {
        place *one = &self->places[i];
        if (one->begin < one->end &&
            (!best || one->visits + one->distance < best->visits + best->distance))
            best = one;
    }
    return best;
}

/* The newest continues a run, round after round; the oldest has come the shortest way. */
static uint32_t next_state(const guide *self, place *at)
{
    bool newest = self->way == WF_GUIDE_ON || at->visits % 2 == 0;
    at->visits++;
    return newest ? at->waiting[--at->end] : at->waiting[at->begin++];
}

/* ---- moves ---- */

static bool reaches(const guide *self, const wf_arrival *arrival)
{
    for (uint32_t i = 0; i < arrival->broken_count; i++)
        if (arrival->broken[i].rule == WF_RULE_REACHED &&
            arrival->broken[i].subject == self->property)
            return true;
    return false;
}

static bool report(const guide *self)
{
    wf_search *search = self->search;
    return wf_search_report(search, (wf_search_diagnostic){.rule = WF_RULE_REACHED,
                                                           .subject = self->property,
                                                           .state = search->at,
                                                           .start = search->start});
}

/* EXISTS when it has come to the property. */
static int32_t arrive(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    guide *self = user;
    wf_search *search = self->search;
    wf_arrival arrival;
    bool is_new = false;
    search->moves++;
    if (!wf_arrival_read(search, successor, &arrival))
        return wf_no_memory(explorer->error);
    if (!arrival.changed)
        return WFSM_OK;
    if (reaches(self, &arrival))
        return report(self) ? WFSM_EXISTS : wf_no_memory(explorer->error);
    uint32_t state = wf_state_space_add(&search->space, arrival.key, arrival.key_length,
                                        search->at, &is_new);
    bool ends = (arrival.flags & WF_FLAG_DONE) != 0 || arrival.beyond;
    if (state == WF_NONE || (is_new && !ends && !wait_at(self, state)))
        return wf_no_memory(explorer->error);
    return WFSM_OK;
}

static int32_t visit(guide *self, uint32_t state)
{
    wf_search *search = self->search;
    size_t length;
    const uint8_t *key = wf_state_space_key(&search->space, state, &length);
    search->at = state;
    int32_t status = wf_state_key_restore(&search->explorer, key, length);
    return status == WFSM_OK
               ? wf_successors_of_state(&search->explorer, key, length, arrive, self)
               : status;
}

static bool may_go_on(const guide *self, uint64_t visits)
{
    wf_search *search = self->search;
    wfsm_verify_counts counts;
    wf_search_counts(search, &counts);
    if (visits >= search->options.max_states || search->moves >= search->moves_most ||
        counts.memory > search->options.max_memory)
        return false;
    if (!search->options.progress || (visits > 0 && search->moves - search->told < TELL_EVERY))
        return true;
    search->told = search->moves;
    return search->options.progress(search->options.user, &counts) == 0;
}

static int32_t follow(guide *self)
{
    int32_t status = wf_search_start(self->search, arrive, self);
    place *at;
    for (uint64_t i = 0; status == WFSM_OK && may_go_on(self, i) && (at = next_place(self));
         i++)
        status = visit(self, next_state(self, at));
    return status;
}

static void end(guide *self)
{
    const wfsm_allocator *allocator = self->search->explorer.allocator;
    for (size_t i = 0; i < self->count; i++)
        wf_free(allocator, self->places[i].waiting);
    wf_free(allocator, self->places);
}

int32_t wf_guide_search(wf_search *search, const wf_search *first, wfsm_machine *machine,
                        uint32_t property, wf_guide_way way, wfsm_error *error)
{
    guide self = {.search = search,
                  .rule = machine->properties[property].of.rule,
                  .property = property,
                  .way = way};
    *search = (wf_search){.options = first->options,
                          .grain = first->grain,
                          .endless = first->endless,
                          .loose = first->loose,
                          .moves_most = search->moves_most};
    int32_t status = wf_search_begin(search, machine, error);
    if (status != WFSM_OK)
        return status;
    status = wf_distances_init(&self.distances, machine, &search->explorer.arena)
                 ? follow(&self)
                 : wf_no_memory(error);
    end(&self);
    if (status == WFSM_OK && search->explorer.arena.failed)
        return wf_no_memory(error);
    return status == WFSM_NO_MEMORY ? status : WFSM_OK;
}
