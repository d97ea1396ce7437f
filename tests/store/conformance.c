#include "store/conformance.h"

#include "store/cases.h"

#include <unity.h>

static const conformance_store *kit;
wfsm_store *store;

wfsm_store *open_store(int which)
{
    wfsm_store *opened = kit->open(kit->user, which);
    TEST_ASSERT_NOT_NULL(opened);
    return opened;
}

void conformance_set_up(void)
{
    if (kit)
        store = open_store(0);
}

void conformance_tear_down(void)
{
    wfsm_store_free(store);
    store = NULL;
    if (kit)
        kit->wipe(kit->user);
}

void reopen_store(void)
{
    wfsm_store_free(store);
    store = NULL;
    store = open_store(0);
}

static void two_stores_see_nothing_of_each_other(void)
{
    start_instance(store, "a", 2);
    wfsm_store *other = open_store(1);
    kept_row seen = {0};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_list(other, NULL, keep_row, &seen, NULL));
    TEST_ASSERT_EQUAL_INT(0, seen.count);
    start_instance(other, "a", 1);
    wfsm_head head = {.size = sizeof head};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, "a", &head, NULL));
    TEST_ASSERT_EQUAL_UINT64(2, head.revision);
    wfsm_store_free(other);
}

static void what_was_committed_is_there_after_reopening(void)
{
    start_instance(store, "a", 3);
    start_instance(store, "b", 1);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_post(store, "b", "GO", "p", "[1]", 3, 7, NULL));
    char *before = dump(store);
    reopen_store();
    expect_dump(store, before);
}

static void numbers_of_posts_go_on_after_reopening(void)
{
    kept_row post = {0};
    start_instance(store, "a", 1);
    wfsm_store_post(store, "a", "GO", NULL, NULL, 0, 7, NULL);
    wfsm_store_inbox(store, "a", 0, keep_row, &post, NULL);
    uint64_t first = post.number;
    wfsm_commit consume = commit_of("a", 1);
    consume.inbox = first;
    expect_commit(store, &consume, WFSM_OK);
    reopen_store();
    wfsm_store_post(store, "a", "GO", NULL, NULL, 0, 8, NULL);
    wfsm_store_inbox(store, "a", 0, keep_row, &post, NULL);
    TEST_ASSERT_GREATER_THAN_UINT64(first, post.number);
}

static void two_handles_show_one_store(void)
{
    wfsm_store *other = open_store(0);
    start_instance(store, "a", 1);
    wfsm_commit theirs = commit_of("a", 1);
    expect_commit(other, &theirs, WFSM_OK);
    expect_commit(store, &theirs, WFSM_CONFLICT);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_post(other, "a", "GO", "p", NULL, 0, 7, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_EXISTS,
                            wfsm_store_post(store, "a", "GO", "p", NULL, 0, 7, NULL));
    expect_dump(store, dump(other));
    wfsm_store_free(other);
}

void conformance_run(const conformance_store *given)
{
    kit = given;
    run_commit_cases();
    run_reading_cases();
    run_inbox_cases();
    RUN_TEST(two_stores_see_nothing_of_each_other);
    if (kit->durable) {
        RUN_TEST(what_was_committed_is_there_after_reopening);
        RUN_TEST(numbers_of_posts_go_on_after_reopening);
        RUN_TEST(two_handles_show_one_store);
    }
    kit = NULL;
}
