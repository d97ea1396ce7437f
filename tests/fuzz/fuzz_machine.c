/* Machine documents: loading and checking agree, and a machine that loads can be started and
 * stepped. */
#include "stepping.h"

#include <stdlib.h>
#include <string.h>
#include "instance/inner.h"
#include "../given.h"

static bool has_errors(const wfsm_diagnostics *diagnostics)
{
    wfsm_diagnostic diagnostic = {.size = sizeof diagnostic};
    for (size_t i = 0; wfsm_diagnostics_get(diagnostics, i, &diagnostic) == WFSM_OK; i++) {
        fuzz_expect(diagnostic.line >= 1 && diagnostic.column >= 1 &&
                        strlen(diagnostic.message) > 0,
                    "a diagnostic has a place and a message");
        if (diagnostic.severity == 1)
            return true;
    }
    return false;
}

static void check_agrees(const char *text, size_t size, int32_t status)
{
    wfsm_diagnostics *diagnostics = NULL;
    fuzz_expect(wfsm_machine_check(&diagnostics, text, size, NULL, NULL) == WFSM_OK,
                "every document can be checked");
    fuzz_expect(has_errors(diagnostics) == (status != WFSM_OK), "check and load agree");
    wfsm_diagnostics_free(diagnostics);
}

static int32_t allow(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_allow(call, 1);
}

static int32_t patch(void *user, wfsm_call *call)
{
    (void)user;
    return wfsm_call_patch(call, "{\"n\":1}", 7);
}

static wfsm_functions *functions_of(const wfsm_machine *machine)
{
    wfsm_functions *made = NULL;
    wfsm_functions_new(&made, NULL, NULL);
    for (uint32_t i = 0; i < machine->guards.count; i++)
        wfsm_functions_add_guard(made, machine->guards.list[i].text, allow, NULL, NULL);
    for (uint32_t i = 0; i < machine->functions.count; i++)
        wfsm_functions_add_action(made, machine->functions.list[i].text, patch, NULL, NULL);
    return made;
}

static void run(wfsm_machine *machine)
{
    wfsm_functions *functions = functions_of(machine);
    wfsm_store *store = NULL;
    wfsm_instance *instance = NULL;
    fuzz_expect(wfsm_memory_open(&store, NULL, NULL) == WFSM_OK, "memory");
    if (wfsm_instance_start(&instance, machine,
                            START("one", .store = store, .functions = functions), 0,
                            NULL) == WFSM_OK) {
        fuzz_check_snapshot(&instance->snapshot);
        fuzz_continue(&instance->snapshot);
    }
    wfsm_instance_free(instance);
    wfsm_store_free(store);
    wfsm_functions_free(functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wfsm_machine_limits limits = {.size = sizeof limits, .max_states = 200};
    wfsm_machine *machine = NULL;
    wfsm_error *error = wfsm_error_new(NULL);
    int32_t status =
        wfsm_machine_load(&machine, (const char *)data, size, &limits, NULL, error);
    if (status != WFSM_OK)
        fuzz_expect(strlen(wfsm_error_message(error)) > 0, "an error has a message");
    if (status != WFSM_LIMIT)
        check_agrees((const char *)data, size, status);
    if (status == WFSM_OK)
        run(machine);
    wfsm_machine_unref(machine);
    wfsm_error_free(error);
    return 0;
}
