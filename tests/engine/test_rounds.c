/* A round: everything that is ready is one call of the store, and nothing is built on what the store
 * has not confirmed. */
#include <string.h>

#include "store/store.h"
#include "world.h"

enum { INSTANCES = 5 };
static const char *const ids[INSTANCES] = {"a", "b", "c", "d", "e"};

/* What the store was asked for last, and how it answers the commits of one instance. */
static struct {
    wfsm_store_vtable inner;
    int calls, heads;
    size_t count; /* commits of the last call */
    char instances[100]; /* of them: "a b c " */
    const char *victim; /* NULL: none */
    int32_t answer;
    bool written;
} gate;

static wfsm_store *memory;
static wfsm_engine *engine;
static actor who;

static int32_t commit_all(void *self, const wfsm_commit *const *commits, size_t count,
                          int32_t *answers, wfsm_error *why)
{
    const wfsm_commit *kept[100];
    int32_t given[100];
    size_t n = 0, k = 0;
    int32_t status = WFSM_OK;

    gate.calls++;
    gate.count = count;
    gate.instances[0] = '\0';
    TEST_ASSERT_LESS_THAN_size_t(100, count);
    for (size_t i = 0; i < count; i++) {
        bool victim = gate.victim && strcmp(commits[i]->instance, gate.victim) == 0;

        strcat(strcat(gate.instances, commits[i]->instance), " ");
        if (!victim || gate.written)
            kept[n++] = commits[i];
    }
    if (n > 0)
        status = gate.inner.commit(self, kept, n, given, why);
    for (size_t i = 0; i < count; i++) {
        bool victim = gate.victim && strcmp(commits[i]->instance, gate.victim) == 0;

        answers[i] = victim ? gate.answer : given[k];
        k += !victim || gate.written;
    }
    return status;
}

static int32_t count_head(void *self, const char *instance, wfsm_head *head, wfsm_error *why)
{
    gate.heads++;
    return gate.inner.head(self, instance, head, why);
}

void setUp(void)
{
    wfsm_store_vtable vtable;

    error = wfsm_error_new(NULL);
    memset(&gate, 0, sizeof gate);
    who = (actor){0};
    OK(wfsm_memory_open(&memory, NULL, error));
    gate.inner = vtable = memory->vtable;
    vtable.commit = commit_all;
    vtable.head = count_head;
    vtable.close = NULL;
    OK(wfsm_store_new(&store, &vtable, memory->self, NULL, error));
    engine = engine_of("one", INSTANCES);
    add_machine(engine, WORK("m", "a", ""));
    add_actor(engine, "a", &who);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_store_free(memory);
    wfsm_error_free(error);
}

static void start_all(void)
{
    for (int i = 0; i < INSTANCES; i++)
        start(engine, "m", ids[i], 0);
    once(engine, 0);
    TEST_ASSERT_EQUAL_INT(INSTANCES, who.starts);
    gate.calls = gate.heads = 0;
    gate.count = 0;
}

static void expect_clean(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};

    OK(wfsm_store_audit(store, NULL, NULL, NULL, &counts, error));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
}

static void all_are(const char *state)
{
    for (int i = 0; i < INSTANCES; i++)
        TEST_ASSERT_EQUAL_STRING_MESSAGE(state, where(engine, ids[i]), ids[i]);
}

static void what_is_ready_is_one_call(void)
{
    start_all();
    once(engine, 1);
    TEST_ASSERT_EQUAL_INT(0, gate.count); /* nothing was ready */
    for (int i = 0; i < INSTANCES; i++)
        OK(wfsm_store_post(store, ids[i], "news", NULL, NULL, 0, 1, error));
    once(engine, 2); /* the exchange hands the posts out */
    TEST_ASSERT_EQUAL_INT(0, gate.count);
    TEST_ASSERT_EQUAL_INT64(2, wfsm_engine_deadline(engine));
    who.on_poll = "1";
    gate.calls = 0;
    once(engine, 2);
    TEST_ASSERT_EQUAL_INT(1, gate.calls);
    TEST_ASSERT_EQUAL_size_t(2 * INSTANCES, gate.count);
    all_are("[\"done\"]");
    TEST_ASSERT_EQUAL_size_t(0, posts());
    TEST_ASSERT_GREATER_THAN_INT64(2, wfsm_engine_deadline(engine));
}

/* It frees a slot, which nobody has before the store knows. */
static void a_slot_is_free_once_the_store_knows(void)
{
    wfsm_engine_free(engine);
    engine = engine_of("two", 1);
    add_machine(engine, WORK("m", "a", ""));
    add_actor(engine, "a", &who);
    start(engine, "m", "a", 0);
    start(engine, "m", "b", 0);
    once(engine, 0);
    TEST_ASSERT_EQUAL_STRING("a ", who.order);
    who.on_poll = "1";
    once(engine, 1);
    TEST_ASSERT_EQUAL_STRING("a ", gate.instances);
    TEST_ASSERT_EQUAL_INT64(1, wfsm_engine_deadline(engine));
    who.on_poll = NULL;
    once(engine, 1);
    TEST_ASSERT_EQUAL_STRING("b ", gate.instances);
    TEST_ASSERT_EQUAL_STRING("a b ", who.order);
}

/* The commits of "c" are refused in one round; its inputs are made again. */
static void expect_only_c_to_wait(int32_t answer, bool written)
{
    int64_t now = 10;

    start_all();
    gate.victim = "c";
    gate.answer = answer;
    gate.written = written;
    who.on_poll = "1";
    (void)wfsm_engine_run(engine, 2, NULL);
    gate.victim = NULL;
    for (int i = 0; i < INSTANCES; i++)
        TEST_ASSERT_EQUAL_STRING(strcmp(ids[i], "c") != 0 ? "[\"done\"]" : where(engine, "c"),
                                 where(engine, ids[i]));
    run(engine, now);
    all_are("[\"done\"]");
    for (int i = 0; i < INSTANCES; i++)
        TEST_ASSERT_EQUAL_size_t(1, records(ids[i], "\"kind\":\"result\""));
    TEST_ASSERT_EQUAL_INT(INSTANCES, who.starts);
    TEST_ASSERT_EQUAL_INT(0, who.probes);
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_working(engine));
}

static void a_failure_is_taken_back(void)
{
    expect_only_c_to_wait(WFSM_STORE_FAILED, false);
    TEST_ASSERT_EQUAL_INT(0, gate.heads); /* it was not loaded again */
}

static void an_id_that_is_known_is_taken_back(void)
{
    expect_only_c_to_wait(WFSM_EXISTS, false);
    TEST_ASSERT_EQUAL_INT(0, gate.heads);
}

static void a_conflict_is_loaded_again(void)
{
    expect_only_c_to_wait(WFSM_CONFLICT, false);
    TEST_ASSERT_GREATER_THAN_INT(0, gate.heads);
}

static void a_lost_answer_is_loaded_again(void)
{
    expect_only_c_to_wait(WFSM_STORE_UNKNOWN, false);
    TEST_ASSERT_GREATER_THAN_INT(0, gate.heads);
}

static void a_lost_answer_to_what_is_stored(void)
{
    expect_only_c_to_wait(WFSM_STORE_UNKNOWN, true);
    TEST_ASSERT_GREATER_THAN_INT(0, gate.heads);
}

/* The claim is stored although its answer was lost: the agent is started, not probed. */
static void a_lost_answer_to_a_claim(void)
{
    int32_t outcome = 0;

    start_all();
    OK(wfsm_engine_send(engine, "c", "stop", NULL, NULL, 0, 1, &outcome, error));
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    gate.victim = "c";
    gate.answer = WFSM_STORE_UNKNOWN;
    gate.written = true;
    OK(wfsm_store_post(store, "c", "again", NULL, NULL, 0, 2, error));
    (void)wfsm_engine_run(engine, 2, NULL);
    gate.victim = NULL;
    TEST_ASSERT_EQUAL_INT(INSTANCES, who.starts);
    run(engine, 5);
    TEST_ASSERT_EQUAL_INT(INSTANCES + 1, who.starts);
    TEST_ASSERT_EQUAL_INT(0, who.probes);
}

/* The answer of a probe and the next claim are one commit, as are a failure and the claim of a retry
 * that is due at once. */
static void what_is_tried_again_is_claimed_at_once(void)
{
    start_all();
    wf_engine_abandon(engine);
    who = (actor){.on_probe = "gone"};
    engine = engine_of("two", INSTANCES);
    add_actor(engine, "a", &who);
    OK(wfsm_engine_adopt_all(engine, 20000, NULL, error));
    once(engine, 20000);
    TEST_ASSERT_EQUAL_INT(INSTANCES, who.probes);
    gate.calls = 0;
    once(engine, 20000);
    TEST_ASSERT_EQUAL_INT(1, gate.calls);
    TEST_ASSERT_EQUAL_size_t(INSTANCES, gate.count);
    TEST_ASSERT_EQUAL_INT(INSTANCES, who.starts);
    TEST_ASSERT_EQUAL_INT32(2, who.attempt);
    expect_clean();
}

static void a_retry_that_is_due_at_once(void)
{
    add_machine(engine, WORK("r", "a",
                             ",\"retry\":[{\"errors\":[\"network\"],\"intervalMs\":0,"
                             "\"maxAttempts\":3}]"));
    who.on_start = "!network";
    start(engine, "r", "a", 0);
    for (int i = 1; i <= 3; i++) {
        once(engine, 0);
        TEST_ASSERT_EQUAL_INT(i, who.starts);
        TEST_ASSERT_EQUAL_INT(i, gate.calls);
    }
    once(engine, 0);
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "a"));
    expect_clean();
}

/* While a store fails, nobody is told anything, and nothing is lost. */
static void as_long_as_the_store_fails(void)
{
    start_all();
    gate.victim = "c";
    gate.answer = WFSM_STORE_FAILED;
    who.on_poll = "1";
    for (int64_t now = 2; now < 20; now++) {
        STATUS(WFSM_STORE_FAILED, wfsm_engine_run(engine, now, NULL));
        TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "c"));
        TEST_ASSERT_EQUAL_INT64(now + WF_RETRY_MS, wfsm_engine_deadline(engine));
    }
    TEST_ASSERT_EQUAL_INT(0, gate.heads);
    gate.victim = NULL;
    run(engine, 20);
    all_are("[\"done\"]");
    TEST_ASSERT_EQUAL_INT(INSTANCES, who.starts);
}

/* ---- a round in three parts ---- */

/* Of the only invocation. The store is not asked. */
static const char *work_of(const char *id)
{
    static char work[WF_INVOCATION_ID_BYTES];
    const wfsm_instance *of = wfsm_engine_instance(engine, id);

    wf_instance_invocation_id(of, wf_instance_invocation(of, 0), work);
    return work;
}

static wfsm_round *prepare(int64_t now)
{
    wfsm_round *round = NULL;

    OK(wfsm_engine_prepare(engine, now, &round, error));
    TEST_ASSERT_NOT_NULL(round);
    return round;
}

static void expect_nothing_else(wfsm_round *round)
{
    wfsm_head head = {.size = sizeof head};
    wfsm_round *other = NULL;
    int32_t outcome = 0;

    STATUS(WFSM_BUSY, wfsm_engine_prepare(engine, 2, &other, error));
    STATUS(WFSM_BUSY, wfsm_engine_run(engine, 2, error));
    STATUS(WFSM_BUSY, wfsm_engine_start(engine, "m", "z", NULL, 0, 2, error));
    STATUS(WFSM_BUSY, wfsm_engine_patch(engine, "a", "{}", 2, 2, &outcome, error));
    STATUS(WFSM_BUSY, wfsm_engine_free(engine));
    STATUS(WFSM_BUSY, wfsm_store_head(store, "a", &head, error));
    STATUS(WFSM_BUSY, wfsm_store_post(store, "a", "news", NULL, NULL, 0, 2, error));
    STATUS(WFSM_INVALID, wfsm_engine_finish(engine, NULL, 2, error));
    STATUS(WFSM_INVALID, wfsm_engine_finish(engine, round, -1, error));
}

/* Nobody sees anything of it before finish. */
static void a_round_that_is_out_is_not_seen(void)
{
    wfsm_round *round;

    start_all();
    who.on_poll = "1";
    round = prepare(2);
    all_are("[\"work\"]");
    TEST_ASSERT_EQUAL_size_t(INSTANCES, wfsm_engine_working(engine));
    TEST_ASSERT_EQUAL_INT(0, gate.calls);
    expect_nothing_else(round);
    OK(wfsm_round_exchange(round));
    STATUS(WFSM_INVALID, wfsm_round_exchange(round));
    TEST_ASSERT_EQUAL_INT(1, gate.calls);
    all_are("[\"work\"]");
    OK(wfsm_engine_finish(engine, round, 3, error));
    all_are("[\"done\"]");
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_working(engine));
    STATUS(WFSM_INVALID, wfsm_engine_finish(engine, round, 3, error));
    STATUS(WFSM_INVALID, wfsm_round_exchange(round));
    STATUS(WFSM_INVALID, wfsm_round_exchange(NULL));
}

static void without_an_exchange_nothing_has_happened(void)
{
    start_all();
    who.on_poll = "1";
    STATUS(WFSM_STORE_FAILED, wfsm_engine_finish(engine, prepare(2), 2, error));
    TEST_ASSERT_EQUAL_STRING("the round has had no exchange", wfsm_error_message(error));
    TEST_ASSERT_EQUAL_INT(0, gate.calls);
    all_are("[\"work\"]");
    run(engine, 3);
    all_are("[\"done\"]");
    TEST_ASSERT_EQUAL_INT(INSTANCES, who.starts);
}

static void the_host_learns_of_a_failure(void)
{
    wfsm_round *round;

    start_all();
    who.on_poll = "1";
    gate.victim = "c";
    gate.answer = WFSM_STORE_FAILED;
    round = prepare(2);
    OK(wfsm_round_exchange(round));
    STATUS(WFSM_STORE_FAILED, wfsm_engine_finish(engine, round, 2, error));
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "c"));
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "d"));
}

static void what_no_round_would_take_is_refused_at_once(void)
{
    static char deep[500], large[3000000]; /* JSON, but no input */
    int32_t outcome = 0;

    memset(deep, '[', sizeof deep / 2);
    memset(deep + sizeof deep / 2, ']', sizeof deep / 2);
    STATUS(WFSM_LIMIT,
           wfsm_engine_result(engine, work_of("b"), deep, sizeof deep, 2, &outcome, error));
    for (size_t i = 1; i + 2 < sizeof large; i += 2)
        memcpy(large + i, "0,", 2);
    large[0] = '[';
    memcpy(large + sizeof large - 2, " ]", 2);
    STATUS(WFSM_LIMIT,
           wfsm_engine_send(engine, "a", "go", NULL, large, sizeof large, 2, &outcome, error));
    STATUS(WFSM_INVALID,
           wfsm_engine_failure(engine, work_of("c"), "none", "no", 2, &outcome, error));
    STATUS(WFSM_INVALID,
           wfsm_engine_failure(engine, work_of("c"), "exit", "\xff", 2, &outcome, error));
}

/* The next round takes it. */
static void what_is_sent_meanwhile_is_queued(void)
{
    int32_t outcome = 0;
    wfsm_round *round;

    start_all();
    round = prepare(2);
    STATUS(WFSM_OK, wfsm_engine_send(engine, "a", "stop", NULL, "1", 1, 2, &outcome, error));
    TEST_ASSERT_EQUAL_STRING("queued", wfsm_outcome_name(outcome));
    OK(wfsm_engine_result(engine, work_of("b"), "7", 1, 2, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_QUEUED, outcome);
    OK(wfsm_engine_failure(engine, work_of("c"), "exit", "no", 2, &outcome, error));
    OK(wfsm_engine_stop(engine, "d", 2, &outcome, error));
    OK(wfsm_engine_cancel(engine, work_of("e"), "enough", 2, &outcome, error));
    OK(wfsm_engine_heartbeat(engine, work_of("e"), 2, error));
    STATUS(WFSM_NOT_FOUND,
           wfsm_engine_send(engine, "z", "go", NULL, NULL, 0, 2, &outcome, error));
    STATUS(WFSM_INVALID,
           wfsm_engine_send(engine, "a", "done.x", NULL, NULL, 0, 2, &outcome, error));
    STATUS(WFSM_SYNTAX, wfsm_engine_send(engine, "a", "go", NULL, "{", 1, 2, &outcome, error));
    STATUS(WFSM_SYNTAX, wfsm_engine_result(engine, work_of("b"), "{", 1, 2, &outcome, error));
    what_no_round_would_take_is_refused_at_once();
    all_are("[\"work\"]");
    OK(wfsm_round_exchange(round));
    OK(wfsm_engine_finish(engine, round, 2, error));
    all_are("[\"work\"]");
    TEST_ASSERT_EQUAL_INT64(2, wfsm_engine_deadline(engine));
    TEST_ASSERT_FALSE(wfsm_engine_idle(engine));
    once(engine, 3);
    TEST_ASSERT_EQUAL_STRING("[\"stopped\"]", where(engine, "a"));
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "b"));
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "c"));
    TEST_ASSERT_EQUAL_INT32(1, wfsm_instance_stopped(wfsm_engine_instance(engine, "d")));
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "e"));
    TEST_ASSERT_EQUAL_INT(1, gate.calls);
}

/* It is kept until it is stored. */
static void what_is_queued_is_not_lost(void)
{
    int32_t outcome = 0;
    wfsm_round *round;

    start_all();
    round = prepare(2);
    for (int i = 0; i < INSTANCES; i++)
        OK(wfsm_engine_send(engine, ids[i], "stop", NULL, NULL, 0, 2, &outcome, error));
    OK(wfsm_round_exchange(round));
    OK(wfsm_engine_finish(engine, round, 2, error));
    gate.victim = "c";
    gate.answer = WFSM_STORE_FAILED;
    STATUS(WFSM_STORE_FAILED, wfsm_engine_run(engine, 3, error));
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "c"));
    TEST_ASSERT_EQUAL_INT64(3 + WF_RETRY_MS, wfsm_engine_deadline(engine));
    gate.answer = WFSM_STORE_UNKNOWN;
    STATUS(WFSM_STORE_UNKNOWN, wfsm_engine_run(engine, 4, error));
    gate.victim = NULL;
    run(engine, 5);
    all_are("[\"stopped\"]");
    for (int i = 0; i < INSTANCES; i++)
        TEST_ASSERT_EQUAL_size_t(1, records(ids[i], "\"event\":\"stop\""));
}

/* It dies between the parts: the next one finds what is stored. */
static void a_crash_between_the_parts(void)
{
    for (int parts = 1; parts <= 2; parts++) {
        wfsm_round *round;
        size_t count = 0;

        start_all();
        who.on_poll = "1";
        round = prepare(2);
        if (parts == 2)
            OK(wfsm_round_exchange(round));
        wf_engine_abandon(engine);
        who = (actor){.on_probe = "1", .on_poll = "1"};
        engine = engine_of("two", INSTANCES);
        add_actor(engine, "a", &who);
        OK(wfsm_engine_adopt_all(engine, 20000, &count, error));
        TEST_ASSERT_EQUAL_size_t(parts == 2 ? 0 : INSTANCES, count);
        run(engine, 20000);
        for (int i = 0; i < INSTANCES; i++) {
            TEST_ASSERT_EQUAL_size_t(1, records(ids[i], "\"kind\":\"result\""));
            OK(wfsm_store_remove(store, ids[i], error));
        }
        TEST_ASSERT_EQUAL_INT(0, who.starts);
        OK(wfsm_engine_free(engine));
        engine = engine_of("one", INSTANCES);
        add_machine(engine, WORK("m", "a", ""));
        who = (actor){0};
        add_actor(engine, "a", &who);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_round_that_is_out_is_not_seen);
    RUN_TEST(without_an_exchange_nothing_has_happened);
    RUN_TEST(the_host_learns_of_a_failure);
    RUN_TEST(what_is_sent_meanwhile_is_queued);
    RUN_TEST(what_is_queued_is_not_lost);
    RUN_TEST(a_crash_between_the_parts);
    RUN_TEST(what_is_ready_is_one_call);
    RUN_TEST(a_slot_is_free_once_the_store_knows);
    RUN_TEST(a_failure_is_taken_back);
    RUN_TEST(an_id_that_is_known_is_taken_back);
    RUN_TEST(a_conflict_is_loaded_again);
    RUN_TEST(a_lost_answer_is_loaded_again);
    RUN_TEST(a_lost_answer_to_what_is_stored);
    RUN_TEST(a_lost_answer_to_a_claim);
    RUN_TEST(as_long_as_the_store_fails);
    RUN_TEST(what_is_tried_again_is_claimed_at_once);
    RUN_TEST(a_retry_that_is_due_at_once);
    return UNITY_END() != 0;
}
