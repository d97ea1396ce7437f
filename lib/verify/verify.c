/* verify/verify.c: the public functions of verification. */
#include <wfsm/verify.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "verify/exploration.h"
#include "verify/prove.h"
#include "verify/release.h"
#include "verify/verification.h"

enum { STATES_MOST = 10000000, SYMBOLIC_STATES_MOST = 20000, BOUND = 100, GRAIN_LEAST = 1000 };
/* After so many states, proofs are tried before the search continues. */
enum { PATIENCE = 50000 };
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
    return self->depth >= self->grain ? 0
                                      : wf_common_divisor(self->grain, self->explorer.grain);
}

/* The grain gets finer until all delays are multiples of it, or it is too fine to be of use. */
static int32_t explore_grains(wf_search *self, int64_t grain, wfsm_machine *machine,
                              wfsm_error *error)
{
    const wfsm_verify_options options = self->options;
    const uint32_t pause = self->pause;
    int32_t status = WFSM_OK;
    do {
        wf_explore_end(self);
        *self = (wf_search){
            .options = options, .pause = pause, .grain = grain < GRAIN_LEAST ? 0 : grain};
        status = wf_explore(self, machine, error);
        grain = next_grain(self);
    } while (status == WFSM_OK && wf_search_is_coarse(self));
    return status;
}

/* After the pause. */
static int32_t explore_rest(wf_search *self, wfsm_machine *machine, wfsm_error *error)
{
    int32_t status = wf_explore_on(self, error);
    if (status == WFSM_OK && wf_search_is_coarse(self))
        status = explore_grains(self, next_grain(self), machine, error);
    return status;
}

/* What the classes of data do not decide is searched again, over symbols. */
static int32_t explore_symbols(wf_search *self, wf_search *first, wfsm_machine *machine,
                               wfsm_error *error)
{
    bool inexact =
        first->explorer.undecided.is || first->explorer.cut_data || first->explorer.no_data;
    if (first->stopped || first->space.count >= first->options.max_states || !inexact)
        return WFSM_OK;
    self->options = first->options;
    self->grain = first->grain;
    self->options.first = 0;
    if (self->options.max_states > SYMBOLIC_STATES_MOST)
        self->options.max_states = SYMBOLIC_STATES_MOST;
    self->symbolic = wf_new(&machine->allocator, sizeof *self->symbolic);
    if (!self->symbolic)
        return wf_no_memory(error);
    self->symbolic->work = (uint32_t)self->options.max_states / 100;
    self->symbolic->searches_left = self->symbolic->work / 30;
    return wf_explore(self, machine, error);
}

/* Proofs are tried once: where the first search takes long, before it continues. */
static int32_t search_further(wfsm_verification *made, wf_search *self, wf_search *symbolic,
                              wfsm_error *error)
{
    wfsm_machine *machine = made->machine;
    bool paused = wf_search_is_paused(self);
    int32_t status =
        paused ? wf_prove(self, NULL, machine, &made->proofs, &made->arena, error) : WFSM_OK;
    if (status == WFSM_OK && paused)
        status = explore_rest(self, machine, error);
    if (status == WFSM_OK)
        status = explore_symbols(symbolic, self, machine, error);
    if (status == WFSM_OK && !paused)
        status = wf_prove(self, symbolic->symbolic ? symbolic : NULL, machine, &made->proofs,
                          &made->arena, error);
    return status;
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
    self.pause = PATIENCE;
    status = explore_grains(&self, first_grain(machine), machine, error);
    if (status == WFSM_OK)
        status = search_further(made, &self, &symbolic, error);
    if (status == WFSM_OK)
        status = wf_verification_write(made, &self, symbolic.symbolic ? &symbolic : NULL);
    wf_explore_end(&self);
    wf_explore_end(&symbolic);
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
