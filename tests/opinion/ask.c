#include "opinion/ask.h"

#include <string.h>
#include <time.h>
#include <wfsm/verify.h>

typedef struct time_limit {
    clock_t begin;
    double seconds;
} time_limit;

static int32_t watch_time(void *user, const wfsm_verify_counts *counts)
{
    const time_limit *self = user;
    (void)counts;
    return self->seconds > 0 &&
           (double)(clock() - self->begin) / (double)CLOCKS_PER_SEC > self->seconds;
}

static json_t *steps_of(const char *script)
{
    json_t *list = json_array();
    while (*script) {
        size_t length = strcspn(script, "\n");
        json_t *step = json_loadb(script, length, 0, NULL);
        if (step)
            json_array_append_new(list, step);
        script += length + (script[length] == '\n');
    }
    return list;
}

static void add_diagnostic(json_t *report, const wfsm_verify_diagnostic *each)
{
    if (strcmp(each->rule, "never-entered") == 0)
        json_array_append_new(json_object_get(report, "never_entered"),
                              json_string(each->state));
    else if (strcmp(each->rule, "never-taken") == 0)
        json_array_append_new(json_object_get(report, "never_taken"),
                              json_string(each->pointer));
    else if (strcmp(each->rule, "property") == 0)
        json_array_append_new(json_object_get(report, "violated"),
                              json_pack("{s:s s:b s:o}", "property", each->property, "replayed",
                                        each->replayed, "script", steps_of(each->script)));
}

static json_t *report_of(const wfsm_verification *found)
{
    wfsm_verify_counts counts = {.size = sizeof counts};
    wfsm_verify_property property = {.size = sizeof property};
    wfsm_verify_diagnostic diagnostic = {.size = sizeof diagnostic};
    wfsm_verification_counts(found, &counts);
    json_t *report =
        json_pack("{s:s s:s s:I s:{} s:[] s:[] s:[]}", "verdict",
                  wfsm_verdict_name(wfsm_verification_verdict(found)), "bound",
                  wfsm_verification_bound(found), "states", (json_int_t)counts.states,
                  "properties", "never_entered", "never_taken", "violated");
    for (size_t i = 0; wfsm_verification_property(found, i, &property) == WFSM_OK; i++)
        json_object_set_new(json_object_get(report, "properties"), property.name,
                            json_string(wfsm_verdict_name(property.verdict)));
    for (size_t i = 0; wfsm_verification_get(found, i, &diagnostic) == WFSM_OK; i++)
        add_diagnostic(report, &diagnostic);
    return report;
}

json_t *ask_verify(wfsm_machine *machine, bool punctual, uint64_t states, double seconds,
                   wfsm_error *error)
{
    time_limit limit = {clock(), seconds};
    const wfsm_verify_options options = {.size = sizeof options,
                                         .max_states = states,
                                         .max_memory = (uint64_t)512 << 20,
                                         .bound = 20,
                                         .punctual = punctual,
                                         .progress = watch_time,
                                         .user = &limit};
    wfsm_verification *found = NULL;
    if (wfsm_verify(&found, machine, &options, error) != WFSM_OK)
        return NULL;
    json_t *report = report_of(found);
    wfsm_verification_free(found);
    return report;
}
