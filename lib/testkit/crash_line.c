/* testkit/crash_line.c: one line of the script. Its input, then the timers that are due
 * after it, then its effects. */
#include "crash.h"
#include "../base/invariant.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The bounds of `wfsm simulate`: events that raise each other without delay would never
 * end. */
enum { MOST_TIMERS = 100000, MOST_AT_ONCE = 2000 };

static tk_line *line_of(tk_run *run)
{
    WF_INVARIANT(run->line <= run->reference->count);
    return &run->reference->lines[run->line];
}

static const wfsm_testkit_input *input_of(const tk_run *run)
{
    return run->line ? run->options->inputs[run->line - 1] : NULL;
}

enum { ID_BYTES = 320 };

/* A script names an invocation without its incarnation, INSTANCE/REVISION/ORDINAL. Its id, or the
 * name itself if it is not outstanding. */
static const char *invocation_id(const tk_run *run, const char *name, char room[ID_BYTES])
{
    size_t length = 0, at = strlen("\"id\":\"");
    char begins[ID_BYTES + 20];
    const char *list = wfsm_instance_invocations(run->instance, &length), *found;
    if (!name)
        return NULL;
    snprintf(begins, sizeof begins, "\"id\":\"%.300s-", name);
    found = list ? strstr(list, begins) : NULL;
    if (!found)
        return name;
    snprintf(room, ID_BYTES, "%.*s", (int)strcspn(found + at, "\""), found + at);
    return room;
}

static int32_t approve(tk_run *run, const wfsm_testkit_input *in, const char *id,
                       int32_t *outcome)
{
    wfsm_approval vote = {.size = 0};
    char room[ID_BYTES];
    if (in->approval) {
        vote = *in->approval;
        vote.invocation = invocation_id(run, vote.invocation, room);
    }
    vote.id = id;
    return wfsm_instance_approve(run->instance, &vote, run->now, outcome, run->error);
}

/* An event or a vote, which an id makes idempotent. */
static int32_t send(tk_run *run, const wfsm_testkit_input *in, int32_t *outcome)
{
    char id[32];
    snprintf(id, sizeof id, "line-%zu", run->line);
    if (in->kind == WFSM_TESTKIT_APPROVE)
        return approve(run, in, in->id ? in->id : id, outcome);
    const wfsm_event event = {.size = sizeof event,
                              .name = in->name,
                              .id = in->id ? in->id : id,
                              .data = in->json,
                              .length = in->length};
    return wfsm_instance_send(run->instance, &event, run->now, outcome, run->error);
}

static int32_t call(tk_run *run, const wfsm_testkit_input *in, int32_t *outcome)
{
    wfsm_instance *instance = run->instance;
    char room[ID_BYTES];
    const wfsm_checkpoint checkpoint = {
        .size = sizeof checkpoint, .id = in->name, .artifacts = in->json, .length = in->length};
    const wfsm_restore_point from = {
        .size = sizeof from, .checkpoint = in->name, .revision = in->revision};
    const wfsm_result result = {.size = sizeof result,
                                .invocation = invocation_id(run, in->name, room),
                                .output = in->json,
                                .length = in->length};
    const wfsm_failure failure = {.size = sizeof failure,
                                  .invocation = result.invocation,
                                  .failure_class = in->failure_class};
    switch (in->kind) {
    case WFSM_TESTKIT_EVENT:
    case WFSM_TESTKIT_APPROVE:
        return send(run, in, outcome);
    case WFSM_TESTKIT_PATCH:
        return wfsm_instance_patch(instance, in->json, in->length, run->now, outcome,
                                   run->error);
    case WFSM_TESTKIT_CHECKPOINT:
        return wfsm_instance_checkpoint(instance, &checkpoint, run->now, outcome, run->error);
    case WFSM_TESTKIT_FORGET:
        return wfsm_instance_delete_checkpoint(instance, in->name, run->now, outcome,
                                               run->error);
    case WFSM_TESTKIT_RESTORE:
        return wfsm_instance_restore(instance, &from, run->now, outcome, run->error);
    case WFSM_TESTKIT_RESULT:
        return wfsm_instance_result(instance, &result, run->now, outcome, run->error);
    case WFSM_TESTKIT_FAILURE:
        return wfsm_instance_failure(instance, &failure, run->now, outcome, run->error);
    case WFSM_TESTKIT_RETRY:
        return wfsm_instance_retry(instance, result.invocation, run->now, outcome, run->error);
    default:
        return WFSM_OK;
    }
}

/* True if the status comes from the store and not from the machine. */
static bool of_the_store(const tk_run *run, int32_t status, int32_t happened)
{
    return run->plan.happened != happened || run->plan.dead || status == WFSM_CONFLICT ||
           status == WFSM_STORE_UNKNOWN || status == WFSM_SEALED ||
           status == WFSM_STORE_FAILED || status == WFSM_IO || status == WFSM_BUSY ||
           status == WFSM_CORRUPT || status == WFSM_NO_MEMORY;
}

/* After a lost answer the instance must be sealed; after a failure it must be unchanged. */
static void check_refused(tk_run *run, int32_t status, const tk_text *before)
{
    int32_t outcome = 0;
    tk_text now = {0};
    if (status == WFSM_STORE_UNKNOWN || status == WFSM_CONFLICT) {
        int32_t again = wfsm_instance_patch(run->instance, "{}", 2, run->now, &outcome, NULL);
        tk_must(run, again == WFSM_SEALED,
                "after %s the instance is not sealed: the next input answered %s",
                wfsm_status_name(status), wfsm_status_name(again));
        return;
    }
    tk_describe(run, &now);
    tk_must(run,
            before->failed || now.failed || before->length == 0 ||
                (before->length == now.length &&
                 strcmp(tk_text_read(before), tk_text_read(&now)) == 0),
            "after %s the instance is not as before", wfsm_status_name(status));
    tk_text_free(&now);
}

static bool fault_is_near(const tk_run *run)
{
    return run->plan.at > run->plan.calls && run->plan.at <= run->plan.calls + 8;
}

/* The event of this line is stored already. Sent again under its id, it must be a
 * duplicate. */
static int32_t send_again(tk_run *run, const wfsm_testkit_input *in)
{
    int32_t outcome = 0, happened = run->plan.happened;
    uint64_t revision = wfsm_instance_revision(run->instance);
    int32_t status = send(run, in, &outcome);
    if (status && of_the_store(run, status, happened))
        return status;
    tk_must(run, status == WFSM_OK && (outcome == WFSM_DUPLICATE || outcome == WFSM_ENDED),
            "an applied event that is sent again is not a duplicate: %s, %s",
            wfsm_status_name(status), wfsm_outcome_name(outcome));
    tk_must(run, wfsm_instance_revision(run->instance) == revision,
            "an applied event that is sent again made a revision");
    return WFSM_OK;
}

static void learn_input(tk_run *run, int32_t status, int32_t outcome)
{
    tk_line *line = line_of(run);
    line->status = status;
    line->outcome = outcome;
    line->input = wfsm_instance_revision(run->instance);
}

/* Compares the outcome of an input that the store did not refuse with the reference. */
static int32_t compare_input(tk_run *run, int32_t status, int32_t outcome)
{
    const tk_line *line = line_of(run);
    uint64_t revision = wfsm_instance_revision(run->instance);
    /* A delayed commit was stored after this handle was loaded. */
    if (!status && outcome == WFSM_DUPLICATE && line->outcome != WFSM_DUPLICATE &&
        (run->plan.happened || run->witness))
        return WFSM_CONFLICT;
    tk_must(run, status == line->status && outcome == line->outcome,
            "the input answered %s, %s; without faults it was %s, %s", wfsm_status_name(status),
            wfsm_outcome_name(outcome), wfsm_status_name(line->status),
            wfsm_outcome_name(line->outcome));
    tk_must(run, revision == line->input,
            "the input led to revision %" PRIu64 ", without faults to %" PRIu64, revision,
            line->input);
    return WFSM_OK;
}

static int32_t try_input(tk_run *run, const wfsm_testkit_input *in)
{
    int32_t outcome = 0, happened = run->plan.happened;
    tk_text before = {0};
    if (fault_is_near(run))
        tk_describe(run, &before);
    int32_t status = call(run, in, &outcome);
    bool refused = status && of_the_store(run, status, happened);
    if (refused && !run->plan.dead)
        check_refused(run, status, &before);
    tk_text_free(&before);
    if (refused)
        return status;
    if (run->learning) {
        learn_input(run, status, outcome);
        return tk_acknowledged(run);
    }
    status = compare_input(run, status, outcome);
    return status ? status : tk_acknowledged(run);
}

static int32_t play_input(tk_run *run)
{
    const wfsm_testkit_input *in = input_of(run);
    tk_line *line = line_of(run);
    uint64_t revision = wfsm_instance_revision(run->instance);
    if (run->learning) {
        line->before = run->line ? revision : 0;
        line->begins = run->now;
        line->input = revision;
    }
    if (!in || in->kind == WFSM_TESTKIT_ADVANCE)
        return tk_acknowledged(run);
    if (run->learning || revision == line->before)
        return try_input(run, in);
    bool has_id = in->kind == WFSM_TESTKIT_EVENT || in->kind == WFSM_TESTKIT_APPROVE;
    if (has_id && line->input > line->before)
        return send_again(run, in);
    return WFSM_OK;
}

static int32_t fire(tk_run *run, int32_t *fired)
{
    int32_t outcome = 0;
    int32_t status =
        wfsm_instance_advance(run->instance, run->now, fired, &outcome, run->error);
    return status || !*fired ? status : tk_acknowledged(run);
}

static int32_t too_many(tk_run *run)
{
    run->ended =
        wfsm_error_set(run->error, WFSM_LIMIT, "more timers were due than a line may fire");
    return WFSM_LIMIT;
}

/* Fires the timers that are due up to `goal`. The clock moves from deadline to deadline. */
static int32_t play_timers(tk_run *run, int64_t goal)
{
    int left = MOST_TIMERS, at_once = MOST_AT_ONCE;
    int32_t fired = 1, status = WFSM_OK;
    while (!status && fired) {
        int64_t deadline = wfsm_instance_deadline(run->instance);
        if (deadline > goal)
            break;
        if (deadline > run->now) {
            run->now = deadline;
            at_once = MOST_AT_ONCE;
        }
        status = fire(run, &fired);
        if (--left == 0 || --at_once == 0)
            return too_many(run);
    }
    WF_INVARIANT(status || run->now <= goal); /* the clock does not go back */
    if (!status)
        run->now = goal;
    return status;
}

static int32_t play_effects(tk_run *run)
{
    const char *effect = NULL;
    size_t length = 0;
    uint64_t number = 0;
    int32_t status;
    while (!(status = wfsm_instance_next_effect(run->instance, &effect, &length, &number,
                                                run->error)) &&
           effect && !run->broken) {
        status = tk_delivered(run, number, effect, length);
        if (!status)
            status = wfsm_instance_ack(run->instance, number, run->error);
        if (status)
            return status;
    }
    return status;
}

int32_t tk_play_line(tk_run *run)
{
    const wfsm_testkit_input *in = input_of(run);
    int64_t more = in && in->kind == WFSM_TESTKIT_ADVANCE ? in->ms : 0;
    if (!run->learning)
        run->now = line_of(run)->begins;
    int64_t goal = run->now + more;
    int32_t status = play_input(run);
    if (!status && !run->broken)
        status = play_timers(run, goal);
    if (!status && !run->broken)
        status = play_effects(run);
    tk_line *line = line_of(run);
    if (!status && run->learning)
        line->after = wfsm_instance_revision(run->instance);
    WF_INVARIANT(status || run->broken ||
                 (line->before <= line->input && line->input <= line->after));
    return status;
}
