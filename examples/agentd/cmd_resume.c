/* agentd resume: continues what was stopped or killed, whichever command it was. */
#include <string.h>

#include "agentd.h"
#include "change.h"
#include "place.h"

static const struct {
    const char *state; /* of the life cycle */
    int (*run)(const arguments *given);
} works[] = {{"proposed.planning", cmd_plan},
             {"implementing.working", cmd_impl},
             {"complete.archiving", cmd_archive}};

static int refuse(const char *id, const char *why)
{
    print_error("%s: %s", id, why);
    return END_REFUSED;
}

static int read_change(change *now, const char *id)
{
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;
    place at;
    int32_t status = WFSM_NOT_FOUND;
    int code = place_find(&at);

    if (code == END_DONE)
        code = place_open_store(&at, 1, &store, error);
    if (code == END_DONE && store)
        status = change_read(now, store, id, error);
    if (code == END_DONE && status == WFSM_NOT_FOUND)
        code = refuse(id, "there is no such change");
    else if (code == END_DONE && status != WFSM_OK)
        code = library_failed(id, error);
    wfsm_store_free(store);
    place_clear(&at);
    wfsm_error_free(error);
    return code;
}

static int resume(const change *now, const arguments *given)
{
    size_t index;

    for (index = 0; index < sizeof works / sizeof *works; index++)
        if (strcmp(now->stored.state, works[index].state) == 0)
            return works[index].run(given);
    return refuse(given->id, "nothing of it was interrupted; see agentd status");
}

int cmd_resume(const arguments *given)
{
    change now = {.resting = 0};
    host_error why;
    int code = END_DONE;

    if (change_id_check(given->id, &why) != 0)
        code = host_failed(&why, END_USAGE);
    if (code == END_DONE)
        code = read_change(&now, given->id);
    if (code == END_DONE)
        code = resume(&now, given);
    change_clear(&now);
    return code;
}
