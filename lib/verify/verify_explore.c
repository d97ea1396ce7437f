#include "verify/verify_explore.h"

#include "base/error.h"
#include "base/memory.h"

enum { TELL_EVERY = 5000 };

static bool is_error(uint8_t rule)
{
    return rule <= WF_RULE_UNREACHED;
}

bool wf_explore_note(wf_exploration *self, wf_notice notice)
{
    for (size_t i = 0; i < self->notice_count; i++)
        if (self->notices[i].rule == notice.rule && self->notices[i].subject == notice.subject)
            return true;
    wf_notice *list = wf_grow(self->kit.allocator, self->notices, &self->notice_capacity,
                              self->notice_count + 1, sizeof *list);
    if (!list)
        return false;
    self->notices = list;
    list[self->notice_count++] = notice;
    if (self->options.first && is_error(notice.rule)) {
        self->stopped = true;
        self->bound = "the first error ended the search";
    }
    return true;
}

static bool note_move(void *user, uint8_t rule, uint32_t subject)
{
    wf_exploration *self = user;
    return wf_explore_note(
        self,
        (wf_notice){.rule = rule, .subject = subject, .state = self->at, .start = self->start});
}

/* ---- what is seen on the way ---- */

static void see_up(wf_exploration *self, uint32_t state)
{
    for (; state != WF_NONE; state = self->kit.machine->states[state].parent)
        wf_set_add(self->reached, state);
}

/* States that are entered and left again within a step are not to be seen after it, but the
 * transitions that were taken tell. */
static void see_transition(wf_exploration *self, uint32_t number)
{
    const wfsm_machine *machine = self->kit.machine;
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

static void see(wf_exploration *self, const wf_kit *kit)
{
    for (uint32_t w = 0; w < kit->machine->words; w++)
        self->reached[w] |= kit->snapshot.active[w];
    for (size_t i = 0; i < kit->step.taken_count; i++)
        if (!self->taken[kit->step.taken[i]])
            see_transition(self, kit->step.taken[i]);
    for (uint32_t i = 0; i < kit->machine->property_count; i++)
        if (kit->verdicts[i] == WF_VERDICT_REACHED)
            self->held[i] = 1;
}

static uint8_t flags_of(const wf_exploration *self, const wf_snapshot *snapshot)
{
    uint32_t flags = 0;
    if (snapshot->status == WFSM_DONE)
        flags |= WF_FLAG_DONE;
    if (self->terminal != WF_NONE && wf_snapshot_has_tag(snapshot, self->terminal))
        flags |= WF_FLAG_TERMINAL;
    if (self->awaiting != WF_NONE && wf_snapshot_has_tag(snapshot, self->awaiting))
        flags |= WF_FLAG_AWAITING;
    for (size_t i = 0; i < snapshot->more->ledger.count; i++)
        if (wf_is_person(&snapshot->machine->agents.list[snapshot->more->ledger.list[i].agent]))
            flags |= WF_FLAG_AWAITING;
    if (snapshot->more->timers.count > 0 ||
        (snapshot->more->ledger.count > 0 && wf_kit_claims(snapshot)))
        flags |= WF_FLAG_WORK;
    return (uint8_t)flags;
}

static const char *text_about(wf_exploration *self, const char *before, const char *name)
{
    wf_buffer text;
    wf_buffer_init(&text, self->kit.allocator);
    wf_buffer_format(&text, "%s \"%s\"", before, name);
    const char *copy =
        text.failed ? before : wf_arena_text(&self->kit.arena, text.data, text.length);
    wf_buffer_fini(&text);
    return copy ? copy : before;
}

static uint64_t memory_of(const wf_exploration *self)
{
    return wf_states_memory(&self->states) + wf_pool_bytes(&self->kit.pool);
}

void wf_explore_counts(const wf_exploration *self, wfsm_verify_counts *counts)
{
    *counts = (wfsm_verify_counts){.size = sizeof *counts,
                                   .states = self->states.count,
                                   .moves = self->moves,
                                   .depth = self->depth,
                                   .edges = self->states.edge_count,
                                   .memory = memory_of(self),
                                   .key_bytes = self->states.used,
                                   .waiting = self->states.count - self->at,
                                   .changes = self->changes};
}

static bool tell(wf_exploration *self)
{
    wfsm_verify_counts counts;
    self->told = self->moves;
    if (!self->options.progress)
        return true;
    wf_explore_counts(self, &counts);
    return self->options.progress(self->options.user, &counts) == 0;
}

static void stop(wf_exploration *self, const char *bound)
{
    self->stopped = true;
    self->bound = bound;
}

/* ---- states ---- */

static int32_t add_state(wf_exploration *self, wf_kit *kit, uint32_t parent, uint32_t *state)
{
    bool is_new = false;
    *state = wf_states_add(&self->states, kit->key, kit->key_length, parent, &is_new);
    if (*state == WF_NONE)
        return wf_no_memory(kit->error);
    if (!is_new)
        return WFSM_OK;
    self->states.flags[*state] = flags_of(self, &kit->snapshot);
    if (kit->beyond) {
        self->states.flags[*state] |= WF_FLAG_CUT;
        if (!self->bound)
            self->bound = text_about(self, "without a bound grows the key", kit->beyond->text);
    }
    if (self->states.count >= self->options.max_states)
        self->bound = "as many states were found as may be";
    return WFSM_OK;
}

static int32_t arrive_at_start(void *user, wf_kit *kit, const wf_trial *trial)
{
    wf_exploration *self = user;
    uint32_t state = WF_NONE;
    self->moves++;
    if (trial->changed) {
        see(self, kit);
        int32_t status = add_state(self, kit, WF_NONE, &state);
        if (status != WFSM_OK)
            return status;
    }
    return wf_judge(kit, trial, note_move, self) ? WFSM_OK : wf_no_memory(kit->error);
}

static int32_t arrive(void *user, wf_kit *kit, const wf_trial *trial)
{
    wf_exploration *self = user;
    uint32_t state = WF_NONE;
    if (++self->moves - self->told >= TELL_EVERY && !self->stopped && !tell(self))
        stop(self, "the search was stopped");
    if (!trial->changed)
        return WFSM_OK;
    self->changes++;
    see(self, kit);
    int32_t status = add_state(self, kit, self->at, &state);
    if (status != WFSM_OK)
        return status;
    /* Going back to a checkpoint is no way out. */
    self->moved |= state != self->at && trial->deed.kind <= WF_DEED_EVENT;
    if (!wf_states_edge(&self->states, self->at, state, trial->deed.kind >= WF_DEED_EVENT) ||
        !wf_judge(kit, trial, note_move, self))
        return wf_no_memory(kit->error);
    return WFSM_OK;
}

/* Nothing is at work, nothing from outside leads on, and nobody said that this is an end. */
static bool is_deadlock(const wf_exploration *self, uint8_t flags)
{
    return !self->moved && (flags & (WF_FLAG_DONE | WF_FLAG_TERMINAL | WF_FLAG_AWAITING |
                                     WF_FLAG_WORK | WF_FLAG_CUT)) == 0;
}

static int32_t expand(wf_exploration *self)
{
    size_t length;
    const uint8_t *key = wf_states_key(&self->states, self->at, &length);
    uint8_t flags = self->states.flags[self->at];
    if (!wf_states_begin(&self->states, self->at))
        return wf_no_memory(self->kit.error);
    if (flags & (WF_FLAG_DONE | WF_FLAG_CUT))
        return WFSM_OK;
    self->moved = false;
    int32_t status = wf_kit_restore(&self->kit, key, length);
    if (status == WFSM_OK)
        status = wf_try_all(&self->kit, key, length, arrive, self);
    if (status == WFSM_OK && is_deadlock(self, flags) &&
        !wf_explore_note(self, (wf_notice){.rule = WF_RULE_DEADLOCK,
                                           .at_state = true,
                                           .subject = wf_leaf_of(&self->kit.snapshot),
                                           .state = self->at}))
        status = wf_no_memory(self->kit.error);
    return status;
}

static int32_t start_all(wf_exploration *self)
{
    int32_t status = WFSM_OK;
    self->at = WF_NONE;
    for (size_t i = 0; i < self->input_count && status == WFSM_OK; i++) {
        self->start = (uint32_t)i;
        status = wf_try_start(&self->kit, (uint32_t)i, &self->inputs[i], arrive_at_start, self);
    }
    self->at = 0;
    self->level_end = self->states.count;
    return status;
}

/* A bound of the context cuts single states only; the others end the search. */
static bool goes_on(const wf_exploration *self)
{
    return self->at < self->states.count && !self->stopped &&
           self->states.count < self->options.max_states;
}

int32_t wf_explore(wf_exploration *self)
{
    int32_t status = start_all(self);
    while (status == WFSM_OK && goes_on(self)) {
        if (self->at == self->level_end) {
            self->depth++;
            self->level_end = self->states.count;
        }
        status = expand(self);
        self->at++;
        if (self->at < self->states.count && memory_of(self) > self->options.max_memory)
            stop(self, "the memory that may be used");
    }
    if (!self->stopped) /* how it ended; there is nothing to stop any more */
        (void)tell(self);
    return status;
}
