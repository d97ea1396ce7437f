/* store/batch.c: commits that wait for a flush. Each is copied when it is made. The flush
 * passes all of them to the store at once, and then gives each maker its answer. */
#include "store/batch.h"

#include <string.h>
#include "base/arena.h"
#include "base/invariant.h"
#include "base/names.h"

enum { FEWEST_SLOTS = 16 };

struct wf_batch {
    wf_gathered *list;
    const wfsm_commit **commits; /* of the list, those of an instance together */
    uint32_t *slots; /* a table of the first commits of instances, by number from 1 */
    size_t slot_count; /* a power of two, at least twice the length of the list */
    size_t slots_used; /* the same for this flush: a large one makes no later one slower */
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
    wf_free(&store->allocator, batch->slots);
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

static bool more_slots(wfsm_store *store, wf_batch *batch)
{
    size_t count = batch->slot_count ? batch->slot_count : FEWEST_SLOTS;
    if (batch->slots && count >= 2 * (batch->count + 1))
        return true;
    while (count < 4 * (batch->count + 1))
        count *= 2;
    uint32_t *slots = wf_new(&store->allocator, count * sizeof *slots);
    if (!slots)
        return false;
    wf_free(&store->allocator, batch->slots);
    batch->slots = slots;
    batch->slot_count = count;
    return true;
}

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
    return list && commits && answers && more_slots(store, batch);
}

/* NULL stays NULL. */
static const char *keep(wf_arena *arena, const char *text, size_t length)
{
    return text ? wf_arena_text(arena, text, length) : NULL;
}

/* Without the document, which others may share. */
static size_t bytes_of(const wfsm_commit *commit)
{
    return commit->record_length + commit->snapshot_length + commit->checkpoint_length +
           commit->artifacts_length;
}

static const char *keep_z(wf_arena *arena, const char *text)
{
    return keep(arena, text, text ? strlen(text) : 0);
}

/* Starts of one machine bring the same document, which is kept once. */
static const char *keep_document(wf_batch *batch, const wfsm_commit *given)
{
    for (size_t i = batch->count; given->document && i > 0; i--) {
        const wfsm_commit *kept = &batch->list[i - 1].commit;
        if (kept->document && kept->document_length == given->document_length &&
            memcmp(kept->document, given->document, given->document_length) == 0)
            return kept->document;
    }
    batch->bytes += given->document_length;
    return keep(&batch->arena, given->document, given->document_length);
}

static wfsm_commit copy_commit(wf_batch *batch, const wfsm_commit *given)
{
    wf_arena *arena = &batch->arena;
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
    copy.document = keep_document(batch, given);
    copy.tags = keep_z(arena, given->tags);
    copy.attributes = keep_z(arena, given->attributes);
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
    made.commit = copy_commit(batch, &given->commit);
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

/* The place in the table for the first commit of an instance. */
static uint32_t *place_of(wf_batch *batch, const char *instance)
{
    size_t mask = batch->slots_used - 1, at = wf_hash(instance, strlen(instance)) & mask;
    while (batch->slots[at] &&
           strcmp(batch->list[batch->slots[at] - 1].commit.instance, instance) != 0)
        at = (at + 1) & mask;
    return &batch->slots[at];
}

/* Adds the commit to the chain of its instance. Two makers of one instance cannot both be right: the
 * store would refuse the commits of both as one chain. The first one counts. */
static void chain_up(wf_batch *batch, uint32_t number)
{
    wf_gathered *self = &batch->list[number - 1];
    uint32_t *place = place_of(batch, self->commit.instance);
    self->next = 0;
    self->last = number;
    self->follows = *place != 0;
    self->second = self->follows && batch->list[*place - 1].maker != self->maker;
    if (!self->follows)
        *place = number;
    if (!self->follows || self->second)
        return;
    wf_gathered *first = &batch->list[*place - 1];
    batch->list[first->last - 1].next = number;
    first->last = number;
}

/* The commits of an instance follow each other, in the order of gathering. Returns how many commits
 * the store gets. */
static size_t order_commits(wf_batch *batch)
{
    size_t kept = 0;
    if (batch->count == 0) /* there is no table, perhaps */
        return 0;
    batch->slots_used = FEWEST_SLOTS;
    while (batch->slots_used < 2 * batch->count)
        batch->slots_used *= 2;
    memset(batch->slots, 0, batch->slots_used * sizeof *batch->slots);
    for (uint32_t i = 1; i <= batch->count; i++)
        chain_up(batch, i);
    for (uint32_t i = 1; i <= batch->count; i++)
        for (uint32_t at = batch->list[i - 1].follows ? 0 : i; at;
             at = batch->list[at - 1].next)
            batch->commits[kept++] = &batch->list[at - 1].commit;
    return kept;
}

/* The one that an ordered commit belongs to. */
static wf_gathered *gathered_at(wf_batch *batch, size_t i)
{
    size_t offset = (size_t)((const char *)batch->commits[i] - (const char *)batch->list);
    return &batch->list[offset / sizeof *batch->list];
}

static bool same_instance(const wfsm_commit *a, const wfsm_commit *b)
{
    return strcmp(a->instance, b->instance) == 0;
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
static void count_answer(wf_tally *tally, const wf_gathered *self)
{
    if (self->answer != WFSM_OK) {
        tally->refused++;
        return;
    }
    tally->stored++;
    if (self->failed > 0)
        tally->failed[self->failed - 1]++;
}

static int32_t settle_all(wf_batch *batch, wf_tally *tally)
{
    int32_t first = WFSM_OK;
    WF_INVARIANT(!batch->open);
    batch->settling = true;
    for (size_t i = 0; i < batch->count; i++) {
        wf_gathered *self = &batch->list[i];
        int32_t answer = self->answer;
        if (first == WFSM_OK)
            first = answer;
        count_answer(tally, self);
        if (self->user)
            self->settle(self->user, self, answer);
    }
    batch->settling = false;
    return first;
}

int32_t wf_batch_exchange(wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    wf_batch *batch = store->batch;
    size_t count = order_commits(batch);
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

int32_t wf_batch_settle(wfsm_store *store, wf_tally *tally)
{
    wf_batch *batch = store->batch;
    batch->open = false;
    int32_t first = settle_all(batch, tally);
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
    wf_tally tally = {0};
    wfsm_exchange exchange = {.size = sizeof exchange};
    status = count ? wf_batch_exchange(store, &exchange, error) : WFSM_OK;
    int32_t first = wf_batch_settle(store, &tally);
    if (refused)
        *refused = tally.refused;
    if (status || !tally.refused)
        return status;
    return wf_fail(error, first, "%llu of the %zu commits of the batch were refused",
                   (unsigned long long)tally.refused, count);
}
