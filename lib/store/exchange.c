/* store/exchange.c: everything that a session wants of a store at one time. */
#include "store/exchange.h"

#include <string.h>

#include "base/error.h"
#include "base/sized.h"

static void make_known(int32_t *answers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        answers[i] = wf_answer_known(answers[i]);
}

/* The answers that the store did not give are lost. */
static int32_t make_whole(const wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    int32_t status;

    wf_exchange_set_all(exchange, WFSM_STORE_UNKNOWN);
    status = wf_answer_known(store->vtable.exchange(store->self, exchange, error));
    exchange->lease = wf_answer_known(exchange->lease);
    exchange->inbox_answer = wf_answer_known(exchange->inbox_answer);
    make_known(exchange->commit_answers, exchange->commit_count);
    make_known(exchange->request_answers, exchange->request_count);
    make_known(exchange->post_answers, exchange->post_count);
    if (status != WFSM_OK || exchange->lease != WFSM_OK)
        wf_exchange_set_all(exchange, status != WFSM_OK ? status : exchange->lease);
    return status;
}

int32_t wf_store_exchange_all(const wfsm_store *store, wfsm_exchange *exchange,
                              wfsm_error *error)
{
    int32_t status = store->vtable.exchange ? make_whole(store, exchange, error)
                                            : wf_exchange_by_parts(store, exchange, error);

    if (status != WFSM_OK && wfsm_error_status(error) != status)
        wf_fail(error, status, "the store answered %s", wfsm_status_name(status));
    return status;
}

static int32_t exchange_whole(wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error);

/* Of an older version, which has fewer members. */
static int32_t exchange_shorter(wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    size_t size = exchange->size;
    wfsm_exchange whole = {.size = sizeof whole};
    int32_t status;

    memcpy(&whole, exchange, size);
    whole.size = sizeof whole;
    status = exchange_whole(store, &whole, error);
    whole.size = size;
    memcpy(exchange, &whole, size);
    return status;
}

int32_t wfsm_store_exchange(wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    if (exchange && exchange->size >= WF_SIZE_UP_TO(wfsm_exchange, inbox_answer) &&
        exchange->size < sizeof *exchange)
        return exchange_shorter(store, exchange, error);
    return exchange_whole(store, exchange, error);
}

static int32_t exchange_whole(wfsm_store *store, wfsm_exchange *exchange, wfsm_error *error)
{
    int32_t status = wf_store_ready(store, error);

    if (status == WFSM_OK && (!wf_struct_fits(exchange, sizeof *exchange,
                                              WF_SIZE_UP_TO(wfsm_exchange, inbox_answer)) ||
                              !wf_exchange_has_places(exchange)))
        return wf_fail(error, WFSM_INVALID, "an exchange is not complete");
    if (status == WFSM_OK)
        status = wf_exchange_check(exchange, &store->allocator, error);
    if (status != WFSM_OK) {
        if (exchange && wf_exchange_has_places(exchange))
            wf_exchange_set_all(exchange, status);
        return status;
    }
    store->reading = true;
    status = wf_store_exchange_all(store, exchange, error);
    store->reading = false;
    return status;
}

int32_t wfsm_store_commit(wfsm_store *store, const wfsm_commit *const *commits, size_t count,
                          int32_t *answers, wfsm_error *error)
{
    int32_t status = wf_store_ready(store, error);
    if (!status && count && (!commits || !answers))
        return wf_fail(error, WFSM_INVALID, "there are no commits, or no answers");
    for (size_t i = 0; i < count && !status; i++)
        status = wf_exchange_check_commit(commits[i], &store->allocator, error);
    if (status) {
        wf_answers_set(answers, answers ? count : 0, status);
        return status;
    }
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .commits = commits,
                              .commit_count = count,
                              .commit_answers = answers};
    return count ? wf_store_exchange_all(store, &exchange, error) : WFSM_OK;
}

int32_t wf_store_commit_one(wfsm_store *store, const wfsm_commit *commit, wfsm_error *error)
{
    int32_t answer = WFSM_STORE_UNKNOWN;
    int32_t status = wfsm_store_commit(store, &commit, 1, &answer, error);
    return status ? status : answer;
}
