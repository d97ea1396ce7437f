/* The calls of an engine, so that an agent is tested without one: these functions stand
 * in for those of the library. */
#ifndef TESTS_HOSTS_FAKE_CALLS_H
#define TESTS_HOSTS_FAKE_CALLS_H

#include <stdio.h>
#include <string.h>

#include <wfsm/engine.h>

typedef enum { NO_ANSWER, DONE, FAILED, GONE, UNSURE } fake_answer;

struct wfsm_call {
    const char *id, *instance, *state, *input, *schema;
    int32_t attempt;
    int64_t claimed;
    fake_answer answer;
    char failure_class[32];
    char text[1024]; /* result or message */
    char usage[256]; /* "NAME=AMOUNT " for each */
    int64_t retry_after;
};

static wfsm_agent added_agent;

const char *wfsm_call_id(const wfsm_call *call)
{
    return call->id;
}

const char *wfsm_call_instance(const wfsm_call *call)
{
    return call->instance;
}

const char *wfsm_call_state(const wfsm_call *call)
{
    return call->state;
}

int32_t wfsm_call_attempt(const wfsm_call *call)
{
    return call->attempt;
}

int64_t wfsm_call_claimed(const wfsm_call *call)
{
    return call->claimed;
}

const char *wfsm_call_input(wfsm_call *call, size_t *length)
{
    *length = strlen(call->input);
    return call->input;
}

const char *wfsm_call_schema(wfsm_call *call, size_t *length)
{
    *length = strlen(call->schema);
    return call->schema;
}

int32_t wfsm_call_done(wfsm_call *call, const char *json, size_t length)
{
    call->answer = DONE;
    (void)snprintf(call->text, sizeof call->text, "%.*s", (int)length, json);
    return WFSM_OK;
}

int32_t wfsm_call_failed(wfsm_call *call, const char *failure_class, const char *message)
{
    call->answer = FAILED;
    (void)snprintf(call->failure_class, sizeof call->failure_class, "%s", failure_class);
    (void)snprintf(call->text, sizeof call->text, "%s", message);
    return WFSM_OK;
}

int32_t wfsm_call_gone(wfsm_call *call)
{
    call->answer = GONE;
    return WFSM_OK;
}

int32_t wfsm_call_unsure(wfsm_call *call)
{
    call->answer = UNSURE;
    return WFSM_OK;
}

int32_t wfsm_call_usage(wfsm_call *call, const char *name, int64_t amount)
{
    size_t used = strlen(call->usage);

    (void)snprintf(call->usage + used, sizeof call->usage - used, "%s=%lld ", name,
                   (long long)amount);
    return WFSM_OK;
}

int32_t wfsm_call_retry_after(wfsm_call *call, int64_t ms)
{
    call->retry_after = ms;
    return WFSM_OK;
}

#endif
