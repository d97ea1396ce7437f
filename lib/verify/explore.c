/* verify/explore.c: the searches of one machine, one after the other. */
#include "base/error.h"
#include "base/memory.h"
#include "verify/liveness.h"
#include "verify/search.h"

enum { SYMBOLIC_STATES_MOST = 20000, GRAIN_LEAST = 1000, LATE_STATES_MOST = 100000 };
#define ANY_GRAIN ((int64_t)1 << 40)

bool wf_explore_is_complete(const wf_search *self)
{
    const wf_explorer *explorer = &self->explorer;
    return !self->bound && !explorer->many_timers && !explorer->many_choices &&
           !explorer->many_patches && !explorer->cut_data && !explorer->no_data &&
           !(self->symbolic && self->symbolic->unproved);
}

/* The caller has stopped the search, and to look for cycles would take long. */
static bool is_late(const wf_search *self)
{
    return self->refused && self->space.count > LATE_STATES_MOST;
}

/* What the whole graph tells. */
static int32_t finish(wf_search *self, wfsm_error *error)
{
    if (wf_search_is_paused(self) || wf_search_is_coarse(self) || is_late(self))
        return WFSM_OK;
    if (!wf_find_cycles(self) || (wf_explore_is_complete(self) && !wf_find_never_seen(self)))
        return wf_no_memory(error);
    return WFSM_OK;
}

int32_t wf_explore_once(wf_search *self, wfsm_machine *machine, wfsm_error *error)
{
    if (self->symbolic) {
        self->symbolic->goes_on = wf_search_goes_on;
        self->symbolic->search = self;
    }
    int32_t status = wf_search_begin(self, machine, error);
    if (status == WFSM_OK)
        status = wf_search_run(self);
    return status == WFSM_OK ? finish(self, error) : status;
}

int32_t wf_explore_again(wf_search *self, wfsm_error *error)
{
    int32_t status = wf_search_again(self);
    if (status == WFSM_OK)
        status = wf_search_run(self);
    return status == WFSM_OK ? finish(self, error) : status;
}

/* The greatest common divisor of the delays and time limits that stand in the document. Others are seen
 * later. */
static int64_t first_grain(const wfsm_machine *machine)
{
    int64_t grain = 0;
    for (uint32_t i = 0; i < machine->property_count; i++)
        grain = wf_common_divisor(grain, machine->properties[i].within);
    for (uint32_t s = 0; s < machine->state_count; s++) {
        wf_span after = machine->states[s].after;
        for (uint32_t i = after.first; i < after.first + after.count; i++)
            grain = wf_common_divisor(grain, machine->afters[i].delay);
    }
    return grain == 0 ? ANY_GRAIN : grain;
}

static int64_t next_grain(const wf_search *self)
{
    if (wf_search_is_crowded(self))
        return first_grain(self->explorer.machine);
    return self->depth >= self->grain ? 0
                                      : wf_common_divisor(self->grain, self->explorer.grain);
}

/* The grain gets finer until all delays are multiples of it, or it is too fine to be of use. With too many
 * ends of attempts beside the timers, agents take any time. With too many times that budgets have left after the
 * way back to a checkpoint, they have any time left that they may have had there. */
static int32_t explore_grains(wf_search *self, int64_t grain, wfsm_machine *machine,
                              wfsm_error *error)
{
    const wfsm_verify_options options = self->options;
    const uint32_t pause = self->pause;
    const bool reduces = self->reduces;
    bool endless = self->endless, loose = self->loose, again;
    int32_t status = WFSM_OK;
    do {
        wf_search_end(self);
        *self = (wf_search){.options = options,
                            .pause = pause,
                            .reduces = reduces,
                            .endless = endless,
                            .loose = loose,
                            .grain = grain < GRAIN_LEAST ? 0 : grain};
        status = wf_explore_once(self, machine, error);
        again = self->explorer.many_timers && self->explorer.ends;
        endless |= again;
        loose |= wf_search_is_crowded(self);
        grain = again ? self->grain : next_grain(self);
    } while (status == WFSM_OK && (again || wf_search_is_coarse(self)));
    return status;
}

int32_t wf_explore_classes(wf_search *self, wfsm_machine *machine, wfsm_error *error)
{
    return explore_grains(self, first_grain(machine), machine, error);
}

int32_t wf_explore_on(wf_search *self, wfsm_machine *machine, wfsm_error *error)
{
    self->pause = 0;
    int32_t status = wf_search_go_on(self);
    if (status == WFSM_OK)
        status = finish(self, error);
    if (status != WFSM_OK || !wf_search_is_coarse(self))
        return status;
    const int64_t grain = next_grain(self);
    self->loose |= wf_search_is_crowded(self);
    return explore_grains(self, grain, machine, error);
}

static int32_t explore_with_symbols(wf_search *self, const wf_search *first, int64_t grain,
                                    wfsm_machine *machine, wfsm_error *error)
{
    *self = (wf_search){.options = first->options,
                        .grain = grain,
                        .endless = first->endless,
                        .loose = first->loose,
                        .settled = wf_search_violates_all(first)};
    self->options.first = 0;
    if (self->options.max_states > SYMBOLIC_STATES_MOST)
        self->options.max_states = SYMBOLIC_STATES_MOST;
    self->symbolic = wf_new(&machine->allocator, sizeof *self->symbolic);
    if (!self->symbolic)
        return wf_no_memory(error);
    self->symbolic->work = (uint32_t)self->options.max_states / 100;
    self->symbolic->searches_left = self->symbolic->work / 30;
    return wf_explore_once(self, machine, error);
}

bool wf_explore_is_exact(const wf_search *self)
{
    const wf_explorer *tried = &self->explorer;
    return !tried->undecided.is && !tried->many_patches && !tried->cut_data && !tried->no_data;
}

/* What the classes of data do not decide is searched again, over symbols: with exact times, if they are
 * no multiples of the grain. */
int32_t wf_explore_symbols(wf_search *self, wf_search *first, wfsm_machine *machine,
                           wfsm_error *error)
{
    if (first->stopped || first->space.count >= first->options.max_states ||
        wf_explore_is_exact(first))
        return WFSM_OK;
    int32_t status = explore_with_symbols(self, first, first->grain, machine, error);
    if (status != WFSM_OK || !wf_search_is_coarse(self))
        return status;
    wf_search_end(self);
    return explore_with_symbols(self, first, 0, machine, error);
}

int32_t wf_explore(wf_search *first, wf_search *symbolic, wfsm_machine *machine,
                   wfsm_error *error)
{
    int32_t status = wf_explore_classes(first, machine, error);
    return status == WFSM_OK ? wf_explore_symbols(symbolic, first, machine, error) : status;
}
