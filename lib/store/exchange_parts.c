/* store/exchange_parts.c: an exchange with a store that makes its parts one by one. */
#include "store/exchange.h"

#include "base/error.h"

/* Rows of one instance on their way to the sink of the exchange. */
typedef struct relay {
    const wfsm_exchange *exchange;
    int32_t part;
    uint64_t revision; /* of the snapshot */
} relay;

static int32_t pass(void *user, const wfsm_row *given)
{
    relay *self = user;
    wfsm_row row = *given;

    row.part = self->part;
    if (self->part == WFSM_ROW_SNAPSHOT)
        self->revision = row.revision;
    return self->exchange->sink(self->exchange->user, &row);
}

/* A store that cannot show one moment may have been written to while the rows were read. */
static int32_t check_still(const wfsm_store *store, const char *instance, uint64_t revision,
                           wfsm_error *error)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status = store->vtable.head(store->self, instance, &head, error);

    if (status != WFSM_OK || head.revision == revision)
        return status;
    return wf_fail(error, WFSM_STORE_FAILED, "instance \"%s\" has changed while it was read",
                   instance);
}

static bool shows_one_moment(const wfsm_store *store)
{
    return store->vtable.view || store->vtable.transaction;
}

static int32_t hand_out(const wfsm_store *store, const wfsm_exchange *exchange,
                        const wfsm_request *request, wfsm_error *error)
{
    const wfsm_store_vtable *call = &store->vtable;
    wfsm_head head = {.size = sizeof head};
    wfsm_row row = {.size = sizeof row, .head = &head, .part = WFSM_ROW_HEAD};
    relay self = {exchange, WFSM_ROW_SNAPSHOT, 0};
    int32_t status = call->head(store->self, request->instance, &head, error);
    uint64_t last = head.revision;

    if (status == WFSM_OK)
        status = exchange->sink(exchange->user, &row);
    if (status != WFSM_OK || request->kind == WFSM_REQUEST_LOOK)
        return status;
    status = call->snapshot(store->self, request->instance, NULL, pass, &self, error);
    if (status == WFSM_NOT_FOUND) /* of such an instance all records are rows */
        status = WFSM_OK;
    self.part = WFSM_ROW_RECORD;
    if (status == WFSM_OK && self.revision < last)
        status = call->records(store->self, request->instance, self.revision + 1, last, pass,
                               &self, error);
    if (status != WFSM_OK || shows_one_moment(store))
        return status;
    return check_still(store, request->instance, last, error);
}

/* The call has refused, and has written nothing. After anything else a transaction cannot continue. */
static bool is_refusal(int32_t answer)
{
    return answer == WFSM_DENIED || answer == WFSM_CONFLICT || answer == WFSM_EXISTS ||
           answer == WFSM_NOT_FOUND || answer == WFSM_LIMIT || answer == WFSM_CORRUPT;
}

static bool breaks(const wfsm_store *store, int32_t answer)
{
    return store->vtable.transaction && answer != WFSM_OK && !is_refusal(answer);
}

static int32_t count_post(void *user, const wfsm_row *row)
{
    (void)row;
    ++*(size_t *)user;
    return WFSM_OK;
}

/* Posts that wait are the owner's to take. */
static int32_t give_up_without_posts(const wfsm_store *store, const wfsm_exchange *exchange,
                                     const char *instance, wfsm_error *error)
{
    size_t posts = 0;
    int32_t status = store->vtable.inbox(store->self, instance, 1, count_post, &posts, error);

    if (status != WFSM_OK || posts > 0)
        return status;
    return store->vtable.disown(store->self, instance, exchange->session, error);
}

/* The acknowledgement counts, whether the instance can be given up or not. */
static int32_t acknowledge(const wfsm_store *store, const wfsm_exchange *exchange,
                           const wfsm_request *request, wfsm_error *error)
{
    int32_t left, status = store->vtable.acknowledge(store->self, request->instance,
                                                     request->number, error);

    if (status != WFSM_OK || !request->gives_up)
        return status;
    left = give_up_without_posts(store, exchange, request->instance, error);
    return breaks(store, left) ? left : WFSM_OK;
}

static int32_t carry_out(const wfsm_store *store, const wfsm_exchange *exchange,
                         const wfsm_request *request, wfsm_error *error)
{
    const wfsm_store_vtable *call = &store->vtable;

    switch (request->kind) {
    case WFSM_REQUEST_ACKNOWLEDGE:
        return acknowledge(store, exchange, request, error);
    case WFSM_REQUEST_GIVE_UP:
        return call->disown(store->self, request->instance, exchange->session, error);
    case WFSM_REQUEST_TAKE:
        return call->own(store->self, request->instance, exchange->session, exchange->now,
                         error);
    default:
        return WFSM_OK;
    }
}

static int32_t renew(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    if (exchange->mine == exchange->until)
        return WFSM_OK;
    return wf_answer_known(store->vtable.claim(store->self, exchange->session, exchange->mine,
                                               exchange->now, exchange->until, error));
}

static bool all_ok(const int32_t *answers, size_t count)
{
    size_t i = 0;

    while (i < count && answers[i] == WFSM_OK)
        i++;
    return i == count;
}

static int32_t request_all(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    for (size_t i = 0; i < exchange->request_count; i++) {
        int32_t answer =
            wf_answer_known(carry_out(store, exchange, exchange->requests[i], error));

        exchange->request_answers[i] = answer;
        if (breaks(store, answer))
            return answer;
        if (answer != WFSM_OK)
            error = NULL;
    }
    return WFSM_OK;
}

static int32_t hand_out_all(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    for (size_t i = 0; i < exchange->request_count; i++) {
        int32_t *answer = &exchange->request_answers[i];

        if (*answer == WFSM_OK && wf_request_hands_out(exchange->requests[i]->kind))
            *answer = wf_answer_known(hand_out(store, exchange, exchange->requests[i], error));
        if (breaks(store, *answer))
            return *answer;
        if (*answer != WFSM_OK)
            error = NULL;
    }
    return WFSM_OK;
}

/* A refused acknowledgement has no answer of its own. If its instance is gone, or belongs to another
 * session, the commit is refused, too. */
static int32_t acknowledge_all(const wfsm_store *store, wfsm_exchange *exchange,
                               wfsm_error *error)
{
    for (size_t i = 0; i < exchange->commit_count; i++) {
        const wfsm_commit *commit = exchange->commits[i];
        int32_t status = WFSM_OK;

        if (commit->acknowledged > 0)
            status = store->vtable.acknowledge(store->self, commit->instance,
                                               commit->acknowledged, error);
        if (status != WFSM_OK && !is_refusal(status))
            return status;
    }
    return WFSM_OK;
}

static int32_t commit_all(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    int32_t status = acknowledge_all(store, exchange, error);

    if (status == WFSM_OK && exchange->commit_count > 0)
        status = wf_answer_known(store->vtable.commit(store->self, exchange->commits,
                                                      exchange->commit_count,
                                                      exchange->commit_answers, error));
    if (status != WFSM_OK)
        wf_answers_set(exchange->commit_answers, exchange->commit_count, status);
    for (size_t i = 0; i < exchange->commit_count; i++)
        exchange->commit_answers[i] = wf_answer_known(exchange->commit_answers[i]);
    return status;
}

static int32_t post_all(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    for (size_t i = 0; i < exchange->post_count; i++) {
        int32_t answer =
            wf_answer_known(store->vtable.post(store->self, exchange->posts[i], error));

        exchange->post_answers[i] = answer;
        if (breaks(store, answer))
            return answer;
        if (answer != WFSM_OK)
            error = NULL;
    }
    return WFSM_OK;
}

static int32_t pass_post(void *user, const wfsm_row *given)
{
    const wfsm_exchange *exchange = user;
    wfsm_row row = *given;

    row.part = WFSM_ROW_POST;
    return exchange->sink(exchange->user, &row);
}

/* A store that cannot tell whether something has changed counts as changed with every sign of life. */
static int32_t read_all_posts(const wfsm_store *store, wfsm_exchange *exchange,
                              wfsm_error *error)
{
    exchange->changes = (uint64_t)exchange->until;
    return store->vtable.inbox(store->self, NULL, 0, pass_post, exchange, error);
}

static int32_t read_changes(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    wfsm_changes asked = {
        .size = sizeof asked, .session = exchange->session, .after = exchange->after};
    int32_t status = WFSM_DENIED;

    if (!exchange->inbox)
        return WFSM_OK;
    if (store->vtable.changes)
        status = store->vtable.changes(store->self, &asked, pass_post, exchange, error);
    exchange->changes = asked.changes;
    return status == WFSM_DENIED ? read_all_posts(store, exchange, error) : status;
}

static int32_t pass_owned(void *user, const wfsm_row *given)
{
    const wfsm_exchange *exchange = user;
    wfsm_row row = *given;

    row.part = WFSM_ROW_OWNED;
    return exchange->sink(exchange->user, &row);
}

static int32_t read_owned(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    const wfsm_query query = {.size = sizeof query, .owner = exchange->session};

    return store->vtable.list(store->self, &query, pass_owned, exchange, error);
}

static void read_news(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    int32_t status = read_changes(store, exchange, error);

    exchange->more = status == WFSM_LIMIT;
    exchange->inbox_answer = exchange->more ? WFSM_OK : status;
    if (exchange->inbox_answer == WFSM_OK && exchange->inbox &&
        exchange->changes != exchange->known)
        exchange->inbox_answer = read_owned(store, exchange, error);
}

/* Of several refusals, the error describes the first. */
static int32_t write_all(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    int32_t status = request_all(store, exchange, error);

    if (!all_ok(exchange->request_answers, exchange->request_count))
        error = NULL;
    if (status == WFSM_OK)
        status = commit_all(store, exchange, error);
    if (!all_ok(exchange->commit_answers, exchange->commit_count))
        error = NULL;
    if (status == WFSM_OK)
        status = post_all(store, exchange, error);
    return status == WFSM_OK ? hand_out_all(store, exchange, error) : status;
}

static int32_t permit_all(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    int32_t status;

    if (exchange->permit_count == 0)
        return WFSM_OK;
    status = store->vtable.permits
                 ? store->vtable.permits(store->self, exchange->session, exchange->now,
                                         exchange->permits, exchange->permit_count, error)
                 : wf_fail(error, WFSM_DENIED, "this store cannot share limits");
    if (status != WFSM_OK)
        wf_exchange_set_all(exchange, status);
    return status;
}

static int32_t rate_all(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    int32_t status;

    if (exchange->rate_count == 0)
        return WFSM_OK;
    status = store->vtable.rates
                 ? store->vtable.rates(store->self, exchange->now, exchange->rates,
                                       exchange->rate_count, error)
                 : wf_fail(error, WFSM_DENIED, "this store cannot share rates");
    if (status != WFSM_OK)
        wf_exchange_set_all(exchange, status);
    return status;
}

/* Everything in one transaction, if the store has them. */
static int32_t make(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    int32_t status = renew(store, exchange, error);

    wf_exchange_set_all(exchange, status != WFSM_OK ? status : WFSM_STORE_UNKNOWN);
    exchange->lease = status;
    if (status != WFSM_OK)
        return status;
    status = permit_all(store, exchange, error);
    if (status == WFSM_OK)
        status = rate_all(store, exchange, error);
    if (status == WFSM_OK)
        status = write_all(store, exchange, error);
    if (status == WFSM_OK)
        read_news(store, exchange, error);
    if (status == WFSM_OK && breaks(store, exchange->inbox_answer))
        status = exchange->inbox_answer;
    return status;
}

static bool writes(const wfsm_exchange *exchange)
{
    bool found = exchange->mine != exchange->until || exchange->commit_count > 0 ||
                 exchange->post_count > 0 || exchange->permit_count > 0 ||
                 exchange->rate_count > 0;

    for (size_t i = 0; i < exchange->request_count && !found; i++)
        found = exchange->requests[i]->kind < WFSM_REQUEST_LOOK;
    return found;
}

static int32_t make_joined(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    int32_t (*step)(void *, int32_t, wfsm_error *) = store->vtable.transaction;
    int32_t status = step(store->self, WFSM_BEGIN, error);

    if (status != WFSM_OK) {
        wf_exchange_set_all(exchange, status);
        return status;
    }
    status = make(store, exchange, error);
    if (status != WFSM_OK)
        step(store->self, WFSM_ROLLBACK, NULL);
    else
        status = wf_answer_known(step(store->self, WFSM_COMMIT, error));
    if (status != WFSM_OK && exchange->lease == WFSM_OK)
        wf_exchange_set_all(exchange, status);
    return status;
}

static bool loads(const wfsm_exchange *exchange)
{
    bool found = false;

    for (size_t i = 0; i < exchange->request_count && !found; i++)
        found = exchange->requests[i]->kind == WFSM_REQUEST_LOAD;
    return found;
}

/* All rows are of one moment, if the store can do that. */
static int32_t make_viewed(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    int32_t status = store->vtable.view(store->self, 1, error);

    if (status != WFSM_OK) {
        wf_exchange_set_all(exchange, status);
        return status;
    }
    status = make(store, exchange, error);
    store->vtable.view(store->self, 0, NULL);
    return status;
}

static int32_t make_as_one(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    if (writes(exchange))
        return store->vtable.transaction ? make_joined(store, exchange, error)
                                         : make(store, exchange, error);
    return store->vtable.view && loads(exchange) ? make_viewed(store, exchange, error)
                                                 : make(store, exchange, error);
}

int32_t wf_exchange_by_parts(const wfsm_store *store, wfsm_exchange *exchange,
                             wfsm_error *error)
{
    int32_t status = make_as_one(store, exchange, error);

    return status == exchange->lease && is_refusal(status) ? WFSM_OK : status;
}
