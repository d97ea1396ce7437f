/* verify/verify.c: the public functions of verification. */
#include <wfsm/verify.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "verify/instances.h"
#include "verify/prove.h"
#include "verify/release.h"
#include "verify/verification.h"

enum { STATES_MOST = 10000000, BOUND = 100, JOBS_MOST = 256 };
/* After so many states, proofs are tried before the search continues. */
enum { PATIENCE = 50000 };
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
    if (out->jobs > JOBS_MOST)
        return wf_fail(error, WFSM_INVALID, "jobs must be from 0 to %d", JOBS_MOST);
    if (out->fairness < WFSM_FAIRNESS_WEAK || out->fairness > WFSM_FAIRNESS_NONE)
        return wf_fail(error, WFSM_INVALID, "fairness must be one of enum wfsm_fairness");
    return WFSM_OK;
}

/* The searches of one verification. */
typedef struct searches {
    wf_search first, reduced, beside, symbolic;
    wf_search *whole; /* the first one, or the one that has taken its place */
} searches;

/* False if the search through all states must still look for a `reachable`. */
static bool is_all_reached(const wfsm_verification *made)
{
    for (uint32_t i = 0; i < made->machine->property_count; i++)
        if (made->machine->properties[i].kind == WF_REACHABLE && !made->reached[i])
            return false;
    return true;
}

/* Proofs are tried once: where the first search takes long, before it continues. */
static int32_t prove_at_pause(wfsm_verification *made, const wf_search *self, wfsm_error *error)
{
    int32_t status = wf_prove(self, NULL, made->machine, &made->proofs, &made->arena, error);
    if (status == WFSM_OK && made->proofs.all)
        status = wf_look_further(made, self);
    return status;
}

/* More classes of data would decide nothing. */
static bool is_followed(const wf_search *symbolic)
{
    return symbolic->symbolic && !symbolic->symbolic->unproved;
}

static int32_t search_on(wfsm_verification *made, searches *all, wfsm_error *error)
{
    wfsm_machine *machine = made->machine;
    wf_search *self = all->whole;
    bool paused = wf_search_is_paused(self);
    int32_t status = paused ? prove_at_pause(made, self, error) : WFSM_OK;
    if (status == WFSM_OK && made->proofs.all && is_all_reached(made)) {
        self->bound = "the rest was proved";
        return WFSM_OK;
    }
    if (status == WFSM_OK && paused && wf_explore_is_exact(self))
        status = wf_explore_on(self, machine, error);
    if (status == WFSM_OK)
        status = wf_explore_symbols(&all->symbolic, self, machine, error);
    if (status == WFSM_OK && wf_search_is_paused(self) && !is_followed(&all->symbolic))
        status = wf_explore_on(self, machine, error);
    if (status == WFSM_OK && !paused)
        status = wf_prove(self, all->symbolic.symbolic ? &all->symbolic : NULL, machine,
                          &made->proofs, &made->arena, error);
    return status;
}

static int32_t search(wfsm_verification *made, searches *all, wfsm_error *error)
{
    all->first.pause = PATIENCE;
    all->whole = &all->first;
    int32_t status = wf_explore_classes(&all->first, made->machine, error);
    if (status == WFSM_OK && wf_search_is_paused(&all->first))
        status = wf_reduce(&all->reduced, &all->beside, &all->first, &all->whole, error);
    if (status == WFSM_OK)
        status = search_on(made, all, error);
    return status;
}

static void end_searches(searches *all)
{
    wf_search_end(&all->first);
    wf_search_end(&all->reduced);
    wf_search_end(&all->beside);
    wf_search_end(&all->symbolic);
}

/* The searches are too large for the stack of a small thread. */
static int32_t verify(wfsm_verification *made, const wfsm_verify_options *options,
                      wfsm_error *error)
{
    const wfsm_allocator *allocator = &made->machine->allocator;
    searches *all = wf_new(allocator, sizeof *all);
    if (!all)
        return wf_no_memory(error);
    all->first.options = *options;
    int32_t status = search(made, all, error);
    if (status == WFSM_OK)
        status = wf_verification_write(made, all->whole,
                                       all->symbolic.symbolic ? &all->symbolic : NULL);
    end_searches(all);
    wf_free(allocator, all);
    return status;
}

int32_t wfsm_verify(wfsm_verification **verification, wfsm_machine *machine,
                    const wfsm_verify_options *options, wfsm_error *error)
{
    wfsm_verify_options known;
    int32_t status = wf_check_release(error);
    if (status != WFSM_OK)
        return status;
    if (!verification || !machine)
        return wf_fail(error, WFSM_INVALID, "verification and machine must not be NULL");
    status = read_options(&known, options, error);
    if (status == WFSM_OK)
        status = wf_instances_check(machine, &known, error);
    if (status != WFSM_OK)
        return status;
    wfsm_verification *made = wf_new(&machine->allocator, sizeof *made);
    if (!made)
        return wf_no_memory(error);
    made->machine = wfsm_machine_ref(machine);
    wf_arena_init(&made->arena, &machine->allocator, 0);
    status = wf_verification_begin(made) ? verify(made, &known, error) : wf_no_memory(error);
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
