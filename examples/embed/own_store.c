/*
 * A store of your own, in one file; own_store.h says what it promises.
 *
 * The file is a log of the calls that changed something (own_log.c). A memory store holds what they
 * add up to, and answers. A call that changes something is made there first. If it succeeds, it is
 * appended to the log and synced, and only then answered. If the log cannot be written, the memory
 * store is thrown away, and the next call builds it again from the log. Every call begins with what
 * other handles and processes have appended.
 */
#include "own_store.h"
#include "own_log.h"

#include <stdlib.h>

typedef struct own_store {
    own_log log;
    const wfsm_allocator *allocator;
    wfsm_store *memory; /* what the calls up to log.end add up to; NULL: nothing was read */
} own_store;

static int32_t make(wfsm_store *memory, int32_t call, const wfsm_commit *c, wfsm_error *error)
{
    int32_t answer = WFSM_CORRUPT;

    switch (call) {
    case OWN_COMMIT:
        wfsm_store_commit(memory, &c, 1, &answer, error);
        return answer;
    case OWN_POST:
        return wfsm_store_submit(memory,
                                 &(wfsm_post){.size = sizeof(wfsm_post),
                                              .instance = c->instance,
                                              .id = c->event_id,
                                              .name = c->token,
                                              .data = c->record,
                                              .length = c->record_length,
                                              .now = c->now,
                                              .kind = c->status,
                                              .interface = (int32_t)c->inbox,
                                              .sender = c->owner},
                                 error);
    case OWN_ACKNOWLEDGE:
        return wfsm_store_acknowledge(memory, c->instance, c->effects, error);
    case OWN_OWNER_ALIVE:
        return wfsm_store_owner_alive(memory, c->owner, c->deadline, error);
    case OWN_CLAIM:
        return wfsm_store_claim(memory, c->owner, (int64_t)c->base, c->now, c->deadline, error);
    case OWN_TAKE:
        return wfsm_store_own(memory, c->instance, c->owner, c->now, error);
    case OWN_DISOWN:
        return wfsm_store_disown(memory, c->instance, c->owner, error);
    case OWN_REMOVE:
        return wfsm_store_remove(memory, c->instance, error);
    default:
        return answer;
    }
}

/* The next call builds it again. */
static void forget(own_store *store)
{
    wfsm_store_free(store->memory);
    store->memory = NULL;
    store->log.end = 0;
}

/* A call that succeeded before succeeds again. */
static int32_t make_again(void *self, int32_t call, const wfsm_commit *arguments,
                          wfsm_error *error)
{
    own_store *store = self;
    int32_t status = make(store->memory, call, arguments, error);

    if (!status || status == WFSM_NO_MEMORY)
        return status;
    return wfsm_error_set(error, WFSM_CORRUPT, "the log has a call that fails");
}

/* Locks the log, and makes the calls that are new in it. */
static int32_t lock(own_store *store, wfsm_error *error)
{
    int32_t status = own_log_lock(&store->log, error);

    if (!status && !store->memory)
        status = wfsm_memory_open(&store->memory, store->allocator, error);
    if (!status)
        status = own_log_read(&store->log, make_again, store, error);
    if (status)
        forget(store);
    return status;
}

static int32_t append(own_store *store, int32_t call, const wfsm_commit *const *made,
                      size_t count, const int32_t *answers, wfsm_error *error)
{
    int32_t status = own_log_append(&store->log, call, made, count, answers, error);

    if (status)
        forget(store);
    return status;
}

/* The vtable: what changes something. */

static int32_t own_commit(void *self, const wfsm_commit *const *commits, size_t count,
                          int32_t *answers, wfsm_error *error)
{
    own_store *store = self;
    int32_t status = lock(store, error), kept;

    if (!status)
        status = wfsm_store_commit(store->memory, commits, count, answers, error);
    if (!status) {
        /* The refused ones keep their answers. */
        kept = append(store, OWN_COMMIT, commits, count, answers, error);
        for (size_t i = 0; i < count; i++)
            answers[i] = answers[i] ? answers[i] : kept;
    }
    own_log_unlock(&store->log);
    return status;
}

/* Any other call. The arguments are in the members of a commit, as own_log.h says. */
static int32_t change(own_store *store, int32_t call, const wfsm_commit *arguments,
                      wfsm_error *error)
{
    int32_t status = lock(store, error);

    if (!status)
        status = make(store->memory, call, arguments, error);
    if (!status)
        status = append(store, call, &arguments, 1, &status, error);
    own_log_unlock(&store->log);
    return status;
}

static int32_t own_post(void *self, const wfsm_post *post, wfsm_error *error)
{
    const wfsm_commit arguments = {.instance = post->instance,
                                   .event_id = post->id,
                                   .token = post->name,
                                   .record = post->data,
                                   .record_length = post->length,
                                   .now = post->now,
                                   .status = post->kind,
                                   .inbox = (uint64_t)post->interface,
                                   .owner = post->sender};

    return change(self, OWN_POST, &arguments, error);
}

static int32_t own_acknowledge(void *self, const char *instance, uint64_t effect,
                               wfsm_error *error)
{
    return change(self, OWN_ACKNOWLEDGE,
                  &(wfsm_commit){.instance = instance, .effects = effect}, error);
}

static int32_t own_owner_alive(void *self, const char *owner, int64_t until, wfsm_error *error)
{
    return change(self, OWN_OWNER_ALIVE, &(wfsm_commit){.owner = owner, .deadline = until},
                  error);
}

static int32_t own_claim(void *self, const char *session, int64_t mine, int64_t now,
                         int64_t until, wfsm_error *error)
{
    const wfsm_commit claim = {
        .owner = session, .base = (uint64_t)mine, .now = now, .deadline = until};
    return change(self, OWN_CLAIM, &claim, error);
}

static int32_t own_own(void *self, const char *instance, const char *owner, int64_t now,
                       wfsm_error *error)
{
    return change(self, OWN_TAKE,
                  &(wfsm_commit){.instance = instance, .owner = owner, .now = now}, error);
}

static int32_t own_disown(void *self, const char *instance, const char *owner,
                          wfsm_error *error)
{
    return change(self, OWN_DISOWN, &(wfsm_commit){.instance = instance, .owner = owner},
                  error);
}

static int32_t own_remove(void *self, const char *instance, wfsm_error *error)
{
    return change(self, OWN_REMOVE, &(wfsm_commit){.instance = instance}, error);
}

/* What only reads: the memory store answers. */

static int32_t refresh(own_store *store, wfsm_error *error)
{
    int32_t status = lock(store, error);

    own_log_unlock(&store->log);
    return status;
}

static int32_t own_head(void *self, const char *instance, wfsm_head *head, wfsm_error *error)
{
    own_store *store = self;
    int32_t status = refresh(store, error);

    return status ? status : wfsm_store_head(store->memory, instance, head, error);
}

static int32_t own_records(void *self, const char *instance, uint64_t from, uint64_t to,
                           wfsm_row_sink sink, void *user, wfsm_error *error)
{
    own_store *store = self;
    int32_t status = refresh(store, error);

    return status ? status
                  : wfsm_store_records(store->memory, instance, from, to, sink, user, error);
}

static int32_t own_snapshot(void *self, const char *instance, const char *checkpoint,
                            wfsm_row_sink sink, void *user, wfsm_error *error)
{
    own_store *store = self;
    int32_t status = refresh(store, error);

    return status ? status
                  : wfsm_store_snapshot(store->memory, instance, checkpoint, sink, user, error);
}

static int32_t own_checkpoints(void *self, const char *instance, wfsm_row_sink sink, void *user,
                               wfsm_error *error)
{
    own_store *store = self;
    int32_t status = refresh(store, error);

    return status ? status : wfsm_store_checkpoints(store->memory, instance, sink, user, error);
}

static int32_t own_list(void *self, const wfsm_query *query, wfsm_row_sink sink, void *user,
                        wfsm_error *error)
{
    own_store *store = self;
    int32_t status = refresh(store, error);

    return status ? status : wfsm_store_list(store->memory, query, sink, user, error);
}

static int32_t own_document(void *self, const char *fingerprint, wfsm_row_sink sink, void *user,
                            wfsm_error *error)
{
    own_store *store = self;
    int32_t status = refresh(store, error);

    return status ? status : wfsm_store_document(store->memory, fingerprint, sink, user, error);
}

static int32_t own_seen(void *self, const char *instance, const char *event_id, int32_t *seen,
                        wfsm_error *error)
{
    own_store *store = self;
    int32_t status = refresh(store, error);

    return status ? status : wfsm_store_seen(store->memory, instance, event_id, seen, error);
}

static int32_t own_inbox(void *self, const char *instance, uint64_t limit, wfsm_row_sink sink,
                         void *user, wfsm_error *error)
{
    own_store *store = self;
    int32_t status = refresh(store, error);

    return status ? status
                  : wfsm_store_inbox(store->memory, instance, limit, sink, user, error);
}

static void own_close(void *self)
{
    own_store *store = self;

    forget(store);
    own_log_close(&store->log);
    free(store);
}

static const wfsm_store_vtable vtable = {
    .size = sizeof vtable,
    .commit = own_commit,
    .head = own_head,
    .records = own_records,
    .snapshot = own_snapshot,
    .checkpoints = own_checkpoints,
    .list = own_list,
    .document = own_document,
    .seen = own_seen,
    .post = own_post,
    .inbox = own_inbox,
    .acknowledge = own_acknowledge,
    .owner_alive = own_owner_alive,
    .claim = own_claim,
    .own = own_own,
    .disown = own_disown,
    .remove = own_remove,
    .close = own_close,
};

int32_t own_store_open(wfsm_store **store, const char *folder, const wfsm_allocator *allocator,
                       wfsm_error *error)
{
    own_store *self = calloc(1, sizeof *self);
    int32_t status;

    if (!self)
        return wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
    self->allocator = allocator;
    status = own_log_open(&self->log, folder, error);
    if (!status)
        status = refresh(self, error);
    if (!status)
        status = wfsm_store_new(store, &vtable, self, allocator, error);
    if (status)
        own_close(self);
    return status;
}
