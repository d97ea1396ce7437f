/* engine/taking.c: many stored instances are taken over with one exchange. */
#include "engine/taking.h"

#include <string.h>

#include "base/arena.h"
#include "engine/cache.h"
#include "engine/engine.h"
#include "engine/entry_ownership.h"
#include "engine/lease.h"
#include "engine/requests.h"

typedef struct taking {
    wfsm_engine *engine;
    const char *const *ids;
    size_t count;
    int32_t *answers; /* one for each id */
    wfsm_exchange exchange;
    wf_arena arena;
    wf_rows rows; /* of those that were taken, in the order of the requests */
} taking;

/* Those that are here already need no request. */
static bool add_requests(taking *self)
{
    wfsm_request *list = wf_requests_make(&self->arena, &self->exchange, self->count);
    size_t asked = 0;

    if (!list)
        return false;
    for (size_t i = 0; i < self->count; i++) {
        if (wf_entries_find(self->engine, self->ids[i], strlen(self->ids[i])))
            continue;
        list[asked++] = (wfsm_request){
            .size = sizeof *list, .instance = self->ids[i], .kind = WFSM_REQUEST_TAKE};
    }
    self->exchange.request_count = asked;
    return true;
}

static int32_t ask(taking *self, wfsm_error *error)
{
    int32_t status = wf_lease_renew(self->engine, error);

    if (status != WFSM_OK)
        return status;
    self->exchange = (wfsm_exchange){.size = sizeof self->exchange,
                                     .session = self->engine->session,
                                     .now = self->engine->now,
                                     .sink = wf_rows_keep,
                                     .user = &self->rows};
    if (!add_requests(self))
        return wf_no_memory(error);
    if (self->exchange.request_count == 0)
        return WFSM_OK;
    return wf_store_exchange_all(self->engine->store, &self->exchange, error);
}

/* An instance that the store has given to this engine, but that cannot be loaded, is given back. One that is
 * in the list twice is here by now. */
static int32_t join(wfsm_engine *engine, const char *id, const wf_row *rows, int32_t answer,
                    wfsm_error *error)
{
    wf_entry *entry;

    if (answer == WFSM_DENIED || answer == WFSM_NOT_FOUND ||
        (answer == WFSM_OK && wf_entries_find(engine, id, strlen(id))))
        return answer;
    entry = answer == WFSM_OK ? wf_entry_new(engine, id) : NULL;
    if (answer == WFSM_OK)
        answer = entry ? wf_engine_load_rows(engine, rows, &entry->instance, error)
                       : wf_no_memory(error);
    if (answer == WFSM_OK) {
        entry->fresh = true;
        wf_entry_join(engine, entry);
        return WFSM_OK;
    }
    if (entry)
        wf_entry_free(engine, entry);
    engine->uncertain |= wfsm_store_disown(engine->store, id, engine->session, NULL) != WFSM_OK;
    return answer;
}

static void describe(const wfsm_engine *engine, const char *id, int32_t status,
                     wfsm_error *error)
{
    wf_fail(error, status, "%s: %s", id,
            wfsm_error_status(engine->failed) == status ? wfsm_error_message(engine->failed)
                                                        : wfsm_status_name(status));
}

/* The first failure is described. */
static int32_t join_all(taking *self, wfsm_error *error)
{
    const wf_row *rows = self->rows.first;
    int32_t first = WFSM_OK;
    size_t asked = 0;

    for (size_t i = 0; i < self->count; i++) {
        const char *id = self->ids[i];
        bool is_asked = asked < self->exchange.request_count &&
                        self->exchange.requests[asked]->instance == id;
        bool has_rows = is_asked && rows && strcmp(rows->row.head->instance, id) == 0;

        self->answers[i] = WFSM_OK;
        if (!is_asked)
            continue;
        self->answers[i] = join(self->engine, id, rows, self->exchange.request_answers[asked++],
                                self->engine->failed);
        rows = has_rows ? wf_rows_behind(rows) : rows;
        if (self->answers[i] == WFSM_OK || self->answers[i] == WFSM_DENIED || first != WFSM_OK)
            continue;
        first = self->answers[i];
        describe(self->engine, id, first, error);
    }
    return first;
}

int32_t wf_take_page(wfsm_engine *engine, const char *const *ids, size_t count,
                     int32_t *answers, wfsm_error *error)
{
    taking self = {.engine = engine, .ids = ids, .count = count, .answers = answers};
    int32_t status;

    WF_INVARIANT(count <= WF_TAKE_PAGE);
    wf_arena_init(&self.arena, &engine->allocator, 0);
    wf_rows_init(&self.rows, &engine->allocator);
    status = ask(&self, engine->failed);
    if (status == WFSM_OK) {
        status = join_all(&self, error);
    } else {
        engine->uncertain = true;
        for (size_t i = 0; i < count; i++)
            answers[i] = status;
        wf_error_copy(error, engine->failed);
    }
    wf_rows_clear(&self.rows);
    wf_arena_fini(&self.arena);
    wf_cache_trim(engine);
    return status;
}
