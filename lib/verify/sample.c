#include "verify/sample.h"

#include "base/error.h"
#include "base/memory.h"
#include "verify/draw_input.h"
#include "verify/trace_writer.h"

enum { RUNS_MOST = 1500, MOVES = 20 };

typedef struct sample {
    wf_search *self;
    wf_arena kept, arena; /* of all runs; of the run at hand */
    wf_inputs inputs;
    wf_snapshot snapshot;
    wf_step step;
    uint8_t *memory; /* of the monitor */
    int64_t *since; /* by property: when it began to wait */
    wf_trace_writer writer;
    uint32_t moves;
    bool is_step; /* the move at hand is a step that properties see */
    int64_t times[MOVES + 2];
    wf_value start;
} sample;

/* ---- a run ---- */

static bool begin(sample *run, uint32_t number)
{
    wf_explorer *explorer = &run->self->explorer;
    wf_arena_reset(&run->arena);
    run->inputs.draw.state = number + 1u;
    run->moves = 0;
    run->inputs.now = 0;
    memset(run->memory, 0, explorer->memory_size);
    memset(run->since, 0, explorer->machine->property_count * sizeof *run->since);
    memset(explorer->verdicts, 0, explorer->machine->property_count);
    wf_trace_writer_begin(&run->writer, explorer, explorer->allocator);
    if (!wf_snapshot_init(&run->snapshot, explorer->machine, explorer->allocator) ||
        !wf_step_init(&run->step, &run->snapshot, "sim"))
        return false;
    run->step.host = wf_choosing_host(explorer);
    return true;
}

static void end(sample *run)
{
    wf_step_fini(&run->step);
    wf_snapshot_fini(&run->snapshot);
    wf_trace_writer_end(&run->writer);
}

/* The host's guards say yes and no, in turns that are drawn. */
static void draw_answers(sample *run)
{
    wf_explorer *explorer = &run->self->explorer;
    wf_choices *choices = &explorer->choices;
    choices->count = 0;
    choices->fixed = explorer->machine->functions.count == 0 ? WF_CHOICES_MOST : 0;
    for (uint32_t i = 0; i < choices->fixed; i++)
        choices->answer[i] = (uint16_t)wf_draw_below(&run->inputs.draw, 2);
    explorer->asking = &run->step;
}

/* ---- moves ---- */

/* A voter has a name: wfsm_approve() posts no other vote. */
static wf_value voter(sample *run, const wf_invocation *self)
{
    wf_value name = wf_absent();
    if (wf_draw_below(&run->inputs.draw, 4) == 0)
        name = wf_draw_text(&run->inputs.draw);
    return name.type == WF_STRING && name.length > 0
               ? name
               : wf_voter(&run->arena, self, wf_draw_below(&run->inputs.draw, 8));
}

static int32_t vote(sample *run, const wf_input *input, int32_t *outcome)
{
    const wf_invocation *self = wf_invocation_at(&run->snapshot.extras->ledger, input->place);
    wf_value by = voter(run, self);
    bool approves = wf_draw_below(&run->inputs.draw, 3) > 0;
    wf_value reason = wf_draw_below(&run->inputs.draw, 3) == 0 ? wf_draw_text(&run->inputs.draw)
                                                               : wf_absent();
    wf_value given = wf_vote_of(&run->arena, self, approves, by, reason);
    int verdict = 0;
    if (given.type == WF_ABSENT)
        return WFSM_NO_MEMORY;
    wf_buffer_clear(&run->writer.text);
    wf_buffer_clear(&run->writer.script);
    wf_trace_writer_vote(&run->writer, &given);
    int32_t status =
        wf_step_approval(&run->step, &given, WF_VERDICT_UNKNOWN, &verdict, outcome);
    /* Properties do not see a vote that decides nothing and changes nothing. */
    run->is_step = verdict == WF_VERDICT_DECIDED ||
                   wf_step_reacted(&run->step, *outcome).type == WF_OBJECT;
    return status;
}

static int32_t run_input(sample *run, const wf_input *input, int32_t *outcome)
{
    bool fired = false;
    if (wf_input_is_of_work(input) &&
        wf_asks_person(&run->snapshot, input->place)) /* by a vote */
        return vote(run, input, outcome);
    wf_trace_writer_before(&run->writer, &run->step, input);
    if (input->kind == WF_INPUT_TIMER || input->kind == WF_INPUT_BUDGET)
        return wf_step_due(&run->step, &fired, outcome);
    return wf_input_run(&run->step, input, outcome);
}

/* The monitor sees what will be committed. */
static int32_t observe(sample *run, const wf_input *input, int32_t outcome)
{
    wf_explorer *explorer = &run->self->explorer;
    wf_monitor_find_late(explorer->machine, run->memory, run->inputs.now, run->since,
                         explorer->late);
    return wf_input_observe(explorer, &run->step, input, outcome, run->memory);
}

/* *goes_on is false if the step fails. */
static int32_t settle(sample *run, const wf_input *input, int32_t status, int32_t outcome,
                      bool *goes_on)
{
    bool changes = status == WFSM_OK && wf_input_changes(input, outcome);
    *goes_on = status == WFSM_OK;
    if (changes && run->is_step)
        status = observe(run, input, outcome);
    if (changes)
        wf_trace_writer_after(&run->writer, &run->step, input, outcome, status);
    run->moves += changes;
    if (changes && status == WFSM_OK)
        status = wf_step_prepare(&run->step);
    if (changes && status == WFSM_OK)
        wf_step_commit(&run->step);
    else
        wf_step_rollback(&run->step);
    *goes_on &= status == WFSM_OK;
    return status == WFSM_NO_MEMORY ? status : WFSM_OK;
}

static int32_t move(sample *run, const wf_input *input, bool *goes_on)
{
    int32_t outcome = 0;
    run->is_step = true;
    run->times[run->moves] = run->inputs.now;
    draw_answers(run);
    wf_trace_writer_move(&run->writer, run->moves, MOVES + 1);
    wf_step_begin(&run->step, run->inputs.now);
    int32_t status = run_input(run, input, &outcome);
    return status == WFSM_NO_MEMORY ? status : settle(run, input, status, outcome, goes_on);
}

/* ---- what was found ---- */

static int32_t tell(sample *run, uint32_t property, wf_sample_sink *sink, void *user)
{
    const wfsm_allocator *allocator = run->self->explorer.allocator;
    wf_sampled found = {.property = property, .steps = run->moves - 1, .start = run->start};
    wf_buffer_init(&found.text, allocator);
    wf_buffer_init(&found.script, allocator);
    wf_trace_writer_finish(&run->writer, run->times, &found.text, &found.script);
    bool failed = run->writer.failed || found.text.failed || found.script.failed;
    int32_t status = failed ? WFSM_NO_MEMORY : sink(user, &found);
    wf_buffer_fini(&found.text);
    wf_buffer_fini(&found.script);
    return status;
}

static int32_t tell_decided(sample *run, uint8_t *open, wf_sample_sink *sink, void *user)
{
    const wf_explorer *explorer = &run->self->explorer;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < explorer->machine->property_count && status == WFSM_OK; i++)
        if (open[i] && (explorer->verdicts[i] == WF_VERDICT_VIOLATED ||
                        explorer->verdicts[i] == WF_VERDICT_REACHED)) {
            open[i] = 0;
            status = tell(run, i, sink, user);
        }
    return status;
}

static int32_t run_once(sample *run, uint8_t *open, wf_sample_sink *sink, void *user)
{
    const wf_search *self = run->self;
    bool goes_on = true;
    run->start =
        self->explorer.inputs[wf_draw_below(&run->inputs.draw, self->explorer.input_count)];
    wf_input input = {.kind = WF_INPUT_START, .data = run->start};
    int32_t status = move(run, &input, &goes_on);
    for (int i = 0; i < MOVES && status == WFSM_OK && goes_on; i++) {
        status = tell_decided(run, open, sink, user);
        int64_t deadline = wf_snapshot_deadline(&run->snapshot, false);
        if (status != WFSM_OK || run->snapshot.status != WFSM_RUNNING ||
            !wf_draw_input(&run->inputs, deadline, &input))
            return status;
        run->inputs.now = wf_draw_time(&run->inputs, deadline, &input);
        status = move(run, &input, &goes_on);
    }
    return status;
}

/* ---- all runs ---- */

static bool prepare(sample *run)
{
    wf_explorer *explorer = &run->self->explorer;
    run->memory = wf_new(explorer->allocator, explorer->memory_size + 1);
    run->since = wf_new(explorer->allocator,
                        (explorer->machine->property_count + 1u) * sizeof *run->since);
    run->inputs.snapshot = &run->snapshot;
    return run->memory && run->since && wf_inputs_init(&run->inputs, explorer, &run->kept);
}

static bool is_any_open(const wf_search *self, const uint8_t *open)
{
    for (uint32_t i = 0; i < self->explorer.machine->property_count; i++)
        if (open[i])
            return true;
    return false;
}

/* The caller's progress may end the runs: its time is up, for example. */
static bool may_go_on(const wf_search *self)
{
    wfsm_verify_counts counts;
    if (!self->options.progress)
        return true;
    wf_search_counts(self, &counts);
    return self->options.progress(self->options.user, &counts) == WFSM_OK;
}

int32_t wf_sample(wf_search *self, uint8_t *open, wf_sample_sink *sink, void *user)
{
    const wfsm_allocator *allocator = self->explorer.allocator;
    sample run = {.self = self};
    wf_arena_init(&run.kept, allocator, 0);
    wf_arena_init(&run.arena, allocator, 0);
    int32_t status = prepare(&run) ? WFSM_OK : WFSM_NO_MEMORY;
    const uint64_t wanted = self->options.max_states / 10 + 1;
    const uint32_t runs = wanted < RUNS_MOST ? (uint32_t)wanted : RUNS_MOST;
    run.inputs.draw.arena = &run.arena;
    for (uint32_t i = 0;
         i < runs && status == WFSM_OK && is_any_open(self, open) && may_go_on(self); i++) {
        status = begin(&run, i) ? run_once(&run, open, sink, user) : WFSM_NO_MEMORY;
        end(&run);
    }
    /* A search that does not follow time limits expects that nothing is late. */
    memset(self->explorer.late, 0, self->explorer.machine->property_count);
    wf_free(allocator, run.memory);
    wf_free(allocator, run.since);
    wf_arena_fini(&run.arena);
    wf_arena_fini(&run.kept);
    return status == WFSM_NO_MEMORY ? wf_no_memory(self->explorer.error) : status;
}
