/* verify/search_begin.c: prepares a search of one machine, and frees it. */
#include "base/error.h"
#include "base/memory.h"
#include "verify/search.h"

static uint32_t tag_of(const wfsm_machine *machine, const char *name)
{
    return wf_names_find(&machine->tags, name, strlen(name));
}

/* Why the search cannot be complete, whatever it finds; or NULL. */
static const char *first_bound(const wf_explorer *explorer)
{
    return explorer->machine->has_limits && !explorer->limits
               ? "a property has a time limit, which is followed neither across checkpoints, nor "
                 "with `punctual` beside a budget of time that is reset"
               : NULL;
}

int32_t wf_search_begin(wf_search *self, wfsm_machine *machine, wfsm_error *error)
{
    wf_arena *arena = &self->explorer.arena;
    int32_t status =
        wf_explorer_init(&self->explorer, machine, &self->options, self->symbolic, error);
    if (status != WFSM_OK)
        return status;
    self->explorer.times.grain = self->grain;
    self->explorer.ends &= !self->endless;
    self->explorer.carries &= !self->loose;
    self->bound = first_bound(&self->explorer);
    self->terminal = tag_of(machine, "terminal");
    self->awaiting = tag_of(machine, "awaiting_input");
    self->reached = wf_arena_zero(arena, machine->words * sizeof *self->reached);
    self->taken = wf_arena_zero(arena, machine->transition_count + 1u);
    self->held = wf_arena_zero(arena, machine->property_count + 1u);
    self->passed = wf_arena_zero(arena, machine->property_count + 1u);
    if (!self->reached || !self->taken || !self->held || !self->passed ||
        !wf_state_space_init(&self->space, &machine->allocator) ||
        (self->reduces &&
         !wf_regions_find(&self->regions, &self->explorer, self->options.fairness)))
        return wf_no_memory(error);
    return WFSM_OK;
}

static void forget_found(wf_search *self)
{
    for (size_t i = 0; i < self->found_count; i++)
        wf_free(self->explorer.allocator, self->found[i].cycle);
    self->found_count = self->broken_count = self->rest_count = 0;
}

static void forget_reached(wf_search *self)
{
    const wfsm_machine *machine = self->explorer.machine;
    wf_set_clear(self->reached, machine->words);
    memset(self->taken, 0, machine->transition_count);
    memset(self->held, 0, machine->property_count);
    memset(self->passed, 0, machine->property_count);
}

int32_t wf_search_again(wf_search *self)
{
    forget_found(self);
    forget_reached(self);
    wf_state_space_fini(&self->space);
    self->moves = self->changes = self->told = 0;
    self->depth = 0;
    self->stopped = self->refused = false;
    self->bound = first_bound(&self->explorer);
    if (!wf_state_space_init(&self->space, self->explorer.allocator) ||
        !wf_explorer_again(&self->explorer))
        return wf_no_memory(self->explorer.error);
    return WFSM_OK;
}

void wf_search_end(wf_search *self)
{
    const wfsm_allocator *allocator = self->explorer.allocator;
    if (!allocator)
        return;
    const wfsm_allocator copy = *allocator;
    forget_found(self);
    wf_free(allocator, self->found);
    wf_free(allocator, self->broken);
    wf_free(allocator, self->rests);
    wf_free(allocator, self->measures.list);
    wf_state_space_fini(&self->space);
    wf_explorer_fini(&self->explorer);
    wf_free(&copy, self->symbolic);
}
