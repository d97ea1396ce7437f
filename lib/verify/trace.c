#include "verify/trace.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/invariant.h"

/* Looks for a successor: one with a key, one that has a diagnostic, or one that meets a goal. */
typedef struct lookup {
    const uint8_t *key; /* NULL: by the diagnostic, or by the goal */
    size_t key_length;
    const uint32_t *goal; /* NULL: by the diagnostic */
    const wf_search_diagnostic *diagnostic;
    wf_move_test *fits; /* of those with the key; NULL: any */
    void *user;
    wf_arena *arena;
    wf_trace_move move;
    bool found;
} lookup;

static bool is_diagnostic(void *user, uint8_t rule, uint32_t subject)
{
    lookup *self = user;
    self->found |= rule == self->diagnostic->rule && subject == self->diagnostic->subject;
    return !self->found;
}

/* Those of the host. */
static void copy_answers(wf_trace_move *move, const wf_choices *choices)
{
    for (uint32_t i = 0; i < choices->count; i++)
        if (!choices->is_decision[i])
            move->answers[move->answer_count++] = choices->answer[i];
}

static bool copy_decisions(lookup *self, const wf_symbolic *from)
{
    size_t bytes = from->made_count * sizeof *from->made;
    self->move.decisions = wf_arena_take(self->arena, bytes + 1);
    self->move.decision_count = from->made_count;
    if (self->move.decisions)
        memcpy(self->move.decisions, from->made, bytes);
    return self->move.decisions != NULL;
}

static bool copy_late(lookup *self, const wf_explorer *explorer)
{
    const uint32_t count = explorer->machine->property_count;
    self->move.late = wf_arena_take(self->arena, count);
    if (self->move.late)
        memcpy(self->move.late, explorer->late, count);
    return self->move.late != NULL;
}

static bool copy_move(lookup *self, const wf_explorer *explorer, const wf_successor *successor)
{
    wf_trace_move *move = &self->move;
    *move = (wf_trace_move){.input = successor->input};
    copy_answers(move, &explorer->choices);
    if (explorer->symbolic && !copy_decisions(self, explorer->symbolic))
        return false;
    move->input.data = wf_value_clone(self->arena, &successor->input.data);
    move->input.usage = wf_value_clone(self->arena, &successor->input.usage);
    if (successor->input.signature.type == WF_STRING)
        move->input.signature = wf_value_clone(self->arena, &successor->input.signature);
    if (successor->input.origin.type == WF_OBJECT)
        move->input.origin = wf_value_clone(self->arena, &successor->input.origin);
    if (self->arena->failed)
        return false;
    if (!successor->changed)
        return true;
    if (explorer->limits && !copy_late(self, explorer))
        return false;
    move->kept = explorer->kept_next;
    move->timers = explorer->snapshot.extras->timers.count;
    move->works = explorer->snapshot.extras->ledger.count;
    move->key_length = explorer->timeless;
    move->key = wf_arena_take(self->arena, explorer->timeless);
    if (move->key)
        memcpy(move->key, explorer->key, explorer->timeless);
    return move->key && wf_key_order_copy(&move->order, &explorer->order, self->arena);
}

static bool meets(wf_explorer *explorer, const wf_successor *successor, uint32_t goal)
{
    if (successor->changed)
        wf_coverage_taken(&explorer->coverage, &explorer->step);
    return wf_coverage_has(&explorer->coverage, goal);
}

static int32_t look(void *user, wf_explorer *explorer, const wf_successor *successor)
{
    lookup *self = user;
    if (self->goal)
        self->found = meets(explorer, successor, *self->goal);
    else if (!self->key)
        (void)wf_check_successor(explorer, successor, is_diagnostic, self);
    else
        self->found = successor->changed && explorer->key_length == self->key_length &&
                      memcmp(explorer->key, self->key, self->key_length) == 0;
    if (self->found && self->fits)
        self->found = self->fits(self->user, explorer, successor);
    wf_forget_reached(explorer);
    if (!self->found)
        return WFSM_OK;
    return copy_move(self, explorer, successor) ? WFSM_EXISTS : WFSM_NO_MEMORY;
}

static bool add_move(wf_search *self, wf_trace *trace, const wf_trace_move *move)
{
    wf_trace_move *moves = wf_grow(self->explorer.allocator, trace->moves, &trace->capacity,
                                   trace->count + 1, sizeof *moves);
    if (!moves)
        return false;
    trace->moves = moves;
    moves[trace->count++] = *move;
    return true;
}

static int32_t finish(wf_search *self, lookup *it, int32_t status, wf_trace *trace)
{
    if (status == WFSM_OK)
        return WFSM_NOT_FOUND;
    if (status != WFSM_EXISTS)
        return status;
    return add_move(self, trace, &it->move) ? WFSM_OK : WFSM_NO_MEMORY;
}

static int32_t find_at_start(wf_search *self, lookup *it, wf_trace *trace)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < self->explorer.input_count && status == WFSM_OK; i++)
        status =
            wf_successors_at_start(&self->explorer, i, &self->explorer.inputs[i], look, it);
    return finish(self, it, status, trace);
}

static int32_t find_from(wf_search *self, uint32_t state, lookup *it, wf_trace *trace)
{
    size_t length;
    const uint8_t *key = wf_state_space_key(&self->space, state, &length);
    int32_t status = wf_state_key_restore(&self->explorer, key, length);
    if (status == WFSM_OK)
        status = wf_successors_of_state(&self->explorer, key, length, look, it);
    return finish(self, it, status, trace);
}

static int32_t step_by(wf_search *self, uint32_t from, lookup *it, wf_trace *trace)
{
    wf_forget_reached(&self->explorer);
    return from == WF_NONE ? find_at_start(self, it, trace) : find_from(self, from, it, trace);
}

/* The move from a state, or from the start, to a state. */
static int32_t step_to(wf_search *self, uint32_t from, uint32_t to, wf_arena *arena,
                       wf_trace *trace)
{
    lookup it = {.arena = arena};
    WF_INVARIANT(to < self->space.count && (from == WF_NONE || from < self->space.count));
    it.key = wf_state_space_key(&self->space, to, &it.key_length);
    return step_by(self, from, &it, trace);
}

int32_t wf_trace_step(wf_search *self, uint32_t from, uint32_t to, wf_move_test *fits,
                      void *user, wf_arena *arena, wf_trace *trace)
{
    lookup it = {.arena = arena, .fits = fits, .user = user};
    it.key = wf_state_space_key(&self->space, to, &it.key_length);
    return step_by(self, from, &it, trace);
}

int32_t wf_trace_look(wf_search *self, uint32_t from, uint32_t to, const wf_trace_wish *wish,
                      wf_arena *arena)
{
    wf_trace trace = {0};
    lookup it = {
        .arena = arena, .diagnostic = wish->found, .fits = wish->fits, .user = wish->user};
    if (to != WF_NONE)
        it.key = wf_state_space_key(&self->space, to, &it.key_length);
    int32_t status = step_by(self, from, &it, &trace);
    wf_trace_free(self, &trace);
    return status;
}

static int32_t walk_to(wf_search *self, uint32_t state, wf_arena *arena, wf_trace *trace)
{
    size_t count = 0;
    int32_t status = WFSM_OK;
    if (state == WF_NONE)
        return WFSM_OK;
    for (uint32_t s = state; s != WF_NONE; s = self->space.parents[s])
        count++;
    uint32_t *list = wf_new(self->explorer.allocator, count * sizeof *list);
    if (!list)
        return WFSM_NO_MEMORY;
    for (uint32_t s = state, i = (uint32_t)count; s != WF_NONE; s = self->space.parents[s])
        list[--i] = s;
    for (size_t i = 0; i < count && status == WFSM_OK; i++)
        status = step_to(self, i == 0 ? WF_NONE : list[i - 1], list[i], arena, trace);
    wf_free(self->explorer.allocator, list);
    return status;
}

static int32_t walk_round(wf_search *self, const wf_search_diagnostic *found, wf_arena *arena,
                          wf_trace *trace)
{
    uint32_t from = found->state;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < found->cycle_count && status == WFSM_OK; i++) {
        status = step_to(self, from, found->cycle[i], arena, trace);
        from = found->cycle[i];
    }
    return status;
}

int32_t wf_trace_find(wf_search *self, const wf_search_diagnostic *found, wf_arena *arena,
                      wf_trace *trace)
{
    lookup it = {.arena = arena, .diagnostic = found};
    *trace = (wf_trace){0};
    int32_t status = walk_to(self, found->state, arena, trace);
    if (status == WFSM_OK && !found->at_state)
        status = step_by(self, found->state, &it, trace);
    trace->cycle = trace->count;
    trace->context = found->rest;
    if (status == WFSM_OK)
        status = walk_round(self, found, arena, trace);
    WF_INVARIANT(trace->cycle <= trace->count);
    return status;
}

int32_t wf_trace_to_goal(wf_search *self, uint32_t goal, wf_arena *arena, wf_trace *way)
{
    lookup it = {.arena = arena, .goal = &goal};
    const uint32_t state = self->explorer.coverage.first[goal].state;
    *way = (wf_trace){0};
    int32_t status = walk_to(self, state, arena, way);
    wf_coverage_clear(&self->explorer.coverage);
    if (status == WFSM_OK)
        status = step_by(self, state, &it, way);
    way->cycle = way->count;
    return status;
}

bool wf_trace_repeats_an_id(const wf_trace *trace)
{
    for (size_t i = 0; i < trace->count; i++)
        for (size_t k = 0; k < i && trace->moves[i].input.id.type == WF_STRING; k++)
            if (wf_value_equal(&trace->moves[i].input.id, &trace->moves[k].input.id))
                return true;
    return false;
}

void wf_trace_free(wf_search *self, wf_trace *trace)
{
    wf_free(self->explorer.allocator, trace->moves);
    *trace = (wf_trace){0};
}
