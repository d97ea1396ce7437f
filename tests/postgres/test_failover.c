/* A synchronous standby takes over while an instance is committed to: what was acknowledged is there. */
#include "postgres/server.h"
#include "store/fixture.h"
#include "store/store.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <unity.h>

enum { COMMITS = 400 };

static wfsm_error *error;
static wfsm_store *store;

/* Both servers are in the address, and the one that can be written is taken. */
static void open_both(void)
{
    const wfsm_postgres_options options = {.size = sizeof options, .tenant = "test"};
    char folder[200], address[500];

    sscanf(server_address(), "host=%199s", folder);
    snprintf(address, sizeof address, "host=%s,%s port=5432,5433 dbname=postgres user=wfsm",
             folder, folder);
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK,
                                    wfsm_postgres_open(&store, address, &options, NULL, error),
                                    wfsm_error_message(error));
}

void setUp(void)
{
    error = wfsm_error_new(NULL);
    open_both();
}

void tearDown(void)
{
    wfsm_store_free(store);
    wfsm_error_free(error);
}

/* A third of the way, in a child, so that a commit is under way. */
static pid_t kill_later(void)
{
    pid_t child = fork();

    if (child != 0)
        return child;
    server_forget();
    while (server_number("SELECT coalesce(max(revision), 0) FROM wfsm.head") < COMMITS / 3)
        ;
    server_kill_from_child();
    _exit(0);
}

static int32_t commit(uint64_t base, char token[32])
{
    wfsm_commit made = commit_of("a", base);
    const wfsm_commit *list[] = {&made};
    int32_t answer = WFSM_OK, status;

    snprintf(token, 32, "token-%d", (int)base);
    made.token = token;
    status = wfsm_store_commit(store, list, 1, &answer, error);
    return status != WFSM_OK ? status : answer;
}

/* After a failure: where the instance is, as soon as a server says it. */
static uint64_t look(void)
{
    wfsm_head head = {.size = sizeof head};
    int32_t status;

    do
        status = wfsm_store_head(store, "a", &head, error);
    while (status == WFSM_IO || status == WFSM_DENIED);
    if (status == WFSM_NOT_FOUND)
        return 0;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, status, wfsm_error_message(error));
    return head.revision;
}

static void nothing_acknowledged_is_lost(void)
{
    uint64_t acknowledged = 0;
    int lost = 0, failed = 0;
    pid_t child = kill_later();
    char token[32];

    while (acknowledged < COMMITS) {
        int32_t status = commit(acknowledged, token);

        if (status == WFSM_OK) {
            acknowledged++;
            continue;
        }
        lost += status == WFSM_STORE_UNKNOWN;
        failed += status != WFSM_STORE_UNKNOWN;
        if (lost + failed == 1) {
            waitpid(child, NULL, 0);
            standby_promote();
        }
        TEST_ASSERT_TRUE(look() >= acknowledged);
        TEST_ASSERT_TRUE(look() <= acknowledged + (uint64_t)(status == WFSM_STORE_UNKNOWN));
        acknowledged = look();
    }
    printf("%d commits, %d lost answers, %d failed calls\n", COMMITS, lost, failed);
    TEST_ASSERT_TRUE(lost + failed > 0);
    TEST_ASSERT_EQUAL_INT64(COMMITS, server_number("SELECT count(*) FROM wfsm.record"));
}

int main(void)
{
    if (!server_start())
        return 77;
    wfsm_store_free(server_open(server_address(), "test"));
    standby_start();
    UNITY_BEGIN();
    RUN_TEST(nothing_acknowledged_is_lost);
    return UNITY_END() != 0;
}
