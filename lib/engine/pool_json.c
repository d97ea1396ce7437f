/* engine/pool_json.c: the pool as JSON. */
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "store/record_parts.h"

static wf_buffer *fresh_answer(wfsm_engine *engine)
{
    wf_buffer_clear(&engine->answer);
    return &engine->answer;
}

static const char *give(wf_buffer *out, size_t *length)
{
    if (length)
        *length = out->failed ? 0 : out->length;
    return out->failed ? NULL : out->data;
}

static void write_count(wf_buffer *out, const char *key, size_t count)
{
    wf_write_key(out, key);
    wf_json_write_int(out, (int64_t)count);
}

/* ---- counts ---- */

static int by_name(const void *a, const void *b)
{
    const wf_quota *const *left = a, *const *right = b;

    return strcmp((*left)->name, (*right)->name);
}

/* Lists the quotas of a kind by name. Returns their number. */
static size_t collect(const wfsm_engine *engine, int32_t kind, wf_quota **list)
{
    size_t count = 0;

    for (size_t i = 0; i < engine->quota_buckets; i++) {
        for (wf_quota *quota = engine->quotas[i]; quota; quota = quota->next) {
            if (quota->kind == kind)
                list[count++] = quota;
        }
    }
    WF_INVARIANT(count <= engine->quota_count);
    if (count > 1)
        qsort(list, count, sizeof *list, by_name);
    return count;
}

static void write_quota(const wfsm_engine *engine, wf_buffer *out, const wf_quota *quota)
{
    uint32_t most = quota->most ? quota->most : engine->limits[quota->kind];

    wf_write_name(out, quota->name);
    wf_buffer_byte(out, '{');
    write_count(out, "working", quota->working);
    write_count(out, "waiting", quota->waiting);
    if (most)
        write_count(out, "most", most);
    if (quota->shared) {
        write_count(out, "shared", quota->shared);
        write_count(out, "permits", quota->held);
    }
    if (quota->rate.count) {
        write_count(out, "rate", quota->rate.count);
        write_count(out, "perMs", (size_t)quota->rate.per_ms);
    }
    wf_buffer_byte(out, '}');
}

static void write_kind(const wfsm_engine *engine, wf_buffer *out, int32_t kind, const char *key,
                       wf_quota **list)
{
    size_t count = collect(engine, kind, list);

    wf_write_key(out, key);
    wf_buffer_byte(out, '{');
    for (size_t i = 0; i < count; i++)
        write_quota(engine, out, list[i]);
    wf_buffer_byte(out, '}');
}

const char *wfsm_engine_pool(wfsm_engine *engine, size_t *length)
{
    static const char *const keys[] = {"agents", "phases", "groups"};
    wf_quota **list;
    wf_buffer *out;

    if (length)
        *length = 0;
    if (!engine)
        return NULL;
    wf_arena_reset(&engine->arena);
    list = wf_arena_take(&engine->arena, (engine->quota_count + 1) * sizeof *list);
    if (!list)
        return NULL;
    out = fresh_answer(engine);
    wf_buffer_byte(out, '{');
    write_count(out, "slots", engine->slots);
    write_count(out, "working", engine->working);
    write_count(out, "free",
                engine->working < engine->slots ? engine->slots - engine->working : 0);
    write_count(out, "waiting", engine->waiting);
    for (int i = 0; i < 3; i++)
        write_kind(engine, out, WFSM_POOL_AGENT + i, keys[i], list);
    wf_buffer_byte(out, '}');
    return give(out, length);
}

/* ---- invocations ---- */

static void write_job(wf_buffer *out, const wf_job *job, const wf_invocation *found)
{
    const wfsm_machine *machine = job->machine;
    bool running = found->status == WF_RUNNING;
    char id[WF_INVOCATION_ID_BYTES];

    if (out->data[out->length - 1] != '[')
        wf_buffer_byte(out, ',');
    wf_job_id(job, id);
    wf_buffer_byte(out, '{');
    wf_write_string(out, "id", id);
    wf_write_string(out, "instance", job->entry->id);
    wf_write_string(out, "state",
                    machine->states[machine->invokes[job->invoke].state].path.text);
    wf_write_string(out, "agent", machine->agents.list[job->agent].text);
    wf_write_string(out, "status", running ? "working" : "waiting");
    write_count(out, "attempt", found->attempt);
    wf_write_key(out, running ? "claimed" : "due");
    wf_json_write_int(out, running ? found->claimed : found->due);
    wf_write_key(out, "pool");
    wf_json_write(out, &found->pool);
    wf_buffer_byte(out, '}');
}

static void write_entry(wf_buffer *out, const wf_entry *entry, int32_t kind,
                        const wf_quota *quota)
{
    for (const wf_job *job = entry->jobs; job && !out->failed; job = job->next) {
        const wf_invocation *found = wf_job_invocation(job);
        bool wanted =
            kind == WFSM_POOL_ALL || (quota && job->quotas[kind - WFSM_POOL_AGENT] == quota);

        if (found && wanted)
            write_job(out, job, found);
    }
}

const char *wfsm_engine_work(wfsm_engine *engine, int32_t kind, const char *name,
                             size_t *length)
{
    const wf_quota *quota;
    wf_buffer *out;

    if (length)
        *length = 0;
    if (!engine || kind < WFSM_POOL_ALL || kind > WFSM_POOL_GROUP ||
        (kind == WFSM_POOL_ALL) != !name)
        return NULL;
    quota = name ? wf_quota_find(engine, kind, name) : NULL;
    out = fresh_answer(engine);
    wf_buffer_byte(out, '[');
    for (wf_link *at = engine->entries.next; at != &engine->entries && !out->failed;
         at = at->next)
        write_entry(out, WF_OWNER_OF(at, wf_entry, all), kind, quota);
    wf_buffer_byte(out, ']');
    return give(out, length);
}
