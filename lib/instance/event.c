/* An event as a caller hands it in. */
#include "base/error.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "instance/inner.h"
#include "store/batch.h"

int32_t wf_instance_event(wfsm_event *event, const wfsm_event *given, wfsm_error *error)
{
    if (!wf_struct_check(event, sizeof *event, given, WF_SIZE_UP_TO(wfsm_event, length)) ||
        !event->name)
        return wf_fail(error, WFSM_INVALID, "the event, its size or its name is not set");
    if (event->id && !wf_id_valid(event->id))
        return wf_fail(error, WFSM_INVALID, "an event's id is 1 to 255 bytes of UTF-8");
    return WFSM_OK;
}

int32_t wf_instance_is_duplicate(wfsm_instance *instance, const char *id, bool *seen,
                                 wfsm_error *error)
{
    int32_t answer = 0;
    *seen = false;
    if (!id || !wf_instance_store(instance))
        return WFSM_OK;
    int32_t status = wfsm_store_seen(wf_instance_store(instance), wf_instance_name(instance),
                                     id, &answer, error);
    *seen = answer != 0 || wf_batch_has_event(wf_instance_store(instance), instance, id);
    return status;
}
