#include "verify/workers.h"

#include "base/error.h"
#include "base/memory.h"
#include "verify/liveness.h"
#include "base/invariant.h"

/* A move over symbols may take as long as many others. */
enum {
    TELL_EVERY = 5000,
    TELL_EVERY_SYMBOLIC = 100,
    SETTLED_STATES = 1000,
    SETTLED_EVERY = 256
};
/* Deadlines that hold across many ways back make millions of states of small documents. */
enum { CARRIED_MOST = 30000 };

static bool report_broken(wf_search *self, const wf_arrival *arrival)
{
    for (uint32_t i = 0; i < arrival->broken_count; i++) {
        const wf_broken *broken = &arrival->broken[i];
        if (!wf_search_report(self, (wf_search_diagnostic){.rule = broken->rule,
                                                           .subject = broken->subject,
                                                           .state = self->at,
                                                           .start = self->start,
                                                           .cause = broken->cause}))
            return false;
    }
    return true;
}

static uint64_t memory_of(const wf_search *self)
{
    return wf_state_space_memory(&self->space) + wf_intern_bytes(&self->explorer.intern);
}

void wf_search_counts(const wf_search *self, wfsm_verify_counts *counts)
{
    *counts = (wfsm_verify_counts){.size = sizeof *counts,
                                   .states = self->space.count,
                                   .moves = self->moves,
                                   .depth = self->depth,
                                   .edges = self->space.edge_count,
                                   .memory = memory_of(self),
                                   .key_bytes = self->space.used,
                                   .waiting = self->space.count - self->at,
                                   .changes = self->changes};
}

static bool tell(wf_search *self)
{
    wfsm_verify_counts counts;
    self->told = self->moves;
    if (!self->options.progress)
        return true;
    wf_search_counts(self, &counts);
    return self->options.progress(self->options.user, &counts) == 0;
}

bool wf_search_goes_on(void *search)
{
    return tell(search);
}

static void stop(wf_search *self, const char *bound)
{
    self->stopped = true;
    self->bound = bound;
}

/* ---- states ---- */

static int32_t add_state(wf_search *self, const wf_arrival *arrival, uint32_t parent,
                         uint32_t *state)
{
    bool is_new = false;
    *state = arrival->state;
    if (*state != WF_NONE)
        return WFSM_OK;
    *state =
        wf_state_space_add(&self->space, arrival->key, arrival->key_length, parent, &is_new);
    if (*state == WF_NONE)
        return wf_no_memory(self->explorer.error);
    if (!is_new)
        return WFSM_OK;
    self->space.flags[*state] = arrival->flags;
    if (arrival->beyond) {
        self->space.flags[*state] |= WF_FLAG_CUT;
        if (!self->bound)
            self->bound = wf_search_beyond(self, arrival->beyond);
    }
    if (self->space.count >= self->options.max_states)
        self->bound = "the maximum number of states was reached";
    return WFSM_OK;
}

/* Each state of the class has such a move. */
static void note_certain(wf_search *self, bool outside, bool answers)
{
    self->moved = true;
    self->sure |= !outside ? WF_SURE_INSIDE : answers ? WF_SURE_ANSWER : 0;
}

/* Whatever the values, the input before this one has led to another state. */
static void end_input(wf_search *self)
{
    if (self->always_moves)
        note_certain(self, self->comes_from_outside, self->always_answers);
    self->always_moves = self->always_answers = true;
}

static bool asks_too_much(const wf_search *self)
{
    const wf_symbolic *symbolic = self->symbolic;
    return symbolic && symbolic->solved_most > 0 && symbolic->solved >= symbolic->solved_most;
}

/* A proof is given up where a step has too many choices: it would need all of them. */
static bool chooses_too_much(const wf_search *self)
{
    return wf_search_hides(self) && self->explorer.many_choices;
}

static bool is_refused(wf_search *self)
{
    const uint32_t often = self->symbolic ? TELL_EVERY_SYMBOLIC : TELL_EVERY;
    if (self->symbolic && self->symbolic->stopped)
        return true;
    return self->moves - self->told >= often && !self->stopped && !tell(self);
}

/* LIMIT if it was the last one. */
static int32_t count_move(wf_search *self)
{
    self->moves++;
    if (is_refused(self)) {
        stop(self, "the search was stopped");
        self->refused = true;
        return WFSM_LIMIT;
    }
    if ((self->moves_most > 0 && self->moves >= self->moves_most) || asks_too_much(self) ||
        chooses_too_much(self)) {
        stop(self, "the maximum number of moves was reached");
        return WFSM_LIMIT;
    }
    return WFSM_OK;
}

static int32_t arrive_at_start(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    wf_search *self = user;
    uint32_t state = WF_NONE;
    wf_arrival arrival;
    if (!wf_arrival_read(self, successor, &arrival))
        return wf_no_memory(explorer->error);
    int32_t status = count_move(self);
    if (status == WFSM_OK && arrival.changed)
        status = add_state(self, &arrival, WF_NONE, &state);
    if (status == WFSM_OK && !report_broken(self, &arrival))
        status = wf_no_memory(explorer->error);
    return status;
}

/* Over symbols a state stands for many: a step that leads to the same one may lead to other values. */
static bool assigns_more(const wf_search *self, const wf_arrival *arrival)
{
    return self->symbolic && arrival->owed && self->explorer.step.assigned > 0;
}

static int32_t move_to(wf_search *self, const wf_arrival *arrival)
{
    uint32_t state = WF_NONE;
    self->moves_on = false;
    if (arrival->first)
        end_input(self);
    self->comes_from_outside = arrival->outside;
    self->always_moves &= arrival->changed;
    self->always_answers &= arrival->answers;
    int32_t status = count_move(self);
    if (status != WFSM_OK || !arrival->changed)
        return status;
    self->changes++;
    if (arrival->answers)
        self->space.flags[self->at] |= WF_FLAG_ASKED;
    WF_INVARIANT(self->changes <= self->moves);
    status = add_state(self, arrival, self->at, &state);
    if (status != WFSM_OK)
        return status;
    /* Restoring a checkpoint does not resolve a deadlock. */
    self->moves_on = state != self->at && arrival->owed;
    const bool may_move = self->moves_on || assigns_more(self, arrival);
    self->may_move |= may_move;
    self->ways.more |= may_move && !self->moves_on;
    self->always_moves &= self->moves_on;
    if (self->moves_on && arrival->certain)
        note_certain(self, arrival->outside, arrival->answers);
    if ((arrival->owed && !wf_state_space_edge(&self->space, state, arrival->outside)) ||
        !report_broken(self, arrival))
        return wf_no_memory(self->explorer.error);
    return WFSM_OK;
}

static int32_t arrive(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    wf_search *self = user;
    wf_arrival arrival;
    if (!wf_arrival_read(self, successor, &arrival))
        return wf_no_memory(explorer->error);
    int32_t status = move_to(self, &arrival);
    if (self->moves_on)
        wf_ways_note(&self->ways, explorer, successor, arrival.answers ? 1 : 0);
    return status != WFSM_OK || wf_measures_note(self, successor)
               ? status
               : wf_no_memory(explorer->error);
}

/* Nothing is running, no input changes the state, and it is not marked as an end. */
static bool is_deadlock(const wf_search *self, uint16_t flags)
{
    return !self->moved && (flags & (WF_FLAG_DONE | WF_FLAG_TERMINAL | WF_FLAG_AWAITING |
                                     WF_FLAG_WORK | WF_FLAG_CUT | WF_FLAG_UNTRIED)) == 0;
}

/* Whatever the values, a move comes that an agent, a timer or a person owes. */
static bool is_kept_going(const wf_search *self, uint16_t flags)
{
    return (self->sure & WF_SURE_INSIDE) != 0 ||
           ((flags & WF_FLAG_AWAITING) != 0 && (self->sure & WF_SURE_ANSWER) != 0);
}

/* Over symbols, an event may lead on with some data only. */
static bool find_ways(wf_search *self, uint16_t flags)
{
    const bool asked = (flags & WF_FLAG_AWAITING) != 0;
    const wf_value *rest = NULL;
    if (!self->symbolic || (asked ? is_kept_going(self, flags) : !is_deadlock(self, flags)))
        return true;
    if (wf_ways_cover(&self->ways, &self->explorer, asked ? 1 : 0, &rest))
        note_certain(self, true, asked);
    return wf_search_note_rest(self, rest);
}

/* The time limits of these properties pass, and nothing happens any more. */
static bool report_passed(wf_search *self, const uint8_t *passed, uint16_t flags)
{
    const wfsm_machine *machine = self->explorer.machine;
    uint8_t cause = flags & WF_FLAG_DONE ? WF_CAUSE_ENDED : WF_CAUSE_LATE;
    for (uint32_t i = 0; passed && i < machine->property_count; i++) {
        if (passed[i] &&
            !wf_search_report(self, (wf_search_diagnostic){.rule = WF_RULE_PROPERTY,
                                                           .at_state = true,
                                                           .subject = i,
                                                           .state = self->at,
                                                           .cause = cause}))
            return false;
    }
    return true;
}

/* A run that has ended has no successors. */
static int32_t expand_end(wf_search *self, const uint8_t *key, size_t length)
{
    if (!self->explorer.limits)
        return WFSM_OK;
    memset(self->passed, 0, self->explorer.machine->property_count);
    int32_t status = wf_state_key_restore(&self->explorer, key, length);
    if (status == WFSM_OK && !report_passed(self, wf_limits_passed(self), WF_FLAG_DONE))
        status = wf_no_memory(self->explorer.error);
    return status;
}

/* Not all moves of the state are known: nothing is said of those that it does not have. */
static int32_t expand_no_further(wf_search *self)
{
    self->space.flags[self->at] |= WF_FLAG_CUT;
    return wf_state_space_end(&self->space, self->at) ? WFSM_OK
                                                      : wf_no_memory(self->explorer.error);
}

static int32_t report_deadlock(wf_search *self, uint32_t leaf)
{
    const wf_value *rest = wf_search_rest(self, self->at);
    const wf_search_diagnostic found = {.rule = WF_RULE_DEADLOCK,
                                        .at_state = true,
                                        .unsure = (self->may_move && !rest) ||
                                                  self->explorer.cones.other_keys,
                                        .rest = rest,
                                        .subject = leaf,
                                        .state = self->at};
    return wf_search_report(self, found) ? WFSM_OK : wf_no_memory(self->explorer.error);
}

/* After the last successor of a state. */
static int32_t end_state(wf_search *self, uint32_t leaf, const uint8_t *passed)
{
    const uint16_t flags = self->space.flags[self->at];
    if (!wf_state_space_end(&self->space, self->at))
        return wf_no_memory(self->explorer.error);
    end_input(self);
    if (!find_ways(self, flags) || !report_passed(self, passed, flags))
        return wf_no_memory(self->explorer.error);
    if (self->symbolic && !is_kept_going(self, flags))
        self->space.flags[self->at] |= WF_FLAG_STUCK;
    return is_deadlock(self, flags) ? report_deadlock(self, leaf) : WFSM_OK;
}

/* What workers have found out. */
static int32_t expand_again(wf_search *self, const wf_ahead *ahead)
{
    int32_t status = WFSM_OK;
    wf_arrival arrival;
    if (ahead->untried)
        self->space.flags[self->at] |= WF_FLAG_UNTRIED;
    for (uint32_t i = 0; i < ahead->arrival_count && status == WFSM_OK; i++) {
        wf_ahead_arrival(ahead, i, &arrival);
        status = move_to(self, &arrival);
    }
    if (status == WFSM_OK)
        status = end_state(self, ahead->leaf, wf_ahead_passed(ahead));
    return status;
}

/* All moves of the restored state, or those of a region that are enough. */
static int32_t move_on(wf_search *self, const uint8_t *key, size_t length)
{
    const wf_region *region = NULL;
    int32_t status = WFSM_OK;
    if (self->regions.count > 0)
        status = wf_ample_find(self, key, length, &region);
    if (status != WFSM_OK)
        return status;
    if (region)
        self->explorer.skipped = region->others;
    status = wf_successors_of_state(&self->explorer, key, length, arrive, self);
    if (region)
        self->explorer.skipped = NULL;
    return status;
}

static int32_t expand_here(wf_search *self, const uint8_t *key, size_t length)
{
    if (self->explorer.limits)
        memset(self->passed, 0, self->explorer.machine->property_count);
    int32_t status = wf_state_key_restore(&self->explorer, key, length);
    if (status == WFSM_OK && wf_has_untried(&self->explorer))
        self->space.flags[self->at] |= WF_FLAG_UNTRIED;
    wf_measures_enter(self);
    if (status == WFSM_OK)
        status = move_on(self, key, length);
    if (status == WFSM_OK)
        status = end_state(self, wf_leaf_of(&self->explorer.snapshot), wf_limits_passed(self));
    return status;
}

static int32_t expand(wf_search *self)
{
    size_t length;
    const uint8_t *key = wf_state_space_key(&self->space, self->at, &length);
    const wf_ahead *ahead = wf_workers_ahead(self);
    const uint16_t flags = self->space.flags[self->at];
    if (!wf_state_space_begin(&self->space, self->at))
        return wf_no_memory(self->explorer.error);
    if (flags & (WF_FLAG_DONE | WF_FLAG_CUT))
        return flags & WF_FLAG_DONE ? expand_end(self, key, length) : WFSM_OK;
    self->moved = self->may_move = self->always_moves = self->always_answers = false;
    self->sure = 0;
    wf_ways_clear(&self->ways);
    int32_t status = ahead ? expand_again(self, ahead) : expand_here(self, key, length);
    return status == WFSM_LIMIT && self->stopped ? expand_no_further(self) : status;
}

int32_t wf_search_start(wf_search *self, wf_successor_sink *sink, void *user)
{
    int32_t status = WFSM_OK;
    self->at = WF_NONE;
    for (uint32_t i = 0; i < self->explorer.input_count && status == WFSM_OK; i++) {
        self->start = i;
        status =
            wf_successors_at_start(&self->explorer, i, &self->explorer.inputs[i], sink, user);
    }
    return status;
}

static int32_t start_all(wf_search *self)
{
    int32_t status = wf_search_start(self, arrive_at_start, self);
    self->at = 0;
    self->level_end = self->space.count;
    return status == WFSM_LIMIT && self->stopped ? WFSM_OK : status;
}

bool wf_search_is_crowded(const wf_search *self)
{
    return self->explorer.carries && !self->stopped && self->space.count >= CARRIED_MOST;
}

bool wf_search_is_coarse(const wf_search *self)
{
    const wf_explorer *explorer = &self->explorer;
    int64_t grain = explorer->times.grain;
    return wf_search_is_crowded(self) ||
           (grain > 0 && !self->stopped &&
            (explorer->grain % grain != 0 || self->depth >= grain));
}

/* Two searches have found that all properties are violated. To look for other errors may take long. */
static bool is_settled(const wf_search *self)
{
    return self->settled && !self->stopped && self->space.count >= SETTLED_STATES &&
           self->at % SETTLED_EVERY == 0 && wf_search_violates_all(self);
}

/* A bound of the context cuts off single states only; other bounds end the search. */
static bool continues(const wf_search *self)
{
    return !wf_search_is_coarse(self) && self->at < self->space.count && !self->stopped &&
           self->space.count < self->options.max_states && !wf_search_is_paused(self);
}

bool wf_search_is_paused(const wf_search *self)
{
    return self->pause > 0 && self->space.count >= self->pause &&
           self->at < self->space.count && !self->stopped &&
           self->space.count < self->options.max_states;
}

int32_t wf_search_run(wf_search *self)
{
    wf_measures_begin(self);
    int32_t status = start_all(self);
    return status == WFSM_OK ? wf_search_go_on(self) : status;
}

int32_t wf_search_go_on(wf_search *self)
{
    int32_t status = WFSM_OK;
    while (status == WFSM_OK && continues(self)) {
        if (self->at == self->level_end) {
            self->depth++;
            self->level_end = self->space.count;
        }
        WF_INVARIANT(self->at < self->level_end);
        status = expand(self);
        if (status == WFSM_OK && !wf_find_rest(self, self->at))
            status = wf_no_memory(self->explorer.error);
        self->at++;
        if (self->at < self->space.count && memory_of(self) > self->options.max_memory)
            stop(self, "the maximum memory was reached");
        if (is_settled(self))
            stop(self, "all properties are violated, and the search was not continued");
    }
    wf_workers_end(self);
    if (!self->stopped && !wf_search_is_paused(self) &&
        !wf_search_is_coarse(self)) /* the final report; its answer is ignored */
        (void)tell(self);
    return status;
}
