/* store/decode_limits.c: the limits of a step, which machine/limit_table.c describes. */
#include "store/decode_parts.h"

bool wf_limits_read(wf_limits *limits, const wf_value *object)
{
    if (object->type != WF_OBJECT || object->length != WF_LIMITS)
        return false;
    for (uint32_t i = 0; i < WF_LIMITS; i++) {
        const wf_limit *self = wf_limit_at(i);
        int64_t number;
        if (!wf_is_number(wf_value_get_z(object, self->name), &number) ||
            number < self->least || number > self->host)
            return false;
        *wf_limit_in(limits, self) = (uint32_t)number;
    }
    return true;
}

int32_t wf_decode_step_limits(wf_decoder *decoder, const wf_value *value)
{
    wf_limits limits;
    if (!wf_limits_read(&limits, value))
        return wf_corrupt(decoder, "expected the limits of a step as \"limits\"");
    if (!wf_snapshot_set_limits(decoder->snapshot, &limits))
        return wf_no_memory(decoder->error);
    return WFSM_OK;
}
