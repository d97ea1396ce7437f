/* testkit/suite.c: wfsm_testkit_store() runs all cases. */
#include "cases.h"

#include "../base/invariant.h"
#include "../base/sized.h"

#include <string.h>
#include <wfsm/pool.h>

static const tk_case *const groups[] = {
    tk_commit_cases,   tk_batch_cases,    tk_reading_cases, tk_list_cases,    tk_where_cases,
    tk_inbox_cases,    tk_owner_cases,    tk_opening_cases, tk_compact_cases, tk_changes_cases,
    tk_lapsed_cases,   tk_share_cases,    tk_since_cases,   tk_permit_cases,  tk_rate_cases,
    tk_exchange_cases, tk_workflow_cases,
};

static int32_t invalid(wfsm_error *error, const char *message)
{
    wfsm_error_set(error, WFSM_INVALID, message);
    return WFSM_INVALID;
}

static int32_t check(const wfsm_testkit_store_options *options,
                     const wfsm_testkit_counts *counts, wfsm_error *error)
{
    if (!wf_struct_fits(options, sizeof *options, sizeof *options) || !options->open)
        return invalid(error, "the options are missing, of a wrong size, or have no open");
    if (!wf_struct_can_be_given(counts))
        return invalid(error, "the counts are of a wrong size");
    return WFSM_OK;
}

static void run_case(tk_suite *suite, const tk_case *one)
{
    *suite->message = '\0';
    WF_INVARIANT(!suite->store);
    suite->store = tk_open(suite, 0);
    if (suite->store)
        one->run(suite);
    wfsm_store_free(suite->store);
    suite->store = NULL;
    if (suite->options->wipe)
        suite->options->wipe(suite->options->user);
}

static bool can_cut(tk_suite *suite)
{
    wfsm_store *store = tk_open(suite, 0);
    int32_t status = wfsm_store_anchor(store, "nobody", tk_keep, NULL, NULL);
    wfsm_store_free(store);
    return status != WFSM_DENIED;
}

static bool can_tell_changes(tk_suite *suite)
{
    wfsm_store *store = tk_open(suite, 0);
    wfsm_changes asked = {.size = sizeof asked, .session = "nobody"};
    tk_row row;
    int32_t status = wfsm_store_changes(store, &asked, tk_keep, &row, NULL);
    wfsm_store_free(store);
    return status != WFSM_DENIED;
}

static bool can_tell_lapsed(tk_suite *suite)
{
    wfsm_store *store = tk_open(suite, 0);
    tk_row row;
    int32_t status = wfsm_store_lapsed(store, 0, tk_keep, &row, NULL);
    wfsm_store_free(store);
    return status != WFSM_DENIED;
}

static bool can_share(tk_suite *suite)
{
    wfsm_store *store = tk_open(suite, 0);
    const wfsm_sharing asked = {.size = sizeof asked, .session = "nobody"};
    tk_row row;
    int32_t status = wfsm_store_share(store, &asked, tk_keep, &row, NULL);
    wfsm_store_free(store);
    return status != WFSM_DENIED;
}

static bool can_tell_commits(tk_suite *suite)
{
    wfsm_store *store = tk_open(suite, 0);
    wfsm_since asked = {.size = sizeof asked};
    tk_row row;
    int32_t status = wfsm_store_since(store, &asked, tk_keep, &row, NULL);
    wfsm_store_free(store);
    return status != WFSM_DENIED;
}

static bool can_share_limits(tk_suite *suite)
{
    wfsm_store *store = tk_open(suite, 0);
    wfsm_permit permit = {
        .size = sizeof permit, .name = "x", .kind = WFSM_POOL_GROUP, .most = 1};
    int32_t status = tk_permit(store, "nobody", 0, &permit);
    wfsm_store_free(store);
    return status != WFSM_DENIED;
}

static bool can_share_rates(tk_suite *suite)
{
    wfsm_store *store = tk_open(suite, 0);
    wfsm_rate rate = {.size = sizeof rate,
                      .name = "x",
                      .kind = WFSM_POOL_GROUP,
                      .count = 1,
                      .per_ms = 1,
                      .wanted = 1};
    int32_t status = tk_rate(store, 0, &rate);
    wfsm_store_free(store);
    return status != WFSM_DENIED;
}

static const char *why_not(tk_suite *suite, const tk_case *group, const tk_case *one)
{
    if (one->durable && !suite->options->durable)
        return "the store does not outlive its handle";
    if (group == tk_compact_cases && !can_cut(suite))
        return "the store cannot be compacted";
    if (group == tk_changes_cases && !can_tell_changes(suite))
        return "the store cannot tell what has changed";
    if (group == tk_lapsed_cases && !can_tell_lapsed(suite))
        return "the store cannot tell whose owner is gone";
    if (group == tk_share_cases && !can_share(suite))
        return "the store cannot tell who serves what";
    if (group == tk_since_cases && !can_tell_commits(suite))
        return "the store cannot tell what was committed";
    if (group == tk_permit_cases && !can_share_limits(suite))
        return "the store cannot share limits";
    if (group == tk_rate_cases && !can_share_rates(suite))
        return "the store cannot share rates";
    return NULL;
}

static wfsm_testkit_result result_of(tk_suite *suite, const tk_case *group, const tk_case *one)
{
    wfsm_testkit_result result = {.size = sizeof result, .name = one->name};
    result.message = why_not(suite, group, one);
    if (result.message) {
        result.verdict = WFSM_TESTKIT_SKIPPED;
        return result;
    }
    run_case(suite, one);
    result.verdict = *suite->message ? WFSM_TESTKIT_FAILED : WFSM_TESTKIT_PASSED;
    result.message = suite->message;
    return result;
}

static void count(wfsm_testkit_counts *counts, int32_t verdict)
{
    counts->passed += verdict == WFSM_TESTKIT_PASSED;
    counts->failed += verdict == WFSM_TESTKIT_FAILED;
    counts->skipped += verdict == WFSM_TESTKIT_SKIPPED;
}

static int32_t run_group(tk_suite *suite, const tk_case *group, wfsm_testkit_sink sink,
                         void *user, wfsm_testkit_counts *counts)
{
    int32_t status = WFSM_OK;
    for (const tk_case *one = group; one->name && !status && !suite->no_memory; one++) {
        if (suite->options->only && strcmp(suite->options->only, one->name) != 0)
            continue;
        wfsm_testkit_result result = result_of(suite, group, one);
        count(counts, result.verdict);
        if (sink && !suite->no_memory)
            status = sink(user, &result);
    }
    return suite->no_memory ? WFSM_NO_MEMORY : status;
}

static int32_t run_groups(tk_suite *suite, wfsm_testkit_sink sink, void *user,
                          wfsm_testkit_counts *counts, wfsm_error *error)
{
    int32_t status = WFSM_OK;
    for (size_t i = 0; i < sizeof groups / sizeof *groups && !status; i++)
        status = run_group(suite, groups[i], sink, user, counts);
    counts->checks = suite->checks;
    if (!status && !counts->passed && !counts->failed && !counts->skipped)
        return wfsm_error_set(error, WFSM_NOT_FOUND, "the suite has no case of this name");
    if (suite->no_memory)
        wfsm_error_set(error, WFSM_NO_MEMORY, "out of memory");
    return status;
}

int32_t wfsm_testkit_store(const wfsm_testkit_store_options *options, wfsm_testkit_sink sink,
                           void *user, wfsm_testkit_counts *counts, wfsm_error *error)
{
    tk_suite suite = {.options = options};
    wfsm_testkit_counts found = {.size = sizeof found};
    int32_t status = check(options, counts, error);
    if (status)
        return status;
    suite.error = wfsm_error_new(NULL);
    suite.no_memory = !suite.error;
    status = run_groups(&suite, sink, user, &found, error);
    wfsm_error_free(suite.error);
    wf_struct_give(counts, &found, sizeof found, sizeof counts->size);
    return status;
}
