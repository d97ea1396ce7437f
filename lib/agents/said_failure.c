#include "said_failure.h"

#include <string.h>

#include "agent_config.h"

static const double most_seconds = 1e9;

static int64_t milliseconds_of(const json_t *seconds)
{
    double value = json_is_number(seconds) ? json_number_value(seconds) : -1;

    return value >= 0 && value <= most_seconds ? (int64_t)(value * 1000) : -1;
}

static void take(wfa_said_failure *read, const json_t *error)
{
    const char *class = json_string_value(json_object_get(error, "class"));
    const char *message = json_string_value(json_object_get(error, "message"));

    read->failure_class = class ? wfa_failure_class(class) : NULL;
    read->message = message ? message : "";
    read->retry_after = milliseconds_of(json_object_get(error, "retry_after"));
}

void wfa_said_failure_read(wfa_said_failure *read, const char *text, size_t length,
                           wfa_answer_mode mode)
{
    const char *answer;
    size_t answer_length;
    json_t *object = NULL;

    memset(read, 0, sizeof *read);
    if (text && wfa_answer_find(text, length, mode, &answer, &answer_length, NULL) == 0)
        object = json_loadb(answer, answer_length, 0, NULL);
    take(read, json_object_get(object, "error"));
    if (read->failure_class)
        read->said = object;
    else
        json_decref(object);
}

void wfa_said_failure_clear(wfa_said_failure *read)
{
    json_decref(read->said);
    memset(read, 0, sizeof *read);
}
