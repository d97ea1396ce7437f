/* Sends events to many instances. While one is processed, the memory of the next is fetched. */
#include "base/error.h"
#include "base/sized.h"
#include "instance/inner.h"

/* How many instances ahead: just enough for the memory to arrive in time. */
enum { AHEAD = 8, LINES = 4 };

static void fetch(const wfsm_instance *instance)
{
    for (unsigned line = 0; line < LINES; line++)
        wf_instance_fetch(instance, line);
}

int32_t wfsm_instance_send_many(const wfsm_send_list *list, int64_t now, size_t *done,
                                wfsm_error *error)
{
    wfsm_send_list given;
    int32_t status = WFSM_OK, outcome = 0;
    size_t sent = 0;
    if (done)
        *done = 0;
    if (!wf_struct_check(&given, sizeof given, list, WF_SIZE_UP_TO(wfsm_send_list, outcomes)) ||
        (given.count > 0 && (!given.instances || !given.numbers)))
        return wf_fail(error, WFSM_INVALID, "there is no list of instances, or of events");
    for (size_t i = 0; i < given.count && i < AHEAD; i++)
        fetch(given.instances[i]);
    while (status == WFSM_OK && sent < given.count) {
        if (given.count - sent > AHEAD)
            fetch(given.instances[sent + AHEAD]);
        status = wfsm_instance_send_number(given.instances[sent], given.numbers[sent], now,
                                           &outcome, error);
        if (status == WFSM_OK && given.outcomes)
            given.outcomes[sent] = outcome;
        sent += status == WFSM_OK;
    }
    if (done)
        *done = sent;
    return status;
}
