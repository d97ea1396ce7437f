#include "verify/verify_try.h"

#include "base/error.h"

/* ---- one deed ---- */

static void choose_timer(wf_step *step, uint32_t place)
{
    wf_timers *timers = &wf_more_made(step->snapshot)->timers;
    for (size_t i = 0; i < timers->count; i++)
        timers->list[i].due = i == place ? 0 : WF_FAR;
}

/* Its time is over now, and nothing else is due. */
static void run_out(wf_step *step, uint32_t budget)
{
    wf_spent *spent = &wf_more_made(step->snapshot)->budgets[budget];
    choose_timer(step, WF_NONE);
    spent->used = -spent->limit;
}

int32_t wf_deed_run(wf_step *step, const wf_deed *deed, int32_t *outcome)
{
    const wf_event event = {WF_EXTERNAL, deed->number, deed->name, deed->data, wf_null()};
    bool fired = false;
    if (deed->usage.type == WF_OBJECT)
        step->report.usage = &deed->usage;
    switch (deed->kind) {
    case WF_DEED_START:
        return wf_step_start(step, &deed->data, outcome);
    case WF_DEED_TIMER:
        choose_timer(step, deed->place);
        return wf_step_due(step, &fired, outcome);
    case WF_DEED_BUDGET:
        run_out(step, deed->place);
        return wf_step_due(step, &fired, outcome);
    case WF_DEED_RESULT:
        return wf_step_result(step, deed->place, &deed->data, outcome);
    case WF_DEED_FAILURE:
        return wf_step_failed(step, deed->place, deed->failure, "", outcome);
    default:
        return wf_run_input(step, &event, outcome);
    }
}

static bool is_changed(const wf_deed *deed, int32_t outcome)
{
    return deed->kind != WF_DEED_EVENT || outcome == WFSM_TAKEN || outcome == WFSM_FAILED ||
           outcome == WFSM_ENDED;
}

static wf_value failure_data(wf_step *step, const wf_deed *deed)
{
    wf_member *members = wf_arena_take(&step->arena, 3 * sizeof *members);
    if (!members)
        return wf_null();
    wf_member_set(&members[0], "class", 5, wf_string_z(wf_class_name(deed->failure)));
    wf_member_set(&members[1], "message", 7, wf_string_z(""));
    wf_member_set(&members[2], "attempts", 8, wf_number(0));
    return wf_object(members, 3);
}

/* The result of all items: the ledger as it was before, and the one that came last. */
static wf_value result_data(wf_step *step, const wf_deed *deed)
{
    const wf_ledger *before = &step->saved_ledger;
    if (!step->saved_all_ledger || before->list[deed->place].set == 0)
        return deed->data;
    const wf_invocation *self = &before->list[deed->place];
    size_t first = deed->place - (self->ordinal - self->set);
    wf_value *items = wf_arena_take(&step->arena, self->of * sizeof *items);
    for (uint32_t i = 0; i < self->of && items; i++) {
        const wf_invocation *item = &before->list[first + i];
        items[i] = first + i == deed->place       ? deed->data
                   : item->status == WF_ITEM_DONE ? item->result
                                                  : wf_null();
        wf_member *member = wf_arena_take(&step->arena, sizeof *member);
        if (self->need == 0 && member) {
            bool failed = item->status == WF_ITEM_FAILED;
            wf_member_set(member, failed ? "error" : "output", failed ? 5 : 6,
                          failed ? item->result : items[i]);
            items[i] = wf_object(member, 1);
        }
    }
    return items ? wf_array(items, self->of) : wf_null();
}

int32_t wf_kit_observe(wf_kit *kit, wf_step *step, const wf_deed *deed, int32_t outcome,
                       uint8_t *memory)
{
    static const int kinds[] = {WF_EXTERNAL, WF_TIMER,    WF_PLATFORM, WF_PLATFORM,
                                WF_PLATFORM, WF_EXTERNAL, WF_EXTERNAL, WF_EXTERNAL};
    const wf_snapshot *snapshot = step->snapshot;
    bool taken = deed->kind != WF_DEED_START && step->taken_count > 0 &&
                 (outcome == WFSM_TAKEN || outcome == WFSM_ENDED);
    wf_value event = wf_null();
    wf_seen seen = {.active = snapshot->active,
                    .slots = snapshot->slots,
                    .keys = wf_snapshot_keys(snapshot),
                    .slot_count = (uint32_t)snapshot->slot_count,
                    .arena = &step->arena};
    if (kit->machine->property_count == 0)
        return WFSM_OK;
    if (taken) {
        wf_value data = deed->kind == WF_DEED_FAILURE  ? failure_data(step, deed)
                        : deed->kind == WF_DEED_RESULT ? result_data(step, deed)
                                                       : deed->data;
        event = wf_seen_event(&step->arena, deed->name, data, wf_null(), kinds[deed->kind]);
        seen.event = &event;
    }
    return wf_monitor_observe(kit->machine, &seen, memory, kit->verdicts, NULL);
}

/* ---- time ---- */

/* The number of a budget among those that stand before the timers. */
static uint32_t place_of_budget(const wf_kit *kit, uint32_t budget)
{
    const wf_spent *before = kit->step.saved_budgets;
    uint32_t place = 0;
    for (uint32_t i = 0; i < budget; i++)
        place += kit->machine->budgets[i].counts == WF_COUNT_TIME && !before[i].raised;
    return place;
}

static void let_pass(const wf_kit *kit, const wf_deed *deed, uint32_t ahead, wf_times *times)
{
    if (deed->kind == WF_DEED_TIMER)
        wf_times_fire(times, ahead + deed->place, ahead);
    else if (deed->kind == WF_DEED_BUDGET && ahead > 0)
        wf_times_fire(times, place_of_budget(kit, deed->place), ahead);
    else
        (void)wf_times_other(times);
}

static void remove_timers(const wf_timers *timers, uint32_t before, uint32_t ahead,
                          wf_times *times)
{
    size_t left = 0;
    while (left < timers->count && timers->list[left].number <= before)
        left++;
    for (uint32_t i = before; i-- > 0;) {
        if (left > 0 && timers->list[left - 1].number == i + 1)
            left--;
        else
            wf_times_remove(times, ahead + i);
    }
}

static bool add_timers(const wf_timers *timers, uint32_t before, wf_times *times)
{
    for (size_t i = 0; i < timers->count; i++)
        if (timers->list[i].number > before && !wf_times_add(times, timers->list[i].due))
            return false;
    return true;
}

static void remove_budgets(const wf_kit *kit, wf_times *times)
{
    const wf_spent *now = kit->snapshot.more->budgets, *before = kit->step.saved_budgets;
    for (uint32_t i = kit->machine->budget_count; i-- > 0;)
        if (kit->machine->budgets[i].counts == WF_COUNT_TIME && now[i].raised &&
            !before[i].raised)
            wf_times_remove(times, place_of_budget(kit, i));
}

static bool add_budgets(const wf_kit *kit, wf_times *times)
{
    const wf_spent *now = kit->snapshot.more->budgets;
    for (uint32_t i = 0; i < kit->machine->budget_count; i++)
        if (kit->machine->budgets[i].counts == WF_COUNT_TIME && !now[i].raised &&
            !wf_times_add(times, now[i].limit))
            return false;
    return true;
}

/* What is known of the timers after the step: those that are left, and the new ones. */
static bool times_after(wf_kit *kit, const wf_deed *deed, wf_times *times)
{
    const wf_timers *timers = &kit->snapshot.more->timers;
    bool start = deed->kind == WF_DEED_START, budgets = !kit->resets_time;
    uint32_t ahead = start ? 0 : wf_kit_ahead(kit, kit->step.saved_budgets);
    uint32_t before = kit->times.count - ahead;
    if (kit->times.count == 0 && timers->count == 0 && !start) {
        wf_times_clear(times);
        return true;
    }
    *times = kit->times;
    let_pass(kit, deed, ahead, times);
    remove_timers(timers, before, ahead, times);
    if (budgets && !start)
        remove_budgets(kit, times);
    if ((budgets && start && !add_budgets(kit, times)) || !add_timers(timers, before, times))
        return false;
    wf_times_pass(times);
    return true;
}

/* ---- trials ---- */

static int32_t look(wf_kit *kit, wf_trial *trial)
{
    wf_times times;
    if (kit->memory_size > 0)
        memcpy(kit->memory_next, kit->memory, kit->memory_size);
    int32_t status =
        wf_kit_observe(kit, &kit->step, &trial->deed, trial->outcome, kit->memory_next);
    if (status != WFSM_OK)
        return wf_no_memory(kit->error);
    if (!times_after(kit, &trial->deed, &times)) {
        kit->many_timers = true;
        trial->changed = false;
        return WFSM_OK;
    }
    return wf_kit_write(kit, &kit->snapshot, kit->memory_next, &times);
}

/* The next answers, like a counter; false after the last. */
static bool next_answers(wf_choices *choices)
{
    while (choices->count > 0) {
        uint32_t last = choices->count - 1;
        if (++choices->answer[last] < choices->most[last]) {
            choices->fixed = choices->count;
            return true;
        }
        choices->count--;
    }
    return false;
}

static int32_t try_once(wf_kit *kit, wf_trial *trial, wf_trial_sink *sink, void *user)
{
    kit->choices.count = kit->remark_count = 0;
    kit->asking = &kit->step;
    wf_step_begin(&kit->step, 0);
    trial->status = wf_deed_run(&kit->step, &trial->deed, &trial->outcome);
    int32_t status = trial->status == WFSM_NO_MEMORY ? wf_no_memory(kit->error) : WFSM_OK;
    trial->changed = trial->status == WFSM_OK && is_changed(&trial->deed, trial->outcome);
    if (status == WFSM_OK && trial->changed)
        status = look(kit, trial);
    if (status == WFSM_OK)
        status = sink(user, kit, trial);
    wf_step_rollback(&kit->step);
    return status;
}

static int32_t try_deed(wf_kit *kit, const wf_deed *deed, wf_trial_sink *sink, void *user)
{
    wf_trial trial = {.deed = *deed};
    int32_t status;
    kit->step.host = wf_choosing_host(kit);
    kit->choices.fixed = 0;
    do {
        status = try_once(kit, &trial, sink, user);
    } while (status == WFSM_OK && next_answers(&kit->choices));
    return status;
}

int32_t wf_try_start(wf_kit *kit, uint32_t number, const wf_value *input, wf_trial_sink *sink,
                     void *user)
{
    const wf_deed deed = {.kind = WF_DEED_START, .place = number, .data = *input};
    wf_snapshot *snapshot = &kit->snapshot;
    wf_more *more = wf_more_made(snapshot);
    size_t words = kit->machine->words;
    wf_set_clear(snapshot->active, words);
    memset(more->histories, 0, kit->machine->history_count * words * sizeof(uint64_t));
    for (size_t i = 0; i < snapshot->slot_count; i++)
        snapshot->slots[i] = wf_absent();
    more->timers.count = more->ledger.count = more->repeats.count = 0;
    if (kit->machine->budget_count > 0)
        memset(more->budgets, 0, kit->machine->budget_count * sizeof *more->budgets);
    more->timer_number = 0;
    snapshot->status = 0;
    wf_times_clear(&kit->times);
    kit->kept = kit->kept_next = 0;
    memset(kit->memory, 0, kit->memory_size + 1);
    int32_t status = try_deed(kit, &deed, sink, user);
    for (uint32_t i = 0; i < kit->machine->keys.count; i++)
        snapshot->slots[i] = kit->machine->initial[i];
    return status;
}

/* ---- data that the context says ---- */

static wf_value value_of_link(wf_kit *kit, const wf_tie *link, uint32_t how)
{
    const wf_value null = wf_null();
    wf_scope scope = {.arena = &kit->scratch,
                      .slots = kit->snapshot.slots,
                      .keys = wf_snapshot_keys(&kit->snapshot),
                      .slot_count = kit->snapshot.slot_count,
                      .event = &null,
                      .instance = &null,
                      .active = kit->snapshot.active,
                      .steps = WF_EVAL_STEPS};
    wf_value value;
    if (wf_expr_eval(link->expr, &scope, &value) != WFSM_OK)
        return wf_absent();
    if (link->element)
        value = value.type == WF_ARRAY && value.length > 0 ? value.as.items[0] : wf_absent();
    if (how > 0)
        return value.type == WF_NUMBER ? wf_number(value.as.number + (how == 1 ? -1 : 1))
                                       : wf_absent();
    return value;
}

static wf_value filled(wf_kit *kit, const wf_value *data);

static wf_value filled_list(wf_kit *kit, const wf_value *data)
{
    wf_value *items = wf_arena_take(&kit->scratch, (data->length + 1u) * sizeof *items);
    for (uint32_t i = 0; items && i < data->length; i++) {
        items[i] = filled(kit, &data->as.items[i]);
        if (items[i].type == WF_ABSENT)
            return wf_absent();
    }
    return items ? wf_array(items, data->length) : wf_absent();
}

static wf_value filled_object(wf_kit *kit, const wf_value *data)
{
    wf_member *members = wf_arena_take(&kit->scratch, (data->length + 1u) * sizeof *members);
    for (uint32_t i = 0; members && i < data->length; i++) {
        members[i] = data->as.members[i];
        members[i].value = filled(kit, &data->as.members[i].value);
        if (members[i].value.type == WF_ABSENT)
            return wf_absent();
    }
    return members ? wf_object(members, data->length) : wf_absent();
}

/* With the context's values where texts stand for them; ABSENT when there is none. */
static wf_value filled(wf_kit *kit, const wf_value *data)
{
    uint32_t link, how;
    if (wf_data_stands(data, kit->demands.links, kit->demands.link_count, &link, &how))
        return value_of_link(kit, &kit->demands.links[link], how);
    if (data->type == WF_ARRAY)
        return filled_list(kit, data);
    return data->type == WF_OBJECT ? filled_object(kit, data) : *data;
}

/* ---- what it costs ---- */

static int32_t try_cost(wf_kit *kit, wf_deed *deed, uint32_t budget, int64_t amount,
                        wf_trial_sink *sink, void *user)
{
    const wf_name *name = &kit->machine->budgets[budget].name;
    wf_member *member = wf_arena_take(&kit->scratch, sizeof *member);
    if (!member)
        return wf_no_memory(kit->error);
    wf_member_set(member, name->text, name->length, wf_number((double)amount));
    deed->usage = wf_object(member, 1);
    int32_t status = try_deed(kit, deed, sink, user);
    deed->usage = wf_null();
    return status;
}

/* Nothing, all that is left of a budget, and one more. */
static int32_t try_costs(wf_kit *kit, wf_deed *deed, wf_trial_sink *sink, void *user)
{
    int32_t status = try_deed(kit, deed, sink, user);
    for (uint32_t i = 0; i < kit->machine->budget_count && status == WFSM_OK; i++) {
        int64_t left =
            kit->snapshot.more->budgets[i].limit - kit->snapshot.more->budgets[i].used;
        if (kit->machine->budgets[i].counts != WF_COUNT_USAGE || left < 0)
            continue;
        if (left > 0)
            status = try_cost(kit, deed, i, left, sink, user);
        if (status == WFSM_OK)
            status = try_cost(kit, deed, i, left + 1, sink, user);
    }
    return status;
}

static bool is_paid(const wf_kit *kit, const wf_deed *deed)
{
    if (deed->kind != WF_DEED_RESULT && deed->kind != WF_DEED_FAILURE)
        return false;
    uint32_t agent = kit->snapshot.more->ledger.list[deed->place].agent;
    return !wf_is_person(&kit->machine->agents.list[agent]);
}

static int32_t try_at_any_cost(wf_kit *kit, wf_deed *deed, wf_trial_sink *sink, void *user)
{
    return is_paid(kit, deed) ? try_costs(kit, deed, sink, user)
                              : try_deed(kit, deed, sink, user);
}

/* ---- budgets of time ---- */

/* Where something begins them anew, at any time. */
static bool may_run_out(const wf_kit *kit, uint32_t place)
{
    wf_times times = kit->times;
    uint32_t ahead = wf_kit_ahead(kit, kit->snapshot.more->budgets);
    return ahead == 0 || wf_times_fire(&times, place, ahead);
}

/* What the event says of it. */
static wf_value said_of_budget(wf_kit *kit, uint32_t budget)
{
    double limit = (double)kit->snapshot.more->budgets[budget].limit;
    const wf_name *name = &kit->machine->budgets[budget].name;
    wf_member *members = wf_arena_take(&kit->scratch, 4 * sizeof *members);
    if (!members)
        return wf_null();
    wf_member_set(&members[0], "budget", 6, wf_string(name->text, name->length));
    wf_member_set(&members[1], "used", 4, wf_number(limit));
    wf_member_set(&members[2], "limit", 5, wf_number(limit));
    wf_member_set(&members[3], "left", 4, wf_number(0));
    return wf_object(members, 4);
}

static int32_t try_budgets(wf_kit *kit, wf_trial_sink *sink, void *user)
{
    const wfsm_machine *machine = kit->machine;
    uint32_t place = 0;
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < machine->budget_count && status == WFSM_OK; i++) {
        if (machine->budgets[i].counts != WF_COUNT_TIME ||
            kit->snapshot.more->budgets[i].raised || !may_run_out(kit, place++))
            continue;
        const wf_name *name = &machine->events.list[machine->budgets[i].event];
        const wf_deed deed = {.kind = WF_DEED_BUDGET,
                              .place = i,
                              .name = wf_string(name->text, name->length),
                              .data = said_of_budget(kit, i)};
        status = try_deed(kit, &deed, sink, user);
    }
    return status;
}

/* One deed for each class. */
static int32_t try_classes(wf_kit *kit, wf_deed *deed, const wf_data *data, wf_trial_sink *sink,
                           void *user)
{
    int32_t status = WFSM_OK;
    for (uint32_t i = 0; i < data->count && status == WFSM_OK; i++) {
        deed->data = data->linked ? filled(kit, &data->list[i]) : data->list[i];
        if (kit->scratch.failed)
            return wf_no_memory(kit->error);
        if (deed->data.type != WF_ABSENT)
            status = try_at_any_cost(kit, deed, sink, user);
    }
    return status;
}

static int32_t try_timers(wf_kit *kit, wf_trial_sink *sink, void *user)
{
    int32_t status = WFSM_OK;
    uint32_t ahead = wf_kit_ahead(kit, kit->snapshot.more->budgets);
    for (uint32_t i = 0; i + ahead < kit->times.count && status == WFSM_OK; i++) {
        wf_times times = kit->times;
        if (kit->times.count > 1 && !wf_times_fire(&times, ahead + i, ahead))
            continue;
        const wf_value *raised = &kit->snapshot.more->timers.list[i].raised;
        const wf_value *data = wf_value_get_z(raised, "data");
        wf_deed deed = {.kind = WF_DEED_TIMER, .place = i, .data = wf_null()};
        deed.name = *wf_value_get_z(raised, "event");
        if (data)
            deed.data = *data;
        status = try_deed(kit, &deed, sink, user);
    }
    return status;
}

static bool is_like(const wf_kit *kit, const wf_invocation *a, const wf_invocation *b)
{
    return a->invoke == b->invoke && a->agent == b->agent && a->attempt == b->attempt &&
           a->set == b->set && a->status == b->status && (a->set == 0 || kit->alike[a->invoke]);
}

/* Of invocations that are alike one stands for all; what has ended is done with. */
static bool is_passed_over(const wf_kit *kit, uint32_t place)
{
    const wf_ledger *ledger = &kit->snapshot.more->ledger;
    for (uint32_t i = 0; i < place; i++)
        if (is_like(kit, &ledger->list[i], &ledger->list[place]))
            return true;
    return wf_invocation_ended(&ledger->list[place]);
}

static bool is_persons(const wf_kit *kit, uint32_t place)
{
    uint32_t agent = kit->snapshot.more->ledger.list[place].agent;
    return wf_is_person(&kit->machine->agents.list[agent]);
}

static int32_t try_results(wf_kit *kit, uint32_t place, wf_trial_sink *sink, void *user)
{
    uint32_t number = kit->snapshot.more->ledger.list[place].invoke;
    const wf_invoke *invoke = &kit->machine->invokes[number];
    const wf_name *done = &kit->machine->events.list[invoke->done_event];
    const wf_data *results = is_persons(kit, place) ? &kit->decisions : &kit->results[number];
    wf_deed deed = {.kind = WF_DEED_RESULT, .place = place};
    deed.name = wf_string(done->text, done->length);
    return try_classes(kit, &deed, results, sink, user);
}

/* A person has no attempts that could fail; what may is the schema of what was decided. */
static bool can_fail(const wf_kit *kit, const wf_invocation *self, uint32_t failure)
{
    return !wf_is_person(&kit->machine->agents.list[self->agent]) ||
           (failure == WF_CLASS_SCHEMA && kit->machine->invokes[self->invoke].output);
}

static int32_t try_failures(wf_kit *kit, uint32_t place, wf_trial_sink *sink, void *user)
{
    const wf_invocation *self = &kit->snapshot.more->ledger.list[place];
    const wf_invoke *invoke = &kit->machine->invokes[self->invoke];
    const wf_name *error = &kit->machine->events.list[invoke->error_event];
    wf_deed deed = {.kind = WF_DEED_FAILURE, .place = place, .data = wf_null()};
    int32_t status = WFSM_OK;
    deed.name = wf_string(error->text, error->length);
    for (uint32_t i = 0; i < WF_CLASSES && status == WFSM_OK; i++) {
        if (!can_fail(kit, self, i))
            continue;
        deed.failure = i;
        status = try_at_any_cost(kit, &deed, sink, user);
    }
    return status;
}

static bool is_handled(const wf_kit *kit, const wf_outside *outside)
{
    for (uint32_t w = 0; w < kit->machine->words; w++)
        if (outside->handlers[w] & kit->snapshot.active[w])
            return true;
    return false;
}

static int32_t try_events(wf_kit *kit, wf_trial_sink *sink, void *user)
{
    int32_t status = WFSM_OK;
    for (size_t e = 0; e < kit->outside_count && status == WFSM_OK; e++) {
        const wf_outside *outside = &kit->outside[e];
        wf_deed deed = {.kind = WF_DEED_EVENT,
                        .place = (uint32_t)e,
                        .number = outside->number,
                        .name = outside->name};
        if (!is_handled(kit, outside))
            continue;
        status = try_classes(kit, &deed, &outside->data, sink, user);
    }
    return status;
}

/* ---- checkpoints ---- */

static int32_t offer(wf_kit *kit, uint8_t kind, wf_trial_sink *sink, void *user)
{
    const wf_trial trial = {.deed = {.kind = kind, .name = wf_null(), .data = wf_null()},
                            .outcome = WFSM_TAKEN,
                            .changed = true};
    kit->step.taken_count = 0;
    kit->choices.count = kit->remark_count = 0;
    int32_t status = wf_kit_write(kit, &kit->snapshot, kit->memory_next, &kit->times);
    return status == WFSM_OK ? sink(user, kit, &trial) : status;
}

static int32_t try_checkpoint(wf_kit *kit, wf_trial_sink *sink, void *user)
{
    uint32_t number = wf_kit_keep(kit);
    if (number == WF_NONE)
        return wf_no_memory(kit->error);
    kit->kept_next = kit->kept;
    if (number == kit->kept)
        return WFSM_OK;
    kit->kept_next = number;
    memcpy(kit->memory_next, kit->memory, kit->memory_size);
    memset(kit->verdicts, 0, kit->machine->property_count);
    int32_t status = offer(kit, WF_DEED_CHECKPOINT, sink, user);
    kit->kept_next = kit->kept;
    return status;
}

/* The state at hand is put back afterwards. */
static int32_t try_restore(wf_kit *kit, const uint8_t *key, size_t length, wf_trial_sink *sink,
                           void *user)
{
    const wf_deed deed = {.kind = WF_DEED_RESTORE};
    uint8_t *copy = wf_arena_take(&kit->scratch, length);
    if (kit->kept == 0 || !wf_step_may_restore(&kit->snapshot))
        return WFSM_OK;
    if (!copy)
        return wf_no_memory(kit->error);
    memcpy(copy, key, length);
    int32_t status = wf_kit_go_back(kit);
    if (status == WFSM_OK)
        memcpy(kit->memory_next, kit->memory, kit->memory_size);
    if (status == WFSM_OK) {
        kit->step.taken_count = 0;
        status = wf_kit_observe(kit, &kit->step, &deed, WFSM_TAKEN, kit->memory_next);
    }
    if (status == WFSM_OK)
        status = offer(kit, WF_DEED_RESTORE, sink, user);
    int32_t back = wf_kit_restore(kit, copy, length);
    return status != WFSM_OK ? status : back;
}

/* Is there time for anything but timers? */
static bool may_wait(const wf_kit *kit)
{
    wf_times times;
    if (!kit->times.punctual || kit->times.count == 0)
        return true;
    times = kit->times;
    return wf_times_other(&times);
}

int32_t wf_try_all(wf_kit *kit, const uint8_t *key, size_t length, wf_trial_sink *sink,
                   void *user)
{
    const wf_ledger *ledger = &kit->snapshot.more->ledger;
    wf_arena_reset(&kit->scratch);
    int32_t status = kit->restores ? try_restore(kit, key, length, sink, user) : WFSM_OK;
    if (status == WFSM_OK && kit->restores)
        status = try_checkpoint(kit, sink, user);
    if (status == WFSM_OK)
        status = try_timers(kit, sink, user);
    if (status == WFSM_OK)
        status = try_budgets(kit, sink, user);
    if (status != WFSM_OK || !may_wait(kit))
        return status;
    bool at_work = wf_kit_claims(&kit->snapshot);
    for (uint32_t i = 0; i < ledger->count && status == WFSM_OK && at_work; i++)
        if (!is_passed_over(kit, i))
            status = try_results(kit, i, sink, user);
    if (status == WFSM_OK)
        status = try_events(kit, sink, user);
    for (uint32_t i = 0; i < ledger->count && status == WFSM_OK && at_work; i++)
        if (!is_passed_over(kit, i))
            status = try_failures(kit, i, sink, user);
    return status;
}
