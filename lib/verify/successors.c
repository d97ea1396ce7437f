/* verify/successors.c: the inputs that are possible in a state: timers that can be the next to
 * fire, budgets of time, results and failures of invocations, events from outside, checkpoints. */
#include "verify/successors.h"
#include "verify/data_reads.h"

#include <math.h>
#include <string.h>
#include "base/error.h"

/* ---- usage ---- */

static int32_t try_cost(wf_explorer *explorer, wf_input *input, uint32_t budget, int64_t amount,
                        wf_successor_sink *sink, void *user)
{
    const wf_name *name = &explorer->machine->budgets[budget].name;
    wf_member *member = wf_arena_take(&explorer->scratch, sizeof *member);
    if (!member)
        return wf_no_memory(explorer->error);
    wf_member_set(member, name->text, name->length, wf_number((double)amount));
    input->usage = wf_object(member, 1);
    int32_t status = wf_successors_of_input(explorer, input, sink, user);
    input->usage = wf_null();
    return status;
}

/* Amounts with which the event of the budget tells what a rule compares it with, or one more. */
static int32_t try_asked_costs(wf_explorer *explorer, wf_input *input, uint32_t budget,
                               wf_successor_sink *sink, void *user)
{
    const wf_spent *spent = wf_spent_at(&explorer->snapshot.extras->budgets, budget);
    const wf_cone *asked = explorer->used_asked[budget];
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; asked && i < 2u * asked->constant_count && status == WFSM_OK; i++) {
        double used = asked->constants[i / 2].type == WF_NUMBER
                          ? floor(asked->constants[i / 2].as.number) + i % 2
                          : 0;
        if (used > (double)spent->limit + 1 && used < 1e15)
            status = try_cost(explorer, input, budget, (int64_t)used - spent->used, sink, user);
    }
    return status;
}

/* Agents use nothing, all that is left of a budget, or one more. */
static int32_t try_costs(wf_explorer *explorer, wf_input *input, wf_successor_sink *sink,
                         void *user)
{
    int32_t status = wf_successors_of_input(explorer, input, sink, user);
    for (uint32_t i = 0; i < explorer->machine->budget_count && status == WFSM_OK; i++) {
        int64_t left = wf_spent_at(&explorer->snapshot.extras->budgets, i)->limit -
                       wf_spent_at(&explorer->snapshot.extras->budgets, i)->used;
        if (explorer->machine->budgets[i].counts != WF_COUNT_USAGE || left < 0)
            continue;
        if (left > 0)
            status = try_cost(explorer, input, i, left, sink, user);
        if (status == WFSM_OK)
            status = try_cost(explorer, input, i, left + 1, sink, user);
        if (status == WFSM_OK)
            status = try_asked_costs(explorer, input, i, sink, user);
    }
    return status;
}

static bool is_paid(const wf_explorer *explorer, const wf_input *input)
{
    if (input->kind != WF_INPUT_RESULT && input->kind != WF_INPUT_FAILURE)
        return false;
    return !wf_asks_person(&explorer->snapshot, input->place);
}

static int32_t try_at_any_cost(wf_explorer *explorer, wf_input *input, wf_successor_sink *sink,
                               void *user)
{
    return is_paid(explorer, input) ? try_costs(explorer, input, sink, user)
                                    : wf_successors_of_input(explorer, input, sink, user);
}

/* ---- signatures ---- */

/* The last signature of the invocation's failures; ABSENT if there is none. */
static wf_value last_signature(const wf_explorer *explorer, uint32_t place)
{
    const wf_list *repeats = &explorer->snapshot.extras->repeats;
    uint32_t invoke = wf_invocation_at(&explorer->snapshot.extras->ledger, place)->invoke;
    for (size_t i = 0; i < repeats->count; i++)
        if (wf_repeat_at(repeats, i)->invoke == invoke)
            return wf_repeat_at(repeats, i)->signature;
    return wf_absent();
}

/* Where failures are counted, an agent may also give the same signature as the last time, or another
 * one, whatever the class, and with a result, too. */
static int32_t try_signed(wf_explorer *explorer, wf_input *input, wf_successor_sink *sink,
                          void *user)
{
    int32_t status = try_at_any_cost(explorer, input, sink, user);
    if (!explorer->cones.failure || !is_paid(explorer, input))
        return status;
    const wf_value last = last_signature(explorer, input->place);
    bool is_a = last.type == WF_STRING && strcmp(last.as.text, "a") == 0;
    wf_value other[] = {wf_string_z(is_a ? "b" : "a"), last};
    for (uint32_t i = 0; i < 2 && status == WFSM_OK; i++) {
        if (other[i].type == WF_STRING)
            other[i] = wf_string_copy(&explorer->scratch, other[i].as.text, other[i].length);
        input->signature = other[i];
        if (other[i].type == WF_STRING)
            status = try_at_any_cost(explorer, input, sink, user);
        input->signature = wf_absent();
    }
    return explorer->scratch.failed ? wf_no_memory(explorer->error) : status;
}

/* ---- budgets of time ---- */

/* If an action resets budgets of time, they may run out at any time. */
bool wf_budget_may_run_out(const wf_explorer *explorer, uint32_t place)
{
    wf_timer_bounds times = explorer->times;
    uint32_t ahead = wf_explorer_budgets_ahead(explorer, &explorer->snapshot.extras->budgets);
    return ahead == 0 || wf_timer_bounds_fire(&times, place, ahead);
}

/* The data of its event. */
static wf_value said_of_budget(wf_explorer *explorer, uint32_t budget)
{
    double limit = (double)wf_spent_at(&explorer->snapshot.extras->budgets, budget)->limit;
    const wf_name *name = &explorer->machine->budgets[budget].name;
    wf_member *members = wf_arena_take(&explorer->scratch, 4 * sizeof *members);
    if (!members)
        return wf_null();
    wf_member_set(&members[0], "budget", 6, wf_string(name->text, name->length));
    wf_member_set(&members[1], "used", 4, wf_number(limit));
    wf_member_set(&members[2], "limit", 5, wf_number(limit));
    wf_member_set(&members[3], "left", 4, wf_number(0));
    return wf_object(members, 4);
}

static int32_t try_budgets(wf_explorer *explorer, wf_successor_sink *sink, void *user)
{
    const wfsm_machine *machine = explorer->machine;
    uint32_t place = 0;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < machine->budget_count && status == WFSM_OK; i++) {
        if (machine->budgets[i].counts != WF_COUNT_TIME ||
            wf_spent_at(&explorer->snapshot.extras->budgets, i)->raised ||
            !wf_budget_may_run_out(explorer, place++))
            continue;
        const wf_name *name = &machine->events.list[machine->budgets[i].event];
        const wf_input input = {.kind = WF_INPUT_BUDGET,
                                .place = i,
                                .name = wf_string(name->text, name->length),
                                .data = said_of_budget(explorer, i)};
        status = wf_successors_of_input(explorer, &input, sink, user);
    }
    return status;
}

/* What a value of the context made of the data may not be what the senders promise. */
static bool is_promised(const wf_explorer *explorer, const wf_input *input)
{
    const wf_schema *assumed =
        input->kind == WF_INPUT_EVENT ? wf_assumed_of(explorer->machine, input->number) : NULL;
    return !assumed || wf_schema_check(assumed, &input->data, NULL) == WFSM_OK;
}

/* Skips a class that agrees with one that was tried in all that the step has read. */
static int32_t try_class(wf_explorer *explorer, wf_input *input, uint32_t number,
                         wf_data_seen *seen, wf_successor_sink *sink, void *user)
{
    if (wf_data_is_seen(seen, number))
        return WFSM_OK;
    explorer->reading = seen->marks;
    explorer->read = 0;
    int32_t status = try_signed(explorer, input, sink, user);
    wf_data_see(seen, number, explorer->read);
    explorer->reading = NULL;
    return status;
}

/* ABSENT: none in this state, or out of memory. */
static wf_value data_of_class(wf_explorer *explorer, const wf_data_classes *data, uint32_t i)
{
    return data->linked ? wf_input_data(explorer, &data->list[i]) : data->list[i];
}

/* One input for each class of data. */
static int32_t try_classes(wf_explorer *explorer, wf_input *input, const wf_data_classes *data,
                           wf_successor_sink *sink, void *user)
{
    wf_data_seen seen; /* the list is large, and filled as it is used */
    seen.marks = data->marks;
    seen.count = 0;
    seen.helps = false;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < data->count && status == WFSM_OK; i++) {
        input->data = data_of_class(explorer, data, i);
        if (explorer->scratch.failed)
            return wf_no_memory(explorer->error);
        if (input->data.type != WF_ABSENT && (!data->linked || is_promised(explorer, input)))
            status = try_class(explorer, input, i, &seen, sink, user);
    }
    return status;
}

bool wf_timer_may_fire(const wf_explorer *explorer, uint32_t place)
{
    wf_timer_bounds times = explorer->times;
    uint32_t ahead = wf_explorer_budgets_ahead(explorer, &explorer->snapshot.extras->budgets);
    bool alone = ahead + explorer->snapshot.extras->timers.count == 1 && times.ends == 0;
    return alone || wf_timer_bounds_fire(&times, ahead + place, ahead);
}

static int32_t try_timers(wf_explorer *explorer, wf_successor_sink *sink, void *user)
{
    int32_t status = WFSM_OK;
    const uint32_t count = (uint32_t)explorer->snapshot.extras->timers.count;
    for (uint32_t i = 0; i < count && status == WFSM_OK; i++) {
        if (!wf_timer_may_fire(explorer, i))
            continue;
        const wf_value *raised = &wf_timer_at(&explorer->snapshot.extras->timers, i)->raised;
        const wf_value *data = wf_value_get_z(raised, "data");
        wf_input input = {.kind = WF_INPUT_TIMER, .place = i, .data = wf_null()};
        input.name = *wf_value_get_z(raised, "event");
        if (data)
            input.data = *data;
        status = wf_successors_of_input(explorer, &input, sink, user);
    }
    return status;
}

static bool is_like(const wf_explorer *explorer, const wf_invocation *a, const wf_invocation *b)
{
    return a->invoke == b->invoke && a->agent == b->agent && a->attempt == b->attempt &&
           a->set == b->set && a->status == b->status &&
           (a->set == 0 || explorer->alike[a->invoke]);
}

static bool is_skipped(const wf_explorer *explorer, const wf_invocation *work)
{
    return explorer->skipped &&
           wf_set_has(explorer->skipped, explorer->machine->invokes[work->invoke].state);
}

/* Of equal invocations only the first is tried; ended ones have no more successors. */
static bool is_passed_over(const wf_explorer *explorer, uint32_t place)
{
    const wf_list *ledger = &explorer->snapshot.extras->ledger;
    if (is_skipped(explorer, wf_invocation_at(ledger, place)))
        return true;
    for (uint32_t i = 0; i < place; i++)
        if (is_like(explorer, wf_invocation_at(ledger, i), wf_invocation_at(ledger, place)))
            return true;
    return wf_invocation_ended(wf_invocation_at(ledger, place));
}

static int32_t try_claim(wf_explorer *explorer, uint32_t place, wf_successor_sink *sink,
                         void *user)
{
    const wf_input input = {
        .kind = WF_INPUT_CLAIM, .place = place, .name = wf_null(), .data = wf_null()};
    return wf_may_be_claimed(explorer, place)
               ? wf_successors_of_input(explorer, &input, sink, user)
               : WFSM_OK;
}

static int32_t try_results(wf_explorer *explorer, uint32_t place, wf_successor_sink *sink,
                           void *user)
{
    const wf_invocation *work = wf_invocation_at(&explorer->snapshot.extras->ledger, place);
    const wf_invoke *invoke = &explorer->machine->invokes[work->invoke];
    const wf_name *done = &explorer->machine->events.list[invoke->done_event];
    const wf_data_classes *results = wf_asks_person(&explorer->snapshot, place)
                                         ? wf_decisions_of(explorer, work)
                                         : &explorer->results[work->invoke];
    wf_input input = {.kind = WF_INPUT_RESULT, .place = place};
    if (!results)
        return wf_no_memory(explorer->error);
    input.name = wf_string(done->text, done->length);
    return try_classes(explorer, &input, results, sink, user);
}

/* A failure of one class, with each message that makes a difference. */
static int32_t try_messages(wf_explorer *explorer, wf_input *input, uint32_t invoke,
                            wf_successor_sink *sink, void *user)
{
    const wf_data_classes *messages = &explorer->messages[invoke];
    int32_t status = WFSM_OK;
    input->data = wf_null();
    if (messages->count == 0)
        return try_signed(explorer, input, sink, user);
    for (uint32_t i = 0; i < messages->count && status == WFSM_OK; i++) {
        input->data = data_of_class(explorer, messages, i);
        if (explorer->scratch.failed)
            return wf_no_memory(explorer->error);
        if (!messages->linked || input->data.type == WF_STRING)
            status = try_signed(explorer, input, sink, user);
    }
    return status;
}

/* A person makes no attempts that can fail. A decision that the output schema refuses is a result. */
static int32_t try_failures(wf_explorer *explorer, uint32_t place, wf_successor_sink *sink,
                            void *user)
{
    const wf_invocation *self = wf_invocation_at(&explorer->snapshot.extras->ledger, place);
    const wf_invoke *invoke = &explorer->machine->invokes[self->invoke];
    const wf_name *error = &explorer->machine->events.list[invoke->error_event];
    wf_input input = {.kind = WF_INPUT_FAILURE, .place = place, .data = wf_null()};
    int32_t status = WFSM_OK;
    if (wf_asks_person(&explorer->snapshot, place))
        return WFSM_OK;
    input.name = wf_string(error->text, error->length);
    for (uint32_t i = 0; i < WF_CLASSES && status == WFSM_OK; i++) {
        input.failure = i;
        status = try_messages(explorer, &input, self->invoke, sink, user);
    }
    return status;
}

/* One input for each class of origins and of data. The refusal of a vote has no origin. */
static int32_t try_origins(wf_explorer *explorer, wf_input *input, const wf_data_classes *data,
                           wf_successor_sink *sink, void *user)
{
    const wf_data_classes *origins = &explorer->origins;
    int32_t status = WFSM_OK;
    input->origin = wf_absent();
    if (origins->count == 0 || wf_event_reserved(input->name.as.text))
        return try_classes(explorer, input, data, sink, user);
    for (uint32_t i = 0; i < origins->count && status == WFSM_OK; i++) {
        input->origin = data_of_class(explorer, origins, i);
        if (wf_is_origin(&input->origin))
            status = try_classes(explorer, input, data, sink, user);
    }
    return status;
}

/* No other state than the skipped ones names it. */
static bool is_skipped_event(const wf_explorer *explorer, const wf_external_event *outside)
{
    for (uint32_t w = 0; explorer->skipped && w < explorer->machine->words; w++)
        if (outside->handlers[w] & ~explorer->skipped[w])
            return false;
    return explorer->skipped != NULL;
}

static int32_t try_events(wf_explorer *explorer, wf_successor_sink *sink, void *user)
{
    int32_t status = WFSM_OK;
    for (size_t e = 0; e < explorer->outside_count && status == WFSM_OK; e++) {
        const wf_external_event *outside = &explorer->outside[e];
        wf_input input = {.kind = WF_INPUT_EVENT,
                          .place = (uint32_t)e,
                          .number = outside->number,
                          .name = outside->name,
                          .id = explorer->event_id};
        if (!wf_is_heard(outside, &explorer->snapshot) || is_skipped_event(explorer, outside))
            continue;
        status = try_origins(explorer, &input, &outside->data, sink, user);
    }
    return status;
}

/* ---- checkpoints ---- */

/* It makes no step. */
static int32_t offer_checkpoint(wf_explorer *explorer, wf_successor_sink *sink, void *user)
{
    const wf_successor successor = {
        .input = {.kind = WF_INPUT_CHECKPOINT, .name = wf_null(), .data = wf_null()},
        .outcome = WFSM_TAKEN,
        .certain = true,
        .changed = true};
    explorer->step.taken_count = 0;
    explorer->choices.count = explorer->diagnostic_count = 0;
    int32_t status = wf_state_key_write(explorer, &explorer->snapshot, explorer->memory_next,
                                        &explorer->times);
    return status == WFSM_OK ? sink(user, explorer, &successor) : status;
}

static int32_t try_checkpoint(wf_explorer *explorer, wf_successor_sink *sink, void *user)
{
    uint32_t number = wf_checkpoint_keep(explorer);
    if (number == WF_NONE)
        return wf_no_memory(explorer->error);
    explorer->kept_next = explorer->kept;
    if (number == explorer->kept)
        return WFSM_OK;
    explorer->kept_next = number;
    memcpy(explorer->memory_next, explorer->memory, explorer->memory_size);
    memset(explorer->verdicts, 0, explorer->machine->property_count);
    int32_t status = offer_checkpoint(explorer, sink, user);
    explorer->kept_next = explorer->kept;
    return status;
}

/* The current state is restored afterwards. */
static int32_t try_restore(wf_explorer *explorer, const uint8_t *key, size_t length,
                           wf_successor_sink *sink, void *user)
{
    const wf_input input = {.kind = WF_INPUT_RESTORE, .name = wf_null(), .data = wf_null()};
    bool possible = false;
    if (explorer->kept == 0 || !wf_step_may_restore(&explorer->snapshot))
        return WFSM_OK;
    uint8_t *copy = wf_arena_take(&explorer->scratch, length);
    if (!copy)
        return wf_no_memory(explorer->error);
    memcpy(copy, key, length);
    int32_t status = wf_checkpoint_read(explorer, &possible);
    if (status == WFSM_OK && possible)
        status = wf_successors_of_input(explorer, &input, sink, user);
    int32_t back = wf_state_key_restore(explorer, copy, length);
    return status != WFSM_OK ? status : back;
}

bool wf_may_wait(const wf_explorer *explorer)
{
    wf_timer_bounds times;
    if (!explorer->times.punctual || explorer->times.count == 0)
        return true;
    times = explorer->times;
    return wf_timer_bounds_other(&times);
}

int32_t wf_successors_of_state(wf_explorer *explorer, const uint8_t *key, size_t length,
                               wf_successor_sink *sink, void *user)
{
    const wf_list *ledger = &explorer->snapshot.extras->ledger;
    wf_arena_reset(&explorer->scratch);
    const bool returns = explorer->restores && wf_may_wait(explorer);
    int32_t status = returns ? try_restore(explorer, key, length, sink, user) : WFSM_OK;
    if (status == WFSM_OK && returns)
        status = try_checkpoint(explorer, sink, user);
    if (status == WFSM_OK)
        status = try_timers(explorer, sink, user);
    if (status == WFSM_OK)
        status = try_budgets(explorer, sink, user);
    for (uint32_t i = 0; i < ledger->count && status == WFSM_OK && explorer->claims; i++)
        if (!is_passed_over(explorer, i))
            status = try_claim(explorer, i, sink, user);
    if (status != WFSM_OK || !wf_may_wait(explorer))
        return status;
    for (uint32_t i = 0; i < ledger->count && status == WFSM_OK; i++)
        if (!is_passed_over(explorer, i) && wf_may_answer(explorer, i))
            status = try_results(explorer, i, sink, user);
    if (status == WFSM_OK)
        status = try_events(explorer, sink, user);
    for (uint32_t i = 0; i < ledger->count && status == WFSM_OK; i++)
        if (!is_passed_over(explorer, i) && wf_may_answer(explorer, i))
            status = try_failures(explorer, i, sink, user);
    return status;
}
