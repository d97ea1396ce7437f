/* Structs of a machine, its diagnostics and its monitor. */
#include <string.h>
#include <wfsm/monitor.h>
#include "sizes.h"

static int32_t take_limits(const void *given)
{
    wfsm_machine *made = NULL;
    int32_t status =
        wfsm_machine_load(&made, sizes_document, strlen(sizes_document), given, NULL, NULL);
    wfsm_machine_unref(made);
    return status;
}

static int32_t take_observation(const void *given)
{
    wfsm_monitor *made = NULL;
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_monitor_new(&made, machine, NULL));
    int32_t status = wfsm_monitor_observe(made, given, NULL);
    wfsm_monitor_free(made);
    return status;
}

static wfsm_diagnostics *diagnostics;

static int32_t give_diagnostic(void *to)
{
    return wfsm_diagnostics_get(diagnostics, 0, to);
}

static int32_t give_retention(void *to)
{
    return wfsm_machine_retention(machine, to);
}

static wfsm_monitor *monitor;

static int32_t give_watched(void *to)
{
    return wfsm_monitor_property(monitor, 0, to);
}

static void structs_that_are_handed_in(void)
{
    TAKES(wfsm_machine_limits, take_limits, NO_MORE, .max_bytes = 0);
    TAKES(wfsm_observation, take_observation, UP_TO(wfsm_observation, event_length),
          .configuration = "[\"a\"]", .configuration_length = 5, .context = "{}",
          .context_length = 2, .entered = "[]", .entered_length = 2);
}

static void structs_that_are_asked_for(void)
{
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_machine_check(&diagnostics, "{", 1, NULL, NULL));
    gives_but("wfsm_diagnostic", give_diagnostic, sizeof(wfsm_diagnostic), NO_MORE,
              UP_TO(wfsm_diagnostic, column));
    wfsm_diagnostics_free(diagnostics);
    gives("wfsm_retention", give_retention, sizeof(wfsm_retention),
          UP_TO(wfsm_retention, removes));
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_monitor_new(&monitor, machine, NULL));
    gives_but("wfsm_watched_property", give_watched, sizeof(wfsm_watched_property), NO_MORE,
              UP_TO(wfsm_watched_property, watched));
    wfsm_monitor_free(monitor);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(structs_that_are_handed_in);
    RUN_TEST(structs_that_are_asked_for);
    return UNITY_END() != 0;
}
