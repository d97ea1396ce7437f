/* What an engine tells its host, as lines: commits that move an instance to another state, and
 * diagnostics. */
#include <wfsm/progress.h>

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { STATE_SIZE = 256 };

/* The top-level state of the first path in a list, "" for none. */
static void top_of(const json_t *paths, char top[STATE_SIZE])
{
    const char *path = json_string_value(json_array_get(paths, 0));

    (void)snprintf(top, STATE_SIZE, "%.*s", path ? (int)strcspn(path, ".") : 0,
                   path ? path : "");
}

/* The event of the first transition; else that of the input; else what kind of input it was. */
static const char *event_of(const json_t *record)
{
    const json_t *first = json_array_get(json_object_get(record, "transitions"), 0);
    const json_t *input = json_object_get(record, "input");
    const char *event = json_string_value(json_object_get(first, "event"));

    if (!event || !*event)
        event = json_string_value(json_object_get(input, "event"));
    return event ? event : json_string_value(json_object_get(input, "kind"));
}

int32_t wfsm_progress_commit(void *progress, wfsm_call *call)
{
    size_t length = 0;
    const char *text = wfsm_call_record(call, &length);
    json_t *record = text ? json_loadb(text, length, 0, NULL) : NULL;
    char from[STATE_SIZE], to[STATE_SIZE];
    wfsm_progress_change change = {.size = sizeof change,
                                   .instance = wfsm_call_instance(call),
                                   .to = to,
                                   .note = event_of(record)};

    top_of(json_object_get(record, "from"), from);
    top_of(json_object_get(record, "configuration"), to);
    change.from = *from ? from : NULL;
    if (*to && strcmp(from, to) != 0)
        wfsm_progress_transition(progress, wfsm_call_now(call), &change);
    json_decref(record);
    return WFSM_OK;
}

int32_t wfsm_progress_diagnostic(void *progress, wfsm_call *call)
{
    size_t length = 0;
    const char *text = wfsm_call_input(call, &length);
    json_t *diagnostic = text ? json_loadb(text, length, 0, NULL) : NULL;
    const char *message = json_string_value(json_object_get(diagnostic, "message"));

    wfsm_progress_line(progress, wfsm_call_now(call), wfsm_call_instance(call), WFSM_TONE_BAD,
                       message);
    json_decref(diagnostic);
    return WFSM_OK;
}
