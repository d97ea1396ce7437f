/* engine/adoption.c: stored instances are taken over, one or all that have no living owner. */
#include "engine/adoption.h"

#include <string.h>

#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/lease.h"
#include "engine/entry_ownership.h"

/* Heads that wfsm_engine_adopt_all() reads at once. */
enum { PAGE = 256 };

int32_t wf_entry_adopt(wfsm_engine *engine, const char *id, bool started, wfsm_error *error)
{
    wf_entry *entry;
    int32_t status;

    if (wf_entries_find(engine, id, strlen(id)))
        return WFSM_OK;
    status = wf_lease_renew(engine, error);
    if (status != WFSM_OK)
        return status;
    entry = wf_entry_new(engine, id);
    if (!entry)
        return wf_no_memory(error);
    entry->fresh = !started;
    status = wfsm_store_own(engine->store, id, engine->session, engine->now, error);
    if (status == WFSM_OK) {
        status = wf_engine_load(engine, id, &entry->instance, error);
        if (status != WFSM_OK)
            wfsm_store_disown(engine->store, id, engine->session, NULL);
    }
    if (status != WFSM_OK) {
        wf_entry_free(engine, entry);
        return status;
    }
    wf_entry_join(engine, entry);
    engine->unread = true;
    return WFSM_OK;
}

int32_t wfsm_engine_adopt(wfsm_engine *engine, const char *id, int64_t now, wfsm_error *error)
{
    int32_t status;

    if (!wf_id_valid(id) || now < 0)
        return wf_fail(error, WFSM_INVALID,
                       "adopting needs an id of 1 to 255 bytes and a time");
    status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = wf_entry_adopt(engine, id, false, error);
    wf_engine_leave(engine);
    return status;
}

/* One page of heads. A store may not be called while it lists, so ids are noted first, NUL
 * between them. */
typedef struct page {
    wf_buffer ids;
    char last[256];
    size_t rows;
} page;

/* Of those that have ended only effects may be left to do. */
static bool has_work(const wfsm_head *head)
{
    return head->status != WFSM_DONE || head->effects > head->acknowledged;
}

static int32_t note_id(void *user, const wfsm_row *row)
{
    page *self = user;
    size_t length = strlen(row->head->instance) + 1;

    if (length > sizeof self->last)
        return WFSM_CORRUPT;
    memcpy(self->last, row->head->instance, length);
    self->rows++;
    if (has_work(row->head))
        wf_buffer_add(&self->ids, row->head->instance, length);
    return self->ids.failed ? WFSM_NO_MEMORY : WFSM_OK;
}

/* Adopts those that it may have; the first failure is reported when all were tried. */
static int32_t adopt_page(wfsm_engine *engine, const wf_buffer *ids, size_t *count,
                          wfsm_error *error)
{
    int32_t first = WFSM_OK;

    for (const char *id = ids->data; id < ids->data + ids->length; id += strlen(id) + 1) {
        size_t before = engine->entry_count;
        int32_t status =
            wf_entry_adopt(engine, id, false, first == WFSM_OK ? engine->failed : NULL);

        *count += engine->entry_count - before;
        if (status == WFSM_OK || status == WFSM_DENIED || first != WFSM_OK)
            continue;
        first = wf_fail(error, status, "%s: %s", id, wfsm_error_message(engine->failed));
    }
    return first;
}

/* All of one status; the first failure, after the others were tried. A head that is damaged
 * keeps no other instance from being adopted. */
static int32_t adopt_those(wfsm_engine *engine, int32_t wanted, size_t *count,
                           wfsm_error *error)
{
    wfsm_query query = {.size = sizeof query, .status = wanted, .limit = PAGE};
    int32_t first = WFSM_OK;
    char after[256];
    bool more = true;
    page found;

    wf_buffer_init(&found.ids, &engine->allocator);
    while (more) {
        wfsm_error *where = first == WFSM_OK ? error : NULL;
        int32_t status;

        wf_buffer_clear(&found.ids);
        found.rows = 0;
        status = wfsm_store_list(engine->store, &query, note_id, &found, where);
        more = status == WFSM_CORRUPT ? found.rows > 0 : found.rows == PAGE;
        if (first == WFSM_OK)
            first = status;
        if (status != WFSM_OK && status != WFSM_CORRUPT)
            break;
        if (found.ids.length > 0)
            status = adopt_page(engine, &found.ids, count, first == WFSM_OK ? error : NULL);
        if (first == WFSM_OK)
            first = status;
        memcpy(after, found.last, found.rows > 0 ? sizeof after : 0);
        query.after = after;
    }
    wf_buffer_fini(&found.ids);
    return first;
}

static int32_t adopt_all(wfsm_engine *engine, size_t *count, wfsm_error *error)
{
    int32_t status = adopt_those(engine, WFSM_RUNNING, count, error);
    int32_t second = WFSM_OK;

    /* Who died between the last commit and its effects owes them. */
    if (engine->deliver)
        second = adopt_those(engine, WFSM_DONE, count, status == WFSM_OK ? error : NULL);
    return status == WFSM_OK ? second : status;
}

int32_t wfsm_engine_adopt_all(wfsm_engine *engine, int64_t now, size_t *count,
                              wfsm_error *error)
{
    size_t adopted = 0;
    int32_t status;

    if (now < 0)
        return wf_fail(error, WFSM_INVALID, "the time must not be negative");
    status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK)
        return status;
    status = adopt_all(engine, &adopted, error);
    if (count)
        *count = adopted;
    wf_engine_leave(engine);
    return status;
}
