/* The diagnostics of a verification as SARIF. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include "wfsm/sarif.h"
#include "wfsm/verify_print.h"

static json_t *location_json(const char *file, const wfsm_verify_diagnostic *diagnostic)
{
    return sarif_location(file, (int)diagnostic->line, (int)diagnostic->column);
}

/* Each line of the trace is one step. */
static json_t *steps_json(const char *file, const wfsm_verify_diagnostic *diagnostic)
{
    json_t *steps = cli_need(json_array());
    const char *at = diagnostic->trace;
    while (*at) {
        size_t length = strcspn(at, "\n");
        json_t *location = location_json(file, diagnostic);
        json_object_set_new(location, "message",
                            cli_need(json_pack("{s:s%}", "text", at, length)));
        json_array_append_new(steps, cli_need(json_pack("{s:o}", "location", location)));
        at += length + (at[length] == '\n');
    }
    return steps;
}

static json_t *result_json(const char *file, const wfsm_verify_diagnostic *diagnostic)
{
    json_t *result =
        cli_need(json_pack("{s:s s:s s:{s:s} s:[o]}", "ruleId", diagnostic->rule, "level",
                           verify_severity(diagnostic), "message", "text", diagnostic->message,
                           "locations", location_json(file, diagnostic)));
    if (*diagnostic->trace)
        json_object_set_new(result, "codeFlows",
                            cli_need(json_pack("[{s:[{s:o}]}]", "threadFlows", "locations",
                                               steps_json(file, diagnostic))));
    return result;
}

/* That a bound was reached is no result at any place: the tool says it of its run. */
static json_t *run_json(const wfsm_verification *found)
{
    const char *bound = wfsm_verification_bound(found);
    json_t *run = cli_need(json_pack("{s:b}", "executionSuccessful", 1));
    if (*bound)
        json_object_set_new(run, "toolExecutionNotifications",
                            cli_need(json_pack("[{s:s s:{s:s}}]", "level", "warning", "message",
                                               "text", bound)));
    return run;
}

void verify_print_sarif(FILE *out, const wfsm_verification *found, const char *file)
{
    json_t *results = cli_need(json_array());
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    for (size_t i = 0; wfsm_verification_get(found, i, &diagnostic) == WFSM_OK; i++)
        json_array_append_new(results, result_json(file, &diagnostic));
    verify_print_whole(out, sarif_whole("wfsm verify", run_json(found), results));
}
