#include "faults.h"

#include <stdlib.h>

#include "store/store.h"

static bool is_due(faults *self)
{
    self->calls++;
    return self->at > 0 && self->calls >= self->at && self->calls < self->at + self->count;
}

static int32_t failed(wfsm_error *error)
{
    return wf_fail(error, WFSM_STORE_FAILED, "the disk is on fire");
}

static const wfsm_store_vtable *real(const faults *self)
{
    return &self->inner->vtable;
}

#define REAL(self, call, ...) real(self)->call((self)->inner->self, __VA_ARGS__)

static int32_t commit(void *user, const wfsm_commit *const *commits, size_t count,
                      int32_t *answers, wfsm_error *error)
{
    faults *self = user;
    int32_t status = WFSM_OK;
    bool due = is_due(self);

    if (!due || self->kind == FAULT_LOST_AFTER)
        status = REAL(self, commit, commits, count, answers, error);
    for (size_t i = 0; due && i < count; i++)
        answers[i] = self->kind == FAULT_FAILED ? WFSM_STORE_FAILED : WFSM_STORE_UNKNOWN;
    return status;
}

static int32_t head(void *user, const char *instance, wfsm_head *out, wfsm_error *error)
{
    faults *self = user;

    return is_due(self) ? failed(error) : REAL(self, head, instance, out, error);
}

static int32_t records(void *user, const char *instance, uint64_t from, uint64_t to,
                       wfsm_row_sink sink, void *taker, wfsm_error *error)
{
    faults *self = user;

    return is_due(self) ? failed(error)
                        : REAL(self, records, instance, from, to, sink, taker, error);
}

static int32_t snapshot(void *user, const char *instance, const char *checkpoint,
                        wfsm_row_sink sink, void *taker, wfsm_error *error)
{
    faults *self = user;

    return is_due(self) ? failed(error)
                        : REAL(self, snapshot, instance, checkpoint, sink, taker, error);
}

static int32_t checkpoints(void *user, const char *instance, wfsm_row_sink sink, void *taker,
                           wfsm_error *error)
{
    faults *self = user;

    return is_due(self) ? failed(error) : REAL(self, checkpoints, instance, sink, taker, error);
}

static int32_t list(void *user, const wfsm_query *query, wfsm_row_sink sink, void *taker,
                    wfsm_error *error)
{
    faults *self = user;

    return is_due(self) ? failed(error) : REAL(self, list, query, sink, taker, error);
}

static int32_t document(void *user, const char *fingerprint, wfsm_row_sink sink, void *taker,
                        wfsm_error *error)
{
    faults *self = user;

    return is_due(self) ? failed(error) : REAL(self, document, fingerprint, sink, taker, error);
}

static int32_t seen(void *user, const char *instance, const char *event_id, int32_t *out,
                    wfsm_error *error)
{
    faults *self = user;

    return is_due(self) ? failed(error) : REAL(self, seen, instance, event_id, out, error);
}

static int32_t post(void *user, const wfsm_post *what, wfsm_error *error)
{
    faults *self = user;

    return is_due(self) ? failed(error) : REAL(self, post, what, error);
}

static int32_t inbox(void *user, const char *instance, uint64_t limit, wfsm_row_sink sink,
                     void *taker, wfsm_error *error)
{
    faults *self = user;

    return is_due(self) ? failed(error)
                        : REAL(self, inbox, instance, limit, sink, taker, error);
}

/* For these, an answer that was lost is a failure: they may be done again. */
static int32_t acknowledge(void *user, const char *instance, uint64_t effect, wfsm_error *error)
{
    faults *self = user;
    bool due = is_due(self);
    int32_t status = WFSM_OK;

    if (!due || self->kind == FAULT_LOST_AFTER)
        status = REAL(self, acknowledge, instance, effect, error);
    return due ? failed(error) : status;
}

static int32_t owner_alive(void *user, const char *owner, int64_t until, wfsm_error *error)
{
    faults *self = user;
    bool due = is_due(self);
    int32_t status = WFSM_OK;

    if (!due || self->kind == FAULT_LOST_AFTER)
        status = REAL(self, owner_alive, owner, until, error);
    return due ? failed(error) : status;
}

static int32_t claim(void *user, const char *session, int64_t mine, int64_t now, int64_t until,
                     wfsm_error *error)
{
    faults *self = user;
    bool due = is_due(self);
    int32_t status = WFSM_OK;

    if (!due || self->kind == FAULT_LOST_AFTER)
        status = REAL(self, claim, session, mine, now, until, error);
    self->denied += status == WFSM_DENIED;
    return due ? failed(error) : status;
}

static int32_t own(void *user, const char *instance, const char *owner, int64_t now,
                   wfsm_error *error)
{
    faults *self = user;
    bool due = is_due(self);
    int32_t status = WFSM_OK;

    if (!due || self->kind == FAULT_LOST_AFTER)
        status = REAL(self, own, instance, owner, now, error);
    return due ? failed(error) : status;
}

static int32_t disown(void *user, const char *instance, const char *owner, wfsm_error *error)
{
    faults *self = user;
    bool due = is_due(self);
    int32_t status = WFSM_OK;

    if (!due || self->kind == FAULT_LOST_AFTER)
        status = REAL(self, disown, instance, owner, error);
    return due ? failed(error) : status;
}

static int32_t forget(void *user, const char *instance, wfsm_error *error)
{
    faults *self = user;

    return is_due(self) ? failed(error) : REAL(self, remove, instance, error);
}

wfsm_store *faults_open(faults *self, wfsm_store *inner)
{
    static const wfsm_store_vtable vtable = {
        .size = sizeof vtable,
        .commit = commit,
        .head = head,
        .records = records,
        .snapshot = snapshot,
        .checkpoints = checkpoints,
        .list = list,
        .document = document,
        .seen = seen,
        .post = post,
        .inbox = inbox,
        .acknowledge = acknowledge,
        .owner_alive = owner_alive,
        .claim = claim,
        .own = own,
        .disown = disown,
        .remove = forget,
    };
    wfsm_store *store = NULL;

    self->inner = inner;
    wfsm_store_new(&store, &vtable, self, NULL, NULL);
    return store;
}

static bool is_short(shortage *self)
{
    self->calls++;
    return self->at > 0 && self->calls >= self->at && self->calls < self->at + self->count;
}

static void *allocate(void *user, size_t bytes)
{
    return is_short(user) ? NULL : malloc(bytes);
}

static void *resize(void *user, void *block, size_t bytes)
{
    return is_short(user) ? NULL : realloc(block, bytes);
}

static void release(void *user, void *block)
{
    (void)user;
    free(block);
}

wfsm_allocator shortage_allocator(shortage *self)
{
    return (wfsm_allocator){sizeof(wfsm_allocator), self, allocate, resize, release};
}
