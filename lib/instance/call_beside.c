/* What an agent reports besides its answer: usage, signature, when to retry, a heartbeat. */
#include <string.h>

#include "base/invariant.h"
#include "base/utf8.h"
#include "instance/call.h"
#include "logic/json.h"
#include "step/snapshot.h"

static bool is_agents(const wfsm_call *call)
{
    return call && call->kind == WF_CALL_AGENT && (call->allowed & 1U << WF_ANSWER_DONE) != 0;
}

/* The place of a name's amount, or the length if it has none. */
static size_t find_usage(const wf_buffer *usage, const char *name)
{
    size_t at = 0;

    while (at < usage->length) {
        const char *other = usage->data + at + sizeof(int64_t);

        if (strcmp(other, name) == 0)
            return at;
        at += sizeof(int64_t) + strlen(other) + 1;
    }
    return at;
}

int32_t wf_usage_add(wf_buffer *usage, const char *name, int64_t amount)
{
    size_t at = find_usage(usage, name), before = usage->length;
    int64_t sum;

    if (at < before) {
        memcpy(&sum, usage->data + at, sizeof sum);
        sum = wf_time_after(sum, amount);
        memcpy(usage->data + at, &sum, sizeof sum);
        return WFSM_OK;
    }
    wf_buffer_add(usage, (const char *)&amount, sizeof amount);
    wf_buffer_add(usage, name, strlen(name) + 1);
    if (!usage->failed)
        return WFSM_OK;
    usage->failed = false;
    usage->length = before;
    return WFSM_NO_MEMORY;
}

int32_t wfsm_call_usage(wfsm_call *call, const char *name, int64_t amount)
{
    if (!is_agents(call) || !wf_id_valid(name) || amount < 0 || amount > WF_NUMBER_MOST)
        return WFSM_INVALID;
    return wf_usage_add(&call->usage, name, amount);
}

int32_t wfsm_call_retry_after(wfsm_call *call, int64_t ms)
{
    if (!is_agents(call) || ms < 0 || ms > WF_NUMBER_MOST)
        return WFSM_INVALID;
    call->retry_after = ms;
    return WFSM_OK;
}

int32_t wfsm_call_signature(wfsm_call *call, const char *signature)
{
    if (!is_agents(call) || !signature || !signature[0] ||
        !wf_utf8_valid(signature, strlen(signature)))
        return WFSM_INVALID;
    wf_buffer_clear(&call->signature);
    wf_buffer_add(&call->signature, signature, strlen(signature) + 1);
    if (!call->signature.failed)
        return WFSM_OK;
    wf_buffer_clear(&call->signature);
    return WFSM_NO_MEMORY;
}

int32_t wfsm_call_heartbeat(wfsm_call *call)
{
    if (!is_agents(call))
        return WFSM_INVALID;
    call->alive = true;
    return WFSM_OK;
}

void wf_usage_write(wf_buffer *out, const wf_buffer *usage)
{
    size_t at = 0;

    while (at < usage->length) {
        const char *name = usage->data + at + sizeof(int64_t);
        int64_t amount;

        memcpy(&amount, usage->data + at, sizeof amount);
        wf_buffer_byte(out, at ? ',' : '{');
        wf_json_write_text(out, name, strlen(name));
        wf_buffer_byte(out, ':');
        wf_json_write_int(out, amount);
        at += sizeof amount + strlen(name) + 1;
    }
    WF_INVARIANT(at == usage->length);
    if (at)
        wf_buffer_byte(out, '}');
}
