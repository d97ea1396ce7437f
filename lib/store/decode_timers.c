/* store/decode_timers.c: timers. Their numbers ascend, so that none can be listed twice. */
#include "store/decode_parts.h"

#include <string.h>
#include "base/memory.h"

enum { NUMBER, DUE, STATE, RAISED };
static const char *const timer_keys[] = {"number", "due", "state", "raised", NULL};
enum { EVENT };
static const char *const after_keys[] = {"event", NULL};
static const char *const raise_keys[] = {"event", "data", "id", NULL};

/* True if this is the event of an `after` of the state. */
static bool belongs(const wfsm_machine *machine, uint32_t state, const wf_value *event)
{
    wf_span after = machine->states[state].after;
    for (uint32_t i = after.first; i < after.first + after.count; i++)
        if (strcmp(machine->events.list[machine->afters[i].event].text, event->as.text) == 0)
            return true;
    return false;
}

static int32_t check_raised(const wf_decoder *decoder, const wf_value *raised, uint32_t state)
{
    const wf_value *event;
    wf_fields fields;
    int32_t status =
        wf_read_fields(decoder, raised, state != WF_NONE ? after_keys : raise_keys, &fields);
    if (status == WFSM_OK)
        status = wf_need(decoder, &fields, EVENT, WF_STRING, &event);
    if (status != WFSM_OK)
        return status;
    if (state != WF_NONE && !belongs(decoder->machine, state, event))
        return wf_corrupt(decoder, "its state raises no \"%s\"", event->as.text);
    if (state == WF_NONE && (event->length == 0 || raised->length != 3))
        return wf_corrupt(decoder, "expected an event's name, data and id as \"raised\"");
    return WFSM_OK;
}

static int32_t read_state(const wf_decoder *decoder, const wf_value *path, uint32_t *state)
{
    *state = wf_state_of(decoder, path);
    if (path && *state == WF_NONE)
        return wf_corrupt(decoder, "expected the path of a state as \"state\"");
    return WFSM_OK;
}

static int32_t append(const wf_decoder *decoder, wf_timer *made, const wf_value *raised)
{
    const wfsm_allocator *allocator = decoder->snapshot->allocator;
    wf_timers *timers = &wf_own_extras(decoder->snapshot)->timers;
    wf_timer *list =
        wf_grow(allocator, timers->list, &timers->capacity, timers->count + 1, sizeof *list);
    if (!list)
        return wf_no_memory(decoder->error);
    timers->list = list;
    int32_t status = wf_keep(decoder, raised, &made->raised, &made->block);
    if (status == WFSM_OK)
        list[timers->count++] = *made;
    return status;
}

/* The next number must be greater than this one. The timers of a record are all new. */
static uint64_t last_number(const wf_decoder *decoder)
{
    const wf_timers *timers = &decoder->snapshot->extras->timers;
    uint64_t last = timers->count > 0 ? timers->list[timers->count - 1].number : 0;
    return last > decoder->timers_before ? last : decoder->timers_before;
}

int32_t wf_decode_timer(wf_decoder *decoder, const wf_value *timer)
{
    const wf_value *raised;
    int64_t number;
    wf_timer made = {.state = WF_NONE};
    wf_fields fields;
    int32_t status = wf_read_fields(decoder, timer, timer_keys, &fields);
    if (status == WFSM_OK)
        status = wf_need_number(decoder, &fields, NUMBER, 1, &number);
    if (status == WFSM_OK)
        status = wf_need_number(decoder, &fields, DUE, 0, &made.due);
    if (status == WFSM_OK)
        status = wf_need(decoder, &fields, RAISED, WF_OBJECT, &raised);
    if (status == WFSM_OK)
        status = read_state(decoder, fields.found[STATE], &made.state);
    if (status == WFSM_OK)
        status = check_raised(decoder, raised, made.state);
    if (status != WFSM_OK)
        return status;
    made.number = (uint64_t)number;
    if (made.number <= last_number(decoder) ||
        made.number > decoder->snapshot->extras->timer_number)
        return wf_corrupt(decoder, "its number is out of order, or greater than the last");
    return append(decoder, &made, raised);
}

/* Both lists are in ascending order, so one pass is enough. */
int32_t wf_clear_timers(wf_decoder *decoder, const wf_value *numbers)
{
    wf_timers *timers = &wf_own_extras(decoder->snapshot)->timers;
    uint32_t at = 0;
    size_t kept = 0;
    for (size_t i = 0; i < timers->count; i++) {
        int64_t number = 0;
        if (at < numbers->length && wf_is_number(&numbers->as.items[at], &number) &&
            (uint64_t)number == timers->list[i].number) {
            wf_free(decoder->snapshot->allocator, timers->list[i].block);
            at++;
        } else {
            timers->list[kept++] = timers->list[i];
        }
    }
    timers->count = kept;
    if (at < numbers->length)
        return wf_corrupt(decoder, "\"timers_cleared\" names one that is not there");
    return WFSM_OK;
}
