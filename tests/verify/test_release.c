/* libwfsm-tools in a static program with another libwfsm. The linker replaces wfsm_version() in
 * this program by the function below. */
#include <string.h>
#include <unity.h>
#include <wfsm/monitor.h>
#include <wfsm/tools.h>
#include <wfsm/verify.h>

static const char *release;
static wfsm_machine *machine;
static wfsm_error *error;

const char *__wrap_wfsm_version(void);
const char *__wrap_wfsm_version(void)
{
    return release;
}

void setUp(void)
{
    static const char text[] = "{\"id\": \"m\", \"initial\": \"a\", \"states\": {\"a\": {}}}";
    release = "9.9.9";
    error = wfsm_error_new(NULL);
    TEST_ASSERT_EQUAL(WFSM_OK,
                      wfsm_machine_load(&machine, text, strlen(text), NULL, NULL, error));
}

void tearDown(void)
{
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
}

static void refused(int32_t status)
{
    TEST_ASSERT_EQUAL(WFSM_VERSION, status);
    TEST_ASSERT_EQUAL(WFSM_VERSION, wfsm_error_status(error));
    TEST_ASSERT_EQUAL_STRING("libwfsm-tools " WF_VERSION " cannot work with libwfsm 9.9.9: "
                             "install both of one release",
                             wfsm_error_message(error));
}

static void test_each_entry_point_refuses_another_release(void)
{
    wfsm_verification *verification = NULL;
    wfsm_monitor *monitor = NULL;
    char *text = NULL;
    size_t length = 0;
    refused(wfsm_verify(&verification, machine, NULL, error));
    refused(wfsm_monitor_new(&monitor, machine, error));
    refused(wfsm_machine_graph(machine, WFSM_DOT, &text, &length, error));
    TEST_ASSERT_NULL(verification);
    TEST_ASSERT_NULL(monitor);
    TEST_ASSERT_NULL(text);
}

static void test_the_same_release_is_fine(void)
{
    wfsm_monitor *monitor = NULL;
    release = WF_VERSION;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_monitor_new(&monitor, machine, error));
    wfsm_monitor_free(monitor);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_each_entry_point_refuses_another_release);
    RUN_TEST(test_the_same_release_is_fine);
    return UNITY_END() != 0;
}
