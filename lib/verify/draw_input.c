#include "verify/draw_input.h"

bool wf_inputs_init(wf_inputs *self, wf_explorer *explorer, wf_arena *keep)
{
    self->explorer = explorer;
    self->wanted = wf_arena_zero(keep, (explorer->outside_count + 1u) * sizeof *self->wanted);
    for (size_t i = 0; self->wanted && i < explorer->outside_count; i++)
        self->wanted[i] = wf_cones_of_event(&explorer->cones, explorer->outside[i].name.as.text,
                                            explorer->outside[i].name.length);
    return self->wanted && wf_draw_init(&self->draw, explorer->machine, keep);
}

/* ---- one input of each kind ---- */

static wf_value usage(wf_inputs *self)
{
    const wfsm_machine *machine = self->explorer->machine;
    if (machine->budget_count == 0 || wf_draw_below(&self->draw, 3) == 0)
        return wf_null();
    const wf_budget *budget =
        &machine->budgets[wf_draw_below(&self->draw, machine->budget_count)];
    wf_member *member = wf_arena_take(self->draw.arena, sizeof *member);
    if (!member || budget->counts != WF_COUNT_USAGE)
        return wf_null();
    wf_member_set(member, budget->name.text, budget->name.length,
                  wf_number(wf_draw_duration(&self->draw)));
    return wf_object(member, 1);
}

static wf_input work_input(wf_inputs *self, uint32_t place)
{
    const wfsm_machine *machine = self->explorer->machine;
    uint32_t number = wf_invocation_at(&self->snapshot->extras->ledger, place)->invoke;
    const wf_invoke *invoke = &machine->invokes[number];
    wf_input input = {.kind = WF_INPUT_RESULT, .place = place, .usage = usage(self)};
    if (wf_draw_below(&self->draw, 6) > 0) {
        input.data = wf_draw_value(&self->draw, invoke->output, NULL);
        return input;
    }
    input.kind = WF_INPUT_FAILURE;
    input.failure = wf_draw_below(&self->draw, WF_CLASSES);
    input.data = wf_draw_text(&self->draw);
    return input;
}

/* An event that stands for those of a wildcard may have any name with its prefix. */
static void draw_name(wf_inputs *self, wf_input *input)
{
    const wf_names *names = &self->explorer->machine->events;
    const char *name = input->name.as.text, *point = strrchr(name, '.');
    wf_value drawn =
        wf_draw_text_after(&self->draw, name, point ? (size_t)(point + 1 - name) : 0);
    if (drawn.type == WF_ABSENT || drawn.length == 0 || wf_event_reserved(drawn.as.text))
        return;
    input->name = drawn;
    input->number = wf_names_find(names, drawn.as.text, drawn.length);
}

/* An id is never empty. */
static wf_value draw_id(wf_inputs *self)
{
    const wf_value id = wf_draw_text(&self->draw);
    return id.type == WF_STRING && id.length == 0 ? self->explorer->event_id : id;
}

static wf_input event_input(wf_inputs *self, uint32_t place)
{
    const wf_explorer *explorer = self->explorer;
    const wf_external_event *outside = &explorer->outside[place];
    const wf_data_classes *origins = &explorer->origins;
    wf_input input = {.kind = WF_INPUT_EVENT,
                      .place = place,
                      .number = outside->number,
                      .name = outside->name,
                      .id = explorer->event_id};
    if (outside->number == WF_NONE)
        draw_name(self, &input);
    input.data = wf_draw_value(&self->draw, wf_assumed_of(explorer->machine, input.number),
                               self->wanted[place]);
    if (input.id.type == WF_STRING)
        input.id = draw_id(self);
    if (origins->count > 0 && !origins->linked)
        input.origin = origins->list[wf_draw_below(&self->draw, origins->count)];
    return input;
}

/* Reserved names come from votes. */
static bool is_heard(const wf_inputs *self, const wf_external_event *outside)
{
    return !wf_event_reserved(outside->name.as.text) && wf_is_heard(outside, self->snapshot);
}

bool wf_input_is_of_work(const wf_input *input)
{
    return input->kind == WF_INPUT_RESULT || input->kind == WF_INPUT_FAILURE;
}

/* When the first attempt of an agent ends at the latest. `due` is when it can begin. */
static int64_t first_end(const wf_inputs *self)
{
    const wf_list *ledger = &self->snapshot->extras->ledger;
    int64_t first = WFSM_NEVER;
    for (size_t i = 0; self->explorer->ends && i < ledger->count; i++) {
        const wf_invocation *work = wf_invocation_at(ledger, i);
        int64_t timeout = self->explorer->machine->invokes[work->invoke].timeout;
        int64_t end = wf_end_of(self->explorer, work) > 0 ? wf_time_after(work->due, timeout)
                                                          : WFSM_NEVER;
        first = end < first ? end : first;
    }
    return first;
}

/* The last time at which anything else may happen before what is due. */
static int64_t latest(const wf_inputs *self, int64_t deadline)
{
    int64_t end = first_end(self);
    if (self->explorer->times.punctual && deadline < WFSM_NEVER)
        deadline--;
    return end < deadline ? end : deadline;
}

/* An agent's attempt is begun, or can begin at that time at the latest, and no budget refuses it. A person
 * answers without an attempt. */
static bool is_at_work(const wf_inputs *self, uint32_t place, int64_t last)
{
    const wf_invocation *work = wf_invocation_at(&self->snapshot->extras->ledger, place);
    if (wf_invocation_ended(work))
        return false;
    return wf_asks_person(self->snapshot, place) || work->status == WF_RUNNING ||
           (work->due <= last && wf_budget_refusing(self->snapshot, self->now) == WF_NONE);
}

/* What is due next. The writer wants the name of the timer, or the number of the budget. */
static bool due_input(const wf_inputs *self, int64_t deadline, wf_input *input)
{
    const wf_list *timers = &self->snapshot->extras->timers;
    const wfsm_machine *machine = self->explorer->machine;
    *input = (wf_input){.kind = WF_INPUT_TIMER, .data = wf_null()};
    for (size_t i = 0; i < timers->count; i++)
        if (wf_timer_at(timers, i)->due == deadline) {
            input->name = *wf_value_get_z(&wf_timer_at(timers, i)->raised, "event");
            return true;
        }
    input->kind = WF_INPUT_BUDGET;
    for (uint32_t i = 0; i < machine->budget_count; i++)
        if (machine->budgets[i].counts == WF_COUNT_TIME &&
            !wf_spent_at(&self->snapshot->extras->budgets, i)->raised) {
            input->place = i;
            return true;
        }
    return false;
}

/* One of the inputs that are possible, each with the same chance. False: there is none. */
bool wf_draw_input(wf_inputs *self, int64_t deadline, wf_input *input)
{
    const wf_explorer *explorer = self->explorer;
    const int64_t last = latest(self, deadline);
    uint32_t count = deadline < WFSM_NEVER && deadline <= first_end(self);
    uint32_t all = (uint32_t)self->snapshot->extras->ledger.count;
    bool found = count > 0 && due_input(self, deadline, input);
    for (uint32_t ledger = 0; ledger < all && last >= self->now; ledger++)
        if (is_at_work(self, ledger, last) && wf_draw_below(&self->draw, ++count) == 0) {
            *input = work_input(self, ledger);
            found = true;
        }
    for (uint32_t i = 0; i < explorer->outside_count && last >= self->now; i++)
        if (is_heard(self, &explorer->outside[i]) && wf_draw_below(&self->draw, ++count) == 0) {
            *input = event_input(self, i);
            found = true;
        }
    return found && input->data.type != WF_ABSENT;
}

/* ---- when ---- */

/* An attempt begins when its time has come. */
static int64_t earliest(const wf_inputs *self, const wf_input *input)
{
    const wf_list *ledger = &self->snapshot->extras->ledger;
    if (!wf_input_is_of_work(input) || wf_asks_person(self->snapshot, input->place))
        return self->now;
    const wf_invocation *work = wf_invocation_at(ledger, input->place);
    return work->status == WF_PENDING ? work->due : self->now;
}

int64_t wf_draw_time(wf_inputs *self, int64_t deadline, const wf_input *input)
{
    bool due = input->kind == WF_INPUT_TIMER || input->kind == WF_INPUT_BUDGET;
    int64_t last = due ? deadline : latest(self, deadline);
    int64_t later = due ? deadline : earliest(self, input);
    if (!due && wf_draw_below(&self->draw, 3) == 0)
        later = wf_time_after(later, (int64_t)wf_draw_duration(&self->draw));
    later = later < last ? later : last;
    return later > self->now ? later : self->now;
}
