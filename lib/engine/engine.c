/* engine/engine.c: an engine is made and freed. */
#include "engine/engine.h"

#include <string.h>

#include "base/sized.h"
#include "base/utf8.h"
#include "engine/entry_ownership.h"
#include "engine/lease.h"
#include "engine/leaving.h"
#include "engine/looks.h"
#include "engine/queue.h"
#include "engine/round.h"
#include "store/batch.h"

enum {
    LAPSE_MS = 10000,
    SLOTS = 15,
    PROMOTE_MS = 300000,
    CHILDREN = 10000,
    LOOK_MS = 1000,
    FIRST_BUCKETS = 64,
    ROUND_BYTES = 16 << 20
};

/* Where many inputs share no transaction, a large round saves nothing, and its instances leave the
 * processor's cache between its phases. */
static uint32_t default_inputs(const wfsm_store *store)
{
    bool joins = store->vtable.transaction || store->vtable.exchange;

    return joins ? WF_RUN_INPUTS : WF_RUN_FEW_INPUTS;
}

/* How much one round does. */
static int32_t read_bounds(wfsm_engine_options *out, const wfsm_store *store, wfsm_error *error)
{
    if (out->round_inputs == 0)
        out->round_inputs = default_inputs(store);
    if (out->round_bytes == 0)
        out->round_bytes = ROUND_BYTES;
    if (out->round_ms == 0)
        out->round_ms = out->lapse_ms / 10;
    if (out->cached_instances == 0)
        out->cached_instances = UINT32_MAX;
    if (out->round_ms < 0)
        return wf_fail(error, WFSM_INVALID, "round_ms is out of range");
    return WFSM_OK;
}

static int32_t read_looks(wfsm_engine_options *out, wfsm_error *error)
{
    if (out->look_ms == 0)
        out->look_ms = LOOK_MS;
    if (out->look_ms < 0)
        return wf_fail(error, WFSM_INVALID, "look_ms is out of range");
    if (out->look_most_ms != 0 && (out->look_most_ms < 0 || out->look_most_ms < out->look_ms ||
                                   out->look_most_ms > WF_NUMBER_MOST))
        return wf_fail(error, WFSM_INVALID,
                       "look_most_ms is out of range: 0, or look_ms to 2^53 was expected");
    return WFSM_OK;
}

/* Checks and copies the options. An option that is 0 or NULL gets its default. */
static int32_t read_options(wfsm_engine_options *out, const wfsm_engine_options *given,
                            const wfsm_store *store, wfsm_error *error)
{
    wf_limits limits;

    memset(out, 0, sizeof *out);
    if (given && !wf_struct_check(out, sizeof *out, given,
                                  WF_SIZE_UP_TO(wfsm_engine_options, allocator)))
        return wf_fail(error, WFSM_INVALID, "the size of the engine options is wrong");
    if (out->lapse_ms == 0)
        out->lapse_ms = LAPSE_MS;
    if (out->slots == 0)
        out->slots = SLOTS;
    if (out->children == 0)
        out->children = CHILDREN;
    if (out->promote_ms == 0)
        out->promote_ms = PROMOTE_MS;
    if (!wf_id_valid(out->session))
        return wf_fail(error, WFSM_INVALID,
                       "an engine needs a session: a name of 1 to 255 bytes of UTF-8 that no "
                       "other engine has or had");
    if (out->now < 0)
        return wf_fail(error, WFSM_INVALID, "the time must not be negative");
    if (out->limits && wf_host_limits(&limits, out->limits, error) != WFSM_OK)
        return WFSM_INVALID;
    if (out->lapse_ms < 3 || out->lapse_ms > WFSM_NEVER / 4)
        return wf_fail(error, WFSM_INVALID, "lapse_ms is out of range");
    if (out->promote_ms < 0 ||
        (out->promote_ms > WF_NUMBER_MOST && out->promote_ms != WFSM_NEVER))
        return wf_fail(error, WFSM_INVALID, "promote_ms is out of range");
    if (read_looks(out, error) != WFSM_OK)
        return WFSM_INVALID;
    return read_bounds(out, store, error);
}

static void init(wfsm_engine *engine, const wfsm_allocator *allocator)
{
    engine->allocator = *allocator;
    allocator = &engine->allocator;
    wf_names_init(&engine->agent_names, allocator);
    wf_names_init(&engine->unknown_names, allocator);
    wf_names_init(&engine->bad_documents, allocator);
    wf_heap_init(&engine->timers, allocator);
    wf_heap_init(&engine->ready, allocator);
    wf_link_init(&engine->entries);
    wf_link_init(&engine->asking);
    wf_link_init(&engine->todo);
    wf_link_init(&engine->stepped);
    wf_link_init(&engine->acks);
    wf_link_init(&engine->cache);
    wf_link_init(&engine->leaving);
    wf_link_init(&engine->queue);
    wf_link_init(&engine->later);
    wf_link_init(&engine->reloads);
    wf_link_init(&engine->polled);
    for (int i = 0; i < WF_CHILD_DEPTHS; i++)
        wf_link_init(&engine->child_claims[i]);
    wf_buffer_init(&engine->usage, allocator);
    wf_call_init(&engine->call, WF_CALL_AGENT, allocator);
    wf_arena_init(&engine->arena, allocator, 0);
    wf_arena_init(&engine->grants.arena, allocator, 0);
    wf_outgoing_init(engine);
    wf_buffer_init(&engine->answer, allocator);
    engine->null = wf_null();
}

static int32_t fill(wfsm_engine *engine, wfsm_store *store, const wfsm_engine_options *options,
                    wfsm_error *error)
{
    engine->store = store;
    engine->now = options->now;
    engine->lapse = options->lapse_ms;
    engine->slots = options->slots;
    engine->promote = options->promote_ms;
    engine->child_limit = options->children;
    engine->cache_limit = options->cached_instances;
    engine->bounds = (wf_bounds){.inputs = options->round_inputs,
                                 .bytes = options->round_bytes,
                                 .ms = options->round_ms,
                                 .clock = options->clock,
                                 .user = options->clock_user};
    engine->step_limits = (wfsm_step_limits){.size = sizeof engine->step_limits};
    if (options->limits)
        wf_struct_check(&engine->step_limits, sizeof engine->step_limits, options->limits,
                        sizeof(size_t));
    engine->step_limits.size = sizeof engine->step_limits;
    engine->session =
        wf_copy_text(&engine->allocator, options->session, strlen(options->session));
    engine->failed = wfsm_error_new(&engine->allocator);
    engine->first = wfsm_error_new(&engine->allocator);
    engine->bucket_count = FIRST_BUCKETS;
    engine->buckets = wf_new(&engine->allocator, FIRST_BUCKETS * sizeof *engine->buckets);
    if (!engine->session || !engine->failed || !engine->first || !engine->buckets)
        return wf_no_memory(error);
    wf_looks_init(engine, options->look_ms, options->look_most_ms);
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
    status = read_options(&checked, options, store, error);
    if (status != WFSM_OK)
        return status;
    if (!wf_allocator_init(&allocator, checked.allocator))
        return wf_fail(error, WFSM_INVALID, "an allocator needs its size and three calls");
    made = wf_new(&allocator, sizeof *made);
    if (!made)
        return wf_no_memory(error);
    init(made, &allocator);
    status = fill(made, store, &checked, error);
    if (status == WFSM_OK)
        status = wf_lease_renew(made, error);
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

    bool out = engine->out.engine;
    if (out)
        wf_round_take_back(engine);
    while (!wf_link_alone(&engine->stepped)) {
        wf_entry *entry = WF_OWNER_OF(engine->stepped.next, wf_entry, stepped);

        wf_link_remove(&entry->stepped);
        if (entry->starting)
            wf_entry_free(engine, entry);
    }
    while (!wf_link_alone(&engine->entries))
        wf_entry_free(engine, WF_OWNER_OF(engine->entries.next, wf_entry, all));
    if (out)
        wf_batch_settle(engine->store, &engine->tally.commits);
    WF_INVARIANT(engine->entry_count == 0 && engine->behind == 0 && engine->children == 0);
    WF_INVARIANT(engine->job_count == 0 && engine->working == 0 && engine->waiting == 0);
    WF_INVARIANT(engine->timers.count == 0 && engine->ready.count == 0);
    wf_quotas_free(engine);
    wf_awaits_free(engine);
    wf_queue_free(engine);
    wf_leaving_free(engine);
    for (size_t i = 0; i < engine->machine_count; i++)
        wfsm_machine_unref(engine->machines[i].machine);
    wf_free(&allocator, engine->machines);
    wf_free(&allocator, engine->agents);
    wf_free(&allocator, engine->buckets);
    wf_free(&allocator, engine->session);
    wf_names_fini(&engine->agent_names);
    wf_names_fini(&engine->unknown_names);
    wf_names_fini(&engine->bad_documents);
    wf_free(&engine->allocator, engine->unknown);
    wf_heap_fini(&engine->timers);
    wf_heap_fini(&engine->ready);
    wf_buffer_fini(&engine->usage);
    wf_call_fini(&engine->call);
    wf_arena_fini(&engine->arena);
    wf_arena_fini(&engine->grants.arena);
    wf_outgoing_fini(engine);
    wf_buffer_fini(&engine->answer);
    wfsm_functions_free(engine->functions);
    wfsm_error_free(engine->failed);
    wfsm_error_free(engine->first);
    wf_free(&allocator, engine);
}

int32_t wfsm_engine_free(wfsm_engine *engine)
{
    if (!engine)
        return WFSM_OK;
    if (engine->busy || engine->out.engine)
        return WFSM_BUSY;
    engine->busy = true;
    for (wf_link *at = engine->entries.next; at != &engine->entries; at = at->next) {
        wf_entry *entry = WF_OWNER_OF(at, wf_entry, all);

        wf_entry_cancel(engine, entry);
    }
    wf_leave_all(engine);
    if (engine->alive > 0) /* not if another process has the session by now */
        wfsm_store_claim(engine->store, engine->session, engine->alive, 0, 0, NULL);
    wf_engine_abandon(engine);
    return WFSM_OK;
}
