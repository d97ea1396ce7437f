/* A store whose vtable has `exchange`, and none of the calls that `exchange` can stand for, passes what
 * every store must. */
#include "store/conformance.h"

#include <unity.h>
#include <wfsm/wfsm.h>

/* The suite needs no Unity; what else this folder's tests share does. */
void setUp(void)
{
}

void tearDown(void)
{
}

static int32_t head(void *self, const char *instance, wfsm_head *found, wfsm_error *error)
{
    return wfsm_store_head(self, instance, found, error);
}

static int32_t records(void *self, const char *instance, uint64_t from, uint64_t to,
                       wfsm_row_sink sink, void *user, wfsm_error *error)
{
    return wfsm_store_records(self, instance, from, to, sink, user, error);
}

static int32_t snapshot(void *self, const char *instance, const char *checkpoint,
                        wfsm_row_sink sink, void *user, wfsm_error *error)
{
    return wfsm_store_snapshot(self, instance, checkpoint, sink, user, error);
}

static int32_t checkpoints(void *self, const char *instance, wfsm_row_sink sink, void *user,
                           wfsm_error *error)
{
    return wfsm_store_checkpoints(self, instance, sink, user, error);
}

static int32_t list(void *self, const wfsm_query *query, wfsm_row_sink sink, void *user,
                    wfsm_error *error)
{
    return wfsm_store_list(self, query, sink, user, error);
}

static int32_t document(void *self, const char *fingerprint, wfsm_row_sink sink, void *user,
                        wfsm_error *error)
{
    return wfsm_store_document(self, fingerprint, sink, user, error);
}

static int32_t seen(void *self, const char *instance, const char *event_id, int32_t *found,
                    wfsm_error *error)
{
    return wfsm_store_seen(self, instance, event_id, found, error);
}

static int32_t inbox(void *self, const char *instance, uint64_t limit, wfsm_row_sink sink,
                     void *user, wfsm_error *error)
{
    return wfsm_store_inbox(self, instance, limit, sink, user, error);
}

static int32_t owner_alive(void *self, const char *owner, int64_t until, wfsm_error *error)
{
    return wfsm_store_owner_alive(self, owner, until, error);
}

static int32_t claim(void *self, const char *session, int64_t mine, int64_t now, int64_t until,
                     wfsm_error *error)
{
    return wfsm_store_claim(self, session, mine, now, until, error);
}

static int32_t forget(void *self, const char *instance, wfsm_error *error)
{
    return wfsm_store_remove(self, instance, error);
}

static int32_t cut(void *self, const char *instance, uint64_t revision, const char *state,
                   size_t length, wfsm_error *error)
{
    return wfsm_store_cut(self, instance, revision, state, length, error);
}

static int32_t anchor(void *self, const char *instance, wfsm_row_sink sink, void *user,
                      wfsm_error *error)
{
    return wfsm_store_anchor(self, instance, sink, user, error);
}

static int32_t lapsed(void *self, int64_t now, wfsm_row_sink sink, void *user,
                      wfsm_error *error)
{
    return wfsm_store_lapsed(self, now, sink, user, error);
}

static int32_t exchange(void *self, wfsm_exchange *all, wfsm_error *error)
{
    return wfsm_store_exchange(self, all, error);
}

static void close_inner(void *self)
{
    wfsm_store_free(self);
}

static const wfsm_store_vtable vtable = {.size = sizeof vtable,
                                         .head = head,
                                         .records = records,
                                         .snapshot = snapshot,
                                         .checkpoints = checkpoints,
                                         .list = list,
                                         .document = document,
                                         .seen = seen,
                                         .inbox = inbox,
                                         .owner_alive = owner_alive,
                                         .claim = claim,
                                         .remove = forget,
                                         .close = close_inner,
                                         .cut = cut,
                                         .anchor = anchor,
                                         .exchange = exchange,
                                         .lapsed = lapsed};

static int32_t open_whole(void *user, int32_t which, wfsm_store **store, wfsm_error *error)
{
    wfsm_store *inner = NULL;
    int32_t status = wfsm_memory_open(&inner, NULL, error);

    (void)user, (void)which;
    return status ? status : wfsm_store_new(store, &vtable, inner, NULL, error);
}

int main(void)
{
    const wfsm_testkit_store_options whole = {.size = sizeof whole, .open = open_whole};

    return conformance_run(&whole, 77);
}
