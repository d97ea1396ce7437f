#include "store/conformance.h"

#include <inttypes.h>
#include <stdio.h>

static int32_t print(void *user, const wfsm_testkit_result *result)
{
    static const char *const words[] = {"?", "ok", "FAILED", "skipped"};
    (void)user;
    printf("%s: %s%s%s\n", words[result->verdict & 3], result->name,
           *result->message ? ": " : "", result->message);
    return WFSM_OK;
}

int conformance_run(const wfsm_testkit_store_options *store, uint64_t least)
{
    wfsm_testkit_counts counts = {.size = sizeof counts};
    wfsm_error *error = wfsm_error_new(NULL);
    int32_t status = wfsm_testkit_store(store, print, NULL, &counts, error);
    printf("%" PRIu64 " cases passed, %" PRIu64 " failed, %" PRIu64 " skipped, %" PRIu64
           " checks; %s %s\n",
           counts.passed, counts.failed, counts.skipped, counts.checks,
           wfsm_status_name(status), wfsm_error_message(error));
    wfsm_error_free(error);
    return status != WFSM_OK || counts.failed > 0 || counts.passed < least;
}
