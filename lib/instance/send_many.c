/* Events for many instances: while one moves, the memory of those behind it is fetched. */
#include "base/error.h"
#include "instance/inner.h"

/* So far ahead that memory has answered when the turn comes, and no further. */
enum { AHEAD = 8, LINES = 4 };

static void fetch(const wfsm_instance *instance)
{
    for (unsigned line = 0; line < LINES; line++)
        wf_instance_fetch(instance, line);
}

int32_t wfsm_instances_send(wfsm_instance *const *instances, const int32_t *events,
                            size_t count, int64_t now, int32_t *outcomes, size_t *done,
                            wfsm_error *error)
{
    int32_t status = WFSM_OK, outcome = 0;
    size_t sent = 0;
    if (count > 0 && (!instances || !events))
        status = wf_fail(error, WFSM_INVALID, "there is no list of instances, or of events");
    for (size_t i = 0; status == WFSM_OK && i < count && i < AHEAD; i++)
        fetch(instances[i]);
    while (status == WFSM_OK && sent < count) {
        if (count - sent > AHEAD)
            fetch(instances[sent + AHEAD]);
        status = wfsm_instance_send_number(instances[sent], events[sent], NULL, 0, now,
                                           &outcome, error);
        if (status == WFSM_OK && outcomes)
            outcomes[sent] = outcome;
        sent += status == WFSM_OK;
    }
    if (done)
        *done = sent;
    return status;
}
