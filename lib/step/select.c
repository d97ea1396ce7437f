/* Which transitions react to an event: appendix D's selectTransitions and
 * removeConflictingTransitions. */
#include "step/step.h"

#include "base/error.h"
#include "base/invariant.h"
#include "base/memory.h"

static bool is_leaf(const wf_state *state)
{
    return state->type == WF_ATOMIC || state->type == WF_FINAL;
}

static const wf_handler *find_handler(const wfsm_machine *machine, const wf_state *state,
                                      uint32_t event)
{
    uint32_t low = state->exact.first, high = low + state->exact.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (machine->handlers[middle].event == event)
            return &machine->handlers[middle];
        if (machine->handlers[middle].event < event)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool guard_failed_before(const wf_step *step, uint32_t transition)
{
    for (size_t i = 0; i < step->guard_failed_count; i++)
        if (step->guard_failed[i] == transition)
            return true;
    return false;
}

/* A guard that cannot be evaluated raises error.execution once per transition and macrostep,
 * so that an eventless one cannot spin. */
static int32_t note_failed_guard(wf_step *step, uint32_t transition)
{
    int32_t status = wf_fuel_work(step, 1 + step->guard_failed_count / 8);
    if (status != WFSM_OK || guard_failed_before(step, transition))
        return status;
    uint32_t *list = wf_grow(step->allocator, step->guard_failed, &step->guard_failed_capacity,
                             step->guard_failed_count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(step->error);
    step->guard_failed = list;
    list[step->guard_failed_count++] = transition;
    return wf_raise_error(step, step->message);
}

static int32_t ask(wf_step *step, uint32_t transition, bool *yes)
{
    const wf_guard *guard = &step->machine->transitions[transition].guard;
    bool failed = false;
    *yes = true;
    if (guard->kind == WF_GUARD_NONE)
        return WFSM_OK;
    wf_fuel_at(step, WF_AT_GUARD, transition);
    int32_t status = wf_test_guard(step, guard, yes, &failed);
    if (status == WFSM_OK && failed)
        status = note_failed_guard(step, transition);
    if (!*yes)
        step->blocked = guard;
    return status;
}

/* The first enabled transition of one state, or WF_NONE. */
static int32_t first_of_state(wf_step *step, const wf_state *state, const wf_event *event,
                              uint32_t *found)
{
    const wfsm_machine *machine = step->machine;
    const wf_handler *handler =
        event->number == WF_NONE ? NULL : find_handler(machine, state, event->number);
    wf_span span = handler ? handler->candidates : state->generic;
    for (uint32_t i = span.first; i < span.first + span.count; i++) {
        const wf_candidate *candidate = &machine->candidates[i];
        bool yes = false;
        int32_t status = wf_fuel_work(step, 1);
        if (status != WFSM_OK)
            return status;
        if (candidate->descriptor != WF_NONE &&
            !wf_prefix_matches(&machine->prefixes[candidate->descriptor], event->name.as.text,
                               event->name.length))
            continue;
        step->matched = true;
        status = ask(step, candidate->transition, &yes);
        if (status != WFSM_OK)
            return status;
        if (yes) {
            *found = candidate->transition;
            return WFSM_OK;
        }
    }
    return WFSM_OK;
}

static int32_t first_always(wf_step *step, const wf_state *state, uint32_t *found)
{
    for (uint32_t i = state->always.first; i < state->always.first + state->always.count; i++) {
        bool yes = false;
        int32_t status = wf_fuel_work(step, 1);
        if (status == WFSM_OK)
            status = ask(step, step->machine->lists[i], &yes);
        if (status != WFSM_OK)
            return status;
        if (yes) {
            *found = step->machine->lists[i];
            return WFSM_OK;
        }
    }
    return WFSM_OK;
}

/* Only leaves below a common ancestor can select the same transition. */
static bool already(const wf_step *step, uint32_t leaf, uint32_t transition)
{
    if (step->machine->transitions[transition].source == leaf)
        return false;
    for (size_t i = 0; i < step->enabled_count; i++)
        if (step->enabled[i].transition == transition)
            return true;
    return false;
}

/* Two transitions conflict when they exit a common state: one domain lies within the other, and
 * the inner one has active descendants. */
static bool conflict(const wf_step *step, uint32_t a, uint32_t b)
{
    const wfsm_machine *machine = step->machine;
    if (a == WF_NONE || b == WF_NONE)
        return false;
    uint32_t inner = a > b ? a : b, outer = a > b ? b : a;
    if (inner != outer && !wf_is_descendant(machine, inner, outer))
        return false;
    return wf_set_next(step->snapshot->active, machine->words, inner + 1) <
           machine->states[inner].end;
}

/*
 * Keeps a transition, or drops it in favour of an earlier one that conflicts with it. The one
 * from the deeper source wins; between regions, the one selected first. The first *kept
 * elements of the list are those kept so far.
 */
static void keep_or_drop(wf_step *step, const wf_enabled *candidate, size_t *kept)
{
    const wfsm_machine *machine = step->machine;
    uint32_t source = machine->transitions[candidate->transition].source;
    wf_enabled self = *candidate;
    for (size_t i = 0; i < *kept; i++) {
        uint32_t other = machine->transitions[step->enabled[i].transition].source;
        if (conflict(step, self.domain, step->enabled[i].domain) &&
            !wf_is_descendant(machine, source, other)) {
            if (step->observer && !wf_is_descendant(machine, other, source))
                step->observer->preempted(step->observer->user, step->enabled[i].transition,
                                          self.transition);
            return;
        }
    }
    size_t left = 0;
    for (size_t i = 0; i < *kept; i++)
        if (!conflict(step, self.domain, step->enabled[i].domain))
            step->enabled[left++] = step->enabled[i];
    step->enabled[left++] = self;
    *kept = left;
}

/* Most lie in different regions. Then each domain begins behind the end of all before it, and
 * there is nothing to compare. */
static int32_t remove_conflicts(wf_step *step)
{
    const wf_state *states = step->machine->states;
    size_t kept = 0;
    uint32_t end = 0;
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < step->enabled_count && status == WFSM_OK; i++) {
        uint32_t domain = step->enabled[i].domain;
        if (domain == WF_NONE || domain >= end) {
            step->enabled[kept++] = step->enabled[i];
        } else {
            status = wf_fuel_work(step, kept);
            keep_or_drop(step, &step->enabled[i], &kept);
        }
        if (domain != WF_NONE && states[domain].end > end)
            end = states[domain].end;
    }
    step->enabled_count = kept;
    return status;
}

static int32_t add_enabled(wf_step *step, uint32_t transition)
{
    const wf_transition *self = &step->machine->transitions[transition];
    uint32_t each = step->machine->history_count > 0 ? 1 + step->machine->words : 1;
    int32_t status = wf_fuel_work(step, 1 + (size_t)self->targets.count * each);
    if (status != WFSM_OK)
        return status;
    wf_enabled *list = wf_grow(step->allocator, step->enabled, &step->enabled_capacity,
                               step->enabled_count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(step->error);
    step->enabled = list;
    list[step->enabled_count++] = (wf_enabled){transition, wf_domain(step, transition)};
    return WFSM_OK;
}

/* The transitions of the leaf come first, then those of its ancestors. */
static int32_t select_for_leaf(wf_step *step, uint32_t leaf, const wf_event *event)
{
    WF_INVARIANT(is_leaf(&step->machine->states[leaf]));
    uint32_t found = WF_NONE;
    int32_t status = WFSM_OK;
    for (uint32_t s = leaf; s != WF_NONE && found == WF_NONE && status == WFSM_OK;
         s = step->machine->states[s].parent) {
        const wf_state *state = &step->machine->states[s];
        status = wf_fuel_work(step, 1);
        if (status == WFSM_OK)
            status = event ? first_of_state(step, state, event, &found)
                           : first_always(step, state, &found);
    }
    if (status == WFSM_OK && found != WF_NONE)
        status = wf_fuel_work(step, step->machine->transitions[found].source == leaf
                                        ? 1
                                        : 1 + step->enabled_count / 8);
    if (status != WFSM_OK || found == WF_NONE || already(step, leaf, found))
        return status;
    return add_enabled(step, found);
}

static int32_t select_for_all(wf_step *step, const wf_event *event)
{
    const wfsm_machine *machine = step->machine;
    int32_t status = WFSM_OK;
    if (!machine->has_regions) /* descendants have the greater numbers */
        return select_for_leaf(step, wf_set_last(step->snapshot->active, machine->words),
                               event);
    for (uint32_t s = wf_set_next(step->snapshot->active, machine->words, 0);
         s != WF_NONE && status == WFSM_OK;
         s = wf_set_next(step->snapshot->active, machine->words, s + 1))
        if (is_leaf(&machine->states[s]))
            status = select_for_leaf(step, s, event);
    return status == WFSM_OK && step->enabled_count > 1 ? remove_conflicts(step) : status;
}

static int32_t select_and_tell(wf_step *step, const wf_event *event)
{
    int32_t status = select_for_all(step, event);
    if (step->observer && status == WFSM_OK)
        step->observer->selected(step->observer->user, event);
    return status;
}

int32_t wf_select(wf_step *step, const wf_event *event)
{
    int32_t status = wf_count_selection(step);
    step->enabled_count = 0;
    return status == WFSM_OK ? select_and_tell(step, event) : status;
}

int32_t wf_select_always(wf_step *step)
{
    int32_t status = wf_count_selection(step);
    step->enabled_count = 0;
    if (status != WFSM_OK || !step->machine->has_always)
        return status;
    return select_and_tell(step, NULL);
}
