/* Checks an event of the caller. */
#include "base/error.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "instance/inner.h"
#include "store/batch.h"

const wfsm_event *wf_instance_event(wfsm_event *room, const wfsm_event *given,
                                    wfsm_error *error)
{
    const wfsm_event *event =
        wf_struct_view(room, sizeof *room, given, WF_SIZE_UP_TO(wfsm_event, length));
    const char *why = !event || !event->name ? "the event, its size or its name is not set"
                      : event->id && !wf_id_valid(event->id)
                          ? "an event's id is 1 to 255 bytes of UTF-8"
                          : NULL;
    if (why)
        wf_fail(error, WFSM_INVALID, "%s", why);
    return why ? NULL : event;
}

int32_t wf_instance_is_duplicate(wfsm_instance *instance, const char *id, bool *seen,
                                 wfsm_error *error)
{
    int32_t answer = 0;
    *seen = false;
    if (!id || !wf_instance_store(instance))
        return WFSM_OK;
    int32_t status = wfsm_store_seen(wf_instance_store(instance), wf_instance_id(instance), id,
                                     &answer, error);
    *seen = answer != 0 || wf_batch_has_event(wf_instance_store(instance), instance, id);
    return status;
}
