#include "store/wrapper.h"

#define INNER (((wrapper *)self)->inner)

static int32_t head(void *self, const char *instance, wfsm_head *found, wfsm_error *error)
{
    return wfsm_store_head(INNER, instance, found, error);
}

static int32_t records(void *self, const char *instance, uint64_t from, uint64_t to,
                       wfsm_row_sink sink, void *user, wfsm_error *error)
{
    return wfsm_store_records(INNER, instance, from, to, sink, user, error);
}

static int32_t snapshot(void *self, const char *instance, const char *checkpoint,
                        wfsm_row_sink sink, void *user, wfsm_error *error)
{
    return wfsm_store_snapshot(INNER, instance, checkpoint, sink, user, error);
}

static int32_t checkpoints(void *self, const char *instance, wfsm_row_sink sink, void *user,
                           wfsm_error *error)
{
    return wfsm_store_checkpoints(INNER, instance, sink, user, error);
}

static int32_t list(void *self, const wfsm_query *query, wfsm_row_sink sink, void *user,
                    wfsm_error *error)
{
    return wfsm_store_list(INNER, query, sink, user, error);
}

static int32_t document(void *self, const char *fingerprint, wfsm_row_sink sink, void *user,
                        wfsm_error *error)
{
    return wfsm_store_document(INNER, fingerprint, sink, user, error);
}

static int32_t seen(void *self, const char *instance, const char *event_id, int32_t *found,
                    wfsm_error *error)
{
    return wfsm_store_seen(INNER, instance, event_id, found, error);
}

static int32_t inbox(void *self, const char *instance, uint64_t limit, wfsm_row_sink sink,
                     void *user, wfsm_error *error)
{
    return wfsm_store_inbox(INNER, instance, limit, sink, user, error);
}

static int32_t owner_alive(void *self, const char *owner, int64_t until, wfsm_error *error)
{
    return wfsm_store_owner_alive(INNER, owner, until, error);
}

static int32_t claim(void *self, const char *session, int64_t mine, int64_t now, int64_t until,
                     wfsm_error *error)
{
    return wfsm_store_claim(INNER, session, mine, now, until, error);
}

static int32_t forget(void *self, const char *instance, wfsm_error *error)
{
    return wfsm_store_remove(INNER, instance, error);
}

static int32_t cut(void *self, const char *instance, uint64_t revision, const char *state,
                   size_t length, wfsm_error *error)
{
    return wfsm_store_cut(INNER, instance, revision, state, length, error);
}

static int32_t anchor(void *self, const char *instance, wfsm_row_sink sink, void *user,
                      wfsm_error *error)
{
    return wfsm_store_anchor(INNER, instance, sink, user, error);
}

static int32_t lapsed(void *self, int64_t now, wfsm_row_sink sink, void *user,
                      wfsm_error *error)
{
    return wfsm_store_lapsed(INNER, now, sink, user, error);
}

static int32_t share(void *self, const wfsm_sharing *asked, wfsm_row_sink sink, void *user,
                     wfsm_error *error)
{
    return wfsm_store_share(INNER, asked, sink, user, error);
}

static int32_t since(void *self, wfsm_since *asked, wfsm_row_sink sink, void *user,
                     wfsm_error *error)
{
    return wfsm_store_since(INNER, asked, sink, user, error);
}

static int32_t exchange(void *self, wfsm_exchange *all, wfsm_error *error)
{
    return wfsm_store_exchange(INNER, all, error);
}

static void close_inner(void *self)
{
    wfsm_store_free(INNER);
}

wfsm_store_vtable wrapper_vtable(void)
{
    return (wfsm_store_vtable){.size = sizeof(wfsm_store_vtable),
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
                               .lapsed = lapsed,
                               .share = share,
                               .since = since};
}
