/* SARIF 2.1.0: diagnostics for tools that show reviews. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "wfsm/verify_print.h"
#include "wfsm/shown.h"

/* What a URI cannot hold as it is becomes %XX. */
static json_t *uri_json(const char *file)
{
    static const char digits[] = "0123456789ABCDEF";
    cli_text uri = {0};
    cli_text_add(&uri, "", 0);
    for (; *file; file++) {
        unsigned char byte = (unsigned char)*file;
        const char coded[] = {'%', digits[byte >> 4], digits[byte & 15]};
        bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                     (byte >= '0' && byte <= '9') || strchr("/._-~", byte);
        cli_text_add(&uri, plain ? file : coded, plain ? 1 : sizeof coded);
    }
    json_t *text = cli_need(json_string(uri.data));
    free(uri.data);
    return text;
}

static json_t *location_json(const char *file, const wfsm_verify_diagnostic *diagnostic)
{
    int line = diagnostic->line > 0 ? (int)diagnostic->line : 1;
    int column = diagnostic->column > 0 ? (int)diagnostic->column : 1;
    return cli_need(json_pack("{s:{s:{s:o} s:{s:i s:i}}}", "physicalLocation",
                              "artifactLocation", "uri", uri_json(file), "region", "startLine",
                              line, "startColumn", column));
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

static bool is_known(const json_t *rules, const char *word)
{
    size_t i;
    json_t *rule;
    json_array_foreach(rules, i,
                       rule) if (strcmp(json_string_value(json_object_get(rule, "id")), word) ==
                                 0) return true;
    return false;
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
    json_t *results = cli_need(json_array()), *rules = cli_need(json_array());
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    for (size_t i = 0; wfsm_verification_get(found, i, &diagnostic) == WFSM_OK; i++) {
        json_array_append_new(results, result_json(file, &diagnostic));
        if (!is_known(rules, diagnostic.rule))
            json_array_append_new(rules, cli_need(json_pack("{s:s}", "id", diagnostic.rule)));
    }
    json_t *whole =
        json_pack("{s:s s:s s:[{s:{s:{s:s s:s s:o}} s:[o] s:o}]}", "$schema",
                  "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                  "tool", "driver", "name", "wfsm verify", "version", wfsm_version(), "rules",
                  rules, "invocations", run_json(found), "results", results);
    verify_print_whole(out, whole);
}
