/* Queries about budgets and failures. */
#include "instance/inner.h"

#include "logic/json.h"
#include "store/record_parts.h"

static wf_buffer *fresh_answer(wfsm_instance *instance, size_t *length)
{
    if (length)
        *length = 0;
    if (!instance || wf_instance_attach(instance, NULL) != WFSM_OK)
        return NULL;
    wf_buffer_clear(&instance->attached->answer);
    return &instance->attached->answer;
}

static const char *give(const wf_buffer *buffer, size_t *length)
{
    if (length && !buffer->failed)
        *length = buffer->length;
    return buffer->failed ? NULL : buffer->data;
}

static void write_count(wf_buffer *out, const char *key, int64_t count)
{
    wf_write_key(out, key);
    wf_json_write_int(out, count);
}

const char *wfsm_instance_budgets(wfsm_instance *instance, int64_t now, size_t *length)
{
    wf_buffer *out = fresh_answer(instance, length);
    if (!out)
        return NULL;
    const wf_snapshot *snapshot = &instance->snapshot;
    const wfsm_machine *machine = snapshot->machine;
    int64_t then = now > snapshot->now ? now : snapshot->now;
    wf_buffer_byte(out, '{');
    for (uint32_t i = 0; i < machine->budget_count; i++) {
        wf_write_name(out, machine->budgets[i].name.text);
        wf_buffer_byte(out, '{');
        write_count(out, "used", wf_budget_used(snapshot, i, then));
        write_count(out, "limit", wf_spent_at(&snapshot->extras->budgets, i)->limit);
        write_count(out, "left", wf_budget_left(snapshot, i, then));
        wf_buffer_byte(out, '}');
    }
    wf_buffer_byte(out, '}');
    return give(out, length);
}

const char *wfsm_instance_failures(wfsm_instance *instance, size_t *length)
{
    wf_buffer *out = fresh_answer(instance, length);
    if (!out)
        return NULL;
    wf_write_entries(out, instance->snapshot.machine, wf_kind_of(WF_REPEATS),
                     &instance->snapshot.extras->repeats);
    return give(out, length);
}
