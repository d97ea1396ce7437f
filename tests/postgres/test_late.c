/* Posts, removals, take-overs and cuts whose answer is lost, and which reach the server when the matter was
 * settled. test_lost.c has commits. */
#include "postgres/lossy.h"
#include "postgres/server.h"
#include "store/fixture.h"
#include "store/store.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>

static int64_t posts(void)
{
    return server_number("SELECT count(*) FROM wfsm.post");
}

static int32_t post_on(wfsm_store *on)
{
    return wfsm_store_post(on, "a", "e", "id", NULL, 0, 1, error);
}

static int32_t remove_on(wfsm_store *on)
{
    return wfsm_store_remove(on, "a", error);
}

static int32_t own_on(wfsm_store *on)
{
    return wfsm_store_own(on, "a", "me", 1, error);
}

static int32_t cut_on(wfsm_store *on)
{
    return wfsm_store_cut(on, "a", 2, "{}", 2, error);
}

/* A number that stands for everything that the four calls can change. */
static int64_t state(void)
{
    return server_number("SELECT (SELECT count(*) FROM wfsm.post) + 10 * (SELECT count(*)"
                         " FROM wfsm.head) + 100 * (SELECT count(*) FROM wfsm.head"
                         " WHERE owner = 'me') + 1000 * (SELECT count(*) FROM wfsm.record)");
}

static void start_with_snapshots(void)
{
    wfsm_commit commit = commit_of("a", 0);

    for (uint64_t base = 0; base < 3; base++) {
        commit = commit_of("a", base);
        commit.snapshot = "{}";
        commit.snapshot_length = 2;
        expect_commit(store, &commit, WFSM_OK);
    }
}

/* In a child: a part that the server has already may hold the lock of the instance. Then nothing is said before
 * it is over, so the rest is sent when somebody waits for the lock. */
static pid_t release_at_wait(void)
{
    pid_t child = fork();

    if (child != 0)
        return child;
    server_forget();
    server_await("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'", 1);
    between->hold = 0;
    _exit(0);
}

/* The server has so many bytes of the question; the rest arrives when the matter was settled. */
static bool try_late(int32_t (*call)(wfsm_store *on), int bytes, int64_t *settled)
{
    int held = between->count;
    int32_t status, seen = 0;
    pid_t child;
    bool sent;

    between->pass = bytes;
    between->seen = 0;
    between->hold = held;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, call(store));
    sent = between->seen > bytes;
    child = release_at_wait();
    status = wfsm_store_seen(store, "a", "id", &seen, error);
    TEST_ASSERT_TRUE_MESSAGE(status == WFSM_OK || status == WFSM_NOT_FOUND,
                             wfsm_error_message(error));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    *settled = state();
    between->hold = 0;
    relay_await_end(between, held);
    TEST_ASSERT_EQUAL_INT64(*settled, state());
    return sent;
}

/* Cuts the question at each position, in steps. Returns how often it had an effect after all. */
static int cut_everywhere(int32_t (*call)(wfsm_store *on), int step)
{
    int effects = 0;
    int64_t before, settled;
    bool more = true;

    for (int bytes = 0; more; bytes += step) {
        server_wipe();
        start_with_snapshots();
        before = state();
        more = try_late(call, bytes, &settled);
        effects += settled != before;
        TEST_ASSERT_EQUAL_INT32(call == post_on && settled != before ? WFSM_EXISTS : WFSM_OK,
                                call(plain));
    }
    return effects;
}

static void what_is_late_has_no_effect(void)
{
    int32_t (*const calls[])(wfsm_store *on) = {post_on, remove_on, own_on, cut_on};

    for (size_t i = 0; i < 4; i++) {
        int64_t settled, before;

        server_wipe();
        start_with_snapshots();
        before = state();
        try_late(calls[i], 0, &settled);
        TEST_ASSERT_EQUAL_INT64(before, settled);
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, calls[i](store));
        TEST_ASSERT_TRUE(before != state());
    }
}

static void what_is_cut_anywhere_has_an_effect_once(void)
{
    cut_everywhere(post_on, 170);
    cut_everywhere(remove_on, 170);
    TEST_ASSERT_TRUE(posts() == 0);
}

/* The removal arrives when there is another instance of this name. */
static void a_late_removal_spares_the_next_instance(void)
{
    int held = between->count;

    start_instance(store, "a", 1);
    between->hold = held;
    TEST_ASSERT_EQUAL_INT32(WFSM_STORE_UNKNOWN, remove_on(store));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, remove_on(store));
    start_instance(store, "a", 2);
    between->hold = 0;
    relay_await_end(between, held);
    TEST_ASSERT_EQUAL_INT64(2, server_number("SELECT revision FROM wfsm.head"));
}

int main(void)
{
    if (!lossy_start())
        return 77;
    UNITY_BEGIN();
    RUN_TEST(what_is_late_has_no_effect);
    RUN_TEST(what_is_cut_anywhere_has_an_effect_once);
    RUN_TEST(a_late_removal_spares_the_next_instance);
    return UNITY_END() != 0;
}
