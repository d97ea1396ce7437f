/* verify/verify.c: the public functions of verification. */
#include <wfsm/verify.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "logic/json.h"
#include "verify/release.h"
#include "verify/liveness.h"
#include "verify/verification.h"

enum { STATES_MOST = 10000000, SYMBOLIC_STATES_MOST = 20000, BOUND = 100, GRAIN_LEAST = 1000 };
#define ANY_GRAIN ((int64_t)1 << 40)
static const uint64_t memory_most = (uint64_t)2 << 30;

const char *wfsm_verdict_name(int32_t verdict)
{
    static const char *const names[] = {"?", "holds", "violated", "undecided"};
    return names[verdict >= WFSM_HOLDS && verdict <= WFSM_UNDECIDED ? verdict : 0];
}

static int32_t read_options(wfsm_verify_options *out, const wfsm_verify_options *given,
                            wfsm_error *error)
{
    *out = (wfsm_verify_options){.size = sizeof *out};
    if (given && !wf_struct_check(out, sizeof *out, given, sizeof given->size))
        return wf_fail(error, WFSM_INVALID, "the options have no size, or a wrong one");
    if (out->max_states == 0)
        out->max_states = STATES_MOST;
    if (out->max_memory == 0)
        out->max_memory = memory_most;
    if (out->bound == 0)
        out->bound = BOUND;
    if (out->fairness < WFSM_FAIRNESS_WEAK || out->fairness > WFSM_FAIRNESS_NONE)
        return wf_fail(error, WFSM_INVALID, "fairness must be one of enum wfsm_fairness");
    return WFSM_OK;
}

static uint32_t tag_of(const wfsm_machine *machine, const char *name)
{
    return wf_names_find(&machine->tags, name, strlen(name));
}

static int32_t read_inputs(wf_search *self)
{
    const wfsm_verify_options *options = &self->options;
    wf_arena *arena = &self->explorer.arena;
    static const wf_value none = {.type = WF_NULL};
    wf_value list = wf_array(&none, 1);
    int32_t status = WFSM_OK;
    if (options->inputs)
        status = wf_json_parse(arena, options->inputs, options->inputs_length, &list,
                               self->explorer.error);
    if (status != WFSM_OK)
        return status;
    bool fine = list.type == WF_ARRAY && list.length > 0;
    for (uint32_t i = 0; fine && options->inputs && i < list.length; i++)
        fine = list.as.items[i].type == WF_OBJECT;
    if (!fine)
        return wf_fail(self->explorer.error, WFSM_SEMANTIC,
                       "the inputs of the start must be a list of JSON objects");
    self->inputs = list.as.items;
    self->input_count = list.length;
    return WFSM_OK;
}

static int32_t begin(wf_search *self, wfsm_machine *machine, wfsm_error *error)
{
    wf_arena *arena = &self->explorer.arena;
    int32_t status =
        wf_explorer_init(&self->explorer, machine, &self->options, self->symbolic, error);
    if (status != WFSM_OK)
        return status;
    self->explorer.times.grain = self->grain;
    if (machine->has_limits && !self->explorer.limits)
        self->bound =
            "a property has a time limit, which is followed neither across checkpoints, nor "
            "with `punctual` beside a budget of time that is reset";
    self->terminal = tag_of(machine, "terminal");
    self->awaiting = tag_of(machine, "awaiting_input");
    self->reached = wf_arena_zero(arena, machine->words * sizeof *self->reached);
    self->taken = wf_arena_zero(arena, machine->transition_count + 1u);
    self->held = wf_arena_zero(arena, machine->property_count + 1u);
    self->passed = wf_arena_zero(arena, machine->property_count + 1u);
    if (!self->reached || !self->taken || !self->held || !self->passed ||
        !wf_state_space_init(&self->space, &machine->allocator))
        return wf_no_memory(error);
    return read_inputs(self);
}

static void end(wf_search *self)
{
    const wfsm_allocator *allocator = self->explorer.allocator;
    if (!allocator)
        return;
    const wfsm_allocator copy = *allocator;
    for (size_t i = 0; i < self->found_count; i++)
        wf_free(allocator, self->found[i].cycle);
    wf_free(allocator, self->found);
    wf_state_space_fini(&self->space);
    wf_explorer_fini(&self->explorer);
    wf_free(&copy, self->symbolic);
}

static bool is_complete(const wf_search *self)
{
    const wf_explorer *explorer = &self->explorer;
    return !self->bound && !explorer->many_timers && !explorer->many_choices &&
           !explorer->cut_data && !explorer->no_data &&
           !(self->symbolic && self->symbolic->unproved);
}

static int32_t explore(wf_search *self, wfsm_machine *machine, wfsm_error *error)
{
    int32_t status = begin(self, machine, error);
    if (status == WFSM_OK)
        status = wf_search_run(self);
    if (status == WFSM_OK && !wf_search_is_coarse(self) &&
        (!wf_find_cycles(self) || (is_complete(self) && !wf_find_never_seen(self))))
        status = wf_no_memory(error);
    return status;
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

/* The grain gets finer until all delays are multiples of it, or it is too fine to be of use. */
static int32_t explore_grains(wf_search *self, wfsm_machine *machine, wfsm_error *error)
{
    const wfsm_verify_options options = self->options;
    int64_t grain = first_grain(machine);
    int32_t status = WFSM_OK;
    do {
        end(self);
        *self = (wf_search){.options = options, .grain = grain < GRAIN_LEAST ? 0 : grain};
        status = explore(self, machine, error);
        grain = self->depth >= self->grain
                    ? 0
                    : wf_common_divisor(self->grain, self->explorer.grain);
    } while (status == WFSM_OK && wf_search_is_coarse(self));
    return status;
}

static int32_t explore_with_symbols(wf_search *self, const wf_search *first, int64_t grain,
                                    wfsm_machine *machine, wfsm_error *error)
{
    *self = (wf_search){.options = first->options, .grain = grain};
    self->options.first = 0;
    if (self->options.max_states > SYMBOLIC_STATES_MOST)
        self->options.max_states = SYMBOLIC_STATES_MOST;
    self->symbolic = wf_new(&machine->allocator, sizeof *self->symbolic);
    if (!self->symbolic)
        return wf_no_memory(error);
    self->symbolic->work = (uint32_t)self->options.max_states / 100;
    self->symbolic->searches_left = self->symbolic->work / 30;
    return explore(self, machine, error);
}

/* What the classes of data do not decide is searched again, over symbols: with exact times, if they are
 * no multiples of the grain. */
static int32_t explore_symbols(wf_search *self, wf_search *first, wfsm_machine *machine,
                               wfsm_error *error)
{
    bool inexact =
        first->explorer.undecided.is || first->explorer.cut_data || first->explorer.no_data;
    if (first->stopped || first->space.count >= first->options.max_states || !inexact)
        return WFSM_OK;
    int32_t status = explore_with_symbols(self, first, first->grain, machine, error);
    if (status != WFSM_OK || !wf_search_is_coarse(self))
        return status;
    end(self);
    return explore_with_symbols(self, first, 0, machine, error);
}

int32_t wfsm_verify(wfsm_verification **verification, wfsm_machine *machine,
                    const wfsm_verify_options *options, wfsm_error *error)
{
    wf_search self = {0}, symbolic = {0};
    int32_t status = wf_check_release(error);
    if (status != WFSM_OK)
        return status;
    if (!verification || !machine)
        return wf_fail(error, WFSM_INVALID, "verification and machine must not be NULL");
    status = read_options(&self.options, options, error);
    if (status != WFSM_OK)
        return status;
    wfsm_verification *made = wf_new(&machine->allocator, sizeof *made);
    if (!made)
        return wf_no_memory(error);
    made->machine = wfsm_machine_ref(machine);
    wf_arena_init(&made->arena, &machine->allocator, 0);
    status = explore_grains(&self, machine, error);
    if (status == WFSM_OK)
        status = explore_symbols(&symbolic, &self, machine, error);
    if (status == WFSM_OK)
        status = wf_verification_write(made, &self, symbolic.symbolic ? &symbolic : NULL);
    end(&self);
    end(&symbolic);
    if (status == WFSM_OK)
        *verification = made;
    else
        wfsm_verification_free(made);
    return status;
}

void wfsm_verification_free(wfsm_verification *verification)
{
    if (!verification)
        return;
    wfsm_machine *machine = verification->machine;
    const wfsm_allocator allocator = machine->allocator;
    wf_arena_fini(&verification->arena);
    wf_free(&allocator, verification);
    wfsm_machine_unref(machine);
}

/* ---- reading the result ---- */

int32_t wfsm_verification_verdict(const wfsm_verification *verification)
{
    return verification ? verification->verdict : 0;
}

const char *wfsm_verification_bound(const wfsm_verification *verification)
{
    return verification ? verification->bound : "";
}

size_t wfsm_verification_count(const wfsm_verification *verification)
{
    return verification ? verification->diagnostic_count : 0;
}

const char *wfsm_verification_note(const wfsm_verification *verification, size_t index)
{
    return verification && index < verification->note_count ? verification->notes[index] : NULL;
}

const char *wfsm_verification_case(const wfsm_verification *verification, size_t index)
{
    return verification && index < verification->case_count ? verification->cases[index].script
                                                            : NULL;
}

static int32_t hand_out(void *out, const void *from, size_t known)
{
    return wf_struct_give(out, from, known, sizeof known) ? WFSM_OK : WFSM_INVALID;
}

int32_t wfsm_verification_counts(const wfsm_verification *verification,
                                 wfsm_verify_counts *counts)
{
    if (!verification || !counts)
        return WFSM_INVALID;
    return hand_out(counts, &verification->counts, sizeof *counts);
}

int32_t wfsm_verification_get(const wfsm_verification *verification, size_t index,
                              wfsm_verify_diagnostic *diagnostic)
{
    if (!verification || !diagnostic)
        return WFSM_INVALID;
    if (index >= verification->diagnostic_count)
        return WFSM_NOT_FOUND;
    return hand_out(diagnostic, &verification->diagnostics[index], sizeof *diagnostic);
}

int32_t wfsm_verification_coverage(const wfsm_verification *verification, size_t index,
                                   wfsm_verify_coverage *coverage)
{
    if (!verification || !coverage)
        return WFSM_INVALID;
    if (index >= verification->coverage_count)
        return WFSM_NOT_FOUND;
    return hand_out(coverage, &verification->coverage[index], sizeof *coverage);
}

int32_t wfsm_verification_property(const wfsm_verification *verification, size_t index,
                                   wfsm_verify_property *property)
{
    if (!verification || !property)
        return WFSM_INVALID;
    const wfsm_machine *machine = verification->machine;
    if (index >= machine->property_count)
        return WFSM_NOT_FOUND;
    const wf_property *self = &machine->properties[index];
    wfsm_verify_property known = {.size = sizeof known,
                                  .name = self->name.text,
                                  .kind = wf_property_word(self->kind),
                                  .description = self->description ? self->description : "",
                                  .verdict = verification->verdicts[index],
                                  .vacuous = verification->vacuous[index]};
    return hand_out(property, &known, sizeof known);
}
