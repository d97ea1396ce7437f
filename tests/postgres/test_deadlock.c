/* Deadlocks that the server finds itself: the store's transaction and that of another session lock the same
 * rows in opposite order. Each commit gets the right answer, also if the store is the victim. */
#include "postgres/server.h"
#include "store/fixture.h"
#include "store/store.h"

#include "pg.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unity.h>
#include <wfsm/wfsm.h>

/*
 * A session looks for a deadlock once in each wait, after its deadlock_timeout. So the one that is to be the
 * victim begins its wait last, and the others never look.
 */
#define NEVER_LOOKS "options='-c deadlock_timeout=20d'"

#define OK(call)                                                                               \
    TEST_ASSERT_EQUAL_STRING_MESSAGE("OK", wfsm_status_name(call), wfsm_error_message(error))

static wfsm_store *store;
static wfsm_engine *engine;
static wfsm_error *error;
static PGconn *gate, *rival;
static pid_t child; /* what the other sessions do meanwhile */
static long delivered;

void setUp(void)
{
    server_wipe();
    error = wfsm_error_new(NULL);
    delivered = 0;
}

void tearDown(void)
{
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    child = 0;
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_error_free(error);
    PQfinish(gate);
    PQfinish(rival);
    engine = NULL;
    store = NULL;
    gate = rival = NULL;
}

/* ---- the other sessions ---- */

static PGconn *open_session(const char *words)
{
    PGconn *session = PQconnectdb(server_address_with(words));

    TEST_ASSERT_EQUAL_INT_MESSAGE(CONNECTION_OK, PQstatus(session), PQerrorMessage(session));
    return session;
}

/* Whether the session could do it; also used in a child, which must not end as a test. */
static bool does(PGconn *session, const char *sql)
{
    PGresult *result = PQexec(session, sql);
    ExecStatusType status = PQresultStatus(result);

    PQclear(result);
    return status != PGRES_FATAL_ERROR;
}

static PGconn *hold(const char *words, const char *row)
{
    PGconn *session = open_session(words);
    char sql[200];

    snprintf(sql, sizeof sql, "SELECT 1 FROM wfsm.%s FOR UPDATE", row);
    TEST_ASSERT_TRUE(does(session, "BEGIN"));
    TEST_ASSERT_TRUE_MESSAGE(does(session, sql), PQerrorMessage(session));
    return session;
}

static int store_process(void)
{
    const wf_pg *db = store->self;

    return PQbackendPID(db->connection);
}

static void await_block(int waiting, int holding)
{
    char sql[100];

    snprintf(sql, sizeof sql, "SELECT (%d = ANY (pg_blocking_pids(%d)))::int", holding,
             waiting);
    server_await(sql, 1);
}

/* The rival wants a row that the store holds, while the store waits for a row of the session `before`. */
static void want(const char *row, int of, const PGconn *before)
{
    char sql[200];

    await_block(of, PQbackendPID(before));
    snprintf(sql, sizeof sql, "SELECT 1 FROM wfsm.%s FOR UPDATE", row);
    if (!PQsendQuery(rival, sql))
        _exit(1);
    await_block(PQbackendPID(rival), of);
}

/* Whether the rival got what it wanted. A deadlock is the only other end. */
static bool got(void)
{
    bool fine = true;
    PGresult *result;

    while ((result = PQgetResult(rival))) {
        const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);

        fine = fine && !state;
        if (state && strcmp(state, "40P01") != 0)
            _exit(1);
        PQclear(result);
    }
    return fine;
}

/* The store waits for the gate, the rival for the store. Once the gate is open, the store waits for the
 * rival: it is the last, and the victim. Then the rival has all rows, and `then` is what it does. */
static void let_store_lose(const char *row, const char *then)
{
    int of = store_process();

    child = fork();
    if (child != 0)
        return;
    server_forget();
    want(row, of, gate);
    _exit(does(gate, "COMMIT") && got() && does(rival, then) && does(rival, "COMMIT") ? 0 : 1);
}

/* The store waits for the rival, and then the rival for the store. */
static void let_rival_lose(const char *row)
{
    int of = store_process();

    child = fork();
    if (child != 0)
        return;
    server_forget();
    want(row, of, rival);
    _exit(!got() && does(rival, "ROLLBACK") ? 0 : 1);
}

static void expect_end(void)
{
    int status = -1;

    waitpid(child, &status, 0);
    child = 0;
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, status, "the other sessions did not do what they were to");
}

/* How often the server chose this process as the victim: its log says so before anybody else hears of it. */
static long deadlocks(int process)
{
    char line[500], wanted[100];
    FILE *log = fopen(server_log(), "r");
    long count = 0;

    TEST_ASSERT_NOT_NULL(log);
    snprintf(wanted, sizeof wanted, "[%d] ERROR:  deadlock detected", process);
    while (fgets(line, sizeof line, log))
        count += strstr(line, wanted) != NULL;
    fclose(log);
    return count;
}

/* ---- the store ---- */

static void open_store(const char *words)
{
    store = server_open(server_address_with(words), "test");
}

static void start_three(void)
{
    start_instance(store, "a", 2);
    start_instance(store, "b", 2);
    start_instance(store, "c", 2);
}

static uint64_t trips(void)
{
    const wf_pg *db = store->self;

    return db->trips;
}

/* Commits to a, b and c, and a post for b, in one exchange. */
static void exchange(const char *expected)
{
    wfsm_commit a = commit_of("a", 2), b = commit_of("b", 2), c = commit_of("c", 2);
    const wfsm_commit *commits[] = {&a, &b, &c};
    wfsm_post post = {.size = sizeof post,
                      .instance = "b",
                      .name = "e",
                      .data = "1",
                      .length = 1,
                      .interface = WFSM_INTERFACE_POST};
    const wfsm_post *posts[] = {&post};
    int32_t answers[3], posted = -1;
    wfsm_exchange all = {.size = sizeof all,
                         .commits = commits,
                         .commit_count = 3,
                         .commit_answers = answers,
                         .posts = posts,
                         .post_count = 1,
                         .post_answers = &posted};
    char found[100] = "";

    OK(wfsm_store_exchange(store, &all, error));
    for (int i = 0; i < 3; i++)
        strcat(strcat(found, wfsm_status_name(answers[i])), " ");
    TEST_ASSERT_EQUAL_STRING(expected, found);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, posted);
}

static void expect_stored(long long records)
{
    TEST_ASSERT_EQUAL_INT64(records, server_number("SELECT count(*) FROM wfsm.record"));
    TEST_ASSERT_EQUAL_INT64(records, server_number("SELECT sum(revision) FROM wfsm.head"));
    TEST_ASSERT_EQUAL_INT64(1, server_number("SELECT count(*) FROM wfsm.post"));
}

/* The store may be the victim more than once, if it is faster than the rival to lock the row again. */
static void expect_lost_deadlock(uint64_t trips_before)
{
    long count = deadlocks(store_process());

    TEST_ASSERT_TRUE(count > 0);
    TEST_ASSERT_EQUAL_UINT64(trips_before + (uint64_t)count + 1, trips());
}

static void an_exchange_that_is_the_victim_is_repeated(void)
{
    uint64_t before;

    open_store("");
    start_three();
    gate = hold("", "head WHERE instance = 'b'");
    rival = hold(NEVER_LOOKS, "head WHERE instance = 'c'");
    let_store_lose("head WHERE instance = 'a'", "");
    before = trips();
    exchange("OK OK OK ");
    expect_lost_deadlock(before);
    expect_end();
    expect_stored(9);
}

/* The exchange is repeated as a whole: it reads the heads again. */
static void a_victim_sees_what_the_other_has_done(void)
{
    uint64_t before;

    open_store("");
    start_three();
    gate = hold("", "head WHERE instance = 'b'");
    rival = hold(NEVER_LOOKS, "head WHERE instance = 'c'");
    let_store_lose("head WHERE instance = 'a'",
                   "UPDATE wfsm.head SET owner = 'another' WHERE instance = 'a'");
    before = trips();
    exchange("CONFLICT OK OK ");
    expect_lost_deadlock(before);
    expect_end();
    expect_stored(8);
}

static void an_exchange_goes_on_if_another_is_the_victim(void)
{
    uint64_t before;

    open_store(NEVER_LOOKS);
    start_three();
    rival = hold("", "head WHERE instance = 'b'");
    let_rival_lose("head WHERE instance = 'a'");
    before = trips();
    exchange("OK OK OK ");
    TEST_ASSERT_EQUAL_UINT64(before + 1, trips());
    expect_end();
    TEST_ASSERT_EQUAL_INT64(1, deadlocks(PQbackendPID(rival)));
    TEST_ASSERT_EQUAL_INT64(0, deadlocks(store_process()));
    expect_stored(9);
}

/* A removal is no exchange. */
static void a_removal_that_is_the_victim_is_repeated(void)
{
    uint64_t before;

    open_store("");
    start_three();
    gate = hold("", "record WHERE instance = 'a' AND revision = 1");
    rival = hold(NEVER_LOOKS, "record WHERE instance = 'a' AND revision = 2");
    let_store_lose("head WHERE instance = 'a'", "");
    before = trips();
    OK(wfsm_store_remove(store, "a", error));
    expect_lost_deadlock(before);
    expect_end();
    TEST_ASSERT_EQUAL_INT64(2, server_number("SELECT count(*) FROM wfsm.head"));
    TEST_ASSERT_EQUAL_INT64(4, server_number("SELECT count(*) FROM wfsm.record"));
}

/* ---- an engine ---- */

static const char counter[] =
    "{\"id\": \"counter\", \"initial\": \"on\", \"context\": {\"n\": 0}, \"states\": {\"on\": {"
    "\"on\": {\"ADD\": {\"actions\": [{\"type\": \"assign\", \"params\": {\"n\": {\"+\": ["
    "{\"var\": \"context.n\"}, 1]}}}, {\"type\": \"emit\", \"params\": {\"event\": \"added\"}}]}}}}}";

static int32_t deliver(void *user, wfsm_call *call)
{
    (void)user, (void)call;
    delivered++;
    return WFSM_OK;
}

static void start_engine(void)
{
    const wfsm_engine_options options = {
        .size = sizeof options, .session = "me", .lapse_ms = 60000, .look_ms = 1};
    const char *const names[] = {"a", "b", "c"};
    wfsm_machine *machine = NULL;

    OK(wfsm_engine_new(&engine, store, &options, error));
    OK(wfsm_machine_load(&machine, counter, sizeof counter - 1, NULL, NULL, error));
    OK(wfsm_engine_add_machine(engine, machine, error));
    OK(wfsm_engine_on_effect(engine, deliver, NULL, error));
    wfsm_machine_unref(machine);
    for (int i = 0; i < 3; i++) {
        OK(wfsm_engine_start(engine, "counter", names[i], NULL, 0, 1, error));
        OK(wfsm_store_post(store, names[i], "ADD", "once", NULL, 0, 1, error));
    }
}

static void run_engine(void)
{
    const char *posts = "SELECT count(*) FROM wfsm.post";
    const char *owing = "SELECT count(*) FROM wfsm.head WHERE acknowledged < effects";

    for (int64_t now = 2; server_number(posts) + server_number(owing) > 0; now++)
        OK(wfsm_engine_run(engine, now, error));
}

static int32_t report(void *user, const wfsm_audit_diagnostic *diagnostic)
{
    (void)user;
    TEST_FAIL_MESSAGE(diagnostic->message);
    return WFSM_OK;
}

static void expect_added_once(const char *instance)
{
    wfsm_audit_counts counts = {.size = sizeof counts};

    OK(wfsm_store_audit(store, instance, report, NULL, &counts, error));
    TEST_ASSERT_EQUAL_UINT64(2, counts.records);
}

/* All three events are taken in one round. */
static void an_engine_loses_nothing(void)
{

    open_store("");
    start_engine();
    gate = hold("", "head WHERE instance = 'b'");
    rival = hold(NEVER_LOOKS, "head WHERE instance = 'c'");
    let_store_lose("head WHERE instance = 'a'", "");
    run_engine();
    TEST_ASSERT_TRUE(deadlocks(store_process()) > 0);
    expect_end();
    expect_added_once("a");
    expect_added_once("b");
    expect_added_once("c");
    TEST_ASSERT_EQUAL_INT(3, delivered);
}

int main(void)
{
    if (!server_start())
        return 77;
    wfsm_store_free(server_open(server_address(), "test"));
    UNITY_BEGIN();
    RUN_TEST(an_exchange_that_is_the_victim_is_repeated);
    RUN_TEST(a_victim_sees_what_the_other_has_done);
    RUN_TEST(an_exchange_goes_on_if_another_is_the_victim);
    RUN_TEST(a_removal_that_is_the_victim_is_repeated);
    RUN_TEST(an_engine_loses_nothing);
    return UNITY_END() != 0;
}
