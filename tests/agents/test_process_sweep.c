/* Programs that work for nobody are stopped, and no others. */
#include <wfsm/wfsm.h>

#include "children_support.h"
#include "agents/process_sweep.h"
#include "../given.h"
#include "../ids/ids.h"

static wfsm_store *store;
static wfsm_error *error;

void setUp(void)
{
    begin_children();
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_memory_open(&store, NULL, error));
}

void tearDown(void)
{
    wfsm_store_free(store);
    wfsm_error_free(error);
    end_children();
}

/* Instance x, whose invocation x/1/1 is at its first attempt. */
static void begin_work(void)
{
    static const char text[] =
        "{\"wfsm\":1,\"id\":\"m\",\"initial\":\"a\",\"states\":{\"a\":{\"invoke\":{"
        "\"src\":\"worker\"}}}}";
    wfsm_machine *machine = NULL;
    wfsm_instance *instance = NULL;
    int32_t outcome = 0;

    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_machine_load(&machine, text, sizeof text - 1, NULL, NULL, error));
    TEST_ASSERT_EQUAL(
        WFSM_OK, wfsm_instance_start(&instance, machine, START("x", .store = store), 0, error));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_instance_claim(instance, ids_in(store, "x/1/1"), "me", 0,
                                                   &outcome, error));
    TEST_ASSERT_EQUAL(WFSM_TAKEN, outcome);
    wfsm_instance_free(instance);
    wfsm_machine_unref(machine);
}

static size_t sweep(const char *runs)
{
    wfa_process_host host = {.children = wfa_children_new(), .runs = runs};
    wfa_error why = {.status = WFSM_OK};
    size_t stopped = 99;
    int64_t limit = now_ms() + 60000;

    TEST_ASSERT_EQUAL_MESSAGE(0, wfa_process_sweep(&host, store, &stopped, &why), why.message);
    while (wfa_children_running(host.children) > 0 && now_ms() < limit)
        (void)wfa_children_poll(host.children, 20);
    wfa_children_free(host.children);
    return stopped;
}

/* "@" stands for the invocation. */
static const char *run_name(const char *name)
{
    static char whole[100];

    (void)snprintf(whole, sizeof whole, "x+1+1%s%s", strchr(ids_in(store, "x/1/1"), '-'),
                   name + 1);
    return name[0] == '@' ? whole : name;
}

static void test_only_what_works_for_nobody(void)
{
    static const struct {
        const char *name;
        int stays;
    } cases[] = {
        {"@.1", 1},          /* at work, says the ledger */
        {"@.2", 0},          /* another attempt */
        {"x+1+1.1", 0},      /* another incarnation */
        {"x+1+1-7.1", 0},
        {"x+1+1-.1", 1},     /* no invocation */
        {"x+1+2.1", 0},      /* another invocation */
        {"y+1+1.1", 0},      /* no such instance */
        {"%2Ex%2Fy+1+1.1", 0},
        {"x+1+1.1.1", 1},    /* no run of an invocation: a command that an agent runs */
        {"x+1+1", 1},        /* no attempt */
        {"x+1.1", 1},        /* no invocation */
        {"x+a+1.1", 1},
        {"x+1+.1", 1},
        {"x+1+1.1=00ff.1", 1},
        {"x=00000000000000ff.1", 1}, /* cut: nobody knows whose it is */
        {"%2+1+1.1", 1},
        {"%zz+1+1.1", 1},
    };
    enum { COUNT = sizeof cases / sizeof cases[0] };
    wfa_child *child[COUNT];
    size_t i, swept = 0;

    begin_work();
    for (i = 0; i < COUNT; i++) {
        wfa_child_spec spec = script(run_name(cases[i].name), "exec sleep 60");

        spec.timeout_ms = 0;
        child[i] = start(&spec);
        TEST_ASSERT_EQUAL_MESSAGE(WFA_CHILD_RUNNING, wfa_child_state_of(child[i]),
                                  cases[i].name);
        swept += !cases[i].stays;
    }
    (void)write_text("damaged+1+1.1.run", "this is no record");
    (void)write_text("empty+1+1.1.run", "");
    (void)write_text(".run", "");
    TEST_ASSERT_EQUAL_size_t(swept, sweep(workspace));
    for (i = 0; i < COUNT; i++)
        TEST_ASSERT_EQUAL_MESSAGE(cases[i].stays, is_there(wfa_child_pid(child[i])),
                                  cases[i].name);
    TEST_ASSERT_EQUAL_size_t(0, sweep(workspace));
}

static void test_what_ended_is_left_alone(void)
{
    wfa_child_spec spec = script("gone+1+1.1", "exit 0");

    (void)run(&spec);
    TEST_ASSERT_EQUAL_size_t(0, sweep(workspace));
}

static void test_a_folder_that_is_none(void)
{
    wfa_process_host host = {.children = children};
    wfa_error why = {.status = WFSM_OK};

    TEST_ASSERT_EQUAL_size_t(0, sweep(in_workspace("nowhere")));
    host.runs = write_text("file", "");
    TEST_ASSERT_EQUAL(-1, wfa_process_sweep(&host, store, NULL, &why));
    TEST_ASSERT_NOT_NULL(strstr(why.message, "file: "));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_only_what_works_for_nobody);
    RUN_TEST(test_what_ended_is_left_alone);
    RUN_TEST(test_a_folder_that_is_none);
    return UNITY_END() != 0;
}
