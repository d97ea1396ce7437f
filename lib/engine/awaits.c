/* engine/awaits.c: instances that are told when an agent, a phase or a group has nothing
 * left to do. */
#include "engine/awaits.h"

#include <string.h>

#include "base/sized.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/report.h"

static bool is_over(const wfsm_engine *engine, int32_t kind, const char *name)
{
    const wf_quota *quota = wf_quota_find(engine, kind, name);

    return engine->behind == 0 && (!quota || quota->working + quota->waiting == 0);
}

static const char *word_of(int32_t kind)
{
    static const char *const words[] = {"", "agent", "phase", "group"};

    return words[kind];
}

/* The post has the id that the host gave, so that it is taken only once. */
static int32_t tell(wfsm_engine *engine, const wf_await *self, wfsm_error *error)
{
    wf_buffer *data = &engine->answer;
    int32_t status;

    wf_buffer_clear(data);
    wf_buffer_text(data, "{\"");
    wf_buffer_text(data, word_of(self->kind));
    wf_buffer_text(data, "\":");
    wf_json_write_text(data, self->name, strlen(self->name));
    wf_buffer_byte(data, '}');
    if (data->failed)
        return wf_no_memory(error);
    status = wfsm_store_post(engine->store, self->instance, self->event, self->event_id,
                             data->data, data->length, engine->now, error);
    engine->posted |= status == WFSM_OK;
    return status == WFSM_EXISTS ? WFSM_OK : status;
}

static const char *keep(char **at, const char *text)
{
    char *copy = *at;
    size_t bytes = strlen(text) + 1;

    memcpy(copy, text, bytes);
    *at += bytes;
    return copy;
}

static int32_t add(wfsm_engine *engine, const wf_await *given, wfsm_error *error)
{
    size_t bytes = strlen(given->name) + strlen(given->instance) + strlen(given->event) +
                   strlen(given->event_id) + 4;
    wf_await *made = wf_new(&engine->allocator, sizeof *made + bytes), **end;
    char *at;

    if (!made)
        return wf_no_memory(error);
    at = made->text;
    made->kind = given->kind;
    made->name = keep(&at, given->name);
    made->instance = keep(&at, given->instance);
    made->event = keep(&at, given->event);
    made->event_id = keep(&at, given->event_id);
    for (end = &engine->awaits; *end; end = &(*end)->next)
        continue;
    *end = made;
    return WFSM_OK;
}

int32_t wfsm_engine_await_empty(wfsm_engine *engine, const wfsm_pool_wait *wait, int64_t now,
                                wfsm_error *error)
{
    wfsm_pool_wait given;
    int32_t status;

    if (!wf_struct_check(&given, sizeof given, wait, WF_SIZE_UP_TO(wfsm_pool_wait, event_id)) ||
        given.kind <= WFSM_POOL_ALL || given.kind > WFSM_POOL_GROUP ||
        !wf_id_valid(given.name) || !wf_id_valid(given.instance) || !wf_id_valid(given.event) ||
        !wf_id_valid(given.event_id) || now < 0)
        return wf_fail(error, WFSM_INVALID,
                       "awaiting an agent, phase or group needs its name, an "
                       "instance, an event with an id, and a time");
    status = wf_event_outside(given.event, error);
    if (status == WFSM_OK)
        status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    const wf_await wanted = {.kind = given.kind,
                             .name = given.name,
                             .instance = given.instance,
                             .event = given.event,
                             .event_id = given.event_id};
    status = is_over(engine, wanted.kind, wanted.name) ? tell(engine, &wanted, error)
                                                       : add(engine, &wanted, error);
    wf_engine_leave(engine);
    return status;
}

bool wf_awaits_due(const wfsm_engine *engine)
{
    const wf_await *at = engine->awaits;

    while (at && !is_over(engine, at->kind, at->name))
        at = at->next;
    return at;
}

bool wf_awaits_serve(wfsm_engine *engine)
{
    wf_await **at = &engine->awaits;
    bool told = false;

    while (*at) {
        wf_await *self = *at;
        int32_t status;

        if (!is_over(engine, self->kind, self->name)) {
            at = &self->next;
            continue;
        }
        status = tell(engine, self, engine->failed);
        if (status != WFSM_OK)
            wf_round_failed(engine, status);
        if (status != WFSM_OK && status != WFSM_NOT_FOUND) { /* again in the next round */
            at = &self->next;
            continue;
        }
        told = true;
        *at = self->next;
        wf_free(&engine->allocator, self);
    }
    return told;
}

void wf_awaits_free(wfsm_engine *engine)
{
    while (engine->awaits) {
        wf_await *self = engine->awaits;

        engine->awaits = self->next;
        wf_free(&engine->allocator, self);
    }
}
