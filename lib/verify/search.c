#include "verify/search.h"

#include "base/error.h"
#include "base/memory.h"
#include "verify/hiding.h"
#include "base/invariant.h"

/* A move over symbols may take as long as many others. */
enum { TELL_EVERY = 5000, TELL_EVERY_SYMBOLIC = 100 };

static bool is_error(uint8_t rule)
{
    return rule <= WF_RULE_UNREACHED;
}

bool wf_search_hides(const wf_search *self)
{
    return self->symbolic && self->symbolic->hiding;
}

bool wf_search_report(wf_search *self, wf_search_diagnostic found)
{
    WF_INVARIANT(found.rule < WF_RULES);
    WF_INVARIANT(found.state == WF_NONE || found.state < self->space.count);
    if (wf_search_hides(self) && found.rule != WF_RULE_PROPERTY)
        return true;
    uint32_t alike = 0, most = self->symbolic ? WF_CANDIDATES_MOST : 1;
    for (size_t i = 0; i < self->found_count; i++) {
        const wf_search_diagnostic *one = &self->found[i];
        if (one->rule != found.rule || one->subject != found.subject)
            continue;
        if (++alike == most || one->state == found.state)
            return true;
    }
    wf_search_diagnostic *list =
        wf_grow(self->explorer.allocator, self->found, &self->found_capacity,
                self->found_count + 1, sizeof *list);
    if (!list)
        return false;
    self->found = list;
    list[self->found_count++] = found;
    if (self->options.first && is_error(found.rule)) {
        self->stopped = true;
        self->bound = "the search ended at the first error";
    }
    return true;
}

/* Why the step at hand violates it. */
static uint8_t cause_of(const wf_search *self, uint8_t rule, uint32_t subject)
{
    bool late = rule == WF_RULE_PROPERTY && self->explorer.late[subject] &&
                self->explorer.verdicts[subject] == WF_VERDICT_VIOLATED;
    return late ? WF_CAUSE_LATE : WF_CAUSE_NONE;
}

static bool note_move(void *user, uint8_t rule, uint32_t subject)
{
    wf_search *self = user;
    return wf_search_report(self,
                            (wf_search_diagnostic){.rule = rule,
                                                   .subject = subject,
                                                   .state = self->at,
                                                   .start = self->start,
                                                   .cause = cause_of(self, rule, subject)});
}

/* ---- what was reached ---- */

static void see_up(wf_search *self, uint32_t state)
{
    for (; state != WF_NONE; state = self->explorer.machine->states[state].parent)
        wf_set_add(self->reached, state);
}

/* A state can be entered and left within one step. The transitions that were taken show it. */
static void see_transition(wf_search *self, uint32_t number)
{
    const wfsm_machine *machine = self->explorer.machine;
    const wf_transition *transition = &machine->transitions[number];
    wf_span targets = transition->targets;
    self->taken[number] = 1;
    see_up(self, transition->source);
    for (uint32_t i = targets.first; i < targets.first + targets.count; i++) {
        uint32_t initial = machine->states[machine->lists[i]].initial;
        see_up(self, machine->lists[i]);
        if (initial != WF_NONE && !self->taken[initial])
            see_transition(self, initial);
    }
}

static void see(wf_search *self, const wf_explorer *explorer)
{
    for (uint32_t w = 0; w < explorer->machine->words; w++)
        self->reached[w] |= explorer->snapshot.active[w];
    for (size_t i = 0; i < explorer->step.taken_count; i++)
        if (!self->taken[explorer->step.taken[i]])
            see_transition(self, explorer->step.taken[i]);
    wf_coverage_taken(&self->explorer.coverage, &explorer->step);
    wf_coverage_note(&self->explorer.coverage, self->at);
    for (uint32_t i = 0; i < explorer->machine->property_count; i++)
        if (explorer->verdicts[i] == WF_VERDICT_REACHED)
            self->held[i] = 1;
}

static uint8_t flags_of(const wf_search *self, const wf_snapshot *snapshot)
{
    uint32_t flags = 0;
    if (snapshot->status == WFSM_DONE)
        flags |= WF_FLAG_DONE;
    if (self->terminal != WF_NONE && wf_snapshot_has_tag(snapshot, self->terminal))
        flags |= WF_FLAG_TERMINAL;
    if (self->awaiting != WF_NONE && wf_snapshot_has_tag(snapshot, self->awaiting))
        flags |= WF_FLAG_AWAITING;
    for (size_t i = 0; i < snapshot->extras->ledger.count; i++)
        if (wf_is_person(&snapshot->machine->agents
                              .list[wf_invocation_at(&snapshot->extras->ledger, i)->agent]))
            flags |= WF_FLAG_AWAITING;
    if (snapshot->extras->timers.count > 0 ||
        (snapshot->extras->ledger.count > 0 && wf_explorer_claims(snapshot)))
        flags |= WF_FLAG_WORK;
    return (uint8_t)flags;
}

static const char *text_about(wf_search *self, const char *before, const char *name)
{
    wf_buffer text;
    wf_buffer_init(&text, self->explorer.allocator);
    wf_buffer_format(&text, "%s \"%s\"", before, name);
    const char *copy =
        text.failed ? before : wf_arena_text(&self->explorer.arena, text.data, text.length);
    wf_buffer_fini(&text);
    return copy ? copy : before;
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

static void stop(wf_search *self, const char *bound)
{
    self->stopped = true;
    self->bound = bound;
}

/* ---- states ---- */

static int32_t add_state(wf_search *self, wf_explorer *explorer, uint32_t parent,
                         uint32_t *state)
{
    bool is_new = false;
    *state =
        wf_state_space_add(&self->space, explorer->key, explorer->key_length, parent, &is_new);
    if (*state == WF_NONE)
        return wf_no_memory(explorer->error);
    if (!is_new)
        return WFSM_OK;
    self->space.flags[*state] = flags_of(self, &explorer->snapshot);
    if (explorer->beyond) {
        self->space.flags[*state] |= WF_FLAG_CUT;
        if (!self->bound)
            self->bound = text_about(self, "a value grows without a bound: the key",
                                     explorer->beyond->text);
    }
    if (self->space.count >= self->options.max_states)
        self->bound = "the maximum number of states was reached";
    return WFSM_OK;
}

static int32_t arrive_at_start(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    wf_search *self = user;
    uint32_t state = WF_NONE;
    self->moves++;
    wf_coverage_note(&explorer->coverage, self->at);
    if (successor->changed) {
        see(self, explorer);
        int32_t status = add_state(self, explorer, WF_NONE, &state);
        if (status != WFSM_OK)
            return status;
    }
    return wf_check_successor(explorer, successor, note_move, self)
               ? WFSM_OK
               : wf_no_memory(explorer->error);
}

/* Each state of the class has such a move. */
static void note_certain(wf_search *self, bool outside)
{
    self->moved = true;
    self->sure |= outside ? WF_SURE_OUTSIDE : WF_SURE_INSIDE;
}

/* Whatever the values, the input before this one has led to another state. */
static void end_input(wf_search *self)
{
    if (self->always_moves)
        note_certain(self, true);
    self->always_moves = true;
}

/* The step has set a timer or started an invocation, in place of one that was there before. */
static bool restarts(const wf_explorer *explorer)
{
    const wf_extras *extras = explorer->snapshot.extras;
    uint64_t before = wf_draft_before(&explorer->step, WF_TIMERS).count;
    for (size_t i = 0; i < extras->timers.count; i++)
        if (wf_timer_at(&extras->timers, i)->number > before)
            return true;
    for (size_t i = 0; i < extras->ledger.count; i++)
        if (wf_invocation_at(&extras->ledger, i)->revision != 1)
            return true;
    return false;
}

static int32_t arrive(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    wf_search *self = user;
    uint32_t state = WF_NONE;
    wf_coverage_note(&explorer->coverage, self->at);
    if (successor->first)
        end_input(self);
    self->always_moves &= successor->changed;
    uint32_t often = self->symbolic ? TELL_EVERY_SYMBOLIC : TELL_EVERY;
    if (++self->moves - self->told >= often && !self->stopped && !tell(self)) {
        stop(self, "the search was stopped");
        return WFSM_LIMIT;
    }
    if (self->moves_most > 0 && self->moves >= self->moves_most) {
        stop(self, "the maximum number of moves was reached");
        return WFSM_LIMIT;
    }
    if (!successor->changed)
        return WFSM_OK;
    self->changes++;
    WF_INVARIANT(self->changes <= self->moves);
    see(self, explorer);
    for (uint32_t i = 0; i < explorer->machine->property_count && explorer->limits; i++)
        self->passed[i] |= explorer->late[i];
    int32_t status = add_state(self, explorer, self->at, &state);
    if (status != WFSM_OK)
        return status;
    /* Restoring a checkpoint does not resolve a deadlock. */
    bool moves = state != self->at && successor->input.kind <= WF_INPUT_EVENT;
    self->may_move |= moves;
    self->always_moves &= moves;
    if (moves && successor->certain)
        note_certain(self, successor->input.kind >= WF_INPUT_EVENT);
    bool outside = successor->input.kind >= WF_INPUT_EVENT;
    bool nothing = outside && state == self->at && !restarts(explorer);
    if ((!nothing && !wf_state_space_edge(&self->space, state, outside)) ||
        !wf_check_successor(explorer, successor, note_move, self))
        return wf_no_memory(explorer->error);
    return WFSM_OK;
}

/* Nothing is running, no input changes the state, and it is not marked as an end. */
static bool is_deadlock(const wf_search *self, uint8_t flags)
{
    return !self->moved && (flags & (WF_FLAG_DONE | WF_FLAG_TERMINAL | WF_FLAG_AWAITING |
                                     WF_FLAG_WORK | WF_FLAG_CUT | WF_FLAG_UNTRIED)) == 0;
}

/* Whatever the values, a move comes that an agent, a timer or a person owes. */
static bool is_kept_going(const wf_search *self, uint8_t flags)
{
    return (self->sure & WF_SURE_INSIDE) != 0 ||
           ((flags & WF_FLAG_AWAITING) != 0 && (self->sure & WF_SURE_OUTSIDE) != 0);
}

/* The time limit of a property passes, and nothing happens any more. A step after the limit has been
 * reported. */
static bool note_passed(wf_search *self, uint8_t flags)
{
    const wfsm_machine *machine = self->explorer.machine;
    uint8_t cause = flags & WF_FLAG_DONE ? WF_CAUSE_ENDED : WF_CAUSE_LATE;
    for (uint32_t i = 0; i < machine->property_count && self->explorer.limits; i++) {
        if (self->passed[i] || !wf_limit_may_pass(&self->explorer, i))
            continue;
        if (!wf_search_report(self, (wf_search_diagnostic){.rule = WF_RULE_PROPERTY,
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
    int32_t status = wf_state_key_restore(&self->explorer, key, length);
    if (status == WFSM_OK && !note_passed(self, WF_FLAG_DONE))
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

static int32_t expand(wf_search *self)
{
    size_t length;
    const uint8_t *key = wf_state_space_key(&self->space, self->at, &length);
    uint8_t flags = self->space.flags[self->at];
    if (!wf_state_space_begin(&self->space, self->at))
        return wf_no_memory(self->explorer.error);
    if (self->explorer.limits)
        memset(self->passed, 0, self->explorer.machine->property_count);
    if (flags & (WF_FLAG_DONE | WF_FLAG_CUT))
        return flags & WF_FLAG_DONE ? expand_end(self, key, length) : WFSM_OK;
    self->moved = self->may_move = self->always_moves = false;
    self->sure = 0;
    int32_t status = wf_state_key_restore(&self->explorer, key, length);
    if (status == WFSM_OK && wf_has_untried(&self->explorer))
        self->space.flags[self->at] |= flags |= WF_FLAG_UNTRIED;
    if (status == WFSM_OK)
        status = wf_successors_of_state(&self->explorer, key, length, arrive, self);
    if (status == WFSM_LIMIT && self->stopped)
        return expand_no_further(self);
    if (status == WFSM_OK && !wf_state_space_end(&self->space, self->at))
        status = wf_no_memory(self->explorer.error);
    end_input(self);
    if (status == WFSM_OK && !note_passed(self, flags))
        status = wf_no_memory(self->explorer.error);
    if (self->symbolic && !is_kept_going(self, flags))
        self->space.flags[self->at] |= WF_FLAG_STUCK;
    if (status == WFSM_OK && is_deadlock(self, flags) &&
        !wf_search_report(
            self, (wf_search_diagnostic){.rule = WF_RULE_DEADLOCK,
                                         .at_state = true,
                                         .unsure = self->may_move,
                                         .subject = wf_leaf_of(&self->explorer.snapshot),
                                         .state = self->at}))
        status = wf_no_memory(self->explorer.error);
    return status;
}

static int32_t start_all(wf_search *self)
{
    int32_t status = WFSM_OK;
    self->at = WF_NONE;
    for (size_t i = 0; i < self->input_count && status == WFSM_OK; i++) {
        self->start = (uint32_t)i;
        status = wf_successors_at_start(&self->explorer, (uint32_t)i, &self->inputs[i],
                                        arrive_at_start, self);
    }
    self->at = 0;
    self->level_end = self->space.count;
    return status;
}

bool wf_search_is_coarse(const wf_search *self)
{
    const wf_explorer *explorer = &self->explorer;
    int64_t grain = explorer->times.grain;
    return grain > 0 && !self->stopped &&
           (explorer->grain % grain != 0 || self->depth >= grain);
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
        self->at++;
        if (self->at < self->space.count && memory_of(self) > self->options.max_memory)
            stop(self, "the maximum memory was reached");
    }
    if (!self->stopped && !wf_search_is_paused(self) &&
        !wf_search_is_coarse(self)) /* the final report; its answer is ignored */
        (void)tell(self);
    return status;
}
