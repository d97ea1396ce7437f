/* Effects. The host reads them after the commit, and acknowledges them by raising a mark. */
#include "instance/inner.h"

#include <inttypes.h>
#include <string.h>
#include "base/invariant.h"
#include "base/error.h"
#include "logic/json.h"
#include "store/record_parts.h"

static void write_effect(wf_buffer *out, const wfsm_instance *instance, const wf_effect *effect)
{
    char id[WF_WORK_ID_BYTES];
    const wf_work work = wf_effect_work(effect);
    wf_work_id(id, wf_instance_id(instance), &work);
    wf_buffer_byte(out, '{');
    wf_write_string(out, "id", id);
    wf_write_key(out, "number");
    wf_json_write_int(out, (int64_t)effect->number);
    wf_write_string(out, "type", "emit");
    wf_write_key(out, "event");
    wf_json_write(out, wf_value_get_z(&effect->emit, "event"));
    wf_write_key(out, "data");
    wf_json_write(out, wf_value_get_z(&effect->emit, "data"));
    wf_buffer_byte(out, '}');
}

/* Its commit is in a batch, so it must not be delivered yet. */
static bool waits(const wfsm_instance *instance, const wf_effect *effect)
{
    const wf_attachment *attached = instance->attached;
    return attached && attached->waiting > 0 && effect->revision > attached->committed;
}

int32_t wfsm_instance_next_effect(wfsm_instance *instance, const char **effect, size_t *length,
                                  uint64_t *number, wfsm_error *error)
{
    int32_t status = wf_instance_ready(instance, error);
    if (status != WFSM_OK)
        return status;
    if (!effect)
        return wf_fail(error, WFSM_INVALID, "there is no place for the effect");
    const wf_list *outbox = &instance->snapshot.extras->outbox;
    *effect = NULL;
    if (outbox->count == 0 || waits(instance, wf_effect_at(outbox, 0)))
        return WFSM_OK;
    status = wf_instance_attach(instance, error);
    if (status != WFSM_OK)
        return status;
    wf_buffer *out = &instance->attached->answer;
    WF_INVARIANT(wf_effect_at(outbox, 0)->number <=
                 instance->snapshot.extras->singles.effect_number);
    wf_buffer_clear(out);
    write_effect(out, instance, wf_effect_at(outbox, 0));
    if (out->failed)
        return wf_no_memory(error);
    *effect = out->data;
    if (length)
        *length = out->length;
    if (number)
        *number = wf_effect_at(outbox, 0)->number;
    return WFSM_OK;
}

int32_t wfsm_instance_ack(wfsm_instance *instance, uint64_t number, wfsm_error *error)
{
    int32_t status = wf_instance_ready(instance, error);
    if (status != WFSM_OK)
        return status;
    if (wf_instance_store(instance))
        status = wfsm_store_acknowledge(wf_instance_store(instance), wf_instance_id(instance),
                                        number, error);
    else if (number > instance->snapshot.extras->singles.effect_number)
        status = wf_fail(error, WFSM_NOT_FOUND, "instance '%s' has no effect %" PRIu64,
                         wf_instance_id(instance), number);
    if (status != WFSM_OK)
        return status;
    wf_snapshot_acknowledge(&instance->snapshot, number);
    WF_INVARIANT(instance->snapshot.extras->outbox.count == 0 ||
                 wf_effect_at(&instance->snapshot.extras->outbox, 0)->number > number);
    return WFSM_OK;
}

void wf_instance_delivered(wfsm_instance *instance, uint64_t number)
{
    wf_snapshot_acknowledge(&instance->snapshot, number);
    if (instance->attached)
        instance->attached->delivered = number;
}

bool wf_instance_owes_ack(const wfsm_instance *instance)
{
    return instance->attached && instance->attached->delivered > 0;
}

void wf_instance_ack_known(wfsm_instance *instance)
{
    if (instance->attached)
        instance->attached->delivered = 0;
}
