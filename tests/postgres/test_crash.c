/* A workflow on a server, with every fault at every call of the store. The first argument is at how many of
 * them, 0: at all. With "pool" behind it, the store is reached through pgbouncer in transaction mode. */
#include "postgres/server.h"
#include "testkit/plays.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

static uint64_t most = 8;
static const char *(*address)(void) = server_address;

void setUp(void)
{
}

void tearDown(void)
{
}

static int32_t open_store(void *user, wfsm_store **store, wfsm_error *error)
{
    const wfsm_postgres_options options = {
        .size = sizeof options, .clock = WFSM_POSTGRES_HOST_CLOCK, .tenant = "crash"};

    (void)user;
    return wfsm_postgres_open(store, address(), &options, NULL, error);
}

static void wipe(void *user)
{
    (void)user;
    server_wipe();
}

static void every_fault_is_survived(void)
{
    play_store kept = {.kept = NULL};
    wfsm_machine *machine = play_machine();
    wfsm_testkit_crash_options options = play_options(&kept, machine);
    wfsm_testkit_crash_counts counts = {.size = sizeof counts};
    wfsm_error *error = wfsm_error_new(NULL);

    options.open = open_store;
    options.wipe = wipe;
    options.cut = NULL;
    options.most = most;
    options.pairs = most == 0 ? 100 : 8;
    options.seed = 7;
    TEST_ASSERT_EQUAL_INT32_MESSAGE(WFSM_OK, wfsm_testkit_crash(&options, &counts, error),
                                    wfsm_error_message(error));
    printf("%" PRIu64 " runs, %" PRIu64 " invariants, violations: %" PRIu64 "\n", counts.runs,
           counts.invariants, counts.violations);
    TEST_ASSERT_EQUAL_STRING("", kept.message);
    TEST_ASSERT_EQUAL_UINT64(0, counts.violations);
    wfsm_error_free(error);
    wfsm_machine_unref(machine);
}

int main(int count, char **arguments)
{
    if (!server_start())
        return 77;
    if (count > 1)
        most = strtoull(arguments[1], NULL, 10);
    if (count > 2 && strcmp(arguments[2], "pool") == 0) {
        if (!pool_start())
            return 77;
        address = pool_address;
    }
    wfsm_store_free(server_open(address(), "crash"));
    UNITY_BEGIN();
    RUN_TEST(every_fault_is_survived);
    return UNITY_END() != 0;
}
