/* engine/adopt.c: stored instances are loaded and taken over. */
#include <string.h>

#include "base/utf8.h"
#include "engine/engine.h"

/* Heads read at once by wfsm_engine_adopt_all. */
enum { PAGE = 256 };

int32_t wf_engine_load(wfsm_engine *engine, const char *id, wfsm_instance **instance,
                       wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = wfsm_store_head(engine->store, id, &head, error);
    wfsm_instance *loaded = NULL;

    if (status != WFSM_OK)
        return status;
    status = wfsm_instance_load(&loaded, wf_engine_machine(engine, head.fingerprint),
                                engine->store, engine->functions, id, error);
    if (status == WFSM_OK)
        status = wf_instance_set_owner(loaded, engine->owner, error);
    if (status == WFSM_OK && engine->observer)
        status = wfsm_instance_observe(loaded, engine->observer, engine->observer_user);
    if (status == WFSM_OK) /* so that a thousand instances do not compile it again */
        status = wf_engine_keep_machine(
            engine, (wfsm_machine *)wfsm_instance_machine(loaded), false, error);
    if (status != WFSM_OK) {
        wfsm_instance_free(loaded);
        return status;
    }
    *instance = loaded;
    return WFSM_OK;
}

static int32_t adopt(wfsm_engine *engine, const char *id, wfsm_error *error)
{
    wf_entry *entry;
    int32_t status;

    if (wf_table_find(engine, id, strlen(id)))
        return WFSM_OK;
    status = wf_engine_alive(engine, engine->now, error);
    if (status != WFSM_OK)
        return status;
    entry = wf_entry_new(engine, id);
    if (!entry)
        return wf_no_memory(error);
    entry->fresh = true;
    status = wfsm_store_own(engine->store, id, engine->owner, engine->now, error);
    if (status == WFSM_OK) {
        status = wf_engine_load(engine, id, &entry->instance, error);
        if (status != WFSM_OK)
            wfsm_store_disown(engine->store, id, engine->owner, NULL);
    }
    if (status != WFSM_OK) {
        wf_entry_free(engine, entry);
        return status;
    }
    wf_entry_add(engine, entry);
    return WFSM_OK;
}

int32_t wfsm_engine_adopt(wfsm_engine *engine, const char *id, int64_t now,
                          wfsm_error *error)
{
    int32_t status;

    if (!wf_id_valid(id) || now < 0)
        return wf_fail(error, WFSM_INVALID,
                       "adopting needs an id of 1 to 255 bytes and a time");
    status = wf_engine_enter(engine, error);
    if (status != WFSM_OK)
        return status;
    engine->now = now;
    status = adopt(engine, id, error);
    wf_engine_leave(engine);
    return status;
}

/* A store may not be called while it lists, so ids are noted first, NUL between them.
 */
static int32_t note_id(void *user, const wfsm_row *row)
{
    wf_buffer *ids = user;

    wf_buffer_add(ids, row->head->instance, strlen(row->head->instance) + 1);
    return ids->failed ? WFSM_NO_MEMORY : WFSM_OK;
}

/* Adopts those that it may have; the first failure is reported when all were tried. */
static int32_t adopt_page(wfsm_engine *engine, const wf_buffer *ids, size_t *count,
                          wfsm_error *error)
{
    int32_t first = WFSM_OK;

    for (const char *id = ids->data; id < ids->data + ids->length;
         id += strlen(id) + 1) {
        size_t before = engine->entry_count;
        int32_t status = adopt(engine, id, first == WFSM_OK ? engine->failed : NULL);

        *count += engine->entry_count - before;
        if (status == WFSM_OK || status == WFSM_DENIED || first != WFSM_OK)
            continue;
        first =
            wf_fail(error, status, "%s: %s", id, wfsm_error_message(engine->failed));
    }
    return first;
}

static int32_t adopt_all(wfsm_engine *engine, size_t *count, wfsm_error *error)
{
    wfsm_query query = {.size = sizeof query, .status = WFSM_RUNNING, .limit = PAGE};
    int32_t first = WFSM_OK;
    char after[256];
    wf_buffer ids;

    wf_buffer_init(&ids, &engine->allocator);
    for (;;) {
        size_t rows = 0;
        int32_t status;

        wf_buffer_clear(&ids);
        status = wfsm_store_list(engine->store, &query, note_id, &ids, error);
        if (status != WFSM_OK && first == WFSM_OK)
            first = status;
        if (status != WFSM_OK || ids.length == 0)
            break;
        status = adopt_page(engine, &ids, count, first == WFSM_OK ? error : NULL);
        if (first == WFSM_OK)
            first = status;
        for (const char *id = ids.data; id < ids.data + ids.length;
             id += strlen(id) + 1) {
            memcpy(after, id, strlen(id) + 1);
            rows++;
        }
        if (rows < PAGE)
            break;
        query.after = after;
    }
    wf_buffer_fini(&ids);
    return first;
}

int32_t wfsm_engine_adopt_all(wfsm_engine *engine, int64_t now, size_t *count,
                              wfsm_error *error)
{
    size_t adopted = 0;
    int32_t status;

    if (now < 0)
        return wf_fail(error, WFSM_INVALID, "a time is not negative");
    status = wf_engine_enter(engine, error);
    if (status != WFSM_OK)
        return status;
    engine->now = now;
    status = adopt_all(engine, &adopted, error);
    if (count)
        *count = adopted;
    wf_engine_leave(engine);
    return status;
}
