/* The inputs. Each opens a draft, runs the step, and commits the draft or drops it. */
#include "instance/inner.h"

#include <string.h>
#include "base/invariant.h"
#include "base/error.h"
#include "base/utf8.h"
#include "logic/json.h"

static int32_t rolled_back(wfsm_instance *instance, int32_t status)
{
    return wf_instance_drop(instance, status);
}

static void report(int32_t *out, int32_t outcome)
{
    if (out)
        *out = outcome;
}

/* An input of an instance that has ended changes nothing. */
static bool ended(const wfsm_instance *instance, int32_t *outcome)
{
    if (instance->snapshot.status != WFSM_DONE)
        return false;
    report(outcome, WFSM_ENDED);
    return true;
}

static int32_t open_input(wfsm_instance *instance, int64_t now, int32_t *outcome, bool *over,
                          wfsm_error *error)
{
    int32_t status = wf_instance_ready(instance, error);
    *over = status == WFSM_OK && ended(instance, outcome);
    if (status != WFSM_OK || *over)
        return status;
    return wf_instance_begin(instance, now, error);
}

/* ---- events ---- */

static bool changes(int32_t outcome)
{
    return outcome == WFSM_TAKEN || outcome == WFSM_FAILED || outcome == WFSM_ENDED;
}

/* The event of a call, given by its name or by its number in the machine. */
typedef struct sending {
    uint32_t number; /* WF_NONE: the machine does not name it */
    wf_value name, data;
    const char *id;
    int32_t interface;
    const char *sender;
} sending;

static int32_t run_event(wfsm_instance *instance, const sending *sent, wf_note *note)
{
    wf_step *step = &instance->scratch->step;
    WF_INVARIANT(sent->number == WF_NONE ||
                 strcmp(step->machine->events.list[sent->number].text, sent->name.as.text) ==
                     0);
    wf_value id = sent->id ? wf_string_z(sent->id) : wf_null();
    step->current = (wf_event){WF_EXTERNAL, sent->number, sent->name, sent->data, id};
    int32_t status = WFSM_OK;
    if (note->inbox != 0 && wf_event_reserved(sent->name.as.text))
        wf_step_refuse(step, &note->outcome); /* wfsm_store_post() takes no such post */
    else
        status = wf_run_input(step, &step->current, &note->outcome);
    wf_instance_note_blocked(instance, note->outcome);
    if (wf_instance_writes(instance))
        note->input = wf_event_note(&step->arena, &sent->name, &id, &sent->data);
    note->event_id = sent->id;
    return status;
}

static sending sending_of(const wfsm_instance *instance, const char *event, const char *id)
{
    wf_value name = wf_string_z(event);
    uint32_t number = wf_names_find(&instance->snapshot.machine->events, event, name.length);
    return (sending){.number = number, .name = name, .data = wf_null(), .id = id};
}

/* The length of names of the machine itself was checked when it was compiled. */
static int32_t check_name(const sending *sent, wfsm_error *error)
{
    if (sent->number == WF_NONE && !wf_id_valid(sent->name.as.text))
        return wf_fail(error, WFSM_INVALID, "an event's name is 1 to 255 bytes of UTF-8");
    return wf_event_outside(sent->name.as.text, error);
}

/* Few of many instances are in the cache. Fetches the following lines together with the head,
 * instead of after it. */
static void fetch(const wfsm_instance *instance)
{
    wf_instance_fetch(instance, 1);
    wf_instance_fetch(instance, 2);
}

/* The short path: nobody needs a record, and the event has no data. */
static bool send_fast(wfsm_instance *instance, uint32_t event, const char *data, int64_t now,
                      int32_t *outcome)
{
    if (data || now < 0 || now > WF_NUMBER_MOST || instance->busy ||
        instance->snapshot.status != WFSM_RUNNING || wf_instance_writes(instance) ||
        !wf_fast_event(&instance->snapshot, event, now))
        return false;
    instance->blocked = WF_NONE;
    wf_instance_forget_record(instance);
    report(outcome, WFSM_TAKEN);
    return true;
}

static int32_t send(wfsm_instance *instance, sending *sent, const char *data, size_t length,
                    int64_t now, int32_t *outcome, wfsm_error *error)
{
    bool over = false, seen = false;
    wf_note note = {0};
    int32_t status = open_input(instance, now, outcome, &over, error);
    if (status != WFSM_OK || over)
        return status;
    wf_step_origin(&instance->scratch->step, sent->interface, sent->sender);
    status = wf_instance_parse(instance, data, length, &sent->data, error);
    if (status == WFSM_OK)
        status = wf_instance_is_duplicate(instance, sent->id, &seen, error);
    if (status == WFSM_OK && !seen)
        status = run_event(instance, sent, &note);
    if (status == WFSM_OK && !seen && changes(note.outcome))
        return wf_instance_commit_input(instance, &note, outcome, error);
    report(outcome, seen ? WFSM_DUPLICATE : note.outcome);
    return rolled_back(instance, status);
}

int32_t wfsm_instance_send(wfsm_instance *instance, const wfsm_event *event, int64_t now,
                           int32_t *outcome, wfsm_error *error)
{
    wfsm_event room;
    if (!instance)
        return wf_fail(error, WFSM_INVALID, "the instance is NULL");
    fetch(instance);
    const wfsm_event *given = wf_instance_event(&room, event, error);
    if (!given)
        return WFSM_INVALID;
    sending sent = sending_of(instance, given->name, given->id);
    if (send_fast(instance, sent.number, given->data, now, outcome))
        return WFSM_OK;
    sent.interface = given->interface;
    sent.sender = given->sender;
    int32_t status = check_name(&sent, error);
    if (status == WFSM_OK)
        status = wf_origin_check(given->interface, given->sender, error);
    if (status != WFSM_OK)
        return status;
    return send(instance, &sent, given->data, given->length, now, outcome, error);
}

int32_t wfsm_instance_send_number(wfsm_instance *instance, int32_t number, int64_t now,
                                  int32_t *outcome, wfsm_error *error)
{
    if (instance)
        fetch(instance);
    if (!instance || number < 0 || (uint32_t)number >= instance->snapshot.machine->events.count)
        return wf_fail(error, WFSM_INVALID, "no instance, or no event of its machine");
    if (send_fast(instance, (uint32_t)number, NULL, now, outcome))
        return WFSM_OK;
    const wf_name *name = &instance->snapshot.machine->events.list[number];
    sending sent = {.number = (uint32_t)number,
                    .name = wf_string(name->text, name->length),
                    .data = wf_null()};
    int32_t status = wf_event_outside(name->text, error);
    if (status != WFSM_OK)
        return status;
    return send(instance, &sent, NULL, 0, now, outcome, error);
}

/* A waiting post is consumed, whether or not it changes anything. */
int32_t wf_instance_consume_event(wfsm_instance *instance, const wfsm_row *post, int64_t now,
                                  int32_t *outcome, wfsm_error *error)
{
    sending sent = sending_of(instance, post->name, post->id);
    wf_note note = {.outcome = WFSM_ENDED, .inbox = post->number, .event_id = post->id};
    int32_t status = wf_instance_begin(instance, now, error);
    if (status != WFSM_OK)
        return status;
    status = wf_instance_parse(instance, post->text, post->length, &sent.data, error);
    if (status == WFSM_OK && instance->snapshot.status != WFSM_DONE) {
        status = run_event(instance, &sent, &note);
    } else if (status == WFSM_OK) {
        wf_value id = post->id ? wf_string_z(post->id) : wf_null();
        note.input = wf_event_note(&instance->scratch->step.arena, &sent.name, &id, &sent.data);
    }
    if (status != WFSM_OK)
        return rolled_back(instance, status);
    return wf_instance_commit_input(instance, &note, outcome, error);
}

/* ---- time ---- */

static wf_value due_note(const wf_step *step, wf_arena *arena)
{
    const char *const keys[] = {"event", "number"};
    wf_value number = wf_number((double)step->consumed_timer);
    const wf_value *values[] = {&step->consumed_name, &number};
    const char *const budget[] = {"budget"};
    if (step->consumed_budget != WF_NONE)
        return wf_note_value(arena, "budget", budget, values, 1);
    if (step->consumed_timer == 0)
        return wf_note_value(arena, "timeout", keys, values, 0);
    return wf_note_value(arena, "timer", keys, values, 2);
}

int32_t wfsm_instance_advance(wfsm_instance *instance, int64_t now, int32_t *fired,
                              int32_t *outcome, wfsm_error *error)
{
    bool over = false, due = false;
    wf_note note = {0};
    int32_t status = open_input(instance, now, outcome, &over, error);
    report(fired, 0);
    if (status != WFSM_OK || over)
        return status;
    status = wf_step_due(&instance->scratch->step, &due, &note.outcome);
    if (status != WFSM_OK || !due)
        return rolled_back(instance, status);
    note.input = due_note(&instance->scratch->step, &instance->scratch->step.arena);
    status = wf_instance_commit_input(instance, &note, outcome, error);
    report(fired, status == WFSM_OK);
    return status;
}

/* ---- patch ---- */

int32_t wfsm_instance_patch(wfsm_instance *instance, const char *json, size_t length,
                            int64_t now, int32_t *outcome, wfsm_error *error)
{
    static const char *const keys[] = {"patch"};
    bool over = false;
    wf_value patch;
    const wf_value *values[] = {&patch};
    wf_note note = {0};
    int32_t status = open_input(instance, now, outcome, &over, error);
    if (status != WFSM_OK || over)
        return status;
    status = wf_instance_parse(instance, json, length, &patch, error);
    if (status == WFSM_OK && patch.type != WF_OBJECT)
        status = wf_fail(error, WFSM_SEMANTIC, "a patch must be a JSON object");
    if (status == WFSM_OK)
        status = wf_step_patch(&instance->scratch->step, &patch, &note.outcome);
    if (status != WFSM_OK)
        return rolled_back(instance, status);
    note.input = wf_note_value(&instance->scratch->step.arena, "patch", keys, values, 1);
    return wf_instance_commit_input(instance, &note, outcome, error);
}

/* ---- stop ---- */

int32_t wfsm_instance_stop(wfsm_instance *instance, int64_t now, int32_t *outcome,
                           wfsm_error *error)
{
    bool over = false;
    wf_note note = {0};
    int32_t status = open_input(instance, now, outcome, &over, error);
    if (status != WFSM_OK || over)
        return status;
    status = wf_step_stop(&instance->scratch->step, &note.outcome);
    if (status != WFSM_OK)
        return rolled_back(instance, status);
    note.input = wf_note_value(&instance->scratch->step.arena, "stop", NULL, NULL, 0);
    return wf_instance_commit_input(instance, &note, outcome, error);
}
