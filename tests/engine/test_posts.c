/* The kinds of posts: a process that does not own an instance can do to it what its owner can. */
#include <stdio.h>
#include <string.h>
#include <wfsm/audit.h>

#include "world.h"

#define TRIED ",\"retry\":[{\"errors\":[\"network\"],\"maxAttempts\":3,\"intervalMs\":60000}]"
#define RESTORABLE                                                                             \
    "{\"wfsm\":1,\"id\":\"r\",\"initial\":\"a\",\"restore\":{\"from\":[\"a\",\"b\"]},"         \
    "\"states\":{\"a\":{\"on\":{\"go\":\"b\"}},\"b\":{}}}"

static wfsm_engine *engine;
static actor who;

void setUp(void)
{
    world_open();
    who = (actor){0};
    engine = engine_of("one", 0);
    add_machine(engine, WORK("m", "a", TRIED));
    add_machine(engine, WORK("ask", "person", ""));
    add_machine(engine, RESTORABLE);
    add_actor(engine, "a", &who);
}

static int32_t found_diagnostic(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)user;
    TEST_FAIL_MESSAGE(diagnostic->message);
    return WFSM_OK;
}

void tearDown(void)
{
    OK(wfsm_store_audit(store, NULL, found_diagnostic, NULL, NULL, error));
    wfsm_engine_free(engine);
    world_close();
}

static int32_t submit(int32_t kind, const char *data)
{
    const wfsm_post given = {.size = sizeof given,
                             .instance = "x",
                             .data = data,
                             .length = data ? strlen(data) : 0,
                             .kind = kind,
                             .interface = WFSM_INTERFACE_COMMAND,
                             .sender = "ada"};
    return wfsm_store_submit(store, &given, error);
}

/* Every post is consumed, whatever becomes of it. */
static void take(int32_t kind, const char *data, int64_t now)
{
    OK(submit(kind, data));
    run(engine, now);
    TEST_ASSERT_EQUAL_size_t(0, posts());
}

static void begin(void)
{
    start(engine, "m", "x", 0);
    run(engine, 0);
    TEST_ASSERT_EQUAL_INT(1, who.starts);
}

static void a_stop(void)
{
    begin();
    take(WFSM_POST_STOP, NULL, 1);
    TEST_ASSERT_EQUAL_INT(1, wfsm_instance_stopped(wfsm_engine_instance(engine, "x")));
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"kind\":\"stop\""));
    take(WFSM_POST_STOP, NULL, 2);
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"kind\":\"post\",\"post\":\"stop\""));
}

static void a_cancellation(void)
{
    begin();
    take(WFSM_POST_CANCEL, IDS("{\"invocation\":\"x/1/1\",\"message\":\"not now\"}"), 1);
    TEST_ASSERT_EQUAL_STRING("[\"failed\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_EQUAL_size_t(1, records("x", "not now"));
}

static void an_answer(void)
{
    begin();
    take(WFSM_POST_ANSWER, IDS("{\"invocation\":\"x/1/1\",\"output\":{\"n\":[1]}}"), 1);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"output\":{\"n\":[1]}"));
    TEST_ASSERT_EQUAL_size_t(0, wfsm_engine_working(engine));
}

static void a_failure_and_a_retry(void)
{
    begin();
    take(WFSM_POST_ANSWER, IDS("{\"invocation\":\"x/1/1\",\"class\":\"network\"}"), 1);
    run(engine, 2);
    TEST_ASSERT_EQUAL_INT(1, who.starts); /* the next attempt is a minute away */
    take(WFSM_POST_RETRY, IDS("{\"invocation\":\"x/1/1\"}"), 3);
    run(engine, 3);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    TEST_ASSERT_EQUAL_INT32(2, who.attempt);
}

/* The agent hangs: its attempt is given up, and the next one begins. */
static void a_retry_of_what_runs(void)
{
    begin();
    take(WFSM_POST_RETRY, IDS("{\"invocation\":\"x/1/1\"}"), 1);
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_EQUAL_INT(2, who.starts);
    TEST_ASSERT_EQUAL_INT32(2, who.attempt);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engine));
}

/* The host of the engine needs no post. */
static void a_retry_by_the_host(void)
{
    int32_t outcome = 0;

    begin();
    OK(wfsm_engine_retry(engine, who.id, 1, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    run(engine, 1);
    TEST_ASSERT_EQUAL_INT(1, who.cancels);
    TEST_ASSERT_EQUAL_INT32(2, who.attempt);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engine));
    OK(wfsm_engine_failure(engine, who.id, "network", NULL, 2, &outcome, error));
    OK(wfsm_engine_retry(engine, who.id, 3, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_TAKEN, outcome);
    run(engine, 3);
    TEST_ASSERT_EQUAL_INT32(3, who.attempt);
    OK(wfsm_engine_result(engine, who.id, "1", 1, 4, &outcome, error));
    OK(wfsm_engine_retry(engine, who.id, 5, &outcome, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_STALE, outcome);
    STATUS(WFSM_NOT_FOUND, wfsm_engine_retry(engine, "z/1/1", 5, &outcome, error));
    STATUS(WFSM_INVALID, wfsm_engine_retry(engine, NULL, 5, &outcome, error));
    STATUS(WFSM_INVALID, wfsm_engine_retry(engine, who.id, -1, &outcome, error));
}

/* What the older version did in `work`, this one does in `state`. */
#define MOVING(version, state)                                                                 \
    "{\"wfsm\":1,\"id\":\"g\",\"version\":\"" version "\",\"initial\":\"" state                \
    "\",\"migrate\":[{\"from\":\"1\",\"states\":{\"work\":\"" state                            \
    "\"}}],\"states\":{\"" state                                                               \
    "\":{\"invoke\":{\"id\":\"w\",\"src\":\"a\",\"onDone\":\"done\"}},"                        \
    "\"done\":{\"type\":\"final\"}}}"

/* The text of a document, as data of a post. */
static const char *with_document(const char *text)
{
    static char data[2000];
    char *end = data + sprintf(data, "{\"document\":\"");

    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            *end++ = '\\';
        *end++ = *text;
    }
    strcpy(end, "\"}");
    return data;
}

/* The agent is not disturbed, and answers under the same id. */
static void a_migration(void)
{
    int32_t outcome = 0;

    add_machine(engine, MOVING("1", "work"));
    start(engine, "g", "x", 0);
    run(engine, 0);
    take(WFSM_POST_MIGRATE, with_document(MOVING("2", "task")), 1);
    TEST_ASSERT_EQUAL_STRING("[\"task\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"kind\":\"migrate\""));
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"sender\":\"ada\""));
    TEST_ASSERT_EQUAL_INT(1, who.starts);
    TEST_ASSERT_EQUAL_INT(0, who.cancels);
    TEST_ASSERT_EQUAL_size_t(1, wfsm_engine_working(engine));
    OK(wfsm_engine_result(engine, who.id, "1", 1, 2, &outcome, error));
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    take(WFSM_POST_MIGRATE, with_document(MOVING("3", "task")), 3);
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"status\":\"DENIED\""));
}

static void a_migration_that_cannot_be(void)
{
    static const char *const documents[] = {
        "{", "7", "{\"id\":\"g\"}",
        "{\"id\":\"g\",\"version\":\"2\",\"initial\":\"other\",\"states\":{\"other\":{}}}",
        "{\"id\":\"h\",\"initial\":\"task\",\"states\":{\"task\":{}}}"};
    size_t count = sizeof documents / sizeof *documents;

    add_machine(engine, MOVING("1", "work"));
    start(engine, "g", "x", 0);
    run(engine, 0);
    for (size_t i = 0; i < count; i++) {
        take(WFSM_POST_MIGRATE, with_document(documents[i]), 1);
        TEST_ASSERT_EQUAL_size_t(i + 1,
                                 records("x", "{\"kind\":\"post\",\"post\":\"migrate\""));
    }
    STATUS(WFSM_SEMANTIC, submit(WFSM_POST_MIGRATE, "{\"document\":{}}"));
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(0, who.cancels);
}

static void a_checkpoint_and_a_restore(void)
{
    start(engine, "r", "x", 0);
    take(WFSM_POST_CHECKPOINT, "{\"id\":\"c\",\"artifacts\":[\"f\"]}", 1);
    post("x", "go", NULL);
    run(engine, 2);
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, "x"));
    take(WFSM_POST_RESTORE, "{\"checkpoint\":\"c\"}", 3);
    TEST_ASSERT_EQUAL_STRING("[\"a\"]", where(engine, "x"));
    take(WFSM_POST_RESTORE, "{\"revision\":3}", 4);
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, "x"));
    take(WFSM_POST_CHECKPOINT, "{\"id\":\"c\",\"delete\":true}", 5);
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"kind\":\"delete_checkpoint\""));
    take(WFSM_POST_CHECKPOINT, "{\"id\":\"c\",\"delete\":true}", 6);
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"status\":\"NOT_FOUND\""));
}

/* A record says why, and nothing else has changed. Posts behind it are taken. */
static void what_cannot_be_taken(void)
{
    begin();
    OK(submit(WFSM_POST_RESTORE, "{\"checkpoint\":\"none\"}"));
    OK(submit(WFSM_POST_RESTORE, "{\"revision\":-1}"));
    OK(submit(WFSM_POST_CHECKPOINT, "{\"id\":\"\"}"));
    OK(submit(WFSM_POST_ANSWER, IDS("{\"invocation\":\"x/9/9\",\"output\":1}")));
    OK(submit(WFSM_POST_ANSWER, IDS("{\"invocation\":\"x/1/1\",\"class\":\"none\"}")));
    OK(submit(WFSM_POST_CANCEL, IDS("{\"invocation\":\"y/1/1\"}")));
    OK(submit(WFSM_POST_RETRY, IDS("{\"invocation\":\"x/9/9\"}")));
    run(engine, 1);
    TEST_ASSERT_EQUAL_size_t(0, posts());
    TEST_ASSERT_EQUAL_size_t(7, records("x", "\"kind\":\"post\""));
    TEST_ASSERT_EQUAL_size_t(1, records("x", "\"status\":\"NOT_FOUND\""));
    TEST_ASSERT_EQUAL_size_t(3, records("x", "\"outcome\":\"stale\""));
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_INT(0, who.cancels);
}

/* The record says through which interface an input came and who sent it, whatever its kind. */
static void the_origin_is_recorded(void)
{
    const wfsm_event event = {
        .size = sizeof event, .name = "go", .interface = WFSM_INTERFACE_PAGE, .sender = "bob"};
    const wfsm_event wrong = {.size = sizeof wrong, .name = "go", .interface = 6};
    const wfsm_event nobody = {.size = sizeof nobody, .name = "go", .sender = ""};
    int32_t outcome;

    start(engine, "r", "x", 0);
    take(WFSM_POST_CHECKPOINT, "{\"id\":\"c\"}", 1);
    take(WFSM_POST_RESTORE, "{\"checkpoint\":\"none\"}", 2);
    TEST_ASSERT_EQUAL_size_t(
        2, records("x", "\"origin\":{\"interface\":\"command\",\"sender\":\"ada\"}"));
    post("x", "what", NULL);
    run(engine, 3);
    TEST_ASSERT_EQUAL_size_t(
        1, records("x", "\"origin\":{\"interface\":\"post\",\"sender\":null}"));
    STATUS(WFSM_INVALID, wfsm_engine_send_event(engine, "x", &wrong, 4, &outcome, error));
    STATUS(WFSM_INVALID, wfsm_engine_send_event(engine, "x", &nobody, 4, &outcome, error));
    OK(wfsm_engine_send_event(engine, "x", &event, 4, &outcome, error));
    TEST_ASSERT_EQUAL_size_t(
        1, records("x", "\"origin\":{\"interface\":\"page\",\"sender\":\"bob\"}"));
    TEST_ASSERT_EQUAL_STRING("[\"b\"]", where(engine, "x"));
}

static void the_origin_of_a_vote(void)
{
    char digest[WFSM_DIGEST_SIZE];
    wfsm_approval vote = {.size = sizeof vote,
                          .instance = "x",
                          .by = "ada",
                          .digest = digest,
                          .decision = WFSM_APPROVE,
                          .interface = WFSM_INTERFACE_PAGE,
                          .sender = "session of ada"};

    OK(wfsm_digest("null", 4, digest));
    start(engine, "ask", "x", 0);
    vote.invocation = IDS("x/1/1");
    OK(wfsm_approve(store, &vote, 1, error));
    run(engine, 1);
    TEST_ASSERT_EQUAL_STRING("[\"done\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_size_t(
        1, records("x", "\"origin\":{\"interface\":\"page\",\"sender\":\"session of ada\"}"));
    vote.sender = NULL;
    OK(wfsm_approve(store, &vote, 2, error));
    run(engine, 2);
    TEST_ASSERT_EQUAL_size_t(
        1, records("x", "\"origin\":{\"interface\":\"page\",\"sender\":\"ada\"}"));
}

/* No kind of post is a way around the votes of people. */
static void an_answer_for_people(void)
{
    start(engine, "ask", "x", 0);
    run(engine, 0);
    take(WFSM_POST_ANSWER, IDS("{\"invocation\":\"x/1/1\",\"output\":{\"approved\":true}}"), 1);
    take(WFSM_POST_ANSWER, IDS("{\"invocation\":\"x/1/1\",\"class\":\"other\"}"), 2);
    TEST_ASSERT_EQUAL_STRING("[\"work\"]", where(engine, "x"));
    TEST_ASSERT_EQUAL_size_t(2, records("x", "\"status\":\"DENIED\""));
}

static void what_cannot_be_posted(void)
{
    begin();
    STATUS(WFSM_INVALID, submit(9, NULL));
    STATUS(WFSM_INVALID, submit(-1, NULL));
    STATUS(WFSM_INVALID, submit(WFSM_POST_EVENT, NULL)); /* no name */
    STATUS(WFSM_INVALID, submit(WFSM_POST_APPROVAL, "{}"));
    STATUS(WFSM_SYNTAX, submit(WFSM_POST_STOP, "{"));
    STATUS(WFSM_SEMANTIC, submit(WFSM_POST_CANCEL, NULL));
    STATUS(WFSM_SEMANTIC, submit(WFSM_POST_RETRY, "{\"invocation\":7}"));
    STATUS(WFSM_SEMANTIC, submit(WFSM_POST_ANSWER, IDS("{\"invocation\":\"x/1/1\"}")));
    STATUS(WFSM_SEMANTIC, submit(WFSM_POST_RESTORE, "{}"));
    STATUS(WFSM_SEMANTIC, submit(WFSM_POST_RESTORE, "{\"checkpoint\":\"\",\"revision\":1}"));
    STATUS(WFSM_SEMANTIC, submit(WFSM_POST_CHECKPOINT, "[]"));
    const wfsm_post strange = {
        .size = sizeof strange, .instance = "x", .kind = WFSM_POST_STOP, .interface = 6};
    STATUS(WFSM_INVALID, wfsm_store_submit(store, &strange, error));
    const wfsm_post nobody = {
        .size = sizeof nobody, .instance = "x", .kind = WFSM_POST_STOP, .sender = ""};
    STATUS(WFSM_INVALID, wfsm_store_submit(store, &nobody, error));
    TEST_ASSERT_EQUAL_size_t(0, posts());
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_stop);
    RUN_TEST(a_cancellation);
    RUN_TEST(an_answer);
    RUN_TEST(a_failure_and_a_retry);
    RUN_TEST(a_retry_of_what_runs);
    RUN_TEST(a_retry_by_the_host);
    RUN_TEST(a_migration);
    RUN_TEST(a_migration_that_cannot_be);
    RUN_TEST(a_checkpoint_and_a_restore);
    RUN_TEST(what_cannot_be_taken);
    RUN_TEST(the_origin_is_recorded);
    RUN_TEST(the_origin_of_a_vote);
    RUN_TEST(an_answer_for_people);
    RUN_TEST(what_cannot_be_posted);
    return UNITY_END() != 0;
}
