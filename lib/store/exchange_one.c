/* store/exchange_one.c: single calls. With a store whose vtable has `exchange`, each is an exchange of
 * one. */
#include "store/exchange.h"

#include "base/error.h"

int32_t wf_store_put_post(const wfsm_store *store, const wfsm_post *post, wfsm_error *error)
{
    int32_t answer = WFSM_STORE_UNKNOWN;
    wfsm_exchange exchange = {
        .size = sizeof exchange, .posts = &post, .post_count = 1, .post_answers = &answer};

    if (!store->vtable.exchange)
        return store->vtable.post(store->self, post, error);
    wf_store_exchange_all(store, &exchange, error);
    return answer;
}

static int32_t drop_row(void *user, const wfsm_row *row)
{
    (void)user, (void)row;
    return WFSM_OK;
}

static int32_t ask(const wfsm_store *store, const char *session, int64_t now,
                   const wfsm_request *request, wfsm_error *error)
{
    int32_t answer = WFSM_STORE_UNKNOWN;
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = session,
                              .now = now,
                              .requests = &request,
                              .request_count = 1,
                              .request_answers = &answer,
                              .sink = drop_row};

    wf_store_exchange_all(store, &exchange, error);
    return answer;
}

int32_t wf_store_raise_mark(const wfsm_store *store, const char *instance, uint64_t effect,
                            wfsm_error *error)
{
    const wfsm_request request = {.size = sizeof request,
                                  .kind = WFSM_REQUEST_ACKNOWLEDGE,
                                  .instance = instance,
                                  .number = effect};

    if (!store->vtable.exchange)
        return store->vtable.acknowledge(store->self, instance, effect, error);
    return ask(store, NULL, 0, &request, error);
}

int32_t wf_store_take(const wfsm_store *store, const char *instance, const char *owner,
                      int64_t now, wfsm_error *error)
{
    const wfsm_request request = {
        .size = sizeof request, .kind = WFSM_REQUEST_TAKE, .instance = instance};

    if (!store->vtable.exchange)
        return store->vtable.own(store->self, instance, owner, now, error);
    return ask(store, owner, now, &request, error);
}

int32_t wf_store_give_up(const wfsm_store *store, const char *instance, const char *owner,
                         wfsm_error *error)
{
    const wfsm_request request = {
        .size = sizeof request, .kind = WFSM_REQUEST_GIVE_UP, .instance = instance};

    if (!store->vtable.exchange)
        return store->vtable.disown(store->self, instance, owner, error);
    return ask(store, owner, 0, &request, error);
}

typedef struct relay {
    wfsm_row_sink sink;
    void *user;
} relay;

static int32_t pass_post(void *user, const wfsm_row *row)
{
    const relay *self = user;

    return row->part == WFSM_ROW_POST ? self->sink(self->user, row) : WFSM_OK;
}

static int32_t look_by_exchange(const wfsm_store *store, wfsm_changes *asked,
                                wfsm_row_sink sink, void *user, wfsm_error *error)
{
    relay self = {sink, user};
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = asked->session,
                              .inbox = 1,
                              .after = asked->after,
                              .sink = pass_post,
                              .user = &self};
    int32_t status = wf_store_exchange_all(store, &exchange, error);

    asked->changes = exchange.changes;
    if (status == WFSM_OK && exchange.more)
        return WFSM_LIMIT;
    return status != WFSM_OK ? status : exchange.inbox_answer;
}

int32_t wf_store_look(const wfsm_store *store, wfsm_changes *asked, wfsm_row_sink sink,
                      void *user, wfsm_error *error)
{
    if (store->vtable.exchange)
        return look_by_exchange(store, asked, sink, user, error);
    if (store->vtable.changes)
        return store->vtable.changes(store->self, asked, sink, user, error);
    return wf_fail(error, WFSM_DENIED, "this store cannot tell what has changed");
}
