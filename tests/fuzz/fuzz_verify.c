/* Machine documents: each one that loads can be verified, also by two threads. */
#include "fuzz.h"

#include <string.h>
#include <wfsm/verify.h>

enum { STATES_MOST = 40, CALLS_MOST = 2 };

/* Some rules take long over symbols. */
static int32_t end_soon(void *user, const wfsm_verify_counts *counts)
{
    (void)counts;
    return ++*(int *)user > CALLS_MOST;
}

static wfsm_verification *verify(wfsm_machine *machine, uint32_t jobs, int32_t punctual)
{
    int calls = 0;
    const wfsm_verify_options options = {.size = sizeof options,
                                         .max_states = STATES_MOST,
                                         .max_memory = 1 << 26,
                                         .punctual = punctual,
                                         .progress = end_soon,
                                         .user = &calls,
                                         .jobs = jobs};
    wfsm_verification *made = NULL;
    wfsm_error *error = wfsm_error_new(NULL);
    int32_t status = wfsm_verify(&made, machine, &options, error);
    fuzz_expect(status == WFSM_OK || strlen(wfsm_error_message(error)) > 0,
                "an error has a message");
    fuzz_expect((status == WFSM_OK) == (made != NULL), "a document that loads is verified");
    wfsm_error_free(error);
    return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const wfsm_machine_limits limits = {.size = sizeof limits, .max_states = 40};
    wfsm_machine *machine = NULL;
    if (wfsm_machine_load(&machine, (const char *)data, size, &limits, NULL, NULL) != WFSM_OK)
        return 0;
    wfsm_verification_free(verify(machine, 1, 0));
    wfsm_verification_free(verify(machine, 2, 1));
    wfsm_machine_unref(machine);
    return 0;
}
