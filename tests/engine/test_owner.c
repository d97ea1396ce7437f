#include <stdio.h>
#include <string.h>

#include "faults.h"
#include "world.h"
#include "../given.h"

static wfsm_engine *one, *two;
static actor first, second;

void setUp(void)
{
    world_open();
    one = engine_of("one", 0);
    two = engine_of("two", 0);
    first = second = (actor){0};
    add_machine(one, WORK("m", "a", ",\"onUnknown\":\"retry\""));
    add_actor(one, "a", &first);
    add_actor(two, "a", &second);
}

void tearDown(void)
{
    wfsm_engine_free(one);
    wfsm_engine_free(two);
    world_close();
}

static const char *owner_of(const char *id)
{
    static char owner[256];
    wfsm_head head = {.size = sizeof head};

    OK(wfsm_store_head(store, id, &head, error));
    strcpy(owner, head.owner);
    return owner;
}

static void one_engine_owns_an_instance(void)
{
    size_t count = 9;

    start(one, "m", "x", 0);
    TEST_ASSERT_EQUAL_STRING("one", owner_of("x"));
    STATUS(WFSM_DENIED, wfsm_engine_adopt(two, "x", 9999, error));
    OK(wfsm_engine_adopt_all(two, 9999, &count, error));
    TEST_ASSERT_EQUAL_size_t(0, count);
    OK(wfsm_engine_adopt(one, "x", 9999, error));
    TEST_ASSERT_NULL(wfsm_engine_instance(two, "x"));
}

static void signs_of_life_keep_others_away(void)
{
    start(one, "m", "x", 0);
    for (int64_t now = 0; now < 100000; now = wfsm_engine_deadline(one)) {
        run(one, now);
        STATUS(WFSM_DENIED, wfsm_engine_adopt(two, "x", now, error));
        TEST_ASSERT_GREATER_THAN_INT64(now, wfsm_engine_deadline(one));
        TEST_ASSERT_LESS_OR_EQUAL_INT64(now + 4000, wfsm_engine_deadline(one));
    }
}

/* Its timer is not in this engine's memory: the store tells of it. */
static void what_somebody_else_committed_is_noticed(void)
{
    wfsm_instance *other = NULL;
    int32_t outcome;

    add_machine(one,
                "{\"id\":\"t\",\"initial\":\"a\",\"states\":{"
                "\"a\":{\"on\":{\"go\":\"b\"}},\"b\":{\"after\":{\"5\":\"c\"}},\"c\":{}}}");
    start(one, "t", "x", 0);
    run(one, 0);
    OK(wfsm_instance_load(&other, NULL, store, NULL, "x", error));
    OK(wfsm_instance_send(other, EVENT("go"), 10, &outcome, error));
    wfsm_instance_free(other);
    for (int64_t now = 11; now < 5000; now += 1000)
        run(one, now);
    TEST_ASSERT_EQUAL_STRING("[\"c\"]", where(one, "x"));
}

static void who_has_lapsed_loses_his_instances(void)
{
    int32_t outcome = 0;

    start(one, "m", "x", 0);
    run(one, 0);
    TEST_ASSERT_EQUAL_INT(1, first.starts);
    OK(wfsm_engine_adopt(two, "x", 10000, error));
    TEST_ASSERT_EQUAL_STRING("two", owner_of("x"));
    second.on_probe = "gone";
    run(two, 10000);
    TEST_ASSERT_EQUAL_INT(1, second.probes);
    TEST_ASSERT_EQUAL_INT(1, second.starts);
    TEST_ASSERT_EQUAL_INT32(2, second.attempt);
    /* The old owner wakes up. Its commit is refused, its agent is told, and the rest
     * continues. */
    STATUS(WFSM_CONFLICT, wfsm_engine_result(one, first.id, "1", 1, 5000, &outcome, error));
    start(one, "m", "y", 5000);
    run(one, 5000);
    TEST_ASSERT_EQUAL_INT(1, first.cancels);
    TEST_ASSERT_NULL(wfsm_engine_instance(one, "x"));
    TEST_ASSERT_EQUAL_INT(2, first.starts);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(one, "y"));
    OK(wfsm_engine_result(two, second.id, "1", 1, 10001, &outcome, error));
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(two, "x"));
}

typedef struct losses {
    char told[200]; /* "INSTANCE REASON at TIME, " */
} losses;

static int32_t on_lost(void *user, wfsm_call *call)
{
    losses *self = user;
    size_t used = strlen(self->told);

    TEST_ASSERT_EQUAL_STRING("m", wfsm_call_name(call));
    STATUS(WFSM_BUSY, wfsm_engine_run(one, 0, NULL));
    snprintf(self->told + used, sizeof self->told - used, "%s %d at %d, ",
             wfsm_call_instance(call), (int)wfsm_call_lost(call), (int)wfsm_call_now(call));
    return WFSM_HOST; /* is ignored */
}

static void the_host_is_told_what_it_has_lost_and_why(void)
{
    losses heard = {""};

    STATUS(WFSM_INVALID, wfsm_engine_on_lost(NULL, on_lost, &heard, error));
    OK(wfsm_engine_on_lost(one, on_lost, &heard, error));
    start(one, "m", "x", 0);
    start(one, "m", "y", 0);
    start(one, "m", "z", 0);
    run(one, 0);
    OK(wfsm_engine_adopt(two, "x", 10001, error));
    OK(wfsm_store_remove(store, "y", error));
    run(one, 10002);
    TEST_ASSERT_EQUAL_STRING("x 1 at 10002, y 2 at 10002, ", heard.told);
    TEST_ASSERT_NULL(wfsm_engine_instance(one, "x"));
    OK(wfsm_engine_release(one, "z", error)); /* given up, not lost */
    TEST_ASSERT_EQUAL_STRING("x 1 at 10002, y 2 at 10002, ", heard.told);
}

static void a_session_that_is_alive_cannot_be_opened_again(void)
{
    wfsm_engine_options options = {.size = sizeof options, .session = "one", .now = 9999};
    wfsm_engine *again = NULL;
    losses heard = {""};

    STATUS(WFSM_DENIED, wfsm_engine_new(&again, store, &options, error));
    TEST_ASSERT_NULL(again);
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "'one'; it is alive until 10000"));
    OK(wfsm_engine_on_lost(one, on_lost, &heard, error));
    start(one, "m", "x", 0);
    run(one, 0);
    options.now = 10000;
    OK(wfsm_engine_new(&again, store, &options, error));
    /* The first one wakes up, and can do nothing more. */
    STATUS(WFSM_DENIED, wfsm_engine_run(one, 10001, error));
    TEST_ASSERT_EQUAL_STRING("x 3 at 10001, ", heard.told);
    TEST_ASSERT_EQUAL_INT(1, first.cancels);
    STATUS(WFSM_DENIED, wfsm_engine_start(one, "m", "y", NULL, 0, 10002, error));
    wfsm_engine_free(one);
    one = NULL;
    options.now = 10003;
    STATUS(WFSM_DENIED, wfsm_engine_new(&one, store, &options, error));
    wfsm_engine_free(again);
    OK(wfsm_engine_new(&one, store, &options, error));
}

static void denied_says_who_owns_it_and_until_when(void)
{
    start(one, "m", "x", 0);
    STATUS(WFSM_DENIED, wfsm_engine_adopt(two, "x", 9999, error));
    TEST_ASSERT_NOT_NULL(
        strstr(wfsm_error_message(error), "is owned by 'one', which is alive until 10000"));
}

/* Else nobody could take over for as long as the clock had been ahead. */
static void a_clock_set_back_claims_no_more_than_a_lapse(void)
{
    start(one, "m", "x", 5000000);
    run(one, 5000000);
    run(one, 1000);
    STATUS(WFSM_DENIED, wfsm_engine_adopt(two, "x", 10999, error));
    TEST_ASSERT_LESS_OR_EQUAL_INT64(11000, wfsm_engine_deadline(one));
    run(one, 3000);
    OK(wfsm_engine_adopt(two, "x", 11000, error));
}

/* The answer to each call of a renewal is lost in turn. The session is still this engine's. */
static void a_lost_renewal_is_no_other_process(void)
{
    const wfsm_engine_options options = {.size = sizeof options, .session = "lossy"};

    for (int at = 1; at <= 8; at++) {
        faults wrong = {.inner = store};
        wfsm_store *lossy = faults_open(&wrong, store);
        wfsm_engine *engine = NULL;
        char id[32];
        int32_t status;

        OK(wfsm_engine_new(&engine, lossy, &options, error));
        add_machine(engine, WORK("m", "a", ",\"onUnknown\":\"retry\""));
        wrong.kind = FAULT_LOST_AFTER;
        wrong.at = wrong.calls + at;
        wrong.count = 1;
        for (int64_t now = 100000 * at; now < 100000 * at + 40000; now += 7000) {
            snprintf(id, sizeof id, "l%d-%d", at, (int)(now % 100000));
            status = wfsm_engine_start(engine, "m", id, NULL, 0, now, error);
            TEST_ASSERT_NOT_EQUAL_INT32(WFSM_DENIED, status);
            status = wfsm_engine_run(engine, now, error);
            TEST_ASSERT_NOT_EQUAL_INT32(WFSM_DENIED, status);
        }
        OK(wfsm_engine_run(engine, 100000 * at + 40000, error));
        wfsm_engine_free(engine);
        wfsm_store_free(lossy);
    }
}

static void who_sees_that_he_has_lapsed_looks_again(void)
{
    start(one, "m", "x", 0);
    start(one, "m", "y", 0);
    run(one, 0);
    OK(wfsm_engine_adopt(two, "x", 10001, error));
    first.on_poll = NULL;
    run(one, 10002);
    TEST_ASSERT_NULL(wfsm_engine_instance(one, "x"));
    TEST_ASSERT_NOT_NULL(wfsm_engine_instance(one, "y"));
    TEST_ASSERT_EQUAL_INT(1, first.cancels); /* its work for y continues */
    TEST_ASSERT_EQUAL_INT(2, first.starts);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(one));
}

static void a_dead_owner_can_be_named(void)
{
    start(one, "m", "x", 0);
    STATUS(WFSM_DENIED, wfsm_engine_adopt(two, "x", 1, error));
    OK(wfsm_store_remove_owner(store, "one", error));
    OK(wfsm_engine_adopt(two, "x", 1, error));
    TEST_ASSERT_EQUAL_STRING("two", owner_of("x"));
}

static void released_instances_are_anybodys(void)
{
    start(one, "m", "x", 0);
    run(one, 0);
    OK(wfsm_engine_release(one, "x", error));
    TEST_ASSERT_EQUAL_INT(1, first.cancels);
    TEST_ASSERT_EQUAL_STRING("", owner_of("x"));
    TEST_ASSERT_NULL(wfsm_engine_instance(one, "x"));
    TEST_ASSERT_TRUE(wfsm_engine_idle(one));
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_working(one));
    STATUS(WFSM_NOT_FOUND, wfsm_engine_release(one, "x", error));
    OK(wfsm_engine_adopt(two, "x", 1, error));
    OK(wfsm_engine_release(two, "x", error));
    OK(wfsm_engine_adopt(one, "x", 1, error));
}

static void a_free_engine_leaves_nothing_owned(void)
{
    start(one, "m", "x", 0);
    start(one, "m", "y", 0);
    run(one, 0);
    wfsm_engine_free(one);
    one = NULL;
    TEST_ASSERT_EQUAL_INT(2, first.cancels);
    TEST_ASSERT_EQUAL_STRING("", owner_of("x"));
    TEST_ASSERT_EQUAL_STRING("", owner_of("y"));
}

/* An owner that slept through a takeover does not give up what another owns by now. */
static void what_another_has_taken_over_is_not_given_away(void)
{
    start(one, "m", "x", 0);
    start(one, "m", "y", 0);
    run(one, 0);
    OK(wfsm_engine_adopt(two, "x", 10000, error));
    OK(wfsm_engine_adopt(two, "y", 10000, error));
    OK(wfsm_engine_release(one, "x", error));
    TEST_ASSERT_NULL(wfsm_engine_instance(one, "x"));
    TEST_ASSERT_EQUAL_STRING("two", owner_of("x"));
    wfsm_engine_free(one);
    one = NULL;
    TEST_ASSERT_EQUAL_INT(2, first.cancels);
    TEST_ASSERT_EQUAL_STRING("two", owner_of("y"));
}

static void all_that_nobody_owns_are_adopted(void)
{
    size_t count = 0;

    first.on_start = "1";
    start(one, "m", "ended", 0);
    run(one, 0);
    first.on_start = NULL;
    start(one, "m", "x", 0);
    start(one, "m", "y", 0);
    OK(wfsm_engine_release(one, "y", error));
    OK(wfsm_engine_adopt_all(two, 1, &count, error));
    TEST_ASSERT_EQUAL_size_t(1, count);
    OK(wfsm_engine_adopt_all(two, 10001, &count, error));
    TEST_ASSERT_EQUAL_size_t(1, count);
    TEST_ASSERT_NOT_NULL(wfsm_engine_instance(two, "x"));
    TEST_ASSERT_NULL(wfsm_engine_instance(two, "ended"));
}

/* More than are read at once. */
static void many_are_adopted_page_by_page(void)
{
    size_t count = 0;
    char id[] = "i0000";

    for (int i = 0; i < 600; i++) {
        id[1] = (char)('0' + i / 100);
        id[2] = (char)('0' + i / 10 % 10);
        id[3] = (char)('0' + i % 10);
        start(one, "m", id, 0);
    }
    OK(wfsm_store_remove_owner(store, "one", error));
    OK(wfsm_engine_adopt_all(two, 1, &count, error));
    TEST_ASSERT_EQUAL_size_t(600, count);
    TEST_ASSERT_EQUAL_size_t(1, two->machine_count);
}

static int32_t allow(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_allow(call, 1);
}

/* What cannot be loaded here is left to others, and hinders nothing else. */
static void an_instance_that_cannot_be_loaded_is_given_back(void)
{
    size_t count = 0;

    add_machine(one, "{\"wfsm\":1,\"id\":\"g\",\"initial\":\"s\",\"states\":{\"s\":{\"on\":"
                     "{\"e\":{\"guard\":\"only-one\",\"target\":\"t\"}}},\"t\":"
                     "{\"type\":\"final\"}}}");
    STATUS(WFSM_NOT_FOUND, wfsm_engine_start(one, "g", "a", NULL, 0, 0, error));
    OK(wfsm_engine_add_guard(one, "only-one", allow, NULL, error));
    start(one, "g", "a", 0);
    start(one, "m", "b", 0);
    OK(wfsm_store_remove_owner(store, "one", error));
    STATUS(WFSM_NOT_FOUND, wfsm_engine_adopt_all(two, 1, &count, error));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "a: "));
    TEST_ASSERT_EQUAL_size_t(1, count);
    TEST_ASSERT_EQUAL_STRING("", owner_of("a"));
    TEST_ASSERT_EQUAL_STRING("two", owner_of("b"));
}

/* An instance continues under its own document, and start takes the newest. */
static void two_versions_live_side_by_side(void)
{
    start(one, "m", "old", 0);
    add_machine(one, WORK("m", "a", ",\"timeoutMs\":5"));
    start(one, "m", "new", 0);
    run(one, 0);
    TEST_ASSERT_EQUAL_INT64(5, first.timeout);
    OK(wfsm_engine_release(one, "old", error));
    OK(wfsm_engine_adopt(one, "old", 1, error));
    once(one, 1);
    TEST_ASSERT_EQUAL_STRING(IDS("old/1/1"), first.id);
    TEST_ASSERT_EQUAL_INT64(0, first.timeout);
}

static void somebody_elses_commit_is_seen_and_taken_in(void)
{
    wfsm_instance *other = NULL;
    int32_t outcome = 0;

    start(one, "m", "x", 0);
    run(one, 0);
    /* The same owner, in another handle: not what anybody should do. */
    OK(wfsm_instance_load(&other, NULL, store, NULL, "x", error));
    OK(wf_instance_set_owner(other, "one", error));
    OK(wfsm_instance_send(other, EVENT("stop"), 1, &outcome, error));
    wfsm_instance_free(other);
    STATUS(WFSM_CONFLICT,
           wfsm_engine_send(one, "x", "stop", NULL, NULL, 0, 2, &outcome, error));
    run(one, 2);
    TEST_ASSERT_EQUAL_STRING("[\"stopped\"]", where(one, "x"));
    TEST_ASSERT_EQUAL_INT(1, first.cancels);
    OK(wfsm_engine_send(one, "x", "again", NULL, NULL, 0, 2, &outcome, error));
    run(one, 2);
    TEST_ASSERT_EQUAL_INT(2, first.starts);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(one_engine_owns_an_instance);
    RUN_TEST(signs_of_life_keep_others_away);
    RUN_TEST(what_somebody_else_committed_is_noticed);
    RUN_TEST(who_has_lapsed_loses_his_instances);
    RUN_TEST(the_host_is_told_what_it_has_lost_and_why);
    RUN_TEST(a_session_that_is_alive_cannot_be_opened_again);
    RUN_TEST(denied_says_who_owns_it_and_until_when);
    RUN_TEST(a_clock_set_back_claims_no_more_than_a_lapse);
    RUN_TEST(a_lost_renewal_is_no_other_process);
    RUN_TEST(who_sees_that_he_has_lapsed_looks_again);
    RUN_TEST(a_dead_owner_can_be_named);
    RUN_TEST(released_instances_are_anybodys);
    RUN_TEST(a_free_engine_leaves_nothing_owned);
    RUN_TEST(what_another_has_taken_over_is_not_given_away);
    RUN_TEST(all_that_nobody_owns_are_adopted);
    RUN_TEST(many_are_adopted_page_by_page);
    RUN_TEST(an_instance_that_cannot_be_loaded_is_given_back);
    RUN_TEST(two_versions_live_side_by_side);
    RUN_TEST(somebody_elses_commit_is_seen_and_taken_in);
    return UNITY_END() != 0;
}
