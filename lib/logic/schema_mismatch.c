/* logic/schema_mismatch.c: the errors of a check: too many steps, or a mismatch. */
#include "logic/schema_check.h"

#include <stdio.h>
#include <string.h>
#include "logic/json.h"

int32_t wf_check_spend(wf_checker *c, size_t steps)
{
    if (c->steps <= steps) {
        c->steps = 0;
        return wf_fail(c->error, WFSM_LIMIT, "too many steps to check this schema");
    }
    c->steps -= (uint32_t)steps;
    return WFSM_OK;
}

int32_t wf_mismatch(wf_checker *c, const wf_schema *schema, const char *keyword,
                    const wf_place *at, const wf_value *value, const char *expected)
{
    wf_place in_schema = {schema->place, keyword, strlen(keyword), 0};
    char place[160], rule[160], found[WF_FOUND_BYTES];

    if (!c->error)
        return WFSM_SEMANTIC;
    wf_place_pointer(at, place, sizeof place);
    wf_place_pointer(*keyword ? &in_schema : schema->place, rule, sizeof rule);
    wf_describe_value(value, found);
    return wf_fail_at(c->error, at, WFSM_SEMANTIC, "%s%s%sexpected %s, found %s (schema %s)",
                      *place ? "at " : "", place, *place ? ": " : "", expected, found,
                      *rule ? rule : "root");
}

int32_t wf_mismatch_number(wf_checker *c, const wf_schema *schema, const char *keyword,
                           const wf_place *at, const wf_value *value, const char *before,
                           double number, const char *after)
{
    char expected[WF_EXPECTED_BYTES], text[WF_NUMBER_BYTES];

    wf_number_text(number, text);
    snprintf(expected, sizeof expected, "%s%s%s", before, text, after);
    return wf_mismatch(c, schema, keyword, at, value, expected);
}
