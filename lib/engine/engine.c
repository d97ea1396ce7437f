/* engine/engine.c: the life of an engine, and what the host registers with it. */
#include <string.h>

#include "base/utf8.h"
#include "base/sized.h"
#include "engine/engine.h"
#include "store/batch.h"

enum { LAPSE_MS = 10000, SLOTS = 15, PROMOTE_MS = 300000, FIRST_BUCKETS = 64 };

int32_t wf_engine_enter(wfsm_engine *engine, wfsm_error *error)
{
    if (!engine)
        return wf_fail(error, WFSM_INVALID, "no engine");
    if (engine->busy)
        return wf_fail(error, WFSM_BUSY, "the engine was called from one of its callbacks");
    if (wf_store_gathers(engine->store))
        return wf_fail(error, WFSM_BUSY, "a batch of the engine's store is open");
    engine->busy = true;
    engine->inputs = WF_RUN_INPUTS;
    return WFSM_OK;
}

void wf_engine_leave(wfsm_engine *engine)
{
    engine->busy = false;
}

/* Checks and copies the options; what they leave open gets its default. */
static int32_t read_options(wfsm_engine_options *out, const wfsm_engine_options *given,
                            wfsm_error *error)
{
    memset(out, 0, sizeof *out);
    if (given && !wf_struct_check(out, sizeof *out, given,
                                  WF_SIZE_UP_TO(wfsm_engine_options, allocator)))
        return wf_fail(error, WFSM_INVALID, "engine options of a wrong size");
    if (!out->owner)
        out->owner = "engine";
    if (out->lapse_ms == 0)
        out->lapse_ms = LAPSE_MS;
    if (out->slots == 0)
        out->slots = SLOTS;
    if (out->promote_ms == 0)
        out->promote_ms = PROMOTE_MS;
    if (!wf_id_valid(out->owner))
        return wf_fail(error, WFSM_INVALID, "the owner is not 1 to 255 bytes of UTF-8");
    if (out->lapse_ms < 3 || out->lapse_ms > WFSM_NEVER / 4)
        return wf_fail(error, WFSM_INVALID, "lapse_ms is out of range");
    if (out->promote_ms < 0 ||
        (out->promote_ms > WF_NUMBER_MOST && out->promote_ms != WFSM_NEVER))
        return wf_fail(error, WFSM_INVALID, "promote_ms is out of range");
    return WFSM_OK;
}

static void init(wfsm_engine *engine, const wfsm_allocator *allocator)
{
    engine->allocator = *allocator;
    allocator = &engine->allocator;
    wf_names_init(&engine->agent_names, allocator);
    wf_heap_init(&engine->timers, allocator);
    wf_heap_init(&engine->ready, allocator);
    wf_link_init(&engine->entries);
    wf_link_init(&engine->todo);
    wf_link_init(&engine->later);
    wf_link_init(&engine->polled);
    wf_link_init(&engine->births);
    wf_buffer_init(&engine->usage, allocator);
    wf_call_init(&engine->call, WF_CALL_AGENT, allocator);
    wf_arena_init(&engine->arena, allocator, 0);
    wf_buffer_init(&engine->answer, allocator);
    engine->null = wf_null();
}

static int32_t fill(wfsm_engine *engine, wfsm_store *store, const wfsm_engine_options *options,
                    wfsm_error *error)
{
    engine->store = store;
    engine->lapse = options->lapse_ms;
    engine->slots = options->slots;
    engine->promote = options->promote_ms;
    engine->owner = wf_copy_text(&engine->allocator, options->owner, strlen(options->owner));
    engine->failed = wfsm_error_new(&engine->allocator);
    engine->bucket_count = FIRST_BUCKETS;
    engine->buckets = wf_new(&engine->allocator, FIRST_BUCKETS * sizeof *engine->buckets);
    if (!engine->owner || !engine->failed || !engine->buckets)
        return wf_no_memory(error);
    return wfsm_functions_new(&engine->functions, &engine->allocator, error);
}

int32_t wfsm_engine_new(wfsm_engine **engine, wfsm_store *store,
                        const wfsm_engine_options *options, wfsm_error *error)
{
    wfsm_engine_options checked;
    wfsm_allocator allocator;
    wfsm_engine *made;
    int32_t status;

    if (!engine || !store)
        return wf_fail(error, WFSM_INVALID, "an engine needs a store");
    status = read_options(&checked, options, error);
    if (status != WFSM_OK)
        return status;
    if (!wf_allocator_init(&allocator, checked.allocator))
        return wf_fail(error, WFSM_INVALID, "an allocator needs its size and three calls");
    made = wf_new(&allocator, sizeof *made);
    if (!made)
        return wf_no_memory(error);
    init(made, &allocator);
    status = fill(made, store, &checked, error);
    if (status != WFSM_OK) {
        wf_engine_abandon(made);
        return status;
    }
    *engine = made;
    return WFSM_OK;
}

void wf_engine_abandon(wfsm_engine *engine)
{
    wfsm_allocator allocator = engine->allocator;

    while (!wf_link_alone(&engine->entries))
        wf_entry_free(engine, WF_OWNER_OF(engine->entries.next, wf_entry, all));
    wf_quotas_free(engine);
    wf_awaits_free(engine);
    for (size_t i = 0; i < engine->machine_count; i++)
        wfsm_machine_unref(engine->machines[i].machine);
    wf_free(&allocator, engine->machines);
    wf_free(&allocator, engine->agents);
    wf_free(&allocator, engine->buckets);
    wf_free(&allocator, engine->owner);
    wf_names_fini(&engine->agent_names);
    wf_heap_fini(&engine->timers);
    wf_heap_fini(&engine->ready);
    wf_buffer_fini(&engine->usage);
    wf_call_fini(&engine->call);
    wf_arena_fini(&engine->arena);
    wf_buffer_fini(&engine->answer);
    wfsm_functions_free(engine->functions);
    wfsm_error_free(engine->failed);
    wf_free(&allocator, engine);
}

void wfsm_engine_free(wfsm_engine *engine)
{
    if (!engine || engine->busy)
        return;
    engine->busy = true;
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next) {
        wf_entry *entry = WF_OWNER_OF(at, wf_entry, all);

        wf_entry_cancel(engine, entry);
        wf_entry_give_up(engine, entry, NULL);
    }
    if (engine->alive > 0)
        wfsm_store_owner_alive(engine->store, engine->owner, 0, NULL);
    wf_engine_abandon(engine);
}

/* A row that had lapsed was no protection: whatever was owned may be another's by now.
 */
static void suspect_all(wfsm_engine *engine)
{
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next) {
        wf_entry *entry = WF_OWNER_OF(at, wf_entry, all);

        entry->suspect = true;
        wf_run_soon(engine, entry);
    }
}

int32_t wf_engine_alive(wfsm_engine *engine, int64_t now, wfsm_error *error)
{
    int64_t until = now <= WFSM_NEVER - engine->lapse ? now + engine->lapse : WFSM_NEVER;
    bool lapsed = engine->alive > 0 && engine->alive <= now;
    int32_t status;

    /* More than a lapse was claimed by a clock that has been set back since. */
    int64_t left = engine->alive > 0 ? engine->alive - now : 0;
    if (left <= engine->lapse && left >= engine->lapse - engine->lapse / 3)
        return WFSM_OK;
    status = wfsm_store_owner_alive(engine->store, engine->owner, until, error);
    if (status != WFSM_OK)
        return status;
    engine->alive = until;
    engine->looked = false;
    if (lapsed)
        suspect_all(engine);
    return WFSM_OK;
}

int32_t wfsm_engine_add_guard(wfsm_engine *engine, const char *name, wfsm_callback guard,
                              void *user, wfsm_error *error)
{
    int32_t status = wf_engine_enter(engine, error);

    if (status != WFSM_OK)
        return status;
    status = wfsm_functions_add_guard(engine->functions, name, guard, user, error);
    wf_engine_leave(engine);
    return status;
}

int32_t wfsm_engine_add_action(wfsm_engine *engine, const char *name, wfsm_callback action,
                               void *user, wfsm_error *error)
{
    int32_t status = wf_engine_enter(engine, error);

    if (status != WFSM_OK)
        return status;
    status = wfsm_functions_add_action(engine->functions, name, action, user, error);
    wf_engine_leave(engine);
    return status;
}

int32_t wfsm_engine_observe(wfsm_engine *engine, wfsm_callback observer, void *user,
                            wfsm_error *error)
{
    int32_t status = wf_engine_enter(engine, error);

    if (status != WFSM_OK)
        return status;
    engine->observer = observer;
    engine->observer_user = user;
    for (wf_link *at = engine->entries.next; at != &engine->entries && status == WFSM_OK;
         at = at->next)
        status =
            wfsm_instance_observe(WF_OWNER_OF(at, wf_entry, all)->instance, observer, user);
    wf_engine_leave(engine);
    return status == WFSM_OK ? status : wf_fail(error, status, "cannot observe");
}

int32_t wfsm_engine_on_effect(wfsm_engine *engine, wfsm_callback deliver, void *user,
                              wfsm_error *error)
{
    int32_t status = wf_engine_enter(engine, error);

    if (status != WFSM_OK)
        return status;
    engine->deliver = deliver;
    engine->deliver_user = user;
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next)
        wf_run_soon(engine, WF_OWNER_OF(at, wf_entry, all));
    wf_engine_leave(engine);
    return WFSM_OK;
}
