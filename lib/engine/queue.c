/* engine/queue.c: inputs of the host while a round is out. Each is kept until a round has stored it. */
#include "engine/queue.h"

#include <string.h>

#include "base/sized.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/entry_input.h"
#include "engine/entry_ownership.h"
#include "engine/ids.h"
#include "engine/reload.h"
#include "engine/report.h"

typedef struct wf_queued {
    wf_link link;
    bool sent; /* it is in the round */
    bool is_event, is_given; /* neither: a stop */
    const char *instance;
    wfsm_event event;
    wf_given given;
    wfsm_result result;
    wfsm_failure failure;
    wfsm_report report;
    char text[];
} wf_queued;

/* A text that an input borrows. */
typedef struct part {
    const char **at; /* in the input */
    size_t length;
} part;

enum { PARTS = 12 };

static void add(part *parts, size_t *count, const char **at, size_t length)
{
    if (*at)
        parts[(*count)++] = (part){at, length};
}

static void add_z(part *parts, size_t *count, const char **at)
{
    add(parts, count, at, *at ? strlen(*at) : 0);
}

static size_t find_parts(wf_queued *of, part parts[PARTS])
{
    size_t count = 0;

    add_z(parts, &count, &of->instance);
    add_z(parts, &count, &of->event.name);
    add_z(parts, &count, &of->event.id);
    add(parts, &count, &of->event.data, of->event.length);
    add_z(parts, &count, &of->event.sender);
    add_z(parts, &count, &of->given.invocation);
    add_z(parts, &count, &of->given.message);
    add(parts, &count, &of->result.output, of->result.length);
    add_z(parts, &count, &of->failure.failure_class);
    add_z(parts, &count, &of->failure.message);
    add(parts, &count, &of->report.usage, of->report.usage_length);
    add_z(parts, &count, &of->report.signature);
    return count;
}

/* The structs refer to each other, and to the invocation, within the copy. */
static void join(wf_queued *self)
{
    self->result.invocation = self->failure.invocation = self->given.invocation;
    self->result.report = self->failure.report = &self->report;
    self->given.result = self->given.result ? &self->result : NULL;
    self->given.failure = self->given.failure ? &self->failure : NULL;
    self->given.outcome = NULL;
}

static int32_t append(wfsm_engine *engine, wf_queued *given, int32_t *outcome,
                      wfsm_error *error)
{
    part parts[PARTS];
    size_t count = find_parts(given, parts), bytes = 0;
    wf_queued *made;
    char *at;

    for (size_t i = 0; i < count; i++)
        bytes += parts[i].length + 1;
    made = wf_new(&engine->allocator, sizeof *made + bytes);
    if (!made)
        return wf_no_memory(error);
    at = made->text;
    for (size_t i = 0; i < count; i++) {
        memcpy(at, *parts[i].at, parts[i].length);
        *parts[i].at = at;
        at += parts[i].length + 1;
    }
    memcpy(made, given, offsetof(wf_queued, text));
    join(made);
    wf_link_init(&made->link);
    wf_link_append(&engine->queue, &made->link);
    if (outcome)
        *outcome = WFSM_QUEUED;
    return WFSM_OK;
}

static int32_t check_instance(const wfsm_engine *engine, const char *id, size_t length,
                              wfsm_error *error)
{
    if (wf_entries_find(engine, id, length))
        return WFSM_OK;
    return wf_fail(error, WFSM_NOT_FOUND, "this engine has no instance \"%.*s\"",
                   (int)(length < 256 ? length : 256), id);
}

static int32_t check_json(wfsm_engine *engine, const char *text, size_t length,
                          wfsm_error *error)
{
    wf_value ignored;

    wf_arena_reset(&engine->arena);
    return wf_input_parse(&engine->arena, text, length, &ignored, error);
}

bool wf_queue_is_open(const wfsm_engine *engine)
{
    return engine && engine->out.engine && !engine->busy;
}

int32_t wf_queue_event(wfsm_engine *engine, const char *id, const wfsm_event *event,
                       int32_t *outcome, wfsm_error *error)
{
    wf_queued given = {.instance = id, .is_event = event};
    wfsm_event room;
    int32_t status = check_instance(engine, id, strlen(id), error);

    if (status != WFSM_OK || !event)
        return status == WFSM_OK ? append(engine, &given, outcome, error) : status;
    event = wf_struct_view(&room, sizeof room, event, WF_SIZE_UP_TO(wfsm_event, length));
    if (!event || !event->name || !wf_id_valid(event->name) ||
        (event->id && !wf_id_valid(event->id)))
        return wf_fail(error, WFSM_INVALID,
                       "the event, its size, its name or its id is not set, or is none");
    status = wf_event_outside(event->name, error);
    if (status == WFSM_OK)
        status = wf_origin_check(event->interface, event->sender, error);
    if (status == WFSM_OK)
        status = check_json(engine, event->data, event->length, error);
    given.event = *event;
    return status == WFSM_OK ? append(engine, &given, outcome, error) : status;
}

int32_t wf_queue_given(wfsm_engine *engine, const wf_given *what, wfsm_error *error)
{
    wf_queued given = {.is_given = true, .given = *what};
    const wfsm_report *report = what->result    ? what->result->report
                                : what->failure ? what->failure->report
                                                : NULL;
    int32_t status =
        check_instance(engine, what->invocation, wf_instance_part(what->invocation), error);

    if (what->result)
        given.result = *what->result;
    if (what->failure)
        given.failure = *what->failure;
    if (report && !wf_struct_check(&given.report, sizeof given.report, report, sizeof(size_t)))
        return wf_fail(error, WFSM_INVALID, "the size of the report is not set");
    given.report.size = sizeof given.report;
    if (status == WFSM_OK && what->result)
        status = check_json(engine, given.result.output, given.result.length, error);
    if (status == WFSM_OK && what->failure)
        status = wf_failure_check(what->failure, error);
    return status == WFSM_OK ? append(engine, &given, what->outcome, error) : status;
}

/* ---- the next round ---- */

static wf_entry *entry_of(const wfsm_engine *engine, const wf_queued *self)
{
    if (self->is_given)
        return wf_entries_find(engine, self->given.invocation,
                               wf_instance_part(self->given.invocation));
    return wf_entries_find(engine, self->instance, strlen(self->instance));
}

static int32_t input(wfsm_engine *engine, const wf_queued *self)
{
    int32_t outcome = 0, status;
    wf_entry *entry;

    if (self->is_given)
        return wf_give(engine, &self->given, engine->failed);
    status =
        wf_entry_get(engine, self->instance, strlen(self->instance), &entry, engine->failed);
    if (status != WFSM_OK)
        return status;
    wf_input_begin(engine, entry, NULL);
    status = self->is_event
                 ? wfsm_instance_send(entry->instance, &self->event, engine->now, &outcome,
                                      engine->failed)
                 : wfsm_instance_stop(entry->instance, engine->now, &outcome, engine->failed);
    wf_input_end(engine, entry);
    return status;
}

/* It would be refused again. */
static bool is_refusal(int32_t status)
{
    return status == WFSM_INVALID || status == WFSM_SYNTAX || status == WFSM_SEMANTIC ||
           status == WFSM_LIMIT || status == WFSM_NOT_FOUND || status == WFSM_DENIED;
}

static void forget(wfsm_engine *engine, wf_queued *self)
{
    wf_link_remove(&self->link);
    wf_free(&engine->allocator, self);
}

/* It is an input of the round after this one. */
static bool waits_for_its_instance(wfsm_engine *engine, const wf_queued *self)
{
    wf_entry *entry = entry_of(engine, self);

    return entry && !wf_entry_is_fit_to_own(engine, entry);
}

void wf_queue_take(wfsm_engine *engine)
{
    wf_link *at = engine->queue.next;

    if (engine->queue_failed && engine->put_off == engine->now)
        return;
    engine->queue_failed = false;
    while (at != &engine->queue && wf_may_input(engine)) {
        wf_queued *self = WF_OWNER_OF(at, wf_queued, link);
        int32_t status;

        at = at->next;
        if (waits_for_its_instance(engine, self))
            continue;
        status = input(engine, self);
        self->sent = status == WFSM_OK;
        if (status == WFSM_OK)
            continue;
        wf_round_failed(engine, status);
        engine->queue_failed = true;
        engine->put_off = engine->now;
        if (is_refusal(status))
            forget(engine, self);
    }
}

static void again(wfsm_engine *engine, wf_queued *self)
{
    self->sent = false;
    engine->queue_failed = true;
}

void wf_queue_settle(wfsm_engine *engine)
{
    wf_link *at = engine->queue.next;

    while (at != &engine->queue) {
        wf_queued *self = WF_OWNER_OF(at, wf_queued, link);
        const wf_entry *entry = entry_of(engine, self);
        bool refused = entry && entry->refused == engine->round;

        at = at->next;
        if (self->sent && !refused)
            forget(engine, self);
        else if (self->sent)
            again(engine, self);
    }
}

bool wf_queue_is_due(const wfsm_engine *engine)
{
    return !wf_link_alone(&engine->queue) && !engine->queue_failed;
}

void wf_queue_free(wfsm_engine *engine)
{
    while (!wf_link_alone(&engine->queue))
        forget(engine, WF_OWNER_OF(engine->queue.next, wf_queued, link));
}
