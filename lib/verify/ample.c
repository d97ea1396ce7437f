/* verify/ample.c: states where it is enough to explore the moves of one region (independent.h). */
#include "verify/search.h"

/* The moves of a region from the state that is explored. */
typedef struct attempt {
    const wf_search *search;
    const wf_region *region;
    uint32_t child; /* of the region, that is active */
    bool may_end; /* a move may complete the region */
    bool enough;
    uint32_t moves;
} attempt;

/* Its active child; WF_NONE: it is not active. */
static uint32_t child_of(const wf_search *search, const wf_region *region)
{
    const uint64_t *active = search->explorer.snapshot.active;
    const wf_state *states = search->explorer.machine->states;
    uint32_t child = region->state + 1;
    while (child < states[region->state].end && !wf_set_has(active, child))
        child = states[child].end;
    return child < states[region->state].end ? child : WF_NONE;
}

/* It is active, and not complete. */
static bool is_open(const wf_search *search, const wf_region *region)
{
    const uint32_t child = child_of(search, region);
    return child != WF_NONE && search->explorer.machine->states[child].type != WF_FINAL;
}

static bool is_at_work(const wf_search *search, const wf_region *region)
{
    const wf_explorer *explorer = &search->explorer;
    const wf_list *ledger = &explorer->snapshot.extras->ledger;
    for (size_t i = 0; i < ledger->count; i++) {
        const wf_invocation *work = wf_invocation_at(ledger, i);
        if (!wf_invocation_ended(work) &&
            !wf_set_has(region->others, explorer->machine->invokes[work->invoke].state))
            return true;
    }
    return false;
}

/* Another region that the parallel state waits for, and which may take the place of this one. */
static bool has_other(const wf_search *search, const wf_region *region)
{
    const wf_state *states = search->explorer.machine->states;
    for (uint32_t i = 0; i < search->regions.count; i++) {
        const wf_region *other = &search->regions.list[i];
        if (other != region && states[other->state].parent == states[region->state].parent &&
            is_open(search, other))
            return true;
    }
    return false;
}

/* The move has left the region, even if it is back in it at the end of the step. */
static bool has_left(const wf_region *region, const wf_step *step)
{
    for (size_t i = 0; i < step->taken_count; i++)
        if (region->left_by[step->taken[i]])
            return true;
    return false;
}

/* The move is no step back. A state with a number up to that of the state at hand was explored before. */
static bool goes_on(const attempt *self, const wf_explorer *explorer)
{
    const wf_search *search = self->search;
    const uint32_t child = child_of(search, self->region);
    if (child == WF_NONE || has_left(self->region, &explorer->step))
        return false;
    if (child != self->child)
        return search->regions.ranks[child] > search->regions.ranks[self->child];
    uint32_t to = wf_state_space_find(&search->space, explorer->key, explorer->key_length);
    return to == WF_NONE || to > search->at;
}

static int32_t look(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    attempt *self = user;
    if (!successor->changed)
        return WFSM_OK;
    self->moves++;
    self->enough &= goes_on(self, explorer) && !explorer->beyond &&
                    (self->may_end || is_open(self->search, self->region));
    return WFSM_OK;
}

static int32_t try_region(wf_search *search, const uint8_t *key, size_t length, attempt *with)
{
    wf_explorer *explorer = &search->explorer;
    explorer->skipped = with->region->others;
    int32_t status = wf_successors_of_state(explorer, key, length, look, with);
    explorer->skipped = NULL;
    return status;
}

int32_t wf_ample_find(wf_search *search, const uint8_t *key, size_t length,
                      const wf_region **found)
{
    const wf_explorer *explorer = &search->explorer;
    int32_t status = WFSM_OK;
    *found = NULL;
    if (explorer->times.count > 0 || explorer->snapshot.extras->timers.count > 0)
        return WFSM_OK;
    for (uint32_t i = 0; i < search->regions.count && !*found && status == WFSM_OK; i++) {
        const wf_region *region = &search->regions.list[i];
        if (!is_open(search, region) || !is_at_work(search, region))
            continue;
        attempt with = {.search = search,
                        .region = region,
                        .child = child_of(search, region),
                        .may_end = has_other(search, region),
                        .enough = true};
        status = try_region(search, key, length, &with);
        if (status == WFSM_OK && with.enough && with.moves > 0)
            *found = region;
    }
    return status;
}
