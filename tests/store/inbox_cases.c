#include "store/cases.h"

#include <string.h>
#include <unity.h>

static const char data[] = "{\"x\": [1, \"\xC3\xA9\"]}";

static void post(const char *instance, const char *id, int32_t answer)
{
    wfsm_error *error = wfsm_error_new(NULL);
    int32_t got =
        wfsm_store_post(store, instance, "GO.ON", id, data, sizeof data - 1, 50, error);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(answer, got, wfsm_error_message(error));
    wfsm_error_free(error);
}

static kept_row last_post(const char *instance, uint64_t limit)
{
    kept_row row = {0};
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_store_inbox(store, instance, limit, keep_row, &row, NULL));
    return row;
}

static void a_post_waits_unaltered(void)
{
    start_instance(store, "a", 1);
    post("a", "p1", WFSM_OK);
    kept_row row = last_post("a", 0);
    TEST_ASSERT_EQUAL_INT(1, row.count);
    TEST_ASSERT_EQUAL_STRING("a", row.instance);
    TEST_ASSERT_EQUAL_STRING("p1", row.id);
    TEST_ASSERT_EQUAL_STRING("GO.ON", row.name);
    TEST_ASSERT_EQUAL_STRING(data, row.text);
    TEST_ASSERT_EQUAL_INT64(50, row.now);
    TEST_ASSERT_GREATER_THAN_UINT64(0, row.number);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_post(store, "a", "E", NULL, NULL, 0, 0, NULL));
    row = last_post("a", 0);
    TEST_ASSERT_EQUAL_STRING("null", row.text);
    TEST_ASSERT_EQUAL_STRING("", row.id);
}

static void posts_come_oldest_first(void)
{
    start_instance(store, "a", 1);
    start_instance(store, "b", 1);
    post("a", "p1", WFSM_OK);
    post("b", "p1", WFSM_OK);
    post("a", "p2", WFSM_OK);
    TEST_ASSERT_EQUAL_STRING("p1", last_post("a", 1).id);
    TEST_ASSERT_EQUAL_STRING("p2", last_post("a", 0).id);
    TEST_ASSERT_EQUAL_INT(2, last_post("a", 0).count);
    TEST_ASSERT_EQUAL_INT(3, last_post(NULL, 0).count);
    TEST_ASSERT_EQUAL_STRING("b", last_post(NULL, 2).instance);
    TEST_ASSERT_GREATER_THAN_UINT64(last_post(NULL, 2).number,
                                    last_post(NULL, 3).number);
}

static void a_post_is_unique_by_its_id(void)
{
    bool seen;
    start_instance(store, "a", 1);
    wfsm_commit commit = commit_of("a", 1);
    commit.event_id = "taken";
    expect_commit(store, &commit, WFSM_OK);
    post("a", "taken", WFSM_EXISTS);
    post("a", "p1", WFSM_OK);
    char *before = dump(store);
    post("a", "p1", WFSM_EXISTS);
    expect_dump(store, before);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_seen(store, "a", "p1", &seen, NULL));
    TEST_ASSERT_TRUE(seen);
    post("a", NULL, WFSM_OK);
    post("a", NULL, WFSM_OK);
    TEST_ASSERT_EQUAL_INT(3, last_post("a", 0).count);
}

static void a_commit_consumes_its_post(void)
{
    bool seen;
    start_instance(store, "a", 1);
    post("a", "p1", WFSM_OK);
    post("a", "p2", WFSM_OK);
    wfsm_commit commit = commit_of("a", 1);
    commit.inbox = last_post("a", 1).number;
    commit.event_id = "p1";
    expect_commit(store, &commit, WFSM_OK);
    TEST_ASSERT_EQUAL_INT(1, last_post("a", 0).count);
    TEST_ASSERT_EQUAL_STRING("p2", last_post("a", 0).id);
    post("a", "p1", WFSM_EXISTS);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_seen(store, "a", "p1", &seen, NULL));
    TEST_ASSERT_TRUE(seen);
}

static void a_post_is_consumed_by_its_own_instance_only(void)
{
    start_instance(store, "a", 1);
    start_instance(store, "b", 1);
    post("a", "p1", WFSM_OK);
    char *before = dump(store);
    wfsm_commit commit = commit_of("b", 1);
    commit.inbox = last_post("a", 1).number;
    expect_commit(store, &commit, WFSM_NOT_FOUND);
    expect_dump(store, before);
}

static void a_post_that_left_no_record_is_forgotten(void)
{
    start_instance(store, "a", 1);
    post("a", "p1", WFSM_OK);
    wfsm_commit commit = commit_of("a", 1);
    commit.inbox = last_post("a", 1).number;
    expect_commit(store, &commit, WFSM_OK);
    post("a", "p1", WFSM_OK);
}

static void an_owner_keeps_what_it_has_while_it_is_alive(void)
{
    start_instance(store, "a", 1);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_owner_alive(store, "one", 1000, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_own(store, "a", "one", 500, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_own(store, "a", "one", 500, NULL));
    char *before = dump(store);
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, wf_store_own(store, "a", "two", 999, NULL));
    expect_dump(store, before);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_owner_alive(store, "one", 2000, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, wf_store_own(store, "a", "two", 1999, NULL));
}

static void an_owner_that_lapsed_is_fenced_off(void)
{
    start_instance(store, "a", 1);
    wf_store_owner_alive(store, "one", 1000, NULL);
    wf_store_own(store, "a", "one", 500, NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_own(store, "a", "two", 1000, NULL));
    char *before = dump(store);
    wfsm_commit commit = commit_of("a", 1);
    commit.owner = "one";
    expect_commit(store, &commit, WFSM_CONFLICT);
    expect_dump(store, before);
    commit.owner = "two";
    expect_commit(store, &commit, WFSM_OK);
    wfsm_head head = {.size = sizeof head};
    wfsm_store_head(store, "a", &head, NULL);
    TEST_ASSERT_EQUAL_STRING("two", head.owner);
}

static void an_owner_without_a_row_is_gone(void)
{
    start_instance(store, "a", 1);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_own(store, "a", "one", 500, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_own(store, "a", "two", 500, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_owner_alive(store, "two", 1000, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, wf_store_own(store, "a", "one", 600, NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_owner_gone(store, "two", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_owner_gone(store, "two", NULL));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_own(store, "a", "one", 600, NULL));
}

static void an_owner_gives_up(void)
{
    start_instance(store, "a", 1);
    wf_store_owner_alive(store, "one", 1000, NULL);
    wf_store_own(store, "a", "one", 500, NULL);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_own(store, "a", "", 500, NULL));
    wfsm_commit commit = commit_of("a", 1);
    commit.owner = "one";
    expect_commit(store, &commit, WFSM_CONFLICT);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_own(store, "a", "two", 500, NULL));
}

static uint64_t acknowledged(void)
{
    wfsm_head head = {.size = sizeof head};
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, "a", &head, NULL));
    return head.acknowledged;
}

static void the_mark_of_effects_only_rises(void)
{
    wfsm_commit commit = commit_of("a", 0);
    commit.effects = 5;
    expect_commit(store, &commit, WFSM_OK);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_acknowledge(store, "a", 3, NULL));
    TEST_ASSERT_EQUAL_UINT64(3, acknowledged());
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wf_store_acknowledge(store, "a", 2, NULL));
    TEST_ASSERT_EQUAL_UINT64(3, acknowledged());
    TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wf_store_acknowledge(store, "a", 6, NULL));
    TEST_ASSERT_EQUAL_UINT64(3, acknowledged());
    commit = commit_of("a", 1);
    commit.effects = 5;
    expect_commit(store, &commit, WFSM_OK);
    TEST_ASSERT_EQUAL_UINT64(3, acknowledged());
}

void run_inbox_cases(void)
{
    RUN_TEST(a_post_waits_unaltered);
    RUN_TEST(posts_come_oldest_first);
    RUN_TEST(a_post_is_unique_by_its_id);
    RUN_TEST(a_commit_consumes_its_post);
    RUN_TEST(a_post_is_consumed_by_its_own_instance_only);
    RUN_TEST(a_post_that_left_no_record_is_forgotten);
    RUN_TEST(an_owner_keeps_what_it_has_while_it_is_alive);
    RUN_TEST(an_owner_that_lapsed_is_fenced_off);
    RUN_TEST(an_owner_without_a_row_is_gone);
    RUN_TEST(an_owner_gives_up);
    RUN_TEST(the_mark_of_effects_only_rises);
}
