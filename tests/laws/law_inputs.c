/* Laws of one input. */
#include "law.h"

#include <stdlib.h>
#include <string.h>
#include "chance.h"
#include "../given.h"

void check_configuration(const wf_snapshot *snapshot)
{
    const wfsm_machine *machine = snapshot->machine;
    for (uint32_t s = 0; s < machine->state_count; s++) {
        const wf_state *state = &machine->states[s];
        bool active = wf_set_has(snapshot->active, s);
        uint32_t on = 0, all = 0;
        for (uint32_t c = s + 1; c < state->end; c = machine->states[c].end)
            if (machine->states[c].type < WF_SHALLOW) {
                all++;
                on += wf_set_has(snapshot->active, c);
            }
        uint32_t want = !active || all == 0 ? 0 : state->type == WF_PARALLEL ? all : 1;
        if (on != want || (active && state->type >= WF_SHALLOW) || (s == 0 && !active))
            broken("the configuration is legal", state->path.text, "");
    }
    counts.checks++;
}

static void check_loading(world *self)
{
    wfsm_instance *again = world_load(self);
    char *left = bytes_of(self->instance), *right = bytes_of(again);
    same(left, right, "loading gives the same bytes");
    free(left);
    free(right);
    wfsm_instance_free(again);
}

/* What was, before an input. */
typedef struct before {
    char *bytes;
    uint64_t revision, timer_number;
    int64_t now;
    bool running;
    uint64_t due_number; /* of the timer that is next; 0: none */
    int64_t due;
    int64_t limit; /* the first time limit of an invocation, or WFSM_NEVER */
} before;

static before look(const wfsm_instance *instance)
{
    const wf_snapshot *snapshot = &instance->snapshot;
    before seen = {bytes_of(instance),
                   snapshot->revision,
                   snapshot->extras->singles.timer_number,
                   snapshot->now,
                   snapshot->status == WFSM_RUNNING,
                   0,
                   WFSM_NEVER,
                   WFSM_NEVER};
    for (size_t i = 0; i < snapshot->extras->timers.count; i++) {
        const wf_timer *timer = wf_timer_at(&snapshot->extras->timers, i);
        if (timer->due < seen.due ||
            (timer->due == seen.due && timer->number < seen.due_number)) {
            seen.due = timer->due;
            seen.due_number = timer->number;
        }
    }
    for (size_t i = 0; i < snapshot->extras->ledger.count; i++)
        if (wf_invocation_at(&snapshot->extras->ledger, i)->status == WF_RUNNING &&
            wf_invocation_at(&snapshot->extras->ledger, i)->due < seen.limit)
            seen.limit = wf_invocation_at(&snapshot->extras->ledger, i)->due;
    return seen;
}

static void unchanged(const before *seen, const wfsm_instance *instance, const char *law)
{
    char *bytes = bytes_of(instance);
    same(seen->bytes, bytes, law);
    free(bytes);
}

/* Between what every commit changes and the checksum. */
static char *body_of(char *bytes)
{
    bytes[strlen(bytes) - WF_CHECKSUM_BYTES] = '\0';
    return strstr(bytes, "\"configuration\"");
}

/* A step that failed, and whose error nobody took, has only been counted. */
static void check_dropped_draft(const wfsm_instance *instance, const before *seen)
{
    char *left = strcpy(malloc(strlen(seen->bytes) + 1), seen->bytes);
    char *right = bytes_of(instance);
    same(body_of(left), body_of(right), "a dropped draft leaves nothing behind");
    counts.dropped++;
    free(left);
    free(right);
}

static void check_failing_commit(world *self, const input *given, const before *seen)
{
    int32_t outcome;
    self->gate.fail_at = self->gate.commits + 1;
    int32_t status = world_give(self, given, &outcome);
    self->gate.fail_at = 0;
    holds(status == WFSM_OK || status == WFSM_STORE_FAILED || status == WFSM_NOT_FOUND ||
              status == WFSM_DENIED || status == WFSM_SEMANTIC || status == WFSM_LIMIT,
          "a failing commit has a status that is known");
    unchanged(seen, self->instance, "a failed commit leaves nothing behind");
}

/* True: it was taken after all, the memory sufficed. */
static bool check_failing_memory(world *self, const input *given, const before *seen,
                                 uint32_t allocation, int32_t *status, int32_t *outcome)
{
    self->memory.fail_at = self->memory.calls + 1 + allocation;
    *status = world_give(self, given, outcome);
    bool failed = self->memory.calls >= self->memory.fail_at;
    self->memory.fail_at = 0;
    if (!failed)
        return true;
    if (*status != WFSM_NO_MEMORY)
        return true;
    unchanged(seen, self->instance, "without memory nothing happens");
    return false;
}

typedef struct prediction {
    char *record; /* NULL: none */
    int32_t outcome;
} prediction;

static prediction predict(world *self, const input *given, const before *seen)
{
    wfsm_preview preview = {.size = sizeof preview};
    prediction made = {NULL, 0};
    int32_t status = wfsm_instance_can(self->instance,
                                       EVENT(given->name, .data = given->data,
                                             .length = !given->data ? 0 : strlen(given->data)),
                                       given->now, &made.outcome, &preview, self->error);
    holds(status == WFSM_OK, "a dry run works");
    if (preview.record)
        made.record = strcpy(malloc(preview.length + 1), preview.record);
    unchanged(seen, self->instance, "a dry run changes nothing");
    return made;
}

static void check_prediction(world *self, prediction *said, bool committed, int32_t outcome)
{
    size_t length;
    holds(said->outcome == outcome, "a dry run predicts the outcome");
    holds((said->record != NULL) == committed, "a dry run predicts whether there is a record");
    if (committed)
        same(said->record, wfsm_instance_record(self->instance, &length),
             "a dry run predicts the record");
    free(said->record);
}

/* That of the last input, as it rests with the machine. */
static const wf_step *last_step(const world *self)
{
    return &((const wf_scratch *)(const void *)self->instance->snapshot.machine->spare)->step;
}

static void check_time(const world *self, const input *given, const before *seen,
                       bool committed)
{
    const wf_snapshot *snapshot = &self->instance->snapshot;
    uint64_t fired = last_step(self)->consumed_timer;
    int64_t now = given->now > seen->now ? given->now : seen->now;
    holds(snapshot->now >= seen->now, "time never runs back");
    for (size_t i = 1; i < snapshot->extras->timers.count; i++)
        holds(wf_timer_at(&snapshot->extras->timers, i - 1)->number <
                  wf_timer_at(&snapshot->extras->timers, i)->number,
              "timers are kept in the order of their making");
    if (given->kind != INPUT_ADVANCE || !seen->running)
        return;
    bool due = seen->due <= now || seen->limit <= now;
    holds(due == committed, "what is due fires, and nothing else");
    if (!committed)
        return;
    holds(fired == (seen->due <= seen->limit ? seen->due_number : 0),
          "timers fire in the order of deadline and age");
    for (size_t i = 0; i < snapshot->extras->timers.count; i++)
        holds(wf_timer_at(&snapshot->extras->timers, i)->number != fired, "a timer fires once");
}

static bool is_refusal(int32_t status)
{
    return status == WFSM_NOT_FOUND || status == WFSM_DENIED || status == WFSM_SEMANTIC;
}

static void check_after(world *self, const input *given, const before *seen, int32_t status,
                        int32_t outcome, bool failed_memory)
{
    uint64_t revision = wfsm_instance_revision(self->instance);
    bool committed = revision > seen->revision;
    if (status != WFSM_OK && !is_refusal(status) && status != WFSM_NO_MEMORY)
        broken(wfsm_error_message(self->error), wfsm_status_name(status), "");
    holds(status != WFSM_NO_MEMORY || failed_memory, "there is memory");
    holds(revision - seen->revision <= 1, "an input is one commit");
    if (!committed)
        unchanged(seen, self->instance, "without a commit nothing changes");
    if (committed && given->kind == INPUT_SEND && outcome == WFSM_FAILED &&
        last_step(self)->taken_count == 0)
        check_dropped_draft(self->instance, seen);
    check_time(self, given, seen, committed);
    check_configuration(&self->instance->snapshot);
}

void watch_input(world *self, uint64_t seed, int index)
{
    chance random = {seed ^ ((uint64_t)index << 32)};
    input given = world_choose(self, seed, index);
    before seen = look(self->instance);
    bool predicted = given.kind == INPUT_SEND && given.id[0] == '\0' && seen.running;
    bool done = false, scarcity = draw_percent(&random, 12);
    prediction said = {NULL, 0};
    int32_t outcome = 0, status = WFSM_OK;
    at.index = index;
    at.input = input_name(given.kind);
    if (predicted)
        said = predict(self, &given, &seen);
    if (given.kind != INPUT_POST || seen.running)
        check_failing_commit(self, &given, &seen);
    if (scarcity)
        done = check_failing_memory(self, &given, &seen, draw(&random, 60), &status, &outcome);
    if (!done)
        status = world_give(self, &given, &outcome);
    check_after(self, &given, &seen, status, outcome, scarcity);
    if (predicted)
        check_prediction(self, &said, wfsm_instance_revision(self->instance) > seen.revision,
                         outcome);
    world_settle(self, &given);
    check_loading(self);
    free(seen.bytes);
    counts.inputs++;
}
