/* A loop while calls of the system and of the allocator fail in libwfsm-agents, one after the other.
 * Whatever fails: the call that it was in says so, the same loop continues with the next one, and
 * nothing is left behind (which the sanitizers see). */
#include <string.h>
#include <unistd.h>

#include <wfsm/loop.h>
#include <wfsm/wfsm.h>

#include "each_fault.h"
#include "hosts/workspace.h"

static const char document[] = "{\"id\":\"m\",\"initial\":\"work\",\"states\":{"
                               "\"work\":{\"invoke\":{\"src\":\"worker\",\"onDone\":\"done\"}},"
                               "\"done\":{\"type\":\"final\"}}}";

static wfsm_store *store;
static wfsm_loop *loop;
static wfsm_error *error;
static const char *path;
static int ends[2], reads;

void setUp(void)
{
    workspace_make();
    path = write_text("m.json", document);
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL(0, pipe(ends));
}

void tearDown(void)
{
    wfsm_loop_free(loop);
    wfsm_store_free(store);
    wfsm_error_free(error);
    loop = NULL;
    store = NULL;
    error = NULL;
    close(ends[0]);
    close(ends[1]);
    workspace_remove();
}

static int32_t answer(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_done(call, "1", 1);
}

static void read_one(void *user, int32_t descriptor, int32_t events)
{
    char byte;

    (void)user;
    (void)events;
    reads += read(descriptor, &byte, 1) == 1;
}

static void prepare(void)
{
    wfsm_loop_free(loop);
    wfsm_store_free(store);
    loop = NULL;
    store = NULL;
    wfsm_error_free(error);
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, error));
}

static int32_t make(void)
{
    const wfsm_loop_options options = {.size = sizeof options, .poll_ms = 1};
    int32_t status = wfsm_loop_new(&loop, store, &options, error);

    return status
               ? status
               : wfsm_engine_add_agent(wfsm_loop_engine(loop), "worker", answer, NULL, error);
}

/* Everything that a host does; each call is repeated once. A call that fails has words. */
static int tried(int32_t status)
{
    if (status)
        TEST_ASSERT_GREATER_THAN(0, strlen(wfsm_error_message(error)));
    return status == WFSM_OK;
}

#define TWICE(call) (tried(call) || tried(call))

static int host(void)
{
    if (!TWICE(make()) || !TWICE(wfsm_loop_load(loop, path, error)) ||
        !TWICE(wfsm_loop_watch(loop, ends[0], WFSM_LOOP_READ, read_one, NULL, error)) ||
        !TWICE(wfsm_loop_take(loop, "m", "a", NULL, 0, error)) ||
        !TWICE(wfsm_loop_run(loop, error)))
        return -1;
    return wfsm_instance_status(wfsm_engine_instance(wfsm_loop_engine(loop), "a")) == WFSM_DONE
               ? 0
               : -1;
}

static void check(int status)
{
    TEST_ASSERT_EQUAL(0, status);
}

static void one_call_fails(void)
{
    long faults = each_fault(FAULT_ERROR, prepare, host, check);

    TEST_ASSERT_GREATER_THAN(8, faults);
}

static void a_signal_interrupts_one_call(void)
{
    (void)each_fault(FAULT_SIGNAL, prepare, host, check);
}

static void check_failure(int status)
{
    TEST_ASSERT_TRUE(status == 0 || status == -1);
    TEST_ASSERT_TRUE(loop || status == -1);
}

static void all_calls_fail_from_one_on(void)
{
    TEST_ASSERT_GREATER_THAN(5, each_fault(FAULT_BROKEN, prepare, host, check_failure));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(one_call_fails);
    RUN_TEST(a_signal_interrupts_one_call);
    RUN_TEST(all_calls_fail_from_one_on);
    return UNITY_END() != 0;
}
