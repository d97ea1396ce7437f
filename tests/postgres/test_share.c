/* Engines on one server share its instances. The times are the test's. */
#include "postgres/server.h"
#include "engine/engine.h"
#include "engine/shards.h"
#include "store/store.h"

#include "pg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>
#include <wfsm/wfsm.h>

enum { ENGINES = 4, MANY = 600, LAPSE = 3000 };

#define WAITING                                                                                \
    "{\"id\":\"waiting\",\"initial\":\"a\",\"states\":{\"a\":{\"on\":{\"go\":\"b\"}},"         \
    "\"b\":{\"type\":\"final\"}}}"
#define JOB(version)                                                                           \
    "{\"id\":\"job\",\"version\":\"" version "\",\"initial\":\"a\",\"states\":{\"a\":{"        \
    "\"invoke\":{\"src\":\"worker\",\"onDone\":\"b\"}},\"b\":{\"type\":\"final\"}}}"

/* An engine with a handle of its own. */
typedef struct host {
    char name[16];
    wfsm_store *store;
    wfsm_engine *engine;
    size_t told; /* so many were taken over from sessions that are gone */
    wfsm_share last;
} host;

static host hosts[ENGINES];
static wfsm_error *error;
static int64_t now;
static bool answers; /* agents answer at once */

#define OK(call)                                                                               \
    TEST_ASSERT_EQUAL_STRING_MESSAGE("OK", wfsm_status_name(call), wfsm_error_message(error))

static int32_t work(void *user, wfsm_call *call)
{
    (void)user;
    return answers ? wfsm_call_done(call, "1", 1) : WFSM_OK;
}

static void add_machine(const host *self, const char *text)
{
    wfsm_machine *machine = NULL;

    OK(wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error));
    OK(wfsm_engine_add_machine(self->engine, machine, error));
    wfsm_machine_unref(machine);
}

static host *open_host(int index)
{
    host *self = &hosts[index];
    const wfsm_engine_options options = {.size = sizeof options,
                                         .session = self->name,
                                         .lapse_ms = LAPSE,
                                         .slots = 1000,
                                         .now = now,
                                         .look_ms = 1};

    *self = (host){.store = NULL};
    snprintf(self->name, sizeof self->name, "host-%d", index);
    self->store = server_open(server_address(), "share");
    OK(wfsm_engine_new(&self->engine, self->store, &options, error));
    return self;
}

static host *open_waiting(int index)
{
    host *self = open_host(index);

    add_machine(self, WAITING);
    return self;
}

static void close_host(host *self)
{
    wfsm_engine_free(self->engine);
    wfsm_store_free(self->store);
    self->engine = NULL;
    self->store = NULL;
}

/* As kill -9. */
static void kill_host(host *self)
{
    wf_engine_abandon(self->engine);
    self->engine = NULL;
    close_host(self);
}

void setUp(void)
{
    server_wipe();
    memset(hosts, 0, sizeof hosts);
    error = wfsm_error_new(NULL);
    now = 1000;
    answers = false;
}

void tearDown(void)
{
    for (int i = 0; i < ENGINES; i++)
        close_host(&hosts[i]);
    wfsm_error_free(error);
}

static void hear(void *user, const char *owner, const char *const *ids, size_t count)
{
    host *self = user;

    TEST_ASSERT_NOT_NULL(wfsm_engine_instance(self->engine, ids[count - 1]));
    if (*owner)
        self->told += count;
}

static void share(host *self, size_t most)
{
    self->last =
        (wfsm_share){.size = sizeof self->last, .most = most, .told = hear, .user = self};
    OK(wfsm_engine_share(self->engine, now, &self->last, error));
}

static void run(const host *self)
{
    do
        OK(wfsm_engine_run(self->engine, now, error));
    while (wfsm_engine_deadline(self->engine) <= now);
}

static void settle(void)
{
    for (int round = 0; round < 8; round++)
        for (int i = 0; i < ENGINES; i++)
            if (hosts[i].engine) {
                share(&hosts[i], 0);
                run(&hosts[i]);
            }
}

/* Instances that belong to nobody. */
static void start_free(const char *machine, int count)
{
    host *self = open_host(0);
    char id[32];

    add_machine(self, strcmp(machine, "job") == 0 ? JOB("1") : WAITING);
    for (int i = 0; i < count; i++) {
        snprintf(id, sizeof id, "i-%d", i);
        OK(wfsm_engine_start(self->engine, machine, id, NULL, 0, now, error));
    }
    close_host(self);
}

static long long owned_by(const char *name)
{
    char sql[200];

    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM wfsm.head WHERE owner = '%.20s' AND status = 1", name);
    return server_number(sql);
}

static int32_t check_owner(void *user, const wfsm_row *row)
{
    uint8_t shards[WF_SHARD_BYTES];
    wf_sharer sharers[ENGINES];
    size_t count = 0;

    (void)user;
    for (int i = 0; i < ENGINES; i++)
        if (hosts[i].engine)
            sharers[count++] = (wf_sharer){.name = hosts[i].name};
    wf_shards_divide(sharers, count, row->head->owner, shards);
    TEST_ASSERT_TRUE_MESSAGE(wf_shard_is_in(shards, wfsm_shard(row->head->instance)),
                             row->head->instance);
    return WFSM_OK;
}

/* Every instance is with the engine whose shard it is in. */
static void check_owners(void)
{
    const wfsm_query query = {.size = sizeof query, .status = WFSM_RUNNING};
    host *self = hosts;

    while (!self->engine)
        self++;
    OK(wfsm_store_list(self->store, &query, check_owner, NULL, error));
}

static void engines_share_what_is_free(void)
{
    start_free("waiting", MANY);
    share(open_waiting(0), 0);
    TEST_ASSERT_EQUAL_size_t(MANY, hosts[0].last.taken);
    TEST_ASSERT_EQUAL_size_t(0, hosts[0].told);
    share(open_waiting(1), 0);
    TEST_ASSERT_EQUAL_size_t(0, hosts[1].last.taken);
    share(&hosts[0], 0);
    TEST_ASSERT_GREATER_THAN_size_t(MANY / 3, hosts[0].last.given_up);
    run(&hosts[0]);
    share(&hosts[1], 0);
    TEST_ASSERT_EQUAL_size_t(hosts[0].last.given_up, hosts[1].last.taken);
    check_owners();
    open_waiting(2);
    settle();
    check_owners();
    for (int i = 0; i < 3; i++)
        TEST_ASSERT_INT_WITHIN(MANY / 8, MANY / 3, (int)owned_by(hosts[i].name));
}

static void an_engine_that_ends_leaves_its_share_to_the_others(void)
{
    start_free("waiting", MANY);
    for (int i = 0; i < 3; i++)
        open_waiting(i);
    settle();
    close_host(&hosts[1]);
    settle();
    check_owners();
    TEST_ASSERT_EQUAL_INT64(MANY, owned_by("host-0") + owned_by("host-2"));
}

/* Until its lease lapses nobody has its share; then they come from it in few exchanges. */
static void the_share_of_a_killed_engine_is_taken_over(void)
{
    size_t left;

    start_free("waiting", MANY);
    for (int i = 0; i < 3; i++)
        open_waiting(i);
    settle();
    left = (size_t)owned_by("host-1");
    kill_host(&hosts[1]);
    settle();
    TEST_ASSERT_EQUAL_INT64((int64_t)left, owned_by("host-1"));
    now += LAPSE - 100;
    run(&hosts[0]);
    run(&hosts[2]);
    now += 100;
    hosts[0].told = hosts[2].told = 0;
    settle();
    check_owners();
    TEST_ASSERT_EQUAL_size_t(left, hosts[0].told + hosts[2].told);
}

static void as_many_at_a_time_as_the_host_wants(void)
{
    start_free("waiting", MANY);
    open_waiting(0);
    for (int i = 0; i < MANY / 100; i++) {
        share(&hosts[0], 100);
        TEST_ASSERT_EQUAL_size_t(100, hosts[0].last.taken);
        TEST_ASSERT_EQUAL_INT32(i < MANY / 100 - 1, hosts[0].last.more);
    }
    share(open_waiting(1), 100);
    for (size_t all = 0; all < MANY / 3; all += hosts[0].last.given_up) {
        share(&hosts[0], 40);
        TEST_ASSERT_EQUAL_size_t(40, hosts[0].last.given_up);
        TEST_ASSERT_EQUAL_INT32(1, hosts[0].last.more);
    }
}

static host *open_worker(int index)
{
    host *self = open_host(index);

    add_machine(self, JOB("2"));
    OK(wfsm_engine_add_agent(self->engine, "worker", work, NULL, error));
    return self;
}

static void what_an_agent_works_for_stays(void)
{
    start_free("job", MANY);
    share(open_worker(0), 0);
    run(&hosts[0]);
    TEST_ASSERT_EQUAL_size_t(MANY, wfsm_engine_working(hosts[0].engine));
    share(open_worker(1), 0);
    settle();
    TEST_ASSERT_EQUAL_INT64(MANY, owned_by("host-0"));
}

/* The slots are few, so most of them wait. */
static void what_waits_for_a_slot_moves(void)
{
    start_free("job", MANY);
    open_worker(0)->engine->slots = 5;
    share(&hosts[0], 0);
    run(&hosts[0]);
    TEST_ASSERT_EQUAL_size_t(5, wfsm_engine_working(hosts[0].engine));
    open_worker(1)->engine->slots = 5;
    settle();
    TEST_ASSERT_INT_WITHIN(MANY / 8, MANY / 2, (int)owned_by("host-1"));
    TEST_ASSERT_EQUAL_size_t(5, wfsm_engine_working(hosts[0].engine));
    TEST_ASSERT_EQUAL_size_t(5, wfsm_engine_working(hosts[1].engine));
}

/* An engine that does not have the agent takes none of them, and reads no heads: one round trip tells. */
static void only_documents_that_are_served(void)
{
    const wf_pg *db;
    uint64_t trips;

    start_free("job", MANY);
    add_machine(open_waiting(0), JOB("2"));
    share(&hosts[0], 0);
    db = hosts[0].store->self;
    trips = db->trips;
    share(&hosts[0], 0);
    TEST_ASSERT_EQUAL_UINT64(1, db->trips - trips);
    TEST_ASSERT_EQUAL_size_t(0, hosts[0].last.taken);
    open_worker(1);
    settle();
    TEST_ASSERT_EQUAL_INT64(MANY, owned_by("host-1"));
    TEST_ASSERT_EQUAL_INT64(
        0,
        server_number("SELECT count(*) FROM wfsm.service AS s JOIN (SELECT DISTINCT fingerprint"
                      " FROM wfsm.head) AS h USING (fingerprint) WHERE session = 'host-0'"));
}

/* What the host has started stays with it. */
static void what_the_host_starts_does_not_move(void)
{
    open_waiting(0);
    open_waiting(1);
    settle();
    for (int i = 0; i < 20; i++) {
        char id[32];

        snprintf(id, sizeof id, "own-%d", i);
        OK(wfsm_engine_start(hosts[0].engine, "waiting", id, NULL, 0, now, error));
    }
    settle();
    TEST_ASSERT_EQUAL_INT64(20, owned_by("host-0"));
}

int main(void)
{
    if (!server_start())
        return 77;
    wfsm_store_free(server_open(server_address(), "share"));
    UNITY_BEGIN();
    RUN_TEST(engines_share_what_is_free);
    RUN_TEST(an_engine_that_ends_leaves_its_share_to_the_others);
    RUN_TEST(the_share_of_a_killed_engine_is_taken_over);
    RUN_TEST(as_many_at_a_time_as_the_host_wants);
    RUN_TEST(what_an_agent_works_for_stays);
    RUN_TEST(what_waits_for_a_slot_moves);
    RUN_TEST(only_documents_that_are_served);
    RUN_TEST(what_the_host_starts_does_not_move);
    return UNITY_END() != 0;
}
