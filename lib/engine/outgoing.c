/* engine/outgoing.c: what a round asks of the store beside its commits, and what it gets. */
#include "engine/outgoing.h"

#include <string.h>

#include "engine/changes.h"
#include "engine/engine.h"
#include "engine/lease.h"
#include "engine/leaving.h"
#include "engine/looks.h"
#include "engine/permits.h"
#include "engine/rates.h"
#include "engine/reload.h"
#include "engine/requests.h"

void wf_outgoing_init(wfsm_engine *engine)
{
    wf_arena_init(&engine->outgoing.arena, &engine->allocator, 0);
    wf_rows_init(&engine->outgoing.inbox, &engine->allocator);
    wf_rows_init(&engine->outgoing.behind, &engine->allocator);
    wf_rows_init(&engine->outgoing.loaded, &engine->allocator);
    engine->outgoing.engine = engine;
}

void wf_outgoing_fini(wfsm_engine *engine)
{
    wf_arena_fini(&engine->outgoing.arena);
    wf_outgoing_clear(engine);
    wf_rows_clear(&engine->outgoing.loaded);
}

void wf_outgoing_clear(wfsm_engine *engine)
{
    wf_rows_clear(&engine->outgoing.inbox);
    wf_rows_clear(&engine->outgoing.behind);
}

/* No instance waits for the many posts of another one. Those of one instance stay in their order. */
static int32_t take_post(wf_outgoing *self, wf_entry *entry, const wfsm_row *row)
{
    bool first = entry->read != self->reading;

    entry->read = self->reading;
    if (first)
        return wf_rows_keep(&self->inbox, row);
    if (self->inbox.count + self->behind.count < WF_RUN_POSTS)
        return wf_rows_keep(&self->behind, row);
    return WFSM_OK; /* a later exchange returns it */
}

static void open_inbox(wf_outgoing *self)
{
    wf_rows_clear(&self->inbox);
    wf_rows_clear(&self->behind);
    self->reading++;
    self->read = 0;
}

static int32_t find_post(wf_outgoing *self, const wfsm_row *row)
{
    wf_entry *entry = wf_entries_find(self->engine, row->instance, strlen(row->instance));
    if (!entry) {
        self->after = row->number > self->after ? row->number : self->after;
        return WFSM_OK;
    }
    if (self->inbox.count == WF_RUN_POSTS || self->read == WF_READ_POSTS)
        return WFSM_LIMIT;
    self->read++;
    return take_post(self, entry, row);
}

/* Perhaps on another thread. Nothing else uses the engine's table meanwhile. */
static int32_t take_row(void *user, const wfsm_row *row)
{
    wf_outgoing *self = user;

    switch (row->part) {
    case WFSM_ROW_POST:
        return find_post(self, row);
    case WFSM_ROW_OWNED:
        wf_changes_see(self->engine, row->head);
        return WFSM_OK;
    default:
        return wf_rows_keep(&self->loaded, row);
    }
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

static wfsm_request *add_acks(wfsm_engine *engine, wfsm_request *next)
{
    for (wf_link *at = engine->acks.next; at != &engine->acks; at = at->next) {
        const wf_entry *entry = WF_OWNER_OF(at, wf_entry, acking);

        if (needs_request(entry))
            *next++ = (wfsm_request){.size = sizeof *next,
                                     .kind = WFSM_REQUEST_ACKNOWLEDGE,
                                     .instance = entry->id,
                                     .number = entry->delivered,
                                     .gives_up = wf_instance_gives_up(entry->instance)};
    }
    return next;
}

static int32_t add_requests(wfsm_engine *engine, wfsm_error *error)
{
    wf_outgoing *self = &engine->outgoing;
    size_t count = count_acks(engine) + wf_reload_count(engine) + wf_leaving_count(engine);
    wfsm_request *next;

    if (count == 0)
        return WFSM_OK;
    next = wf_requests_make(&self->arena, &self->exchange, count);
    if (!next)
        return wf_no_memory(error);
    self->exchange.request_count = count;
    wf_leaving_ask(engine, wf_reload_ask(engine, add_acks(engine, next)));
    return WFSM_OK;
}

int32_t wf_outgoing_fill(wfsm_engine *engine, bool inbox, wfsm_error *error)
{
    wf_outgoing *self = &engine->outgoing;

    wf_arena_reset(&self->arena);
    if (inbox)
        open_inbox(self);
    engine->looks.asked &= !inbox;
    self->exchange = (wfsm_exchange){.size = sizeof self->exchange,
                                     .session = engine->session,
                                     .now = engine->now,
                                     .mine = engine->alive,
                                     .until = wf_lease_wanted(engine),
                                     .inbox = inbox,
                                     .after = self->after,
                                     .known = engine->changes,
                                     .sink = take_row,
                                     .user = self};
    engine->looks.due = false;
    self->claimed = engine->claimed;
    self->next = wf_lease_next(engine);
    if (!wf_permits_ask(engine) || !wf_rates_ask(engine))
        return wf_no_memory(error);
    return add_requests(engine, error);
}

bool wf_outgoing_repeats(wf_outgoing *self)
{
    if (self->exchange.lease != WFSM_DENIED || self->claimed == 0 ||
        self->exchange.mine == self->claimed)
        return false;
    self->exchange.mine = self->claimed;
    self->exchange.until = self->next;
    return true;
}

void wf_outgoing_read(wfsm_engine *engine)
{
    wf_outgoing *self = &engine->outgoing;

    open_inbox(self);
    self->exchange = (wfsm_exchange){.size = sizeof self->exchange,
                                     .session = engine->session,
                                     .now = engine->now,
                                     .inbox = 1,
                                     .after = self->after,
                                     .known = engine->changes,
                                     .sink = take_row,
                                     .user = self};
    engine->posted = true;
    if (wf_store_exchange_all(engine->store, &self->exchange, NULL) == WFSM_OK)
        wf_changes_settle(engine);
    else
        wf_outgoing_clear(engine);
}

void wf_outgoing_read_again(wfsm_engine *engine, uint64_t post)
{
    if (engine->outgoing.after >= post)
        engine->outgoing.after = post - 1;
}

bool wf_outgoing_asks(const wfsm_engine *engine)
{
    const wfsm_exchange *exchange = &engine->outgoing.exchange;

    return exchange->mine != exchange->until || exchange->request_count > 0 ||
           exchange->inbox || exchange->rate_count > 0 ||
           (exchange->permit_count > 0 && wf_permits_due(engine));
}

void wf_outgoing_refuse(wfsm_engine *engine, int32_t answer)
{
    wfsm_exchange *exchange = &engine->outgoing.exchange;

    exchange->until = exchange->mine;
    wf_permits_refuse(engine);
    wf_rates_refuse(engine);
    for (size_t i = 0; i < exchange->request_count; i++)
        exchange->request_answers[i] = answer;
    wf_outgoing_clear(engine);
}

static void settle_ack(wfsm_engine *engine, wf_entry *entry, int32_t answer)
{
    if (answer != WFSM_OK && answer != WFSM_NOT_FOUND) {
        engine->ack_failed = true;
        return;
    }
    wf_instance_ack_known(entry->instance);
    wf_link_remove(&entry->acking);
    if (answer == WFSM_OK && wf_instance_gives_up(entry->instance))
        wf_instance_leave(entry->instance);
}

/* The requests are those of the entries in the same order. Returns the answers to those that follow. */
static const int32_t *settle_acks(wfsm_engine *engine, const int32_t *answers)
{
    wf_link *next;

    engine->ack_failed = false;
    for (wf_link *at = engine->acks.next; at != &engine->acks; at = next) {
        wf_entry *entry = WF_OWNER_OF(at, wf_entry, acking);

        next = at->next;
        if (needs_request(entry))
            settle_ack(engine, entry, answers ? *answers++ : WFSM_NO_MEMORY);
    }
    return answers;
}

/* There are no answers if memory ran out. */
static void settle_requests(wfsm_engine *engine)
{
    const wfsm_exchange *exchange = &engine->outgoing.exchange;
    const int32_t *answers = exchange->request_count > 0 ? exchange->request_answers : NULL;

    answers = settle_acks(engine, answers);
    wf_leaving_settle(engine, wf_reload_settle(engine, answers));
}

/* After a failure the next look comes soon, too. */
static bool was_active(const wfsm_engine *engine)
{
    const wfsm_exchange *exchange = &engine->outgoing.exchange;

    return engine->posted || exchange->inbox_answer != WFSM_OK ||
           exchange->changes != engine->changes || !wf_link_alone(&engine->stepped);
}

void wf_outgoing_settle(wfsm_engine *engine)
{
    const wfsm_exchange *exchange = &engine->outgoing.exchange;

    settle_requests(engine);
    wf_lease_answered(engine, exchange);
    wf_permits_settle(engine);
    wf_rates_settle(engine);
    engine->posted |= engine->outgoing.inbox.count > 0 || exchange->more;
    if (exchange->inbox)
        wf_looked(engine, exchange->now, was_active(engine));
    wf_changes_settle(engine);
}
