#include "verify/prove.h"

#include <string.h>
#include "base/error.h"
#include "base/memory.h"
#include "verify/liveness.h"
#include "verify/refine.h"

/* Bounds of the work: of one search, of the searches for one property, and of all. */
enum {
    PARTS_MOST = 2000,
    STATES_MOST = 20000,
    ROUNDS_MOST = 24,
    MOVES_AT_FIRST = 20000,
    MOVES_OF_ONE = 1000000,
    MOVES_OF_ALL = 2500000,
    QUESTIONS_OF_ONE = 25000 /* for the solver */
};

typedef struct prover {
    wfsm_machine *machine;
    const wf_search *first;
    wfsm_error *error;
    wf_arena arena;
    wf_hiding hiding;
    wf_refinement refinement;
    uint8_t *asked;
    wf_proofs *proofs;
    wf_search search; /* runs once for each question; `symbolic` is NULL before the first run */
    uint64_t moves, moves_of_one, moves_most;
    uint64_t solved; /* questions about one property */
    bool stopped; /* the caller wants no more */
} prover;

/* ---- one search ---- */

static uint64_t moves_left(const prover *self)
{
    uint64_t of_one = self->moves_most - self->moves_of_one,
             of_all = MOVES_OF_ALL - self->moves;
    return of_one < of_all ? of_one : of_all;
}

static bool may_go_on(const prover *self)
{
    return moves_left(self) > 0 && self->solved < QUESTIONS_OF_ONE && !self->stopped;
}

static bool begin_search(prover *self)
{
    wf_search *search = &self->search;
    search->symbolic = wf_new(&self->machine->allocator, sizeof *search->symbolic);
    if (!search->symbolic)
        return false;
    search->options = self->first->options;
    search->options.first = 1;
    search->options.max_states = STATES_MOST;
    search->grain = self->first->grain;
    search->symbolic->hiding = &self->hiding;
    return true;
}

/* All runs share the data, the terms and the answers of the solver. */
static int32_t explore(prover *self, bool again)
{
    self->search.moves_most = moves_left(self);
    self->search.symbolic->solved_most = QUESTIONS_OF_ONE - self->solved;
    return again ? wf_explore_again(&self->search, self->error)
                 : wf_explore_once(&self->search, self->machine, self->error);
}

static void count(prover *self, const wf_search *search)
{
    uint64_t left = moves_left(self), moves = search->moves < left ? search->moves : left;
    self->moves += moves;
    self->moves_of_one += moves;
    self->solved += search->symbolic->solved;
    self->stopped |= search->stopped && search->found_count == 0 && moves < left &&
                     self->solved < QUESTIONS_OF_ONE && !search->explorer.many_choices;
}

/* *more: what was found may not happen, and the next search follows more. */
static int32_t search_once(prover *self, uint32_t property, bool *holds, bool *more)
{
    wf_search *search = &self->search;
    const bool again = search->symbolic != NULL;
    *more = false;
    if (!again && !begin_search(self))
        return wf_no_memory(self->error);
    int32_t status = explore(self, again);
    *holds = status == WFSM_OK && search->found_count == 0 && !wf_search_is_coarse(search) &&
             wf_explore_is_complete(search);
    if (*holds && property == WF_NONE)
        status = wf_ends_are_certain(search, holds);
    if (*holds && property != WF_NONE)
        self->proofs->triggered[property] |= search->explorer.triggered[property];
    if (status == WFSM_OK && search->found_count > 0)
        status = wf_refine(&self->refinement, search, &search->found[0], more);
    count(self, search);
    return status;
}

/* WF_NONE: the errors that need no property. */
static int32_t prove(prover *self, uint32_t property, bool *holds)
{
    bool more = true;
    int32_t status = WFSM_OK;
    memset(self->asked, 0, self->machine->property_count);
    self->hiding.errors = property == WF_NONE;
    if (property != WF_NONE)
        self->asked[property] = 1;
    self->moves_of_one = self->solved = 0;
    if (!wf_refine_begin(&self->refinement, property))
        return wf_no_memory(self->error);
    for (uint32_t i = 0; i < ROUNDS_MOST && more && may_go_on(self) && status == WFSM_OK; i++)
        status = search_once(self, property, holds, &more);
    return status;
}

/* ---- all of them ---- */

/* The last search has come to an end. */
static bool is_decided(const wf_search *first, const wf_search *symbolic)
{
    const wf_search *last = symbolic ? symbolic : first;
    return !wf_search_is_paused(last) && wf_explore_is_complete(last) &&
           !last->explorer.undecided.is;
}

static bool is_open(const prover *self, const wf_search *symbolic, uint32_t property)
{
    const uint8_t kind = self->machine->properties[property].kind;
    if (kind == WF_REACHABLE || kind == WF_INSTANCES ||
        wf_search_violates(self->first, property))
        return false;
    return !is_decided(self->first, symbolic) ||
           (symbolic && wf_search_violates(symbolic, property));
}

static bool begin(prover *self, wf_arena *arena)
{
    const wfsm_machine *machine = self->machine;
    wf_hiding *hiding = &self->hiding;
    wf_proofs *proofs = self->proofs;
    hiding->keys = machine->keys.count;
    hiding->part_count = machine->keys.count + machine->budget_count;
    uint32_t count = hiding->part_count + 1;
    proofs->held = wf_arena_zero(arena, machine->property_count + 1u);
    proofs->triggered = wf_arena_zero(arena, machine->property_count + 1u);
    self->asked = wf_arena_zero(&self->arena, machine->property_count + 1u);
    self->refinement.parts = wf_arena_zero(&self->arena, count);
    hiding->hidden = wf_arena_zero(&self->arena, count);
    hiding->evaluated = wf_arena_zero(&self->arena, count);
    hiding->met = wf_arena_zero(&self->arena, count);
    hiding->known = wf_arena_zero(&self->arena, count * sizeof *hiding->known);
    hiding->only = wf_arena_zero(&self->arena, count);
    hiding->spent =
        wf_arena_zero(&self->arena, (machine->budget_count + 1u) * sizeof *hiding->spent);
    hiding->asked = self->asked;
    self->refinement.machine = machine;
    self->refinement.arena = &self->arena;
    self->refinement.hiding = hiding;
    return proofs->held && proofs->triggered && self->asked && self->refinement.parts &&
           hiding->hidden && hiding->evaluated && hiding->met && hiding->known &&
           hiding->only && hiding->spent;
}

static int32_t prove_all(prover *self, const wf_search *symbolic)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0;
         i < self->machine->property_count && !self->stopped && status == WFSM_OK; i++) {
        bool holds = false;
        if (self->proofs->held[i] || !is_open(self, symbolic, i))
            continue;
        status = prove(self, i, &holds);
        self->proofs->held[i] = holds;
        self->proofs->any |= holds;
    }
    return status;
}

/* An error was found that needs no property. */
static bool has_error(const wf_search *search)
{
    for (size_t i = 0; search && i < search->found_count; i++)
        if (search->found[i].rule > WF_RULE_PROPERTY && search->found[i].rule <= WF_RULE_NO_END)
            return true;
    return false;
}

static bool holds_all(const prover *self)
{
    for (uint32_t i = 0; i < self->machine->property_count; i++)
        if (!self->proofs->held[i] && self->machine->properties[i].kind != WF_REACHABLE)
            return false;
    return true;
}

/* Only where that decides all. */
static int32_t prove_errors(prover *self, const wf_search *symbolic)
{
    if (self->stopped || is_decided(self->first, symbolic) || has_error(self->first) ||
        has_error(symbolic) || !holds_all(self))
        return WFSM_OK;
    self->moves_most = MOVES_OF_ONE;
    self->refinement.coarse = true;
    return prove(self, WF_NONE, &self->proofs->all);
}

/* The easy ones first. */
static int32_t prove_in_turn(prover *self, const wf_search *symbolic)
{
    int32_t status = WFSM_OK;
    for (int i = 0; i < 2 && status == WFSM_OK; i++) {
        self->moves_most = i == 0 ? MOVES_AT_FIRST : MOVES_OF_ONE;
        self->refinement.coarse = i > 0;
        status = prove_all(self, symbolic);
    }
    return status == WFSM_OK ? prove_errors(self, symbolic) : status;
}

int32_t wf_prove(const wf_search *first, const wf_search *symbolic, wfsm_machine *machine,
                 wf_proofs *proofs, wf_arena *arena, wfsm_error *error)
{
    prover self = {.machine = machine, .first = first, .error = error, .proofs = proofs};
    bool many = machine->keys.count + machine->budget_count > PARTS_MOST;
    if (first->stopped || first->explorer.restores || many)
        return WFSM_OK;
    wf_arena_init(&self.arena, &machine->allocator, 0);
    int32_t status = begin(&self, arena) ? prove_in_turn(&self, symbolic) : wf_no_memory(error);
    wf_search_end(&self.search);
    wf_arena_fini(&self.arena);
    return status;
}
