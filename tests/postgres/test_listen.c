/* A store that listens tells other ones of its namespace, and wakes its engine. No test waits for a time: each waits
 * for the descriptor. */
#include "postgres/server.h"
#include "store/store.h"

#include "pg.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unity.h>
#include <wfsm/wfsm.h>

enum { LAPSE = 30000, LONG = 30000 };

static const char document[] =
    "{\"id\": \"wait\", \"initial\": \"a\", \"context\": {\"n\": 0}, \"on\": {\"go\": {\"actions\": ["
    "{\"type\": \"assign\", \"params\": {\"n\": {\"+\": [{\"var\": \"context.n\"}, 1]}}}]}},"
    " \"states\": {\"a\": {}}}";

static wfsm_store *store, *other;
static wfsm_engine *engine;
static wfsm_error *error;

#define OK(call)                                                                               \
    TEST_ASSERT_EQUAL_STRING_MESSAGE("OK", wfsm_status_name(call), wfsm_error_message(error))

static int32_t open_at(wfsm_store **opened, const char *address, const char *direct, int listen)
{
    const wfsm_postgres_options options = {.size = sizeof options,
                                           .tenant = "listen",
                                           .create = 1,
                                           .listen = listen,
                                           .listen_address = direct};

    return wfsm_postgres_open(opened, address, &options, NULL, error);
}

/* The engine's time is the test's, so that only the descriptor makes it look. */
static void make_engine(void)
{
    const wfsm_engine_options options = {
        .size = sizeof options, .session = "one", .lapse_ms = LAPSE, .look_most_ms = LAPSE / 3};
    wfsm_machine *machine = NULL;

    OK(wfsm_engine_new(&engine, store, &options, error));
    OK(wfsm_machine_load(&machine, document, sizeof document - 1, NULL, NULL, error));
    OK(wfsm_engine_add_machine(engine, machine, error));
    wfsm_machine_unref(machine);
    OK(wfsm_engine_start(engine, "wait", "w", NULL, 0, 1, error));
}

void setUp(void)
{
    server_wipe();
    error = wfsm_error_new(NULL);
    OK(open_at(&store, server_address(), NULL, 1));
    OK(open_at(&other, server_address(), NULL, 1));
    make_engine();
}

void tearDown(void)
{
    wfsm_engine_free(engine);
    wfsm_store_free(store);
    wfsm_store_free(other);
    wfsm_error_free(error);
    engine = NULL;
    store = other = NULL;
}

static bool is_readable(int ms)
{
    struct pollfd one = {.fd = wfsm_engine_fd(engine), .events = POLLIN};

    return poll(&one, 1, ms) == 1;
}

/* The other store has a loop, too, which lets it send what it has put off. */
static bool is_readable_or_other(int ms)
{
    struct pollfd both[] = {{.fd = wfsm_engine_fd(engine), .events = POLLIN},
                            {.fd = other ? wf_pg_fd(other->self) : -1, .events = POLLIN}};
    bool found = poll(both, 2, ms) > 0;

    if (both[1].revents)
        wf_pg_listen_on(other->self, true);
    return found;
}

/* What a loop does when the descriptor can be read. */
static void look(void)
{
    OK(wfsm_engine_look(engine));
    do
        OK(wfsm_engine_run(engine, 2, error));
    while (wfsm_engine_deadline(engine) <= 2);
}

static void settle(void)
{
    do
        look();
    while (is_readable(0));
}

static void post(wfsm_store *by, const char *id)
{
    OK(wfsm_store_post(by, "w", "go", id, NULL, 0, 1, error));
}

static const char *context(void)
{
    return wfsm_instance_context(wfsm_engine_instance(engine, "w"), NULL);
}

/* Until the engine has taken so many posts. */
static void await(int posts)
{
    char wanted[32];

    snprintf(wanted, sizeof wanted, "{\"n\":%d}", posts);
    while (strcmp(context(), wanted) != 0) {
        TEST_ASSERT_TRUE(is_readable_or_other(LONG));
        if (is_readable(0))
            look();
    }
}

static void a_post_wakes_an_idle_engine(void)
{
    settle();
    TEST_ASSERT_FALSE(is_readable(0));
    TEST_ASSERT_TRUE(wfsm_engine_deadline(engine) > 2);
    post(other, "e1");
    await(1);
    settle();
    TEST_ASSERT_FALSE(is_readable(0));
    post(other, "e2");
    await(2);
}

/* So it does if the engine's own call, which does not look, comes in between. */
static void another_call_does_not_swallow_it(void)
{
    settle();
    post(other, "e1");
    TEST_ASSERT_TRUE(is_readable(LONG));
    OK(wfsm_engine_start(engine, "wait", "v", NULL, 0, 2, error));
    await(1);
}

static void many_posts_are_few_notifications(void)
{
    const wf_pg *db = other->self;
    char id[16];

    settle();
    for (int i = 0; i < 200; i++) {
        snprintf(id, sizeof id, "e%d", i);
        post(other, id);
    }
    await(200);
    printf("200 posts, %llu notifications\n", (unsigned long long)db->listener.sent);
    TEST_ASSERT_TRUE(db->listener.sent < 200);
}

static void one_is_sent_before_the_store_is_closed(void)
{
    settle();
    post(other, "e1");
    post(other, "e2");
    wfsm_store_free(other);
    other = NULL;
    await(2);
}

static void without_it_the_next_look_finds_the_post(void)
{
    wfsm_store *silent = NULL;

    settle();
    OK(open_at(&silent, server_address(), NULL, 0));
    post(silent, "e1");
    wfsm_store_free(silent);
    TEST_ASSERT_FALSE(is_readable(0));
    look();
    TEST_ASSERT_EQUAL_STRING("{\"n\":1}", context());
}

static void end_listeners(void)
{
    server_run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
               " WHERE application_name = 'wfsm-listen'");
}

/* The engine works meanwhile, and the connection is made again. */
static void a_broken_connection_is_made_again(void)
{
    const wf_pg *db = store->self, *its = other->self;
    int posts = 0;
    char id[16];

    settle();
    end_listeners();
    TEST_ASSERT_TRUE(is_readable(LONG));
    look();
    do {
        snprintf(id, sizeof id, "e%d", posts++);
        post(other, id);
        look();
        is_readable(10);
    } while (db->listener.failures > 0 || db->listener.state != WF_PG_LISTENING ||
             its->listener.failures > 0 || its->listener.state != WF_PG_LISTENING);
    settle();
    post(other, "last");
    await(posts + 1);
}

static void a_stranger_only_wakes_it(void)
{
    const wf_pg *db = store->self;
    char text[200];

    settle();
    snprintf(text, sizeof text, "NOTIFY %s, '{\"stop\": true} ; DROP TABLE wfsm.head'",
             db->listener.channel);
    server_run(text);
    TEST_ASSERT_TRUE(is_readable(LONG));
    settle();
    TEST_ASSERT_EQUAL_STRING("{\"n\":0}", context());
    TEST_ASSERT_TRUE(strlen(db->listener.channel) <= 63);
}

static void namespaces_have_channels_of_their_own(void)
{
    const wfsm_postgres_options options = {
        .size = sizeof options, .tenant = "else", .listen = 1};
    wfsm_store *third = NULL;

    OK(wfsm_postgres_open(&third, server_address(), &options, NULL, error));
    TEST_ASSERT_TRUE(strcmp(((const wf_pg *)third->self)->listener.channel,
                            ((const wf_pg *)store->self)->listener.channel) != 0);
    wfsm_store_free(third);
}

static void a_pool_needs_the_address_of_the_server(void)
{
    wfsm_store *third = NULL;

    if (!pool_start())
        TEST_IGNORE_MESSAGE("there is no pgbouncer");
    TEST_ASSERT_EQUAL_INT32(WFSM_DENIED, open_at(&third, pool_address(), NULL, 1));
    TEST_ASSERT_NOT_NULL(strstr(wfsm_error_message(error), "goes through a pool; the option"));
    OK(open_at(&third, pool_address(), server_address(), 1));
    settle();
    post(third, "e1");
    await(1);
    wfsm_store_free(third);
}

int main(void)
{
    if (!server_start())
        return 77;
    wfsm_store_free(server_open(server_address(), "listen"));
    UNITY_BEGIN();
    RUN_TEST(a_post_wakes_an_idle_engine);
    RUN_TEST(another_call_does_not_swallow_it);
    RUN_TEST(many_posts_are_few_notifications);
    RUN_TEST(one_is_sent_before_the_store_is_closed);
    RUN_TEST(without_it_the_next_look_finds_the_post);
    RUN_TEST(a_broken_connection_is_made_again);
    RUN_TEST(a_stranger_only_wakes_it);
    RUN_TEST(namespaces_have_channels_of_their_own);
    RUN_TEST(a_pool_needs_the_address_of_the_server);
    return UNITY_END() != 0;
}
