#include "verify/concretize.h"
#include "verify/places.h"
#include "verify/run_times.h"

#include "base/error.h"
#include "base/memory.h"
#include "logic/json.h"
#include "verify/trace_writer.h"
#include "base/invariant.h"

enum { MOST_MOVES = 100000, RUNS_MOST = 5 };

typedef struct run {
    wf_search *self;
    wf_snapshot snapshot;
    wf_step step;
    wf_snapshot checkpoint;
    uint8_t *memory;
    wf_places places;
    wf_run_times times;
    int64_t
        *since; /* by property: the move, or with known times the time, that it waits from */
    const int64_t *at; /* when each move is made, if that is known; NULL: all of them at 0 */
    int64_t now;
    wf_coverage *coverage; /* NULL: nobody wants to know */
    const wf_concrete *told; /* of each step */
    wf_arena arena;
    wf_value *began; /* the context where the cycle begins; NULL: there is none */
    bool timely; /* times were found that fit the run */
    bool same;
} run;

/* ---- what is met ---- */

static void selected(void *user, const wf_event *event)
{
    (void)user, (void)event;
}

static void preempted(void *user, uint32_t first, uint32_t second)
{
    (void)user, (void)first, (void)second;
}

static void asked(void *user, const wf_guard *guard, bool yes)
{
    wf_coverage_asked(user, guard, yes);
}

/* ---- time ---- */

/* A time limit has passed at a move, or has not. */
static bool note_limits(run *run_, uint32_t move, const uint8_t *late)
{
    const wfsm_machine *machine = run_->self->explorer.machine;
    for (uint32_t i = 0; i < machine->property_count; i++) {
        const wf_property *self = &machine->properties[i];
        uint32_t began = (uint32_t)run_->since[i];
        bool waits = self->limited && run_->memory[self->byte] != 0;
        if (waits &&
            !(late[i] ? wf_run_times_between(&run_->times, began, move, self->within + 1)
                      : wf_run_times_between(&run_->times, move, began, -self->within)))
            return false;
        if (!waits || late[i])
            run_->since[i] = move;
    }
    return true;
}

/* ---- steps ---- */

static void give_answers(wf_explorer *explorer, const wf_trace_move *move, const wf_step *step)
{
    explorer->choices.count = 0;
    explorer->choices.fixed = move->answer_count;
    memcpy(explorer->choices.answer, move->answers, sizeof move->answers);
    explorer->given = move->patches;
    explorer->given_count = move->patch_count;
    explorer->asking = step;
}

/* Compares the configuration with that of the state that the search found: the first bytes of the
 * key. */
static bool has_configuration(const run *run_, const wf_trace_move *move)
{
    const wf_snapshot *snapshot = &run_->snapshot;
    if (!move->key || move->key[0] != (uint8_t)snapshot->status)
        return false;
    for (uint32_t i = 0; i < run_->self->explorer.state_bytes; i++)
        if (move->key[1 + i] != (uint8_t)(snapshot->active[i / 8] >> (i % 8 * 8)))
            return false;
    return true;
}

/* Over symbols a delay, or a list of items, may not be known: then the search has set no timer, or started
 * nothing, and the run has. */
static bool has_same_work(const run *run_, const wf_trace_move *move)
{
    const wf_extras *extras = run_->snapshot.extras;
    return move->timers == extras->timers.count && move->works == extras->ledger.count;
}

static bool follow_places(run *run_, const wf_trace_move *move)
{
    wf_places *places = &run_->places;
    if (move->input.kind == WF_INPUT_CHECKPOINT && !wf_places_keep(places, &run_->snapshot))
        return false;
    if (move->input.kind == WF_INPUT_RESTORE &&
        !wf_places_go_back(places, run_->snapshot.revision + 1,
                           run_->step.before.singles.timer_number))
        return false;
    return wf_places_after(places, &run_->snapshot, &move->order);
}

/* Sets explorer->late for the move: from the times, if they are known, and otherwise as the search has
 * decided. */
static bool find_late(run *run_, const wf_trace_move *move, uint32_t number)
{
    wf_explorer *explorer = &run_->self->explorer;
    if (!explorer->limits)
        return true;
    if (run_->at) {
        wf_monitor_find_late(explorer->machine, run_->memory, run_->now, run_->since,
                             explorer->late);
        return true;
    }
    memset(explorer->late, 0, explorer->machine->property_count);
    if (move->late)
        memcpy(explorer->late, move->late, explorer->machine->property_count);
    return note_limits(run_, number, explorer->late);
}

/* Compares the state with the one that the search found. */
static int32_t compare(run *run_, const wf_trace_move *move, uint32_t number,
                       const wf_input *input, int32_t outcome)
{
    wf_explorer *explorer = &run_->self->explorer;
    wf_timer_bounds none;
    wf_timer_bounds_clear(&none);
    int32_t status = WFSM_OK;
    explorer->kept_next = move->kept;
    if (!follow_places(run_, move) || !find_late(run_, move, number))
        return WFSM_NO_MEMORY;
    if (input->kind != WF_INPUT_CHECKPOINT)
        status = wf_input_observe(explorer, &run_->step, input, outcome, run_->memory);
    if (status == WFSM_OK && explorer->symbolic) {
        run_->same &= has_configuration(run_, move) && has_same_work(run_, move);
        return run_->step.arena.failed ? WFSM_NO_MEMORY : WFSM_OK;
    }
    explorer->order = run_->places.order;
    if (status == WFSM_OK)
        status = wf_state_key_write_as(explorer, &run_->snapshot, run_->memory, &none);
    if (status == WFSM_OK && (!move->key || explorer->timeless != move->key_length ||
                              memcmp(explorer->key, move->key, move->key_length) != 0))
        run_->same = false;
    return status == WFSM_NO_MEMORY ? status : WFSM_OK;
}

/* ---- people ---- */

/* Casts the votes of a decision. All but the last are committed; the draft of the last one stays
 * open. */
static int32_t vote(run *run_, const wf_input *input, wf_trace_writer *writer, int32_t *outcome)
{
    const wf_list *ledger = &run_->snapshot.extras->ledger;
    uint32_t count = wf_decision_votes(wf_invocation_at(ledger, input->place), &input->data);
    int32_t status = WFSM_OK;
    int verdict = WF_VERDICT_COUNTED;
    wf_buffer_clear(&writer->text);
    wf_buffer_clear(&writer->script);
    if (count == 0) { /* values of symbols that no vote gives */
        status = wf_step_begin(&run_->step, run_->now);
        return status == WFSM_OK ? WFSM_NOT_FOUND : status;
    }
    for (uint32_t i = 0; i < count && status == WFSM_OK && verdict == WF_VERDICT_COUNTED; i++) {
        const wf_invocation *self = wf_invocation_at(ledger, input->place);
        wf_value given = wf_decision_vote(&writer->arena, self, &input->data, i);
        if (given.type == WF_ABSENT)
            return WFSM_NO_MEMORY;
        wf_trace_writer_vote(writer, &given);
        wf_step_begin(&run_->step, run_->now);
        status = wf_step_approval(&run_->step, &given, WF_VERDICT_UNKNOWN, &verdict, outcome);
        if (i + 1 < count && status == WFSM_OK && verdict == WF_VERDICT_COUNTED) {
            status = wf_step_prepare(&run_->step);
            if (status == WFSM_OK)
                wf_step_commit(&run_->step);
        }
    }
    return status;
}

static bool is_refusal(const wf_input *input)
{
    return input->kind == WF_INPUT_EVENT && input->name.type == WF_STRING &&
           strcmp(input->name.as.text, WF_APPROVAL_REFUSED) == 0;
}

/* A vote for an invocation that never was. Other reasons for a refusal are not made concrete. */
static int32_t refused_vote(run *run_, wf_trace_writer *writer, int32_t *outcome)
{
    static const char *const members[][2] = {
        {"invocation", "sim/0/0"}, {"by", "anybody"}, {"decision", "approve"}, {"digest", ""}};
    wf_member *list = wf_arena_take(&writer->arena, 4 * sizeof *list);
    int verdict = 0;
    wf_buffer_clear(&writer->text);
    wf_buffer_clear(&writer->script);
    if (!list)
        return WFSM_NO_MEMORY;
    for (int i = 0; i < 4; i++)
        wf_member_set(&list[i], members[i][0], strlen(members[i][0]),
                      wf_string_z(members[i][1]));
    wf_value given = wf_object(list, 4);
    wf_trace_writer_vote(writer, &given);
    wf_step_begin(&run_->step, run_->now);
    return wf_step_approval(&run_->step, &given, WF_VERDICT_UNKNOWN, &verdict, outcome);
}

/* ---- checkpoints ---- */

static bool copy_timers(run *run_, wf_extras *to, const wf_extras *from, uint32_t move)
{
    for (size_t i = 0; i < from->timers.count; i++) {
        wf_timer timer = *wf_timer_at(&from->timers, i);
        timer.due = run_->at ? wf_run_times_due(&run_->times, timer.number)
                             : wf_run_times_keep(&run_->times, move, timer.number);
        if (timer.due < 0 || !wf_list_add(run_->self->explorer.allocator, wf_kind_of(WF_TIMERS),
                                          &to->timers, &timer))
            return false;
    }
    return true;
}

static bool copy_ledger(const run *run_, wf_extras *to, const wf_extras *from)
{
    for (size_t i = 0; i < from->ledger.count; i++) {
        if (!wf_list_add(run_->self->explorer.allocator, wf_kind_of(WF_LEDGER), &to->ledger,
                         wf_invocation_at(&from->ledger, i)))
            return false;
    }
    return true;
}

static bool copy_context(wf_snapshot *to, const wf_snapshot *from)
{
    const wf_names *keys = wf_snapshot_keys(from);
    for (uint32_t i = 0; i < from->slot_count; i++) {
        if (from->slots[i].type == WF_ABSENT)
            continue;
        uint32_t slot = wf_snapshot_slot(to, keys->list[i].text, keys->list[i].length);
        if (slot == WF_NONE ||
            !wf_snapshot_copy_value(to, slot, &from->slots[i], &to->slots[slot]))
            return false;
    }
    return true;
}

static bool keep_checkpoint(run *run_, uint32_t move)
{
    const wfsm_machine *machine = run_->self->explorer.machine;
    const wf_snapshot *from = &run_->snapshot;
    wf_snapshot *to = &run_->checkpoint;
    wf_snapshot_fini(to);
    if (!wf_snapshot_init(to, from->machine, from->allocator) || !wf_snapshot_extras(to))
        return false;
    wf_set_copy(to->active, from->active, machine->words);
    wf_set_copy(wf_own_extras(to)->histories, from->extras->histories,
                machine->history_count * machine->words);
    to->status = from->status;
    to->now = run_->now;
    return copy_context(to, from) && copy_timers(run_, wf_own_extras(to), from->extras, move) &&
           copy_ledger(run_, wf_own_extras(to), from->extras);
}

/* A checkpoint is a commit of its own, in which nothing changes. */
static int32_t checkpoint(run *run_, wf_trace_writer *writer, const wf_input *input,
                          uint32_t move, int32_t *outcome)
{
    wf_trace_writer_before(writer, &run_->step, input);
    *outcome = WFSM_TAKEN;
    if (!keep_checkpoint(run_, move))
        return WFSM_NO_MEMORY;
    return wf_step_begin(&run_->step, run_->now);
}

/* A name that the solver found for `*`. */
static bool never_comes_from_outside(const wf_input *input)
{
    return input->kind == WF_INPUT_EVENT && input->name.type == WF_STRING &&
           wf_event_reserved(input->name.as.text);
}

static int32_t run_input(run *run_, const wf_input *input, uint32_t move,
                         wf_trace_writer *writer, int32_t *outcome)
{
    if (wf_input_is_decision(&run_->snapshot, input))
        return vote(run_, input, writer, outcome);
    if (is_refusal(input))
        return refused_vote(run_, writer, outcome);
    if (input->kind == WF_INPUT_CHECKPOINT)
        return checkpoint(run_, writer, input, move, outcome);
    wf_trace_writer_before(writer, &run_->step, input);
    if (input->kind == WF_INPUT_RESTORE) {
        wf_step_begin(&run_->step, run_->now);
        return run_->checkpoint.machine
                   ? wf_step_restore(&run_->step, &run_->checkpoint, outcome)
                   : WFSM_NOT_FOUND;
    }
    wf_step_begin(&run_->step, run_->now);
    return never_comes_from_outside(input) ? WFSM_INVALID
                                           : wf_input_run(&run_->step, input, outcome);
}

/* The move makes no step, so that no property was asked. The search may know that. */
static void miss(run *run_, const wf_trace_move *move)
{
    wf_explorer *explorer = &run_->self->explorer;
    run_->same &= !move->key;
    memset(explorer->verdicts, 0, explorer->machine->property_count);
}

/* Runs one move, writes it and commits it. */
static int32_t go(run *run_, const wf_trace_move *move, const wf_input *input, uint32_t number,
                  wf_trace_writer *writer)
{
    int32_t outcome = 0;
    run_->now = run_->at ? run_->at[number] : 0;
    give_answers(&run_->self->explorer, move, &run_->step);
    int32_t status = run_input(run_, input, number, writer, &outcome);
    run_->self->explorer.given = NULL;
    if (status == WFSM_NO_MEMORY)
        return status;
    bool changed = status == WFSM_OK && wf_input_changes(input, outcome);
    if (changed && run_->coverage)
        wf_coverage_taken(run_->coverage, &run_->step);
    if (changed)
        status = compare(run_, move, number, input, outcome);
    else
        miss(run_, move);
    if (status == WFSM_NO_MEMORY)
        return status;
    wf_trace_writer_after(writer, &run_->step, input, outcome, status);
    if (changed && wf_step_prepare(&run_->step) != WFSM_OK)
        return WFSM_NO_MEMORY;
    if (changed)
        wf_step_commit(&run_->step);
    else
        wf_step_rollback(&run_->step);
    if (changed && run_->told->stepped)
        run_->told->stepped(run_->told->user, number, input, &run_->snapshot);
    return wf_run_times_after(&run_->times, number) ? WFSM_OK : WFSM_NO_MEMORY;
}

/* With these values the start may fail, although it does not over symbols. */
static bool has_started(const run *run_)
{
    return wf_set_next(run_->snapshot.active, run_->snapshot.machine->words, 0) != WF_NONE;
}

static bool keep_beginning(run *run_)
{
    run_->began = wf_context_copy(&run_->snapshot, &run_->arena);
    return run_->began != NULL;
}

static int32_t go_all(run *run_, const wf_trace *trace, wf_trace_writer *writer)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < trace->count && i < MOST_MOVES && status == WFSM_OK; i++) {
        const wf_trace_move *move = &trace->moves[i];
        const wf_input input = wf_places_input(&run_->places, &run_->snapshot, &move->input);
        const bool there = wf_input_has_place(&input, &run_->snapshot);
        run_->same &= there;
        if (!there)
            break;
        if (!wf_run_times_before(&run_->times, (uint32_t)i, &input) ||
            (i == trace->cycle && !keep_beginning(run_)))
            return WFSM_NO_MEMORY;
        wf_trace_writer_move(writer, i, trace->cycle);
        status = go(run_, move, &input, (uint32_t)i, writer);
        if (status == WFSM_OK && i + 1 < trace->count && !has_started(run_)) {
            run_->same = false;
            break;
        }
    }
    return status;
}

static bool begin(run *run_, wf_search *self, size_t moves)
{
    const wfsm_allocator *allocator = self->explorer.allocator;
    *run_ = (run){.self = self, .same = true};
    wf_arena_init(&run_->arena, allocator, 0);
    wf_places_begin(&run_->places, allocator);
    run_->memory = wf_new(allocator, self->explorer.memory_size + 1);
    run_->since =
        wf_new(allocator, (self->explorer.machine->property_count + 1u) * sizeof *run_->since);
    if (!wf_run_times_begin(&run_->times, &self->explorer, &run_->snapshot, moves) ||
        !run_->memory || !run_->since ||
        !wf_snapshot_init(&run_->snapshot, self->explorer.machine, allocator))
        return false;
    if (!wf_step_init(&run_->step, &run_->snapshot, "sim"))
        return false;
    run_->step.host = wf_choosing_host(&self->explorer);
    return true;
}

static void end(run *run_)
{
    const wfsm_allocator *allocator = run_->self->explorer.allocator;
    wf_step_fini(&run_->step);
    wf_places_end(&run_->places);
    wf_snapshot_fini(&run_->snapshot);
    wf_snapshot_fini(&run_->checkpoint);
    wf_arena_fini(&run_->arena);
    wf_free(allocator, run_->memory);
    wf_free(allocator, run_->since);
    wf_run_times_end(&run_->times);
}

/* The run has begun. */
static int32_t run_at(run *run_, const wf_trace *trace, const int64_t *at,
                      const wf_concrete *told, wf_trace_writer *writer)
{
    wf_coverage *coverage = told->coverage;
    wf_step_observer observer = {coverage, selected, preempted, asked, NULL};
    run_->at = at;
    run_->coverage = coverage;
    run_->told = told;
    run_->step.observer = coverage ? &observer : NULL;
    if (coverage)
        wf_coverage_clear(coverage);
    int32_t status = go_all(run_, trace, writer);
    run_->step.observer = NULL;
    if (status == WFSM_OK && !at)
        run_->timely = wf_run_times_solve(&run_->times, trace->count);
    return status;
}

static int32_t begin_at(run *run_, wf_search *self, const wf_trace *trace,
                        wf_trace_writer *writer)
{
    wf_trace_writer_begin(writer, &self->explorer, self->explorer.allocator);
    return begin(run_, self, trace->count) ? WFSM_OK : WFSM_NO_MEMORY;
}

/* The same run once more: with what timers have left at checkpoints at the times that were found, or if there
 * are none, with timers that are overdue there. */
static int32_t run_with_left(run *run_, const wf_trace *trace, const wf_concrete *told,
                             wf_trace_writer *writer)
{
    wf_search *self = run_->self;
    const bool timely = run_->timely;
    wf_kept_timers before = wf_run_times_take_left(&run_->times);
    wf_trace_writer_end(writer);
    end(run_);
    int32_t status = begin_at(run_, self, trace, writer);
    wf_run_times_give_left(&run_->times, before);
    if (!timely) {
        run_->times.left = WF_LEFT_NOTHING;
        run_->times.kept_before = 0;
    }
    return status == WFSM_OK ? run_at(run_, trace, NULL, told, writer) : status;
}

static bool has_other_left(run *run_)
{
    if (run_->timely)
        return !wf_run_times_find_left(&run_->times);
    return run_->times.kept.count > 0 && run_->times.left == WF_LEFT_ALL;
}

/* What timers have left at checkpoints depends on the times of the run, and these depend on it. */
static int32_t run_first(run *run_, wf_search *self, const wf_trace *trace,
                         const wf_concrete *told, wf_trace_writer *writer)
{
    int32_t status = begin_at(run_, self, trace, writer);
    if (status == WFSM_OK)
        status = run_at(run_, trace, NULL, told, writer);
    for (int i = 0; status == WFSM_OK && i < RUNS_MOST && has_other_left(run_); i++)
        status = run_with_left(run_, trace, told, writer);
    run_->timely = run_->timely && wf_run_times_find_left(&run_->times);
    run_->same &= run_->timely;
    return status;
}

static bool depends_on_time(const wf_explorer *explorer)
{
    return explorer->cones.clock || explorer->cones.spent_time || explorer->limits;
}

/* Where rules or time limits depend on the time, the run is made again at the times that were found. */
static int32_t run_again(run *first, const wf_trace *trace, wf_trace_writer *writer)
{
    run again;
    wf_forget_reached(&first->self->explorer);
    wf_trace_writer_end(writer);
    int32_t status = begin_at(&again, first->self, trace, writer);
    if (status == WFSM_OK)
        status = run_at(&again, trace, first->times.at, first->told, writer);
    first->same &= again.same;
    end(&again);
    return status;
}

int32_t wf_concretize(wf_search *self, const wf_trace *trace, wf_concrete *concrete)
{
    run run_;
    wf_trace_writer writer;
    int32_t status = run_first(&run_, self, trace, concrete, &writer);
    if (status == WFSM_OK && depends_on_time(&self->explorer))
        status = run_again(&run_, trace, &writer);
    /* No times fit the run, so it violates nothing. */
    if (status == WFSM_OK && !run_.timely)
        memset(self->explorer.verdicts, 0, self->explorer.machine->property_count);
    if (status == WFSM_OK)
        wf_trace_writer_finish(&writer, run_.times.at, &concrete->text, &concrete->script);
    if (status == WFSM_OK && trace->wait > 0)
        wf_trace_writer_wait(trace->wait, &concrete->text, &concrete->script);
    if (writer.failed || concrete->text.failed || concrete->script.failed)
        status = WFSM_NO_MEMORY;
    concrete->round = run_.began && wf_context_is(&run_.snapshot, run_.began) &&
                      !depends_on_time(&self->explorer);
    concrete->same =
        run_.same && (!trace->context || wf_context_fits(&run_.snapshot, trace->context));
    wf_trace_writer_end(&writer);
    end(&run_);
    return status == WFSM_OK ? WFSM_OK : wf_no_memory(self->explorer.error);
}
