/* store/exchange_check.c: the arguments of an exchange. */
#include "store/exchange.h"

#include "base/error.h"
#include "base/sized.h"
#include "store/record.h"

static int32_t check_checkpoint(const wfsm_commit *commit, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    if (commit->checkpoint)
        status = wf_store_check_id(commit->checkpoint, "the id of a checkpoint", error);
    if (!status && commit->checkpoint_deleted)
        status = wf_store_check_id(commit->checkpoint_deleted, "the id of a checkpoint", error);
    if (status)
        return status;
    if (commit->checkpoint && !commit->checkpoint_snapshot)
        return wf_fail(error, WFSM_INVALID, "a checkpoint has no snapshot");
    if (commit->checkpoint && commit->checkpoint_deleted)
        return wf_fail(error, WFSM_INVALID,
                       "a commit makes a checkpoint or deletes one, not both");
    return WFSM_OK;
}

int32_t wf_exchange_check_commit(const wfsm_commit *commit, const wfsm_allocator *allocator,
                                 wfsm_error *error)
{
    if (!wf_struct_fits(commit, sizeof *commit, WF_SIZE_UP_TO(wfsm_commit, attributes)) ||
        !commit->record || !commit->owner || !commit->token || !commit->tags ||
        commit->base == UINT64_MAX)
        return wf_fail(error, WFSM_INVALID, "a commit is not complete");
    int32_t status = wf_store_check_id(commit->instance, "the id of an instance", error);
    if (!status && commit->event_id)
        status = wf_store_check_id(commit->event_id, "the id of an event", error);
    if (!status)
        status = check_checkpoint(commit, error);
    if (!status)
        status = wf_store_check_id(commit->machine, "the id of a machine", error);
    if (!status)
        status = wf_store_check_id(commit->fingerprint, "a fingerprint", error);
    return status ? status : wf_attributes_check(commit->attributes, allocator, error);
}

static int32_t check_request(const wfsm_request *request, wfsm_error *error)
{
    if (!wf_struct_fits(request, sizeof *request, WF_SIZE_UP_TO(wfsm_request, gives_up)) ||
        request->kind < WFSM_REQUEST_ACKNOWLEDGE || request->kind > WFSM_REQUEST_LOAD)
        return wf_fail(error, WFSM_INVALID, "a request is not complete");
    return wf_store_check_id(request->instance, "the id of an instance", error);
}

static int32_t check_post(const wfsm_post *post, wfsm_error *error)
{
    if (!wf_struct_fits(post, sizeof *post, WF_SIZE_UP_TO(wfsm_post, sender)) || !post->name ||
        !post->data)
        return wf_fail(error, WFSM_INVALID, "a post is not complete");
    return wf_store_check_id(post->instance, "the id of an instance", error);
}

bool wf_exchange_has_places(const wfsm_exchange *exchange)
{
    return (!exchange->commit_count || (exchange->commits && exchange->commit_answers)) &&
           (!exchange->request_count || (exchange->requests && exchange->request_answers)) &&
           (!exchange->post_count || (exchange->posts && exchange->post_answers)) &&
           (!exchange->permit_count || exchange->permits) &&
           (!exchange->rate_count || exchange->rates);
}

/* Whether something is asked that only a session can ask. */
static bool needs_session(const wfsm_exchange *exchange)
{
    bool needs = exchange->mine != exchange->until || exchange->inbox || exchange->permit_count;

    for (size_t i = 0; i < exchange->request_count && !needs; i++)
        needs = exchange->requests[i]->kind == WFSM_REQUEST_GIVE_UP ||
                exchange->requests[i]->kind == WFSM_REQUEST_TAKE;
    return needs;
}

static bool needs_sink(const wfsm_exchange *exchange)
{
    bool needs = exchange->inbox;

    for (size_t i = 0; i < exchange->request_count && !needs; i++)
        needs = wf_request_hands_out(exchange->requests[i]->kind);
    return needs;
}

static int32_t check_permit(const wfsm_permit *permit, wfsm_error *error)
{
    if (!permit || !wf_struct_fits(permit, sizeof *permit, sizeof *permit) || permit->kind < 0)
        return wf_fail(error, WFSM_INVALID, "what is wanted of a shared limit is not complete");
    return wf_store_check_id(permit->name, "the name of a limit", error);
}

static bool is_number(int64_t value)
{
    return value >= 1 && value <= INT32_MAX;
}

static int32_t check_rate(const wfsm_rate *rate, wfsm_error *error)
{
    if (!rate || !wf_struct_fits(rate, sizeof *rate, sizeof *rate) || rate->kind < 0 ||
        !is_number(rate->count) || !is_number(rate->per_ms) || rate->wanted == 0)
        return wf_fail(error, WFSM_INVALID, "what is wanted of a shared rate is not complete");
    return wf_store_check_id(rate->name, "the name of a rate", error);
}

static int32_t check_parts(const wfsm_exchange *exchange, const wfsm_allocator *allocator,
                           wfsm_error *error)
{
    int32_t status = WFSM_OK;

    for (size_t i = 0; i < exchange->commit_count && status == WFSM_OK; i++)
        status = wf_exchange_check_commit(exchange->commits[i], allocator, error);
    for (size_t i = 0; i < exchange->request_count && status == WFSM_OK; i++)
        status = check_request(exchange->requests[i], error);
    for (size_t i = 0; i < exchange->post_count && status == WFSM_OK; i++)
        status = check_post(exchange->posts[i], error);
    for (size_t i = 0; i < exchange->permit_count && status == WFSM_OK; i++)
        status = check_permit(exchange->permits[i], error);
    for (size_t i = 0; i < exchange->rate_count && status == WFSM_OK; i++)
        status = check_rate(exchange->rates[i], error);
    return status;
}

int32_t wf_exchange_check(const wfsm_exchange *exchange, const wfsm_allocator *allocator,
                          wfsm_error *error)
{
    int32_t status = check_parts(exchange, allocator, error);

    if (status == WFSM_OK && needs_session(exchange))
        status = wf_store_check_id(exchange->session, "the name of a session", error);
    if (status == WFSM_OK && (exchange->now < 0 || exchange->mine < 0 || exchange->until < 0))
        status = wf_fail(error, WFSM_INVALID, "a time must not be negative");
    if (status == WFSM_OK && needs_sink(exchange) && !exchange->sink)
        status = wf_fail(error, WFSM_INVALID, "there is no function that takes the rows");
    return status;
}
