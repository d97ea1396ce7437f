/* testkit/batch_cases.c: several commits in one call. */
#include "cases.h"

enum { MOST = 6 };

/* Commits the list as one batch and checks each answer. */
static void commit_batch(tk_suite *suite, const wfsm_commit *list, const int32_t *wanted,
                         size_t count)
{
    const wfsm_commit *batch[MOST] = {NULL};
    int32_t answers[MOST];
    for (size_t i = 0; i < count; i++)
        batch[i] = &list[i];
    tk_status(suite, "a batch", WFSM_OK,
              wfsm_store_commit(suite->store, batch, count, answers, NULL));
    for (size_t i = 0; i < count; i++)
        tk_holds(suite, answers[i] == wanted[i],
                 "answer %zu of a batch, for revision %d of %s: expected %s, got %s", i + 1,
                 (int)list[i].base + 1, list[i].instance, wfsm_status_name(wanted[i]),
                 wfsm_status_name(answers[i]));
}

static void a_batch_may_hold_revisions_in_a_row(tk_suite *suite)
{
    const wfsm_commit list[] = {tk_commit_of("a", 0), tk_commit_of("a", 1),
                                tk_commit_of("a", 2)};
    const int32_t wanted[] = {WFSM_OK, WFSM_OK, WFSM_OK};
    commit_batch(suite, list, wanted, 3);
    tk_number(suite, "head.revision after three commits", 3, tk_head_of(suite, "a").revision);
}

static void a_refusal_refuses_the_rest_of_its_instance_only(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    tk_start(suite, suite->store, "b", 1);
    const wfsm_commit list[MOST] = {tk_commit_of("a", 1), tk_commit_of("b", 7),
                                    tk_commit_of("b", 1), tk_commit_of("a", 2),
                                    tk_commit_of("c", 0), tk_commit_of("b", 2)};
    const int32_t wanted[MOST] = {WFSM_OK, WFSM_CONFLICT, WFSM_CONFLICT,
                                  WFSM_OK, WFSM_OK,       WFSM_CONFLICT};
    commit_batch(suite, list, wanted, MOST);
    tk_number(suite, "head.revision of a", 3, tk_head_of(suite, "a").revision);
    tk_number(suite, "head.revision of b, which was refused", 1,
              tk_head_of(suite, "b").revision);
    tk_number(suite, "head.revision of c", 1, tk_head_of(suite, "c").revision);
}

/* The head shows the last commit that was accepted. */
static void a_row_may_break_off(tk_suite *suite)
{
    const wfsm_commit list[MOST] = {tk_commit_of("a", 0), tk_commit_of("a", 1),
                                    tk_commit_of("a", 5), tk_commit_of("b", 0),
                                    tk_commit_of("a", 2), tk_commit_of("b", 1)};
    const int32_t wanted[MOST] = {WFSM_OK, WFSM_OK,       WFSM_CONFLICT,
                                  WFSM_OK, WFSM_CONFLICT, WFSM_OK};
    commit_batch(suite, list, wanted, MOST);
    tk_number(suite, "head.revision of a, of which two were refused", 2,
              tk_head_of(suite, "a").revision);
    tk_number(suite, "head.revision of b", 2, tk_head_of(suite, "b").revision);
    wfsm_commit commit = tk_commit_of("a", 2);
    tk_commit(suite, "a commit after a row that broke off", suite->store, &commit, WFSM_OK);
}

static void a_batch_of_refusals_changes_nothing(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    tk_text before = tk_dump_of(suite, suite->store);
    const wfsm_commit list[] = {tk_commit_of("a", 0), tk_commit_of("b", 1)};
    const int32_t wanted[] = {WFSM_EXISTS, WFSM_NOT_FOUND};
    commit_batch(suite, list, wanted, 2);
    tk_same(suite, "after a batch of refusals", suite->store, &before);
    wfsm_commit commit = tk_commit_of("a", 1);
    tk_commit(suite, "a commit after a batch of refusals", suite->store, &commit, WFSM_OK);
}

static void an_event_id_counts_within_its_batch(tk_suite *suite)
{
    wfsm_commit list[] = {tk_commit_of("a", 0), tk_commit_of("a", 1), tk_commit_of("b", 0)};
    const int32_t wanted[] = {WFSM_OK, WFSM_EXISTS, WFSM_OK};
    for (int i = 0; i < 3; i++)
        list[i].event_id = "e";
    commit_batch(suite, list, wanted, 3);
    tk_number(suite, "head.revision of a", 1, tk_head_of(suite, "a").revision);
}

const tk_case tk_batch_cases[] = {
    {"a_batch_may_hold_revisions_in_a_row", a_batch_may_hold_revisions_in_a_row, false},
    {"a_row_may_break_off", a_row_may_break_off, false},
    {"a_refusal_refuses_the_rest_of_its_instance_only",
     a_refusal_refuses_the_rest_of_its_instance_only, false},
    {"a_batch_of_refusals_changes_nothing", a_batch_of_refusals_changes_nothing, false},
    {"an_event_id_counts_within_its_batch", an_event_id_counts_within_its_batch, false},
    {NULL, NULL, false},
};
