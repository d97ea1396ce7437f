/* engine/outgoing.c: what a round asks of the store beside its commits, and what it gets. */
#include "engine/outgoing.h"

#include <string.h>

#include "engine/engine.h"
#include "engine/lease.h"

void wf_outgoing_init(wfsm_engine *engine)
{
    wf_arena_init(&engine->outgoing.arena, &engine->allocator, 0);
    wf_rows_init(&engine->outgoing.inbox, &engine->allocator);
    engine->outgoing.engine = engine;
}

void wf_outgoing_fini(wfsm_engine *engine)
{
    wf_arena_fini(&engine->outgoing.arena);
    wf_rows_clear(&engine->outgoing.inbox);
}

/* Perhaps on another thread. Nothing else uses the engine's table meanwhile. */
static int32_t take_row(void *user, const wfsm_row *row)
{
    wf_outgoing *self = user;

    if (!wf_entries_find(self->engine, row->instance, strlen(row->instance)))
        return WFSM_OK;
    if (self->inbox.count == WF_RUN_POSTS)
        return WFSM_LIMIT;
    return wf_rows_keep(&self->inbox, row);
}

/* A commit of the round tells the store of the effects of its instance. */
static bool needs_request(const wf_entry *entry)
{
    return wf_instance_owes_ack(entry->instance) && !wf_instance_waits(entry->instance);
}

static size_t count_acks(wfsm_engine *engine)
{
    size_t count = 0;

    for (wf_link *at = engine->acks.next; at != &engine->acks; at = at->next)
        count += needs_request(WF_OWNER_OF(at, wf_entry, acking));
    return count;
}

static bool make_room(wf_outgoing *self, size_t count, wfsm_request **requests)
{
    const wfsm_request **list = wf_arena_take(&self->arena, count * sizeof *list);

    self->exchange.request_answers =
        wf_arena_take(&self->arena, count * sizeof *self->exchange.request_answers);
    *requests = wf_arena_take(&self->arena, count * sizeof **requests);
    self->exchange.requests = list;
    for (size_t i = 0; i < count && !self->arena.failed; i++)
        list[i] = &(*requests)[i];
    return !self->arena.failed;
}

static int32_t add_acks(wfsm_engine *engine, wfsm_error *error)
{
    wf_outgoing *self = &engine->outgoing;
    size_t count = count_acks(engine);
    wfsm_request *next;

    if (count == 0)
        return WFSM_OK;
    if (!make_room(self, count, &next))
        return wf_no_memory(error);
    self->exchange.request_count = count;
    for (wf_link *at = engine->acks.next; at != &engine->acks; at = at->next) {
        const wf_entry *entry = WF_OWNER_OF(at, wf_entry, acking);

        if (needs_request(entry))
            *next++ = (wfsm_request){.size = sizeof *next,
                                     .kind = WFSM_REQUEST_ACKNOWLEDGE,
                                     .instance = entry->id,
                                     .number = entry->delivered};
    }
    return WFSM_OK;
}

int32_t wf_outgoing_fill(wfsm_engine *engine, bool inbox, wfsm_error *error)
{
    wf_outgoing *self = &engine->outgoing;

    wf_arena_reset(&self->arena);
    if (inbox)
        wf_rows_clear(&self->inbox);
    self->exchange = (wfsm_exchange){.size = sizeof self->exchange,
                                     .session = engine->session,
                                     .now = engine->now,
                                     .mine = engine->alive,
                                     .until = wf_lease_wanted(engine),
                                     .inbox = inbox,
                                     .sink = take_row,
                                     .user = self};
    return add_acks(engine, error);
}

int32_t wf_outgoing_read(wfsm_engine *engine, wfsm_error *error)
{
    wf_outgoing *self = &engine->outgoing;
    int32_t status;

    wf_rows_clear(&self->inbox);
    self->exchange = (wfsm_exchange){.size = sizeof self->exchange,
                                     .session = engine->session,
                                     .now = engine->now,
                                     .inbox = 1,
                                     .sink = take_row,
                                     .user = self};
    status = wf_store_exchange_all(engine->store, &self->exchange, error);
    return status == WFSM_OK ? self->exchange.inbox_answer : status;
}

bool wf_outgoing_asks(const wfsm_engine *engine)
{
    const wfsm_exchange *exchange = &engine->outgoing.exchange;

    return exchange->mine != exchange->until || exchange->request_count > 0 || exchange->inbox;
}

void wf_outgoing_refuse(wfsm_engine *engine, int32_t answer)
{
    wfsm_exchange *exchange = &engine->outgoing.exchange;

    exchange->until = exchange->mine;
    for (size_t i = 0; i < exchange->request_count; i++)
        exchange->request_answers[i] = answer;
    wf_rows_clear(&engine->outgoing.inbox);
}

static void settle_ack(wfsm_engine *engine, wf_entry *entry, int32_t answer)
{
    if (answer != WFSM_OK && answer != WFSM_NOT_FOUND) {
        engine->ack_failed = true;
        return;
    }
    wf_instance_ack_known(entry->instance);
    wf_link_remove(&entry->acking);
}

/* The requests are those of the entries in the same order. There are none if memory ran out. */
static void settle_acks(wfsm_engine *engine)
{
    const int32_t *answers = engine->outgoing.exchange.request_answers;
    size_t count = engine->outgoing.exchange.request_count, i = 0;
    wf_link *next;

    engine->ack_failed = false;
    for (wf_link *at = engine->acks.next; at != &engine->acks; at = next) {
        wf_entry *entry = WF_OWNER_OF(at, wf_entry, acking);

        next = at->next;
        if (needs_request(entry))
            settle_ack(engine, entry, i < count ? answers[i++] : WFSM_NO_MEMORY);
    }
}

void wf_outgoing_settle(wfsm_engine *engine)
{
    const wfsm_exchange *exchange = &engine->outgoing.exchange;

    wf_lease_answered(engine, exchange->until, exchange->lease);
    settle_acks(engine);
    engine->posted |= engine->outgoing.inbox.count > 0 || exchange->more;
    if (exchange->inbox && exchange->inbox_answer == WFSM_OK &&
        exchange->changes != engine->changes) {
        engine->changes = exchange->changes;
        engine->changed = true;
    }
}
