/* engine/leaving.c: instances that this engine gives up. An instance that has ended needs no new owner at
 * once, so giving it up can wait for the next exchange. */
#include "engine/leaving.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/entry_ownership.h"
#include "engine/report.h"
#include "engine/requests.h"

typedef struct wf_leaver {
    wf_link link; /* engine->leaving */
    uint32_t hash;
    char id[];
} wf_leaver;

static void forget(wfsm_engine *engine, wf_leaver *self)
{
    wf_link_remove(&self->link);
    wf_free(&engine->allocator, self);
}

bool wf_leave(wfsm_engine *engine, wf_entry *entry)
{
    size_t bytes = strlen(entry->id) + 1;
    wf_leaver *made;

    if (wf_entry_is_left(entry)) {
        wf_entry_free(engine, entry);
        return true;
    }
    made = wf_new(&engine->allocator, sizeof *made + bytes);
    if (!made)
        return false;
    memcpy(made->id, entry->id, bytes);
    made->hash = entry->hash;
    wf_link_init(&made->link);
    wf_link_append(&engine->leaving, &made->link);
    wf_entry_free(engine, entry);
    return true;
}

void wf_leaving_stop(wfsm_engine *engine, const wf_entry *entry)
{
    wf_link *next;

    for (wf_link *at = engine->leaving.next; at != &engine->leaving; at = next) {
        wf_leaver *self = WF_OWNER_OF(at, wf_leaver, link);

        next = at->next;
        if (self->hash == entry->hash && strcmp(self->id, entry->id) == 0)
            forget(engine, self);
    }
}

size_t wf_leaving_count(const wfsm_engine *engine)
{
    size_t count = 0;

    for (const wf_link *at = engine->leaving.next; at != &engine->leaving; at = at->next)
        count++;
    return count;
}

static wfsm_request request_for(const char *id)
{
    return (wfsm_request){
        .size = sizeof(wfsm_request), .kind = WFSM_REQUEST_GIVE_UP, .instance = id};
}

void wf_leaving_ask(const wfsm_engine *engine, wfsm_request *requests)
{
    for (wf_link *at = engine->leaving.next; at != &engine->leaving; at = at->next)
        *requests++ = request_for(WF_OWNER_OF(at, wf_leaver, link)->id);
}

/* An instance that belongs to another engine, or was removed, needs no request any more. A request that
 * has failed is made again. */
void wf_leaving_settle(wfsm_engine *engine, const int32_t *answers)
{
    wf_link *next;

    for (wf_link *at = engine->leaving.next; at != &engine->leaving; at = next) {
        int32_t answer = answers ? *answers++ : WFSM_NO_MEMORY;

        next = at->next;
        if (answer == WFSM_OK || answer == WFSM_NOT_FOUND || answer == WFSM_DENIED)
            forget(engine, WF_OWNER_OF(at, wf_leaver, link));
        else
            wf_round_failed(engine, answer);
    }
}

/* ---- all ---- */

/* Requests of one exchange. */
enum { PAGE = 256 };

typedef struct wf_page {
    wfsm_engine *engine;
    wfsm_exchange exchange;
    wfsm_request *list; /* NULL: there is no memory, and each is given up by itself */
} wf_page;

static void send(wf_page *self)
{
    if (self->exchange.request_count > 0)
        wfsm_store_exchange(self->engine->store, &self->exchange, NULL);
    self->exchange.request_count = 0;
}

static void give_up(wf_page *self, const char *id)
{
    if (!self->list) {
        wfsm_store_disown(self->engine->store, id, self->engine->session, NULL);
        return;
    }
    self->list[self->exchange.request_count++] = request_for(id);
    if (self->exchange.request_count == PAGE)
        send(self);
}

void wf_leave_all(wfsm_engine *engine)
{
    wf_page page = {
        engine,
        {.size = sizeof page.exchange, .session = engine->session, .now = engine->now},
        NULL};
    wf_arena arena;

    wf_arena_init(&arena, &engine->allocator, 0);
    page.list = wf_requests_make(&arena, &page.exchange, PAGE);
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next) {
        const wf_entry *entry = WF_OWNER_OF(at, wf_entry, all);

        if (!wf_entry_is_left(entry))
            give_up(&page, entry->id);
    }
    for (wf_link *at = engine->leaving.next; at != &engine->leaving; at = at->next)
        give_up(&page, WF_OWNER_OF(at, wf_leaver, link)->id);
    send(&page);
    wf_arena_fini(&arena);
}

void wf_leaving_free(wfsm_engine *engine)
{
    while (!wf_link_alone(&engine->leaving))
        forget(engine, WF_OWNER_OF(engine->leaving.next, wf_leaver, link));
}
