/* verify/ways.c: looks for data of events that leads on: what the state has there, or something else. The values of
 * the state for which some was found are left out of what remains, until nothing remains. */
#include "verify/ways.h"

#include <string.h>
#include "verify/data_parts.h"
#include "verify/explorer.h"

enum {
    LITERALS_MOST = 16, /* of a way */
    SIZE_MOST = 400, /* of a term */
    FITS_MOST = 8, /* of what its data must be */
    TRIES_MOST = 48, /* in a state */
    ROUNDS = 8,
    LOOKS_MOST = 5000, /* states of a search */
    EFFORT = 1
};

void wf_ways_clear(wf_ways *self)
{
    self->literal_count = self->count = 0;
    self->more = false;
}

/* Two runs of a step give the same number to what each of them makes. */
static bool is_made_in_step(uint32_t symbol)
{
    return symbol >= WF_FRESH + WF_SYMBOLS_OF_INPUT;
}

/* Of the run at hand, all that was decided is known, and is about the state, the input and the time. */
static bool is_simple(const wf_symbolic *symbolic)
{
    if (symbolic->guesses || symbolic->path_count == WF_CONDITIONS_MOST ||
        symbolic->path_count - symbolic->kept > LITERALS_MOST)
        return false;
    for (uint32_t i = symbolic->kept; i < symbolic->path_count; i++) {
        const wf_term term = symbolic->path[i].term;
        if (wf_term_at(&symbolic->terms, term)->size > SIZE_MOST ||
            wf_term_has_symbol(&symbolic->terms, term, is_made_in_step))
            return false;
    }
    return true;
}

void wf_ways_note(wf_ways *self, const wf_explorer *explorer, const wf_successor *successor,
                  uint64_t answers)
{
    const wf_symbolic *symbolic = explorer->symbolic;
    if (!symbolic)
        return;
    const uint32_t count = symbolic->path_count - symbolic->kept;
    if (successor->input.kind != WF_INPUT_EVENT || self->count == WF_WAYS_MOST ||
        count > WF_WAYS_LITERALS - self->literal_count || !is_simple(symbolic)) {
        self->more = true;
        return;
    }
    wf_way way = {.first = self->literal_count,
                  .count = count,
                  .event = successor->input.place,
                  .data = WF_NONE,
                  .answers = answers};
    wf_term data;
    if (wf_symbolic_term(&successor->input.data, &data) &&
        wf_term_at(&symbolic->terms, data)->kind == WF_TERM_SYMBOL)
        way.data = data;
    memcpy(&self->literals[way.first], &symbolic->path[symbolic->kept],
           count * sizeof *self->literals);
    self->literal_count += count;
    self->list[self->count++] = way;
}

/* ---- proofs ---- */

static bool can_be_evaluated(wf_symbolic *self, const wf_literal *literal)
{
    return literal->kind == WF_SUCCEEDS || literal->kind == WF_FAILS ||
           wf_decide_succeeds(self, literal->term);
}

/* Values of the state for which all literals are true need no other way: they are left out of what remains, if only
 * one literal is open. True if nothing remains. With `narrows`, others are left out, too: those for which the first
 * open one is true. */
static bool leave_out(wf_symbolic *self, const wf_literal *literals, uint32_t count,
                      bool narrows)
{
    const wf_literal *open = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const wf_literal *literal = &literals[i];
        if (literal->term == WF_NONE || !can_be_evaluated(self, literal))
            return false;
        if (wf_decide_proves(self, literal))
            continue;
        if (open && !narrows)
            return false;
        open = open ? open : literal;
    }
    if (!open)
        return true;
    const wf_literal other = wf_literal_complement(open);
    if (self->path_count < WF_CONDITIONS_MOST)
        wf_decide_known(self, &other);
    return false;
}

/* The literals with this data, or as they are. Those that do not look at it come first. */
static uint32_t literals_with(const wf_data_parts *of, const wf_literal *from, uint32_t count,
                              wf_term data, wf_literal *list)
{
    uint32_t kept = 0;
    for (uint32_t about = 0; about < 2; about++)
        for (uint32_t i = 0; i < count; i++) {
            const wf_term term =
                data == WF_NONE ? from[i].term : wf_data_parts_replace(of, from[i].term, data);
            if ((term != from[i].term) != (about != 0))
                continue;
            list[kept] = from[i];
            list[kept++].term = term;
        }
    return kept;
}

/* The same of a way with this data; WF_NONE: as it is. */
static bool leave_out_by(const wf_ways *self, const wf_explorer *explorer, const wf_way *way,
                         wf_term data, bool narrows)
{
    const wf_data_parts of = {.symbolic = explorer->symbolic, .data = way->data};
    const wf_schema *assumed = explorer->outside[way->event].assumed;
    wf_literal list[LITERALS_MOST + FITS_MOST];
    uint32_t count = literals_with(&of, &self->literals[way->first], way->count, data, list);
    if (assumed && data != WF_NONE &&
        !wf_data_fits(&of.symbolic->terms, data, assumed, list, &count,
                      LITERALS_MOST + FITS_MOST))
        return false;
    return leave_out(of.symbolic, list, count, narrows);
}

static bool try_way(const wf_ways *self, wf_explorer *explorer, const wf_way *way,
                    uint32_t *tries)
{
    const wf_literal *literals = &self->literals[way->first];
    wf_data_parts found = {.symbolic = explorer->symbolic, .data = way->data};
    if (way->data == WF_NONE)
        return leave_out_by(self, explorer, way, WF_NONE, false);
    wf_data_parts_read(&found, literals, way->count);
    for (uint32_t i = 0; *tries > 0 && !found.many; i++) {
        const wf_term data =
            wf_data_parts_fill(&found, &explorer->outside[way->event].sample, i);
        if (data == WF_NONE)
            return false;
        --*tries;
        if (leave_out_by(self, explorer, way, data, false))
            return true;
    }
    return false;
}

static bool is_meant(const wf_way *way, uint64_t whom)
{
    return whom == 0 || (way->answers & whom) != 0;
}

/* ---- what remains ---- */

/* The terms for these values of the state. WF_NONE when out of memory. */
static wf_term with_values(wf_symbolic *self, wf_term term, const wf_model *values)
{
    for (uint32_t i = 0; i < values->count && term != WF_NONE; i++) {
        const wf_data_parts of = {.symbolic = self, .data = values->symbols[i]};
        term =
            wf_data_parts_replace(&of, term, wf_term_known(&self->terms, &values->values[i]));
    }
    return term;
}

/* Whether some data takes the way there. */
static enum wf_solved solve_way(const wf_ways *self, wf_symbolic *symbolic, const wf_way *way,
                                const wf_model *values, wf_model *found)
{
    wf_literal list[LITERALS_MOST];
    memcpy(list, &self->literals[way->first], way->count * sizeof *list);
    for (uint32_t i = 0; i < way->count; i++) {
        list[i].term = with_values(symbolic, list[i].term, values);
        if (list[i].term == WF_NONE)
            return WF_UNKNOWN;
    }
    return wf_solve(&symbolic->terms, list, way->count, EFFORT, &symbolic->scratch, found);
}

static wf_term data_in(wf_symbolic *symbolic, const wf_way *way, const wf_model *found)
{
    for (uint32_t i = 0; i < found->count; i++)
        if (found->symbols[i] == way->data)
            return wf_term_known(&symbolic->terms, &found->values[i]);
    return WF_NONE;
}

/* The context with these values of the state; NULL: more than these values would be needed to say it. */
static const wf_value *context_of(wf_explorer *explorer, const wf_model *values)
{
    const wf_snapshot *snapshot = &explorer->snapshot;
    wf_symbolic *symbolic = explorer->symbolic;
    wf_value *context =
        wf_arena_take(&explorer->arena, (snapshot->slot_count + 1) * sizeof *context);
    for (uint32_t i = 0; context && i < snapshot->slot_count; i++) {
        context[i] = wf_absent();
        if (!wf_symbolic_within(&snapshot->slots[i]))
            continue;
        const wf_term before = wf_symbolic_of(symbolic, &snapshot->slots[i]),
                      after = with_values(symbolic, before, values);
        const wf_value *known =
            after == WF_NONE ? NULL : wf_term_value(&symbolic->terms, after);
        if (known)
            context[i] = wf_value_clone(&explorer->arena, known);
        else if (after != before)
            return NULL;
    }
    return context;
}

/* One of them is made in the step: no run before it can have it. */
static bool has_made(const wf_symbolic *symbolic, const wf_model *values)
{
    for (uint32_t i = 0; i < values->count; i++)
        if (wf_term_at(&symbolic->terms, values->symbols[i])->index >= WF_FRESH)
            return true;
    return false;
}

typedef struct remains {
    bool nothing; /* all values are covered */
    bool narrowed; /* values were left out that are not */
    const wf_value *context; /* with these values, if it is wanted */
} remains;

/* The way leads on with this data for some of what remains. */
static void leave_out_more(const wf_ways *self, const wf_explorer *explorer, const wf_way *way,
                           wf_term data, remains *found)
{
    const uint32_t before = explorer->symbolic->path_count;
    found->nothing = leave_out_by(self, explorer, way, data, false) && !found->narrowed;
    if (found->nothing || explorer->symbolic->path_count > before)
        return;
    (void)leave_out_by(self, explorer, way, data, true);
    found->narrowed = true;
}

/* Tries one of the contexts that remain. False: this does not lead further. */
static bool look_at_rest(const wf_ways *self, wf_explorer *explorer, uint64_t whom, bool wanted,
                         remains *found)
{
    wf_symbolic *symbolic = explorer->symbolic;
    const uint32_t before = symbolic->path_count;
    wf_model values = {.count = 0}, by;
    if (wf_solve(&symbolic->terms, symbolic->path, symbolic->path_count, EFFORT,
                 &symbolic->scratch, &values) != WF_SAT ||
        has_made(symbolic, &values))
        return false;
    for (uint32_t i = 0; i < self->count; i++) {
        const wf_way *way = &self->list[i];
        const enum wf_solved leads =
            is_meant(way, whom) ? solve_way(self, symbolic, way, &values, &by) : WF_UNSAT;
        if (leads == WF_SAT)
            leave_out_more(self, explorer, way, data_in(symbolic, way, &by), found);
        if (leads != WF_UNSAT)
            return leads == WF_SAT && symbolic->path_count > before;
    }
    if (wanted)
        found->context = context_of(explorer, &values);
    return false;
}

bool wf_ways_cover(wf_ways *self, wf_explorer *explorer, uint64_t whom, const wf_value **rest)
{
    wf_symbolic *symbolic = explorer->symbolic;
    uint32_t tries = TRIES_MOST;
    remains found = {.nothing = false};
    bool more = !self->more;
    if (rest)
        *rest = NULL;
    if (self->count == 0 || self->looks == LOOKS_MOST)
        return false;
    self->looks++;
    symbolic->path_count = symbolic->kept;
    for (uint32_t i = 0; i < self->count && !found.nothing; i++)
        if (is_meant(&self->list[i], whom))
            found.nothing = try_way(self, explorer, &self->list[i], &tries);
    for (uint32_t i = 0; i < ROUNDS && !found.nothing && more; i++)
        more = look_at_rest(self, explorer, whom, rest != NULL, &found);
    symbolic->path_count = symbolic->kept;
    if (rest)
        *rest = found.context;
    return found.nothing && !wf_symbolic_failed(symbolic);
}
