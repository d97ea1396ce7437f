/* engine/adoption.c: stored instances are taken over: one, those of a list, or all that have no living owner. */
#include "engine/adoption.h"

#include <string.h>

#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/enter.h"
#include "engine/lease.h"
#include "engine/entry_ownership.h"
#include "engine/taking.h"

/* Heads that wfsm_engine_adopt_all() reads at once. */
enum { PAGE = WF_TAKE_PAGE };

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
            engine->uncertain |=
                wfsm_store_disown(engine->store, id, engine->session, NULL) != WFSM_OK;
    } else if (status != WFSM_DENIED && status != WFSM_NOT_FOUND) {
        engine->uncertain = true;
    }
    if (status != WFSM_OK) {
        wf_entry_free(engine, entry);
        return status;
    }
    wf_entry_join(engine, entry);
    engine->posted = true; /* perhaps */
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
    if (status == WFSM_OK)
        wf_outgoing_read(engine);
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

/* Ids that follow each other, each with its NUL. Adds those that were taken to the count. */
static int32_t adopt_page(wfsm_engine *engine, const wf_buffer *text, size_t *count,
                          wfsm_error *error)
{
    const char *ids[PAGE];
    int32_t answers[PAGE], status;
    size_t found = 0;

    for (const char *id = text->data; id < text->data + text->length; id += strlen(id) + 1)
        if (!wf_entries_find(engine, id, strlen(id)))
            ids[found++] = id;
    status = wf_take_page(engine, ids, found, answers, error);
    for (size_t i = 0; i < found; i++)
        *count += answers[i] == WFSM_OK;
    return status;
}

/* All that the query asks for; the first failure, after the others were tried. A head that is damaged
 * keeps no other instance from being adopted. */
static int32_t adopt_those(wfsm_engine *engine, wfsm_query query, size_t *count,
                           wfsm_error *error)
{
    int32_t first = WFSM_OK;
    char after[256];
    bool more = true;
    page found;

    query.size = sizeof query;
    query.limit = PAGE;
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

/* Those of one owner, or, with NULL, of all. Of those that have ended, only the ones that still have
 * effects to deliver: the process that ended them died, or stepped them by hand. */
static int32_t adopt_from(wfsm_engine *engine, const char *owner, size_t *count,
                          wfsm_error *error)
{
    const wfsm_query running = {.owner = owner, .status = WFSM_RUNNING};
    const wfsm_query ended = {.owner = owner, .status = WFSM_DONE, .undelivered = 1};
    int32_t status = adopt_those(engine, running, count, error), second = WFSM_OK;

    if (engine->deliver)
        second = adopt_those(engine, ended, count, status == WFSM_OK ? error : NULL);
    return status == WFSM_OK ? second : status;
}

static int32_t note_owner(void *user, const wfsm_row *row)
{
    wf_buffer *names = user;

    wf_buffer_add(names, row->id, strlen(row->id) + 1);
    return names->failed ? WFSM_NO_MEMORY : WFSM_OK;
}

/* The session may have an instance whose start was stored, but not answered. */
static int32_t adopt_all(wfsm_engine *engine, size_t *count, wfsm_error *error)
{
    int32_t first, status;
    wf_buffer names;

    wf_buffer_init(&names, &engine->allocator);
    wf_buffer_add(&names, engine->session, strlen(engine->session) + 1);
    first = names.failed ? wf_no_memory(engine->failed)
                         : wfsm_store_lapsed(engine->store, engine->now, note_owner, &names,
                                             engine->failed);
    if (first == WFSM_DENIED) {
        first = adopt_from(engine, NULL, count, error);
    } else if (first != WFSM_OK) {
        wf_error_copy(error, engine->failed);
    } else {
        for (const char *name = names.data; name < names.data + names.length;
             name += strlen(name) + 1) {
            status = adopt_from(engine, name, count, first == WFSM_OK ? error : NULL);
            first = first == WFSM_OK ? status : first;
        }
    }
    wf_buffer_fini(&names);
    return first;
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
    if (adopted > 0)
        wf_outgoing_read(engine);
    if (count)
        *count = adopted;
    wf_engine_leave(engine);
    return status;
}

static bool are_valid(const char *const *ids, size_t count)
{
    size_t i = 0;

    while (i < count && wf_id_valid(ids[i]))
        i++;
    return i == count;
}

static int32_t check_list(const char *const *ids, size_t count, int64_t now,
                          const int32_t *answers, wfsm_error *error)
{
    if (now < 0)
        return wf_fail(error, WFSM_INVALID, "the time must not be negative");
    if (count > 0 && (!ids || !answers))
        return wf_fail(error, WFSM_INVALID, "there are no ids, or no places for the answers");
    if (!are_valid(ids, count))
        return wf_fail(error, WFSM_INVALID, "adopting needs ids of 1 to 255 bytes of UTF-8");
    return WFSM_OK;
}

/* The first that another session has. */
static int32_t find_denied(const char *const *ids, size_t count, const int32_t *answers,
                           wfsm_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (answers[i] == WFSM_DENIED)
            return wf_fail(error, WFSM_DENIED, "another session has the instance '%s'", ids[i]);
    return WFSM_OK;
}

int32_t wfsm_engine_adopt_list(wfsm_engine *engine, const char *const *ids, size_t count,
                               int64_t now, int32_t *answers, wfsm_error *error)
{
    int32_t status = check_list(ids, count, now, answers, error), first = WFSM_OK;

    if (status == WFSM_OK)
        status = wf_engine_enter_at(engine, now, error);
    if (status != WFSM_OK) {
        for (size_t i = 0; answers && i < count; i++)
            answers[i] = status;
        return status;
    }
    for (size_t from = 0; from < count; from += PAGE) {
        size_t some = count - from < PAGE ? count - from : PAGE;

        status = wf_take_page(engine, ids + from, some, answers + from,
                              first == WFSM_OK ? error : NULL);
        first = first == WFSM_OK ? status : first;
    }
    if (count > 0)
        wf_outgoing_read(engine);
    wf_engine_leave(engine);
    return first == WFSM_OK ? find_denied(ids, count, answers, error) : first;
}
