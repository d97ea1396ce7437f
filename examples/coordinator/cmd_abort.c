#include "coordinator.h"

#include <stdio.h>

#include "drive.h"
#include <wfsm/agents.h>
#include "shared/owner.h"
#include "summary.h"
#include "task.h"
#include "wfsm/shown.h"
#include "wfsm/address.h"

/* No process runs the task, so the post would wait: this process takes it. */
static int abort_here(const settings *with, wfsm_store *store, const char *id,
                      const task *found)
{
    int code = drive_aborted(with, store, id, found);

    return code == END_OTHER ? END_FINE : code;
}

static int post(wfsm_store *store, const char *id, wfsm_error *error)
{
    if (host_post_command(store, id, "aborted_by_operator", NULL, error) != WFSM_OK)
        return library_failed(id, error);
    return END_FINE;
}

static int abort_found(const settings *with, wfsm_store *store, const char *id,
                       const task *found, wfsm_error *error)
{
    char text[WFSM_OWNER_TEXT_SIZE];
    int code;

    if (found->over && !found->awaiting) {
        print_error("%s: it is over, the outcome is %s", id,
                    host_stored_text(found, "outcome"));
        return END_OTHER;
    }
    code = post(store, id, error);
    if (code != END_FINE)
        return code;
    if (!host_owner_is_at_work(found->owner))
        return abort_here(with, store, id, found);
    if (with->is_json)
        return summary_print(store, found, id, error);
    wfsm_owner_describe(found->owner, text);
    shown_printf("%s: %s is told to stop\n", id, text);
    return END_FINE;
}

int cmd_abort(const arguments *given, const settings *with)
{
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;
    task found = {0};
    int code;

    if (address_open(&store, with->store, ADDRESS_WRITE, error) != WFSM_OK)
        code = library_failed("the store", error);
    else if (host_stored_read(&found, store, given->id, error) != WFSM_OK)
        code = library_failed(given->id, error);
    else
        code = abort_found(with, store, given->id, &found, error);
    host_stored_clear(&found);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return code;
}
