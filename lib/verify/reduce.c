/* verify/reduce.c: the search that explores the moves of one region where these are enough
 * (independent.h). It takes the place of a search that has come to its pause. Its traces have moves
 * that a shorter one does not need: that is looked for in the search before, and in one beside the
 * independent regions. */
#include "base/error.h"
#include "verify/liveness.h"
#include "verify/search.h"

/* The first error was all that it was asked for. */
static bool has_ended_early(const wf_search *self)
{
    for (size_t i = 0; self->options.first && self->stopped && i < self->found_count; i++)
        if (self->found[i].rule <= WF_RULE_UNREACHED)
            return true;
    return false;
}

/* A state where a person is awaited, but nothing can happen, is no deadlock. Whether it has one before it
 * that has moves left, and from which no end can be reached, depends on the order of the moves. */
static bool waits_in_vain(const wf_search *self)
{
    for (uint32_t s = 0; s < self->space.count; s++) {
        const uint16_t flags = self->space.flags[s];
        if (wf_moves_nowhere(self, s) && (flags & WF_FLAG_AWAITING) != 0 &&
            (flags & (WF_FLAG_DONE | WF_FLAG_TERMINAL)) == 0)
            return true;
    }
    return false;
}

bool wf_reduction_decides(const wf_search *self)
{
    return has_ended_early(self) || (wf_explore_is_complete(self) &&
                                     !self->explorer.undecided.is && !waits_in_vain(self));
}

static const wf_search_diagnostic *find_in(const wf_search *search,
                                           const wf_search_diagnostic *like)
{
    for (size_t i = 0; search && i < search->found_count; i++)
        if (search->found[i].rule == like->rule && search->found[i].subject == like->subject)
            return &search->found[i];
    return NULL;
}

static bool is_long(const wf_search *self)
{
    for (size_t i = 0; i < self->found_count; i++)
        if (!self->found[i].at_state && !find_in(self->shorter[0], &self->found[i]))
            return true;
    return false;
}

/* A run without the moves of independent regions is a run all the same. */
static int32_t search_beside(wf_search *self, const wf_search *reduced, wfsm_error *error)
{
    wf_regions regions;
    self->options = reduced->options;
    self->grain = reduced->grain;
    self->no_workers = true;
    int32_t status = wf_search_begin(self, reduced->explorer.machine, error);
    if (status == WFSM_OK &&
        !wf_regions_find(&regions, &self->explorer, self->options.fairness))
        status = wf_no_memory(error);
    if (status != WFSM_OK)
        return status;
    self->explorer.skipped = regions.all;
    return wf_search_run(self);
}

static int32_t explore(wf_search *self, wf_search *first, wfsm_error *error)
{
    wf_regions regions;
    if (first->options.no_reduction || !wf_explore_is_complete(first) ||
        first->explorer.undecided.is)
        return WFSM_OK;
    if (!wf_regions_find(&regions, &first->explorer, first->options.fairness))
        return wf_no_memory(error);
    if (regions.count == 0)
        return WFSM_OK;
    *self = (wf_search){.options = first->options, .reduces = true};
    return wf_explore_classes(self, first->explorer.machine, error);
}

int32_t wf_reduce(wf_search *reduced, wf_search *beside, wf_search *first, wf_search **whole,
                  wfsm_error *error)
{
    int32_t status = explore(reduced, first, error);
    *whole = first;
    if (status != WFSM_OK || !reduced->reduces || !wf_reduction_decides(reduced))
        return status;
    *whole = reduced;
    reduced->shorter[0] = first;
    if (!is_long(reduced))
        return WFSM_OK;
    reduced->shorter[1] = beside;
    return search_beside(beside, reduced, error);
}

const wf_search_diagnostic *wf_shorter(wf_search **search, const wf_search_diagnostic *found)
{
    const wf_search *self = *search;
    const wf_search_diagnostic *one = NULL;
    for (int i = 0; i < 2 && !one; i++) {
        one = find_in(self->shorter[i], found);
        if (one && i > 0 && one->at_state)
            one = NULL;
        if (one)
            *search = self->shorter[i];
    }
    return one ? one : found;
}
