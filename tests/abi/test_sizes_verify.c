/* Structs of a verification. */
#include <wfsm/verify.h>
#include "sizes.h"

static int32_t take_verify_options(const void *given)
{
    wfsm_verification *made = NULL;
    int32_t status = wfsm_verify(&made, machine, given, NULL);
    wfsm_verification_free(made);
    return status;
}

static wfsm_verification *verification;

static int32_t give_verify_counts(void *to)
{
    return wfsm_verification_counts(verification, to);
}

static int32_t give_verify_diagnostic(void *to)
{
    return wfsm_verification_get(verification, 0, to);
}

static int32_t give_verify_property(void *to)
{
    return wfsm_verification_property(verification, 0, to);
}

static int32_t give_verify_coverage(void *to)
{
    return wfsm_verification_coverage(verification, 0, to);
}

static void structs_that_are_handed_in(void)
{
    TAKES(wfsm_verify_options, take_verify_options, NO_MORE, .max_states = 100);
}

static void structs_that_are_asked_for(void)
{
    TEST_ASSERT_EQUAL(WFSM_OK, wfsm_verify(&verification, machine, NULL, NULL));
    gives("wfsm_verify_counts", give_verify_counts, sizeof(wfsm_verify_counts), NO_MORE);
    gives_but("wfsm_verify_diagnostic", give_verify_diagnostic, sizeof(wfsm_verify_diagnostic),
              NO_MORE, UP_TO(wfsm_verify_diagnostic, severity));
    gives_but("wfsm_verify_property", give_verify_property, sizeof(wfsm_verify_property),
              NO_MORE, UP_TO(wfsm_verify_property, verdict));
    gives_but("wfsm_verify_coverage", give_verify_coverage, sizeof(wfsm_verify_coverage),
              NO_MORE, UP_TO(wfsm_verify_coverage, taken));
    wfsm_verification_free(verification);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(structs_that_are_handed_in);
    RUN_TEST(structs_that_are_asked_for);
    return UNITY_END() != 0;
}
