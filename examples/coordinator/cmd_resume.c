#include "coordinator.h"

#include <stdio.h>

#include "alone.h"
#include "drive.h"
#include "shared/signals.h"
#include "show.h"
#include "summary.h"
#include "task.h"
#include "wfsm/shown.h"
#include "wfsm/address.h"

static int show_ended(const settings *with, wfsm_store *store, const char *id,
                      const task *found, wfsm_error *error)
{
    int code = END_FINE;

    if (with->is_json)
        code = summary_print(store, found, id, error);
    else
        show_outcome(found, id);
    return code == END_FINE ? outcome_code(found) : code;
}

static int resume_read(const settings *with, wfsm_store *store, const char *id,
                       const task *found, wfsm_error *error)
{
    int held, code;

    if (found->over)
        return show_ended(with, store, id, found, error);
    code = alone_hold(json_object_get(found->context, "place"), &held);
    if (code == END_FINE)
        code = drive_stored(with, id, found);
    alone_release(held);
    return code;
}

/* If all tasks are resumed, one that cannot be is skipped. With an explicit id it is an error. */
static int is_left_alone(const settings *with, const task *found, const char *id)
{
    char text[WFSM_OWNER_TEXT_SIZE];

    if (wfsm_owner_state(found->owner) != WFSM_OWNER_ALIVE)
        return 0;
    wfsm_owner_describe(found->owner, text);
    if (!with->is_json)
        shown_printf("%s: %s is at work on it\n", id, text);
    return 1;
}

static int resume_one(const settings *with, wfsm_store *store, const char *id, int among_all,
                      wfsm_error *error)
{
    task found;
    int code = END_FINE;

    if (host_stored_read(&found, store, id, error) != WFSM_OK)
        code = library_failed(id, error);
    else if (!among_all || !is_left_alone(with, &found, id))
        code = resume_read(with, store, id, &found, error);
    host_stored_clear(&found);
    return code;
}

/* One after the other. Skips a task that another process runs. Returns the worst exit code. */
static int resume_all(const settings *with, wfsm_store *store, wfsm_error *error)
{
    task_ids ids;
    size_t index;
    int worst = END_FINE, code;

    if (task_ids_read(&ids, store, 1, error) != WFSM_OK)
        worst = library_failed("the store", error);
    else if (ids.count == 0 && !with->is_json)
        shown_printf("no task is unfinished\n");
    for (index = 0; index < ids.count && !host_signals_asked(); index++) {
        code = resume_one(with, store, ids.list[index], 1, error);
        if (code > worst)
            worst = code;
    }
    task_ids_clear(&ids);
    return worst;
}

int cmd_resume(const arguments *given, const settings *with)
{
    wfsm_error *error = wfsm_error_new(NULL);
    wfsm_store *store = NULL;
    int code;

    if (address_open(&store, with->store, ADDRESS_READ, error) != WFSM_OK)
        code = library_failed("the store", error);
    else if (given->id)
        code = resume_one(with, store, given->id, 0, error);
    else
        code = resume_all(with, store, error);
    wfsm_store_free(store);
    wfsm_error_free(error);
    return code;
}
