/* Queries, which change nothing. */
#include "instance/inner.h"

#include <inttypes.h>
#include <string.h>
#include "base/error.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "logic/json.h"
#include "store/record.h"
#include "store/record_parts.h"

const char *wfsm_instance_id(const wfsm_instance *instance)
{
    return instance ? wf_instance_id(instance) : NULL;
}

const wfsm_machine *wfsm_instance_machine(const wfsm_instance *instance)
{
    return instance ? instance->snapshot.machine : NULL;
}

uint64_t wfsm_instance_revision(const wfsm_instance *instance)
{
    return instance ? instance->snapshot.revision : 0;
}

uint64_t wfsm_instance_committed(const wfsm_instance *instance)
{
    return instance && instance->attached ? instance->attached->committed : 0;
}

int32_t wfsm_instance_status(const wfsm_instance *instance)
{
    return instance ? instance->snapshot.status : 0;
}

int64_t wfsm_instance_now(const wfsm_instance *instance)
{
    return instance ? instance->snapshot.now : 0;
}

int64_t wfsm_instance_deadline(const wfsm_instance *instance)
{
    if (!instance || instance->snapshot.status == WFSM_DONE)
        return WFSM_NEVER;
    return wf_snapshot_deadline(&instance->snapshot, false);
}

int32_t wfsm_instance_in(const wfsm_instance *instance, const char *state)
{
    if (!instance || !state)
        return 0;
    uint32_t found = wf_machine_find(instance->snapshot.machine, state, strlen(state));
    return found != WF_NONE && wf_set_has(instance->snapshot.active, found);
}

int32_t wfsm_instance_has_tag(const wfsm_instance *instance, const char *tag)
{
    if (!instance || !tag)
        return 0;
    uint32_t number = wf_names_find(&instance->snapshot.machine->tags, tag, strlen(tag));
    return number != WF_NONE && wf_snapshot_has_tag(&instance->snapshot, number);
}

const char *wfsm_instance_blocked(const wfsm_instance *instance)
{
    if (!instance || instance->blocked == WF_NONE)
        return "";
    return instance->snapshot.machine->transitions[instance->blocked].guard.text;
}

static const char *give(const wf_buffer *buffer, size_t *length)
{
    bool failed = !buffer || buffer->failed;
    if (length)
        *length = failed ? 0 : buffer->length;
    if (failed)
        return NULL;
    return buffer->data ? buffer->data : "";
}

/* NULL when out of memory, or without an instance. */
static wf_buffer *fresh_answer(wfsm_instance *instance)
{
    if (!instance || wf_instance_attach(instance, NULL) != WFSM_OK)
        return NULL;
    wf_buffer_clear(&instance->attached->answer);
    return &instance->attached->answer;
}

const char *wfsm_instance_configuration(wfsm_instance *instance, size_t *length)
{
    wf_buffer *out = fresh_answer(instance);
    if (!out)
        return give(out, length);
    wf_write_configuration(out, instance->snapshot.machine, instance->snapshot.active);
    return give(out, length);
}

const char *wfsm_instance_context(wfsm_instance *instance, size_t *length)
{
    wf_buffer *out = fresh_answer(instance);
    if (!out)
        return give(out, length);
    wf_write_context(out, &instance->snapshot);
    return give(out, length);
}

const char *wfsm_instance_output(wfsm_instance *instance, size_t *length)
{
    wf_buffer *out = fresh_answer(instance);
    if (!out)
        return give(out, length);
    wf_json_write(out, &instance->snapshot.extras->singles.output);
    return give(out, length);
}

/* What a person needs in order to vote, and who has voted. */
static void write_votes(wf_buffer *out, const wfsm_instance *instance,
                        const wf_invocation *self)
{
    char digest[WF_DIGEST_HEX];
    if (!wf_is_person(&instance->snapshot.machine->agents.list[self->agent]))
        return;
    out->failed |= !wf_approval_digest(&self->input, instance->snapshot.allocator, digest);
    wf_write_string(out, "digest", out->failed ? "" : digest);
    if (self->votes.type == WF_ARRAY) {
        wf_write_key(out, "votes");
        wf_json_write(out, &self->votes);
    }
}

static void write_invocation(wf_buffer *out, const wfsm_instance *instance,
                             const wf_invocation *self)
{
    char id[WF_INVOCATION_ID_BYTES];
    const wfsm_machine *machine = instance->snapshot.machine;
    const wf_invoke *invoke = &machine->invokes[self->invoke];
    wf_instance_invocation_id(instance, self, id);
    wf_buffer_byte(out, '{');
    wf_write_string(out, "id", id);
    wf_write_string(out, "src", machine->agents.list[self->agent].text);
    wf_write_string(out, "state", machine->states[invoke->state].path.text);
    wf_write_string(out, "status", wf_invocation_status_name(self->status));
    wf_write_string(out, "invoke", invoke->id.text);
    wf_write_key(out, "attempt");
    wf_json_write_int(out, self->attempt);
    if (self->attempt > 0) {
        wf_write_key(out, "claimed");
        wf_json_write_int(out, self->claimed);
    }
    if (self->reason < WF_CLASSES)
        wf_write_string(out, "retry_reason", wf_class_name(self->reason));
    wf_write_key(out, "due");
    if (self->due == WFSM_NEVER)
        wf_buffer_text(out, "null");
    else
        wf_json_write_int(out, self->due);
    if (self->owner.type == WF_STRING)
        wf_write_string(out, "owner", self->owner.as.text);
    if (self->pool.type == WF_OBJECT) {
        wf_write_key(out, "pool");
        wf_json_write(out, &self->pool);
    }
    write_votes(out, instance, self);
    if (self->set != 0) {
        wf_write_key(out, "item");
        wf_json_write_int(out, self->ordinal - self->set);
        wf_write_key(out, "of");
        wf_json_write_int(out, self->of);
    }
    if (wf_invocation_ended(self)) {
        wf_write_key(out, "result");
        wf_json_write(out, &self->result);
    }
    wf_write_key(out, "input");
    wf_json_write(out, &self->input);
    wf_buffer_byte(out, '}');
}

const char *wfsm_instance_invocations(wfsm_instance *instance, size_t *length)
{
    wf_buffer *out = fresh_answer(instance);
    if (!out)
        return give(out, length);
    wf_buffer_byte(out, '[');
    for (size_t i = 0; i < instance->snapshot.extras->ledger.count; i++) {
        if (i > 0)
            wf_buffer_byte(out, ',');
        write_invocation(out, instance,
                         wf_invocation_at(&instance->snapshot.extras->ledger, i));
    }
    wf_buffer_byte(out, ']');
    return give(out, length);
}

static void write_timer(wf_buffer *out, const wf_timer *timer)
{
    const char *const parts[] = {"id", "data"};
    wf_buffer_byte(out, '{');
    wf_write_key(out, "event");
    wf_json_write(out, wf_value_get_z(&timer->raised, "event"));
    wf_write_key(out, "due");
    wf_json_write_int(out, timer->due);
    for (size_t i = 0; i < 2; i++) {
        const wf_value *part = wf_value_get_z(&timer->raised, parts[i]);
        if (!part || part->type == WF_NULL)
            continue;
        wf_write_key(out, parts[i]);
        wf_json_write(out, part);
    }
    wf_buffer_byte(out, '}');
}

const char *wfsm_instance_timers(wfsm_instance *instance, size_t *length)
{
    wf_buffer *out = fresh_answer(instance);
    if (!out)
        return give(out, length);
    wf_buffer_byte(out, '[');
    for (size_t i = 0; i < instance->snapshot.extras->timers.count; i++) {
        if (i > 0)
            wf_buffer_byte(out, ',');
        write_timer(out, wf_timer_at(&instance->snapshot.extras->timers, i));
    }
    wf_buffer_byte(out, ']');
    return give(out, length);
}

static const wf_buffer nothing = {0};

const char *wfsm_instance_record(wfsm_instance *instance, size_t *length)
{
    if (!instance)
        return give(NULL, length);
    return give(instance->attached ? &instance->attached->record : &nothing, length);
}

const char *wfsm_instance_log(wfsm_instance *instance, size_t *length)
{
    if (!instance)
        return give(NULL, length);
    return give(instance->attached ? &instance->attached->log : &nothing, length);
}

const char *wfsm_instance_entered(wfsm_instance *instance, size_t *length)
{
    if (!instance)
        return give(NULL, length);
    return give(instance->attached ? &instance->attached->entered : &nothing, length);
}

const char *wfsm_instance_event(wfsm_instance *instance, size_t *length)
{
    if (!instance)
        return give(NULL, length);
    return give(instance->attached ? &instance->attached->event : &nothing, length);
}

/* ---- what would happen ---- */

static bool is_enabled(wfsm_instance *instance, uint32_t number)
{
    const wf_name *name = &instance->snapshot.machine->events.list[number];
    wf_event event = {WF_EXTERNAL, number, wf_string(name->text, name->length), wf_null(),
                      wf_null()};
    if (wf_instance_begin(instance, instance->snapshot.now, NULL) != WFSM_OK)
        return false;
    wf_step *step = &instance->scratch->step;
    wf_take_event(step, &event);
    bool enabled = wf_select(step, &event) == WFSM_OK && step->enabled_count > 0;
    wf_instance_drop(instance, WFSM_OK);
    return enabled;
}

static void write_enabled(wfsm_instance *instance, uint32_t state, uint64_t *seen)
{
    const wfsm_machine *machine = instance->snapshot.machine;
    wf_span exact = machine->states[state].exact;
    for (uint32_t i = exact.first; i < exact.first + exact.count; i++) {
        uint32_t event = machine->handlers[i].event;
        const wf_name *name = &machine->events.list[event];
        if (wf_set_has(seen, event))
            continue;
        wf_set_add(seen, event);
        if (wf_event_reserved(name->text) || !is_enabled(instance, event))
            continue;
        if (instance->attached->answer.length > 1)
            wf_buffer_byte(&instance->attached->answer, ',');
        wf_json_write_text(&instance->attached->answer, name->text, name->length);
    }
}

const char *wfsm_instance_events(wfsm_instance *instance, size_t *length)
{
    wf_buffer *out = fresh_answer(instance);
    if (!out)
        return give(out, length);
    const wfsm_machine *machine = instance->snapshot.machine;
    const uint64_t *active = instance->snapshot.active;
    uint64_t *seen =
        wf_new(instance->snapshot.allocator, (machine->events.count / 64 + 1) * sizeof *seen);
    if (!seen || instance->busy)
        out->failed = true;
    wf_buffer_byte(out, '[');
    for (uint32_t s = wf_set_next(active, machine->words, 0); s != WF_NONE && !out->failed;
         s = wf_set_next(active, machine->words, s + 1))
        if (instance->snapshot.status == WFSM_RUNNING && !instance->past)
            write_enabled(instance, s, seen);
    wf_buffer_byte(out, ']');
    wf_free(instance->snapshot.allocator, seen);
    return give(out, length);
}

/* ---- a dry run ---- */

static int32_t preview_event(wfsm_instance *instance, const wfsm_event *event, wf_note *note,
                             wfsm_error *error)
{
    wf_step *step = &instance->scratch->step;
    wf_value name = wf_string_z(event->name), data = wf_null();
    wf_value id = event->id ? wf_string_z(event->id) : wf_null();
    wf_record record = {&note->input, 0, instance->attached->digest, false};
    bool seen = false;
    wf_step_origin(step, event->interface, event->sender);
    int32_t status = wf_instance_parse(instance, event->data, event->length, &data, error);
    if (status == WFSM_OK)
        status = wf_instance_is_duplicate(instance, event->id, &seen, error);
    if (status == WFSM_OK && seen)
        note->outcome = WFSM_DUPLICATE;
    if (status == WFSM_OK && !seen)
        status = wf_step_event(step, &name, &data, &id, &note->outcome);
    if (status != WFSM_OK || seen)
        return status;
    wf_instance_note_blocked(instance, note->outcome);
    if (step->failure != WFSM_OK)
        wf_fail(error, step->failure, "%s", step->message);
    note->input = wf_event_note(&step->arena, &name, &id, &data);
    record.outcome = note->outcome;
    wf_record_write(fresh_answer(instance), step, &record);
    return instance->attached->answer.failed ? wf_no_memory(error) : WFSM_OK;
}

static int32_t dry_run(wfsm_instance *instance, const wfsm_event *event, int64_t now,
                       int32_t *outcome, wfsm_error *error)
{
    wf_note note = {0};
    int32_t status = wf_instance_attach(instance, error);
    if (status == WFSM_OK)
        status = wf_instance_begin(instance, now, error);
    if (status != WFSM_OK)
        return status;
    status = preview_event(instance, event, &note, error);
    wf_instance_drop(instance, status);
    *outcome = note.outcome;
    return status;
}

static bool makes_a_record(int32_t outcome)
{
    return outcome == WFSM_TAKEN || outcome == WFSM_FAILED || outcome == WFSM_ENDED;
}

int32_t wfsm_instance_can(wfsm_instance *instance, const wfsm_event *event, int64_t now,
                          int32_t *outcome, wfsm_preview *preview, wfsm_error *error)
{
    wfsm_event room;
    wfsm_preview made = {.size = sizeof made};
    int32_t found = WFSM_ENDED;
    int32_t status = wf_instance_ready(instance, error);
    const wfsm_event *given = wf_instance_event(&room, event, error);
    if (status == WFSM_OK && !given)
        status = WFSM_INVALID;
    if (status == WFSM_OK && !wf_id_valid(given->name))
        status = wf_fail(error, WFSM_INVALID, "an event's name is 1 to 255 bytes of UTF-8");
    if (status == WFSM_OK)
        status = wf_event_outside(given->name, error);
    if (status == WFSM_OK)
        status = wf_origin_check(given->interface, given->sender, error);
    if (status == WFSM_OK && !wf_struct_can_be_given(preview))
        status = wf_fail(error, WFSM_INVALID, "the size of the preview is not set");
    bool ended = status == WFSM_OK && instance->snapshot.status == WFSM_DONE;
    if (status == WFSM_OK && !ended)
        status = dry_run(instance, given, now, &found, error);
    if (status != WFSM_OK)
        return status;
    if (outcome)
        *outcome = found;
    if (!ended && makes_a_record(found))
        made.record = give(&instance->attached->answer, &made.length);
    if (preview)
        wf_struct_give(preview, &made, sizeof made, sizeof made.size);
    return WFSM_OK;
}
