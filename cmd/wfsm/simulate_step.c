#include "wfsm/simulate_step.h"
#include "wfsm/work_ids.h"

#include <string.h>

static void clear(sim_answer *answer)
{
    answer->result = NULL;
    answer->status = WFSM_OK;
    answer->log.length = answer->effects.length = 0;
    cli_text_add(&answer->log, "", 0);
    cli_text_add(&answer->effects, "", 0);
}

static void set_text(cli_text *text, const char *value)
{
    text->length = 0;
    cli_text_add(text, value, strlen(value));
}

/* The first failure of a line is reported. */
static void note_failure(sim_run *sim, int32_t status)
{
    sim_answer *answer = &sim->answer;
    if (answer->status != WFSM_OK)
        return;
    answer->status = status;
    set_text(&answer->message, wfsm_error_message(sim->error));
    set_text(&answer->pointer, wfsm_error_pointer(sim->error));
}

static void add_item(cli_text *list, const char *json, size_t length)
{
    if (list->length > 0)
        cli_text_add(list, ",", 1);
    cli_text_add(list, json, length);
}

/* Takes the brackets off an array. */
static void add_log(sim_run *sim, const char *json, size_t length)
{
    if (json && length > 2)
        add_item(&sim->answer.log, json + 1, length - 2);
}

static bool has_transitions(const char *record, size_t length)
{
    json_t *parts = json_loadb(record ? record : "", length, 0, NULL);
    bool any = json_array_size(json_object_get(parts, "transitions")) > 0;
    json_decref(parts);
    return any;
}

static int32_t observe(void *user, wfsm_call *call)
{
    sim_run *sim = user;
    size_t length = 0;
    const char *text = wfsm_call_log(call, &length);
    add_log(sim, text, length);
    text = wfsm_call_record(call, &length);
    sim->reacted = sim->watched && has_transitions(text, length);
    return WFSM_OK;
}

static void note_outcome(sim_run *sim, int32_t status, int32_t outcome)
{
    if (status != WFSM_OK)
        note_failure(sim, status);
    else if (outcome == WFSM_FAILED)
        note_failure(sim, wfsm_error_status(sim->error));
}

static int32_t fire_due(sim_run *sim, int32_t *fired, int32_t *outcome)
{
    int32_t status = wfsm_instance_advance(sim->instance, sim->now, fired, outcome, sim->error);
    note_outcome(sim, status, *outcome);
    sim_watch_after(&sim->watch, sim->instance, sim->error);
    return status;
}

/* How many timers a line may still fire, and what came of those that fired. */
typedef struct firing {
    int left;
    int at_once; /* left at this instant */
    bool taken;  /* one of them led to a transition */
} firing;

static bool is_spent(const firing *self)
{
    return self->left == 0 || self->at_once == 0;
}

/* Fires one timer that is due. False if none was due, or the limit of a line is reached. */
static bool fire(sim_run *sim, firing *row)
{
    int32_t fired = 0, outcome = WFSM_NO_TRANSITION;
    int32_t status = fire_due(sim, &fired, &outcome);
    if (status != WFSM_OK || !fired)
        return false;
    if (outcome == WFSM_TAKEN || outcome == WFSM_ENDED)
        row->taken = true;
    row->left--;
    row->at_once--;
    if (!is_spent(row))
        return true;
    wfsm_error_set(sim->error, WFSM_LIMIT, "more timers were due than a line may fire");
    note_failure(sim, WFSM_LIMIT);
    return false;
}

static void settle(sim_run *sim)
{
    if (sim->by_hand)
        return;
    firing row = {SIM_MOST_TIMERS, SIM_MOST_AT_ONCE, false};
    while (fire(sim, &row))
        ;
}

/* Fires one timer that is due, by hand. */
static const char *fire_one(sim_run *sim)
{
    int32_t fired = 0, outcome = WFSM_NO_TRANSITION;
    int32_t status = fire_due(sim, &fired, &outcome);
    if (status == WFSM_OK && !fired) {
        wfsm_error_set(sim->error, WFSM_NOT_FOUND, "no timer is due");
        note_failure(sim, WFSM_NOT_FOUND);
    }
    return status == WFSM_OK && fired ? wfsm_outcome_name(outcome) : "failed";
}

static const char *wait_by_hand(sim_run *sim, int64_t ms)
{
    sim->now += ms;
    sim_watch_pass(&sim->watch, sim->now, sim->error);
    return "no_transition";
}

static const char *advance(sim_run *sim, int64_t ms)
{
    int64_t goal = sim->now + ms;
    firing row = {SIM_MOST_TIMERS, SIM_MOST_AT_ONCE, false};
    int64_t deadline;
    while ((deadline = wfsm_instance_deadline(sim->instance)) <= goal) {
        if (deadline > sim->now) {
            sim->now = deadline;
            row.at_once = SIM_MOST_AT_ONCE;
        }
        if (!fire(sim, &row))
            break;
    }
    if (!is_spent(&row))
        sim->now = goal;
    sim_watch_pass(&sim->watch, sim->now, sim->error);
    if (row.taken)
        return "taken";
    return sim->answer.status == WFSM_OK ? "no_transition" : "failed";
}

static size_t length_of(const char *json)
{
    return json ? strlen(json) : 0;
}

static int32_t call(sim_run *sim, const sim_input *in, int32_t *outcome)
{
    wfsm_instance *instance = sim->instance;
    size_t length = length_of(in->json);
    char room[WORK_ID_BYTES];
    wfsm_report beside = {.size = sizeof beside,
                          .usage = in->usage,
                          .usage_length = length_of(in->usage),
                          .signature = in->signature,
                          .retry_after = in->retry_after};
    const wfsm_event event = {.size = sizeof event,
                              .name = in->name,
                              .id = in->id,
                              .data = in->json,
                              .length = length,
                              .interface = in->interface,
                              .sender = in->sender};
    const wfsm_checkpoint checkpoint = {.size = sizeof checkpoint, .id = in->name};
    const wfsm_restore_point restored = {
        .size = sizeof restored, .checkpoint = in->name, .revision = in->revision};
    const wfsm_result result = {.size = sizeof result,
                                .invocation = work_id_full(sim->store, "sim", in->name, room),
                                .output = in->json,
                                .length = length,
                                .report = &beside};
    const wfsm_failure failure = {.size = sizeof failure,
                                  .invocation = result.invocation,
                                  .failure_class = in->failure_class,
                                  .message = in->message,
                                  .report = &beside};
    wfsm_approval vote = in->vote;
    vote.id = in->id;
    if (in->kind == SIM_APPROVE)
        vote.invocation = work_id_full(sim->store, "sim", vote.invocation, room);
    switch (in->kind) {
    case SIM_EVENT:
        return wfsm_instance_send(instance, &event, sim->now, outcome, sim->error);
    case SIM_PATCH:
        return wfsm_instance_patch(instance, in->json, length, sim->now, outcome, sim->error);
    case SIM_CHECKPOINT:
        return wfsm_instance_checkpoint(instance, &checkpoint, sim->now, outcome, sim->error);
    case SIM_RESTORE:
        return wfsm_instance_restore(instance, &restored, sim->now, outcome, sim->error);
    case SIM_DONE:
        return wfsm_instance_result(instance, &result, sim->now, outcome, sim->error);
    case SIM_APPROVE:
        return wfsm_instance_approve(instance, &vote, sim->now, outcome, sim->error);
    case SIM_FAILED:
        return wfsm_instance_failure(instance, &failure, sim->now, outcome, sim->error);
    case SIM_RETRY:
        return wfsm_instance_retry(instance, result.invocation, sim->now, outcome, sim->error);
    case SIM_CLAIM:
        return wfsm_instance_claim(instance, result.invocation, "simulate", sim->now, outcome,
                                   sim->error);
    default:
        return WFSM_INVALID;
    }
}

static size_t outstanding(sim_run *sim)
{
    size_t length = 0;
    const char *text = wfsm_instance_invocations(sim->instance, &length);
    json_t *list = text ? json_loadb(text, length, 0, NULL) : NULL;
    size_t count = json_array_size(list);
    json_decref(list);
    return count;
}

/* As verify has it: a checkpoint, a claim and an event to which nothing reacts, and a vote that neither decides nor
 * leads anywhere are no steps of the workflow, although the store has a record of some. */
static bool is_step(sim_run *sim, const sim_input *input, int32_t outcome, size_t asked)
{
    size_t length = 0;
    if (input->kind == SIM_EVENT)
        return outcome != WFSM_NO_TRANSITION && outcome != WFSM_BLOCKED;
    if (input->kind == SIM_CLAIM)
        return sim->reacted;
    if (input->kind != SIM_APPROVE)
        return input->kind != SIM_CHECKPOINT;
    const char *event = wfsm_instance_event(sim->instance, &length);
    return outstanding(sim) < asked || (event && *event == '{');
}

static const char *step(sim_run *sim, const sim_input *input)
{
    int32_t outcome = 0;
    size_t asked = input->kind == SIM_APPROVE ? outstanding(sim) : 0;
    int32_t status = call(sim, input, &outcome);
    note_outcome(sim, status, outcome);
    if (is_step(sim, input, outcome, asked))
        sim_watch_after(&sim->watch, sim->instance, sim->error);
    else
        sim_watch_pass_over(&sim->watch, sim->instance);
    settle(sim);
    return status == WFSM_OK ? wfsm_outcome_name(outcome) : "failed";
}

static void add_effect(cli_text *list, const char *json, size_t length)
{
    if (list->length > 0)
        cli_text_add(list, ",", 1);
    work_id_cut_effect(list, json, length);
}

static void take_effects(sim_run *sim)
{
    const char *effect = NULL;
    size_t length = 0;
    uint64_t number = 0;
    while (wfsm_instance_next_effect(sim->instance, &effect, &length, &number, sim->error) ==
               WFSM_OK &&
           effect) {
        add_effect(&sim->answer.effects, effect, length);
        if (wfsm_instance_ack(sim->instance, number, sim->error) != WFSM_OK)
            break;
    }
}

bool sim_start(sim_run *sim, wfsm_machine *machine, const wfsm_functions *functions,
               const char *input)
{
    size_t length = 0;
    sim->machine = machine;
    sim->functions = functions;
    clear(&sim->answer);
    sim->error = cli_need(wfsm_error_new(NULL));
    sim_watch_line(&sim->watch);
    int32_t status = wfsm_memory_open(&sim->store, NULL, sim->error);
    const wfsm_start_options options = {.size = sizeof options,
                                        .id = "sim",
                                        .store = sim->store,
                                        .functions = functions,
                                        .input = input,
                                        .length = length_of(input)};
    if (status == WFSM_OK && sim->watched && !sim_watch_begin(&sim->watch, machine, sim->error))
        status = wfsm_error_status(sim->error);
    if (status == WFSM_OK)
        status = wfsm_instance_start(&sim->instance, machine, &options, sim->now, sim->error);
    sim->answer.result = status == WFSM_OK ? "started" : "failed";
    note_outcome(sim, status, WFSM_STARTED);
    if (status != WFSM_OK)
        return false;
    const char *log = wfsm_instance_log(sim->instance, &length);
    add_log(sim, log, length);
    wfsm_instance_observe(sim->instance, observe, sim);
    sim_watch_after(&sim->watch, sim->instance, sim->error);
    settle(sim);
    take_effects(sim);
    return true;
}

bool sim_step(sim_run *sim, const sim_input *input)
{
    clear(&sim->answer);
    sim_watch_line(&sim->watch);
    if (input->kind == SIM_FIRE)
        sim->answer.result = fire_one(sim);
    else if (input->kind == SIM_ADVANCE && sim->by_hand)
        sim->answer.result = wait_by_hand(sim, input->ms);
    else if (input->kind == SIM_ADVANCE)
        sim->answer.result = advance(sim, input->ms);
    else
        sim->answer.result = step(sim, input);
    take_effects(sim);
    return sim->answer.status != WFSM_NO_MEMORY && sim->answer.status != WFSM_SEALED;
}

void sim_end(sim_run *sim)
{
    sim_watch_end(&sim->watch);
    wfsm_instance_free(sim->instance);
    wfsm_store_free(sim->store);
    wfsm_error_free(sim->error);
    cli_text_free(&sim->answer.log);
    cli_text_free(&sim->answer.effects);
    cli_text_free(&sim->answer.message);
    cli_text_free(&sim->answer.pointer);
}
