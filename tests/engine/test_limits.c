/* The engine with delayed retries, missing heartbeats, and budgets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wfsm/audit.h>
#include "world.h"

static wfsm_engine *engine;
static actor who;

void setUp(void)
{
    world_open();
    engine = engine_of("one", 0);
    memset(&who, 0, sizeof who);
}

static void expect_clean(void)
{
    wfsm_audit_counts counts = {.size = sizeof counts};

    OK(wfsm_store_audit(store, NULL, NULL, NULL, &counts, error));
    TEST_ASSERT_EQUAL_UINT64(0, counts.diagnostics);
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    expect_clean();
    world_close();
}

/* Says what it is told beside its answers. */
typedef struct talker {
    int starts;
    int64_t retry_after, tokens;
    const char *signature, *failure_class;
    bool beats;
} talker;

static int32_t speak(talker *self, wfsm_call *call)
{
    if (self->tokens > 0) {
        OK(wfsm_call_usage(call, "tokens", self->tokens - 1));
        OK(wfsm_call_usage(call, "tokens", 1));
        OK(wfsm_call_usage(call, "heat", 3));
    }
    if (self->signature)
        OK(wfsm_call_signature(call, self->signature));
    if (!self->failure_class)
        return wfsm_call_done(call, "1", 1);
    OK(wfsm_call_retry_after(call, self->retry_after));
    return wfsm_call_failed(call, self->failure_class, "HTTP 429 after 17 ms");
}

static int32_t talk(void *user, wfsm_call *call)
{
    talker *self = user;

    self->starts++;
    return speak(self, call);
}

static void begin(const char *machine, talker *self)
{
    add_machine(engine, machine);
    OK(wfsm_engine_add_agent(engine, "a", talk, self, error));
    start(engine, "m", "x", 0);
    run(engine, 0);
}

#define NETWORK ",\"retry\":[{\"errors\":[\"network\"],\"intervalMs\":100,\"maxAttempts\":3}]"

static void a_retry_comes_no_earlier_than_the_agent_says(void)
{
    talker self = {.retry_after = 5000, .failure_class = "network"};

    begin(WORK("m", "a", NETWORK), &self);
    TEST_ASSERT_EQUAL_INT(1, self.starts);
    run(engine, 4999);
    TEST_ASSERT_EQUAL_INT(1, self.starts);
    self.retry_after = 1;
    run(engine, 5000);
    TEST_ASSERT_EQUAL_INT(2, self.starts);
    TEST_ASSERT_EQUAL_INT64(5200, wfsm_engine_deadline(engine));
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"retry_after\":5000"));
    TEST_ASSERT_EQUAL_size_t(2, records("x", "\"retry_count\":1,\"retry_reason\":\"network\""));
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"retry_count\":2,\"retry_reason\":\"network\""));
    self.failure_class = NULL;
    run(engine, 5200);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
}

static void what_an_agent_has_used_counts(void)
{
    talker self = {.tokens = 40, .failure_class = "network"};
    size_t length;
    wfsm_instance *instance;

    begin("{\"wfsm\":1,\"id\":\"m\",\"initial\":\"w\",\"budgets\":{\"tokens\":{\"limit\":100}},"
          "\"on\":{\"error.budget.tokens\":\".over\"},\"states\":{\"w\":{\"invoke\":{\"src\":"
          "\"a\","
          "\"retry\":[{\"intervalMs\":10,\"backoffRate\":1,\"maxAttempts\":9}]}},\"over\":{}}}",
          &self);
    instance = wfsm_engine_instance(engine, "x");
    TEST_ASSERT_EQUAL_STRING("{\"tokens\":{\"used\":40,\"limit\":100,\"left\":60}}",
                             wfsm_instance_budgets(instance, 0, &length));
    run(engine, 10);
    run(engine, 20);
    TEST_ASSERT_EQUAL_INT(3, self.starts);
    TEST_ASSERT_EQUAL_STRING("[\"over\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_STRING("{\"tokens\":{\"used\":120,\"limit\":100,\"left\":0}}",
                             wfsm_instance_budgets(instance, 0, &length));
    TEST_ASSERT_EQUAL_STRING(
        "[{\"invoke\":\"w\",\"signature\":\"network: HTTP # after # ms\",\"count\":1}]",
        wfsm_instance_failures(instance, &length));
    TEST_ASSERT_EQUAL_size_t(3, records("x", "\"usage\":{\"tokens\":40,\"heat\":3}"));
}

static void setters_refuse_what_cannot_be(void)
{
    wfsm_call call;
    wfsm_allocator allocator;

    wf_allocator_init(&allocator, NULL);
    wf_call_init(&call, WF_CALL_AGENT, &allocator);
    STATUS(WFSM_INVALID, wfsm_call_usage(&call, "", 1));
    STATUS(WFSM_INVALID, wfsm_call_usage(&call, NULL, 1));
    STATUS(WFSM_INVALID, wfsm_call_usage(&call, "tokens", -1));
    STATUS(WFSM_INVALID, wfsm_call_usage(&call, "tokens", ((int64_t)1 << 53) + 1));
    STATUS(WFSM_INVALID, wfsm_call_retry_after(&call, -1));
    STATUS(WFSM_INVALID, wfsm_call_signature(&call, ""));
    STATUS(WFSM_INVALID, wfsm_call_signature(&call, NULL));
    STATUS(WFSM_INVALID, wfsm_call_signature(&call, "\xff"));
    STATUS(WFSM_INVALID, wfsm_call_heartbeat(NULL));
    OK(wfsm_call_usage(&call, "tokens", (int64_t)1 << 53));
    OK(wfsm_call_usage(&call, "tokens", (int64_t)1 << 53));
    call.kind = WF_CALL_GUARD;
    STATUS(WFSM_INVALID, wfsm_call_usage(&call, "tokens", 1));
    wf_call_fini(&call);
}

/* Two claims are allowed; four instances of two invocations each ask for one at a time. */
static const char claims[] =
    "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"w\",\"budgets\":{\"claims\":{\"limit\":2,"
    "\"counts\":\"claims\"}},\"states\":{\"w\":{\"invoke\":{\"src\":\"a\",\"id\":\"j\","
    "\"onDone\":{\"target\":\"w\",\"reenter\":true}},"
    "\"on\":{\"RESET\":{\"actions\":{\"type\":\"reset\",\"params\":{\"budgets\":\"claims\"}}}}}"
    "}}";

static void what_a_budget_refuses_waits_without_a_deadline(void)
{
    talker self = {0};
    int32_t outcome = 0;

    begin(claims, &self);
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(2, self.starts);
    TEST_ASSERT_GREATER_THAN_INT64(1000, wfsm_engine_deadline(engine));
    OK(wfsm_engine_send(engine, "x", "RESET", NULL, NULL, 0, 2, &outcome, error));
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(4, self.starts);
    run(engine, 3);
    TEST_ASSERT_EQUAL_INT(4, self.starts);
}

static void claims_survive_a_kill(void)
{
    talker self = {0};

    begin(claims, &self);
    TEST_ASSERT_EQUAL_INT(2, self.starts);
    wf_engine_abandon(engine);
    engine = engine_of("two", 0);
    add_machine(engine, claims);
    OK(wfsm_engine_add_agent(engine, "a", talk, &self, error));
    OK(wfsm_engine_adopt(engine, "x", 20000, error));
    run(engine, 20000);
    TEST_ASSERT_EQUAL_INT(2, self.starts);
}

/* ---- signs of life ---- */

static int32_t beat(void *user, wfsm_call *call)
{
    talker *self = user;

    return self->beats ? wfsm_call_heartbeat(call) : WFSM_OK;
}

static int32_t begin_work(void *user, wfsm_call *call)
{
    (void)call;
    ((talker *)user)->starts++;
    return WFSM_OK;
}

static int32_t stop(void *user, wfsm_call *call)
{
    (void)call;
    ((talker *)user)->tokens++;
    return WFSM_OK;
}

static void add_worker(talker *self)
{
    wfsm_agent agent = {sizeof agent, self, begin_work, beat, stop, NULL};

    OK(wfsm_engine_add_agent_full(engine, "a", &agent, error));
}

static void silence_is_a_failure(void)
{
    talker self = {.beats = true};

    add_machine(engine, WORK("m", "a", ",\"heartbeatMs\":1000"));
    add_worker(&self);
    start(engine, "m", "x", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT64(1000, wfsm_engine_deadline(engine));
    run(engine, 900);
    run(engine, 1800);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    self.beats = false;
    run(engine, 2799);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT64(2800, wfsm_engine_deadline(engine));
    run(engine, 2800);
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT64(1, self.tokens);
    TEST_ASSERT_EQUAL_size_t(1, records("x", "no heartbeat for 1000 ms"));
}

static void others_may_say_that_the_work_goes_on(void)
{
    talker self = {0};

    add_machine(engine, WORK("m", "a", ",\"heartbeatMs\":1000"));
    add_worker(&self);
    start(engine, "m", "x", 0);
    STATUS(WFSM_NOT_FOUND, wfsm_engine_heartbeat(engine, IDS("x/1/1"), 0, error));
    run(engine, 0);
    STATUS(WFSM_NOT_FOUND, wfsm_engine_heartbeat(engine, IDS("x/1/2"), 700, error));
    STATUS(WFSM_INVALID, wfsm_engine_heartbeat(engine, NULL, 700, error));
    OK(wfsm_engine_heartbeat(engine, IDS("x/1/1"), 700, error));
    run(engine, 1699);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    run(engine, 1700);
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
}

static void a_silent_attempt_may_be_tried_again(void)
{
    talker self = {0};

    add_machine(engine, WORK("m", "a",
                             ",\"heartbeatMs\":1000,\"retry\":[{\"errors\":[\"timeout\"],"
                             "\"intervalMs\":0,\"maxAttempts\":2}]"));
    add_worker(&self);
    start(engine, "m", "x", 0);
    run(engine, 0);
    run(engine, 1000);
    TEST_ASSERT_EQUAL_INT(2, self.starts);
    TEST_ASSERT_EQUAL_INT64(2000, wfsm_engine_deadline(engine));
    run(engine, 2000);
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT64(2, self.tokens);
}

/* When the invocation is tried again. */
static int64_t due_of(const char *id)
{
    char part[100];
    const char *text = wfsm_engine_work(engine, WFSM_POOL_ALL, NULL, NULL);

    (void)snprintf(part, sizeof part, "{\"id\":\"%s\"", id);
    text = strstr(text, part);
    TEST_ASSERT_NOT_NULL_MESSAGE(text, id);
    text = strstr(text, "\"due\":");
    TEST_ASSERT_NOT_NULL_MESSAGE(text, id);
    return strtoll(text + 6, NULL, 10);
}

/* The policy that knows the class decides, and all attempts count for it. */
static void delays_grow_up_to_their_bound(void)
{
    static const int64_t dues[] = {100, 400, 1300, 2300};
    int64_t now = 0;

    add_actor(engine, "a", &who);
    add_machine(engine, WORK("m", "a",
                             ",\"retry\":[{\"errors\":[\"network\"],\"maxAttempts\":6,"
                             "\"intervalMs\":100,\"backoffRate\":3,\"maxDelayMs\":1000},"
                             "{\"errors\":[\"timeout\"],\"maxAttempts\":6,"
                             "\"intervalMs\":7,\"backoffRate\":1}]"));
    who.on_start = "!network";
    start(engine, "m", "x", 0);
    for (size_t i = 0; i < 4; i++) {
        run(engine, now);
        TEST_ASSERT_EQUAL_INT64(dues[i], due_of(IDS("x/1/1")));
        now = dues[i];
    }
    who.on_start = "!timeout";
    run(engine, now);
    TEST_ASSERT_EQUAL_INT64(2307, due_of(IDS("x/1/1")));
    who.on_start = "!network";
    run(engine, 2307);
    TEST_ASSERT_EQUAL_INT(6, who.starts);
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
}

enum { JITTERS = 6 };

static void collect_jitters(int64_t delays[JITTERS])
{
    int64_t now = 0;

    add_actor(engine, "a", &who);
    add_machine(engine, WORK("m", "a",
                             ",\"retry\":[{\"errors\":[\"network\"],\"maxAttempts\":9,"
                             "\"intervalMs\":1000000,\"backoffRate\":1,\"jitter\":true}]"));
    who.on_start = "!network";
    start(engine, "m", "x", 0);
    start(engine, "m", "y", 0);
    for (size_t i = 0; i < JITTERS; i += 2) {
        run(engine, now);
        delays[i] = due_of(IDS("x/1/1")) - now;
        delays[i + 1] = due_of(IDS("y/1/1")) - now;
        now += 1000000;
    }
}

/* It follows from the invocation and its attempt: a run that is repeated waits as long. */
static void jitter_differs_and_repeats(void)
{
    int64_t once[JITTERS], again[JITTERS];

    collect_jitters(once);
    wfsm_engine_free(engine);
    world_close();
    setUp();
    collect_jitters(again);
    TEST_ASSERT_EQUAL_INT64_ARRAY(once, again, JITTERS);
    for (size_t i = 0; i < JITTERS; i++) {
        TEST_ASSERT_GREATER_OR_EQUAL_INT64(0, once[i]);
        TEST_ASSERT_LESS_OR_EQUAL_INT64(1000000, once[i]);
        for (size_t j = 0; j < i; j++)
            TEST_ASSERT_NOT_EQUAL_INT64(once[j], once[i]);
    }
}

static uint32_t selections_of(wfsm_engine *self, const char *id)
{
    wfsm_step_limits limits = {.size = sizeof limits};

    OK(wfsm_instance_limits(wfsm_engine_instance(self, id), &limits));
    return limits.selections;
}

static void all_instances_have_the_limits_of_their_engine(void)
{
    wfsm_step_limits limits = {.size = sizeof limits, .selections = 7};
    wfsm_engine_options options = {
        .size = sizeof options, .session = "strict", .limits = &limits};
    wfsm_engine *strict = NULL;
    talker self = {.failure_class = NULL};

    begin(WORK("m", "b", ""), &self);
    TEST_ASSERT_EQUAL_UINT32(1000, selections_of(engine, "x"));
    OK(wfsm_engine_release(engine, "x", error));
    OK(wfsm_engine_new(&strict, store, &options, error));
    limits.selections = 8; /* they were copied */
    OK(wfsm_engine_adopt(strict, "x", 1, error));
    TEST_ASSERT_EQUAL_UINT32(1000, selections_of(strict, "x"));
    OK(wfsm_engine_send(strict, "x", "stop", NULL, NULL, 0, 1, NULL, error));
    TEST_ASSERT_EQUAL_UINT32(7, selections_of(strict, "x"));
    TEST_ASSERT_EQUAL_size_t(2, records("x", "\"limits\":"));
    add_machine(strict, WORK("n", "b", ""));
    start(strict, "n", "y", 1);
    TEST_ASSERT_EQUAL_UINT32(7, selections_of(strict, "y"));
    OK(wfsm_engine_fork(strict, "x", NULL, "z", 1, error));
    TEST_ASSERT_EQUAL_UINT32(7, selections_of(strict, "z"));
    wfsm_engine_free(strict);
    limits.step_work = 1;
    STATUS(WFSM_INVALID, wfsm_engine_new(&strict, store, &options, error));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_retry_comes_no_earlier_than_the_agent_says);
    RUN_TEST(what_an_agent_has_used_counts);
    RUN_TEST(setters_refuse_what_cannot_be);
    RUN_TEST(what_a_budget_refuses_waits_without_a_deadline);
    RUN_TEST(claims_survive_a_kill);
    RUN_TEST(silence_is_a_failure);
    RUN_TEST(others_may_say_that_the_work_goes_on);
    RUN_TEST(a_silent_attempt_may_be_tried_again);
    RUN_TEST(delays_grow_up_to_their_bound);
    RUN_TEST(jitter_differs_and_repeats);
    RUN_TEST(all_instances_have_the_limits_of_their_engine);
    return UNITY_END() != 0;
}
