/* store/batch.c: commits that wait for a flush. Each is copied when it is made. The flush
 * passes all of them to the store at once, and then gives each maker its answer. */
#include "store/batch.h"

#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/invariant.h"

struct wf_batch {
    wf_gathered *list;
    const wfsm_commit **commits; /* of the list, by instance */
    int32_t *answers; /* in the order of commits */
    size_t count, capacity, commit_capacity, answer_capacity;
    size_t bytes; /* of records, snapshots and documents */
    wf_arena arena; /* the copies that the commits point to */
    bool open; /* commits are gathered */
    bool settling; /* makers are being told */
};

static void free_batch(wfsm_store *store)
{
    wf_batch *batch = store->batch;
    wf_free(&store->allocator, batch->list);
    wf_free(&store->allocator, batch->commits);
    wf_free(&store->allocator, batch->answers);
    wf_arena_fini(&batch->arena);
    wf_free(&store->allocator, batch);
    store->batch = NULL;
}

static bool make_batch(wfsm_store *store)
{
    wf_batch *made = wf_new(&store->allocator, sizeof *made);
    if (!made)
        return false;
    wf_arena_init(&made->arena, &store->allocator, 0);
    store->batch = made;
    store->free_batch = free_batch;
    return true;
}

bool wf_store_gathers(const wfsm_store *store)
{
    return store->batch && store->batch->open;
}

int32_t wfsm_store_batch(wfsm_store *store, wfsm_error *error)
{
    int32_t status = wf_store_ready(store, error);
    if (status)
        return status;
    if (store->batch && (store->batch->open || store->batch->settling))
        return wf_fail(error, WFSM_BUSY, "a batch of this store is open");
    if (!store->batch && !make_batch(store))
        return wf_no_memory(error);
    WF_INVARIANT(store->batch->count == 0);
    store->batch->open = true;
    return WFSM_OK;
}

/* ---- gathering ---- */

static bool more_room(wfsm_store *store, wf_batch *batch)
{
    const wfsm_allocator *allocator = &store->allocator;
    size_t need = batch->count + 1;
    wf_gathered *list = wf_grow(allocator, batch->list, &batch->capacity, need, sizeof *list);
    if (list)
        batch->list = list;
    const wfsm_commit **commits =
        wf_grow(allocator, batch->commits, &batch->commit_capacity, need, sizeof *commits);
    if (commits)
        batch->commits = commits;
    int32_t *answers =
        wf_grow(allocator, batch->answers, &batch->answer_capacity, need, sizeof *answers);
    if (answers)
        batch->answers = answers;
    return list && commits && answers;
}

/* NULL stays NULL. */
static const char *keep(wf_arena *arena, const char *text, size_t length)
{
    return text ? wf_arena_text(arena, text, length) : NULL;
}

static size_t bytes_of(const wfsm_commit *commit)
{
    return commit->record_length + commit->snapshot_length + commit->checkpoint_length +
           commit->artifacts_length + commit->document_length;
}

static const char *keep_z(wf_arena *arena, const char *text)
{
    return keep(arena, text, text ? strlen(text) : 0);
}

static wfsm_commit copy_commit(wf_arena *arena, const wfsm_commit *given)
{
    wfsm_commit copy = *given;
    copy.instance = keep_z(arena, given->instance);
    copy.owner = keep_z(arena, given->owner);
    copy.token = keep_z(arena, given->token);
    copy.previous = keep_z(arena, given->previous);
    copy.event_id = keep_z(arena, given->event_id);
    copy.record = keep(arena, given->record, given->record_length);
    copy.snapshot = keep(arena, given->snapshot, given->snapshot_length);
    copy.checkpoint = keep_z(arena, given->checkpoint);
    copy.checkpoint_snapshot =
        keep(arena, given->checkpoint_snapshot, given->checkpoint_length);
    copy.artifacts = keep(arena, given->artifacts, given->artifacts_length);
    copy.checkpoint_deleted = keep_z(arena, given->checkpoint_deleted);
    copy.machine = keep_z(arena, given->machine);
    copy.fingerprint = keep_z(arena, given->fingerprint);
    copy.document = keep(arena, given->document, given->document_length);
    copy.tags = keep_z(arena, given->tags);
    return copy;
}

int32_t wf_store_gather(wfsm_store *store, const wf_gathered *given, wfsm_error *error)
{
    wf_batch *batch = store->batch;
    int32_t status = wf_store_ready(store, error);
    if (status)
        return status;
    if (!more_room(store, batch))
        return wf_no_memory(error);
    wf_gathered made = *given;
    made.maker = given->user;
    made.commit = copy_commit(&batch->arena, &given->commit);
    made.log = keep(&batch->arena, given->log, given->log_length);
    if (batch->arena.failed) {
        batch->arena.failed = false; /* the commits before it are complete */
        return wf_no_memory(error);
    }
    WF_INVARIANT(batch->count < batch->capacity);
    batch->list[batch->count++] = made;
    batch->bytes += bytes_of(&made.commit);
    return WFSM_OK;
}

bool wf_batch_has_event(const wfsm_store *store, const void *user, const char *event_id)
{
    const wf_batch *batch = store->batch;
    for (size_t i = 0; wf_store_gathers(store) && i < batch->count; i++)
        if (batch->list[i].user == user && batch->list[i].commit.event_id &&
            strcmp(batch->list[i].commit.event_id, event_id) == 0)
            return true;
    return false;
}

void wf_batch_forget(wfsm_store *store, const void *user)
{
    wf_batch *batch = store->batch;
    for (size_t i = 0; batch && i < batch->count; i++)
        if (batch->list[i].user == user)
            batch->list[i].user = NULL;
}

/* ---- the flush ---- */

/* By instance, and then in the order of gathering, which is that of the list. */
static int compare(const void *a, const void *b)
{
    const wfsm_commit *first = *(const wfsm_commit *const *)a;
    const wfsm_commit *second = *(const wfsm_commit *const *)b;
    int order = strcmp(first->instance, second->instance);
    return order ? order : (first > second) - (first < second);
}

/* The commits of an instance follow each other. */
static void sort_commits(wf_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        batch->commits[i] = &batch->list[i].commit;
    if (batch->count > 1)
        qsort(batch->commits, batch->count, sizeof(const wfsm_commit *), compare);
}

/* The one that a sorted commit belongs to. */
static wf_gathered *gathered_at(wf_batch *batch, size_t i)
{
    size_t offset = (size_t)((const char *)batch->commits[i] - (const char *)batch->list);
    return &batch->list[offset / sizeof *batch->list];
}

static bool same_instance(const wfsm_commit *a, const wfsm_commit *b)
{
    return strcmp(a->instance, b->instance) == 0;
}

/* Two makers of one instance cannot both be right: the store would refuse the commits of both as one
 * chain. The first one counts. Returns how many commits are left. */
static size_t drop_second_makers(wf_batch *batch)
{
    const void *maker = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < batch->count; i++) {
        wf_gathered *self = gathered_at(batch, i);
        const wfsm_commit *commit = batch->commits[i];
        if (kept == 0 || !same_instance(commit, batch->commits[kept - 1]))
            maker = self->maker;
        self->second = self->maker != maker;
        if (!self->second)
            batch->commits[kept++] = commit;
    }
    return kept;
}

/* The owner makes all of them, so only the last one may give the instance up. */
static void keep_owner(wf_batch *batch, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++)
        if (batch->commits[i]->gives_up &&
            same_instance(batch->commits[i], batch->commits[i + 1]))
            gathered_at(batch, i)->commit.gives_up = 0;
}

static void keep_answers(wf_batch *batch, size_t count, int32_t status)
{
    for (size_t i = 0; i < count; i++)
        gathered_at(batch, i)->answer = batch->answers[i];
    for (size_t i = 0; count < batch->count && i < batch->count; i++) {
        wf_gathered *self = &batch->list[i];
        if (self->second)
            self->answer = status ? status : self->commit.base ? WFSM_CONFLICT : WFSM_EXISTS;
    }
}

/* A maker may call the store, but must not open another batch. */
static size_t settle_all(wf_batch *batch, int32_t *first)
{
    size_t refused = 0;
    WF_INVARIANT(!batch->open);
    batch->settling = true;
    for (size_t i = 0; i < batch->count; i++) {
        wf_gathered *self = &batch->list[i];
        int32_t answer = self->answer;
        if (answer && !refused++)
            *first = answer;
        if (self->user)
            self->settle(self->user, self, answer);
    }
    batch->settling = false;
    return refused;
}

int32_t wf_batch_exchange(wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    wf_batch *batch = store->batch;
    sort_commits(batch);
    size_t count = drop_second_makers(batch);
    keep_owner(batch, count);
    exchange->commits = batch->commits;
    exchange->commit_count = count;
    exchange->commit_answers = batch->answers;
    int32_t status = wf_store_exchange_all(store, exchange, error);
    keep_answers(batch, count, status);
    return status;
}

size_t wf_batch_bytes(const wfsm_store *store)
{
    return store->batch ? store->batch->bytes : 0;
}

bool wf_batch_is_empty(const wfsm_store *store)
{
    return store->batch->count == 0;
}

void wf_batch_refuse(wfsm_store *store, int32_t answer)
{
    wf_batch *batch = store->batch;
    for (size_t i = 0; i < batch->count; i++)
        batch->list[i].answer = answer;
}

int32_t wf_batch_settle(wfsm_store *store, uint64_t *refused)
{
    wf_batch *batch = store->batch;
    int32_t first = WFSM_OK;
    batch->open = false;
    *refused = settle_all(batch, &first);
    batch->count = 0;
    batch->bytes = 0;
    wf_arena_reset(&batch->arena);
    return first;
}

int32_t wfsm_store_flush(wfsm_store *store, uint64_t *refused, wfsm_error *error)
{
    int32_t status = wf_store_ready(store, error);
    if (status)
        return status;
    if (!wf_store_gathers(store))
        return wf_fail(error, WFSM_INVALID, "no batch of this store is open");
    size_t count = store->batch->count;
    uint64_t failed;
    wfsm_exchange exchange = {.size = sizeof exchange};
    status = count ? wf_batch_exchange(store, &exchange, error) : WFSM_OK;
    int32_t first = wf_batch_settle(store, &failed);
    if (refused)
        *refused = failed;
    if (status || !failed)
        return status;
    return wf_fail(error, first, "%llu of the %zu commits of the batch were refused",
                   (unsigned long long)failed, count);
}
