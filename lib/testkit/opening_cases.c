/* testkit/opening_cases.c: two stores, two handles, and a store that was closed and opened
 * again. */
#include "cases.h"

static void two_stores_see_nothing_of_each_other(tk_suite *suite)
{
    tk_row seen = {0};
    tk_start(suite, suite->store, "a", 2);
    wfsm_store *other = tk_open(suite, 1);
    tk_status(suite, "listing another store", WFSM_OK,
              wfsm_store_list(other, NULL, tk_keep, &seen, NULL));
    tk_number(suite, "instances of another store", 0, seen.count);
    tk_start(suite, other, "a", 1);
    tk_number(suite, "head.revision, after a commit to another store", 2,
              tk_head_of(suite, "a").revision);
    wfsm_store_free(other);
}

static void what_was_committed_is_there_after_reopening(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 3);
    tk_start(suite, suite->store, "b", 1);
    wfsm_commit commit = tk_commit_of("c", 0);
    commit.event_id = "e";
    commit.checkpoint = "c1";
    commit.checkpoint_snapshot = commit.snapshot = "{\"s\":1}";
    commit.checkpoint_length = commit.snapshot_length = 7;
    commit.artifacts = "[\"file1.ts\"]";
    commit.artifacts_length = 12;
    commit.effects = 4;
    tk_commit(suite, "a commit with everything", suite->store, &commit, WFSM_OK);
    wfsm_store_acknowledge(suite->store, "c", 2, NULL);
    wfsm_store_own(suite->store, "c", "one", 500, NULL);
    tk_status(suite, "a post", WFSM_OK,
              wfsm_store_post(suite->store, "b", "GO", "p", "[1]", 3, 7, NULL));
    tk_text before = tk_dump_of(suite, suite->store);
    tk_reopen(suite);
    tk_same(suite, "after closing and opening", suite->store, &before);
    int32_t seen = 0;
    wfsm_store_seen(suite->store, "c", "e", &seen, NULL);
    tk_number(suite, "seen of an event id after closing and opening", 1, (uint64_t)seen);
}

static void a_sign_of_life_is_there_after_reopening(tk_suite *suite)
{
    tk_start(suite, suite->store, "a", 1);
    wfsm_store_owner_alive(suite->store, "one", 1000, NULL);
    wfsm_store_own(suite->store, "a", "one", 500, NULL);
    tk_reopen(suite);
    tk_status(suite, "taking an instance whose owner is alive, after closing and opening",
              WFSM_DENIED, wfsm_store_own(suite->store, "a", "two", 999, NULL));
}

static void numbers_of_posts_continue_after_reopening(tk_suite *suite)
{
    tk_row post = {0};
    tk_start(suite, suite->store, "a", 1);
    wfsm_store_post(suite->store, "a", "GO", NULL, NULL, 0, 7, NULL);
    wfsm_store_inbox(suite->store, "a", 0, tk_keep, &post, NULL);
    uint64_t first = post.number;
    wfsm_commit consume = tk_commit_of("a", 1);
    consume.inbox = first;
    tk_commit(suite, "a commit that consumes a post", suite->store, &consume, WFSM_OK);
    tk_reopen(suite);
    wfsm_store_post(suite->store, "a", "GO", NULL, NULL, 0, 8, NULL);
    wfsm_store_inbox(suite->store, "a", 0, tk_keep, &post, NULL);
    tk_holds(suite, post.number > first, "two posts have the same number");
}

static void two_handles_show_one_store(tk_suite *suite)
{
    wfsm_store *other = tk_open(suite, 0);
    tk_start(suite, suite->store, "a", 1);
    wfsm_commit theirs = tk_commit_of("a", 1);
    tk_commit(suite, "a commit through another handle", other, &theirs, WFSM_OK);
    tk_commit(suite, "a commit that another handle made stale", suite->store, &theirs,
              WFSM_CONFLICT);
    tk_status(suite, "a post through another handle", WFSM_OK,
              wfsm_store_post(other, "a", "GO", "p", NULL, 0, 7, NULL));
    tk_status(suite, "a post with an id that another handle has posted", WFSM_EXISTS,
              wfsm_store_post(suite->store, "a", "GO", "p", NULL, 0, 7, NULL));
    tk_text before = tk_dump_of(suite, other);
    tk_same(suite, "what two handles show", suite->store, &before);
    wfsm_store_free(other);
}

const tk_case tk_opening_cases[] = {
    {"two_stores_see_nothing_of_each_other", two_stores_see_nothing_of_each_other, false},
    {"what_was_committed_is_there_after_reopening", what_was_committed_is_there_after_reopening,
     true},
    {"a_sign_of_life_is_there_after_reopening", a_sign_of_life_is_there_after_reopening, true},
    {"numbers_of_posts_continue_after_reopening", numbers_of_posts_continue_after_reopening,
     true},
    {"two_handles_show_one_store", two_handles_show_one_store, true},
    {NULL, NULL, false},
};
