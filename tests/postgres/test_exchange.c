/* An exchange with a server takes one round trip, whatever is in it. What else it does is tested by the
 * suite for stores (testkit/exchange_cases.c). */
#include "postgres/server.h"
#include "store/fixture.h"
#include "store/store.h"

#include "pg.h"

#include <stdio.h>
#include <string.h>
#include <unity.h>

static wfsm_store *store;
static wfsm_error *error;
static char rows[400]; /* what the last exchange has returned */

void setUp(void)
{
    server_wipe();
    error = wfsm_error_new(NULL);
    store = server_open(server_address(), "test");
    rows[0] = '\0';
}

void tearDown(void)
{
    wfsm_store_free(store);
    wfsm_error_free(error);
}

static uint64_t trips(void)
{
    const wf_pg *db = store->self;

    return db->trips;
}

static int32_t show_row(void *user, const wfsm_row *row)
{
    static const char *const names[] = {"?", "post", "head", "snapshot", "record", "owned"};
    size_t used = strlen(rows);

    (void)user;
    TEST_ASSERT_TRUE(row->part > 0 && row->part <= WFSM_ROW_OWNED);
    snprintf(rows + used, sizeof rows - used, "%s %s, ", names[row->part],
             row->head                    ? row->head->instance
             : row->part == WFSM_ROW_POST ? row->instance
                                          : "");
    return WFSM_OK;
}

static wfsm_request ask(int32_t kind, const char *instance, uint64_t number)
{
    return (wfsm_request){
        .size = sizeof(wfsm_request), .instance = instance, .number = number, .kind = kind};
}

static wfsm_commit with_snapshot(const char *instance, const char *owner)
{
    wfsm_commit commit = commit_of(instance, 0);

    commit.snapshot = "{}";
    commit.snapshot_length = 2;
    commit.owner = owner;
    commit.effects = 3;
    return commit;
}

static void start_three(void)
{
    wfsm_commit mine = with_snapshot("mine", "me"), free = with_snapshot("free", "");
    wfsm_commit other = with_snapshot("other", "you");

    expect_commit(store, &mine, WFSM_OK);
    expect_commit(store, &free, WFSM_OK);
    expect_commit(store, &other, WFSM_OK);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_claim(store, "me", 0, 1, 100, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_claim(store, "you", 0, 1, 100, error));
}

static void expect(const int32_t *answers, const char *expected)
{
    char got[200] = "";

    for (size_t i = 0; strlen(got) < strlen(expected); i++)
        strcat(strcat(got, wfsm_status_name(answers[i])), " ");
    TEST_ASSERT_EQUAL_STRING(expected, got);
}

static void head_is(const char *instance, uint64_t revision, const char *owner,
                    uint64_t acknowledged)
{
    wfsm_head head = {.size = sizeof head};

    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_head(store, instance, &head, error));
    TEST_ASSERT_EQUAL_UINT64(revision, head.revision);
    TEST_ASSERT_EQUAL_STRING(owner, head.owner);
    TEST_ASSERT_EQUAL_UINT64(acknowledged, head.acknowledged);
}

static void everything_at_once(void)
{
    wfsm_commit one = commit_of("mine", 1), new = with_snapshot("new", "me");
    wfsm_commit late = commit_of("free", 7);
    const wfsm_commit *commits[] = {&late, &one, &new};
    wfsm_request list[] = {
        ask(WFSM_REQUEST_TAKE, "free", 0), ask(WFSM_REQUEST_TAKE, "other", 0),
        ask(WFSM_REQUEST_LOOK, "other", 0), ask(WFSM_REQUEST_LOOK, "nothing", 0),
        ask(WFSM_REQUEST_ACKNOWLEDGE, "free", 9)};
    const wfsm_request *requests[] = {&list[0], &list[1], &list[2], &list[3], &list[4]};
    wfsm_post post = {.size = sizeof post,
                      .instance = "new",
                      .id = "p",
                      .name = "e",
                      .data = "1",
                      .length = 1,
                      .interface = WFSM_INTERFACE_POST};
    const wfsm_post *posts[] = {&post, &post};
    int32_t given[3], answered[5], posted[2];
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .session = "me",
                              .now = 50,
                              .mine = 100,
                              .until = 150,
                              .commits = commits,
                              .commit_count = 3,
                              .requests = requests,
                              .request_count = 5,
                              .posts = posts,
                              .post_count = 2,
                              .inbox = 1,
                              .sink = show_row,
                              .commit_answers = given,
                              .request_answers = answered,
                              .post_answers = posted};
    uint64_t before;

    start_three();
    one.owner = "me";
    one.acknowledged = 2;
    one.gives_up = 1;
    one.status = WFSM_DONE;
    one.effects = 3;
    before = trips();
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_exchange(store, &exchange, error));
    TEST_ASSERT_EQUAL_UINT64(before + 1, trips());
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, exchange.lease);
    expect(given, "CONFLICT OK OK ");
    expect(answered, "OK DENIED OK NOT_FOUND NOT_FOUND ");
    expect(posted, "OK EXISTS ");
    TEST_ASSERT_EQUAL_STRING("head free, snapshot , head other, post new, ", rows);
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "you"));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "100"));
    head_is("mine", 2, "", 2);
    head_is("free", 1, "me", 0);
    head_is("other", 1, "you", 0);
    head_is("new", 1, "me", 0);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_claim(store, "me", 150, 60, 200, error));
}

enum { MANY = 100 };

/* However large a round is. */
static void many_instances_take_one_round_trip(void)
{
    static char names[MANY][16];
    static wfsm_commit list[2 * MANY];
    const wfsm_commit *commits[2 * MANY];
    int32_t answers[2 * MANY];
    wfsm_exchange exchange = {.size = sizeof exchange,
                              .commits = commits,
                              .commit_count = 2 * MANY,
                              .commit_answers = answers};
    uint64_t before = trips();

    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "i%zu", i);
        list[2 * i] = with_snapshot(names[i], "me");
        list[2 * i + 1] = commit_of(names[i], 1);
        list[2 * i + 1].owner = "me";
        commits[2 * i] = &list[2 * i];
        commits[2 * i + 1] = &list[2 * i + 1];
    }
    list[1].event_id = list[3].event_id = "e";
    list[3].base = 7;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_exchange(store, &exchange, error));
    TEST_ASSERT_EQUAL_UINT64(before + 1, trips());
    for (size_t i = 0; i < 2 * MANY; i++)
        TEST_ASSERT_EQUAL_INT32(i / 2 == 1 ? WFSM_CONFLICT : WFSM_OK, answers[i]);
    TEST_ASSERT_EQUAL_INT64(MANY - 1, server_number("SELECT count(*) FROM wfsm.head"));
    TEST_ASSERT_EQUAL_INT64(2 * (MANY - 1), server_number("SELECT count(*) FROM wfsm.record"));
}

/* The server would refuse everything that comes with such a text. */
static void a_text_that_cannot_be_stored_concerns_its_instance_only(void)
{
    wfsm_commit bad = commit_of("bad", 0), good = commit_of("good", 0);
    const wfsm_commit *commits[] = {&bad, &good};
    int32_t answers[2];

    bad.record = "\xFF\"";
    bad.record_length = 2;
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_commit(store, commits, 2, answers, error));
    expect(answers, "INVALID OK ");
    bad.record = "\"\0\"";
    bad.record_length = 3;
    good = commit_of("good", 1);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_commit(store, commits, 2, answers, error));
    expect(answers, "INVALID OK ");
}

/* Somebody has written into the tables. The ids of the others are parts of what the server then says. */
static void a_damaged_instance_concerns_no_other(void)
{
    static const char *const ids[] = {"bad", "ba", "i", "r"};
    enum { IDS = sizeof ids / sizeof *ids };
    wfsm_commit list[IDS];
    const wfsm_commit *commits[IDS];
    int32_t answers[IDS];

    for (size_t i = 0; i < IDS; i++) {
        start_instance(store, ids[i], 1);
        list[i] = commit_of(ids[i], 1);
        commits[i] = &list[i];
    }
    server_run("INSERT INTO wfsm.record VALUES ('test', 'bad', 2, 0, NULL, '{}')");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_commit(store, commits, IDS, answers, error));
    expect(answers, "CORRUPT OK OK OK ");
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "bad"));
}

/* A trigger raises the error until it was raised so often. */
static void fail_records(const char *sqlstate, int times)
{
    char sql[700];

    snprintf(
        sql, sizeof sql,
        "SET client_min_messages = warning; DROP SEQUENCE IF EXISTS attempts;"
        " CREATE SEQUENCE attempts; CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE"
        " plpgsql AS $$ BEGIN IF nextval('attempts') <= %d THEN RAISE EXCEPTION 'as told'"
        " USING ERRCODE = '%s'; END IF; RETURN coalesce(NEW, OLD); END $$;"
        " CREATE OR REPLACE TRIGGER fail BEFORE INSERT OR DELETE ON wfsm.record FOR EACH ROW"
        " EXECUTE FUNCTION fail()",
        times, sqlstate);
    server_run(sql);
}

/* test_deadlock.c has deadlocks. */
static void others_in_the_way_are_not_noticed(void)
{
    static const char *const states[] = {"40001", "55P03"};

    for (uint64_t i = 0; i < 2; i++) {
        wfsm_commit commit = commit_of("a", i);

        fail_records(states[i], 3);
        expect_commit(store, &commit, WFSM_OK);
    }
    fail_records("40001", 3);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_remove(store, "a", error));
    server_run("DROP TRIGGER fail ON wfsm.record");
}

static void what_the_server_cannot_do_is_not_written(void)
{
    static const char *const states[] = {"53100", "57014", "XX000", "40001"};
    wfsm_commit commit = commit_of("a", 0);
    wfsm_head head = {.size = sizeof head};

    for (size_t i = 0; i < 4; i++) {
        fail_records(states[i], 1000);
        expect_commit(store, &commit, WFSM_STORE_FAILED);
        TEST_ASSERT_EQUAL_INT32(WFSM_NOT_FOUND, wfsm_store_head(store, "a", &head, error));
    }
    server_run("DROP TRIGGER fail ON wfsm.record");
    expect_commit(store, &commit, WFSM_OK);
}

/* A post that was numbered early and committed late is not missed. */
static void a_post_below_another_is_seen(void)
{
    wfsm_exchange exchange = {
        .size = sizeof exchange, .session = "me", .inbox = 1, .sink = show_row};

    start_three();
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_post(store, "free", "e", "x", NULL, 0, 1, error));
    server_run("UPDATE wfsm.post SET number = DEFAULT");
    exchange.after = (uint64_t)server_number("SELECT max(number) FROM wfsm.post");
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_exchange(store, &exchange, error));
    TEST_ASSERT_EQUAL_STRING("post free, ", rows);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_exchange(store, &exchange, error));
    TEST_ASSERT_EQUAL_STRING("post free, ", rows);
}

static int32_t note_name(void *user, const wfsm_row *row)
{
    strcat(user, row->id);
    return WFSM_OK;
}

static void expect_lapsed(wfsm_store *at, int64_t now, const char *names)
{
    char found[256] = "";

    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_lapsed(at, now, note_name, found, error));
    TEST_ASSERT_EQUAL_STRING(names, found);
}

/* With the server's clock, what hosts believe to be the time does not count. */
static void the_clocks_of_hosts_may_differ(void)
{
    const wfsm_postgres_options options = {.size = sizeof options, .tenant = "test"};
    const int64_t day = 86400000, here = 1000 * day;
    wfsm_store *one = NULL, *two = NULL;
    wfsm_commit commit = with_snapshot("a", "one");

    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_postgres_open(&one, server_address(), &options, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_postgres_open(&two, server_address(), &options, NULL, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_OK,
                            wfsm_store_claim(one, "one", 0, here, here + 60000, error));
    expect_commit(one, &commit, WFSM_OK);
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, wfsm_store_own(two, "a", "two", here + day, error));
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, wfsm_store_own(two, "a", "two", here - day, error));
    expect_lapsed(two, here + day, "");
    expect_lapsed(two, WFSM_NEVER, "one");
    TEST_ASSERT_EQUAL_INT32(
        WFSM_OK, wfsm_store_claim(one, "one", here + 60000, here + 1, here + 2, error));
    server_await("SELECT count(*) FROM wfsm.session WHERE until"
                 " <= extract(epoch FROM clock_timestamp()) * 1000",
                 1);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, wfsm_store_own(two, "a", "two", here - day, error));
    wfsm_store_free(one);
    wfsm_store_free(two);
}

static int32_t commit_once(const char *instance, uint64_t base)
{
    wfsm_commit commit = commit_of(instance, base);
    const wfsm_commit *list[] = {&commit};
    int32_t answer = -1;
    wfsm_exchange exchange = {
        .size = sizeof exchange, .commits = list, .commit_count = 1, .commit_answers = &answer};
    int32_t status = wfsm_store_exchange(store, &exchange, error);

    return status == WFSM_OK ? answer : status;
}

/* As behind a pool that looks like the server. */
static void a_name_that_the_server_does_not_know_is_not_noticed(void)
{
    wf_pg *db = store->self;

    TEST_ASSERT_TRUE(db->named);
    memset(db->names, 0xff, sizeof db->names);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit_once("one", 0));
    TEST_ASSERT_FALSE(db->named);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit_once("one", 1));
}

static void a_name_that_is_taken_is_not_noticed(void)
{
    wf_pg *db = store->self;

    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit_once("one", 0));
    memset(db->names, 0, sizeof db->names);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit_once("one", 1));
    TEST_ASSERT_FALSE(db->named);
}

static void behind_a_pool_there_are_no_names(void)
{
    const wf_pg *db;

    if (!pool_start())
        TEST_IGNORE_MESSAGE("there is no pgbouncer");
    wfsm_store_free(store);
    store = server_open(pool_address(), "test");
    db = store->self;
    TEST_ASSERT_FALSE(db->named);
    TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit_once("one", 0));
}

/* A plan is made again after 16 rounds, and then after 32. */
static void plans_are_made_again(void)
{
    wf_pg *db = store->self;
    uint64_t before = db->trips;

    for (uint64_t base = 0; base < 60; base++)
        TEST_ASSERT_EQUAL_INT32(WFSM_OK, commit_once("one", base));
    TEST_ASSERT_EQUAL_UINT64(before + 60, db->trips);
    TEST_ASSERT_TRUE(db->named);
    TEST_ASSERT_EQUAL_INT(64, db->renewal);
    TEST_ASSERT_TRUE(db->rounds < 16);
}

int main(void)
{
    if (!server_start())
        return 77;
    wfsm_store_free(server_open(server_address(), "test"));
    UNITY_BEGIN();
    RUN_TEST(everything_at_once);
    RUN_TEST(many_instances_take_one_round_trip);
    RUN_TEST(a_text_that_cannot_be_stored_concerns_its_instance_only);
    RUN_TEST(a_damaged_instance_concerns_no_other);
    RUN_TEST(others_in_the_way_are_not_noticed);
    RUN_TEST(what_the_server_cannot_do_is_not_written);
    RUN_TEST(a_post_below_another_is_seen);
    RUN_TEST(a_name_that_the_server_does_not_know_is_not_noticed);
    RUN_TEST(a_name_that_is_taken_is_not_noticed);
    RUN_TEST(plans_are_made_again);
    RUN_TEST(behind_a_pool_there_are_no_names);
    RUN_TEST(the_clocks_of_hosts_may_differ);
    return UNITY_END() != 0;
}
