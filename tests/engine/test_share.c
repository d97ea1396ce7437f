/* wfsm_engine_share() on a store that cannot tell who serves what: everything that is served and free may be
 * taken. tests/postgres/test_share.c has the rest. */
#include <stdio.h>
#include <string.h>

#include "world.h"

enum { MANY = 300 };

static wfsm_engine *one, *two;
static actor who;
static size_t told;
static char owner[20];
static wfsm_share last;

void setUp(void)
{
    world_open();
    who = (actor){0};
    told = 0;
    one = engine_of("one", 0);
    add_machine(one, WORK("m", "a", ""));
    two = engine_of("two", 0);
}

void tearDown(void)
{
    wfsm_engine_free(one);
    wfsm_engine_free(two);
    one = two = NULL;
    world_close();
}

static void hear(void *user, const char *from, const char *const *ids, size_t count)
{
    TEST_ASSERT_EQUAL_PTR(&told, user);
    TEST_ASSERT_NOT_NULL(wfsm_engine_instance(two, ids[0]));
    snprintf(owner, sizeof owner, "%s", from);
    told += count;
}

static void share(int64_t now, size_t most)
{
    last = (wfsm_share){.size = sizeof last, .most = most, .told = hear, .user = &told};
    OK(wfsm_engine_share(two, now, &last, error));
}

static void start_many(void)
{
    char id[16];

    for (int i = 0; i < MANY; i++) {
        snprintf(id, sizeof id, "i%d", i);
        start(one, "m", id, 0);
    }
}

static void serve(void)
{
    add_machine(two, WORK("m", "a", ""));
    add_actor(two, "a", &who);
}

static void what_nobody_owns_is_taken(void)
{
    serve();
    start_many();
    share(1, 0);
    TEST_ASSERT_EQUAL_size_t(0, last.taken);
    OK(wfsm_engine_free(one));
    one = NULL;
    share(2, 0);
    TEST_ASSERT_EQUAL_size_t(MANY, last.taken);
    TEST_ASSERT_EQUAL_size_t(MANY, told);
    TEST_ASSERT_EQUAL_STRING("", owner);
    TEST_ASSERT_EQUAL_size_t(0, last.given_up);
    TEST_ASSERT_EQUAL_INT32(0, last.more);
    share(3, 0);
    TEST_ASSERT_EQUAL_size_t(0, last.taken);
}

static void what_a_killed_engine_had_is_taken_when_its_lease_has_lapsed(void)
{
    serve();
    start_many();
    wf_engine_abandon(one);
    one = NULL;
    share(9999, 0);
    TEST_ASSERT_EQUAL_size_t(0, last.taken);
    share(10000, 0);
    TEST_ASSERT_EQUAL_size_t(MANY, told);
    TEST_ASSERT_EQUAL_STRING("one", owner);
}

static void what_is_not_served_stays(void)
{
    start_many();
    OK(wfsm_engine_free(one));
    one = NULL;
    add_machine(two, WORK("m", "a", ""));
    share(1, 0);
    TEST_ASSERT_EQUAL_size_t(0, last.taken);
    add_actor(two, "a", &who);
    share(2, 0);
    TEST_ASSERT_EQUAL_size_t(MANY, last.taken);
}

static void as_many_as_the_host_wants(void)
{
    serve();
    start_many();
    OK(wfsm_engine_free(one));
    one = NULL;
    for (int i = 0; i < MANY / 100; i++) {
        share(1, 100);
        TEST_ASSERT_EQUAL_size_t(100, last.taken);
        TEST_ASSERT_EQUAL_INT32(i < MANY / 100 - 1, last.more);
    }
}

static void what_is_refused(void)
{
    wfsm_share none = {.size = 0};

    STATUS(WFSM_INVALID, wfsm_engine_share(two, -1, NULL, error));
    STATUS(WFSM_INVALID, wfsm_engine_share(two, 1, &none, error));
    STATUS(WFSM_INVALID, wfsm_engine_share(NULL, 1, NULL, error));
    OK(wfsm_engine_share(two, 1, NULL, error));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_nobody_owns_is_taken);
    RUN_TEST(what_a_killed_engine_had_is_taken_when_its_lease_has_lapsed);
    RUN_TEST(what_is_not_served_stays);
    RUN_TEST(as_many_as_the_host_wants);
    RUN_TEST(what_is_refused);
    return UNITY_END() != 0;
}
